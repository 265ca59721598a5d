//! A client that proves the values of positions.

use std::ops::ControlFlow;

use anyhow::ensure;
use tengen_engine::backend::Settings;
use tengen_engine::{
    Answer, Client, GameSpec, Limits, Move, Position, PositionError, Proof, Query, Report,
};
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::reply::{EndedBy, Solution, SolverScore};
use tengen_protocol::judge::solver::Scale;
use tengen_protocol::pool::job::{RankedLines, SearchResult};
use tengen_protocol::queries::write::Solve;

use crate::board::{ChosenGame, search};
use crate::exit_status::refuse;
use crate::interrupt::is_interrupted;
use crate::objects;
use crate::search_args::Books;

/// A solved position.
pub(super) struct Solved {
    /// The reply of the JSON protocol.
    pub(super) reply: Solution,
    /// The answer of the search.
    pub(super) answer: Answer<Move>,
}

impl Solved {
    /// Returns whether all scores that the user asked for are proven.
    pub(super) fn is_complete(&self) -> bool {
        let columns = self.reply.columns.iter().flatten();
        self.reply.solver_score.is_some() && columns.into_iter().all(|it| it.solver_score.is_some())
    }
}

/// The score of a column; `None` if it was not proven within the limits.
pub(super) type ColumnScore = Option<SolverScore>;

/// A client that proves values.
pub(super) struct ExactSolver {
    client: Client,
    limits: Limits,
    wanted: Solve,
}

impl ExactSolver {
    /// Opens `game`. With `scores_columns` it must be one in which stones fall.
    pub(super) fn open(
        game: &ChosenGame,
        settings: Settings,
        books: &Books,
        limits: Limits,
        scores_columns: bool,
    ) -> anyhow::Result<Self> {
        let GameSpec { rules, grid, is_exact, .. } = game.spec()?;
        let name = &game.variant;
        let Some(grid) = grid else {
            refuse!("{name}: it has no board; trees are solved by \"tengen tree\"");
        };
        if !is_exact {
            let why = "too large to be solved; \"tengen analyze\" searches it";
            refuse!("{name} ({rules}): {why}");
        }
        if scores_columns && !grid.falls() {
            refuse!("{name} ({rules}): --all is for games of columns");
        }
        let multi_pv = if scores_columns { grid.grid().width() } else { 1 };
        let mut client = game.client(&settings.with_multi_pv(multi_pv as usize))?;
        books.open(&mut client)?;
        let proof = limits.proof.unwrap_or(Proof::Score);
        let scale = Scale { cells: client.position().plies_left(), proof };
        let wanted = Solve { scale, all: scores_columns };
        Ok(Self { client, limits, wanted })
    }

    /// Returns the current position, with which moves are read.
    pub(super) fn position(&self) -> &dyn Position {
        self.client.position()
    }

    /// Plays `moves` from the starting position. On an error nothing changes.
    pub(super) fn set_position(&mut self, moves: &[&str]) -> Result<(), PositionError> {
        self.client.set(None, moves)
    }

    /// Clears the table.
    pub(super) fn clear_table(&mut self) {
        self.client.clear_hash();
    }

    /// Proves the value of the position, as far as the limits and Ctrl-C allow. `id` is that of the
    /// reply.
    pub(super) fn solve(&mut self, id: &Id) -> anyhow::Result<Solved> {
        let Self { client, limits, wanted } = self;
        let mut lines = RankedLines::default();
        let mut on_report = |report: &Report<Move>| {
            lines.note(report.clone());
            ControlFlow::Continue(())
        };
        let query = Query::from(limits.clone());
        let query = if wanted.all { query.with_listener(&mut on_report) } else { query };
        let answer = search(client, query)?;
        let (position, lines) = (client.position(), lines.at_end(&answer));
        let result = SearchResult { answer, lines };
        let searched = objects::searched(id, position);
        let reply = match position.outcome() {
            Some(_) => searched.solution(wanted, None, EndedBy::Over),
            None => {
                let ended_by = objects::ended_by(&result.answer, limits, false);
                searched.solution(wanted, Some(&result), ended_by)
            }
        };
        let solved = Solved { reply, answer: result.answer };
        let may_end_early = limits.is_bounded() || is_interrupted();
        ensure!(may_end_early || solved.is_complete(), "the search ended without a proof");
        Ok(solved)
    }

    /// Returns the scores of all columns if the user asked for them; `None` for a column that cannot
    /// be played.
    pub(super) fn columns(&self, solved: &Solved) -> Option<Vec<Option<ColumnScore>>> {
        let (scores, position) = (solved.reply.columns.as_ref()?, self.client.position());
        let (notation, legal) = (position.spec().grid?, position.legal());
        let score = |column| {
            let is_of = |mv: &Move| notation.point_of(*mv).is_some_and(|it| it.column == column);
            Some(scores[legal.iter().position(is_of)?].solver_score)
        };
        Some((0..notation.grid().width()).map(score).collect())
    }
}
