//! [`SearchThread`]: a thread that searches one position after the other, so that the screen never
//! waits for it.
//!
//! A search carries a ticket. What comes with an old ticket is no longer asked for.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tengen_engine::{
    Answer, Catalog, Client, Limits, Move, Position, Query, Report, Settings, Signal,
};

/// A search to be made.
pub(crate) struct Job {
    /// Its number.
    pub ticket: u64,
    /// The position to search.
    pub position: Box<dyn Position>,
    /// What the search may use.
    pub settings: Settings,
    /// When it ends.
    pub limits: Limits,
    /// Search only these moves; all when empty.
    pub moves: Vec<Move>,
    /// Ends it before its limits.
    pub signal: Arc<Signal>,
}

/// The events of a search.
pub(crate) enum News {
    /// A line of the search of this ticket.
    Report(u64, Report<Move>),
    /// The end of the search of this ticket.
    Answer(u64, Answer<Move>),
    /// The search of this ticket could not be made, and why.
    Failed(u64, String),
}

/// Where the news goes: called from the engine's thread.
pub(crate) type Post = Box<dyn Fn(News) + Send>;

/// The thread that searches. It ends with its handle, after the search that runs.
pub(crate) struct SearchThread {
    jobs: Sender<Job>,
    running: Option<Arc<Signal>>,
}

impl SearchThread {
    /// Starts the thread. No table is allocated before the first search.
    pub(crate) fn start(catalog: &'static dyn Catalog, post: Post) -> Self {
        let (jobs, inbox) = channel();
        thread::spawn(move || work(catalog, &inbox, &post));
        Self { jobs, running: None }
    }

    /// Searches, as soon as the search before has ended.
    pub(crate) fn search(&mut self, job: Job) {
        self.stop();
        self.running = Some(job.signal.clone());
        // The thread lives as long as this handle.
        let _ = self.jobs.send(job);
    }

    /// Ends the search that runs.
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

fn work(catalog: &'static dyn Catalog, jobs: &Receiver<Job>, post: &Post) {
    let mut client: Option<(Client, Settings)> = None;
    for job in jobs {
        if job.signal.is_stopped() {
            continue;
        }
        let ticket = job.ticket;
        let news = match search(catalog, &mut client, job, post) {
            Ok(answer) => News::Answer(ticket, answer),
            Err(why) => News::Failed(ticket, why),
        };
        post(news);
    }
}

fn search(
    catalog: &'static dyn Catalog,
    client: &mut Option<(Client, Settings)>,
    job: Job,
    post: &Post,
) -> Result<Answer<Move>, String> {
    let Job { ticket, position, settings, limits, moves, signal } = job;
    if client.as_ref().is_some_and(|(client, _)| client.spec() != position.spec()) {
        // Two tables need not be there at once.
        *client = None;
    }
    if client.is_none() {
        let opened = Client::of(catalog, position.spec(), &settings);
        *client = Some((opened.map_err(|error| error.to_string())?, settings));
    }
    let Some((client, in_force)) = client else { return Err("no engine".to_owned()) };
    if *in_force != settings {
        client.configure(&settings).map_err(|error| error.to_string())?;
        *in_force = settings;
    }
    client.set_position(position);
    let mut listener = |report: &Report<Move>| {
        post(News::Report(ticket, report.clone()));
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
            signal: Arc::default(),
        }
    }

    fn start() -> (SearchThread, mpsc::Receiver<News>) {
        let (sender, inbox) = mpsc::channel();
        let post = move |news| drop(sender.send(news));
        (SearchThread::start(&CATALOG, Box::new(post)), inbox)
    }

    fn answered(inbox: &mpsc::Receiver<News>) -> (u64, Option<Move>) {
        loop {
            match inbox.recv().expect("the thread lives") {
                News::Answer(ticket, answer) => return (ticket, answer.best),
                News::Failed(_, why) => panic!("{why}"),
                News::Report(..) => {}
            }
        }
    }

    #[test]
    fn a_search_without_end_is_stopped_by_the_next_one_whatever_its_game() {
        let (mut engine, inbox) = start();
        let mut endless = Limits::default();
        endless.infinite = true;
        engine.search(job(1, "gomoku", endless));
        let first = inbox.recv().expect("the thread lives");
        assert!(matches!(first, News::Report(1, _)));
        engine.search(job(2, "tictactoe", Limits::default().with_depth(2)));
        assert_eq!(answered(&inbox).0, 1);
        let (ticket, best) = answered(&inbox);
        assert!(ticket == 2 && best.is_some());
    }

    #[test]
    fn settings_change_between_searches() {
        let (mut engine, inbox) = start();
        engine.search(job(1, "gomoku", Limits::default().with_nodes(50)));
        answered(&inbox);
        let mut wide = job(2, "gomoku", Limits::default().with_nodes(5000));
        wide.settings = wide.settings.with_multi_pv(4);
        engine.search(wide);
        let lines: Vec<usize> = inbox
            .iter()
            .map_while(|news| match news {
                News::Report(2, report) => Some(report.line),
                _ => None,
            })
            .collect();
        assert!(lines.contains(&4), "{lines:?}");
    }
}
