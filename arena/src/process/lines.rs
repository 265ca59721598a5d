//! Bytes of an engine to lines, however many come at once.

/// The most that is kept of one line.
pub(super) const MOST: usize = 1 << 20;

/// Cuts bytes into lines.
#[derive(Debug, Default)]
pub(super) struct LineCutter {
    /// The line so far.
    open: Vec<u8>,
}

impl LineCutter {
    /// Hands each line that `bytes` complete to `out`, without its end. Of a line that is too long the
    /// beginning is kept. Bytes that are not UTF-8 are replaced.
    pub(super) fn cut(&mut self, bytes: &[u8], out: &mut dyn FnMut(String)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.keep(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.open);
            let line = line.strip_suffix(b"\r").unwrap_or(&line);
            out(String::from_utf8_lossy(line).into_owned());
        }
        self.keep(rest);
    }

    fn keep(&mut self, bytes: &[u8]) {
        let room = MOST.saturating_sub(self.open.len());
        self.open.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(cutter: &mut LineCutter, bytes: &[u8]) -> Vec<String> {
        let mut lines = Vec::new();
        cutter.cut(bytes, &mut |line| lines.push(line));
        lines
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_whole() {
        let mut cutter = LineCutter::default();
        for _ in 0..3 {
            assert!(cut(&mut cutter, &vec![b'x'; MOST]).is_empty());
        }
        let lines = cut(&mut cutter, b"y\nOK\r\n\xff\n");
        assert_eq!(
            (lines[0].len(), lines[1].as_str(), lines[2].as_str()),
            (MOST, "OK", "\u{fffd}")
        );
    }

    proptest! {
        #[test]
        fn chunks_make_no_difference(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            size in 1_usize..20,
        ) {
            let whole = cut(&mut LineCutter::default(), &bytes);
            let mut cutter = LineCutter::default();
            let parts: Vec<String> =
                bytes.chunks(size).flat_map(|chunk| cut(&mut cutter, chunk)).collect();
            prop_assert_eq!(whole, parts);
        }
    }
}
