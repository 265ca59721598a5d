//! Move ordering: the table move, then the sum of rank and history, then killers, then the history
//! alone, then the order of the game's list.

use std::hint::select_unpredictable;

use crate::search::history::{History, HistoryOrder};

/// The two last moves that caused a cut-off at a ply.
// CITE: Akl and Newborn, "The principal continuation and the killer heuristic", ACM 1977.
pub(crate) type Killers<M> = [Option<M>; 2];

pub(crate) fn remember_killer<M: Copy + Eq>(killers: &mut Killers<M>, mv: M) {
    if killers[0] != Some(mv) {
        *killers = [Some(mv), killers[0]];
    }
}

/// A move, or its index in a list, with its order key. Larger keys are searched first. The keys of
/// a list are distinct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordered<T> {
    pub(crate) key: i64,
    pub(crate) item: T,
}

/// The move ordering of one node: its table move and its killers.
pub(crate) struct Orderer<M> {
    pub(crate) table_move: Option<M>,
    pub(crate) killers: Killers<M>,
}

impl<M: Copy + Eq> Orderer<M> {
    /// Fills `out` with `moves` and their order keys. Returns the highest rank, without the
    /// history.
    pub(crate) fn fill(
        &self,
        moves: &[M],
        rank: impl Fn(M) -> i32,
        history: impl Fn(M) -> HistoryOrder,
        out: &mut Vec<Ordered<M>>,
    ) -> i32 {
        out.clear();
        let mut highest = i32::MIN;
        let ordered = |(place, &mv)| {
            let rank = rank(mv);
            highest = highest.max(rank);
            Ordered { key: self.key(mv, rank, history(mv), place), item: mv }
        };
        out.extend(moves.iter().enumerate().map(ordered));
        highest
    }

    /// Returns the order key of a move. `place` is its index in the list. The parts of the key,
    /// from the highest bits: table move, sum of rank and history, killer, history, place.
    #[inline]
    pub(crate) fn key(&self, mv: M, rank: i32, history: HistoryOrder, place: usize) -> i64 {
        i64::from(self.table_move == Some(mv)) << 60
            | i64::from(rank + history.rank + (1 << 16)) << 38
            | self.killer_class(mv) << 36
            | i64::from(history.value + History::MAX) << 20
            | (0xF_FFFF - place as i64)
    }

    fn killer_class(&self, mv: M) -> i64 {
        match self.killers {
            [Some(first), _] if first == mv => 2,
            [_, Some(second)] if second == mv => 1,
            _ => 0,
        }
    }
}

/// Longer lists are sorted completely, because picking the best move again and again takes
/// quadratic time.
const MAX_PICKED: usize = 512;

/// Moves the best item of `list[from..]` to the index `from`, and returns it. The caller picks in
/// turn, from 0 on. The result is the order of a full sort, because the keys are distinct.
#[inline]
pub(crate) fn pick<T: Copy>(list: &mut [Ordered<T>], from: usize) -> T {
    if list.len() > MAX_PICKED {
        if from == 0 {
            list.sort_unstable_by_key(|ordered| std::cmp::Reverse(ordered.key));
        }
        return list[from].item;
    }
    let mut best = (from, list[from].key);
    for (index, ordered) in list.iter().enumerate().skip(from + 1) {
        best = select_unpredictable(ordered.key > best.1, (index, ordered.key), best);
    }
    list.swap(from, best.0);
    list[from].item
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killer_is_kept_once() {
        let mut killers = [None, None];
        remember_killer(&mut killers, 1);
        remember_killer(&mut killers, 1);
        assert_eq!(killers, [Some(1), None]);
        remember_killer(&mut killers, 2);
        assert_eq!(killers, [Some(2), Some(1)]);
    }

    #[test]
    fn moves_are_ordered_by_table_move_then_rank_and_history_then_killers_then_history() {
        let orderer = Orderer { table_move: Some(0), killers: [Some(1), None] };
        let history = |rank, value| HistoryOrder { rank, value };
        let (low, high) = (i32::from(i16::MIN), i32::from(i16::MAX));
        let keys = [
            orderer.key(0, low, history(-30_000, -History::MAX), 500),
            orderer.key(2, high, history(30_000, History::MAX), 0),
            orderer.key(3, high, history(29_999, History::MAX), 0),
            orderer.key(1, low, history(1, -History::MAX), 500),
            orderer.key(4, low, history(1, History::MAX), 0),
            orderer.key(5, low, history(1, 0), 0),
            orderer.key(6, low, history(1, 0), 1),
            orderer.key(7, low, history(-30_000, -History::MAX), 500),
        ];
        assert!(keys.is_sorted_by(|a, b| a > b), "{keys:?}");
        assert!(keys[7] >= 0);
    }

    #[test]
    fn picking_in_turn_sorts() {
        for length in [1, 5, MAX_PICKED, MAX_PICKED + 1] {
            let keys = (0..length as i64).map(|n| n * 7919 % 10_007);
            let mut list: Vec<_> = keys.map(|key| Ordered { key, item: key }).collect();
            let picked: Vec<_> = (0..list.len()).map(|from| pick(&mut list, from)).collect();
            assert!(picked.is_sorted_by(|a, b| a > b), "{length} moves");
            assert_eq!(picked.len(), length);
        }
    }
}
