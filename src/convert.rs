//! `tengen convert`: game records from one format to another.

mod proof;

use std::path::{Path, PathBuf};

use tengen_games::CATALOG;
use tengen_proofs::is_proof;
use tengen_records::{Collection, Format, Record, WriteError};

use crate::board::BoardArgs;
use crate::exit_status::{Refusal, refuse, warn};
use crate::files::{STANDARD, output, write_output};
use crate::formats::{self, OutputFormat};
use crate::record_files::{EncodingArgs, Warnings, encoding, game_of, read_games, refusal};

const EXAMPLES: &str = include_str!("help/convert.txt").trim_ascii_end();

/// Convert game records from one format into another.
///
/// The content of IN tells its format. The extension of OUT decides its format, as --to lists them. A proof becomes a
/// tree with one move of its side and every reply.
#[derive(clap::Args)]
#[command(after_help = format!("\
{} are read. SGF holds everything. A warning names what another format leaves out.

{EXAMPLES}", Format::list_of_files()))]
pub(crate) struct Args {
    /// The record to read; `-` is standard input.
    #[arg(value_name = "IN")]
    input: PathBuf,

    /// The record to write; `-` is standard output.
    #[arg(value_name = "OUT")]
    output: PathBuf,

    /// The format to write [default: by the extension of OUT].
    #[arg(long, value_name = "FORMAT", value_parser = formats::parser(OutputFormat::of_records))]
    to: Option<Format>,

    /// Convert only this game, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,

    #[command(flatten)]
    encoding: EncodingArgs,

    /// The encoding of OUT [default: that of IN where the format names it, else UTF-8].
    #[arg(long, value_name = "NAME")]
    to_encoding: Option<String>,

    /// Overwrite OUT if it is there.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    board: BoardArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let format = formats::chosen(&OutputFormat::of_records(), args.to, &args.output)?;
    if args.output == args.input && args.output != Path::new(STANDARD) {
        refuse!("{} would be overwritten", args.input.display());
    }
    let output = output(&args.output, args.force)?;
    let collection = args.read()?;
    write_output(&output, &args.output, &args.write(collection, format)?)
}

impl Args {
    fn name(&self) -> String {
        self.input.display().to_string()
    }

    fn read(&self) -> anyhow::Result<Collection> {
        if self.input != Path::new(STANDARD) && is_proof(&self.input).unwrap_or(false) {
            return proof::read(&self.input);
        }
        let mut collection = read_games(&self.input, self.encoding.options()?, &self.board)?;
        if let Some(number) = self.game {
            let (index, count) = (number as usize - 1, collection.records().len());
            if index >= count {
                let name = self.name();
                let games = if count == 1 { "game" } else { "games" };
                refuse!("--game {number}: {name} holds {count} {games}");
            }
            collection = collection.only(index);
        }
        Ok(collection)
    }

    fn write(&self, mut collection: Collection, format: Format) -> anyhow::Result<Vec<u8>> {
        let name = self.name();
        let mut warnings = Warnings::of(&name, &collection);
        let is_named = self.board.named_game()?.is_some();
        let specs = collection.settle_for(
            format,
            is_named,
            &CATALOG,
            |record| game_of(record, &self.board, &name),
            |fault| refusal(&name, fault),
            |fault| warnings.say(fault),
        )?;
        let to_encoding = self.to_encoding.as_ref();
        let chosen = to_encoding.map(|label| encoding("--to-encoding", label)).transpose()?;
        let empty = collection.records().iter().filter(|record| is_empty(record)).count();
        if empty > 0 && format != Format::SGF {
            let all = collection.records().len();
            warn(&match all {
                1 => format!("{name}: the game has no moves"),
                _ => format!("{name}: {empty} of {all} games have no moves"),
            });
        }
        let (lost, title) = (collection.lost_in(format), format.title());
        let is_lib = format == Format::LIB;
        let long = collection.records().first().filter(|_| is_lib);
        let long = long.map_or(0, Record::texts_too_long_for_lib);
        let out = collection.write(format, &specs, chosen).map_err(|why| match why {
            WriteError::NoBoard => anyhow::anyhow!("{why}"),
            WriteError::Record(fault) => refusal(&name, &fault).into(),
            why => Refusal(match why {
                WriteError::SeveralGames { games, .. } => {
                    format!("{name} holds {games} games, and {title} one: --game N chooses it")
                }
                WriteError::NoEncoding(_) => format!(
                    "{name}: {why}: choose that of its readers by --to-encoding, such as GBK, \
                     Shift_JIS or windows-1252"
                ),
                why => format!("{name}: {why}"),
            })
            .into(),
        })?;
        if long > 0 {
            warn(&format!("{name}: RenLib shows only a part of {long} long texts"));
        }
        if let Some(lost) = lost {
            warn(&format!("{name}: {title} does not hold {lost}"));
        }
        Ok(out)
    }
}

/// Returns whether a record has neither moves nor stones.
fn is_empty(record: &Record) -> bool {
    let mut nodes = record.ids().map(|id| record.node(id));
    nodes.all(|node| ["B", "W", "AB", "AW"].iter().all(|name| node.value(name).is_none()))
}
