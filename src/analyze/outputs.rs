//! The outputs of a review: the annotated record, the plots, and the report.
//!
//! Nothing here depends on the game.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tengen_protocol::dialect::json::reply::Reply;

use super::Args;
use super::show::say;
use crate::exit_status::{Refusal, print};
use crate::files::{STANDARD, check_output, write_bytes};
use crate::objects;
use crate::progress::Progress;

/// The files of a review. They were checked to be writable.
pub(super) struct Outputs {
    record: PathBuf,
    /// The plots, one for each game.
    plots: Vec<PathBuf>,
    json: bool,
}

impl Outputs {
    /// Chooses the files for the record `game` of `games` games. Refuses files that cannot be
    /// written or must not be overwritten.
    pub(super) fn new(args: &Args, game: &Path, games: usize) -> Result<Self, Refusal> {
        let base = if game == Path::new(STANDARD) { Path::new("game.sgf") } else { game };
        let beside = |extension| base.with_extension(extension);
        let record = args.out.clone().unwrap_or_else(|| beside("annotated.sgf"));
        let plot = args.svg.clone().unwrap_or_else(|| beside("svg"));
        if plot == Path::new(STANDARD) {
            return Err(Refusal("--svg -: a plot needs a file".to_owned()));
        }
        let plots = match games {
            1 => vec![plot],
            _ => (1..=games).map(|number| numbered(&plot, number)).collect(),
        };
        let outputs = Self { record, plots, json: args.json };
        if outputs.is_psq() && games > 1 {
            let (out, game) = (outputs.record.display(), game.display());
            return Err(Refusal(format!("{out}: PSQ holds one game, and {game} {games}")));
        }
        if args.json && outputs.shows_record() {
            return Err(Refusal("--out - and --json both need standard output".to_owned()));
        }
        for path in outputs.files() {
            if path == game {
                return Err(Refusal(format!("{} would be overwritten", game.display())));
            }
            check_output(path, args.force)?;
        }
        Ok(outputs)
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        let record = Some(self.record.as_path()).filter(|_| !self.shows_record());
        record.into_iter().chain(self.plots.iter().map(PathBuf::as_path))
    }

    /// Returns whether the record is written as PSQ, which holds no remarks.
    pub(super) fn is_psq(&self) -> bool {
        self.record.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("psq"))
    }

    /// Returns whether the record goes to standard output.
    fn shows_record(&self) -> bool {
        self.record == Path::new(STANDARD)
    }

    /// Writes `text` for people, or `object` with `--json`.
    pub(super) fn write_line(
        &self,
        text: impl FnOnce() -> String,
        object: impl FnOnce() -> Reply,
    ) -> io::Result<()> {
        let line = if self.json { objects::line(&object())? } else { text() };
        if self.shows_record() {
            // A closed standard error is ignored.
            let _ = writeln!(io::stderr().lock(), "{line}");
            return Ok(());
        }
        say(&line)
    }

    /// Writes the record unless it goes to standard output, which gets it once.
    pub(super) fn write_record(&self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.shows_record() { Ok(()) } else { write_bytes(&self.record, bytes) }
    }

    /// Writes the record to standard output if the user asked for that.
    pub(super) fn show_record(&self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.shows_record() { print(bytes) } else { Ok(()) }
    }

    /// Writes the plot of game `index`, from 0.
    pub(super) fn write_plot(&self, index: usize, plot: &str) -> anyhow::Result<()> {
        write_bytes(&self.plots[index], plot.as_bytes())
    }

    /// Returns the names of the record and of the plot of game `index`, from 0.
    pub(super) fn names(&self, index: usize) -> [String; 2] {
        [&self.record, &self.plots[index]].map(|path| path.display().to_string())
    }

    /// Writes a line above the progress bar.
    pub(super) fn write_line_above(
        &self,
        progress: &Progress,
        text: impl FnOnce() -> String,
        object: impl FnOnce() -> Reply,
    ) -> io::Result<()> {
        progress.suspend(|| self.write_line(text, object))
    }
}

/// Returns the path with a number before its extension.
fn numbered(path: &Path, number: usize) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{number}.{}", extension.display())),
        None => path.with_extension(number.to_string()),
    }
}
