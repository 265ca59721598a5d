//! Adds remarks and variations to games, in the file that they were read from.

use std::collections::BTreeMap;

use tengen_engine::text::is_printable;
use tengen_engine::{Grade, Grid, Point, Side};

use crate::encoding::TextEncoding;
use crate::line::write_letters;
use crate::tree::{Collection, PropertyValue, Record, RecordNode, RecordNodeId};

/// A remark that is added to a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remark {
    /// The node that gets the remark.
    pub node: RecordNodeId,
    /// Properties and their values, such as `BM[1]`. One that the node already has is not added.
    pub marks: Vec<(&'static str, &'static str)>,
    /// Text to append to the comment of the node, unless the comment contains it.
    pub comment: String,
    /// A line beside the node, which [`Record::can_vary`]. Not added if there is one with the same
    /// first move.
    pub variation: Option<Variation>,
}

/// A line of moves to add to a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variation {
    /// The side that begins.
    pub side: Side,
    /// The points of the moves, at least one, on `grid`.
    pub points: Vec<Point>,
    /// The board.
    pub grid: Grid,
    /// The comment of the first move.
    pub comment: String,
}

impl Remark {
    /// Returns the property that marks a move of this grade; `None` for a fine move.
    pub const fn mark_of(grade: Grade) -> Option<(&'static str, &'static str)> {
        match grade {
            Grade::Fine => None,
            Grade::Doubtful => Some(("DO", "")),
            Grade::Mistake => Some(("BM", "1")),
            Grade::Blunder => Some(("BM", "2")),
        }
    }

    /// Returns the marks that `node` does not have.
    fn new_marks(&self, node: &RecordNode) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.marks.iter().copied().filter(|(name, _)| node.value(name).is_none())
    }

    /// Returns whether the comment of `node` lacks this one.
    fn has_news(&self, node: &RecordNode) -> bool {
        node.comment().is_none_or(|comment| !comment.contains(&self.comment))
    }
}

impl Variation {
    /// Returns whether `record` has no variation beside `node` with the same first move.
    fn is_new(&self, record: &Record, node: RecordNodeId) -> bool {
        let first = self.points.first();
        first.is_some_and(|first| !record.has_sibling(node, self.side, *first, self.grid))
    }

    /// Returns the moves with their sides.
    fn moves(&self) -> impl Iterator<Item = (Side, Point)> {
        let sides = [self.side, self.side.other()].into_iter().cycle();
        sides.zip(self.points.iter().copied())
    }

    /// Returns the nodes as SGF writes them.
    fn text(&self) -> String {
        let mut text = String::new();
        for (number, (side, point)) in self.moves().enumerate() {
            let name = if side == Side::First { 'B' } else { 'W' };
            text += &format!(";{name}[{}]", write_letters(self.grid, point));
            if number == 0 && !self.comment.is_empty() {
                text += &format!("C[{}]", PropertyValue::new(&self.comment).raw());
            }
        }
        text
    }
}

impl Collection {
    /// Returns the games as SGF with remarks. `remarks` has a list for each game, in order; games
    /// after the last list get none.
    ///
    /// Everything else in an SGF file stays unchanged, byte for byte, unless the file has characters
    /// that control a terminal. Games from other formats are
    /// written like [`Collection::to_sgf`].
    pub fn to_annotated_sgf(&self, remarks: &[Vec<Remark>]) -> Vec<u8> {
        self.inserted(remarks).unwrap_or_else(|| {
            let mut annotated = self.clone();
            for (record, remarks) in annotated.records_mut().iter_mut().zip(remarks) {
                record.annotate(remarks);
            }
            annotated.to_sgf()
        })
    }

    /// Returns the file with the remarks inserted; `None` if the games were not read from SGF, or
    /// if the encoding lacks a character of a remark.
    fn inserted(&self, remarks: &[Vec<Remark>]) -> Option<Vec<u8>> {
        // Old files end with these two.
        let is_kept = |c: char| is_printable(c) || matches!(c, '\r' | '\0' | '\u{1a}');
        let source = self.source.as_ref().filter(|source| source.text.chars().all(is_kept))?;
        let mut additions = self.declared.clone();
        for (record, remarks) in self.records().iter().zip(remarks) {
            let remarks = joined(remarks);
            for remark in &remarks {
                add_comment(record.node(remark.node), remark, &mut additions);
            }
            // Inner variations come first where several end at one place.
            for Remark { node, variation, .. } in remarks.iter().rev() {
                if let Some(variation) = variation.as_ref().filter(|it| it.is_new(record, *node)) {
                    let begin = record.node(*node).source.begin;
                    add_variation(&source.text, begin, variation, &mut additions);
                }
            }
        }
        let is_ascii = additions.iter().all(|(_, text)| text.is_ascii());
        if !is_ascii && source.encoding == TextEncoding::UTF_8 {
            additions.extend(self.encoding_property());
        }
        additions.sort_by_key(|(at, _)| *at);
        source.with(&additions)
    }

