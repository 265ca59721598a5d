//! [`Lease`]: the entry of a run in the bucket of runs. Its coordinator changes it all the time.

use std::fmt::Display;
use std::time::Duration;

use async_nats::jetstream::kv::{Store, UpdateError};

use super::{EXCHANGE, RunEntry, RunState};
use crate::Error;
use crate::contract::quoted;
use crate::settings::{Progress, RunInfo};

/// How long a new coordinator waits for a heartbeat of another one.
const WATCH: Duration = Duration::from_secs(12);

/// The lease of a run.
pub(super) struct Lease {
    pub(super) runs: Store,
    pub(super) entry: RunEntry,
    pub(super) revision: u64,
}

impl Lease {
    /// Takes the lease of a run. Another coordinator that sends heartbeats keeps it.
    pub(super) async fn take(runs: Store, run: &RunInfo) -> Result<Self, Error> {
        let why = |why: &dyn Display| Error::Broken(format!("lease of run {}: {why}", run.name));
        let entry = RunEntry {
            state: RunState::Running,
            task_version: EXCHANGE,
            version: run.build.version.clone(),
            bench: run.build.bench,
            engines: run.engines.clone(),
            holder: run.holder.clone(),
            epoch: 1,
            beat: 0,
            excluded: run.purged.clone(),
            purged: run.purged.clone(),
            progress: Progress::default(),
            view_secs: 1,
            share: 1,
        };
        let mut lease = Self { runs, entry, revision: 0 };
        let known = lease.runs.entry(&run.name).await.map_err(|error| why(&error))?;
        let Some(mut known) = known else {
            let created = lease.runs.create(&run.name, lease.entry.json().into()).await;
            lease.revision = created.map_err(|error| why(&error))?;
            return Ok(lease);
        };
        let read = |value: &[u8]| serde_json::from_slice::<RunEntry>(value).ok();
        // The lock of the journal shows that an earlier coordinator of this folder has ended.
        let is_of_other = |entry: &RunEntry| {
            let is_open = matches!(entry.state, RunState::Running | RunState::Paused);
            is_open && entry.holder != run.holder
        };
        if read(&known.value).is_some_and(|entry| is_of_other(&entry)) {
            tokio::time::sleep(WATCH).await;
            let found = lease.runs.entry(&run.name).await.map_err(|error| why(&error))?;
            if let Some(found) = found {
                let other = read(&found.value).filter(is_of_other);
                if let Some(other) = other.filter(|_| found.revision != known.revision) {
                    let (name, holder) = (&run.name, quoted(&other.holder));
                    let why = format!("run {name}: another coordinator works, {holder}");
                    return Err(Error::OtherRun(why));
                }
                known = found;
            }
        }
        // Ids of messages have the epoch. That of a run which was removed is below this number, too.
        lease.entry.epoch = known.revision + 1;
        if let Some(before) = read(&known.value) {
            lease.entry.epoch = before.epoch + 1;
            // Who was excluded stays so, also for the next process of this run.
            let is_same = before.holder == run.holder;
            if is_same {
                let is_new = |worker: &String| !run.purged.contains(worker);
                lease.entry.excluded.extend(before.excluded.into_iter().filter(is_new));
                lease.entry.share = before.share;
            }
        }
        lease.revision = known.revision;
        lease.update(&run.name).await.map_err(|error| why(&error))?;
        Ok(lease)
    }

    /// Writes the entry, if nobody else has changed it.
    pub(super) async fn update(&mut self, run: &str) -> Result<(), UpdateError> {
        self.revision = self.runs.update(run, self.entry.json().into(), self.revision).await?;
        Ok(())
    }
}
