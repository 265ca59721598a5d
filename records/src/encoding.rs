//! [`TextEncoding`]: the character encoding of a file.
//!
//! This file does not depend on a format.

pub(crate) mod choice;

use std::borrow::Cow;
use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_1252,
};

/// A character encoding: one that contains ASCII, or UTF-16.
///
/// ```
/// use tengen_records::TextEncoding;
///
/// let latin = TextEncoding::named("ISO-8859-1").unwrap();
/// assert_eq!(*latin.encode("J\u{fc}rgen").unwrap(), *b"J\xfcrgen");
/// assert!(latin.encode("\u{738b}").is_none());
/// assert_eq!(TextEncoding::named("cp936"), TextEncoding::named("GB2312"));
/// assert!(TextEncoding::named("klingon").is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextEncoding(&'static Encoding);

impl Default for TextEncoding {
    fn default() -> Self {
        Self::UTF_8
    }
}

/// The byte order marks of files, and their encodings.
const MARKS: [(&[u8], TextEncoding); 3] = [
    (b"\xef\xbb\xbf", TextEncoding::UTF_8),
    (b"\xff\xfe", TextEncoding(UTF_16LE)),
    (b"\xfe\xff", TextEncoding(UTF_16BE)),
];

/// The names of code pages that browsers do not know, in lower case without punctuation, and the
/// labels that browsers know.
const CODE_PAGES: [(&[&str], &str); 7] = [
    (&["936", "cp936", "ms936", "windows936", "euccn", "gb"], "gb18030"),
    (&["950", "cp950", "ms950", "windows950", "big5hkscs"], "big5"),
    (&["932", "cp932", "ms932", "windows932", "windows31j"], "shift_jis"),
    (&["949", "cp949", "ms949", "windows949", "uhc", "euckr"], "euc-kr"),
    (&["eucjp", "cp51932", "ujis"], "euc-jp"),
    (&["latin9"], "iso-8859-15"),
    (&["65001", "cp65001", "utf8n", "utf8bom", "utf8withbom"], "utf-8"),
];

/// The encodings of several bytes a character that are guessed. Single damaged characters do not
/// rule them out.
const MULTI_BYTE: [&Encoding; 6] = [UTF_8, GB18030, BIG5, SHIFT_JIS, EUC_JP, EUC_KR];

/// The minimum number of bytes outside ASCII to guess a single-byte encoding other than Latin-1.
const FEW_BYTES: usize = 3;

impl TextEncoding {
    /// UTF-8.
    pub const UTF_8: Self = Self(UTF_8);
    /// Windows-1252, a superset of ISO-8859-1: the default of SGF.
    pub const LATIN_1: Self = Self(WINDOWS_1252);

    /// Returns the encoding with this name, in any spelling that browsers know, or as a code page
    /// of Windows; `None` if it is unknown or does not contain ASCII. A file in another encoding
    /// cannot name it.
    pub fn named(name: &str) -> Option<Self> {
        let known = Encoding::for_label(name.trim().as_bytes()).or_else(|| {
            let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
            let plain = plain.to_ascii_lowercase();
            let page = CODE_PAGES.iter().find(|(names, _)| names.contains(&plain.as_str()));
            if let Some((_, label)) = page {
                return Encoding::for_label(label.as_bytes());
            }
            // `win1251` is `windows-1251`, and `latin-1` is `latin1`.
            let number = ["windows", "win", "cp", "ms", ""].iter().find_map(|prefix| {
                plain.strip_prefix(prefix).filter(|rest| rest.bytes().all(|c| c.is_ascii_digit()))
            });
            let label = number.map_or(plain.clone(), |number| format!("windows-{number}"));
            Encoding::for_label(label.as_bytes())
        })?;
        // GB18030 contains GBK and GB2312, and replaces them.
        let known = if known == GBK { GB18030 } else { known };
        known.is_ascii_compatible().then_some(Self(known))
    }

    /// Returns the encoding of the byte order mark that `bytes` begin with, and the bytes after the
    /// mark.
    pub(crate) fn marked(bytes: &[u8]) -> Option<(Self, &[u8])> {
        MARKS.into_iter().find_map(|(mark, known)| Some((known, bytes.strip_prefix(mark)?)))
    }

    /// Returns whether `bytes` are a text in this encoding, without any damage.
    pub fn fits(self, bytes: &[u8]) -> bool {
        self.damage(bytes).count == 0
    }

