//! A book as bytes.
//!
//! ```text
//!  0.. 8  "TENGENBK"
//!  8      version of the format: 2
//!  9..12  columns, rows, stones in a line
//! 12      plies N
//! 13..21  how many positions the book holds, little-endian
//! 21..    for each ply from 0 to N the scores of its positions, each in its place,
//!         packed from the lowest bit on, each ply padded to a byte
//!  .. 4   CRC-32 of everything before, little-endian
//! ```
//!
//! A score is 0 for a draw, else the number of plies to the end of the game. It is odd for a win of
//! the side to move, and even for a loss. With n empty cells it takes the bits that n + 1 has; all
//! are set where no position stands.

use std::borrow::Cow;

use tengen_engine::Score;
use thiserror::Error;

use super::super::shape::Shape;
use super::places::{MAX_PLIES, Places, count_places};

const MAGIC: [u8; 8] = *b"TENGENBK";
const VERSION: u8 = 2;
/// Where the number of plies stands.
const PLIES_AT: usize = 12;
const POSITIONS_AT: usize = 13;
const HEADER: usize = 21;
const SUM: usize = 4;
/// Why bytes are no book, or not this board's.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file does not begin as a book does.
    #[error("not an opening book")]
    NoBook,
    /// The file has another version.
    #[error("version {0} of the book's format is not known, only version 2 is")]
    Version(u8),
    /// Something in the file was changed.
    #[error("the book is damaged: its checksum is wrong")]
    Checksum,
    /// The book reaches further than can be read.
    #[error("a book of {0} plies is too deep, at most 14 can be read")]
    TooDeep(u32),
    /// The book is for another board.
    #[error("the book is for {}x{} boards and {} in a row", .0.width, .0.height, .0.connect)]
    OtherBoard(Header),
    /// The book reaches further than a game can.
    #[error("a book of {0} plies has more than the board has cells")]
    TooLong(u32),
    /// The file is too short or too long for what it holds.
    #[error("the book has the wrong length")]
    Length,
}

/// What a book says of itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Columns of the board.
    pub width: u32,
    /// Rows of the board.
    pub height: u32,
    /// How many stones make a line.
    pub connect: u32,
    /// How many plies the book reaches.
    pub plies: u32,
    /// How many positions it holds.
    pub positions: u64,
}

impl Header {
    /// How many bytes a header has.
    pub const SIZE: usize = HEADER;

    /// Reads the header of a whole book, whose checksum must be right.
    pub fn read(bytes: &[u8]) -> Result<Self, BookError> {
        let header = Self::begin(bytes)?;
        let (body, sum) = bytes.split_last_chunk::<SUM>().ok_or(BookError::NoBook)?;
        if crc32fast::hash(body).to_le_bytes() != *sum {
            return Err(BookError::Checksum);
        }
        if header.plies > MAX_PLIES {
            return Err(BookError::TooDeep(header.plies));
        }
        Ok(header)
    }

    /// Returns the length of a book that begins with `bytes`, at least [`SIZE`](Self::SIZE) of
    /// them. A longer file need not be read. The checksum is not checked.
    pub fn book_length(bytes: &[u8]) -> Result<u64, BookError> {
        let Self { width, height, plies, .. } = Self::begin(bytes)?;
        if plies > MAX_PLIES {
            return Err(BookError::TooDeep(plies));
        }
        let cells = width * height;
        let of_ply = |ply: u32| {
            let bits = u32::BITS - (cells.saturating_sub(ply) + 1).leading_zeros();
            count_places(width, height, ply).saturating_mul(bits.into()).div_ceil(8)
        };
        let scores = (0..=plies).map(of_ply).fold(0, u64::saturating_add);
        Ok(scores.saturating_add((HEADER + SUM) as u64))
    }

    /// Returns the header at the beginning of `bytes`, as it stands there.
    pub(super) fn begin(bytes: &[u8]) -> Result<Self, BookError> {
        if bytes.len() < HEADER || bytes[..8] != MAGIC {
            return Err(BookError::NoBook);
        }
        if bytes[8] != VERSION {
            return Err(BookError::Version(bytes[8]));
        }
        Ok(Self {
            width: bytes[9].into(),
            height: bytes[10].into(),
            connect: bytes[11].into(),
            plies: bytes[PLIES_AT].into(),
            positions: positions(bytes),
        })
    }

    /// Returns whether the book is for this board.
    pub(super) fn fits(self, shape: impl Shape) -> Result<(), BookError> {
        let Self { width, height, connect, plies, .. } = self;
        if (width, height, connect) != (shape.width(), shape.height(), shape.connect()) {
            return Err(BookError::OtherBoard(self));
        }
        if plies > shape.cells() { Err(BookError::TooLong(plies)) } else { Ok(()) }
    }
}

/// Returns how many positions a book says it holds.
fn positions(bytes: &[u8]) -> u64 {
    let mut positions = [0; 8];
    positions.copy_from_slice(&bytes[POSITIONS_AT..HEADER]);
    u64::from_le_bytes(positions)
}

/// Returns the code of a score in the file.
pub(super) fn code(score: Score) -> u8 {
    score.plies().unwrap_or(0) as u8
}

/// Returns the score of a code.
pub(super) fn score(code: u8) -> Score {
    match u32::from(code) {
        0 => Score::DRAW,
        plies if plies % 2 == 1 => Score::win_in(plies),
        plies => Score::loss_in(plies),
    }
}

