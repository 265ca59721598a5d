//! Libraries of RenLib: trees of moves with comments, on boards of 15x15.
//!
//! The nodes follow a header of 20 bytes. A node is a byte for its point and a byte of flags, then
//! its comment and its text on the board. The children of a node follow the node, then its
//! siblings.
// CITE: https://github.com/gomoku/RenLib, MoveNode.cpp, LibraryFile.cpp, RenLibDoc.cpp (AddLibrary)
// CITE: https://github.com/dhbloo/rapfi, Rapfi/database/dbutils.cpp (RenlibReader)

mod write;

use crate::encoding::TextEncoding;
use crate::encoding::choice::unnamed;
use crate::fault::{Fault, FaultKind};
use crate::format::{FormatEntry, Recognize, Write};
use crate::options::ReadOptions;
use crate::place::Place;
use crate::tree::{Collection, Format, PropertyValue, Record, RecordNodeId, has_memory_for};

impl Format {
    /// Libraries of RenLib.
    pub const LIB: Self = Self::new("lib");
}

pub(crate) const ENTRY: FormatEntry = FormatEntry {
    files: "libraries of RenLib",
    summary: "A library of RenLib: one game with variations, comments and texts on the board",
    extensions: &["lib", "dat"],
    write: Some(Write::Bytes(|record, played, encoding| record.to_lib(played.notation, encoding))),
    // A library implies renju.
    holds: |_, property| ["C", "LB", "HO", "RU"].contains(&property),
    holds_variations: true,
    holds_several_games: false,
    hides_encoding: true,
    ..FormatEntry::read_only(Format::LIB, "RenLib", Recognize::Bytes(is_library), read)
};

/// The first bytes of every library since version 2. Two bytes for the version follow.
const MAGIC: &[u8] = b"\xffRenLib\xff";
const HEADER: usize = 20;
/// The newest known version. Later ones may have another format.
const NEWEST: u8 = 3;
/// The first byte of the oldest libraries, which have no header: the centre of the board.
const CENTRE: u8 = 0x78;
/// The number of columns and rows of the board.
const SIDE: u8 = 15;

/// The flags of a node.
#[derive(Clone, Copy)]
struct Flags(u8);

impl Flags {
    /// Two more bytes of flags follow.
    const EXTENSION: u8 = 0x01;
    /// The stone was removed from the point, and only the text of the point was kept.
    const NO_MOVE: u8 = 0x02;
    const COMMENT: u8 = 0x08;
    const MARK: u8 = 0x10;
    /// A comment in the format of the oldest versions.
    const OLD_COMMENT: u8 = 0x20;
    const NO_CHILD: u8 = 0x40;
    const SIBLING: u8 = 0x80;
    /// In the second byte of the extension: there is a text on the board.
    const BOARD_TEXT: u8 = 0x01;

    fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}

/// A node as it is in the file.
struct RawNode {
    at: usize,
    is_first: bool,
    point: u8,
    flags: Flags,
    comment: Vec<u8>,
    /// Whether the comment has the format of the oldest versions.
    is_old: bool,
    board_text: Vec<u8>,
}

impl RawNode {
    /// Returns whether this is the root. Since version 3.4 it is a node without a point.
    fn is_root(&self) -> bool {
        self.is_first && self.point == 0
    }
}

/// Returns whether `bytes` are a library. Libraries without a header are recognized only if the
/// extension of the file is that of libraries.
fn is_library(bytes: &[u8], options: &ReadOptions) -> bool {
    let has_library_name = || ENTRY.extensions.iter().any(|known| options.has_extension(known));
    bytes.starts_with(MAGIC) || (bytes.first() == Some(&CENTRE) && has_library_name())
}

