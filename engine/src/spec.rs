//! [`GameSpec`]: the description of a game, as data only.
//!
//! It knows no position and no search.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

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
    /// The sizes of its board; `None` where no size can be chosen.
    pub sizes: Option<BoardSizes>,
    /// What game records call its rules, beside its name and its aliases.
    pub rule_names: &'static [RuleNames],
}

/// The sizes of a variant's board, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BoardSizes {
    /// Width and height where none is chosen.
    pub usual: (u32, u32),
    /// The shortest side that may be chosen.
    pub least: u32,
    /// The longest side that may be chosen.
    pub most: u32,
}

impl BoardSizes {
    /// Returns the usual size, `width` by `height`, and the sides that may be chosen instead.
    pub const fn new(usual: (u32, u32), sides: &RangeInclusive<u32>) -> Self {
        Self { usual, least: *sides.start(), most: *sides.end() }
    }
}

/// Names of rules in game records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RuleNames {
    /// The names in small letters, without blanks and signs.
    pub names: &'static [&'static str],
    /// The values of the variant's options under these rules, where they are not the usual ones.
    pub chosen: &'static [(&'static str, i64)],
}

impl RuleNames {
    /// Returns names of the variant's rules with its usual options.
    pub const fn new(names: &'static [&'static str]) -> Self {
        Self { names, chosen: &[] }
    }

    /// Sets the values that options of the variant have under these rules.
    #[must_use]
    pub const fn with_options(self, chosen: &'static [(&'static str, i64)]) -> Self {
        Self { chosen, ..self }
    }
}

impl Variant {
    /// Returns a variant without other names and without options.
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self { name, aliases: &[], summary, options: &[], sizes: None, rule_names: &[] }
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

    /// Says which sizes its board may have.
    #[must_use]
    pub const fn with_sizes(self, sizes: BoardSizes) -> Self {
        Self { sizes: Some(sizes), ..self }
    }

    /// Adds what game records call its rules.
    #[must_use]
    pub const fn with_rule_names(self, rule_names: &'static [RuleNames]) -> Self {
        Self { rule_names, ..self }
    }

    /// Returns whether this is its name or one of its aliases, in any case.
    pub fn is_named(&self, name: &str) -> bool {
        let mut names = self.aliases.iter().chain([&self.name]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the options that rules of this name in a game record ask for; `None` if the variant does
    /// not know the name. Case, blanks and signs do not count.
    pub fn rules_named(&self, name: &str) -> Option<Chosen> {
        let plain = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let name = plain(name);
        if self.aliases.iter().chain([&self.name]).any(|known| plain(known) == name) {
            return Some(Chosen::new());
        }
        let rules = self.rule_names.iter().find(|rules| rules.names.contains(&name.as_str()))?;
        Some(rules.chosen.iter().copied().collect())
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
    /// Which weights of the evaluation come with the program, for people; `None` where no evaluation
    /// files can be opened for the game.
    pub own_eval: Option<String>,
    /// Whether the rules forbid some points to a player.
    pub forbids_points: bool,
}

impl GameSpec {
    /// Returns a game without options, grid, book, evaluation files and forbidden points, whose values
    /// a search does not prove.
    pub fn new(variant: &'static str, rules: impl Into<String>) -> Self {
        Self {
            variant,
            chosen: Chosen::new(),
            rules: rules.into(),
            grid: None,
            is_exact: false,
            has_book: false,
            has_own_book: false,
            own_eval: None,
            forbids_points: false,
        }
    }

    /// Returns columns and rows; `None` if the game has no grid.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.grid.map(|notation| (notation.grid().width(), notation.grid().height()))
    }
}
