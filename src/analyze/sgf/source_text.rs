//! The text of a file in the encoding that its property `CA` names, and the way back to its bytes.
//!
//! It knows no property but `CA`.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::Place;

/// Marks UTF-8 at the beginning of a file.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A file, decoded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SourceText {
    bytes: Vec<u8>,
    encoding: &'static Encoding,
    pub(super) text: String,
    /// Where in the text and in the bytes each character ends that is no ASCII.
    ends: Vec<(usize, usize)>,
}

/// Why bytes make no text.
pub(super) enum EncodingError {
    /// No encoding of this name is known.
    Unknown(String),
    /// The bytes at this place are no text in the encoding of this name.
    Bytes(Place, &'static str),
}

impl SourceText {
    /// Decodes a file by its `CA`. Without one it is UTF-8 where it can be, else Latin-1, which is
    /// what the standard says.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, EncodingError> {
        if bytes.starts_with(MARK) {
            return Self::decode_as(bytes, UTF_8, MARK.len());
        }
        let Some(name) = charset(bytes) else {
            let utf_8 = Self::decode_as(bytes, UTF_8, 0);
            return utf_8.or_else(|_| Self::decode_as(bytes, WINDOWS_1252, 0));
        };
        let known = Encoding::for_label(name.as_bytes());
        // A file in any other encoding does not show its CA.
        let known = known.filter(|encoding| encoding.is_ascii_compatible());
        Self::decode_as(bytes, known.ok_or(EncodingError::Unknown(name))?, 0)
    }

    fn decode_as(
        bytes: &[u8],
        encoding: &'static Encoding,
        mut at: usize,
    ) -> Result<Self, EncodingError> {
        let (mut text, mut ends) = (String::with_capacity(bytes.len()), Vec::new());
        if at > 0 {
            ends.push((0, at));
        }
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii() {
                text.push(char::from(byte));
                at += 1;
                continue;
            }
            let Some((character, length)) = character(&bytes[at..], encoding) else {
                let name = if encoding == WINDOWS_1252 { "ISO-8859-1" } else { encoding.name() };
                return Err(EncodingError::Bytes(Place::of(&text, text.len()), name));
            };
            text += &character;
            at += length;
            ends.push((text.len(), at));
        }
        Ok(Self { bytes: bytes.to_vec(), encoding, text, ends })
    }

    /// Returns the bytes of the file with these texts inserted at these places, which are in order.
    pub(super) fn with(&self, additions: &[(usize, String)]) -> Vec<u8> {
        let (mut out, mut from) = (Vec::new(), 0);
        for (place, addition) in additions {
            let to = self.byte(*place);
            out.extend_from_slice(&self.bytes[from..to]);
            out.extend_from_slice(&self.encoding.encode(addition).0);
            from = to;
        }
        out.extend_from_slice(&self.bytes[from..]);
        out
    }

    /// Where the byte stands that begins the character at this place of the text.
    fn byte(&self, place: usize) -> usize {
        let before = self.ends.partition_point(|&(end, _)| end <= place);
        let (text, byte) = before.checked_sub(1).map_or((0, 0), |last| self.ends[last]);
        byte + place - text
    }
}

/// Returns the first character and its length in bytes.
fn character(bytes: &[u8], encoding: &'static Encoding) -> Option<(String, usize)> {
    (1..=bytes.len().min(4)).find_map(|length| {
        let bytes = &bytes[..length];
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
        Some((text.into_owned(), length))
    })
}

/// Returns the value of the first property `CA`, which stands before any other text of the file can
/// say.
fn charset(bytes: &[u8]) -> Option<String> {
    let (mut at, mut name) = (0, Vec::new());
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'[' => {
                let end = value_end(&bytes[at..])?;
                if name == b"CA" {
                    let value = String::from_utf8_lossy(&bytes[at..at + end]);
                    return Some(value.trim().to_owned());
                }
                at += end + 1;
                name.clear();
            }
            b'A'..=b'Z' => name.push(byte),
            b'(' | b';' => name.clear(),
            _ => {}
        }
    }
    None
}

/// Returns how far a value reaches, to the bracket that closes it.
fn value_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b']' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> SourceText {
        SourceText::decode(bytes).unwrap_or_else(|_| panic!("no text: {bytes:?}"))
    }

    fn file(name: &str, label: &str) -> Vec<u8> {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        let mut bytes = format!("(;GM[4]CA[{label}]PB[").into_bytes();
        bytes.extend_from_slice(&encoding.encode(name).0);
        bytes.extend_from_slice(b"];B[hh])");
        bytes
    }

    #[test]
    fn every_encoding_is_read_and_written_back() {
        for (name, label) in [
            ("J\u{fc}rgen", "ISO-8859-1"),
            ("J\u{fc}rgen", "utf-8"),
            ("\u{738b}\u{9ed1}\u{3400}", "GB18030"),
            ("\u{8868}\u{30bd}\u{ff76}", "Shift_JIS"),
            ("\u{ae40}\u{b2d8}", "EUC-KR"),
        ] {
            let bytes = file(name, label);
            let source = decode(&bytes);
            assert!(source.text.contains(&format!("PB[{name}]")), "{label}: {}", source.text);
            assert_eq!(source.with(&[]), bytes, "{label}");
            let place = source.text.find(";B").unwrap();
            let longer = source.with(&[(place, "C[x]".to_owned())]);
            let expected = [&bytes[..bytes.len() - 7], b"C[x]", b";B[hh])"].concat();
            assert_eq!(longer, expected, "{label}");
        }
    }

    #[test]
    fn without_a_name_it_is_utf_8_and_else_latin_1() {
        assert_eq!(decode("(;PB[\u{fc}])".as_bytes()).text, "(;PB[\u{fc}])");
        assert_eq!(decode(b"(;PB[\xfc])").text, "(;PB[\u{fc}])");
        let marked = b"\xef\xbb\xbf(;CA[Shift_JIS]PB[\xc3\xbc])";
        let source = decode(marked);
        assert_eq!(source.text, "(;CA[Shift_JIS]PB[\u{fc}])");
        assert_eq!(source.with(&[(0, String::new())]), marked);
        // A comment is no property.
        assert_eq!(decode(b"(;C[a \\] CA[x]PB[\xfc])").text.chars().nth(17), Some('\u{fc}'));
    }

    #[test]
    fn what_is_no_text_is_told_with_its_place() {
        for (bytes, name, place) in [
            (&b"(;CA[UTF-8]\nPB[ab\xfc])"[..], "UTF-8", (2, 6)),
            (b"(;CA[GB18030]PB[\xff])", "gb18030", (1, 17)),
        ] {
            match SourceText::decode(bytes) {
                Err(EncodingError::Bytes(Place { line, column }, found)) => {
                    assert_eq!((found, (line, column)), (name, place));
                }
                _ => panic!("{name} was read"),
            }
        }
        for name in ["klingon", "UTF-16", "ISO-2022-JP"] {
            let file = format!("(;CA[{name}])");
            let refused = SourceText::decode(file.as_bytes());
            assert!(matches!(refused, Err(EncodingError::Unknown(found)) if found == name));
        }
    }
}
