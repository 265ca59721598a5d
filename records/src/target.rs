//! [`Target`]: a format to write, and [`Collection::write`], which writes a collection in it.

use tengen_engine::GameSpec;
use thiserror::Error;

use crate::encoding::TextEncoding;
use crate::fault::Fault;
use crate::tree::{Collection, Format, Property, RecordNode};

/// A format that is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Target {
    /// The Smart Game Format, with everything that was read.
    Sgf,
    /// Portable Game Notation, with variations and comments.
    Pgn,
    /// The record of Piskvork: the main line of one game.
    Psq,
    /// A library of RenLib: one game with variations, comments and texts on the board.
    Lib,
    /// The main line, a game a line.
    Moves,
}

/// Why a collection is not written.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The format holds one game.
    #[error("there are {games} games, and {} holds one", .target.name())]
    SeveralGames {
        /// The format.
        target: Target,
        /// The number of games.
        games: usize,
    },
    /// The game has no board of points.
    #[error("a game without a board of points has no record")]
    NoBoard,
    /// RenLib does not name its encoding, so somebody has to choose it.
    #[error("RenLib does not name the encoding of its texts")]
    NoEncoding,
    /// The encoding lacks a character.
    #[error("{0} lacks a character of the text")]
    Character(TextEncoding),
    /// A game cannot be written.
    #[error(transparent)]
    Record(#[from] Fault),
}

impl Target {
    /// Returns the name of the format in a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sgf => "SGF",
            Self::Pgn => "PGN",
            Self::Psq => "PSQ",
            Self::Lib => "RenLib",
            Self::Moves => "a list of moves",
        }
    }

    /// Returns the properties that the format holds, besides moves.
    const fn properties(self) -> &'static [&'static str] {
        match self {
            Self::Sgf | Self::Moves => &[],
            Self::Pgn => &[
                "C", "XT", "PB", "PW", "EV", "PC", "DT", "RO", "RE", "RU", "BR", "WR", "AN", "ON",
                "XP", "XN", "TE", "BM", "IT", "DO",
            ],
            Self::Psq => &["XT", "PB", "PW", "XL", "XE", "XR"],
            Self::Lib => &["C", "LB", "HO"],
        }
    }
}

impl Collection {
    /// Writes the games. `specs` has the game of each record; SGF can be written without it.
    /// `encoding` is that of the file: without one, SGF keeps its own, a library that of the file
    /// that was read, and other formats are UTF-8.
    pub fn write(
        self,
        target: Target,
        specs: &[Option<GameSpec>],
        encoding: Option<TextEncoding>,
    ) -> Result<Vec<u8>, WriteError> {
        if target == Target::Sgf {
            return Ok(match encoding {
                Some(encoding) => self.with_encoding(encoding).to_sgf(),
                None => self.to_sgf(),
            });
        }
        let games = self.records().len();
        if matches!(target, Target::Psq | Target::Lib) && games > 1 {
            return Err(WriteError::SeveralGames { target, games });
        }
        let text_encoding = encoding.unwrap_or(TextEncoding::UTF_8);
        let mut out = Vec::new();
        for (record, spec) in self.records().iter().zip(specs) {
            let spec = spec.as_ref().ok_or(WriteError::NoBoard)?;
            let notation = spec.grid.ok_or(WriteError::NoBoard)?;
            let text = match target {
                Target::Lib => {
                    let encoding = self.library_encoding(encoding).ok_or(WriteError::NoEncoding)?;
                    out.extend(record.to_lib(notation, encoding)?);
                    continue;
                }
                Target::Psq => record.to_psq(notation)?,
                Target::Pgn => record.to_pgn(spec)?,
                Target::Moves | Target::Sgf => record.to_moves(notation)? + "\n",
            };
            let bytes = text_encoding.encode(&text);
            out.extend_from_slice(&bytes.ok_or(WriteError::Character(text_encoding))?);
        }
        Ok(out)
    }

    /// Returns the encoding of a library: the one that the user chose, else that of the file that was
    /// read. A library does not name its encoding, so text that is not ASCII needs a choice: `None`.
    fn library_encoding(&self, chosen: Option<TextEncoding>) -> Option<TextEncoding> {
        let texts = self.records().iter().flat_map(|record| {
            record.ids().flat_map(|id| ["C", "LB"].map(|name| record.node(id).values(name)))
        });
        let is_ascii = texts.flatten().all(|value| value.raw().is_ascii());
        let read = self.source_encoding();
        chosen.or_else(|| (is_ascii || read != TextEncoding::UTF_8).then_some(read))
    }

    /// Returns, in words, what `target` leaves out of these games; `None` if they lose nothing.
    pub fn lost_in(&self, target: Target) -> Option<String> {
        let collection = self;
        let records = collection.records();
        let any = |is: &dyn Fn(&RecordNode) -> bool| {
            records.iter().any(|record| record.ids().any(|id| is(record.node(id))))
        };
        let mut names: Vec<&str> = Vec::new();
        for record in records {
            let root = record.node(record.root());
            let has_line = target == Target::Psq && root.value("XR").is_some();
            for property in record.ids().flat_map(|id| record.node(id).properties()) {
                let name = property.name.as_str();
                // The format RenLib implies renju.
                let is_implied =
                    name == "RU" && (collection.format() == Format::Lib || target == Target::Lib);
                let is_held = TECHNICAL.contains(&name)
                    || target.properties().contains(&name)
                    || is_usual(property)
                    || (has_line && GOMOCUP_LINE.contains(&name));
                if !is_held && !is_implied && !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let mut lost: Vec<&str> = Vec::new();
        let holds_variations = matches!(target, Target::Pgn | Target::Lib);
        if !holds_variations && any(&|node| node.children().len() > 1) {
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

/// The properties that the line `RESULT,NAME` of Gomocup holds in PSQ.
const GOMOCUP_LINE: [&str; 3] = ["RE", "EV", "RU"];

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
