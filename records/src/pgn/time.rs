//! The times in comments of PGN.

use std::time::Duration;

/// Returns the words of a comment without `[%emt ...]`, and this time.
pub(super) fn without_time<'a>(words: &[&'a str]) -> (Vec<&'a str>, Option<Duration>) {
    let mut kept = words.to_vec();
    let Some(at) = words.iter().position(|word| *word == "[%emt") else { return (kept, None) };
    let time = words.get(at + 1).and_then(|word| clock(word.strip_suffix(']')?));
    if time.is_some() {
        kept.drain(at..at + 2);
    }
    (kept, time)
}

/// Returns the time of a text such as `0:01:02.5`.
fn clock(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        let part: f64 = part.parse().ok().filter(|part: &f64| part.is_finite() && *part >= 0.0)?;
        seconds = seconds * 60.0 + part;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns the time in a comment of a match runner, such as `+0.30/12 0.512s`.
pub(super) fn spent(words: &[&str]) -> Option<Duration> {
    let word =
        words.iter().take(3).find_map(|word| word.trim_end_matches(',').strip_suffix('s'))?;
    let is_number = word.starts_with(|c: char| c.is_ascii_digit());
    clock(word).filter(|_| is_number)
}
