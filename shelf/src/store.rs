//! [`Shelf`]: the file of SQLite, and the transactions that add games to it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior, params};
use tengen_engine::backend::Catalog;

use crate::Error;
use crate::board::{Board, read_board};
use crate::error::VERSION;

/// The mark of a shelf in the header of SQLite: `TGsh`.
const APPLICATION: i64 = 0x5447_7368;
const SCHEMA: &str = include_str!("schema.sql");
/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);
/// The memory of SQLite for pages, in KiB.
const CACHE: i64 = 64 << 10;
/// The number of prepared statements that are kept.
const STATEMENTS: usize = 64;
/// After how many steps of SQLite a statement asks whether it is to end: about a tenth of a millisecond.
const STEPS: i32 = 2000;

/// A shelf: games, positions and analysis in a file of SQLite.
pub struct Shelf {
    pub(crate) path: PathBuf,
    pub(crate) db: Connection,
    pub(crate) catalog: &'static dyn Catalog,
    /// The boards read so far, by id.
    boards: HashMap<i64, Arc<Board>>,
    /// When the file was changed, if it is read as it stands.
    changed: Option<SystemTime>,
}

/// Refuses a folder, and a file in a folder that is not there.
fn check_path(path: &Path) -> Result<(), Error> {
    let refused = |why: String| Err(Error::NotOpened { path: path.to_owned(), why });
    if path.is_dir() {
        return refused("this is a folder: name a file in it".to_owned());
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists()) {
        Some(folder) => refused(format!("there is no folder {}: make it first", folder.display())),
        None => Ok(()),
    }
}

/// Returns the error of a file that was not opened, with the reason of the system where SQLite gives none.
fn not_opened(path: &Path, is_written: bool, error: &rusqlite::Error) -> Error {
    if !matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly)) {
        return Error::of(path, error);
    }
    let why = match OpenOptions::new().read(true).write(is_written).open(path) {
        Err(why) => why.to_string(),
        // The files -wal and -shm.
        Ok(_) => "no permission to write in its folder, where SQLite keeps two files while the shelf is open".to_owned(),
    };
    Error::NotOpened { path: path.to_owned(), why }
}

/// Returns whether all of a shelf is in its file: nobody has it open for changes, and nobody was killed while he changed it.
fn is_whole(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).metadata().map_or(true, |log| log.len() == 0)
}

/// Returns when a file was changed; `None` if the system does not say it.
fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|file| file.modified()).ok()
}

/// Returns the address of a file that SQLite reads as it stands, without files beside it.
///
/// CITE: <https://www.sqlite.org/uri.html>: `immutable`, and the characters with a meaning in addresses.
fn address_as_it_stands(path: &Path) -> Option<String> {
    let path = path.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("file:{path}?immutable=1"))
}

impl Shelf {
    /// Opens a shelf for changes; makes one if there is no file.
    pub fn create_or_open(path: &Path, catalog: &'static dyn Catalog) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        Self::open_with(path, catalog, flags)
    }

    /// Opens a shelf for changes.
    pub fn open(path: &Path, catalog: &'static dyn Catalog) -> Result<Self, Error> {
        if !path.exists() {
            return Err(Error::Missing(path.to_owned()));
        }
        Self::open_with(path, catalog, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens a shelf that is only read.
    ///
    /// In a folder where this program may not write, the file is read as it stands. [`Shelf::refresh`] finds later changes.
    pub fn open_to_read(path: &Path, catalog: &'static dyn Catalog) -> Result<Self, Error> {
        if !path.exists() {
            return Err(Error::Missing(path.to_owned()));
        }
        let opened = Self::open_with(path, catalog, OpenFlags::SQLITE_OPEN_READ_ONLY);
        if !matches!(opened, Err(Error::NotOpened { .. }))
            || File::open(path).is_err()
            || !is_whole(path)
        {
            return opened;
        }
        let Some(address) = address_as_it_stands(path) else { return opened };
        let changed = changed(path);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let mut shelf = Self::connect(path, Path::new(&address), catalog, flags)?;
        shelf.changed = changed;
        Ok(shelf)
    }

    /// Opens a shelf that is read as it stands once more, if its file has changed since. Another one sees changes by itself.
    pub fn refresh(&mut self) -> Result<(), Error> {
        if self.changed.is_some() && self.changed != changed(&self.path) {
            *self = Self::open_to_read(&self.path, self.catalog)?;
        }
        Ok(())
    }

    fn open_with(
        path: &Path,
        catalog: &'static dyn Catalog,
        flags: OpenFlags,
    ) -> Result<Self, Error> {
        check_path(path)?;
        Self::connect(path, path, catalog, flags)
    }

    /// Opens the file at `path` by its address.
    fn connect(
        path: &Path,
        address: &Path,
        catalog: &'static dyn Catalog,
        flags: OpenFlags,
    ) -> Result<Self, Error> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let is_written = !flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY);
        let error = |error: rusqlite::Error| not_opened(path, is_written, &error);
        let db = Connection::open_with_flags(address, flags).map_err(error)?;
        let boards = HashMap::new();
        let mut shelf = Self { path: path.to_owned(), db, catalog, boards, changed: None };
        shelf.prepare().map_err(error)?;
        shelf.check_version(is_written)?;
        Ok(shelf)
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        self.db.busy_timeout(PATIENCE)?;
        self.db.set_prepared_statement_cache_capacity(STATEMENTS);
        self.db.pragma_update(None, "cache_size", -CACHE)?;
        // A killed program loses nothing that was committed. A power cut may take the last commits.
        self.db.pragma_update(None, "synchronous", "normal")
    }

