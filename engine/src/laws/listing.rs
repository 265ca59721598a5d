//! The laws of one position: its moves, their codes and slots, and the results of its evaluator.

use crate::game::rules::MAX_MOVE_CODE;
use crate::game::score::Score;
use crate::game::side::Outcome;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::ordering::Coverage;
use crate::text::notation::Notation;

use super::snapshot::EvaluatorSnapshot;
use super::{Law, LawBroken, ensure, legal_moves};

/// Codes that possibly belong to no move.
const OTHER_CODES: [u32; 6] = [77, 1_000, 65_535, 700_001, MAX_MOVE_CODE, u32::MAX];

/// Checks that the game has moves and plies left exactly while it is not over. Returns its moves.
pub(super) fn check_end<G: Notation>(game: &G) -> Result<Vec<G::Move>, LawBroken> {
    let moves = legal_moves(game);
    let (outcome, plies) = (game.outcome(), game.plies_left());
    ensure(moves.is_empty() == outcome.is_some(), Law::End, game, || {
        format!("{} moves, outcome {outcome:?}", moves.len())
    })?;
    ensure(outcome.is_some() == (plies == 0), Law::PliesLeft, game, || {
        format!("{plies} plies left, outcome {outcome:?}")
    })?;
    ensure(plies <= Score::MAX_PLIES, Law::PliesLeft, game, || {
        format!("{plies} plies left, more than {}", Score::MAX_PLIES)
    })?;
    Ok(moves)
}

/// Checks a move: the position `after` it has fewer plies left than `before`, and the game does not
/// end sooner than it says.
pub(super) fn check_step<G: Notation>(before: &G, mv: G::Move, after: &G) -> Result<(), LawBroken> {
    let plies = [before, after].map(G::plies_left);
    ensure(plies[0] > plies[1], Law::PliesLeft, after, || {
        format!("{} plies were left before {mv:?}, {} after", plies[0], plies[1])
    })?;
    let Some(Outcome::Win(winner)) = after.outcome() else { return Ok(()) };
    // The player of the last move wins or loses in one ply, the other player in two.
    let (wins, plies) = match winner == before.turn() {
        true => ("wins", (2, 1)),
        false => ("loses", (1, 2)),
    };
    let said = G::MIN_PLIES_TO_LOSE_AND_WIN;
    let (loss, win) = (said.0.min(plies.0), said.1.min(plies.1));
    ensure(said == (loss, win), Law::SoonestEnd, before, || {
        format!("{mv:?} {wins}, so {said:?} is wrong; ({loss}, {win}) is right here")
    })
}

/// Checks the list of moves, and the code and the history slot of each move.
pub(super) fn check_moves<G: Notation>(game: &G) -> Result<(), LawBroken> {
    let moves = check_end(game)?;
    let (_, symmetry) = game.key();
    for (place, &mv) in moves.iter().enumerate() {
        let is_new = !moves[..place].contains(&mv);
        ensure(is_new, Law::Listing, game, || format!("{mv:?} is listed twice"))?;
        let code = game.pack(mv, symmetry);
        let back = game.unpack(code, symmetry);
        ensure(code <= MAX_MOVE_CODE && back == Some(mv), Law::Pack, game, || {
            format!("{mv:?} is {code}, which is {back:?}")
        })?;
        let (slot, slots) = (game.history_slot(mv), game.history_slots());
        ensure(slot < slots, Law::HistorySlot, game, || {
            format!("{mv:?} has slot {slot} of {slots}")
        })?;
    }
    for code in (0..40).chain(OTHER_CODES) {
        let read = game.unpack(code, symmetry);
        let is_legal = read.is_none_or(|mv| moves.contains(&mv));
        ensure(is_legal, Law::Unpack, game, || format!("{code} is read as {read:?}"))?;
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
    let is_sum = claims.terms.iter().sum::<i32>() == claims.score.raw();
    ensure(is_sum && !claims.score.is_decisive(), Law::Evaluation, game, || {
        format!("{:?} of terms {:?}", claims.score, claims.terms)
    })?;
    let (low, high) = claims.bounds;
    ensure(low <= high, Law::Bounds, game, || format!("{:?} cross", claims.bounds))?;
    check_candidates(game, evaluator, &legal, &claims)?;
    for mv in &claims.noisy {
        ensure(legal.contains(mv), Law::Noisy, game, || format!("{mv:?} is not legal"))?;
    }
    let mut ranks = claims.ranks.iter();
    ranks.try_for_each(|&rank| {
        ensure(i16::try_from(rank).is_ok(), Law::Rank, game, || rank.to_string())
    })
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
    let is_list = is_complete && !listed.is_empty() && listed.iter().enumerate().all(is_sound);
    ensure(is_list, Law::Candidates, game, || {
        format!("{:?} list {listed:?} of the legal {legal:?}", claims.coverage)
    })?;
    let is_open = claims.bounds.0 < claims.bounds.1;
    let is_only = claims.only_move.is_none_or(|mv| listed[..] == [mv]);
    ensure(is_only || !is_open, Law::OnlyMove, game, || {
        format!("{:?}, candidates {listed:?}", claims.only_move)
    })
}
