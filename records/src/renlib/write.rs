//! Writes a library of RenLib: the whole tree with comments, texts on the board and marks.
// CITE: https://github.com/gomoku/RenLib, RenLibDoc.cpp (AddLibrary, Save), MoveNode.h

use tengen_engine::text::quotable;
use tengen_engine::{Grid, GridNotation, Side};

use super::{CENTRE, Flags, MAGIC, SIDE};
use crate::encoding::TextEncoding;
use crate::fault::Fault;
use crate::tree::{Record, RecordNode, RecordNodeId};

const RENLIB: &str = "RenLib";

/// How many characters RenLib shows of a title, of the rest of a comment, and of a text on the
/// board.
const MAX_CHARS: [usize; 3] = [80, 1000, 5];

/// Separates the title of a comment from the rest.
const AFTER_TITLE: &str = "\u{8}";

/// A node of a library.
#[derive(Default)]
struct LibraryNode {
    /// The point; 0 at the root and for a pass.
    point: u8,
    is_move: bool,
    has_mark: bool,
    comment: String,
    board_text: String,
    /// Texts on points of the position after the move.
    labels: Vec<(u8, String)>,
    children: Vec<usize>,
}

impl Record {
    /// Returns the game as a library of RenLib, with its variations, comments, labels (`LB`) and
    /// marked nodes (`HO`). RenLib has boards of 15x15 only. It names no encoding, so that the
    /// readers of the file must know `encoding`.
    ///
    /// ```
    /// use tengen_engine::{Grid, GridNotation};
    /// use tengen_records::{ReadOptions, TextEncoding, read};
    ///
    /// let file = b"(;GM[4]SZ[15];B[hh]C[a\nb]LB[gg:A](;W[ih];B[gg])(;W[gg]HO[1]))";
    /// let games = read(file, &ReadOptions::new())?;
    /// let board = GridNotation::new(Grid::new(15, 15).unwrap(), false);
    /// let library = games.records()[0].to_lib(board, TextEncoding::UTF_8)?;
    /// let again = read(&library, &ReadOptions::new())?;
    /// let text = String::from_utf8(again.to_sgf()).unwrap();
    /// assert!(text.ends_with("\n;B[hh]C[a\nb]LB[gg:A]\n(;W[ih];B[gg])\n(;W[gg]HO[1]))\n"), "{text}");
    /// # Ok::<(), tengen_records::Fault>(())
    /// ```
    pub fn to_lib(&self, notation: GridNotation, encoding: TextEncoding) -> Result<Vec<u8>, Fault> {
        let side = u32::from(SIDE);
        if Some(notation.grid()) != Grid::new(side, side) || notation.falls() {
            return Err(Fault::cannot_hold(RENLIB, "a board other than 15x15"));
        }
        if let Some(fault) = self.check_stones(notation)?.into_iter().next() {
            return Err(fault);
        }
        let nodes = library_nodes(self, notation)?;
        let root = &nodes[0];
        let is_plain = !root.has_mark && root.comment.is_empty() && root.labels.is_empty();
        let [first] = root.children[..] else { return write(&nodes, false, encoding) };
        let has_pass = nodes[1..].iter().any(|node| node.point == 0);
        let can_omit_root = is_plain && nodes[first].point == CENTRE && !has_pass;
        write(&nodes, can_omit_root, encoding)
    }

    /// Returns how many texts of the game are longer than RenLib shows.
    pub fn texts_too_long_for_lib(&self) -> usize {
        let [title, rest, label] = MAX_CHARS;
        let is_long = |node: &RecordNode| {
            let comment = node.comment().unwrap_or_default();
            let (first, after) = comment.split_once('\n').unwrap_or((&comment, ""));
            let first_is_title = first.chars().count() <= title;
            let body = if first_is_title { after } else { &comment };
            let labels = node.values("LB").iter().map(|value| value.text());
            let has_long_label = labels
                .filter_map(|text| Some(text.split_once(':')?.1.chars().count()))
                .any(|count| count > label);
            body.chars().count() > rest || has_long_label
        };
        self.ids().filter(|id| is_long(self.node(*id))).count()
    }
}

