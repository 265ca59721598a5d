//! [`VariantChoice`]: the variant of a catalogue that a record belongs to.
//!
//! This file knows how records name their game. The catalogue says which variant a name of rules
//! stands for (`Variant::rule_names`, read by `Catalog::rules_named`), so that no list of games is
//! needed here.

use tengen_engine::backend::{Catalog, OpenError};
use tengen_engine::text::quotable;
use tengen_engine::{Chosen, GameSpec};

use crate::fault::{Fault, FaultKind};
use crate::line::size_text;
use crate::tree::{PropertyValue, Record};

/// The variant that a record belongs to.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct VariantChoice {
    /// The name of the variant in the catalogue.
    pub variant: &'static str,
    /// The options that the rules require, without the size of the board.
    pub chosen: Chosen,
    /// A warning for the user when other rules are used than those that the record names.
    pub warning: Option<Fault>,
}

/// The name of five in a row in catalogues.
const FIVE_IN_A_ROW: &str = "five in a row";

/// The number of Go in property `GM`. Many editors write it for any game on a Go board.
const GO: &str = "1";
/// The number of five in a row in property `GM`.
const FIVE: &str = "4";

/// Names of openings, which may be part of a name of rules.
const OPENINGS: [&str; 8] = [
    "swapafterfirstmove",
    "swapafter1stmove",
    "swap2",
    "swap1",
    "swap",
    "longpro",
    "pro",
    "opening",
];

impl Record {
    /// Returns the variant of `catalog` that the record belongs to.
    ///
    /// Property `RU` names the rules by any word that [`Catalog::rules_named`] knows; names of
    /// openings (`Swap2`, `Pro`) are ignored. Without rules, `GM[4]` is five in a row. On 15x15 and
    /// 20x20, a record that names no game, or names Go as many editors do, is five in a row too,
    /// with a warning. Unknown rules of such a record also give a warning. Everything else is an
    /// error.
    pub fn choose(&self, catalog: &dyn Catalog) -> Result<VariantChoice, Fault> {
        let root = self.node(self.root());
        let rules = root.value("RU").filter(|value| !value.text().trim().is_empty());
        if let Some((variant, chosen)) = rules.and_then(|rules| named(catalog, &rules.text())) {
            return Ok(VariantChoice { variant, chosen, warning: None });
        }
        let game = root.text("GM").filter(|text| !text.is_empty());
        let is_five = game.as_deref() == Some(FIVE);
        let fault = |why: String| {
            let place = root.value("GM").and_then(PropertyValue::place);
            Fault::new(place, FaultKind::UnknownGame(why))
        };
        if !is_five && !self.looks_like_five(game.as_deref())? {
            return Err(fault(match game.as_deref() {
                None => {
                    "the record does not say which game it is (no GM[4], and RU names no known rules)"
                        .to_owned()
                }
                Some(GO) => "GM[1] is Go, and RU names no known rules".to_owned(),
                Some(other) => {
                    format!("GM[{}] is not five in a row, which is GM[4]", quotable(other))
                }
            }));
        }
        let Some((taken, chosen)) = named(catalog, FIVE_IN_A_ROW) else {
            return Err(fault("there is no game of five in a row".to_owned()));
        };
        let given = match (rules, is_five) {
            (Some(rules), _) => {
                let text = rules.text();
                let given =
                    format!("RU[{}] is not a known rule of five in a row", quotable(text.trim()));
                Some((rules.place(), given))
            }
            (None, true) => None,
            (None, false) => Some((None, "the record names no game (no GM[4], no RU)".to_owned())),
        };
        let warning =
            given.map(|(place, given)| Fault::new(place, FaultKind::RulesTaken { given, taken }));
        Ok(VariantChoice { variant: taken, chosen, warning })
    }

