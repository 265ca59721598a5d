//! `tengen convert`: game records from one format to another.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tengen_engine::GameSpec;
use tengen_records::{Collection, Format, ReadOptions, Record, Target, TextEncoding, WriteError};

use crate::board::BoardArgs;
use crate::exit_status::{Refusal, warn};
use crate::files::{STANDARD, output, write_output};
use crate::record_files::{Warnings, declare, game_of, read_games, refusal};

const EXAMPLES: &str = "\
SGF, PGN, PSQ (Piskvork, Gomocup), libraries of RenLib, games.jsonl of tengen arena, lists of moves and
drawings of a board are read; the content tells which it is. SGF holds everything. A warning names what
another format leaves out.

Examples:
  tengen convert game.psq renju.sgf --variant renju
      a record of Piskvork, which does not name its rules
  tengen convert library.lib library.sgf
      a library of RenLib with its variations, comments and labels
  tengen convert game.sgf game.lib --to-encoding GBK
      a library of RenLib, whose comments are read in China
  tengen convert game.sgf - --to moves
      the moves in one line, on standard output
  echo h8i9j7 | tengen convert - - --to psq
      a list of moves as PSQ";

/// Convert game records: SGF, PGN, PSQ, RenLib and lists of moves.
///
/// The extension of OUT decides its format: .sgf, .pgn, .psq, .lib, or .txt for moves.
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
    to: Option<To>,

    /// Convert only this game, counted from 1.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,

    /// The encoding of IN, whatever it says itself.
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,

    /// The encoding of OUT [default: that of IN where the format names it, else UTF-8].
    #[arg(long, value_name = "NAME")]
    to_encoding: Option<String>,

    /// Overwrite OUT if it is there.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    board: BoardArgs,
}

/// A format that is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum To {
    /// The Smart Game Format, with everything that was read.
    Sgf,
    /// Portable Game Notation, with variations and comments.
    Pgn,
    /// The record of Piskvork: the main line of one game.
    Psq,
    /// A library of RenLib: one game with variations, comments and texts on the board.
    Lib,
    /// The main line, a game a line.
    Moves,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let target = args.target()?;
    if args.output == args.input && args.output != Path::new(STANDARD) {
        return Err(Refusal(format!("{} would be overwritten", args.input.display())).into());
    }
    let output = output(&args.output, args.force)?;
    let collection = args.read()?;
    write_output(&output, &args.output, &args.write(collection, target)?)
}

impl Args {
    fn name(&self) -> String {
        self.input.display().to_string()
    }

    fn target(&self) -> Result<Target, Refusal> {
        let ending = self.output.extension().and_then(|ending| ending.to_str());
        let known = ending.and_then(|ending| match ending.to_ascii_lowercase().as_str() {
            "sgf" => Some(To::Sgf),
            "pgn" => Some(To::Pgn),
            "psq" => Some(To::Psq),
            "lib" => Some(To::Lib),
            "txt" | "moves" => Some(To::Moves),
            _ => None,
        });
        self.to.or(known).map(To::target).ok_or_else(|| {
            let name = self.output.display();
            Refusal(format!(
                "{name}: unknown extension; choose the format by --to sgf, pgn, psq, lib or moves"
            ))
        })
    }

    fn read(&self) -> anyhow::Result<Collection> {
        let mut options = ReadOptions::new();
        if let Some(label) = &self.encoding {
            options = options.encoding(encoding("--encoding", label)?);
        }
        let mut collection = read_games(&self.input, options, &self.board)?;
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

    fn write(&self, mut collection: Collection, target: Target) -> anyhow::Result<Vec<u8>> {
        let name = self.name();
        let mut warnings = Warnings::of(&name, &collection);
        // The errors quote the points as they are in the file.
        let specs = self.check(&collection, target, &mut warnings)?;
        declare(&mut collection, &self.board, &name, false)?;
        let to_encoding = self.to_encoding.as_ref();
        let chosen = to_encoding.map(|label| encoding("--to-encoding", label)).transpose()?;
        let lost = collection.lost_in(target).filter(|_| target != Target::Sgf);
        let is_lib = target == Target::Lib;
        let long = collection.records().first().filter(|_| is_lib);
        let long = long.map_or(0, Record::texts_too_long_for_lib);
        let out = collection.write(target, &specs, chosen).map_err(|why| match why {
            WriteError::NoBoard => anyhow::anyhow!("{why}"),
            WriteError::Record(fault) => refusal(&name, &fault).into(),
            why => Refusal(match why {
                WriteError::SeveralGames { games, .. } => format!(
                    "{name} holds {games} games, and {} one: --game N chooses it",
                    target.name()
                ),
                WriteError::NoEncoding => format!(
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
            warn(&format!("{name}: {} does not hold {lost}", target.name()));
        }
        Ok(out)
    }

    /// Returns the game of each record, and checks that no stone is put on a taken point. `None`
    /// for an unknown game, which only SGF can hold.
    fn check(
        &self,
        collection: &Collection,
        target: Target,
        warnings: &mut Warnings,
    ) -> anyhow::Result<Vec<Option<GameSpec>>> {
        let name = self.name();
        let mut specs = Vec::new();
        for record in collection.records() {
            let spec = match game_of(record, &self.board, &name) {
                Ok((spec, warning)) => {
                    let matters = target != Target::Sgf || collection.format() != Format::Sgf;
                    warning.iter().filter(|_| matters).for_each(|fault| warnings.say(fault));
                    Some(spec)
                }
                Err(_) if target == Target::Sgf => None,
                Err(why) => return Err(why.into()),
            };
            if let Some(notation) = spec.as_ref().and_then(|spec| spec.grid) {
                let faults = record.check_stones(notation);
                let faults = faults.map_err(|fault| refusal(&name, &fault))?;
                if let Some(fault) = faults.first() {
                    let (count, format) = (faults.len(), target.name());
                    let why = "a variation that cannot be played";
                    warn(&format!("{name}: {fault}: {why} goes into {format} ({count} in all)"));
                }
            }
            specs.push(spec);
        }
        Ok(specs)
    }
}

impl To {
    /// Returns the format as the records know it.
    const fn target(self) -> Target {
        match self {
            Self::Sgf => Target::Sgf,
            Self::Pgn => Target::Pgn,
            Self::Psq => Target::Psq,
            Self::Lib => Target::Lib,
            Self::Moves => Target::Moves,
        }
    }
}

/// Returns the encoding that an option names.
fn encoding(option: &str, label: &str) -> Result<TextEncoding, Refusal> {
    let unknown = || {
        let known = "UTF-8, GBK, Big5, Shift_JIS, EUC-KR, windows-1251 and the like are known";
        Refusal(format!("{option} {label}: unknown encoding; {known}"))
    };
    TextEncoding::named(label).ok_or_else(unknown)
}
