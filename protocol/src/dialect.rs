//! What a dialect is: text to [`Command`] and [`Reply`] to text, and which one a client speaks.
//!
//! It knows neither positions nor searches, and keeps no state beyond what spans several lines. To
//! add one, write its file and name it in [`DIALECTS`].

use crate::command::{Command, Reply};
use crate::{gomocup, uci, ugi};

/// What an encoder may know of the board in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scene {
    /// Its rows; 0 where the game has no board.
    pub rows: u32,
    /// How many lines of play a search reports.
    pub lines: usize,
}

/// One way to speak.
pub trait Dialect: Send {
    /// Hands each command that `line` completes to `out`; none while more lines belong to it.
    fn decode(&mut self, line: &str, out: &mut dyn FnMut(Command));

    /// Hands each line of `reply` to `out`, without its line end.
    fn encode(&mut self, reply: &Reply, scene: &Scene, out: &mut dyn FnMut(String));

    /// Whether a client that speaks of variants, or of drops, wants to read drops.
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

/// Every dialect. The first is spoken to a client that begins in no other.
pub static DIALECTS: [&Kind; 3] = [&uci::KIND, &ugi::KIND, &gomocup::KIND];

/// The dialect of this name, in any case.
pub fn by_name(name: &str) -> Option<&'static Kind> {
    DIALECTS.into_iter().find(|kind| kind.name.eq_ignore_ascii_case(name))
}

/// The dialect that a program of this file name speaks from the start.
pub fn by_program(program: &str) -> Option<&'static Kind> {
    let begins = |prefix: &str| {
        program.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    DIALECTS.into_iter().find(|kind| kind.program_prefix.is_some_and(begins))
}

/// The dialect of a client that begins with `line`; `None` when the line says nothing.
pub fn by_first_line(line: &str) -> Option<&'static Kind> {
    let (word, _) = split_word(trim(line));
    if word.is_empty() || word.starts_with('#') {
        return None;
    }
    let opens = |kind: &&Kind| kind.openings.iter().any(|known| word.eq_ignore_ascii_case(known));
    DIALECTS.into_iter().find(opens).or(Some(DIALECTS[0]))
}

/// `text` without blanks around it, nor the mark that some shells put before a stream of UTF-8.
pub(crate) fn trim(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text).trim_matches(is_blank)
}

/// The first word of `text` and what follows it, without blanks around either.
pub(crate) fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_matches(is_blank);
    text.split_once(is_blank).map_or((text, ""), |(word, rest)| (word, rest.trim_matches(is_blank)))
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(line: &str) -> Option<&'static str> {
        by_first_line(line).map(|kind| kind.name)
    }

    #[test]
    fn the_first_word_tells_the_dialect_in_any_case() {
        for line in ["uci", "isready", "position startpos", "go", "xyzzy", "starts 15", "quit"] {
            assert_eq!(chosen(line), Some("uci"), "{line}");
        }
        for line in ["ugi", "\u{feff} UGI\r", "\tugi now"] {
            assert_eq!(chosen(line), Some("ugi"), "{line}");
        }
        for line in [
            "START 15",
            "start\t20\r",
            "RECTSTART 8,9",
            "about",
            "INFO rule 1",
            "BEGIN",
            "yxshowinfo",
            "BOARD",
            "YXBOARD 7,7,1 DONE",
            "RESTART",
            "SWAP2BOARD",
            "END",
        ] {
            assert_eq!(chosen(line), Some("gomocup"), "{line}");
        }
        for line in ["", " \t\r", "# START 15"] {
            assert_eq!(chosen(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_program_s_name_and_the_command_line_tell_it_too() {
        let named = |name| by_name(name).map(|kind| kind.name);
        assert_eq!((named("UGI"), named("uai")), (Some("ugi"), None));
        let program = |name| by_program(name).map(|kind| kind.name);
        assert_eq!(program("pbrain-tengen"), Some("gomocup"));
        assert_eq!(program("PBRAIN-Tengen.exe"), Some("gomocup"));
        assert_eq!((program("tengen"), program("pbraintengen"), program("é")), (None, None, None));
    }
}
