//! [`Lease`]: the entry of a run in the bucket of runs. Its coordinator changes it all the time.

use std::fmt::Display;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_nats::jetstream::kv::{Entry, Store, UpdateError};

use super::{EXCHANGE, PAUSE, RunEntry, RunState};
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
    /// Whether an earlier coordinator of this folder had the run.
    pub(super) is_continued: bool,
}

impl Lease {
    /// Takes the lease of a run. Another coordinator that sends heartbeats keeps it. `note` tells the user which run
    /// is replaced.
    pub(super) async fn take(
        runs: Store,
        run: &RunInfo,
        note: impl Fn(String),
    ) -> Result<Self, Error> {
        let mut lease = Self { runs, entry: new_entry(run), revision: 0, is_continued: false };
        let Some(mut found) = lease.find(run).await? else {
            let created = lease.runs.create(&run.name, lease.entry.json().into()).await;
            lease.revision = created.map_err(|error| failed(run, &error))?;
            return Ok(lease);
        };
        // The lock of the journal shows that an earlier coordinator of this folder has ended.
        if let Some(other) = read(&found).filter(|entry| is_of_other(entry, run)) {
            found = lease.await_sign(run, found, &other).await?;
        }
        let before = read(&found);
        if let Some(other) = before.as_ref().filter(|entry| is_of_other(entry, run)) {
            note(replaced(run, &found, other)?);
        }
        // Ids of messages have the epoch. That of a run which was removed is below this number, too.
        lease.entry.epoch = before.as_ref().map_or(found.revision, |entry| entry.epoch) + 1;
        if let Some(before) = before.filter(|entry| entry.holder == run.holder) {
            lease.keep(before, run);
        }
        lease.revision = found.revision;
        lease.update(&run.name).await.map_err(|error| failed(run, &error))?;
        Ok(lease)
    }

    async fn find(&self, run: &RunInfo) -> Result<Option<Entry>, Error> {
        self.runs.entry(&run.name).await.map_err(|error| failed(run, &error))
    }

    /// Keeps what operators have said of this run before: who is excluded, the share, and a pause.
    fn keep(&mut self, before: RunEntry, run: &RunInfo) {
        self.is_continued = true;
        let is_new = |worker: &String| !run.purged.contains(worker);
        self.entry.excluded.extend(before.excluded.into_iter().filter(is_new));
        self.entry.share = before.share;
        if before.state == RunState::Paused {
            self.entry.state = RunState::Paused;
        }
    }

    /// Waits for a sign of life of the coordinator of `other`. Returns the entry if there is none. The error says
    /// that it works.
    async fn await_sign(
        &self,
        run: &RunInfo,
        mut found: Entry,
        other: &RunEntry,
    ) -> Result<Entry, Error> {
        let begun = Instant::now();
        while begun.elapsed() < WATCH
            && let Some(entry) = read(&found).filter(|entry| is_of_other(entry, run))
            && !entry.is_left
        {
            // An operator changes the entry, too, but not these numbers.
            if (&entry.holder, entry.epoch, entry.beat) != (&other.holder, other.epoch, other.beat)
            {
                let (name, holder) = (&run.name, quoted(&entry.holder));
                let why = format!("run {name}: another coordinator works, {holder}");
                return Err(Error::OtherRun(why));
            }
            tokio::time::sleep(PAUSE).await;
            found = self.find(run).await?.unwrap_or(found);
        }
        Ok(found)
    }

    /// Writes the entry, if nobody else has changed it.
    pub(super) async fn update(&mut self, run: &str) -> Result<(), UpdateError> {
        self.revision = self.runs.update(run, self.entry.json().into(), self.revision).await?;
        Ok(())
    }
}

/// Returns the entry of a run that begins.
fn new_entry(run: &RunInfo) -> RunEntry {
    RunEntry {
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
        alive: None,
        is_left: false,
    }
}

/// Returns the run of an entry; `None` if it was removed.
fn read(entry: &Entry) -> Option<RunEntry> {
    serde_json::from_slice(&entry.value).ok()
}

/// Returns whether a run that has not reached its end is that of another folder.
fn is_of_other(entry: &RunEntry, run: &RunInfo) -> bool {
    let is_over = matches!(entry.state, RunState::Done | RunState::Cancelled);
    !is_over && entry.holder != run.holder
}

/// Says that the run `other`, whose coordinator is gone, is replaced. The error says that it is paused: only an operator
/// ends a pause.
fn replaced(run: &RunInfo, found: &Entry, other: &RunEntry) -> Result<String, Error> {
    let (name, holder) = (&run.name, quoted(&other.holder));
    let since = match other.is_left {
        true => "which has stopped".to_owned(),
        false => format!("silent for {} s", silence(found, other)),
    };
    if other.state == RunState::Paused {
        return Err(Error::OtherRun(format!(
            "run {name} of {holder}, {since}, is paused: \"tengen runs --nats --resume {name}\" ends the pause, --remove {name} removes the run"
        )));
    }
    let excluded = match other.excluded.as_slice() {
        [] => String::new(),
        names => format!("; its excluded workers get tasks again: {}", names.join(", ")),
    };
    let share = match other.share {
        1 => String::new(),
        share => format!("; its share {share} is dropped"),
    };
    Ok(format!("run {name} of {holder}, {since}, is replaced by this one{excluded}{share}"))
}

fn failed(run: &RunInfo, why: &dyn Display) -> Error {
    Error::Broken(format!("lease of run {}: {why}", run.name))
}

/// Returns the seconds since the last sign of life of the coordinator of a run.
pub(super) fn silence(found: &Entry, run: &RunEntry) -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs() as i64);
    (now - run.alive.unwrap_or_else(|| found.created.unix_timestamp())).max(0)
}
