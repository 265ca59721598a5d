//! [`SessionTables`]: the tables that sessions keep between their searches, within a limit in MiB.
//!
//! A table passes from backend to backend, so that an idle session has a table and no thread. It reads no
//! clock and searches nothing.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use tengen_engine::GameSpec;
use tengen_engine::table::TableHandle;

use super::queue::SessionId;

/// A table, and the game whose positions are in it.
#[derive(Default)]
pub(super) struct GameTable {
    handle: TableHandle,
    game: Option<GameSpec>,
}

impl GameTable {
    /// Notes a search of this game. Returns the table for it, and whether it is to be cleared: positions of
    /// another game may be in it.
    pub(super) fn for_game(&mut self, game: &GameSpec) -> (TableHandle, bool) {
        if self.game.as_ref() == Some(game) {
            return (self.handle.clone(), false);
        }
        let is_foreign = self.game.replace(game.clone()).is_some();
        (self.handle.clone(), is_foreign)
    }

    /// Returns the table as it is.
    pub(super) fn handle(&self) -> TableHandle {
        self.handle.clone()
    }
}

/// The tables of sessions.
pub(super) struct SessionTables {
    /// The most MiB of all tables.
    most_mib: usize,
    tables: HashMap<SessionId, SessionTable>,
    /// Sessions whose table was dropped. The next search of each gets a warning.
    dropped: HashSet<SessionId>,
}

struct SessionTable {
    table: GameTable,
    /// The size that its session wants.
    asked: usize,
    mib: usize,
    /// When its last search began or ended.
    used: Instant,
    is_busy: bool,
}

/// The table for one search of a session.
pub(super) struct LentTable {
    pub(super) table: TableHandle,
    /// Its size.
    pub(super) mib: usize,
    /// Whether it is to be cleared: entries of another game, or of a session from which it is
    /// isolated, may be in it.
    pub(super) is_foreign: bool,
    /// What the client should know, one line.
    pub(super) warning: Option<String>,
}

impl SessionTables {
    pub(super) fn new(most_mib: usize) -> Self {
        Self { most_mib, tables: HashMap::new(), dropped: HashSet::new() }
    }

    /// Returns the table of a session for a search of `game`, of `asked` MiB or what is free. The
    /// tables that have been idle longest make room.
    pub(super) fn lend(
        &mut self,
        session: SessionId,
        game: &GameSpec,
        asked: usize,
        now: Instant,
    ) -> LentTable {
        let free = self.free_mib();
        let fits = |own: &SessionTable| own.mib == asked || own.mib + free < asked;
        let own = self.tables.get_mut(&session).filter(|own| own.asked == asked && fits(own));
        if let Some(own) = own {
            (own.used, own.is_busy) = (now, true);
            let (table, is_foreign) = own.table.for_game(game);
            return LentTable { table, mib: own.mib, is_foreign, warning: None };
        }
        let before = self.tables.remove(&session);
        let mib = self.make_room(asked.min(self.most_mib));
        let was_dropped = self.dropped.remove(&session);
        let mut table = before.map(|own| own.table).unwrap_or_default();
        let (handle, is_foreign) = table.for_game(game);
        self.tables.insert(session, SessionTable { table, asked, mib, used: now, is_busy: true });
        let warning = match (was_dropped, mib < asked) {
            (_, true) => {
                Some(format!("hash {asked} MiB: the server has room for a table of {mib} MiB"))
            }
            (true, false) => {
                Some("the table was dropped to make room for others: it is empty".to_owned())
            }
            (false, false) => None,
        };
        LentTable { table: handle, mib, is_foreign, warning }
    }

    /// Drops idle tables until there is room for one of `asked` MiB, and returns the size that fits,
    /// at least 1.
    fn make_room(&mut self, asked: usize) -> usize {
        loop {
            let free = self.free_mib();
            if free >= asked {
                return asked;
            }
            let idle = self.tables.iter().filter(|(_, table)| !table.is_busy);
            let Some((&longest, _)) = idle.min_by_key(|(_, table)| table.used) else {
                return free.max(1);
            };
            self.tables.remove(&longest);
            self.dropped.insert(longest);
        }
    }

    /// Notes that a search of a session has ended.
    pub(super) fn give_back(&mut self, session: SessionId, now: Instant) {
        if let Some(table) = self.tables.get_mut(&session) {
            (table.used, table.is_busy) = (now, false);
        }
    }

    /// A session has left: drops its table, unless a search still has it.
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
        self.most_mib.saturating_sub(self.mib())
    }

    /// Returns the MiB of all tables.
    pub(super) fn mib(&self) -> usize {
        self.tables.values().map(|table| table.mib).sum()
    }
}
