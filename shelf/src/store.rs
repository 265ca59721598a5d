//! [`Shelf`]: the file of SQLite, and the transactions that add games to it.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rusqlite::types::FromSql;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Params, Row, TransactionBehavior, params,
};
use tengen_engine::backend::Catalog;

use crate::Error;
use crate::error::VERSION;
use crate::ruleset::{Ruleset, read_ruleset};

/// The mark of a shelf in the header of SQLite: `TGsh`.
const APPLICATION: i64 = 0x5447_7368;
const SCHEMA: &str = include_str!("schema.sql");
/// The tables that later schemas add.
const LATER: [(i64, &str); 2] =
    [(2, include_str!("schema_2.sql")), (3, include_str!("schema_3.sql"))];
/// The index that schema 3 adds to a table of schema 1.
const INDEX_3: &str = "CREATE INDEX games_source ON games (source)";
/// What people edited before schema 3, by the journal.
const EDITED: &str = "INSERT OR IGNORE INTO edited (name, id) \
    SELECT name, key ->> 0 FROM changes JOIN old_rows ON change = changes.id WHERE name = 'games' AND what LIKE 'edit %' \
    OR name = 'trees' AND what LIKE '% a tree'";
/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);
/// The memory of SQLite for pages, in KiB.
const CACHE: i64 = 64 << 10;
/// The number of prepared statements that are kept.
const STATEMENTS: usize = 64;
/// After how many steps of SQLite a statement asks whether it is to end: about a tenth of a millisecond.
const STEPS: i32 = 2000;

/// What a row of a query becomes: a tuple of its columns, or a type of its own.
pub(crate) trait FromRow: for<'r> TryFrom<&'r Row<'r>, Error = rusqlite::Error> {}

impl<T: for<'r> TryFrom<&'r Row<'r>, Error = rusqlite::Error>> FromRow for T {}

/// A shelf: games, positions and analysis in a file of SQLite.
pub struct Shelf {
    pub(crate) path: PathBuf,
    pub(crate) db: Connection,
    pub(crate) catalog: &'static dyn Catalog,
    /// The rulesets read so far, by id.
    rulesets: HashMap<i64, Arc<Ruleset>>,
    /// The state of the file when it was opened; `None` if it has to be opened again.
    opened: Option<FileState>,
    /// Whether the file was opened as immutable, so that SQLite sees no changes.
    is_immutable: bool,
    /// The open change of the journal.
    pub(crate) change: Option<i64>,
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

/// What tells a file from another one, and from itself after a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct FileState {
    written: SystemTime,
    bytes: u64,
    /// The device and the number of the file on it.
    #[cfg(unix)]
    identity: (u64, u64),
}

/// Returns the state of the file at `path`; `None` if it cannot be seen.
pub(crate) fn state_of(path: &Path) -> Option<FileState> {
    let file = path.metadata().ok()?;
    Some(FileState {
        written: file.modified().ok()?,
        bytes: file.len(),
        #[cfg(unix)]
        identity: (file.dev(), file.ino()),
    })
}

/// Returns whether the file alone has all games: SQLite keeps changes in files beside it for a while. A link is followed.
fn has_all_games(path: &Path) -> bool {
    let Ok(file) = path.canonicalize() else { return false };
    ["-wal", "-journal"].iter().all(|ending| {
        let mut changes = file.as_os_str().to_owned();
        changes.push(ending);
        match Path::new(&changes).metadata() {
            Ok(changes) => changes.len() == 0,
            Err(why) => why.kind() == io::ErrorKind::NotFound,
        }
    })
}

