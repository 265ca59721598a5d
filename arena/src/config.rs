//! What a run is to be: read from the command line, from a tournament file, or from both.
//!
//! The command line and a file are two ways to give settings. `given` reads both into one list of
//! settings with their places, `settings` gives them their meaning with the help of `game`, `tables`
//! and `values`, and `write` writes the file that belongs to any command line.

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
    DrawRule, GameChoice, GivenFile, GivenOutputs, OnLag, OpeningFormat, OpeningSequence,
    OpeningsConfig, OutputFormat, Outputs, Policy, ProofRule, ResignRule, SpsaConfig,
    TournamentKind,
};
pub use self::engine::{EngineConfig, Proto, Restart, VariantName};
pub use self::given::{ConfigError, Setting, SettingSource, SettingValue};
pub use self::settings::Config;
pub use self::time_control::TimeControl;
pub use self::write::to_toml;
