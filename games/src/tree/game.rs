//! The rules of an explicit tree and its evaluator, without text.

use std::sync::Arc;

use tengen_engine::{Evaluator, Game, Outcome, Score, Side};

use super::arena::{Node, Tree};

/// A position in a tree: a node and the side to move. The first player maximizes. A leaf ends the
/// game with its value.
#[derive(Clone, Debug)]
pub struct TreeGame {
    pub(super) tree: Arc<Tree>,
    pub(super) node: Node,
    pub(super) turn: Side,
}

/// A move: the index of the child among its siblings, from 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TreeMove(pub(super) u32);

impl TreeMove {
    /// Returns the index of the child among its siblings, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl TreeGame {
    /// Creates a game at the root of `tree`, with `turn` to move.
    pub fn new(tree: Arc<Tree>, turn: Side) -> Self {
        let node = tree.root();
        Self { tree, node, turn }
    }

    /// Returns the whole tree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Returns the current node.
    pub const fn node(&self) -> Node {
        self.node
    }

    pub(super) fn children(&self) -> &[Node] {
        self.tree.children(self.node)
    }
}

impl Game for TreeGame {
    type Move = TreeMove;
    type Undo = Node;
    type Symmetry = ();

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        self.tree.value(self.node).map(|value| Outcome::Value(Score::heuristic(value)))
    }

    fn moves(&self, out: &mut Vec<TreeMove>) {
        out.extend((0..self.children().len() as u32).map(TreeMove));
    }

    fn play(&mut self, mv: TreeMove) -> Node {
        let parent = self.node;
        self.node = self.children()[mv.index()];
        self.turn = self.turn.other();
        parent
    }

    fn undo(&mut self, _mv: TreeMove, parent: Node) {
        self.node = parent;
        self.turn = self.turn.other();
    }

    fn plies_left(&self) -> u32 {
        self.tree.height(self.node)
    }

    /// Returns a hash of the subtree of the current node. Two trees that are searched one after the
    /// other share a key only for equal subtrees.
    fn key(&self) -> (u64, ()) {
        let side = match self.turn {
            Side::First => 0,
            Side::Second => 0x6a09_e667_f3bc_c909,
        };
        (self.tree.hash(self.node) ^ side, ())
    }

    fn pack(&self, mv: TreeMove, (): ()) -> u32 {
        mv.0
    }

    fn unpack(&self, code: u32, (): ()) -> Option<TreeMove> {
        ((code as usize) < self.children().len()).then_some(TreeMove(code))
    }
}

/// An evaluator that knows only the leaves. An inner node at the horizon scores 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TreeEvaluator;

impl Evaluator<TreeGame> for TreeEvaluator {
    type Undo = ();

    fn reset(&mut self, _game: &TreeGame) {}

    fn played(&mut self, _game: &TreeGame, _mv: TreeMove) {}

    fn undone(&mut self, _game: &TreeGame, _mv: TreeMove, (): ()) {}

    fn evaluate(&mut self, _game: &TreeGame) -> Score {
        Score::DRAW
    }
}

tengen_engine::plain_search!(TreeEvaluator, TreeGame, exact);
