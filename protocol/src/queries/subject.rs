//! [`GameLine`]: reads and checks the game of a query: the rules, the start position and the moves.
//!
//! It does not depend on a search.

use tengen_engine::backend::{Catalog, OpenError};
use tengen_engine::opening::OpeningName;
use tengen_engine::suggest::fitting_variant;
use tengen_engine::{
    BoardOption, Chosen, GameSpec, Move, NotationError, Placement, Point, Position, PositionError,
    Style,
};
use tengen_records::{
    Collection, Fault, FaultKind, Format, OPTIONS, PlayedLine, ReadOptions, Record, RecordNodeId,
    TextEncoding, read,
};

use crate::dialect::json::query::{AnalyzeTurns, BoardOptions, Moves, RecordRules, Subject};
use crate::dialect::json::reply::{BoardInfo, WarningCode};
use crate::dialect::json::{Code, MAX_MOVES, Problem, clipped, problem};
use crate::judge::comments::{APPLICATION, Annotator};
use crate::judge::review::Judged;

/// A game: the start position and the moves.
pub(super) struct GameLine {
    start: Box<dyn Position>,
    /// The moves. All are legal.
    pub(super) moves: Vec<Move>,
    /// The record of the game, if the query has one.
    record: Option<SgfRecord>,
    /// The name of the opening.
    opening: Option<&'static OpeningName>,
    /// Human-readable notes about the record, each with its kind.
    pub(super) warnings: Vec<(WarningCode, String)>,
}

/// A game record as text.
struct SgfRecord {
    games: Collection,
    /// The node of each move.
    nodes: Vec<RecordNodeId>,
}

/// Returns the fields of `board` that a variant reads.
pub(super) fn board_fields(options: &[&str]) -> Vec<String> {
    let read = BoardOption::ALL.into_iter().filter(|option| options.contains(&option.name()));
    read.map(|option| option.field().to_owned()).collect()
}

/// Returns the board of a game; `None` if the game has none.
pub fn board_info(spec: &GameSpec) -> Option<BoardInfo> {
    let notation = spec.grid?;
    Some(BoardInfo {
        width: notation.grid().width(),
        height: notation.grid().height(),
        gravity: notation.falls(),
        connect: BoardOption::Connect.of(&spec.chosen),
        overline: BoardOption::Overline.of(&spec.chosen).map(|value| value != 0),
    })
}

impl GameLine {
    /// Reads the game of a query. `variant` is the default variant.
    pub(super) fn of(
        catalog: &dyn Catalog,
        variant: &str,
        subject: &Subject,
    ) -> Result<Self, Problem> {
        if let Some(sgf) = &subject.sgf {
            if subject.fen.is_some() || subject.moves.is_some() {
                return Err(problem!(BadField, "sgf", "sgf: cannot be combined with fen or moves"));
            }
            return Self::of_sgf(catalog, subject, sgf.as_str());
        }
        let variant = subject.variant.as_deref().unwrap_or(variant);
        let chosen = subject.board.as_ref().map_or_else(Chosen::new, chosen);
        let spec = describe(catalog, variant, &chosen)?;
        let mut start = catalog.position(&spec);
        if let Some(fen) = &subject.fen {
            start.set_up(fen.as_str()).map_err(|error| bad_position(&error))?;
        }
        let texts: Vec<&str> = match &subject.moves {
            None => Vec::new(),
            Some(Moves::List(list)) => list.items().iter().map(String::as_str).collect(),
            Some(Moves::Text(text)) => start.split_moves(text),
        };
        let count = texts.len();
        if count > MAX_MOVES {
            let most = format!("at most {MAX_MOVES} are allowed");
            return Err(problem!(BadField, "moves", "moves: {count} moves; {most}"));
        }
        let mut end = start.duplicate();
        end.play_all(&texts).map_err(|error| {
            let is_usual = subject.fen.is_none();
            let hint =
                if is_usual { fitting_variant(catalog, &spec, &texts, &error) } else { None };
            bad_move(&error, hint)
        })?;
        let moves = end.played().to_vec();
        let opening = catalog.opening_name(&*end);
        Ok(Self { start, moves, record: None, opening, warnings: Vec::new() })
    }

    /// Reads the first game of a record.
    fn of_sgf(catalog: &dyn Catalog, subject: &Subject, sgf: &str) -> Result<Self, Problem> {
        let games = read_sgf(sgf).map_err(|fault| bad_record("sgf", &fault))?;
        let Some(record) = games.records().first() else {
            return Err(problem!(BadRecord, "sgf", "the record holds no game"));
        };
        let rules = RecordRules { variant: subject.variant.clone(), board: subject.board.clone() };
        let (spec, warning) = record_game(catalog, record, &rules, "sgf")?;
        let (played, end) =
            record.played(catalog, &spec).map_err(|fault| bad_record("sgf", &fault))?;
        let start = end.start();
        let warnings = warning.map(|warning| (WarningCode::AssumedRules, warning.to_string()));
        let warnings = warnings.into_iter().chain(played_warnings(&played)).collect();
        let nodes = played.line.moves.iter().map(|played| played.node).collect();
        let moves = end.played().to_vec();
        let (record, opening) = (Some(SgfRecord { games, nodes }), None);
        Ok(Self { start, moves, record, opening, warnings })
    }

