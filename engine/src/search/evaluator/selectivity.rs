//! Selectivity: pruning, reductions, extensions, and the schedule of the root.
//!
//! Most methods of the trait [`Selectivity`] return data. Its defaults search every move to the
//! same depth.

use crate::game::rules::Game;

/// The method by which a search finds the value of its root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RootSchedule {
    /// Iterative deepening.
    Deepening,
    /// Proof at full depth, for exact games that always end in a win, a loss or a draw. The search
    /// uses windows of provable scores. Iterative deepening runs in between if the proof takes
    /// long. Move codes must be below [`OUTER_WINDOW_MARK`](crate::game::rules::OUTER_WINDOW_MARK).
    Proving,
}

/// The data of a late move (not the first of its node) that late move reductions depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LateMove {
    /// The depth left after the move, in plies.
    pub depth: u32,
    /// The index of the move in search order, from 0.
    pub index: usize,
    /// Whether the node is the root of a search with one line (MultiPV 1).
    pub at_root: bool,
    /// Whether the node has a null window.
    pub is_scout: bool,
    /// Whether the node is expected to fail high.
    pub cut_node: bool,
    /// Whether the evaluation is better than it was at the side's last turn.
    pub improving: bool,
    /// The highest rank of the node minus the rank of the move, from 0. At the root it is 0.
    pub rank_gap: i32,
    /// The history of the move without continuation histories, from minus to plus
    /// [`MAX_HISTORY`](Self::MAX_HISTORY); 0 if there is none, or if history is off.
    pub history: i32,
}

impl LateMove {
    /// The best history; the worst is its negative.
    pub const MAX_HISTORY: i32 = 16_384;

    /// Creates the data of the move at `index` of its node, with `depth` plies left after it. The
    /// other fields are false or 0.
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
    /// The minimum depth of the node, in plies.
    pub depth: u32,
    /// The margin by which every other move must be worse, for each ply of depth, in quarters of
    /// the evaluation's unit.
    pub margin: i32,
}

impl SingularTuning {
    /// No singular extensions.
    pub const NONE: Self = Self::new(u32::MAX, 0);

    /// Creates the tuning: singular extensions at nodes of at least `depth` plies, with this
    /// `margin`.
    pub const fn new(depth: u32, margin: i32) -> Self {
        Self { depth, margin }
    }
}

/// A margin above alpha for the score of a reduced search. If the score exceeds it, the re-search
/// is deeper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ReSearchMargin {
    /// The margin for a reduction of 0 plies, in units of the evaluation.
    pub base: i32,
    /// The amount added for each ply of the reduction.
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

/// The parameters of singular extensions and deeper re-searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ExtensionTuning {
    /// Singular extensions.
    pub singular: SingularTuning,
    /// The margins of deeper re-searches. The re-search of a late move is one ply deeper than the
    /// full depth for each margin that the score of the reduced search exceeds.
    pub re_search: [ReSearchMargin; 2],
}

impl ExtensionTuning {
    /// No extensions.
    pub const NONE: Self = Self::new(SingularTuning::NONE, [ReSearchMargin::NEVER; 2]);

    /// Creates the tuning.
    pub const fn new(singular: SingularTuning, re_search: [ReSearchMargin; 2]) -> Self {
        Self { singular, re_search }
    }

    /// Returns how many plies deeper than the full depth a late move is searched again. Its reduced
    /// search, `reduction` plies less deep, exceeded alpha by `excess`.
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
    /// The margin if the evaluation is not better than at the side's last turn.
    pub worse: i32,
    /// The margin if the evaluation is better than at the side's last turn.
    pub improving: i32,
}

impl FutilityMargins {
    /// No evaluation is far enough above beta.
    pub const NEVER: Self = Self { worse: i32::MAX, improving: i32::MAX };
}

/// The limits of move count pruning: how many moves of a node are searched, if one of them does not
/// lose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveCountLimits {
    /// At a null-window node, if the evaluation is not better than at the side's last turn.
    pub worse: usize,
    /// At a null-window node, if the evaluation is better than at the side's last turn.
    pub improving: usize,
    /// At a node of the principal variation.
    pub pv: usize,
}

impl MoveCountLimits {
    /// Every move is searched.
    pub const NONE: Self = Self { worse: usize::MAX, improving: usize::MAX, pv: usize::MAX };
}

