//! Games of the engine with itself, from random openings.

use std::ops::RangeInclusive;

use fastrand::Rng;
use tengen_engine::Cell;
use tengen_engine::search::{Context, Search, SearchOptions, Task};
use tengen_engine::table::{OutOfMemory, Table};
use tengen_engine::{Game, Limits, Outcome, Side};
use tengen_games::gomoku::{Board, GomokuEvaluator};

/// A game that was played to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// All moves.
    pub moves: Vec<Cell>,
    /// How many of them, at the start, were random.
    pub opening: usize,
    /// For each move after those, the search's score for the side that made it, within
    /// [`MAX_SCORE`] of nothing; a proven win or loss lies at the border.
    pub scores: Vec<i32>,
    /// Who won, if anybody.
    pub winner: Option<Side>,
}

/// The border of the scores that are kept.
pub const MAX_SCORE: i32 = 3000;

/// How many random moves a game begins with. Turned and moved, games from fewer repeat each other,
/// and are learned by heart.
pub(super) const OPENING: RangeInclusive<usize> = 5..=10;

/// The table of a search, in MiB.
const TABLE_MIB: usize = 4;

/// Plays a game from the empty board `start`: five to ten random moves, each close to those before
/// it, then moves searched with so many nodes.
pub fn play(start: &Board, rng: &mut Rng, nodes: u64) -> Result<Record, OutOfMemory> {
    let mut board = start.clone();
    let mut moves = Vec::new();
    let opening = rng.usize(OPENING);
    while moves.len() < opening && board.outcome().is_none() {
        let mv = close_move(rng, &board, &moves);
        board.play(mv);
        moves.push(mv);
    }
    let mut scores = Vec::new();
    let mut table = Table::new(TABLE_MIB)?;
    while board.outcome().is_none() {
        let context = Context::limited(nodes);
        let evaluator = GomokuEvaluator::new(&board);
        table.age();
        let mut search =
            Search::new(board.clone(), evaluator, table.view(), SearchOptions::ALL, context);
        let answer = search.run(&Task::new(Limits::default()), &mut |_| ());
        let Some(mv) = answer.best else { break };
        board.play(mv);
        moves.push(mv);
        scores.push(answer.report.score.raw().clamp(-MAX_SCORE, MAX_SCORE));
    }
    let winner = match board.outcome() {
        Some(Outcome::Win(side)) => Some(side),
        _ => None,
    };
    Ok(Record { moves, opening, scores, winner })
}

/// Returns a random legal move at most two steps from a stone, or from the middle of the empty
/// board.
fn close_move(rng: &mut Rng, board: &Board, before: &[Cell]) -> Cell {
    let grid = board.grid();
    let middle = grid.cell(grid.width() / 2, grid.height() / 2);
    loop {
        let by = rng.choice(before).copied().unwrap_or(middle);
        let near = grid.step(by, (rng.i32(-2..=2), rng.i32(-2..=2)), 1);
        if let Some(mv) = near.filter(|&mv| board.is_allowed(mv)) {
            return mv;
        }
    }
}
