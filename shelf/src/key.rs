//! [`Keys`]: the keys of positions and of lists of moves, equal under the symmetries of a board.
//!
//! A key is stored, so its definition never changes; docs/manual/shelf.md has it for other programs.
// CITE: https://prng.di.unimi.it/splitmix64.c (the finalizer of SplitMix64, by S. Vigna)

use tengen_engine::{GridNotation, Placement, Side, Symmetry};

/// The most symmetries of a board.
const MAX_SYMMETRIES: usize = 8;
/// Changes the key when the second player is to move.
const SECOND_TO_MOVE: u64 = mix(u64::MAX);

/// A key for each symmetry of a board.
type Images = [u64; MAX_SYMMETRIES];

/// The numbers that keys of one ruleset are made of.
#[derive(Debug)]
pub(crate) struct Keys {
    seed: u64,
    symmetries: Vec<Symmetry>,
    /// The numbers of a stone's images, by `2 * cell + side`.
    stones: Vec<Images>,
}

/// The finalizer of SplitMix64.
const fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Keys {
    /// Creates the numbers for the ruleset with this name.
    pub(crate) fn new(name: &str, notation: GridNotation) -> Self {
        let seed = name.bytes().fold(0, |seed, byte| mix(seed ^ u64::from(byte)));
        let symmetries = Symmetry::all(notation);
        let images = |stone: usize| {
            let (cell, side) = (stone / 2, stone % 2);
            let number =
                |symmetry: &Symmetry| mix((2 * symmetry.images()[cell].index() + side) as u64);
            std::array::from_fn(|symmetry| symmetries.get(symmetry).map_or(0, number))
        };
        let stones = (0..2 * notation.grid().cells()).map(images).collect();
        Self { seed, symmetries, stones }
    }

    /// Returns the symmetries of the board.
    pub(crate) fn symmetries(&self) -> &[Symmetry] {
        &self.symmetries
    }

    /// Returns where a symmetry moves a cell.
    pub(crate) fn image(&self, symmetry: usize, cell: u16) -> u16 {
        self.symmetries[symmetry].images()[usize::from(cell)].index() as u16
    }

    /// Returns the position before the first move; `None` is the empty board.
    pub(crate) fn start(&self, start: Option<&Placement>) -> Walker<'_> {
        let mut walker =
            Walker { keys: self, images: [self.seed; MAX_SYMMETRIES], turn: Side::First };
        let Some(start) = start else { return walker };
        for (cell, stone) in start.stones.iter().enumerate() {
            if let Some(side) = stone {
                walker.put(cell as u16, *side);
            }
        }
        if start.turn == Side::Second {
            walker.pass();
        }
        walker
    }

    /// Returns the key of a game: of its start, its moves, and the moves that cannot be played, as cells or texts.
    /// Games that a symmetry makes equal have the same key.
    pub(crate) fn line(
        &self,
        start: Option<&Placement>,
        moves: &[u16],
        rest: &[Result<u16, &str>],
    ) -> i64 {
        let mut images = self.start(start).images;
        for (symmetry, image) in images[..self.symmetries.len()].iter_mut().enumerate() {
            for cell in moves {
                let cell = self.image(symmetry, *cell);
                *image = mix(*image ^ u64::from(cell));
            }
            for mv in rest {
                *image = match mv {
                    Ok(cell) => mix(*image ^ u64::from(self.image(symmetry, *cell)) << 32),
                    Err(text) => {
                        text.bytes().fold(*image, |image, byte| mix(image ^ u64::from(byte) << 16))
                    }
                };
            }
        }
        self.least(&images)
    }

    /// Returns the least of the images, as signed numbers.
    fn least(&self, images: &Images) -> i64 {
        images[..self.symmetries.len()].iter().map(|image| *image as i64).min().unwrap_or_default()
    }
}

/// The key of a position while a game is played through.
#[derive(Clone, Copy)]
pub(crate) struct Walker<'k> {
    keys: &'k Keys,
    images: Images,
    turn: Side,
}

impl<'k> Walker<'k> {
    /// Returns the key of the position.
    pub(crate) fn key(&self) -> i64 {
        self.keys.least(&self.images)
    }

    /// Returns the side to move.
    pub(crate) fn turn(&self) -> Side {
        self.turn
    }

