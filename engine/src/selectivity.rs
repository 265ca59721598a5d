//! Selectivity: pruning, reductions, extensions, and the schedule of the root.
//!
//! The trait [`Selectivity`] is data where it can be. Its defaults search every move to the same
//! depth.

use crate::rules::Game;

/// How a search finds the value of its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RootSchedule {
    /// Iterative deepening.
    Deepening,
    /// Proof at full depth, for exact games whose every end is a win, a loss or a draw. The search
    /// uses windows of provable scores. Iterative deepening runs only while they take long. Move
    /// codes must be below [`OUTER_WINDOW_MARK`](crate::rules::OUTER_WINDOW_MARK).
    Proving,
}

/// A move that is not the first of its node, as late move reductions see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LateMove {
    /// How many plies are left after the move.
    pub depth: u32,
    /// Its place in search order, from 0.
    pub index: usize,
    /// Whether the node is the root of a search for one line.
    pub at_root: bool,
    /// Whether the node has a null window.
    pub is_scout: bool,
    /// Whether the side to move is expected to exceed beta.
    pub cut_node: bool,
    /// Whether the evaluation is better than it was at the side's last turn.
    pub improving: bool,
    /// By how much the move's rank is below the highest of its node, from 0. At the root it is 0.
    pub rank_gap: i32,
    /// Its history without continuation histories, from minus to plus
    /// [`MAX_HISTORY`](Self::MAX_HISTORY); 0 if there is none, or if history is off.
    pub history: i32,
}

impl LateMove {
    /// The best history; the worst is its negative.
    pub const MAX_HISTORY: i32 = 16_384;

    /// Returns the move in place `index` of its node, with `depth` plies left after it: not at the
    /// root, at no scout node, no expected cut-off, without an improving evaluation, of the highest rank, and without a
    /// history.
    pub const fn new(depth: u32, index: usize) -> Self {
        Self {
            depth,
            index,
            at_root: false,
            is_scout: false,
            cut_node: false,
            improving: false,
            rank_gap: 0,
            history: 0,
        }
    }
}

/// The conditions of a singular extension of the table's move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SingularTuning {
    /// The least depth of a node at which this is tried.
    pub depth: u32,
    /// By how much every other move must be worse for each ply of depth, in quarters of the
    /// evaluation's unit.
    pub margin: i32,
}

impl SingularTuning {
    /// No singular extensions.
    pub const NONE: Self = Self::new(u32::MAX, 0);

    /// Creates the tuning: singular extensions at nodes of `depth` and more, with this margin.
    pub const fn new(depth: u32, margin: i32) -> Self {
        Self { depth, margin }
    }
}

/// A margin above alpha for the score of a reduced search. Beyond it the second search is deeper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReSearchMargin {
    /// The margin of a reduction of no plies, in units of the evaluation.
    pub base: i32,
    /// How much is added for each ply of the reduction.
    pub per_ply: i32,
}

impl ReSearchMargin {
    /// No score is far enough above alpha.
    pub const NEVER: Self = Self::new(i32::MAX, 0);

    /// Creates a margin: `base`, and `per_ply` more for each ply of the reduction.
    pub const fn new(base: i32, per_ply: i32) -> Self {
        Self { base, per_ply }
    }
}

/// The numbers of extensions that do not depend on a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ExtensionTuning {
    /// Singular extensions.
    pub singular: SingularTuning,
    /// The second search of a late move is one ply deeper than without its reduction for each of
    /// these margins that the score of the reduced search exceeds.
    pub re_search: [ReSearchMargin; 2],
}

impl ExtensionTuning {
    /// No extensions.
    pub const NONE: Self = Self::new(SingularTuning::NONE, [ReSearchMargin::NEVER; 2]);

    /// Creates the tuning.
    pub const fn new(singular: SingularTuning, re_search: [ReSearchMargin; 2]) -> Self {
        Self { singular, re_search }
    }

    /// Returns by how many plies more than without its reduction a late move is searched again. The
    /// search with `reduction` plies less exceeded alpha by `excess`.
    pub(crate) fn re_search_extension(&self, reduction: u32, excess: i32) -> u32 {
        let is_exceeded = |margin: &&ReSearchMargin| {
            excess > margin.per_ply.saturating_mul(reduction as i32).saturating_add(margin.base)
        };
        self.re_search.iter().filter(is_exceeded).count() as u32
    }
}

