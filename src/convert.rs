//! `tengen convert`: game records from one format to another.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use tengen_engine::GameSpec;
use tengen_records::{Collection, Format, Property, ReadOptions, RecordNode, TextEncoding};

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
    to: Option<Target>,

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
enum Target {
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
            "sgf" => Some(Target::Sgf),
            "pgn" => Some(Target::Pgn),
            "psq" => Some(Target::Psq),
            "lib" => Some(Target::Lib),
            "txt" | "moves" => Some(Target::Moves),
            _ => None,
        });
        self.to.or(known).ok_or_else(|| {
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
        if target == Target::Sgf {
            return Ok(match chosen {
                Some(chosen) => collection.with_encoding(chosen).to_sgf(),
                None => collection.to_sgf(),
            });
        }
        let count = collection.records().len();
        if matches!(target, Target::Psq | Target::Lib) && count > 1 {
            let format = target.format();
            let why = format!("{name} holds {count} games, and {format} one: --game N chooses it");
            return Err(Refusal(why).into());
        }
        let text_encoding = chosen.unwrap_or(TextEncoding::UTF_8);
        let mut out = Vec::new();
        for (record, spec) in collection.records().iter().zip(&specs) {
            let no_board = "a game without a board of points has no record";
            let notation = spec.as_ref().and_then(|spec| spec.grid).context(no_board)?;
            let written = match (target, spec) {
                (Target::Psq, _) => record.to_psq(notation).map(Text::Chars),
                (Target::Pgn, Some(spec)) => record.to_pgn(spec).map(Text::Chars),
                (Target::Lib, _) => {
                    let encoding = library_encoding(&name, &collection, chosen)?;
                    record.to_lib(notation, encoding).map(Text::Bytes)
                }
                _ => record.to_moves(notation).map(|moves| Text::Chars(moves + "\n")),
            };
            match written.map_err(|fault| refusal(&name, &fault))? {
                Text::Bytes(bytes) => out.extend(bytes),
                Text::Chars(text) => {
                    let bytes = text_encoding.encode(&text).ok_or_else(|| {
                        Refusal(format!("{name}: {text_encoding} lacks a character of the text"))
                    })?;
                    out.extend_from_slice(&bytes);
                }
            }
            if target == Target::Lib && record.texts_too_long_for_lib() > 0 {
                let count = record.texts_too_long_for_lib();
                warn(&format!("{name}: RenLib shows only a part of {count} long texts"));
            }
        }
        if let Some(lost) = lost(&collection, target) {
            warn(&format!("{name}: {} does not hold {lost}", target.format()));
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
                    let (count, format) = (faults.len(), target.format());
                    let why = "a variation that cannot be played";
                    warn(&format!("{name}: {fault}: {why} goes into {format} ({count} in all)"));
                }
            }
            specs.push(spec);
        }
        Ok(specs)
    }
}

/// A game that was written.
enum Text {
    Chars(String),
    Bytes(Vec<u8>),
}