    /// Returns the most likely encoding of `bytes`: a text, or several with line breaks between. Long texts
    /// tell more than short ones.
    ///
    /// A few damaged characters do not rule out an encoding: the detector is asked about the text
    /// without them.
    pub fn guessed(bytes: &[u8]) -> Self {
        let fitting = MULTI_BYTE.into_iter().map(Self).filter_map(|encoding| {
            let damage = encoding.damage(bytes);
            let (clean, is_whole) = (damage.clean.as_ref(), damage.count == 0);
            let is_likely = is_whole || damage.is_slight();
            let is_named =
                || encoding == Self::UTF_8 || (has_pairs(bytes) && detected(clean) == encoding);
            (is_likely && is_named()).then_some((damage.count, encoding))
        });
        let best = fitting.min_by_key(|(count, _)| *count).map(|(_, encoding)| encoding);
        let is_hangul = |c: char| matches!(c, '\u{ac00}'..='\u{d7a3}');
        let is_chinese = |encoding: &Self| {
            encoding.0 == EUC_KR
                && Self(GB18030).fits(bytes)
                && !encoding.decode_lossy(bytes).contains(is_hangul)
        };
        let best = best.map(|best| if is_chinese(&best) { Self(GB18030) } else { best });
        best.unwrap_or_else(|| {
            let foreign = bytes.iter().filter(|byte| !byte.is_ascii()).count();
            let guess = detected(bytes);
            // A text that is not valid in the guessed encoding is in none of them.
            let is_whole = guess.fits(bytes);
            let is_known = foreign >= FEW_BYTES && guess.0.is_single_byte() && is_whole;
            if is_known { guess } else { Self::LATIN_1 }
        })
    }

    /// Returns the encodings in which a byte of ASCII may be half of a character, the most likely one
    /// first.
    pub(crate) fn with_ascii_halves(bytes: &[u8]) -> Vec<Self> {
        let guess = detected(bytes);
        // Rare characters, characters of private use, and the narrow letters of Japanese.
        let is_odd = |c: &char| matches!(*c, '\u{e000}'..='\u{f8ff}' | '\u{ff61}'..='\u{ff9f}' | '\u{10000}'..);
        let odd = |encoding: Self| encoding.decode_lossy(bytes).chars().filter(is_odd).count();
        let mut encodings = vec![Self(BIG5), Self(SHIFT_JIS), Self(GB18030)];
        encodings.sort_by_key(|encoding| (odd(*encoding), *encoding != guess));
        encodings
    }

    /// Returns what is wrong with `bytes` in this encoding.
    pub(crate) fn damage(self, bytes: &[u8]) -> Damage<'_> {
        let (text, is_damaged) = self.0.decode_without_bom_handling(bytes);
        let count = if is_damaged { text.matches(char::REPLACEMENT_CHARACTER).count() } else { 0 };
        let sound = text.chars().filter(|c| !c.is_ascii()).count() - count;
        let clean = match count {
            0 => Cow::Borrowed(bytes),
            _ => {
                let text = text.replace(char::REPLACEMENT_CHARACTER, "");
                Cow::Owned(self.0.encode(&text).0.into_owned())
            }
        };
        Damage { count, sound, clean }
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
    pub fn decode_lossy(self, bytes: &[u8]) -> Cow<'_, str> {
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

/// What is wrong with a text in an encoding.
pub(crate) struct Damage<'a> {
    /// The number of places that are not valid.
    pub(crate) count: usize,
    /// The number of valid characters outside ASCII.
    sound: usize,
    /// The text without its damaged places.
    clean: Cow<'a, [u8]>,
}

impl Damage<'_> {
    /// Returns whether most of the text is sound, so that it is most likely in this encoding.
    pub(crate) fn is_slight(&self) -> bool {
        self.count * 3 <= self.sound
    }
}

/// Returns whether at least a third of the bytes outside ASCII stand beside others. Accented
/// letters of single-byte encodings mostly stand between ASCII letters.
fn has_pairs(bytes: &[u8]) -> bool {
    let foreign = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let paired = bytes.windows(2).filter(|pair| !pair[0].is_ascii() && !pair[1].is_ascii());
    (paired.count() + 1) * 3 > foreign && foreign > 1
}

/// Returns the encoding that the detector names; never UTF-8.
fn detected(bytes: &[u8]) -> TextEncoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    TextEncoding(if guess == GBK { GB18030 } else { guess })
}

impl fmt::Display for TextEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
