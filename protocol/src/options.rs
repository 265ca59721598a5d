//! The options that a client can set: the session's own and the catalogue's. Reads and checks their
//! values.
//!
//! The session applies the values (`session/set_option.rs`).

use std::borrow::Borrow;

use tengen_engine::backend::{Catalog, Features, Settings};
use tengen_engine::options::{OptionKind, OptionSpec};
use tengen_engine::text::quotable;
use tengen_engine::{Strength, Variant};
use thiserror::Error;

/// Identifies an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    /// Size of the transposition table in MiB.
    Hash,
    /// Number of search threads.
    Threads,
    /// Clears the transposition table.
    ClearHash,
    /// Whether the client lets the engine ponder.
    Ponder,
    /// Whether an opening book is used.
    OwnBook,
    /// The file of an opening book; empty for the game's own.
    BookFile,
    /// How a move is chosen from a book of games.
    BookChoice,
    /// How many moves of a book of games are chosen from.
    BookWidth,
    /// A book of games is used with fewer stones than this on the board.
    BookDepth,
    /// The file of the evaluation's weights; empty for the built-in ones.
    EvalFile,
    /// Number of lines of play to report.
    MultiPv,
    /// Milliseconds per move that are lost between the client and the engine.
    MoveOverhead,
    /// The skill level.
    Skill,
    /// The random seed of weakened play: another seed gives other games.
    SkillSeed,
    /// Whether [`Key::Elo`] limits the strength.
    LimitStrength,
    /// The Elo rating to play at.
    Elo,
    /// Whether scores are sent with win, draw and loss chances.
    ShowWdl,
    /// Whether the client analyses: then the engine plays at full strength.
    Analyse,
    /// The name of the opponent; it has no effect.
    Opponent,
    /// Nodes per millisecond, when nodes are counted instead of time; 0 for time.
    NodesTime,
    /// A description of this program; setting it has no effect.
    About,
    /// The log file.
    LogFile,
    /// The variant.
    Variant,
    /// How moves are written.
    Notation,
    /// An option of the catalogue, by its name.
    Game(&'static str),
}

/// A checked value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// The value of a spin, within its range; of a check, 0 or 1; of a combo, the index in its
    /// list.
    Number(i64),
    /// The value of a string option.
    Text(String),
    /// A button was pressed.
    Pressed,
}

/// Why an option was not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum OptionError {
    /// No option has this name.
    #[error("no option \"{0}\"")]
    Unknown(String),
    /// The option does not take this value.
    #[error("option {name}: \"{value}\" is not {expected}")]
    Value {
        /// The name of the option.
        name: &'static str,
        /// The refused value.
        value: String,
        /// The values that the option takes.
        expected: String,
    },
}

/// The value of [`Key::Variant`] for the session's initial variant. It has index 0, before the
/// catalogue's variants.
///
/// It is the default, because some clients never send an option whose default is already right.
/// With a real variant as default, such a client would not send the variant, and the session could
/// not see that the client expects drops.
pub(crate) const AUTO_VARIANT: &str = "auto";

/// The values of [`Key::Notation`], in the order of the option's list.
pub(crate) const NOTATION_VALUES: [&str; 4] = ["auto", "drop", "plain", "column"];

/// The values of [`Key::BookChoice`]: by value, or by the number of games.
const BOOK_CHOICES: [&str; 2] = ["best", "played"];

/// The maximum size of the transposition table, in MiB.
const MAX_HASH_MIB: i64 = 1 << 20;

/// The options of a session.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    specs: Vec<(Key, OptionSpec)>,
    variants: Vec<Variant>,
}

