//! Simulated runs: a coordinator, its journal and faulty workers under partitions, lost, doubled and late messages, kills and torn
//! writes. Everything is chosen by a seed and runs on one thread, over an invented server and the real journal.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fastrand::Rng;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::tests::{Double, Pairs};
use super::*;
use crate::contract::{TaskFailure, WorkerIdentity};
use crate::journal::{self, Journaled};
use crate::{End, Error, TaskList, Tasks, Watcher, drive};

/// The most coordinators of a run that are killed.
const MAX_KILLS: u32 = 4;

/// The number of tasks of a run. The last line has one, the others have two.
const TASKS: u64 = 21;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Doubled {
    id: u64,
    value: u64,
}

impl Journaled for Doubled {
    const UNIT: &'static str = "number";
    const HOLDER: &'static str = "another run doubles";

    fn result_of(&self) -> Option<u64> {
        Some(self.id)
    }
}

/// The numbers to double.
struct Numbers;

impl Tasks for Numbers {
    type Work = Double;
    type Record = Doubled;
    const TASKS: &'static str = "numbers";

    fn work(&mut self, id: u64) -> Option<Double> {
        (id < TASKS).then_some(Double(id))
    }

    fn record(task: Task<Double>, value: u64) -> Doubled {
        Doubled { id: task.id, value }
    }
}

struct Nobody;

impl Watcher<TaskList<Numbers>> for Nobody {
    fn note(&mut self, _: &str) {}

    fn saved(&mut self, _: &TaskList<Numbers>, _: &Doubled) {}
}

/// What happened in all simulated runs.
#[derive(Default, Debug)]
struct Happened {
    kills: u64,
    torn: u64,
    partitions: u64,
    doubled: u64,
    deaths: u64,
    lies: u64,
    divided: u64,
}

/// A result that the server keeps until it is acknowledged.
struct Kept {
    result: ResultLine,
    /// Whether the running coordinator has got it.
    is_delivered: bool,
}

/// The server and the workers. It outlives its coordinators.
struct World {
    rng: Rng,
    queue: VecDeque<(TaskLine, Vec<String>)>,
    kept: BTreeMap<u64, Kept>,
    next_number: u64,
    excluded: Vec<String>,
    to_coordinator: Option<Sender<Arrival>>,
    /// How many more steps nothing arrives.
    cut_off: u32,
    journal: PathBuf,
    /// Whether the coordinator acknowledges what it has journaled. At other times it leaves results of lines that were divided.
    is_saved: bool,
    /// Whether every task is done by two workers.
    repeats: bool,
    happened: Happened,
}

/// The workers: the first three are honest, the others lie.
const WORKERS: [&str; 6] = ["a", "b", "c", "spoils", "old", "lies"];

impl World {
    /// Lets something happen.
    fn step(&mut self) {
        match self.rng.u32(..100) {
            0..55 => self.work(),
            55..60 => {
                self.cut_off = self.rng.u32(..12);
                self.happened.partitions += 1;
            }
            _ => self.deliver(),
        }
    }

    /// Lets a worker do a line.
    fn work(&mut self) {
        let name = WORKERS[self.rng.usize(..WORKERS.len())];
        // Only a second opinion finds a lie that looks right.
        let is_away =
            self.excluded.iter().any(|other| other == name) || name == "lies" && !self.repeats;
        let place = self.queue.iter().position(|(_, done_by)| !done_by.iter().any(|by| by == name));
        let Some(place) = place.filter(|_| !is_away) else { return };
        let line = match self.rng.u32(..10) {
            0 => {
                // The worker dies: after a while the line goes to another one.
                self.happened.deaths += 1;
                return self.queue.rotate_left(1);
            }
            1 => {
                // The worker is slow: its line goes to another one, too.
                self.happened.doubled += 1;
                self.queue[place].0.clone()
            }
            _ => self.queue.remove(place).expect("a line").0,
        };
        let result = self.result(&line, name);
        let is_known =
            |kept: &Kept| kept.result.id == result.id && kept.result.worker == result.worker;
        // The server takes one result of a worker for each line.
        if !self.kept.values().any(is_known) {
            self.next_number += 1;
            self.kept.insert(self.next_number, Kept { result, is_delivered: false });
        }
    }

