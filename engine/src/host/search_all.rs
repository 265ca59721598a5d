//! [`search_all`]: many positions, searched in parallel.

use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, scope};

use crate::host::backend::{Catalog, Settings};
use crate::host::client::{Client, ClientError};
use crate::host::position::Position;
use crate::search::limits::Limits;
use crate::search::report::Answer;
use crate::text::typed_move::Move;

/// Searches positions of games of `catalog`, up to `workers` at a time (0 is 1), each until `limits`, which
/// must have an end. Returns a result for each position, in their order.
///
/// Each worker has the table and the threads of `settings`. It empties its table before each position, so
/// that with one thread a search with limits of depth or nodes has the same answer whatever `workers` is.
pub fn search_all(
    catalog: &dyn Catalog,
    positions: Vec<Box<dyn Position>>,
    limits: &Limits,
    settings: &Settings,
    workers: usize,
) -> Vec<Result<Answer<Move>, ClientError>> {
    let workers = workers.clamp(1, positions.len().max(1));
    let waiting = Mutex::new(positions.into_iter().enumerate());
    let done = Mutex::new(Vec::new());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut client = None;
        while let Some((index, position)) = next() {
            let result = search(&mut client, catalog, position, limits, settings);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    scope(|scope| {
        for _ in 1..workers {
            // Without another thread, this one searches more positions.
            if Builder::new().name("search all".to_owned()).spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Searches a position with `client`, or with a new one if that has another game.
fn search(
    client: &mut Option<Client>,
    catalog: &dyn Catalog,
    position: Box<dyn Position>,
    limits: &Limits,
    settings: &Settings,
) -> Result<Answer<Move>, ClientError> {
    let known = client.take().filter(|client| client.spec() == position.spec());
    let mut own = match known {
        Some(client) => client,
        None => Client::of(catalog, position.spec(), settings)?,
    };
    own.clear_hash();
    own.set_position(position);
    let answer = own.search(limits.clone())?;
    *client = Some(own);
    Ok(answer)
}
