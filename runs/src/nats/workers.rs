//! [`Present`]: the workers that are there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::mpsc::Sender;
use std::time::Instant;

use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::kv::Operation;
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedSender;

use super::{PAUSE, WORKER_AGE, WORKERS, WorkerEntry, bucket, id_of, view_subject, worker_in};
use crate::contract::MAX_VIEW;
use crate::remote::Arrival;

/// What the run reads of its keeper at any time.
pub(super) struct Shared {
    /// How many tasks may be on their way.
    pub(super) room: AtomicUsize,
    /// How many workers take tasks of this run.
    pub(super) workers: AtomicUsize,
    /// Whether the user has paused the run.
    pub(super) is_paused: AtomicBool,
}

impl Shared {
    pub(super) fn new(room: usize) -> Self {
        let (room, workers) = (AtomicUsize::new(room), AtomicUsize::new(0));
        Self { room, workers, is_paused: AtomicBool::new(false) }
    }
}

/// A heartbeat of a worker; `None` if it has left.
pub(super) type Sign = (String, Option<WorkerEntry>);

/// The workers that are there, by name, and when each was last seen.
#[derive(Default)]
pub(super) struct Present(HashMap<String, (WorkerEntry, Instant)>);

impl Present {
    /// Takes a heartbeat.
    pub(super) fn take(&mut self, (name, entry): Sign) {
        match entry {
            Some(entry) => drop(self.0.insert(name, (entry, Instant::now()))),
            None => drop(self.0.remove(&name)),
        }
    }

    /// Returns whether a worker is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Returns the workers that have sent a heartbeat lately.
    pub(super) fn all(&mut self) -> impl Iterator<Item = (&String, &WorkerEntry)> {
        self.0.retain(|_, (_, seen)| seen.elapsed() < WORKER_AGE);
        self.0.iter().map(|(name, (entry, _))| (name, entry))
    }
}

/// Sends the states of the tasks of a run that workers show, for ever.
pub(super) async fn watch_views(client: Client, run: String, arrivals: Sender<Arrival>) {
    let subject = view_subject("*", &run, "*");
    loop {
        if let Ok(mut views) = client.subscribe(subject.clone()).await {
            while let Some(message) = views.next().await {
                let (id, worker) = (id_of(&message.subject), worker_in(&message.subject));
                let is_small = message.payload.len() <= MAX_VIEW;
                let view = serde_json::from_slice(&message.payload).ok().filter(|_| is_small);
                let arrival =
                    view.map(|view| Arrival::View(id.to_owned(), worker.to_owned(), view));
                if arrival.is_some_and(|arrival| arrivals.send(arrival).is_err()) {
                    return;
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Sends all heartbeats of workers, for ever.
pub(super) async fn watch(context: Context, signs: UnboundedSender<Sign>) {
    loop {
        if let Ok(store) = bucket(&context, WORKERS).await
            && let Ok(mut watch) = store.watch_with_history(">").await
        {
            while let Some(Ok(entry)) = watch.next().await {
                let is_there = entry.operation == Operation::Put;
                let found = is_there.then(|| serde_json::from_slice(&entry.value).ok()).flatten();
                if signs.send((entry.key, found)).is_err() {
                    return;
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}
