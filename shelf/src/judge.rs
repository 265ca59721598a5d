//! [`Judge`]: makes games of records, by the rules.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use tengen_engine::backend::Catalog;
use tengen_engine::{GameSpec, Outcome, Position};
use tengen_records::{
    Collection, Fault, FaultKind, Format, MainLine, PlayedLine, PropertyValue, Record, RecordNode,
    RecordNodeId,
};

use crate::date::{read_date, says_more};
use crate::game::{Game, Judged, Marks, Tree, TreeMove};
use crate::key::Walker;
use crate::ruleset::{Ruleset, win};

/// Returns the game of a record, and a warning if its rules are guessed.
pub type GameChoice<'a> = dyn Fn(&Record) -> Result<(GameSpec, Option<Fault>), Fault> + Sync + 'a;

/// Properties that are stored in columns, and those that say how a file is written.
const KNOWN: [&str; 22] = [
    "FF", "GM", "SZ", "CA", "AP", "ST", "XO", "B", "W", "AB", "AW", "AE", "PL", "RU", "PB", "PW",
    "EV", "DT", "RO", "RE", "ON", "C",
];
/// Properties of PSQ that every file of a tournament has, and their values.
const USUAL: [(&str, &str); 3] = [("XL", "11:11"), ("XE", "-1"), ("XE", "0")];
/// Comments, texts and marks of SGF, which make a tree of a record.
const NOTES: [&str; 17] = [
    "C", "N", "LB", "MA", "TR", "CR", "SQ", "SL", "AR", "LN", "HO", "BM", "TE", "DO", "IT", "GB",
    "GW",
];
/// The most properties `RU`, `GM` and so on that are remembered with their game.
const MAX_CHOICES: usize = 4096;
/// After this number of moves every opening has its name.
const NAMED: usize = 3;

/// Makes games of records. One thread has one judge.
pub(crate) struct Judge<'a> {
    catalog: &'a dyn Catalog,
    choice: &'a GameChoice<'a>,
    /// The rulesets met so far, each with a position to play on.
    rulesets: Vec<(Arc<Ruleset>, Box<dyn Position>)>,
    /// The index of the ruleset of records with these properties, and its warning.
    chosen: HashMap<String, (usize, Option<Fault>)>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(catalog: &'a dyn Catalog, choice: &'a GameChoice<'a>) -> Self {
        Self { catalog, choice, rulesets: Vec::new(), chosen: HashMap::new() }
    }

    /// Returns what a record of a file in `format` holds, and a warning about its rules.
    pub(crate) fn judge(
        &mut self,
        record: &Record,
        format: Format,
    ) -> Result<(Judged, Option<Fault>), Fault> {
        let (index, warning) = self.choose(record)?;
        let (ruleset, position) = &mut self.rulesets[index];
        let played = record.play(position.as_mut())?;
        let is_library = format == Format::LIB && branches(record);
        let tree = holds_tree(record, format).then(|| tree_of(record, ruleset, &played.line));
        if is_library {
            return Ok((Judged { ruleset: Arc::clone(ruleset), game: None, tree }, warning));
        }
        let mut game = game(record, ruleset, position.as_mut(), played, self.catalog);
        if warning.is_some() {
            game.marks.set(Marks::RULES_TAKEN);
        }
        Ok((Judged { ruleset: Arc::clone(ruleset), game: Some(game), tree }, warning))
    }

    /// Returns the index of a record's ruleset, and a warning.
    fn choose(&mut self, record: &Record) -> Result<(usize, Option<Fault>), Fault> {
        let root = record.node(record.root());
        let texts = ["RU", "GM", "SZ", "XO", "AP"].map(|name| {
            root.values(name).iter().map(|value| value.raw()).collect::<Vec<_>>().join("]")
        });
        let key = texts.join("[");
        if let Some(known) = self.chosen.get(&key) {
            return Ok(known.clone());
        }
        let (spec, warning) = (self.choice)(record)?;
        let index = self.ruleset(&spec)?;
        if self.chosen.len() >= MAX_CHOICES {
            self.chosen.clear();
        }
        self.chosen.insert(key, (index, warning.clone()));
        Ok((index, warning))
    }

    fn ruleset(&mut self, spec: &GameSpec) -> Result<usize, Fault> {
        if let Some(index) = self.rulesets.iter().position(|(ruleset, _)| ruleset.spec == *spec) {
            return Ok(index);
        }
        let no_grid = || fault("this game has no board to put stones on");
        let ruleset = Arc::new(Ruleset::new(spec).ok_or_else(no_grid)?);
        self.rulesets.push((ruleset, self.catalog.position(spec)));
        Ok(self.rulesets.len() - 1)
    }
}

