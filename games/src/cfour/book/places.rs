//! Computes the slot of a position: the index of its score in a book.
//!
//! A ply has one slot for each combination of two choices: how its stones fill the columns (mirror
//! images count once), and which stones are the first player's. Some of these positions cannot
//! occur in play, and their slots stay empty.

use tengen_engine::Side;

use super::super::Board;
use super::super::bits::Bits;
use super::super::shape::Shape;

/// The maximum number of plies of a book. A longer book would not fit in memory.
pub(super) const MAX_PLIES: u32 = 14;

/// The slots of all positions of the first plies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Slots<S: Shape> {
    shape: S,
    /// The ways in which the stones of each ply can fill the columns, the lower word of two mirror
    /// images, in ascending order.
    fillings: Vec<Vec<S::Bits>>,
}

impl<S: Shape> Slots<S> {
    /// Creates the slots of 0 to `plies` plies, at most [`MAX_PLIES`].
    pub(super) fn new(shape: S, plies: u32) -> Self {
        debug_assert!(plies <= MAX_PLIES);
        Self { shape, fillings: (0..=plies).map(|stones| fillings(shape, stones)).collect() }
    }

    pub(super) fn shape(&self) -> &S {
        &self.shape
    }

    /// Returns the number of the last ply.
    pub(super) fn plies(&self) -> u32 {
        self.fillings.len() as u32 - 1
    }

    /// Returns the number of slots of a ply.
    pub(super) fn count(&self, ply: u32) -> usize {
        self.fillings[ply as usize].len() * colourings(ply)
    }

    /// Returns the ply of a position and its slot; `None` after the last ply, and when the stones
    /// or the side to move cannot occur in a game.
    #[inline]
    pub(super) fn find(&self, board: &Board<S>) -> Option<(u32, usize)> {
        let ply = board.all.count();
        let fillings = self.fillings.get(ply as usize)?;
        let is_firsts_turn = board.turn == Side::First;
        let first = if is_firsts_turn { board.own() } else { board.theirs() };
        if first.count() != ply.div_ceil(2) || is_firsts_turn != ply.is_multiple_of(2) {
            return None;
        }
        let (all, mirrored_first) = (self.shape.mirror(board.all), self.shape.mirror(first));
        let number = fillings.binary_search(&all.min(board.all)).ok()?;
        let here = (board.all <= all).then(|| rank(board.all, first));
        let there = (all <= board.all).then(|| rank(all, mirrored_first));
        let colouring = here.into_iter().chain(there).min()?;
        Some((ply, number * colourings(ply) + colouring))
    }
}

/// Returns the ways in which `stones` stones can fill the columns, the lower word of two mirror
/// images, in ascending order.
fn fillings<S: Shape>(shape: S, stones: u32) -> Vec<S::Bits> {
    let mut found = Vec::new();
    fill(shape, shape.width(), stones, S::Bits::NONE, &mut found);
    found
}

/// Appends every way to drop `stones` more stones into the first `columns` columns. The order
/// ascends, because the last column has the highest bits.
fn fill<S: Shape>(shape: S, columns: u32, stones: u32, filled: S::Bits, found: &mut Vec<S::Bits>) {
    if stones == 0 {
        found.extend((filled <= shape.mirror(filled)).then_some(filled));
        return;
    }
    if stones > columns * shape.height() {
        return;
    }
    for height in 0..=stones.min(shape.height()) {
        let pile = S::Bits::bit(height).minus(S::Bits::ONE).up(shape.stride() * (columns - 1));
        fill(shape, columns - 1, stones - height, filled | pile, found);
    }
}

/// Returns the number of slots of a ply on a board of `width` by `height`; `u64::MAX` when there
/// are more.
pub(super) fn count_slots(width: u32, height: u32, ply: u32) -> u64 {
    let stones = ply as usize;
    let one_column: Vec<usize> = (0..=height.min(ply) as usize).collect();
    let two_alike: Vec<usize> = one_column.iter().map(|stones| 2 * stones).collect();
    // Symmetric ones count once, the others twice.
    let all = ways(stones, std::iter::repeat_n(&one_column, width as usize));
    let halves = std::iter::repeat_n(&two_alike, width as usize / 2);
    let middle = (width % 2 == 1).then_some(&one_column);
    let symmetric = ways(stones, halves.chain(middle));
    (all.saturating_add(symmetric) / 2).saturating_mul(colourings(ply) as u64)
}

