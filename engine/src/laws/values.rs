//! The laws that need minimax: bounds, complete lists, proofs and equal keys.

use std::collections::{HashMap, HashSet};

use crate::game::score::Score;
use crate::game::side::Outcome;
use crate::game::window::Window;
use crate::search::context::Context;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::ordering::Coverage;
use crate::search::evaluator::prover::{LosingMoves, Probe, ProofEffort};
use crate::text::notation::Notation;

use super::{Law, LawBroken, broken, ensure, explore, legal_moves};

/// The node limit of a solver in one position. A solver may divide it among its parts, so it must
/// be large enough for each part.
const SOLVER_NODES: u64 = 32_000;

/// Checks all positions that can be reached from `game`. Returns false, without any check, if there
/// are more than `positions` of them.
pub(super) fn check<G: Notation, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    positions: usize,
) -> Result<bool, LawBroken> {
    // Minimax recurses once for each ply, so a game without an end must be found first.
    if !explore::check_all(game, positions)? {
        return Ok(false);
    }
    let (mut game, mut evaluator) = (game.clone(), evaluator.clone());
    let mut minimax = Minimax { values: HashMap::new(), positions };
    if minimax.value(&mut game).is_none() {
        return Ok(false);
    }
    evaluator.reset(&game);
    let (seen, by_key) = (HashSet::new(), HashMap::new());
    Checker { minimax, seen, by_key }.visit(&mut game, &mut evaluator)?;
    Ok(true)
}

/// Plain minimax. It stores positions by their text, because keys may be wrong.
struct Minimax {
    values: HashMap<String, Score>,
    positions: usize,
}

impl Minimax {
    /// Returns the value for the side to move; `None` if there are too many positions.
    fn value<G: Notation>(&mut self, game: &mut G) -> Option<Score> {
        if let Some(outcome) = game.outcome() {
            return Some(outcome.score(game.turn(), 0));
        }
        let text = game.write_position(true);
        if let Some(&value) = self.values.get(&text) {
            return Some(value);
        }
        let mut value = Score::LOWEST;
        for mv in legal_moves(game) {
            value = value.max(self.value_after(game, mv)?);
        }
        if self.values.len() == self.positions {
            return None;
        }
        self.values.insert(text, value);
        Some(value)
    }

    /// Returns the value of `mv` for the side that plays it.
    fn value_after<G: Notation>(&mut self, game: &mut G, mv: G::Move) -> Option<Score> {
        let undo = game.play(mv);
        let value = self.value(game);
        game.undo(mv, undo);
        value.map(|value| -value.to_root(1))
    }
}

/// A walk over all positions.
struct Checker<G> {
    minimax: Minimax,
    seen: HashSet<String>,
    /// The first position with each key.
    by_key: HashMap<u64, G>,
}

impl<G: Notation> Checker<G> {
    fn visit<E: SearchEvaluator<G>>(
        &mut self,
        game: &mut G,
        evaluator: &mut E,
    ) -> Result<(), LawBroken> {
        if game.outcome().is_some() || !self.seen.insert(game.write_position(true)) {
            return Ok(());
        }
        self.check_bounds(game, evaluator)?;
        self.check_proofs(game, evaluator)?;
        self.check_key(game)?;
        for mv in legal_moves(game) {
            let undo = game.play(mv);
            let evaluator_undo = evaluator.played(game, mv);
            self.visit(game, evaluator)?;
            game.undo(mv, undo);
            evaluator.undone(game, mv, evaluator_undo);
        }
        Ok(())
    }

    /// Returns the value of a position that minimax has solved.
    fn value(&mut self, game: &mut G) -> Score {
        self.minimax.value(game).unwrap_or(Score::LOWEST)
    }

    /// Returns the values of `moves`, in their order.
    fn values_after(&mut self, game: &mut G, moves: &[G::Move]) -> Vec<Score> {
        moves.iter().filter_map(|&mv| self.minimax.value_after(game, mv)).collect()
    }

    fn check_bounds<E: SearchEvaluator<G>>(
        &mut self,
        game: &mut G,
        evaluator: &mut E,
    ) -> Result<(), LawBroken> {
        let value = self.value(game);
        let (low, high) = evaluator.static_bounds(game, Window::FULL);
        ensure((low..=high).contains(&value), Law::Bounds, game, || {
            format!("{value:?} is not from {low:?} to {high:?}")
        })?;
        let mut listed = Vec::new();
        let coverage = evaluator.candidates(game, &mut listed);
        let values = self.values_after(game, &listed);
        if coverage == Coverage::Complete {
            let best = values.into_iter().max();
            return ensure(best == Some(value), Law::Complete, game, || {
                format!("{listed:?} reach {best:?} of {value:?}")
            });
        }
        if values.iter().all(|value| value.is_loss()) {
            self.check_others(game, evaluator, &listed)?;
        }
        Ok(())
    }

