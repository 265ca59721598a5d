//! The state of a running game for the live view.

use std::sync::{Arc, Mutex, PoisonError};

/// The state of a worker's game, for the live view.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameView {
    /// The number of the game; `None` between games.
    pub game: Option<u64>,
    /// The players by side: who moves first, and who second.
    pub players: [usize; 2],
    /// The number of moves so far, including the opening.
    pub ply: usize,
    /// By side: the remaining time, in milliseconds; `None` without a clock.
    pub left_millis: [Option<i64>; 2],
    /// By side: the last score; `None` before the first.
    pub scores: [Option<String>; 2],
    /// The last move as text; empty before the first.
    pub last: String,
}

/// A [`GameView`] shared between a game and the live view.
#[derive(Clone, Debug, Default)]
pub struct Observer(Arc<Mutex<GameView>>);

impl Observer {
    /// Changes the view.
    pub fn update(&self, change: impl FnOnce(&mut GameView)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// Returns a copy of the view.
    pub fn view(&self) -> GameView {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
