//! Writes games as PGN with their variations.

use std::collections::HashSet;

use tengen_engine::{GameSpec, GridNotation, Side};

use super::time::spent;
use super::{GLYPH, GLYPHS, SIZE, TAG, TAGS};
use crate::fault::Fault;
use crate::result::pgn_text;
use crate::tree::{PropertyValue, Record, RecordNode, RecordNodeId};

/// The maximum length of a line of movetext, in characters.
const WIDTH: usize = 80;

/// The tags that every game has, with their values if the game names none.
const REQUIRED: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

impl Record {
    /// Returns the game as PGN, with variations, comments and marks of moves. White is the player
    /// who moves first. `spec` is the game of the record; it must have a grid.
    ///
    /// ```
    /// use tengen_games::CATALOG;
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let file = b"(;GM[4]SZ[15]RU[renju]PB[Anna]RE[B+];B[hh];W[ih]C[so](;B[gg])(;B[ii]))";
    /// let games = read(file, &ReadOptions::new())?;
    /// let game = &games.records()[0];
    /// let (spec, _) = game.spec(&CATALOG)?;
    /// let text = game.to_pgn(&spec)?;
    /// assert!(text.ends_with("\n1. h8 i8 {so} 2. g9 (2. i7) 1-0\n\n"), "{text}");
    /// let again = read(text.as_bytes(), &ReadOptions::new())?;
    /// assert_eq!(again.records()[0].to_pgn(&spec)?, text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_pgn(&self, spec: &GameSpec) -> Result<String, Fault> {
        let Some(notation) = spec.grid else {
            return Err(Fault::cannot_hold("PGN", "a game without a board of points"));
        };
        let line = self.line(notation)?;
        let mut out = self.tags(spec, notation);
        if !line.is_from_start() {
            let stone = |point| line.start.stone(notation.grid(), point);
            let fen = notation.write_position(stone, line.start.turn, false);
            out += &format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
        }
        out += &format!("[PlyCount \"{}\"]\n\n", line.moves.len());
        // Passes after the last stone are left out.
        let last = line.moves.last().map_or(self.root(), |played| played.node);
        let after_end = self.main_line().skip_while(|id| *id != last).skip(1).collect();
        let words = Vec::new();
        let mut text = Movetext { notation, words, needs_number: true, after_end };
        text.record(self, line.start.turn)?;
        text.words.push(self.result().to_owned());
        out += &wrapped(&text.words);
        out += "\n\n";
        Ok(out)
    }

    fn result(&self) -> &'static str {
        pgn_text(self.outcome())
    }

    /// Returns the lines of the tags.
    fn tags(&self, spec: &GameSpec, notation: GridNotation) -> String {
        let root = self.node(self.root());
        let value = |tag: &str| {
            let (_, property) = TAGS.into_iter().find(|(known, _)| *known == tag)?;
            root.text(property).filter(|value| !value.is_empty())
        };
        let mut out = String::new();
        let mut write = |tag: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
            out += &format!("[{tag} \"{value}\"]\n");
        };
        for (tag, unknown) in REQUIRED {
            match (tag, value(tag)) {
                ("Result", _) => write(tag, self.result()),
                ("Date", Some(date)) => write(tag, &date.replace('-', ".")),
                (_, Some(value)) => write(tag, &value),
                (_, None) => write(tag, unknown),
            }
        }
        write("Variant", &value("Variant").unwrap_or_else(|| spec.variant.to_owned()));
        let grid = notation.grid();
        write(SIZE, &format!("{}x{}", grid.width(), grid.height()));
        for (tag, _) in &TAGS[7..] {
            value(tag).iter().for_each(|value| write(tag, value));
        }
        for other in root.values(TAG) {
            let text = other.text();
            if let Some((name, value)) = text.split_once(':') {
                write(name, value);
            }
        }
        out
    }
}

/// The words of the movetext. A comment is one word.
struct Movetext {
    notation: GridNotation,
    words: Vec<String>,
    /// Whether a move of the second player needs its number.
    needs_number: bool,
    /// The nodes of the main line after its last stone.
    after_end: HashSet<RecordNodeId>,
}

/// A part of the game that is still to be written.
enum Part {
    /// The moves after this node, which has this number of plies before it. The variations wait for the move
    /// that they replace.
    After(RecordNodeId, usize, Vec<RecordNodeId>),
    /// A variation that begins with this node.
    Variation(RecordNodeId, usize),
    End,
}

