//! The proof and disproof numbers of a node, from those of its children.

use super::Bounds;
use crate::gomoku::proof_table::Numbers;
use tengen_engine::Cell;

/// A search ends when a number reaches its threshold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thresholds {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Thresholds {
    pub(super) const NONE: Self = Self { proof: Numbers::NEVER, disproof: Numbers::NEVER };

    pub(super) fn are_reached(self, numbers: Numbers) -> bool {
        numbers.is_settled() || numbers.proof >= self.proof || numbers.disproof >= self.disproof
    }
}

/// A move, and what is known of the position after it.
pub(super) struct Child {
    pub(super) mv: Cell,
    pub(super) bounds: Bounds,
    pub(super) numbers: Numbers,
}

/// The proof and disproof numbers of a node, from those of its children.
pub(super) struct Sum {
    pub(super) numbers: Numbers,
    /// The child to search next.
    pub(super) best: usize,
    /// Whether the proof number is that of the best child, and the disproof number a sum.
    is_attack: bool,
}

impl Sum {
    /// Returns the thresholds of the best child. It is searched until another child looks better by
    /// some margin, or until the threshold of this position is reached. The margin avoids switching
    /// to and fro.
    pub(super) fn limit_of_best(&self, children: &[Child], limit: Thresholds) -> Thresholds {
        let others = children.iter().enumerate().filter(|&(place, _)| place != self.best);
        let beyond = |second: u32| second.saturating_add(second / 8 + 1).min(Numbers::NEVER);
        if self.is_attack {
            let second =
                others.map(|(_, child)| child.numbers.proof).min().unwrap_or(Numbers::NEVER);
            let open = children.iter().filter(|child| child.numbers.disproof > 0).count() as u32;
            let rest = open.max(1) - 1;
            Thresholds {
                proof: limit.proof.min(beyond(second)),
                disproof: limit.disproof.saturating_sub(rest),
            }
        } else {
            let open = others.map(|(_, child)| child.numbers.disproof);
            let second = open.min().unwrap_or(Numbers::NEVER);
            let best = children[self.best].numbers.proof;
            let rest = self.numbers.proof - best.min(self.numbers.proof);
            Thresholds {
                proof: limit.proof.saturating_sub(rest),
                disproof: limit.disproof.min(beyond(second)),
            }
        }
    }
}

/// Returns the number of a conjunction: that of the hardest part, plus one for each other part.
/// Many parts transpose into each other, so a sum would be too much.
fn joined(numbers: impl Iterator<Item = u32>) -> u32 {
    let (most, count) =
        numbers.filter(|&n| n > 0).fold((0, 0), |(most, count), n| (n.max(most), count + 1));
    (most + count.max(1) - 1).min(Numbers::NEVER)
}

/// Returns the number of a conjunction of parts that have little in common: their sum.
fn summed(numbers: impl Iterator<Item = u32>) -> u32 {
    numbers.fold(0_u32, |sum, number| sum.saturating_add(number).min(Numbers::NEVER))
}

/// Returns the numbers of a node where the attacker chooses.
pub(super) fn best_attack(children: &[Child]) -> Sum {
    let wins = children.iter().filter(|child| child.numbers.is_won());
    let place = |child: &(usize, &Child)| (child.1.numbers.proof, child.0);
    let best = children.iter().enumerate().min_by_key(place).map_or(0, |(place, _)| place);
    let numbers = match wins.map(|child| u32::from(child.numbers.plies)).min() {
        Some(plies) => Numbers::won(plies + 1),
        None => Numbers {
            proof: children.get(best).map_or(Numbers::NEVER, |child| child.numbers.proof),
            disproof: joined(children.iter().map(|child| child.numbers.disproof)),
            plies: 0,
        },
    };
    Sum { numbers, best, is_attack: true }
}

/// Returns the numbers of a node where the defender chooses. Every move that is no child loses
/// within `others` plies.
pub(super) fn all_defences(children: &[Child], others: u32) -> Sum {
    let open = children.iter().enumerate().filter(|(_, child)| !child.numbers.is_won());
    let place = |child: &(usize, &Child)| (child.1.numbers.disproof, child.0);
    let best = open.min_by_key(place).map(|(place, _)| place);
    let numbers = match best {
        None => {
            let longest = children.iter().map(|child| u32::from(child.numbers.plies) + 1).max();
            Numbers::won(longest.unwrap_or(0).max(others))
        }
        Some(best) => Numbers {
            proof: summed(children.iter().map(|child| child.numbers.proof)),
            disproof: children[best].numbers.disproof,
            plies: 0,
        },
    };
    Sum { numbers, best: best.unwrap_or(0), is_attack: false }
}
