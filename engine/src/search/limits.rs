//! Limits of a search: every limit is optional, and the first one that is reached ends the search.

use std::time::Duration;

use crate::game::side::Side;

/// The limits of one search. Without limits, the search ends at a proven result, at the maximum
/// depth or after a stop.
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
    /// The depth of the last iteration, in plies.
    pub depth: Option<u32>,
    /// The number of nodes, over all threads.
    pub nodes: Option<u64>,
    /// The time of the search.
    pub movetime: Option<Duration>,
    /// The game clocks. The search computes its time from them.
    pub clock: Option<Clock>,
    /// The search ends at a win within this many plies.
    pub mate: Option<u32>,
    /// Searches for the proven value only, without a principal variation and without iterative
    /// deepening. If a book has the value, the answer may have no move. It has no effect on games
    /// without [`crate::RootSchedule::Proving`].
    pub proof: Option<Proof>,
    /// Only a stop ends the search. The client gets no answer before the stop.
    pub infinite: bool,
    /// The search is a ponder search: time limits count from ponderhit, and the client gets no
    /// answer before ponderhit or a stop.
    pub ponder: bool,
}

impl Limits {
    setters! {
        /// Sets the depth of the last iteration, in plies.
        with_depth(depth: u32) => depth = Some(depth);
        /// Sets the number of nodes, over all threads.
        with_nodes(nodes: u64) => nodes = Some(nodes);
        /// Sets the time of the search.
        with_movetime(time: Duration) => movetime = Some(time);
        /// Sets the game clocks.
        with_clock(clock: Clock) => clock = Some(clock);
        /// Ends the search at a win within `plies` plies.
        with_mate(plies: u32) => mate = Some(plies);
        /// Searches for the proven value only.
        with_proof(proof: Proof) => proof = Some(proof);
    }

    /// Lets only a stop end the search.
    #[must_use]
    pub fn until_stopped(mut self) -> Self {
        self.infinite = true;
        self
    }

    /// Makes the search a ponder search: time limits count from ponderhit, and the client gets no
    /// answer before ponderhit or a stop.
    #[must_use]
    pub fn pondering(mut self) -> Self {
        self.ponder = true;
        self
    }

    /// Returns whether the answer must wait for the client: `infinite` or `ponder`.
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

/// What a proof must find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The exact score: the winner and the distance to the end.
    Score,
    /// Only the winner, or a draw.
    Outcome,
}

/// The clocks of both players, as a client reports them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Clock {
    /// The time left, by [`Side::index`]; `None` if the client did not send it.
    pub remaining: [Option<Duration>; 2],
    /// The increment after each move, by [`Side::index`].
    pub increment: [Duration; 2],
    /// The number of moves to the next time control, from 1; `None` without time controls.
    pub moves_to_go: Option<u32>,
}

impl Clock {
    /// Creates clocks with the time left and the increment of each player, by [`Side::index`].
    pub const fn new(remaining: [Option<Duration>; 2], increment: [Duration; 2]) -> Self {
        Self { remaining, increment, moves_to_go: None }
    }

    /// Returns the time left of `side`. If it is unknown, returns the time of the opponent, or else
    /// 0.
    pub fn remaining(&self, side: Side) -> Duration {
        self.remaining[side.index()]
            .or(self.remaining[side.other().index()])
            .unwrap_or(Duration::ZERO)
    }
}
