//! How lines from and to clients appear in the log.

use std::fmt::{self, Display, Formatter, Write};

#[cfg(feature = "json")]
mod secrets;

/// The `tracing` target of events that show lines from and to clients.
pub const LINES: &str = "tengen::line";

/// Displays a line without its secrets. Control characters are escaped, so that a client cannot
/// forge log lines, and so are those that change the direction of text.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "json")]
        let shown = secrets::without_secrets(self.0);
        #[cfg(not(feature = "json"))]
        let shown = self.0;
        shown.chars().try_for_each(|sign| match sign {
            '\t' => f.write_char(sign),
            sign if sign.is_control() || is_invisible(sign) => {
                write!(f, "{}", sign.escape_default())
            }
            sign => f.write_char(sign),
        })
    }
}

/// Returns whether a character changes the direction of text, separates lines, or shows nothing.
// CITE: Unicode Standard Annex 9, section 2; https://trojansource.codes
fn is_invisible(sign: char) -> bool {
    matches!(
        sign,
        '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_those_of_direction_are_escaped() {
        let shown = Escaped("{\"id\":\"\u{1b}[2J\r\n\u{85}é\t\"}").to_string();
        assert_eq!(shown, "{\"id\":\"\\u{1b}[2J\\r\\n\\u{85}é\t\"}");
        let shown = Escaped("a\u{202e}b\u{2066}c\u{200f}d\u{2028}e\u{200b}").to_string();
        assert_eq!(shown, "a\\u{202e}b\\u{2066}c\\u{200f}d\\u{2028}e\\u{200b}");
    }

    #[test]
    fn secrets_are_not_shown() {
        for (line, shown) in [
            ("token abcdef", "token ..."),
            ("  TOKEN abcdef", "token ..."),
            (r#"{"token":"abc","id":"a"}"#, r#"{"token":"...","id":"a"}"#),
            (r#"{"id":"h" , "resume" : "5b\"1", "x":1}"#, r#"{"id":"h" , "resume":"...", "x":1}"#),
            (r#"{"type":"hello","session":"5b1e"}"#, r#"{"type":"hello","session":"..."}"#),
            (r#"{"tok\u0065n":"abc"}"#, r#"{"tok\u0065n":"..."}"#),
            (r#"{"token":123456,"a":"b"}"#, r#"{"token":"...","a":"b"}"#),
            (r#"{"room":["jb1a",{"a":"b"}],"do":"act"}"#, r#"{"room":"...","do":"act"}"#),
            (
                r#"{"action":"join_room","rom":["jb1aBS2hsMZ6WJpa9cMTUw"]}"#,
                r#"{"action":"join_room","rom":["..."]}"#,
            ),
            // Also in lines that are not valid.
            (r#"{"token":"abc"#, r#"{"token":"...""#),
            (r#"{"id":"token","x":"y"}"#, r#"{"id":"token","x":"y"}"#),
            ("position startpos", "position startpos"),
        ] {
            assert_eq!(Escaped(line).to_string(), shown, "{line}");
        }
    }
}
