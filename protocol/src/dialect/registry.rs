//! The list of dialects, and which one a client speaks. To add one, write its folder and name it in
//! [`DIALECTS`].
//!
//! No dialect imports this file.

use super::kind::Kind;
use super::words::{split_word, trim};
use super::{gomocup, json, uci, ugi};

/// Every dialect. The first is for clients that begin with a word of no other.
pub static DIALECTS: [&Kind; 4] =
    [&uci::server::KIND, &ugi::server::KIND, &gomocup::server::KIND, &json::KIND];

/// Returns the dialect of this name, in any case.
pub fn by_name(name: &str) -> Option<&'static Kind> {
    DIALECTS.into_iter().find(|kind| kind.name.eq_ignore_ascii_case(name))
}

/// Returns the dialect that a program of this file name speaks from the start.
pub fn by_program(program: &str) -> Option<&'static Kind> {
    let begins = |prefix: &str| {
        program.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    DIALECTS.into_iter().find(|kind| kind.program_prefix.is_some_and(begins))
}

/// Returns the dialect of a client that begins with `line`; `None` when the line says nothing.
pub fn by_first_line(line: &str) -> Option<&'static Kind> {
    let (word, _) = split_word(trim(line));
    if word.is_empty() || word.starts_with('#') {
        return None;
    }
    if word.starts_with(json::OPENING) {
        return Some(&json::KIND);
    }
    let opens = |kind: &&Kind| kind.openings.iter().any(|known| word.eq_ignore_ascii_case(known));
    DIALECTS.into_iter().find(opens).or(Some(DIALECTS[0]))
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
        for line in ["{", " {\"id\":\"a\"}", "\u{feff}{}"] {
            assert_eq!(chosen(line), Some("json"), "{line}");
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