impl Options {
    /// Returns the options of a session with the games of `catalog`. `memory_mib` is the machine's
    /// memory in MiB; `None` when unknown.
    pub(crate) fn new(catalog: &dyn Catalog, memory_mib: Option<usize>) -> Self {
        let defaults = Settings::default();
        let spin = |default, min, max| OptionKind::Spin { default, min, max };
        let check = |default| OptionKind::Check { default };
        let text = |default| OptionKind::Text { default };
        let combo = |default, values| OptionKind::Combo { default, values };
        let max_hash = memory_mib.map_or(MAX_HASH_MIB, to_i64);
        let max_hash = max_hash.clamp(to_i64(defaults.hash_mib), MAX_HASH_MIB);
        let names = catalog.variants().iter().map(|variant| variant.name);
        let variants = [AUTO_VARIANT].into_iter().chain(names).collect();
        let overhead = i64::try_from(defaults.overhead.as_millis()).unwrap_or_default();
        // From the weakest rating to the strongest one below full strength.
        let [min_elo, .., max_elo] = Strength::ELO.map(i64::from);
        let own = [
            (Key::Hash, "Hash", spin(to_i64(defaults.hash_mib), 1, max_hash)),
            (Key::Threads, "Threads", spin(to_i64(defaults.threads), 1, 512)),
            (Key::ClearHash, "Clear Hash", OptionKind::Button),
            (Key::Ponder, "Ponder", check(defaults.ponder)),
            (Key::OwnBook, "OwnBook", check(defaults.own_book)),
            (Key::BookFile, "BookFile", text("")),
            (Key::BookChoice, "BookChoice", combo(BOOK_CHOICES[0], BOOK_CHOICES.to_vec())),
            (Key::BookWidth, "BookWidth", spin(to_i64(defaults.book_choice.width), 1, 676)),
            (Key::BookDepth, "BookDepth", spin(to_i64(defaults.book_choice.depth), 0, 676)),
            (Key::EvalFile, "EvalFile", text("")),
            (Key::MultiPv, "MultiPV", spin(to_i64(defaults.multi_pv), 1, 676)),
            (Key::MoveOverhead, "Move Overhead", spin(overhead, 0, 10_000)),
            (Key::NodesTime, "nodestime", spin(0, 0, 1_000_000)),
            (Key::Skill, "Skill Level", spin(FULL_SKILL, 0, FULL_SKILL)),
            (Key::SkillSeed, "Skill Seed", spin(0, 0, i64::from(i32::MAX))),
            (Key::LimitStrength, "UCI_LimitStrength", check(false)),
            (Key::Elo, "UCI_Elo", spin(max_elo, min_elo, max_elo)),
            (Key::ShowWdl, "UCI_ShowWDL", check(false)),
            (Key::Analyse, "UCI_AnalyseMode", check(false)),
            (Key::Opponent, "UCI_Opponent", text("")),
            (Key::About, "UCI_EngineAbout", text(catalog.about().description)),
            (Key::LogFile, "Debug Log File", text("")),
            (Key::Variant, "UCI_Variant", combo(AUTO_VARIANT, variants)),
            (Key::Notation, "Notation", combo(NOTATION_VALUES[0], NOTATION_VALUES.to_vec())),
        ];
        let own = own.into_iter().filter(|(key, ..)| has_effect(*key, catalog));
        let own = own.map(|(key, name, kind)| (key, OptionSpec::new(name, kind)));
        let games = catalog.options().into_iter().map(|spec| (Key::Game(spec.name), spec));
        Self { specs: own.chain(games).collect(), variants: catalog.variants().to_vec() }
    }

    /// Leaves out an option.
    #[must_use]
    pub(crate) fn without(mut self, key: Key) -> Self {
        self.specs.retain(|(known, _)| *known != key);
        self
    }

    /// Lowers the maximum of a spin to `limit`, at least 1.
    #[must_use]
    pub(crate) fn with_max(mut self, key: Key, limit: usize) -> Self {
        let limit = to_i64(limit.max(1));
        if let Some((_, spec)) = self.specs.iter_mut().find(|(known, _)| *known == key)
            && let OptionKind::Spin { default, max, .. } = &mut spec.kind
        {
            *max = limit.min(*max);
            *default = (*default).min(*max);
        }
        self
    }

    /// Returns all options, in the order in which they are announced.
    pub(crate) fn specs(&self) -> Vec<OptionSpec> {
        self.specs.iter().map(|(_, spec)| spec.clone()).collect()
    }

    /// Returns the maximum of a spin; `None` for other options.
    pub(crate) fn max(&self, key: Key) -> Option<i64> {
        let (_, spec) = self.specs.iter().find(|(known, _)| *known == key)?;
        match spec.kind {
            OptionKind::Spin { max, .. } => Some(max),
            _ => None,
        }
    }

    /// Returns the option `name`, in upper or lower case, and its checked `value`.
    pub(crate) fn read(
        &self,
        name: &str,
        value: Option<&str>,
    ) -> Result<(Key, Value), OptionError> {
        let unknown = || OptionError::Unknown(quotable(name));
        let known = self.specs.iter().find(|(_, spec)| spec.name.eq_ignore_ascii_case(name));
        let (key, spec) = known.ok_or_else(unknown)?;
        let text = value.unwrap_or_default();
        let text_or_name = if *key == Key::Variant { self.variant_name(text) } else { text };
        let value = value_of(&spec.kind, text_or_name).map_err(|expected| OptionError::Value {
            name: spec.name,
            value: quotable(text),
            expected,
        })?;
        Ok((*key, value))
    }

    /// Returns the name of the variant with the alias `text`; `text` itself when there is none.
    fn variant_name<'a>(&self, text: &'a str) -> &'a str {
        let named = self.variants.iter().find(|variant| variant.is_named(text));
        named.map_or(text, |variant| variant.name)
    }
}

/// The skill level of full strength.
const FULL_SKILL: i64 = Strength::FULL as i64;

