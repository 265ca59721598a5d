//! [`ReadOptions`]: what the caller knows about a file.

use tengen_engine::GridNotation;

use crate::encoding::TextEncoding;
use crate::tree::Format;

/// What the caller knows about a file.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    pub(crate) name: String,
    pub(crate) format: Option<Format>,
    pub(crate) encoding: Option<TextEncoding>,
    pub(crate) notation: Option<GridNotation>,
    pub(crate) skips_bad_games: bool,
    pub(crate) keeps_bad_moves: bool,
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

    /// Reads the other games of a collection if one cannot be read: [`Collection::fault`](crate::Collection::fault) has its
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
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        let name = self.name.to_ascii_lowercase();
        name.rsplit_once('.').is_some_and(|(_, found)| found == extension)
    }
}
