//! What a dialect is: text to [`Command`] and [`Reply`] to text.
//!
//! It knows no dialect by name, neither positions nor searches. A dialect keeps no state beyond what
//! spans several lines.

use tengen_engine::{Move, Position, Style};

use crate::command::{Command, Reply};

/// What an encoder may know of the game in force.
#[derive(Clone, Copy)]
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
    /// Moves that follow each other from the position on, in text.
    pub fn write_line(&self, moves: &[Move]) -> Vec<String> {
        self.position.write_line(moves, self.style)
    }

    /// Returns a move of the position in text.
    pub fn write_move(&self, mv: Move) -> String {
        self.position.write_move(mv, self.style)
    }
}

/// What is said of a line that is too long to be served.
pub(crate) const OVERLONG: &str = "a line longer than 1 MiB was skipped";

/// One way to speak.
pub trait Dialect: Send {
    /// Hands each command that `line` completes to `out`; none while more lines belong to it.
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command));

    /// Hands each command to `out` that a line stands for which is too long to be served. Of the line
    /// only the beginning is known.
    fn decode_overlong(&mut self, beginning: &str, out: &mut dyn FnMut(Command)) {
        let _ = beginning;
        out(Command::Refused(OVERLONG.to_owned()));
    }

    /// Hands each line of `reply` to `out`, without its line end.
    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String));

    /// Returns whether a client that speaks of variants, or of drops, wants to read drops.
    fn writes_drops(&self) -> bool {
        false
    }
}

/// A dialect as it is chosen.
#[derive(Debug)]
pub struct Kind {
    /// Its name on the command line.
    pub name: &'static str,
    /// The first words that only its clients begin with.
    pub openings: &'static [&'static str],
    /// How a program is named that speaks it from the start.
    pub program_prefix: Option<&'static str>,
    /// The variant that its clients expect where none is named; the catalogue's first without one.
    pub variant: Option<&'static str>,
    /// A speaker at the beginning of a session.
    pub make: fn() -> Box<dyn Dialect>,
}
