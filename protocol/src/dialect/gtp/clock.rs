//! The time settings of a client, and the limits of a search that follow from them.
//!
//! It reads no clock: the client says what is left, and an answer says what its search took.

use std::time::Duration;

use tengen_engine::{Clock, Limits, Side};

use super::args::Args;

/// The time for a move if the client sets none.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// The longest time that a client may set, in seconds: a week.
const MOST_SECONDS: u64 = 7 * 24 * 3600;
/// The largest number of stones in a period.
const MOST_STONES: u64 = 1000;

/// The limits of `genmove`.
#[derive(Clone, Default)]
pub(super) struct TimeSettings {
    main: Duration,
    period: Duration,
    /// Moves in each period; 0 without periods.
    stones: u32,
    /// Whether the client set the time.
    is_set: bool,
    /// What is left to each side, and the stones of the period; 0 in main time.
    left: [Option<(Duration, u32)>; 2],
    /// Limits that replace the time: `tengen-limit`.
    fixed: Option<Limits>,
}

fn seconds(args: &mut Args<'_>, name: &str) -> Result<Duration, String> {
    let word = args.word(name)?;
    let value = word.parse::<f64>().ok();
    let value = value.filter(|value| (0.0..=MOST_SECONDS as f64).contains(value));
    let wanted = || {
        let word = tengen_engine::text::quotable(word);
        format!("{name} \"{word}\" is not a number of seconds from 0 to {MOST_SECONDS}")
    };
    value.map(Duration::from_secs_f64).ok_or_else(wanted)
}

fn stones(args: &mut Args<'_>, name: &str) -> Result<u32, String> {
    args.number(name, 0, MOST_STONES).map(|number| number as u32)
}

impl TimeSettings {
    /// Reads `time_settings`: main time, time of a period, stones of a period.
    pub(super) fn set(&mut self, args: &mut Args<'_>) -> Result<(), String> {
        let main = seconds(args, "the main time")?;
        let period = seconds(args, "the time of a period")?;
        let stones = stones(args, "the stones of a period")?;
        self.begin(main, period, stones);
        Ok(())
    }

    /// Reads `kgs-time_settings`: the kind of clock, and its times.
    pub(super) fn set_kgs(&mut self, args: &mut Args<'_>) -> Result<(), String> {
        let kind = args.word("the kind of clock")?.to_ascii_lowercase();
        let (main, period, stones) = match kind.as_str() {
            "none" => (Duration::ZERO, Duration::ZERO, 0),
            "absolute" => (seconds(args, "the main time")?, Duration::ZERO, 0),
            "byoyomi" => {
                let main = seconds(args, "the main time")?;
                let period = seconds(args, "the time of a period")?;
                stones(args, "the number of periods")?;
                // Each move of a Japanese period has the whole period.
                (main, period, 1)
            }
            "canadian" => {
                let main = seconds(args, "the main time")?;
                let period = seconds(args, "the time of a period")?;
                (main, period, stones(args, "the stones of a period")?)
            }
            other => {
                let other = tengen_engine::text::quotable(other);
                return Err(format!(
                    "\"{other}\" is not a kind of clock: use none, absolute, byoyomi or canadian"
                ));
            }
        };
        self.begin(main, period, stones);
        self.is_set = kind != "none";
        Ok(())
    }

    fn begin(&mut self, main: Duration, period: Duration, stones: u32) {
        // A period without stones means no limit.
        let is_unlimited = period > Duration::ZERO && stones == 0;
        (self.main, self.period, self.stones) = (main, period, stones);
        (self.is_set, self.left) = (!is_unlimited, [None, None]);
    }

    /// Reads `time_left`: a colour, its time, its stones in this period.
    pub(super) fn note_left(&mut self, args: &mut Args<'_>) -> Result<(), String> {
        let side = args.colour()?;
        let time = seconds(args, "the time left")?;
        self.left[side.index()] = Some((time, stones(args, "the stones left")?));
        Ok(())
    }

    /// Reads `tengen-limit`: one or more of `nodes N`, `depth N` and `time MS`; or `none`.
    pub(super) fn fix(&mut self, args: &mut Args<'_>) -> Result<(), String> {
        let mut kind = args.word("the kind of limit")?;
        let mut fixed = Some(Limits::default());
        loop {
            let limits = fixed.take().unwrap_or_default();
            fixed = match kind.to_ascii_lowercase().as_str() {
                "none" => None,
                "nodes" => Some(limits.with_nodes(args.number("nodes", 1, u64::MAX)?)),
                "depth" => Some(limits.with_depth(args.number("depth", 1, 1000)? as u32)),
                "time" => {
                    let millis = args.number("time", 1, 1000 * MOST_SECONDS)?;
                    Some(limits.with_movetime(Duration::from_millis(millis)))
                }
                _ => {
                    let kind = tengen_engine::text::quotable(kind);
                    return Err(format!(
                        "\"{kind}\" is not a limit: use nodes N, depth N, time MS or none"
                    ));
                }
            };
            match args.next() {
                Some(next) => kind = next,
                None => break,
            }
        }
        self.fixed = fixed;
        Ok(())
    }

    /// Begins a new game: both sides have all their time.
    pub(super) fn new_game(&mut self) {
        self.left = [None, None];
    }

    /// Returns the limits of a move of `side`.
    pub(super) fn limits(&self, side: Side) -> Limits {
        if let Some(limits) = &self.fixed {
            return limits.clone();
        }
        if !self.is_set {
            return Limits::default().with_movetime(DEFAULT_TIME);
        }
        let in_period = |stones: u32| (self.period, stones.max(1));
        let (time, stones) = match self.left[side.index()] {
            Some((time, 0)) if time.is_zero() && self.stones > 0 => in_period(self.stones),
            Some(left) => left,
            None if self.main.is_zero() && self.stones > 0 => in_period(self.stones),
            None => (self.main, 0),
        };
        let mut clock = Clock::new([None, None], [Duration::ZERO; 2]);
        clock.remaining[side.index()] = Some(time);
        clock.moves_to_go = (stones > 0).then_some(stones);
        Limits::default().with_clock(clock)
    }

    /// Takes the time of a move of `side` off its clock, for a client that does not send `time_left`.
    pub(super) fn spend(&mut self, side: Side, spent: Duration) {
        let all = (self.main, 0);
        let (time, stones) = self.left[side.index()].unwrap_or(all);
        if self.is_set && stones == 0 {
            self.left[side.index()] = Some((time.saturating_sub(spent), 0));
        }
    }
}
