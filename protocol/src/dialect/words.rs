//! Words of a line, as every dialect splits them.

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
