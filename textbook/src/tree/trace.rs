//! Records every step of a textbook algorithm on a tree.

use std::sync::Arc;

use crate::{Algorithm, Cut, TreeResult, Visit, Watch};
use tengen_engine::{Game, Score, Side, Window};
use tengen_games::tree::{Node, Tree, TreeEvaluator, TreeGame, TreeMove};

/// The trace of one run of an algorithm.
#[derive(Debug)]
pub struct Trace {
    pub(super) game: TreeGame,
    pub(super) algorithm: Algorithm,
    pub(super) found: TreeResult<TreeMove>,
    pub(super) steps: Vec<Step>,
}

/// A step of a walk.
#[derive(Debug)]
pub(super) enum Step {
    /// A pass from the root to this horizon, in plies, with this window.
    Pass(u32, Window),
    /// A node was entered.
    Node(VisitedNode),
}

/// A visited node, from entry to exit. Scores are for the first player.
#[derive(Debug)]
pub(super) struct VisitedNode {
    pub(super) node: Node,
    pub(super) ply: u32,
    pub(super) turn: Side,
    pub(super) window: Window,
    pub(super) value: Score,
    /// Whether the node was evaluated rather than searched.
    pub(super) is_evaluated: bool,
    pub(super) cut: Option<Pruned>,
}

/// Children that were cut off.
#[derive(Debug)]
pub(super) struct Pruned {
    pub(super) bound: Score,
    /// The child that reached the bound.
    pub(super) by: Node,
    pub(super) unvisited: Vec<Node>,
}

impl Trace {
    /// Runs an algorithm on a tree, and records every step.
    pub fn record(game: &TreeGame, algorithm: Algorithm) -> Self {
        let mut recorder = Recorder {
            tree: game.tree().clone(),
            root: game.node(),
            steps: Vec::new(),
            open: Vec::new(),
        };
        let found = algorithm.run(game, &TreeEvaluator, game.plies_left(), &mut recorder);
        Self { game: game.clone(), algorithm, found, steps: recorder.steps }
    }

    /// Returns the visited nodes, in order of entry.
    pub(super) fn entered(&self) -> impl Iterator<Item = &VisitedNode> {
        self.steps.iter().filter_map(|step| match step {
            Step::Node(entered) => Some(entered),
            Step::Pass(..) => None,
        })
    }

    pub(super) fn tree(&self) -> &Tree {
        self.game.tree()
    }
}

impl VisitedNode {
    /// Returns the relation of the true value to `value`: `=` for equal, `<=` and `>=` for a bound.
    pub(super) fn relation(&self) -> &'static str {
        if self.is_evaluated || (self.window.alpha < self.value && self.value < self.window.beta) {
            return "=";
        }
        if self.value <= self.window.alpha { "<=" } else { ">=" }
    }
}

struct Recorder {
    tree: Arc<Tree>,
    root: Node,
    steps: Vec<Step>,
    /// The indices of the steps that entered the open nodes.
    open: Vec<usize>,
}

impl Recorder {
    fn node(&self, visit: &Visit<TreeMove>) -> Node {
        let parent = self.open.last().map(|step| &self.steps[*step]);
        match (visit.arrived, parent) {
            (Some((index, _)), Some(Step::Node(parent))) => self.tree.children(parent.node)[index],
            _ => self.root,
        }
    }

    fn close(&mut self) -> Option<&mut VisitedNode> {
        match self.open.pop().map(|step| &mut self.steps[step]) {
            Some(Step::Node(entered)) => Some(entered),
            _ => None,
        }
    }
}

impl Watch<TreeMove> for Recorder {
    fn begin(&mut self, horizon: u32, window: Window) {
        self.steps.push(Step::Pass(horizon, window));
    }

    fn enter(&mut self, visit: &Visit<TreeMove>) {
        let entered = VisitedNode {
            node: self.node(visit),
            ply: visit.ply,
            turn: visit.turn,
            window: visit.window,
            value: Score::DRAW,
            is_evaluated: false,
            cut: None,
        };
        self.open.push(self.steps.len());
        self.steps.push(Step::Node(entered));
    }

    fn leaf(&mut self, value: Score) {
        if let Some(entered) = self.close() {
            entered.value = value;
            entered.is_evaluated = true;
        }
    }

    fn leave(&mut self, value: Score, cut: Option<Cut<'_, TreeMove>>) {
        let tree = self.tree.clone();
        let Some(entered) = self.close() else { return };
        entered.value = value;
        entered.cut = cut.map(|cut| {
            let children = tree.children(entered.node);
            let first = children.len() - cut.unvisited.len();
            Pruned {
                bound: cut.bound,
                by: children[first - 1],
                unvisited: cut.unvisited.iter().map(|mv| children[mv.index()]).collect(),
            }
        });
    }
}

/// Returns a score as text, with infinities for the ends of the range.
pub(super) fn score(score: Score) -> String {
    match score {
        Score::LOWEST => "-inf".to_owned(),
        Score::HIGHEST => "+inf".to_owned(),
        score => score.raw().to_string(),
    }
}

/// Returns a window as text.
pub(super) fn window(window: Window) -> String {
    format!("({}, {})", score(window.alpha), score(window.beta))
}