    /// Returns the key, and a move in the orientation of the key: the least of its images.
    pub(crate) fn key_and_move(&self, cell: u16) -> (i64, u16) {
        let key = self.key();
        (key, self.orientations(key).map(|to| self.keys.image(to, cell)).min().unwrap_or(cell))
    }

    /// Returns the symmetries that turn the position into the orientation of its key.
    fn orientations(&self, key: i64) -> impl Iterator<Item = usize> {
        let images = self.images[..self.keys.symmetries.len()].iter().enumerate();
        images.filter(move |(_, image)| **image as i64 == key).map(|(symmetry, _)| symmetry)
    }

    /// Returns the first symmetry that turns the position into the orientation of its key.
    pub(crate) fn orientation(&self) -> usize {
        self.orientations(self.key()).next().unwrap_or(0)
    }

    /// Returns a cell of this position for one in the orientation of its key.
    pub(crate) fn cell_here(&self, cell: u16) -> u16 {
        let images = self.keys.symmetries[self.orientation()].images();
        let source = images.iter().position(|image| image.index() == usize::from(cell));
        source.map_or(cell, |source| source as u16)
    }

    /// Plays a move.
    pub(crate) fn play(&mut self, cell: u16) {
        self.put(cell, self.turn);
        self.pass();
    }

    fn put(&mut self, cell: u16, side: Side) {
        let stones = &self.keys.stones[2 * usize::from(cell) + side.index()];
        for (image, stone) in self.images.iter_mut().zip(stones) {
            *image ^= stone;
        }
    }

    fn pass(&mut self) {
        self.turn = self.turn.other();
        for image in &mut self.images {
            *image ^= SECOND_TO_MOVE;
        }
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Grid;

    use super::*;

    fn keys(side: u32, falls: bool) -> Keys {
        Keys::new("gomoku 15x15", GridNotation::new(Grid::new(side, side).unwrap(), falls))
    }

    fn played<'k>(keys: &'k Keys, cells: &[u16]) -> Walker<'k> {
        let mut walker = keys.start(None);
        cells.iter().for_each(|cell| walker.play(*cell));
        walker
    }

    #[test]
    fn a_key_is_equal_under_symmetry_and_transposition_and_differs_otherwise() {
        let keys = keys(15, false);
        let line = [112_u16, 113, 98, 3];
        let walker = played(&keys, &line);
        for symmetry in 0..keys.symmetries.len() {
            let image = line.map(|cell| keys.image(symmetry, cell));
            assert_eq!(played(&keys, &image).key(), walker.key());
            assert_eq!(keys.line(None, &image, &[]), keys.line(None, &line, &[]));
            let (cell, turned) = (7, keys.image(symmetry, 7));
            assert_eq!(played(&keys, &image).key_and_move(turned), walker.key_and_move(cell));
        }
        assert_eq!(played(&keys, &[98, 3, 112, 113]).key(), walker.key());
        assert_ne!(keys.line(None, &[98, 3, 112, 113], &[]), keys.line(None, &line, &[]));
        assert_ne!(played(&keys, &[112, 98, 113, 3]).key(), walker.key());
        assert_ne!(played(&keys, &line[..3]).key(), walker.key());
    }

    #[test]
    fn a_symmetric_position_has_one_move_for_all_images() {
        let keys = keys(15, false);
        let centre = played(&keys, &[112]);
        let beside = [111, 113, 97, 127].map(|cell| centre.key_and_move(cell));
        assert!(beside.iter().all(|known| *known == beside[0]));
        assert_ne!(centre.key_and_move(98), beside[0]);
        let (_, cell) = beside[0];
        assert_eq!(centre.key_and_move(centre.cell_here(cell)), beside[0]);
    }

    #[test]
    fn stones_that_fall_are_only_mirrored() {
        let keys = keys(7, true);
        assert_eq!(keys.symmetries.len(), 2);
        assert_eq!(played(&keys, &[0]).key(), played(&keys, &[6]).key());
        assert_ne!(played(&keys, &[0]).key(), played(&keys, &[42]).key());
    }

    /// The manual shows this key, for programs that compute their own.
    #[test]
    fn the_key_of_the_manual() {
        let keys = keys(15, false);
        assert_eq!(keys.start(None).key(), keys.seed as i64);
        assert_eq!(played(&keys, &[112]).key(), (keys.seed ^ mix(224) ^ SECOND_TO_MOVE) as i64);
    }
}
