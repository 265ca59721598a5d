//! One game between two engines: asks for moves, keeps the clocks, judges, makes the record.
//!
//! Processes and the system clock are behind the [`EngineHost`](crate::engine::host::EngineHost).

pub mod adjudicate;
pub mod clock;
mod opening;
mod play;
pub mod proof;
pub mod referee;
mod replay;
pub mod speed;
mod state;
mod thinking;
mod warnings;
#[cfg(target_os = "linux")]
mod workers;

pub use self::opening::{OpeningChoice, OpeningPlay};
pub use self::play::{GameOutcome, GameRunner, GameView, Plan};
pub use self::replay::Replay;
pub use self::state::RunRules;
#[cfg(target_os = "linux")]
pub use self::workers::start_workers;

#[cfg(test)]
mod tests;
