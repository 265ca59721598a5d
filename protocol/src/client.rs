//! The other side of a session: what a client asks of an engine, and what an engine says.
//!
//! A [`ClientDialect`] writes requests as lines and reads an engine's lines as [`Message`]s. It
//! starts no process and reads no clock. Moves stay text: only a game reads them.

use std::time::Duration;

use tengen_engine::{Bound, GameSpec, Limits, Move, Position, Score, Style};

/// What an engine says, a line each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The name that the engine gives itself.
    Name(String),
    /// An option that can be set.
    Option(EngineOption),
    /// The end of the handshake: the engine speaks this dialect.
    Welcome,
    /// The first line says that the engine does not speak this dialect.
    Foreign,
    /// Everything before is done: `readyok`, or `OK` to a new game.
    Ready,
    /// How a search goes on.
    Info(Info),
    /// The answer of a search.
    Move {
        /// The move, as it is written.
        text: String,
        /// The reply that the engine expects.
        ponder: Option<String>,
    },
    /// A move that the engine would like to play: to be answered by [`ClientDialect::accept`].
    Suggestion(String),
    /// The decision in an opening in which players swap sides: other colours.
    Swap,
    /// Several stones at once, in such an opening.
    Stones(Vec<String>),
    /// Something went wrong, in the engine's words.
    Error(String),
    /// Free text for people.
    Text(String),
    /// A line that is none of these.
    Other(String),
}

/// An option as an engine declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineOption {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub kind: EngineOptionKind,
}

/// The values that an engine's option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EngineOptionKind {
    /// A whole number within limits.
    Spin {
        /// The least.
        min: i64,
        /// The greatest.
        max: i64,
    },
    /// `true` or `false`.
    Check,
    /// One of a list.
    Combo(Vec<String>),
    /// An action.
    Button,
    /// Any text.
    Text,
}

impl EngineOption {
    /// Returns what the option takes where `value` is not allowed.
    pub fn refuses(&self, value: &str) -> Option<String> {
        match &self.kind {
            EngineOptionKind::Spin { min, max } => {
                let number: Option<i64> = value.parse().ok();
                let is_good = number.is_some_and(|number| (*min..=*max).contains(&number));
                (!is_good).then(|| format!("a whole number from {min} to {max}"))
            }
            EngineOptionKind::Check => {
                let is_good = ["true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word));
                (!is_good).then(|| "true or false".to_owned())
            }
            EngineOptionKind::Combo(values) => {
                let is_good = values.iter().any(|known| known.eq_ignore_ascii_case(value));
                (!is_good).then(|| format!("one of {}", values.join(", ")))
            }
            EngineOptionKind::Button | EngineOptionKind::Text => None,
        }
    }
}

/// The information of a running search. Every field may be missing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// In plies.
    pub depth: Option<u32>,
    /// The longest line looked at.
    pub seldepth: Option<u32>,
    /// The rank of the line, from 1.
    pub line: Option<u32>,
    /// For the side to move.
    pub score: Option<EngineScore>,
    /// What the score says.
    pub bound: Option<Bound>,
    /// Nodes so far.
    pub nodes: Option<u64>,
    /// The time so far, as the engine measures it.
    pub time: Option<Duration>,
    /// The line of play, as it is written.
    pub pv: Vec<String>,
}

/// A score as engines write it, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineScore {
    /// In the engine's hundredths.
    Units(i64),
    /// The side to move wins after so many plies.
    WinIn(u32),
    /// The side to move loses after so many plies.
    LossIn(u32),
}

impl EngineScore {
    /// Returns the score as a number, wins and losses beyond all others.
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

/// What holds for every move of a game: told to engines that want it before the first move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GameTerms {
    /// The time for each move; 0 for as fast as possible, `None` without such a limit.
    pub turn: Option<Duration>,
    /// The time for all moves.
    pub game: Option<Duration>,
    /// Added before each move.
    pub increment: Option<Duration>,
    /// Bytes for the whole engine.
    pub memory: Option<u64>,
    /// Nodes for each search.
    pub nodes: Option<u64>,
    /// Depth of each search.
    pub depth: Option<u32>,
}

