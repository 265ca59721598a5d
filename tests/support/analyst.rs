//! A client without a dialect: opens a backend, asks for a search and waits for its answer.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use tengen_engine::backend::{Backend, Catalog, Event, Go, Settings, Sink};
use tengen_engine::host::Host;
use tengen_engine::{Answer, Limits, Notation, Score, SearchEvaluator};
use tengen_games::CATALOG;

const SETTINGS: Settings = Settings {
    hash_mib: 64,
    threads: 1,
    multi_pv: 1,
    overhead: std::time::Duration::ZERO,
    ponder: false,
    own_book: false,
    style: tengen_engine::Style::Plain,
    strength: tengen_engine::Strength {
        skill: tengen_engine::Strength::FULL,
        elo: None,
        seed: 0,
        analyses: false,
    },
    odds: false,
    nodes_per_ms: 0,
};

/// One backend and the events that it sends.
pub(crate) struct Analyst {
    backend: Box<dyn Backend>,
    events: Sender<Event>,
    inbox: Receiver<Event>,
}

impl Analyst {
    /// Opens a variant of the catalogue.
    pub(crate) fn open(variant: &str, options: &[(&'static str, i64)]) -> Self {
        let (events, inbox) = channel();
        let chosen = options.iter().copied().collect();
        let backend = CATALOG
            .open(variant, &chosen, &SETTINGS, sink(events.clone()))
            .unwrap_or_else(|error| panic!("{variant}: {error}"));
        Self { backend, events, inbox }
    }

    /// A board of its own size and rules.
    pub(crate) fn custom(width: i64, height: i64, connect: i64, falls: bool) -> Self {
        let gravity = i64::from(falls);
        let size = [("BoardWidth", width), ("BoardHeight", height)];
        Self::open("custom", &[size[0], size[1], ("ConnectK", connect), ("Gravity", gravity)])
    }

    /// Any game with any evaluator.
    pub(crate) fn over<G: Notation, E: SearchEvaluator<G>>(game: G, evaluator: E) -> Self {
        let (events, inbox) = channel();
        let host = Host::new("test", game, evaluator, &SETTINGS, sink(events.clone()));
        Self { backend: Box::new(host), events, inbox }
    }

    /// Searches `start` (the starting position when `None`) after `moves`, with an empty table.
    pub(crate) fn ask(
        &mut self,
        start: Option<&str>,
        moves: &str,
        limits: Limits,
    ) -> Answer<String> {
        let moves: Vec<&str> = moves.split_ascii_whitespace().collect();
        self.backend.clear_hash();
        self.backend
            .set_position(start, &moves)
            .unwrap_or_else(|error| panic!("{start:?} {moves:?}: {error}"));
        let go = Go { limits, search_moves: Vec::new(), received: Instant::now() };
        let _control = self.backend.go(go, sink(self.events.clone()));
        loop {
            match self.inbox.recv().expect("the sender lives as long as the receiver") {
                Event::Answer(answer) => return answer,
                Event::Note(note) => panic!("{note}"),
                _ => {}
            }
        }
    }

    /// Searches until the position is solved.
    pub(crate) fn solve(&mut self, start: Option<&str>, moves: &str) -> Score {
        self.ask(start, moves, Limits::default()).report.score
    }
}

fn sink(events: Sender<Event>) -> Sink {
    // The receiver may have left.
    Arc::new(move |event| drop(events.send(event)))
}
