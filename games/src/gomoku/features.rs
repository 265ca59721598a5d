//! The inputs of the evaluation's weights, for the programs that fit the weights.
//!
//! The search does not use this file. Fitting the weights is not part of it.

use tengen_engine::search::Context;
use tengen_engine::{Cell, Evaluator, Game, MoveOrdering, Side};

use crate::gomoku::eval::GomokuEvaluator;
use crate::gomoku::eval::net::Windows;
use crate::gomoku::eval::point_score;
use crate::gomoku::pattern::PatternShape;
use crate::gomoku::pattern::threat;
use crate::gomoku::pattern::threat::Group;
use crate::gomoku::solver::vcf::VcfLimits;
use crate::gomoku::solver_memory::scope::VcfScope;
use crate::gomoku::{Board, EvalFile, Rule};

pub use crate::gomoku::eval::net::{
    CHANNELS, HEAD_UNITS, HIDDEN, Head, INPUT_UNITS, INPUTS, MAX_IN_ROW, Numbers, PAIRS, ROW_UNITS,
    Row, WINDOWS,
};
pub use crate::gomoku::eval::weights::{ClassTable, UNITS};

/// The number of patterns: [`Features::pattern`] returns less.
pub const PATTERNS: u16 = point_score::TAKEN + 1;

/// The number of situations: [`Features::situation`] returns less.
pub const SITUATIONS: usize = threat::SITUATIONS;

/// The number of shapes that a line may have for one side.
pub const SHAPES: usize = PatternShape::COUNT;

/// The node limit of the VCF search in [`Features::is_quiet`].
const VCF_NODES: u64 = 500;

/// The features of a position.
#[derive(Clone, Debug)]
pub struct Features {
    evaluator: GomokuEvaluator,
}

impl Features {
    /// Creates the features of `board`, with the built-in weights.
    pub fn new(board: &Board) -> Self {
        Self { evaluator: GomokuEvaluator::new(board) }
    }

    /// Creates the features of `board`, with the weights of `file`.
    pub fn with(board: &Board, file: &EvalFile) -> Self {
        let mut features = Self::new(board);
        features.evaluator.use_eval_file(file, "");
        features.reset(board);
        features
    }

    /// Sets another position of the same rule and size.
    pub fn reset(&mut self, board: &Board) {
        self.evaluator.reset(board);
    }

    /// Returns whether a search may end at the position: neither side wins immediately, and a VCF
    /// search of a few hundred nodes finds no win.
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

    /// Returns the pattern of `cell`: the number of the four classes that a stone of `side` makes.
    pub fn pattern(&self, side: Side, cell: Cell) -> u16 {
        self.evaluator.points.pattern_code(side, cell)
    }

    /// Returns the situation with `side` to move: the number of the set of possible threats.
    pub fn situation(&self, side: Side) -> usize {
        self.evaluator.points.situation(side)
    }

    /// Returns the evaluation without the net, in [`UNITS`], for the side to move.
    pub fn table_value(&self, board: &Board) -> i32 {
        self.evaluator.without_net(board)
    }

    /// Returns the candidates of a search in no particular order.
    pub fn candidates(&self, board: &Board) -> Vec<Cell> {
        let mut candidates = Vec::new();
        let _ = self.evaluator.candidates(board, &mut candidates);
        candidates
    }

    /// Returns, for each of the four lines of every empty cell, the shapes that stones of `side`
    /// and of its opponent make there.
    pub fn shapes(&self, side: Side) -> impl Iterator<Item = [[u8; 2]; 4]> + '_ {
        let shapes = move |pair: u8| match side {
            Side::First => [pair & 15, pair >> 4],
            Side::Second => [pair >> 4, pair & 15],
        };
        self.evaluator.points.pairs().flatten().map(move |pairs| pairs.map(shapes))
    }
}

/// Returns the window, below [`WINDOWS`], of each of the four lines of every empty cell, with the
/// colours as `side` sees them.
pub fn windows(board: &Board, side: Side) -> impl Iterator<Item = [u16; 4]> + '_ {
    let seen = move |window: u16| match side {
        Side::First => window,
        Side::Second => exchanged_windows()[usize::from(window)],
    };
    let empty = board.grid().all().filter(|&cell| board.stone(cell).is_none());
    empty.map(move |cell| Windows::all().around(board, cell).map(seen))
}

/// Returns, for each window, the number of the window with the colours exchanged.
pub fn exchanged_windows() -> &'static [u16] {
    Windows::all().exchanged()
}

/// Returns, for each window, the shapes of the first and of the second player in it. Rules other
/// than freestyle may look further along a line than its window.
pub fn shapes_of_windows(rule: Rule) -> Vec<[u8; 2]> {
    Windows::all().pairs(rule).into_iter().map(|pair| [pair & 15, pair >> 4]).collect()
}

/// Returns the indices in a [`ClassTable`] of the weights that sum up to the score of `pattern`; empty
/// for a taken cell. `side` would put the stone.
pub fn pattern_weights(pattern: u16, rule: Rule, side: Side) -> Vec<usize> {
    point_score::features_of(pattern, rule.forbids(side))
}