/// A position to think about.
#[derive(Clone, Copy)]
pub struct SearchRequest<'a> {
    /// The position to move in.
    pub position: &'a dyn Position,
    /// The position before `moves`, in the game's own text; `None` for the starting position.
    pub start: Option<&'a str>,
    /// The moves since then.
    pub moves: &'a [Move],
    /// The moves in the style that the dialect writes, [`ClientDialect::style`].
    pub texts: &'a [String],
    /// When to end.
    pub limits: &'a Limits,
}

/// One way to speak to an engine.
pub trait ClientDialect: Send {
    /// Returns the name of the dialect.
    fn name(&self) -> &'static str;

    /// Returns how moves are written.
    fn style(&self) -> Style;

    /// Returns whether an engine can think on the opponent's time.
    fn can_ponder(&self) -> bool {
        false
    }

    /// Returns whether the handshake declares every option.
    fn declares_options(&self) -> bool {
        true
    }

    /// Begins a session. The engine answers up to [`Message::Welcome`], or [`Message::Foreign`].
    fn greet(&mut self, spec: &GameSpec, out: &mut dyn FnMut(String));

    /// Asks for the engine's name where the handshake does not tell it. Not every engine answers.
    fn ask_name(&mut self, out: &mut dyn FnMut(String)) -> bool {
        let _ = out;
        false
    }

    /// Sets an option.
    fn set_option(&mut self, name: &str, value: &str, out: &mut dyn FnMut(String));

    /// Names the game. `name`: what the engine calls the variant.
    fn set_variant(&mut self, spec: &GameSpec, name: &str, out: &mut dyn FnMut(String));

    /// Asks whether everything before is done; `false` if there is no such question.
    fn ask_ready(&mut self, out: &mut dyn FnMut(String)) -> bool;

    /// Begins a game. The engine answers with [`Message::Ready`].
    fn new_game(&mut self, spec: &GameSpec, terms: &GameTerms, out: &mut dyn FnMut(String));

    /// Sends what is to follow once the engine is ready for the game.
    fn game_ready(&mut self, spec: &GameSpec, terms: &GameTerms, out: &mut dyn FnMut(String)) {
        let _ = (spec, terms, out);
    }

    /// Has the engine think about a position. It answers with [`Message::Move`].
    fn go(&mut self, turn: &SearchRequest<'_>, out: &mut dyn FnMut(String));

    /// Answers [`Message::Suggestion`].
    fn accept(&mut self, suggestion: &str, out: &mut dyn FnMut(String)) {
        let _ = (suggestion, out);
    }

    /// Has the engine decide in an opening in which players swap sides. `stones` are on the board.
    fn swap(
        &mut self,
        position: &dyn Position,
        stones: &[Move],
        out: &mut dyn FnMut(String),
    ) -> bool {
        let _ = (position, stones, out);
        false
    }

    /// Sends that the opponent played the expected move (ponderhit).
    fn ponder_hit(&mut self, out: &mut dyn FnMut(String)) {
        let _ = out;
    }

    /// Stops a search. The search still answers.
    fn stop(&mut self, out: &mut dyn FnMut(String));

    /// Asks the engine to leave.
    fn quit(&mut self, out: &mut dyn FnMut(String));

    /// Reads a line of the engine.
    fn read(&mut self, line: &str) -> Message;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_come_back_from_text() {
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
    fn scores_of_the_search_keep_their_ends() {
        for (score, found) in [
            (Score::heuristic(-34), EngineScore::Units(-34)),
            (Score::win_in(5), EngineScore::WinIn(5)),
            (Score::loss_in(4), EngineScore::LossIn(4)),
        ] {
            assert_eq!(EngineScore::from(score), found);
        }
    }
}
