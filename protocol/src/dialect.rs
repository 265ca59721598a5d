//! What a dialect is: text to [`Command`] and [`Reply`] to text, nothing else.
//!
//! It knows neither positions nor searches, and keeps no state beyond a command that spans several
//! lines.

use crate::command::{Command, Reply};
use crate::uci::Uci;

/// One way to speak.
pub trait Dialect: Send {
    /// The command that `line` stands for; [`Command::Nothing`] when more lines belong to it.
    fn decode(&mut self, line: &str) -> Command;

    /// Hands each line of `reply` to `out`, without its line end.
    fn encode(&mut self, reply: &Reply, out: &mut dyn FnMut(String));
}

/// The dialect of a session that has not yet heard anything.
pub fn initial() -> Box<dyn Dialect> {
    Box::new(Uci)
}
