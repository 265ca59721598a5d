//! MinSearch and MaxSearch: alpha-beta as a short program. A node passes only the best value of the
//! earlier siblings to its children.

use tengen_engine::{Evaluator, Game, Score, Side, Window};

use crate::walk::{Node, Walk};
use crate::watch::Watch;

// It has the cut-offs of procedure F1 of Knuth and Moore 1975, in the two functions of minimax.
/// Returns the value for the side to move at the root.
pub(crate) fn search<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    match walk.turn() {
        Side::First => max_search(walk, h, Score::HIGHEST),
        Side::Second => -min_search(walk, h, Score::LOWEST),
    }
}

/// Returns the value of a node with Max to move. `least` is the best value that the parent, a Min
/// node, has from the siblings: when Max reaches it, Min does not choose this node. All scores are
/// the first player's.
fn max_search<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32, least: Score) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let children = match walk.enter(h, Window::new(Score::LOWEST, least)) {
        Node::Leaf(value) => return value,
        Node::Inner(children) => children,
    };
    let mut best = Score::LOWEST;
    for index in 0..children {
        let value = walk.child(index, |walk| min_search(walk, h - 1, best));
        if value > best {
            best = value;
            walk.set_best(index);
        }
        if best >= least {
            return walk.leave_cut(best, least, index);
        }
    }
    walk.leave(best)
}

/// Returns the value of a node with Min to move. `greatest` is the best value that the parent, a
/// Max node, has from the siblings. All scores are the first player's.
fn min_search<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32, greatest: Score) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let children = match walk.enter(h, Window::new(Score::LOWEST, -greatest)) {
        Node::Leaf(value) => return -value,
        Node::Inner(children) => children,
    };
    let mut best = Score::HIGHEST;
    for index in 0..children {
        let value = walk.child(index, |walk| max_search(walk, h - 1, best));
        if value < best {
            best = value;
            walk.set_best(index);
        }
        if best <= greatest {
            walk.leave_cut(-best, -greatest, index);
            return best;
        }
    }
    walk.leave(-best);
    best
}
