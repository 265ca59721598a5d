//! The rules that a text names: `Renju, Yamaguchi`, `Standard renju (15x15)`, `Freestyle_1`.
//!
//! The catalogue knows the names. This file finds them among other words.

use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, NameStrength};

/// The rules that a text names.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct NamedRules {
    pub(super) variant: &'static str,
    pub(super) chosen: Chosen,
    /// Whether no other word of the text may change the rules.
    pub(super) is_certain: bool,
    /// Whether the name is a word for the game that does not tell its rules, such as `gomoku`.
    pub(super) is_any_rule: bool,
}

/// Words beside names of rules that do not change them: openings, sizes, and words for games.
const OTHER_WORDS: &str = "\
    swapafterfirstmove swapafter1stmove swapafter first 1st swap2 swap1 swap longpro long pro \
    balanced opening openings rule rules ruleset game style the with and x move moves variant size \
    board";

/// Words that negate the next word.
const NEGATIONS: &str = "no not non without kein ohne sans sin";

/// The longest text that is searched for names, in bytes, and the most words of a name.
const MAX_TEXT: usize = 200;
const MAX_WORDS: usize = 5;

/// Returns the rules that `text` names; `None` if it names none, or rules that contradict each
/// other.
pub(super) fn named(catalog: &dyn Catalog, text: &str) -> Option<NamedRules> {
    let whole = plain(text);
    let strength = |name: &str| {
        catalog.rule_names_with(name).map_or(NameStrength::Rules, |(_, rules)| rules.strength)
    };
    if let Some((variant, chosen)) = catalog.rules_named(&whole) {
        let is_any_rule = strength(&whole) == NameStrength::Game;
        return Some(NamedRules { variant: variant.name, chosen, is_certain: true, is_any_rule });
    }
    if text.len() > MAX_TEXT {
        return None;
    }
    let found = TextNames::of(catalog, text);
    let strongest = found.names.iter().map(|name| name.strength).max()?;
    let mut names = found.names.iter().filter(|name| name.strength == strongest);
    let first = names.next()?;
    // Of names of one variant, one may say more: `Caro, exact`.
    let mut chosen = first.chosen.clone();
    for name in names {
        if name.variant != first.variant {
            return None;
        }
        chosen.extend(name.chosen.clone());
    }
    let is_certain =
        !found.is_negated && (!found.has_other_words || strongest == NameStrength::Rules);
    let is_any_rule = strongest == NameStrength::Game;
    Some(NamedRules { variant: first.variant, chosen, is_certain, is_any_rule })
}

/// A name of rules in a text.
struct Name {
    variant: &'static str,
    chosen: Chosen,
    strength: NameStrength,
}

/// The names of rules in a text.
#[derive(Default)]
struct TextNames {
    names: Vec<Name>,
    /// Whether the text has words that are neither names nor known beside them.
    has_other_words: bool,
    is_negated: bool,
}

impl TextNames {
    fn of(catalog: &dyn Catalog, text: &str) -> Self {
        let words = words(text);
        let mut found = Self::default();
        let mut at = 0;
        while at < words.len() {
            let most = MAX_WORDS.min(words.len() - at);
            let count = (1..=most).rev().find(|count| {
                let name = words[at..at + count].concat();
                found.add(catalog, &name)
            });
            if count.is_none() {
                found.add_unknown(catalog, &words[at]);
            }
            at += count.unwrap_or(1);
        }
        found
    }

    /// Adds a name; returns whether it is one.
    fn add(&mut self, catalog: &dyn Catalog, name: &str) -> bool {
        // A number alone is Gomocup's number of a rule, and not a size or a count.
        if name.bytes().all(|byte| byte.is_ascii_digit()) {
            return false;
        }
        let Some((variant, rules)) = catalog.rule_names_with(name) else { return false };
        let chosen = rules.chosen.iter().copied().collect();
        self.names.push(Name { variant: variant.name, chosen, strength: rules.strength });
        true
    }

