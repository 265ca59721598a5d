//! Time: [`Budget`], a pure function of the limits, and [`Timer`], which measures a search
//! against it. Only this module reads the clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::control::Signal;
use crate::limits::{Clock, Limits};
use crate::side::Side;

/// The least time a search is given.
const MIN_TIME: Duration = Duration::from_millis(1);
/// How many move overheads stay on the clock as a reserve: on a busy machine a search can get no
/// processor for so long.
const RESERVED_OVERHEADS: u32 = 20;
/// How many increments stay on the clock beside the overheads: they fill the reserve again.
const RESERVED_INCREMENTS: u32 = 5;
/// The most that the increments add to the reserve.
const MAX_RESERVED_INCREMENTS: Duration = Duration::from_millis(500);

/// How long a search should and may take, from its start or from ponderhit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Budget {
    /// An iteration that is unlikely to finish before this is not started. `None`: no soft limit.
    pub soft: Option<Duration>,
    /// The search is cut off here. `None`: no hard limit.
    pub hard: Option<Duration>,
}

/// The facts that a budget depends on, beside the client's limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Circumstances {
    /// The side to move.
    pub side: Side,
    /// An upper bound on the plies left in the game.
    pub plies_left: u32,
    /// Time lost between the client's clock and ours, per move.
    pub overhead: Duration,
    /// Whether the client lets the engine ponder.
    pub ponder: bool,
}

impl Budget {
    /// Returns the budget for a search under `limits`; unlimited when none of them is about time.
    pub(crate) fn new(limits: &Limits, at: &Circumstances) -> Self {
        if limits.infinite {
            return Self::default();
        }
        let clock = limits.clock.as_ref().map_or_else(Self::default, |c| Self::from_clock(c, at));
        let movetime = limits.movetime.map(|time| time.max(MIN_TIME));
        Self { soft: clock.soft, hard: earlier(clock.hard, movetime) }
    }

    /// Returns the hard limit in nodes, where `nodes_per_ms` nodes count for a millisecond; `None` when
    /// there is no such limit, or `nodes_per_ms` is 0.
    pub(crate) fn nodes(&self, nodes_per_ms: u32) -> Option<u64> {
        let hard = self.hard.filter(|_| nodes_per_ms > 0)?;
        let nodes = hard.as_micros() * u128::from(nodes_per_ms) / 1000;
        Some(u64::try_from(nodes).unwrap_or(u64::MAX).max(1))
    }

    fn from_clock(clock: &Clock, at: &Circumstances) -> Self {
        let left = clock.remaining(at.side).saturating_sub(at.overhead).max(MIN_TIME);
        let increment = clock.increment[at.side.index()];
        let free = left - clock_reserve(at.overhead, increment).min(left * 3 / 4);
        let moves = moves_to_share(clock.moves_to_go, at.plies_left);
        // The time to spread over the coming moves, after the overhead of each.
        let spread = (free + increment.saturating_mul(moves.saturating_sub(1)))
            .saturating_sub(at.overhead.saturating_mul(moves.saturating_sub(1)));
        let mut soft = spread / moves;
        if at.ponder {
            soft += soft / 4;
        }
        let last_before_control = moves == 1;
        let kept_for_overheads = left.saturating_sub(coming_overheads(clock, at));
        let most =
            if last_before_control { left * 9 / 10 } else { free.min(kept_for_overheads) / 2 };
        let hard = (soft * 4).min(most).max(MIN_TIME);
        Self { soft: Some(soft.min(hard).max(MIN_TIME)), hard: Some(hard) }
    }
}

/// Returns the reserve on the clock. It lasts for a while in which the system does not run the
/// search.
fn clock_reserve(overhead: Duration, increment: Duration) -> Duration {
    let increments = increment.saturating_mul(RESERVED_INCREMENTS).min(MAX_RESERVED_INCREMENTS);
    overhead * RESERVED_OVERHEADS + increments
}

/// Returns the overheads of the coming moves of a long game, as far as increments do not pay for
/// them.
fn coming_overheads(clock: &Clock, at: &Circumstances) -> Duration {
    const LONG: u32 = 60;
    let coming = (at.plies_left.div_ceil(2).saturating_sub(1)).min(LONG);
    let coming = clock.moves_to_go.map_or(coming, |moves| moves.saturating_sub(1).min(coming));
    (at.overhead + MIN_TIME).saturating_sub(clock.increment[at.side.index()]) * coming
}

