//! [`Store`]: the file of the rooms. Each change of a room is a line of a journal. It is on disk before a session
//! gets it.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tengen_protocol::dialect::json::rooms::RoomTerms;
use tengen_runs::Error;
use tengen_runs::journal::{Journal, Journaled};

use super::room::{Deed, KEPT_MS, Seat};

/// The file whose time of change is the last time at which a server kept the clocks.
const ALIVE: &str = "alive";

/// A line of the file. Times are in milliseconds since 1970.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum RoomRecord {
    /// A room was made.
    Made {
        room: u64,
        at: u64,
        terms: RoomTerms,
        /// The SHA-256 of the secrets of player 1, of player 2, and of people who look on.
        keys: [String; 3],
    },
    /// A player did something.
    Did { room: u64, at: u64, by: Seat, deed: Deed },
    /// There was no server.
    Down { from: u64, to: u64 },
}

impl RoomRecord {
    /// Returns the room, and when it was changed; `None` if the record is about all rooms.
    const fn room(&self) -> Option<(u64, u64)> {
        match self {
            Self::Made { room, at, .. } | Self::Did { room, at, .. } => Some((*room, *at)),
            Self::Down { .. } => None,
        }
    }

    /// Returns the time at which it was written.
    const fn time(&self) -> u64 {
        match self {
            Self::Made { at, .. } | Self::Did { at, .. } => *at,
            Self::Down { to, .. } => *to,
        }
    }
}

impl Journaled for RoomRecord {
    const UNIT: &'static str = "room";
    const HOLDER: &'static str = "another server keeps its rooms";
    const WITHOUT: &'static str =
        "its room lacks what it says, and is left out if a later line is not possible then";

    fn result_of(&self) -> Option<u64> {
        None
    }
}

/// The file of the rooms, open for writing.
pub(crate) struct Store {
    journal: Journal<RoomRecord>,
    alive: File,
    folder: PathBuf,
}

/// Returns the system's time in milliseconds.
pub(crate) fn system_time() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Store {
    /// Opens the file in a folder, which is created if needed. Returns the records of rooms that have not ended,
    /// with the time of the last sign of a server before.
    pub(crate) fn open(folder: &Path) -> Result<(Self, Vec<RoomRecord>, u64), Error> {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(Error::at(folder))?;
        let (journal, records) = Journal::open(folder)?;
        let path = folder.join(ALIVE);
        // Before it is made: a new file has the time of now.
        let changed = std::fs::metadata(&path).and_then(|data| data.modified());
        let alive = File::options().write(true).create(true).truncate(false).open(&path);
        let alive = alive.map_err(Error::at(&path))?;
        let changed = changed.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or_default());
        let written = records.iter().map(RoomRecord::time).max();
        let seen = written.map_or(0, |written| written.max(changed));
        let mut store = Self { journal, alive, folder: folder.to_owned() };
        store.hide();
        let records =
            store.forget_ended(records, system_time().max(written.unwrap_or_default()))?;
        Ok((store, records, seen))
    }

    /// Appends records. They are on disk when this returns.
    pub(crate) fn append(&mut self, records: &[RoomRecord]) -> Result<(), Error> {
        self.journal.append(records)
    }

    /// Reads all records again.
    pub(crate) fn records(&self) -> Result<Vec<RoomRecord>, Error> {
        self.journal.records()
    }

    /// Notes that the server keeps the clocks at the time `at`.
    pub(crate) fn beat(&self, at: u64) {
        let time = UNIX_EPOCH + Duration::from_millis(at);
        if let Err(error) = self.alive.set_modified(time) {
            tracing::warn!(%error, "after a kill the clocks of rooms go back to their last move");
        }
    }

    /// Removes the rooms that have ended at the time `at` from the file. Returns the other records.
    pub(crate) fn forget_ended(
        &mut self,
        records: Vec<RoomRecord>,
        at: u64,
    ) -> Result<Vec<RoomRecord>, Error> {
        let recent = records.iter().filter_map(RoomRecord::room);
        let live: HashSet<u64> =
            recent.filter(|(_, time)| time + KEPT_MS > at).map(|(room, _)| room).collect();
        let all = records.len();
        let is_live = |record: &RoomRecord| match record.room() {
            Some((room, _)) => live.contains(&room),
            None => !live.is_empty(),
        };
        let kept: Vec<RoomRecord> = records.into_iter().filter(is_live).collect();
        if kept.len() < all {
            self.journal.rewrite(&kept)?;
            self.hide();
        }
        Ok(kept)
    }

    /// Lets only the user of the server read the files.
    #[cfg(unix)]
    fn hide(&self) {
        use std::os::unix::fs::PermissionsExt;
        for name in ["journal.jsonl", "lock", ALIVE] {
            let mode = std::fs::Permissions::from_mode(0o600);
            if let Err(error) = std::fs::set_permissions(self.folder.join(name), mode) {
                tracing::warn!(name, %error, "others may be able to read a file of the rooms");
            }
        }
    }

    /// Elsewhere the folder of a user is the user's own.
    #[cfg(not(unix))]
    fn hide(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(room: u64, at: u64) -> RoomRecord {
        let keys = ["a", "b", "c"].map(str::to_owned);
        RoomRecord::Made { room, at, terms: RoomTerms::default(), keys }
    }

    fn did(room: u64, at: u64, text: &str) -> RoomRecord {
        RoomRecord::Did { room, at, by: 1, deed: Deed::Act(text.to_owned()) }
    }

    #[test]
    fn rooms_are_kept_for_a_day_and_the_file_is_locked() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("rooms");
        let (mut store, records, seen) = Store::open(&folder).unwrap();
        assert!(records.is_empty() && seen == 0);
        let now = system_time();
        let old = now - KEPT_MS;
        let live = [made(2, old), did(2, now - 9, "h8"), RoomRecord::Down { from: 1, to: now - 8 }];
        store.append(&[made(1, old - 2), did(1, old - 1, "a1")]).unwrap();
        store.append(&live).unwrap();
        assert!(matches!(Store::open(&folder).map(drop), Err(Error::Locked { .. })));
        store.beat(now - 5);
        drop(store);
        let (mut store, records, seen) = Store::open(&folder).unwrap();
        assert_eq!((&records[..], seen), (&live[..], now - 5));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode(&folder), 0o700);
            for file in std::fs::read_dir(&folder).unwrap() {
                assert_eq!(mode(&file.unwrap().path()), 0o600);
            }
        }
        store.append(&[did(2, now, "h9")]).unwrap();
        drop(store);
        let (store, records, _) = Store::open(&folder).unwrap();
        assert_eq!(records.len(), 4);
        assert_eq!(store.records().unwrap(), records);
    }
}
