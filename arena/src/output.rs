//! The outputs of a run beside its journal: games in PGN, SGF and JSON, tables in CSV and as text.
//! All outputs are made from the records.

mod cells;
pub mod csv;
pub mod files;
pub mod json;
pub mod lines;
pub mod live;
pub mod pgn;
pub mod report;
pub mod sgf;
pub mod standings;
pub mod table;

use std::time::Duration;

pub(crate) use self::cells::{Columns, wrap};

/// The data of a run that outputs show.
#[derive(Clone, PartialEq, Debug)]
pub struct Caption {
    /// The names of the players.
    pub names: Vec<String>,
    /// The time controls of the players, as text.
    pub times: Vec<String>,
    /// The variant's name.
    pub variant: String,
    /// The grid of the game; `None` if it is not played on a grid.
    pub grid: Option<tengen_engine::GridNotation>,
    /// The event.
    pub event: String,
    /// The site.
    pub site: String,
}

/// Writes a time in seconds, with milliseconds.
pub(crate) fn seconds(micros: u64) -> String {
    format!("{:.3}", Duration::from_micros(micros).as_secs_f64())
}
