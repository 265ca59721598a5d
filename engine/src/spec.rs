//! [`GameSpec`]: what is known of a game before a board is set up. Data only.
//!
//! It knows no position and no search.

use std::collections::BTreeMap;

use crate::grid_notation::GridNotation;

/// The values chosen for a catalogue's own options, by name as announced. Checks are 0 or 1.
pub type Chosen = BTreeMap<&'static str, i64>;

/// A variant that a catalogue offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Variant {
    /// The name that clients use.
    pub name: &'static str,
    /// Other names that are read for it.
    pub aliases: &'static [&'static str],
    /// One line for people.
    pub summary: &'static str,
    /// The catalogue's options that this variant reads, by name.
    pub options: &'static [&'static str],
}

impl Variant {
    /// Returns a variant without other names and without options.
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self { name, aliases: &[], summary, options: &[] }
    }

    /// Adds other names that are read for it.
    #[must_use]
    pub const fn with_aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Names the catalogue's options that it reads.
    #[must_use]
    pub const fn with_options(self, options: &'static [&'static str]) -> Self {
        Self { options, ..self }
    }

    /// Returns whether this is its name or one of its aliases, in any case.
    pub fn is_named(&self, name: &str) -> bool {
        let mut names = self.aliases.iter().chain([&self.name]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns whether the variant reads this option, in any case.
    pub fn reads(&self, option: &str) -> bool {
        self.options.iter().any(|name| name.eq_ignore_ascii_case(option))
    }
}

/// One game under chosen options. Equal specifications are the same game.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct GameSpec {
    /// The variant's name, such as `cfour`.
    pub variant: &'static str,
    /// What was chosen for the options that the variant reads.
    pub chosen: Chosen,
    /// The rules in a few words, such as `7x6 board, 4 in a row, stones fall`.
    pub rules: String,
    /// The grid that the game is played on, if it is played on one.
    pub grid: Option<GridNotation>,
    /// Whether a search without limits proves the value of every position.
    pub is_exact: bool,
    /// Whether an opening book can be opened for it.
    pub has_book: bool,
    /// Whether a book comes with it. Otherwise a book is opened from a file only.
    pub has_own_book: bool,
    /// Whether the rules forbid some points to a player.
    pub forbids_points: bool,
}

impl GameSpec {
    /// Returns a game without options, grid, book and forbidden points, whose values a search does
    /// not prove.
    pub fn new(variant: &'static str, rules: impl Into<String>) -> Self {
        Self {
            variant,
            chosen: Chosen::new(),
            rules: rules.into(),
            grid: None,
            is_exact: false,
            has_book: false,
            has_own_book: false,
            forbids_points: false,
        }
    }

    /// Columns and rows; `None` where the game has no grid.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.grid.map(|notation| (notation.grid().width(), notation.grid().height()))
    }
}
