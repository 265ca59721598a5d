//! Libraries of RenLib: trees of moves with comments, on boards of 15x15.
//!
//! A header of 20 bytes is followed by the nodes, each a byte for its point and a byte of flags. A node's children
//! follow it, then its siblings. Comments and the texts on the board follow their node.
// CITE: https://github.com/gomoku/RenLib, MoveNode.cpp, LibraryFile.cpp, RenLibDoc.cpp (AddLibrary)
// CITE: https://github.com/dhbloo/rapfi, Rapfi/database/dbutils.cpp (RenlibReader)

use std::ops::BitAnd;

use crate::encoding::TextEncoding;
use crate::fault::{Fault, FaultKind};
use crate::place::Place;
use crate::tree::{Collection, Format, PropertyValue, Record, RecordNodeId};

/// What every library since version 2 begins with; two bytes for the version follow.
const MAGIC: &[u8] = b"\xffRenLib\xff";
const HEADER: usize = 20;
/// Later versions would have another form.
const NEWEST: u8 = 3;
/// What the oldest libraries begin with, which have no header: the middle of the board.
const CENTRE: u8 = 0x78;
/// The side of the board.
const SIDE: u8 = 15;

/// The flags of a node.
#[derive(Clone, Copy)]
struct Flags(u8);

impl Flags {
    /// Two more bytes of flags follow.
    const EXTENSION: u8 = 0x01;
    /// The point was emptied, and only its text was kept.
    const NO_MOVE: u8 = 0x02;
    const COMMENT: u8 = 0x08;
    const MARK: u8 = 0x10;
    /// A comment in the form of the oldest versions.
    const OLD_COMMENT: u8 = 0x20;
    const NO_CHILD: u8 = 0x40;
    const SIBLING: u8 = 0x80;
    /// In the second byte of the extension: a text on the board.
    const BOARD_TEXT: u8 = 0x01;

    fn has(self, flag: u8) -> bool {
        self.0.bitand(flag) != 0
    }
}

/// A node as it stands in the file.
struct Raw {
    at: usize,
    is_first: bool,
    point: u8,
    flags: Flags,
    comment: Vec<u8>,
    /// A comment of the oldest form.
    is_old: bool,
    board_text: Vec<u8>,
}

impl Raw {
    /// Returns whether this is the root, which since version 3.4 is a node without a point.
    fn is_root(&self) -> bool {
        self.is_first && self.point == 0
    }
}

/// Returns whether bytes are a library. Those without a header are known by the name of their file alone.
pub(crate) fn is_library(bytes: &[u8], is_named_so: bool) -> bool {
    bytes.starts_with(MAGIC) || (is_named_so && bytes.first() == Some(&CENTRE))
}

/// Reads a library as one game with variations.
pub(crate) fn read(bytes: &[u8], forced: Option<TextEncoding>) -> Result<Collection, Fault> {
    let nodes = Reader::new(bytes)?.nodes()?;
    let texts = nodes.iter().filter(|node| !node.is_old).flat_map(|node| {
        [&node.comment, &node.board_text]
            .into_iter()
            .flat_map(|text| text.iter().copied().chain([b'\n']))
    });
    let texts: Vec<u8> = texts.collect();
    let encoding = forced.unwrap_or_else(|| TextEncoding::guessed(&texts));
    let record = grow(&nodes, encoding)?;
    // What is written from it need not keep an encoding that was guessed.
    Ok(Collection::new(Format::Lib, vec![record]))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether no node was read yet.
    is_first: bool,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        if !bytes.starts_with(MAGIC) {
            return Ok(Self { bytes, at: 0, is_first: true });
        }
        let (Some(&major), Some(&minor)) = (bytes.get(MAGIC.len()), bytes.get(MAGIC.len() + 1))
        else {
            return Err(truncated(bytes, "the version"));
        };
        if major > NEWEST {
            return Err(Fault::new(Place::Byte(MAGIC.len()), FaultKind::Version(major, minor)));
        }
        if bytes.len() < HEADER {
            return Err(truncated(bytes, "the rest of the header"));
        }
        Ok(Self { bytes, at: HEADER, is_first: true })
    }

    /// Returns the nodes in the order of the file, to the end of their tree.
    fn nodes(mut self) -> Result<Vec<Raw>, Fault> {
        let mut nodes = Vec::new();
        // A library of no moves may end after its header.
        if self.at == self.bytes.len() {
            return Ok(nodes);
        }
        // How many siblings are still to come.
        let mut open = 0_usize;
        loop {
            let node = self.node(if nodes.is_empty() { "a move" } else { "another move" })?;
            let flags = node.flags;
            if flags.has(Flags::SIBLING) && !node.is_root() {
                open += 1;
            }
            nodes.push(node);
            if flags.has(Flags::NO_CHILD) {
                match open.checked_sub(1) {
                    Some(fewer) => open = fewer,
                    None => return Ok(nodes),
                }
            }
        }
    }

    fn pair(&mut self, expected: &'static str) -> Result<[u8; 2], Fault> {
        let Some(&[first, second]) = self.bytes.get(self.at..self.at + 2) else {
            return Err(truncated(self.bytes, expected));
        };
        self.at += 2;
        Ok([first, second])
    }

    fn node(&mut self, expected: &'static str) -> Result<Raw, Fault> {
        let (at, is_first) = (self.at, self.is_first);
        self.is_first = false;
        let [point, flags] = self.pair(expected)?;
        let flags = Flags(flags);
        let mut has_text = false;
        if flags.has(Flags::EXTENSION) {
            let [_, more] = self.pair("more flags of a move")?;
            has_text = Flags(more).has(Flags::BOARD_TEXT);
        }
        let is_old = flags.has(Flags::OLD_COMMENT);
        let comment = match (is_old, flags.has(Flags::COMMENT)) {
            (true, _) => self.old_comment()?,
            (false, true) => self.text("the end of a comment")?,
            (false, false) => Vec::new(),
        };
        let board_text = if has_text { self.text("the end of a text")? } else { Vec::new() };
        Ok(Raw { at, is_first, point, flags, comment, is_old, board_text })
    }

    /// Reads a text that ends with a zero, filled up to an even number of bytes.
    fn text(&mut self, expected: &'static str) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        loop {
            for byte in self.pair(expected)? {
                if byte == 0 {
                    return Ok(text);
                }
                text.push(byte);
            }
        }
    }

    /// Reads a comment whose last character has its highest bit set. Brackets and the like are letters of
    /// Swedish and Danish, as was usual on old machines.
    fn old_comment(&mut self) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        loop {
            for byte in self.pair("the end of a comment")? {
                text.push(byte & 0x7f);
                if byte & 0x80 != 0 {
                    return Ok(text);
                }
            }
        }
    }
}