    /// Returns the start position and the moves.
    pub(super) fn into_parts(self) -> (Box<dyn Position>, Vec<Move>) {
        (self.start, self.moves)
    }

    /// Returns the description of the game.
    pub(super) fn spec(&self) -> &GameSpec {
        self.start.spec()
    }

    /// Returns the position of each turn of `turns`, in the same order.
    pub(super) fn positions(&self, turns: &[usize]) -> Vec<Box<dyn Position>> {
        let mut position = self.start.duplicate();
        let mut order: Vec<usize> = (0..turns.len()).collect();
        order.sort_by_key(|index| turns[*index]);
        let mut found: Vec<(usize, Box<dyn Position>)> = Vec::with_capacity(turns.len());
        for index in order {
            while let Some(mv) = self.moves.get(position.played().len())
                && position.played().len() < turns[index]
            {
                // All moves are legal.
                if position.play(*mv).is_err() {
                    break;
                }
            }
            found.push((index, position.duplicate()));
        }
        found.sort_by_key(|(index, _)| *index);
        found.into_iter().map(|(_, position)| position).collect()
    }

    /// Returns the position after all moves.
    pub(super) fn last(&self) -> Box<dyn Position> {
        self.positions(&[self.moves.len()]).remove(0)
    }

    /// Returns the record of the game, if the query has one.
    pub(super) fn record(&self) -> Option<&Record> {
        self.record.as_ref()?.games.records().first()
    }

    /// Returns whether the game has a record, or SGF can express it.
    pub(super) fn has_record(&self) -> bool {
        self.record.is_some() || self.to_sgf(false).is_some()
    }

    /// Returns the game record with remarks on the moves of `judged`. A game without a record is
    /// converted to SGF first; `None` if SGF cannot express it.
    pub(super) fn annotated(&self, judged: &[Judged], annotator: &Annotator) -> Option<String> {
        let own;
        let SgfRecord { games, nodes } = match &self.record {
            Some(record) => record,
            None => {
                own = self.to_sgf(false)?;
                &own
            }
        };
        let record = games.records().first()?;
        let remarks = annotator.remarks(record, nodes, judged, self.spec());
        String::from_utf8(games.to_annotated_sgf(&[remarks])).ok()
    }

    /// Returns the game as SGF: its own record if it has one. `None` if the game has no board.
    pub(super) fn sgf(&self) -> Option<String> {
        let own;
        let SgfRecord { games, .. } = match &self.record {
            Some(record) => record,
            None => {
                own = self.to_sgf(true)?;
                &own
            }
        };
        String::from_utf8(games.to_sgf()).ok()
    }

    /// Converts the game to a record; `None` if the game has no board. Unless `sets_up`, also `None` if
    /// it does not begin on the empty board.
    fn to_sgf(&self, sets_up: bool) -> Option<SgfRecord> {
        let (spec, start) = (self.spec(), self.start.placement()?);
        let notation = spec.grid?;
        let is_usual = start == Placement::empty(notation.grid());
        if !is_usual && !sets_up {
            return None;
        }
        let points: Option<Vec<Point>> =
            self.moves.iter().map(|mv| notation.point_of(*mv)).collect();
        let mut record = Record::of_line(notation, Some(&start).filter(|_| !is_usual), points?);
        let nodes = record.main_line().skip(1).collect();
        let root = record.node_mut(record.root());
        root.set_first("GM", "4");
        root.set("RU", spec.variant);
        root.set("AP", APPLICATION);
        for (name, value) in spec.rule_options() {
            root.add(OPTIONS, &format!("{name}:{value}"));
        }
        self.opening.iter().for_each(|opening| root.set("ON", &opening.to_string()));
        Some(SgfRecord { games: Collection::new(Format::SGF, vec![record]), nodes })
    }

    /// Returns the texts of the moves in `style`.
    pub(super) fn written(&self, style: Style) -> Vec<String> {
        self.start.write_line(&self.moves, style)
    }

    /// Returns the turns of a query; the last turn when `wanted` is `None`.
    pub(super) fn turns(&self, wanted: Option<&AnalyzeTurns>) -> Result<Vec<usize>, Problem> {
        let last = self.moves.len();
        let turns: Vec<usize> = match wanted {
            None => vec![last],
            Some(AnalyzeTurns::All) => (0..=last).collect(),
            Some(AnalyzeTurns::These(turns)) => {
                turns.items().iter().map(|turn| turn.to()).collect()
            }
        };
        let Some((index, turn)) = turns.iter().enumerate().find(|(_, turn)| **turn > last) else {
            return Ok(turns);
        };
        let field = format!("analyze_turns[{index}]");
        let why = format!("{field} \"{turn}\" is not a whole number from 0 to {last}");
        Err(Problem::with(Code::BadField, field, why))
    }
}

