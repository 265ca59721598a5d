//! Four in a row on 7x6 in two words, for the millions of positions that a prover plays through.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use tengen_engine::hash::mix64;

pub(super) const WIDTH: u32 = 7;
const HEIGHT: u32 = 6;
/// The bits of a column: its points and a guard.
const STRIDE: u32 = HEIGHT + 1;
const BOTTOM: u64 = 0x408_1020_4081;
pub(super) const BOARD: u64 = BOTTOM * ((1 << HEIGHT) - 1);
/// The rows 2, 4 and 6.
pub(super) const EVEN: u64 = BOTTOM << 1 | BOTTOM << 3 | BOTTOM << 5;

/// A hasher of keys of positions.
#[derive(Clone, Copy, Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = mix64(self.0 ^ key);
    }
}

pub(super) type Map<V> = HashMap<u64, V, BuildHasherDefault<KeyHasher>>;
pub(super) type Set = HashSet<u64, BuildHasherDefault<KeyHasher>>;

/// A position: the stones of the side to move, and all stones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Stones {
    pub(super) own: u64,
    pub(super) all: u64,
}

impl Stones {
    pub(super) fn theirs(self) -> u64 {
        self.all ^ self.own
    }

    pub(super) fn playable(self) -> u64 {
        (self.all + BOTTOM) & BOARD
    }

    /// Returns the position after a stone on the point `at`.
    pub(super) fn play(self, at: u64) -> Self {
        Self { own: self.theirs(), all: self.all | at }
    }

    /// Returns the points on which the side to move wins at once.
    pub(super) fn wins(self) -> u64 {
        completing(self.own) & self.playable()
    }

    /// Returns the moves after which the opponent cannot win at once.
    pub(super) fn safe(self) -> u64 {
        let lost = completing(self.theirs());
        let playable = self.playable();
        let blocks = playable & lost;
        let moves = if blocks == 0 { playable } else { blocks };
        if blocks & blocks.wrapping_sub(1) != 0 { 0 } else { moves & !(lost >> 1) }
    }

    pub(super) fn is_full(self) -> bool {
        self.all == BOARD
    }

    /// Returns a number that only this position has.
    // CITE: Pascal Pons, http://blog.gamesolver.org/solving-connect-four/06-bitboard/
    pub(super) fn code(self) -> u64 {
        self.own + self.all + BOTTOM
    }

    pub(super) fn mirror(self) -> Self {
        Self { own: mirror(self.own), all: mirror(self.all) }
    }

    /// Returns the position or its mirror image, the same one for both.
    pub(super) fn least(self) -> Self {
        let mirror = self.mirror();
        if mirror.code() < self.code() { mirror } else { self }
    }
}

/// Returns the points where a stone makes four with `stones`, whether they are empty or not.
fn completing(stones: u64) -> u64 {
    let mut points = stones << 1 & stones << 2 & stones << 3;
    for step in [STRIDE, STRIDE - 1, STRIDE + 1] {
        let two = stones << step & stones << (2 * step);
        points |= two & stones << (3 * step) | two & stones >> step;
        let two = stones >> step & stones >> (2 * step);
        points |= two & stones << step | two & stones >> (3 * step);
    }
    points & BOARD
}

/// Returns points with left and right exchanged.
pub(super) fn mirror(points: u64) -> u64 {
    let column = |at: u32| points >> (at * STRIDE) & 0x7f;
    (0..WIDTH).fold(0, |mirrored, at| mirrored | column(at) << ((WIDTH - 1 - at) * STRIDE))
}

/// Returns the single points of a set, column by column.
pub(super) fn each(mut points: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = points & points.wrapping_neg();
        points ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

/// Returns the name of a point, such as `d1`.
pub(super) fn name(point: u64) -> String {
    let (column, row) = (point.trailing_zeros() / STRIDE, point.trailing_zeros() % STRIDE);
    format!("{}{}", char::from(b'a' + column as u8), row + 1)
}

/// Returns the point with a name that [`name`] wrote.
pub(super) fn point(name: &str) -> Option<u64> {
    let [column, row] = *name.as_bytes() else { return None };
    let (column, row) = (u32::from(column.checked_sub(b'a')?), u32::from(row.checked_sub(b'1')?));
    (column < WIDTH && row < HEIGHT).then(|| 1 << (column * STRIDE + row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_their_names_agree() {
        assert_eq!(each(BOARD).count(), 42);
        assert!(each(BOARD).all(|at| point(&name(at)) == Some(at)));
        assert_eq!(each(BOTTOM).map(name).collect::<Vec<_>>().join(" "), "a1 b1 c1 d1 e1 f1 g1");
        assert_eq!(mirror(point("b3").unwrap()), point("f3").unwrap());
        assert_eq!([point("h1"), point("a7"), point("a")], [None; 3]);
    }
}
