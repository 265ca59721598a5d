//! The samples of games: quiet positions with their results, and the moves that were chosen.

use std::collections::BTreeMap;

use tengen_engine::Cell;
use tengen_engine::{Game, Side};
use tengen_games::gomoku::Board;
use tengen_games::gomoku::features::Features;

use super::games::Record;

/// The error when no game has a sample.
pub(super) const NOTHING_TO_LEARN: &str = "no game has a position to learn from";

/// A quiet position of a game.
pub(super) struct QuietPosition {
    /// The side to move.
    pub(super) side: Side,
    /// How many empty points have each pattern for the side to move, then for its opponent.
    pub(super) patterns: [Vec<(u16, i16)>; 2],
    /// The situation: the set of threats that could be made, by number.
    pub(super) situation: usize,
    /// The result for the side to move: 1, 0.5 or 0.
    pub(super) result: f32,
}

/// A move that was chosen among candidates.
pub(super) struct MoveChoice {
    /// The side to move.
    pub(super) side: Side,
    /// The patterns of each candidate, for the side to move and its opponent.
    pub(super) moves: Vec<[u16; 2]>,
    /// The index of the move that was chosen.
    pub(super) chosen: usize,
}

/// Adds the samples of a game to `positions` and `choices`.
pub(super) fn push_samples(
    start: &Board,
    record: &Record,
    positions: &mut Vec<QuietPosition>,
    choices: &mut Vec<MoveChoice>,
) {
    let mut board = start.clone();
    let mut features = Features::new(&board);
    for (ply, &mv) in record.moves.iter().enumerate() {
        if ply >= record.opening {
            if features.is_quiet(&board) {
                positions.push(quiet_position(&features, &board, record.winner));
            }
            choices.extend(choice(&features, &board, mv));
        }
        board.play(mv);
        features.reset(&board);
    }
}

fn quiet_position(features: &Features, board: &Board, winner: Option<Side>) -> QuietPosition {
    let side = board.turn();
    let patterns = [side, side.other()].map(|side| {
        let mut counts = BTreeMap::<u16, i16>::new();
        for cell in board.grid().all().filter(|&cell| board.stone(cell).is_none()) {
            *counts.entry(features.pattern(side, cell)).or_default() += 1;
        }
        counts.into_iter().collect()
    });
    let situation = features.situation(side);
    QuietPosition { side, patterns, situation, result: result_for(winner, side) }
}

/// Returns the result of a game for `side`: 1, 0.5 or 0.
pub(super) fn result_for(winner: Option<Side>, side: Side) -> f32 {
    match winner {
        Some(winner) if winner == side => 1.0,
        Some(_) => 0.0,
        None => 0.5,
    }
}

/// Returns the choice of `mv` among the candidates; `None` if there is only one candidate or `mv`
/// is none.
fn choice(features: &Features, board: &Board, mv: Cell) -> Option<MoveChoice> {
    let candidates = features.candidates(board);
    let chosen = candidates.iter().position(|&candidate| candidate == mv)?;
    let side = board.turn();
    let both = |&cell: &Cell| [side, side.other()].map(|side| features.pattern(side, cell));
    let moves: Vec<_> = candidates.iter().map(both).collect();
    (moves.len() > 1).then_some(MoveChoice { side, moves, chosen })
}
