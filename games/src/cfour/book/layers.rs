//! All positions that can occur in the first plies, each with a number.
//!
//! A position and its mirror image count as one; finished games are left out. The positions of a
//! ply are numbered in the order of their codes. The journal uses these numbers.

use std::collections::HashSet;

use tengen_engine::Game;

use super::super::bits::Bits;
use super::super::shape::Shape;
use super::super::{Board, Drop};

/// Every position of the first plies, by ply and number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layers<S: Shape> {
    shape: S,
    /// The codes of the positions of each ply, in ascending order.
    codes: Vec<Vec<S::Bits>>,
}

impl<S: Shape> Layers<S> {
    /// Creates the list of positions after 0 to `plies` plies.
    pub fn new(shape: S, plies: u32) -> Self {
        let mut codes = vec![vec![Board::new(shape).canonical_code()]];
        for ply in 0..plies as usize {
            codes.push(next_layer(shape, &codes[ply]));
        }
        Self { shape, codes }
    }

    /// Returns the size of the board.
    pub fn shape(&self) -> S {
        self.shape
    }

    /// Returns the number of the last ply.
    pub fn plies(&self) -> u32 {
        self.codes.len() as u32 - 1
    }

    /// Returns the number of positions after `ply` plies (at most [`plies`](Self::plies)).
    pub fn count(&self, ply: u32) -> usize {
        self.codes[ply as usize].len()
    }

    /// Returns the number of positions of all plies.
    pub fn total(&self) -> usize {
        self.codes.iter().map(Vec::len).sum()
    }

    /// Returns the position `number` after `ply` plies, or its mirror image.
    pub fn board(&self, ply: u32, number: usize) -> Board<S> {
        Board::from_code(self.shape, self.codes[ply as usize][number])
    }

    /// Returns the ply of a position and its number in this ply; `None` when the position is not in
    /// the list.
    pub fn find(&self, board: &Board<S>) -> Option<(u32, usize)> {
        if board.is_over() {
            return None;
        }
        let ply = board.all.count();
        let codes = self.codes.get(ply as usize)?;
        let number = codes.binary_search(&board.canonical_code()).ok()?;
        // A position that was set up may have the wrong side to move.
        (self.board(ply, number).turn == board.turn).then_some((ply, number))
    }

    /// Returns the numbers of the positions of the last ply in depth-first order. Neighbours share
    /// most of their subtrees, and so the entries of the transposition table.
    pub fn walk(&self) -> Vec<usize> {
        let mut walk = Walk { seen: HashSet::new(), order: Vec::new() };
        walk.visit(self, &Board::new(self.shape));
        walk.order
    }
}

struct Walk<B> {
    /// The codes of the visited positions.
    seen: HashSet<B>,
    order: Vec<usize>,
}

impl<B: Bits> Walk<B> {
    fn visit<S: Shape<Bits = B>>(&mut self, layers: &Layers<S>, board: &Board<S>) {
        if board.is_over() || !self.seen.insert(board.canonical_code()) {
            return;
        }
        match layers.find(board) {
            Some((ply, number)) if ply == layers.plies() => self.order.push(number),
            _ => each_child(board, |child| self.visit(layers, child)),
        }
    }
}

/// Returns the codes of all positions one ply after those of `codes`, in ascending order.
fn next_layer<S: Shape>(shape: S, codes: &[S::Bits]) -> Vec<S::Bits> {
    let mut next = Vec::with_capacity(codes.len() * 4);
    for &code in codes {
        each_child(&Board::from_code(shape, code), |child| {
            if !child.is_over() {
                next.push(child.canonical_code());
            }
        });
    }
    next.sort_unstable();
    next.dedup();
    next
}

/// Calls `visit` with the position after each move, from left to right.
pub(super) fn each_child<S: Shape>(board: &Board<S>, mut visit: impl FnMut(&Board<S>)) {
    let mut cells = board.playable();
    while !cells.is_empty() {
        let mut child = *board;
        child.play(Drop::lowest(cells));
        visit(&child);
        cells = cells.without_lowest();
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{AnySize, Classic};
    use super::*;

    /// Returns the number of positions if mirror images count separately.
    fn positions(layers: &Layers<Classic>, ply: u32) -> usize {
        let is_symmetric = |number: &usize| {
            let code = layers.board(ply, *number).code();
            Classic.mirror(code) == code
        };
        let symmetric = (0..layers.count(ply)).filter(is_symmetric).count();
        2 * layers.count(ply) - symmetric
    }

    #[test]
    fn the_numbers_of_positions_are_the_published_ones() {
        let layers = Layers::new(Classic, 8);
        // CITE: the numbers of positions and of finished games among them are John Tromp's,
        // https://tromp.github.io/c4/c4.html.
        let published = [1, 7, 49, 238, 1120, 4263, 16_422, 54_859 - 728, 184_275 - 1892];
        for (ply, count) in (0..).zip(published) {
            assert_eq!(positions(&layers, ply), count, "ply {ply}");
        }
        assert_eq!(layers.total(), (0..=8).map(|ply| layers.count(ply)).sum());
    }

    fn check_numbers<S: Shape>(shape: S, plies: u32) {
        let layers = Layers::new(shape, plies);
        for ply in 0..=plies {
            for number in 0..layers.count(ply) {
                let board = layers.board(ply, number);
                assert_eq!(layers.find(&board), Some((ply, number)));
                let mut image = Board::from_code(shape, shape.mirror(board.code()));
                assert_eq!(layers.find(&image), Some((ply, number)));
                image.turn = image.turn.other();
                assert_eq!(layers.find(&image), None);
            }
        }
        let mut order = layers.walk();
        assert_eq!(order.len(), layers.count(plies));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..layers.count(plies)));
    }

    #[test]
    fn every_position_has_its_number_and_the_walk_visits_it_once() {
        check_numbers(Classic, 6);
        check_numbers(AnySize::<u64>::new(5, 4, 4).unwrap(), 9);
        check_numbers(AnySize::<u128>::new(9, 7, 4).unwrap(), 4);
        check_numbers(AnySize::<u64>::new(3, 3, 3).unwrap(), 9);
    }
}
