//! The names of openings, in any language.

use tengen_engine::Chosen;
use tengen_engine::backend::Catalog;
use tengen_engine::opening::OpeningName;

use crate::game::folded;

/// Other names of renju openings that are in use.
const OTHER_NAMES: [(&str, &str); 14] = [
    ("Distant Star", "D3"),
    ("Lingering Moon", "D5"),
    ("Venus", "D7"),
    ("Gold Star", "D7"),
    ("Lucky Star", "D11"),
    ("Zuigetsu", "D11"),
    ("Planet", "D13"),
    ("Walk", "D13"),
    ("Asteroid", "I1"),
    ("Constant Star", "I3"),
    ("Meteor", "I5"),
    ("Uragetsu", "I7"),
    ("Morning Star", "I10"),
    ("Harvest Moon", "I12"),
];

/// Returns a name of an opening as a search sees it: long vowels may be written twice.
fn sought(name: &str) -> String {
    folded(name).replace("ou", "o").replace("uu", "u")
}

/// Returns the code of the renju opening with this code or name, in any language.
pub(crate) fn opening_code(catalog: &dyn Catalog, name: &str) -> Option<&'static str> {
    let (exact, wanted) = (name.trim().to_lowercase(), sought(name));
    if let Some((_, code)) = OTHER_NAMES.iter().find(|(other, _)| sought(other) == wanted) {
        return Some(code);
    }
    let mut position = catalog.position(&catalog.describe("renju", &Chosen::new()).ok()?);
    let thirds = || (6..=10).flat_map(|row| ('f'..='j').map(move |column| (column, row)));
    let lines = ["h9", "i9"]
        .into_iter()
        .flat_map(|second| thirds().map(move |(column, row)| format!("h8 {second} {column}{row}")));
    let openings: Vec<&OpeningName> = lines
        .filter_map(|line| {
            position.reset();
            let moves = position.split_moves(&line);
            // The second stone is on one of the points.
            position.play_all(&moves).ok()?;
            catalog.opening_name(&*position)
        })
        .collect();
    let named = |is_meant: &dyn Fn(&str) -> bool| {
        let mut openings = openings.iter();
        openings.find(|opening| {
            let names = opening.names.iter().map(|(_, name)| *name);
            let names = names.chain(opening.native).chain(opening.romanised).chain([opening.code]);
            names.into_iter().any(is_meant)
        })
    };
    // Signs tell some names of Vietnamese apart.
    let found = named(&|name| name.to_lowercase() == exact)
        .or_else(|| named(&|name| sought(name) == wanted))?;
    Some(found.code)
}
