//! Where the score of a position stands in a book: counted, not stored.
//!
//! A ply has one place for each pair of two choices: how its stones fill the columns (mirror images
//! count once), and which of them are the first player's. Some of these positions do not come up in
//! play, and their places stay empty.

use tengen_engine::Side;

use super::super::Board;
use super::super::bits::Bits;
use super::super::shape::Shape;

/// The most plies of a book that is read: a longer one would fill the memory.
pub(super) const MAX_PLIES: u32 = 14;

/// The places of every position of the first plies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Places<S: Shape> {
    shape: S,
    /// For each ply how stones can lie, the lesser of two mirror images, in ascending order.
    fillings: Vec<Vec<S::Bits>>,
}

impl<S: Shape> Places<S> {
    /// Returns the places of 0 to `plies` plies, at most [`MAX_PLIES`].
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

    /// Returns how many places a ply has.
    pub(super) fn count(&self, ply: u32) -> usize {
        self.fillings[ply as usize].len() * colourings(ply)
    }

    /// Returns after how many plies a position can come up, and its place there; `None` beyond the
    /// last ply and when the stones or the turn are not those of a game.
    #[inline]
    pub(super) fn find(&self, board: &Board<S>) -> Option<(u32, usize)> {
        let ply = board.all.count();
        let fillings = self.fillings.get(ply as usize)?;
        let is_firsts_turn = board.turn == Side::First;
        let first = if is_firsts_turn { board.own() } else { board.theirs() };
        if first.count() != ply.div_ceil(2) || is_firsts_turn != ply.is_multiple_of(2) {
            return None;
        }
        let (all, first_seen) = (self.shape.mirror(board.all), self.shape.mirror(first));
        let number = fillings.binary_search(&all.min(board.all)).ok()?;
        let here = (board.all <= all).then(|| rank(board.all, first));
        let there = (all <= board.all).then(|| rank(all, first_seen));
        let colouring = here.into_iter().chain(there).min()?;
        Some((ply, number * colourings(ply) + colouring))
    }
}

/// Returns how `stones` stones can lie in the columns of a board, of two mirror images the lesser,
/// in ascending order.
fn fillings<S: Shape>(shape: S, stones: u32) -> Vec<S::Bits> {
    let mut found = Vec::new();
    fill(shape, shape.width(), stones, S::Bits::NONE, &mut found);
    found
}

/// Appends every way to drop `stones` more into the first `columns` columns. The last column counts
/// most, so that the order ascends.
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

/// Returns how many places a ply has on a board of these sides, without a list of them; the
/// greatest number where there are more than it.
pub(super) fn count_places(width: u32, height: u32, ply: u32) -> u64 {
    let stones = ply as usize;
    let one_column: Vec<usize> = (0..=height.min(ply) as usize).collect();
    let two_alike: Vec<usize> = one_column.iter().map(|stones| 2 * stones).collect();
    // Those that are their own mirror images count once, the others twice.
    let all = ways(stones, std::iter::repeat_n(&one_column, width as usize));
    let halves = std::iter::repeat_n(&two_alike, width as usize / 2);
    let middle = (width % 2 == 1).then_some(&one_column);
    let symmetric = ways(stones, halves.chain(middle));
    (all.saturating_add(symmetric) / 2).saturating_mul(colourings(ply) as u64)
}

/// Returns in how many ways each column can be given one of its numbers of stones, so many in all.
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

/// Returns in how many ways the stones of a ply can be First's and Second's.
fn colourings(ply: u32) -> usize {
    binomial(ply, ply.div_ceil(2))
}

/// Returns the number of `chosen` among the sets of as many of the `cells`.
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

/// Returns in how many ways `k`, at most `n + 1`, of `n` can be chosen.
fn binomial(n: u32, k: u32) -> usize {
    (0..k as usize).fold(1, |ways, taken| ways * (n as usize - taken) / (taken + 1))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::super::{AnySize, Classic};
    use super::super::Layers;
    use super::*;

    fn check_places<S: Shape + std::fmt::Debug>(shape: S, plies: u32) {
        let (places, layers) = (Places::new(shape, plies), Layers::new(shape, plies));
        for ply in 0..=plies {
            assert!(places.fillings[ply as usize].is_sorted());
            let counted = count_places(shape.width(), shape.height(), ply);
            assert_eq!(counted, places.count(ply) as u64, "{shape:?}, {ply}");
            let mut taken = HashSet::new();
            for number in 0..layers.count(ply) {
                let board = layers.board(ply, number);
                let place = places.find(&board);
                assert!(place.is_some_and(|(at, place)| at == ply && place < places.count(ply)));
                assert!(taken.insert(place), "{board:?}");
                let mut image = Board::from_code(shape, shape.mirror(board.code()));
                assert_eq!(places.find(&image), place);
                image.turn = image.turn.other();
                assert_eq!(places.find(&image), None);
            }
        }
    }

    #[test]
    fn every_position_has_a_place_of_its_own_and_shares_it_with_its_mirror_image() {
        check_places(Classic, 7);
        check_places(AnySize::<u64>::new(5, 4, 4).unwrap(), 10);
        check_places(AnySize::<u128>::new(9, 7, 4).unwrap(), 5);
        check_places(AnySize::<u64>::new(3, 3, 3).unwrap(), 9);
        check_places(AnySize::<u64>::new(1, 6, 4).unwrap(), 6);
    }

    #[test]
    fn sets_are_numbered_without_a_gap() {
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
    fn stones_fill_the_columns_in_as_many_ways_as_there_are() {
        // Up to mirroring: two stones on 3x2 lie in one column of the side or of the middle, side by
        // side, or apart.
        let shape = AnySize::<u64>::new(3, 2, 3).unwrap();
        let count = |stones| fillings(shape, stones).len();
        assert_eq!((0..=6).map(count).collect::<Vec<_>>(), [1, 2, 4, 4, 4, 2, 1]);
    }
}