/// The scores of a book, in the form of its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Scores {
    bytes: Cow<'static, [u8]>,
    plies: Vec<Ply>,
}

/// How the scores of a ply are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ply {
    /// Where they begin, in bytes.
    from: usize,
    /// How many bits each takes.
    bits: u32,
    /// How many plies are left.
    left: u32,
}

impl Scores {
    /// Creates a book without a score.
    pub(super) fn none<S: Shape>(places: &Places<S>) -> Self {
        let (plies, end) = layout(places);
        let shape = places.shape();
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        // Each is at most 128.
        let numbers = [shape.width(), shape.height(), shape.connect(), places.plies()];
        bytes.extend(numbers.map(|number| number as u8));
        bytes.resize(HEADER, 0);
        bytes.resize(end + SUM, u8::MAX);
        Self { bytes: bytes.into(), plies }
    }

    /// Reads the fields of a book from its bytes, whose checksum must be right.
    pub(super) fn read<S: Shape>(
        places: &Places<S>,
        bytes: Cow<'static, [u8]>,
    ) -> Result<Self, BookError> {
        let (plies, end) = layout(places);
        if bytes.len() != end + SUM {
            return Err(BookError::Length);
        }
        Ok(Self { bytes, plies })
    }

    /// Returns the bytes of the file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns how many positions the book says it holds.
    pub(super) fn positions(&self) -> u64 {
        positions(&self.bytes)
    }

    /// Returns the score in a place; `None` when no position stands there.
    pub(super) fn get(&self, ply: u32, place: usize) -> Option<Score> {
        let Ply { bits, left, .. } = self.plies[ply as usize];
        let (at, shift) = self.bit(ply, place);
        // The checksum follows the last.
        let word = u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]);
        let code = (word >> shift & mask(bits)) as u8;
        (u32::from(code) <= left).then(|| score(code))
    }

    /// Puts a score in a place that has none.
    pub(super) fn put(&mut self, ply: u32, place: usize, score: Score) {
        let Ply { bits, left, .. } = self.plies[ply as usize];
        debug_assert!(self.get(ply, place).is_none() && u32::from(code(score)) <= left);
        let (at, shift) = self.bit(ply, place);
        // All bits of the place are set: those that the code has not are taken out.
        let taken = (mask(bits) ^ u16::from(code(score))) << shift;
        let [low, high] = taken.to_le_bytes();
        let bytes = self.bytes.to_mut();
        bytes[at] ^= low;
        bytes[at + 1] ^= high;
    }

    /// Sets the number of positions and the checksum.
    pub(super) fn seal(&mut self, positions: u64) {
        let bytes = self.bytes.to_mut();
        bytes[POSITIONS_AT..HEADER].copy_from_slice(&positions.to_le_bytes());
        let end = bytes.len() - SUM;
        let sum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
    }

    /// Returns in which byte a score begins, and with which bit of it.
    fn bit(&self, ply: u32, place: usize) -> (usize, u32) {
        let Ply { from, bits, .. } = self.plies[ply as usize];
        let bit = place * bits as usize;
        (from + bit / 8, (bit % 8) as u32)
    }
}

/// Returns the lowest `bits` bits, at most 8.
fn mask(bits: u32) -> u16 {
    (1 << bits) - 1
}

/// Returns where the scores of each ply stand, and where the last ends.
fn layout<S: Shape>(places: &Places<S>) -> (Vec<Ply>, usize) {
    let mut end = HEADER;
    let lay = |ply: u32| {
        let (from, left) = (end, places.shape().cells() - ply);
        let bits = u32::BITS - (left + 1).leading_zeros();
        end += (places.count(ply) * bits as usize).div_ceil(8);
        Ply { from, bits, left }
    };
    ((0..=places.plies()).map(lay).collect(), end)
}

#[cfg(test)]
mod tests {
    use super::super::super::AnySize;
    use super::*;

    #[test]
    fn what_was_put_in_a_place_is_found_there_and_nowhere_else() {
        // Scores of 8 to 3 bits.
        for (width, height) in [(1, 127), (16, 7), (7, 6), (6, 4), (4, 3), (3, 2)] {
            let places = Places::new(AnySize::<u128>::new(width, height, 3).unwrap(), 3);
            let mut scores = Scores::none(&places);
            for ply in 0..=3 {
                let left = width * height - ply;
                let score = |place| score((place as u32 % (left + 2)) as u8);
                let is_put = |place| (place as u32 % (left + 2)) <= left;
                for place in (0..places.count(ply)).filter(|&place| is_put(place)) {
                    scores.put(ply, place, score(place));
                }
                for place in 0..places.count(ply) {
                    let expected = is_put(place).then(|| score(place));
                    assert_eq!(scores.get(ply, place), expected, "{width}x{height} {ply} {place}");
                }
            }
        }
    }

    #[test]
    fn every_score_of_a_position_that_goes_on_has_a_code() {
        for plies in 1..=128 {
            let own = if plies % 2 == 1 { Score::win_in(plies) } else { Score::loss_in(plies) };
            assert_eq!(score(code(own)), own);
        }
        assert_eq!(score(code(Score::DRAW)), Score::DRAW);
    }
}