/// Returns the game of `variant` with the options `chosen`.
pub fn describe(
    catalog: &dyn Catalog,
    variant: &str,
    chosen: &Chosen,
) -> Result<GameSpec, Problem> {
    let known = catalog.variant(variant).ok_or_else(|| {
        problem!(UnknownVariant, "variant", "no variant \"{}\"", clipped(variant))
    })?;
    if let Some(option) = chosen.keys().find(|option| !known.reads(option)) {
        let takers = catalog.variants().iter().filter(|variant| variant.reads(option));
        let takers: Vec<&str> = takers.map(|variant| variant.name).collect();
        let field = field(option);
        let (name, takers) = (known.name, takers.join(", "));
        let why = format!("{name} takes no {field}: that is for {takers}");
        return Err(Problem::with(Code::BadBoard, format!("board.{field}"), why));
    }
    catalog.describe(known.name, chosen).map_err(|error| match error {
        OpenError::UnknownVariant(_) => {
            Problem::with(Code::UnknownVariant, "variant", error.to_string())
        }
        error => bad_board(&error),
    })
}

/// Returns the options of a board.
pub fn chosen(board: &BoardOptions) -> Chosen {
    let values = [
        board.width.map(|width| width.get()),
        board.height.map(|height| height.get()),
        board.connect.map(|connect| connect.get()),
        board.gravity.map(i64::from),
        board.overline.map(i64::from),
    ];
    let given = BoardOption::ALL.into_iter().zip(values);
    given.filter_map(|(option, value)| Some((option.name(), value?))).collect()
}

/// Returns the error about a board, with the names of the query's fields instead of options.
fn bad_board(error: &OpenError) -> Problem {
    let wrong = match error {
        OpenError::Range { option, .. } => format!("board.{}", field(option)),
        _ => "board".to_owned(),
    };
    Problem::with(Code::BadBoard, wrong, error.in_words(field))
}

/// Returns the field of `board` for an option of the catalogue.
fn field(option: &'static str) -> &'static str {
    BoardOption::named(option).map_or(option, BoardOption::field)
}

fn bad_position(error: &NotationError) -> Problem {
    let message = match error {
        NotationError::Position { text, at, reason } => {
            format!("fen \"{text}\": {reason} at character {at}")
        }
        other => other.to_string(),
    };
    Problem::with(Code::BadPosition, "fen", message)
}

/// Reads a record as UTF-8, since that is the encoding of JSON. The record may name another one.
fn read_sgf(text: &str) -> Result<Collection, Fault> {
    read(text.as_bytes(), &ReadOptions::new().format(Format::SGF).encoding(TextEncoding::UTF_8))
}

/// Returns the error about a record in `field`.
pub(super) fn bad_record(field: &str, fault: &Fault) -> Problem {
    let help = match fault.kind() {
        FaultKind::UnknownGame(_) => ": name it with variant",
        FaultKind::NotText(_) => "; encoding chooses another",
        _ => "",
    };
    problem!(BadRecord, field, "{fault}{help}")
}

/// Returns the game of a record in `field`: the one of the query, on a board of the record's size
/// unless the query names it, else the one that the record names, with a warning about it.
pub(super) fn record_game(
    catalog: &dyn Catalog,
    record: &Record,
    rules: &RecordRules,
    field: &str,
) -> Result<(GameSpec, Option<Fault>), Problem> {
    let bad = |fault: Fault| bad_record(field, &fault);
    let (variant, mut options, warning) = match &rules.variant {
        Some(name) => (name.clone(), Chosen::new(), None),
        None => {
            let choice = record.choose(catalog).map_err(bad)?;
            (choice.variant.to_owned(), choice.chosen, choice.warning)
        }
    };
    options.extend(rules.board.as_ref().map(chosen).unwrap_or_default());
    record.add_size(catalog, &variant, &mut options).map_err(bad)?;
    Ok((describe(catalog, &variant, &options)?, warning))
}

/// Returns the warnings about a line.
pub(super) fn played_warnings(played: &PlayedLine) -> impl Iterator<Item = (WarningCode, String)> {
    played.warnings(false).map(|fault| {
        let is_left_out = matches!(fault.kind(), FaultKind::GoesOn { .. });
        let code = if is_left_out { WarningCode::LeftOut } else { WarningCode::Record };
        (code, fault.to_string())
    })
}

/// Returns the error about an illegal move. `hint` is a variant in which the moves are legal.
fn bad_move(error: &PositionError, hint: Option<&str>) -> Problem {
    let hint = hint.map_or_else(String::new, |name| format!("; it fits the variant {name}"));
    match error {
        PositionError::Move(number, why) => {
            let field = format!("moves[{}]", number - 1);
            problem!(BadMove, field, "{}{hint}", describe_move(why))
        }
        other => Problem::with(Code::BadMove, "moves", other.to_string()),
    }
}

/// Returns the quoted move and why it is not legal.
pub(super) fn describe_move(error: &NotationError) -> String {
    match error {
        NotationError::Move { text, reason } => format!("\"{}\": {reason}", clipped(text)),
        other => other.to_string(),
    }
}
