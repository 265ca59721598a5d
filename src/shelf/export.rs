//! `tengen shelf export`.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tengen_engine::GameSpec;
use tengen_records::{Collection, Format, Record, Target, WriteError};
use tengen_shelf::Shelf;

use super::failure;
use super::find::Selection;
use crate::exit_status::{Refusal, print, warn};
use crate::files::{STANDARD, output, write_output};

/// Write games as SGF, PGN, PSQ, a RenLib library, lists of moves, or JSON lines.
///
/// The extension of OUT decides its format: .sgf, .pgn, .psq, .lib, .txt for moves, or .jsonl. A library
/// has the lines of all games in one tree.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The file to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// The format [default: by the extension of OUT].
    #[arg(long, value_name = "FORMAT")]
    to: Option<To>,

    /// Overwrite OUT if it is there.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    selection: Selection,
}

/// A format that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum To {
    /// The Smart Game Format, with trees and comments.
    Sgf,
    /// Portable Game Notation.
    Pgn,
    /// Records of Piskvork, one after the other.
    Psq,
    /// A library of RenLib with the lines of all games.
    Lib,
    /// A list of moves on each line.
    Moves,
    /// A JSON object on each line, as tengen arena writes games.
    Jsonl,
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let format = args.to.or_else(|| format_of(&args.output)).ok_or_else(|| {
        let name = args.output.display();
        Refusal(format!(
            "{name}: unknown extension; choose the format by --to sgf, pgn, psq, lib, moves or jsonl"
        ))
    })?;
    let output = output(&args.output, args.force)?;
    let found = args.selection.find(shelf, None)?;
    if found.ids.is_empty() {
        return Err(Refusal("no game found: nothing is written".to_owned()).into());
    }
    let mut bytes = Vec::new();
    let mut skipped = Skipped::default();
    if format == To::Lib {
        let (record, spec) = shelf.tree_of_games(&found.ids).map_err(failure)?;
        bytes = written(record, spec, Target::Lib).map_err(|why| Refusal(why.to_string()))?;
    } else {
        for id in &found.ids {
            write(shelf, *id, format, &mut bytes, &mut skipped)?;
        }
    }
    if let Some((id, why)) = skipped.first {
        let count = skipped.count;
        warn(&format!("{count} games are left out, such as game {id}: {why}"));
        if count as usize == found.ids.len() {
            return Err(Refusal("no game can be written in this format".to_owned()).into());
        }
    }
    write_output(&output, &args.output, &bytes)?;
    if args.output != Path::new(STANDARD) {
        let written = found.ids.len() as u64 - skipped.count;
        print(format!("{written} games\n"))?;
    }
    Ok(())
}

/// The games that a format cannot hold.
#[derive(Default)]
struct Skipped {
    count: u64,
    /// The id of the first one, and why.
    first: Option<(i64, String)>,
}

fn write(
    shelf: &mut Shelf,
    id: i64,
    format: To,
    bytes: &mut Vec<u8>,
    skipped: &mut Skipped,
) -> anyhow::Result<()> {
    let target = match format {
        To::Jsonl => {
            let line = shelf.json_line(id).map_err(failure)?;
            bytes.extend_from_slice(line.to_string().as_bytes());
            bytes.push(b'\n');
            return Ok(());
        }
        To::Sgf => Target::Sgf,
        To::Pgn => Target::Pgn,
        To::Psq => Target::Psq,
        To::Moves | To::Lib => Target::Moves,
    };
    let (record, spec) = shelf.record(id).map_err(failure)?;
    match written(record, spec, target) {
        Ok(game) => bytes.extend(game),
        Err(why) => {
            skipped.count += 1;
            skipped.first.get_or_insert((id, why.to_string()));
        }
    }
    Ok(())
}

fn written(record: Record, spec: GameSpec, target: Target) -> Result<Vec<u8>, WriteError> {
    Collection::new(Format::Sgf, vec![record]).write(target, &[Some(spec)], None)
}

fn format_of(path: &Path) -> Option<To> {
    let extension = path.extension()?.to_str()?;
    match extension.to_ascii_lowercase().as_str() {
        "sgf" => Some(To::Sgf),
        "pgn" => Some(To::Pgn),
        "psq" => Some(To::Psq),
        "lib" => Some(To::Lib),
        "txt" | "moves" => Some(To::Moves),
        "json" | "jsonl" => Some(To::Jsonl),
        _ => None,
    }
}