/// Returns the game of a record, whose line was `played` on `position`.
fn game(
    record: &Record,
    ruleset: &Arc<Ruleset>,
    position: &mut dyn Position,
    played: PlayedLine,
    catalog: &dyn Catalog,
) -> Game {
    let mut marks = Marks::default();
    for (mark, is_set) in [
        (Marks::ILLEGAL, !played.unreadable.is_empty()),
        (Marks::FORBIDDEN, played.forbidden.is_some()),
        (Marks::GOES_ON, !played.after_end.is_empty()),
        (Marks::WRONG_RESULT, played.has_wrong_result()),
    ] {
        if is_set {
            marks.set(mark);
        }
    }
    let ending = ending(record, position, &played);
    position.undo_to(NAMED);
    let opening = catalog.opening_name(position);
    let ended = played.outcome.map(|_| played.line.moves.len());
    let result = played.result().and_then(score);
    let rest = (!played.unreadable.is_empty()).then(|| played.unreadable.join(" "));
    let (is_from_start, is_wrong) = (played.line.is_from_start(), played.has_wrong_result());
    let moves = played.line.moves.iter().chain(&played.after_end);
    let moves = moves.map(|played| ruleset.cell(played.point)).collect();
    let root = record.node(record.root());
    let text = |name: &str| root.text(name).filter(|text| !text.is_empty());
    let (date, is_vague) = read_date(&text("DT").unwrap_or_default());
    if is_vague {
        marks.set(Marks::VAGUE_DATE);
    }
    Game {
        ruleset: Arc::clone(ruleset),
        players: [text("PB"), text("PW")],
        event: text("EV"),
        rule: text("RU"),
        round: text("RO"),
        date,
        result,
        ending: ending.map(str::to_owned),
        opening: opening.map(|name| name.code.to_owned()).or_else(|| text("ON")),
        marks,
        ended,
        start: (!is_from_start).then_some(played.line.start),
        moves,
        rest,
        headers: headers(root, opening.map(|name| name.code), is_wrong),
    }
}

/// Returns the result of a game for the first player; `None` if it is not decided.
fn score(outcome: Outcome) -> Option<i64> {
    match outcome {
        Outcome::Win(side) => Some(win(side)),
        Outcome::Draw => Some(0),
        Outcome::Value(_) => None,
    }
}

/// Returns how a game ended: by the board, or by the record.
fn ending(record: &Record, position: &dyn Position, played: &PlayedLine) -> Option<&'static str> {
    match played.outcome {
        Some(Outcome::Win(_)) if played.forbidden.is_some() => Some("forbidden"),
        Some(Outcome::Win(_)) if position.winning_line().is_empty() => Some("win"),
        Some(Outcome::Win(_)) => Some("line"),
        Some(Outcome::Draw) => Some("full"),
        Some(Outcome::Value(_)) => None,
        None => {
            let result = record.node(record.root()).text("RE")?;
            let how = result.split_once('+')?.1.trim().chars().next()?;
            match how.to_ascii_uppercase() {
                'R' => Some("resigned"),
                'T' => Some("time"),
                'F' => Some("forfeit"),
                _ => None,
            }
        }
    }
}

/// Returns the other headers of a record, as a JSON object; `None` if there are none. A name of the
/// opening is one of them if it is not `opening`, the code of the catalogue, the result if it is wrong, and the
/// date if its text says more than is stored.
fn headers(root: &RecordNode, opening: Option<&str>, is_wrong: bool) -> Option<String> {
    let mut headers = Map::new();
    for property in root.properties() {
        let name = property.name.as_str();
        let texts: Vec<String> = property.values.iter().map(|value| value.text()).collect();
        let text = texts.join("\n");
        let is_other_name = name == "ON" && opening.is_some_and(|opening| opening != text);
        let is_kept = !KNOWN.contains(&name)
            || is_other_name
            || (is_wrong && name == "RE")
            || (name == "DT" && says_more(&text));
        if is_kept && !USUAL.contains(&(name, text.as_str())) {
            headers.insert(name.to_owned(), Value::String(text));
        }
    }
    (!headers.is_empty()).then(|| Value::Object(headers).to_string())
}