    /// Returns the property that names UTF-8, for a file without it. Without the property a reader
    /// would guess.
    fn encoding_property(&self) -> Option<(usize, String)> {
        let (_, first) =
            (0..).zip(self.records()).find(|(place, _)| self.fault(*place).is_none())?;
        let root = first.node(first.root());
        let is_named = root.value("CA").is_some();
        (!is_named).then(|| (root.source.end, format!("CA[{}]", TextEncoding::UTF_8.name())))
    }
}

/// Returns the remarks with those on one node joined.
fn joined(remarks: &[Remark]) -> Vec<Remark> {
    let mut joined: BTreeMap<RecordNodeId, Remark> = BTreeMap::new();
    for remark in remarks {
        joined
            .entry(remark.node)
            .and_modify(|known| {
                known.marks.extend(&remark.marks);
                known.comment = format!("{}\n{}", known.comment, remark.comment);
            })
            .or_insert_with(|| remark.clone());
    }
    joined.into_values().collect()
}

/// Adds the marks and the comment of a remark to the text of a node.
fn add_comment(node: &RecordNode, remark: &Remark, additions: &mut Vec<(usize, String)>) {
    let end = node.source.end;
    let marks = remark.new_marks(node).map(|(name, value)| format!("{name}[{value}]"));
    additions.push((end, marks.collect()));
    if !remark.has_news(node) {
        return;
    }
    let comment = PropertyValue::new(&remark.comment);
    additions.push(match node.source.comment_end {
        Some(at) => (at, format!("\n{}", comment.raw())),
        None => (end, format!("C[{}]", comment.raw())),
    });
}

/// Adds a variation beside the node that begins at `begin` of `text`.
fn add_variation(
    text: &str,
    begin: usize,
    variation: &Variation,
    additions: &mut Vec<(usize, String)>,
) {
    let (end, moves) = (tree_end(text, begin), variation.text());
    if text[..begin].trim_end().ends_with('(') {
        additions.push((end + 1, format!("({moves})")));
        return;
    }
    additions.extend([(begin, "(".to_owned()), (end, format!(")({moves}"))]);
    additions.push((end, ")".to_owned()));
}

/// Returns the index of the parenthesis that ends the variation in which the node at `begin` is.
fn tree_end(text: &str, begin: usize) -> usize {
    let mut bytes = text.bytes().enumerate().skip(begin);
    let (mut depth, mut is_in_value) = (0_usize, false);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' if is_in_value => drop(bytes.next()),
            b']' => is_in_value = false,
            _ if is_in_value => {}
            b'[' => is_in_value = true,
            b'(' => depth += 1,
            b')' if depth == 0 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    text.len()
}

impl Record {
    /// Adds remarks to their nodes.
    pub fn annotate(&mut self, remarks: &[Remark]) {
        for remark in joined(remarks) {
            let node = self.node_mut(remark.node);
            for (name, value) in remark.new_marks(node).collect::<Vec<_>>() {
                node.set(name, value);
            }
            if remark.has_news(node) {
                node.remark(&remark.comment);
            }
            if let Some(variation) = remark.variation.filter(|it| it.is_new(self, remark.node)) {
                self.add_variation(remark.node, &variation);
            }
        }
    }

