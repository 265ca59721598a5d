//! [`read`]: detects the format of a file and reads it.

use tengen_engine::GridNotation;

use crate::encoding::TextEncoding;
use crate::fault::{Fault, FaultKind};
use crate::games::Games;
use crate::place::Place;
use crate::tree::{Collection, Format};
use crate::{drawing, jsonl, moves, pgn, psq, renlib, sgf};

/// What the caller knows about a file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    name: String,
    format: Option<Format>,
    encoding: Option<TextEncoding>,
    notation: Option<GridNotation>,
    skips_bad_games: bool,
    keeps_bad_moves: bool,
}

impl ReadOptions {
    /// Creates options that detect everything from the content.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the file name. Its extension decides the format only if the content is ambiguous.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets the format and turns detection off.
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Sets the encoding and overrides the one that the file names. A byte order mark overrides
    /// both.
    pub fn encoding(mut self, encoding: TextEncoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    /// Sets the board of a list of moves, and of PGN that names neither its board nor its rules, and
    /// whether stones fall in a drawing. The default, `None`, is 15x15, or 20x20 if a move needs it,
    /// without gravity.
    pub fn on(mut self, notation: impl Into<Option<GridNotation>>) -> Self {
        self.notation = notation.into();
        self
    }

    /// Reads the other games of a collection if one cannot be read: [`Collection::fault`] has its
    /// error. The default is to return the error.
    pub fn skips_bad_games(mut self, skips: bool) -> Self {
        self.skips_bad_games = skips;
        self
    }

    /// Keeps games with a move that is outside the board or on a taken point, in formats whose moves
    /// are read at once: lists of moves, PSQ and RenLib. The move and those after it keep their
    /// text, and [`Record::line_until_fault`](crate::Record::line_until_fault) has the moves before.
    /// The default is that such a game cannot be read.
    pub fn keeps_bad_moves(mut self, keeps: bool) -> Self {
        self.keeps_bad_moves = keeps;
        self
    }

    /// Returns whether the name of the file has this extension, in lower case.
    fn has_extension(&self, extension: &str) -> bool {
        let name = self.name.to_ascii_lowercase();
        name.rsplit_once('.').is_some_and(|(_, found)| found == extension)
    }
}

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
/// assert_eq!(read(b"(;GM[4]SZ[15];B[hh])", &any)?.format(), Format::Sgf);
/// assert_eq!(read(b"Piskvorky 15x15, 11:11, 0\n8,8,0\n-1\n", &any)?.format(), Format::Psq);
/// assert_eq!(read(b"h8i9j7", &any)?.format(), Format::Moves);
/// let fault = read(b"(;GM[4]\n;B[hh)", &any).unwrap_err();
/// assert_eq!(
///     fault.to_string(),
///     "line 2, character 7: expected \"]\", which ends a value, found the end of the file",
/// );
/// # Ok::<(), tengen_records::Fault>(())
/// ```
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    let (encoding, notation) = (options.encoding, options.notation);
    let keeps_bad_moves = options.keeps_bad_moves;
    let games = || Games::new(options.skips_bad_games);
    match options.format.map_or_else(|| format_of(bytes, options), Ok)? {
        Format::Sgf => sgf::read(bytes, encoding, options.skips_bad_games),
        Format::Psq => psq::read(bytes, encoding, &options.name, keeps_bad_moves),
        Format::Lib => renlib::read(bytes, encoding, keeps_bad_moves),
        Format::Moves => {
            let skips_bad = options.skips_bad_games;
            moves::read(bytes, encoding, notation, skips_bad, keeps_bad_moves)
        }
        Format::Pgn => pgn::read(bytes, encoding, notation, games()),
        Format::Jsonl => jsonl::read(bytes, games()),
        Format::Drawing => drawing::read(bytes, encoding, notation),
    }
}

/// Returns the format of a file by its content, or by its name if the content is ambiguous.
///
/// # Errors
///
/// The file is empty, or it is in no known format.
pub fn format_of(bytes: &[u8], options: &ReadOptions) -> Result<Format, Fault> {
    if renlib::is_library(bytes, options.has_extension("lib") || options.has_extension("dat")) {
        return Ok(Format::Lib);
    }
    let text = match TextEncoding::marked(bytes) {
        Some((encoding, rest)) => encoding.decode_lossy(rest),
        None => String::from_utf8_lossy(bytes),
    };
    let begin = text.trim_start();
    if begin.is_empty() {
        return Err(Fault::new(None, FaultKind::Empty));
    }
    if psq::is_psq(&text) || (options.has_extension("psq") && !begin.starts_with('(')) {
        return Ok(Format::Psq);
    }
    if options.has_extension("pgn") || pgn::is_pgn(begin) {
        return Ok(Format::Pgn);
    }
    if jsonl::is_jsonl(begin) {
        return Ok(Format::Jsonl);
    }
    // A comment of SGF may have a drawing.
    let is_sgf = sgf::game_start(&text).is_some();
    if !is_sgf && drawing::is_drawing(&text) {
        return Ok(Format::Drawing);
    }
    // A list of moves may begin with a parenthesis, too: `(7,7) (8,6)`.
    let begins_a_pair = begin.starts_with(['(', '[']) && moves::is_moves(&text, options.notation);
    if begins_a_pair && !is_sgf {
        return Ok(Format::Moves);
    }
    if begin.starts_with('(') || options.has_extension("sgf") || is_sgf {
        return Ok(Format::Sgf);
    }
    if moves::is_moves(&text, options.notation) {
        return Ok(Format::Moves);
    }
    let line = begin.lines().next().unwrap_or_default().trim_end();
    let place = Place::in_text(&text, text.len() - begin.len());
    Err(Fault::new(place, FaultKind::UnknownFormat(line.to_owned())))
}
