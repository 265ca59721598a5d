//! [`VariantChoice`]: the variant of a catalogue that a record belongs to.
//!
//! This file knows how records name their game. The catalogue says which variant a name of rules
//! stands for (`Variant::rule_names`, read by `Catalog::rules_named`), so that no list of games is
//! needed here.

mod rules;

use tengen_engine::backend::{Catalog, OpenError};
use tengen_engine::text::quotable;
use tengen_engine::{BoardOption, Chosen, GameSpec, GridNotation, NameStrength, Variant};

use crate::fault::{Fault, FaultKind};
use crate::line::size_text;
use crate::tree::{Collection, Format, Property, PropertyValue, Record};

/// The variant that a record belongs to.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct VariantChoice {
    /// The name of the variant in the catalogue.
    pub variant: &'static str,
    /// The options that the rules require, without the size of the board.
    pub chosen: Chosen,
    /// A warning for the user when other rules are used than those that the record names, or when
    /// the name stands for two rules.
    pub warning: Option<Fault>,
}

/// The name of five in a row in catalogues.
const FIVE_IN_A_ROW: &str = "five in a row";

/// The number of Go in property `GM`. Many editors write it for any game on a Go board.
const GO: &str = "1";
/// The number of five in a row in property `GM`.
const FIVE: &str = "4";

/// Tengen's own property for options that the name of the rules does not imply, each a pair such as
/// `ConnectK:5`.
pub const OPTIONS: &str = "XO";
/// The beginning of property `AP` in files of Tengen, whose `RU[gomoku]` is the variant `gomoku`.
pub(crate) const OWN_PROGRAM: &str = "Tengen";

impl Record {
    /// Returns the variant of `catalog` that the record belongs to.
    ///
    /// Property `RU` names the rules, by words that the catalogue knows. Names of openings
    /// (`Swap2`, `Pro`), sizes and other words beside them are ignored, and an adjective gives way:
    /// `Standard renju` is renju. Without rules, `GM[4]` is five in a row. On 15x15 and 20x20, a
    /// record that names no game, or names Go as many editors do, is five in a row too, with a
    /// warning. Unknown rules of such a record also give a warning. Everything else is an error.
    pub fn choose(&self, catalog: &dyn Catalog) -> Result<VariantChoice, Fault> {
        let mut choice = self.choose_rules(catalog)?;
        if let Some(variant) = catalog.variant(choice.variant) {
            for value in self.node(self.root()).values(OPTIONS) {
                let text = value.text();
                let Some((name, number)) = text.split_once(':') else { continue };
                let known = variant.options.iter().find(|known| known.eq_ignore_ascii_case(name));
                if let (Some(known), Ok(number)) = (known, number.trim().parse()) {
                    choice.chosen.insert(known, number);
                }
            }
        }
        Ok(choice)
    }

