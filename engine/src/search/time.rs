//! Time management: [`Budget`], a pure function of the limits, and [`Timer`], which measures a
//! search against its budget.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Instant, now};
use crate::game::side::Side;
use crate::search::control::Signal;
use crate::search::limits::{Clock, Limits};

/// The minimum time of a search.
const MIN_TIME: Duration = Duration::from_millis(1);
/// The reserve on the clock in move overheads: on a busy machine, a search may wait so long for a
/// processor.
const RESERVED_OVERHEADS: u32 = 20;
/// The number of increments in the reserve on the clock, in addition to the overheads.
const RESERVED_INCREMENTS: u32 = 5;
/// The maximum time of the increments in the reserve.
const MAX_RESERVED_INCREMENTS: Duration = Duration::from_millis(500);

/// The soft and the hard time limit of a search, from its start or from ponderhit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Budget {
    /// An iteration that is unlikely to finish before this limit is not started. `None`: no limit.
    pub soft: Option<Duration>,
    /// The search is stopped at this limit. `None`: no limit.
    pub hard: Option<Duration>,
}

/// The inputs of a budget, in addition to the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BudgetInputs {
    /// The side to move.
    pub side: Side,
    /// An upper bound on the plies left in the game.
    pub plies_left: u32,
    /// The time lost per move between the clock of the client and the engine.
    pub overhead: Duration,
    /// Whether the client lets the engine ponder.
    pub ponder: bool,
}

impl Budget {
    /// Returns the budget for a search under `limits`; unlimited if `limits` has no time limit.
    pub(crate) fn new(limits: &Limits, inputs: &BudgetInputs) -> Self {
        if limits.infinite {
            return Self::default();
        }
        let clock =
            limits.clock.as_ref().map_or_else(Self::default, |c| Self::from_clock(c, inputs));
        let movetime = limits.movetime.map(|time| time.max(MIN_TIME));
        Self { soft: clock.soft, hard: earlier(clock.hard, movetime) }
    }

    /// Returns the hard limit in nodes, if `nodes_per_ms` nodes count as a millisecond; `None`
    /// without a hard limit, or if `nodes_per_ms` is 0.
    pub(crate) fn nodes(&self, nodes_per_ms: u32) -> Option<u64> {
        let hard = self.hard.filter(|_| nodes_per_ms > 0)?;
        let nodes = hard.as_micros() * u128::from(nodes_per_ms) / 1000;
        Some(u64::try_from(nodes).unwrap_or(u64::MAX).max(1))
    }

    fn from_clock(clock: &Clock, inputs: &BudgetInputs) -> Self {
        let left = clock.remaining(inputs.side).saturating_sub(inputs.overhead).max(MIN_TIME);
        let increment = clock.increment[inputs.side.index()];
        let free = left - clock_reserve(inputs.overhead, increment).min(left * 3 / 4);
        let moves = moves_to_share(clock.moves_to_go, inputs.plies_left);
        // The time for the coming moves, without the overhead of each.
        let spread = (free + increment.saturating_mul(moves.saturating_sub(1)))
            .saturating_sub(inputs.overhead.saturating_mul(moves.saturating_sub(1)));
        let mut soft = spread / moves;
        if inputs.ponder {
            soft += soft / 4;
        }
        let last_before_control = moves == 1;
        let kept_for_overheads = left.saturating_sub(coming_overheads(clock, inputs));
        let most =
            if last_before_control { left * 9 / 10 } else { free.min(kept_for_overheads) / 2 };
        let hard = (soft * 4).min(most).max(MIN_TIME);
        Self { soft: Some(soft.min(hard).max(MIN_TIME)), hard: Some(hard) }
    }
}

/// Returns the reserve on the clock, for times in which the system does not run the search.
fn clock_reserve(overhead: Duration, increment: Duration) -> Duration {
    let increments = increment.saturating_mul(RESERVED_INCREMENTS).min(MAX_RESERVED_INCREMENTS);
    overhead * RESERVED_OVERHEADS + increments
}

/// Returns the sum of the overheads of the coming moves of a long game, minus their increments.
fn coming_overheads(clock: &Clock, inputs: &BudgetInputs) -> Duration {
    const LONG: u32 = 60;
    let coming = (inputs.plies_left.div_ceil(2).saturating_sub(1)).min(LONG);
    let coming = clock.moves_to_go.map_or(coming, |moves| moves.saturating_sub(1).min(coming));
    (inputs.overhead + MIN_TIME).saturating_sub(clock.increment[inputs.side.index()]) * coming
}

/// Returns the number of own moves that share the time on the clock, at most the moves that can
/// still be played.
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

/// Measures one search against its budget.
#[derive(Clone, Debug)]
pub(crate) struct Timer {
    requested: Instant,
    pondering: bool,
    budget: Budget,
    /// The number of nodes that count as a millisecond of the soft limit; 0 uses the clock.
    nodes_per_ms: u32,
    signal: Arc<Signal>,
}

