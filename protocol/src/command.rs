//! [`Command`] and [`Reply`]: the vocabulary that every dialect shares.
//!
//! A dialect decodes a line to a command and encodes a reply to lines. Nothing here knows how
//! either is spelled.

mod game;

use tengen_engine::backend::{BenchTotal, Perft};
use tengen_engine::options::OptionSpec;
use tengen_engine::{Answer, Limits, Move, Report, Side};

pub use self::game::{GameCommand, GameLimit, GameReply, Owner, Stone, Xy};

/// What a client can ask.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Command {
    /// Ask for identity and options.
    Identify,
    /// Turn debug messages on or off.
    Debug(bool),
    /// Ask for an answer when everything before is done.
    Ready,
    /// Set an option.
    SetOption {
        /// The name, in any case, with single blanks between words.
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
    /// Ask about the game.
    Ask(Question),
    /// A command of a client that sends single stones.
    Game(GameCommand),
    /// Search.
    Go(Request),
    /// Count move sequences of this many plies.
    Perft(u32),
    /// End the search and answer.
    Stop,
    /// Tell that the opponent played the move that was pondered on.
    Ponderhit,
    /// Leave.
    Quit,
    /// Show the position.
    Show,
    /// Explain the evaluation of the position.
    Evaluate,
    /// Search the bench positions, to this depth where one is given.
    Bench {
        /// The depth in plies.
        depth: Option<u32>,
    },
    /// Exchange the players.
    Flip,
    /// Tell how this program was built.
    Compiler,
    /// List the commands.
    Help,
    /// Nothing to do.
    Nothing,
    /// Nothing to do, and why, in a line for a person.
    Note(String),
    /// A line that no command fits.
    Unknown(String),
    /// A command that cannot be carried out, and why, in a line for a person.
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
    /// A position in the game's own text. Only the game knows where it ends.
    Text {
        /// The position and what follows it.
        text: String,
        /// The word that begins the list of moves, if there is one.
        keyword: &'static str,
    },
    /// No position can be read from this, and why.
    Unreadable(String),
}

/// A search as a client asks for it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Request {
    /// When to end.
    pub limits: Limits,
    /// Search only these moves; all when empty.
    pub search_moves: Vec<String>,
    /// Complaints about words of the command, each in a line for a person.
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

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// This side has won.
    Win(Side),
    /// Nobody has won.
    Draw,
}

/// The answer to a [`Question`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameStatus {
    /// Whether the first player is to move.
    FirstToMove(bool),
    /// Whether the game has ended.
    Over(bool),
    /// How it ended, if it did.
    Result(Option<Verdict>),
}

/// A reply of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reply {
    /// Identity and options.
    Identity(Vec<OptionSpec>),
    /// Everything before is done.
    Ready,
    /// A report of a search.
    Report(Report<Move>),
    /// The answer of a search.
    Answer(Answer<Move>),
    /// The result of a perft.
    Perft(Perft),
    /// The result of a bench.
    Bench(BenchTotal),
    /// A line that a person should see though nobody asked for it.
    Note(String),
    /// A refused command, and why, on one line.
    Refused(String),
    /// A line that no command fits, as it can be quoted.
    Unknown(String),
    /// The answer to a question about the game.
    Status(GameStatus),
    /// A reply to a client that sends single stones.
    Game(GameReply),
    /// Lines that a person asked for.
    Text(Vec<String>),
    /// The list of commands.
    Help,
}
