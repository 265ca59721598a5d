//! [`Clock`]: the thinking time of the players. The time comes with each call; the system clock is
//! not read.

use std::collections::HashMap;
use std::time::Duration;

use tengen_engine::Side;

use crate::tree::GameNodeId;

/// The maximum time of a time control.
const MAX_TIME: Duration = Duration::from_secs(30 * 86_400);

/// The times on both clocks after each move of a game.
pub(crate) type ShownTimes = HashMap<GameNodeId, [Duration; 2]>;

/// A time control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeControl {
    /// The time of a person for each move.
    Move(Duration),
    /// A time of each side for the whole game, and an increment for each of its moves.
    Game {
        /// The time of each side at the beginning.
        base: Duration,
        /// The time that each move adds.
        increment: Duration,
    },
}

impl TimeControl {
    /// Returns the values of the SGF properties `TM` and `OT`.
    // CITE: Arno Hollosi, "SGF FF[4]: Game info properties", TM and OT,
    // https://www.red-bean.com/sgf/properties.html; the words for OT are those of online-go.com.
    pub(crate) fn sgf(self) -> (String, Option<String>) {
        let seconds = |time: Duration| time.as_secs_f64().to_string();
        match self {
            Self::Move(time) => ("0".to_owned(), Some(format!("{} simple", seconds(time)))),
            Self::Game { base, increment } => {
                let more =
                    (!increment.is_zero()).then(|| format!("{} fischer", seconds(increment)));
                (seconds(base), more)
            }
        }
    }

    /// Reads the SGF properties `TM` and `OT`; `None` for other time controls.
    pub(crate) fn of_sgf(base: Option<&str>, overtime: Option<&str>) -> Option<Self> {
        let seconds = |text: &str| {
            let time = Duration::try_from_secs_f64(text.trim().parse().ok()?).ok()?;
            Some(time).filter(|time| *time <= MAX_TIME)
        };
        let base = base.map_or(Some(Duration::ZERO), seconds)?;
        let overtime = overtime.map(str::trim).filter(|text| !text.is_empty());
        let control = match overtime.map(|text| text.rsplit_once(' ')) {
            None => Self::Game { base, increment: Duration::ZERO },
            Some(Some((time, "simple"))) => Self::Move(seconds(time)?),
            Some(Some((time, "fischer"))) => Self::Game { base, increment: seconds(time)? },
            Some(_) => return None,
        };
        Some(control).filter(|control| !control.base().is_zero())
    }

    /// Returns the time of a side at the beginning.
    pub(crate) fn base(self) -> Duration {
        match self {
            Self::Move(time) | Self::Game { base: time, .. } => time,
        }
    }
}

/// The clocks of both sides.
pub(crate) struct Clock {
    control: TimeControl,
    left: [Duration; 2],
    /// The times on the clocks after each move.
    shown: ShownTimes,
    /// When the side to move began to think.
    since: Duration,
}

impl Clock {
    /// Creates the clocks of a game that begins now.
    pub(crate) fn new(control: TimeControl, now: Duration) -> Self {
        Self { control, left: [control.base(); 2], shown: HashMap::new(), since: now }
    }

    /// Continues a game whose clocks showed `shown`, at `node`.
    pub(crate) fn resume(&mut self, shown: ShownTimes, node: GameNodeId, now: Duration) {
        self.shown = shown;
        self.go_to(node, now);
    }

    /// Returns the times after the move to `node`; `None` if it is not known.
    pub(crate) fn shown(&self, node: GameNodeId) -> Option<[Duration; 2]> {
        self.shown.get(&node).copied()
    }

    /// Returns the time control.
    pub(crate) fn control(&self) -> TimeControl {
        self.control
    }

    /// Returns the time left to a side. `is_running` says whether it is thinking.
    pub(crate) fn left(&self, side: Side, is_running: bool, now: Duration) -> Duration {
        let spent = if is_running { now.saturating_sub(self.since) } else { Duration::ZERO };
        self.left[side.index()].saturating_sub(spent)
    }

    /// Resets the clocks for a new game.
    pub(crate) fn restart(&mut self, now: Duration) {
        *self = Self::new(self.control, now);
    }

    /// Starts the turn of the side to move now, so that earlier thinking costs no time.
    pub(crate) fn restart_turn(&mut self, now: Duration) {
        self.since = now;
    }

    /// Charges `side` for its move, which led to `node`.
    pub(crate) fn moved(&mut self, side: Side, node: GameNodeId, now: Duration) {
        if let TimeControl::Game { increment, .. } = self.control {
            self.left[side.index()] = self.left(side, true, now) + increment;
        }
        self.shown.insert(node, self.left);
        self.since = now;
    }

    /// Sets the clocks to what they showed at `node`, from which the game continues.
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
    fn a_time_control_is_read_from_its_properties() {
        for control in [
            TimeControl::Move(10 * SECOND),
            TimeControl::Game { base: 600 * SECOND, increment: 5 * SECOND },
            TimeControl::Game { base: Duration::from_millis(90_500), increment: Duration::ZERO },
        ] {
            let (base, overtime) = control.sgf();
            assert_eq!(TimeControl::of_sgf(Some(&base), overtime.as_deref()), Some(control));
        }
        for (base, overtime) in [
            (None, None),
            (Some("600"), Some("5x30 byo-yomi")),
            (Some("1e300"), None),
            (Some("-5"), None),
            (Some("NaN"), None),
            (Some("0"), None),
            (Some("0"), Some("x simple")),
        ] {
            assert_eq!(TimeControl::of_sgf(base, overtime), None, "{base:?} {overtime:?}");
        }
    }

    #[test]
    fn the_time_for_a_move_is_full_again_for_each_move() {
        let mut clock = Clock::new(TimeControl::Move(10 * SECOND), Duration::ZERO);
        clock.moved(Side::First, GameTree::default().root(), 9 * SECOND);
        assert_eq!(clock.left(Side::First, false, 20 * SECOND), 10 * SECOND);
        assert_eq!(clock.left(Side::Second, true, 12 * SECOND), 7 * SECOND);
    }
}
