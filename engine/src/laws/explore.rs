//! Visits all positions that some moves reach, and checks ends, plies left and keys.

use std::collections::{HashSet, VecDeque};

use crate::text::notation::Notation;

use super::keys::Keys;
use super::{LawBroken, legal_moves, listing};

/// The number of moves that [`check_few_moves`] plays in any order.
const FEW_MOVES: usize = 7;

/// The maximum of positions that [`check_few_moves`] visits.
const POSITIONS: usize = 2_000;

/// Visits the positions that a few moves reach in every order. Different orders can then lead to
/// similar positions, for example with other captures. `index`, from 0 to 7, chooses the moves:
/// neighbours in the list of legal moves. Moves that become legal later are played, too.
pub(super) fn check_few_moves<G: Notation>(
    start: &G,
    index: usize,
    keys: &mut Keys,
) -> Result<(), LawBroken> {
    let moves = legal_moves(start);
    let from = index * moves.len() / 8;
    let few = &moves[from..moves.len().min(from + FEW_MOVES)];
    let is_new = |mv: &G::Move| !moves.contains(mv);
    visit(start, POSITIONS, keys, |mv| few.contains(mv) || is_new(mv)).map(|_| ())
}

/// Checks all positions that can be reached from `start`. Returns false if there are more than
/// `positions` of them.
pub(super) fn check_all<G: Notation>(start: &G, positions: usize) -> Result<bool, LawBroken> {
    visit(start, positions, &mut Keys::default(), |_| true)
}

/// Visits the positions that the moves of `is_played` reach, nearest first. Returns false if there
/// are more than `positions` of them.
fn visit<G: Notation>(
    start: &G,
    positions: usize,
    keys: &mut Keys,
    is_played: impl Fn(&G::Move) -> bool,
) -> Result<bool, LawBroken> {
    let mut seen = HashSet::from([start.write_position(true)]);
    let mut open = VecDeque::from([start.clone()]);
    while let Some(game) = open.pop_front() {
        let moves = listing::check_end(&game)?;
        keys.check(&game)?;
        for mv in moves.into_iter().filter(&is_played) {
            let mut after = game.clone();
            after.play(mv);
            listing::check_step(&game, mv, &after)?;
            if !seen.insert(after.write_position(true)) {
                continue;
            }
            if seen.len() > positions {
                return Ok(false);
            }
            open.push_back(after);
        }
    }
    Ok(true)
}
