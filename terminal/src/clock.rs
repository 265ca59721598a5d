//! [`Clock`]: the thinking time of the players. It reads no clock of the machine: the time comes with each call.

use std::collections::HashMap;
use std::time::Duration;

use tengen_engine::Side;

use crate::tree::GameNodeId;

/// How much time the players have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// A person has so long for each move.
    Move(Duration),
    /// Each side has so long for the game, and so much more after each of its moves.
    Game {
        /// What each side begins with.
        base: Duration,
        /// What a move adds.
        increment: Duration,
    },
}

impl TimeControl {
    /// What a side begins with.
    fn base(self) -> Duration {
        match self {
            Self::Move(time) | Self::Game { base: time, .. } => time,
        }
    }
}

/// The clocks of both sides.
pub(crate) struct Clock {
    control: TimeControl,
    left: [Duration; 2],
    /// What the clocks showed after each move.
    shown: HashMap<GameNodeId, [Duration; 2]>,
    /// When the side to move began to think.
    since: Duration,
}

impl Clock {
    /// The clocks of a game that begins now.
    pub(crate) fn new(control: TimeControl, now: Duration) -> Self {
        Self { control, left: [control.base(); 2], shown: HashMap::new(), since: now }
    }

    /// How much time the players have.
    pub(crate) fn control(&self) -> TimeControl {
        self.control
    }

    /// The time left to a side; `is_running` where it thinks.
    pub(crate) fn left(&self, side: Side, is_running: bool, now: Duration) -> Duration {
        let spent = if is_running { now.saturating_sub(self.since) } else { Duration::ZERO };
        self.left[side.index()].saturating_sub(spent)
    }

    /// Begins another game.
    pub(crate) fn restart(&mut self, now: Duration) {
        *self = Self::new(self.control, now);
    }

    /// Lets the side to move begin to think now: what was thought until now does not count.
    pub(crate) fn go_on(&mut self, now: Duration) {
        self.since = now;
    }

    /// A side has made its move, which led to `node`.
    pub(crate) fn moved(&mut self, side: Side, node: GameNodeId, now: Duration) {
        if let TimeControl::Game { increment, .. } = self.control {
            self.left[side.index()] = self.left(side, true, now) + increment;
        }
        self.shown.insert(node, self.left);
        self.since = now;
    }

    /// The game goes on from `node`: the clocks show what they showed there.
    pub(crate) fn go_to(&mut self, node: GameNodeId, now: Duration) {
        self.left = self.shown.get(&node).copied().unwrap_or([self.control.base(); 2]);
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::GameTree;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_move_costs_its_time_and_adds_the_increment_and_undo_gives_it_back() {
        let control = TimeControl::Game { base: 60 * SECOND, increment: 5 * SECOND };
        let mut clock = Clock::new(control, SECOND);
        let node = GameTree::default().root();
        assert_eq!(clock.left(Side::First, true, 11 * SECOND), 50 * SECOND);
        clock.moved(Side::First, node, 11 * SECOND);
        let left = |clock: &Clock, now| {
            (clock.left(Side::First, false, now), clock.left(Side::Second, true, now))
        };
        assert_eq!(left(&clock, 31 * SECOND), (55 * SECOND, 40 * SECOND));
        clock.moved(Side::Second, node, 80 * SECOND);
        assert_eq!(left(&clock, 80 * SECOND), (55 * SECOND, 5 * SECOND));
        clock.restart(90 * SECOND);
        assert_eq!(left(&clock, 90 * SECOND), (60 * SECOND, 60 * SECOND));
    }

    #[test]
    fn the_time_for_a_move_is_there_again_for_each_move() {
        let mut clock = Clock::new(TimeControl::Move(10 * SECOND), Duration::ZERO);
        clock.moved(Side::First, GameTree::default().root(), 9 * SECOND);
        assert_eq!(clock.left(Side::First, false, 20 * SECOND), 10 * SECOND);
        assert_eq!(clock.left(Side::Second, true, 12 * SECOND), 7 * SECOND);
    }
}
