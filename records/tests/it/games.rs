//! Random games with variations and comments, as the other modules write them in many formats.

use fastrand::Rng;
use tengen_engine::{Grid, GridNotation};
use tengen_records::{Record, RecordNodeId};

/// A node of a game: a point from the top left, a comment, and what was played after it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tree {
    /// `None` at the root.
    pub(crate) point: Option<(u32, u32)>,
    pub(crate) comment: String,
    pub(crate) children: Vec<Tree>,
}

/// What random games are made of.
pub(crate) struct Taste<'a> {
    pub(crate) side: u32,
    pub(crate) longest: usize,
    /// The characters of comments.
    pub(crate) alphabet: &'a [char],
}

/// Returns the board of this many points a side.
pub(crate) fn board(side: u32) -> GridNotation {
    GridNotation::new(Grid::new(side, side).expect("a board"), false)
}

impl Tree {
    pub(crate) fn random(rng: &mut Rng, taste: &Taste<'_>) -> Self {
        let mut taken = Vec::new();
        let length = rng.usize(1..=taste.longest);
        Self { comment: words(rng, taste, 3), ..Self::grown(rng, taste, length, &mut taken) }
    }

    /// Returns a node with `left` moves after it and now and then a variation; `taken` points
    /// stand before.
    fn grown(rng: &mut Rng, taste: &Taste<'_>, left: usize, taken: &mut Vec<(u32, u32)>) -> Self {
        let mut tree = Self::default();
        if left == 0 {
            return tree;
        }
        let variations = if rng.u8(..) < 30 { rng.usize(2..4) } else { 1 };
        let known = taken.len();
        for place in 0..variations {
            let Some(point) = free(rng, taste.side, taken) else { continue };
            taken.push(point);
            let left = if place == 0 { left - 1 } else { rng.usize(0..left.min(4)) };
            let mut child = Self::grown(rng, taste, left, taken);
            child.point = Some(point);
            child.comment = words(rng, taste, 8);
            tree.children.push(child);
            taken.truncate(known);
        }
        tree
    }

    /// Returns the tree that a record is. Points and comments are what the record says.
    pub(crate) fn of(record: &Record) -> Self {
        Self::at(record, record.root())
    }

    fn at(record: &Record, id: RecordNodeId) -> Self {
        let node = record.node(id);
        let point = node.text("B").or(node.text("W")).map(|text| {
            let [column, row] = text.as_bytes() else { panic!("two letters: {text}") };
            (u32::from(column - b'a'), u32::from(row - b'a'))
        });
        let comment = node.comment().unwrap_or_default();
        let children = node.children().iter().map(|child| Self::at(record, *child)).collect();
        Self { point, comment, children }
    }

    /// Returns the points of the main line.
    pub(crate) fn main_line(&self) -> Vec<(u32, u32)> {
        let line = std::iter::successors(Some(self), |tree| tree.children.first());
        line.filter_map(|tree| tree.point).collect()
    }
}

/// Returns a free point, near the middle more often than not.
fn free(rng: &mut Rng, side: u32, taken: &[(u32, u32)]) -> Option<(u32, u32)> {
    (0..50).map(|_| (rng.u32(0..side), rng.u32(0..side))).find(|point| !taken.contains(point))
}

/// Returns a comment, or none in most cases.
fn words(rng: &mut Rng, taste: &Taste<'_>, rarity: u8) -> String {
    if rng.u8(0..rarity) > 0 {
        return String::new();
    }
    let mut text: String =
        (0..rng.usize(1..40)).filter_map(|_| rng.choice(taste.alphabet)).collect();
    text = text.trim().to_owned();
    text
}

/// Returns the moves of a record's main line, from the top left.
pub(crate) fn played(record: &Record, side: u32) -> Vec<(u32, u32)> {
    let line = record.line(board(side)).unwrap_or_else(|fault| panic!("{fault}"));
    line.moves.iter().map(|played| board(side).grid().from_top(played.point)).collect()
}
