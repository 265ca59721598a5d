//! [`LocalWorkers`]: a transport whose workers are threads of this program.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use super::{AbortFlag, GuardProgram, LagWatch, ProcessHost};
use crate::engine::host::{EngineHost, HostEvent};
use crate::game::proof::ProofFinder;
use crate::game::{GameOutcome, GameRunner, GameView, Observer, Plan, RunRules, SideChooser};
use crate::transport::{Transport, TransportEvent, receive};

/// The data of a worker.
pub struct WorkerSetup {
    /// The rules of the run, with the CPUs and folders of this worker's engines.
    pub rules: RunRules,
    /// The board for setting up openings.
    pub board: Box<dyn tengen_engine::Position>,
    /// Finds proven results; `None` if no game ends by proof.
    pub proofs: Option<ProofFinder>,
    /// Chooses sides in Swap2 for engines whose dialect has no Swap2; `None` if games begin
    /// otherwise.
    pub swap2: Option<SideChooser>,
}

/// Worker threads that play games, each with its own engines.
pub struct LocalWorkers {
    tasks: Option<Sender<Plan>>,
    event_sender: Sender<TransportEvent>,
    events: Receiver<TransportEvent>,
    abort: AbortFlag,
    workers: Vec<JoinHandle<()>>,
    observers: Vec<Observer>,
}

impl LocalWorkers {
    /// Starts a thread for each worker. `wait` is the pause between two games of a worker.
    pub fn start(
        workers: Vec<WorkerSetup>,
        guard: &GuardProgram,
        lag: &Arc<LagWatch>,
        wait: Duration,
    ) -> std::io::Result<Self> {
        let abort = AbortFlag::new()?;
        let (tasks, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let (event_sender, events) = channel();
        let mut local = Self {
            tasks: Some(tasks),
            event_sender: event_sender.clone(),
            events,
            abort: abort.clone(),
            workers: Vec::new(),
            observers: Vec::new(),
        };
        for (number, worker) in workers.into_iter().enumerate() {
            let observer = Observer::default();
            local.observers.push(observer.clone());
            let host = ProcessHost::new(guard.clone(), abort.clone(), Arc::clone(lag));
            let (queue, event_sender) = (Arc::clone(&queue), event_sender.clone());
            let thread = thread::Builder::new().name(format!("games {number}"));
            let work = move || run_worker(worker, host, observer, &queue, &event_sender, wait);
            local.workers.push(thread.spawn(work)?);
        }
        Ok(local)
    }

    /// Returns a sender for events from outside, such as an interruption.
    pub fn event_sender(&self) -> Sender<TransportEvent> {
        self.event_sender.clone()
    }
}

impl Transport for LocalWorkers {
    fn capacity(&self) -> usize {
        self.workers.len()
    }

    fn submit(&mut self, plan: Plan) {
        if let Some(tasks) = &self.tasks {
            // The workers receive until `tasks` is dropped.
            let _ = tasks.send(plan);
        }
    }

    fn next_event(&mut self, until: Option<Instant>) -> Option<TransportEvent> {
        receive(&self.events, until)
    }

    fn stop(&mut self) {
        self.abort.raise();
    }

    fn views(&self) -> Vec<GameView> {
        self.observers.iter().map(Observer::view).collect()
    }
}

impl Drop for LocalWorkers {
    /// Waits until the workers have ended their engines.
    fn drop(&mut self) {
        self.tasks = None;
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

/// Plays games from `queue` until it is closed or the run is aborted.
fn run_worker(
    worker: WorkerSetup,
    mut host: ProcessHost,
    observer: Observer,
    queue: &Mutex<Receiver<Plan>>,
    event_sender: &Sender<TransportEvent>,
    wait: Duration,
) {
    let mut runner = GameRunner::new(Arc::new(worker.rules), worker.board, observer)
        .with_proofs(worker.proofs)
        .with_swap2(worker.swap2);
    let mut is_first = true;
    loop {
        let plan = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut plan) = plan else { break };
        if !is_first && !wait.is_zero() {
            let until = host.now() + wait;
            // Lines between games are dropped.
            while !matches!(host.next(until), HostEvent::Timeout | HostEvent::Abort) {}
        }
        is_first = false;
        plan.started = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let _ = event_sender.send(TransportEvent::Started(plan.clone()));
        let played = runner.play(&mut host, &plan);
        let is_over = played == GameOutcome::Aborted;
        if event_sender.send(TransportEvent::Finished(plan, played)).is_err() || is_over {
            break;
        }
    }
    runner.quit(&mut host);
    host.await_exits();
}