impl Timer {
    /// Creates the timer of a search that was requested at `requested`. If `pondering`, the budget
    /// starts at ponderhit.
    pub(crate) fn new(
        requested: Instant,
        pondering: bool,
        budget: Budget,
        signal: Arc<Signal>,
    ) -> Self {
        Self { requested, pondering, budget, nodes_per_ms: 0, signal }
    }

    /// Sets the number of nodes that count as a millisecond of the soft limit; 0 uses the clock.
    pub(crate) fn with_nodes_per_ms(self, nodes_per_ms: u32) -> Self {
        Self { nodes_per_ms, ..self }
    }

    /// Creates a timer without limits.
    pub(crate) fn unlimited(signal: Arc<Signal>) -> Self {
        Self::new(now(), false, Budget::default(), signal)
    }

    /// Returns the time since the request.
    pub(crate) fn elapsed(&self) -> Duration {
        self.requested.elapsed()
    }

    /// Returns the instant at half of the hard limit after the request, also for a ponder search;
    /// `None` without a hard limit.
    pub(crate) fn half_of_hard_limit(&self) -> Option<Instant> {
        self.requested.checked_add(self.budget.hard? / 2)
    }

    /// Returns a timer whose limits are a part of these: `numerator` / `denominator`.
    pub(crate) fn part(&self, numerator: u32, denominator: u32) -> Self {
        let part = |limit: Duration| limit / denominator * numerator;
        let Budget { soft, hard } = self.budget;
        Self { budget: Budget { soft: soft.map(part), hard: hard.map(part) }, ..self.clone() }
    }

    /// Returns whether the hard limit has passed.
    pub(crate) fn is_over(&self) -> bool {
        self.budget.hard.is_some_and(|hard| self.spent().is_some_and(|spent| spent >= hard))
    }

    /// Returns whether another iteration may start after `nodes` nodes, if the search may use
    /// `percent` per cent of the soft limit.
    pub(crate) fn allows_iteration(&self, percent: u32, nodes: u64) -> bool {
        let Some(soft) = self.budget.soft else { return !self.is_over() };
        let Some(spent) = self.spent().map(|spent| self.soft_time_used(spent, nodes)) else {
            return true;
        };
        // The next iteration usually takes as long as all iterations before it. If it starts late,
        // it is not finished in time.
        spent * 3 < soft * 2 * percent / 100 && !self.is_over()
    }

    /// Returns the used part of the soft limit, after the time `spent` and this number of `nodes`.
    fn soft_time_used(&self, spent: Duration, nodes: u64) -> Duration {
        match u64::from(self.nodes_per_ms) {
            0 => spent,
            rate => Duration::from_micros(nodes.saturating_mul(1000) / rate),
        }
    }

    /// Returns the time since the start of the budget; `None` before ponderhit.
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

