//! Time: [`Budget`], a pure function of the limits, and [`Timer`], the one place that reads the clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::control::Signal;
use crate::game::Side;
use crate::limits::{Clock, Limits};

/// The least time a search is given.
const LEAST: Duration = Duration::from_millis(1);

/// How long a search should and may take, from its start or from ponderhit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// No iteration that is unlikely to finish before this is started. `None`: no soft limit.
    pub soft: Option<Duration>,
    /// The search is cut off here. `None`: it is not.
    pub hard: Option<Duration>,
}

/// What a budget is made from, beside the client's limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Circumstances {
    /// Who moves.
    pub side: Side,
    /// An upper bound on the plies left in the game.
    pub plies_left: u32,
    /// Time lost between the client's clock and ours, per move.
    pub overhead: Duration,
    /// Whether we also think on the opponent's time.
    pub ponder: bool,
}

impl Budget {
    /// The budget for a search under `limits`; unlimited when nothing in them speaks of time.
    pub fn new(limits: &Limits, at: &Circumstances) -> Self {
        if limits.infinite {
            return Self::default();
        }
        let clock = limits.clock.as_ref().map_or_else(Self::default, |c| Self::from_clock(c, at));
        let movetime = limits.movetime.map(|time| time.max(LEAST));
        Self { soft: clock.soft, hard: earlier(clock.hard, movetime) }
    }

    fn from_clock(clock: &Clock, at: &Circumstances) -> Self {
        let left = clock.remaining(at.side).saturating_sub(at.overhead).max(LEAST);
        let increment = clock.increment[at.side.index()];
        let moves = moves_to_share(clock.moves_to_go, at.plies_left);
        // What is left to spread once every coming move has paid its overhead.
        let spread = (left + increment.saturating_mul(moves.saturating_sub(1)))
            .saturating_sub(at.overhead.saturating_mul(moves.saturating_sub(1)));
        let mut soft = spread / moves;
        if at.ponder {
            soft += soft / 4;
        }
        let last_before_control = moves == 1;
        let most = if last_before_control { left * 9 / 10 } else { left / 2 };
        let hard = (soft * 4).min(most).max(LEAST);
        Self { soft: Some(soft.min(hard).max(LEAST)), hard: Some(hard) }
    }
}

/// Over how many of our own moves the clock is spread: never more than can still be played.
fn moves_to_share(moves_to_go: Option<u32>, plies_left: u32) -> u32 {
    const HORIZON: u32 = 30;
    let ours = plies_left.div_ceil(2).max(1);
    moves_to_go.unwrap_or(HORIZON).clamp(1, ours)
}

fn earlier(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Measures one search against its budget.
#[derive(Clone, Debug)]
pub struct Timer {
    asked: Instant,
    pondering: bool,
    budget: Budget,
    signal: Arc<Signal>,
}

impl Timer {
    /// A timer for a search asked for at `asked`. While `pondering`, the budget starts only at ponderhit.
    pub fn new(asked: Instant, pondering: bool, budget: Budget, signal: Arc<Signal>) -> Self {
        Self { asked, pondering, budget, signal }
    }

    /// Time since the search was asked for.
    pub fn elapsed(&self) -> Duration {
        self.asked.elapsed()
    }

    /// Whether the hard limit has passed.
    pub fn is_over(&self) -> bool {
        self.budget.hard.is_some_and(|hard| self.spent().is_some_and(|spent| spent >= hard))
    }

    /// Whether a further iteration may begin, given how far the soft limit is stretched (in per cent).
    pub fn allows_iteration(&self, stretch: u32) -> bool {
        let Some(soft) = self.budget.soft else { return !self.is_over() };
        let Some(spent) = self.spent() else { return true };
        // The next iteration usually costs more than all before it.
        spent * 2 < soft * stretch / 100 && !self.is_over()
    }

    /// Whether any limit on time can end this search.
    pub fn is_limited(&self) -> bool {
        self.budget.hard.is_some() || self.budget.soft.is_some()
    }

    /// Time since the budget started; `None` while the opponent still thinks.
    fn spent(&self) -> Option<Duration> {
        if !self.pondering {
            return Some(self.elapsed());
        }
        self.signal.ponderhit_at().map(|at| at.elapsed())
    }
}
