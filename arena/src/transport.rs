//! How games reach whoever plays them. Today they are played here; a kind that sends them elsewhere
//! changes no schedule, journal or statistics.

use std::time::Instant;

use crate::game::{GameView, Plan, Played};

/// What comes back.
#[derive(Clone, PartialEq, Debug)]
pub enum TransportEvent {
    /// A game begins.
    Started(Plan),
    /// A game has come to an end, of whatever kind.
    Finished(Plan, Played),
    /// Somebody asked the run to end.
    Interrupted,
    /// Nothing can be played any more; why.
    Broken(String),
}

/// Plays games.
pub trait Transport {
    /// Returns how many games are played at a time.
    fn capacity(&self) -> usize;

    /// Offers a game to be played.
    fn offer(&mut self, plan: Plan);

    /// Waits for what comes next, at most up to a time; `None` when that has come.
    fn results(&mut self, until: Option<Instant>) -> Option<TransportEvent>;

    /// Leaves all games at once.
    fn stop(&mut self);

    /// Returns the games under way.
    fn views(&self) -> Vec<GameView>;
}
