//! [`GameTree`]: the moves of a game with their variations, and the current node.
//!
//! No rules are checked here: callers play legal moves only.

use std::iter::successors;

use tengen_engine::{Move, Side};

use crate::search_summary::SearchSummary;

/// A node of a [`GameTree`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct GameNodeId(usize);

/// A move as it was played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// Its name, such as `h8`.
    pub name: String,
    /// Who played it.
    pub side: Side,
}

/// A position of the game, with the move that led to it, its comment and its search result.
#[derive(Clone, Debug, Default)]
struct Node {
    /// `None` at the root.
    played: Option<PlayedMove>,
    parent: Option<GameNodeId>,
    children: Vec<GameNodeId>,
    /// The moves after it that were taken back, the last one last, each with its place among the
    /// children.
    undone: Vec<(usize, GameNodeId)>,
    /// The index of the child that was visited last.
    preferred: usize,
    comment: String,
    /// The result of the last search here.
    summary: Option<SearchSummary>,
}

/// The moves of a game with their variations.
#[derive(Clone, Debug)]
pub(crate) struct GameTree {
    /// The root first.
    nodes: Vec<Node>,
    current: GameNodeId,
}

impl Default for GameTree {
    fn default() -> Self {
        Self { nodes: vec![Node::default()], current: GameNodeId(0) }
    }
}

impl GameTree {
    /// Returns the node before the first move.
    pub(crate) fn root(&self) -> GameNodeId {
        GameNodeId(0)
    }

    /// Returns the current node.
    pub(crate) fn current(&self) -> GameNodeId {
        self.current
    }

    /// Returns the move that led to a node; `None` at the root.
    pub(crate) fn played(&self, id: GameNodeId) -> Option<&PlayedMove> {
        self.nodes[id.0].played.as_ref()
    }

    /// Returns the nodes after a node, in the order in which they were played.
    pub(crate) fn children(&self, id: GameNodeId) -> &[GameNodeId] {
        &self.nodes[id.0].children
    }

    /// Returns the node before a node; `None` at the root.
    pub(crate) fn parent(&self, id: GameNodeId) -> Option<GameNodeId> {
        self.nodes[id.0].parent
    }

    /// Returns how many moves lead to the current node.
    pub(crate) fn ply(&self) -> usize {
        self.line().len()
    }

    /// Returns whether the game has no moves.
    pub(crate) fn is_empty(&self) -> bool {
        self.children(self.root()).is_empty()
    }

    /// Returns whether the current node has no continuation.
    pub(crate) fn is_at_end(&self) -> bool {
        self.children(self.current).is_empty()
    }

    /// Goes to the node after a move, which is added if it is new. Returns whether it is new. Other
    /// moves that were taken back here cannot be played again by [`redo`](Self::redo).
    pub(crate) fn play(&mut self, played: PlayedMove) -> bool {
        let is_known =
            |id: &GameNodeId| self.played(*id).is_some_and(|there| there.mv == played.mv);
        let known = self.children(self.current).iter().position(is_known);
        let undone = &self.nodes[self.current.0].undone;
        let undone = undone.iter().copied().find(|(_, id)| is_known(id));
        self.nodes[self.current.0].undone.clear();
        if let Some(index) = known {
            self.enter(index);
            return false;
        }
        if let Some((place, id)) = undone {
            self.restore(place, id);
            self.go_to(id);
            return false;
        }
        let id = GameNodeId(self.nodes.len());
        let parent = Some(self.current);
        self.nodes.push(Node { played: Some(played), parent, ..Node::default() });
        let node = &mut self.nodes[self.current.0];
        node.preferred = node.children.len();
        node.children.push(id);
        self.current = id;
        true
    }

    fn enter(&mut self, index: usize) {
        let node = &mut self.nodes[self.current.0];
        node.preferred = index;
        self.current = node.children[index];
    }

    /// Goes one move back; returns `false` at the root.
    pub(crate) fn back(&mut self) -> bool {
        let Some(parent) = self.parent(self.current) else { return false };
        self.current = parent;
        true
    }

