//! The file format of a book.
//!
//! ```text
//!  0.. 8  "TENGENBK"
//!  8      version of the format: 2
//!  9..12  columns, rows, stones in a line
//! 12      plies N
//! 13..21  the number of positions in the book, little-endian
//! 21..    for each ply from 0 to N the scores of its positions, each in its slot,
//!         packed from the lowest bit on, each ply padded to a byte
//!  .. 4   CRC-32 of everything before, little-endian
//! ```
//!
//! A score is 0 for a draw, otherwise the number of plies to the end of the game: odd for a win of
//! the side to move, even for a loss. With n empty cells, a score has as many bits as the number n
//! + 1; all of them are set in an empty slot.

use std::borrow::Cow;

use tengen_engine::Score;
use thiserror::Error;

use super::super::shape::Shape;
use super::places::{MAX_PLIES, Slots, count_slots};

const MAGIC: [u8; 8] = *b"TENGENBK";
const VERSION: u8 = 2;
/// The index of the byte with the number of plies.
const PLIES_AT: usize = 12;
const POSITIONS_AT: usize = 13;
const HEADER_LEN: usize = 21;
const CHECKSUM_LEN: usize = 4;

/// The error of bytes that are not a book for this board.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum BookError {
    /// The file does not begin with the header of a book.
    #[error("not an opening book")]
    NoBook,
    /// The file has another version.
    #[error("version {0} of the book's format is not known, only version 2 is")]
    Version(u8),
    /// The checksum is wrong: the file was changed.
    #[error("the book is damaged: its checksum is wrong")]
    Checksum,
    /// The book has more plies than this program reads.
    #[error("a book of {0} plies is too deep, at most 14 can be read")]
    TooDeep(u32),
    /// The book is for another board.
    #[error("the book is for {}x{} boards and {} in a row", .0.width, .0.height, .0.connect)]
    OtherBoard(Header),
    /// The book has more plies than the board has cells.
    #[error("a book of {0} plies has more than the board has cells")]
    TooLong(u32),
    /// The length of the file does not fit its header.
    #[error("the book has the wrong length")]
    Length,
}

/// The header of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Columns of the board.
    pub width: u32,
    /// Rows of the board.
    pub height: u32,
    /// The number of stones in a line.
    pub connect: u32,
    /// The last ply of the book.
    pub plies: u32,
    /// The number of positions in the book.
    pub positions: u64,
}

impl Header {
    /// The length of a header, in bytes.
    pub const SIZE: usize = HEADER_LEN;

    /// Reads the header of a whole book and checks the checksum.
    pub fn read(bytes: &[u8]) -> Result<Self, BookError> {
        let header = Self::read_unchecked(bytes)?;
        let (body, sum) = bytes.split_last_chunk::<CHECKSUM_LEN>().ok_or(BookError::NoBook)?;
        if crc32fast::hash(body).to_le_bytes() != *sum {
            return Err(BookError::Checksum);
        }
        if header.plies > MAX_PLIES {
            return Err(BookError::TooDeep(header.plies));
        }
        Ok(header)
    }

    /// Returns the length, in bytes, of a book that begins with `bytes`, at least
    /// [`SIZE`](Self::SIZE) of them. Does not check the checksum.
    pub fn book_length(bytes: &[u8]) -> Result<u64, BookError> {
        let Self { width, height, plies, .. } = Self::read_unchecked(bytes)?;
        if plies > MAX_PLIES {
            return Err(BookError::TooDeep(plies));
        }
        let cells = width * height;
        let of_ply = |ply: u32| {
            let bits = u32::BITS - (cells.saturating_sub(ply) + 1).leading_zeros();
            count_slots(width, height, ply).saturating_mul(bits.into()).div_ceil(8)
        };
        let scores = (0..=plies).map(of_ply).fold(0, u64::saturating_add);
        Ok(scores.saturating_add((HEADER_LEN + CHECKSUM_LEN) as u64))
    }

    /// Reads the header at the beginning of `bytes`, without the checksum.
    pub(super) fn read_unchecked(bytes: &[u8]) -> Result<Self, BookError> {
        if bytes.len() < HEADER_LEN || bytes[..8] != MAGIC {
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

    /// Checks that the book is for `shape`.
    pub(super) fn fits(self, shape: impl Shape) -> Result<(), BookError> {
        let Self { width, height, connect, plies, .. } = self;
        if (width, height, connect) != (shape.width(), shape.height(), shape.connect()) {
            return Err(BookError::OtherBoard(self));
        }
        if plies > shape.cells() { Err(BookError::TooLong(plies)) } else { Ok(()) }
    }
}

/// Returns the number of positions that the header declares.
fn positions(bytes: &[u8]) -> u64 {
    let mut positions = [0; 8];
    positions.copy_from_slice(&bytes[POSITIONS_AT..HEADER_LEN]);
    u64::from_le_bytes(positions)
}

/// Returns the code of `score` in the file.
pub(super) fn code(score: Score) -> u8 {
    score.plies().unwrap_or(0) as u8
}

/// Returns the score that has this `code` in the file.
pub(super) fn score(code: u8) -> Score {
    match u32::from(code) {
        0 => Score::DRAW,
        plies if plies % 2 == 1 => Score::win_in(plies),
        plies => Score::loss_in(plies),
    }
}

/// The scores of a book, in the format of its file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Scores {
    bytes: Cow<'static, [u8]>,
    plies: Vec<Ply>,
}

/// The layout of the scores of one ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Ply {
    /// The index of the first byte.
    from: usize,
    /// The number of bits of a score.
    bits: u32,
    /// The number of plies left.
    left: u32,
}

