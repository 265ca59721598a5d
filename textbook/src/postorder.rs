//! VE(X, h): evaluates the tree above the horizon in postorder, each node after its children.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::walk::{Node, Walk};
use crate::watch::Watch;

/// An inner node whose children are being evaluated.
struct OpenNode {
    children: usize,
    /// The index of the child to visit next.
    next: usize,
    best: Score,
}

// CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
// procedure VE.
/// Returns the value of the position for the side to move, at most `horizon` plies ahead. It uses a
/// stack of open nodes instead of recursion, which shows the postorder and needs no deep call
/// stack.
pub(crate) fn ve<G, E, W>(walk: &mut Walk<'_, G, E, W>, horizon: u32) -> Score
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    let mut open: Vec<OpenNode> = Vec::new();
    loop {
        let h = horizon - open.len() as u32;
        let mut value = match walk.enter(h, Window::FULL) {
            Node::Inner(children) => {
                open.push(OpenNode { children, next: 1, best: Score::LOWEST });
                walk.down(0);
                continue;
            }
            Node::Leaf(value) => value,
        };
        // A value is known. Pass it up from parent to parent, until there is an unvisited sibling.
        loop {
            let Some(parent) = open.last_mut() else { return value };
            walk.up();
            if -value > parent.best {
                parent.best = -value;
                walk.set_best(parent.next - 1);
            }
            if parent.next < parent.children {
                parent.next += 1;
                walk.down(parent.next - 1);
                break;
            }
            value = walk.leave(parent.best);
            open.pop();
        }
    }
}
