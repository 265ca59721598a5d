//! [`Database`]: the positions of a shelf as a database of Rapfi and Yixin.

use std::collections::BTreeMap;
use std::io::{self, Write};

use lz4_flex::frame::{BlockMode, FrameEncoder, FrameInfo};
use tengen_engine::{Placement, Side};

use super::{ABOUT, BOUNDS, END, LEAST_MATE, MATE, PointTexts, TEXTS, UTF8, VARIANTS};
use crate::explore::Value;
use crate::ruleset::Ruleset;

/// The greatest value that is no win.
const MAX_VALUE: i16 = 6000;
const MAX_DEPTH: i64 = (i16::MAX >> 2) as i64;
/// The label of a position that has none. With 0 in its place Rapfi takes the record for an empty one,
/// and drops the value and the comment when it saves the file.
pub(super) const NO_LABEL: u8 = u8::MAX;

/// The positions of a shelf as a database of Rapfi and Yixin. See [`Shelf::database`](crate::Shelf::database).
#[derive(Default, Debug)]
pub struct Database {
    records: BTreeMap<Key, Record>,
    /// Texts on points. The key is that of a position from which the move may have been made.
    texts: Vec<(Key, (u8, u8), String)>,
}

/// Rules and size, the length of the points, and the points. Records are written in this order.
type Key = (Vec<u8>, usize, Vec<u8>);

/// What a database says about a position.
#[derive(Debug)]
struct Record {
    label: u8,
    value: i16,
    depth_and_bound: u16,
    texts: PointTexts,
    comment: String,
}

impl Record {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![self.label];
        bytes.extend(self.value.to_le_bytes());
        bytes.extend(self.depth_and_bound.to_le_bytes());
        let digit = |number: u8| {
            char::from_digit(number.into(), 36).unwrap_or_default().to_ascii_uppercase()
        };
        let line =
            |((x, y), text): &((u8, u8), String)| format!("{}{}{text}", digit(*x), digit(*y));
        let mut text = match &self.texts[..] {
            [] => String::new(),
            texts => {
                let lines: Vec<String> = texts.iter().map(line).collect();
                format!("{TEXTS}{}{END}", lines.join("\n"))
            }
        };
        text += &self.comment;
        let room = (usize::from(u16::MAX) - bytes.len()).min(text.len());
        let end = (0..=room).rev().find(|end| text.is_char_boundary(*end));
        bytes.extend(&text.as_bytes()[..end.unwrap_or(0)]);
        bytes
    }
}

impl Database {
    /// Adds a position of a board with what is known about it. Returns whether the format can hold it.
    pub(crate) fn add(
        &mut self,
        ruleset: &Ruleset,
        position: &Placement,
        value: Option<(Value, &str)>,
        depth: i64,
        label: Option<&str>,
        comment: Option<&str>,
    ) -> bool {
        let spec = &ruleset.spec;
        let rules = VARIANTS.iter().position(|name| *name == spec.variant);
        let is_plain = spec.rule_options().next().is_none();
        let (Some(rules), true) = (rules, is_plain) else { return false };
        let Some((_, points)) = least_points(ruleset, position) else { return false };
        let head = vec![rules as u8, ruleset.grid().width() as u8, ruleset.grid().height() as u8];
        let (number, bound) = value.map_or((0, 0), |(value, bound)| file_value(value, bound));
        let letter = label.and_then(letter);
        if let (Some(text), None) = (label, letter) {
            self.add_text(&head, ruleset, position, text);
        }
        let letter = match (letter, value) {
            (Some(letter), _) => letter,
            // The label speaks for the player who has just moved.
            (None, Some((Value::Mate(plies), "exact"))) if plies < 0 => b'w',
            (None, Some((Value::Mate(_), "exact"))) => b'l',
            (None, _) => NO_LABEL,
        };
        let comment = comment.unwrap_or_default().replace("\r\n", "\n");
        let record = Record {
            label: letter,
            value: number,
            depth_and_bound: (depth.clamp(0, MAX_DEPTH) as u16) << 2 | bound,
            texts: Vec::new(),
            comment: comment.replace('\n', &END.to_string()),
        };
        self.records.insert((head, points.len(), points), record);
        true
    }

