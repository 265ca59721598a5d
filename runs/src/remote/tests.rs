//! Runs over an invented carrier: groups, refused results, results that come early, tasks that are given
//! up.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, json};

use super::*;
use crate::contract::{Build, TaskError, TaskFailure, WorkerIdentity};

/// Doubles a number.
#[derive(Clone, Debug)]
pub(super) struct Double(pub(super) u64);

impl Work for Double {
    type Result = u64;
    type View = ();
}

/// Two numbers are one line.
pub(super) struct Pairs;

impl Codec<Double> for Pairs {
    fn group(&self, task: &Task<Double>) -> u64 {
        task.id / 2
    }

    fn is_own(&self, _: &str) -> bool {
        true
    }

    fn tasks_of(&self, id: &str) -> Option<Range<u64>> {
        let (first, last) = id.split_once('-').unwrap_or((id, id));
        Some(first.parse().ok()?..last.parse::<u64>().ok()? + 1)
    }

    fn is_full(&self, tasks: &[Task<Double>]) -> bool {
        tasks.len() == 2
    }

    fn encode(&mut self, tasks: Vec<Task<Double>>) -> Vec<(TaskLine, Vec<Task<Double>>)> {
        let ids: Vec<String> = tasks.iter().map(|task| task.id.to_string()).collect();
        let mut fields = Map::new();
        fields.insert("n".into(), tasks.iter().map(|task| task.work.0).collect());
        vec![(TaskLine { id: ids.join("-"), kind: "double".into(), fields }, tasks)]
    }

    fn view(&self, _: &[Task<Double>], state: Value) -> Option<()> {
        (state == "doubling").then_some(())
    }

    fn is_reproducible(&self, _: &[Task<Double>], _: &Value) -> bool {
        true
    }

    fn decode(
        &self,
        tasks: &[Task<Double>],
        data: Value,
        _: Value,
        _: &str,
    ) -> Result<Vec<u64>, String> {
        let found: Vec<u64> = serde_json::from_value(data).map_err(|why| why.to_string())?;
        if found.len() == tasks.len() { Ok(found) } else { Err("another length".into()) }
    }
}

/// What a carrier was asked for.
#[derive(Default, Debug, PartialEq)]
struct Asked {
    workers: usize,
    repeated: Vec<(String, Vec<String>)>,
    excluded: Vec<String>,
    submitted: Vec<String>,
    refused: Vec<(String, bool)>,
    saved: Vec<u64>,
    stopped: Option<bool>,
}

struct FakeCarrier(Arc<Mutex<Asked>>);

impl Carrier for FakeCarrier {
    fn room(&self) -> usize {
        2
    }

    fn workers(&self) -> usize {
        self.0.lock().workers
    }

    fn submit(&mut self, task: &TaskLine) {
        self.0.lock().submitted.push(task.id.clone());
    }

    fn refuse(&mut self, task: &TaskLine, _: u64, _: &str, leaves: bool) {
        self.0.lock().refused.push((task.id.clone(), leaves));
    }

    fn repeat(&mut self, task: &TaskLine, done_by: &[String], _: u64) {
        self.0.lock().repeated.push((task.id.clone(), done_by.to_vec()));
    }

    fn exclude(&mut self, worker: &str) {
        self.0.lock().excluded.push(worker.to_owned());
    }

    fn saved(&mut self, numbers: &[u64]) {
        self.0.lock().saved.extend(numbers);
    }

    fn stop(&mut self, is_done: bool) {
        self.0.lock().stopped = Some(is_done);
    }
}

fn start(allows_dead: bool) -> (Remote<Double, Pairs>, Arc<Mutex<Asked>>) {
    start_after(allows_dead, Ids::default())
}

/// Continues a run whose journal holds the results of the tasks `done`.
fn start_after(allows_dead: bool, done: Ids) -> (Remote<Double, Pairs>, Arc<Mutex<Asked>>) {
    let asked = Arc::new(Mutex::new(Asked::default()));
    let carrier = FakeCarrier(Arc::clone(&asked));
    let open = |_| Ok::<Box<dyn Carrier>, ()>(Box::new(carrier));
    let build = Build { version: "1".into(), bench: None };
    let settings =
        TransportSettings { allow_dead: allows_dead, repeat: Some(100), ..Default::default() };
    (Remote::start(Pairs, done, build, &settings, open).unwrap(), asked)
}

