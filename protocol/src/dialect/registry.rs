//! The list of dialects, and how to choose one. To add a dialect, write a folder for it and add it
//! to [`DIALECTS`].
//!
//! No dialect imports this file.

#[cfg(feature = "json")]
use super::json;
use super::kind::Kind;
use super::words::{is_one_of, split_word, trim};
use super::{gomocup, gtp, uci, ugi};

/// All dialects. The first one is the default for a first line that no other dialect knows.
pub static DIALECTS: &[&Kind] = &[
    &uci::server::KIND,
    &ugi::server::KIND,
    &gomocup::server::KIND,
    &gtp::server::KIND,
    #[cfg(feature = "json")]
    &json::KIND,
];

/// The first words of protocols that Tengen does not speak, and their names.
const FOREIGN: [(&str, &str); 8] = [
    ("xboard", "the protocol of XBoard (CECP)"),
    ("protover", "the protocol of XBoard (CECP)"),
    ("usi", "USI, of shogi engines"),
    ("ucci", "UCCI, of xiangqi engines"),
    ("GET", "HTTP: \"tengen serve\" speaks it"),
    ("POST", "HTTP: \"tengen serve\" speaks it"),
    ("Content-Length:", "a protocol with headers, such as the Language Server Protocol"),
    ("EHLO", "SMTP"),
];

/// Returns what to tell a client whose first line is of a protocol that Tengen does not speak; `None`
/// for any other line.
pub fn foreign(line: &str) -> Option<String> {
    let (word, _) = split_word(trim(line));
    let (_, name) = FOREIGN.iter().find(|(known, _)| *known == word)?;
    let names: Vec<&str> = DIALECTS.iter().map(|kind| kind.name).collect();
    Some(format!(
        "\"{word}\": this is {name}; Tengen speaks {}: choose one of them",
        names.join(", ")
    ))
}

/// Returns the dialect with this name, in upper or lower case.
pub fn by_name(name: &str) -> Option<&'static Kind> {
    DIALECTS.iter().copied().find(|kind| kind.name.eq_ignore_ascii_case(name))
}

/// Returns the dialect that the program's file name chooses.
pub fn by_program(program: &str) -> Option<&'static Kind> {
    let has_prefix = |prefix: &str| {
        program.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    DIALECTS.iter().copied().find(|kind| kind.program_prefix.is_some_and(has_prefix))
}

/// Returns the dialect of a client whose first line is `line`; `None` for a blank line or a
/// comment.
pub fn by_first_line(line: &str) -> Option<&'static Kind> {
    let (mut word, rest) = split_word(trim(line));
    // Commands of GTP can have a number.
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        (word, _) = split_word(rest);
    }
    if word.is_empty() || word.starts_with('#') {
        return None;
    }
    #[cfg(feature = "json")]
    if word.starts_with(json::OPENING) {
        return Some(&json::KIND);
    }
    let opens = |kind: &&Kind| is_one_of(word, kind.openings);
    DIALECTS.iter().copied().find(opens).or(Some(DIALECTS[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(line: &str) -> Option<&'static str> {
        by_first_line(line).map(|kind| kind.name)
    }

    #[test]
    fn the_first_word_chooses_the_dialect_in_upper_or_lower_case() {
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
        for line in ["name", "7 boardsize 15", "LIST_COMMANDS", "lz-analyze b 10", "genmove b"] {
            assert_eq!(chosen(line), Some("gtp"), "{line}");
        }
        for line in ["{", " {\"id\":\"a\"}", "\u{feff}{}"] {
            assert_eq!(chosen(line), Some("json"), "{line}");
        }
        for line in ["", " \t\r", "# START 15"] {
            assert_eq!(chosen(line), None, "{line:?}");
        }
    }

    #[test]
    fn a_line_of_another_protocol_is_named() {
        for line in ["xboard", "usi", "GET / HTTP/1.1", "Content-Length: 12"] {
            let told = foreign(line).unwrap_or_default();
            assert!(told.contains("Tengen speaks uci, ugi, gomocup, gtp"), "{line}: {told}");
        }
        for line in ["uci", "get", "position startpos", "name", ""] {
            assert_eq!(foreign(line), None, "{line}");
        }
    }

    #[test]
    fn a_program_name_or_a_dialect_name_chooses_the_dialect() {
        let named = |name| by_name(name).map(|kind| kind.name);
        assert_eq!((named("UGI"), named("uai")), (Some("ugi"), None));
        let program = |name| by_program(name).map(|kind| kind.name);
        assert_eq!(program("pbrain-tengen"), Some("gomocup"));
        assert_eq!(program("PBRAIN-Tengen.exe"), Some("gomocup"));
        assert_eq!((program("tengen"), program("pbraintengen"), program("é")), (None, None, None));
    }
}