fn truncated(bytes: &[u8], expected: &'static str) -> Fault {
    Fault::new(Place::Byte(bytes.len()), FaultKind::Truncated(expected))
}

/// Decodes a comment of the oldest form.
fn nordic(text: &[u8]) -> String {
    let letter = |byte: &u8| match byte {
        b'}' => '\u{e5}',
        b'{' => '\u{e4}',
        b'|' => '\u{f6}',
        b']' => '\u{c5}',
        b'[' => '\u{c4}',
        b'\\' => '\u{d6}',
        byte => char::from(*byte),
    };
    text.iter().map(letter).collect()
}

/// Makes a tree of the nodes.
fn grow(nodes: &[Raw], encoding: TextEncoding) -> Result<Record, Fault> {
    let mut record = Record::new();
    let root = record.root();
    let game = record.node_mut(root);
    game.set("GM", "4");
    game.set("SZ", &SIDE.to_string());
    // RenLib's boards have renju's forbidden points.
    game.set("RU", "Renju");
    let mut parent = root;
    // The parents of siblings that are still to come.
    let mut open: Vec<RecordNodeId> = Vec::new();
    for raw in nodes {
        let id = if raw.is_root() { root } else { add(&mut record, parent, raw, encoding)? };
        describe(&mut record, id, raw, encoding);
        if raw.flags.has(Flags::SIBLING) && !raw.is_root() {
            open.push(parent);
        }
        parent = if raw.flags.has(Flags::NO_CHILD) { open.pop().unwrap_or(root) } else { id };
    }
    Ok(record)
}

/// Adds the move of a node after `parent`.
fn add(
    record: &mut Record,
    parent: RecordNodeId,
    raw: &Raw,
    encoding: TextEncoding,
) -> Result<RecordNodeId, Fault> {
    let mut point = String::new();
    if raw.point != 0 {
        let (column, row) = ((raw.point & 0x0f).wrapping_sub(1), raw.point >> 4);
        if column >= SIDE || row >= SIDE {
            let expected = "a point of the board of 15x15";
            let found = format!("0x{:02x}", raw.point);
            return Err(Fault::new(Place::Byte(raw.at), FaultKind::Expected { expected, found }));
        }
        point = [column, row].map(|number| char::from(b'a' + number)).iter().collect();
    }
    if !raw.board_text.is_empty() && !point.is_empty() {
        let label = tidy(&encoding.decode_lossy(&raw.board_text));
        record.node_mut(parent).add("LB", &format!("{point}:{label}"));
    }
    let id = record.add_child(parent);
    if !raw.flags.has(Flags::NO_MOVE) {
        let name = next_mover(record, parent);
        record.node_mut(id).set_value(name, PropertyValue::new(&point).at(Place::Byte(raw.at)));
    }
    Ok(id)
}

/// Returns who moves after a node: whoever did not make the move nearest to it.
fn next_mover(record: &Record, id: RecordNodeId) -> &'static str {
    let mut line = std::iter::successors(Some(id), |id| record.node(*id).parent());
    let last = line.find_map(|id| {
        let node = record.node(id);
        ["B", "W"].into_iter().find(|name| node.value(name).is_some())
    });
    if last == Some("B") { "W" } else { "B" }
}

/// Adds the comment and the mark to a node.
fn describe(record: &mut Record, id: RecordNodeId, raw: &Raw, encoding: TextEncoding) {
    let comment = if raw.is_old {
        nordic(&raw.comment)
    } else {
        encoding.decode_lossy(&raw.comment).into_owned()
    };
    let comment = tidy(&comment);
    if !comment.is_empty() {
        record.node_mut(id).set("C", &comment);
    }
    if raw.flags.has(Flags::MARK) {
        // Something of interest stands here.
        record.node_mut(id).set("HO", "1");
    }
}

/// Converts a text to the usual line breaks. A backspace stands between its first line and the others.
fn tidy(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{8}'], "\n");
    text.trim_matches('\n').chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}