    fn choose_rules(&self, catalog: &dyn Catalog) -> Result<VariantChoice, Fault> {
        let root = self.node(self.root());
        let rules = root.value("RU").filter(|value| !value.text().trim().is_empty());
        let found = rules.and_then(|value| Some((value, rules::named(catalog, &value.text())?)));
        if let Some((value, found)) = found.as_ref().filter(|(_, found)| found.is_certain) {
            let other = five_in_a_row(catalog).map(|(variant, _)| variant);
            let is_ambiguous = found.is_any_rule && other != Some(found.variant);
            let is_own = root.text("AP").is_some_and(|name| name.starts_with(OWN_PROGRAM));
            let warning = other.filter(|_| is_ambiguous && !is_own).map(|other| {
                let given = format!("RU[{}]", quotable(value.text().trim()));
                let kind = FaultKind::AmbiguousRules { given, taken: found.variant, other };
                Fault::new(value.place(), kind)
            });
            return Ok(VariantChoice {
                variant: found.variant,
                chosen: found.chosen.clone(),
                warning,
            });
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
        let probable = found.map(|(_, found)| (found.variant, found.chosen));
        let Some((taken, chosen)) = probable.or_else(|| five_in_a_row(catalog)) else {
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
        self.add_size(catalog, variant, &mut chosen)?;
        let spec = catalog.describe(variant, &chosen).map_err(|error| self.refused(&error))?;
        Ok((spec, warning))
    }

    /// Adds the size of the record's board to the options `chosen` of a variant that the user named,
    /// where they name none and the variant has boards of several sizes.
    pub fn add_size(
        &self,
        catalog: &dyn Catalog,
        variant: &str,
        chosen: &mut Chosen,
    ) -> Result<(), Fault> {
        let is_sized = catalog.variant(variant).is_some_and(Variant::takes_size);
        if let Some(size) = self.board_size()?.filter(|_| is_sized) {
            let given = std::mem::take(chosen);
            BoardOption::set_size(chosen, size);
            chosen.extend(given);
        }
        Ok(())
    }

    /// Sets the game of the record: the name of its rules as `RU`, options that no name stands for
    /// as [`XO`](OPTIONS), and the size of its board as `SZ` if the record has none. Points become
    /// two letters.
    ///
    /// ```
    /// use tengen_engine::backend::Catalog;
    /// use tengen_games::CATALOG;
    /// use tengen_records::Record;
    ///
    /// for options in [[("Overline", 0)], [("BoardWidth", 19)]] {
    ///     let spec = CATALOG.describe("caro", &options.into())?;
    ///     let mut game = Record::new();
    ///     game.declare(&spec, &CATALOG);
    ///     assert_eq!(game.spec(&CATALOG)?, (spec, None));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn declare(&mut self, spec: &GameSpec, catalog: &dyn Catalog) {
        let root = self.root_mut();
        root.remove(OPTIONS);
        for (name, value) in spec.rule_options() {
            // Names of rules stand for `Overline`.
            if name != BoardOption::Overline.name() || is_defined_by_options(spec, catalog) {
                root.add(OPTIONS, &format!("{name}:{value}"));
            }
        }
        root.set("RU", rules_of(spec, catalog));
        let Some(notation) = spec.grid else { return };
        if !notation.falls() && root.value("GM").is_none() {
            root.set_first("GM", FIVE);
        }
        self.settle(notation);
    }

    /// Writes the points of all moves and stones as two letters, as SGF requires, and sets the size
    /// of the board if the record has none. PGN and the arena's JSON have points such as `h8`.
    pub fn settle(&mut self, notation: GridNotation) {
        // Where stones fall, a column may stand for a point of the main line.
        let grid = notation.grid();
        let root = self.root_mut();
        if root.value("SZ").is_none_or(PropertyValue::is_blank) {
            root.set("SZ", &size_text(grid.width(), grid.height()));
        }
        if self.check_stones(notation).is_err() {
            // Its errors quote the points as they are in the file.
            return;
        }
        if let Ok(line) = self.line(notation) {
            for played in line.moves {
                self.set_point(played.node, played.side, played.point, notation.grid());
            }
        }
        self.settle_points(notation.grid());
    }

    /// Returns the error of a board that the game does not support.
    fn refused(&self, error: &OpenError) -> Fault {
        let place = self.node(self.root()).value("SZ").and_then(PropertyValue::place);
        Fault::new(place, FaultKind::Board(error.to_string()))
    }
}

impl Collection {
    /// Finds the game of each record by `game`, which adds a warning, checks that no stone is put on a
    /// taken point, and writes the games into their records as [`Collection::settle`] does. A game is
    /// `None` if it is unknown, the user named none, and SGF is written, which can do without. `refuse`
    /// makes the error for a fault of the stones; `warn` gets each warning.
    pub fn settle_for<E>(
        &mut self,
        format: Format,
        is_named: bool,
        catalog: &dyn Catalog,
        game: impl Fn(&Record) -> Result<(GameSpec, Option<Fault>), E>,
        refuse: impl Fn(&Fault) -> E,
        mut warn: impl FnMut(&Fault),
    ) -> Result<Vec<Option<GameSpec>>, E> {
        let is_sgf = format == Format::SGF;
        let mut specs = Vec::new();
        for record in self.records() {
            let (spec, warning) = match game(record) {
                Ok(known) => known,
                Err(_) if is_sgf && !is_named && !self.format().keeps_points() => {
                    specs.push(None);
                    continue;
                }
                Err(why) => return Err(why),
            };
            let matters = !is_sgf || self.format() != Format::SGF;
            warning.iter().filter(|_| matters).for_each(&mut warn);
            // The errors quote the points as they are in the file.
            let faults = record.check(&mut *catalog.position(&spec));
            faults.map_err(|fault| refuse(&fault))?.iter().for_each(&mut warn);
            specs.push(Some(spec));
        }
        self.settle(&specs, is_named, catalog);
        Ok(specs)
    }

