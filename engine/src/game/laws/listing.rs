//! The laws of one position: its moves, their codes and slots, and the results of its evaluator.

use crate::game::evaluator::SearchEvaluator;
use crate::game::ordering::Coverage;
use crate::game::rules::MAX_MOVE_CODE;
use crate::text::notation::Notation;

use super::snapshot::EvaluatorSnapshot;
use super::{Law, LawBroken, broken, legal_moves};

/// Codes that possibly belong to no move.
const OTHER_CODES: [u32; 6] = [77, 1_000, 65_535, 700_001, MAX_MOVE_CODE, u32::MAX];

/// Checks the list of moves, and the code and the history slot of each move.
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
    for code in (0..40).chain(OTHER_CODES) {
        let read = game.unpack(code, symmetry);
        if read.is_some_and(|mv| !moves.contains(&mv)) {
            return Err(broken(Law::Unpack, game, format!("{code} is read as {read:?}")));
        }
    }
    Ok(())
}

/// Checks that the results of an evaluator are in range and consistent.
pub(super) fn check_evaluator<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &mut E,
) -> Result<(), LawBroken> {
    let Some(claims) = EvaluatorSnapshot::new(game, evaluator) else { return Ok(()) };
    let legal = legal_moves(game);
    if claims.score.is_decisive() || claims.terms.iter().sum::<i32>() != claims.score.raw() {
        let found = format!("{:?} of terms {:?}", claims.score, claims.terms);
        return Err(broken(Law::Evaluation, game, found));
    }
    if claims.bounds.0 > claims.bounds.1 {
        return Err(broken(Law::Bounds, game, format!("{:?} cross", claims.bounds)));
    }
    check_candidates(game, evaluator, &legal, &claims)?;
    if let Some(mv) = claims.noisy.iter().find(|mv| !legal.contains(mv)) {
        return Err(broken(Law::Noisy, game, format!("{mv:?} is not legal")));
    }
    if let Some(rank) = claims.ranks.iter().find(|&&rank| i16::try_from(rank).is_err()) {
        return Err(broken(Law::Rank, game, rank.to_string()));
    }
    Ok(())
}

fn check_candidates<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    legal: &[G::Move],
    claims: &EvaluatorSnapshot<G::Move>,
) -> Result<(), LawBroken> {
    let listed = &claims.candidates;
    let is_sound =
        |(place, mv): (usize, &G::Move)| legal.contains(mv) && !listed[..place].contains(mv);
    let is_complete = claims.coverage == Coverage::Complete || !evaluator.exact();
    if listed.is_empty() || !is_complete || !listed.iter().enumerate().all(is_sound) {
        let found = format!("{:?} list {listed:?} of the legal {legal:?}", claims.coverage);
        return Err(broken(Law::Candidates, game, found));
    }
    let is_open = claims.bounds.0 < claims.bounds.1;
    if is_open && claims.only_move.is_some_and(|mv| listed[..] != [mv]) {
        let found = format!("{:?}, candidates {listed:?}", claims.only_move);
        return Err(broken(Law::OnlyMove, game, found));
    }
    Ok(())
}
