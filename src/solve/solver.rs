//! A client that proves the values of positions.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use anyhow::anyhow;
use tengen_engine::backend::Settings;
use tengen_engine::{
    Answer, Client, GameSpec, GridNotation, Limits, Move, Position, PositionError, Proof, Query,
    Report, Score, Style,
};
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::reply::{
    self, Bound, EndedBy, MoveText, Reply, SolvedMove, SolverScore,
};
use tengen_protocol::judge::solver::{Scale, wdl_of};
use tengen_protocol::queries::write::{self, Spent};

use crate::board::{ChosenGame, search_failure};
use crate::exit_status::Refusal;
use crate::interrupt::{interruptible, is_interrupted};
use crate::objects;
use crate::search_args::Books;

/// The solution of a position.
pub(super) struct Solution {
    /// The score for the side to move; see [`Scale`]. `None` when it was not proven within the
    /// limits.
    pub(super) score: Option<i32>,
    /// The minimum and maximum possible score, if the score was not proven.
    pub(super) bounds: Option<(i32, i32)>,
    /// The scores of all columns; `None` if the user did not ask for them.
    pub(super) columns: Option<Vec<Column>>,
    /// The answer of the search.
    pub(super) answer: Answer<Move>,
}

/// The solution of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Column {
    /// The column cannot be played.
    Closed,
    /// The score was not proven within the limits.
    Unknown,
    Score(i32),
}

impl Solution {
    /// Returns whether all scores that the user asked for are proven.
    pub(super) fn is_complete(&self) -> bool {
        self.score.is_some() && !self.columns.iter().flatten().any(|it| *it == Column::Unknown)
    }
}

/// The score last reported for each column, and whether its search had full depth.
type ColumnScores = BTreeMap<u32, (Score, bool)>;

