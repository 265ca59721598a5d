//! How all dialects read words and numbers of a line.

use std::time::Duration;

use tengen_engine::{Move, NotationError, Position};

/// Trims the blanks around `text`, and the byte order mark that some shells write before UTF-8.
pub(crate) fn trim(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text).trim_matches(is_blank)
}

/// Returns the first word of `text` and the rest, both without blanks around them.
pub(crate) fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_matches(is_blank);
    text.split_once(is_blank).map_or((text, ""), |(word, rest)| (word, rest.trim_matches(is_blank)))
}

/// Returns whether `word` is one of `words`, which stand with blanks between them. Case does not matter.
pub(crate) fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|known| word.eq_ignore_ascii_case(known))
}

fn is_blank(c: char) -> bool {
    c.is_ascii_whitespace()
}

/// Reads a whole number, saturating; `None` if `text` is not a number.
pub(crate) fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.parse().unwrap_or(i64::MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

/// Reads one of the `legal` moves of `position`.
pub(crate) fn legal_move(
    position: &dyn Position,
    legal: &[Move],
    text: &str,
) -> Result<Move, NotationError> {
    let mv = position.read_move(text)?;
    match legal.contains(&mv) {
        true => Ok(mv),
        false => Err(NotationError::mv(text, "a forbidden move, which loses the game")),
    }
}

/// Returns a number of milliseconds as a duration, from 0 to about three years: so sums of
/// durations cannot overflow.
pub(crate) fn millis(number: i64) -> Duration {
    const MAX: i64 = 100_000_000_000;
    Duration::from_millis(number.clamp(0, MAX).unsigned_abs())
}