/// The parameters of a proof at full depth, all in plies left. They change its cost, never its
/// result. A game starts from [`ProofTuning::PLAIN`] and changes some fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProofTuning {
    /// Positions with fewer plies left are near the end, if they are in the second half of the
    /// searched game. They have their own share of a large table.
    pub near_end: u32,
    /// The value of `near_end` in one search of a batch. It is smaller, because the other searches
    /// reuse the results.
    pub near_end_in_batch: u32,
    /// Outer windows are searched first if more plies are left.
    pub outer_windows_above: u32,
    /// One thread searches open windows, instead of a sequence of null windows, if at least so many
    /// plies are left.
    pub open_windows_from: u32,
    /// Several threads search open windows if at least so many plies are left. In null windows,
    /// they share more results.
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

/// Selectivity of a search. An exact game uses only the schedule and
/// [`proof_tuning`](Self::proof_tuning). The defaults search every move to the same depth.
pub trait Selectivity<G: Game> {
    /// Returns whether the game is exact: the search uses no unsound technique. The default is
    /// false.
    ///
    /// True suits a game that is small enough to be searched to its end. Then a decisive score is
    /// the shortest win or the longest defence, a draw is proven, and candidates are always
    /// [`Coverage::Complete`](crate::Coverage). A node probes all its moves before it searches one,
    /// and orders them by [`rank_played`](crate::MoveOrdering::rank_played). That pays if tables,
    /// bounds or solvers settle many of them. Otherwise it costs half the speed: it plays every
    /// move of a node even if the first one is enough.
    ///
    /// False suits a game with an ordinary evaluation. A node tries one move after the other, in
    /// the order of [`rank`](crate::MoveOrdering::rank) and history. All methods below matter. With
    /// their defaults and complete candidates, nothing is pruned: a decisive score is proven too,
    /// but perhaps not the shortest win, and a draw is never said to be proven.
    fn exact(&self) -> bool {
        false
    }

    /// Returns the method by which the search finds the value of the root. The default is
    /// [`RootSchedule::Deepening`].
    fn schedule(&self) -> RootSchedule {
        RootSchedule::Deepening
    }

    /// Returns the parameters of singular extensions and deeper re-searches. The default is
    /// [`ExtensionTuning::NONE`].
    fn extension_tuning(&self) -> ExtensionTuning {
        ExtensionTuning::NONE
    }

    /// Returns the parameters of a proof. The default is [`ProofTuning::PLAIN`].
    fn proof_tuning(&self) -> ProofTuning {
        ProofTuning::PLAIN
    }

    /// Returns the reduction of the first search of a late move, in plies. The search keeps at
    /// least one ply. The default is 0: no reduction.
    fn reduction(&self, _game: &G, _mv: G::Move, _late: &LateMove) -> u32 {
        0
    }

    /// Returns the extension of `mv` in plies. `mv` has not been played yet. The default is 0.
    fn extension(&self, _game: &G, _mv: G::Move) -> u32 {
        0
    }

    /// Returns the margins of reverse futility pruning at a node of this depth. `None` if the
    /// static evaluation cannot be trusted. Then the node uses the negated evaluation of its
    /// parent, and is not pruned. The default is [`FutilityMargins::NEVER`].
    fn futility_margins(&self, _game: &G, _depth: u32) -> Option<FutilityMargins> {
        Some(FutilityMargins::NEVER)
    }

    /// Returns how many moves are searched at a node of this depth, if one of them does not lose.
    /// The default is [`MoveCountLimits::NONE`].
    fn move_count_limits(&self, _game: &G, _depth: u32) -> MoveCountLimits {
        MoveCountLimits::NONE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_re_search_is_deeper_if_the_reduced_search_exceeds_alpha_by_more() {
        let margins = [ReSearchMargin::new(34, 11), ReSearchMargin::new(349, 26)];
        let tuning = ExtensionTuning::new(SingularTuning::NONE, margins);
        let plies = |reduction, excess| tuning.re_search_extension(reduction, excess);
        assert_eq!([56, 57, 401, 402].map(|excess| plies(2, excess)), [0, 1, 1, 2]);
        assert_eq!(plies(3, 57), 0);
        assert_eq!(plies(i32::MAX as u32, i32::MAX), 0);
        assert_eq!(ExtensionTuning::NONE.re_search_extension(1, i32::MAX), 0);
    }
}
