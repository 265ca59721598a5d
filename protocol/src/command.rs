//! [`Command`] and [`Reply`], which all dialects share.
//!
//! A dialect decodes a line to a command and encodes a reply as lines. This module does not depend
//! on any dialect's text.

mod game;

use tengen_engine::backend::{BenchTotal, Perft};
use tengen_engine::options::OptionSpec;
use tengen_engine::{About, Answer, Limits, Move, Outcome, Report, Score, Side};

pub use self::game::{
    GameCommand, GameLimit, GameReply, OpeningReply, OpeningStep, Owner, Stone, Xy,
};

/// A command of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Command {
    /// Identify the program and list its options.
    Identify,
    /// Turn debug messages on or off.
    Debug(bool),
    /// Reply [`Reply::Ready`] once all earlier commands are done.
    Ready,
    /// Set an option.
    SetOption {
        /// The name, in upper or lower case, with single blanks between words.
        name: String,
        /// The value, trimmed; `None` when none was given.
        value: Option<String>,
    },
    /// Begin a new game.
    NewGame,
    /// Set up a position.
    Position(Setup),
    /// Play these moves, blank-separated, on the current position.
    Moves(String),
    /// Play this move on the current position, or reply [`Reply::Illegal`].
    Move(String),
    /// Reply [`Reply::WrongSide`] if the other side is to move.
    Expect(Side),
    /// Take back this number of moves.
    Undo(usize),
    /// Change the variant, the size of its board, or both, in one step.
    Choose {
        /// The variant of the catalogue; `None` keeps the current one.
        variant: Option<String>,
        /// Columns and rows; `None` keeps the current size.
        size: Option<(u32, u32)>,
    },
    /// Load the game of a record.
    Load {
        /// The path of a file in the format SGF.
        file: String,
        /// The number of the move before which the game stops, from 1; `None` for its end.
        before: Option<usize>,
    },
    /// Ask about the game.
    Ask(Question),
    /// A command of a managed game.
    Game(GameCommand),
    /// Search.
    Go(Request),
    /// Search, then play the best move on the current position.
    GoAndPlay(Request),
    /// Reply [`Reply::Done`] once all earlier commands are done. Unlike `Ready`, this command creates no
    /// search and does not stop the search that it waits for. After a refusal, the session of a
    /// sequential dialect skips all commands up to the next `Done`.
    Done,
    /// Count move sequences of this many plies.
    Perft(u32),
    /// Stop the search; it still answers.
    Stop,
    /// The opponent played the move that the engine ponders on.
    Ponderhit,
    /// End the session.
    Quit,
    /// Show the position.
    Show,
    /// Explain the evaluation of the position.
    Evaluate,
    /// Search the bench positions.
    Bench {
        /// The depth in plies; `None` for the default depth.
        depth: Option<u32>,
    },
    /// Exchange the side to move.
    Flip,
    /// Show how this program was built.
    Compiler,
    /// List the commands.
    Help,
    /// Do nothing.
    Nothing,
    /// Do nothing but show this human-readable note.
    Note(String),
    /// A line that is not a known command.
    Unknown(String),
    /// A command that is refused, with a human-readable reason.
    Refused(String),
}

/// A position as a client describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Setup {
    /// The starting position.
    Start {
        /// The moves played on it, blank-separated.
        moves: String,
    },
    /// A position in the game's own notation. Only the game can find where it ends.
    Text {
        /// The position and the rest of the line.
        text: String,
        /// The word before an optional list of moves.
        keyword: &'static str,
    },
    /// An unreadable position, with the reason.
    Unreadable(String),
}

/// A request for a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Request {
    /// When the search ends.
    pub limits: Limits,
    /// Search only these moves; all when empty.
    pub search_moves: Vec<String>,
    /// Do not search these moves.
    pub avoid_moves: Vec<String>,
    /// Human-readable messages about bad words of the command.
    pub complaints: Vec<String>,
}

/// A question about a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Question {
    /// Whether the first player is to move.
    FirstToMove,
    /// Whether the game has ended.
    Over,
    /// How it ended.
    Result,
}

/// Returns the winner of a finished game; `None` for a draw.
pub(crate) fn winner(outcome: Outcome) -> Option<Side> {
    match outcome {
        Outcome::Win(side) => Some(side),
        Outcome::Value(score) if score > Score::DRAW => Some(Side::First),
        Outcome::Value(score) if score < Score::DRAW => Some(Side::Second),
        Outcome::Draw | Outcome::Value(_) => None,
    }
}

/// The answer to a [`Question`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameStatus {
    /// Whether the first player is to move.
    FirstToMove(bool),
    /// Whether the game has ended.
    Over(bool),
    /// The winner, if it has ended: `None` in a draw.
    Result(Option<Option<Side>>),
}

/// A reply of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reply {
    /// The name of the engine, and its options.
    Identity(About, Vec<OptionSpec>),
    /// All earlier commands are done, and the search is open.
    Ready,
    /// All earlier commands are done.
    Done,
    /// A report of a search.
    Report(Report<Move>),
    /// The answer of a search.
    Answer(Answer<Move>),
    /// The result of a perft.
    Perft(Perft),
    /// The result of a bench.
    Bench(BenchTotal),
    /// A human-readable note without a command.
    Note(String),
    /// Why a command was refused, on one line.
    Refused(String),
    /// Why a move cannot be played, without the move.
    Illegal(String),
    /// The side to move is not the one that the client named. Contains the side to move.
    WrongSide(Side),
    /// A line that is not a known command, safe to quote.
    Unknown(String),
    /// The answer to a question about the game.
    Status(GameStatus),
    /// A reply in a managed game.
    Game(GameReply),
    /// Human-readable lines.
    Text(Vec<String>),
    /// The list of commands.
    Help,
}
