//! Alpha-beta with both bounds, fail-hard and fail-soft. They differ in the result when the value
//! is outside the window.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::walk::{Node, Walk};
use crate::watch::Watch;

// CITE: D. E. Knuth, R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6
// (4), 1975. The name fail-hard came later, to distinguish it from Fishburn's fail-soft.
/// Searches fail-hard. Returns the value, moved to the nearer end of the window when it lies
/// outside: `alpha` means "at most alpha", `beta` means "at least beta".
pub(crate) fn fail_hard<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32, mut window: Window) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let children = match walk.enter(h, window) {
        Node::Leaf(value) => return value.clamp(window.alpha, window.beta),
        Node::Inner(children) => children,
    };
    for index in 0..children {
        let value = -walk.child(index, |walk| fail_hard(walk, h - 1, -window));
        if value > window.alpha {
            window.raise(value);
            walk.set_best(index);
        }
        if window.is_empty() {
            return walk.leave_cut(window.beta, window.beta, index);
        }
    }
    walk.leave(window.alpha)
}

// CITE: J. P. Fishburn, "Another Optimization of Alpha-Beta Search", SIGART Newsletter 84, 1983;
// fail-soft is older, in J. P. Fishburn, "Analysis of Speedup in Distributed Algorithms", thesis,
// Wisconsin 1981.
/// Searches fail-soft. Returns the best of what the children returned, even outside the window. At
/// or below alpha it is an upper bound, at or above beta a lower bound, and never a looser bound
/// than fail-hard gives.
pub(crate) fn fail_soft<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32, mut window: Window) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let children = match walk.enter(h, window) {
        Node::Leaf(value) => return value,
        Node::Inner(children) => children,
    };
    let mut best = Score::LOWEST;
    for index in 0..children {
        let value = -walk.child(index, |walk| fail_soft(walk, h - 1, -window));
        if value > best {
            best = value;
            walk.set_best(index);
        }
        window.raise(best);
        if window.is_empty() {
            return walk.leave_cut(best, window.beta, index);
        }
    }
    walk.leave(best)
}