impl Scores {
    /// Creates a book without a score.
    pub(super) fn empty<S: Shape>(slots: &Slots<S>) -> Self {
        let (plies, end) = layout(slots);
        let shape = slots.shape();
        let mut bytes = MAGIC.to_vec();
        bytes.push(VERSION);
        // Each is at most 128.
        let numbers = [shape.width(), shape.height(), shape.connect(), slots.plies()];
        bytes.extend(numbers.map(|number| number as u8));
        bytes.resize(HEADER_LEN, 0);
        bytes.resize(end + CHECKSUM_LEN, u8::MAX);
        Self { bytes: bytes.into(), plies }
    }

    /// Reads the scores of a book from its bytes, whose checksum must be right.
    pub(super) fn read<S: Shape>(
        slots: &Slots<S>,
        bytes: Cow<'static, [u8]>,
    ) -> Result<Self, BookError> {
        let (plies, end) = layout(slots);
        if bytes.len() != end + CHECKSUM_LEN {
            return Err(BookError::Length);
        }
        Ok(Self { bytes, plies })
    }

    /// Returns the bytes of the file.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of positions that the header declares.
    pub(super) fn positions(&self) -> u64 {
        positions(&self.bytes)
    }

    /// Returns the score in a slot; `None` when the slot is empty.
    pub(super) fn get(&self, ply: u32, slot: usize) -> Option<Score> {
        let Ply { bits, left, .. } = self.plies[ply as usize];
        let (at, shift) = self.bit(ply, slot);
        // There is a next byte: the checksum follows the scores.
        let word = u16::from_le_bytes([self.bytes[at], self.bytes[at + 1]]);
        let code = (word >> shift & mask(bits)) as u8;
        (u32::from(code) <= left).then(|| score(code))
    }

    /// Puts a score in an empty slot.
    pub(super) fn put(&mut self, ply: u32, slot: usize, score: Score) {
        let Ply { bits, left, .. } = self.plies[ply as usize];
        debug_assert!(self.get(ply, slot).is_none() && u32::from(code(score)) <= left);
        let (at, shift) = self.bit(ply, slot);
        // All bits of an empty slot are set: clear the bits that the code does not have.
        let taken = (mask(bits) ^ u16::from(code(score))) << shift;
        let [low, high] = taken.to_le_bytes();
        let bytes = self.bytes.to_mut();
        bytes[at] ^= low;
        bytes[at + 1] ^= high;
    }

    /// Sets the number of positions and the checksum.
    pub(super) fn seal(&mut self, positions: u64) {
        let bytes = self.bytes.to_mut();
        bytes[POSITIONS_AT..HEADER_LEN].copy_from_slice(&positions.to_le_bytes());
        let end = bytes.len() - CHECKSUM_LEN;
        let sum = crc32fast::hash(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
    }

    /// Returns the byte where a score begins, and the bit in this byte.
    fn bit(&self, ply: u32, slot: usize) -> (usize, u32) {
        let Ply { from, bits, .. } = self.plies[ply as usize];
        let bit = slot * bits as usize;
        (from + bit / 8, (bit % 8) as u32)
    }
}

/// Returns the lowest `bits` bits, at most 8.
fn mask(bits: u32) -> u16 {
    (1 << bits) - 1
}

/// Returns the layout of each ply, and the end of the scores in bytes.
fn layout<S: Shape>(slots: &Slots<S>) -> (Vec<Ply>, usize) {
    let mut end = HEADER_LEN;
    let lay = |ply: u32| {
        let (from, left) = (end, slots.shape().cells() - ply);
        let bits = u32::BITS - (left + 1).leading_zeros();
        end += (slots.count(ply) * bits as usize).div_ceil(8);
        Ply { from, bits, left }
    };
    ((0..=slots.plies()).map(lay).collect(), end)
}

#[cfg(test)]
mod tests {
    use super::super::super::AnySize;
    use super::*;

    #[test]
    fn a_score_is_read_from_the_slot_where_it_was_put() {
        // Scores of 8 to 3 bits.
        for (width, height) in [(1, 127), (16, 7), (7, 6), (6, 4), (4, 3), (3, 2)] {
            let slots = Slots::new(AnySize::<u128>::new(width, height, 3).unwrap(), 3);
            let mut scores = Scores::empty(&slots);
            for ply in 0..=3 {
                let left = width * height - ply;
                let score = |slot| score((slot as u32 % (left + 2)) as u8);
                let is_put = |slot| (slot as u32 % (left + 2)) <= left;
                for slot in (0..slots.count(ply)).filter(|&slot| is_put(slot)) {
                    scores.put(ply, slot, score(slot));
                }
                for slot in 0..slots.count(ply) {
                    let expected = is_put(slot).then(|| score(slot));
                    assert_eq!(scores.get(ply, slot), expected, "{width}x{height} {ply} {slot}");
                }
            }
        }
    }

    #[test]
    fn every_score_of_an_unfinished_game_has_a_code() {
        for plies in 1..=128 {
            let own = if plies % 2 == 1 { Score::win_in(plies) } else { Score::loss_in(plies) };
            assert_eq!(score(code(own)), own);
        }
        assert_eq!(score(code(Score::DRAW)), Score::DRAW);
    }
}
