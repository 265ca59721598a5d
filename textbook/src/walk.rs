//! The walk through the tree that all algorithms share: moves down and up, leaves, and reports to
//! the watch.

use std::ops::{Neg, Range};

use tengen_engine::{Evaluator, Game, Score, Side, Window};

use crate::watch::{Cut, Visit, Watch};

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeResult<M> {
    /// The value for the side to move at the root. The plies to a win or loss count from the root.
    pub value: Score,
    /// The first of the best moves; `None` when the root is a leaf.
    pub best: Option<M>,
}

/// The current position of a search, and a list of moves for each ply from the root.
pub(crate) struct Walk<'w, G: Game, E, W> {
    game: G,
    evaluator: E,
    watch: &'w mut W,
    levels: Vec<Level<G>>,
    ply: usize,
    best: Option<usize>,
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

impl<'w, G: Game, E: Evaluator<G>, W: Watch<G::Move>> Walk<'w, G, E, W> {
    pub(crate) fn new(game: G, evaluator: E, watch: &'w mut W) -> Self {
        Self { game, evaluator, watch, levels: vec![Level::new()], ply: 0, best: None }
    }

    /// Begins a new walk at the root.
    pub(crate) fn begin(&mut self, horizon: u32, window: Window) {
        self.best = None;
        let window = self.for_first(window);
        self.watch.begin(horizon, window);
    }

    pub(crate) fn turn(&self) -> Side {
        self.game.turn()
    }

    /// Enters a node `h` plies above the horizon. `window` is for the side to move. Returns the
    /// value of a leaf for the side to move: the game is over or the horizon is reached. `None` for
    /// an inner node, whose [`children`](Self::children) are listed.
    pub(crate) fn enter(&mut self, h: u32, window: Window) -> Option<Score> {
        let visit = Visit {
            ply: self.ply as u32,
            arrived: self.levels[self.ply].arrived,
            turn: self.turn(),
            window: self.for_first(window),
        };
        self.watch.enter(&visit);
        if let Some(value) = self.static_value(h) {
            let value_for_first = self.for_first(value);
            self.watch.leaf(value_for_first);
            return Some(value);
        }
        let moves = &mut self.levels[self.ply].moves;
        moves.clear();
        self.game.moves(moves);
        debug_assert!(!moves.is_empty(), "a game that is not over has a move");
        None
    }

    /// Returns the indices of the children of the inner node entered last.
    pub(crate) fn children(&self) -> Range<usize> {
        0..self.levels[self.ply].moves.len()
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

    /// Calls `visit` on the child `index`, from 0, of the node entered last.
    pub(crate) fn child(&mut self, index: usize, visit: impl FnOnce(&mut Self) -> Score) -> Score {
        self.down(index);
        let value = visit(self);
        self.up();
        value
    }

    /// Goes down to the child `index`, from 0.
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

    /// Sets the child `index` as the best so far, if the node is the root.
    pub(crate) fn set_best(&mut self, index: usize) {
        if self.ply == 0 {
            self.best = Some(index);
        }
    }

    /// Leaves a node after all its children were visited.
    pub(crate) fn leave(&mut self, value: Score) -> Score {
        let value_for_first = self.for_first(value);
        self.watch.leave(value_for_first, None);
        value
    }

    /// Leaves a node after the child `last`, because `value` reached `bound`. Both are for the side
    /// to move.
    pub(crate) fn leave_cut(&mut self, value: Score, bound: Score, last: usize) -> Score {
        let (value_for_first, bound) = (self.for_first(value), self.for_first(bound));
        let unvisited = &self.levels[self.ply].moves[last + 1..];
        // There is no cut-off if the last child reaches the bound.
        let cut = (!unvisited.is_empty()).then_some(Cut { bound, unvisited });
        self.watch.leave(value_for_first, cut);
        value
    }

    /// Returns the result of the last walk, with the value `value`.
    pub(crate) fn result(&self, value: Score) -> TreeResult<G::Move> {
        TreeResult { value, best: self.best.map(|index| self.levels[0].moves[index]) }
    }

    /// Converts a score or a window of the side to move to that of the first player, or back.
    fn for_first<T: Neg<Output = T>>(&self, value: T) -> T {
        match self.turn() {
            Side::First => value,
            Side::Second => -value,
        }
    }
}
