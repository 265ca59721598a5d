//! What scores say of how games end, variant by variant.
//!
//! The numbers are fitted on games of the engine against itself by `examples/fit_odds.rs`;
//! `docs/analysis.md` tells how.

use tengen_engine::OddsModel;

/// Of custom boards whose judgement counts threats: stones fall, on boards that fit in 128 bits.
pub(crate) const FALLING: OddsModel = OddsModel { even: 81.0, spread: 836.0 };

/// Of boards whose judgement counts open lines.
pub(crate) const LINES: OddsModel = OddsModel { even: 88.0, spread: 164.0 };

/// By variant: the score at which a win is as likely as not, and the spread.
const FITTED: &[(&str, f64, f64)] = &[
    ("cfour", 20.0, 73.0),
    ("cfour-misere", 0.0, 36.0),
    ("gomokufreestyle", 26.0, 233.0),
    ("gomoku", 42.0, 175.0),
    ("renju", 40.0, 298.0),
    ("caro", 94.0, 228.0),
    ("freestyle20", 0.0, 218.0),
];

/// What the scores of a variant say; `other` where it has no games of its own.
pub(crate) fn of(variant: &str, other: OddsModel) -> OddsModel {
    let fitted = FITTED.iter().find(|(name, ..)| *name == variant);
    fitted.map_or(other, |&(_, even, spread)| OddsModel { even, spread })
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
