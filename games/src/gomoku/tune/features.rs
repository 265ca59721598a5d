//! Positions as the numbers that the weights are multiplied with.

use tengen_engine::search::Context;
use tengen_engine::{Evaluator, Game, Side};

use super::games::Record;
use crate::gomoku::verdict::{Group, SITUATIONS};
use crate::gomoku::{Board, Judge};

/// The nodes after which a win by fours is no longer looked for.
const FOURS_NODES: u64 = 500;

/// A quiet position of a game.
pub(super) struct Standing {
    /// How often each verdict stands on the board for the side to move, less how often for its
    /// opponent: by the verdict's number.
    pub(super) verdicts: Vec<(u16, i16)>,
    pub(super) situation: usize,
    /// What came of it for the side to move: 1, a half or 0.
    pub(super) result: f32,
}

const _: () = assert!(SITUATIONS <= u16::MAX as usize);

/// A choice among moves.
pub(super) struct Choice {
    /// The verdicts on each candidate, for the side to move and its opponent.
    pub(super) moves: Vec<[u16; 2]>,
    /// The one that was chosen.
    pub(super) chosen: usize,
}

/// What a game teaches.
pub(super) fn lessons(
    start: &Board,
    record: &Record,
    standings: &mut Vec<Standing>,
    choices: &mut Vec<Choice>,
) {
    let mut board = start.clone();
    let mut judge = Judge::new(&board);
    for (ply, &mv) in record.moves.iter().enumerate() {
        if ply >= record.opening {
            if is_quiet(&mut judge, &board) {
                standings.push(standing(&judge, &board, record.winner));
            }
            choices.extend(choice(&judge, &board, mv));
        }
        board.play(mv);
        judge.reset(&board);
    }
}

/// Whether the evaluation would be asked: nothing is forced or won at a glance.
pub(super) fn is_quiet(judge: &mut Judge, board: &Board) -> bool {
    let side = board.turn();
    let is_sharp = [(side, Group::Fives), (side, Group::OpenFours), (side.other(), Group::Fives)];
    if is_sharp.iter().any(|&(side, group)| !judge.points.group(side, group).is_empty()) {
        return false;
    }
    let won = judge.fours(board, FOURS_NODES, &mut Context::unlimited());
    matches!(won, Ok(None))
}

fn standing(judge: &Judge, board: &Board, winner: Option<Side>) -> Standing {
    let side = board.turn();
    let mut counts = std::collections::BTreeMap::<u16, i16>::new();
    for cell in board.grid().all().filter(|&cell| board.stone(cell).is_none()) {
        *counts.entry(judge.points.number(side, cell)).or_default() += 1;
        *counts.entry(judge.points.number(side.other(), cell)).or_default() -= 1;
    }
    let verdicts = counts.into_iter().filter(|&(_, count)| count != 0).collect();
    let result = result_for(winner, side);
    Standing { verdicts, situation: judge.points.situation(side), result }
}

/// What came of a game for `side`: 1, a half or 0.
pub(super) fn result_for(winner: Option<Side>, side: Side) -> f32 {
    match winner {
        Some(winner) if winner == side => 1.0,
        Some(_) => 0.0,
        None => 0.5,
    }
}

/// The choice that was made, where there was one among candidates that are not forced.
fn choice(judge: &Judge, board: &Board, mv: crate::grid::Cell) -> Option<Choice> {
    let mut candidates = Vec::new();
    let _ = judge.candidates(board, &mut candidates);
    let chosen = candidates.iter().position(|&candidate| candidate == mv)?;
    let side = board.turn();
    let both =
        |&cell: &crate::grid::Cell| [side, side.other()].map(|s| judge.points.number(s, cell));
    let moves: Vec<_> = candidates.iter().map(both).collect();
    (moves.len() > 1).then_some(Choice { moves, chosen })
}