    /// Returns what a worker makes of a line.
    fn result(&mut self, line: &TaskLine, name: &str) -> ResultLine {
        let numbers = line.fields["n"].as_array().into_iter().flatten();
        let mut data: Vec<u64> = numbers.filter_map(Value::as_u64).map(|n| 2 * n).collect();
        let version = if name == "old" { "0" } else { "1" };
        let identity = WorkerIdentity {
            name: format!("{name}/0"),
            version: version.into(),
            ..Default::default()
        };
        self.happened.lies += u64::from(matches!(name, "spoils" | "old" | "lies"));
        if name == "lies" {
            data[0] += 1;
        }
        let mut result = ResultLine::done(line, json!(data), Value::Null);
        if name == "spoils" {
            result.digest = Some("0".into());
        } else if data.len() == 2 && name == "a" && self.rng.u32(..10) == 0 {
            // A line that takes too long is divided.
            self.happened.divided += 1;
            let error =
                TaskError { code: "timeout".into(), field: None, message: "too long".into() };
            result = ResultLine::failed(line, TaskFailure { error, retry: false });
        }
        ResultLine { worker: Some(identity), ..result }
    }

    /// Delivers a result. Each coordinator gets it once.
    fn deliver(&mut self) {
        self.cut_off = self.cut_off.saturating_sub(1);
        if self.cut_off > 0 {
            return;
        }
        let numbers: Vec<u64> = self
            .kept
            .iter()
            .filter(|(_, kept)| !kept.is_delivered)
            .map(|(number, _)| *number)
            .collect();
        let Some(number) = self.rng.choice(numbers) else { return };
        let Some(kept) = self.kept.get_mut(&number) else { return };
        kept.is_delivered = true;
        let arrival = Arrival::Result(Box::new(kept.result.clone()), number);
        self.to_coordinator.as_ref().map(|to| to.send(arrival));
    }

    /// Returns the tasks in the journal, each with its value.
    fn journaled(&self) -> BTreeMap<u64, u64> {
        let folder = self.journal.parent().unwrap();
        let records: Vec<Doubled> = journal::read_folder(folder).unwrap();
        let count = records.len();
        let found: BTreeMap<u64, u64> =
            records.into_iter().map(|record| (record.id, record.value)).collect();
        assert_eq!(found.len(), count, "a task has two records");
        found
    }
}

/// The carrier of one coordinator.
struct Wire(Arc<Mutex<World>>);

impl Carrier for Wire {
    fn room(&self) -> usize {
        3
    }

    fn workers(&self) -> usize {
        WORKERS.len()
    }

    fn submit(&mut self, task: &TaskLine) {
        let mut world = self.0.lock();
        // The server keeps each line once.
        if !world.queue.iter().any(|(line, _)| line.id == task.id) {
            world.queue.push_back((task.clone(), Vec::new()));
        }
    }

    fn refuse(&mut self, task: &TaskLine, number: u64, _: &str, _: bool) {
        self.0.lock().kept.remove(&number);
        self.submit(task);
    }

    fn repeat(&mut self, task: &TaskLine, done_by: &[String], number: u64) {
        let mut world = self.0.lock();
        world.kept.remove(&number);
        world.queue.push_back((task.clone(), done_by.to_vec()));
    }

    fn exclude(&mut self, worker: &str) {
        self.0.lock().excluded.push(worker.to_owned());
    }

    fn saved(&mut self, numbers: &[u64]) {
        let mut world = self.0.lock();
        let journaled = world.journaled();
        for number in numbers {
            let Some(kept) = world.kept.remove(number) else { continue };
            let tasks = Pairs.tasks_of(kept.result.id.as_deref().unwrap()).unwrap();
            // Of two results of a line, the second one may go first.
            let has_other = world.kept.values().any(|other| other.result.id == kept.result.id);
            let counts = world.is_saved || world.happened.divided == 0;
            let is_needed = counts && !has_other && kept.result.error.is_none();
            assert!(
                !is_needed || tasks.clone().all(|id| journaled.contains_key(&id)),
                "acknowledged too soon: {tasks:?}"
            );
        }
    }

    fn stop(&mut self, _: bool) {}
}

/// The transport of one coordinator, which is killed after some steps.
struct Coordinator {
    remote: Remote<Double, Pairs>,
    world: Arc<Mutex<World>>,
    steps_left: u32,
    /// The length of the journal when results were last acknowledged.
    acknowledged: Arc<Mutex<u64>>,
}

impl Transport<Double> for Coordinator {
    fn capacity(&self) -> usize {
        self.remote.capacity()
    }

    fn submit(&mut self, task: Task<Double>) {
        self.remote.submit(task);
    }

    fn next_event(&mut self, until: Option<Instant>) -> Option<Event<Double>> {
        loop {
            if let Some(event) = self.remote.next_event(Some(Instant::now())) {
                return Some(event);
            }
            if self.steps_left == 0 {
                return Some(Event::Broken("killed".into()));
            }
            self.steps_left -= 1;
            self.world.lock().step();
            if until.is_some() && self.world.lock().rng.bool() {
                return None;
            }
        }
    }

