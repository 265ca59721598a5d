//! How lines from and to clients appear in the log.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write};

/// The `tracing` target of events that show lines from and to clients.
pub const LINES: &str = "tengen::line";

/// The fields of JSON whose values are secret: with them others could use the server or a session.
const SECRETS: [&str; 3] = ["token", "resume", "session"];

/// Displays a line without its secrets. Control characters are escaped, so that a client cannot
/// forge log lines, and so are those that change the direction of text.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown = without_secrets(self.0);
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

/// Returns a line in which `...` stands for the token of `token TOKEN`, and for the values of
/// [`SECRETS`]. The line need not be valid JSON.
fn without_secrets(line: &str) -> Cow<'_, str> {
    let word = line.trim_ascii_start();
    if word.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("token ")) {
        return "token ...".into();
    }
    let mut shown = String::new();
    let mut rest = line;
    while let Some((before, literal, after)) = next_literal(rest) {
        let value = after.trim_ascii_start().strip_prefix(':').map(str::trim_ascii_start);
        shown.push_str(before);
        shown.push_str(literal);
        rest = after;
        if let Some(value) = value.filter(|_| is_secret(literal)) {
            shown.push_str(":\"...\"");
            rest = after_value(value);
        }
    }
    if shown.is_empty() {
        return line.into();
    }
    shown.push_str(rest);
    shown.into()
}

/// Splits a text at its first string of JSON: the text before it, the string, and the text after it.
fn next_literal(text: &str) -> Option<(&str, &str, &str)> {
    let begin = text.find('"')?;
    let mut is_escaped = false;
    let end = text[begin + 1..].find(|sign| {
        let is_end = sign == '"' && !is_escaped;
        is_escaped = sign == '\\' && !is_escaped;
        is_end
    });
    let end = end.map_or(text.len(), |end| begin + 1 + end + 1);
    Some((&text[..begin], &text[begin..end], &text[end..]))
}

/// Returns whether a string of JSON is the name of a secret. Its letters may be escaped.
fn is_secret(literal: &str) -> bool {
    let name = serde_json::from_str::<String>(literal).unwrap_or_default();
    SECRETS.iter().any(|secret| secret.eq_ignore_ascii_case(&name))
}

/// Returns the text after a value of JSON.
fn after_value(text: &str) -> &str {
    if text.starts_with('"') {
        return next_literal(text).map_or("", |(_, _, after)| after);
    }
    text.find([',', '}', ']']).map_or("", |end| &text[end..])
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
            // Also in lines that are not valid.
            (r#"{"token":"abc"#, r#"{"token":"...""#),
            (r#"{"id":"token","x":"y"}"#, r#"{"id":"token","x":"y"}"#),
            ("position startpos", "position startpos"),
        ] {
            assert_eq!(Escaped(line).to_string(), shown, "{line}");
        }
    }
}
