//! The inputs of the evaluation's weights, for programs that fit the weights.
//!
//! A search does not come here. This file knows which numbers the weights are multiplied with; how
//! the weights are fitted is not its business.

use tengen_engine::search::Context;
use tengen_engine::{Evaluator, Game, MoveOrdering, Side};

use super::eval::GomokuEvaluator;
use super::net::Windows;
use super::pattern::PatternShape;
use super::threat::Group;
use super::vcf::VcfLimits;
use super::vcf_scope::VcfScope;
use super::{Board, EvalFile, Rule, point_score, threat};
use tengen_engine::Cell;

pub use super::net::{
    CHANNELS, HEAD_UNITS, HIDDEN, Head, INPUT_UNITS, INPUTS, MAX_IN_ROW, Numbers, PAIRS, ROW_UNITS,
    Row, WINDOWS,
};
pub use super::weights::{Table, UNITS};

/// Numbers that [`Features::pattern`] may return are below this one.
pub const PATTERNS: u16 = point_score::TAKEN + 1;

/// Numbers that [`Features::situation`] may return are below this one.
pub const SITUATIONS: usize = threat::SITUATIONS;

/// Shapes that a line may have for one side.
pub const SHAPES: usize = PatternShape::COUNT;

/// Node limit of the VCF search that tells whether a position is quiet.
const VCF_NODES: u64 = 500;

/// The features of a position.
#[derive(Clone, Debug)]
pub struct Features {
    evaluator: GomokuEvaluator,
}

impl Features {
    /// Returns the features of `board`.
    pub fn new(board: &Board) -> Self {
        Self { evaluator: GomokuEvaluator::new(board) }
    }

    /// Returns the features of `board` under the weights of `file`.
    pub fn with(board: &Board, file: &EvalFile) -> Self {
        let mut features = Self::new(board);
        features.evaluator.use_eval_file(file, "");
        features.reset(board);
        features
    }

    /// Describes another position of the same rule and size.
    pub fn reset(&mut self, board: &Board) {
        self.evaluator.reset(board);
    }

    /// Returns whether a search may end at the position: neither side wins at once, and no
    /// win by fours is found in a few hundred nodes.
    pub fn is_quiet(&mut self, board: &Board) -> bool {
        let side = board.turn();
        let sharp = [(side, Group::Fives), (side, Group::OpenFours), (side.other(), Group::Fives)];
        if sharp.iter().any(|&(side, group)| !self.evaluator.points.group(side, group).is_empty()) {
            return false;
        }
        let limits = VcfLimits::new(VcfScope::Full, VCF_NODES);
        let win = self.evaluator.vcf(board, limits, &mut Context::unlimited());
        matches!(win, Ok(None))
    }

    /// Returns the number of the four classes that a stone of `side` would make on `cell`.
    pub fn pattern(&self, side: Side, cell: Cell) -> u16 {
        self.evaluator.points.pattern_code(side, cell)
    }

    /// Returns the number of the set of threats that could be made while `side` is to move.
    pub fn situation(&self, side: Side) -> usize {
        self.evaluator.points.situation(side)
    }

    /// Returns the evaluation without the net, in [`UNITS`], for the side to move.
    pub fn table_value(&self, board: &Board) -> i32 {
        self.evaluator.plain(board)
    }

    /// Returns the moves that a search would order, without the moves that it leaves out.
    pub fn candidates(&self, board: &Board) -> Vec<Cell> {
        let mut candidates = Vec::new();
        let _ = self.evaluator.candidates(board, &mut candidates);
        candidates
    }

    /// Returns, for each of the four lines of every empty cell, the shapes that `side` and its
    /// opponent would make there.
    pub fn shapes(&self, side: Side) -> impl Iterator<Item = [[u8; 2]; 4]> + '_ {
        let shapes = move |pair: u8| match side {
            Side::First => [pair & 15, pair >> 4],
            Side::Second => [pair >> 4, pair & 15],
        };
        self.evaluator.points.pairs().flatten().map(move |pairs| pairs.map(shapes))
    }
}

/// Returns, for each of the four lines of every empty cell, its window as `side` sees the colours: a
/// number below [`WINDOWS`].
pub fn windows(board: &Board, side: Side) -> impl Iterator<Item = [u16; 4]> + '_ {
    let seen = move |window: u16| match side {
        Side::First => window,
        Side::Second => exchanged_windows()[usize::from(window)],
    };
    let empty = board.grid().all().filter(|&cell| board.stone(cell).is_none());
    empty.map(move |cell| Windows::all().around(board, cell).map(seen))
}

/// Returns, for each window, the window with the colours exchanged.
pub fn exchanged_windows() -> &'static [u16] {
    Windows::all().exchanged()
}

/// Returns, for each window, the shapes that the first player and the second would make in it. Other
/// rules than freestyle may see more of a line than its window.
pub fn shapes_of_windows(rule: Rule) -> Vec<[u8; 2]> {
    Windows::all().pairs(rule).into_iter().map(|pair| [pair & 15, pair >> 4]).collect()
}

/// Returns the places in a [`Table`] of the weights that make up a pattern of `side`. A taken cell
/// has none.
pub fn pattern_weights(pattern: u16, rule: Rule, side: Side) -> Vec<usize> {
    point_score::features_of(pattern, rule.forbids(side))
}
