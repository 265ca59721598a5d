//! A tree's positions and moves as text.
//!
//! A position is the literal of its subtree, after `min ` when the second player is to move. A move
//! is the name of a child, or `#1`, `#2`, ... when the name does not identify the child.

use std::fmt::Write;
use std::sync::Arc;

use tengen_engine::{Game, Move, Notation, NotationError, Side, Style};

use super::arena::{Node, Tree};
use super::literal::{self, LiteralError};
use super::{TreeGame, TreeMove};

/// The example of many textbooks: three moves with three replies each. The first move is best.
// CITE: S. Russell, P. Norvig, "Artificial Intelligence: A Modern Approach", the two-ply tree of
// the chapter on games.
pub const EXAMPLE: &str = "[A, [B, (E, 3), (F, 12), (G, 8)], [C, (H, 2), (I, 4), (J, 6)], \
                           [D, (K, 14), (L, 5), (M, 2)]]";

/// The maximum length of a drawing, in lines.
const MAX_LINES: usize = 60;

impl Notation for TreeGame {
    fn read_move(&self, text: &str) -> Result<TreeMove, NotationError> {
        if let Some(number) = text.strip_prefix('#') {
            return self.read_number(text, number);
        }
        let children = self.tree.children(self.node);
        let has_name = |node: &Node| self.tree.name(*node) == text;
        let Some(place) = children.iter().position(has_name) else {
            return Err(NotationError::mv(text, "no child has this name"));
        };
        if !self.tree.is_named(children[place]) {
            let reason = format!("this name does not identify the child: write #{}", place + 1);
            return Err(NotationError::mv(text, reason));
        }
        Ok(TreeMove(place as u32))
    }

    fn write_move(&self, mv: TreeMove, _style: Style) -> String {
        let child = self.tree.children(self.node)[mv.index()];
        if self.tree.is_named(child) {
            return self.tree.name(child).to_owned();
        }
        format!("#{}", mv.index() + 1)
    }

    fn read_position(&self, text: &str) -> Result<Self, NotationError> {
        read(text).map_err(|error| NotationError::position(text, error.at, error.fault.to_string()))
    }

    fn write_position(&self, _pocket: bool) -> String {
        let literal = literal::write(&self.tree, self.node);
        match self.turn {
            Side::First => literal,
            Side::Second => format!("min {literal}"),
        }
    }

    fn position_end(&self, text: &str, keyword: &str) -> usize {
        let end = closing_bracket(text).unwrap_or(0);
        let rest = &text[end..];
        rest.split_ascii_whitespace()
            .find(|word| *word == keyword)
            .map_or(text.len(), |word| word.as_ptr() as usize - text.as_ptr() as usize)
    }

    fn encode(&self, mv: TreeMove) -> Move {
        Move::from_code(mv.0)
    }

    fn decode(&self, mv: Move) -> Option<TreeMove> {
        self.unpack(mv.code(), ())
    }

    fn draw(&self) -> String {
        let mut out = String::new();
        let mut nodes = 0;
        let mut stack = vec![(self.node, self.turn, 0)];
        while let Some((node, turn, ply)) = stack.pop() {
            nodes += 1;
            if nodes <= MAX_LINES {
                draw_node(&mut out, &self.tree, node, turn, ply);
            }
            let children = self.tree.children(node).iter().rev();
            stack.extend(children.map(|child| (*child, turn.other(), ply + 1)));
        }
        if nodes > MAX_LINES {
            let _ = writeln!(out, "... and more: {nodes} nodes in all");
        }
        out
    }

    fn rules(&self) -> String {
        "explicit tree, first player is max, leaves carry values".to_owned()
    }
}

impl TreeGame {
    /// Returns the game of [`EXAMPLE`], at its root.
    pub fn example() -> Self {
        let tree = literal::parse(EXAMPLE).expect("the example is a tree");
        Self::new(Arc::new(tree), Side::First)
    }

    fn read_number(&self, text: &str, digits: &str) -> Result<TreeMove, NotationError> {
        let count = self.tree.children(self.node).len();
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        match digits.parse::<u32>() {
            Ok(number) if is_plain && (1..=count).contains(&(number as usize)) => {
                Ok(TreeMove(number - 1))
            }
            _ => {
                let reason = format!("expected a place from #1 to #{count}");
                Err(NotationError::mv(text, reason))
            }
        }
    }
}

/// Reads `[...]`, `max [...]` or `min [...]`.
fn read(text: &str) -> Result<TreeGame, LiteralError> {
    let (turn, literal) = split_turn(text);
    let skipped = text[..text.len() - literal.len()].chars().count();
    let tree = literal::parse(literal)
        .map_err(|error| LiteralError { at: error.at + skipped, ..error })?;
    Ok(TreeGame::new(Arc::new(tree), turn))
}

fn split_turn(text: &str) -> (Side, &str) {
    let trimmed = text.trim_start();
    for (word, turn) in [("max", Side::First), ("min", Side::Second)] {
        let Some(rest) = trimmed.strip_prefix(word) else { continue };
        if rest.starts_with(char::is_whitespace) {
            return (turn, rest);
        }
    }
    (Side::First, text)
}

/// Returns the index of the byte after the bracket that closes the first one; `None` when no
/// bracket does.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn draw_node(out: &mut String, tree: &Tree, node: Node, turn: Side, ply: usize) {
    // A limit, so that a deep tree fits on the screen.
    let indent = "  ".repeat(ply.min(30));
    let name = tree.name(node);
    let _ = match (tree.value(node), turn) {
        (Some(value), _) => writeln!(out, "{indent}{name}  {value}"),
        (None, Side::First) => writeln!(out, "{indent}{name}  max"),
        (None, Side::Second) => writeln!(out, "{indent}{name}  min"),
    };
}
