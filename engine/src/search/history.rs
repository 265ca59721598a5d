//! The history heuristic: statistics about moves of this search, used for move ordering.
//!
//! It uses only sides and slots. [`HistoryTuning`] tells how much it changes the ranks of moves.
// CITE: Schaeffer, "The history heuristic and alpha-beta search enhancements in practice", IEEE
// Transactions on Pattern Analysis and Machine Intelligence 11(11), 1989.

use crate::game::side::Side;
use crate::search::evaluator::ordering::HistoryTuning;
use crate::search::evaluator::selectivity::LateMove;

/// The history of one search thread. A cut-off raises the value of its move, and lowers the values
/// of the moves tried before it. A node with more depth left counts more.
///
/// Moves that make a threat and other moves have separate values.
// CITE: Rapfi, https://github.com/dhbloo/rapfi (a history for threats, and the size of the steps);
// Stockfish, https://github.com/official-stockfish/Stockfish (continuation history).
#[derive(Clone, Debug)]
pub(crate) struct History {
    tuning: HistoryTuning,
    slot_count: usize,
    /// By side, then by whether the move makes a threat, then by slot.
    values: [[Vec<i16>; 2]; 2],
    /// By side, then by the earlier move (0: the last one, 1: the one before), then by the slot of
    /// the earlier move and the slot of the move. Empty if unused.
    continuations: [[Vec<i16>; 2]; 2],
    /// A zero for each slot.
    zeros: Vec<i16>,
}

/// The values of a history that order the moves of one node.
pub(crate) struct HistoryView<'a> {
    tuning: HistoryTuning,
    /// The values of quiet moves, then of threats, by slot.
    values: [&'a [i16]; 2],
    /// The values after each of the last two moves, by slot.
    continuations: [&'a [i16]; 2],
}

/// The side to move and the last two moves, which select the values of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryContext {
    /// The side to move.
    pub(crate) side: Side,
    /// The slots of the last move and of the one before; `None` for a move before the root.
    pub(crate) last: [Option<usize>; 2],
}

/// The slot of a move and whether it makes a threat, which select its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryKey {
    /// The slot that the game gives the move.
    pub(crate) slot: usize,
    /// Whether the move makes a threat.
    pub(crate) is_threat: bool,
}

/// The contribution of the history to the order of a move.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct HistoryOrder {
    /// The amount that is added to the rank.
    pub(crate) rank: i32,
    /// The history of the move, which decides between equal ranks: from minus to plus
    /// [`History::MAX`].
    pub(crate) value: i32,
}

impl History {
    /// The best history of a move; the worst is its negative.
    pub(crate) const MAX: i32 = LateMove::MAX_HISTORY;

    /// Creates an empty history with `slots` slots. Without memory for continuation histories, it
    /// has none.
    pub(crate) fn new(slots: usize, tuning: HistoryTuning) -> Self {
        let continuations = if tuning.continuation == 0 { None } else { try_zeros(slots * slots) };
        let continuation = if continuations.is_some() { tuning.continuation } else { 0 };
        Self {
            tuning: HistoryTuning { continuation, ..tuning },
            slot_count: slots,
            values: [(); 2].map(|()| [(); 2].map(|()| vec![0; slots])),
            continuations: continuations.unwrap_or_default(),
            zeros: vec![0; slots],
        }
    }

    /// Returns the history of a move without continuation histories, from minus to plus
    /// [`History::MAX`].
    #[inline]
    pub(crate) fn value(&self, side: Side, key: HistoryKey) -> i32 {
        i32::from(self.values[side.index()][usize::from(key.is_threat)][key.slot])
    }

    /// Returns the values that order the moves of a node.
    #[inline]
    pub(crate) fn view(&self, context: HistoryContext) -> HistoryView<'_> {
        let side = context.side.index();
        let [quiet, threat] = &self.values[side];
        let after = |back: usize| match context.last[back] {
            Some(last) if self.tuning.continuation != 0 => {
                &self.continuations[side][back][last * self.slot_count..][..self.slot_count]
            }
            _ => &self.zeros,
        };
        HistoryView {
            tuning: self.tuning,
            values: [quiet, threat],
            continuations: [after(0), after(1)],
        }
    }

    /// Raises the values of a move if it `is_good`, else lowers them. `depth` is that of the node.
    pub(crate) fn update(
        &mut self,
        context: HistoryContext,
        key: HistoryKey,
        depth: u32,
        is_good: bool,
    ) {
        let side = context.side.index();
        update_value(&mut self.values[side][usize::from(key.is_threat)][key.slot], depth, is_good);
        if self.tuning.continuation == 0 {
            return;
        }
        for (rows, last) in self.continuations[side].iter_mut().zip(context.last) {
            if let Some(last) = last {
                update_value(&mut rows[last * self.slot_count + key.slot], depth, is_good);
            }
        }
    }
}