/// A client that proves values, with the scale of its scores.
pub(super) struct ExactSolver {
    client: Client,
    scale: Scale,
    limits: Limits,
    /// The grid, if all columns are scored.
    columns: Option<GridNotation>,
    plies: u32,
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
            let why = format!("{name}: it has no board; trees are solved by \"tengen tree\"");
            return Err(Refusal(why).into());
        };
        if !is_exact {
            let why = "too large to be solved; \"tengen analyze\" searches it";
            return Err(Refusal(format!("{name} ({rules}): {why}")).into());
        }
        if scores_columns && !grid.falls() {
            return Err(Refusal(format!("{name} ({rules}): --all is for games of columns")).into());
        }
        let columns = scores_columns.then_some(grid);
        let multi_pv = columns.map_or(1, |notation| notation.grid().width());
        let mut client = game.client(&settings.with_multi_pv(multi_pv as usize))?;
        books.open(&mut client)?;
        let proof = limits.proof.unwrap_or(Proof::Score);
        let scale = Scale { cells: client.position().plies_left(), proof };
        Ok(Self { client, scale, limits, columns, plies: 0 })
    }

    /// Returns the current position, with which moves are read.
    pub(super) fn position(&self) -> &dyn Position {
        self.client.position()
    }

    /// Plays `moves` from the starting position. On an error nothing changes.
    pub(super) fn set_position(&mut self, moves: &[&str]) -> Result<(), PositionError> {
        self.client.set(None, moves)?;
        self.plies = moves.len() as u32;
        Ok(())
    }

    /// Returns a solution as a reply of the JSON protocol.
    pub(super) fn reply(&self, id: Id, solution: &Solution) -> Reply {
        let position = self.client.position();
        let outcome = position.outcome();
        let answer = &solution.answer;
        // A proof of the outcome does not give the distance.
        let is_score = self.scale.proof == Proof::Score && solution.score.is_some();
        let column = |mv: &Move| {
            let point = self.columns?.point_of(*mv)?;
            match solution.columns.as_ref()?.get(point.column as usize)? {
                Column::Score(score) => Some(SolverScore::nearest(*score)),
                Column::Closed | Column::Unknown => None,
            }
        };
        let solved = |mv: Move| SolvedMove {
            mv: MoveText(position.write_move(mv, Style::Plain)),
            solver_score: column(&mv),
        };
        let ended_by = match outcome {
            Some(_) => EndedBy::Over,
            None => objects::ended_by(answer, &self.limits),
        };
        Reply::Solution(Box::new(reply::Solution {
            id,
            turn_number: objects::turn_number(position),
            turn: position.turn().into(),
            outcome: outcome.map(Into::into),
            score: is_score.then(|| answer.report.score.into()),
            solver_score: solution.score.map(SolverScore::nearest),
            bound: is_score.then_some(Bound::Exact),
            wdl: solution.score.map(|score| wdl_of(score).into()),
            figures: write::figures(&answer.report, Spent::default()),
            columns: self.columns.map(|_| position.legal().into_iter().map(solved).collect()),
            proof: answer.settled.as_ref().map(reply::Proof::from),
            ended_by,
        }))
    }

    /// Clears the table.
    pub(super) fn clear_table(&mut self) {
        self.client.clear_hash();
    }

    /// Proves the value of the position, as far as the limits and Ctrl-C allow.
    pub(super) fn solve(&mut self) -> anyhow::Result<Solution> {
        let (columns, plies_left) = (self.columns, self.client.position().plies_left());
        let mut scores = ColumnScores::new();
        let mut on_report = |report: &Report<Move>| {
            let first = report.pv.first().zip(columns);
            if let Some(point) = first.and_then(|(mv, notation)| notation.point_of(*mv)) {
                scores.insert(point.column, (report.score, report.depth >= plies_left));
            }
            ControlFlow::Continue(())
        };
        let answer = interruptible(|signal| {
            let query = Query::from(self.limits.clone()).with_signal(signal);
            let query = match columns {
                Some(_) => query.with_listener(&mut on_report),
                None => query,
            };
            self.client.search(query).map_err(|error| search_failure(&error))
        })?;
        self.solution(answer, &scores)
    }

    fn solution(&self, answer: Answer<Move>, scores: &ColumnScores) -> anyhow::Result<Solution> {
        let write = |score| self.scale.write(score, self.plies);
        let is_over = self.client.position().outcome().is_some();
        if is_over || !self.may_end_early() {
            let no_proof = || anyhow!("the search ended without a proof");
            let column = |column| match scores.get(&column) {
                Some((score, _)) => write(*score).map(Column::Score).ok_or_else(no_proof),
                None => Ok(Column::Closed),
            };
            let columns = self.columns.map(|it| (0..it.grid().width()).map(column).collect());
            let score = Some(write(answer.report.score).ok_or_else(no_proof)?);
            return Ok(Solution { score, bounds: None, columns: columns.transpose()?, answer });
        }
        let score = answer.settled.and_then(|_| write(answer.report.score));
        let bounds = answer.bounds.filter(|_| score.is_none());
        let bounds = bounds.and_then(|(low, high)| Some((write(low)?, write(high)?)));
        let columns = self.columns.map(|notation| self.proven_columns(notation, scores));
        Ok(Solution { score, bounds, columns, answer })
    }

    /// Returns whether a search may have ended without a proof.
    fn may_end_early(&self) -> bool {
        self.limits.is_bounded() || is_interrupted()
    }

    /// Returns the proven scores of the columns, from the scores of a search that ended early.
    fn proven_columns(&self, notation: GridNotation, scores: &ColumnScores) -> Vec<Column> {
        let legal = self.client.position().legal();
        let open: Vec<u32> =
            legal.into_iter().filter_map(|mv| Some(notation.point_of(mv)?.column)).collect();
        let column = |column| match scores.get(&column) {
            _ if !open.contains(&column) => Column::Closed,
            Some((score, is_full)) if score.is_decisive() || *is_full => {
                self.scale.write(*score, self.plies).map_or(Column::Unknown, Column::Score)
            }
            _ => Column::Unknown,
        };
        (0..notation.grid().width()).map(column).collect()
    }
}
