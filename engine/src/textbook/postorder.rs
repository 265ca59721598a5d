//! VE(X, h): the tree above the horizon in postorder, each node valued once all its children are.

use super::walk::{Node, Walk};
use super::watch::Watch;
use crate::game::{Evaluator, Game};
use crate::score::Score;
use crate::window::Window;

/// An inner node whose children are being valued.
struct Open {
    children: usize,
    /// The child to visit next.
    next: usize,
    best: Score,
}

// CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
// procedure VE.
/// The value of the position for the side to move, looking at most `horizon` plies ahead. The
/// recursion of the text is unrolled onto a stack of open nodes, which shows the postorder and
/// needs no deep call stack.
pub(super) fn ve<G, E, W>(walk: &mut Walk<'_, G, E, W>, horizon: u32) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let mut open: Vec<Open> = Vec::new();
    loop {
        let h = horizon - open.len() as u32;
        let mut value = match walk.enter(h, Window::FULL) {
            Node::Inner(children) => {
                open.push(Open { children, next: 1, best: Score::LOWEST });
                walk.down(0);
                continue;
            }
            Node::Leaf(value) => value,
        };
        // A value is known: hand it to the father, and so on up, until a brother is left to visit.
        loop {
            let Some(father) = open.last_mut() else { return value };
            walk.up();
            if -value > father.best {
                father.best = -value;
                walk.choose(father.next - 1);
            }
            if father.next < father.children {
                father.next += 1;
                walk.down(father.next - 1);
                break;
            }
            value = walk.leave(father.best);
            open.pop();
        }
    }
}
