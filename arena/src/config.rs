//! The configuration of a run, read from the command line, a tournament file, or both.
//!
//! `given` reads the command line and the file into one list of settings with their places.
//! `settings` interprets the list and calls `game`, `tables` and `values`. `write` writes any
//! settings as a file.

mod choices;
pub mod engine;
mod game;
pub mod given;
mod settings;
mod tables;
pub(crate) mod test_keys;
#[cfg(test)]
mod tests;
pub mod time_control;
mod values;
mod write;

pub use self::choices::{
    DrawRule, GameChoice, OnLag, OpeningFormat, OpeningSequence, OpeningsConfig, OutputConfig,
    OutputFile, OutputFormat, Policy, ProofRule, ResignRule, SpsaConfig, Timeouts, TournamentKind,
};
pub use self::engine::{EngineConfig, Proto, Restart, VariantName};
pub use self::given::{ConfigError, Setting, SettingSource, SettingValue};
pub use self::settings::Config;
pub use self::time_control::TimeControl;
pub use self::write::{to_toml, worker_toml};
