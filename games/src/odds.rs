//! What scores say of how games end, variant by variant.
//!
//! The numbers are fitted on games of the engine against itself by the program `fit_odds` of `lab/`;
//! `docs/analysis.md` tells how.

use tengen_engine::OddsModel;

/// A score at which a win is as likely as not, and the spread.
const fn fitted(even: f64, spread: f64) -> OddsModel {
    assert!(even >= 0.0 && spread > 0.0);
    OddsModel { even, spread }
}

pub(crate) const CFOUR: OddsModel = fitted(20.0, 73.0);
pub(crate) const MISERE: OddsModel = fitted(0.0, 36.0);
pub(crate) const FREESTYLE: OddsModel = fitted(26.0, 233.0);
pub(crate) const GOMOKU: OddsModel = fitted(42.0, 175.0);
pub(crate) const RENJU: OddsModel = fitted(40.0, 298.0);
pub(crate) const CARO: OddsModel = fitted(94.0, 228.0);
pub(crate) const FREESTYLE20: OddsModel = fitted(0.0, 218.0);

/// Of custom boards whose judgement counts threats: stones fall, on boards that fit in 128 bits.
pub(crate) const FALLING: OddsModel = fitted(81.0, 836.0);

/// Of boards whose judgement counts open lines.
pub(crate) const LINES: OddsModel = fitted(88.0, 164.0);
