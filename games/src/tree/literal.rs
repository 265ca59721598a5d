//! The literal of a tree: `[name, child...]` is an inner node, `(name, value)` a leaf. Without
//! names a tree is brackets around numbers, as in textbooks: `[[3, 12, 8], [2, 4, 6]]`.
//!
//! The reader keeps its own stack, so that deeply nested text cannot overflow the stack of the
//! thread.

use std::borrow::Cow;

use thiserror::Error;

use super::arena::{Name, Node, TooLarge, Tree, is_bare, is_word_char};

/// The deepest nesting of inner nodes, in levels.
pub const MAX_NESTING: usize = 2_000;
/// The maximum number of children of a node: the engine cannot number more moves.
pub const MAX_CHILDREN: usize = tengen_engine::MAX_MOVE_CODE as usize + 1;
/// The maximum value of a leaf; the minimum is `-MAX_VALUE`.
pub const MAX_VALUE: i32 = 1_000_000;

/// The error when a text is not a tree.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("character {at}: {fault}")]
pub struct LiteralError {
    /// The position of the error, in characters from 1.
    pub at: usize,
    /// What is wrong there.
    pub fault: LiteralFault,
}

/// What can be wrong with a literal.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LiteralFault {
    /// Another character was expected.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What was expected.
        expected: &'static str,
        /// What was found instead.
        found: String,
    },
    /// A quoted name has no closing quote.
    #[error("expected the closing {0}, found the end")]
    OpenQuote(char),
    /// A `\` is before a character that needs no `\`.
    #[error("expected `\"`, `'` or `\\` after `\\`, found {0}")]
    Escape(String),
    /// A name contains a control character.
    #[error("expected a name without control characters")]
    Control,
    /// A name is empty: `""`.
    #[error("expected a name of at least one character")]
    NoName,
    /// An inner node has no child: `[A]`.
    #[error("expected a child: an inner node has at least one")]
    NoChild,
    /// A value is too large or too small.
    #[error("expected a value from -1,000,000 to 1,000,000")]
    Value,
    /// Nodes are nested too deep.
    #[error("expected at most {MAX_NESTING} levels of `[`")]
    Nesting,
    /// A node has too many children.
    #[error("expected at most {MAX_CHILDREN} children")]
    Children,
    /// The text is too long.
    #[error("expected at most 4 GiB")]
    Size,
}

const A_NODE: &str = "`[` or `(`";
const A_NAME: &str = "a name (a word, or a string in quotes)";

/// Reads a tree from `text`, all of which must be the literal.
pub fn parse(text: &str) -> Result<Tree, LiteralError> {
    let mut reader = Reader { text, at: 0, tree: Tree::default() };
    let read = if is_nameless(text) { reader.nameless_tree() } else { reader.tree() };
    match read {
        Ok(()) => Ok(reader.tree),
        Err(fault) => Err(LiteralError { at: text[..reader.at].chars().count() + 1, fault }),
    }
}

/// Returns whether a text is a tree without names: only brackets and numbers, and no leaf such as
/// `(2, 3)` with a number as its name.
fn is_nameless(text: &str) -> bool {
    let is_plain = |c: char| c.is_whitespace() || c.is_ascii_digit() || "[](),+-".contains(c);
    let mut signs = text.chars().filter(|c| !c.is_whitespace());
    let begins = [signs.next(), signs.next()].map(|sign| matches!(sign, Some('[' | '(')));
    begins[0]
        && (begins[1] || !text.contains('('))
        && text.chars().all(is_plain)
        && text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Returns the bracket that closes another one.
fn closing(bracket: char) -> Option<char> {
    match bracket {
        '[' => Some(']'),
        '(' => Some(')'),
        _ => None,
    }
}

struct Reader<'a> {
    text: &'a str,
    /// The index of the next byte. An error is reported at this byte.
    at: usize,
    tree: Tree,
}

