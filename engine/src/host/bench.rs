//! The bench: a fixed set of positions searched to fixed depths. Its node count is the search's
//! signature.

use std::error::Error;
use std::sync::Arc;

use crate::host::backend::{BenchPosition, BenchTotal, Catalog, Event, Settings, Sink};
use crate::host::client::{Client, Query};
use crate::search::control::{Control, Signal};
use crate::search::limits::Limits;
use crate::search::report::Answer;
use crate::text::Style;
use crate::text::typed_move::Move;

/// The size of the table in MiB. Every position is searched by one thread.
const HASH_MIB: usize = 16;

/// Starts the bench and returns immediately. `sink` gets a note for each position and
/// [`Event::Bench`] at the end. `depth` replaces the depths of the positions; `None` keeps them.
pub fn start(catalog: &'static dyn Catalog, depth: Option<u32>, sink: Sink) -> Control {
    let signal = Arc::new(Signal::default());
    let (thread_signal, thread_sink) = (signal.clone(), sink.clone());
    let bench = std::thread::Builder::new().name("bench".to_owned()).spawn(move || {
        let total = run(catalog, depth, &thread_signal, &|note| thread_sink(Event::Note(note)));
        thread_sink(Event::Bench(total));
    });
    if let Err(error) = bench {
        sink(Event::Note(format!("no thread for the bench: {error}")));
        sink(Event::Bench(BenchTotal::default()));
    }
    Control::new(signal)
}

/// Searches every position in turn. `note` is called with a line of text on each. `depth` replaces
/// the depths of the positions; `None` keeps them. `signal` stops the bench.
pub fn run(
    catalog: &dyn Catalog,
    depth: Option<u32>,
    signal: &Signal,
    note: &dyn Fn(String),
) -> BenchTotal {
    let positions = catalog.bench();
    let names = positions.iter().map(|position| position.variant.len()).max().unwrap_or_default();
    let mut total = BenchTotal { complete: true, ..BenchTotal::default() };
    for (index, position) in positions.iter().enumerate() {
        let depth = depth.unwrap_or(position.depth);
        let (number, count, variant) = (index + 1, positions.len(), position.variant);
        let place = format!("bench {number:>2}/{count} {variant:<names$}");
        match search(catalog, position, depth, signal) {
            Ok((answer, best)) => {
                total.nodes += answer.report.nodes;
                total.time += answer.report.time;
                let moves = if position.moves.is_empty() { "-" } else { position.moves };
                let nodes = answer.report.nodes;
                note(format!(
                    "{place} depth {depth:>2} nodes {nodes:>8} best {best:<4} moves {moves}"
                ));
            }
            Err(error) => {
                total.complete = false;
                note(format!("{place}: {error}"));
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
) -> Result<(Answer<Move>, String), Box<dyn Error>> {
    let settings = Settings { hash_mib: HASH_MIB, own_book: false, ..Settings::default() };
    let mut client = Client::open(catalog, position.variant, &position.chosen, &settings)?;
    let moves: Vec<&str> = position.moves.split_ascii_whitespace().collect();
    client.set(None, &moves)?;
    let limits = Limits { depth: Some(depth), ..Limits::default() };
    let answer = client.search(Query::from(limits).with_signal(signal))?;
    let best =
        answer.best.map_or_else(String::new, |mv| client.position().write_move(mv, Style::Plain));
    Ok((answer, best))
}
