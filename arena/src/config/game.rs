//! Reads the game of a run: a variant or a Gomocup rule number, and options of the board.

use tengen_engine::backend::Catalog;
use tengen_protocol::dialect::gomocup::rules;

use super::choices::GameChoice;
use super::setting::{ConfigError, Setting};
use super::values::{board, refuse, refuse_value, switch, text, whole};

/// Reads the game from `named`, the setting `variant` or `rule`, and from the board options in
/// `entries`.
pub(super) fn game(
    named: Option<&Setting>,
    entries: &[Setting],
    catalog: &dyn Catalog,
) -> Result<GameChoice, ConfigError> {
    let names: Vec<&str> = catalog.variants().iter().map(|variant| variant.name).collect();
    let names = names.join(", ");
    let missing = || ConfigError::new(format!("variant: it is missing; one of {names}"));
    let named = named.ok_or_else(missing)?;
    let mut choice = GameChoice::default();
    if named.key == "rule" {
        let number = whole(named, 0..=i64::MAX as u64)?;
        let rule = rules::RULES.iter().find(|rule| rule.number == number as i64);
        let known = || rules::RULES.iter().map(|rule| rule.number.to_string()).collect::<Vec<_>>();
        let allowed = || format!("one of {}", known().join(", "));
        let rule = rule.ok_or_else(|| refuse_value(named, &number.to_string(), &allowed()))?;
        choice.variant = rule.variant.to_owned();
        if !rule.overline && catalog.variant(rule.variant).is_some_and(|v| v.reads("Overline")) {
            choice.options.push(("Overline", 0));
        }
    } else {
        let found = text(named)?;
        let unknown = || refuse_value(named, found, &format!("one of {names}"));
        choice.variant = catalog.variant(found).ok_or_else(unknown)?.name.to_owned();
    }
    for entry in entries {
        let values: Vec<(&str, i64)> = match entry.key.as_str() {
            "boardsize" => {
                let (width, height) = board(entry, text(entry)?)?;
                vec![("BoardWidth", width.into()), ("BoardHeight", height.into())]
            }
            "k" => vec![("ConnectK", whole(entry, 1..=100_u32)?.into())],
            "gravity" => vec![("Gravity", switch(entry)?.into())],
            "overline" => vec![("Overline", switch(entry)?.into())],
            _ => continue,
        };
        for (option, value) in values {
            set_option(&mut choice, entry, option, value, catalog)?;
        }
    }
    choice.describe(catalog).map_err(|why| ConfigError::at(&named.place, why))?;
    Ok(choice)
}

/// Sets an option of the board; refuses one that the variant does not have.
fn set_option(
    choice: &mut GameChoice,
    entry: &Setting,
    option: &str,
    value: i64,
    catalog: &dyn Catalog,
) -> Result<(), ConfigError> {
    let known = catalog.options().into_iter().find(|known| known.name == option);
    let reads = catalog.variant(&choice.variant).is_some_and(|variant| variant.reads(option));
    let Some(known) = known.filter(|_| reads) else {
        return Err(refuse(entry, &format!("the variant {} has no such option", choice.variant)));
    };
    choice.options.retain(|(name, _)| *name != known.name);
    choice.options.push((known.name, value));
    Ok(())
}
