//! [`open_explorer`]: a shelf that answers the actions `explore`, `find` and `read_game` of JSON. It is only read, and
//! a pool of connections serves the threads of lookups.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tengen_engine::backend::Catalog;
use tengen_protocol::dialect::json::{Code, Problem, clipped};
use tengen_protocol::explorer::{Explorer, LOOKUP_TIME, LookupLimit, LookupQuery, LookupResult};
use tengen_records::Format;

use super::lookup::{Lookup, asked, filter_of, ruleset_of};
use crate::{Error, Filter, Pattern, Shelf};

/// Opens a shelf for the clients of this process.
pub fn open_explorer(
    path: &Path,
    catalog: &'static dyn Catalog,
) -> Result<&'static dyn Explorer, Error> {
    let first = Shelf::open_to_read(path, catalog)?;
    let explorer = ShelfExplorer { path: path.to_owned(), catalog, idle: Mutex::new(vec![first]) };
    // It serves until the process ends.
    Ok(Box::leak(Box::new(explorer)))
}

/// A shelf with its idle connections.
struct ShelfExplorer {
    path: PathBuf,
    catalog: &'static dyn Catalog,
    idle: Mutex<Vec<Shelf>>,
}

impl ShelfExplorer {
    fn idle(&self) -> MutexGuard<'_, Vec<Shelf>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Explorer for ShelfExplorer {
    fn look_up(&self, query: &LookupQuery, limit: &LookupLimit) -> Result<LookupResult, Problem> {
        let known = self.idle().pop();
        let opened = known.map_or_else(|| Shelf::open_to_read(&self.path, self.catalog), Ok);
        let mut shelf = opened.map_err(problem)?;
        shelf.refresh().map_err(problem)?;
        let is_over = limit.clone();
        shelf.stop_when(move || is_over.is_over()).map_err(problem)?;
        let result = answer(&mut shelf, query, limit);
        self.idle().push(shelf);
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
    }
}

/// Returns a game as SGF, with its comments and variations.
fn record(shelf: &mut Shelf, id: i64) -> Result<Vec<u8>, Problem> {
    let written = shelf.written(id, Format::SGF).map_err(|error| match error {
        Error::Refused(why) => Problem::with(Code::BadField, "game", why),
        error => problem(error),
    })?;
    written.map_err(|why| Problem::new(Code::Internal, format!("game {id}: {why}")))
}

fn read_pattern(text: &str) -> Result<Pattern, Problem> {
    text.parse().map_err(|why| {
        let message = format!("pattern \"{}\": {why}", clipped(text));
        Problem::with(Code::BadField, "pattern", message)
    })
}

/// Returns the problem of a client. It names no file of the server.
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
        Error::Refused(why) => Problem::new(Code::BadField, why),
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