/// An inner node whose children are being read.
struct OpenNode {
    name: Name,
    /// Where its children begin in the list of orphans: nodes that have no parent yet.
    first_orphan: usize,
}

impl From<TooLarge> for LiteralFault {
    fn from(TooLarge: TooLarge) -> Self {
        Self::Size
    }
}

impl Reader<'_> {
    fn tree(&mut self) -> Result<(), LiteralFault> {
        let mut open: Vec<OpenNode> = Vec::new();
        let mut orphans: Vec<Node> = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some('[') if open.len() == MAX_NESTING => return Err(LiteralFault::Nesting),
                Some('[') => {
                    self.advance('[');
                    let name = self.name()?;
                    self.comma_before_child()?;
                    open.push(OpenNode { name, first_orphan: orphans.len() });
                    continue;
                }
                Some('(') => orphans.push(self.leaf()?),
                _ => return Err(self.expected(A_NODE)),
            }
            // A node is complete. If it is its parent's last child, the parent is complete too, and
            // so on up.
            loop {
                let Some(parent) = open.last() else { return self.end() };
                self.blanks();
                match self.peek() {
                    Some(',') if orphans.len() - parent.first_orphan == MAX_CHILDREN => {
                        return Err(LiteralFault::Children);
                    }
                    Some(',') => {
                        self.advance(',');
                        break;
                    }
                    Some(']') => self.advance(']'),
                    _ => return Err(self.expected("`,` or `]`")),
                }
                let node = self.tree.add_inner(parent.name, &orphans[parent.first_orphan..])?;
                orphans.truncate(parent.first_orphan);
                orphans.push(node);
                open.pop();
            }
        }
    }

    /// Reads a tree without names. Each child is named by its place: `1`, `2` and so on. Commas may
    /// be left out.
    fn nameless_tree(&mut self) -> Result<(), LiteralFault> {
        // The closing bracket of each open node, and where its children begin.
        let mut open: Vec<(char, usize)> = Vec::new();
        let mut orphans: Vec<Node> = Vec::new();
        loop {
            self.blanks();
            if let Some(close) = self.peek().and_then(closing) {
                if open.len() == MAX_NESTING {
                    return Err(LiteralFault::Nesting);
                }
                self.at += 1;
                open.push((close, orphans.len()));
                continue;
            }
            let first = open.last().map_or(0, |(_, first)| *first);
            if self.peek() == open.last().map(|(close, _)| *close) && first == orphans.len() {
                return Err(LiteralFault::NoChild);
            }
            let value = self.value()?;
            let name = self.tree.add_name(&(orphans.len() - first + 1).to_string())?;
            orphans.push(self.tree.add_leaf(name, value)?);
            // A node is complete, and perhaps its parent, and so on up.
            loop {
                let Some(&(close, first)) = open.last() else { return self.end() };
                if orphans.len() - first > MAX_CHILDREN {
                    return Err(LiteralFault::Children);
                }
                self.blanks();
                match self.peek() {
                    Some(c) if c == close => self.advance(c),
                    Some(',') => {
                        self.advance(',');
                        break;
                    }
                    Some(c) if closing(c).is_some() || c.is_ascii_digit() || "+-".contains(c) => {
                        break;
                    }
                    _ => return Err(self.expected("`,` or the closing bracket")),
                }
                open.pop();
                let place = open.last().map(|(_, parent)| (first - parent + 1).to_string());
                let name = self.tree.add_name(place.as_deref().unwrap_or("root"))?;
                let node = self.tree.add_inner(name, &orphans[first..])?;
                orphans.truncate(first);
                orphans.push(node);
            }
        }
    }

    /// Reads a leaf: `(name, value)`.
    fn leaf(&mut self) -> Result<Node, LiteralFault> {
        self.advance('(');
        let name = self.name()?;
        self.expect(',', "`,`")?;
        let value = self.value()?;
        self.expect(')', "`)`")?;
        Ok(self.tree.add_leaf(name, value)?)
    }

    fn comma_before_child(&mut self) -> Result<(), LiteralFault> {
        self.blanks();
        if self.peek() == Some(']') {
            return Err(LiteralFault::NoChild);
        }
        self.expect(',', "`,`")
    }

    fn end(&mut self) -> Result<(), LiteralFault> {
        self.blanks();
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the tree")),
        }
    }

    fn name(&mut self) -> Result<Name, LiteralFault> {
        self.blanks();
        match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                let name = self.quoted(quote)?;
                Ok(self.tree.add_name(&name)?)
            }
            Some(c) if is_word_char(c) && c != '#' => {
                let rest = &self.text[self.at..];
                let length = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
                self.at += length;
                Ok(self.tree.add_name(&rest[..length])?)
            }
            _ => Err(self.expected(A_NAME)),
        }
    }

    /// Returns a name between quotes, in which `\` is before a quote or a `\`.
    fn quoted(&mut self, quote: char) -> Result<String, LiteralFault> {
        let start = self.at;
        self.advance(quote);
        let mut name = String::new();
        while let Some(c) = self.peek() {
            if c.is_control() {
                return Err(LiteralFault::Control);
            }
            self.advance(c);
            if c == quote {
                if name.is_empty() {
                    self.at = start;
                    return Err(LiteralFault::NoName);
                }
                return Ok(name);
            }
            if c != '\\' {
                name.push(c);
                continue;
            }
            let Some(escaped @ ('"' | '\'' | '\\')) = self.peek() else {
                return Err(LiteralFault::Escape(self.found()));
            };
            self.advance(escaped);
            name.push(escaped);
        }
        Err(LiteralFault::OpenQuote(quote))
    }

    /// Returns a whole number with an optional sign.
    fn value(&mut self) -> Result<i32, LiteralFault> {
        self.blanks();
        let text = self.text;
        let rest = &text[self.at..];
        let unsigned = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(self.expected("a whole number"));
        }
        let length = rest.len() - unsigned.len() + digits;
        let in_range = |value: &i32| (-MAX_VALUE..=MAX_VALUE).contains(value);
        let value = rest[..length].parse().ok().filter(in_range).ok_or(LiteralFault::Value)?;
        self.at += length;
        Ok(value)
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn advance(&mut self, over: char) {
        self.at += over.len_utf8();
    }

    fn expect(&mut self, wanted: char, expected: &'static str) -> Result<(), LiteralFault> {
        self.blanks();
        if self.peek() != Some(wanted) {
            return Err(self.expected(expected));
        }
        self.advance(wanted);
        Ok(())
    }

    fn expected(&self, expected: &'static str) -> LiteralFault {
        LiteralFault::Expected { expected, found: self.found() }
    }

    fn found(&self) -> String {
        match self.peek() {
            None => "the end".to_owned(),
            Some(c) if c.is_control() => "a control character".to_owned(),
            Some(c) => format!("`{c}`"),
        }
    }
}

/// Returns the literal of the subtree of `node`, which [`parse`] can read.
pub(super) fn write(tree: &Tree, node: Node) -> String {
    let mut out = String::new();
    // The inner nodes being written, each with its children that are not yet written.
    let mut open: Vec<std::slice::Iter<'_, Node>> = Vec::new();
    let mut next = Some(node);
    loop {
        if let Some(node) = next.take() {
            if let Some(value) = tree.value(node) {
                out.push_str(&format!("({}, {value})", quoted_if_needed(tree.name(node))));
            } else {
                out.push('[');
                out.push_str(&quoted_if_needed(tree.name(node)));
                open.push(tree.children(node).iter());
            }
        }
        let Some(siblings) = open.last_mut() else { return out };
        match siblings.next() {
            Some(child) => {
                out.push_str(", ");
                next = Some(*child);
            }
            None => {
                out.push(']');
                open.pop();
            }
        }
    }
}

fn quoted_if_needed(name: &str) -> Cow<'_, str> {
    if is_bare(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
}
