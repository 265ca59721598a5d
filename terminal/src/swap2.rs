//! [`Swap2`]: the state of the opening in which the players choose their sides.
//!
//! Seat 0 opens with three stones. Seat 1 takes a side or puts two stones more; then seat 0 takes a
//! side. Only the number of stones is used here.
// CITE: Gomocup, "SWAP2 in the protocol", https://gomocup.org/swap2board/

use tengen_engine::Side;

/// The number of stones after which seat 1 chooses.
const THREE: usize = 3;
/// The number of stones after which seat 0 chooses.
const FIVE: usize = 5;

/// A choice of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SwapChoice {
    /// Takes this side.
    Take(Side),
    /// Puts two stones more and lets the opponent take a side.
    PutTwo,
}

/// The next step of the opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SwapStep {
    /// This seat puts a stone of the side to move.
    Put(usize),
    /// This seat chooses.
    Choose(usize),
    /// The sides are chosen.
    Done,
}

/// The choices made so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Swap2 {
    puts_two: bool,
    /// The number of stones when a side was taken, and the seat that plays first.
    taken: Option<(usize, usize)>,
}

impl Swap2 {
    /// Returns the next step with `stones` stones on the board.
    pub(crate) fn step(&self, stones: usize) -> SwapStep {
        match stones {
            _ if self.taken.is_some() => SwapStep::Done,
            0..THREE => SwapStep::Put(0),
            THREE if !self.puts_two => SwapStep::Choose(1),
            THREE..FIVE => SwapStep::Put(1),
            _ => SwapStep::Choose(0),
        }
    }

    /// Returns the seat that plays first; `None` before it is chosen.
    pub(crate) fn first_seat(&self) -> Option<usize> {
        self.taken.map(|(_, seat)| seat)
    }

    /// Returns whether two stones more may be put instead of taking a side.
    pub(crate) fn may_put_two(&self, stones: usize) -> bool {
        stones == THREE && self.step(stones) == SwapStep::Choose(1)
    }

    /// Makes a choice with `stones` stones on the board; returns `false` if it is not allowed.
    pub(crate) fn choose(&mut self, choice: SwapChoice, stones: usize) -> bool {
        let SwapStep::Choose(seat) = self.step(stones) else { return false };
        match choice {
            SwapChoice::PutTwo if !self.may_put_two(stones) => return false,
            SwapChoice::PutTwo => self.puts_two = true,
            SwapChoice::Take(Side::First) => self.taken = Some((stones, seat)),
            SwapChoice::Take(Side::Second) => self.taken = Some((stones, 1 - seat)),
        }
        true
    }

    /// Undoes the choice made with `stones` stones on the board; returns `false` if there is none.
    pub(crate) fn undo(&mut self, stones: usize) -> bool {
        if self.taken.is_some_and(|(at, _)| at == stones) {
            self.taken = None;
            return true;
        }
        stones == THREE && self.taken.is_none() && std::mem::take(&mut self.puts_two)
    }

    /// Returns the choices in one word, for a kept game: `1` if two more stones are placed, else
    /// `0`. Once a side was taken, the number of stones and the seat that plays first follow:
    /// `1:5:0`.
    pub(crate) fn write(&self) -> String {
        let two = u8::from(self.puts_two);
        match self.taken {
            None => two.to_string(),
            Some((stones, seat)) => format!("{two}:{stones}:{seat}"),
        }
    }

    /// Reads what [`write`](Self::write) wrote; `None` for other text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(':').map(|part| part.parse::<usize>().ok());
        let puts_two = parts.next()?? == 1;
        let taken = match (parts.next(), parts.next()) {
            (None, _) => None,
            (Some(stones), Some(Some(seat @ 0..=1))) => Some((stones?, seat)),
            _ => return None,
        };
        Some(Self { puts_two, taken })
    }

    /// Removes the choices made with more than `stones` stones.
    pub(crate) fn rewind(&mut self, stones: usize) {
        if self.taken.is_some_and(|(at, _)| at > stones) {
            self.taken = None;
        }
        self.puts_two &= stones >= THREE;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_through_the_opening_ends_with_sides() {
        use SwapChoice::{PutTwo, Take};
        for (choices, first_seat) in [
            (&[(3, Take(Side::First))][..], 1),
            (&[(3, Take(Side::Second))], 0),
            (&[(3, PutTwo), (5, Take(Side::First))], 0),
            (&[(3, PutTwo), (5, Take(Side::Second))], 1),
        ] {
            let mut swap = Swap2::default();
            for &(stones, choice) in choices {
                assert!(swap.choose(choice, stones));
            }
            assert_eq!((swap.first_seat(), swap.step(5)), (Some(first_seat), SwapStep::Done));
        }
    }

    #[test]
    fn the_steps_follow_the_stones_and_no_choice_comes_early() {
        let mut swap = Swap2::default();
        assert_eq!(
            [0, 2, 3].map(|stones| swap.step(stones)),
            [SwapStep::Put(0), SwapStep::Put(0), SwapStep::Choose(1)]
        );
        assert!(!swap.choose(SwapChoice::PutTwo, 2));
        assert!(swap.choose(SwapChoice::PutTwo, 3));
        assert_eq!(
            [3, 4, 5].map(|stones| swap.step(stones)),
            [SwapStep::Put(1), SwapStep::Put(1), SwapStep::Choose(0)]
        );
        assert!(!swap.choose(SwapChoice::PutTwo, 5));
        assert!(swap.choose(SwapChoice::Take(Side::Second), 5));
    }

    #[test]
    fn choices_are_taken_back_one_by_one() {
        let mut swap = Swap2::default();
        swap.choose(SwapChoice::PutTwo, 3);
        swap.choose(SwapChoice::Take(Side::First), 5);
        assert!(!swap.undo(6) && swap.undo(5) && !swap.undo(5));
        assert_eq!(swap.step(5), SwapStep::Choose(0));
        assert!(!swap.undo(4) && swap.undo(3) && !swap.undo(3));
        swap.choose(SwapChoice::Take(Side::First), 3);
        swap.rewind(2);
        assert_eq!(swap, Swap2::default());
    }

    #[test]
    fn a_kept_opening_is_read_again() {
        let taken = Some((5, 1));
        for swap in [
            Swap2::default(),
            Swap2 { puts_two: true, taken: None },
            Swap2 { puts_two: true, taken },
            Swap2 { puts_two: false, taken: Some((3, 0)) },
        ] {
            assert_eq!(Swap2::read(&swap.write()), Some(swap));
        }
        for text in ["", "x", "1:5", "1:5:2", "1:x:0"] {
            assert_eq!(Swap2::read(text), None, "{text}");
        }
    }
}
