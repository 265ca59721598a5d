//! [`TextEncoding`]: the character encoding of a file.
//!
//! This file does not depend on a format.

use std::borrow::Cow;
use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// A character encoding: one that contains ASCII, or UTF-16.
///
/// ```
/// use tengen_records::TextEncoding;
///
/// let latin = TextEncoding::named("ISO-8859-1").unwrap();
/// assert_eq!(*latin.encode("J\u{fc}rgen").unwrap(), *b"J\xfcrgen");
/// assert!(latin.encode("\u{738b}").is_none());
/// assert!(TextEncoding::named("klingon").is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextEncoding(&'static Encoding);

/// The byte order marks of files, and their encodings.
const MARKS: [(&[u8], TextEncoding); 3] = [
    (b"\xef\xbb\xbf", TextEncoding::UTF_8),
    (b"\xff\xfe", TextEncoding(UTF_16LE)),
    (b"\xfe\xff", TextEncoding(UTF_16BE)),
];

impl TextEncoding {
    /// UTF-8.
    pub const UTF_8: Self = Self(UTF_8);
    /// Windows-1252, a superset of ISO-8859-1: the default of SGF.
    pub const LATIN_1: Self = Self(WINDOWS_1252);

    /// Returns the encoding with this name, in any spelling that browsers know; `None` if it is
    /// unknown or does not contain ASCII. A file in another encoding cannot name it.
    pub fn named(name: &str) -> Option<Self> {
        let known = Encoding::for_label(name.trim().as_bytes())?;
        // GB18030 contains GBK and GB2312, and replaces them.
        let known = if known == encoding_rs::GBK { GB18030 } else { known };
        known.is_ascii_compatible().then_some(Self(known))
    }

    /// Returns the encoding of the byte order mark that `bytes` begin with, and the bytes after the
    /// mark.
    pub(crate) fn marked(bytes: &[u8]) -> Option<(Self, &[u8])> {
        MARKS.into_iter().find_map(|(mark, known)| Some((known, bytes.strip_prefix(mark)?)))
    }

    /// Returns `bytes` without a byte order mark.
    pub(crate) fn unmarked(bytes: &[u8]) -> &[u8] {
        Self::marked(bytes).map_or(bytes, |(_, rest)| rest)
    }

    /// Returns the most likely encoding of `bytes`.
    pub(crate) fn guessed(bytes: &[u8]) -> Self {
        if std::str::from_utf8(bytes).is_ok() {
            return Self::UTF_8;
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(bytes, true);
        Self(detector.guess(None, Utf8Detection::Deny))
    }

    /// Returns the name of the encoding, as files write it.
    pub fn name(self) -> &'static str {
        if self == Self::LATIN_1 { "ISO-8859-1" } else { self.0.name() }
    }

    pub(crate) fn is_utf_16(self) -> bool {
        self.0 == UTF_16LE || self.0 == UTF_16BE
    }

    /// Encodes a text; `None` when a character is not in the encoding.
    pub fn encode(self, text: &str) -> Option<Cow<'_, [u8]>> {
        if self.is_utf_16() {
            let to_bytes = if self.0 == UTF_16LE { u16::to_le_bytes } else { u16::to_be_bytes };
            return Some(text.encode_utf16().flat_map(to_bytes).collect());
        }
        let (bytes, _, has_unmappable) = self.0.encode(text);
        (!has_unmappable).then_some(bytes)
    }

    /// Decodes a text. Invalid bytes become replacement characters.
    pub(crate) fn decode_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
        self.0.decode_without_bom_handling(bytes).0
    }

    /// Decodes the character that `bytes` begin with. Returns the text, which may be a few
    /// characters that belong together, and its number of bytes; `None` if the bytes are invalid.
    pub(crate) fn character(self, bytes: &[u8]) -> Option<(Cow<'_, str>, usize)> {
        let lengths: &[usize] = if self.is_utf_16() { &[2, 4] } else { &[1, 2, 3, 4] };
        lengths.iter().filter(|length| **length <= bytes.len()).find_map(|&length| {
            let text =
                self.0.decode_without_bom_handling_and_without_replacement(&bytes[..length])?;
            Some((text, length))
        })
    }
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
