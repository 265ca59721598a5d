//! Negamax: one function, because the value for one player is the negative of the value for the
//! other.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::walk::{Node, Walk};
use crate::watch::Watch;

// CITE: D. E. Knuth, R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6
// (4), 1975: their procedure F.
/// Returns the value for the side to move.
pub(crate) fn negamax<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let children = match walk.enter(h, Window::FULL) {
        Node::Leaf(value) => return value,
        Node::Inner(children) => children,
    };
    let mut best = Score::LOWEST;
    for index in 0..children {
        let value = -walk.child(index, |walk| negamax(walk, h - 1));
        if value > best {
            best = value;
            walk.set_best(index);
        }
    }
    walk.leave(best)
}
