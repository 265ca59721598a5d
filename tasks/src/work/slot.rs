//! [`Slot`]: does one task at a time.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value};
#[cfg(target_os = "linux")]
use tengen_arena::engine::process::ProcessHost;
use tengen_arena::work::listing::Listing;
use tengen_arena::work::pair;
#[cfg(target_os = "linux")]
use tengen_arena::work::player::{PairPlayer, PairSlot};
#[cfg(target_os = "linux")]
use tengen_games::CATALOG;
use tengen_runs::TaskSignal;
use tengen_runs::contract::{Build, ResultLine, TaskError, TaskFailure, TaskLine, quoted};

use super::identity::Identity;
use super::query_task::QueryTasks;
use crate::Failure;

/// What the slots of a process share.
pub(super) struct Worker {
    #[cfg(target_os = "linux")]
    pairs: PairPlayer,
    #[cfg(target_os = "linux")]
    host: ProcessHost,
    most_hash_mib: usize,
    identity: Identity,
}

impl Worker {
    /// Creates a worker that may start the engines of `listing`.
    pub(super) fn new(
        listing: Listing,
        most_hash_mib: usize,
        identity: Identity,
    ) -> Result<Self, Failure> {
        #[cfg(not(target_os = "linux"))]
        let _ = listing;
        Ok(Self {
            #[cfg(target_os = "linux")]
            pairs: PairPlayer::new(&CATALOG, listing, most_hash_mib),
            #[cfg(target_os = "linux")]
            host: ProcessHost::start()
                .map_err(|why| Failure::Failed(format!("no engine can be started: {why}")))?,
            most_hash_mib,
            identity,
        })
    }
}

/// A slot of a worker.
pub(super) struct Slot {
    number: usize,
    worker: Arc<Worker>,
    #[cfg(target_os = "linux")]
    pairs: PairSlot,
    queries: QueryTasks,
}

impl Slot {
    /// Creates a slot. Nothing is started before its first task.
    pub(super) fn new(number: usize, worker: Arc<Worker>) -> Self {
        let queries = QueryTasks::new(worker.most_hash_mib, worker.identity.git);
        #[cfg(target_os = "linux")]
        let pairs = PairSlot::new(worker.host.with_empty_seats());
        Self {
            number,
            worker,
            #[cfg(target_os = "linux")]
            pairs,
            queries,
        }
    }

    /// Does a task of this kind. Returns its data and its times.
    fn done(
        &mut self,
        kind: &str,
        fields: Map<String, Value>,
        signal: &Arc<TaskSignal>,
    ) -> Result<(Value, Value), TaskFailure> {
        let message = match kind {
            #[cfg(target_os = "linux")]
            pair::KIND => return self.worker.pairs.play(&mut self.pairs, fields, signal),
            #[cfg(not(target_os = "linux"))]
            pair::KIND => "kind \"pair\": games need Linux".to_owned(),
            "analyze" | "solve" => return self.queries.answer(kind, fields, signal),
            other => format!("kind \"{}\": it must be pair, analyze or solve", quoted(other)),
        };
        Err(TaskError::new("unsupported", Some("kind"), message).into())
    }
}

impl tengen_runs::Slot for Slot {
    fn work(&mut self, mut task: TaskLine, signal: &Arc<TaskSignal>) -> ResultLine {
        let started_at = Instant::now();
        let identity = self.worker.identity.of_slot(self.number);
        let (digest, build) = (task.digest(), task.take_build());
        let fields = std::mem::take(&mut task.fields);
        let is_own = |build: Option<Build>| {
            build.map_or(Ok(()), |build| build.check(&identity).map_err(TaskFailure::machine))
        };
        let checked = build.map_err(TaskFailure::from).and_then(is_own);
        let result = match checked.and_then(|()| self.done(&task.kind, fields, signal)) {
            Ok((data, times)) => ResultLine::done(&task, data, times),
            Err(failure) => ResultLine::failed(&task, failure),
        };
        ResultLine {
            task: Some(digest),
            elapsed_ms: started_at.elapsed().as_millis() as u64,
            worker: Some(identity),
            ..result
        }
    }

    fn rest(&mut self) {
        #[cfg(target_os = "linux")]
        self.pairs.rest();
    }
}
