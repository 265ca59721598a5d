//! The history heuristic: how well moves did in this search, wherever they were played.
//!
//! It knows sides and slots of moves. What it is worth for the order is data of the evaluator, and
//! who asks is in `search/move_loop.rs`.
// CITE: Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE
// Transactions on Pattern Analysis and Machine Intelligence 11(11), 1989.

use crate::ordering::HistoryTuning;
use crate::selectivity::LateMove;
use crate::side::Side;

/// How often moves caused cut-offs or failed to. Each search thread has its own.
///
/// Moves that make a threat and other moves are counted apart.
// CITE: Rapfi, https://github.com/dhbloo/rapfi (a history for threats, and the size of the steps);
// Stockfish, https://github.com/official-stockfish/Stockfish (continuation history).
#[derive(Clone, Debug)]
pub(crate) struct History {
    tuning: HistoryTuning,
    slots: usize,
    /// By side, then by whether the move makes a threat, then by slot.
    values: [[Vec<i16>; 2]; 2],
    /// By side, then by whether the earlier move is the last one or the one before, then by the slot
    /// of that move and the slot of the move itself. Empty where it is not used.
    continuations: [[Vec<i16>; 2]; 2],
    /// A zero for each slot.
    zeros: Vec<i16>,
}

/// The part of a history that a node needs, for many moves.
pub(crate) struct NodeHistory<'a> {
    tuning: HistoryTuning,
    /// The values of quiet moves, then of threats, by slot.
    values: [&'a [i16]; 2],
    /// The values after each of the last two moves, by slot.
    continuations: [&'a [i16]; 2],
}

/// By what the histories of a node are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryNode {
    /// The side to move.
    pub(crate) side: Side,
    /// The slots of the last move and of the one before, where this search played them.
    pub(crate) last: [Option<usize>; 2],
}

/// By what the histories of a move are found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryMove {
    /// The slot that its game gives it.
    pub(crate) slot: usize,
    /// Whether it makes a threat.
    pub(crate) is_threat: bool,
}

/// What the history says of a move, for the order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Learned {
    /// How much is added to its rank.
    pub(crate) rank: i32,
    /// Its history, which decides between equal ranks: from minus to plus [`History::MAX`].
    pub(crate) value: i32,
}

impl History {
    /// The best history of a move; the worst is its negative.
    pub(crate) const MAX: i32 = LateMove::MAX_HISTORY;

    /// Returns the history of a new search, of moves in so many slots.
    pub(crate) fn new(slots: usize, tuning: HistoryTuning) -> Self {
        let pairs = if tuning.continuation == 0 { 0 } else { slots * slots };
        let zeros = |count: usize| [(); 2].map(|()| [(); 2].map(|()| vec![0; count]));
        Self {
            tuning,
            slots,
            values: zeros(slots),
            continuations: zeros(pairs),
            zeros: vec![0; slots],
        }
    }

    /// Returns how good the moves of a slot were, from minus to plus [`History::MAX`].
    #[inline]
    pub(crate) fn value(&self, side: Side, mv: HistoryMove) -> i32 {
        i32::from(self.values[side.index()][usize::from(mv.is_threat)][mv.slot])
    }

    /// Returns the part that `node` needs.
    #[inline]
    pub(crate) fn of_node(&self, node: HistoryNode) -> NodeHistory<'_> {
        let side = node.side.index();
        let [quiet, threat] = &self.values[side];
        let after = |back: usize| match node.last[back] {
            Some(last) if self.tuning.continuation != 0 => {
                &self.continuations[side][back][last * self.slots..][..self.slots]
            }
            _ => &self.zeros,
        };
        NodeHistory {
            tuning: self.tuning,
            values: [quiet, threat],
            continuations: [after(0), after(1)],
        }
    }

    /// Moves the values of a move towards their best or their worst, by a step that grows with the
    /// depth and shrinks as the end comes nearer.
    pub(crate) fn learn(&mut self, node: HistoryNode, mv: HistoryMove, depth: u32, is_good: bool) {
        let side = node.side.index();
        learn(&mut self.values[side][usize::from(mv.is_threat)][mv.slot], depth, is_good);
        if self.tuning.continuation == 0 {
            return;
        }
        for (of_stone, last) in self.continuations[side].iter_mut().zip(node.last) {
            if let Some(last) = last {
                learn(&mut of_stone[last * self.slots + mv.slot], depth, is_good);
            }
        }
    }
}

