//! Minimal-window search: proves that later children are not better than the first, and searches a
//! child again if it is.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::walk::{Node, Walk};
use crate::watch::Watch;

// CITE: J. Pearl, "Scout: A Simple Game-Searching Algorithm with Proven Optimal Properties", AAAI
// 1980; T. A. Marsland, M. Campbell, "Parallel Search of Strongly Ordered Game Trees", Computing
// Surveys 14 (4), 1982 (the name PVS); A. Reinefeld, "An Improvement to the Scout Tree-Search
// Algorithm", ICCA Journal 6 (4), 1983 (in one function).
/// Searches by principal variation search. The result is that of
/// [`fail_soft`](crate::alpha_beta::fail_soft).
pub(crate) fn pvs<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32, mut window: Window) -> Score
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
        let value = if index == 0 {
            -walk.child(index, |walk| pvs(walk, h - 1, -window))
        } else {
            scout(walk, h, index, window)
        };
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

/// Searches a later child in a minimal window, and again in the full window if the child is better
/// than alpha and its value is still unknown.
fn scout<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32, index: usize, window: Window) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let null = Window::scout(window.alpha);
    let value = -walk.child(index, |walk| pvs(walk, h - 1, -null));
    // At or below alpha, the child is not better. At or above beta, there is a cut-off. In between,
    // a fail-soft bound of at least alpha + 1 only says that the value is above alpha.
    let unknown = window.alpha < value && value < window.beta;
    if !unknown {
        return value;
    }
    -walk.child(index, |walk| pvs(walk, h - 1, -window))
}
