//! [`Local`]: games on this machine, each worker with its own seats.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use super::{AbortFlag, GuardProgram, LagWatch, ProcessHost};
use crate::engine_host::{EngineHost, HostEvent};
use crate::game::{Adjudge, ChooseSides, GameRunner, GameView, Observer, Plan, Played, RunRules};
use crate::transport::{Transport, TransportEvent, receive};

/// What a worker needs.
pub struct WorkerSetup {
    /// The rules, with the CPUs and folders of this worker's engines.
    pub rules: RunRules,
    /// A board to play on.
    pub board: Box<dyn tengen_engine::Position>,
    /// Ends games by proof.
    pub proofs: Option<Box<dyn Adjudge + Send>>,
    /// Decides in Swap2 for engines that cannot be asked; `None` where games begin otherwise.
    pub swap2: Option<Box<dyn ChooseSides + Send>>,
}

/// Games on this machine.
pub struct Local {
    tasks: Option<Sender<Plan>>,
    reports: Sender<TransportEvent>,
    inbox: Receiver<TransportEvent>,
    abort: AbortFlag,
    workers: Vec<JoinHandle<()>>,
    observers: Vec<Observer>,
}

impl Local {
    /// Starts workers. `wait`: the pause between two games of one worker.
    pub fn start(
        workers: Vec<WorkerSetup>,
        guard: &GuardProgram,
        lag: &Arc<LagWatch>,
        wait: Duration,
    ) -> std::io::Result<Self> {
        let abort = AbortFlag::new()?;
        let (tasks, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let (reports, inbox) = channel();
        let mut local = Self {
            tasks: Some(tasks),
            reports: reports.clone(),
            inbox,
            abort: abort.clone(),
            workers: Vec::new(),
            observers: Vec::new(),
        };
        for (number, worker) in workers.into_iter().enumerate() {
            let observer = Observer::default();
            local.observers.push(observer.clone());
            let seats = ProcessHost::new(guard.clone(), abort.clone(), Arc::clone(lag));
            let (queue, reports) = (Arc::clone(&queue), reports.clone());
            let thread = thread::Builder::new().name(format!("games {number}"));
            let work = move || work(worker, seats, observer, &queue, &reports, wait);
            local.workers.push(thread.spawn(work)?);
        }
        Ok(local)
    }

    /// Returns a sender for reports from elsewhere, such as an interruption.
    pub fn reports(&self) -> Sender<TransportEvent> {
        self.reports.clone()
    }
}

impl Transport for Local {
    fn capacity(&self) -> usize {
        self.workers.len()
    }

    fn offer(&mut self, plan: Plan) {
        if let Some(tasks) = &self.tasks {
            // The workers hold the other end as long as this is here.
            let _ = tasks.send(plan);
        }
    }

    fn results(&mut self, until: Option<Instant>) -> Option<TransportEvent> {
        receive(&self.inbox, until)
    }

    fn stop(&mut self) {
        self.abort.raise();
    }

    fn views(&self) -> Vec<GameView> {
        self.observers.iter().map(Observer::view).collect()
    }
}

impl Drop for Local {
    /// Lets the engines leave, and waits for it.
    fn drop(&mut self) {
        self.tasks = None;
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

fn work(
    worker: WorkerSetup,
    mut seats: ProcessHost,
    observer: Observer,
    queue: &Mutex<Receiver<Plan>>,
    reports: &Sender<TransportEvent>,
    wait: Duration,
) {
    let proofs = worker.proofs.map(|proofs| proofs as Box<dyn Adjudge>);
    let mut table = GameRunner::new(Arc::new(worker.rules), worker.board, observer)
        .with_proofs(proofs)
        .with_swap2(worker.swap2.map(|chooser| chooser as Box<dyn ChooseSides>));
    let mut is_first = true;
    loop {
        let plan = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(mut plan) = plan else { break };
        if !is_first && !wait.is_zero() {
            let until = seats.now() + wait;
            // Engines have nothing to say between games.
            while !matches!(seats.next(until), HostEvent::Timeout | HostEvent::Abort) {}
        }
        is_first = false;
        plan.started = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let _ = reports.send(TransportEvent::Started(plan.clone()));
        let played = table.play(&mut seats, &plan);
        let is_over = played == Played::Aborted;
        if reports.send(TransportEvent::Finished(plan, played)).is_err() || is_over {
            break;
        }
    }
    table.leave(&mut seats);
    seats.settle();
}
