//! VE(X, h): evaluates the tree above the horizon in postorder, each node after its children.

use tengen_engine::{Evaluator, Game, Score, Window};

use crate::walk::Walk;
use crate::watch::Watch;

/// An inner node whose children are being evaluated.
struct OpenNode {
    children: usize,
    /// The index of the child to visit next.
    next: usize,
    best: Score,
}

impl<G: Game, E: Evaluator<G>, W: Watch<G::Move>> Walk<'_, G, E, W> {
    // CITE: E. Horowitz, S. Sahni, "Fundamentals of Data Structures", 1976, section on game trees:
    // procedure VE.
    /// Returns the value of the position for the side to move, at most `horizon` plies ahead. It
    /// uses a stack of open nodes instead of recursion, which shows the postorder and needs no deep
    /// call stack.
    pub(crate) fn ve(&mut self, horizon: u32) -> Score {
        let mut open: Vec<OpenNode> = Vec::new();
        loop {
            let h = horizon - open.len() as u32;
            let Some(mut value) = self.enter(h, Window::FULL) else {
                let children = self.children().len();
                open.push(OpenNode { children, next: 1, best: Score::LOWEST });
                self.down(0);
                continue;
            };
            // A value is known. Pass it up from parent to parent, until there is an unvisited
            // sibling.
            loop {
                let Some(parent) = open.last_mut() else { return value };
                self.up();
                if -value > parent.best {
                    parent.best = -value;
                    self.set_best(parent.next - 1);
                }
                if parent.next < parent.children {
                    parent.next += 1;
                    self.down(parent.next - 1);
                    break;
                }
                value = self.leave(parent.best);
                open.pop();
            }
        }
    }
}
