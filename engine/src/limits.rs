//! Limits of a search: every limit is optional, and the first one that is reached ends the search.

use std::time::Duration;

use crate::side::Side;

/// The limits of one search. Without any limit it ends at a proven result, the last depth or a
/// stop.
///
/// ```
/// use std::time::Duration;
/// use tengen_engine::Limits;
///
/// let limits = Limits::default().with_depth(12).with_movetime(Duration::from_secs(1));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Limits {
    /// The last iteration, in plies.
    pub depth: Option<u32>,
    /// The number of nodes, over all threads.
    pub nodes: Option<u64>,
    /// The time of the search.
    pub movetime: Option<Duration>,
    /// A game clock to budget from.
    pub clock: Option<Clock>,
    /// A win within this many plies ends the search.
    pub mate: Option<u32>,
    /// Searches for the proven value only: without a principal variation and without iterative
    /// deepening. Without effect where the game has no [`crate::RootSchedule::Proving`].
    pub proof: Option<Proof>,
    /// Only a stop ends the search, and the answer is withheld until then.
    pub infinite: bool,
    /// The search is a ponder search: no time limit counts before ponderhit, and the answer is
    /// withheld until then.
    pub ponder: bool,
}

impl Limits {
    /// Ends after the iteration of this depth, in plies.
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Self {
        self.depth = Some(depth);
        self
    }

    /// Ends after so many nodes, over all threads.
    #[must_use]
    pub fn with_nodes(mut self, nodes: u64) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Ends after this time.
    #[must_use]
    pub fn with_movetime(mut self, time: Duration) -> Self {
        self.movetime = Some(time);
        self
    }

    /// Budgets time from a game clock.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Self {
        self.clock = Some(clock);
        self
    }

    /// Ends at a win within so many plies.
    #[must_use]
    pub fn with_mate(mut self, plies: u32) -> Self {
        self.mate = Some(plies);
        self
    }

    /// Asks for the proven value only.
    #[must_use]
    pub fn with_proof(mut self, proof: Proof) -> Self {
        self.proof = Some(proof);
        self
    }

    /// Ends by a stop only.
    #[must_use]
    pub fn until_stopped(mut self) -> Self {
        self.infinite = true;
        self
    }

    /// The search is a ponder search: no time limit counts before ponderhit, and the answer is
    /// withheld until then.
    #[must_use]
    pub fn pondering(mut self) -> Self {
        self.ponder = true;
        self
    }

    /// Returns whether the client decides when the answer is due: `infinite`, or `ponder` before
    /// ponderhit.
    pub fn is_open_ended(&self) -> bool {
        self.infinite || self.ponder
    }

    /// Returns whether the search ends without a stop.
    pub fn is_bounded(&self) -> bool {
        !self.is_open_ended()
            && (self.depth.is_some()
                || self.nodes.is_some()
                || self.movetime.is_some()
                || self.clock.is_some()
                || self.mate.is_some())
    }

    /// Returns whether the search has a time limit (`movetime` or a clock) and is not `infinite`.
    pub fn is_timed(&self) -> bool {
        !self.infinite && (self.movetime.is_some() || self.clock.is_some())
    }
}

/// How much of a value is to be proven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// Who wins, and how soon.
    Score,
    /// Who wins.
    Outcome,
}

/// Both players' clocks as a client reports them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Clock {
    /// Time left, by [`Side::index`]; `None` when the client did not say.
    pub remaining: [Option<Duration>; 2],
    /// Added after each move, by [`Side::index`].
    pub increment: [Duration; 2],
    /// Moves until the next time control, from 1.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// Creates clocks with this time left and this increment, each by [`Side::index`].
    pub const fn new(remaining: [Option<Duration>; 2], increment: [Duration; 2]) -> Self {
        Self { remaining, increment, moves_to_go: None }
    }

    /// Returns the time left to `side`: its own, else what the opponent's clock shows, else
    /// nothing.
    pub fn remaining(&self, side: Side) -> Duration {
        self.remaining[side.index()]
            .or(self.remaining[side.other().index()])
            .unwrap_or(Duration::ZERO)
    }
}
