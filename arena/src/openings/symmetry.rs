//! Openings that are equal after turning or mirroring the board.

use tengen_engine::{GridNotation, Placement, Position, Symmetry};

use super::Opening;

/// Returns the symmetries of a board in the order in which a run uses them. A run that is continued
/// needs the order of its beginning: unchanged, mirrored, turned by half, upside down.
pub(super) fn in_order(notation: GridNotation) -> Vec<Symmetry> {
    let mut all = Symmetry::all(notation);
    all.chunks_exact_mut(4).for_each(|four| four.swap(2, 3));
    all
}

impl Opening {
    /// Returns the image of the opening under a symmetry. `position` is a board to work on.
    pub fn turned(&self, symmetry: &Symmetry, position: &mut dyn Position) -> Self {
        let Some(notation) = position.spec().grid else { return self.clone() };
        let start = self.start.as_ref().and_then(|text| {
            position.set_up(text).ok()?;
            let turned = symmetry.place(&position.placement()?);
            position.place(&turned).ok()?;
            Some(position.fen(false))
        });
        let points = self.moves.iter().filter_map(|mv| notation.point_of(*mv));
        Self { start, moves: points.map(|point| notation.move_to(symmetry.turn(point))).collect() }
    }
}

/// What is equal for all positions that are equal after turning or mirroring.
#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) enum Canonical {
    Stones(Placement),
    /// The text of a position without a grid.
    Text(String),
}

/// Returns what a position has in common with its images.
pub(super) fn canonical(position: &dyn Position) -> Canonical {
    match (position.spec().grid, position.placement()) {
        (Some(notation), Some(stones)) => {
            Canonical::Stones(Symmetry::least(&Symmetry::all(notation), &stones))
        }
        _ => Canonical::Text(position.fen(false)),
    }
}
