//! What a live view shows of a game.

use std::sync::{Arc, Mutex, PoisonError};

/// A game under way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameView {
    /// Its number; `None` between games.
    pub game: Option<u64>,
    /// The players, who moves first first.
    pub players: [usize; 2],
    /// Moves so far, the opening's too.
    pub ply: usize,
    /// By side: the remaining time, in milliseconds.
    pub left_millis: [Option<i64>; 2],
    /// By side: the last score.
    pub scores: [Option<String>; 2],
    /// The last move.
    pub last: String,
}

/// A view that a game changes and others read.
#[derive(Clone, Debug, Default)]
pub struct Observer(Arc<Mutex<GameView>>);

impl Observer {
    /// Changes the view.
    pub fn update(&self, change: impl FnOnce(&mut GameView)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns the view as it is now.
    pub fn view(&self) -> GameView {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