/// Returns the nodes of a library; the first is the root. Nodes of the record without a move are
/// joined to the node before.
fn library_nodes(record: &Record, notation: GridNotation) -> Result<Vec<LibraryNode>, Fault> {
    let mut nodes = vec![LibraryNode::default()];
    let mut open: Vec<(RecordNodeId, usize, Side)> = vec![(record.root(), 0, Side::First)];
    while let Some((id, parent, turn)) = open.pop() {
        let node = record.node(id);
        if ["AB", "AW", "AE"].iter().any(|name| node.value(name).is_some()) {
            return Err(Fault::cannot_hold(RENLIB, "stones put down without a move (AB, AW, AE)"));
        }
        let (mut at, mut turn) = (parent, turn);
        for (side, value) in node.moves() {
            if side != turn {
                return Err(Fault::cannot_hold(RENLIB, "two moves of one player in a row"));
            }
            turn = turn.other();
            let text = value.text().trim().to_owned();
            let point = if value.is_pass(notation.grid()) { 0 } else { byte_of(notation, &text) };
            nodes.push(LibraryNode { point, is_move: true, ..LibraryNode::default() });
            let new = nodes.len() - 1;
            nodes[at].children.push(new);
            at = new;
        }
        let library_node = &mut nodes[at];
        let comment = node.comment().unwrap_or_default();
        let is_first = library_node.comment.is_empty() || comment.is_empty();
        library_node.comment += if is_first { "" } else { "\n" };
        library_node.comment += &comment;
        library_node.has_mark |= node.value("HO").is_some();
        for value in node.values("LB") {
            let text = value.text();
            let Some((point, label)) = text.split_once(':') else { continue };
            library_node.labels.push((byte_of(notation, point.trim()), label.to_owned()));
        }
        open.extend(node.children().iter().rev().map(|child| (*child, at, turn)));
    }
    for at in 0..nodes.len() {
        for (point, text) in std::mem::take(&mut nodes[at].labels) {
            let mut children = nodes[at].children.iter().copied();
            let owner = children.find(|child| nodes[*child].point == point && point > 0);
            match owner {
                Some(owner) => nodes[owner].board_text = text,
                None => {
                    nodes.push(LibraryNode { point, board_text: text, ..LibraryNode::default() });
                    let new = nodes.len() - 1;
                    nodes[at].children.push(new);
                }
            }
        }
    }
    Ok(nodes)
}

/// Returns the byte of a point, or 0 if the text names none.
fn byte_of(notation: GridNotation, text: &str) -> u8 {
    let value = crate::tree::PropertyValue::new(text);
    let point = value.point(notation.grid()).or_else(|| notation.read_move(text, |_| false).ok());
    point.map_or(0, |point| {
        let (column, row) = notation.grid().from_top(point);
        (16 * row + column + 1) as u8
    })
}

/// Returns the bytes of a library.
fn write(
    nodes: &[LibraryNode],
    omits_root: bool,
    encoding: TextEncoding,
) -> Result<Vec<u8>, Fault> {
    let mut out = MAGIC.to_vec();
    out.extend([3, if omits_root { 0 } else { 4 }]);
    out.resize(super::HEADER, 0xff);
    let mut open = vec![(if omits_root { nodes[0].children[0] } else { 0 }, false)];
    while let Some((at, has_sibling)) = open.pop() {
        let node = &nodes[at];
        let mut flags = 0;
        for (is_set, flag) in [
            (has_sibling, Flags::SIBLING),
            (node.children.is_empty(), Flags::NO_CHILD),
            (node.has_mark, Flags::MARK),
            (!node.comment.is_empty(), Flags::COMMENT),
            (!node.is_move && at > 0, Flags::NO_MOVE),
            (!node.board_text.is_empty(), Flags::EXTENSION),
        ] {
            flags |= if is_set { flag } else { 0 };
        }
        out.extend([node.point, flags]);
        if !node.board_text.is_empty() {
            out.extend([0, Flags::BOARD_TEXT]);
        }
        if !node.comment.is_empty() {
            write_text(&mut out, &with_title(&node.comment), encoding)?;
        }
        if !node.board_text.is_empty() {
            write_text(&mut out, &node.board_text, encoding)?;
        }
        let last = node.children.last();
        open.extend(node.children.iter().rev().map(|child| (*child, Some(child) != last)));
    }
    Ok(out)
}

/// Returns a comment as RenLib stores it: a title of one line, and the rest.
fn with_title(comment: &str) -> String {
    let (title, rest) = comment.split_once('\n').unwrap_or((comment, ""));
    if title.chars().count() > MAX_CHARS[0] {
        return format!("{AFTER_TITLE}{}", comment.replace('\n', "\r\n"));
    }
    if rest.is_empty() {
        return title.to_owned();
    }
    format!("{title}{AFTER_TITLE}{}", rest.replace('\n', "\r\n"))
}

/// Writes a text that ends with a zero byte and is padded to an even number of bytes.
fn write_text(out: &mut Vec<u8>, text: &str, encoding: TextEncoding) -> Result<(), Fault> {
    let text = text.replace('\0', "");
    let bytes = encoding.encode(&text).ok_or_else(|| {
        let what = format!("the text \"{}\" in {encoding}", quotable(&text));
        Fault::cannot_hold(RENLIB, &what)
    })?;
    out.extend_from_slice(&bytes);
    out.resize(out.len() + 2 - bytes.len() % 2, 0);
    Ok(())
}
