//! Candidate moves and their order.
//!
//! Every method of the trait [`MoveOrdering`] has a sound default.

use crate::game::rules::Game;

/// Whether a list of candidate moves is complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// No omitted move is better than the best listed move, or loses later than it. So a loss of
    /// all listed moves is a proven loss.
    Complete,
    /// Moves that look bad are omitted. The search takes no loss and no draw as proven by this list
    /// alone.
    Partial,
}

/// How much the history changes the ranks of moves. Each number, from 0 to 10,000, is the most that
/// one history adds to a rank or subtracts from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryTuning {
    pub(crate) quiet: i32,
    pub(crate) threat: i32,
    pub(crate) continuation: i32,
}

impl HistoryTuning {
    /// The history decides only between moves of equal rank.
    pub const NONE: Self = Self::new(0, 0, 0);

    /// Creates a tuning. `quiet` is for moves that make no threat, `threat` for moves that make
    /// one. `continuation` is for each of two continuation histories: after the opponent's last
    /// move, and after the own last move. A `continuation` other than 0 costs 8 bytes for each pair
    /// of history slots in each thread.
    ///
    /// # Panics
    ///
    /// If a number is not from 0 to 10,000.
    pub const fn new(quiet: i32, threat: i32, continuation: i32) -> Self {
        const fn is_valid(number: i32) -> bool {
            matches!(number, 0..=10_000)
        }
        assert!(is_valid(quiet) && is_valid(threat) && is_valid(continuation));
        Self { quiet, threat, continuation }
    }
}

/// Candidate moves and their order. The search orders moves by table move, then by the sum of rank
/// and history, then by killers, then by history, then by their place in the list.
pub trait MoveOrdering<G: Game> {
    /// Appends the moves worth searching to `out`. There is at least one while the game is not
    /// over.
    fn candidates(&self, game: &G, out: &mut Vec<G::Move>) -> Coverage {
        game.moves(out);
        Coverage::Complete
    }

    /// Returns whether a search with one line (MultiPV 1) searches all legal moves at the root:
    /// first the candidates, then the others. It has no effect on a complete list of candidates.
    fn searches_all_at_root(&self) -> bool {
        false
    }

    /// Returns the only candidate if there is exactly one and this is cheap to find out; else
    /// `None`. The game is not over.
    fn only_move(&self, _game: &G) -> Option<G::Move> {
        None
    }

    /// Returns a coarse class of `mv` for ordering, from -32,768 to 32,767. The search adds the
    /// history, weighted by [`history_tuning`](Self::history_tuning), and searches higher sums
    /// first. Killers, then history, decide between equal sums.
    fn rank(&self, _game: &G, _mv: G::Move) -> i32 {
        0
    }

    /// Returns the rank of the move that led from `before` to `game`, alone or with the forced
    /// moves after it. An exact search calls this instead of [`rank`](Self::rank), because it plays
    /// all moves before it orders them. In an `outer_window` only short wins matter.
    fn rank_played(&self, _before: &G, _game: &G, _outer_window: bool) -> i32 {
        0
    }

    /// Returns how much history changes the ranks.
    fn history_tuning(&self) -> HistoryTuning {
        HistoryTuning::NONE
    }

    /// Returns whether `mv` makes a threat. Threats and other moves have separate histories.
    fn is_threat(&self, _game: &G, _mv: G::Move) -> bool {
        false
    }

    /// Appends the noisy moves: quiescence search must try them before the evaluation can be
    /// trusted. Appends nothing if the position is quiet.
    fn noisy(&self, _game: &G, _out: &mut Vec<G::Move>) {}
}
