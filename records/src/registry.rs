//! The registry of formats: [`read`], which detects the format of a file, and what the rest of the program
//! asks about formats.
//!
//! An entry stands in the module of its format, with all that is specific to it.

use crate::encoding::TextEncoding;
use crate::fault::{Fault, FaultKind};
use crate::format::{FormatEntry, Recognize, Recognized, Sample};
use crate::options::ReadOptions;
use crate::place::Place;
use crate::tree::{Collection, Format, Record, has_memory};
use crate::{drawing, jsonl, moves, pgn, psq, renlib, sgf};

/// The formats, in the order in which help and manuals list them. Of formats that recognize a file equally well, the first
/// one is taken.
static ENTRIES: &[FormatEntry] = &[
    sgf::ENTRY,
    pgn::ENTRY,
    psq::ENTRY,
    renlib::ENTRY,
    jsonl::ENTRY,
    drawing::ENTRY,
    moves::ENTRY,
];

/// Reads the games of a file. Returns at least one game.
///
/// # Errors
///
/// A [`Fault`] names the place in the file, what was found there and what was expected.
///
/// ```
/// use tengen_records::{Format, ReadOptions, read};
///
/// let any = ReadOptions::new();
/// assert_eq!(read(b"(;GM[4]SZ[15];B[hh])", &any)?.format(), Format::SGF);
/// assert_eq!(read(b"Piskvorky 15x15, 11:11, 0\n8,8,0\n-1\n", &any)?.format(), Format::PSQ);
/// assert_eq!(read(b"h8i9j7", &any)?.format(), Format::MOVES);
/// let fault = read(b"(;GM[4]\n;B[hh)", &any).unwrap_err();
/// assert_eq!(
///     fault.to_string(),
///     "line 2, character 7: expected \"]\", which ends a value, found the end of the file",
/// );
/// # Ok::<(), tengen_records::Fault>(())
/// ```
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    // The text, and what is made of it.
    if !has_memory(bytes.len().saturating_mul(4)) {
        return Err(Fault::new(None, FaultKind::TooLarge { nodes: 0 }));
    }
    let format = options.format.map_or_else(|| format_of(bytes, options), Ok)?;
    let read = (entry(format).read)(bytes, options)?;
    let warnings: Vec<Fault> = read.records().iter().filter_map(Record::result_warning).collect();
    Ok(read.with_warnings(warnings))
}

/// Returns the format of a file by its content, or by its name if the content is ambiguous.
///
/// # Errors
///
/// The file is empty, or it is in no known format.
pub fn format_of(bytes: &[u8], options: &ReadOptions) -> Result<Format, Fault> {
    for entry in ENTRIES {
        if let Recognize::Bytes(is) = entry.recognize
            && is(bytes, options)
        {
            return Ok(entry.format);
        }
    }
    let text = match TextEncoding::marked(bytes) {
        Some((encoding, rest)) => encoding.decode_lossy(rest),
        None => String::from_utf8_lossy(bytes),
    };
    let sample = Sample { text, options };
    if sample.begin().is_empty() {
        return Err(Fault::new(None, FaultKind::Empty));
    }
    let mut best = (Recognized::No, None);
    for entry in ENTRIES {
        let Recognize::Text(recognize) = entry.recognize else { continue };
        let recognized = recognize(&sample);
        if recognized > best.0 {
            best = (recognized, Some(entry.format));
        }
        if recognized == Recognized::Surely {
            break;
        }
    }
    best.1.ok_or_else(|| {
        let (text, begin) = (&sample.text, sample.begin());
        let line = begin.lines().next().unwrap_or_default().trim_end().to_owned();
        let known = ENTRIES.iter().map(|entry| entry.beginning).filter(|known| !known.is_empty());
        let known = known.collect::<Vec<_>>().join(", ");
        let place = Place::in_text(text, text.len() - begin.len());
        Fault::new(place, FaultKind::UnknownFormat { line, known })
    })
}

/// Returns the entry of a format.
pub(crate) fn entry(format: Format) -> &'static FormatEntry {
    ENTRIES.iter().find(|entry| entry.format == format).expect("every format has an entry")
}

impl Format {
    /// Returns all formats.
    pub fn all() -> impl Iterator<Item = Self> {
        ENTRIES.iter().map(|entry| entry.format)
    }

    /// Returns the formats that are written.
    pub fn written() -> impl Iterator<Item = Self> {
        Self::all().filter(|format| entry(*format).write.is_some())
    }

    /// Returns whether files of some format have this extension. Case is ignored.
    pub fn is_extension(extension: &str) -> bool {
        let extension = extension.to_ascii_lowercase();
        Self::all().any(|format| format.extensions().contains(&extension.as_str()))
    }

    /// Returns the name of the format in a sentence.
    pub fn title(self) -> &'static str {
        entry(self).title
    }

    /// Returns what is written in this format, as the help of options says it.
    pub fn summary(self) -> &'static str {
        entry(self).summary
    }

    /// Returns the extensions of its files in lower case, the usual one first.
    pub fn extensions(self) -> &'static [&'static str] {
        entry(self).extensions
    }

    /// Returns whether points of its games are as in the file, until [`Record::settle`] knows the
    /// board.
    ///
    /// [`Record::settle`]: crate::Record::settle
    pub fn keeps_points(self) -> bool {
        entry(self).keeps_points
    }

    /// Returns the indices in a text where games begin, so that a large file can be cut there; `None`
    /// if its games belong together.
    pub fn game_starts(self, text: &str) -> Option<Vec<usize>> {
        entry(self).game_starts.map(|starts| starts(text))
    }

    /// Returns the files of all formats, to begin a sentence: `SGF, PGN, ..., lists of moves`.
    pub fn list_of_files() -> String {
        ENTRIES.iter().map(|entry| entry.files).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extensions_are_of_one_format_each() {
        let mut known: Vec<&str> = Vec::new();
        for entry in ENTRIES {
            for word in [entry.format.name()].into_iter().chain(entry.extensions.iter().copied()) {
                let is_own = |other: &FormatEntry| {
                    other.format == entry.format || !other.extensions.contains(&word)
                };
                assert!(ENTRIES.iter().all(is_own), "{word}");
            }
            assert!(!known.contains(&entry.format.name()));
            known.push(entry.format.name());
        }
    }
}
