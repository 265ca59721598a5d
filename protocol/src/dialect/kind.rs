//! [`Dialect`]: decodes text to [`Command`]s and encodes [`Reply`]s as text.
//!
//! A dialect keeps no state, except for a command of several lines.

use tengen_engine::text::quotable;
use tengen_engine::{Move, Position, Style};

use crate::command::{Command, Reply};

/// The facts about the current game that an encoder may use.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct BoardContext<'a> {
    /// The position before the first move of a reply.
    pub position: &'a dyn Position,
    /// How moves are written.
    pub style: Style,
    /// How many lines of play a search reports.
    pub multi_pv: usize,
    /// Whether the client wants win, draw and loss chances with scores.
    pub shows_wdl: bool,
}

impl BoardContext<'_> {
    /// Returns the texts of `moves`, played one after the other from the position.
    pub fn write_line(&self, moves: &[Move]) -> Vec<String> {
        self.position.write_line(moves, self.style)
    }

    /// Returns the text of a move in the position.
    pub fn write_move(&self, mv: Move) -> String {
        self.position.write_move(mv, self.style)
    }
}

/// A line of more than `max_bytes` bytes. Only its beginning is known.
#[derive(Clone, Copy, Debug)]
pub struct OverlongLine<'a> {
    /// The beginning of the line.
    pub beginning: &'a str,
    /// How long a line may be, in bytes.
    pub max_bytes: usize,
}

impl OverlongLine<'_> {
    /// Returns the message about the line.
    pub(crate) fn message(&self) -> String {
        let shown: String = self.beginning.chars().take(QUOTED_CHARS).collect();
        let (shown, max) = (quotable(shown.trim()), size_text(self.max_bytes));
        format!("\"{shown}...\": the line was skipped, it is longer than {max}")
    }
}

/// Returns a number of bytes in the largest unit that needs no fraction.
fn size_text(bytes: usize) -> String {
    const MIB: usize = 1 << 20;
    const KIB: usize = 1 << 10;
    match bytes {
        bytes if bytes.is_multiple_of(MIB) => format!("{} MiB", bytes / MIB),
        bytes if bytes.is_multiple_of(KIB) => format!("{} KiB", bytes / KIB),
        bytes => format!("{bytes} bytes"),
    }
}

/// How many characters are quoted of a line that is too long.
const QUOTED_CHARS: usize = 32;

/// A dialect: decodes lines and encodes replies.
pub trait Dialect: Send {
    /// Passes each command that `line` completes to `out`. A line inside a command of several lines
    /// completes none.
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command));

    /// Passes the commands for a line that is too long to `out`.
    fn decode_overlong(&mut self, line: OverlongLine<'_>, out: &mut dyn FnMut(Command)) {
        out(Command::Refused(line.message()));
    }

    /// Passes each line of `reply` to `out`, without the line end.
    fn encode(&mut self, reply: &Reply, context: &BoardContext<'_>, out: &mut dyn FnMut(String));

    /// Returns whether commands run one after the other. Each command, except `stop` and `ponderhit`,
    /// waits for the search before it, and stops a search without limits. After a refusal the
    /// commands up to the next [`Command::Done`] are skipped.
    fn is_sequential(&self) -> bool {
        false
    }

    /// Returns whether moves are written as drops to a client that sets a variant or writes drops.
    fn writes_drops(&self) -> bool {
        false
    }
}

/// A dialect in the list [`DIALECTS`](super::DIALECTS): its name, and how it is chosen.
#[derive(Debug)]
pub struct Kind {
    /// The name on the command line.
    pub name: &'static str,
    /// The words, with blanks between them, that choose this dialect when a client's first line begins with one.
    pub openings: &'static str,
    /// The prefix of program names that choose this dialect.
    pub program_prefix: Option<&'static str>,
    /// The initial variant of sessions; `None` for the catalogue's first.
    pub variant: Option<&'static str>,
    /// Whether clients send commands or queries.
    pub speech: Speech,
}

/// Whether the clients of a dialect send commands or queries.
#[derive(Clone, Copy, Debug)]
pub enum Speech {
    /// Commands about one current game. The function creates the dialect for a session.
    Commands(fn() -> Box<dyn Dialect>),
    /// Self-contained queries in JSON.
    Queries,
}