    /// Checks that the file is a shelf of this version. An empty file becomes one, if `is_written`.
    fn check_version(&mut self, is_written: bool) -> Result<(), Error> {
        let error = |error: rusqlite::Error| not_opened(&self.path, is_written, &error);
        let number =
            |db: &Connection, name: &str| db.pragma_query_value(None, name, |row| row.get(0));
        let mut version: i64 = number(&self.db, "user_version").map_err(error)?;
        if version == 0 && is_written {
            let path = self.path.clone();
            let error = |error: rusqlite::Error| Error::of(&path, &error);
            // Another program may make the tables at the same time.
            let begin = TransactionBehavior::Immediate;
            let transaction = self.db.transaction_with_behavior(begin).map_err(error)?;
            version = number(&transaction, "user_version").map_err(error)?;
            let tables = "SELECT count(*) FROM sqlite_schema";
            let tables: i64 = transaction.query_row(tables, [], |row| row.get(0)).map_err(error)?;
            if version == 0 && tables == 0 {
                transaction.execute_batch(SCHEMA).map_err(error)?;
                transaction.pragma_update(None, "application_id", APPLICATION).map_err(error)?;
                transaction.pragma_update(None, "user_version", VERSION).map_err(error)?;
                version = VERSION;
            }
            transaction.commit().map_err(error)?;
        }
        let error = |error: rusqlite::Error| Error::of(&self.path, &error);
        let application: i64 = number(&self.db, "application_id").map_err(error)?;
        if application != APPLICATION || version == 0 {
            return Err(Error::NotAShelf(self.path.clone()));
        }
        if version > VERSION {
            return Err(Error::Newer { path: self.path.clone(), version });
        }
        if is_written {
            let wal = self.db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()));
            wal.map_err(error)?;
        }
        Ok(())
    }

    /// Ends statements early, with [`Error::Stopped`], as soon as `is_over` returns true.
    pub fn stop_when(&mut self, is_over: impl Fn() -> bool + Send + 'static) -> Result<(), Error> {
        let set = self.db.progress_handler(STEPS, Some(is_over));
        set.map_err(|error| Error::of(&self.path, &error))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in a transaction. An error leaves the shelf as it was.
    pub(crate) fn write<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.sql(|db| db.execute_batch("BEGIN IMMEDIATE"))?;
        let done =
            work(self).and_then(|done| self.sql(|db| db.execute_batch("COMMIT")).map(|()| done));
        if done.is_err() && !self.db.is_autocommit() {
            // SQLite has rolled back already after some errors.
            let _ = self.db.execute_batch("ROLLBACK");
        }
        done
    }

    /// Runs `work` on the connection.
    pub(crate) fn sql<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        work(&self.db).map_err(|error| Error::of(&self.path, &error))
    }

    /// Returns a number of the table `meta`, or 0.
    pub(crate) fn meta(&self, name: &str) -> Result<i64, Error> {
        let select = "SELECT value FROM meta WHERE name = ?1";
        self.sql(|db| db.prepare_cached(select)?.query_row([name], |row| row.get(0)).optional())
            .map(Option::unwrap_or_default)
    }

    /// Sets a number of the table `meta`.
    pub(crate) fn set_meta(&self, name: &str, value: i64) -> Result<(), Error> {
        let insert = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
        self.sql(|db| db.prepare_cached(insert)?.execute(params![name, value])).map(drop)
    }

    /// Returns the board with this id.
    pub(crate) fn board(&mut self, id: i64) -> Result<Arc<Board>, Error> {
        if let Some(board) = self.boards.get(&id) {
            return Ok(Arc::clone(board));
        }
        let select = "SELECT variant, options FROM boards WHERE id = ?1";
        let (variant, options): (String, String) =
            self.sql(|db| db.query_row(select, [id], |row| Ok((row.get(0)?, row.get(1)?))))?;
        let board = Arc::new(read_board(self.catalog, &variant, &options)?);
        self.boards.insert(id, Arc::clone(&board));
        Ok(board)
    }

    /// Returns the id of a board; `None` if the shelf does not have it.
    pub(crate) fn board_id(&self, name: &str) -> Result<Option<i64>, Error> {
        let select = "SELECT id FROM boards WHERE name = ?1";
        self.sql(|db| db.prepare_cached(select)?.query_row([name], |row| row.get(0)).optional())
    }

    /// Returns the id of a board, which is added if the shelf does not have it.
    pub fn keep_board(&self, board: &Board) -> Result<i64, Error> {
        if let Some(id) = self.board_id(&board.name)? {
            return Ok(id);
        }
        let insert = "INSERT INTO boards (name, variant, width, height, options) VALUES (?1, ?2, ?3, ?4, ?5)";
        let grid = board.grid();
        let size = (grid.width(), grid.height());
        self.sql(|db| {
            db.execute(
                insert,
                params![board.name, board.spec.variant, size.0, size.1, board.options()],
            )?;
            Ok(db.last_insert_rowid())
        })
    }

    /// Returns the number of games on the board with this name.
    pub fn games_on(&self, board: &str) -> Result<u64, Error> {
        let select = "SELECT games FROM boards WHERE name = ?1";
        let games: Option<i64> =
            self.sql(|db| db.query_row(select, [board], |row| row.get(0)).optional())?;
        Ok(games.unwrap_or(0) as u64)
    }

    /// Returns the boards of the shelf with their numbers of games, the most first.
    pub fn boards(&mut self) -> Result<Vec<(Arc<Board>, u64)>, Error> {
        let select = "SELECT id, games FROM boards ORDER BY games DESC, id";
        let ids: Vec<(i64, i64)> = self.sql(|db| {
            let mut select = db.prepare(select)?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })?;
        ids.into_iter().map(|(id, games)| Ok((self.board(id)?, games as u64))).collect()
    }
}
