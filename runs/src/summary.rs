//! What the journal of a run says about its workers, and how the results of one of them are removed.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::contract::{WorkerIdentity, worker_of};
use crate::journal::{FILE, Journal, Journaled, RunNote, is_locked, line, read_each};
use crate::{Error, replace};

/// The file of the results that were removed.
const PURGED: &str = "purged.jsonl";

/// A line of any journal.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct AnyRecord(Map<String, Value>);

impl Journaled for AnyRecord {
    const UNIT: &'static str = "task";
    const HOLDER: &'static str = "another process works";

    fn result_of(&self) -> Option<u64> {
        let kinds = ["void", "forfeit"];
        let is_result = !kinds.contains(&self.text("kind"));
        self.0.get("id").and_then(Value::as_u64).filter(|_| is_result)
    }
}

impl AnyRecord {
    fn text(&self, field: &str) -> &str {
        self.0.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the worker of a result or of a refusal; empty for this process.
    fn worker(&self) -> &str {
        worker_of(self.text("worker"))
    }
}

/// What a worker did in a run.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct WorkerSummary {
    /// The number of its results.
    pub results: u64,
    /// The number of reasons for which results of it were refused.
    pub refused: u64,
    /// The last of these reasons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_refusal: Option<String>,
    /// Its program; `None` before its first result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<WorkerIdentity>,
    /// Whether its results were removed.
    pub purged: bool,
}

/// What the journal of a run says.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Summary {
    /// The number of results.
    pub results: u64,
    /// Whether a process works on the run.
    pub is_running: bool,
    /// Whether an operator has paused the run at its server.
    pub is_paused: bool,
    /// Why the last process of the run ended before its aim; `None` if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_stop: Option<String>,
    /// The workers by name. That of this process is empty.
    pub workers: BTreeMap<String, WorkerSummary>,
}

impl Summary {
    /// Reads the journal in `folder`, also while a process works on the run.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let mut summary = Self { is_running: is_locked(folder), ..Self::default() };
        read_each(folder, |record: AnyRecord| summary.add(&record))?;
        Ok(summary)
    }

    fn worker(&mut self, name: &str) -> &mut WorkerSummary {
        self.workers.entry(name.to_owned()).or_default()
    }

    fn add(&mut self, record: &AnyRecord) {
        match record.text("kind") {
            "refused" => {
                let worker = self.worker(record.worker());
                worker.refused += 1;
                worker.last_refusal = Some(record.text("why").to_owned());
            }
            "worker" => {
                let program = serde_json::from_value(Value::Object(record.0.clone()));
                self.worker(record.text("name")).program = program.ok();
            }
            "purged" => self.worker(record.text("worker")).purged = true,
            "pause" => {
                self.is_paused = record.0.get("paused").and_then(Value::as_bool) == Some(true);
            }
            "stop" => self.last_stop = Some(record.text("why").to_owned()),
            _ if record.result_of().is_some() => {
                self.worker(record.worker()).results += 1;
                self.results += 1;
                self.last_stop = None;
            }
            _ => {}
        }
    }
}

/// Removes the results of `worker` from the journal in `folder`. The run does their tasks again when it
/// is continued, and takes no more results of this worker. Returns how many results there were; they stay
/// in a file beside the journal.
pub fn purge(folder: &Path, worker: &str) -> Result<u64, Error> {
    let mut is_purged = Vec::new();
    let mut has_steps = false;
    // The journal stays locked until the new one is there.
    let _journal = Journal::<AnyRecord>::open_with(folder, |entry| {
        let record = entry.record();
        let is_own = |record: &AnyRecord| record.result_of().is_some() && record.worker() == worker;
        has_steps |= record.as_ref().is_some_and(|record| record.text("kind") == "spsa");
        is_purged.push(record.as_ref().is_some_and(is_own));
    })?;
    if has_steps {
        let why = "a tuning cannot go on without some of its games: start it again";
        return Err(Error::OtherRun(format!("{}: {why}", folder.display())));
    }
    let path = folder.join(FILE);
    let text = fs::read_to_string(&path).map_err(Error::at(&path))?;
    let (mut kept, mut purged) = (String::new(), String::new());
    for (whole, is_purged) in text.split_inclusive('\n').zip(&is_purged) {
        if *is_purged { &mut purged } else { &mut kept }.push_str(whole);
    }
    let results = purged.lines().count() as u64;
    if results == 0 {
        let folder = folder.display();
        return Err(Error::OtherRun(format!(
            "--purge {worker}: the journal has no results of this worker; \"tengen workers {folder}\" lists the workers"
        )));
    }
    let beside = folder.join(PURGED);
    let io = Error::at(&beside);
    let mut file = OpenOptions::new().create(true).append(true).open(&beside).map_err(&io)?;
    file.write_all(purged.as_bytes()).and_then(|()| file.sync_data()).map_err(&io)?;
    kept.push_str(&line(&RunNote::Purged { worker: worker.to_owned(), results }));
    replace(&path, kept.as_bytes())?;
    Ok(results)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_of_a_worker_are_counted_and_removed() {
        let folder = std::env::temp_dir().join(format!("tengen-purge-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let lines = [
            json!({"kind": "head"}),
            json!({"kind": "worker", "name": "a", "boot": null, "version": "1", "git": "c0", "sha256": "77", "bench": 5}),
            json!({"kind": "game", "id": 0, "worker": "a/0"}),
            json!({"kind": "game", "id": 1, "worker": "b/1"}),
            json!({"kind": "void", "id": 2, "attempt": 0, "why": "x"}),
            json!({"kind": "refused", "task": "t", "worker": "a/1", "why": "bad"}),
            json!({"kind": "game", "id": 3, "worker": "a/1"}),
            json!({"kind": "game", "id": 2}),
        ];
        let text: String = lines.iter().map(line).collect();
        fs::write(folder.join(FILE), &text).unwrap();
        let before = Summary::read(&folder).unwrap();
        assert_eq!((before.results, before.is_running), (4, false));
        let a = &before.workers["a"];
        assert_eq!((a.results, a.refused, a.last_refusal.as_deref()), (2, 1, Some("bad")));
        assert_eq!(a.program.as_ref().unwrap().git.as_deref(), Some("c0"));
        assert_eq!((before.workers["b"].results, before.workers[""].results), (1, 1));

        // A name that nobody had would be shut out for ever.
        assert!(purge(&folder, "c").unwrap_err().to_string().starts_with("--purge c: the journal"));
        assert_eq!(fs::read_to_string(folder.join(FILE)).unwrap(), text);
        assert_eq!(purge(&folder, "a").unwrap(), 2);
        let after = Summary::read(&folder).unwrap();
        assert_eq!((after.results, after.workers["a"].results), (2, 0));
        assert!(after.workers["a"].purged);
        // Other lines are as they were, and the removed ones are kept.
        let kept = fs::read_to_string(folder.join(FILE)).unwrap();
        assert!(kept.starts_with(&text[..text.find("{\"id\":0").unwrap()]), "{kept}");
        assert_eq!(fs::read_to_string(folder.join(PURGED)).unwrap().lines().count(), 2);
        let journal = Journal::<AnyRecord>::open(&folder).unwrap().0;
        assert!(!journal.results().contains(0) && journal.results().contains(1));
        fs::remove_dir_all(&folder).unwrap();
    }
}
