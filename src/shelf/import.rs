//! `tengen shelf import`.

use std::path::PathBuf;

use serde_json::{Value, json};
use tengen_engine::{GameSpec, cores};
use tengen_games::CATALOG;
use tengen_records::{Fault, FaultKind, Format, Record};
use tengen_shelf::{
    Error, ImportOptions, ImportReport, ImportWatcher, Marks, Replaced, Shelf, import,
};

use super::{failure, marked};
use crate::board::BoardArgs;
use crate::exit_status::{Ended, Unfinished, one_line, print, report};
use crate::interrupt::interruptible;
use crate::progress::Progress;
use crate::record_files::{EncodingArgs, game_of};

const EXAMPLES: &str = include_str!("../help/shelf_import.txt").trim_ascii_end();

/// Add the games of files, folders and ZIP archives.
#[derive(clap::Args)]
#[command(after_help = format!("\
{}, the games of RenjuNet (.rif) and databases of Yixin and Rapfi (.db) are read; the content tells which \
it is. Folders and ZIP archives are searched for such files. The same game stands once: headers are merged. \
Games that cannot be read are listed; games with illegal or forbidden moves, moves after their end or a wrong \
result are kept and marked.

{EXAMPLES}", Format::list_of_files()))]
pub(super) struct Args {
    /// The files, folders and archives. Without one, games that are not indexed yet are indexed.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Remove what earlier imports of files with these names added. Games that other files have, and games and trees
    /// that were edited in the shelf, stay.
    #[arg(long)]
    replace: bool,

    /// Print a JSON object.
    #[arg(long)]
    json: bool,

    /// Threads that read games [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[command(flatten)]
    board: BoardArgs,
}

/// Shows problems as lines, and the number of games as a bar.
struct Watcher {
    progress: Progress,
    stored: u64,
    indexed: u64,
    is_stopped: Box<dyn Fn() -> bool>,
}

impl ImportWatcher for Watcher {
    fn problem(&mut self, text: &str) {
        self.progress.suspend(|| report(text));
    }

    fn stored(&mut self, games: u64) -> bool {
        self.stored += games;
        self.progress.show(format!("{} games read", self.stored));
        !(self.is_stopped)()
    }

    fn indexed(&mut self, games: u64) -> bool {
        self.indexed += games;
        self.progress.show(format!("{} games read, {} indexed", self.stored, self.indexed));
        !(self.is_stopped)()
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let named = args.board.named_game()?;
    let game = |record: &Record| game(record, &args.board);
    let mut options = ImportOptions::new(&game);
    options.notation = named.as_ref().and_then(|spec| spec.grid);
    options.choice = named.as_ref().map(GameSpec::id).unwrap_or_default();
    options.encoding = args.encoding.chosen()?;
    if let Some(encoding) = options.encoding {
        options.choice = format!("{} encoding={encoding}", options.choice).trim_start().to_owned();
    }
    options.replaces = args.replace;
    options.threads = args.threads.map_or_else(cores, usize::from);
    let done = interruptible(|signal| {
        let mut watcher = Watcher {
            progress: Progress::new(None),
            stored: 0,
            indexed: 0,
            is_stopped: Box::new(|| signal.is_stopped()),
        };
        Ok(import(shelf, &args.files, &options, &mut watcher))
    })?;
    let report = match done {
        Err(Error::Stopped) => {
            let why = "games read so far are kept; the same command continues".to_owned();
            return Err(Unfinished::Interrupted(why).into());
        }
        other => other.map_err(failure)?,
    };
    print(if args.json { format!("{}\n", object(&report)) } else { summary(&report) })?;
    match report.bad_files {
        0 => Ok(()),
        _ => Err(Ended { status: 2, why: None }.into()),
    }
}

/// Returns the game of a record.
fn game(record: &Record, board: &BoardArgs) -> Result<(GameSpec, Option<Fault>), Fault> {
    let is_named = |why: String| Fault::new(None, FaultKind::UnknownGame(why));
    if board.named_game().map_err(|why| is_named(why.0))?.is_none() {
        return record.spec(&CATALOG);
    }
    game_of(record, board, "the record").map_err(|why| is_named(why.0))
}

fn summary(report: &ImportReport) -> String {
    let mut text = format!(
        "files: {} read, {} known, {} not readable\ngames: {} new, {} known (headers merged), {} not readable\n",
        report.files, report.known_files, report.bad_files, report.new, report.merged, report.bad
    );
    text += &replaced(&report.replaced);
    if report.positions > 0 {
        text += &format!("positions of databases: {}\n", report.positions);
    }
    if report.trees > 0 {
        text += &format!("libraries: {}\n", report.trees);
    }
    let marked = Marks::NAMED.iter().zip(report.marked).filter(|(_, count)| *count > 0);
    let marked: Vec<String> = marked.map(|((_, name), count)| format!("{count} {name}")).collect();
    if !marked.is_empty() {
        text += &format!("marked: {}\n", marked.join(", "));
    }
    for (warning, (count, file)) in &report.warnings {
        text += &one_line(&format!("note ({count} times, first in {file}): {warning}"));
        text.push('\n');
    }
    text
}

/// Prints how many games of the replaced files were removed, and how many were kept.
fn replaced(replaced: &Replaced) -> String {
    if replaced.files == 0 {
        return String::new();
    }
    let mut text = format!(
        "replaced files: {}\nold games: {} removed, {} kept that other files have\n",
        replaced.files, replaced.removed, replaced.shared
    );
    for (what, numbers) in [("games", &replaced.edited), ("trees", &replaced.edited_trees)] {
        if !numbers.is_empty() {
            let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
            text += &format!("{what} kept that were edited here: {}\n", numbers.join(", "));
        }
    }
    text
}

fn object(report: &ImportReport) -> Value {
    let Replaced { files, removed, shared, edited, edited_trees, .. } = &report.replaced;
    json!({
        "replaced": {
            "files": files, "removed": removed, "shared": shared, "edited": edited, "editedTrees": edited_trees,
        },
        "files": report.files, "knownFiles": report.known_files, "badFiles": report.bad_files,
        "new": report.new, "merged": report.merged, "libraries": report.trees, "positions": report.positions, "bad": report.bad,
        "marked": marked(report.marked),
        "warnings": Value::from_iter(report.warnings.iter().map(|(warning, (count, _))| (warning.as_str(), *count))),
        "warnedFiles": Value::from_iter(report.warnings.iter().map(|(warning, (_, file))| (warning.as_str(), file.as_str()))),
    })
}
