//! The decoded text of an SGF file, and the way back to its bytes. Property `CA` names the
//! encoding.
//!
//! This file does not depend on other properties.

use crate::encoding::TextEncoding;
use crate::fault::{Fault, FaultKind};
use crate::place::Place;

/// A decoded file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SourceText {
    bytes: Vec<u8>,
    pub(crate) encoding: TextEncoding,
    pub(crate) text: String,
    /// The end in the text and in the bytes of each character that is not one byte in both.
    ends: Vec<(usize, usize)>,
}

impl SourceText {
    /// Decodes a file by its `CA`. Without `CA` it is UTF-8 if valid, otherwise Latin-1, the
    /// default of the standard. `forced` overrides `CA`.
    pub(crate) fn decode(bytes: &[u8], forced: Option<TextEncoding>) -> Result<Self, Fault> {
        if let Some((encoding, rest)) = TextEncoding::marked(bytes) {
            return Self::decode_as(bytes, encoding, bytes.len() - rest.len());
        }
        if let Some(encoding) = forced {
            return Self::decode_as(bytes, encoding, 0);
        }
        let Some((at, name)) = charset(bytes) else {
            let utf_8 = Self::decode_as(bytes, TextEncoding::UTF_8, 0);
            return utf_8.or_else(|_| Self::decode_as(bytes, TextEncoding::LATIN_1, 0));
        };
        let Some(encoding) = TextEncoding::named(&name) else {
            // The bytes before it are most likely ASCII.
            let before = String::from_utf8_lossy(&bytes[..at]);
            let place = Place::in_text(&before, before.len());
            return Err(Fault::new(place, FaultKind::UnknownEncoding(name)));
        };
        Self::decode_as(bytes, encoding, 0)
    }

    fn decode_as(bytes: &[u8], encoding: TextEncoding, mut at: usize) -> Result<Self, Fault> {
        let (mut text, mut ends) = (String::with_capacity(bytes.len()), Vec::new());
        if at > 0 {
            ends.push((0, at));
        }
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii() && !encoding.is_utf_16() {
                text.push(char::from(byte));
                at += 1;
                continue;
            }
            let Some((character, length)) = encoding.character(&bytes[at..]) else {
                let place = Place::in_text(&text, text.len());
                return Err(Fault::new(place, FaultKind::NotText(encoding.name())));
            };
            text += &character;
            at += length;
            ends.push((text.len(), at));
        }
        Ok(Self { bytes: bytes.to_vec(), encoding, text, ends })
    }

    /// Returns the bytes of the file with `additions`: texts and their places in the text, in
    /// ascending order. `None` when the encoding of the file lacks a character.
    pub(crate) fn with(&self, additions: &[(usize, String)]) -> Option<Vec<u8>> {
        let (mut out, mut from) = (Vec::new(), 0);
        for (place, addition) in additions {
            let to = self.byte(*place);
            out.extend_from_slice(&self.bytes[from..to]);
            out.extend_from_slice(&self.encoding.encode(addition)?);
            from = to;
        }
        out.extend_from_slice(&self.bytes[from..]);
        Some(out)
    }

    /// Returns the index in the bytes of the character at index `place` of the text.
    fn byte(&self, place: usize) -> usize {
        let before = self.ends.partition_point(|&(end, _)| end <= place);
        let (text, byte) = before.checked_sub(1).map_or((0, 0), |last| self.ends[last]);
        byte + place - text
    }
}

