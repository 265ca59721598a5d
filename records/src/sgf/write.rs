//! Writes games as SGF FF[4], every variation of them, in the encoding of their collection.

use crate::encoding::TextEncoding;
use crate::tree::{Collection, Record, RecordNode, RecordNodeId};

/// Lines are broken between nodes once they are as long as this.
const WIDTH: usize = 72;

impl Collection {
    /// Returns the games as SGF FF\[4\], in the encoding of the collection.
    ///
    /// Every node and property is written as it was read. The root is given `FF[4]`, and `CA` with the
    /// encoding unless the text is ASCII and names none. Text that the encoding does not have makes
    /// the file UTF-8.
    ///
    /// ```
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let games = read(b"(;GM[4]SZ[15];B[hh](;W[ih];B[gg])(;W[ii]C[so \\] so]))", &ReadOptions::new())?;
    /// let text = games.to_sgf();
    /// assert_eq!(text, b"(;FF[4]GM[4]SZ[15]\n;B[hh]\n(;W[ih];B[gg])\n(;W[ii]C[so \\] so]))\n");
    /// # Ok::<(), tengen_records::Fault>(())
    /// ```
    pub fn to_sgf(&self) -> Vec<u8> {
        let text = |encoding| -> String {
            self.records().iter().map(|record| write(record, encoding)).collect()
        };
        // A mark tells UTF-16; without it no file can be read.
        let encoding =
            if self.encoding().is_utf_16() { TextEncoding::UTF_8 } else { self.encoding() };
        match encoding.encode(&text(encoding)) {
            Some(bytes) => bytes.into_owned(),
            None => text(TextEncoding::UTF_8).into_bytes(),
        }
    }
}

/// Writes a game, with its line breaks.
fn write(record: &Record, encoding: TextEncoding) -> String {
    let root = named_root(record, encoding);
    let mut out = String::new();
    let mut line = 0;
    // What is still to be written, the next one last.
    let mut open = vec![Piece::Close, Piece::Node(record.root()), Piece::Open];
    while let Some(piece) = open.pop() {
        let id = match piece {
            Piece::Open => {
                line = out.len();
                out.push('(');
                continue;
            }
            Piece::Close => {
                out.push(')');
                continue;
            }
            Piece::Break => {
                out.push('\n');
                line = out.len();
                continue;
            }
            Piece::Node(id) => id,
        };
        let node = if id == record.root() { &root } else { record.node(id) };
        if out.len() - line >= WIDTH {
            out.push('\n');
            line = out.len();
        }
        write_node(&mut out, node);
        match node.children() {
            [] => {}
            [only] => {
                open.push(Piece::Node(*only));
                if id == record.root() {
                    open.push(Piece::Break);
                }
            }
            children => {
                for child in children.iter().rev() {
                    open.extend([Piece::Close, Piece::Node(*child), Piece::Open, Piece::Break]);
                }
            }
        }
    }
    out.push('\n');
    out
}

/// A part of a text in writing.
enum Piece {
    Open,
    Close,
    Break,
    Node(RecordNodeId),
}

/// Returns the root with the version of the format and the encoding.
fn named_root(record: &Record, encoding: TextEncoding) -> RecordNode {
    let mut root = record.node(record.root()).clone();
    // A file whose text is ASCII needs no encoding, unless a property further on would name one.
    let is_silent = record.ids().all(|id| {
        let properties = record.node(id).properties();
        properties.iter().all(|property| {
            property.name != "CA" && property.values.iter().all(|value| value.raw().is_ascii())
        })
    });
    let named = root.value("CA").and_then(|value| TextEncoding::named(value.raw()));
    if named != Some(encoding) && !is_silent {
        root.lead_with("CA", encoding.name());
    }
    root.lead_with("FF", "4");
    root
}

fn write_node(out: &mut String, node: &RecordNode) {
    out.push(';');
    for property in node.properties() {
        *out += &property.name;
        for value in &property.values {
            out.push('[');
            *out += value.raw();
            out.push(']');
        }
    }
}
