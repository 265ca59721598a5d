//! The bench: a fixed set of positions searched to fixed depths. Its node count is the search's
//! signature.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use crate::backend::{BenchPosition, BenchTotal, Catalog, Event, Go, Settings, Sink};
use crate::control::{Control, Signal};
use crate::limits::Limits;
use crate::report::Answer;
use crate::time::now;

/// The table every bench position is searched with, on one thread.
const HASH_MIB: usize = 16;
/// How soon a stop is passed on.
const PATIENCE: Duration = Duration::from_millis(5);

/// Starts the bench and returns at once. `sink` gets a note for each position and [`Event::Bench`]
/// at the end. `depth` replaces every position's own.
pub fn start(catalog: &'static dyn Catalog, depth: Option<u32>, sink: Sink) -> Control {
    let signal = Arc::new(Signal::default());
    let listener = signal.clone();
    std::thread::spawn(move || {
        let total = run(catalog, depth, &listener, &|note| sink(Event::Note(note)));
        sink(Event::Bench(total));
    });
    Control::new(signal)
}

/// Searches every position in turn; `note` gets a line on each.
pub fn run(
    catalog: &dyn Catalog,
    depth: Option<u32>,
    signal: &Signal,
    note: &dyn Fn(String),
) -> BenchTotal {
    let positions = catalog.bench();
    let mut total = BenchTotal { complete: true, ..BenchTotal::default() };
    for (index, position) in positions.iter().enumerate() {
        let depth = depth.unwrap_or(position.depth);
        let place = format!("bench {}/{} {}", index + 1, positions.len(), position.variant);
        match search(catalog, position, depth, signal) {
            Ok(answer) => {
                total.nodes += answer.report.nodes;
                total.time += answer.report.time;
                let best = answer.best.unwrap_or_default();
                let moves = if position.moves.is_empty() { "-" } else { position.moves };
                let nodes = answer.report.nodes;
                note(format!("{place} moves {moves} depth {depth} nodes {nodes} best {best}"));
            }
            Err(trouble) => {
                total.complete = false;
                note(format!("{place}: {trouble}"));
            }
        }
        if signal.is_stopped() {
            return BenchTotal { complete: false, ..total };
        }
    }
    total
}

fn search(
    catalog: &dyn Catalog,
    position: &BenchPosition,
    depth: u32,
    signal: &Signal,
) -> Result<Answer<String>, String> {
    let (events, inbox) = channel();
    let settings = Settings { hash_mib: HASH_MIB, own_book: false, ..Settings::default() };
    let mut backend = catalog
        .open(position.variant, &position.chosen, &settings, post(events.clone()))
        .map_err(|error| error.to_string())?;
    let moves: Vec<&str> = position.moves.split_ascii_whitespace().collect();
    backend.set_position(None, &moves).map_err(|error| error.to_string())?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let go = Go { limits, search_moves: Vec::new(), received: now() };
    let control = backend.go(go, post(events));
    loop {
        match inbox.recv_timeout(PATIENCE) {
            Ok(Event::Answer(answer)) => return Ok(answer),
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) if signal.is_stopped() => control.stop(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err("the search gave no answer".into()),
        }
    }
}

fn post(events: Sender<Event>) -> Sink {
    // The receiver may have left after the answer.
    Arc::new(move |event| drop(events.send(event)))
}