/// Returns the number of our moves over which the clock is spread, at most the moves that can still
/// be played.
fn moves_to_share(moves_to_go: Option<u32>, plies_left: u32) -> u32 {
    const DEFAULT_MOVES_TO_GO: u32 = 30;
    let ours = plies_left.div_ceil(2).max(1);
    moves_to_go.unwrap_or(DEFAULT_MOVES_TO_GO).clamp(1, ours)
}

fn earlier(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// Returns the time, for events that come with no time stamp.
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns the time since `at`.
pub(crate) fn since(at: Instant) -> Duration {
    at.elapsed()
}

/// Measures one search against its budget.
#[derive(Clone, Debug)]
pub(crate) struct Timer {
    asked: Instant,
    pondering: bool,
    budget: Budget,
    /// How many nodes count for a millisecond of the soft limit; 0: the clock decides.
    nodes_per_ms: u32,
    signal: Arc<Signal>,
}

impl Timer {
    /// Creates the timer of a search asked for at `asked`. While `pondering`, the budget starts only at
    /// ponderhit.
    pub(crate) fn new(
        asked: Instant,
        pondering: bool,
        budget: Budget,
        signal: Arc<Signal>,
    ) -> Self {
        Self { asked, pondering, budget, nodes_per_ms: 0, signal }
    }

    /// Counts `nodes_per_ms` nodes as a millisecond of the soft limit; 0: the clock decides.
    pub(crate) fn counting(self, nodes_per_ms: u32) -> Self {
        Self { nodes_per_ms, ..self }
    }

    /// Creates a timer without limits.
    pub(crate) fn unlimited(signal: Arc<Signal>) -> Self {
        Self::new(now(), false, Budget::default(), signal)
    }

    /// Returns the time since the search was asked for.
    pub(crate) fn elapsed(&self) -> Duration {
        self.asked.elapsed()
    }

    /// Returns when half of the hard limit will have passed since the search was asked for, also when
    /// it was asked to ponder; `None` without such a limit.
    pub(crate) fn half_of_hard_limit(&self) -> Option<Instant> {
        self.asked.checked_add(self.budget.hard? / 2)
    }

    /// Returns whether the hard limit has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.budget.hard.is_some_and(|hard| self.spent().is_some_and(|spent| spent >= hard))
    }

    /// Returns whether a further iteration may begin after `nodes` nodes, if the search may use
    /// `percent` per cent of the soft limit.
    pub(crate) fn allows_iteration(&self, percent: u32, nodes: u64) -> bool {
        let Some(soft) = self.budget.soft else { return !self.is_over() };
        let Some(spent) = self.spent().map(|spent| self.measured(spent, nodes)) else {
            return true;
        };
        // The next iteration usually costs as much as all before it: one begun late would be broken
        // off.
        spent * 3 < soft * 2 * percent / 100 && !self.is_over()
    }

    /// Returns how much of the soft limit is used up after `spent` and so many nodes.
    fn measured(&self, spent: Duration, nodes: u64) -> Duration {
        match u64::from(self.nodes_per_ms) {
            0 => spent,
            rate => Duration::from_micros(nodes.saturating_mul(1000) / rate),
        }
    }

    /// Returns the time since the budget started; `None` while the opponent still thinks.
    fn spent(&self) -> Option<Duration> {
        if !self.pondering {
            return Some(self.elapsed());
        }
        self.signal.ponderhit_at().map(|at| at.elapsed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AT: Circumstances = Circumstances {
        side: Side::First,
        plies_left: 42,
        overhead: Duration::from_millis(10),
        ponder: false,
    };

    fn clock(ms: u64, increment: u64, moves_to_go: Option<u32>) -> Limits {
        let left = Duration::from_millis(ms);
        let clock = Clock {
            remaining: [Some(left), None],
            increment: [Duration::from_millis(increment); 2],
            moves_to_go,
        };
        Limits { clock: Some(clock), ..Limits::default() }
    }

    #[test]
    fn half_of_the_hard_limit_is_a_time_on_the_clock() {
        let timer = |hard| {
            let budget = Budget { soft: None, hard };
            Timer::new(now(), false, budget, Arc::default())
        };
        let second = timer(Some(Duration::from_secs(1)));
        assert_eq!(second.half_of_hard_limit(), Some(second.asked + Duration::from_millis(500)));
        assert_eq!(
            [None, Some(Duration::MAX)].map(|hard| timer(hard).half_of_hard_limit()),
            [None; 2]
        );
    }

    #[test]
    fn no_limit_on_time_is_no_budget() {
        let depth = Limits { depth: Some(9), ..Limits::default() };
        assert_eq!(Budget::new(&depth, &AT), Budget::default());
        let infinite = Limits { infinite: true, ..clock(1000, 0, None) };
        assert_eq!(Budget::new(&infinite, &AT), Budget::default());
    }

    #[test]
    fn a_move_time_is_taken_whole() {
        let time = Duration::from_millis(100);
        let limits = Limits { movetime: Some(time), ..Limits::default() };
        assert_eq!(Budget::new(&limits, &AT), Budget { soft: None, hard: Some(time) });
        let both = Limits { movetime: Some(time), ..clock(1_000_000, 0, None) };
        assert_eq!(Budget::new(&both, &AT).hard, Some(time));
    }

    #[test]
    fn the_only_clock_known_counts_for_both() {
        let second = Circumstances { side: Side::Second, ..AT };
        assert_eq!(
            Budget::new(&clock(9000, 0, None), &second),
            Budget::new(&clock(9000, 0, None), &AT)
        );
    }

    #[test]
    fn pondering_and_more_moves_to_share_change_the_soft_limit() {
        let soft = |limits: &Limits, at: &Circumstances| Budget::new(limits, at).soft.unwrap();
        let alone = soft(&clock(60_000, 0, None), &AT);
        assert!(soft(&clock(60_000, 0, None), &Circumstances { ponder: true, ..AT }) > alone);
        assert!(soft(&clock(60_000, 0, Some(2)), &AT) > alone);
        assert!(soft(&clock(60_000, 0, None), &Circumstances { plies_left: 4, ..AT }) > alone);
        assert!(soft(&clock(60_000, 1000, None), &AT) > alone);
    }

    #[test]
    fn a_clock_with_an_increment_is_not_run_down_to_nothing() {
        for (start, increment, kept) in [(5000, 50, 270), (10_000, 100, 600)] {
            let mut left = start;
            for _ in 0..100 {
                let at = Circumstances { plies_left: 200, ..AT };
                let budget = Budget::new(&clock(left, increment, None), &at);
                left -= budget.hard.unwrap().as_millis() as u64 + 10;
                assert!(left >= kept, "{left} ms");
                left += increment;
            }
        }
    }

    /// One side of a game: its clock, its overhead and how far it spends each budget.
    struct Player {
        left: Duration,
        increment: Duration,
        overhead: Duration,
    }

    impl Player {
        fn new(left_ms: u64, increment_ms: u64, overhead_ms: u64) -> Self {
            let [left, increment, overhead] =
                [left_ms, increment_ms, overhead_ms].map(Duration::from_millis);
            Self { left, increment, overhead }
        }

        /// Thinks for `share` per cent of the way from the soft to the hard limit (below 0: of the
        /// soft one), loses the overhead and gets the increment. `None` when the flag falls.
        fn think(&mut self, plies_left: u32, share: i32) -> Option<Duration> {
            let clock = Clock {
                remaining: [Some(self.left), None],
                increment: [self.increment; 2],
                moves_to_go: None,
            };
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            let at = Circumstances { plies_left, overhead: self.overhead, ..AT };
            let budget = Budget::new(&limits, &at);
            let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
            let spent = if share < 0 {
                soft * share.unsigned_abs() / 100
            } else {
                soft + (hard - soft) * share.unsigned_abs() / 100
            };
            self.left = self.left.checked_sub(spent + self.overhead)? + self.increment;
            Some(spent)
        }
    }

    #[test]
    fn no_clock_falls_over_a_whole_game_whatever_its_moves_take() {
        for (left, increment, overhead) in
            [(1_000, 10, 5), (10_000, 100, 10), (60_000, 0, 10), (300_000, 3_000, 50)]
        {
            for cells in [42, 225, 400] {
                for seed in 0..20_i32 {
                    let mut player = Player::new(left, increment, overhead);
                    // A hundred moves of one side are more than any game takes.
                    for plies_left in (1..=cells).rev().step_by(2).take(100) {
                        // Quick moves, usual ones and long thoughts in no order.
                        let mixed = (plies_left as i32 * 7919 + seed * 104_729) % 200;
                        let thought = player.think(plies_left, mixed - 100);
                        assert!(thought.is_some(), "{left}+{increment}, {plies_left} plies left");
                    }
                }
            }
        }
    }

    #[test]
    fn a_game_of_usual_length_uses_most_of_its_time_and_leaves_enough() {
        for (left, increment) in [(60_000, 0), (60_000, 600), (10_000, 100)] {
            let mut player = Player::new(left, increment, 10);
            let total = Duration::from_millis(left + 40 * increment);
            let mut spent = Duration::ZERO;
            let mut thoughts = Vec::new();
            // Every move takes its soft limit; 40 of our moves on a board of 225 points.
            for plies_left in (146..=225).rev().step_by(2) {
                thoughts.push(player.think(plies_left, 0).unwrap());
                spent += thoughts[thoughts.len() - 1];
            }
            assert!(spent * 100 > total * 60, "{spent:?} of {total:?}");
            assert!(spent < total);
            // No move of the middle gets less than a fifth of the first one's time.
            assert!(thoughts[20] * 5 > thoughts[0], "{thoughts:?}");
        }
    }

    #[test]
    fn a_greater_overhead_leaves_less_for_every_move() {
        let soft = |overhead_ms| {
            let at = Circumstances { overhead: Duration::from_millis(overhead_ms), ..AT };
            Budget::new(&clock(10_000, 0, None), &at).soft.unwrap()
        };
        assert!(soft(0) > soft(50) && soft(50) > soft(200));
        // As much overhead as there is time: still a move, at once.
        let broke = Circumstances { overhead: Duration::from_secs(20), ..AT };
        assert_eq!(Budget::new(&clock(10_000, 0, None), &broke).hard, Some(MIN_TIME));
    }

    #[test]
    fn nodes_stand_for_time_where_they_are_counted() {
        let budget = Budget { soft: None, hard: Some(Duration::from_micros(2_500)) };
        assert_eq!(budget.nodes(0), None);
        assert_eq!(budget.nodes(1_000), Some(2_500));
        assert_eq!(Budget::default().nodes(1_000), None);
        assert_eq!(Budget { hard: Some(Duration::MAX), ..budget }.nodes(u32::MAX), Some(u64::MAX));
        let soft = Budget { soft: Some(Duration::from_secs(1)), hard: None };
        let timer = Timer::new(now(), false, soft, Arc::default()).counting(100);
        assert!(timer.allows_iteration(100, 66_000) && !timer.allows_iteration(100, 67_000));
        assert!(timer.allows_iteration(150, 67_000));
    }

    /// Returns a search that was asked for `asked` ago and ponders, as long as `pondered` if that
    /// is over.
    fn pondering(asked: Duration, pondered: Option<Duration>, budget: Budget) -> Timer {
        let signal = Arc::new(Signal::default());
        let begun = now().checked_sub(asked).expect("a machine that runs as long");
        if let Some(pondered) = pondered {
            signal.ponderhit(begun + pondered);
        }
        Timer::new(begun, true, budget, signal)
    }

    #[test]
    fn the_budget_of_a_pondering_search_is_counted_from_ponderhit() {
        const HARD: Duration = Duration::from_secs(20);
        let budget = Budget { soft: Some(HARD / 2), hard: Some(HARD) };
        let state = |pondered| {
            let timer = pondering(3 * HARD, pondered, budget);
            (timer.allows_iteration(100, 0), timer.is_over())
        };
        assert_eq!(state(None), (true, false), "the opponent's time costs nothing");
        assert_eq!(state(Some(3 * HARD)), (true, false), "all of it is still there");
        assert_eq!(state(Some(HARD * 5 / 2)), (false, false), "the soft limit has passed");
        assert_eq!(state(Some(HARD)), (false, true), "the hard limit has passed");
        let timer = pondering(3 * HARD, Some(2 * HARD), budget);
        timer.signal.ponderhit(now());
        assert!(timer.is_over(), "only the first ponderhit counts");
    }

    proptest! {
        #[test]
        fn a_game_played_to_every_hard_limit_never_runs_out_of_time(
            ms in 500u64..600_000,
            increment in 0u64..2_000,
            plies in 2u32..484,
            control in proptest::option::of(1u32..40),
            ponder: bool,
        ) {
            let (mut left, mut to_go) = (ms, control);
            for plies_left in (1..=plies).rev().step_by(2) {
                let at = Circumstances { plies_left, ponder, ..AT };
                let budget = Budget::new(&clock(left, increment, to_go), &at);
                let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
                prop_assert!(MIN_TIME <= soft && soft <= hard);
                let cost = hard.as_millis() as u64 + if hard > MIN_TIME { 10 } else { 0 };
                prop_assert!(cost <= left, "{cost} ms of {left}");
                left = left - cost + increment;
                to_go = to_go.map(|moves| moves - 1);
                if to_go == Some(0) {
                    (left, to_go) = (left + ms, control);
                }
            }
        }
    }
}
