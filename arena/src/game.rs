//! One game between two engines on a stage: who is asked, how long it may take, and how it ends.
//!
//! It starts no process and reads no clock: both are the stage's.

mod observe;
mod play;
mod state;
mod thinking;
mod warnings;

pub use self::observe::{Observer, View};
pub use self::play::{Adjudge, Plan, Played, Table};
pub use self::state::{Player, Rules};

#[cfg(test)]
mod tests;