    const INPUTS: BudgetInputs = BudgetInputs {
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
    fn half_of_the_hard_limit_counts_from_the_request() {
        let timer = |hard| {
            let budget = Budget { soft: None, hard };
            Timer::new(now(), false, budget, Arc::default())
        };
        let second = timer(Some(Duration::from_secs(1)));
        assert_eq!(
            second.half_of_hard_limit(),
            Some(second.requested + Duration::from_millis(500))
        );
        assert_eq!(
            [None, Some(Duration::MAX)].map(|hard| timer(hard).half_of_hard_limit()),
            [None; 2]
        );
    }

    #[test]
    fn without_a_time_limit_the_budget_is_unlimited() {
        let depth = Limits { depth: Some(9), ..Limits::default() };
        assert_eq!(Budget::new(&depth, &INPUTS), Budget::default());
        let infinite = Limits { infinite: true, ..clock(1000, 0, None) };
        assert_eq!(Budget::new(&infinite, &INPUTS), Budget::default());
    }

    #[test]
    fn a_move_time_is_the_hard_limit() {
        let time = Duration::from_millis(100);
        let limits = Limits { movetime: Some(time), ..Limits::default() };
        assert_eq!(Budget::new(&limits, &INPUTS), Budget { soft: None, hard: Some(time) });
        let both = Limits { movetime: Some(time), ..clock(1_000_000, 0, None) };
        assert_eq!(Budget::new(&both, &INPUTS).hard, Some(time));
    }

    #[test]
    fn a_single_known_clock_counts_for_both_sides() {
        let second = BudgetInputs { side: Side::Second, ..INPUTS };
        assert_eq!(
            Budget::new(&clock(9000, 0, None), &second),
            Budget::new(&clock(9000, 0, None), &INPUTS)
        );
    }

    #[test]
    fn the_soft_limit_depends_on_pondering_and_on_the_moves_to_come() {
        let soft =
            |limits: &Limits, inputs: &BudgetInputs| Budget::new(limits, inputs).soft.unwrap();
        let alone = soft(&clock(60_000, 0, None), &INPUTS);
        assert!(soft(&clock(60_000, 0, None), &BudgetInputs { ponder: true, ..INPUTS }) > alone);
        assert!(soft(&clock(60_000, 0, Some(2)), &INPUTS) > alone);
        assert!(soft(&clock(60_000, 0, None), &BudgetInputs { plies_left: 4, ..INPUTS }) > alone);
        assert!(soft(&clock(60_000, 1000, None), &INPUTS) > alone);
    }

    #[test]
    fn a_clock_with_an_increment_keeps_a_reserve() {
        for (start, increment, kept) in [(5000, 50, 270), (10_000, 100, 600)] {
            let mut left = start;
            for _ in 0..100 {
                let inputs = BudgetInputs { plies_left: 200, ..INPUTS };
                let budget = Budget::new(&clock(left, increment, None), &inputs);
                left -= budget.hard.unwrap().as_millis() as u64 + 10;
                assert!(left >= kept, "{left} ms");
                left += increment;
            }
        }
    }

    /// One side of a game with its clock.
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

        /// Makes a move in the soft limit plus `share` per cent of the way to the hard limit. If
        /// `share` is below 0, the move takes only its absolute value in per cent of the soft
        /// limit. Returns the time of the move; `None` if the clock runs out.
        fn think(&mut self, plies_left: u32, share: i32) -> Option<Duration> {
            let clock = Clock {
                remaining: [Some(self.left), None],
                increment: [self.increment; 2],
                moves_to_go: None,
            };
            let limits = Limits { clock: Some(clock), ..Limits::default() };
            let inputs = BudgetInputs { plies_left, overhead: self.overhead, ..INPUTS };
            let budget = Budget::new(&limits, &inputs);
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
    fn no_clock_runs_out_in_a_whole_game() {
        for (left, increment, overhead) in
            [(1_000, 10, 5), (10_000, 100, 10), (60_000, 0, 10), (300_000, 3_000, 50)]
        {
            for cells in [42, 225, 400] {
                for seed in 0..20_i32 {
                    let mut player = Player::new(left, increment, overhead);
                    // A hundred moves of one side are more than any game takes.
                    for plies_left in (1..=cells).rev().step_by(2).take(100) {
                        // Short, usual and long times in mixed order.
                        let mixed = (plies_left as i32 * 7919 + seed * 104_729) % 200;
                        let thought = player.think(plies_left, mixed - 100);
                        assert!(thought.is_some(), "{left}+{increment}, {plies_left} plies left");
                    }
                }
            }
        }
    }

    #[test]
    fn a_game_of_usual_length_uses_most_of_its_time_but_not_all() {
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
            // A move in the middle gets at least a fifth of the time of the first move.
            assert!(thoughts[20] * 5 > thoughts[0], "{thoughts:?}");
        }
    }

    #[test]
    fn a_greater_overhead_leaves_less_for_every_move() {
        let soft = |overhead_ms| {
            let inputs = BudgetInputs { overhead: Duration::from_millis(overhead_ms), ..INPUTS };
            Budget::new(&clock(10_000, 0, None), &inputs).soft.unwrap()
        };
        assert!(soft(0) > soft(50) && soft(50) > soft(200));
        // With more overhead than time, the move is made immediately.
        let broke = BudgetInputs { overhead: Duration::from_secs(20), ..INPUTS };
        assert_eq!(Budget::new(&clock(10_000, 0, None), &broke).hard, Some(MIN_TIME));
    }

    #[test]
    fn nodes_replace_time_if_nodes_per_ms_is_set() {
        let budget = Budget { soft: None, hard: Some(Duration::from_micros(2_500)) };
        assert_eq!(budget.nodes(0), None);
        assert_eq!(budget.nodes(1_000), Some(2_500));
        assert_eq!(Budget::default().nodes(1_000), None);
        assert_eq!(Budget { hard: Some(Duration::MAX), ..budget }.nodes(u32::MAX), Some(u64::MAX));
        let soft = Budget { soft: Some(Duration::from_secs(1)), hard: None };
        let timer = Timer::new(now(), false, soft, Arc::default()).with_nodes_per_ms(100);
        assert!(timer.allows_iteration(100, 66_000) && !timer.allows_iteration(100, 67_000));
        assert!(timer.allows_iteration(150, 67_000));
    }

    /// Returns the timer of a ponder search that was requested `requested` ago. The ponderhit came
    /// `pondered` after the request; `None` if it has not come yet.
    fn pondering(requested: Duration, pondered: Option<Duration>, budget: Budget) -> Timer {
        let signal = Arc::new(Signal::default());
        let begun = now().checked_sub(requested).expect("a machine that runs as long");
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
                let inputs = BudgetInputs { plies_left, ponder, ..INPUTS };
                let budget = Budget::new(&clock(left, increment, to_go), &inputs);
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
