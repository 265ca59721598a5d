//! Reads records of games as all commands do: the game of a record, and messages about a file.

use std::collections::HashSet;
use std::path::Path;

use tengen_engine::{GameSpec, Position};
use tengen_games::CATALOG;
use tengen_records::{Collection, Fault, FaultKind, PlayedLine, ReadOptions, Record, TextEncoding};

use crate::board::{BoardArgs, ChosenGame};
use crate::exit_status::{Refusal, warn};
use crate::files::read_bytes;

/// The encoding of the files that a command reads.
#[derive(clap::Args, Clone)]
pub(crate) struct EncodingArgs {
    /// The encoding of records, such as GBK; overrides the one that they name.
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
}

impl EncodingArgs {
    /// Returns the encoding that the user named.
    pub(crate) fn chosen(&self) -> Result<Option<TextEncoding>, Refusal> {
        self.encoding.as_ref().map(|label| encoding("--encoding", label)).transpose()
    }

    /// Returns options that read a file in the encoding that the user named.
    pub(crate) fn options(&self) -> Result<ReadOptions, Refusal> {
        let options = ReadOptions::new();
        Ok(match self.chosen()? {
            Some(encoding) => options.encoding(encoding),
            None => options,
        })
    }
}

/// Returns the encoding that an option names.
pub(crate) fn encoding(option: &str, label: &str) -> Result<TextEncoding, Refusal> {
    let unknown = || {
        let known = "UTF-8, GBK, Big5, Shift_JIS, EUC-KR, windows-1251 and the like are known";
        Refusal(format!("{option} {label}: unknown encoding; {known}"))
    };
    TextEncoding::named(label).ok_or_else(unknown)
}

/// Reads the games of a file, at least one. `board` is the game that the user named, for lists of
/// moves.
pub(crate) fn read_games(
    path: &Path,
    options: ReadOptions,
    board: &BoardArgs,
) -> anyhow::Result<Collection> {
    let name = path.display().to_string();
    let notation = board.named_game()?.and_then(|spec| spec.grid);
    parse(&name, &read_bytes(path)?, options.on(notation))
}

/// Reads the games of the file `name`, which has these bytes.
pub(crate) fn parse(name: &str, bytes: &[u8], options: ReadOptions) -> anyhow::Result<Collection> {
    tengen_records::read(bytes, &options.named(name)).map_err(|fault| match fault.is_too_large() {
        true => anyhow::anyhow!("{name}: {fault}"),
        false => refusal(name, &fault).into(),
    })
}

/// Returns the refusal of the file `name` for a fault.
pub(crate) fn refusal(name: &str, fault: &Fault) -> Refusal {
    let help = match fault.kind() {
        FaultKind::UnknownGame(_) => ": name it with --variant",
        FaultKind::NotText(_) => "; --encoding chooses another",
        // A list of moves is read on a board of points unless the user names one of columns.
        FaultKind::OutsideUsualBoard { .. } => {
            "; a larger board is named by --variant gomoku --width N --height N"
        }
        FaultKind::Columns { .. } => "; numbers of columns need the game: --variant cfour",
        _ => "",
    };
    Refusal(format!("{name}: {fault}{help}"))
}

/// Returns the text of a warning about the file `name`.
pub(crate) fn warning(name: &str, fault: &Fault) -> String {
    let help = match fault.kind() {
        FaultKind::RulesTaken { .. } | FaultKind::AmbiguousRules { .. } => {
            "; --variant chooses another"
        }
        FaultKind::GuessedEncoding(_)
        | FaultKind::UnknownEncoding { .. }
        | FaultKind::OtherEncoding { .. }
        | FaultKind::AlsoUtf8 { .. }
        | FaultKind::LostText { .. } => "; --encoding chooses another",
        _ => "",
    };
    format!("{name}: {fault}{help}")
}

/// Prints the warnings about a file, each kind once.
pub(crate) struct Warnings {
    name: String,
    said: HashSet<String>,
}

impl Warnings {
    /// Creates the warnings about the file `name`, and prints those that its reader found.
    pub(crate) fn of(name: &str, collection: &Collection) -> Self {
        let mut warnings = Self { name: name.to_owned(), said: HashSet::new() };
        collection.warnings().iter().for_each(|fault| warnings.say(fault));
        warnings
    }

    /// Prints a warning unless it was printed for another game of the file.
    pub(crate) fn say(&mut self, fault: &Fault) {
        if self.said.insert(fault.kind().to_string()) {
            warn(&warning(&self.name, fault));
        }
    }
}

/// Returns the game of a record: the one that the user named, on a board of the record's size, else
/// the one that the record names, with a warning about it.
pub(crate) fn game_of(
    record: &Record,
    board: &BoardArgs,
    name: &str,
) -> Result<(GameSpec, Option<Fault>), Refusal> {
    if board.named_game()?.is_none() {
        return record.spec(&CATALOG).map_err(|fault| refusal(name, &fault));
    }
    let ChosenGame { variant, mut chosen } = board.game()?;
    record.add_size(&CATALOG, &variant, &mut chosen).map_err(|fault| refusal(name, &fault))?;
    Ok((ChosenGame { variant, chosen }.spec()?, None))
}

/// Returns the name of a game of a file for messages. `count` is how many games the file has.
pub(crate) fn game_name(file: &str, number: usize, count: usize) -> String {
    if count > 1 { format!("{file}: game {number}") } else { file.to_owned() }
}

/// Plays the main line of a record, and prints warnings about it. Returns the line, and the position
/// after it. `name` is that of the record in messages.
pub(crate) fn play(
    record: &Record,
    spec: &GameSpec,
    name: &str,
) -> Result<(PlayedLine, Box<dyn Position>), Refusal> {
    let played = record.played(&CATALOG, spec).map_err(|fault| refusal(name, &fault))?;
    played.0.warnings(false).for_each(|fault| warn(&warning(name, &fault)));
    Ok(played)
}

/// Writes the game that the user named into the games of a file, so that the written file names it.
/// With `skips_bad`, a game that does not fit is refused later.
pub(crate) fn declare(
    collection: &mut Collection,
    board: &BoardArgs,
    name: &str,
    skips_bad: bool,
) -> Result<(), Refusal> {
    let is_named = board.named_game()?.is_some();
    let mut specs = Vec::new();
    for (index, record) in collection.records().iter().enumerate() {
        let game = collection.fault(index).is_none().then(|| game_of(record, board, name));
        match game.transpose() {
            Err(why) if is_named && !skips_bad => return Err(why),
            // Code that needs the game refuses the record later.
            game => specs.push(game.ok().flatten().map(|(spec, _)| spec)),
        }
    }
    collection.settle(&specs, is_named, &CATALOG);
    Ok(())
}
