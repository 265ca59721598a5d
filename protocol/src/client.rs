//! The client side of the dialects, for programs that drive an engine.
//!
//! A [`ClientDialect`] writes requests as lines and reads an engine's lines as [`Message`]s. It
//! starts no process and reads no clock. Moves stay text, which only a game can read.

use std::time::Duration;

use tengen_engine::{
    Bound, GameSpec, GridNotation, Limits, Move, Point, Position, Score, Side, Style,
};
use thiserror::Error;

use crate::options;

/// A line from an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The engine's name.
    Name(String),
    /// An option that can be set.
    Option(EngineOption),
    /// The end of the handshake. The engine speaks this dialect.
    Welcome,
    /// The engine does not speak this dialect.
    Foreign,
    /// The engine has done everything before: `readyok`, or `OK` to a new game.
    Ready,
    /// Progress of a search.
    Info(Info),
    /// The answer of a search.
    Move {
        /// The move, as the engine writes it.
        text: String,
        /// The reply that the engine expects, to ponder on.
        ponder: Option<String>,
    },
    /// A move that the engine proposes. Answer it with [`ClientDialect::accept`].
    Suggestion(String),
    /// The engine gives up the game.
    Resign,
    /// The engine refused the search, or a command before it: no move will come. Holds what it said.
    Refused(String),
    /// The decision to swap sides in a Swap2 opening.
    Swap,
    /// Several stones together, in a Swap2 opening.
    Stones(Vec<String>),
    /// An error message of the engine.
    Error(String),
    /// Human-readable text.
    Text(String),
    /// Any other line.
    Other(String),
}

/// An option as an engine declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineOption {
    /// The name.
    pub name: String,
    /// The values that it takes.
    pub kind: EngineOptionKind,
}

/// The values that an engine's option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineOptionKind {
    /// A whole number within a range.
    Spin {
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// `true` or `false`.
    Check,
    /// One of these values.
    Combo(Vec<String>),
    /// An action without a value.
    Button,
    /// Any text.
    Text,
}

impl EngineOption {
    /// Returns a description of the allowed values if `value` is not allowed; else `None`.
    pub fn refuses(&self, value: &str) -> Option<String> {
        match &self.kind {
            EngineOptionKind::Spin { min, max } => options::spin(value, *min, *max).err(),
            EngineOptionKind::Check => options::check(value).err(),
            EngineOptionKind::Combo(values) => options::combo(value, values).err(),
            EngineOptionKind::Button | EngineOptionKind::Text => None,
        }
    }
}

/// Progress of a search. A field is `None` if the engine did not send it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// The depth in plies.
    pub depth: Option<u32>,
    /// The length of the longest searched line, in plies.
    pub seldepth: Option<u32>,
    /// The rank of the line, from 1 (`multipv`).
    pub line: Option<u32>,
    /// The score for the side to move.
    pub score: Option<EngineScore>,
    /// Whether the score is exact or a bound.
    pub bound: Option<Bound>,
    /// Nodes so far.
    pub nodes: Option<u64>,
    /// The time so far, as the engine measures it.
    pub time: Option<Duration>,
    /// The line of play, as the engine writes it.
    pub pv: Vec<String>,
}

/// A score as engines write it, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineScore {
    /// A heuristic score in the engine's hundredths.
    Units(i64),
    /// The side to move wins in this number of plies.
    WinIn(u32),
    /// The side to move loses in this number of plies.
    LossIn(u32),
}

impl EngineScore {
    /// Returns the score as a number. Wins are above and losses below all other scores.
    pub fn value(self) -> i64 {
        const WIN: i64 = 1_000_000_000;
        match self {
            Self::Units(units) => units.clamp(-WIN / 2, WIN / 2),
            Self::WinIn(plies) => WIN - i64::from(plies),
            Self::LossIn(plies) => i64::from(plies) - WIN,
        }
    }

    /// Reads a score as [`Display`](std::fmt::Display) writes it; `None` for any other text.
    pub fn from_text(text: &str) -> Option<Self> {
        let size = text.strip_prefix(['+', '-'])?;
        let is_minus = text.starts_with('-');
        let number = |digits: &str| -> Option<u32> {
            let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse().ok().filter(|_| are_digits)
        };
        if let Some(plies) = size.strip_prefix('M') {
            let plies = number(plies)?;
            return Some(if is_minus { Self::LossIn(plies) } else { Self::WinIn(plies) });
        }
        let (whole, hundredths) = size.split_once('.').filter(|(_, last)| last.len() == 2)?;
        let units = 100 * i64::from(number(whole)?) + i64::from(number(hundredths)?);
        Some(Self::Units(if is_minus { -units } else { units }))
    }
}

