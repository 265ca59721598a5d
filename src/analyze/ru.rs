//! The names of rules in game records, property `RU`, and the variants that play by them.
//!
//! The standard leaves the names of five in a row open. These are the ones that programs write.

use tengen_engine::Variant;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;

/// By which rules a game is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rule {
    pub(super) variant: &'static str,
    /// Whether longer lines win, where the variant lets one choose.
    pub(super) overline: bool,
    /// What a user should know of the choice.
    pub(super) warning: Option<String>,
}

/// What records of five in a row are played by unless they say otherwise.
pub(super) const FREESTYLE: &str = "gomokufreestyle";

/// Names without blanks and signs in small letters, and their variants, beside the names and aliases
/// of the catalogue.
const NAMES: [(&str, &[&str]); 4] = [
    (FREESTYLE, &["freestylegomoku", "free", "freegomoku", "fiveormore"]),
    ("gomoku", &["standardgomoku", "exactfive", "exactlyfive", "exact5", "nooverline"]),
    (
        "renju",
        &[
            "rif",
            "renjurif",
            "rifrenju",
            "renjurules",
            "soosorv",
            "soosyrv",
            "taraguchi",
            "taraguchi10",
            "yamaguchi",
            "tarannikov",
            "sakata",
        ],
    ),
    ("caro", &["vietnamese", "carogomoku"]),
];

/// Returns the variant of this rule; `None` where the name is not known.
pub(super) fn variant(rule: &str) -> Option<&'static str> {
    let rule: String = rule.chars().filter(|c| c.is_alphanumeric()).collect();
    let rule = rule.to_lowercase();
    let own = |variant: &&Variant| {
        let mut names = variant.aliases.iter().chain([&variant.name]);
        names.any(|name| name.replace('-', "") == rule)
    };
    if let Some(variant) = CATALOG.variants().iter().find(own) {
        return Some(variant.name);
    }
    let known = NAMES.iter().find(|(_, names)| names.contains(&rule.as_str()));
    known.map(|(variant, _)| *variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_names_are_known_in_any_case() {
        for (rule, expected) in [
            ("Standard", "gomoku"),
            ("gomoku", "gomoku"),
            ("Free Style", FREESTYLE),
            ("Freestyle gomoku", FREESTYLE),
            ("RENJU", "renju"),
            ("RIF", "renju"),
            ("Taraguchi-10", "renju"),
            ("Caro", "caro"),
            ("tictactoe", "tictactoe"),
            ("Tic-Tac-Toe", "tictactoe"),
            ("Connect Four", "cfour"),
            ("gobang", FREESTYLE),
            ("cfour-misere", "cfour-misere"),
        ] {
            assert_eq!(variant(rule), Some(expected), "{rule}");
        }
        // Go's names say nothing of five in a row, and an opening is no rule.
        for rule in ["Japanese", "Chinese", "Swap2", "Pro", "house rules", ""] {
            assert_eq!(variant(rule), None, "{rule}");
        }
    }

    #[test]
    fn every_variant_named_here_is_in_the_catalogue() {
        for (name, _) in NAMES {
            assert!(CATALOG.variants().iter().any(|variant| variant.name == name), "{name}");
        }
    }
}
