//! The configuration of a run, read from the command line, a tournament file, or both.
//!
//! `option` has the form of a table of options. The tables are in `settings`, `tables` and `engine`;
//! `values` reads values by their types. `given` reads the command line and the file into one list of
//! settings with their places. `write` writes any settings as a file.

mod choices;
pub mod engine;
mod foreign;
mod game;
pub mod given;
pub(crate) mod option;
pub(crate) mod setting;
mod settings;
mod spec;
mod tables;
#[cfg(test)]
mod tests;
pub mod time_control;
pub(crate) mod values;
mod write;

pub use self::choices::{
    GameChoice, OnLag, OpeningFormat, OpeningSequence, OutputFile, OutputFormat, Policy, Proto,
    Restart, Timeouts, TournamentKind,
};
pub use self::engine::{EngineConfig, Launch, VariantName};
pub use self::setting::{ConfigError, Setting, SettingSource, SettingValue};
pub use self::settings::Config;
pub use self::tables::{
    DrawRule, FileKeys, LogConfig, OpeningsConfig, OutputConfig, PrintedLines, ProofRule,
    ResignRule, SpsaConfig, TestConfig,
};
pub use self::time_control::TimeControl;
pub use self::write::{to_toml, worker_toml};
