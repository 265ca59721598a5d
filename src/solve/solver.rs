//! A backend that is asked for nothing but proven values.

use std::ops::ControlFlow;

use anyhow::anyhow;
use tengen_engine::backend::Settings;
use tengen_engine::{
    Answer, Client, GameSpec, GridNotation, Limits, Move, Position, PositionError, Proof, Query,
    Report, Score, Tally,
};

use crate::board::Game;
use crate::exit_status::Refusal;
use crate::search_args::Books;

/// What is known of a position.
pub(super) struct Solution {
    /// For the side to move; see [`Scale`].
    pub(super) score: i32,
    /// Over all threads.
    pub(super) nodes: u64,
    /// Of the thread that answered.
    pub(super) tally: Tally,
    /// The score of each column, if they were asked for; `None` for one that cannot be played.
    pub(super) columns: Option<Vec<Option<i32>>>,
}

/// How a score is written.
#[derive(Clone, Copy)]
struct Scale {
    /// Of the whole board.
    cells: u32,
    proof: Proof,
}

impl Scale {
    /// A proven score of the position after `plies`: 1, 0 or -1 for its outcome alone; else one
    /// more than the stones that the winner has left at the end, of half the cells, rounded up for
    /// the first player. `None` when it is not proven.
    fn write(self, score: Score, plies: u32) -> Option<i32> {
        let sign = score.cmp(&Score::DRAW) as i32;
        if sign == 0 || self.proof == Proof::Outcome {
            return Some(sign);
        }
        let to_end = score.plies()?;
        let cells_left = self.cells - plies - to_end;
        let winner_ends = score.is_win() != to_end.is_multiple_of(2);
        // Whoever makes the last ply of the game has no more stones left than the other side.
        let stones = if winner_ends { cells_left / 2 } else { cells_left.div_ceil(2) };
        Some(sign * (1 + stones as i32))
    }
}

/// A client that proves values, and how they are written.
pub(super) struct Solver {
    client: Client,
    scale: Scale,
    /// The grid of a game in which stones fall.
    columns: Option<GridNotation>,
    scores_columns: bool,
    plies: u32,
}

impl Solver {
    /// Opens `game`. With `scores_columns` it must be one in which stones fall.
    pub(super) fn open(
        game: &Game,
        settings: Settings,
        books: &Books,
        proof: Proof,
        scores_columns: bool,
    ) -> anyhow::Result<Self> {
        let GameSpec { rules, grid, is_exact, .. } = game.spec()?;
        let Some(grid) = grid else {
            let why = format!("{rules}: it has no board; trees are solved by \"tengen tree\"");
            return Err(Refusal(why).into());
        };
        if !is_exact {
            return Err(Refusal(format!("{rules}: too large to be solved")).into());
        }
        let columns = grid.falls().then_some(grid);
        if scores_columns && columns.is_none() {
            return Err(Refusal(format!("{rules}: --all is for games of columns")).into());
        }
        let multi_pv = if scores_columns { grid.grid().width() as usize } else { 1 };
        let mut client = game.client(&Settings { multi_pv, ..settings })?;
        books.open(&mut client)?;
        let scale = Scale { cells: client.position().plies_left(), proof };
        Ok(Self { client, scale, columns, scores_columns, plies: 0 })
    }

    /// A position of the game, to read moves.
    pub(super) fn position(&self) -> &dyn Position {
        self.client.position()
    }

    /// Plays `moves` from the starting position. On an error nothing changes.
    pub(super) fn set_position(&mut self, moves: &[&str]) -> Result<(), PositionError> {
        self.client.set(None, moves)?;
        self.plies = moves.len() as u32;
        Ok(())
    }

    /// Forgets what earlier positions left in the table.
    pub(super) fn forget(&mut self) {
        self.client.clear_hash();
    }

    /// Proves the value of the position.
    pub(super) fn solve(&mut self) -> anyhow::Result<Solution> {
        let limits = Limits { proof: Some(self.scale.proof), ..Limits::default() };
        let Some(notation) = self.columns.filter(|_| self.scores_columns) else {
            let answer = self.client.search(limits)?;
            return self.solution(&answer, None);
        };
        let mut scores = vec![None; notation.grid().width() as usize];
        let mut on_report = |report: &Report<Move>| {
            let point = report.pv.first().and_then(|mv| notation.point_of(*mv));
            if let Some(score) = point.and_then(|at| scores.get_mut(at.column as usize)) {
                *score = Some(report.score);
            }
            ControlFlow::Continue(())
        };
        let query = Query { limits, on_report: Some(&mut on_report), ..Query::default() };
        let answer = self.client.search(query)?;
        self.solution(&answer, Some(scores))
    }

    fn solution(
        &self,
        answer: &Answer<Move>,
        columns: Option<Vec<Option<Score>>>,
    ) -> anyhow::Result<Solution> {
        let written = |score: Option<Score>| score.map(|score| self.written(score)).transpose();
        let all = |scores: Vec<_>| scores.into_iter().map(written).collect::<anyhow::Result<_>>();
        let score = self.written(answer.report.score)?;
        let columns = columns.map(all).transpose()?;
        Ok(Solution { score, nodes: answer.report.nodes, tally: answer.tally, columns })
    }

    fn written(&self, score: Score) -> anyhow::Result<i32> {
        self.scale
            .write(score, self.plies)
            .ok_or_else(|| anyhow!("the search ended without a proof"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_one_more_than_the_stones_that_the_winner_has_left() {
        for cells in 1..=13_u32 {
            let scale = Scale { cells, proof: Proof::Score };
            // The players move in turn, the first one first, until `end` stones are down.
            for end in 1..=cells {
                for plies in 0..=end {
                    for first_wins in [true, false] {
                        let (all, used) = match first_wins {
                            true => (cells.div_ceil(2), end.div_ceil(2)),
                            false => (cells / 2, end / 2),
                        };
                        let own = first_wins == plies.is_multiple_of(2);
                        let size = 1 + (all - used) as i32;
                        let (score, expected) = match own {
                            true => (Score::win_in(end - plies), size),
                            false => (Score::loss_in(end - plies), -size),
                        };
                        let place = format!("{cells} cells, {plies} of {end}, {first_wins}");
                        assert_eq!(scale.write(score, plies), Some(expected), "{place}");
                    }
                }
            }
        }
    }

    #[test]
    fn draws_are_zero_and_what_is_not_proven_has_no_score() {
        let scale = |proof| Scale { cells: 42, proof };
        assert_eq!(scale(Proof::Score).write(Score::DRAW, 7), Some(0));
        assert_eq!(scale(Proof::Score).write(Score::heuristic(9), 7), None);
        assert_eq!(scale(Proof::Outcome).write(Score::loss_in(4), 7), Some(-1));
    }
}