/// Returns whether an option of the session has an effect on a game of `catalog`.
fn has_effect(key: Key, catalog: &dyn Catalog) -> bool {
    let Features { books, eval_files, chances, grids, game_books } = catalog.features();
    match key {
        Key::OwnBook | Key::BookFile => books,
        Key::BookChoice | Key::BookWidth | Key::BookDepth => game_books,
        Key::EvalFile => eval_files,
        Key::ShowWdl | Key::LimitStrength | Key::Elo => chances,
        Key::Notation => grids,
        Key::Variant => catalog.variants().len() > 1,
        Key::About => !catalog.about().description.is_empty(),
        _ => true,
    }
}

fn to_i64(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Returns the value of `text` for an option of this kind. The error describes the allowed values.
fn value_of(kind: &OptionKind, text: &str) -> Result<Value, String> {
    match kind {
        OptionKind::Spin { min, max, .. } => spin(text, *min, *max),
        OptionKind::Check { .. } => check(text),
        OptionKind::Combo { values, .. } => combo(text, values),
        OptionKind::Text { .. } if text == "<empty>" => Ok(Value::Text(String::new())),
        OptionKind::Text { .. } => Ok(Value::Text(text.to_owned())),
        OptionKind::Button => Ok(Value::Pressed),
    }
}

/// Reads a whole number from `min` to `max`. An error describes the allowed values; here and below.
pub(crate) fn spin(text: &str, min: i64, max: i64) -> Result<Value, String> {
    let number = text.parse().ok().filter(|number| (min..=max).contains(number));
    number.map(Value::Number).ok_or_else(|| format!("a whole number from {min} to {max}"))
}

/// Reads `false` or `true`, as 0 or 1.
pub(crate) fn check(text: &str) -> Result<Value, String> {
    combo(text, &["false", "true"]).map_err(|_| "true or false".to_owned())
}

/// Reads one of `values`, as its index. Case is ignored.
pub(crate) fn combo<S: Borrow<str>>(text: &str, values: &[S]) -> Result<Value, String> {
    let index = values.iter().position(|value| value.borrow().eq_ignore_ascii_case(text));
    let index = index.ok_or_else(|| format!("one of {}", values.join(", ")))?;
    Ok(Value::Number(to_i64(index)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tests::FAKE;

    fn options() -> Options {
        Options::new(&FAKE, None)
    }

    #[test]
    fn case_is_ignored_and_values_are_checked() {
        let options = options();
        assert_eq!(options.read("hash", Some("7")), Ok((Key::Hash, Value::Number(7))));
        assert_eq!(options.read("CLEAR HASH", None), Ok((Key::ClearHash, Value::Pressed)));
        assert_eq!(options.read("ponder", Some("TRUE")), Ok((Key::Ponder, Value::Number(1))));
        assert_eq!(options.read("notation", Some("Drop")), Ok((Key::Notation, Value::Number(1))));
        assert_eq!(options.read("length", Some("9")), Ok((Key::Game("Length"), Value::Number(9))));
        for variant in ["short", "SHORT"] {
            assert_eq!(
                options.read("uci_variant", Some(variant)),
                Ok((Key::Variant, Value::Number(2)))
            );
        }
        assert_eq!(options.read("uci_variant", Some("Row")), Ok((Key::Variant, Value::Number(1))));
        let file = |text: &str| Ok((Key::LogFile, Value::Text(text.into())));
        assert_eq!(options.read("debug log file", Some("<empty>")), file(""));
        assert_eq!(options.read("debug log file", Some("a b")), file("a b"));
        assert_eq!(options.read("debug log file", None), file(""));
    }

    #[test]
    fn an_error_names_the_option_the_value_and_the_allowed_values() {
        let options = options();
        let message =
            |name: &str, value: Option<&str>| options.read(name, value).unwrap_err().to_string();
        assert_eq!(message("Hush", Some("1")), "no option \"Hush\"");
        let range = "is not a whole number from 1 to 1048576";
        for value in ["abc", "0", "-1", "1.5", "99999999999999999999", ""] {
            assert_eq!(message("hash", Some(value)), format!("option Hash: \"{value}\" {range}"));
        }
        assert_eq!(message("Hash", None), format!("option Hash: \"\" {range}"));
        assert_eq!(message("Ponder", Some("yes")), "option Ponder: \"yes\" is not true or false");
        assert_eq!(
            message("UCI_Variant", Some("chess")),
            "option UCI_Variant: \"chess\" is not one of auto, line, short"
        );
    }

    #[test]
    fn no_name_contains_a_keyword_of_uci() {
        for spec in options().specs() {
            for word in spec.name.split(' ') {
                assert!(!["name", "type", "default", "min", "max", "var"].contains(&word));
                assert!(!word.starts_with("value"));
            }
        }
    }
}
