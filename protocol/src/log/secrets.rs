//! Tokens, names of sessions and secrets of rooms in lines of JSON clients, which no log shows.

use std::borrow::Cow;

/// The JSON fields with secret values. With such a value, others could use the server or a session.
const SECRETS: [&str; 7] = ["token", "resume", "session", "room", "own", "friend", "watch"];

/// Returns a line in which `...` stands for the token of `token TOKEN`, and for the values of
/// [`SECRETS`]. The line need not be valid JSON.
pub(super) fn without_secrets(line: &str) -> Cow<'_, str> {
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

/// Returns the text after the JSON value at the start of `text`.
fn after_value(text: &str) -> &str {
    if text.starts_with('"') {
        return next_literal(text).map_or("", |(_, _, after)| after);
    }
    text.find([',', '}', ']']).map_or("", |end| &text[end..])
}
