//! Suggests another variant when a move is outside the board.
//!
//! The caller writes the message, because each protocol chooses a variant in its own way.

use crate::host::backend::Catalog;
use crate::host::options::Chosen;
use crate::host::position::PositionError;
use crate::host::spec::GameSpec;

/// Returns the first variant of `catalog` that allows `moves` from its starting position, on its
/// default board, up to the move that `error` refused. `None` if there is no such variant, or if
/// `error` is not about a point outside the board of `spec`.
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
