//! [`ChosenEncoding`]: the encoding of a file, and the warnings about it. A byte order mark, the
//! user, the file itself or a guess chooses the encoding.

use super::TextEncoding;
use crate::fault::{Fault, FaultKind};
use crate::place::Place;

/// The name of an encoding in a file.
#[derive(Clone, Copy)]
pub(crate) struct Label<'a> {
    pub(crate) name: &'a str,
    pub(crate) place: Place,
}

/// The places of a text that are not valid in its encoding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DamagedText {
    /// The first of them.
    pub(crate) place: Place,
    pub(crate) count: usize,
}

/// The encoding in which a file is read.
pub(crate) struct ChosenEncoding {
    pub(crate) encoding: TextEncoding,
    /// The number of bytes of the byte order mark.
    pub(crate) skipped: usize,
    /// Whether the user or a mark names the encoding, but most of the text is not valid in it.
    is_wrong: bool,
    warning: Option<Fault>,
}

impl ChosenEncoding {
    /// Chooses the encoding of `bytes`. A byte order mark has precedence over `forced`, and this
    /// over `label`. A label that is unknown or does not fit the text gives way to a guess.
    pub(crate) fn of(bytes: &[u8], forced: Option<TextEncoding>, label: Option<Label<'_>>) -> Self {
        let certain = |encoding, skipped| {
            let is_wrong = !is_sound(encoding, &bytes[skipped..]);
            Self { encoding, skipped, is_wrong, warning: None }
        };
        if let Some((encoding, rest)) = TextEncoding::marked(bytes) {
            return certain(encoding, bytes.len() - rest.len());
        }
        if let Some(encoding) = forced {
            return certain(encoding, 0);
        }
        let guess = |warning: &dyn Fn(TextEncoding) -> Option<Fault>| {
            let encoding = TextEncoding::guessed(bytes);
            Self { encoding, skipped: 0, is_wrong: false, warning: warning(encoding) }
        };
        let Some(Label { name, place }) = label.filter(|label| !label.name.is_empty()) else {
            return guess(&|encoding| (encoding != TextEncoding::UTF_8).then(|| unnamed(encoding)));
        };
        let Some(encoding) = TextEncoding::named(name) else {
            return guess(&|encoding| {
                let (label, taken) = (name.to_owned(), encoding.name());
                Some(Fault::new(place, FaultKind::UnknownEncoding { label, taken }))
            });
        };
        let is_also_utf_8 = encoding != TextEncoding::UTF_8 && is_utf_8(bytes);
        // By chance, only a short text is valid UTF-8.
        let is_utf_8 = is_also_utf_8 && foreign_characters(bytes) >= MANY_CHARACTERS;
        if is_sound(encoding, bytes) && !is_utf_8 {
            let warning = is_also_utf_8.then(|| {
                let (label, encoding) = (name.to_owned(), encoding.name());
                Fault::new(place, FaultKind::AlsoUtf8 { label, encoding })
            });
            return Self { encoding, skipped: 0, is_wrong: false, warning };
        }
        guess(&|guess| {
            if guess == encoding {
                return None;
            }
            let (label, taken) = (name.to_owned(), guess.name());
            Some(Fault::new(place, FaultKind::OtherEncoding { label, taken }))
        })
    }

    /// Returns the warnings about the file, whose text has this damage. Text that is not in the
    /// encoding that the user named is an error.
    pub(crate) fn warnings(self, damage: Option<DamagedText>) -> Result<Vec<Fault>, Fault> {
        let encoding = self.encoding.name();
        if let Some(DamagedText { place, .. }) = damage.filter(|_| self.is_wrong) {
            return Err(Fault::new(place, FaultKind::NotText(encoding)));
        }
        let lost = damage.map(|DamagedText { place, count }| {
            Fault::new(place, FaultKind::LostText { count, encoding })
        });
        Ok(self.warning.into_iter().chain(lost).collect())
    }
}

/// This many characters outside ASCII are not valid UTF-8 by chance.
const MANY_CHARACTERS: usize = 3;

/// Returns whether a text has characters outside ASCII, and is UTF-8.
fn is_utf_8(bytes: &[u8]) -> bool {
    !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok()
}

/// Returns the number of characters outside ASCII of a text in UTF-8.
fn foreign_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte >= 0xc0).count()
}

/// Returns whether most of the text is valid in this encoding. UTF-16 must be valid as a whole.
fn is_sound(encoding: TextEncoding, bytes: &[u8]) -> bool {
    let damage = encoding.damage(bytes);
    damage.count == 0 || (!encoding.is_utf_16() && damage.is_slight())
}

/// Returns the warning that a file names no encoding.
pub(crate) fn unnamed(taken: TextEncoding) -> Fault {
    Fault::new(None, FaultKind::GuessedEncoding(taken.name()))
}

/// Returns the text of a file without a byte order mark, its encoding, and warnings about it.
pub(crate) fn decode(
    bytes: &[u8],
    forced: Option<TextEncoding>,
) -> Result<(String, TextEncoding, Vec<Fault>), Fault> {
    let chosen = ChosenEncoding::of(bytes, forced, None);
    let encoding = chosen.encoding;
    let text = encoding.decode_lossy(&bytes[chosen.skipped..]).into_owned();
    let count = encoding.damage(&bytes[chosen.skipped..]).count;
    let first = text.find(char::REPLACEMENT_CHARACTER).filter(|_| count > 0);
    let damage = first.map(|at| DamagedText { place: Place::in_text(&text, at), count });
    let warnings = chosen.warnings(damage)?;
    Ok((text, encoding, warnings))
}
