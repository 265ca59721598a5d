//! `tengen shelf export`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;
use tengen_records::{Collection, Format, TextEncoding, WriteError};
use tengen_runs::files::Target;
use tengen_shelf::Shelf;

use super::failure;
use super::find::Selection;
use crate::exit_status::{Refusal, Unfinished, is_broken_pipe, print, refuse, warn};
use crate::files::output;
use crate::formats::{self, OutputFormat};
use crate::interrupt::{interruptible, is_interrupted};
use crate::record_files::encoding;

const EXAMPLES: &str = include_str!("../help/shelf_export.txt").trim_ascii_end();

/// Write games as records, or positions with their values as a database for Rapfi and Yixin.
///
/// The extension of OUT decides its format, as --to lists them. SGF and libraries have the trees of variations, too;
/// a library has all games in one tree.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The file to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// The format [default: by the extension of OUT].
    #[arg(long, value_name = "FORMAT", value_parser = formats::parser(To::all))]
    to: Option<To>,

    /// Only the game with this number, as "tengen shelf find" lists it; also several times.
    #[arg(long = "game", value_name = "N")]
    games: Vec<i64>,

    /// The encoding of texts in a library [default: that of ASCII].
    #[arg(long, value_name = "NAME")]
    to_encoding: Option<String>,

    /// Overwrite OUT if it is there.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    selection: Selection,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum To {
    /// Games, one after the other.
    Records(Format),
    /// Positions.
    Database,
}

