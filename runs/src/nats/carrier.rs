//! [`NatsCarrier`]: the carrier of a run at a server of NATS. A thread of its own keeps the connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::keeper::{Command, Keeper};
use super::workers::Shared;
use super::{ACK_WAIT, Note, Role, open, runtime, unless_refused};
use crate::Error;
use crate::contract::TaskLine;
use crate::remote::{Arrival, Carrier};
use crate::settings::{RunInfo, TransportSettings};

/// How many tasks are queued for each slot, by default.
const AHEAD: usize = 4;

/// How long the end of a run that is done waits for the server.
const DONE_WAIT: Duration = Duration::from_secs(15);

/// How long the end of a run that stopped early waits for the server.
const STOP_WAIT: Duration = Duration::from_secs(2);

/// Queues tasks at a server of NATS.
pub struct NatsCarrier {
    commands: UnboundedSender<Command>,
    shared: Arc<Shared>,
    /// Closed when the keeper has ended.
    ended: Receiver<()>,
    is_stopped: bool,
}

impl NatsCarrier {
    /// Connects to the server, and takes the lease of the run.
    pub fn start(
        settings: &TransportSettings,
        run: RunInfo,
        arrivals: Sender<Arrival>,
    ) -> Result<Self, Error> {
        let url = super::address(settings.nats.as_deref()).map_err(Error::Broken)?;
        let (commands, received) = unbounded_channel();
        let ahead = settings.ahead.map_or(AHEAD, |ahead| ahead as usize);
        let ack_wait = settings.ack_wait_ms.map_or(ACK_WAIT, Duration::from_millis);
        let shared = Arc::new(Shared::new(ahead));
        let (ready, started) = channel();
        let (keeps, ended) = channel::<()>();
        let (access, seen) = (settings.access.clone(), Arc::clone(&shared));
        let notes = arrivals.clone();
        let note: Note =
            Arc::new(move |text| drop(notes.send(Arrival::Note(format!("nats: {text}")))));
        let open = async move || {
            let opened = open(&url, &access, Role::Coordinator, &run.name, note).await;
            let (context, refused) = opened.map_err(Error::Broken)?;
            let keeper = Keeper::open(context, run, arrivals, seen, ahead, ack_wait);
            unless_refused(&refused, async { Ok(keeper.await) }).await.map_err(Error::Broken)?
        };
        let keep = move || {
            let _keeps = keeps;
            let runtime = match runtime() {
                Ok(runtime) => runtime,
                Err(why) => return drop(ready.send(Err(Error::Broken(why)))),
            };
            match runtime.block_on(open()) {
                Ok(keeper) => {
                    let _ = ready.send(Ok(()));
                    runtime.block_on(keeper.run(received));
                }
                Err(why) => drop(ready.send(Err(why))),
            }
        };
        let thread = thread::Builder::new().name("nats".to_owned()).spawn(keep);
        thread.map_err(|why| Error::Broken(why.to_string()))?;
        let ended_early =
            |_| Err(Error::Broken("the thread of the connection has ended".to_owned()));
        started.recv().unwrap_or_else(ended_early)?;
        Ok(Self { commands, shared, ended, is_stopped: false })
    }

    fn send(&self, command: Command) {
        // The keeper has told why it ended.
        let _ = self.commands.send(command);
    }
}

impl Carrier for NatsCarrier {
    fn room(&self) -> usize {
        self.shared.room.load(Ordering::Relaxed)
    }

    fn workers(&self) -> usize {
        self.shared.workers.load(Ordering::Relaxed)
    }

    fn is_idle(&self) -> bool {
        self.workers() == 0 || self.shared.is_paused.load(Ordering::Relaxed)
    }

    fn submit(&mut self, task: &TaskLine) {
        self.send(Command::Submit(task.clone()));
    }

    fn refuse(&mut self, task: &TaskLine, number: u64, worker: &str, _: bool) {
        self.send(Command::Refuse(task.clone(), number, worker.to_owned()));
    }

    fn repeat(&mut self, task: &TaskLine, done_by: &[String], number: u64) {
        self.send(Command::Repeat(task.clone(), done_by.to_vec(), number));
    }

    fn exclude(&mut self, worker: &str) {
        self.send(Command::Exclude(worker.to_owned()));
    }

    fn saved(&mut self, numbers: &[u64]) {
        self.send(Command::Saved(numbers.to_vec()));
    }

    fn stop(&mut self, is_done: bool) {
        if self.is_stopped {
            return;
        }
        self.is_stopped = true;
        self.send(Command::Stop(is_done));
        // A server that is away must not hold the run for ever.
        let _ = self.ended.recv_timeout(if is_done { DONE_WAIT } else { STOP_WAIT });
    }
}

impl Drop for NatsCarrier {
    fn drop(&mut self) {
        self.stop(false);
    }
}
