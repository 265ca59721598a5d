//! Exact values of small boards: k in a row, with or without falling stones, by alpha-beta with a memory.

use std::collections::HashMap;

/// A game and its stones. `k` in a row or more win; in misère games they lose.
pub(crate) struct Small {
    pub width: usize,
    pub height: usize,
    pub k: usize,
    pub falls: bool,
    pub misere: bool,
    /// Row by row from below: 0 for an empty point, 1 and 2 for the players.
    pub cells: Vec<u8>,
    known: HashMap<Vec<u8>, (i32, i32)>,
    left: u64,
}

/// More than the plies of any game.
const WIN: i32 = 1000;

impl Small {
    pub(crate) fn new(width: usize, height: usize, k: usize, falls: bool, misere: bool) -> Self {
        let cells = vec![0; width * height];
        Self { width, height, k, falls, misere, cells, known: HashMap::new(), left: 0 }
    }

    /// Returns the value for `side`, who is to move: `WIN` less the plies to a win, the negative of it for a loss, 0 for a
    /// draw. `None` after `nodes` nodes.
    pub(crate) fn value(&mut self, side: u8, nodes: u64) -> Option<i32> {
        self.left = nodes;
        // Short games first.
        for bound in (WIN - self.cells.len() as i32..WIN).rev() {
            if self.search(side, bound - 1, bound)? >= bound {
                return Some(bound);
            }
            if self.search(side, -bound, 1 - bound)? <= -bound {
                return Some(-bound);
            }
        }
        Some(0)
    }

    /// Returns whether the stone on `at` is part of a row.
    fn is_row(&self, column: usize, row: usize) -> bool {
        let stone = self.cells[row * self.width + column];
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(right, up): (i32, i32)| {
            let reach = |sign: i32| {
                (1..)
                    .take_while(|&steps: &i32| {
                        let (x, y) =
                            (column as i32 + sign * steps * right, row as i32 + sign * steps * up);
                        let is_inside = (0..self.width as i32).contains(&x)
                            && (0..self.height as i32).contains(&y);
                        is_inside && self.cells[y as usize * self.width + x as usize] == stone
                    })
                    .count()
            };
            reach(1) + reach(-1) + 1 >= self.k
        })
    }

    fn moves(&self) -> Vec<usize> {
        let is_legal = |&at: &usize| {
            self.cells[at] == 0
                && (!self.falls || at < self.width || self.cells[at - self.width] > 0)
        };
        let mut moves: Vec<usize> = (0..self.cells.len()).filter(is_legal).collect();
        moves.sort_by_key(|at| (2 * (at % self.width)).abs_diff(self.width - 1));
        moves
    }

    fn search(&mut self, side: u8, mut low: i32, mut high: i32) -> Option<i32> {
        self.left = self.left.checked_sub(1)?;
        let moves = self.moves();
        if moves.is_empty() {
            return Some(0);
        }
        // Nothing ends sooner than with the next stone.
        if low >= WIN - 1 || high <= 1 - WIN {
            return Some(if low >= WIN - 1 { WIN - 1 } else { 1 - WIN });
        }
        let (mut least, mut most) = self.known.get(&self.cells).copied().unwrap_or((-WIN, WIN));
        if least >= high || least == most {
            return Some(least);
        }
        if most <= low {
            return Some(most);
        }
        (low, high) = (low.max(least), high.min(most));
        let (mut best, start) = (-WIN, low);
        for at in moves {
            self.cells[at] = side;
            let is_over = self.is_row(at % self.width, at / self.width);
            let value = match (is_over, self.misere) {
                (true, false) => Some(WIN - 1),
                (true, true) => Some(1 - WIN),
                // One ply further from the end: bounds move as values do.
                (false, _) => {
                    self.search(3 - side, -further(high), -further(low)).map(|value| nearer(-value))
                }
            };
            self.cells[at] = 0;
            best = best.max(value?);
            low = low.max(best);
            if low >= high {
                break;
            }
        }
        if best > start {
            least = least.max(best);
        }
        if best < high {
            most = most.min(best);
        }
        self.known.insert(self.cells.clone(), (least, most));
        Some(best)
    }
}

/// Returns a value of the next position as one of this position: one ply is added.
const fn nearer(value: i32) -> i32 {
    value - value.signum()
}

/// Returns a bound of this position as one of the next position.
const fn further(bound: i32) -> i32 {
    bound + bound.signum()
}

/// Writes a value: `win PLIES`, `loss PLIES` or `draw`.
pub(crate) fn written(value: i32) -> String {
    match value {
        0 => "draw".to_owned(),
        1.. => format!("win {}", WIN - value),
        _ => format!("loss {}", WIN + value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published values of small boards.
    #[test]
    fn small_games_have_their_values() {
        for (width, height, k, falls, misere, value) in [
            (3, 3, 3, false, false, "draw"),
            (4, 3, 3, false, false, "win 7"),
            (4, 4, 3, false, false, "win 5"),
            (4, 4, 4, true, false, "draw"),
            (3, 3, 3, false, true, "draw"),
            (2, 2, 2, false, false, "win 3"),
            (2, 2, 2, false, true, "loss 3"),
        ] {
            let mut small = Small::new(width, height, k, falls, misere);
            let found = small.value(1, 5_000_000).map(written);
            assert_eq!(
                found.as_deref(),
                Some(value),
                "{width}x{height}x{k}, falls {falls}, misère {misere}"
            );
        }
    }

    #[test]
    fn without_nodes_there_is_no_value() {
        assert_eq!(Small::new(4, 4, 4, false, false).value(1, 100), None);
    }
}
