//! [`open_explorer`]: a shelf that answers the actions of JSON about shelves. A pool of connections serves the threads of
//! lookups. Each change opens the shelf to write; one is made at a time.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use tengen_engine::backend::Catalog;
use tengen_protocol::dialect::json::{Code, Problem, clipped};
use tengen_protocol::explorer::{
    Explorer, LOOKUP_TIME, LookupLimit, LookupQuery, LookupResult, ShelfChange,
};
use tengen_records::Format;

use super::edit::{change_info, changed_since, field_of, make};
use super::lookup::{Lookup, asked, filter_of, ruleset_of};
use crate::store::{FileState, state_of};
use crate::{Error, Filter, Pattern, Shelf};

/// The maximum size of a game that is sent, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// Opens a shelf for the clients of this process, which may change it if `is_editable`.
pub fn open_explorer(
    path: &Path,
    catalog: &'static dyn Catalog,
    is_editable: bool,
) -> Result<&'static dyn Explorer, Error> {
    if is_editable {
        // A file that cannot be written is refused now.
        drop(Shelf::open(path, catalog)?);
    }
    let pool = Pool::of(path);
    pool.idle().push(Shelf::open_to_read(path, catalog)?);
    let editor = is_editable.then(Mutex::default);
    let (path, pool) = (path.to_owned(), RwLock::new(pool));
    let explorer = ShelfExplorer { path, catalog, pool, editor };
    // It serves until the process ends.
    Ok(Box::leak(Box::new(explorer)))
}

/// A shelf with its connections.
struct ShelfExplorer {
    path: PathBuf,
    catalog: &'static dyn Catalog,
    /// A lookup holds the lock for reading. After a change of the file all connections are closed before one is opened:
    /// connections to a file share what SQLite knows about it.
    pool: RwLock<Pool>,
    /// Held while a change is made; `None` if the shelf is only read.
    editor: Option<Mutex<()>>,
}

/// The connections to a file in one state.
struct Pool {
    state: Option<FileState>,
    /// Whether a connection could not read the file.
    is_broken: AtomicBool,
    idle: Mutex<Vec<Shelf>>,
}

impl Pool {
    fn of(path: &Path) -> Self {
        Self { state: state_of(path), is_broken: AtomicBool::default(), idle: Mutex::default() }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Shelf>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_current(&self, path: &Path) -> bool {
        self.state == state_of(path) && !self.is_broken.load(Relaxed)
    }
}

impl ShelfExplorer {
    /// Returns the connections to the file as it is now.
    fn pool(&self) -> RwLockReadGuard<'_, Pool> {
        loop {
            let pool = self.pool.read().unwrap_or_else(PoisonError::into_inner);
            if pool.is_current(&self.path) {
                return pool;
            }
            drop(pool);
            let mut pool = self.pool.write().unwrap_or_else(PoisonError::into_inner);
            if !pool.is_current(&self.path) {
                *pool = Pool::of(&self.path);
            }
        }
    }
}

impl ShelfExplorer {
    /// Makes a change of a client.
    fn change(
        &self,
        last_change: Option<i64>,
        change: &ShelfChange,
    ) -> Result<LookupResult, Problem> {
        let read_only = || Problem::new(Code::Forbidden, "the shelf is only read");
        let editor = self.editor.as_ref().ok_or_else(read_only)?;
        let _alone = editor.lock().unwrap_or_else(PoisonError::into_inner);
        let mut shelf = Shelf::open(&self.path, self.catalog).map_err(problem)?;
        if let Some(known) = last_change
            && let Some(why) = changed_since(&shelf, known).map_err(problem)?
        {
            return Err(Problem::with(Code::BadField, "last_change", why));
        }
        make(&mut shelf, change).map(LookupResult::Changed).map_err(|error| match error {
            Error::Wrong { what, why } => {
                Problem::with(Code::BadField, field_of(change, &what), why)
            }
            error => problem(error),
        })
    }
}

impl Explorer for ShelfExplorer {
    fn is_editable(&self) -> bool {
        self.editor.is_some()
    }

