//! Solver scores: a proven value as one number, as `tengen solve` prints it.

use tengen_engine::{Proof, Score, Wdl};

/// How a proven score is written as one number.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The number of cells of the whole board.
    pub cells: u32,
    /// How much of a value is proven.
    pub proof: Proof,
}

impl Scale {
    /// Returns a proven score of the position after `plies`: 1, 0 or -1 for its outcome alone; else
    /// one more than the stones that the winner has left at the end, of half the cells, rounded up
    /// for the first player. `None` when it is not proven.
    pub fn write(self, score: Score, plies: u32) -> Option<i32> {
        let sign = score.cmp(&Score::DRAW) as i32;
        if sign == 0 || self.proof == Proof::Outcome {
            return Some(sign);
        }
        let to_end = score.plies()?;
        let cells_left = self.cells.checked_sub(plies)?.checked_sub(to_end)?;
        let winner_ends = score.is_win() != to_end.is_multiple_of(2);
        // Whoever makes the last ply of the game has no more stones left than the other side.
        let stones = if winner_ends { cells_left / 2 } else { cells_left.div_ceil(2) };
        Some(sign * (1 + stones as i32))
    }
}

/// Returns the chances in a position that has this solver score.
pub fn wdl_of(score: i32) -> Wdl {
    match score {
        1.. => Wdl::WON,
        0 => Wdl::DRAWN,
        _ => Wdl::LOST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_one_more_than_the_stones_that_the_winner_has_left() {
        for cells in 1..=13_u32 {
            let scale = Scale { cells, proof: Proof::Score };
            // The players move in turn, the first one first, until `end` stones are down.
            for end in 1..=cells {
                for plies in 0..=end {
                    for first_wins in [true, false] {
                        let (all, used) = match first_wins {
                            true => (cells.div_ceil(2), end.div_ceil(2)),
                            false => (cells / 2, end / 2),
                        };
                        let own = first_wins == plies.is_multiple_of(2);
                        let size = 1 + (all - used) as i32;
                        let (score, expected) = match own {
                            true => (Score::win_in(end - plies), size),
                            false => (Score::loss_in(end - plies), -size),
                        };
                        let place = format!("{cells} cells, {plies} of {end}, {first_wins}");
                        assert_eq!(scale.write(score, plies), Some(expected), "{place}");
                    }
                }
            }
        }
    }

    #[test]
    fn draws_are_zero_and_what_is_not_proven_has_no_score() {
        let scale = |proof| Scale { cells: 42, proof };
        assert_eq!(scale(Proof::Score).write(Score::DRAW, 7), Some(0));
        assert_eq!(scale(Proof::Score).write(Score::heuristic(9), 7), None);
        assert_eq!(scale(Proof::Outcome).write(Score::loss_in(4), 7), Some(-1));
    }
}
