//! The outputs of a review: the annotated record, the plots, and the report.
//!
//! Nothing here depends on the game.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tengen_protocol::dialect::json::reply::Reply;

use super::Args;
use super::show::say;
use crate::exit_status::{Refusal, print, report};
use crate::files::{STANDARD, check_output, write_bytes};
use crate::objects;
use crate::progress::Progress;

/// The files of a review. They were checked to be writable.
pub(super) struct Outputs {
    /// The annotated record, if the user wants one.
    record: Option<PathBuf>,
    /// The plots, one for each game; none if the user wants none.
    plots: Vec<PathBuf>,
    json: bool,
}

impl Outputs {
    /// Chooses the files for the record `game` of `games` games. Refuses files that cannot be
    /// written or must not be overwritten.
    pub(super) fn new(args: &Args, game: &Path, games: usize) -> Result<Self, Refusal> {
        // Beside standard input there is no file.
        let has_name = game != Path::new(STANDARD);
        let beside = |extension| has_name.then(|| game.with_extension(extension));
        let record = args.out.clone().or_else(|| beside("annotated.sgf"));
        let plot = args.svg.clone().or_else(|| beside("svg")).filter(|_| !args.no_svg);
        if plot.as_deref() == Some(Path::new(STANDARD)) {
            return Err(Refusal("--svg -: a plot needs a file".to_owned()));
        }
        let plots = match (plot, games) {
            (None, _) => Vec::new(),
            (Some(plot), 1) => vec![plot],
            (Some(plot), _) => (1..=games).map(|number| numbered(&plot, number)).collect(),
        };
        let outputs = Self { record, plots, json: args.json };
        if outputs.is_psq() && games > 1 {
            let name = |path: &Path| path.display().to_string();
            let (out, game) = (outputs.record.as_deref().map(name), name(game));
            let out = out.unwrap_or_default();
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
        let record = self.record.as_deref().filter(|_| !self.shows_record());
        record.into_iter().chain(self.plots.iter().map(PathBuf::as_path))
    }

    /// Returns whether the record is written as PSQ, which holds no remarks.
    pub(super) fn is_psq(&self) -> bool {
        let extension = self.record.as_ref().and_then(|record| record.extension());
        extension.is_some_and(|ending| ending.eq_ignore_ascii_case("psq"))
    }

    /// Returns whether the record goes to standard output.
    fn shows_record(&self) -> bool {
        self.record.as_deref() == Some(Path::new(STANDARD))
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

    /// Writes why game `number` is refused to standard error, and with `--json` as an object, too.
    pub(super) fn write_refusal(&self, number: usize, why: &str) -> io::Result<()> {
        report(why);
        if self.json { say(&objects::line(&objects::refused(number, why))?) } else { Ok(()) }
    }

    /// Writes the record unless it goes to standard output, which gets it once.
    pub(super) fn write_record(&self, bytes: &[u8]) -> anyhow::Result<()> {
        match &self.record {
            Some(record) if !self.shows_record() => write_bytes(record, bytes),
            _ => Ok(()),
        }
    }

    /// Writes the record to standard output if the user asked for that.
    pub(super) fn show_record(&self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.shows_record() { print(bytes) } else { Ok(()) }
    }

    /// Writes the plot of game `index`, from 0.
    pub(super) fn write_plot(
        &self,
        index: usize,
        plot: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        let Some(path) = self.plots.get(index) else { return Ok(()) };
        write_bytes(path, plot().as_bytes())
    }

    /// Returns a line for each file that is written for game `index`, from 0.
    pub(super) fn lines(&self, index: usize) -> String {
        let files = [("record", self.record.as_ref()), ("plot", self.plots.get(index))];
        let line =
            |(name, path): (&str, Option<&PathBuf>)| Some(format!("\n{name}: {}", path?.display()));
        files.into_iter().filter_map(line).collect()
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