    fn stop(&mut self) {
        // A kill leaves no time for anything.
    }

    fn saved(&mut self) {
        let path = self.world.lock().journal.clone();
        *self.acknowledged.lock() = fs::metadata(path).unwrap().len();
        self.world.lock().is_saved = true;
        self.remote.saved();
        self.world.lock().is_saved = false;
    }

    fn finish(&mut self) {
        self.remote.finish();
    }
}

/// Spoils the end of a journal as a kill or a power cut may: what was acknowledged stays.
fn tear(world: &mut World, acknowledged: u64) {
    let bytes = fs::read(&world.journal).unwrap();
    let keep = world.rng.usize(acknowledged as usize..=bytes.len());
    world.happened.torn += u64::from(keep < bytes.len());
    fs::write(&world.journal, &bytes[..keep]).unwrap();
}

/// Runs until all numbers are doubled, with as many coordinators as that takes. Returns what happened.
fn simulate(seed: u64, folder: &Path) -> Happened {
    let journal = folder.join(journal::FILE);
    let mut rng = Rng::with_seed(seed);
    let (repeats, kills) = (rng.bool(), rng.u32(..=MAX_KILLS));
    let world = World {
        rng,
        queue: VecDeque::new(),
        kept: BTreeMap::new(),
        next_number: 0,
        excluded: Vec::new(),
        to_coordinator: None,
        cut_off: 0,
        journal,
        is_saved: false,
        repeats,
        happened: Happened::default(),
    };
    let world = Arc::new(Mutex::new(world));
    let acknowledged = Arc::new(Mutex::new(0));
    let settings =
        TransportSettings { repeat: Some(if repeats { 100 } else { 0 }), ..Default::default() };
    for attempt in 0.. {
        assert!(attempt <= kills, "the run does not end");
        let mut list =
            TaskList::open(folder, Numbers, TASKS, &["numbers".to_owned()], "of others").unwrap();
        let carrier = Wire(Arc::clone(&world));
        let begin = |sender| {
            let mut world = world.lock();
            world.to_coordinator = Some(sender);
            // It reads all results again.
            world.kept.values_mut().for_each(|kept| kept.is_delivered = false);
            Ok::<Box<dyn Carrier>, ()>(Box::new(carrier))
        };
        let build = Build { version: "1".into(), bench: None };
        let remote = Remote::start(Pairs, list.done().clone(), build, &settings, begin).unwrap();
        // The first ones are killed.
        let steps_left = if attempt < kills { world.lock().rng.u32(1..200) } else { 20_000 };
        let mut coordinator = Coordinator {
            remote,
            world: Arc::clone(&world),
            steps_left,
            acknowledged: Arc::clone(&acknowledged),
        };
        match drive(&mut list, &mut coordinator, &mut Nobody) {
            Ok(End::Done) => break,
            Ok(other) => panic!("{other:?}"),
            Err(Error::Broken(_)) => {}
            Err(other) => panic!("{other}"),
        }
        drop((list, coordinator));
        let mut world = world.lock();
        world.happened.kills += 1;
        tear(&mut world, *acknowledged.lock());
    }
    let mut world = world.lock();
    let expected: BTreeMap<u64, u64> = (0..TASKS).map(|id| (id, 2 * id)).collect();
    assert_eq!(world.journaled(), expected);
    std::mem::take(&mut world.happened)
}

/// Simulates the runs of these seeds, and prints what happened. A seed that fails is named.
#[allow(clippy::print_stdout)]
fn simulate_all(seeds: Range<u64>) {
    let mut all = Happened::default();
    for seed in seeds.clone() {
        let folder = tempfile::tempdir().unwrap();
        let found = std::panic::catch_unwind(|| simulate(seed, folder.path()));
        let found = found.unwrap_or_else(|_| {
            panic!("seed {seed}: tests/campaign simulation --first {seed} --seeds 1")
        });
        all.kills += found.kills;
        all.torn += found.torn;
        all.partitions += found.partitions;
        all.doubled += found.doubled;
        all.deaths += found.deaths;
        all.lies += found.lies;
        all.divided += found.divided;
    }
    println!("{seeds:?}: {all:?}");
    assert!(
        all.kills > 0
            && all.torn > 0
            && all.partitions > 0
            && all.doubled > 0
            && all.deaths > 0
            && all.lies > 0
    );
}

#[test]
fn every_task_of_a_run_is_done_once_whatever_fails() {
    simulate_all(0..30);
}

#[test]
#[ignore = "a long test"]
fn campaign_simulation() {
    let number =
        |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let first = number("TENGEN_FIRST_SEED", 0);
    simulate_all(first..first + number("TENGEN_SEEDS", 10_000));
}
