//! [`Dialect`]: text to [`Command`] and [`Reply`] to text.
//!
//! It knows no dialect by name, no position and no search. A dialect keeps no state but that of a
//! command of several lines.

use tengen_engine::text::quotable;
use tengen_engine::{Move, Position, Style};

use crate::command::{Command, Reply};

/// The facts about the game in force that an encoder may use.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct BoardContext<'a> {
    /// The position in which the moves of a reply begin.
    pub position: &'a dyn Position,
    /// How moves are written.
    pub style: Style,
    /// How many lines of play a search reports.
    pub lines: usize,
    /// Whether the client wants chances beside scores.
    pub shows_wdl: bool,
}

impl BoardContext<'_> {
    /// Writes moves that follow each other from the position on.
    pub fn write_line(&self, moves: &[Move]) -> Vec<String> {
        self.position.write_line(moves, self.style)
    }

    /// Returns a move of the position in text.
    pub fn write_move(&self, mv: Move) -> String {
        self.position.write_move(mv, self.style)
    }
}

/// Returns the message about a line that is too long, of which only the beginning is known.
pub(crate) fn overlong(beginning: &str) -> String {
    let shown: String = beginning.chars().take(QUOTED).collect();
    format!("\"{}...\": the line was skipped, it is longer than 1 MiB", quotable(shown.trim()))
}

/// How many characters are quoted of a line that is too long.
const QUOTED: usize = 32;

/// A dialect: decodes lines and encodes replies.
pub trait Dialect: Send {
    /// Passes each command that `line` completes to `out`; none while more lines belong to it.
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command));

    /// Passes the commands of a line that is too long to `out`. Only the beginning of the line is
    /// known.
    fn decode_overlong(&mut self, beginning: &str, out: &mut dyn FnMut(Command)) {
        out(Command::Refused(overlong(beginning)));
    }

    /// Writes each line of `reply` to `out`, without its line end.
    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String));

    /// Returns whether a client that names variants or writes drops wants to read drops.
    fn writes_drops(&self) -> bool {
        false
    }
}

/// The registration of a dialect: its name, and how it is chosen.
#[derive(Debug)]
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// The first words of a session that choose it.
    pub openings: &'static [&'static str],
    /// The prefix of program names that choose it.
    pub program_prefix: Option<&'static str>,
    /// The variant in which its sessions start; `None` for the first of the catalogue.
    pub variant: Option<&'static str>,
    /// What its clients say.
    pub speech: Speech,
}

/// What the clients of a dialect say.
#[derive(Clone, Copy, Debug)]
pub enum Speech {
    /// Commands about a game that goes on; creates the dialect at the beginning of a session.
    Commands(fn() -> Box<dyn Dialect>),
    /// Queries in JSON, each with everything that it is about.
    Queries,
}
