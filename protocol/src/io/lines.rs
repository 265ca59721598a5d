//! [`LineSplitter`]: splits bytes into lines, whatever chunks they arrive in.
//!
//! It does not depend on commands. A line that is too long is skipped. It is reported once, with
//! its beginning, and is not kept in memory.

use std::borrow::Cow;
use std::ops::ControlFlow;

/// The maximum length of a line of a client, in bytes without the line end.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// How many bytes of a line that is too long are reported.
const BEGINNING_BYTES: usize = 64;

/// A line of the input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputLine<'a> {
    /// A line without its line end. Invalid UTF-8 is replaced.
    Text(Cow<'a, str>),
    /// The beginning of a line that is too long, without leading blanks. The line is skipped.
    TooLong(Cow<'a, str>),
}

impl InputLine<'_> {
    /// Returns the line with text of its own.
    pub fn into_owned(self) -> InputLine<'static> {
        match self {
            Self::Text(text) => InputLine::Text(text.into_owned().into()),
            Self::TooLong(beginning) => InputLine::TooLong(beginning.into_owned().into()),
        }
    }
}

/// Splits a stream of bytes into lines.
#[derive(Clone, Debug)]
pub struct LineSplitter {
    /// The beginning of a line whose end has not arrived.
    partial: Vec<u8>,
    /// Whether the current line is too long.
    is_skipping: bool,
    /// The maximum length of a line, in bytes.
    max_bytes: usize,
}

impl Default for LineSplitter {
    fn default() -> Self {
        Self::with_max_bytes(MAX_LINE_BYTES)
    }
}

impl LineSplitter {
    /// Returns a splitter for lines of at most `max_bytes` bytes.
    pub fn with_max_bytes(max_bytes: usize) -> Self {
        Self { partial: Vec::new(), is_skipping: false, max_bytes }
    }

    /// Calls `each` with every line that `chunk` completes, until `each` breaks.
    pub fn feed<B>(
        &mut self,
        chunk: &[u8],
        mut each: impl FnMut(InputLine<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut rest = chunk;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.complete(&rest[..end], &mut each)?;
            rest = &rest[end + 1..];
        }
        self.keep(rest, &mut each)
    }

    /// Calls `each` with the last line if it has no line end.
    pub fn finish<B>(
        &mut self,
        mut each: impl FnMut(InputLine<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.partial.is_empty() {
            return ControlFlow::Continue(());
        }
        self.complete(&[], &mut each)
    }

    /// Returns the beginning of a line whose end has not arrived. Invalid UTF-8 is replaced.
    pub fn unfinished(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.partial)
    }

    fn complete<B>(
        &mut self,
        tail: &[u8],
        each: &mut impl FnMut(InputLine<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let is_whole = self.partial.is_empty() && !self.is_skipping;
        if is_whole && tail.len() <= self.max_bytes {
            return each(InputLine::Text(String::from_utf8_lossy(tail)));
        }
        self.keep(tail, each)?;
        let line = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.is_skipping) {
            return ControlFlow::Continue(());
        }
        each(InputLine::Text(String::from_utf8_lossy(&line)))
    }

    fn keep<B>(
        &mut self,
        tail: &[u8],
        each: &mut impl FnMut(InputLine<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.is_skipping {
            return ControlFlow::Continue(());
        }
        if self.partial.len() + tail.len() > self.max_bytes {
            let line = std::mem::take(&mut self.partial);
            self.is_skipping = true;
            let bytes = line.iter().chain(tail).copied();
            let text = bytes.skip_while(u8::is_ascii_whitespace).take(BEGINNING_BYTES);
            let beginning: Vec<u8> = text.collect();
            return each(InputLine::TooLong(String::from_utf8_lossy(&beginning)));
        }
        self.partial.extend_from_slice(tail);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(chunks: &[&[u8]]) -> Vec<String> {
        let mut lines = LineSplitter::default();
        let mut out = Vec::new();
        let mut each = |line: InputLine<'_>| {
            out.push(match line {
                InputLine::Text(text) => text.into_owned(),
                InputLine::TooLong(beginning) => format!("TOO LONG {}", &beginning[..4]),
            });
            ControlFlow::<()>::Continue(())
        };
        for chunk in chunks {
            assert!(lines.feed(chunk, &mut each).is_continue());
        }
        assert!(lines.finish(&mut each).is_continue());
        out
    }

    #[test]
    fn lines_come_whole_from_any_chunks() {
        assert_eq!(split(&[b"uci\nisready\n"]), ["uci", "isready"]);
        assert_eq!(split(&[b"u", b"c", b"i", b"\n", b"isready"]), ["uci", "isready"]);
        assert_eq!(split(&[b"\n\n", b"", b"d\r\n"]), ["", "", "d\r"]);
        assert_eq!(split(&[b"\xff\xfe\nd\n"]), ["\u{fffd}\u{fffd}", "d"]);
        assert!(split(&[]).is_empty());
    }

    #[test]
    fn a_line_too_long_is_reported_once_and_the_next_one_is_served() {
        let long = vec![b'x'; MAX_LINE_BYTES + 1];
        assert_eq!(split(&[&long, &long, b"y\nisready\n"]), ["TOO LONG xxxx", "isready"]);
        assert_eq!(split(&[&long, b"\nisready"]), ["TOO LONG xxxx", "isready"]);
        assert_eq!(split(&[&long]), ["TOO LONG xxxx"]);
        let mut whole = long.clone();
        whole.extend(b"\nisready\n");
        assert_eq!(split(&[&whole]), ["TOO LONG xxxx", "isready"]);
        let exact = vec![b'x'; MAX_LINE_BYTES];
        assert_eq!(split(&[&exact, b"\n"])[0].len(), MAX_LINE_BYTES);
        assert_eq!(split(&[b"x", &exact, b"\nd\n"]), ["TOO LONG xxxx", "d"]);
        assert_eq!(split(&[b"\r \tpo", b"sition ", &exact]), ["TOO LONG posi"]);
        let blank = vec![b' '; MAX_LINE_BYTES];
        assert_eq!(split(&[&blank, b"position d1\n"]), ["TOO LONG posi"]);
    }

    proptest! {
        #[test]
        fn chunking_makes_no_difference(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..200),
            cuts in proptest::collection::vec(0_usize..200, 0..8),
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts {
                chunks.push(&bytes[from..cut]);
                from = cut;
            }
            chunks.push(&bytes[from..]);
            let mut expected: Vec<String> = bytes
                .split(|b| *b == b'\n')
                .map(|line| String::from_utf8_lossy(line).into_owned())
                .collect();
            if expected.last().is_some_and(String::is_empty) {
                expected.pop();
            }
            prop_assert_eq!(split(&chunks), expected);
        }
    }
}
