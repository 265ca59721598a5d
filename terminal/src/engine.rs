//! [`SearchThread`]: a thread that runs one search after the other, so that the screen never waits.
//!
//! Each search has a number, its ticket. Events with an old ticket are ignored.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Builder;

use tengen_engine::{
    Answer, Catalog, Client, Limits, Move, Position, Query, Report, Settings, Signal,
};

/// A search request.
pub(crate) struct Job {
    /// The number of the search.
    pub ticket: u64,
    /// The position to search.
    pub position: Box<dyn Position>,
    /// The settings of the search.
    pub settings: Settings,
    /// The limits of the search.
    pub limits: Limits,
    /// The moves to search; empty for all moves.
    pub moves: Vec<Move>,
    /// Whether the table is emptied first, so that the result depends on no other search.
    pub is_fresh: bool,
    /// Stops the search before its limits.
    pub signal: Arc<Signal>,
}

/// An event of a search, with the ticket of the search.
pub(crate) enum SearchEvent {
    /// A new line of the search.
    Report(u64, Report<Move>),
    /// The search has ended.
    Answer(u64, Answer<Move>),
    /// The search failed, and why.
    Failed(u64, String),
}

/// A callback for search events, called on the search thread.
pub(crate) type OnSearchEvent = Box<dyn Fn(SearchEvent) + Send>;

/// A handle of the search thread. Dropping it stops the running search and ends the thread.
pub(crate) struct SearchThread {
    jobs: Sender<Job>,
    running: Option<Arc<Signal>>,
}

impl SearchThread {
    /// Starts the thread, which calls `on_event` with each event. No table is allocated before the
    /// first search.
    pub(crate) fn start(
        catalog: &'static dyn Catalog,
        on_event: OnSearchEvent,
    ) -> io::Result<Self> {
        let (jobs, receiver) = channel();
        Builder::new().name("game".into()).spawn(move || work(catalog, &receiver, &on_event))?;
        Ok(Self { jobs, running: None })
    }

    /// Stops the running search and starts this one after it.
    pub(crate) fn search(&mut self, job: Job) {
        self.stop();
        self.running = Some(job.signal.clone());
        // The thread lives as long as this handle.
        let _ = self.jobs.send(job);
    }

    /// Stops the running search.
    pub(crate) fn stop(&mut self) {
        if let Some(signal) = self.running.take() {
            signal.stop();
        }
    }
}

impl Drop for SearchThread {
    fn drop(&mut self) {
        self.stop();
    }
}

fn work(catalog: &'static dyn Catalog, jobs: &Receiver<Job>, on_event: &OnSearchEvent) {
    let mut client: Option<(Client, Settings)> = None;
    for job in jobs {
        if job.signal.is_stopped() {
            continue;
        }
        let ticket = job.ticket;
        let event = match search(catalog, &mut client, job, on_event) {
            Ok(answer) => SearchEvent::Answer(ticket, answer),
            Err(why) => SearchEvent::Failed(ticket, why),
        };
        on_event(event);
    }
}

fn search(
    catalog: &'static dyn Catalog,
    client: &mut Option<(Client, Settings)>,
    job: Job,
    on_event: &OnSearchEvent,
) -> Result<Answer<Move>, String> {
    let Job { ticket, position, settings, limits, moves, is_fresh, signal } = job;
    if client.as_ref().is_none_or(|(client, _)| client.spec() != position.spec()) {
        // Frees the old table before a new one is allocated.
        *client = None;
        let opened = Client::of(catalog, position.spec(), &settings);
        *client = Some((opened.map_err(|error| error.to_string())?, settings));
    }
    let Some((client, current)) = client else { return Err("no engine".to_owned()) };
    if *current != settings {
        client.configure(&settings).map_err(|error| error.to_string())?;
        *current = settings;
    }
    if is_fresh {
        client.clear_hash();
    }
    client.set_position(position);
    let mut listener = |report: &Report<Move>| {
        on_event(SearchEvent::Report(ticket, report.clone()));
        ControlFlow::Continue(())
    };
    let query =
        Query::from(limits).with_moves(moves).with_listener(&mut listener).with_signal(&signal);
    client.search(query).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use tengen_engine::Chosen;
    use tengen_games::CATALOG;

    use super::*;

    fn job(ticket: u64, variant: &str, limits: Limits) -> Job {
        let spec = CATALOG.describe(variant, &Chosen::new()).expect("a variant");
        Job {
            ticket,
            position: CATALOG.position(&spec),
            settings: Settings::default().with_hash_mib(1),
            limits,
            moves: Vec::new(),
            is_fresh: false,
            signal: Arc::default(),
        }
    }

    fn start() -> (SearchThread, mpsc::Receiver<SearchEvent>) {
        let (sender, receiver) = mpsc::channel();
        let on_event = move |event| drop(sender.send(event));
        (SearchThread::start(&CATALOG, Box::new(on_event)).expect("a thread"), receiver)
    }

    fn answered(receiver: &mpsc::Receiver<SearchEvent>) -> (u64, Option<Move>) {
        loop {
            match receiver.recv().expect("the thread lives") {
                SearchEvent::Answer(ticket, answer) => return (ticket, answer.best),
                SearchEvent::Failed(_, why) => panic!("{why}"),
                SearchEvent::Report(..) => {}
            }
        }
    }

    #[test]
    fn an_infinite_search_is_stopped_by_a_search_of_another_game() {
        let (mut engine, receiver) = start();
        let mut endless = Limits::default();
        endless.infinite = true;
        engine.search(job(1, "gomoku", endless));
        let first = receiver.recv().expect("the thread lives");
        assert!(matches!(first, SearchEvent::Report(1, _)));
        engine.search(job(2, "tictactoe", Limits::default().with_depth(2)));
        assert_eq!(answered(&receiver).0, 1);
        let (ticket, best) = answered(&receiver);
        assert!(ticket == 2 && best.is_some());
    }

    #[test]
    fn settings_change_between_searches() {
        let (mut engine, receiver) = start();
        engine.search(job(1, "gomoku", Limits::default().with_nodes(50)));
        answered(&receiver);
        let mut wide = job(2, "gomoku", Limits::default().with_nodes(5000));
        wide.settings = wide.settings.with_multi_pv(4);
        engine.search(wide);
        let lines: Vec<usize> = receiver
            .iter()
            .map_while(|event| match event {
                SearchEvent::Report(2, report) => Some(report.line),
                _ => None,
            })
            .collect();
        assert!(lines.contains(&4), "{lines:?}");
    }
}