/// Returns the URI by which SQLite reads a file without locks and without files beside it; `None` if the path is no UTF-8.
///
/// CITE: <https://www.sqlite.org/uri.html>: `immutable`, and the characters with a meaning in a URI.
fn immutable_uri(file: &Path) -> Option<String> {
    let path = file.to_str()?.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    Some(format!("file://{path}?immutable=1"))
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
    /// In a folder where this program may not write, the file is opened as immutable: SQLite neither locks it nor looks for
    /// changes. [`Shelf::refresh`] finds them, and what is read during a change is refused by [`Error::Busy`].
    pub fn open_to_read(path: &Path, catalog: &'static dyn Catalog) -> Result<Self, Error> {
        if !path.exists() {
            return Err(Error::Missing(path.to_owned()));
        }
        let opened = Self::open_with(path, catalog, OpenFlags::SQLITE_OPEN_READ_ONLY);
        match opened {
            Err(Error::NotOpened { .. }) => Self::open_immutable(path, catalog)?.map_or(opened, Ok),
            _ => opened,
        }
    }

    /// Opens a file as immutable; `None` if this is no file that has all games.
    fn open_immutable(path: &Path, catalog: &'static dyn Catalog) -> Result<Option<Self>, Error> {
        let Ok(file) = path.canonicalize() else { return Ok(None) };
        let uri = immutable_uri(&file).filter(|_| file.is_file() && has_all_games(path));
        let Some(uri) = uri else { return Ok(None) };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let mut shelf = Self::connect(path, Path::new(&uri), catalog, flags)?;
        shelf.is_immutable = true;
        Ok(Some(shelf))
    }

    /// Opens a shelf that is only read again, if its file was replaced or written, or if an immutable one has no longer all
    /// games.
    pub fn refresh(&mut self) -> Result<(), Error> {
        if self.has_changed() || self.is_immutable && !has_all_games(&self.path) {
            // Connections to a file share what SQLite knows about it: the old one ends before the new one begins.
            self.opened = None;
            self.db = Connection::open_in_memory().map_err(|why| Error::of(&self.path, &why))?;
            *self = Self::open_to_read(&self.path, self.catalog)?;
        }
        Ok(())
    }

    /// Returns whether the file has changed since it was opened.
    pub(crate) fn has_changed(&self) -> bool {
        self.opened.is_none() || state_of(&self.path) != self.opened
    }

    fn open_with(
        path: &Path,
        catalog: &'static dyn Catalog,
        flags: OpenFlags,
    ) -> Result<Self, Error> {
        check_path(path)?;
        Self::connect(path, path, catalog, flags)
    }

    /// Opens the file at `path` by its path or its URI.
    fn connect(
        path: &Path,
        name: &Path,
        catalog: &'static dyn Catalog,
        flags: OpenFlags,
    ) -> Result<Self, Error> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let is_written = !flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY);
        let error = |error: rusqlite::Error| not_opened(path, is_written, &error);
        let opened = state_of(path);
        let db = Connection::open_with_flags(name, flags).map_err(error)?;
        let (path, rulesets, is_immutable) = (path.to_owned(), HashMap::new(), false);
        let mut shelf = Self { path, db, catalog, rulesets, opened, is_immutable, change: None };
        shelf.prepare().map_err(error)?;
        shelf.check_version(is_written)?;
        Ok(shelf)
    }

    fn prepare(&self) -> rusqlite::Result<()> {
        self.db.busy_timeout(PATIENCE)?;
        self.db.set_prepared_statement_cache_capacity(STATEMENTS);
        self.db.pragma_update(None, "cache_size", -CACHE)?;
        // An undo restores rows in the order of its journal, and a check for each would read whole tables.
        self.db.pragma_update(None, "foreign_keys", false)?;
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
                for (_, tables) in LATER {
                    transaction.execute_batch(tables).map_err(error)?;
                }
                transaction.execute_batch(INDEX_3).map_err(error)?;
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
        match version {
            VERSION => Ok(()),
            _ if is_written => self.migrate(version),
            // What is not there is empty.
            _ => {
                LATER.iter().filter(|(number, _)| *number > version).try_for_each(|(_, tables)| {
                    let tables = tables
                        .replace("CREATE TABLE", "CREATE TEMP TABLE")
                        .replace("CREATE INDEX ", "CREATE INDEX temp.");
                    self.sql(|db| db.execute_batch(&tables))
                })
            }
        }
    }

    /// Makes a shelf of this schema of one with the schema `from`. A copy of the file as it was is kept beside it.
    fn migrate(&mut self, from: i64) -> Result<(), Error> {
        let named = |ending: &str| {
            let mut path = self.path.clone().into_os_string();
            path.push(ending);
            PathBuf::from(path)
        };
        let copy = format!(".schema-{from}");
        let (part, copy) = (named(&format!("{copy}.part")), named(&copy));
        let failed = |why: io::Error| Error::NotOpened { path: copy.clone(), why: why.to_string() };
        match std::fs::remove_file(&part) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(failed(why)),
            _ => {}
        }
        self.backup(&part)?;
        std::fs::rename(&part, &copy).map_err(failed)?;
        self.write(|shelf| {
            let version: i64 =
                shelf.sql(|db| db.pragma_query_value(None, "user_version", |row| row.get(0)))?;
            if version != from {
                // Another program was faster.
                return Ok(());
            }
            for (_, tables) in LATER.iter().filter(|(number, _)| *number > from) {
                shelf.sql(|db| db.execute_batch(tables))?;
            }
            if from == 1 {
                shelf.write_lines_anew()?;
            }
            shelf.sql(|db| db.execute_batch(INDEX_3))?;
            shelf.change(EDITED, [])?;
            // Their numbers had another order.
            shelf.forget_undone()?;
            shelf.sql(|db| db.pragma_update(None, "user_version", VERSION))
        })
    }

    /// Writes the keys of the moves of faulty games anew: earlier programs took their last moves as text, so that images of
    /// a game were other games.
    fn write_lines_anew(&mut self) -> Result<(), Error> {
        let select = "SELECT id, board, moves, start, rest FROM games WHERE rest IS NOT NULL";
        for (id, board, moves, start, rest) in
            self.rows::<(i64, i64, Vec<u8>, Option<String>, String)>(select, [])?
        {
            let ruleset = self.ruleset(board)?;
            let start = start.map(|text| ruleset.read_fen(&text)).transpose()?;
            let line = ruleset.line(start.as_ref(), &ruleset.unpack(&moves), &rest);
            self.change("UPDATE games SET line = ?2 WHERE id = ?1", [id, line])?;
        }
        Ok(())
    }

    /// Writes a copy of the shelf to a new file. Other programs may read and write the shelf meanwhile.
    pub fn backup(&self, path: &Path) -> Result<(), Error> {
        let name = path.to_str().ok_or_else(|| Error::NotOpened {
            path: path.to_owned(),
            why: "the name is not UTF-8".to_owned(),
        })?;
        self.change("VACUUM INTO ?1", [name]).map(drop)
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
        let done = self.open_ranges().and_then(|()| work(self)).and_then(|done| {
            self.close_ranges()?;
            self.sql(|db| db.execute_batch("COMMIT")).map(|()| done)
        });
        if done.is_err() && !self.db.is_autocommit() {
            // SQLite has rolled back already after some errors.
            let _ = self.db.execute_batch("ROLLBACK");
        }
        done
    }

    /// Runs `work` on the connection. What an immutable file gave during a change is refused.
    pub(crate) fn sql<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let done = work(&self.db);
        if self.is_immutable && self.has_changed() {
            return Err(Error::Busy(self.path.clone()));
        }
        done.map_err(|error| Error::of(&self.path, &error))
    }

    /// Returns the rows of a query, as `read` reads them.
    pub(crate) fn rows_by<T>(
        &self,
        select: &str,
        given: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        self.sql(|db| db.prepare_cached(select)?.query_map(given, read)?.collect())
    }

    /// Returns the rows of a query.
    pub(crate) fn rows<T: FromRow>(
        &self,
        select: &str,
        given: impl Params,
    ) -> Result<Vec<T>, Error> {
        self.rows_by(select, given, |row| row.try_into())
    }

    /// Returns the first row of a query; `None` if it has none.
    pub(crate) fn row<T: FromRow>(
        &self,
        select: &str,
        given: impl Params,
    ) -> Result<Option<T>, Error> {
        self.sql(|db| db.prepare_cached(select)?.query_row(given, |row| row.try_into()).optional())
    }

    /// Returns the first column of a query.
    pub(crate) fn column<T: FromSql>(
        &self,
        select: &str,
        given: impl Params,
    ) -> Result<Vec<T>, Error> {
        self.rows_by(select, given, |row| row.get(0))
    }

    /// Returns the first value of a query; `None` if it has no rows.
    pub(crate) fn value<T: FromSql>(
        &self,
        select: &str,
        given: impl Params,
    ) -> Result<Option<T>, Error> {
        self.sql(|db| db.prepare_cached(select)?.query_row(given, |row| row.get(0)).optional())
    }

    /// Returns the number of a query that counts.
    pub(crate) fn count(&self, select: &str, given: impl Params) -> Result<u64, Error> {
        Ok(self.value::<i64>(select, given)?.unwrap_or_default() as u64)
    }

    /// Changes rows. Returns how many.
    pub(crate) fn change(&self, change: &str, given: impl Params) -> Result<usize, Error> {
        self.sql(|db| db.prepare_cached(change)?.execute(given))
    }

    /// Adds a row. Returns its id.
    pub(crate) fn insert(&self, insert: &str, given: impl Params) -> Result<i64, Error> {
        self.sql(|db| db.prepare_cached(insert)?.insert(given))
    }

    /// Returns a number of the table `meta`, or 0.
    pub(crate) fn meta(&self, name: &str) -> Result<i64, Error> {
        let value = self.value("SELECT value FROM meta WHERE name = ?1", [name])?;
        Ok(value.unwrap_or_default())
    }

    /// Sets a number of the table `meta`.
    pub(crate) fn set_meta(&self, name: &str, value: i64) -> Result<(), Error> {
        let insert = "INSERT OR REPLACE INTO meta (name, value) VALUES (?1, ?2)";
        self.change(insert, params![name, value]).map(drop)
    }

    /// Returns the ruleset with this id.
    pub(crate) fn ruleset(&mut self, id: i64) -> Result<Arc<Ruleset>, Error> {
        if let Some(ruleset) = self.rulesets.get(&id) {
            return Ok(Arc::clone(ruleset));
        }
        let select = "SELECT variant, options FROM boards WHERE id = ?1";
        let missing = || self.damaged(format!("board {id} is missing"));
        let (variant, options): (String, String) = self.row(select, [id])?.ok_or_else(missing)?;
        let ruleset = Arc::new(read_ruleset(self.catalog, &variant, &options)?);
        self.rulesets.insert(id, Arc::clone(&ruleset));
        Ok(ruleset)
    }

    /// Returns the id of a ruleset; `None` if the shelf does not have it.
    pub(crate) fn ruleset_id(&self, name: &str) -> Result<Option<i64>, Error> {
        self.value("SELECT id FROM boards WHERE name = ?1", [name])
    }

    /// Returns the error of a file that lacks what it should have.
    pub(crate) fn damaged(&self, why: String) -> Error {
        Error::Damaged { path: self.path.clone(), why }
    }

    /// Returns the id of a ruleset, which is added if the shelf does not have it.
    pub fn keep_ruleset(&self, ruleset: &Ruleset) -> Result<i64, Error> {
        if let Some(id) = self.ruleset_id(&ruleset.name)? {
            return Ok(id);
        }
        let insert = "INSERT INTO boards (name, variant, width, height, options) VALUES (?1, ?2, ?3, ?4, ?5)";
        let (grid, variant) = (ruleset.grid(), ruleset.spec.variant);
        let (width, height) = (grid.width(), grid.height());
        self.insert(insert, params![ruleset.name, variant, width, height, ruleset.options()])
    }

    /// Returns the number of games of the ruleset with this name.
    pub fn games_on(&self, ruleset: &str) -> Result<u64, Error> {
        self.count("SELECT games FROM boards WHERE name = ?1", [ruleset])
    }

    /// Returns the rulesets of the shelf with their numbers of games, the most first.
    pub fn rulesets(&mut self) -> Result<Vec<(Arc<Ruleset>, u64)>, Error> {
        let select = "SELECT id, games FROM boards ORDER BY games DESC, id";
        let ids: Vec<(i64, i64)> = self.rows(select, [])?;
        ids.into_iter().map(|(id, games)| Ok((self.ruleset(id)?, games as u64))).collect()
    }
}
