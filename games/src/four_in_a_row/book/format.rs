//! A book as bytes.
//!
//! ```text
//!  0.. 8  "TENGENBK"
//!  8      version of the format: 1
//!  9..12  columns, rows, stones in a line
//! 12      plies N
//! 13..21  how many positions the book holds, little-endian
//! 21..    for each ply from 0 to N the scores of its positions in the order of their codes,
//!         packed from the lowest bit on, each ply padded to a byte
//!  .. 4   CRC-32 of everything before, little-endian
//! ```
//!
//! A score takes as many bits as the number of empty cells has. It is 0 for a draw, else in how many
//! plies the game ends: an odd number for a win of the side to move, an even one for a loss.

use tengen_engine::Score;

use super::super::shape::Shape;
use super::{BookError, Layers};

const MAGIC: [u8; 8] = *b"TENGENBK";
const VERSION: u8 = 1;
/// Where the number of plies stands.
pub(super) const PLIES_AT: usize = 12;
const HEADER: usize = 21;
const SUM: usize = 4;
/// A book of more plies is not read: its positions alone would fill the memory.
pub(super) const MOST_PLIES: u32 = 14;

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
    fn of<S: Shape>(layers: &Layers<S>) -> Self {
        let shape = layers.shape();
        Self {
            width: shape.width(),
            height: shape.height(),
            connect: shape.connect(),
            plies: layers.plies(),
            positions: layers.total() as u64,
        }
    }

    /// Reads the header of a whole book, whose checksum must be right.
    pub fn read(bytes: &[u8]) -> Result<Self, BookError> {
        if bytes.len() < HEADER + SUM || bytes[..8] != MAGIC {
            return Err(BookError::NoBook);
        }
        if bytes[8] != VERSION {
            return Err(BookError::Version(bytes[8]));
        }
        let (body, sum) = bytes.split_at(bytes.len() - SUM);
        if crc32fast::hash(body).to_le_bytes() != sum {
            return Err(BookError::Checksum);
        }
        let mut positions = [0; 8];
        positions.copy_from_slice(&bytes[PLIES_AT + 1..HEADER]);
        let plies = u32::from(bytes[PLIES_AT]);
        if plies > MOST_PLIES {
            return Err(BookError::TooDeep(plies));
        }
        Ok(Self {
            width: bytes[9].into(),
            height: bytes[10].into(),
            connect: bytes[11].into(),
            plies,
            positions: u64::from_le_bytes(positions),
        })
    }
}

/// A score in the book's form.
pub(super) fn code(score: Score) -> u8 {
    score.plies().unwrap_or(0) as u8
}

/// The score of a code.
pub(super) fn score(code: u8) -> Score {
    match u32::from(code) {
        0 => Score::DRAW,
        plies if plies % 2 == 1 => Score::win_in(plies),
        plies => Score::loss_in(plies),
    }
}

/// How many bits a score takes after `ply` plies.
fn bits<S: Shape>(shape: &S, ply: u32) -> u32 {
    u32::BITS - (shape.cells() - ply).leading_zeros()
}

/// The book with these scores, by ply and number.
pub(super) fn write<S: Shape>(layers: &Layers<S>, scores: &[Vec<u8>]) -> Vec<u8> {
    let Header { width, height, connect, plies, positions } = Header::of(layers);
    let mut bytes = MAGIC.to_vec();
    bytes.push(VERSION);
    // Each is at most 128.
    bytes.extend([width, height, connect, plies].map(|number| number as u8));
    bytes.extend(positions.to_le_bytes());
    for (ply, scores) in (0..).zip(scores) {
        pack(scores, bits(&layers.shape(), ply), &mut bytes);
    }
    let sum = crc32fast::hash(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// The scores of a book for this board, by ply and number, and where they belong.
pub(super) fn read<S: Shape>(
    shape: S,
    bytes: &[u8],
) -> Result<(Layers<S>, Vec<Vec<u8>>), BookError> {
    let header = Header::read(bytes)?;
    let Header { width, height, connect, plies, positions } = header;
    if (width, height, connect) != (shape.width(), shape.height(), shape.connect())
        || plies > shape.cells()
    {
        return Err(BookError::OtherBoard(header));
    }
    let layers = Layers::new(shape, plies);
    if layers.total() as u64 != positions {
        return Err(BookError::Positions { expected: layers.total() as u64, found: positions });
    }
    let mut rest = &bytes[HEADER..bytes.len() - SUM];
    let mut scores = Vec::new();
    for ply in 0..=plies {
        let (count, bits) = (layers.count(ply), bits(&shape, ply));
        let length = (count * bits as usize).div_ceil(8);
        let Some((packed, others)) = rest.split_at_checked(length) else {
            return Err(BookError::Length);
        };
        let codes = unpack(packed, bits, count);
        let limit = shape.cells() - ply;
        if let Some(&code) = codes.iter().find(|&&code| u32::from(code) > limit) {
            return Err(BookError::Score { ply, code });
        }
        scores.push(codes);
        rest = others;
    }
    if rest.is_empty() { Ok((layers, scores)) } else { Err(BookError::Length) }
}

/// Appends the lowest `bits` bits (at most 8) of each code.
fn pack(codes: &[u8], bits: u32, out: &mut Vec<u8>) {
    let (mut word, mut filled) = (0_u32, 0);
    for &code in codes {
        word |= u32::from(code) << filled;
        filled += bits;
        if filled >= 8 {
            out.push(word as u8);
            word >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        out.push(word as u8);
    }
}

fn unpack(packed: &[u8], bits: u32, count: usize) -> Vec<u8> {
    let byte = |at: usize| packed.get(at).map_or(0, |&byte| u32::from(byte));
    let code = |index: usize| {
        let from = index * bits as usize;
        let word = byte(from / 8) | byte(from / 8 + 1) << 8;
        (word >> (from % 8) & ((1 << bits) - 1)) as u8
    };
    (0..count).map(code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_is_unpacked_at_every_width() {
        for bits in 1..=8 {
            let codes: Vec<u8> = (0..100_u32).map(|i| (i * 37 % (1 << bits)) as u8).collect();
            for count in [0, 1, 7, 8, 100] {
                let mut packed = Vec::new();
                pack(&codes[..count], bits, &mut packed);
                assert_eq!(packed.len(), (count * bits as usize).div_ceil(8));
                assert_eq!(unpack(&packed, bits, count), codes[..count]);
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
