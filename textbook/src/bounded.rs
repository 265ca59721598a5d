//! VEB and AB: postorder evaluation with bounds from the nodes above.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::walk::{Node, Walk};
use crate::watch::Watch;

// CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
// procedure VEB; it is procedure F1 of Knuth and Moore 1975.
/// Searches VEB(X, h, D). The parent has `-d` already, so a value of `d` or more here changes
/// nothing there: the first child that shows such a value ends the node. Below `d` the result is
/// exact, from `d` on a lower bound.
pub(crate) fn veb<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32, d: Score) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let children = match walk.enter(h, Window::new(Score::LOWEST, d)) {
        Node::Leaf(value) => return value,
        Node::Inner(children) => children,
    };
    let mut best = Score::LOWEST;
    for index in 0..children {
        let value = -walk.child(index, |walk| veb(walk, h - 1, -best));
        if value > best {
            best = value;
            walk.choose(index);
        }
        if best >= d {
            return walk.leave_cut(best, d, index);
        }
    }
    walk.leave(best)
}

// CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
// procedure AB; it is procedure F2 of Knuth and Moore 1975.
/// Searches AB(X, h, LB, D). `lb` is what the side to move has already, at a sibling of its
/// grandparent or further up. The search starts from there, and so hands a tighter bound to its
/// children (deep cut-offs). Between `lb` and `d` the result is exact; `lb` itself means "no more
/// than `lb`", from `d` on it is a lower bound.
pub(crate) fn ab<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32, lb: Score, d: Score) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let children = match walk.enter(h, Window::new(lb, d)) {
        Node::Leaf(value) => return value,
        Node::Inner(children) => children,
    };
    let mut best = lb;
    for index in 0..children {
        let value = -walk.child(index, |walk| ab(walk, h - 1, -d, -best));
        if value > best {
            best = value;
            walk.choose(index);
        }
        if best >= d {
            return walk.leave_cut(best, d, index);
        }
    }
    walk.leave(best)
}