    /// Remembers a text about a position for the positions before its last move.
    fn add_text(&mut self, head: &[u8], ruleset: &Ruleset, position: &Placement, text: &str) {
        let text: String = text.split([' ', '\t', '\r', '\n', END]).collect();
        let mover = position.turn.other();
        let stones = (0_u16..).zip(&position.stones);
        for (cell, _) in stones.filter(|(_, stone)| **stone == Some(mover)) {
            let mut before = position.clone();
            before.stones[usize::from(cell)] = None;
            before.turn = mover;
            let Some((symmetry, points)) = least_points(ruleset, &before) else { continue };
            let point = point_in(ruleset, symmetry, cell);
            self.texts.push(((head.to_vec(), points.len(), points), point, text.clone()));
        }
    }

    /// Writes the texts on points to those positions before the move that the database has.
    pub(crate) fn place_texts(&mut self) {
        for (key, point, text) in std::mem::take(&mut self.texts) {
            let Some(record) = self.records.get_mut(&key) else { continue };
            if record.texts.iter().all(|(known, _)| *known != point) {
                record.texts.push((point, text));
            }
        }
    }

    /// Returns the number of positions.
    pub fn positions(&self) -> usize {
        self.records.len()
    }

    /// Writes the database as a frame of LZ4.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let frame = FrameInfo::new().block_mode(BlockMode::Linked).content_checksum(true);
        let mut out = FrameEncoder::with_frame_info(frame, out);
        out.write_all(&(self.records.len() as u32 + 1).to_le_bytes())?;
        let mut part = |bytes: &[u8]| {
            out.write_all(&(bytes.len() as u16).to_le_bytes())?;
            out.write_all(bytes)
        };
        part(&ABOUT)?;
        part(&[&[0; 5], UTF8.as_bytes()].concat())?;
        for ((head, _, points), record) in &self.records {
            part(&[&**head, points].concat())?;
            part(&record.bytes())?;
        }
        out.finish().map(drop).map_err(io::Error::from)
    }

    #[cfg(test)]
    pub(super) fn label_of(&self, number: usize) -> u8 {
        self.records.values().nth(number).unwrap().label
    }
}

/// Returns the label that is one letter; `None` for a text.
fn letter(label: &str) -> Option<u8> {
    match label.as_bytes() {
        [letter] if letter.is_ascii_graphic() => Some(*letter),
        _ => None,
    }
}

/// Returns a value of the file, and the number of its bound.
fn file_value(value: Value, bound: &str) -> (i16, u16) {
    let bound = BOUNDS.iter().position(|name| *name == bound).unwrap_or(0) as u16;
    let value = match value {
        Value::Cp(cp) => cp.clamp(-i64::from(MAX_VALUE), i64::from(MAX_VALUE)),
        Value::Mate(plies) => {
            let most = i64::from(MATE - LEAST_MATE);
            (i64::from(MATE) - plies.abs().min(most)) * plies.signum()
        }
    };
    (value as i16, bound)
}

/// Returns the column and the row of a cell in an orientation.
fn point_in(ruleset: &Ruleset, symmetry: usize, cell: u16) -> (u8, u8) {
    let width = ruleset.grid().width() as u16;
    let image = ruleset.keys.image(symmetry, cell);
    ((image % width) as u8, (image / width) as u8)
}

/// Returns the points of a position as the database orders them, in the orientation with the least
/// bytes, and this orientation; `None` if the numbers of stones do not fit to the side to move.
fn least_points(ruleset: &Ruleset, position: &Placement) -> Option<(usize, Vec<u8>)> {
    let of = |symmetry: usize, side: Side| {
        let cells = (0_u16..).zip(&position.stones).filter(|(_, stone)| **stone == Some(side));
        let points = cells.map(|(cell, _)| point_in(ruleset, symmetry, cell));
        let mut points: Vec<[u8; 2]> = points.map(|(column, row)| [column, row]).collect();
        points.sort_unstable();
        points
    };
    let count = |side: Side| position.stones.iter().filter(|stone| **stone == Some(side)).count();
    let ahead = usize::from(position.turn == Side::Second);
    let missing = count(Side::First) as i64 - (count(Side::Second) + ahead) as i64;
    if missing.abs() > 1 {
        return None;
    }
    let pass = |is_added: bool| if is_added { vec![[u8::MAX; 2]] } else { Vec::new() };
    let images = (0..ruleset.keys.symmetries().len()).map(|symmetry| {
        let [first, second] = [Side::First, Side::Second].map(|side| of(symmetry, side));
        (symmetry, [first, pass(missing == -1), second, pass(missing == 1)].concat().concat())
    });
    images.min_by(|one, other| one.1.cmp(&other.1))
}
