//! The laws of one position: what is listed, stored and claimed of it.

use crate::evaluator::SearchEvaluator;
use crate::notation::Notation;
use crate::ordering::Coverage;
use crate::rules::MAX_MOVE_CODE;

use super::snapshot::EvaluatorSnapshot;
use super::{Law, LawBroken, broken, legal_moves};

/// Codes that need not belong to any move.
const FOREIGN_CODES: [u32; 6] = [77, 1_000, 65_535, 700_001, MAX_MOVE_CODE, u32::MAX];

/// Checks the list of moves, and what the table and the history store of a move.
pub(super) fn check_moves<G: Notation>(game: &G) -> Result<(), LawBroken> {
    let moves = legal_moves(game);
    let is_over = game.outcome().is_some();
    if moves.is_empty() != is_over {
        let found = format!("{} moves, outcome {:?}", moves.len(), game.outcome());
        return Err(broken(Law::End, game, found));
    }
    if is_over != (game.plies_left() == 0) {
        let found = format!("{} plies left, outcome {:?}", game.plies_left(), game.outcome());
        return Err(broken(Law::PliesLeft, game, found));
    }
    let (_, symmetry) = game.key();
    for (place, &mv) in moves.iter().enumerate() {
        if moves[..place].contains(&mv) {
            return Err(broken(Law::Listing, game, format!("{mv:?} is listed twice")));
        }
        let code = game.pack(mv, symmetry);
        let back = game.unpack(code, symmetry);
        if code > MAX_MOVE_CODE || back != Some(mv) {
            return Err(broken(Law::Pack, game, format!("{mv:?} is {code}, which is {back:?}")));
        }
        let (slot, slots) = (game.history_slot(mv), game.history_slots());
        if slot >= slots {
            return Err(broken(
                Law::HistorySlot,
                game,
                format!("{mv:?} has slot {slot} of {slots}"),
            ));
        }
    }
    for code in (0..40).chain(FOREIGN_CODES) {
        let read = game.unpack(code, symmetry);
        if read.is_some_and(|mv| !moves.contains(&mv)) {
            return Err(broken(Law::Unpack, game, format!("{code} is read as {read:?}")));
        }
    }
    Ok(())
}

/// Checks that what an evaluator says is in range and agrees with itself.
pub(super) fn check_evaluator<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &mut E,
) -> Result<(), LawBroken> {
    let Some(said) = EvaluatorSnapshot::new(game, evaluator) else { return Ok(()) };
    let legal = legal_moves(game);
    if said.score.is_decisive() || said.terms.iter().sum::<i32>() != said.score.raw() {
        let found = format!("{:?} of terms {:?}", said.score, said.terms);
        return Err(broken(Law::Evaluation, game, found));
    }
    if said.bounds.0 > said.bounds.1 {
        return Err(broken(Law::Bounds, game, format!("{:?} cross", said.bounds)));
    }
    check_candidates(game, evaluator, &legal, &said)?;
    if let Some(mv) = said.noisy.iter().find(|mv| !legal.contains(mv)) {
        return Err(broken(Law::Noisy, game, format!("{mv:?} is not legal")));
    }
    if let Some(rank) = said.ranks.iter().find(|&&rank| i16::try_from(rank).is_err()) {
        return Err(broken(Law::Rank, game, rank.to_string()));
    }
    Ok(())
}

fn check_candidates<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    legal: &[G::Move],
    said: &EvaluatorSnapshot<G::Move>,
) -> Result<(), LawBroken> {
    let listed = &said.candidates;
    let is_sound =
        |(place, mv): (usize, &G::Move)| legal.contains(mv) && !listed[..place].contains(mv);
    let is_complete = said.coverage == Coverage::Complete || !evaluator.exact();
    if listed.is_empty() || !is_complete || !listed.iter().enumerate().all(is_sound) {
        let found = format!("{:?} list {listed:?} of the legal {legal:?}", said.coverage);
        return Err(broken(Law::Candidates, game, found));
    }
    let is_open = said.bounds.0 < said.bounds.1;
    if is_open && said.only_move.is_some_and(|mv| listed[..] != [mv]) {
        let found = format!("{:?}, candidates {listed:?}", said.only_move);
        return Err(broken(Law::OnlyMove, game, found));
    }
    Ok(())
}
