//! Splits the output of an engine into lines.

/// The greatest length of a line, in bytes. The rest of a longer line is dropped.
pub(super) const MAX_LINE: usize = 1 << 20;

/// Splits bytes that arrive in chunks into lines.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    /// The bytes of the unfinished line.
    unfinished: Vec<u8>,
}

impl LineSplitter {
    /// Calls `out` with each line that `bytes` complete, without its line end. Bytes that are not
    /// UTF-8 are replaced.
    pub(super) fn split(&mut self, bytes: &[u8], out: &mut dyn FnMut(String)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.append(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.unfinished);
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            out(String::from_utf8_lossy(line).into_owned());
        }
        self.append(rest);
    }

    fn append(&mut self, bytes: &[u8]) {
        let room = MAX_LINE.saturating_sub(self.unfinished.len());
        self.unfinished.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(splitter: &mut LineSplitter, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        splitter.split(bytes, &mut |line| lines.push(line));
        lines
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_whole() {
        let mut splitter = LineSplitter::default();
        for _ in 0..3 {
            assert!(cut(&mut splitter, &vec![b'x'; MAX_LINE]).is_empty());
        }
        let lines = cut(&mut splitter, b"y\nOK\r\n\xff\n");
        assert_eq!(
            (lines[0].len(), lines[1].as_str(), lines[2].as_str()),
            (MAX_LINE, "OK", "\u{fffd}")
        );
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            size in 1_usize..20,
        ) {
            let whole = cut(&mut LineSplitter::default(), &bytes);
            let mut splitter = LineSplitter::default();
            let parts: Vec<String> =
                bytes.chunks(size).flat_map(|chunk| cut(&mut splitter, chunk)).collect();
            prop_assert_eq!(whole, parts);
        }
    }
}
