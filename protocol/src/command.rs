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
pub enum Command {
    /// Who are you, and what can be set?
    Identify,
    /// Say more, or less.
    Debug(bool),
    /// Answer when everything before is done.
    Ready,
    /// Set an option.
    SetOption {
        /// Its name, in any case, words one blank apart.
        name: String,
        /// Its value, trimmed; `None` when none was given.
        value: Option<String>,
    },
    /// The next position belongs to another game.
    NewGame,
    /// Set up a position.
    Position(Setup),
    /// Play these moves, blank-separated, on the position in force.
    Moves(String),
    /// Tell one thing about the game.
    Ask(Question),
    /// A command of a client that sends single stones.
    Game(GameCommand),
    /// Search.
    Go(Request),
    /// Count move sequences of this many plies.
    Perft(u32),
    /// End the search and answer.
    Stop,
    /// The opponent played the move that was pondered on.
    Ponderhit,
    /// Leave.
    Quit,
    /// Show the position.
    Show,
    /// Explain the evaluation of the position.
    Evaluate,
    /// Search the bench positions, to this depth where one is given.
    Bench {
        /// In plies.
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
pub enum Setup {
    /// The starting position.
    Start {
        /// Played on it, blank-separated.
        moves: String,
    },
    /// A position in the game's own text. How far it reaches only the game knows.
    Text {
        /// The position and what follows it.
        text: String,
        /// The word that begins the list of moves, where there is one.
        keyword: &'static str,
    },
    /// No position can be read from this, and why.
    Unreadable(String),
}

/// A search as a client asks for it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Request {
    /// When to end.
    pub limits: Limits,
    /// Search only these moves; all when empty.
    pub search_moves: Vec<String>,
    /// What was wrong with the words of the command, each in a line for a person.
    pub complaints: Vec<String>,
}

/// What can be asked about a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// Nobody has.
    Draw,
}

/// The answer to a [`Question`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameStatus {
    /// Whether the first player is to move.
    FirstToMove(bool),
    /// Whether the game has ended.
    Over(bool),
    /// How it ended, if it did.
    Result(Option<Verdict>),
}

/// What a session says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Who we are and what can be set.
    Identity(Vec<OptionSpec>),
    /// Everything before is done.
    Ready,
    /// A search goes on.
    Report(Report<Move>),
    /// A search has ended.
    Answer(Answer<Move>),
    /// A count has ended.
    Perft(Perft),
    /// A bench has ended.
    Bench(BenchTotal),
    /// A line that a person should see though nobody asked for it.
    Note(String),
    /// Why a command was not carried out, on one line.
    Refused(String),
    /// A line that no command fits, as it can be quoted.
    Unknown(String),
    /// What was asked about the game.
    Status(GameStatus),
    /// A reply to a client that sends single stones.
    Game(GameReply),
    /// Lines that a person asked for.
    Text(Vec<String>),
    /// The list of commands.
    Help,
}
