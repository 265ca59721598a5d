//! The outputs of a review: the annotated record, the plots, and the report.
//!
//! Nothing here depends on the game.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tengen_protocol::dialect::json::reply::Reply;
use tengen_runs::files::Target;

use super::Args;
use super::show::say;
use crate::exit_status::{Refusal, refuse, report};
use crate::files::{STANDARD, output, write_output};
use crate::objects;

/// A file that the user named or that lies beside the record, and where it goes.
struct Output {
    path: PathBuf,
    target: Target,
}

/// The files of a review. They were checked to be writable.
pub(super) struct Outputs {
    /// The annotated record, if the user wants one.
    record: Option<Output>,
    /// The plots, one for each game; none if the user wants none.
    plots: Vec<Output>,
    /// The reports, one for each game; none if the user wants none.
    reports: Vec<Output>,
    json: bool,
}

impl Outputs {
    /// Chooses the files for the record `game` of `games` games. Refuses files that cannot be
    /// written or must not be overwritten.
    pub(super) fn new(args: &Args, game: &Path, games: usize) -> Result<Self, Refusal> {
        // Beside standard input there is no file.
        let has_name = game != Path::new(STANDARD);
        let beside = |extension: &str| has_name.then(|| game.with_extension(extension));
        let files = |option: &str,
                     chosen: &Option<Option<PathBuf>>,
                     extension: &str|
         -> Result<Vec<PathBuf>, Refusal> {
            let Some(chosen) = chosen else { return Ok(Vec::new()) };
            let named = chosen.clone().or_else(|| beside(extension));
            let unnamed = || Refusal(format!("{option}: standard input needs a name for the file"));
            let named = named.ok_or_else(unnamed)?;
            if games == 1 {
                return Ok(vec![named]);
            }
            if Target::of(&named).is_ok_and(|it| !matches!(it, Target::File(_))) {
                refuse!("{option} {}: {games} games have {games} files", named.display());
            }
            Ok((1..=games).map(|number| numbered(&named, number)).collect())
        };
        let plots = files("--svg", &args.svg, "svg")?;
        let reports = files("--report", &args.report, "html")?;
        let record = args.out.clone().or_else(|| beside("annotated.sgf"));
        let firsts =
            [("--out", record.as_ref()), ("--svg", plots.first()), ("--report", reports.first())];
        for (option, path) in firsts {
            let target = path.and_then(|path| Target::of(path).ok());
            if args.json && target == Some(Target::Standard) {
                refuse!("{option} - and --json both need standard output");
            }
        }
        let open = |path: PathBuf| -> Result<Output, Refusal> {
            if path == game && has_name {
                refuse!("{} would be overwritten", game.display());
            }
            let target = output(&path, args.force)?;
            Ok(Output { path, target })
        };
        let record = record.map(open).transpose()?;
        let plots = plots.into_iter().map(open).collect::<Result<_, _>>()?;
        let reports = reports.into_iter().map(open).collect::<Result<_, _>>()?;
        let outputs = Self { record, plots, reports, json: args.json };
        if outputs.is_psq() && games > 1 {
            let (out, game) = (outputs.record.as_ref().map(|it| &it.path), game.display());
            let out = out.map_or_else(String::new, |out| out.display().to_string());
            refuse!("{out}: PSQ holds one game, and {game} {games}");
        }
        outputs.check_places()?;
        Ok(outputs)
    }

    /// Returns all outputs with their options.
    fn all(&self) -> impl Iterator<Item = (&'static str, &Output)> {
        let of = |option, outputs| std::iter::repeat(option).zip(outputs);
        let record = self.record.iter().map(|record| ("--out", record));
        record.chain(of("--svg", &self.plots)).chain(of("--report", &self.reports))
    }

    /// Refuses two outputs in one place. Devices and pipes take several.
    fn check_places(&self) -> Result<(), Refusal> {
        for (number, (option, output)) in self.all().enumerate() {
            let mut before = self.all().take(number);
            let is_same = |(_, it): &(&str, &Output)| {
                it.target == output.target && !matches!(it.target, Target::Device(_))
            };
            if let Some((other, _)) = before.find(is_same) {
                refuse!("{other} and {option} both name {}", output.path.display());
            }
        }
        Ok(())
    }

    /// Returns whether an output goes to standard output.
    fn uses_standard_output(&self) -> bool {
        self.all().any(|(_, output)| output.target == Target::Standard)
    }

    /// Returns whether the record is written as PSQ, which holds no remarks.
    pub(super) fn is_psq(&self) -> bool {
        let extension = self.record.as_ref().and_then(|record| record.path.extension());
        extension.is_some_and(|ending| ending.eq_ignore_ascii_case("psq"))
    }

    /// Writes `text` for people, or `object` with `--json`.
    pub(super) fn write_line(
        &self,
        text: impl FnOnce() -> String,
        object: impl FnOnce() -> Reply,
    ) -> io::Result<()> {
        let line = if self.json { objects::line(&object())? } else { text() };
        if self.uses_standard_output() {
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

    /// Writes the record to its file. Standard output, a device or a pipe gets it once, `at_end`.
    pub(super) fn write_record(&self, bytes: &[u8], at_end: bool) -> anyhow::Result<()> {
        match &self.record {
            Some(Output { path, target }) if at_end != matches!(target, Target::File(_)) => {
                write_output(target, path, bytes)
            }
            _ => Ok(()),
        }
    }

    /// Writes the plot of game `index`, from 0.
    pub(super) fn write_plot(
        &self,
        index: usize,
        plot: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        write(self.plots.get(index), plot)
    }

    /// Writes the report of game `index`, from 0.
    pub(super) fn write_report(
        &self,
        index: usize,
        report: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        write(self.reports.get(index), report)
    }

    /// Returns a line for each file that is written for game `index`, from 0.
    pub(super) fn lines(&self, index: usize) -> String {
        let (plot, report) = (self.plots.get(index), self.reports.get(index));
        let files = [("record", self.record.as_ref()), ("plot", plot), ("report", report)];
        let line =
            |(name, it): (&str, Option<&Output>)| Some(format!("\n{name}: {}", it?.path.display()));
        files.into_iter().filter_map(line).collect()
    }
}

/// Writes a text to an output, if there is one.
fn write(output: Option<&Output>, text: impl FnOnce() -> String) -> anyhow::Result<()> {
    let Some(Output { path, target }) = output else { return Ok(()) };
    write_output(target, path, text().as_bytes())
}

/// Returns the path with a number before its extension.
fn numbered(path: &Path, number: usize) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{number}.{}", extension.display())),
        None => path.with_extension(number.to_string()),
    }
}