    /// Checks that each move that the evaluator says loses does lose, given that all `listed` moves
    /// lose. Like a search, it calls the evaluator again after each move that is not said to lose.
    fn check_others<E: SearchEvaluator<G>>(
        &mut self,
        game: &mut G,
        evaluator: &mut E,
        listed: &[G::Move],
    ) -> Result<(), LawBroken> {
        let mut legal = legal_moves(game);
        legal.retain(|mv| !listed.contains(mv));
        let mut others = &legal[..];
        while !others.is_empty() {
            let effort = ProofEffort::High;
            let asked = evaluator.others_lose(game, others, effort, &mut Context::unlimited());
            let LosingMoves { count, plies } = asked.unwrap_or(LosingMoves::NONE);
            let Some(losing) = others.get(..count) else {
                let found = format!("{count} of {} moves are said to lose", others.len());
                return broken(Law::OthersLose, game, found);
            };
            let values = self.values_after(game, losing);
            for value in values {
                ensure(value <= Score::loss_in(plies), Law::OthersLose, game, || {
                    format!("one of {losing:?} reaches {value:?}")
                })?;
            }
            others = others.get(count + 1..).unwrap_or(&[]);
        }
        Ok(())
    }

    fn check_proofs<E: SearchEvaluator<G>>(
        &mut self,
        game: &mut G,
        evaluator: &mut E,
    ) -> Result<(), LawBroken> {
        let value = self.value(game);
        let mut context = Context::unlimited();
        if let Ok(Some(probe)) = evaluator.probe(game, Window::FULL, &mut context) {
            let is_true = match probe.score {
                score if score.is_win() => value >= score,
                score if score.is_loss() => value.is_loss(),
                score => value == score,
            };
            let after = follow(game, &probe.line);
            ensure(is_true && after.is_some(), Law::Probe, game, || {
                format!("{probe:?} where the value is {value:?}")
            })?;
        }
        let Ok(Some(win)) = evaluator.solve(game, SOLVER_NODES, &mut context) else {
            return Ok(());
        };
        ensure(is_shown_win(game, &win, value), Law::Solve, game, || {
            format!("{win:?} where the value is {value:?}")
        })
    }

    /// Checks that this position and the first one with its key have the same value, and that this
    /// position can read the moves that the first one stores.
    fn check_key(&mut self, game: &mut G) -> Result<(), LawBroken> {
        let (key, symmetry) = game.key();
        let Some(mut twin) = self.by_key.get(&key).cloned() else {
            self.by_key.insert(key, game.clone());
            return Ok(());
        };
        let (value, other) = (self.value(game), self.value(&mut twin));
        ensure(value == other, Law::Key, game, || {
            format!("{value:?}, and \"{}\" {other:?}", twin.write_position(true))
        })?;
        let (_, twin_symmetry) = twin.key();
        for mv in legal_moves(&twin) {
            let read = game.unpack(twin.pack(mv, twin_symmetry), symmetry);
            let expected = self.minimax.value_after(&mut twin, mv);
            let found = read.and_then(|mv| self.minimax.value_after(game, mv));
            ensure(found.is_some() && found == expected, Law::Key, game, || {
                let position = twin.write_position(true);
                format!("{mv:?} of \"{position}\" is read as {read:?}")
            })?;
        }
        Ok(())
    }
}

/// Returns the position after `line`; `None` if one of the moves is not legal.
fn follow<G: Notation>(game: &G, line: &[G::Move]) -> Option<G> {
    let mut game = game.clone();
    for &mv in line {
        if !legal_moves(&game).contains(&mv) {
            return None;
        }
        game.play(mv);
    }
    Some(game)
}

/// Returns whether `win` is correct and its line leads to a won game in time. `value` is the value
/// of the position `game`.
fn is_shown_win<G: Notation>(game: &G, win: &Probe<G::Move>, value: Score) -> bool {
    let end = follow(game, &win.line).and_then(|after| after.outcome());
    let is_in_time = win.score.plies().is_some_and(|plies| win.line.len() <= plies as usize);
    win.score.is_win() && value >= win.score && is_in_time && end == Some(Outcome::Win(game.turn()))
}