impl To {
    fn all() -> Vec<OutputFormat<Self>> {
        // The shelf alone writes games as the arena does.
        let records = Format::written().chain([Format::JSONL]);
        let records = records.map(|format| OutputFormat::of(format, Self::Records(format)));
        let database = OutputFormat {
            format: Self::Database,
            name: "yxdb",
            summary: "A database of Rapfi and Yixin: positions with values, labels and comments",
            extensions: &["db", "yxdb"],
        };
        records.chain([database]).collect()
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let saved = args.selection.saved(shelf)?;
    let selection = saved.as_ref().unwrap_or(&args.selection);
    let to = formats::chosen(&To::all(), args.to, &args.output)?;
    let output = output(&args.output, args.force)?;
    let To::Records(format) = to else { return write_database(shelf, args, selection, &output) };
    let mut found = selection.find(shelf, None)?;
    if !args.games.is_empty() {
        found.ids.retain(|id| args.games.contains(id));
    }
    let mut trees = match args.games.is_empty() && selection.is_of_board(shelf)? {
        true => {
            let ruleset = selection.ruleset(shelf)?;
            shelf.libraries(ruleset.as_deref()).map_err(failure)?
        }
        false => Vec::new(),
    };
    if !matches!(format, Format::SGF | Format::LIB) && !trees.is_empty() {
        let count = std::mem::take(&mut trees).len();
        warn(&format!(
            "{count} trees of variations are left out: SGF and libraries (lib) hold them"
        ));
    }
    if found.ids.is_empty() && trees.is_empty() {
        refuse!("no game found: nothing is written");
    }
    let to_encoding = args.to_encoding.as_ref();
    let to_encoding = to_encoding.map(|label| encoding("--to-encoding", label)).transpose()?;
    let written = interruptible(|_| {
        let write = |out: &mut dyn Write| match format {
            Format::LIB => write_library(shelf, &found.ids, &trees, to_encoding, out),
            _ => write_games(shelf, &found.ids, &trees, format, out),
        };
        output.write_with(write).map_err(|why| {
            match why.is::<io::Error>() && !is_broken_pipe(&why) {
                true => why.context(format!("cannot write {}", args.output.display())),
                false => why,
            }
        })
    });
    let skipped = match written {
        Err(why) if output == Target::Standard && is_broken_pipe(&why) => return Ok(()),
        written => written?,
    };
    if let Some((id, why)) = skipped.first {
        warn(&format!("{} games are left out, such as game {id}: {why}", skipped.count));
    }
    for (lost, count) in &skipped.losses {
        warn(&format!("{count} games: {} does not hold {lost}", format.title()));
    }
    if output != Target::Standard {
        let written = found.ids.len() as u64 - skipped.count;
        let trees = match trees.len() {
            0 => String::new(),
            count => format!(", {count} trees of variations"),
        };
        print(format!("{written} games{trees}\n"))?;
    }
    Ok(())
}

/// Writes games and trees as one library.
fn write_library(
    shelf: &mut Shelf,
    ids: &[i64],
    trees: &[i64],
    to_encoding: Option<TextEncoding>,
    out: &mut dyn Write,
) -> anyhow::Result<Skipped> {
    let (record, spec) = shelf.tree_of(ids, trees).map_err(failure)?;
    let games = Collection::new(Format::SGF, vec![record]);
    let library = games.write(Format::LIB, &[Some(spec)], to_encoding);
    let library = library.map_err(|why| {
        let remedy = match why {
            WriteError::NoEncoding(_) => {
                ": choose that of its readers by --to-encoding, such as GBK"
            }
            _ => "",
        };
        Refusal(format!("{why}{remedy}"))
    });
    out.write_all(&library?)?;
    let lost = "names of players, events, dates and results".to_owned();
    let losses = (!ids.is_empty()).then_some((lost, ids.len() as u64));
    Ok(Skipped { losses: losses.into_iter().collect(), ..Skipped::default() })
}

/// Writes games one after the other, so that only one is in memory, and trees after them.
fn write_games(
    shelf: &mut Shelf,
    ids: &[i64],
    trees: &[i64],
    format: Format,
    out: &mut dyn Write,
) -> anyhow::Result<Skipped> {
    let mut skipped = Skipped::default();
    for id in ids {
        if is_interrupted() {
            return Err(Unfinished::Interrupted("nothing is written".to_owned()).into());
        }
        match shelf.written_with_losses(*id, format).map_err(failure)? {
            Ok((game, lost)) => {
                out.write_all(&game)?;
                lost.into_iter().for_each(|lost| *skipped.losses.entry(lost).or_default() += 1);
            }
            Err(why) => {
                skipped.count += 1;
                skipped.first.get_or_insert((*id, why.to_string()));
            }
        }
    }
    for id in trees {
        out.write_all(shelf.library(*id).map_err(failure)?.0.as_bytes())?;
    }
    match skipped.first {
        Some((id, why)) if skipped.count as usize == ids.len() => {
            refuse!("no game can be written in this format, such as game {id}: {why}")
        }
        _ => Ok(skipped),
    }
}

/// Writes the positions with values, labels and comments.
fn write_database(
    shelf: &mut Shelf,
    args: &Args,
    selection: &Selection,
    output: &Target,
) -> anyhow::Result<()> {
    if !args.games.is_empty() {
        refuse!("a database has positions, not games: leave out --game");
    }
    let ruleset = selection.only_ruleset(shelf)?;
    let (database, left_out) = shelf.database(ruleset.as_deref()).map_err(failure)?;
    if database.positions() == 0 {
        refuse!("no position with a value, a label or a comment: nothing is written");
    }
    output
        .write_with(|out| database.write(out))
        .or_else(|why| match why.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(why),
        })
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    if left_out > 0 {
        warn(&format!(
            "{left_out} positions are left out: the format has gomoku (freestyle, standard) and renju only"
        ));
    }
    if *output != Target::Standard {
        print(format!("{} positions\n", database.positions()))?;
    }
    Ok(())
}

/// The games that a format cannot hold, and what it leaves out of the others.
#[derive(Default)]
struct Skipped {
    count: u64,
    /// The id of the first one, and why.
    first: Option<(i64, String)>,
    /// What is left out, and of how many games.
    losses: BTreeMap<String, u64>,
}
