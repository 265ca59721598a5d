//! A player's clock: the time left before each move, the limits that an engine gets, and time losses.
//!
//! It reads no clock of the machine: times come in.

use std::time::{Duration, Instant};

use tengen_engine::{Clock, Limits, Side};
use tengen_protocol::client::GameTerms;

use crate::config::TimeControl;

/// The clock of one player in one game.
#[derive(Clone, Copy, Debug)]
pub struct PlayerClock {
    control: TimeControl,
    /// Moves made.
    moves: u32,
    /// Time used for them.
    used: Duration,
}

/// What a move was worth to the clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spent {
    /// The remaining time of the clock, in milliseconds; below 0 within the margin. `None` without
    /// a clock.
    pub left_millis: Option<i64>,
    /// By how much the move was over its limit.
    pub overrun: Duration,
    /// Whether that is more than the margin.
    pub is_late: bool,
}

impl PlayerClock {
    /// The clock before the first move.
    pub fn new(control: TimeControl) -> Self {
        Self { control, moves: 0, used: Duration::ZERO }
    }

    /// The time for the next move and all after it; `None` without a clock for the game. The k-th
    /// move finds `B + kI - used`, and `B` more after each `M` moves.
    pub fn left(&self) -> Option<Duration> {
        let clock = self.control.clock?;
        let periods = clock.moves.map_or(0, |moves| self.moves / moves);
        let given = clock.base * (1 + periods) + clock.increment * (self.moves + 1);
        Some(given.saturating_sub(self.used))
    }

    /// The limit of the next move: the least of its limits, without the margin.
    pub fn limit(&self) -> Option<Duration> {
        [self.left(), self.control.turn].into_iter().flatten().min()
    }

    /// When a move that was asked for at `begun` is lost on time; `None` without a limit in time.
    pub fn deadline(&self, begun: Instant) -> Option<Instant> {
        self.limit().map(|limit| begun + limit + self.control.margin())
    }

    /// Counts a move that took so long.
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

    /// Moves until the base time is given again, the next one included.
    fn moves_to_go(&self) -> Option<u32> {
        let moves = self.control.clock?.moves?;
        Some(moves - self.moves % moves)
    }
}

/// The share of the remaining time that an engine may use for one move, as 1/`SHARE`. It applies if
/// the time control has both a clock and a time for each move.
const SHARE: u32 = 20;

/// Returns the limits that an engine gets before its move. `keeps_clock`: the engine got the limits
/// of the game at its start, so that it only needs its own remaining time.
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
        (Some(left), Some(turn)) => limits.movetime = Some(turn.min(left / SHARE)),
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

/// Returns the limits of the game for an engine that gets them once, at the start of the game.
pub fn terms(control: &TimeControl, memory: Option<u64>) -> GameTerms {
    let base = control.clock.map(|clock| clock.base);
    GameTerms {
        turn: control.turn.or(base),
        game: base,
        increment: control.clock.map(|clock| clock.increment),
        memory,
        nodes: control.nodes,
        depth: control.depth,
    }
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
    fn base_time_comes_again_after_so_many_moves() {
        let mut player = PlayerClock::new(clock("2/1+0"));
        assert_eq!(player.moves_to_go(), Some(2));
        player.spend(ms(400));
        assert_eq!((player.left(), player.moves_to_go()), (Some(ms(600)), Some(1)));
        player.spend(ms(500));
        assert_eq!((player.left(), player.moves_to_go()), (Some(ms(1100)), Some(2)));
    }

    #[test]
    fn a_margin_saves_a_move_that_is_a_little_late() {
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
    fn engines_are_told_what_their_dialect_has() {
        let both = [PlayerClock::new(clock("10+0.1")), PlayerClock::new(clock("20/60+0"))];
        let told = limits(&both, Side::Second, false);
        let game_clock = told.clock.unwrap();
        assert_eq!(game_clock.remaining, [Some(ms(10_100)), Some(ms(60_000))]);
        assert_eq!((game_clock.increment, game_clock.moves_to_go), ([ms(100), ms(0)], Some(20)));
        // A cap on each move beside a clock: a share of the remaining time, at most the cap.
        let capped = TimeControl { turn: Some(ms(1000)), ..clock("10+0") };
        let both = [PlayerClock::new(capped), PlayerClock::new(capped)];
        assert_eq!(limits(&both, Side::First, false).movetime, Some(ms(500)));
        let kept = limits(&both, Side::First, true);
        assert_eq!((kept.movetime, kept.clock.unwrap().remaining[0]), (None, Some(ms(10_000))));
        let terms = terms(&capped, Some(7));
        assert_eq!(
            (terms.turn, terms.game, terms.memory),
            (Some(ms(1000)), Some(ms(10_000)), Some(7))
        );
    }
}
