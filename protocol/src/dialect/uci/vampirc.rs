//! Reads the commands with options and switches with the library `vampirc_uci`. Only this file uses
//! the library.
//!
//! The library ignores extra words after a command. If that hides a mistake or changes a name or a
//! value, this file refuses the line. The library reads `position` and `go` wrongly, so other files
//! read them.

use tengen_engine::text::quotable;
use vampirc_uci::{UciMessage, parse_one};

use crate::command::Command;

const WORDS: [&str; 3] = ["setoption", "debug", "register"];

/// Returns whether this file reads the command `word`.
pub(super) fn reads(word: &str) -> bool {
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// Returns the command in `line`. [`reads`] must accept its first word.
pub(super) fn decode(line: &str) -> Command {
    // The library reads other blanks as line ends or letters.
    let is_other_blank = |c: char| c.is_ascii_whitespace() && c != ' ' && c != '\t';
    let line = line.replace(is_other_blank, " ");
    match parse_one(&line) {
        UciMessage::Debug(on) => debug(on, &line),
        UciMessage::Register { .. } => Command::Nothing,
        UciMessage::SetOption { name, value } => set_option(&name, value.as_deref(), &line),
        _ => refused(&line),
    }
}

fn debug(on: bool, line: &str) -> Command {
    // The library reads `debug only` as `debug on`.
    let mut words = line.split_ascii_whitespace().skip(1);
    let word = words.next().unwrap_or_default();
    let is_switch = word.eq_ignore_ascii_case(if on { "on" } else { "off" });
    if is_switch && words.next().is_none() { Command::Debug(on) } else { refused(line) }
}

fn set_option(name: &str, value: Option<&str>, line: &str) -> Command {
    let words = name.split_ascii_whitespace().collect::<Vec<_>>();
    if value.is_none() && is_cut_short(words.len(), line) {
        return refused(line);
    }
    let value = value.map(str::trim).filter(|value| !value.is_empty());
    Command::SetOption { name: words.join(" "), value: value.map(str::to_owned) }
}

/// Returns whether the library dropped words after a name of `name_words` words. It ends a name at
/// any word that begins with `value`, and forgets the rest. A lone `value` is not a mistake.
fn is_cut_short(name_words: usize, line: &str) -> bool {
    let mut rest = line.split_ascii_whitespace().skip(2 + name_words);
    rest.next().is_some_and(|word| !word.eq_ignore_ascii_case("value")) || rest.next().is_some()
}

fn refused(line: &str) -> Command {
    let word = line.split_ascii_whitespace().next().unwrap_or_default();
    let usage = match word.to_ascii_lowercase().as_str() {
        "debug" => "debug on|off",
        "register" => "register later|name N code C",
        "setoption" => "setoption name N [value V]",
        _ => word,
    };
    Command::Refused(format!("\"{usage}\" expected, found \"{}\"", quotable(line)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn option(line: &str) -> (String, Option<String>) {
        match decode(line) {
            Command::SetOption { name, value } => (name, value),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn pair(name: &str, value: Option<&str>) -> (String, Option<String>) {
        (name.into(), value.map(Into::into))
    }

    #[test]
    fn switches_are_read_in_upper_or_lower_case() {
        for (line, command) in [
            ("debug on", Command::Debug(true)),
            ("debug\tOFF", Command::Debug(false)),
            ("register later", Command::Nothing),
            ("register name Ann B code 12 34", Command::Nothing),
        ] {
            assert_eq!(decode(line), command, "{line}");
        }
    }

    #[test]
    fn names_and_values_come_out_exactly() {
        for (line, expected) in [
            ("setoption name Hash value 64", pair("Hash", Some("64"))),
            ("setoption name hash VALUE 64  ", pair("hash", Some("64"))),
            ("SETOPTION NAME Hash\tvalue\t64\r", pair("Hash", Some("64"))),
            ("setoption name Clear   Hash", pair("Clear Hash", None)),
            ("setoption name clear hash value", pair("clear hash", None)),
            ("setoption name Clear Hash value  ", pair("Clear Hash", None)),
            (
                "setoption name Debug Log File value /tmp/a  b/ c.log",
                pair("Debug Log File", Some("/tmp/a  b/ c.log")),
            ),
            (
                "setoption name Debug Log File value <empty>",
                pair("Debug Log File", Some("<empty>")),
            ),
            ("setoption name Naïve ♟ value größer ♜", pair("Naïve ♟", Some("größer ♜"))),
            ("setoption name X value value 3", pair("X", Some("value 3"))),
            ("setoption name X value name Y", pair("X", Some("name Y"))),
            ("setoption name X value a\0b", pair("X", Some("a\0b"))),
            ("setoption name name value 3", pair("name", Some("3"))),
        ] {
            assert_eq!(option(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_that_the_library_reads_wrongly_are_refused() {
        for line in [
            "setoption",
            "setoption name",
            "setoption name  ",
            "setoption Hash value 3",
            "setoption name value 3",
            "setoption name X values 3",
            "setoption name X value3",
            "debug",
            "debug only",
            "debug onx",
            "debug of",
            "register",
            "register name Ann",
        ] {
            assert!(matches!(decode(line), Command::Refused(_)), "{line}: {:?}", decode(line));
        }
    }

    proptest! {
        #[test]
        fn a_name_and_a_value_survive_whatever_they_are(
            name in "[A-Za-uw-z_é♟0-9]{1,8}( [A-Za-uw-z_0-9]{1,8}){0,2}",
            value in "[^\\s\\x00]([^\\r\\n\\x0c]{0,20}[^\\s\\x00])?",
        ) {
            let line = format!("setoption name {name} value {value}");
            prop_assert_eq!(option(&line), (name, Some(value)));
        }

        #[test]
        fn no_text_behind_a_known_word_panics(word in proptest::sample::select(&WORDS[..]), rest in any::<String>()) {
            decode(&format!("{word} {rest}"));
            decode(&format!("{word} name {rest}"));
        }
    }
}
