//! A player's time control: a clock `M/B+I`, a time for each move, nodes, a depth.

use std::fmt;
use std::time::Duration;

use tengen_protocol::client::GameTerms;

/// The limits of a player's thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TimeControl {
    /// The clock for the game; no clock if `None`.
    pub clock: Option<GameClock>,
    /// The maximum time for each move, with or without a clock.
    pub turn: Option<Duration>,
    /// The nodes for each move.
    pub nodes: Option<u64>,
    /// The depth of each search, in plies.
    pub depth: Option<u32>,
    /// The time by which a move may exceed its limit; if `None`, the default margin.
    pub margin: Option<Duration>,
}

/// A clock for the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameClock {
    /// The number of moves after which the base time is added again; never if `None`.
    pub moves: Option<u32>,
    /// The base time.
    pub base: Duration,
    /// The time that is added before each move.
    pub increment: Duration,
}

impl TimeControl {
    /// The default margin of a time for each move. An engine does not know how long its line takes
    /// to arrive.
    const DEFAULT_TURN_MARGIN: Duration = Duration::from_millis(100);

    /// Returns the time by which a move may exceed its limit.
    pub fn margin(&self) -> Duration {
        self.margin.unwrap_or(match self.turn {
            Some(_) => Self::DEFAULT_TURN_MARGIN,
            None => Duration::ZERO,
        })
    }

    /// Returns the time control with its times multiplied by `scale`, if there is one. The margin is for delays, and stays.
    pub fn scaled(self, scale: Option<f64>) -> Self {
        let Some(scale) = scale else { return self };
        let clock = self.clock.map(|clock| GameClock {
            base: clock.base.mul_f64(scale),
            increment: clock.increment.mul_f64(scale),
            ..clock
        });
        Self { clock, turn: self.turn.map(|turn| turn.mul_f64(scale)), ..self }
    }

    /// Returns whether a number of moves gets the base time of the clock.
    pub fn plays_by_moves(&self) -> bool {
        self.clock.is_some_and(|clock| clock.moves.is_some())
    }

    /// Returns the limits for an engine that gets them once, at the start of the game. `memory` is the
    /// memory limit in bytes.
    pub fn terms(&self, memory: Option<u64>) -> GameTerms {
        let base = self.clock.map(|clock| clock.base);
        GameTerms {
            turn: self.turn.or(base),
            game: base,
            increment: self.clock.map(|clock| clock.increment),
            moves: self.clock.and_then(|clock| clock.moves),
            memory,
            nodes: self.nodes,
            depth: self.depth,
        }
    }

    /// Returns whether there is a time limit.
    pub fn is_timed(&self) -> bool {
        self.clock.is_some() || self.turn.is_some()
    }

    /// Returns whether there is any limit.
    pub fn is_limited(&self) -> bool {
        self.is_timed() || self.nodes.is_some() || self.depth.is_some()
    }
}

/// Reads a clock `[M/]B[+I]`; `B` is a number of seconds or `minutes:seconds`. `None` if the text
/// is malformed.
pub fn read_clock(text: &str) -> Option<GameClock> {
    let (moves, rest) = match text.split_once('/') {
        Some((moves, rest)) => (Some(moves.parse().ok().filter(|moves| *moves > 0)?), rest),
        None => (None, text),
    };
    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
    let base = match base.split_once(':') {
        Some((minutes, seconds)) => {
            let minutes: u32 = minutes.parse().ok()?;
            Duration::from_secs(60).checked_mul(minutes)?.checked_add(read_seconds(seconds)?)?
        }
        None => read_seconds(base)?,
    };
    Some(GameClock { moves, base, increment: read_seconds(increment)? })
}

/// Reads a number of seconds, such as `0.1`; `None` if the text is malformed.
pub fn read_seconds(text: &str) -> Option<Duration> {
    /// About three years, so that sums of times cannot overflow.
    const LONGEST: f64 = 1e8;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = text.parse().ok().filter(|_| is_plain)?;
    (seconds <= LONGEST).then(|| Duration::from_secs_f64(seconds))
}

/// Writes a time in seconds, without trailing zeros.
pub fn write_seconds(time: Duration) -> String {
    let text = format!("{:.6}", time.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for GameClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(moves) = self.moves {
            write!(f, "{moves}/")?;
        }
        write!(f, "{}+{}", write_seconds(self.base), write_seconds(self.increment))
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = Vec::new();
        match (self.clock, self.turn) {
            (Some(clock), Some(turn)) => {
                words.push(format!("{clock} turn {}", write_seconds(turn)))
            }
            (Some(clock), None) => words.push(clock.to_string()),
            (None, Some(turn)) => words.push(format!("{} s/move", write_seconds(turn))),
            (None, None) => {}
        }
        words.extend(self.nodes.map(|nodes| format!("{nodes} nodes")));
        words.extend(self.depth.map(|depth| format!("depth {depth}")));
        f.write_str(&words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_in_seconds_or_minutes() {
        let ms = Duration::from_millis;
        let clock = |moves, base, increment| Some(GameClock { moves, base, increment });
        assert_eq!(read_clock("30+0.3"), clock(None, ms(30_000), ms(300)));
        assert_eq!(read_clock("40/1:30+0.5"), clock(Some(40), ms(90_000), ms(500)));
        assert_eq!(read_clock("0.1"), clock(None, ms(100), ms(0)));
        for text in ["", "+1", "0/5", "5+", "x", "-1", "1e3", "1:", "a/5", "inf", "1+1+1", "1:-5"] {
            assert_eq!(read_clock(text), None, "{text}");
        }
    }

    #[test]
    fn clocks_are_scaled_without_their_margin() {
        let ms = Duration::from_millis;
        let control = TimeControl {
            clock: read_clock("40/1+0.1"),
            turn: Some(ms(500)),
            margin: Some(ms(10)),
            ..TimeControl::default()
        };
        let scaled = control.scaled(Some(1.5));
        assert_eq!((scaled.clock, scaled.turn), (read_clock("40/1.5+0.15"), Some(ms(750))));
        assert_eq!((scaled.margin, control.scaled(None)), (control.margin, control));
    }

    #[test]
    fn clocks_are_written_as_they_are_read() {
        for text in ["30+0.3", "40/90+0.5", "0.1+0"] {
            assert_eq!(read_clock(text).unwrap().to_string(), text);
        }
    }
}
