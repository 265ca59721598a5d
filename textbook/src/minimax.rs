//! Minimax: two functions that call each other, one for each player.

use tengen_engine::{Evaluator, Game, Score, Side, Window};

use crate::walk::{Node, Walk};
use crate::watch::Watch;

// CITE: C. E. Shannon, "Programming a Computer for Playing Chess", Philosophical Magazine 41 (314),
// 1950.
/// Returns the value for the side to move at the root.
pub(crate) fn minimax<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    match walk.turn() {
        Side::First => max_value(walk, h),
        Side::Second => -min_value(walk, h),
    }
}

/// Returns the value of a node with Max to move: the greatest value of its children. Scores are the
/// first player's.
fn max_value<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32) -> Score
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
        let value = walk.child(index, |walk| min_value(walk, h - 1));
        if value > best {
            best = value;
            walk.set_best(index);
        }
    }
    walk.leave(best)
}

/// Returns the value of a node with Min to move: the least value of its children. Scores are the
/// first player's.
fn min_value<G, E, W>(walk: &mut Walk<'_, G, E, W>, h: u32) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let children = match walk.enter(h, Window::FULL) {
        Node::Leaf(value) => return -value,
        Node::Inner(children) => children,
    };
    let mut best = Score::HIGHEST;
    for index in 0..children {
        let value = walk.child(index, |walk| max_value(walk, h - 1));
        if value < best {
            best = value;
            walk.set_best(index);
        }
    }
    walk.leave(-best);
    best
}