fn task(id: u64) -> Task<Double> {
    Task { id, attempt: 0, work: Double(id) }
}

fn submit(remote: &mut Remote<Double, Pairs>, ids: &[u64]) {
    ids.iter().for_each(|id| remote.submit(task(*id)));
}

fn worker(version: &str, bench: Option<u64>) -> Option<WorkerIdentity> {
    Some(WorkerIdentity {
        name: "h/0".into(),
        version: version.into(),
        bench,
        ..WorkerIdentity::default()
    })
}

/// Returns the line with this id.
fn line(id: &str) -> TaskLine {
    let tasks = id.split('-').map(|id| task(id.parse().unwrap())).collect();
    Pairs.encode(tasks).remove(0).0
}

fn result(id: &str, data: Value) -> ResultLine {
    let line = line(id);
    ResultLine { worker: worker("1", None), ..ResultLine::done(&line, data, Value::Null) }
}

impl Remote<Double, Pairs> {
    fn arrive(&mut self, result: ResultLine, number: u64) {
        self.arrivals.sender().send(Arrival::Result(Box::new(result), number)).unwrap();
    }

    /// Returns all events up to now, in words.
    fn events(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        while let Some(event) = self.next_event(Some(Instant::now())) {
            found.push(match event {
                Event::Started(task) => format!("started {}", task.id),
                Event::Finished(task, outcome) => format!("{} {outcome:?}", task.id),
                Event::Worker(_) => continue,
                Event::Interrupted => "interrupted".into(),
                Event::Note(text) => format!("note {text}"),
                Event::Refused(refusal) => format!("refused {}: {}", refusal.task, refusal.why),
                Event::Paused(is_paused) => format!("paused {is_paused}"),
                Event::Ended(why) => format!("ended {why}"),
                Event::Broken(why) => {
                    found.push(format!("broken {why}"));
                    return found;
                }
            });
        }
        found
    }
}

#[test]
fn a_group_is_one_line_and_an_incomplete_one_goes_when_no_task_follows() {
    let (mut remote, asked) = start(false);
    submit(&mut remote, &[0, 1, 2]);
    assert_eq!(asked.lock().submitted, ["0-1"]);
    assert_eq!(remote.events(), ["started 0", "started 1", "started 2"]);
    assert_eq!(asked.lock().submitted, ["0-1", "2"]);
    assert_eq!(remote.capacity(), 0);
    remote.arrive(result("0-1", json!([0, 2])), 7);
    assert_eq!(remote.events(), ["0 Finished(0)", "1 Finished(2)"]);
    assert!(asked.lock().saved.is_empty());
    remote.saved();
    assert_eq!(asked.lock().saved, [7]);
    assert!(remote.capacity() > 0);
}

#[test]
fn results_that_do_not_count_are_reported_once_and_queued_again() {
    let (mut remote, asked) = start(false);
    submit(&mut remote, &[0, 1]);
    remote.events();
    let digest = ResultLine { digest: Some("sha256:00".into()), ..result("0-1", json!([0, 2])) };
    let version = ResultLine { worker: worker("2", None), ..result("0-1", json!([0, 2])) };
    let contract = ResultLine { version: 9, ..result("0-1", json!([0, 2])) };
    let nobody = ResultLine { worker: None, ..result("0-1", json!([0, 2])) };
    let empty = ResultLine { data: None, ..result("0-1", json!(0)) };
    let other = |result: ResultLine| {
        let worker = result.worker.map(|worker| WorkerIdentity { name: "k/0".into(), ..worker });
        ResultLine { worker, ..result }
    };
    for bad in [digest.clone(), digest, version, nobody, other(contract), other(empty)] {
        remote.arrive(bad, 1);
    }
    let found = remote.events();
    let said = |part: &str| found.iter().filter(|event| event.contains(part)).count();
    assert_eq!(said("its digest is not that of its data"), 1, "{found:?}");
    assert_eq!(said("refused 0-1: the worker has version 2, the run 1"), 1, "{found:?}");
    assert_eq!(said("it is of version 9 of the contract, not 1"), 1, "{found:?}");
    assert_eq!(said("it does not name its worker"), 1, "{found:?}");
    // At the third fault a worker is excluded, which is said once. Its results do not count any more.
    assert_eq!(said("worker h is excluded from this run"), 1, "{found:?}");
    let leaves = [false, false, true, false, false, false];
    assert_eq!(asked.lock().refused.iter().map(|(_, leaves)| *leaves).collect::<Vec<_>>(), leaves);
    remote.arrive(result("0-1", json!([0, 2])), 2);
    assert!(remote.events().is_empty());
    assert_eq!(asked.lock().excluded, ["h"]);
    // The task waits for another worker.
    remote.arrive(other(result("0-1", json!([0, 2]))), 3);
    assert_eq!(remote.events(), ["0 Finished(0)", "1 Finished(2)"]);
}