/// Returns whether a comment is the note of an engine about its move, such as `+0.30/12 0.51s n=81234` or `book`.
pub(crate) fn is_engine_note(comment: &str) -> bool {
    let mut words = comment.split_whitespace();
    let (Some(score), Some(time)) = (words.next(), words.next()) else {
        return comment.trim().eq_ignore_ascii_case("book");
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_value =
        |text: &str| text.strip_prefix(['M', '#']).map_or(text.parse::<f64>().is_ok(), is_digits);
    let is_score = score.split_once('/').is_some_and(|(value, depth)| {
        is_value(value.trim_start_matches(['+', '-'])) && is_digits(depth)
    });
    let seconds = time.trim_end_matches(',').strip_suffix('s');
    is_score && seconds.is_some_and(|seconds| seconds.parse::<f64>().is_ok())
}

/// Returns whether a property of a root is kept among the other headers of a game.
pub(crate) fn is_other_header(name: &str) -> bool {
    !KNOWN.contains(&name) && !USUAL.iter().any(|(usual, _)| *usual == name)
}

fn fault(why: &str) -> Fault {
    Fault::new(None, FaultKind::Board(why.to_owned()))
}

/// Returns whether a record has variations.
fn branches(record: &Record) -> bool {
    record.ids().any(|id| record.node(id).children().len() > 1)
}

/// Returns whether a record has variations, comments or marks.
fn holds_tree(record: &Record, format: Format) -> bool {
    // Engines comment on each of their moves.
    let has_notes = |id: RecordNodeId| {
        let properties = record.node(id).properties();
        properties.iter().any(|property| NOTES.contains(&property.name.as_str()))
    };
    branches(record) || (format != Format::JSONL && record.ids().any(has_notes))
}

/// Returns the tree of a record whose main line is `line`.
pub(crate) fn tree_of(record: &Record, ruleset: &Ruleset, line: &MainLine) -> Tree {
    let mut record = record.clone();
    record.settle(ruleset.notation);
    let mut tree = Tree { nodes: record.node_count(), ..Tree::default() };
    let start = (!line.is_from_start()).then_some(&line.start);
    let taken = ruleset.placement(start, &[]).stones.iter().map(Option::is_some).collect();
    let mut open = vec![Branch { id: record.root(), walker: ruleset.keys.start(start), taken }];
    let mut has_engine_notes = false;
    while let Some(mut branch) = open.pop() {
        let node = record.node(branch.id);
        if !branch.enter(&record, ruleset, &mut tree) {
            continue;
        }
        branch.annotate(node, ruleset, &mut tree);
        has_engine_notes |= node.comment().is_some_and(|comment| is_engine_note(&comment));
        let children = node.children().iter().rev();
        open.extend(children.map(|id| Branch { id: *id, ..branch.clone() }));
    }
    let has_labels = || tree.moves.iter().any(|mv| mv.label.is_some());
    if has_engine_notes && tree.notes.is_empty() && !branches(&record) && !has_labels() {
        // Nobody made a tree of this game.
        tree.moves.clear();
    }
    let sgf = Collection::new(Format::SGF, vec![record]).to_sgf();
    tree.sgf = String::from_utf8_lossy(&sgf).into_owned();
    tree
}

/// A node of a tree, and the position before its move.
#[derive(Clone)]
struct Branch<'k> {
    id: RecordNodeId,
    walker: Walker<'k>,
    /// Whether there is a stone on each cell.
    taken: Vec<bool>,
}

impl Branch<'_> {
    /// Plays the moves of the node. Returns whether they can be played.
    fn enter(&mut self, record: &Record, ruleset: &Ruleset, tree: &mut Tree) -> bool {
        let node = record.node(self.id);
        let is_root = node.parent().is_none();
        if !is_root && ["AB", "AW", "AE"].iter().any(|name| node.value(name).is_some()) {
            return false;
        }
        for (side, value) in node.moves() {
            let cell = value.point(ruleset.grid()).map(|point| ruleset.cell(point));
            let free = cell.filter(|cell| !self.taken[usize::from(*cell)]);
            let Some(cell) = free.filter(|_| side == self.walker.turn()) else { return false };
            let (key, mv) = self.walker.key_and_move(cell);
            self.walker.play(cell);
            self.taken[usize::from(cell)] = true;
            tree.moves.push(TreeMove { key, mv, child: self.walker.key(), label: None });
        }
        true
    }

    /// Adds the comment of the node, and the texts on its points. A text is about the move to its
    /// point.
    fn annotate(&self, node: &RecordNode, ruleset: &Ruleset, tree: &mut Tree) {
        let key = self.walker.key();
        let is_of_person =
            |comment: &String| !comment.trim().is_empty() && !is_engine_note(comment);
        let comment = node.comment().filter(is_of_person);
        tree.notes.extend(comment.map(|comment| (key, comment)));
        for value in node.values("LB") {
            let text = value.text();
            let Some((point, label)) = text.split_once(':') else { continue };
            let point = PropertyValue::new(point).point(ruleset.grid());
            let cell = point.map(|point| ruleset.cell(point));
            let Some(cell) = cell.filter(|cell| !self.taken[usize::from(*cell)]) else { continue };
            let (key, mv) = self.walker.key_and_move(cell);
            let mut after = self.walker;
            after.play(cell);
            let label = Some(label.to_owned());
            tree.moves.push(TreeMove { key, mv, child: after.key(), label });
        }
    }
}
