//! Walks: games from start to end, with a check of every law in every position.

use std::collections::hash_map::DefaultHasher;
use std::hash::{BuildHasher, BuildHasherDefault};

use crate::search::evaluator::SearchEvaluator;
use crate::text::Style;
use crate::text::notation::Notation;

use super::keys::Keys;
use super::snapshot::{EvaluatorSnapshot, GameSnapshot};
use super::{Law, LawBroken, broken, ensure, legal_moves, listing, text, values};

/// The number of plies before the end from which minimax is tried.
const FEW_PLIES: u32 = 8;

/// The maximum of positions that minimax solves near the end of a walk.
const POSITIONS: usize = 1_000;

/// A pseudorandom generator with the same numbers in every run.
struct Choices {
    seed: u64,
    made: u64,
}

impl Choices {
    fn below(&mut self, bound: usize) -> usize {
        self.made += 1;
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        (hasher.hash_one((self.seed, self.made)) % bound as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Checks every law on one walk from `start` to the end of the game.
pub(super) fn check<G: Notation, E: SearchEvaluator<G>>(
    start: &G,
    evaluator: &E,
    seed: u64,
    keys: &mut Keys,
) -> Result<(), LawBroken> {
    let mut choices = Choices { seed, made: 0 };
    let mut game = start.clone();
    let mut evaluator = evaluator.clone();
    evaluator.reset(&game);
    let mut played = Vec::new();
    let mut is_solved = false;
    loop {
        listing::check_moves(&game)?;
        keys.check(&game)?;
        text::check(&game)?;
        listing::check_evaluator(&game, &mut evaluator)?;
        check_undo(&mut game, &mut evaluator)?;
        if !is_solved && game.plies_left() <= FEW_PLIES {
            is_solved = values::check(&game, &evaluator, POSITIONS)?;
        }
        let moves = legal_moves(&game);
        if moves.is_empty() {
            break;
        }
        let mv = moves[choices.below(moves.len())];
        played.push(game.write_move(mv, Style::Plain));
        game.play(mv);
        evaluator.played(&game, mv);
    }
    check_other_path(start, &game, &played, &mut choices)
}

/// Checks each move, and that undoing it restores the game and the evaluator. Also checks that an
/// evaluator that followed the moves agrees with a fresh one.
fn check_undo<G: Notation, E: SearchEvaluator<G>>(
    game: &mut G,
    evaluator: &mut E,
) -> Result<(), LawBroken> {
    let before = game.clone();
    let game_before = GameSnapshot::new(game);
    let evaluator_before = EvaluatorSnapshot::new(game, evaluator);
    for mv in legal_moves(game) {
        let undo = game.play(mv);
        listing::check_end(game)?;
        listing::check_step(&before, mv, game)?;
        let evaluator_undo = evaluator.played(game, mv);
        let mut fresh = evaluator.clone();
        fresh.reset(game);
        let followed = EvaluatorSnapshot::new(game, evaluator);
        let anew = EvaluatorSnapshot::new(game, &mut fresh);
        ensure(followed == anew, Law::Played, game, || format!("{followed:?}, anew {anew:?}"))?;
        game.undo(mv, undo);
        evaluator.undone(game, mv, evaluator_undo);
        if let Some(found) = game_before.difference(&GameSnapshot::new(game)) {
            return broken(Law::Undo, game, format!("after {mv:?}: {found}"));
        }
        let back = EvaluatorSnapshot::new(game, evaluator);
        ensure(back == evaluator_before, Law::Undone, game, || {
            format!("after {mv:?}: {evaluator_before:?} became {back:?}")
        })?;
    }
    Ok(())
}

/// Plays the moves `played` in another order, if that is possible, and checks that the position is
/// equal to `end`.
fn check_other_path<G: Notation>(
    start: &G,
    end: &G,
    played: &[String],
    choices: &mut Choices,
) -> Result<(), LawBroken> {
    let mut first: Vec<_> = played.iter().step_by(2).collect();
    let mut second: Vec<_> = played.iter().skip(1).step_by(2).collect();
    choices.shuffle(&mut first);
    choices.shuffle(&mut second);
    let mut game = start.clone();
    for ply in 0..played.len() {
        let text = if ply % 2 == 0 { first[ply / 2] } else { second[ply / 2] };
        let Ok(mv) = game.read_move(text) else { return Ok(()) };
        game.play(mv);
    }
    if game.write_position(true) != end.write_position(true) {
        return Ok(());
    }
    let difference = GameSnapshot::new(end).difference(&GameSnapshot::new(&game));
    difference.map_or(Ok(()), |found| broken(Law::Path, end, found))
}
