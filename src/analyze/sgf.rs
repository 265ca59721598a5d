//! Files in the Smart Game Format: the main line of each game, and remarks put into it. Everything
//! else of the file stays as it was, byte for byte.
//!
//! It knows properties and their places in the text; what they mean is the business of
//! [`super::record`].
// CITE: Arno Hollosi, "SGF File Format FF[4]", https://www.red-bean.com/sgf/sgf4.html

mod source_text;

use std::fmt;

use tengen_engine::text::quotable;

use self::source_text::{EncodingError, SourceText};

/// The games of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Collection {
    source: SourceText,
    /// At least one.
    pub(super) games: Vec<Game>,
}

/// The main line of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Game {
    /// At least the root.
    pub(super) nodes: Vec<Node>,
}

/// A node of the main line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    properties: Vec<(String, Vec<Value>)>,
    /// Where in the text its properties end.
    end: usize,
    /// Where the text of its comment ends, if it has one.
    comment_end: Option<usize>,
}

/// A value of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Value {
    /// The value without escapes.
    pub(super) text: String,
    /// Where in the file it begins.
    pub(super) place: Place,
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

/// Why a file holds no games, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SgfError(String);

/// A place in a text, both numbers from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    line: usize,
    column: usize,
}

impl Place {
    /// Returns the place of the character at this offset.
    fn of(text: &str, at: usize) -> Self {
        let before = &text[..at];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Self { line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, character {}", self.line, self.column)
    }
}

impl fmt::Display for SgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SgfError {}

impl From<EncodingError> for SgfError {
    fn from(error: EncodingError) -> Self {
        Self(match error {
            EncodingError::Unknown(name) => {
                let known = "UTF-8, ISO-8859-1, GB18030, Shift_JIS, EUC-KR and the like are read";
                format!("CA[{}] is no encoding known here: {known}", quotable(&name))
            }
            EncodingError::Bytes(place, name) => format!("{place}: this is not {name}"),
        })
    }
}

impl Node {
    /// Returns the values of a property.
    pub(super) fn values(&self, name: &str) -> Option<&[Value]> {
        let (_, values) = self.properties.iter().find(|(known, _)| known == name)?;
        Some(values)
    }

    /// Returns the first value of a property.
    pub(super) fn value(&self, name: &str) -> Option<&Value> {
        self.values(name)?.first()
    }

    /// Returns the text of the first value of a property, without blanks around it.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.value(name).map(|value| value.text.trim())
    }
}