    /// Adds a word that is no name: a name with a number, names without blanks between, or
    /// another word.
    fn add_unknown(&mut self, catalog: &dyn Catalog, word: &str) {
        let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if letters.is_empty() || [word, letters].iter().any(|it| is_one_of(it, OTHER_WORDS)) {
            return;
        }
        if is_one_of(word, NEGATIONS) {
            self.is_negated = true;
            return;
        }
        if letters.len() < word.len() && self.add(catalog, letters) {
            return;
        }
        self.has_other_words |= !self.add_parts(catalog, letters);
    }

    /// Adds the names of which a word consists; returns whether nothing else is in it.
    fn add_parts(&mut self, catalog: &dyn Catalog, word: &str) -> bool {
        let before = self.names.len();
        let mut rest = word;
        let mut is_whole = true;
        while let Some(first) = rest.chars().next() {
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let known = ends.clone().find(|end| self.add(catalog, &rest[..*end]));
            let other = || ends.clone().find(|end| is_one_of(&rest[..*end], OTHER_WORDS));
            match known.or_else(other) {
                Some(end) => rest = &rest[end..],
                // Chinese and Japanese have no blanks: names stand among other characters.
                None if !first.is_ascii() && !is_cased(first) => {
                    is_whole = false;
                    rest = &rest[first.len_utf8()..];
                }
                None => {
                    self.names.truncate(before);
                    return false;
                }
            }
        }
        is_whole
    }
}

fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|known| word == known)
}

fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase()
}

/// Returns a text in lower case without blanks and punctuation.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the words of a text in lower case. A number after an `x` belongs to a size.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !is_combining(c));
    let words = words.map(plain).filter(|word| !word.is_empty());
    words.filter(|word| !is_size(word)).collect()
}

/// Returns whether a character is an accent of the character before it.
fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

/// Returns whether a word is the size of a board, such as `15x15`.
fn is_size(word: &str) -> bool {
    let sides = word.split_once('x');
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    sides.is_some_and(|(width, height)| is_number(width) && is_number(height))
}

#[cfg(test)]
mod tests {
    use tengen_games::CATALOG;

    use super::*;

    #[test]
    fn names_are_found_among_other_words() {
        for (text, variant) in [
            ("Renju Taraguchi-10", "renju"),
            ("Renju, Yamaguchi", "renju"),
            ("Renju (RIF)", "renju"),
            ("RenjuTaraguchi10", "renju"),
            ("Soos\u{f5}rv-8", "renju"),
            ("Soosorv8", "renju"),
            ("Taraguchi-N", "renju"),
            ("Standard renju", "renju"),
            ("renju 15x15", "renju"),
            ("Renju_2", "renju"),
            ("Free renju", "renju"),
            ("Renju, no overlines", "renju"),
            ("Japanese renju", "renju"),
            ("\u{4e94}\u{5b50}\u{68cb}\u{6709}\u{7981}\u{624b}", "renju"),
            ("\u{4e94}\u{5b50}\u{68cb}\u{ff08}\u{65e0}\u{7981}\u{ff09}", "gomokufreestyle"),
            ("Gomoku, freestyle", "gomokufreestyle"),
            ("Freestyle15_1", "gomokufreestyle"),
            ("Freestyle Gomoku Swap2", "gomokufreestyle"),
            ("Five in a row, Long Pro", "gomokufreestyle"),
            ("Standard Gomoku (Swap2)", "gomoku"),
            ("standard15", "gomoku"),
            ("Gomoku: exactly five in a row", "gomoku"),
            ("Caro (Gomoku)", "caro"),
        ] {
            let found = named(&CATALOG, text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((found.variant, found.is_certain), (variant, true), "{text}");
        }
        for text in ["Gomoku", "GOMOKU swap2", "gomoku 15x15"] {
            let found = named(&CATALOG, text).unwrap();
            assert!(found.is_any_rule && found.variant == "gomoku", "{text}");
        }
    }

    #[test]
    fn texts_that_name_no_rules_or_two_are_not_certain() {
        for text in ["Japanese", "Swap2", "house rules", "renju or caro", "", "15", "My own"] {
            assert_eq!(named(&CATALOG, text), None, "{text}");
        }
        for text in ["Standard chess", "not renju", "Gomoku without renju restrictions"] {
            assert!(!named(&CATALOG, text).unwrap().is_certain, "{text}");
        }
        assert_eq!(named(&CATALOG, &"renju ".repeat(100)), None);
    }
}
