//! Games in the Smart Game Format: the main line of the first game of a file, and remarks put into
//! it. Everything else of the file stays as it was, byte for byte.
//!
//! It knows properties and their places in the text; what a move means is [`super::source`]'s
//! business.
// CITE: Arno Hollosi, "SGF File Format FF[4]", https://www.red-bean.com/sgf/sgf4.html

use std::fmt;

use tengen_engine::notation::quotable;

/// The main line of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Record {
    text: String,
    pub(super) nodes: Vec<Node>,
}

/// A node of the main line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// Names and values, without escapes.
    pub(super) properties: Vec<(String, Vec<String>)>,
    /// Where in the text its properties end.
    end: usize,
    /// Where the text of its comment ends, if it has one.
    comment_end: Option<usize>,
}

/// What is to be added to a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Remark {
    /// Its place among the nodes.
    pub(super) node: usize,
    /// A property with its value, such as `BM[1]`; left out where the node has that property.
    pub(super) mark: Option<(&'static str, &'static str)>,
    /// Added to the node's comment.
    pub(super) comment: String,
}

/// Why a text is no game, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SgfError {
    place: Place,
    expected: &'static str,
    found: Option<char>,
}

/// A place in a text, both from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    line: usize,
    column: usize,
}

impl fmt::Display for SgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place: Place { line, column }, expected, found } = self;
        let found = match found {
            Some(found) => format!("\"{}\"", quotable(&found.to_string())),
            None => "the end of the file".to_owned(),
        };
        write!(f, "line {line}, character {column}: expected {expected}, found {found}")
    }
}

impl std::error::Error for SgfError {}

impl Node {
    /// The values of a property.
    pub(super) fn values(&self, name: &str) -> Option<&[String]> {
        let (_, values) = self.properties.iter().find(|(known, _)| known == name)?;
        Some(values)
    }

    /// The first value of a property.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.values(name)?.first().map(String::as_str)
    }
}

impl Record {
    /// Reads the first game of a file; its variations and the games after it are passed over.
    pub(super) fn read(text: &str) -> Result<Self, SgfError> {
        let nodes = Reader { text, at: 0 }.game()?;
        Ok(Self { text: text.to_owned(), nodes })
    }

    /// The text with `remarks` in it.
    pub(super) fn with(&self, remarks: &[Remark]) -> String {
        let mut places: Vec<(usize, String)> = Vec::new();
        for Remark { node, mark, comment } in remarks {
            let node = &self.nodes[*node];
            let mark = mark.filter(|(name, _)| node.values(name).is_none());
            let mark = mark.map_or(String::new(), |(name, value)| format!("{name}[{value}]"));
            let comment = escaped(comment);
            match node.comment_end {
                Some(at) => places.extend([(at, format!("\n{comment}")), (node.end, mark)]),
                None => places.push((node.end, format!("{mark}C[{comment}]"))),
            }
        }
        places.sort_by_key(|(at, _)| *at);
        let (mut out, mut from) = (String::new(), 0);
        for (at, addition) in places {
            out += &self.text[from..at];
            out += &addition;
            from = at;
        }
        out + &self.text[from..]
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// The nodes of the main line. It ends where the first parenthesis closes; the rest of the game
    /// is read for its form alone.
    fn game(mut self) -> Result<Vec<Node>, SgfError> {
        let mut nodes = Vec::new();
        let (mut depth, mut is_main) = (0_usize, true);
        // Some programs write a line of their own before the game.
        if let Some(begin) = self.text.find('(') {
            self.at = begin;
        }
        self.expect('(', "\"(\", which begins a game")?;
        self.expect(';', "\";\", which begins a node")?;
        self.at -= 1;
        loop {
            match self.peek() {
                Some(';') => {
                    self.at += 1;
                    let node = self.node()?;
                    if is_main {
                        nodes.push(node);
                    }
                }
                Some('(') => {
                    self.at += 1;
                    depth += 1;
                    self.expect(';', "\";\", which begins a node")?;
                    self.at -= 1;
                }
                Some(')') => {
                    self.at += 1;
                    is_main = false;
                    let Some(outer) = depth.checked_sub(1) else { return Ok(nodes) };
                    depth = outer;
                }
                _ => return Err(self.error("a property, \";\", \"(\" or \")\"")),
            }
        }
    }

    fn node(&mut self) -> Result<Node, SgfError> {
        let mut node = Node { properties: Vec::new(), end: self.at, comment_end: None };
        while self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            let name = self.name();
            let mut values = Vec::new();
            self.expect('[', "\"[\", which begins a value")?;
            loop {
                values.push(self.value()?);
                node.end = self.at;
                if name == "C" && node.comment_end.is_none() {
                    node.comment_end = Some(self.at - 1);
                }
                if self.peek() != Some('[') {
                    break;
                }
                self.at += 1;
            }
            node.properties.push((name, values));
        }
        Ok(node)
    }

