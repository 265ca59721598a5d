//! Solver scores: a proven value as one number, as `tengen solve` prints it.

use tengen_engine::{Proof, Score, Wdl};

/// Converts proven scores to solver scores.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The number of cells of the whole board.
    pub cells: u32,
    /// Whether scores or only outcomes are proven.
    pub proof: Proof,
}

impl Scale {
    /// Returns the solver score of a position after `plies` moves with the proven `score`; `None`
    /// if `score` is not proven. An outcome is 1, 0 or -1. A score is one more than the stones that
    /// the winner has left at the end. Each player starts with half of the cells, rounded up for
    /// the first player.
    pub fn write(self, score: Score, plies: u32) -> Option<i32> {
        let sign = score.cmp(&Score::DRAW) as i32;
        if sign == 0 || self.proof == Proof::Outcome {
            return Some(sign);
        }
        let to_end = score.plies()?;
        let cells_left = self.cells.checked_sub(plies)?.checked_sub(to_end)?;
        let winner_ends = score.is_win() != to_end.is_multiple_of(2);
        // The player of the last ply has at most as many stones left as the other one.
        let stones = if winner_ends { cells_left / 2 } else { cells_left.div_ceil(2) };
        Some(sign * (1 + stones as i32))
    }
}

/// Returns the chances of the side to move in a position with this solver score.
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
    fn draws_are_0_and_an_unproven_score_has_no_solver_score() {
        let scale = |proof| Scale { cells: 42, proof };
        assert_eq!(scale(Proof::Score).write(Score::DRAW, 7), Some(0));
        assert_eq!(scale(Proof::Score).write(Score::heuristic(9), 7), None);
        assert_eq!(scale(Proof::Outcome).write(Score::loss_in(4), 7), Some(-1));
    }
}