impl Target {
    /// Returns the name of the format.
    const fn format(self) -> &'static str {
        match self {
            Self::Sgf => "SGF",
            Self::Pgn => "PGN",
            Self::Psq => "PSQ",
            Self::Lib => "RenLib",
            Self::Moves => "a list of moves",
        }
    }

    /// Returns the properties that the format holds, besides moves.
    const fn properties(self) -> &'static [&'static str] {
        match self {
            Self::Sgf | Self::Moves => &[],
            Self::Pgn => &[
                "C", "XT", "PB", "PW", "EV", "PC", "DT", "RO", "RE", "RU", "BR", "WR", "AN", "ON",
                "XP", "XN", "TE", "BM", "IT", "DO",
            ],
            Self::Psq => &["XT", "PB", "PW", "XL", "XE", "XR"],
            Self::Lib => &["C", "LB", "HO"],
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

/// Returns the encoding of a library: the one that the user chose, else that of the file that was
/// read. A library does not name its encoding, so text that is not ASCII needs a choice.
fn library_encoding(
    name: &str,
    collection: &Collection,
    chosen: Option<TextEncoding>,
) -> Result<TextEncoding, Refusal> {
    let texts = collection.records().iter().flat_map(|record| {
        record.ids().flat_map(|id| ["C", "LB"].map(|name| record.node(id).values(name)))
    });
    let is_ascii = texts.flatten().all(|value| value.raw().is_ascii());
    let read = collection.source_encoding();
    match chosen {
        Some(chosen) => Ok(chosen),
        None if is_ascii || read != TextEncoding::UTF_8 => Ok(read),
        None => {
            let why = "RenLib does not name the encoding of its texts: choose that of its readers \
                       by --to-encoding, such as GBK, Shift_JIS or windows-1252";
            Err(Refusal(format!("{name}: {why}")))
        }
    }
}

/// Properties that say how a file is written, and not what the game is.
const TECHNICAL: [&str; 16] =
    ["FF", "GM", "SZ", "CA", "AP", "ST", "B", "W", "AB", "AW", "AE", "PL", "MN", "KM", "VW", "XO"];

/// The properties that the line `RESULT,NAME` of Gomocup holds in PSQ.
const GOMOCUP_LINE: [&str; 3] = ["RE", "EV", "RU"];

/// Returns whether a property is in every PSQ file of a tournament, so that its loss needs no
/// warning.
fn is_usual(property: &Property) -> bool {
    let is = |texts: &[&str]| texts.contains(&property.values[0].raw());
    match property.name.as_str() {
        "XL" => is(&["11:11"]),
        "XE" => is(&["-1", "0"]),
        // `RE`, `EV` and `RU` say it, too.
        "XR" => true,
        _ => false,
    }
}

/// Words for properties that a format leaves out.
const WORDS: [(&str, &[&str]); 7] = [
    ("comments", &["C", "GC", "N"]),
    ("rules", &["RU"]),
    ("names of players", &["PB", "PW", "BR", "WR", "BT", "WT"]),
    ("the result", &["RE"]),
    ("times", &["XT", "BL", "WL", "OB", "OW", "TM", "OT"]),
    (
        "marks",
        &["LB", "MA", "TR", "CR", "SQ", "SL", "AR", "LN", "HO", "BM", "TE", "DO", "IT", "XN"],
    ),
    ("other tags", &["XP", "XL", "XE", "EV", "PC", "DT", "RO", "GN", "AN", "ON", "SO", "US", "CP"]),
];

/// Returns what a format leaves out of these games; `None` if they lose nothing.
fn lost(collection: &Collection, target: Target) -> Option<String> {
    let records = collection.records();
    let any = |is: &dyn Fn(&RecordNode) -> bool| {
        records.iter().any(|record| record.ids().any(|id| is(record.node(id))))
    };
    let mut names: Vec<&str> = Vec::new();
    for record in records {
        let root = record.node(record.root());
        let has_line = target == Target::Psq && root.value("XR").is_some();
        for property in record.ids().flat_map(|id| record.node(id).properties()) {
            let name = property.name.as_str();
            // The format RenLib implies renju.
            let is_implied =
                name == "RU" && (collection.format() == Format::Lib || target == Target::Lib);
            let is_held = TECHNICAL.contains(&name)
                || target.properties().contains(&name)
                || is_usual(property)
                || (has_line && GOMOCUP_LINE.contains(&name));
            if !is_held && !is_implied && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let mut lost: Vec<&str> = Vec::new();
    let holds_variations = matches!(target, Target::Pgn | Target::Lib);
    if !holds_variations && any(&|node| node.children().len() > 1) {
        lost.push("variations");
    }
    for (word, of) in WORDS {
        if names.iter().any(|name| of.contains(name)) {
            lost.push(word);
        }
    }
    lost.extend(names.iter().filter(|name| !WORDS.iter().any(|(_, of)| of.contains(name))));
    (!lost.is_empty()).then(|| lost.join(", "))
}
