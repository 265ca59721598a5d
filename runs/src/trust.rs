//! [`Trust`]: the workers of a run, and their faults.

use std::collections::{HashMap, HashSet};

use crate::contract::{WorkerIdentity, worker_of};

/// The number of faults at which a worker is excluded.
const MAX_FAULTS: u32 = 3;

/// The number of good results that make up for a fault.
const GOOD_RESULTS: u32 = 50;

/// The greatest number of reasons that are reported, so that a worker cannot fill the journal.
const MAX_REPORTS: usize = 100;

/// What is known about a worker.
#[derive(Default)]
struct Known {
    identity: Option<WorkerIdentity>,
    good: u32,
    faults: u32,
    is_excluded: bool,
}

/// The workers of a run.
#[derive(Default)]
pub(crate) struct Trust {
    /// By name, without slots.
    workers: HashMap<String, Known>,
    reported: HashSet<(String, String)>,
}

impl Trust {
    /// Returns whether results of a worker do not count any more.
    pub(crate) fn is_excluded(&self, worker: &str) -> bool {
        self.workers.get(worker).is_some_and(|known| known.is_excluded)
    }

    /// Excludes a worker. Returns whether it was not excluded before.
    pub(crate) fn exclude(&mut self, worker: &str) -> bool {
        let known = self.workers.entry(worker.to_owned()).or_default();
        !std::mem::replace(&mut known.is_excluded, true)
    }

    /// Counts a good result of a slot. Returns its worker, if that is new or has another program now.
    pub(crate) fn count_good(&mut self, slot: &WorkerIdentity) -> Option<WorkerIdentity> {
        let worker = WorkerIdentity { name: worker_of(&slot.name).to_owned(), ..slot.clone() };
        let known = self.workers.entry(worker.name.clone()).or_default();
        known.good += 1;
        if known.good.is_multiple_of(GOOD_RESULTS) {
            known.faults = known.faults.saturating_sub(1);
        }
        let is_new = known.identity.as_ref() != Some(&worker);
        is_new.then(|| known.identity.insert(worker).clone())
    }

    /// Counts a fault of a worker. Returns whether it is to be excluded.
    pub(crate) fn count_fault(&mut self, worker: &str) -> bool {
        let known = self.workers.entry(worker.to_owned()).or_default();
        known.faults += 1;
        known.faults >= MAX_FAULTS
    }

    /// Returns whether a fault is to be reported: each reason is, once for each worker.
    pub(crate) fn reports(&mut self, worker: &str, why: &str) -> bool {
        let report = (worker.to_owned(), why.to_owned());
        self.reported.len() < MAX_REPORTS && self.reported.insert(report)
    }
}
