//! Reads records of games as all commands do: the game of a record, and messages about a file.

use std::collections::HashSet;
use std::path::Path;

use tengen_engine::backend::Catalog;
use tengen_engine::{BoardOption, GameSpec, NotationError};
use tengen_games::CATALOG;
use tengen_records::{Collection, Fault, FaultKind, MainLine, ReadOptions, Record};

use crate::board::BoardArgs;
use crate::exit_status::{Refusal, warn};
use crate::files::read_bytes;

/// Reads the games of a file, at least one. `board` is the game that the user named, for lists of
/// moves.
pub(crate) fn read_games(
    path: &Path,
    options: ReadOptions,
    board: &BoardArgs,
) -> anyhow::Result<Collection> {
    let name = path.display().to_string();
    let notation = board.named_game()?.and_then(|spec| spec.grid);
    let games = tengen_records::read(&read_bytes(path)?, &options.named(&name).on(notation));
    Ok(games.map_err(|fault| refusal(&name, &fault))?)
}

/// Returns the refusal of the file `name` for a fault.
pub(crate) fn refusal(name: &str, fault: &Fault) -> Refusal {
    let help = match fault.kind() {
        FaultKind::UnknownGame(_) => ": name it with --variant",
        FaultKind::NotText(_) => "; --encoding of tengen convert chooses another",
        // A list of moves is read on a board of points unless the user names one of columns.
        FaultKind::Move { text, why, .. }
            if are_columns(text) && why.starts_with("not a point") =>
        {
            "; numbers of columns need the game: --variant cfour"
        }
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
        | FaultKind::LostText { .. } => "; --encoding of tengen convert chooses another",
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
    let mut board = board.clone();
    if board.variant.is_some() && board.takes(BoardOption::Width) {
        let size = record.board_size().map_err(|fault| refusal(name, &fault))?;
        let (columns, rows) = size.unzip();
        board.width = board.width.or(columns);
        board.height = board.height.or(rows);
    }
    Ok((board.game()?.spec()?, None))
}

/// Returns the name of a game of a file for messages. `count` is how many games the file has.
pub(crate) fn game_name(file: &str, number: usize, count: usize) -> String {
    if count > 1 { format!("{file}: game {number}") } else { file.to_owned() }
}

/// Returns the main line of `record` as the game `spec` plays it. Moves after the end of the game
/// are left out, with a warning.
pub(crate) fn playable(
    record: &Record,
    spec: &GameSpec,
) -> Result<(MainLine, Option<Fault>), Fault> {
    let board = |why: &str| Fault::new(None, FaultKind::Board(why.to_owned()));
    let no_grid = || board("this game has no board to put stones on");
    let mut line = record.line(spec.grid.ok_or_else(no_grid)?)?;
    let mut position = CATALOG.position(spec);
    if !line.is_from_start() {
        position.place(&line.start).map_err(|error| board(&error.to_string()))?;
    }
    for (index, played) in line.moves.iter().enumerate() {
        let text = played.point.to_string();
        let number = index + 1;
        let fault = |text, why| Fault::new(played.place, FaultKind::Move { number, text, why });
        if position.outcome().is_some() {
            let left_out = line.moves.len() - index;
            let why = format!("the game is over after move {index}; moves left out: {left_out}");
            let warning = fault(text, why);
            line.moves.truncate(index);
            return Ok((line, Some(warning)));
        }
        position.play_text(&text).map_err(|error| match error {
            NotationError::Move { text, reason } => fault(text, reason),
            other => fault(text.clone(), other.to_string()),
        })?;
    }
    Ok((line, None))
}

/// Writes the game that the user named into the games of a file, so that the written file names it.
/// Points of PGN and of the arena's JSON become the two letters of SGF.
/// With `skips_bad`, a game that does not fit is refused later.
pub(crate) fn declare(
    collection: &mut Collection,
    board: &BoardArgs,
    name: &str,
    skips_bad: bool,
) -> Result<(), Refusal> {
    let is_named = board.named_game()?.is_some();
    let has_points = collection.format().keeps_points();
    let games = 0..collection.records().len();
    for index in games.filter(|index| collection.fault(*index).is_none()).collect::<Vec<_>>() {
        let game = game_of(&collection.records()[index], board, name);
        match game {
            Ok((spec, _)) if is_named => collection.declare(index, &spec, &CATALOG),
            Ok((spec, _)) if has_points => {
                if let (Some(notation), Some(record)) =
                    (spec.grid, collection.records_mut().get_mut(index))
                {
                    record.settle(notation);
                }
            }
            Err(why) if is_named && !skips_bad => return Err(why),
            // Code that needs the game refuses the record later.
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether a move looks like columns in digits, such as `4455`.
fn are_columns(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