impl std::fmt::Display for EngineScore {
    /// Writes hundredths as `+0.34`, wins and losses as `+M5` and `-M4`, in plies.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Units(units) => {
                let sign = if units < 0 { '-' } else { '+' };
                let size = units.unsigned_abs();
                write!(f, "{sign}{}.{:02}", size / 100, size % 100)
            }
            Self::WinIn(plies) => write!(f, "+M{plies}"),
            Self::LossIn(plies) => write!(f, "-M{plies}"),
        }
    }
}

impl From<Score> for EngineScore {
    fn from(score: Score) -> Self {
        match score.plies() {
            Some(plies) if score.is_win() => Self::WinIn(plies),
            Some(plies) => Self::LossIn(plies),
            None => Self::Units(score.raw().into()),
        }
    }
}

/// The limits of a game, which some engines need before the first move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GameTerms {
    /// The time for each move; 0 for as fast as possible, `None` for no limit.
    pub turn: Option<Duration>,
    /// The time for all moves; `None` for no limit.
    pub game: Option<Duration>,
    /// The time added for each move.
    pub increment: Option<Duration>,
    /// The number of moves after which `game` is added again; `None` for never.
    pub moves: Option<u32>,
    /// The memory of the whole engine, in bytes; `None` for no limit.
    pub memory: Option<u64>,
    /// The nodes of each search; `None` for no limit.
    pub nodes: Option<u64>,
    /// The depth of each search, in plies; `None` for no limit.
    pub depth: Option<u32>,
}

/// A position for the engine to search.
#[derive(Clone, Copy)]
pub struct SearchRequest<'a> {
    /// The position to search.
    pub position: &'a dyn Position,
    /// The position before `moves`, in the game's own text; `None` for the starting position.
    pub start: Option<&'a str>,
    /// The moves after `start`.
    pub moves: &'a [Move],
    /// `moves` as text, in the style [`ClientDialect::style`].
    pub texts: &'a [String],
    /// When the search ends.
    pub limits: &'a Limits,
}

/// What an engine must do to play a game.
#[derive(Clone, Copy)]
pub struct GameNeeds<'a> {
    /// The game.
    pub spec: &'a GameSpec,
    /// What the engine calls the variant; `None` if it needs no command for it.
    pub variant: Option<&'a str>,
    /// The limits.
    pub terms: &'a GameTerms,
    /// Whether options are to be set, for the engine or for the board.
    pub sets_options: bool,
}

/// A text that cannot be a part of a line: it would end the line and begin another one.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("\"{}\": no line end and no control character is allowed", .0.escape_debug())]
pub struct NotOneLine(pub String);

/// Returns a text that can be a part of a line of a dialect.
pub fn one_line(text: &str) -> Result<&str, NotOneLine> {
    let is_bad = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    if text.contains(is_bad) { Err(NotOneLine(text.to_owned())) } else { Ok(text) }
}

/// Returns the stones of the position before the moves of `request`, the players in turn, first player
/// first.
pub(crate) fn stones_before(
    request: &SearchRequest<'_>,
    notation: GridNotation,
) -> Vec<(Point, Side)> {
    let grid = notation.grid();
    let moves: Vec<_> = request.moves.iter().filter_map(|mv| notation.point_of(*mv)).collect();
    let others = grid.all().map(|cell| grid.point(cell)).filter(|point| !moves.contains(point));
    let mut counts = [0; 2];
    let mut stones: Vec<_> = others
        .filter_map(|point| {
            let side = request.position.stone(point)?;
            counts[side.index()] += 1;
            Some((counts[side.index()], side.index(), point, side))
        })
        .collect();
    stones.sort_by_key(|&(number, index, ..)| (number, index));
    stones.into_iter().map(|(.., point, side)| (point, side)).collect()
}

/// The client side of a dialect. Each method passes the lines to send to `out`. Where a method has a
/// default that sends a line, it is the line of UCI.
pub trait ClientDialect: Send {
    /// Returns the name of the dialect.
    fn name(&self) -> &'static str;

    /// Returns how the dialect writes moves.
    fn style(&self) -> Style;

    /// Returns whether engines of this dialect can ponder.
    fn can_ponder(&self) -> bool {
        false
    }

