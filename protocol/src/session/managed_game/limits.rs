//! The limits that the client set for a managed game: time, plies, nodes and memory.
//!
//! It reads no clock: the session tells how long a search took.

use std::time::Duration;

use tengen_engine::{Clock, Limits};

use crate::command::GameLimit;

/// The time for a move, unless the client sets one.
const DEFAULT_TURN: Duration = Duration::from_secs(5);
/// The safety margin of a turn is `MARGIN` plus the turn divided by `MARGIN_SHARE`, but at most
/// half the turn.
const MARGIN: Duration = Duration::from_millis(20);
const MARGIN_SHARE: u32 = 50;
/// The memory that the program needs in addition to its table, in bytes: for code, and for a search
/// on a large board.
const RESERVED_BYTES: u64 = 10 << 20;
/// The maximum table size, in MiB, for a client that limits only the memory.
const MAX_DEFAULT_MIB: u64 = 256;

/// The limits that the client set.
#[derive(Clone, Debug, Default)]
pub(super) struct GameLimits {
    /// The time of a move; [`DEFAULT_TURN`] if the client set none.
    turn: Option<Duration>,
    game: Option<Duration>,
    /// The time left: the client's last value minus the time spent since then.
    left: Option<Duration>,
    increment: Duration,
    depth: Option<u32>,
    nodes: Option<u64>,
    memory: Option<u64>,
    table_kib: Option<u64>,
}

impl GameLimits {
    /// Sets a limit.
    pub(super) fn set(&mut self, limit: GameLimit) {
        match limit {
            GameLimit::Turn(time) => self.turn = Some(time),
            GameLimit::Game(time) => {
                self.game = time;
                self.left = time;
            }
            GameLimit::Left(time) => self.left = time,
            GameLimit::Increment(time) => self.increment = time,
            GameLimit::Depth(plies) => self.depth = plies,
            GameLimit::Nodes(nodes) => self.nodes = nodes,
            GameLimit::Memory(bytes) => self.memory = bytes,
            GameLimit::Table(kib) => self.table_kib = Some(kib),
        }
    }

    /// Resets the clock for a new game.
    pub(super) fn begin(&mut self) {
        self.left = self.game.or(self.left);
    }

    /// Subtracts the time of a move from the clock, and adds the increment.
    pub(super) fn spend(&mut self, time: Duration) {
        if let Some(left) = &mut self.left {
            *left = left.saturating_sub(time) + self.increment;
        }
    }

    /// Returns the limits of the next search.
    pub(super) fn limits(&self) -> Limits {
        let turn = self.turn.unwrap_or(DEFAULT_TURN);
        let margin = (MARGIN + turn / MARGIN_SHARE).min(turn / 2);
        let clock = |left| Clock::new([Some(left); 2], [self.increment; 2]);
        let mut limits = Limits::default().with_movetime(turn - margin);
        limits.depth = self.depth;
        limits.nodes = self.nodes;
        limits.clock = self.left.map(clock);
        limits
    }

    /// Returns the size of the table in MiB; `default` unless the client set a limit. The table
    /// gets at most half of the memory, and leaves [`RESERVED_BYTES`] for everything else.
    pub(super) fn table_mib(&self, default: usize) -> usize {
        let share = |bytes: u64| (bytes / 2).min(bytes.saturating_sub(RESERVED_BYTES)) >> 20;
        let share = self.memory.map(share);
        let mib = match (self.table_kib, share) {
            (Some(kib), Some(share)) => (kib / 1024).min(share),
            (Some(kib), None) => kib / 1024,
            (None, Some(share)) => share.min(MAX_DEFAULT_MIB),
            (None, None) => return default,
        };
        usize::try_from(mib.max(1)).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn limits_of(settings: &[GameLimit]) -> GameLimits {
        let mut limits = GameLimits::default();
        settings.iter().for_each(|limit| limits.set(*limit));
        limits
    }

    #[test]
    fn a_turn_has_a_margin_and_a_turn_of_0_has_none() {
        let turn = |millis| limits_of(&[GameLimit::Turn(ms(millis))]).limits().movetime;
        assert_eq!(turn(5000), Some(ms(4880)));
        assert_eq!(turn(100), Some(ms(78)));
        assert_eq!(turn(20), Some(ms(10)));
        assert_eq!(turn(0), Some(ms(0)));
        assert!(limits_of(&[]).limits().is_bounded());
    }

    #[test]
    fn the_time_left_follows_the_client_and_the_moves() {
        let mut limits =
            limits_of(&[GameLimit::Game(Some(ms(1000))), GameLimit::Increment(ms(10))]);
        let left = |limits: &GameLimits| limits.limits().clock.and_then(|clock| clock.remaining[0]);
        assert_eq!(left(&limits), Some(ms(1000)));
        limits.spend(ms(300));
        assert_eq!(left(&limits), Some(ms(710)));
        limits.set(GameLimit::Left(Some(ms(500))));
        limits.spend(ms(900));
        assert_eq!(left(&limits), Some(ms(10)));
        limits.begin();
        assert_eq!(left(&limits), Some(ms(1000)));
        limits.set(GameLimit::Left(None));
        assert_eq!(left(&limits), None);
        limits.set(GameLimit::Game(None));
        limits.begin();
        assert_eq!(left(&limits), None);
    }

    #[test]
    fn the_table_is_at_most_half_of_the_memory() {
        let table = |settings: &[GameLimit]| limits_of(settings).table_mib(64);
        let memory = |mib: u64| GameLimit::Memory(Some(mib << 20));
        assert_eq!(table(&[]), 64);
        assert_eq!(table(&[memory(80)]), 40);
        assert_eq!(table(&[memory(4096)]), 256);
        assert_eq!(table(&[memory(12)]), 2);
        assert_eq!(table(&[GameLimit::Memory(Some(5))]), 1);
        assert_eq!(table(&[memory(80), GameLimit::Memory(None)]), 64);
        assert_eq!(table(&[GameLimit::Table(8 << 10)]), 8);
        assert_eq!(table(&[GameLimit::Table(100)]), 1);
        assert_eq!(table(&[GameLimit::Table(1 << 20), memory(300)]), 150);
    }
}