/// Returns the index and the value of the first property `CA`. The text before it is most likely
/// ASCII.
fn charset(bytes: &[u8]) -> Option<(usize, String)> {
    let (mut at, mut name) = (0, Vec::new());
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'[' => {
                let end = value_end(&bytes[at..])?;
                if name == b"CA" {
                    let value = String::from_utf8_lossy(&bytes[at..at + end]);
                    return Some((at, value.trim().to_owned()));
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

/// Returns the length of a value up to its closing bracket; `None` without one.
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
        SourceText::decode(bytes, None).unwrap_or_else(|fault| panic!("{fault}: {bytes:?}"))
    }

    fn file(name: &str, label: &str) -> Vec<u8> {
        let encoding = TextEncoding::named(label).unwrap();
        let mut bytes = format!("(;GM[4]CA[{label}]PB[").into_bytes();
        bytes.extend_from_slice(&encoding.encode(name).unwrap());
        bytes.extend_from_slice(b"];B[hh])");
        bytes
    }

    #[test]
    fn every_encoding_is_read_and_written_back() {
        for (name, label) in [
            ("J\u{fc}rgen", "ISO-8859-1"),
            ("J\u{fc}rgen", "utf-8"),
            ("\u{738b}\u{9ed1}\u{3400}", "GB18030"),
            ("\u{738b}\u{9ed1}", "gb2312"),
            ("\u{738b}\u{9ed1}", "Big5"),
            ("\u{8868}\u{30bd}\u{ff76}", "Shift_JIS"),
            ("\u{8868}\u{30bd}", "EUC-JP"),
            ("\u{ae40}\u{b2d8}", "EUC-KR"),
            ("\u{418}\u{432}\u{430}\u{43d}", "windows-1251"),
        ] {
            let bytes = file(name, label);
            let source = decode(&bytes);
            assert!(source.text.contains(&format!("PB[{name}]")), "{label}: {}", source.text);
            assert_eq!(source.with(&[]).unwrap(), bytes, "{label}");
            let place = source.text.find(";B").unwrap();
            let longer = source.with(&[(place, "C[x]".to_owned())]).unwrap();
            let expected = [&bytes[..bytes.len() - 7], b"C[x]", b";B[hh])"].concat();
            assert_eq!(longer, expected, "{label}");
        }
    }

    #[test]
    fn a_marked_file_in_utf_16_is_read_and_written_back() {
        let text = "(;GM[4]PB[\u{738b}\u{1f600}];B[hh])";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let bytes = [b"\xff\xfe", &little[..]].concat();
        let source = decode(&bytes);
        assert_eq!(source.text, text);
        let place = source.text.find(";B").unwrap();
        let longer = source.with(&[(place, "C[x]".to_owned())]).unwrap();
        assert_eq!(decode(&longer).text, text.replace(";B", "C[x];B"));
        // Half a character at the end.
        let cut = SourceText::decode(&bytes[..bytes.len() - 1], None);
        assert_eq!(cut.unwrap_err().to_string(), "line 1, character 20: this is not UTF-16LE");
    }

    #[test]
    fn a_file_without_ca_is_utf_8_or_latin_1() {
        assert_eq!(decode("(;PB[\u{fc}])".as_bytes()).text, "(;PB[\u{fc}])");
        assert_eq!(decode(b"(;PB[\xfc])").text, "(;PB[\u{fc}])");
        let marked = b"\xef\xbb\xbf(;CA[Shift_JIS]PB[\xc3\xbc])";
        let source = decode(marked);
        assert_eq!(source.text, "(;CA[Shift_JIS]PB[\u{fc}])");
        assert_eq!(source.with(&[(0, String::new())]).unwrap(), marked);
        // Text in a comment is not a property.
        assert_eq!(decode(b"(;C[a \\] CA[x]PB[\xfc])").text.chars().nth(17), Some('\u{fc}'));
        let forced = SourceText::decode(b"(;PB[\xb1\xe8])", TextEncoding::named("EUC-KR"));
        assert_eq!(forced.unwrap().text, "(;PB[\u{ae40}])");
    }

    #[test]
    fn invalid_text_gives_an_error_with_its_place() {
        for (bytes, message) in [
            (&b"(;CA[UTF-8]\nPB[ab\xfc])"[..], "line 2, character 6: this is not UTF-8"),
            (b"(;CA[GB18030]PB[\xff])", "line 1, character 17: this is not gb18030"),
        ] {
            assert_eq!(SourceText::decode(bytes, None).unwrap_err().to_string(), message);
        }
        for name in ["klingon", "UTF-16", "ISO-2022-JP"] {
            let file = format!("(;CA[{name}])");
            let refused = SourceText::decode(file.as_bytes(), None).unwrap_err();
            assert_eq!(refused.kind(), &FaultKind::UnknownEncoding(name.to_owned()));
        }
    }
}