impl NodeHistory<'_> {
    /// Returns what the order should know of a move.
    #[inline]
    pub(crate) fn learned(&self, mv: HistoryMove) -> Learned {
        let HistoryTuning { quiet, threat, continuation } = self.tuning;
        let most = if mv.is_threat { threat } else { quiet };
        let value = i32::from(self.values[usize::from(mv.is_threat)][mv.slot]);
        let continued: i32 = self.continuations.iter().map(|row| i32::from(row[mv.slot])).sum();
        Learned { rank: (value * most + continued * continuation) / History::MAX, value }
    }
}

fn learn(value: &mut i16, depth: u32, is_good: bool) {
    let plies = depth.min(32) as i32 + 2;
    let step = (40 * (plies * plies - 10)).clamp(1, History::MAX * 5 / 6);
    let before = i32::from(*value);
    let towards = if is_good { step } else { -step };
    *value = (before + towards - before * step / History::MAX) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    const TUNING: HistoryTuning = HistoryTuning { quiet: 100, threat: 200, continuation: 50 };

    const ROOT: HistoryNode = HistoryNode { side: Side::First, last: [None, None] };

    fn quiet(slot: usize) -> HistoryMove {
        HistoryMove { slot, is_threat: false }
    }

    #[test]
    fn values_stay_within_their_range_and_can_come_back() {
        let mut history = History::new(1, HistoryTuning::NONE);
        for _ in 0..10_000 {
            history.learn(ROOT, quiet(0), 200, true);
        }
        let most = history.value(Side::First, quiet(0));
        assert!((1..=History::MAX).contains(&most), "{most}");
        for _ in 0..10_000 {
            history.learn(ROOT, quiet(0), 200, false);
        }
        let least = history.value(Side::First, quiet(0));
        assert!((-History::MAX..0).contains(&least), "{least}");
        assert_eq!(history.value(Side::Second, quiet(0)), 0);
    }

    #[test]
    fn every_depth_teaches_and_a_deeper_one_teaches_more() {
        let value_after = |depth| {
            let mut history = History::new(1, HistoryTuning::NONE);
            history.learn(ROOT, quiet(0), depth, true);
            history.value(Side::First, quiet(0))
        };
        let values: Vec<i32> = (1..10).map(value_after).collect();
        assert!(values[0] > 0 && values.is_sorted_by(|a, b| a < b), "{values:?}");
    }

    #[test]
    fn without_weights_the_rank_stays() {
        let mut history = History::new(2, HistoryTuning::NONE);
        history.learn(ROOT, quiet(1), 9, true);
        let learned = history.of_node(ROOT).learned(quiet(1));
        assert_eq!(learned.rank, 0);
        assert!(learned.value > 0);
    }

    #[test]
    fn threats_and_other_moves_are_counted_apart() {
        let mut history = History::new(2, TUNING);
        let threat = HistoryMove { slot: 1, is_threat: true };
        history.learn(ROOT, threat, 9, true);
        assert_eq!(history.of_node(ROOT).learned(quiet(1)), Learned::default());
        let learned = history.of_node(ROOT).learned(threat);
        assert_eq!(learned.rank, learned.value * 200 / History::MAX);
    }

    #[test]
    fn a_move_that_did_well_after_a_stone_ranks_higher_after_it() {
        let mut history = History::new(3, TUNING);
        let after = |last| HistoryNode { last, ..ROOT };
        history.learn(after([Some(2), Some(0)]), quiet(1), 9, true);
        let rank = |last| history.of_node(after(last)).learned(quiet(1)).rank;
        let [elsewhere, one, both] =
            [[None, None], [Some(2), Some(1)], [Some(2), Some(0)]].map(rank);
        assert!(0 < elsewhere && elsewhere < one && one < both, "{elsewhere} {one} {both}");
        assert_eq!(rank([Some(0), Some(2)]), elsewhere, "the order of the stones counts");
    }
}
