//! The names of openings, in any language.

use tengen_engine::Chosen;
use tengen_engine::backend::Catalog;
use tengen_engine::opening::OpeningName;

/// Returns the code of the renju opening with this code or name, in any language.
pub(crate) fn opening_code(catalog: &dyn Catalog, name: &str) -> Option<&'static str> {
    let wanted = name.trim().to_lowercase();
    let mut position = catalog.position(&catalog.describe("renju", &Chosen::new()).ok()?);
    let thirds = || (6..=10).flat_map(|row| ('f'..='j').map(move |column| (column, row)));
    let lines = ["h9", "i9"]
        .into_iter()
        .flat_map(|second| thirds().map(move |(column, row)| format!("h8 {second} {column}{row}")));
    let mut openings = lines.filter_map(|line| {
        position.reset();
        let moves = position.split_moves(&line);
        // The second stone is on one of the points.
        position.play_all(&moves).ok()?;
        catalog.opening_name(&*position)
    });
    let is_meant = |opening: &&OpeningName| {
        let names = opening.names.iter().map(|(_, name)| *name);
        let names = names.chain(opening.native).chain(opening.romanised).chain([opening.code]);
        names.into_iter().any(|name| name.to_lowercase() == wanted)
    };
    openings.find(is_meant).map(|opening| opening.code)
}
