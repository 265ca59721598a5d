//! The proof and disproof numbers of a node, computed from its children.

use super::Bounds;
use crate::gomoku::solver_memory::proof_table::Numbers;
use tengen_engine::Cell;

/// The numbers at which the search of a node ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thresholds {
    pub(crate) proof: u32,
    pub(crate) disproof: u32,
}

impl Thresholds {
    pub(crate) const NONE: Self = Self { proof: Numbers::NEVER, disproof: Numbers::NEVER };

    pub(crate) fn are_reached(self, numbers: Numbers) -> bool {
        numbers.is_settled() || numbers.proof >= self.proof || numbers.disproof >= self.disproof
    }
}

/// A move, with the bounds and the numbers of the position after it.
pub(crate) struct Child {
    pub(crate) mv: Cell,
    pub(crate) bounds: Bounds,
    pub(crate) numbers: Numbers,
}

/// The numbers of a node, and its most promising child.
pub(crate) struct Sum {
    pub(crate) numbers: Numbers,
    /// The index of the child to search next.
    pub(crate) best: usize,
    /// Whether the attacker chooses: the proof number is then that of the best child.
    is_attack: bool,
}

impl Sum {
    /// Returns the thresholds of the best child. It is searched until another child is better by a
    /// margin, or until a threshold of this node is reached. The margin avoids frequent switching.
    pub(crate) fn limit_of_best(&self, children: &[Child], limit: Thresholds) -> Thresholds {
        let others = children.iter().enumerate().filter(|&(index, _)| index != self.best);
        let with_margin = |second: u32| second.saturating_add(second / 8 + 1).min(Numbers::NEVER);
        if self.is_attack {
            let second =
                others.map(|(_, child)| child.numbers.proof).min().unwrap_or(Numbers::NEVER);
            let open = children.iter().filter(|child| child.numbers.disproof > 0).count() as u32;
            let rest = open.max(1) - 1;
            Thresholds {
                proof: limit.proof.min(with_margin(second)),
                disproof: limit.disproof.saturating_sub(rest),
            }
        } else {
            let open = others.map(|(_, child)| child.numbers.disproof);
            let second = open.min().unwrap_or(Numbers::NEVER);
            let best = children[self.best].numbers.proof;
            let rest = self.numbers.proof - best.min(self.numbers.proof);
            Thresholds {
                proof: limit.proof.saturating_sub(rest),
                disproof: limit.disproof.min(with_margin(second)),
            }
        }
    }
}

/// Returns the proof or disproof number of an AND node: the maximum, plus one for each other child.
/// A sum would be too high, because many children transpose into each other.
fn max_plus_count(numbers: impl Iterator<Item = u32>) -> u32 {
    let (most, count) =
        numbers.filter(|&n| n > 0).fold((0, 0), |(most, count), n| (n.max(most), count + 1));
    (most + count.max(1) - 1).min(Numbers::NEVER)
}

/// Returns the number of an AND node whose children have little in common: their sum.
fn capped_sum(numbers: impl Iterator<Item = u32>) -> u32 {
    numbers.fold(0_u32, |sum, number| sum.saturating_add(number).min(Numbers::NEVER))
}

/// Returns the numbers of a node where the attacker chooses.
pub(crate) fn best_attack(children: &[Child]) -> Sum {
    let wins = children.iter().filter(|child| child.numbers.is_won());
    let index = |child: &(usize, &Child)| (child.1.numbers.proof, child.0);
    let best = children.iter().enumerate().min_by_key(index).map_or(0, |(index, _)| index);
    let numbers = match wins.map(|child| u32::from(child.numbers.plies)).min() {
        Some(plies) => Numbers::won(plies + 1),
        None => Numbers {
            proof: children.get(best).map_or(Numbers::NEVER, |child| child.numbers.proof),
            disproof: max_plus_count(children.iter().map(|child| child.numbers.disproof)),
            plies: 0,
        },
    };
    Sum { numbers, best, is_attack: true }
}

/// Returns the numbers of a node where the defender chooses. Every move that is not in `children`
/// loses within `others` plies.
pub(crate) fn all_defences(children: &[Child], others: u32) -> Sum {
    let open = children.iter().enumerate().filter(|(_, child)| !child.numbers.is_won());
    let index = |child: &(usize, &Child)| (child.1.numbers.disproof, child.0);
    let best = open.min_by_key(index).map(|(index, _)| index);
    let numbers = match best {
        None => {
            let longest = children.iter().map(|child| u32::from(child.numbers.plies) + 1).max();
            Numbers::won(longest.unwrap_or(0).max(others))
        }
        Some(best) => Numbers {
            proof: capped_sum(children.iter().map(|child| child.numbers.proof)),
            disproof: children[best].numbers.disproof,
            plies: 0,
        },
    };
    Sum { numbers, best: best.unwrap_or(0), is_attack: false }
}
