//! `tengen convert`: game records from one format to another.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use tengen_engine::{GameSpec, GridNotation};
use tengen_games::CATALOG;
use tengen_records::{Collection, Format, ReadOptions, Record, RecordNode, TextEncoding};

use crate::board::BoardArgs;
use crate::exit_status::{Refusal, print, warn};
use crate::files::{STANDARD, check_output, write_bytes};
use crate::record_files::{read_games, refusal};

const EXAMPLES: &str = "\
SGF, PSQ (Piskvork, Gomocup), libraries of RenLib and lists of moves are read; the content tells which it
is. SGF holds everything. PSQ and lists of moves hold the main line of one game; a warning names
what they leave out.

Examples:
  tengen convert game.psq renju.sgf --variant renju
      a record of Piskvork, which does not name its rules
  tengen convert library.lib library.sgf
      a library of RenLib with its variations, comments and labels
  tengen convert game.sgf - --to moves
      the moves in one line, on standard output
  echo h8i9j7 | tengen convert - - --to psq
      a list of moves as PSQ";

/// Convert game records: SGF, PSQ, RenLib and lists of moves.
///
/// The extension of OUT decides its format: .sgf, .psq, or .txt for moves.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The record to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// The record to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// The format to write [default: by the extension of OUT].
    #[arg(long, value_name = "FORMAT")]
    to: Option<Target>,

    /// Convert only this game, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,

    /// The encoding of IN, whatever it says itself.
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,

    /// Overwrite OUT if it is there.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    board: BoardArgs,
}

/// A format that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Target {
    /// The Smart Game Format, with everything that was read.
    Sgf,
    /// The record of Piskvork: the main line of one game.
    Psq,
    /// The main line, a game a line.
    Moves,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let target = args.target()?;
    if args.output == args.input && args.output != Path::new(STANDARD) {
        return Err(Refusal(format!("{} would be overwritten", args.input.display())).into());
    }
    let to_standard = args.output == Path::new(STANDARD);
    if !to_standard {
        check_output(&args.output, args.force)?;
    }
    let named = args.board.named_game()?;
    let mut collection = args.read(named.as_ref())?;
    if let Some(spec) = &named {
        collection.records_mut().iter_mut().for_each(|record| record.declare(spec, &CATALOG));
    }
    let written = args.write(&collection, target, named.as_ref())?;
    if to_standard {
        return print(written);
    }
    write_bytes(&args.output, &written)
}

impl Args {
    fn name(&self) -> String {
        self.input.display().to_string()
    }

    fn target(&self) -> Result<Target, Refusal> {
        let ending = self.output.extension().and_then(|ending| ending.to_str());
        let known = ending.and_then(|ending| match ending.to_ascii_lowercase().as_str() {
            "sgf" => Some(Target::Sgf),
            "psq" => Some(Target::Psq),
            "txt" | "moves" => Some(Target::Moves),
            _ => None,
        });
        self.to.or(known).ok_or_else(|| {
            let name = self.output.display();
            Refusal(format!(
                "{name}: unknown extension; choose the format by --to sgf, psq or moves"
            ))
        })
    }

    fn read(&self, spec: Option<&GameSpec>) -> anyhow::Result<Collection> {
        let mut options = ReadOptions::new();
        if let Some(label) = &self.encoding {
            let unknown = || Refusal(format!("--encoding {label}: unknown encoding"));
            options = options.encoding(TextEncoding::named(label).ok_or_else(unknown)?);
        }
        let notation = spec.and_then(|spec| spec.grid);
        let mut collection = read_games(&self.input, options, notation)?;
        if let Some(number) = self.game {
            let (index, count) = (number as usize - 1, collection.records().len());
            if index >= count {
                let name = self.name();
                return Err(Refusal(format!("--game {number}: {name} holds {count} games")).into());
            }
            collection = collection.only(index);
        }
        Ok(collection)
    }

    fn write(
        &self,
        collection: &Collection,
        target: Target,
        named: Option<&GameSpec>,
    ) -> anyhow::Result<Vec<u8>> {
        if target == Target::Sgf {
            return Ok(collection.to_sgf());
        }
        let name = self.name();
        if target == Target::Psq && collection.records().len() > 1 {
            let count = collection.records().len();
            let why = format!("{name} holds {count} games, and PSQ one: --game N chooses it");
            return Err(Refusal(why).into());
        }
        let mut out = String::new();
        for record in collection.records() {
            let notation = self.notation(record, named)?;
            let written = match target {
                Target::Psq => record.to_psq(notation),
                _ => record.to_moves(notation).map(|moves| moves + "\n"),
            };
            out += &written.map_err(|fault| refusal(&name, &fault))?;
        }
        if let Some(lost) = lost(collection) {
            let format = if target == Target::Psq { "PSQ" } else { "a list of moves" };
            warn(&format!("{name}: {format} does not hold {lost}"));
        }
        Ok(out.into_bytes())
    }

    /// Returns the board of a record: that of the game `named` by the user, else that of the game
    /// in the record.
    fn notation(&self, record: &Record, named: Option<&GameSpec>) -> anyhow::Result<GridNotation> {
        let spec = match named {
            Some(spec) => spec.clone(),
            None => {
                let name = self.name();
                let (spec, warning) =
                    record.spec(&CATALOG).map_err(|fault| refusal(&name, &fault))?;
                if let Some(warning) = warning {
                    warn(&format!("{name}: {warning}; --variant chooses another"));
                }
                spec
            }
        };
        spec.grid.context("a game without a board of points has no record")
    }
}

/// Returns what PSQ and lists of moves leave out of these games; `None` if they lose nothing.
fn lost(collection: &Collection) -> Option<String> {
    let records = collection.records();
    let any = |is: &dyn Fn(&RecordNode) -> bool| {
        records.iter().any(|record| record.ids().any(|id| is(record.node(id))))
    };
    let has = |name: &str| any(&|node| node.value(name).is_some());
    let mut lost = Vec::new();
    if any(&|node| node.children().len() > 1) {
        lost.push("variations");
    }
    if has("C") || has("GC") {
        lost.push("comments");
    }
    if has("RU") && collection.format() != Format::Lib {
        lost.push("rules");
    }
    (!lost.is_empty()).then(|| lost.join(", "))
}
