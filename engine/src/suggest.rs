//! Finds the variant that a list of moves fits, when the current game refuses one of them.
//!
//! It knows no dialect: the caller says how a variant is chosen.

use crate::backend::Catalog;
use crate::position::PositionError;
use crate::spec::{Chosen, GameSpec};

/// Returns the first variant of `catalog` on whose usual board all moves up to the refused one can
/// be played. `None` if `error` is about anything but a point outside the board of `spec`.
///
/// `moves` are played from the starting position.
pub fn fitting_variant(
    catalog: &dyn Catalog,
    spec: &GameSpec,
    moves: &[&str],
    error: &PositionError,
) -> Option<&'static str> {
    let PositionError::Move(number, _) = error else { return None };
    let moves = moves.get(..*number)?;
    if !spec.grid?.is_outside(moves.last()?) {
        return None;
    }
    let fits = |name: &&'static str| {
        let Ok(other) = catalog.describe(name, &Chosen::new()) else { return false };
        catalog.position(&other).play_all(moves).is_ok()
    };
    catalog.variants().iter().map(|variant| variant.name).find(fits)
}
