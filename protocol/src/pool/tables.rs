//! [`SessionTables`]: the transposition tables that sessions keep between searches, with a common
//! limit in MiB.
//!
//! A table passes from backend to backend, so that an idle session has a table and no thread.
//! It reads no clock and starts no search.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};

use tengen_engine::table::{KeptWins, TableHandle};
use tengen_engine::{GameSpec, Instant};

use super::queue::SessionId;

/// A table, and the game of the positions in it.
#[derive(Default)]
pub(super) struct GameTable {
    pub(super) handle: TableHandle,
    game: Option<GameSpec>,
}

impl GameTable {
    /// Returns the table for a search of `game`, and whether the table must be cleared because it
    /// may have positions of another game.
    pub(super) fn for_game(&mut self, game: &GameSpec) -> (TableHandle, bool) {
        let before = self.game.replace(game.clone());
        (self.handle.clone(), before.is_some_and(|before| before != *game))
    }
}

/// The proven wins that a session keeps, by game: those of the last games.
#[derive(Default)]
pub(super) struct SessionWins(VecDeque<(GameSpec, KeptWins)>);

impl SessionWins {
    /// The maximum number of games.
    const GAMES: usize = 4;

    /// Returns the wins of `game`; new ones have room for this many positions. Those of the longest unused game are dropped to make room.
    pub(super) fn of_game(&mut self, game: &GameSpec, room: usize) -> KeptWins {
        let known = self.0.iter().position(|(known, _)| known == game);
        let own = known.and_then(|place| self.0.remove(place));
        let own = own.unwrap_or_else(|| (game.clone(), KeptWins::with_room(room)));
        let wins = own.1.clone();
        self.0.push_front(own);
        self.0.truncate(Self::GAMES);
        wins
    }
}

/// The tables of sessions.
pub(super) struct SessionTables {
    /// The limit of all tables together, in MiB.
    max_mib: usize,
    tables: HashMap<SessionId, SessionTable>,
    /// Sessions whose table was dropped. The next search of each gets a warning.
    dropped: HashSet<SessionId>,
}

struct SessionTable {
    table: GameTable,
    /// The size that the session wants, in MiB.
    requested_mib: usize,
    /// The actual size, in MiB.
    mib: usize,
    /// When the last search began or ended.
    last_used: Instant,
    is_busy: bool,
}

/// The table for one search of a session.
pub(super) struct LentTable {
    pub(super) table: TableHandle,
    /// The size, in MiB.
    pub(super) mib: usize,
    /// Whether the table must be cleared, because it may have entries of another game or of an
    /// isolated session.
    pub(super) is_foreign: bool,
    /// A human-readable note for the client, in one line.
    pub(super) warning: Option<String>,
}

impl SessionTables {
    /// Returns no tables yet, with a limit of `max_mib` for all tables together.
    pub(super) fn new(max_mib: usize) -> Self {
        Self { max_mib, tables: HashMap::new(), dropped: HashSet::new() }
    }

    /// Returns the table of a session for a search of `game`. Its size is `requested` MiB, or less
    /// if there is no room. Idle tables of other sessions are dropped to make room, the longest
    /// unused first.
    pub(super) fn lend(
        &mut self,
        session: SessionId,
        game: &GameSpec,
        requested: usize,
        now: Instant,
    ) -> LentTable {
        let free = self.free_mib();
        // A table of less than the requested size is kept while it cannot grow to that size.
        let fits = |own: &SessionTable| own.mib == requested || own.mib + free < requested;
        let own = self.tables.get_mut(&session);
        let own = own.filter(|own| own.requested_mib == requested && fits(own));
        if let Some(own) = own {
            (own.last_used, own.is_busy) = (now, true);
            let (table, is_foreign) = own.table.for_game(game);
            return LentTable { table, mib: own.mib, is_foreign, warning: None };
        }
        let before = self.tables.remove(&session);
        let mib = self.make_room(requested.min(self.max_mib));
        let was_dropped = self.dropped.remove(&session);
        let mut table = before.map(|own| own.table).unwrap_or_default();
        let (handle, is_foreign) = table.for_game(game);
        let own =
            SessionTable { table, requested_mib: requested, mib, last_used: now, is_busy: true };
        self.tables.insert(session, own);
        let warning = if mib < requested {
            Some(format!("hash {requested} MiB: the server has room for a table of {mib} MiB"))
        } else {
            was_dropped
                .then(|| "the table was dropped to make room for others: it is empty".to_owned())
        };
        LentTable { table: handle, mib, is_foreign, warning }
    }

    /// Drops idle tables until there is room for `requested` MiB. Returns the size that fits, at
    /// least 1 MiB.
    fn make_room(&mut self, requested: usize) -> usize {
        loop {
            let free = self.free_mib();
            if free >= requested {
                return requested;
            }
            let idle = self.tables.iter().filter(|(_, table)| !table.is_busy);
            let Some((&oldest, _)) = idle.min_by_key(|(_, table)| table.last_used) else {
                return free.max(1);
            };
            self.tables.remove(&oldest);
            self.dropped.insert(oldest);
        }
    }

    /// Handles the end of a search of a session: its table is idle from `now` on.
    pub(super) fn give_back(&mut self, session: SessionId, now: Instant) {
        if let Some(table) = self.tables.get_mut(&session) {
            (table.last_used, table.is_busy) = (now, false);
        }
    }

    /// Handles the end of a session: drops its table, unless a search still uses it.
    pub(super) fn leave(&mut self, session: SessionId) {
        if self.tables.get(&session).is_some_and(|table| !table.is_busy) {
            self.forget(session);
        }
    }

    /// Drops the table of a session.
    pub(super) fn forget(&mut self, session: SessionId) {
        self.tables.remove(&session);
        self.dropped.remove(&session);
    }

    fn free_mib(&self) -> usize {
        self.max_mib.saturating_sub(self.mib())
    }

    /// Returns the size of all tables together, in MiB.
    pub(super) fn mib(&self) -> usize {
        self.tables.values().map(|table| table.mib).sum()
    }
}
