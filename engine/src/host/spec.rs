//! [`GameSpec`]: the description of a game, as data only.
//!
//! It uses neither positions nor the search.

use std::ops::RangeInclusive;

use crate::host::board_option::BoardOption;
use crate::host::options::Chosen;
use crate::text::grid_notation::GridNotation;

/// A variant that a catalogue offers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Variant {
    /// The name that clients use.
    pub name: &'static str,
    /// Other names that clients may use.
    pub aliases: &'static [&'static str],
    /// A description in one line.
    pub summary: &'static str,
    /// The names of the catalogue's options that this variant uses.
    pub options: &'static [&'static str],
    /// The sizes of its board; `None` if the size cannot be chosen.
    pub sizes: Option<BoardSizes>,
    /// The names of its rules in game records, in addition to its name and its aliases.
    pub rule_names: &'static [RuleNames],
}

/// The sizes of a variant's board, in cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BoardSizes {
    /// The default width and height.
    pub usual: (u32, u32),
    /// The minimum side length.
    pub least: u32,
    /// The maximum side length.
    pub most: u32,
}

impl BoardSizes {
    /// Creates the sizes: `usual` is the default (width, height), `sides` the range of each side.
    pub const fn new(usual: (u32, u32), sides: &RangeInclusive<u32>) -> Self {
        Self { usual, least: *sides.start(), most: *sides.end() }
    }
}

/// How much a name in a game record says about the rules, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NameStrength {
    /// A word for the game, whatever its rules, such as `gomoku`.
    Game,
    /// A word that may describe the rules of another name, such as `standard` in `standard renju`.
    Adjective,
    /// The name of rules, such as `renju`.
    Rules,
}

/// Names of rules in game records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RuleNames {
    /// The names in lower case, without blanks and punctuation.
    pub names: &'static [&'static str],
    /// How much these names say about the rules.
    pub strength: NameStrength,
    /// The values of the variant's options under these rules, if they are not the defaults.
    pub chosen: &'static [(&'static str, i64)],
}

impl RuleNames {
    /// Creates names of the variant's rules with the default options.
    pub const fn new(names: &'static [&'static str]) -> Self {
        Self { names, strength: NameStrength::Rules, chosen: &[] }
    }

    setters! {
        /// Sets how much these names say about the rules.
        with_strength(strength: NameStrength) => strength = strength;
        /// Sets the values that options of the variant have under these rules.
        with_options(chosen: &'static [(&'static str, i64)]) => chosen = chosen;
    }
}

impl Variant {
    /// Creates a variant without aliases and options.
    pub const fn new(name: &'static str, summary: &'static str) -> Self {
        Self { name, aliases: &[], summary, options: &[], sizes: None, rule_names: &[] }
    }

    setters! {
        /// Sets other names that clients may use.
        with_aliases(aliases: &'static [&'static str]) => aliases = aliases;
        /// Sets the catalogue's options that it uses, by name.
        with_options(options: &'static [&'static str]) => options = options;
        /// Sets the sizes of its board.
        with_sizes(sizes: BoardSizes) => sizes = Some(sizes);
        /// Sets the names of its rules in game records.
        with_rule_names(rule_names: &'static [RuleNames]) => rule_names = rule_names;
    }

    /// Returns whether `name` is its name or one of its aliases. Case is ignored.
    pub fn is_named(&self, name: &str) -> bool {
        let mut names = self.aliases.iter().chain([&self.name]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Returns the options for rules that a game record calls `name`; `None` if the variant has no
    /// such rules. Case, blanks and punctuation are ignored.
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

    /// Returns whether the size of its board can be chosen.
    pub fn takes_size(&self) -> bool {
        self.reads(BoardOption::Width.name())
    }

    /// Returns whether the variant uses this option. Case is ignored.
    pub fn reads(&self, option: &str) -> bool {
        self.options.iter().any(|name| name.eq_ignore_ascii_case(option))
    }
}

/// The name of an engine, as clients show it.
///
/// ```
/// use tengen_engine::About;
///
/// const ABOUT: About = About::new("Nimble").with_version("1.2").with_author("Jane Doe");
/// assert_eq!(ABOUT.product(), "Nimble 1.2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct About {
    /// The name of the engine.
    pub name: &'static str,
    /// Its version; empty if it has none.
    pub version: &'static str,
    /// The author or authors.
    pub author: &'static str,
    /// A description in one line; empty if there is none.
    pub description: &'static str,
}

impl About {
    /// Creates the name of an engine, without version and description, by an unknown author.
    pub const fn new(name: &'static str) -> Self {
        Self { name, version: "", author: "unknown", description: "" }
    }

    setters! {
        /// Sets the version.
        with_version(version: &'static str) => version = version;
        /// Sets the author or authors.
        with_author(author: &'static str) => author = author;
        /// Sets a description in one line.
        with_description(description: &'static str) => description = description;
    }

    /// Returns the name and the version.
    pub fn product(&self) -> String {
        format!("{} {}", self.name, self.version).trim_end().to_owned()
    }
}

/// The description of a game with chosen options. Equal specifications are the same game.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct GameSpec {
    /// The variant's name, such as `cfour`.
    pub variant: &'static str,
    /// The values of the options that the variant uses.
    pub chosen: Chosen,
    /// The rules in a few words, such as `7x6 board, 4 in a row, stones fall`.
    pub rules: String,
    /// The grid of the board; `None` if the game has no grid.
    pub grid: Option<GridNotation>,
    /// Whether a search without limits proves the value of every position.
    pub is_exact: bool,
    /// Whether the game supports opening books.
    pub has_book: bool,
    /// Whether a book comes with the game. If not, books can be opened only from files.
    pub has_own_book: bool,
    /// The built-in weights of the evaluation, in words; `None` if the game has no evaluation
    /// files.
    pub own_eval: Option<String>,
    /// Whether the rules forbid some points to a player.
    pub forbids_points: bool,
    /// Whether reports have chances to win, draw and lose.
    pub has_chances: bool,
}

impl GameSpec {
    /// Creates the description of a game that is not exact, without options, grid, book, evaluation
    /// files, forbidden points and chances.
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
            has_chances: false,
        }
    }

    /// Returns the written id of the game: the name of the variant, then each of its options and its
    /// value, in the order of the names.
    ///
    /// Files keep ids: shelves, journals, lists of tasks. Equal specifications have equal ids, and
    /// different ones have different ids. Default values are written, too, so that an id keeps its
    /// meaning when a default changes.
    ///
    /// ```
    /// use tengen_engine::{Chosen, GameSpec};
    ///
    /// let mut spec = GameSpec::new("renju", "15x15 board, renju");
    /// assert_eq!(spec.id(), "renju");
    /// spec.chosen = Chosen::from([("BoardWidth", 15), ("BoardHeight", 15)]);
    /// assert_eq!(spec.id(), "renju BoardHeight=15 BoardWidth=15");
    /// ```
    pub fn id(&self) -> String {
        let options = self.chosen.iter().map(|(name, value)| format!(" {name}={value}"));
        std::iter::once(self.variant.to_owned()).chain(options).collect()
    }

    /// Returns the options besides the size of the board, with their values.
    pub fn rule_options(&self) -> impl Iterator<Item = (&'static str, i64)> {
        let options = self.chosen.iter().map(|(name, value)| (*name, *value));
        options.filter(|(name, _)| !BoardOption::named(name).is_some_and(BoardOption::is_size))
    }

    /// Returns the number of columns and rows; `None` if the game has no grid.
    pub fn size(&self) -> Option<(u32, u32)> {
        self.grid.map(|notation| (notation.grid().width(), notation.grid().height()))
    }
}