/// Returns the number of ways to choose one number from each of `columns` with the sum `stones`.
fn ways<'a>(stones: usize, columns: impl Iterator<Item = &'a Vec<usize>>) -> u64 {
    let mut ways = vec![0_u64; stones + 1];
    ways[0] = 1;
    for column in columns {
        let sum = |total: usize| {
            let rest = column.iter().filter_map(|given| total.checked_sub(*given));
            rest.map(|rest| ways[rest]).fold(0, u64::saturating_add)
        };
        ways = (0..=stones).map(sum).collect();
    }
    ways[stones]
}

/// Returns the number of ways to choose the stones of the first player among those of a ply.
fn colourings(ply: u32) -> usize {
    binomial(ply, ply.div_ceil(2))
}

/// Returns the rank of `chosen` among all sets of its size within `cells`.
// CITE: the combinatorial number system, Knuth, "The Art of Computer Programming", volume 4A,
// 7.2.1.3.
fn rank<B: Bits>(cells: B, chosen: B) -> usize {
    let (mut rest, mut passed, mut taken, mut rank) = (cells, 0, 0, 0);
    while !rest.is_empty() {
        let others = rest.without_lowest();
        if chosen.meets(rest ^ others) {
            taken += 1;
            rank += binomial(passed, taken);
        }
        passed += 1;
        rest = others;
    }
    rank
}

/// Returns the number of ways to choose `k` of `n`. `k` is at most `n + 1`.
fn binomial(n: u32, k: u32) -> usize {
    (0..k as usize).fold(1, |ways, taken| ways * (n as usize - taken) / (taken + 1))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::super::{AnySize, Classic};
    use super::super::Layers;
    use super::*;

    fn check_slots<S: Shape + std::fmt::Debug>(shape: S, plies: u32) {
        let (slots, layers) = (Slots::new(shape, plies), Layers::new(shape, plies));
        for ply in 0..=plies {
            assert!(slots.fillings[ply as usize].is_sorted());
            let counted = count_slots(shape.width(), shape.height(), ply);
            assert_eq!(counted, slots.count(ply) as u64, "{shape:?}, {ply}");
            let mut taken = HashSet::new();
            for number in 0..layers.count(ply) {
                let board = layers.board(ply, number);
                let slot = slots.find(&board);
                assert!(slot.is_some_and(|(at, slot)| at == ply && slot < slots.count(ply)));
                assert!(taken.insert(slot), "{board:?}");
                let mut image = Board::from_code(shape, shape.mirror(board.code()));
                assert_eq!(slots.find(&image), slot);
                image.turn = image.turn.other();
                assert_eq!(slots.find(&image), None);
            }
        }
    }

    #[test]
    fn every_position_shares_its_slot_only_with_its_mirror_image() {
        check_slots(Classic, 7);
        check_slots(AnySize::<u64>::new(5, 4, 4).unwrap(), 10);
        check_slots(AnySize::<u128>::new(9, 7, 4).unwrap(), 5);
        check_slots(AnySize::<u64>::new(3, 3, 3).unwrap(), 9);
        check_slots(AnySize::<u64>::new(1, 6, 4).unwrap(), 6);
    }

    #[test]
    fn ranks_of_sets_have_no_gap() {
        let cells: u64 = 0b1011_0110_1101;
        for size in 0..=8 {
            let of_size = |set: &u64| set.count_ones() == size && set & !cells == 0;
            let mut ranks: Vec<_> =
                (0..1 << 12).filter(of_size).map(|set| rank(cells, set)).collect();
            ranks.sort_unstable();
            assert!(ranks.into_iter().eq(0..binomial(8, size)), "{size}");
        }
    }

    #[test]
    fn every_way_to_fill_the_columns_is_listed_once() {
        // Two stones on 3x2, without mirror images: both in an outer column, both in the middle
        // column, side by side, or apart.
        let shape = AnySize::<u64>::new(3, 2, 3).unwrap();
        let count = |stones| fillings(shape, stones).len();
        assert_eq!((0..=6).map(count).collect::<Vec<_>>(), [1, 2, 4, 4, 4, 2, 1]);
    }
}
