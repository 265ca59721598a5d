//! Candidate moves and their order.
//!
//! Every method of the trait [`MoveOrdering`] has a sound default.

use crate::rules::Game;

/// What a list of candidate moves may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// No move left out is better than the best that is listed, and none loses later: the list
    /// proves losses.
    Complete,
    /// Moves that look bad were left out: the search derives no proven loss and no proven draw from
    /// this list alone.
    Partial,
}

/// How much the history of a search changes the ranks of moves. Each number, from 0 to 10,000, is the
/// most that one history adds to a rank or takes away.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HistoryTuning {
    pub(crate) quiet: i32,
    pub(crate) threat: i32,
    pub(crate) continuation: i32,
}

impl HistoryTuning {
    /// History only decides between moves of equal rank.
    pub const NONE: Self = Self::new(0, 0, 0);

    /// Returns a tuning. `quiet` is for moves that make no threat, `threat` for moves that make one.
    /// `continuation` is for each of two continuation histories: after the opponent's last move, and
    /// after the last move of the side itself. A `continuation` other than 0 takes 8 bytes for each
    /// pair of history slots in each thread.
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

/// Candidate moves and their order. The search orders moves by the table, then by rank with their
/// history, then by killers, by history, and by their place in the list.
pub trait MoveOrdering<G: Game> {
    /// Appends the moves worth searching to `out`: at least one while the game goes on.
    fn candidates(&self, game: &G, out: &mut Vec<G::Move>) -> Coverage {
        game.moves(out);
        Coverage::Complete
    }

    /// Returns whether a search for one line searches all legal moves at the root: first the
    /// candidates, then the others. A complete list of candidates is searched alone.
    fn searches_all_at_root(&self) -> bool {
        false
    }

    /// Returns the one candidate of a game that goes on, when there is just one and it is cheap to
    /// tell.
    fn only_move(&self, _game: &G) -> Option<G::Move> {
        None
    }

    /// Returns a coarse class of `mv` for ordering, from -32,768 to 32,767. The search adds the
    /// history, weighted by [`history_tuning`](Self::history_tuning), and searches higher sums first.
    /// Killers, then history, decide between equal sums.
    fn rank(&self, _game: &G, _mv: G::Move) -> i32 {
        0
    }

    /// Returns the rank of the move that led from `before` to `game`, alone or with the forced
    /// moves after it. An exact search calls this, since it has played all moves before it orders
    /// them. `outer_window` says that only sudden ends are looked for.
    fn rank_played(&self, _before: &G, _game: &G, _outer_window: bool) -> i32 {
        0
    }

    /// Returns how much history changes the ranks.
    fn history_tuning(&self) -> HistoryTuning {
        HistoryTuning::NONE
    }

    /// Returns whether `mv` makes a threat. Such moves and the others have histories of their own.
    fn is_threat(&self, _game: &G, _mv: G::Move) -> bool {
        false
    }

    /// Appends the moves that quiescence must try before the evaluation can be trusted. None means
    /// that the position is quiet.
    fn noisy(&self, _game: &G, _out: &mut Vec<G::Move>) {}
}