    /// Returns whether a record that names no game, or Go, is five in a row, judging by the size of
    /// its board.
    fn looks_like_five(&self, game: Option<&str>) -> Result<bool, Fault> {
        let size = self.board_size()?;
        let is_usual = matches!(size, Some((15, 15) | (20, 20)));
        Ok(match game {
            None => is_usual || size.is_none(),
            Some(GO) => is_usual,
            Some(_) => false,
        })
    }

    /// Returns the game of `catalog` that the record belongs to, on a board of the record's size,
    /// and a warning for the user, if any.
    ///
    /// ```
    /// use tengen_games::CATALOG;
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let games = read(b"(;GM[4]RU[Free Style]SZ[19];B[jj])", &ReadOptions::new())?;
    /// let (spec, warning) = games.records()[0].spec(&CATALOG)?;
    /// assert_eq!((spec.variant, spec.size(), warning), ("gomokufreestyle", Some((19, 19)), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn spec(&self, catalog: &dyn Catalog) -> Result<(GameSpec, Option<Fault>), Fault> {
        let VariantChoice { variant, mut chosen, warning } = self.choose(catalog)?;
        let takes = |name| catalog.variant(variant).is_some_and(|known| known.reads(name));
        if let Some((width, height)) = self.board_size()?
            && takes("BoardWidth")
        {
            chosen.insert("BoardWidth", width.into());
            chosen.insert("BoardHeight", height.into());
        }
        let spec = catalog.describe(variant, &chosen).map_err(|error| self.refused(&error))?;
        Ok((spec, warning))
    }

    /// Sets the game of the record: the name of its rules as `RU`, and the size of its board as
    /// `SZ` if the record has none. `RU` stays unchanged for a game that has no name for its rules.
    ///
    /// ```
    /// use tengen_engine::backend::Catalog;
    /// use tengen_games::CATALOG;
    /// use tengen_records::Record;
    ///
    /// let spec = CATALOG.describe("caro", &[("Overline", 0)].into())?;
    /// let mut game = Record::new();
    /// game.declare(&spec, &CATALOG);
    /// assert_eq!(game.spec(&CATALOG)?, (spec, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn declare(&mut self, spec: &GameSpec, catalog: &dyn Catalog) {
        let root = self.root_mut();
        if let Some(rules) = rules_of(spec, catalog) {
            root.set("RU", rules);
        }
        if let Some((width, height)) = spec.size().filter(|_| root.value("SZ").is_none()) {
            root.set("SZ", &size_text(width, height));
        }
    }

    /// Returns the error of a board that the game does not support.
    fn refused(&self, error: &OpenError) -> Fault {
        let place = self.node(self.root()).value("SZ").and_then(PropertyValue::place);
        Fault::new(place, FaultKind::Board(error.to_string()))
    }
}

/// Returns the name of the rules of a game; `None` for a game defined by its options.
fn rules_of(spec: &GameSpec, catalog: &dyn Catalog) -> Option<&'static str> {
    let variant = catalog.variant(spec.variant)?;
    if variant.reads("ConnectK") {
        return None;
    }
    let is_chosen = |(option, value): &(&str, i64)| spec.chosen.get(option) == Some(value);
    let special = variant
        .rule_names
        .iter()
        .find(|rules| !rules.chosen.is_empty() && rules.chosen.iter().all(is_chosen));
    Some(special.and_then(|rules| rules.names.last()).map_or(variant.name, |name| *name))
}

/// Returns the variant with rules of this name, and its options.
fn named(catalog: &dyn Catalog, rules: &str) -> Option<(&'static str, Chosen)> {
    let found = |name: &str| {
        let (variant, chosen) = catalog.rules_named(name)?;
        Some((variant.name, chosen))
    };
    found(rules).or_else(|| {
        let plain: String = rules.chars().filter(|c| c.is_alphanumeric()).collect();
        let plain = plain.to_lowercase();
        OPENINGS.iter().find_map(|opening| {
            let rest = plain.replacen(opening, "", 1);
            found(&rest).filter(|_| rest != plain && !rest.is_empty())
        })
    })
}
