//! What scores say of how games end, variant by variant.
//!
//! The numbers are fitted on games of the engine against itself by `examples/fit_odds.rs`;
//! `docs/analysis.md` tells how.

use tengen_engine::OddsModel;

/// Of boards that have no games of their own.
const OTHER: OddsModel = OddsModel { even: 50.0, spread: 100.0 };

/// By variant: the score at which a win is as likely as not, and the spread.
const FITTED: &[(&str, f64, f64)] = &[
    ("cfour", 17.0, 56.0),
    ("cfour-misere", 0.0, 34.0),
    ("gomokufreestyle", 0.0, 377.0),
    ("gomoku", 0.0, 304.0),
    ("renju", 0.0, 232.0),
    ("caro", 551.0, 338.0),
    ("freestyle20", 0.0, 213.0),
];

/// What the scores of a variant say.
pub(crate) fn of(variant: &str) -> OddsModel {
    let fitted = FITTED.iter().find(|(name, ..)| *name == variant);
    fitted.map_or(OTHER, |&(_, even, spread)| OddsModel { even, spread })
}

#[cfg(test)]
mod tests {
    use tengen_engine::backend::Catalog;

    use super::*;
    use crate::CATALOG;

    #[test]
    fn every_number_belongs_to_a_variant_and_makes_a_curve() {
        for &(name, even, spread) in FITTED {
            assert!(CATALOG.variants().iter().any(|variant| variant.name == name), "{name}");
            assert!(even >= 0.0 && spread > 0.0, "{name}");
        }
    }
}