#[test]
fn data_of_another_form_is_a_fault() {
    let (mut remote, asked) = start(false);
    submit(&mut remote, &[0, 1]);
    remote.events();
    for number in 0..3 {
        remote.arrive(result("0-1", json!([0])), number);
    }
    let found = remote.events();
    assert_eq!(found[0], "refused 0-1: another length");
    assert!(found[1].starts_with("note worker h is excluded from this run"), "{found:?}");
    assert_eq!(found.len(), 2);
    assert_eq!(asked.lock().refused.last().unwrap(), &("0-1".into(), true));
}

#[test]
fn all_workers_have_the_bench_of_the_first_one() {
    let (mut remote, _) = start(false);
    submit(&mut remote, &[0, 1, 2, 3]);
    remote.events();
    remote.arrive(ResultLine { worker: worker("1", Some(5)), ..result("0-1", json!([0, 2])) }, 1);
    remote.arrive(ResultLine { worker: worker("1", Some(6)), ..result("2-3", json!([4, 6])) }, 2);
    let found = remote.events();
    assert_eq!(found[2], "refused 2-3: the bench of the worker has 6 nodes, that of the run 5");
}

#[test]
fn a_result_that_comes_before_its_task_counts() {
    let (mut remote, asked) = start(false);
    remote.arrive(result("0-1", json!([0, 2])), 3);
    assert!(remote.events().is_empty());
    submit(&mut remote, &[0, 1]);
    assert!(asked.lock().submitted.is_empty());
    assert_eq!(remote.events(), ["started 0", "started 1", "0 Finished(0)", "1 Finished(2)"]);
}

#[test]
fn results_that_the_journal_holds_are_acknowledged_and_not_kept() {
    let (mut remote, asked) = start_after(false, [0, 1, 2].into_iter().collect());
    remote.arrive(result("0-1", json!([0, 2])), 4);
    remote.arrive(result("2-3", json!([4, 6])), 5);
    assert!(remote.events().is_empty());
    assert_eq!((remote.early.len(), asked.lock().saved.as_slice()), (1, &[4][..]));
    // The second task of the line has no result yet.
    submit(&mut remote, &[2, 3]);
    assert_eq!(remote.events().len(), 4);
    remote.saved();
    remote.arrive(result("2-3", json!([4, 6])), 5);
    assert!(remote.events().is_empty() && remote.early.is_empty());
    assert_eq!(asked.lock().saved, [4, 5, 5]);
}

#[test]
fn errors_end_the_run_unless_the_machine_failed() {
    let failed = |id: &str, retry| {
        let line = line(id);
        let error = TaskError { code: "x".into(), field: None, message: "no memory".into() };
        ResultLine {
            worker: worker("1", None),
            ..ResultLine::failed(&line, TaskFailure { error, retry })
        }
    };
    let (mut remote, asked) = start(false);
    submit(&mut remote, &[0, 1]);
    remote.events();
    remote.arrive(failed("0-1", true), 1);
    assert!(remote.events().is_empty());
    assert_eq!(asked.lock().refused, [("0-1".into(), false)]);
    remote.arrive(failed("0-1", false), 2);
    assert_eq!(remote.events(), ["broken task 0-1 was refused: no memory"]);
}