    /// Writes the games into their records, so that the file names them. `specs` has the game of each
    /// record, if it is known. If it was not the user who named them (`is_named`), only the points
    /// of PGN and of the arena's JSON become the two letters of SGF.
    pub fn settle(&mut self, specs: &[Option<GameSpec>], is_named: bool, catalog: &dyn Catalog) {
        let has_points = self.format().keeps_points();
        for (place, spec) in specs.iter().enumerate() {
            let Some(spec) = spec else { continue };
            if is_named {
                self.declare(place, spec, catalog);
            } else if let (true, Some(notation)) = (has_points, spec.grid)
                && let Some(record) = self.records_mut().get_mut(place)
            {
                record.settle(notation);
            }
        }
    }

    /// Sets the game of the record at index `place`, from 0, as [`Record::declare`] does. The text
    /// of an SGF file is kept; if it names another game, the file is written anew as a whole.
    pub fn declare(&mut self, place: usize, spec: &GameSpec, catalog: &dyn Catalog) {
        let Some(record) = self.records().get(place) else { return };
        let is_named =
            record.spec(catalog).is_ok_and(|(known, warning)| known == *spec && warning.is_none());
        if is_named && self.format() == Format::SGF {
            return;
        }
        let mut declared = record.clone();
        declared.declare(spec, catalog);
        let (before, after) = (record.node(record.root()), declared.node(declared.root()));
        let end = before.source.end;
        let is_new = |name: &str| before.value(name).is_none();
        let added: Vec<&Property> =
            after.properties().iter().filter(|property| is_new(&property.name)).collect();
        let text: String = added.iter().map(|property| property.text()).collect();
        let mut only_added = declared.clone();
        for property in &added {
            only_added.root_mut().remove(&property.name);
        }
        let keeps_text = only_added == *record;
        if keeps_text {
            self.declared.push((end, text));
        }
        self.replace(place, declared, keeps_text);
    }
}

/// Returns the variant of five in a row, and its options.
fn five_in_a_row(catalog: &dyn Catalog) -> Option<(&'static str, Chosen)> {
    let (variant, chosen) = catalog.rules_named(FIVE_IN_A_ROW)?;
    Some((variant.name, chosen))
}

/// Returns whether a game has no name besides its options.
fn is_defined_by_options(spec: &GameSpec, catalog: &dyn Catalog) -> bool {
    catalog.variant(spec.variant).is_some_and(|variant| variant.reads(BoardOption::Connect.name()))
}

/// Returns the name of the rules of a game: an alias if other programs mean other rules by the name
/// of the variant.
fn rules_of(spec: &GameSpec, catalog: &dyn Catalog) -> &'static str {
    let Some(variant) = catalog.variant(spec.variant) else { return spec.variant };
    let is_chosen = |(option, value): &(&str, i64)| spec.chosen.get(option) == Some(value);
    let special = variant
        .rule_names
        .iter()
        .find(|rules| !rules.chosen.is_empty() && rules.chosen.iter().all(is_chosen));
    if let Some(name) = special.and_then(|rules| rules.names.last()) {
        return name;
    }
    let is_vague = catalog
        .rule_names_with(variant.name)
        .is_some_and(|(_, rules)| rules.strength == NameStrength::Game);
    variant.aliases.first().filter(|_| is_vague).map_or(variant.name, |alias| *alias)
}
