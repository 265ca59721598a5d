//! Words and numbers of a line, as every dialect reads them.

use std::time::Duration;

/// Trims blanks around `text`, and the mark that some shells put before a stream of UTF-8.
pub(crate) fn trim(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text).trim_matches(is_blank)
}

/// Returns the first word of `text` and what follows it, without blanks around either.
pub(crate) fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_matches(is_blank);
    text.split_once(is_blank).map_or((text, ""), |(word, rest)| (word, rest.trim_matches(is_blank)))
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// Reads a whole number, saturated; `None` when `text` is none.
pub(crate) fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

/// Returns a number of milliseconds as a time, none below zero. At most about three years, so that
/// sums of times cannot overflow.
pub(crate) fn millis(number: i64) -> Duration {
    const LONGEST: i64 = 100_000_000_000;
    Duration::from_millis(number.clamp(0, LONGEST).unsigned_abs())
}
