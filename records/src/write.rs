//! [`Collection::write`]: writes a collection in any format, and says what the format leaves out.

use tengen_engine::GameSpec;

use crate::encoding::TextEncoding;
use crate::fault::Fault;
use crate::format::{FormatEntry, Played, Write, WriteError};
use crate::registry::entry;
use crate::tree::{Collection, Format, Property};

impl Collection {
    /// Writes the games. `specs` has the game of each record; SGF can be written without it.
    /// `encoding` is that of the file: without one, SGF keeps its own, a library that of the file
    /// that was read, and other formats are UTF-8.
    pub fn write(
        self,
        format: Format,
        specs: &[Option<GameSpec>],
        encoding: Option<TextEncoding>,
    ) -> Result<Vec<u8>, WriteError> {
        let FormatEntry { title, write, hides_encoding, holds_several_games, .. } = *entry(format);
        let write = write.ok_or(WriteError::OnlyRead(title))?;
        let games = self.records().len();
        if games > 1 && !holds_several_games {
            return Err(WriteError::SeveralGames { title, games });
        }
        if let Write::Whole(write) = write {
            return Ok(write(&match encoding {
                Some(encoding) => self.with_encoding(encoding),
                None => self,
            }));
        }
        let own = if hides_encoding { self.hidden_encoding() } else { Some(TextEncoding::UTF_8) };
        let mut out = Vec::new();
        for (record, spec) in self.records().iter().zip(specs) {
            let spec = spec.as_ref().ok_or(WriteError::NoBoard)?;
            let played = Played { spec, notation: spec.grid.ok_or(WriteError::NoBoard)? };
            let encoding = encoding.or(own).ok_or(WriteError::NoEncoding(title))?;
            match write {
                Write::Whole(_) => {}
                Write::Bytes(write) => out.extend(write(record, &played, encoding)?),
                Write::Text(write) => {
                    let text = write(record, &played)?;
                    let bytes = encoding.encode(&text);
                    out.extend_from_slice(&bytes.ok_or(WriteError::Character(encoding))?);
                }
            }
        }
        if out.is_empty() {
            return Err(Fault::cannot_hold(title, "a game without moves").into());
        }
        Ok(out)
    }

    /// Returns the encoding of a file that does not name it: that of the file that was read. Text that
    /// is not ASCII needs a choice of the user: `None`.
    fn hidden_encoding(&self) -> Option<TextEncoding> {
        let texts = self.records().iter().flat_map(|record| {
            record.ids().flat_map(|id| ["C", "LB"].map(|name| record.node(id).values(name)))
        });
        let is_ascii = texts.flatten().all(|value| value.raw().is_ascii());
        let read = self.source_encoding();
        (is_ascii || read != TextEncoding::UTF_8).then_some(read)
    }

    /// Returns, in words, what `format` leaves out of these games; `None` if they lose nothing.
    pub fn lost_in(&self, format: Format) -> Option<String> {
        let FormatEntry { write, holds, holds_variations, .. } = *entry(format);
        if matches!(write, Some(Write::Whole(_))) {
            return None;
        }
        let mut names: Vec<&str> = Vec::new();
        for record in self.records() {
            for property in record.ids().flat_map(|id| record.node(id).properties()) {
                let name = property.name.as_str();
                // A library implies renju.
                let is_implied = name == "RU" && self.format() == Format::LIB;
                let is_held =
                    TECHNICAL.contains(&name) || holds(record, name) || is_usual(property);
                if !is_held && !is_implied && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let mut branches = self
            .records()
            .iter()
            .flat_map(|record| record.ids().map(|id| record.node(id).children().len()));
        let mut lost: Vec<&str> = Vec::new();
        if !holds_variations && branches.any(|children| children > 1) {
            lost.push("variations");
        }
        for (word, of) in WORDS {
            if names.iter().any(|name| of.contains(name)) {
                lost.push(word);
            }
        }
        lost.extend(names.iter().filter(|name| !WORDS.iter().any(|(_, of)| of.contains(name))));
        (!lost.is_empty()).then(|| lost.join(", "))
    }
}

/// Properties that say how a file is written, and not what the game is.
const TECHNICAL: [&str; 16] =
    ["FF", "GM", "SZ", "CA", "AP", "ST", "B", "W", "AB", "AW", "AE", "PL", "MN", "KM", "VW", "XO"];

/// Returns whether a property is in every PSQ file of a tournament, so that its loss needs no
/// warning.
fn is_usual(property: &Property) -> bool {
    let is = |texts: &[&str]| texts.contains(&property.values[0].raw());
    match property.name.as_str() {
        "XL" => is(&["11:11"]),
        "XE" => is(&["-1", "0"]),
        // `RE`, `EV` and `RU` say it, too.
        "XR" => true,
        _ => false,
    }
}

/// Words for properties that a format leaves out.
const WORDS: [(&str, &[&str]); 7] = [
    ("comments", &["C", "GC", "N"]),
    ("rules", &["RU"]),
    ("names of players", &["PB", "PW", "BR", "WR", "BT", "WT"]),
    ("the result", &["RE"]),
    ("times", &["XT", "BL", "WL", "OB", "OW", "TM", "OT"]),
    (
        "marks",
        &["LB", "MA", "TR", "CR", "SQ", "SL", "AR", "LN", "HO", "BM", "TE", "DO", "IT", "XN"],
    ),
    ("other tags", &["XP", "XL", "XE", "EV", "PC", "DT", "RO", "GN", "AN", "ON", "SO", "US", "CP"]),
];