#[test]
fn tasks_that_are_given_up_end_the_run_when_the_others_have_ended() {
    let (mut remote, asked) = start(false);
    submit(&mut remote, &[0, 1, 2, 3]);
    remote.events();
    remote.arrivals.sender().send(Arrival::Failed("0-1".into(), "5 workers".into())).unwrap();
    assert_eq!(remote.events(), ["note task 0-1 is given up: 5 workers"]);
    assert_eq!(remote.capacity(), 0);
    remote.arrive(result("2-3", json!([4, 6])), 1);
    let found = remote.events();
    assert!(found[2].starts_with("broken given up: 1 task (0-1);"), "{found:?}");
    assert!(asked.lock().stopped.is_none());

    let (mut remote, _) = start(true);
    submit(&mut remote, &[0, 1]);
    remote.events();
    remote.arrivals.sender().send(Arrival::Failed("0-1".into(), "5 workers".into())).unwrap();
    let found = remote.events();
    assert_eq!(found[1..], ["0 Failed(\"5 workers\")", "1 Failed(\"5 workers\")"]);
}

#[test]
fn at_its_aim_a_run_aborts_what_still_runs() {
    let (mut remote, asked) = start(false);
    submit(&mut remote, &[0, 1, 2]);
    remote.events();
    remote.arrive(result("0-1", json!([0, 2])), 1);
    remote.finish();
    assert_eq!(remote.events(), ["0 Finished(0)", "1 Finished(2)", "2 Aborted"]);
    assert_eq!(asked.lock().stopped, Some(true));
}

#[test]
fn the_result_of_another_task_does_not_count() {
    let (mut remote, asked) = start(false);
    submit(&mut remote, &[0, 1]);
    remote.events();
    let other = ResultLine { task: Some(line("2-3").digest()), ..result("0-1", json!([4, 6])) };
    remote.arrive(other, 1);
    remote.arrive(ResultLine { task: None, ..result("0-1", json!([0, 2])) }, 2);
    assert_eq!(
        remote.events(),
        [
            "refused 0-1: it is the result of another task",
            "refused 0-1: it does not say which task it is of"
        ]
    );
    assert_eq!(asked.lock().refused.len(), 2);
    remote.arrive(result("0-1", json!([0, 2])), 3);
    assert_eq!(remote.events(), ["0 Finished(0)", "1 Finished(2)"]);
}

#[test]
fn results_of_another_run_of_this_name_are_left_and_said_once() {
    let (mut remote, asked) = start(false);
    // Its lines have single tasks.
    remote.arrive(result("0", json!([7])), 5);
    remote.arrive(result("2", json!([7])), 6);
    assert!(remote.events().is_empty());
    submit(&mut remote, &[0, 1, 2, 3]);
    let found = remote.events();
    let said = found.iter().filter(|event| event.starts_with("note results of other tasks"));
    assert_eq!(said.count(), 1, "{found:?}");
    assert_eq!(asked.lock().saved, [5, 6]);
    assert_eq!(asked.lock().submitted, ["0-1", "2-3"]);
}

#[test]
fn a_line_that_takes_too_long_is_divided() {
    let late = |id: &str| {
        let error = TaskError::new("timeout", Some("max_ms"), "late".into());
        let failed = ResultLine::failed(&line(id), error.into());
        ResultLine { worker: worker("1", None), ..failed }
    };
    let (mut remote, asked) = start(false);
    submit(&mut remote, &[0, 1]);
    remote.events();
    remote.arrive(late("0-1"), 1);
    assert_eq!(remote.events(), ["started 0", "started 1"]);
    assert_eq!(asked.lock().submitted, ["0-1", "0", "1"]);
    let refusal = |id: &str| {
        let error = TaskError::new("timeout", None, "late".into());
        Arrival::Refused(id.into(), line(id).digest(), error)
    };
    remote.arrivals.sender().send(refusal("1")).unwrap();
    remote.arrive(result("0", json!([0])), 2);
    assert_eq!(remote.events(), ["1 Failed(\"late\")", "0 Finished(0)"]);
}

/// Returns a result of another worker.
fn by(worker: &str, result: ResultLine) -> ResultLine {
    let name = format!("{worker}/0");
    let worker = result.worker.map(|identity| WorkerIdentity { name, ..identity });
    ResultLine { worker, ..result }
}

