//! Games of the judgement with itself, from random openings.

use std::ops::RangeInclusive;

use tengen_engine::search::{Context, Search, Task, Techniques};
use tengen_engine::table::{OutOfMemory, Table};
use tengen_engine::{Game, Limits, Outcome, Side};

use crate::gomoku::{Board, Judge};
use crate::grid::Cell;
use crate::keys::mixed;

/// How games are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// The nodes searched for each move.
    pub nodes: u64,
    /// Where the random numbers begin: the same seed gives the same games.
    pub seed: u64,
}

/// A game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// All moves.
    pub moves: Vec<Cell>,
    /// How many of them, at the start, were random.
    pub opening: usize,
    /// For each move after those, the search's score for the side that made it, within
    /// [`MOST_SCORE`] of nothing; a proven win or loss lies at the border.
    pub scores: Vec<i32>,
    /// Who won, if anybody.
    pub winner: Option<Side>,
}

/// The border of the scores that are kept.
pub const MOST_SCORE: i32 = 3000;

/// How many random moves a game begins with. Turned and moved, games from fewer repeat each other,
/// and are learned by heart.
pub(super) const OPENING: RangeInclusive<usize> = 5..=10;

/// The table of a search, in MiB.
const TABLE_MIB: usize = 4;

/// Plays the game with this number from the empty board `start`: five to ten random moves, each
/// close to those before it, then searched ones.
pub fn play(start: &Board, number: u64, recipe: Recipe) -> Result<Record, OutOfMemory> {
    let mut dice = Dice { seed: recipe.seed, number, thrown: 0 };
    let mut board = start.clone();
    let mut moves = Vec::new();
    let opening = OPENING.start() + dice.below(OPENING.end() - OPENING.start() + 1);
    while moves.len() < opening && board.outcome().is_none() {
        let mv = dice.close_move(&board, &moves);
        board.play(mv);
        moves.push(mv);
    }
    let mut scores = Vec::new();
    let mut table = Table::new(TABLE_MIB)?;
    while board.outcome().is_none() {
        let context = Context::limited(recipe.nodes);
        let judge = Judge::new(&board);
        table.age();
        let mut search = Search::new(board.clone(), judge, table.view(), Techniques::ALL, context);
        let answer = search.run(&Task::new(Limits::default()), &mut |_| ());
        let Some(mv) = answer.best else { break };
        board.play(mv);
        moves.push(mv);
        scores.push(answer.report.score.raw().clamp(-MOST_SCORE, MOST_SCORE));
    }
    let winner = match board.outcome() {
        Some(Outcome::Win(side)) => Some(side),
        _ => None,
    };
    Ok(Record { moves, opening, scores, winner })
}

/// Random numbers, of a game's own.
struct Dice {
    seed: u64,
    number: u64,
    thrown: u64,
}

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.thrown += 1;
        let place = mixed(self.seed ^ mixed(self.number)).wrapping_add(self.thrown);
        (mixed(place) % end as u64) as usize
    }

    /// A legal move at most two steps from a stone, or from the middle of the empty board.
    fn close_move(&mut self, board: &Board, before: &[Cell]) -> Cell {
        let grid = board.grid();
        let middle = grid.cell(grid.width() / 2, grid.height() / 2);
        loop {
            let by = if before.is_empty() { middle } else { before[self.below(before.len())] };
            let mut step = || self.below(5) as i32 - 2;
            let near = grid.step(by, (step(), step()), 1);
            if let Some(mv) = near.filter(|&mv| board.is_allowed(mv)) {
                return mv;
            }
        }
    }
}
