//! The walk that all the algorithms share: down, up, leaves, and reports to the watch.

use tengen_engine::{Evaluator, Game, Score, Side, Window};

use crate::watch::{Cut, Visit, Watch};

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeResult<M> {
    /// The value for the side to move at the root; plies to a win or loss count from there.
    pub value: Score,
    /// The first of the best moves; `None` when the root was itself a leaf.
    pub best: Option<M>,
}

/// A position on its way through a tree, with a list of moves for each ply above it.
pub(crate) struct Walk<'w, G: Game, E, W> {
    game: G,
    evaluator: E,
    watch: &'w mut W,
    levels: Vec<Level<G>>,
    ply: usize,
    chosen: Option<usize>,
}

struct Level<G: Game> {
    moves: Vec<G::Move>,
    undo: Option<G::Undo>,
    arrived: Option<(usize, G::Move)>,
}

impl<G: Game> Level<G> {
    const fn new() -> Self {
        Self { moves: Vec::new(), undo: None, arrived: None }
    }
}

/// A node after it was entered.
pub(crate) enum Node {
    /// The end of the game or of the horizon, with its value for the side to move.
    Leaf(Score),
    /// The node has this many children.
    Inner(usize),
}

impl<'w, G, E, W> Walk<'w, G, E, W>
where
    G: Game,
    E: Evaluator<G>,
    W: Watch<G::Move>,
{
    pub(crate) fn new(game: G, evaluator: E, watch: &'w mut W) -> Self {
        Self { game, evaluator, watch, levels: vec![Level::new()], ply: 0, chosen: None }
    }

    /// Begins a new walk from the root.
    pub(crate) fn begin(&mut self, horizon: u32, window: Window) {
        self.chosen = None;
        let window = self.for_first(window);
        self.watch.begin(horizon, window);
    }

    pub(crate) fn turn(&self) -> Side {
        self.game.turn()
    }

    /// Enters a node `h` plies above the horizon with a window for the side to move.
    pub(crate) fn enter(&mut self, h: u32, window: Window) -> Node {
        let visit = Visit {
            ply: self.ply as u32,
            arrived: self.levels[self.ply].arrived,
            turn: self.turn(),
            window: self.for_first(window),
        };
        self.watch.enter(&visit);
        if let Some(value) = self.static_value(h) {
            let told = self.score_for_first(value);
            self.watch.leaf(told);
            return Node::Leaf(value);
        }
        let moves = &mut self.levels[self.ply].moves;
        moves.clear();
        self.game.moves(moves);
        debug_assert!(!moves.is_empty(), "a game that goes on has a move");
        Node::Inner(moves.len())
    }

    fn static_value(&mut self, h: u32) -> Option<Score> {
        if let Some(outcome) = self.game.outcome() {
            return Some(outcome.score(self.turn(), self.ply as u32));
        }
        if h > 0 {
            return None;
        }
        self.evaluator.reset(&self.game);
        Some(self.evaluator.evaluate(&self.game))
    }

    /// Runs `visit` on the child in place `index` of the node last entered.
    pub(crate) fn child(&mut self, index: usize, visit: impl FnOnce(&mut Self) -> Score) -> Score {
        self.down(index);
        let value = visit(self);
        self.up();
        value
    }

    /// Goes down to the child in place `index`.
    pub(crate) fn down(&mut self, index: usize) {
        let mv = self.levels[self.ply].moves[index];
        let undo = self.game.play(mv);
        self.ply += 1;
        if self.ply == self.levels.len() {
            self.levels.push(Level::new());
        }
        let level = &mut self.levels[self.ply];
        level.undo = Some(undo);
        level.arrived = Some((index, mv));
    }

    /// Goes back up to the parent.
    pub(crate) fn up(&mut self) {
        let level = &mut self.levels[self.ply];
        let (Some((_, mv)), Some(undo)) = (level.arrived, level.undo.take()) else { return };
        self.game.undo(mv, undo);
        self.ply -= 1;
    }

    /// Notes that the child in place `index` is the best so far; remembered at the root.
    pub(crate) fn choose(&mut self, index: usize) {
        if self.ply == 0 {
            self.chosen = Some(index);
        }
    }

    /// Leaves a node, all of whose children were visited.
    pub(crate) fn leave(&mut self, value: Score) -> Score {
        let told = self.score_for_first(value);
        self.watch.leave(told, None);
        value
    }

    /// Leaves a node because `value` reached `bound` with the child in place `last`; both for the
    /// side to move.
    pub(crate) fn leave_cut(&mut self, value: Score, bound: Score, last: usize) -> Score {
        let (told, bound) = (self.score_for_first(value), self.score_for_first(bound));
        let unvisited = &self.levels[self.ply].moves[last + 1..];
        // Nothing is cut off by a bound that the last child reaches.
        let cut = (!unvisited.is_empty()).then_some(Cut { bound, unvisited });
        self.watch.leave(told, cut);
        value
    }

    /// Returns the result of the last walk.
    pub(crate) fn found(&self, value: Score) -> TreeResult<G::Move> {
        TreeResult { value, best: self.chosen.map(|index| self.levels[0].moves[index]) }
    }

    /// Returns a score for the side to move as the first player sees it, and the other way round.
    pub(crate) fn score_for_first(&self, score: Score) -> Score {
        match self.turn() {
            Side::First => score,
            Side::Second => -score,
        }
    }

    fn for_first(&self, window: Window) -> Window {
        match self.turn() {
            Side::First => window,
            Side::Second => -window,
        }
    }
}
