//! VEB and AB: postorder evaluation with bounds from the nodes above.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::walk::{Node, Walk};
use crate::watch::Watch;

// CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
// procedure VEB; it is procedure F1 of Knuth and Moore 1975.
/// Searches VEB(X, h, D). The parent already has a move of value `-d`, so a value of `d` or more
/// does not change the parent's value, and the first child that shows it cuts off. A result below
/// `d` is exact; from `d` on it is a lower bound.
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
            walk.set_best(index);
        }
        if best >= d {
            return walk.leave_cut(best, d, index);
        }
    }
    walk.leave(best)
}

// CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
// procedure AB; it is procedure F2 of Knuth and Moore 1975.
/// Searches AB(X, h, LB, D). `lb` is the best value that the side to move already has at a node
/// above. The search starts from `lb`, and so passes a tighter bound to its children (deep
/// cut-offs). A result between `lb` and `d` is exact; `lb` means at most `lb`, and from `d` on it
/// is a lower bound.
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
            walk.set_best(index);
        }
        if best >= d {
            return walk.leave_cut(best, d, index);
        }
    }
    walk.leave(best)
}
