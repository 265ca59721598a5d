//! The puzzles as SGF, one game each, and as JSON, an object on each line.

use serde::Serialize;
use serde_json::{Map, Value};
use tengen_engine::{GridNotation, Point, Position, Side};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::SideName;
use tengen_protocol::judge::language::{Language, Stones};
use tengen_protocol::judge::verdict::Verdict;
use tengen_records::{Collection, Format, Record, RecordNodeId};

use super::games::Game;
use super::puzzle::{Ending, Goal, Grade, Puzzle, Theme, Try};
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

/// The version of the lines of JSON. In version 1 a move of which nothing was proven counted as wrong.
const VERSION: u32 = 2;

/// A line of JSON.
#[derive(Serialize)]
struct Line<'f> {
    version: u32,
    variant: &'f str,
    board: Map<String, Value>,
    fen: String,
    side: SideName,
    goal: Goal,
    best: &'f str,
    line: &'f [String],
    length: usize,
    grade: Grade,
    level: Option<u8>,
    quiet: usize,
    themes: &'f [Theme],
    misleading: usize,
    tries: Vec<JudgedTry<'f>>,
    proven: bool,
    unproven: &'f [String],
    nodes: u64,
    source: Source<'f>,
}

/// A move besides the solution.
#[derive(Serialize)]
struct JudgedTry<'f> {
    line: &'f [String],
    verdict: Verdict,
    ending: Ending,
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
        let tries = puzzle.tries.iter().map(|Try { line, ending }| {
            let ending = *ending;
            JudgedTry { line, verdict: ending.verdict(), ending }
        });
        let line = Line {
            version: VERSION,
            variant: game.spec.variant,
            board: board_of(&game.spec),
            fen: position.fen(false),
            side: position.turn().into(),
            goal: puzzle.goal(),
            best: puzzle.line.first().map_or("", String::as_str),
            line: &puzzle.line,
            length: puzzle.length(),
            grade: puzzle.grade(),
            level: puzzle.traits.level,
            quiet: puzzle.traits.quiet,
            themes: &puzzle.traits.themes,
            misleading: puzzle.misleading(),
            tries: tries.collect(),
            proven: puzzle.unproven.is_empty(),
            unproven: &puzzle.unproven,
            nodes: puzzle.nodes,
            source: Source { file: &game.file, game: game.number, turn_number: plies },
        };
        serde_json::to_string(&line).map(|line| line + "\n").map_err(|why| why.to_string())
    }

    /// Returns the puzzle as a record: stones, the solution, and each misleading move as a variation. Its comments are in
    /// `language`.
    fn record(&self, language: Language) -> Result<Record, String> {
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
        let side = |side| language.side(side, Stones::of(spec));
        node.set("C", &self.comment(language, &side(position.turn())));
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
            if let Some(mark) = mark(tried.ending) {
                node.set(mark, "1");
            }
            let opponent = side(position.turn().other());
            node.set("C", &remark(language, tried, &opponent, self.puzzle.length()));
        }
        Ok(record)
    }

    fn comment(&self, language: Language, side: &str) -> String {
        let Self { game, plies, puzzle, .. } = self;
        let number = |number: usize| number.to_string();
        let grade = language.text(&format!("puzzles.{}", puzzle.grade().name()), &[]);
        let later: Vec<&str> = puzzle.later_wins().map(|tried| tried.line[0].as_str()).collect();
        let others = match &puzzle.unproven[..] {
            [] if later.is_empty() => "puzzle.no_other",
            [] => "puzzle.no_further",
            _ => "puzzle.open",
        };
        let (open, nodes) = (puzzle.unproven.join(", "), puzzle.nodes.to_string());
        let text = |key, values: &[(&str, &str)]| language.text(key, values);
        let counted = |key, count, values: &[(&str, &str)]| language.counted(key, count, values);
        let parts = [
            text("puzzle.wins", &[("side", side), ("n", &number(puzzle.length()))]),
            match later[..] {
                [] => String::new(),
                _ => counted("puzzle.later", later.len(), &[("moves", &later.join(", "))]),
            },
            counted(others, puzzle.unproven.len(), &[("nodes", &nodes), ("moves", &open)]),
        ];
        let goal: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let misleading = [("grade", grade.as_str()), ("n", &number(puzzle.misleading()))];
        let source =
            [("file", game.file.as_str()), ("game", &number(game.number)), ("n", &number(*plies))];
        let about = [text("puzzle.grade", &misleading), text("puzzle.source", &source)];
        [&[goal.join(language.gap())], &about[..]].concat().join("\n")
    }

    fn position(&self) -> Result<Box<dyn Position>, String> {
        self.game.position(self.plies)
    }
}

/// Returns the puzzles as SGF, with comments in `language`.
pub(super) fn sgf(found: &[Found<'_>], language: Language) -> Result<Vec<u8>, String> {
    let records =
        found.iter().map(|found| found.record(language)).collect::<Result<_, String>>()?;
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

/// Returns the property of a move besides the solution; `None` if it wins.
const fn mark(ending: Ending) -> Option<&'static str> {
    match ending {
        Ending::Win => None,
        Ending::Loss | Ending::Draw => Some("BM"),
        Ending::Unproven => Some("DO"),
    }
}

/// Returns the comment of a move besides the solution, which wins in `length` moves.
fn remark(language: Language, tried: &Try, opponent: &str, length: usize) -> String {
    let answer = tried.line.get(1).map_or("", String::as_str);
    let key = match (tried.ending, answer) {
        (Ending::Win, _) => "puzzle.try.later",
        (Ending::Loss, "") => "puzzle.try.loss",
        (Ending::Loss, _) => "puzzle.try.loss.answer",
        (Ending::Draw, _) => "puzzle.try.draw",
        (Ending::Unproven, "") => "puzzle.try.open",
        (Ending::Unproven, _) => "puzzle.try.open.answer",
    };
    let (moves, best) = (tried.line.len().div_ceil(2).to_string(), length.to_string());
    language.text(key, &[("side", opponent), ("move", answer), ("n", &moves), ("best", &best)])
}
