//! The laws of one position: its moves, their codes and slots, and the results of its evaluator.

use crate::game::rules::MAX_MOVE_CODE;
use crate::game::score::Score;
use crate::game::side::Outcome;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::ordering::Coverage;
use crate::text::notation::Notation;

use super::snapshot::EvaluatorSnapshot;
use super::{Law, LawBroken, broken, legal_moves};

/// Codes that possibly belong to no move.
const OTHER_CODES: [u32; 6] = [77, 1_000, 65_535, 700_001, MAX_MOVE_CODE, u32::MAX];

/// Checks that the game has moves and plies left exactly while it is not over. Returns its moves.
pub(super) fn check_end<G: Notation>(game: &G) -> Result<Vec<G::Move>, LawBroken> {
    let moves = legal_moves(game);
    let (outcome, plies) = (game.outcome(), game.plies_left());
    if moves.is_empty() != outcome.is_some() {
        let found = format!("{} moves, outcome {outcome:?}", moves.len());
        return Err(broken(Law::End, game, found));
    }
    if outcome.is_some() != (plies == 0) {
        let found = format!("{plies} plies left, outcome {outcome:?}");
        return Err(broken(Law::PliesLeft, game, found));
    }
    if plies > Score::MAX_PLIES {
        let found = format!("{plies} plies left, more than {}", Score::MAX_PLIES);
        return Err(broken(Law::PliesLeft, game, found));
    }
    Ok(moves)
}

/// Checks a move: the position `after` it has fewer plies left than `before`, and the game does not
/// end sooner than it says.
pub(super) fn check_step<G: Notation>(before: &G, mv: G::Move, after: &G) -> Result<(), LawBroken> {
    let plies = [before, after].map(G::plies_left);
    if plies[0] <= plies[1] {
        let found = format!("{} plies were left before {mv:?}, {} after", plies[0], plies[1]);
        return Err(broken(Law::PliesLeft, after, found));
    }
    let Some(Outcome::Win(winner)) = after.outcome() else { return Ok(()) };
    // The player of the last move wins or loses in one ply, the other player in two.
    let (wins, plies) = match winner == before.turn() {
        true => ("wins", (2, 1)),
        false => ("loses", (1, 2)),
    };
    let said = G::MIN_PLIES_TO_LOSE_AND_WIN;
    if said.0 <= plies.0 && said.1 <= plies.1 {
        return Ok(());
    }
    let (loss, win) = (said.0.min(plies.0), said.1.min(plies.1));
    let found = format!("{mv:?} {wins}, so {said:?} is wrong; ({loss}, {win}) is right here");
    Err(broken(Law::SoonestEnd, before, found))
}

/// Checks the list of moves, and the code and the history slot of each move.
pub(super) fn check_moves<G: Notation>(game: &G) -> Result<(), LawBroken> {
    let moves = check_end(game)?;
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
