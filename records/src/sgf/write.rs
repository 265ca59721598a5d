//! Writes games as SGF FF[4] with all variations, in the encoding of their collection.

use crate::encoding::TextEncoding;
use crate::tree::{Collection, Record, RecordNode, RecordNodeId};

/// The length of a line, in bytes, after which the next node begins a new line.
const WIDTH: usize = 72;

impl Collection {
    /// Returns the games as SGF FF\[4\], in the encoding of the collection.
    ///
    /// Every node and property is written as it was read. The root gets `FF[4]`, and `CA` with the
    /// encoding, unless all text is ASCII and there is no `CA`. If the encoding lacks a character
    /// of the text, the file is written in UTF-8.
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
            let games = self.records().iter().enumerate();
            let good = games.filter(|(place, _)| self.fault(*place).is_none());
            good.map(|(_, record)| write(record, encoding)).collect()
        };
        // UTF-16 needs a byte order mark, and without one the file cannot be read.
        let encoding =
            if self.encoding().is_utf_16() { TextEncoding::UTF_8 } else { self.encoding() };
        match encoding.encode(&text(encoding)) {
            Some(bytes) => bytes.into_owned(),
            None => text(TextEncoding::UTF_8).into_bytes(),
        }
    }
}

/// Returns the text of a game, with line breaks.
fn write(record: &Record, encoding: TextEncoding) -> String {
    let root = root_with_encoding(record, encoding);
    let mut out = String::new();
    let mut line = 0;
    // The pieces still to write, the next one last.
    let mut open = vec![Piece::Sign(')'), Piece::Node(record.root()), Piece::Sign('(')];
    while let Some(piece) = open.pop() {
        let id = match piece {
            Piece::Node(id) => id,
            Piece::Sign(sign) => {
                out.push(sign);
                if sign == '\n' {
                    line = out.len();
                }
                continue;
            }
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
                    open.push(Piece::Sign('\n'));
                }
            }
            children => {
                for child in children.iter().rev() {
                    open.extend([Piece::Sign(')'), Piece::Node(*child)]);
                    open.extend(['(', '\n'].map(Piece::Sign));
                }
            }
        }
    }
    out.push('\n');
    out
}

/// A piece of the text to write.
enum Piece {
    /// A parenthesis or a line break.
    Sign(char),
    Node(RecordNodeId),
}

/// Returns a copy of the root with the format version and the encoding.
fn root_with_encoding(record: &Record, encoding: TextEncoding) -> RecordNode {
    let mut root = record.node(record.root()).clone();
    // A file in ASCII needs no encoding, unless another node has the property.
    let needs_no_encoding = record.ids().all(|id| {
        let properties = record.node(id).properties();
        properties.iter().all(|property| {
            property.name != "CA" && property.values.iter().all(|value| value.raw().is_ascii())
        })
    });
    let named = root.value("CA").and_then(|value| TextEncoding::named(value.raw()));
    if named != Some(encoding) && !needs_no_encoding {
        root.set_first("CA", encoding.name());
    }
    root.set_first("FF", "4");
    root
}

fn write_node(out: &mut String, node: &RecordNode) {
    out.push(';');
    for property in node.properties() {
        *out += &property.text();
    }
}