/// Allocates four tables of `count` zeros; `None` without memory.
fn try_zeros(count: usize) -> Option<[[Vec<i16>; 2]; 2]> {
    let mut tables = <[[Vec<i16>; 2]; 2]>::default();
    for table in tables.as_flattened_mut() {
        table.try_reserve_exact(count).ok()?;
        table.resize(count, 0);
    }
    Some(tables)
}

impl HistoryView<'_> {
    /// Returns the contribution of the history to the order of a move.
    #[inline]
    pub(crate) fn order_of(&self, key: HistoryKey) -> HistoryOrder {
        let HistoryTuning { quiet, threat, continuation } = self.tuning;
        let weight = if key.is_threat { threat } else { quiet };
        let value = i32::from(self.values[usize::from(key.is_threat)][key.slot]);
        let continued: i32 = self.continuations.iter().map(|row| i32::from(row[key.slot])).sum();
        HistoryOrder { rank: (value * weight + continued * continuation) / History::MAX, value }
    }
}

/// Raises or lowers a value by a bonus of 40 d^2 + 160 d - 240 for depth d, at least 1 and at most
/// 5/6 of [`History::MAX`]. The value first shrinks by the fraction bonus / [`History::MAX`].
fn update_value(value: &mut i16, depth: u32, is_good: bool) {
    let depth = depth.min(32) as i32;
    let size = (40 * depth * depth + 160 * depth - 240).clamp(1, History::MAX * 5 / 6);
    let bonus = if is_good { size } else { -size };
    let before = i32::from(*value);
    *value = (before + bonus - before * size / History::MAX) as i16;
}

#[cfg(test)]
mod tests {
    use super::*;

    const TUNING: HistoryTuning = HistoryTuning { quiet: 100, threat: 200, continuation: 50 };

    const ROOT: HistoryContext = HistoryContext { side: Side::First, last: [None, None] };

    fn quiet(slot: usize) -> HistoryKey {
        HistoryKey { slot, is_threat: false }
    }

    #[test]
    fn values_stay_within_their_range_and_can_change_sign() {
        let mut history = History::new(1, HistoryTuning::NONE);
        for _ in 0..10_000 {
            history.update(ROOT, quiet(0), 200, true);
        }
        let most = history.value(Side::First, quiet(0));
        assert!((1..=History::MAX).contains(&most), "{most}");
        for _ in 0..10_000 {
            history.update(ROOT, quiet(0), 200, false);
        }
        let least = history.value(Side::First, quiet(0));
        assert!((-History::MAX..0).contains(&least), "{least}");
        assert_eq!(history.value(Side::Second, quiet(0)), 0);
    }

    #[test]
    fn every_depth_raises_a_value_and_more_depth_raises_it_more() {
        let value_after = |depth| {
            let mut history = History::new(1, HistoryTuning::NONE);
            history.update(ROOT, quiet(0), depth, true);
            history.value(Side::First, quiet(0))
        };
        let values: Vec<i32> = (1..10).map(value_after).collect();
        assert!(values[0] > 0 && values.is_sorted_by(|a, b| a < b), "{values:?}");
    }

    #[test]
    fn without_weights_the_rank_does_not_change() {
        let mut history = History::new(2, HistoryTuning::NONE);
        history.update(ROOT, quiet(1), 9, true);
        let order = history.view(ROOT).order_of(quiet(1));
        assert_eq!(order.rank, 0);
        assert!(order.value > 0);
    }

    #[test]
    fn threats_and_other_moves_have_separate_values() {
        let mut history = History::new(2, TUNING);
        let threat = HistoryKey { slot: 1, is_threat: true };
        history.update(ROOT, threat, 9, true);
        assert_eq!(history.view(ROOT).order_of(quiet(1)), HistoryOrder::default());
        let order = history.view(ROOT).order_of(threat);
        assert_eq!(order.rank, order.value * 200 / History::MAX);
    }

    #[test]
    fn a_move_that_did_well_after_another_ranks_higher_after_it() {
        let mut history = History::new(3, TUNING);
        let after = |last| HistoryContext { last, ..ROOT };
        history.update(after([Some(2), Some(0)]), quiet(1), 9, true);
        let rank = |last| history.view(after(last)).order_of(quiet(1)).rank;
        let [elsewhere, one, both] =
            [[None, None], [Some(2), Some(1)], [Some(2), Some(0)]].map(rank);
        assert!(0 < elsewhere && elsewhere < one && one < both, "{elsewhere} {one} {both}");
        assert_eq!(rank([Some(0), Some(2)]), elsewhere, "the order of the two moves counts");
    }
}