/// Reads a library as one game with variations. A bad move that is kept is the number of its byte.
fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    let nodes = Reader::new(bytes)?.nodes()?;
    let texts = nodes.iter().filter(|node| !node.is_old);
    let texts = texts.flat_map(|node| [&node.comment, &node.board_text]);
    let lines: Vec<u8> = texts.flat_map(|text| text.iter().copied().chain([b'\n'])).collect();
    let encoding = options.encoding.unwrap_or_else(|| TextEncoding::guessed(&lines));
    let record = build_record(&nodes, encoding, options.keeps_bad_moves)?;
    let guessed = (options.encoding.is_none() && !lines.is_ascii()).then(|| unnamed(encoding));
    let count = encoding.damage(&lines).count;
    let place = || {
        let mut texts = nodes.iter().filter(|node| !node.is_old);
        texts.find(|node| encoding.damage(&node.comment).count > 0).map(|node| Place::Byte(node.at))
    };
    let lost = (count > 0)
        .then(|| Fault::new(place(), FaultKind::LostText { count, encoding: encoding.name() }));
    // The encoding of the texts need not be kept when the record is written as SGF.
    let library = Collection::new(Format::LIB, vec![record]).read_as(encoding);
    Ok(library.with_warnings(guessed.into_iter().chain(lost)))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Result<Self, Fault> {
        if !bytes.starts_with(MAGIC) {
            return Ok(Self { bytes, at: 0 });
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
        Ok(Self { bytes, at: HEADER })
    }

    /// Returns the nodes in the order of the file, up to the end of their tree.
    fn nodes(mut self) -> Result<Vec<RawNode>, Fault> {
        let mut nodes = Vec::new();
        // A library without moves may end after its header.
        if self.at == self.bytes.len() {
            return Ok(nodes);
        }
        // The number of siblings still to come.
        let mut open = 0_usize;
        loop {
            let node = self.node(nodes.is_empty())?;
            let flags = node.flags;
            if flags.has(Flags::SIBLING) && !node.is_root() {
                open += 1;
            }
            if nodes.len() == nodes.capacity() && !has_memory_for(nodes.len()) {
                return Err(Fault::new(
                    Place::Byte(self.at),
                    FaultKind::TooLarge { nodes: nodes.len() },
                ));
            }
            nodes.push(node);
            // RenLib saves parts of a library so that nodes before the part never end.
            let is_last = self.at == self.bytes.len() && open == 0;
            if flags.has(Flags::NO_CHILD) || is_last {
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

    fn node(&mut self, is_first: bool) -> Result<RawNode, Fault> {
        let at = self.at;
        let [point, flags] = self.pair(if is_first { "a move" } else { "another move" })?;
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
        Ok(RawNode { at, is_first, point, flags, comment, is_old, board_text })
    }

    /// Reads a text that ends with a zero byte and is padded to an even number of bytes.
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

    /// Reads a comment whose last character has its highest bit set. [`decode_nordic`] decodes it.
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

/// Decodes a comment of the oldest versions. Brackets and the like stand for Swedish letters, as
/// usual in seven-bit text of that time.
fn decode_nordic(text: &[u8]) -> String {
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

/// Builds a record from the nodes.
fn build_record(
    nodes: &[RawNode],
    encoding: TextEncoding,
    keeps_bad_moves: bool,
) -> Result<Record, Fault> {
    let mut record = Record::new();
    let root = record.root();
    let game = record.root_mut();
    game.set("GM", "4");
    game.set("SZ", &SIDE.to_string());
    // RenLib shows the forbidden points of renju.
    game.set("RU", "Renju");
    let mut parent = root;
    // The parents of the siblings still to come.
    let mut open: Vec<RecordNodeId> = Vec::new();
    for raw in nodes {
        let id = match raw.is_root() {
            true => root,
            false => add(&mut record, parent, raw, encoding, keeps_bad_moves)?,
        };
        add_comment_and_mark(&mut record, id, raw, encoding);
        if raw.flags.has(Flags::SIBLING) && !raw.is_root() {
            open.push(parent);
        }
        parent = if raw.flags.has(Flags::NO_CHILD) { open.pop().unwrap_or(root) } else { id };
    }
    Ok(record)
}

/// Adds a node for `raw` after `parent`, and returns the new node.
fn add(
    record: &mut Record,
    parent: RecordNodeId,
    raw: &RawNode,
    encoding: TextEncoding,
    keeps_bad_moves: bool,
) -> Result<RecordNodeId, Fault> {
    let mut point = String::new();
    if raw.point != 0 {
        let (column, row) = ((raw.point & 0x0f).wrapping_sub(1), raw.point >> 4);
        let found = format!("0x{:02x}", raw.point);
        point = match column < SIDE && row < SIDE {
            true => [column, row].map(|number| char::from(b'a' + number)).iter().collect(),
            false if keeps_bad_moves && !raw.is_first => found,
            false => {
                let kind = FaultKind::Expected { expected: "a point of the board of 15x15", found };
                return Err(Fault::new(Place::Byte(raw.at), kind));
            }
        };
    }
    if !raw.board_text.is_empty() && !point.is_empty() {
        let label = normalized(&encoding.decode_lossy(&raw.board_text));
        record.node_mut(parent).add("LB", &format!("{point}:{label}"));
    }
    let only_text =
        raw.flags.has(Flags::NO_MOVE) && raw.flags.has(Flags::NO_CHILD) && raw.comment.is_empty();
    if only_text && !raw.flags.has(Flags::MARK) {
        return Ok(parent);
    }
    record.check_room(Place::Byte(raw.at))?;
    let id = record.add_child(parent);
    if !raw.flags.has(Flags::NO_MOVE) {
        let name = next_move_property(record, parent);
        record.node_mut(id).set_value(name, PropertyValue::new(&point).at(Place::Byte(raw.at)));
    }
    Ok(id)
}

/// Returns the property of the move after a node: of the side that did not make the last move.
fn next_move_property(record: &Record, id: RecordNodeId) -> &'static str {
    let mut line = std::iter::successors(Some(id), |id| record.node(*id).parent());
    let last = line.find_map(|id| {
        let node = record.node(id);
        ["B", "W"].into_iter().find(|name| node.value(name).is_some())
    });
    if last == Some("B") { "W" } else { "B" }
}

/// Adds the comment and the mark of `raw` to a node.
fn add_comment_and_mark(
    record: &mut Record,
    id: RecordNodeId,
    raw: &RawNode,
    encoding: TextEncoding,
) {
    let comment = if raw.is_old {
        decode_nordic(&raw.comment)
    } else {
        encoding.decode_lossy(&raw.comment).into_owned()
    };
    let comment = normalized(&comment);
    if !comment.is_empty() {
        record.node_mut(id).set("C", &comment);
    }
    if raw.flags.has(Flags::MARK) {
        // `HO` marks a node of interest.
        record.node_mut(id).set("HO", "1");
    }
}

/// Converts a text to line breaks of `\n`. A backspace separates its first line from the others.
fn normalized(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace(['\r', '\u{8}'], "\n");
    text.trim_matches('\n').chars().filter(|c| *c == '\n' || !c.is_control()).collect()
}