    fn look_up(&self, query: &LookupQuery, limit: &LookupLimit) -> Result<LookupResult, Problem> {
        if let LookupQuery::Change { last_change, change } = query {
            return self.change(*last_change, change);
        }
        let pool = self.pool();
        let known = pool.idle().pop();
        let opened = known.map_or_else(|| Shelf::open_to_read(&self.path, self.catalog), Ok);
        let mut shelf = opened.map_err(problem)?;
        shelf.refresh().map_err(problem)?;
        let is_over = limit.clone();
        shelf.stop_when(move || is_over.is_over()).map_err(problem)?;
        let result = answer(&mut shelf, query, limit);
        match &result {
            Err(problem) if problem.code == Code::Internal => pool.is_broken.store(true, Relaxed),
            _ => pool.idle().push(shelf),
        }
        result
    }
}

/// Looks up what a client asks.
fn answer(
    shelf: &mut Shelf,
    query: &LookupQuery,
    limit: &LookupLimit,
) -> Result<LookupResult, Problem> {
    match query {
        LookupQuery::Explore { position, filter, page } => {
            let stop = || limit.is_over();
            let known = Lookup::new(shelf, &stop).explore(position, &filter_of(filter), *page);
            Ok(LookupResult::Position(Box::new(known.map_err(problem)?)))
        }
        LookupQuery::Find { position, board, filter, pattern, page } => {
            let asked = position.as_ref().map(asked).transpose().map_err(problem)?;
            let ruleset = board.as_ref().map(ruleset_of).transpose().map_err(problem)?;
            let ruleset = ruleset.map(|ruleset| ruleset.name);
            let filter = Filter { ruleset, ..filter_of(filter) };
            let pattern = pattern.as_deref().map(read_pattern).transpose()?;
            let stop = || limit.is_over();
            let mut lookup = Lookup::new(shelf, &stop);
            let games = lookup.games(&filter, asked.as_ref(), pattern.as_ref(), *page);
            Ok(LookupResult::Games(games.map_err(problem)?))
        }
        LookupQuery::ReadGame(id) => record(shelf, *id).map(LookupResult::Record),
        LookupQuery::Changes(most) => {
            let changes = shelf.changes().map_err(problem)?.into_iter();
            Ok(LookupResult::Changes(changes.take(*most).map(change_info).collect()))
        }
        LookupQuery::Change { .. } => Err(Problem::new(Code::Internal, "a lookup changes nothing")),
    }
}

/// Returns a game as SGF, with its comments and variations.
fn record(shelf: &mut Shelf, id: i64) -> Result<Vec<u8>, Problem> {
    let written = shelf.written(id, Format::SGF).map_err(|error| match error {
        Error::Wrong { what, why } => Problem::with(Code::BadField, what, why),
        error => problem(error),
    })?;
    let sgf = written.map_err(|why| Problem::new(Code::Internal, format!("game {id}: {why}")))?;
    if sgf.len() > MOST_BYTES {
        let (is, most) = (sgf.len() >> 20, MOST_BYTES >> 20);
        let message = format!(
            "game {id}: its tree has {is} MiB, and at most {most} are sent: \"tengen shelf export\" writes it"
        );
        return Err(Problem::with(Code::TooLarge, "game", message));
    }
    Ok(sgf)
}

fn read_pattern(text: &str) -> Result<Pattern, Problem> {
    text.parse().map_err(|why| {
        let message = format!("pattern \"{}\": {why}", clipped(text));
        Problem::with(Code::BadField, "pattern", message)
    })
}

/// Converts an error to the problem that the client gets. The message names no file of the server.
fn problem(error: Error) -> Problem {
    match error {
        Error::Stopped => {
            let message = format!(
                "the lookup took longer than {} ms: ask for fewer games, such as those of a player, \
                 an event or a later position",
                LOOKUP_TIME.as_millis()
            );
            Problem::new(Code::Interrupted, message)
        }
        Error::Refused(why) | Error::Wrong { why, .. } => Problem::new(Code::BadField, why),
        Error::Busy(_) => {
            let busy = Problem::new(Code::TooMany, "another program uses the shelf: try again");
            Problem { retry_after_ms: Some(1000), ..busy }
        }
        Error::Io { why, .. } | Error::Damaged { why, .. } => {
            Problem::new(Code::Internal, format!("the shelf cannot be read: {why}"))
        }
        _ => Problem::new(Code::Internal, "the shelf cannot be read any more"),
    }
}
