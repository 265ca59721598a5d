//! The outputs of a review: the annotated record, the plots, and the report.
//!
//! Nothing here depends on the game.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tengen_protocol::dialect::json::reply::Reply;
use tengen_protocol::judge::language::Language;
use tengen_runs::files::Target;

use super::Args;
use super::show::say;
use crate::exit_status::{Refusal, ignore_broken_pipe, refuse, report};
use crate::files::{STANDARD, output, write_output};
use crate::objects;

/// What a file holds: the option that names it, and the key of its name in the output.
type Kind = (&'static str, &'static str);

const RECORD: Kind = ("--out", "file.record");
/// The plot of a game.
pub(super) const PLOT: Kind = ("--svg", "file.plot");
/// The report of a game.
pub(super) const REPORT: Kind = ("--report", "file.report");

/// A file that the user named or that lies beside the record, and where it goes.
struct Output {
    kind: Kind,
    /// The index of its game; `None` for the record, which has all.
    game: Option<usize>,
    path: PathBuf,
    target: Target,
}

/// The files of a review that the user wants. They were checked to be writable.
pub(super) struct Outputs {
    files: Vec<Output>,
    json: bool,
    /// The language of what is shown.
    pub(super) language: Language,
}

impl Outputs {
    /// Chooses the files for the record `game` of `games` games. Refuses files that cannot be
    /// written or must not be overwritten, and two files in one place.
    pub(super) fn new(args: &Args, game: &Path, games: usize) -> Result<Self, Refusal> {
        let language = args.annotation.language();
        let mut outputs = Self { files: Vec::new(), json: args.json, language };
        for (kind, index, path) in wanted(args, game, games)? {
            let target = Target::of(&path);
            if args.json && target.is_ok_and(|target| target == Target::Standard) {
                refuse!("{} - and --json both need standard output", kind.0);
            }
            // Beside standard input there is no file.
            if path == game && game != Path::new(STANDARD) {
                refuse!("{} would be overwritten", game.display());
            }
            let target = output(&path, args.force)?;
            // Devices and pipes take several outputs.
            let is_same =
                |it: &&Output| it.target == target && !matches!(target, Target::Device(_));
            if let Some(other) = outputs.files.iter().find(is_same) {
                refuse!("{} and {} both name {}", other.kind.0, kind.0, path.display());
            }
            outputs.files.push(Output { kind, game: index, path, target });
        }
        if outputs.is_psq() && games > 1 {
            let out = outputs.find(RECORD, None).map_or(game, |it| &it.path).display();
            refuse!("{out}: PSQ holds one game, and {} {games}", game.display());
        }
        Ok(outputs)
    }

    /// Returns the file of a kind for a game.
    fn find(&self, kind: Kind, game: Option<usize>) -> Option<&Output> {
        self.files.iter().find(|it| it.kind == kind && it.game == game)
    }

    /// Returns whether the record is written as PSQ, which holds no remarks.
    pub(super) fn is_psq(&self) -> bool {
        let extension = self.find(RECORD, None).and_then(|record| record.path.extension());
        extension.is_some_and(|ending| ending.eq_ignore_ascii_case("psq"))
    }

    /// Writes `text` for people, or `object` with `--json`.
    pub(super) fn write_line(
        &self,
        text: impl FnOnce() -> String,
        object: impl FnOnce() -> Reply,
    ) -> io::Result<()> {
        let line = if self.json { objects::line(&object())? } else { text() };
        if self.files.iter().any(|it| it.target == Target::Standard) {
            // A closed standard error is ignored.
            let _ = writeln!(io::stderr().lock(), "{line}");
            return Ok(());
        }
        self.say(&line)
    }

    /// Writes a line to standard output. If nobody reads it, the files are still written.
    fn say(&self, line: &str) -> io::Result<()> {
        if self.files.is_empty() { say(line) } else { ignore_broken_pipe(say(line)) }
    }

    /// Writes why game `number` is refused to standard error, and with `--json` as an object, too.
    pub(super) fn write_refusal(&self, number: usize, why: &str) -> io::Result<()> {
        report(why);
        if self.json { self.say(&objects::line(&objects::refused(number, why))?) } else { Ok(()) }
    }

    /// Writes the record to its file. Standard output, a device or a pipe gets it once, `at_end`.
    pub(super) fn write_record(&self, bytes: &[u8], at_end: bool) -> anyhow::Result<()> {
        match self.find(RECORD, None) {
            Some(Output { path, target, .. }) if at_end != matches!(target, Target::File(_)) => {
                write_output(target, path, bytes)
            }
            _ => Ok(()),
        }
    }

    /// Writes the plot or the report of game `index`, from 0, if the user wants one.
    pub(super) fn write(
        &self,
        kind: Kind,
        index: usize,
        text: impl FnOnce() -> String,
    ) -> anyhow::Result<()> {
        let Some(Output { path, target, .. }) = self.find(kind, Some(index)) else { return Ok(()) };
        write_output(target, path, text().as_bytes())
    }

    /// Returns a line for each file that is written for game `index`, from 0.
    pub(super) fn lines(&self, index: usize) -> String {
        let own = self.files.iter().filter(|it| it.game.is_none_or(|game| game == index));
        let name = |key: &str| self.language.text(key, &[]);
        own.map(|it| format!("\n{}: {}", name(it.kind.1), it.path.display())).collect()
    }
}

/// Returns the files that the user wants for the record `game` of `games` games, with the index of the game.
fn wanted(
    args: &Args,
    game: &Path,
    games: usize,
) -> Result<Vec<(Kind, Option<usize>, PathBuf)>, Refusal> {
    let beside =
        |extension: &str| (game != Path::new(STANDARD)).then(|| game.with_extension(extension));
    let record = args.out.clone().or_else(|| beside("annotated.sgf"));
    let mut wanted: Vec<_> = record.into_iter().map(|path| (RECORD, None, path)).collect();
    for (kind, chosen, extension) in [(PLOT, &args.svg, "svg"), (REPORT, &args.report, "html")] {
        let Some(chosen) = chosen else { continue };
        let option = kind.0;
        let unnamed = || Refusal(format!("{option}: standard input needs a name for the file"));
        let named = chosen.clone().or_else(|| beside(extension)).ok_or_else(unnamed)?;
        if games > 1 && Target::of(&named).is_ok_and(|it| !matches!(it, Target::File(_))) {
            refuse!("{option} {}: {games} games have {games} files", named.display());
        }
        let path = |index| if games > 1 { numbered(&named, index + 1) } else { named.clone() };
        wanted.extend((0..games).map(|index| (kind, Some(index), path(index))));
    }
    Ok(wanted)
}

/// Returns the path with a number before its extension.
fn numbered(path: &Path, number: usize) -> PathBuf {
    match path.extension() {
        Some(extension) => path.with_extension(format!("{number}.{}", extension.display())),
        None => path.with_extension(number.to_string()),
    }
}