impl Movetext {
    fn record(&mut self, record: &Record, first: Side) -> Result<(), Fault> {
        let offset = usize::from(first == Side::Second);
        self.annotations(record.node(record.root()));
        let mut open = vec![Part::After(record.root(), offset, Vec::new())];
        while let Some(part) = open.pop() {
            match part {
                Part::After(id, plies, mut waiting) => {
                    let [next, others @ ..] = record.node(id).children() else {
                        if waiting.is_empty() {
                            continue;
                        }
                        return Err(Fault::cannot_hold("PGN", "a variation beside no move"));
                    };
                    waiting.extend_from_slice(others);
                    let after = self.node(record, *next, plies);
                    let has_move = after > plies;
                    let ready = if has_move { std::mem::take(&mut waiting) } else { Vec::new() };
                    open.push(Part::After(*next, after, waiting));
                    for other in ready.into_iter().rev() {
                        open.extend([Part::End, Part::Variation(other, plies)]);
                    }
                }
                Part::Variation(id, plies) => {
                    self.words.push("(".to_owned());
                    self.needs_number = true;
                    let after = self.node(record, id, plies);
                    open.push(Part::After(id, after, Vec::new()));
                }
                Part::End => {
                    self.needs_number = true;
                    // A variation of marks alone has nothing that PGN holds.
                    if self.words.last().is_some_and(|word| word == "(") {
                        self.words.pop();
                    } else {
                        self.words.push(")".to_owned());
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes the moves and comments of a node. Returns the number of plies after it.
    fn node(&mut self, record: &Record, id: RecordNodeId, mut plies: usize) -> usize {
        let node = record.node(id);
        let is_after_end = self.after_end.contains(&id);
        for (side, value) in node.moves().filter(|_| !is_after_end) {
            // A side that moves twice in a row: the other one passes.
            if usize::from(side == Side::Second) != plies % 2 {
                self.mv(plies, "--");
                plies += 1;
            }
            self.mv(plies, &self.point(value));
            plies += 1;
        }
        self.annotations(node);
        plies
    }

    fn point(&self, value: &PropertyValue) -> String {
        let grid = self.notation.grid();
        if value.is_pass(grid) {
            return "--".to_owned();
        }
        let text = value.text().trim().to_owned();
        value.point(grid).map_or(text, |point| point.to_string())
    }

    fn mv(&mut self, plies: usize, text: &str) {
        let number = plies / 2 + 1;
        if plies.is_multiple_of(2) {
            self.words.push(format!("{number}."));
        } else if self.needs_number {
            self.words.push(format!("{number}..."));
        }
        self.needs_number = false;
        self.words.push(text.to_owned());
    }

    /// Writes the marks, the time and the comment of a node.
    fn annotations(&mut self, node: &RecordNode) {
        for (number, _, name, value) in GLYPHS {
            let text = node.text(name);
            let is_this = |text: &String| match value {
                "2" => text == "2",
                "1" => text != "2",
                _ => true,
            };
            if text.as_ref().is_some_and(is_this) {
                self.words.push(format!("${number}"));
            }
        }
        let others = node.values(GLYPH).iter().map(|value| format!("${}", value.text()));
        self.words.extend(others);
        let comment = node.comment().unwrap_or_default();
        let mut lines: Vec<String> = comment.split('\n').map(str::to_owned).collect();
        let words: Vec<&str> = lines[0].split_whitespace().collect();
        if let Some(time) = node.time().filter(|time| spent(&words) != Some(*time)) {
            let seconds = time.as_secs_f64();
            let (hours, minutes) = (seconds / 3600.0, seconds % 3600.0 / 60.0);
            let clock = format!("{}:{:02}:{:06.3}", hours as u64, minutes as u64, seconds % 60.0);
            lines[0] = format!("[%emt {clock}] {}", lines[0]).trim_end().to_owned();
        }
        if lines.iter().all(String::is_empty) {
            return;
        }
        for line in lines {
            // A brace ends a comment, so that such a line is a comment up to its end.
            let word =
                if line.contains('}') { format!(";{line}\n") } else { format!("{{{line}}}") };
            self.words.push(word);
        }
        self.needs_number = true;
    }
}

/// Joins words with blanks and line breaks.
fn wrapped(words: &[String]) -> String {
    let mut out = String::new();
    let mut column = 0;
    for (index, word) in words.iter().enumerate() {
        let length = word.chars().count();
        let is_glued = word == ")" || index > 0 && words[index - 1] == "(";
        if column > 0 && column + 1 + length > WIDTH && !is_glued {
            out.push('\n');
            column = 0;
        }
        if column > 0 && !is_glued {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column = if word.ends_with('\n') { 0 } else { column + length };
    }
    out
}