#[test]
fn a_task_is_repeated_by_another_worker_and_the_results_are_compared() {
    let (mut remote, asked) = start(false);
    asked.lock().workers = 3;
    submit(&mut remote, &[0, 1, 2, 3]);
    remote.events();
    remote.arrive(by("a", result("0-1", json!([0, 2]))), 1);
    assert!(remote.events().is_empty());
    assert_eq!(asked.lock().repeated, [("0-1".into(), vec!["a".into()])]);
    // Its own second result is no proof.
    remote.arrive(by("a", result("0-1", json!([0, 2]))), 2);
    assert!(remote.events().is_empty());
    remote.arrive(by("b", result("0-1", json!([0, 2]))), 3);
    assert_eq!(remote.events(), ["0 Finished(0)", "1 Finished(2)"]);
    // Two of three workers decide.
    remote.arrive(by("a", result("2-3", json!([4, 7]))), 4);
    remote.arrive(by("b", result("2-3", json!([4, 6]))), 5);
    assert!(remote.events().is_empty());
    remote.arrive(by("c", result("2-3", json!([4, 6]))), 6);
    let found = remote.events();
    assert!(found[0].contains("worker a is excluded from this run"), "{found:?}");
    assert_eq!(found[1..], ["2 Finished(4)", "3 Finished(6)"]);
    assert_eq!(asked.lock().excluded, ["a"]);
}

#[test]
fn two_workers_that_differ_end_the_run_in_words() {
    let (mut remote, asked) = start(false);
    asked.lock().workers = 2;
    submit(&mut remote, &[0, 1]);
    remote.events();
    remote.arrive(by("a", result("0-1", json!([0, 2]))), 1);
    remote.arrive(by("b", result("0-1", json!([0, 3]))), 2);
    let found = remote.events();
    assert!(found[0].starts_with("broken task 0-1: a and b have different results"), "{found:?}");
}

#[test]
fn a_worker_that_contradicts_itself_is_excluded_and_one_that_is_alone_counts() {
    let (mut remote, asked) = start(false);
    asked.lock().workers = 2;
    submit(&mut remote, &[0, 1]);
    remote.events();
    remote.arrive(by("a", result("0-1", json!([0, 2]))), 1);
    remote.arrive(by("a", result("0-1", json!([0, 3]))), 2);
    assert!(remote.events()[0].contains("it has two results of task 0-1"));
    remote.arrive(by("b", result("0-1", json!([0, 2]))), 3);
    assert!(remote.events().is_empty());
    asked.lock().workers = 1;
    remote.arrive(by("b", result("0-1", json!([0, 2]))), 4);
    assert_eq!(remote.events(), ["0 Finished(0)", "1 Finished(2)"]);
}

#[test]
fn a_worker_is_known_once() {
    let mut trust = Trust::default();
    let slot = worker("1", None).unwrap();
    assert_eq!(trust.count_good(&slot).unwrap().name, "h");
    assert_eq!(trust.count_good(&WorkerIdentity { name: "h/7".into(), ..slot.clone() }), None);
    let other = WorkerIdentity { sha256: "77".into(), ..slot };
    assert_eq!(trust.count_good(&other).unwrap().sha256, "77");
    assert!(!trust.count_fault("h") && !trust.count_fault("h"));
    // Good results make up for faults.
    (0..100).for_each(|_| drop(trust.count_good(&other)));
    assert!(!trust.count_fault("h"));
}

#[test]
fn the_user_sees_what_workers_do_until_its_result_comes() {
    let (mut remote, _) = start(false);
    submit(&mut remote, &[0, 1]);
    let shows = |remote: &mut Remote<Double, Pairs>, id: &str, by: &str, state: &str| {
        remote.handle(Arrival::View(id.to_owned(), by.to_owned(), state.into()));
        remote.views().len()
    };
    assert_eq!(shows(&mut remote, "0-1", "h", "other"), 0, "the codec cannot read it");
    assert_eq!(shows(&mut remote, "2-3", "h", "doubling"), 0, "no such task is on its way");
    remote.handle(Arrival::Excluded("rogue".to_owned()));
    assert_eq!(shows(&mut remote, "0-1", "rogue", "doubling"), 0, "nobody believes this worker");
    assert_eq!(shows(&mut remote, "0-1", "h", "doubling"), 1);
    remote.arrive(result("0-1", json!([0, 2])), 1);
    remote.events();
    assert!(remote.views().is_empty());
}