    /// A property's name; the small letters of old files do not count.
    fn name(&mut self) -> String {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        self.at += length;
        rest[..length].chars().filter(char::is_ascii_uppercase).collect()
    }

    /// A value behind its opening bracket, to the one that closes it.
    fn value(&mut self) -> Result<String, SgfError> {
        let mut value = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((place, c)) = chars.next() {
            match c {
                ']' => {
                    self.at += place + 1;
                    return Ok(value);
                }
                // A line break behind a backslash is none.
                '\\' => value.extend(chars.next().map(|(_, c)| c).filter(|c| *c != '\n')),
                other => value.push(other),
            }
        }
        self.at = self.text.len();
        Err(self.error("\"]\", which ends a value"))
    }

    /// The next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn expect(&mut self, wanted: char, expected: &'static str) -> Result<(), SgfError> {
        if self.peek() != Some(wanted) {
            return Err(self.error(expected));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    fn error(&self, expected: &'static str) -> SgfError {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        SgfError {
            place: Place { line, column },
            expected,
            found: self.text[self.at..].chars().next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GAME: &str = "(;FF[4]GM[4]\nSZ[15]C[a \\] b];B[hh](;W[ii]C[good];B[jj])(;W[aa]))(;B[bb])";

    fn remark(node: usize, comment: &str) -> Remark {
        Remark { node, mark: Some(("BM", "1")), comment: comment.to_owned() }
    }

    #[test]
    fn the_main_line_is_the_first_of_every_variation() {
        let record = Record::read(GAME).unwrap();
        let moves: Vec<_> =
            record.nodes.iter().map(|node| node.value("B").or(node.value("W"))).collect();
        assert_eq!(moves, [None, Some("hh"), Some("ii"), Some("jj")]);
        assert_eq!(record.nodes[0].value("C"), Some("a ] b"));
        assert_eq!(record.nodes[0].value("SZ"), Some("15"));
    }

    #[test]
    fn remarks_join_what_is_there_and_change_nothing_else() {
        let record = Record::read(GAME).unwrap();
        assert_eq!(record.with(&[]), GAME);
        let text = record.with(&[remark(1, "x]\\"), remark(2, "y")]);
        let expected =
            GAME.replace("B[hh]", "B[hh]BM[1]C[x\\]\\\\]").replace("C[good]", "C[good\ny]BM[1]");
        assert_eq!(text, expected);
        let again = Record::read(&text).unwrap();
        assert_eq!(again.nodes[1].value("C"), Some("x]\\"));
        // A mark that is there already is not made twice.
        assert!(!again.with(&[remark(1, "z")]).contains("BM[1]BM"));
    }

    #[test]
    fn a_fault_is_told_with_its_place() {
        for (text, message) in [
            (
                "",
                "line 1, character 1: expected \"(\", which begins a game, found the end of the file",
            ),
            ("(B[aa])", "line 1, character 2: expected \";\", which begins a node, found \"B\""),
            ("(;B\n aa)", "line 2, character 2: expected \"[\", which begins a value, found \"a\""),
            (
                "(;B[aa",
                "line 1, character 7: expected \"]\", which ends a value, found the end of the file",
            ),
            (
                "(;B[aa]",
                "line 1, character 8: expected a property, \";\", \"(\" or \")\", found the end of the file",
            ),
            (
                "(;B[aa]]",
                "line 1, character 8: expected a property, \";\", \"(\" or \")\", found \"]\"",
            ),
        ] {
            assert_eq!(Record::read(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[(;)\\[\\]\\\\BWC \nä]{0,40}") {
            if let Ok(record) = Record::read(&text) {
                prop_assert_eq!(record.with(&[]), text);
            }
        }
    }
}