    /// Takes back the move that led to the current node, with all that follows: it is no longer
    /// part of the game. [`redo`](Self::redo) plays it again. Returns `false` at the root.
    pub(crate) fn take_back(&mut self) -> bool {
        let here = self.current;
        if !self.back() {
            return false;
        }
        let node = &mut self.nodes[self.current.0];
        if let Some(place) = node.children.iter().position(|child| *child == here) {
            node.children.remove(place);
            node.preferred = 0;
            node.undone.push((place, here));
        }
        true
    }

    /// Plays the move again that was taken back here last; without one, goes one move forward.
    /// Returns the move; `None` at the end.
    pub(crate) fn redo(&mut self) -> Option<&PlayedMove> {
        let Some((place, id)) = self.nodes[self.current.0].undone.pop() else {
            return self.forward();
        };
        self.restore(place, id);
        self.go_to(id);
        self.played(id)
    }

    /// Makes a move that was taken back a child again.
    fn restore(&mut self, place: usize, id: GameNodeId) {
        let Some(parent) = self.parent(id) else { return };
        let node = &mut self.nodes[parent.0];
        node.undone.retain(|(_, other)| *other != id);
        node.children.insert(place.min(node.children.len()), id);
    }

    /// Makes the line to the current node the main line: the first continuation everywhere.
    pub(crate) fn promote(&mut self) {
        let mut at = self.current;
        while let Some(parent) = self.parent(at) {
            let node = &mut self.nodes[parent.0];
            if let Some(place) = node.children.iter().position(|child| *child == at) {
                node.children[..=place].rotate_right(1);
                node.preferred = 0;
            }
            at = parent;
        }
    }

    /// Returns the last node of the main line.
    pub(crate) fn main_end(&self) -> GameNodeId {
        let mut at = self.root();
        while let Some(&next) = self.children(at).first() {
            at = next;
        }
        at
    }

    /// Returns the node to which [`forward`](Self::forward) goes.
    pub(crate) fn next(&self) -> Option<GameNodeId> {
        self.after(self.current)
    }

    /// Returns the child of a node that was visited last.
    fn after(&self, id: GameNodeId) -> Option<GameNodeId> {
        let node = &self.nodes[id.0];
        node.children.get(node.preferred).copied()
    }

    /// Goes one move forward, in the variation that was visited last. Returns the move; `None` at
    /// the end.
    pub(crate) fn forward(&mut self) -> Option<&PlayedMove> {
        self.current = self.next()?;
        self.played(self.current)
    }

    /// Returns the nodes from the first move to the current one.
    pub(crate) fn line(&self) -> Vec<GameNodeId> {
        self.line_to(self.current)
    }

    /// Returns the nodes from the first move to a node.
    pub(crate) fn line_to(&self, id: GameNodeId) -> Vec<GameNodeId> {
        let mut line: Vec<_> = successors(Some(id), |at| self.parent(*at)).collect();
        line.pop();
        line.reverse();
        line
    }

    /// Returns the nodes of the current line up to its end.
    pub(crate) fn whole_line(&self) -> Vec<GameNodeId> {
        let mut line = self.line();
        line.extend(successors(self.next(), |at| self.after(*at)));
        line
    }

    /// Returns the variation `step` places after the current move among its siblings, cyclically;
    /// `None` if there is no other.
    pub(crate) fn sibling(&self, step: isize) -> Option<GameNodeId> {
        let siblings = self.children(self.parent(self.current)?);
        let index = siblings.iter().position(|id| *id == self.current)?;
        let index = (index as isize + step).rem_euclid(siblings.len() as isize);
        let sibling = siblings[index as usize];
        (sibling != self.current).then_some(sibling)
    }

    /// Goes to a node. [`forward`](Self::forward) then follows the line through it. Moves to it
    /// that were taken back are part of the game again.
    pub(crate) fn go_to(&mut self, id: GameNodeId) {
        let mut at = id;
        while let Some(parent) = self.parent(at) {
            let undone = self.nodes[parent.0].undone.iter().find(|(_, undone)| *undone == at);
            if let Some(&(place, _)) = undone {
                self.restore(place, at);
            }
            let node = &mut self.nodes[parent.0];
            if let Some(index) = node.children.iter().position(|child| *child == at) {
                node.preferred = index;
            }
            at = parent;
        }
        self.current = id;
    }