/// The margins of reverse futility pruning, in units of the evaluation: a node returns without a
/// search if its static evaluation exceeds beta by the margin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FutilityMargins {
    /// The margin where the evaluation is not better than at the side's last turn.
    pub worse: i32,
    /// The margin where it is better.
    pub improving: i32,
}

impl FutilityMargins {
    /// No evaluation is far enough above beta.
    pub const NEVER: Self = Self { worse: i32::MAX, improving: i32::MAX };
}

/// How many moves of a node are searched, once one does not lose: move count pruning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveCountLimits {
    /// At a null-window node where the evaluation is not better than at the side's last turn.
    pub worse: usize,
    /// At a null-window node where it is better.
    pub improving: usize,
    /// At a node of the principal variation.
    pub pv: usize,
}

impl MoveCountLimits {
    /// Every move is searched.
    pub const NONE: Self = Self { worse: usize::MAX, improving: usize::MAX, pv: usize::MAX };
}

/// The numbers of a proof at full depth, all in plies left. They change its cost and never its
/// result. A game begins with [`ProofTuning::PLAIN`] and sets what suits it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProofTuning {
    /// Positions with fewer plies left than this, and in the second half of the searched game, are
    /// near its end. They have a share of a large table for themselves.
    pub near_end: u32,
    /// Positions with fewer plies left than this are near the end in one search of a batch. The
    /// number is smaller, because the other searches reuse its results.
    pub near_end_in_batch: u32,
    /// Windows at the outer ends of the score range are asked first when more plies are left than
    /// this.
    pub outer_windows_above: u32,
    /// One thread asks open windows from here on, instead of null windows one after the other.
    pub open_windows_from: u32,
    /// Several threads ask open windows from here on: they find more of each other's work in null
    /// windows.
    pub open_windows_of_threads_from: u32,
}

impl ProofTuning {
    /// Null windows at the centre only, and one table for all positions.
    pub const PLAIN: Self = Self {
        near_end: 0,
        near_end_in_batch: 0,
        outer_windows_above: u32::MAX,
        open_windows_from: u32::MAX,
        open_windows_of_threads_from: u32::MAX,
    };
}

/// Selectivity of a search. Of an exact game only the schedule and
/// [`proof_tuning`](Self::proof_tuning) are used.
pub trait Selectivity<G: Game> {
    /// Returns whether the search may use no unsound shortcut. Then a decisive score is the
    /// shortest win or the longest defence, candidates are always
    /// [`Coverage::Complete`](crate::Coverage), and neither reductions nor extensions are asked
    /// for.
    fn exact(&self) -> bool {
        true
    }

    /// Returns in what order the search asks for the value of the root.
    fn schedule(&self) -> RootSchedule {
        RootSchedule::Deepening
    }

    /// Returns the numbers of extensions.
    fn extension_tuning(&self) -> ExtensionTuning {
        ExtensionTuning::NONE
    }

    /// Returns the numbers of a proof.
    fn proof_tuning(&self) -> ProofTuning {
        ProofTuning::PLAIN
    }

    /// Returns by how many plies less a late move may first be searched. A reduction
    /// leaves at least one ply.
    fn reduction(&self, _game: &G, _mv: G::Move, _late: &LateMove) -> u32 {
        0
    }

    /// Returns by how many plies more `mv` is searched; asked before it is played.
    fn extension(&self, _game: &G, _mv: G::Move) -> u32 {
        0
    }

    /// Returns the margins of reverse futility pruning at a node of this depth. `None` where the
    /// static evaluation cannot be trusted: the node takes over that of its parent, negated, and is
    /// not pruned.
    fn futility_margins(&self, _game: &G, _depth: u32) -> Option<FutilityMargins> {
        Some(FutilityMargins::NEVER)
    }

    /// Returns how many moves are searched at a node of this depth, once one does not lose.
    fn move_count_limits(&self, _game: &G, _depth: u32) -> MoveCountLimits {
        MoveCountLimits::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_further_a_reduced_search_exceeds_alpha_the_deeper_is_the_next() {
        let margins = [ReSearchMargin::new(34, 11), ReSearchMargin::new(349, 26)];
        let tuning = ExtensionTuning::new(SingularTuning::NONE, margins);
        let plies = |reduction, excess| tuning.re_search_extension(reduction, excess);
        assert_eq!([56, 57, 401, 402].map(|excess| plies(2, excess)), [0, 1, 1, 2]);
        assert_eq!(plies(3, 57), 0);
        assert_eq!(plies(i32::MAX as u32, i32::MAX), 0);
        assert_eq!(ExtensionTuning::NONE.re_search_extension(1, i32::MAX), 0);
    }
}
