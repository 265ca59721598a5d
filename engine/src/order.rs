//! Move ordering: the table's move, the evaluator's rank, killers, history, then the game's own
//! order.

use std::hint::select_unpredictable;

use crate::rules::Game;
use crate::side::Side;

/// How often moves caused cut-offs or failed to, by side and slot. Each search thread has its own.
#[derive(Clone, Debug)]
pub(crate) struct History {
    slots: [Vec<i32>; 2],
}

impl History {
    const MAX: i32 = 1 << 14;

    pub(crate) fn new(slots: usize) -> Self {
        Self { slots: [vec![0; slots], vec![0; slots]] }
    }

    /// Returns how good the moves of a slot were, from minus to plus [`History::MAX`].
    pub(crate) fn value(&self, side: Side, slot: usize) -> i32 {
        self.slots[side.index()][slot]
    }

    /// Moves the value towards its end by a step that shrinks as the end comes nearer.
    pub(crate) fn learn(&mut self, side: Side, slot: usize, depth: u32, good: bool) {
        let step = (depth * depth).min(1024) as i32;
        let value = &mut self.slots[side.index()][slot];
        let towards = if good { step } else { -step };
        *value += towards - *value * step / Self::MAX;
    }
}

/// The two moves that last cut off at a ply.
// CITE: Akl and Newborn, "The principal continuation and the killer heuristic", ACM 1977.
pub(crate) type Killers<M> = [Option<M>; 2];

pub(crate) fn remember_killer<M: Copy + Eq>(killers: &mut Killers<M>, mv: M) {
    if killers[0] != Some(mv) {
        *killers = [Some(mv), killers[0]];
    }
}

/// A move, or its index in a list, with its key: larger keys are searched first, and no two keys of
/// a list are equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ordered<T> {
    pub(crate) key: i64,
    pub(crate) item: T,
}

/// The inputs of one node's move order.
pub(crate) struct Orderer<'a, G: Game> {
    pub(crate) game: &'a G,
    pub(crate) table_move: Option<G::Move>,
    pub(crate) killers: Killers<G::Move>,
    pub(crate) history: Option<&'a History>,
}

impl<G: Game> Orderer<'_, G> {
    /// Fills `out` with `moves` and their keys. From the top: table move, rank, killer, history,
    /// place in the list. Returns the highest rank.
    pub(crate) fn fill(
        &self,
        moves: &[G::Move],
        rank: impl Fn(G::Move) -> i32,
        out: &mut Vec<Ordered<G::Move>>,
    ) -> i32 {
        out.clear();
        let mut highest = i32::MIN;
        let ordered = |(place, &mv)| {
            let rank = rank(mv);
            highest = highest.max(rank);
            Ordered { key: self.key(mv, rank, place), item: mv }
        };
        out.extend(moves.iter().enumerate().map(ordered));
        highest
    }

    /// Returns the key of the move in this place of the list.
    #[inline]
    pub(crate) fn key(&self, mv: G::Move, rank: i32, place: usize) -> i64 {
        let slot = || self.game.history_slot(mv);
        let history = self.history.map_or(0, |h| h.value(self.game.turn(), slot()));
        i64::from(self.table_move == Some(mv)) << 60
            | i64::from(rank + (1 << 15)) << 38
            | self.killer_class(mv) << 36
            | i64::from(history + History::MAX) << 20
            | (0xF_FFFF - place as i64)
    }

    fn killer_class(&self, mv: G::Move) -> i64 {
        match self.killers {
            [Some(first), _] if first == mv => 2,
            [_, Some(second)] if second == mv => 1,
            _ => 0,
        }
    }
}

/// Longer lists than this are sorted at once, since picking the best again and again takes
/// quadratic time.
const LONG: usize = 512;

/// Brings the best of `list[from..]` to `from`, and returns it. Picks are made in turn, from 0 on.
/// Keys differ, so that they come in the order of a full sort.
#[inline]
pub(crate) fn pick<T: Copy>(list: &mut [Ordered<T>], from: usize) -> T {
    if list.len() > LONG {
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
    fn history_stays_within_its_range_and_forgets_slowly() {
        let mut history = History::new(1);
        for _ in 0..10_000 {
            history.learn(Side::First, 0, 200, true);
        }
        let most = history.value(Side::First, 0);
        assert!((1..=History::MAX).contains(&most), "{most}");
        for _ in 0..10_000 {
            history.learn(Side::First, 0, 200, false);
        }
        let least = history.value(Side::First, 0);
        assert!((-History::MAX..0).contains(&least), "{least}");
        assert_eq!(history.value(Side::Second, 0), 0);
    }

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
    fn picking_in_turn_sorts() {
        for length in [1, 5, LONG, LONG + 1] {
            let keys = (0..length as i64).map(|n| n * 7919 % 10_007);
            let mut list: Vec<_> = keys.map(|key| Ordered { key, item: key }).collect();
            let picked: Vec<_> = (0..list.len()).map(|from| pick(&mut list, from)).collect();
            assert!(picked.is_sorted_by(|a, b| a > b), "{length} moves");
            assert_eq!(picked.len(), length);
        }
    }
}
