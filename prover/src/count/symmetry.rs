//! The symmetries of a board, as maps of codes of boards.

use tengen_engine::{Cell, GridNotation, Side, Symmetry};
use tengen_games::mnk::Rules;

/// All symmetries of one board.
///
/// A board's code has two bits for each cell, so it holds no more than 32 of them.
#[derive(Debug)]
pub(super) struct Symmetries(Vec<Map>);

/// The image of each byte of a code under one symmetry, by the index of the byte and its value.
#[derive(Debug)]
struct Map(Vec<Vec<u64>>);

impl Map {
    /// Creates a map from the cell that each cell goes to.
    fn new(cells: &[Cell]) -> Self {
        const CELLS: usize = 4;
        let image = |cells: &[Cell], byte: u64| {
            let digit = |(cell, to): (usize, &Cell)| (byte >> (2 * cell) & 3) << (2 * to.index());
            cells.iter().enumerate().fold(0, |image, cell| image | digit(cell))
        };
        let bytes = cells.chunks(CELLS);
        Self(bytes.map(|cells| (0..256).map(|byte| image(cells, byte)).collect()).collect())
    }

    fn image(&self, code: u64) -> u64 {
        let bytes = self.0.iter().zip(code.to_le_bytes());
        bytes.fold(0, |image, (images, byte)| image | images[byte as usize])
    }
}

impl Symmetries {
    pub(super) fn of(rules: &Rules) -> Self {
        let notation = GridNotation::new(rules.grid(), rules.falls());
        debug_assert!(notation.grid().cells() <= 32);
        Self(Symmetry::all(notation).iter().map(|symmetry| Map::new(symmetry.images())).collect())
    }

    /// Returns the least code among the images of a board: the code of its class.
    pub(super) fn canonical(&self, code: u64) -> u64 {
        self.0.iter().map(|map| map.image(code)).min().unwrap_or(code)
    }

    /// Returns how many different boards the class of a board has.
    pub(super) fn images(&self, code: u64) -> u64 {
        let mut images: Vec<u64> = self.0.iter().map(|map| map.image(code)).collect();
        images.sort_unstable();
        images.dedup();
        images.len() as u64
    }
}

/// Returns the code of a board with one stone.
pub(super) const fn stone_code(cell: usize, side: Side) -> u64 {
    let digit = match side {
        Side::First => 1,
        Side::Second => 2,
    };
    digit << (2 * cell)
}
