//! Tokens, names of sessions and secrets of rooms in lines of JSON clients, which no log shows.

use std::borrow::Cow;

/// The JSON fields with secret values. With such a value, others could use the server or a session.
const SECRETS: [&str; 7] = ["token", "resume", "session", "room", "own", "friend", "watch"];

/// From this length on a word may be a secret of a room, which has 22 signs.
const SECRET_CHARS: usize = 20;

/// Returns a line in which `...` stands for the token of `token TOKEN`, and for the values of
/// [`SECRETS`]. In a line about rooms it stands for all long words. The line need not be valid JSON.
pub(super) fn without_secrets(line: &str) -> Cow<'_, str> {
    let word = line.trim_ascii_start();
    if word.get(..6).is_some_and(|word| word.eq_ignore_ascii_case("token ")) {
        return "token ...".into();
    }
    let is_about_rooms = line.to_ascii_lowercase().contains("room");
    let mut shown = String::new();
    let mut rest = line;
    while let Some((before, literal, after)) = next_literal(rest) {
        let value = after.trim_ascii_start().strip_prefix(':').map(str::trim_ascii_start);
        shown.push_str(before);
        let hides = is_about_rooms && has_long_word(literal);
        shown.push_str(if hides { "\"...\"" } else { literal });
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

/// Splits a text at its first JSON string. Returns the text before it, the string, and the text
/// after it; `None` if there is no string.
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

/// Returns whether a JSON string is a name of [`SECRETS`]. Its letters may be escaped.
fn is_secret(literal: &str) -> bool {
    let name = serde_json::from_str::<String>(literal).unwrap_or_default();
    SECRETS.iter().any(|secret| secret.eq_ignore_ascii_case(&name))
}

/// Returns whether a JSON string has a word as long as a secret. Its letters may be escaped.
fn has_long_word(literal: &str) -> bool {
    let text = serde_json::from_str::<String>(literal).unwrap_or_else(|_| literal.to_owned());
    let is_between = |sign: char| !sign.is_ascii_alphanumeric() && sign != '-' && sign != '_';
    text.split(is_between).any(|word| word.len() >= SECRET_CHARS)
}

/// Returns the text after the JSON value at the start of `text`.
fn after_value(text: &str) -> &str {
    let mut rest = text;
    let mut depth = 0_usize;
    while let Some(at) = rest.find(['"', ',', '[', ']', '{', '}']) {
        let (end, after) = (&rest[at..], &rest[at + 1..]);
        match rest.as_bytes()[at] {
            b'"' => rest = next_literal(end).map_or("", |(_, _, after)| after),
            b'[' | b'{' => (depth, rest) = (depth + 1, after),
            _ if depth == 0 => return end,
            b',' => rest = after,
            _ => (depth, rest) = (depth - 1, after),
        }
    }
    ""
}
