//! The puzzles as SGF, one game each, and as JSON, an object on each line.

use serde::Serialize;
use serde_json::{Map, Value};
use tengen_engine::{GridNotation, Point, Position, Side};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::SideName;
use tengen_records::{Collection, Format, Record, RecordNodeId};

use super::games::Game;
use super::puzzle::{Ending, Grade, Puzzle, Try};
use crate::batch::board_of;

/// The program, as SGF names it.
const APPLICATION: &str = concat!("Tengen:", env!("CARGO_PKG_VERSION"));

/// A puzzle and where it is from.
pub(super) struct Found<'f> {
    /// The number of the puzzle, from 1.
    pub(super) number: usize,
    pub(super) game: &'f Game,
    /// The number of moves of the game before the puzzle.
    pub(super) plies: usize,
    pub(super) puzzle: &'f Puzzle,
}

/// A line of JSON.
#[derive(Serialize)]
struct Line<'f> {
    variant: &'f str,
    board: Map<String, Value>,
    fen: String,
    side: SideName,
    best: &'f str,
    line: &'f [String],
    length: usize,
    grade: Grade,
    misleading: usize,
    tries: &'f [Try],
    proven: bool,
    source: Source<'f>,
}

#[derive(Serialize)]
struct Source<'f> {
    file: &'f str,
    game: usize,
    turn_number: usize,
}

impl Found<'_> {
    /// Returns the puzzle as a line of JSON.
    pub(super) fn json(&self) -> Result<String, String> {
        let Self { game, plies, puzzle, .. } = *self;
        let position = self.position()?;
        let line = Line {
            variant: game.spec.variant,
            board: board_of(&game.spec),
            fen: position.fen(false),
            side: position.turn().into(),
            best: puzzle.line.first().map_or("", String::as_str),
            line: &puzzle.line,
            length: puzzle.length(),
            grade: puzzle.grade(),
            misleading: puzzle.tries.len(),
            tries: &puzzle.tries,
            proven: puzzle.is_proven,
            source: Source { file: &game.file, game: game.number, turn_number: plies },
        };
        serde_json::to_string(&line).map(|line| line + "\n").map_err(|why| why.to_string())
    }

    /// Returns the puzzle as a record: stones, the solution, and each misleading move as a variation.
    fn record(&self) -> Result<Record, String> {
        let position = self.position()?;
        let spec = &self.game.spec;
        let notation =
            spec.grid.ok_or_else(|| format!("{} has no board of points", spec.variant))?;
        let mut record = Record::on_board(notation);
        record.declare(spec, &CATALOG);
        position.placement().iter().for_each(|stones| record.set_up(stones, notation.grid()));
        let root = record.root();
        let node = record.node_mut(root);
        node.set("AP", APPLICATION);
        node.set("GN", &format!("puzzle {}: {}", self.number, self.puzzle.grade().name()));
        node.set("C", &self.comment(position.turn()));
        let mut add = |line: &[String]| add_line(&mut record, position.turn(), line, notation);
        let first = add(&self.puzzle.line);
        let tries: Vec<_> =
            self.puzzle.tries.iter().map(|tried| (add(&tried.line), tried)).collect();
        if let Some(id) = first {
            record.node_mut(id).set("TE", "1");
        }
        for (id, tried) in tries {
            let Some(id) = id else { continue };
            let node = record.node_mut(id);
            node.set("BM", "1");
            node.set("C", &refutation(tried, position.turn().other()));
        }
        Ok(record)
    }

    fn comment(&self, side: Side) -> String {
        let Self { game, plies, puzzle, .. } = self;
        let (length, misleading) = (puzzle.length(), puzzle.tries.len());
        let (color, grade) = (color(side), puzzle.grade().name());
        let others = match puzzle.is_proven {
            true => "No other move wins.",
            false => "The search found no win with another move.",
        };
        let (file, number) = (&game.file, game.number);
        format!(
            "{color} to move wins in {length} moves. {others}\nGrade: {grade}. Misleading moves: \
             {misleading}.\nFrom {file}, game {number}, after move {plies}."
        )
    }

    fn position(&self) -> Result<Box<dyn Position>, String> {
        self.game.position(self.plies)
    }
}

/// Returns the puzzles as SGF.
pub(super) fn sgf(found: &[Found<'_>]) -> Result<Vec<u8>, String> {
    let records = found.iter().map(Found::record).collect::<Result<_, String>>()?;
    Ok(Collection::new(Format::SGF, records).to_sgf())
}

/// Adds a line of moves after the root, and returns the node of the first one.
fn add_line(
    record: &mut Record,
    side: Side,
    line: &[String],
    notation: GridNotation,
) -> Option<RecordNodeId> {
    let sides = [side, side.other()].into_iter().cycle();
    let (mut last, mut first) = (record.root(), None);
    for (side, point) in sides.zip(line).map_while(|(side, text)| Some((side, text.parse().ok()?)))
    {
        let point: Point = point;
        last = record.add_move(last, side, point, notation.grid());
        first.get_or_insert(last);
    }
    first
}

/// Returns the comment of a move that does not win.
fn refutation(tried: &Try, opponent: Side) -> String {
    let color = color(opponent);
    match (tried.ending, tried.line.get(1)) {
        (Ending::Loss, Some(answer)) => format!("Does not win: {color} answers {answer} and wins."),
        (Ending::Loss, None) => format!("Does not win: {color} wins."),
        (Ending::Draw, _) => "Does not win: the game is a draw.".to_owned(),
        (Ending::Unproven, Some(answer)) => format!("Does not win: {color} answers {answer}."),
        (Ending::Unproven, None) => "Does not win.".to_owned(),
    }
}

/// Returns the name of a side in SGF.
const fn color(side: Side) -> &'static str {
    match side {
        Side::First => "Black",
        Side::Second => "White",
    }
}