    /// Returns the search result at a node.
    pub(crate) fn summary(&self, id: GameNodeId) -> Option<&SearchSummary> {
        self.nodes[id.0].summary.as_ref()
    }

    /// Stores the result of a search at a node.
    pub(crate) fn set_summary(&mut self, id: GameNodeId, summary: SearchSummary) {
        self.nodes[id.0].summary = Some(summary);
    }

    /// Returns the comment on the move that led to a node.
    pub(crate) fn comment(&self, id: GameNodeId) -> &str {
        &self.nodes[id.0].comment
    }

    /// Writes a comment on the move that led to a node.
    pub(crate) fn set_comment(&mut self, id: GameNodeId, comment: &str) {
        comment.clone_into(&mut self.nodes[id.0].comment);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(code: u32) -> PlayedMove {
        PlayedMove { mv: Move::from_code(code), name: code.to_string(), side: Side::First }
    }

    fn names(tree: &GameTree, line: &[GameNodeId]) -> Vec<String> {
        line.iter().filter_map(|id| Some(tree.played(*id)?.name.clone())).collect()
    }

    #[test]
    fn another_move_is_a_variation_and_a_known_one_is_not_added_twice() {
        let mut tree = GameTree::default();
        for code in [1, 2, 3] {
            assert!(tree.play(played(code)));
        }
        assert!(tree.back() && tree.back());
        assert!(!tree.play(played(2)));
        tree.back();
        assert!(tree.play(played(7)));
        assert_eq!(names(&tree, &tree.line()), ["1", "7"]);
        tree.back();
        // Forward goes to the variation that was visited last.
        assert_eq!(tree.forward().map(|played| played.name.as_str()), Some("7"));
        assert!(tree.forward().is_none() && tree.is_at_end());
        let other = tree.sibling(1).expect("two variations");
        tree.go_to(other);
        assert_eq!(names(&tree, &tree.whole_line()), ["1", "2", "3"]);
        assert_eq!(tree.ply(), 2);
        assert_eq!(tree.sibling(-1).and_then(|id| tree.played(id)).map(|p| p.mv.code()), Some(7));
    }

    #[test]
    fn a_move_taken_back_leaves_the_game_until_it_is_played_again() {
        let mut tree = GameTree::default();
        for code in [1, 2, 3] {
            tree.play(played(code));
        }
        assert!(tree.take_back() && tree.take_back());
        assert_eq!(names(&tree, &tree.whole_line()), ["1"]);
        assert!(tree.redo().is_some() && tree.redo().is_some() && tree.redo().is_none());
        assert_eq!(names(&tree, &tree.whole_line()), ["1", "2", "3"]);
        tree.take_back();
        // The move itself brings its node back, and another one is the game now.
        assert!(!tree.play(played(3)) && tree.take_back() && tree.play(played(4)));
        tree.back();
        assert_eq!(tree.redo().map(|played| played.mv.code()), Some(4));
        assert_eq!(names(&tree, &tree.whole_line()), ["1", "2", "4"]);
        assert!(tree.take_back() && tree.take_back() && tree.take_back() && !tree.take_back());
        assert!(tree.is_empty());
    }

    #[test]
    fn the_promoted_line_is_the_main_line() {
        let mut tree = GameTree::default();
        for code in [1, 2, 3] {
            tree.play(played(code));
        }
        tree.back();
        tree.back();
        tree.play(played(7));
        assert_eq!(names(&tree, &tree.line_to(tree.main_end())), ["1", "2", "3"]);
        tree.promote();
        assert_eq!(names(&tree, &tree.line_to(tree.main_end())), ["1", "7"]);
        assert_eq!(names(&tree, &tree.whole_line()), ["1", "7"]);
        assert_eq!(tree.sibling(1).and_then(|id| tree.played(id)).map(|p| p.mv.code()), Some(2));
    }

    #[test]
    fn there_is_nothing_before_the_root_and_no_variation_of_a_single_move() {
        let mut tree = GameTree::default();
        assert!(!tree.back() && tree.is_empty() && tree.sibling(1).is_none());
        tree.play(played(1));
        assert!(tree.sibling(1).is_none() && !tree.is_empty());
        tree.go_to(tree.root());
        assert_eq!(names(&tree, &tree.whole_line()), ["1"]);
    }
}
