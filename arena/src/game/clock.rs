//! A player's clock: the remaining time, the limits that an engine gets, and losses on time.
//!
//! This module does not read the system clock: callers pass times in.

use std::time::{Duration, Instant};

use tengen_engine::{Clock, Limits, Side};

use crate::config::TimeControl;

/// The clock of one player in one game.
#[derive(Clone, Copy, Debug)]
pub struct PlayerClock {
    control: TimeControl,
    /// The number of moves made.
    moves: u32,
    /// The time used for these moves.
    used: Duration,
}

/// What a move cost on the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spent {
    /// The remaining time after the move, in milliseconds. It is below 0 if the move used the
    /// margin. `None` without a clock for the game.
    pub left_millis: Option<i64>,
    /// The time by which the move exceeded its limit; zero if it did not.
    pub overrun: Duration,
    /// Whether `overrun` exceeds the margin, so that the player loses.
    pub is_late: bool,
}

impl PlayerClock {
    /// Creates the clock before the first move.
    pub fn new(control: TimeControl) -> Self {
        Self { control, moves: 0, used: Duration::ZERO }
    }

    /// Returns the remaining time before the next move; `None` without a clock for the game.
    ///
    /// With base time `B` and increment `I`, the k-th move finds `B + kI - used`, and `B` more
    /// after each `M` moves.
    pub fn left(&self) -> Option<Duration> {
        let clock = self.control.clock?;
        let periods = clock.moves.map_or(0, |moves| self.moves / moves);
        let given = clock.base * (1 + periods) + clock.increment * (self.moves + 1);
        Some(given.saturating_sub(self.used))
    }

    /// Returns the time limit of the next move, without the margin; `None` without a limit.
    pub fn limit(&self) -> Option<Duration> {
        [self.left(), self.control.turn].into_iter().flatten().min()
    }

    /// Returns when a move that was requested at `started_at` is lost on time; `None` without a
    /// limit.
    pub fn deadline(&self, started_at: Instant) -> Option<Instant> {
        self.limit().map(|limit| started_at + limit + self.control.margin())
    }

    /// Counts a move that took `time`.
    pub fn spend(&mut self, time: Duration) -> Spent {
        let overrun = self.limit().map_or(Duration::ZERO, |limit| time.saturating_sub(limit));
        let left = self.left();
        self.moves += 1;
        self.used += time;
        let left_millis = left.map(|left| {
            let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
            millis(left) - millis(time)
        });
        Spent { left_millis, overrun, is_late: overrun > self.control.margin() }
    }

    /// Returns the number of moves until the base time is given again, counting the next move.
    fn moves_to_go(&self) -> Option<u32> {
        let moves = self.control.clock?.moves?;
        Some(moves - self.moves % moves)
    }
}

/// An engine may use 1/`SHARE_DIVISOR` of the remaining time for one move if the time control has
/// both a clock and a time for each move.
const SHARE_DIVISOR: u32 = 20;

/// Returns the limits that an engine gets before its move.
///
/// `clocks` are the clocks of both sides, `side` is to move. `keeps_clock` says that the engine got
/// the limits of the game at the start, so that it only needs its own remaining time.
pub fn limits(clocks: &[PlayerClock; 2], side: Side, keeps_clock: bool) -> Limits {
    let own = &clocks[side.index()];
    let control = own.control;
    let mut limits = Limits::default();
    limits.nodes = control.nodes;
    limits.depth = control.depth;
    if keeps_clock {
        let mut remaining = [None; 2];
        remaining[side.index()] = own.left();
        limits.clock = own.left().map(|_| Clock::new(remaining, [Duration::ZERO; 2]));
        return limits;
    }
    match (own.left(), control.turn) {
        (Some(left), Some(turn)) => limits.movetime = Some(turn.min(left / SHARE_DIVISOR)),
        (None, turn) => limits.movetime = turn,
        (Some(_), None) => {
            let increments =
                clocks.map(|clock| clock.control.clock.map_or(Duration::ZERO, |c| c.increment));
            let mut clock = Clock::new(clocks.map(|clock| clock.left()), increments);
            clock.moves_to_go = own.moves_to_go();
            limits.clock = Some(clock);
        }
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::time_control::read_clock;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn clock(text: &str) -> TimeControl {
        TimeControl { clock: Some(read_clock(text).unwrap()), ..TimeControl::default() }
    }

    #[test]
    fn a_clock_gives_its_increment_before_each_move() {
        let mut player = PlayerClock::new(clock("3+0.5"));
        assert_eq!(player.left(), Some(ms(3500)));
        let spent = player.spend(ms(1000));
        assert_eq!((spent.left_millis, spent.is_late), (Some(2500), false));
        assert_eq!(player.left(), Some(ms(3000)));
        let spent = player.spend(ms(3001));
        assert_eq!((spent.left_millis, spent.overrun, spent.is_late), (Some(-1), ms(1), true));
    }

    #[test]
    fn base_time_is_added_after_a_number_of_moves() {
        let mut player = PlayerClock::new(clock("2/1+0"));
        assert_eq!(player.moves_to_go(), Some(2));
        player.spend(ms(400));
        assert_eq!((player.left(), player.moves_to_go()), (Some(ms(600)), Some(1)));
        player.spend(ms(500));
        assert_eq!((player.left(), player.moves_to_go()), (Some(ms(1100)), Some(2)));
    }

    #[test]
    fn a_move_within_the_margin_is_not_late() {
        let turn = TimeControl { turn: Some(ms(1000)), ..TimeControl::default() };
        for (late, is_late) in [(0, false), (99, false), (100, false), (101, true)] {
            let mut player = PlayerClock::new(turn);
            let spent = player.spend(ms(1000 + late));
            assert_eq!((spent.overrun, spent.is_late), (ms(late), is_late));
        }
        let strict = TimeControl { margin: Some(ms(0)), ..turn };
        assert!(PlayerClock::new(strict).spend(ms(1001)).is_late);
        let now = Instant::now();
        assert_eq!(PlayerClock::new(turn).deadline(now), Some(now + ms(1100)));
    }

    #[test]
    fn limits_depend_on_whether_the_engine_keeps_its_clock() {
        let both = [PlayerClock::new(clock("10+0.1")), PlayerClock::new(clock("20/60+0"))];
        let sent = limits(&both, Side::Second, false);
        let game_clock = sent.clock.unwrap();
        assert_eq!(game_clock.remaining, [Some(ms(10_100)), Some(ms(60_000))]);
        assert_eq!((game_clock.increment, game_clock.moves_to_go), ([ms(100), ms(0)], Some(20)));
        // A cap on each move in addition to a clock: a share of the remaining time, at most the
        // cap.
        let capped = TimeControl { turn: Some(ms(1000)), ..clock("10+0") };
        let both = [PlayerClock::new(capped), PlayerClock::new(capped)];
        assert_eq!(limits(&both, Side::First, false).movetime, Some(ms(500)));
        let kept = limits(&both, Side::First, true);
        assert_eq!((kept.movetime, kept.clock.unwrap().remaining[0]), (None, Some(ms(10_000))));
        let terms = capped.terms(Some(7));
        assert_eq!(
            (terms.turn, terms.game, terms.memory),
            (Some(ms(1000)), Some(ms(10_000)), Some(7))
        );
    }
}
