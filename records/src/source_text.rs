//! The decoded text of an SGF file, and the way back to its bytes. Property `CA` names the
//! encoding.
//!
//! This file does not depend on other properties.

use crate::encoding::TextEncoding;
use crate::encoding::choice::{ChosenEncoding, DamagedText, Label};
use crate::fault::Fault;
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
    /// Decodes a file by its `CA`, and returns warnings about its text. Without a known `CA` the
    /// encoding is guessed. `forced` overrides `CA`.
    ///
    /// If `ends_at_brackets`, a bracket after half of a character ends a value. Programs that cut
    /// texts to a number of bytes leave such halves.
    pub(crate) fn decode(
        bytes: &[u8],
        forced: Option<TextEncoding>,
        ends_at_brackets: bool,
    ) -> Result<(Self, Vec<Fault>), Fault> {
        let label = charset(bytes);
        let label = label.as_ref().map(|(at, name)| {
            // The bytes before it are most likely ASCII.
            let before = String::from_utf8_lossy(&bytes[..*at]);
            Label { name, place: Place::in_text(&before, before.len()) }
        });
        let chosen = ChosenEncoding::of(bytes, forced, label);
        let (source, damage) = Self::decode_as(bytes, &chosen, ends_at_brackets);
        let warnings = chosen.warnings(damage)?;
        Ok((source, warnings))
    }

    /// Returns whether a file names no encoding, and a bracket or a backslash in it may be half of a
    /// character, so that its properties depend on the encoding.
    pub(crate) fn is_ambiguous(bytes: &[u8]) -> bool {
        let is_half = |pair: &[u8]| !pair[0].is_ascii() && b"[\\]".contains(&pair[1]);
        bytes.windows(2).any(is_half)
            && TextEncoding::marked(bytes).is_none()
            && std::str::from_utf8(bytes).is_err()
            && charset(bytes).is_none()
    }

    /// Returns the text, and the first place that is not valid with the number of such places.
    fn decode_as(
        bytes: &[u8],
        chosen: &ChosenEncoding,
        ends_at_brackets: bool,
    ) -> (Self, Option<DamagedText>) {
        let &ChosenEncoding { encoding, skipped: mut at, .. } = chosen;
        let (mut text, mut ends) = (String::with_capacity(bytes.len()), Vec::new());
        let mut damage: Option<DamagedText> = None;
        if at > 0 {
            ends.push((0, at));
        }
        while let Some(&byte) = bytes.get(at) {
            if byte.is_ascii() && !encoding.is_utf_16() {
                text.push(char::from(byte));
                at += 1;
                continue;
            }
            let is_half = ends_at_brackets && bytes.get(at + 1) == Some(&b']');
            let character = encoding.character(&bytes[at..]).filter(|_| !is_half);
            if let Some((character, length)) = character {
                text += &character;
                at += length;
            } else {
                let place = Place::in_text(&text, text.len());
                damage.get_or_insert(DamagedText { place, count: 0 }).count += 1;
                text.push(char::REPLACEMENT_CHARACTER);
                at += 1;
            }
            ends.push((text.len(), at));
        }
        (Self { bytes: bytes.to_vec(), encoding, text, ends }, damage)
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
/// ASCII; if it is not, a bracket in it may be half of a character.
fn charset(bytes: &[u8]) -> Option<(usize, String)> {
    property_ca(bytes).or_else(|| {
        let at = bytes.windows(3).position(|window| window == b"CA[")?;
        let (at, name) = property_ca(&bytes[at..]).map(|(from, name)| (at + from, name))?;
        // In this encoding it must be a property, not a part of another text.
        let text = TextEncoding::named(&name)?.decode_lossy(bytes);
        let found = property_ca(text.as_bytes());
        found.filter(|(_, found)| *found == name).map(|_| (at, name))
    })
}

fn property_ca(bytes: &[u8]) -> Option<(usize, String)> {
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
        let decoded = SourceText::decode(bytes, None, false);
        decoded.unwrap_or_else(|fault| panic!("{fault}: {bytes:?}")).0
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
        let cut = SourceText::decode(&bytes[..bytes.len() - 1], None, false);
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
        let forced = SourceText::decode(b"(;PB[\xb1\xe8])", TextEncoding::named("EUC-KR"), false);
        assert_eq!(forced.unwrap().0.text, "(;PB[\u{ae40}])");
    }

    /// Returns the text of a file and its warnings.
    fn warned(bytes: &[u8]) -> (String, Vec<String>) {
        let (source, warnings) = SourceText::decode(bytes, None, false).unwrap();
        (source.text, warnings.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn damaged_characters_are_counted_and_kept_in_the_file() {
        for (bytes, text, message) in [
            (
                &b"(;CA[UTF-8]\nPB[ab\xfc\xc3\xbc\xc3\xbc\xc3\xbc])"[..],
                "(;CA[UTF-8]\nPB[ab\u{fffd}\u{fc}\u{fc}\u{fc}])",
                "line 2, character 6: 1 character is not UTF-8, and is lost",
            ),
            (
                b"(;CA[GB18030]PB[\xff\xff\xba\xda\xba\xda\xba\xda\xba\xda\xba\xda\xba\xda])",
                "(;CA[GB18030]PB[\u{fffd}\u{fffd}\u{9ed1}\u{9ed1}\u{9ed1}\u{9ed1}\u{9ed1}\u{9ed1}])",
                "line 1, character 17: 2 characters are not gb18030, and are lost",
            ),
        ] {
            assert!(warned(bytes).1.contains(&message.to_owned()), "{:?}", warned(bytes));
            assert_eq!(warned(bytes).0, text);
            assert_eq!(decode(bytes).with(&[]).unwrap(), bytes);
        }
        // The user named the encoding, and most of the text is not in it.
        let file = b"(;C[\xba\xda\xc6\xe5\xca\xa4])";
        let forced = SourceText::decode(file, Some(TextEncoding::UTF_8), false);
        assert_eq!(forced.unwrap_err().to_string(), "line 1, character 5: this is not UTF-8");
    }

    #[test]
    fn an_encoding_that_is_not_known_or_does_not_fit_is_guessed_with_a_warning() {
        // "Black wins, White has to stop the four" in Chinese.
        let chinese = "\u{9ed1}\u{68cb}\u{80dc}\u{ff0c}\u{767d}\u{68cb}\u{5fc5}\u{987b}\u{6321}\u{4f4f}\u{56db}";
        let gbk = TextEncoding::named("GBK").unwrap();
        let file = |label: &str, encoding: TextEncoding| {
            let text = format!("(;GM[4]{label}C[{chinese}])");
            encoding.encode(&text).unwrap().into_owned()
        };
        for (label, warning) in [
            ("", "the file names no encoding: its text is read as gb18030"),
            ("CA[]", "the file names no encoding: its text is read as gb18030"),
            (
                "CA[ANSI]",
                "line 1, character 11: CA[ANSI] is not a known encoding: the text is read as gb18030",
            ),
            (
                "CA[UTF-8]",
                "line 1, character 11: CA[UTF-8] does not fit the text, which is read as gb18030",
            ),
        ] {
            let (text, warnings) = warned(&file(label, gbk));
            assert!(text.contains(chinese), "{label}: {text}");
            assert_eq!(warnings, [warning], "{label}");
        }
        for label in ["CA[cp936]", "CA[GBK]", "CA[gb_2312]", "CA[ 936 ]"] {
            assert_eq!(warned(&file(label, gbk)), (format!("(;GM[4]{label}C[{chinese}])"), vec![]));
        }
        // A program changed the encoding of the file, and not its name.
        let (text, warnings) = warned(&file("CA[GBK]", TextEncoding::UTF_8));
        assert!(text.contains(chinese), "{text}");
        assert_eq!(
            warnings,
            ["line 1, character 11: CA[GBK] does not fit the text, which is read as UTF-8"]
        );
        for name in ["klingon", "UTF-16", "ISO-2022-JP"] {
            let (text, warnings) = warned(format!("(;CA[{name}])").as_bytes());
            assert_eq!(text, format!("(;CA[{name}])"));
            let expected = format!(
                "line 1, character 6: CA[{name}] is not a known encoding: the text is read as UTF-8"
            );
            assert_eq!(warnings, [expected]);
        }
    }

    #[test]
    fn a_bracket_that_is_half_of_a_character_hides_no_encoding_and_no_move() {
        // The second byte of the last character of the name is a backslash.
        let big5 = TextEncoding::named("Big5").unwrap();
        let text = "(;GM[4]PB[\u{8a31}\u{529f}]CA[cp950];B[hh]C[\u{529f}];W[ii])";
        let bytes = big5.encode(text).unwrap().into_owned();
        assert!(bytes.windows(2).any(|pair| pair == b"\\]"));
        assert_eq!(warned(&bytes), (text.to_owned(), vec![]));
    }
}
