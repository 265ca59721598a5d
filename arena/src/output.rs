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
#[cfg(any(target_os = "linux", test))]
use std::time::{SystemTime, UNIX_EPOCH};

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

/// Writes a time in UTC, to the second; `None` if the clock shows no year from 1970 to 9999.
#[cfg(any(target_os = "linux", test))]
pub(crate) fn utc(time: SystemTime) -> Option<String> {
    /// The first second of the year 10000.
    const END: u64 = 253_402_300_800;
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    (since.as_secs() < END).then(|| humantime::format_rfc3339_seconds(time).to_string())
}

/// Writes a time in seconds, with milliseconds.
pub(crate) fn seconds(micros: u64) -> String {
    format!("{:.3}", Duration::from_micros(micros).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_outside_the_calendar_has_no_date() {
        let second = Duration::from_secs(1);
        assert_eq!(utc(UNIX_EPOCH).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(utc(UNIX_EPOCH - second), None);
        assert_eq!(utc(UNIX_EPOCH + Duration::from_secs(253_402_300_800)), None);
    }
}
