//! [`Numbering`]: whether the numbers of moves in a text go up as the moves do.

use crate::fault::{Fault, FaultKind};
use crate::place::Place;

/// The last number of a move, and the plies before it. Numbers count moves of both players, or single stones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Numbering(Option<(usize, usize)>);

impl Numbering {
    /// The numbers of a game from its beginning.
    pub(crate) const START: Self = Self(Some((1, 0)));

    /// Takes the number of a move after `plies` plies. Returns a warning if a move may be missing before it.
    pub(crate) fn take(
        &mut self,
        number: usize,
        plies: usize,
        place: impl FnOnce() -> Place,
    ) -> Option<Fault> {
        let (last, before) = self.0.replace((number, plies))?;
        let played = plies.saturating_sub(before);
        let is_due = number >= last && (2 * (number - last)).abs_diff(played) <= 1;
        let due = last + played.div_ceil(2);
        (!is_due).then(|| Fault::new(place(), FaultKind::Numbering { number, due }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jumps(numbers: &[(usize, usize)]) -> usize {
        let mut numbering = Numbering::START;
        let take =
            |&(number, plies): &(usize, usize)| numbering.take(number, plies, || Place::START);
        numbers.iter().filter_map(take).count()
    }

    #[test]
    fn numbers_count_moves_of_both_players_or_stones() {
        assert_eq!(jumps(&[(1, 0), (2, 2), (3, 4), (5, 8)]), 0);
        assert_eq!(jumps(&[(1, 0), (2, 1), (3, 2), (4, 3)]), 0);
        // `1. h8 1... i9 2. j10`
        assert_eq!(jumps(&[(1, 0), (1, 1), (2, 2)]), 0);
        assert_eq!(jumps(&[(1, 0), (3, 2), (4, 4)]), 1);
        assert_eq!(jumps(&[(1, 0), (2, 2), (1, 4)]), 1);
        assert_eq!(jumps(&[(2, 0)]), 1);
    }
}
