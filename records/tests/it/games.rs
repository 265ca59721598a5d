//! Random games with variations and comments, which the other modules write in many formats.

use fastrand::Rng;
use tengen_engine::{Grid, GridNotation};
use tengen_records::{Record, RecordNodeId};

/// A node of a game: a point from the top left, a comment and the nodes after it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tree {
    /// `None` at the root.
    pub(crate) point: Option<(u32, u32)>,
    pub(crate) comment: String,
    pub(crate) children: Vec<Tree>,
}

/// The parameters of random games.
pub(crate) struct GameParameters<'a> {
    pub(crate) side: u32,
    /// The maximum number of moves in the main line.
    pub(crate) max_moves: usize,
    /// The characters of comments.
    pub(crate) alphabet: &'a [char],
}

/// Returns a board of `side` by `side` points.
pub(crate) fn board(side: u32) -> GridNotation {
    GridNotation::new(Grid::new(side, side).expect("a board"), false)
}

impl Tree {
    pub(crate) fn random(rng: &mut Rng, parameters: &GameParameters<'_>) -> Self {
        let mut taken = Vec::new();
        let length = rng.usize(1..=parameters.max_moves);
        Self {
            comment: comment(rng, parameters, 3),
            ..Self::with_moves(rng, parameters, length, &mut taken)
        }
    }

    /// Returns a node with `left` moves after it and a few variations. `taken` are the points of
    /// the moves before.
    fn with_moves(
        rng: &mut Rng,
        parameters: &GameParameters<'_>,
        left: usize,
        taken: &mut Vec<(u32, u32)>,
    ) -> Self {
        let mut tree = Self::default();
        if left == 0 {
            return tree;
        }
        let variations = if rng.u8(..) < 30 { rng.usize(2..4) } else { 1 };
        let known = taken.len();
        for place in 0..variations {
            let Some(point) = free(rng, parameters.side, taken) else { continue };
            taken.push(point);
            let left = if place == 0 { left - 1 } else { rng.usize(0..left.min(4)) };
            let mut child = Self::with_moves(rng, parameters, left, taken);
            child.point = Some(point);
            child.comment = comment(rng, parameters, 8);
            tree.children.push(child);
            taken.truncate(known);
        }
        tree
    }

    /// Returns the points and comments of a record as a tree.
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

/// Returns a free point; `None` if 50 random points are all taken.
fn free(rng: &mut Rng, side: u32, taken: &[(u32, u32)]) -> Option<(u32, u32)> {
    (0..50).map(|_| (rng.u32(0..side), rng.u32(0..side))).find(|point| !taken.contains(point))
}

/// Returns a random comment with a probability of 1 in `rarity`, otherwise an empty one.
fn comment(rng: &mut Rng, parameters: &GameParameters<'_>, rarity: u8) -> String {
    if rng.u8(0..rarity) > 0 {
        return String::new();
    }
    let mut text: String =
        (0..rng.usize(1..40)).filter_map(|_| rng.choice(parameters.alphabet)).collect();
    text = text.trim().to_owned();
    text
}

/// Returns the points of the main line of a record, from the top left.
pub(crate) fn played(record: &Record, side: u32) -> Vec<(u32, u32)> {
    let line = record.line(board(side)).unwrap_or_else(|fault| panic!("{fault}"));
    line.moves.iter().map(|played| board(side).grid().from_top(played.point)).collect()
}