    /// Returns whether engines declare all options in the handshake.
    fn declares_options(&self) -> bool {
        true
    }

    /// Returns whether an engine gets the limits of a game at its start, so that a search needs only the
    /// time that is left.
    fn keeps_clock(&self) -> bool {
        false
    }

    /// Returns why the engine that was greeted cannot play a game; `None` if it can, as far as
    /// the dialect tells.
    fn cannot_play(&self, _needs: &GameNeeds<'_>) -> Option<String> {
        None
    }

    /// Begins a session. The engine's answer ends with [`Message::Welcome`] or
    /// [`Message::Foreign`].
    fn greet(&mut self, spec: &GameSpec, out: &mut dyn FnMut(String));

    /// Asks for the engine's name if the handshake does not contain it. Returns whether it asked.
    /// Not every engine answers.
    fn ask_name(&mut self, _out: &mut dyn FnMut(String)) -> bool {
        false
    }

    /// Sets an option.
    fn set_option(
        &mut self,
        name: &str,
        value: &str,
        out: &mut dyn FnMut(String),
    ) -> Result<(), NotOneLine> {
        one_line(name)?;
        let value = match one_line(value)? {
            "" => String::new(),
            value => format!(" value {value}"),
        };
        out(format!("setoption name {name}{value}"));
        Ok(())
    }

    /// Sends a line of the user.
    fn say(&mut self, line: &str, out: &mut dyn FnMut(String)) {
        out(line.to_owned());
    }

    /// Sets the variant of `spec`, which the engine calls `name`.
    fn set_variant(&mut self, spec: &GameSpec, name: &str, out: &mut dyn FnMut(String));

    /// Asks for [`Message::Ready`]. Returns `false` if the dialect cannot ask.
    fn ask_ready(&mut self, out: &mut dyn FnMut(String)) -> bool {
        out("isready".to_owned());
        true
    }

    /// Begins a game. The engine answers with [`Message::Ready`].
    fn new_game(&mut self, spec: &GameSpec, terms: &GameTerms, out: &mut dyn FnMut(String));

    /// Sends the lines that must follow the engine's [`Message::Ready`] to a new game.
    fn game_ready(&mut self, _spec: &GameSpec, _terms: &GameTerms, _out: &mut dyn FnMut(String)) {}

    /// Starts a search. The engine answers with [`Message::Move`].
    fn go(&mut self, request: &SearchRequest<'_>, out: &mut dyn FnMut(String));

    /// Answers [`Message::Suggestion`].
    fn accept(&mut self, _suggestion: &str, _out: &mut dyn FnMut(String)) {}

    /// Asks the engine to decide in a Swap2 opening with `stones` on the board. Returns `false` if
    /// the dialect cannot ask.
    fn swap(
        &mut self,
        _position: &dyn Position,
        _stones: &[Move],
        _out: &mut dyn FnMut(String),
    ) -> bool {
        false
    }

    /// Tells the engine that the opponent played the expected move (`ponderhit`).
    fn ponder_hit(&mut self, _out: &mut dyn FnMut(String)) {}

    /// Stops a search. The search still answers.
    fn stop(&mut self, out: &mut dyn FnMut(String)) {
        out("stop".to_owned());
    }

    /// Asks the engine to exit.
    fn quit(&mut self, out: &mut dyn FnMut(String)) {
        out("quit".to_owned());
    }

    /// Reads a line of the engine.
    fn read(&mut self, line: &str) -> Message;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_survive_a_round_trip_through_text() {
        let units = [-12_345, -100, -7, 0, 5, 34, 100, 29_999].map(EngineScore::Units);
        let ends = [EngineScore::WinIn(5), EngineScore::LossIn(0), EngineScore::LossIn(14)];
        for score in units.into_iter().chain(ends) {
            assert_eq!(EngineScore::from_text(&score.to_string()), Some(score));
        }
        for text in ["", "+", "5", "0.34", "+M", "-M+4", "+1.2", "+1.234", "+-1.20", "+M5.00"] {
            assert_eq!(EngineScore::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn wins_and_losses_keep_their_distance() {
        for (score, found) in [
            (Score::heuristic(-34), EngineScore::Units(-34)),
            (Score::win_in(5), EngineScore::WinIn(5)),
            (Score::loss_in(4), EngineScore::LossIn(4)),
        ] {
            assert_eq!(EngineScore::from(score), found);
        }
    }
}