    /// Adds a variation beside `node`.
    fn add_variation(&mut self, node: RecordNodeId, variation: &Variation) {
        let Some(mut last) = self.node(node).parent() else { return };
        for (number, (side, point)) in variation.moves().enumerate() {
            last = self.add_move(last, side, point, variation.grid);
            if number == 0 && !variation.comment.is_empty() {
                self.node_mut(last).set("C", &variation.comment);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::ReadOptions;
    use crate::sgf;

    const GAMES: &str =
        "(;FF[4]GM[4]\nSZ[15]C[a \\] b];B[hh](;W[ii]C[good];B[jj])(;W[aa])) \n(;B[bb])";

    fn read(text: &str) -> Collection {
        sgf::read(text.as_bytes(), &ReadOptions::new()).unwrap()
    }

    fn remark(record: &Record, place: usize, comment: &str) -> Remark {
        let node = record.main_line().nth(place).unwrap();
        let marks = vec![("BM", "1")];
        Remark { node, marks, comment: comment.to_owned(), variation: None }
    }

    #[test]
    fn remarks_are_inserted_and_nothing_else_changes() {
        let collection = read(GAMES);
        assert_eq!(collection.to_annotated_sgf(&[]), GAMES.as_bytes());
        let [first, second] = collection.records() else { panic!("two games") };
        let remarks =
            [vec![remark(first, 1, "x]\\"), remark(first, 2, "y")], vec![remark(second, 0, "z")]];
        let text = String::from_utf8(collection.to_annotated_sgf(&remarks)).unwrap();
        let expected = GAMES
            .replace("B[hh]", "B[hh]BM[1]C[x\\]\\\\]")
            .replace("C[good]", "C[good\ny]BM[1]")
            .replace("B[bb]", "B[bb]BM[1]C[z]");
        assert_eq!(text, expected);
        let again = read(&text);
        let record = &again.records()[0];
        let node = record.main_line().nth(1).unwrap();
        assert_eq!(record.node(node).text("C").as_deref(), Some("x]\\"));
        // A mark is not added twice.
        let twice = again.to_annotated_sgf(&[vec![remark(record, 1, "z")]]);
        assert!(!String::from_utf8(twice).unwrap().contains("BM[1]BM"));
    }

    #[test]
    fn a_remark_outside_the_encoding_makes_the_file_utf_8() {
        let collection =
            sgf::read(b"(;CA[ISO-8859-1]PB[\xfc];B[hh])", &ReadOptions::new()).unwrap();
        let remarks = [vec![remark(&collection.records()[0], 1, "\u{738b}")]];
        let text = String::from_utf8(collection.to_annotated_sgf(&remarks)).unwrap();
        assert!(text.contains("CA[UTF-8]PB[\u{fc}]") && text.contains("C[\u{738b}]"), "{text}");
    }

    /// Returns a remark on each of these moves, with a variation of two moves beside it.
    fn varied(record: &Record, places: &[usize]) -> Vec<Remark> {
        let grid = Grid::new(15, 15).unwrap();
        let remark = |&place: &usize| {
            let node = record.main_line().nth(place).unwrap();
            let side = record.node(node).mover().map_or(Side::First, |(side, _)| side);
            let points =
                vec![Point { column: place as u32, row: 14 }, Point { column: 9, row: 13 }];
            let variation = Variation { side, points, grid, comment: "line]".to_owned() };
            let comment = format!("on {place}");
            Remark { node, marks: Vec::new(), comment, variation: Some(variation) }
        };
        places.iter().map(remark).collect()
    }

    #[test]
    fn variations_stand_beside_the_moves_and_the_main_line_stays() {
        for (file, places, expected) in [
            (
                "(;GM[4];B[hh];W[ii]C[a];B[jj])x",
                &[1, 2, 3][..],
                "(;GM[4](;B[hh]C[on 1](;W[ii]C[a\non 2](;B[jj]C[on 3])(;B[da]C[line\\]];W[jb]))(;W[ca]C[line\\]];B[jb]))(;B[ba]C[line\\]];W[jb]))x",
            ),
            (
                "( ;GM[4];B[hh]\n( ;W[ii]C[(\\]] ) (;W[aa]))",
                &[2],
                "( ;GM[4];B[hh]\n( ;W[ii]C[(\\]\non 2] )(;W[ca]C[line\\]];B[jb]) (;W[aa]))",
            ),
            // Such a variation is there.
            ("(;GM[4](;B[hh])(;B[ba]))", &[1], "(;GM[4](;B[hh]C[on 1])(;B[ba]))"),
        ] {
            let games = read(file);
            let record = &games.records()[0];
            let remarks = varied(record, places);
            assert!(
                places.iter().all(|place| record.can_vary(record.main_line().nth(*place).unwrap()))
            );
            let text =
                String::from_utf8(games.to_annotated_sgf(std::slice::from_ref(&remarks))).unwrap();
            assert_eq!(text, expected, "{file}");
            let again = read(&text);
            let mut annotated = record.clone();
            annotated.annotate(&remarks);
            // The variation is the last one there, and the first one in the text.
            assert_eq!(again.records()[0].node_count(), annotated.node_count(), "{text}");
            // A second review adds nothing.
            let twice = again.to_annotated_sgf(&[varied(&again.records()[0], places)]);
            assert_eq!(String::from_utf8(twice).unwrap(), text);
        }
        let root = read("(;B[hh])");
        assert!(!root.records()[0].can_vary(root.records()[0].root()));
    }

    #[test]
    fn two_remarks_on_one_node_are_one_comment() {
        let games = read("(;B[hh])");
        let record = &games.records()[0];
        let mut remarks = vec![remark(record, 0, "one"), remark(record, 0, "two")];
        remarks[1].marks = vec![("AP", "Tengen")];
        let text = games.to_annotated_sgf(&[remarks]);
        assert_eq!(String::from_utf8(text).unwrap(), "(;B[hh]BM[1]AP[Tengen]C[one\ntwo])");
    }

    #[test]
    fn text_that_is_not_ascii_makes_a_plain_file_name_its_encoding() {
        let games = read("(;GM[4];B[hh])");
        let remarks = [vec![remark(&games.records()[0], 1, "\u{738b}")]];
        let text = String::from_utf8(games.to_annotated_sgf(&remarks)).unwrap();
        assert_eq!(text, "(;GM[4]CA[UTF-8];B[hh]BM[1]C[\u{738b}])");
    }
}