impl Collection {
    /// Reads the games of a file; their variations are passed over.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, SgfError> {
        let source = SourceText::decode(bytes)?;
        let games = Reader::new(&source.text).games()?;
        Ok(Self { source, games })
    }

    /// Returns the file with remarks in its games: a list for each of the first games.
    pub(super) fn with(&self, remarks: &[Vec<Remark>]) -> Vec<u8> {
        let mut additions: Vec<(usize, String)> = Vec::new();
        for (game, remarks) in self.games.iter().zip(remarks) {
            for Remark { node, mark, comment } in remarks {
                let node = &game.nodes[*node];
                let mark = mark.filter(|(name, _)| node.values(name).is_none());
                let mark = mark.map_or(String::new(), |(name, value)| format!("{name}[{value}]"));
                let comment = escaped(comment);
                match node.comment_end {
                    Some(at) => additions.extend([(at, format!("\n{comment}")), (node.end, mark)]),
                    None => additions.push((node.end, format!("{mark}C[{comment}]"))),
                }
            }
        }
        additions.sort_by_key(|(at, _)| *at);
        self.source.with(&additions)
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// A place that was asked for, and its offset: places are asked for in order.
    last: (Place, usize),
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, last: (Place { line: 1, column: 1 }, 0) }
    }

    /// Returns every game. Some programs write a line of their own before the first one.
    fn games(mut self) -> Result<Vec<Game>, SgfError> {
        let mut games = Vec::new();
        loop {
            match self.text[self.at..].find('(') {
                Some(begin) => self.at += begin,
                None if games.is_empty() => {}
                None => return Ok(games),
            }
            games.push(Game { nodes: self.game()? });
        }
    }

    /// Returns the nodes of the main line. It ends where the first parenthesis closes; the rest of
    /// the game is read for its form alone.
    fn game(&mut self) -> Result<Vec<Node>, SgfError> {
        let mut nodes = Vec::new();
        let (mut depth, mut is_main) = (0_usize, true);
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

    /// Returns a property's name; the small letters of old files do not count.
    fn name(&mut self) -> String {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        self.at += length;
        rest[..length].chars().filter(char::is_ascii_uppercase).collect()
    }

    /// Returns a value behind its opening bracket, to the one that closes it.
    fn value(&mut self) -> Result<Value, SgfError> {
        let place = self.place();
        let mut value = String::new();
        let mut chars = self.text[self.at..].char_indices();
        while let Some((offset, c)) = chars.next() {
            match c {
                ']' => {
                    self.at += offset + 1;
                    return Ok(Value { text: value, place });
                }
                // A line break behind a backslash is none.
                '\\' => value.extend(chars.next().map(|(_, c)| c).filter(|c| *c != '\n')),
                other => value.push(other),
            }
        }
        self.at = self.text.len();
        Err(self.error("\"]\", which ends a value"))
    }

    /// Returns the next character that is not blank.
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

    fn error(&self, expected: &str) -> SgfError {
        let found = match self.text[self.at..].chars().next() {
            Some(found) => format!("\"{}\"", quotable(&found.to_string())),
            None => "the end of the file".to_owned(),
        };
        let place = Place::of(self.text, self.at);
        SgfError(format!("{place}: expected {expected}, found {found}"))
    }

    /// Where the reader is.
    fn place(&mut self) -> Place {
        let (mut place, from) = self.last;
        for c in self.text[from..self.at].chars() {
            place = match c {
                '\n' => Place { line: place.line + 1, column: 1 },
                _ => Place { column: place.column + 1, ..place },
            };
        }
        self.last = (place, self.at);
        place
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GAMES: &str =
        "(;FF[4]GM[4]\nSZ[15]C[a \\] b];B[hh](;W[ii]C[good];B[jj])(;W[aa])) \n(;B[bb])";

    fn read(text: &str) -> Result<Collection, SgfError> {
        Collection::read(text.as_bytes())
    }

    fn remark(node: usize, comment: &str) -> Remark {
        Remark { node, mark: Some(("BM", "1")), comment: comment.to_owned() }
    }

    #[test]
    fn the_main_line_is_the_first_of_every_variation() {
        let games = read(GAMES).unwrap().games;
        let moves = |game: &Game| -> Vec<_> {
            game.nodes
                .iter()
                .map(|node| node.text("B").or(node.text("W")).map(str::to_owned))
                .collect()
        };
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(moves(&games[0]), [None, named("hh"), named("ii"), named("jj")]);
        assert_eq!(moves(&games[1]), [named("bb")]);
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].nodes[0].text("C"), Some("a ] b"));
        assert_eq!(games[0].nodes[0].text("SZ"), Some("15"));
        let place = games[1].nodes[0].value("B").unwrap().place;
        assert_eq!(place.to_string(), "line 3, character 5");
    }

    #[test]
    fn remarks_join_what_is_there_and_change_nothing_else() {
        let collection = read(GAMES).unwrap();
        assert_eq!(collection.with(&[]), GAMES.as_bytes());
        let remarks = [vec![remark(1, "x]\\"), remark(2, "y")], vec![remark(0, "z")]];
        let text = String::from_utf8(collection.with(&remarks)).unwrap();
        let expected = GAMES
            .replace("B[hh]", "B[hh]BM[1]C[x\\]\\\\]")
            .replace("C[good]", "C[good\ny]BM[1]")
            .replace("B[bb]", "B[bb]BM[1]C[z]");
        assert_eq!(text, expected);
        let again = read(&text).unwrap();
        assert_eq!(again.games[0].nodes[1].text("C"), Some("x]\\"));
        // A mark that is there already is not made twice.
        let twice = String::from_utf8(again.with(&[vec![remark(1, "z")]])).unwrap();
        assert!(!twice.contains("BM[1]BM"));
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
                "(;B[aa])\n(;B]",
                "line 2, character 4: expected \"[\", which begins a value, found \"]\"",
            ),
            (
                "(;B[aa]]",
                "line 1, character 8: expected a property, \";\", \"(\" or \")\", found \"]\"",
            ),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), message, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[(;)\\[\\]\\\\BWC \nä]{0,40}") {
            if let Ok(collection) = read(&text) {
                prop_assert_eq!(collection.with(&[]), text.as_bytes());
            }
        }
    }
}
