//! What is written of a run beside its journal: games in PGN, SGF and JSON, tables in CSV and for
//! people. All of it follows from the records.

mod cells;
pub mod csv;
pub mod files;
pub mod json;
pub mod lines;
pub mod live;
pub mod pgn;
pub mod sgf;
pub mod table;

use std::time::Duration;

pub(crate) use self::cells::wrap;

/// What every output knows of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Caption {
    /// The names of the players.
    pub names: Vec<String>,
    /// Their time controls, in words.
    pub times: Vec<String>,
    /// The variant's name.
    pub variant: String,
    /// The grid of the game, where it has one.
    pub grid: Option<tengen_engine::GridNotation>,
    /// The event.
    pub event: String,
    /// The place.
    pub site: String,
}

/// Seconds with so many digits that milliseconds show.
pub(crate) fn seconds(micros: u64) -> String {
    format!("{:.3}", Duration::from_micros(micros).as_secs_f64())
}
