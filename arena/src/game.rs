//! One game between two engines on an engine host: who is asked, how long it may take, and how it ends.
//!
//! It starts no process and reads no clock: both are the engine host's.

mod observe;
mod play;
mod state;
mod swap2;
mod thinking;
mod warnings;

pub use self::observe::{GameView, Observer};
pub use self::play::{Adjudge, GameRunner, Plan, Played};
pub use self::state::{Player, RunRules};
pub use self::swap2::ChooseSides;

#[cfg(test)]
mod tests;
