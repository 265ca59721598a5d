//! [`Tuner`]: runs a tuning by SPSA. Each step is a pair of games that moves the parameters.
//!
//! This module plays and prints nothing: games go to a transport. A step is one record of the
//! journal, so that a killed tuning continues after its last step.

use std::collections::{BTreeMap, HashMap};

use fastrand::Rng;
use tengen_engine::Position;
use tengen_runs::journal::{Journal, RunNote};
use tengen_runs::{Control, End, Error, MAX_ATTEMPTS, NextTask, Outcome, Run, Task};

use crate::config::{Config, SpsaConfig};
use crate::game::{GameOutcome, Plan};
use crate::openings::OpeningOrder;
use crate::record::{GameRecord, JournalRecord, SpsaRecord};
use crate::schedule::Fixture;
use crate::stats::spsa::{Parameter, SpsaStep, StepSchedule};

/// The player whose parameters are changed along the flips of a step.
const PLUS_PLAYER: usize = 0;

/// A step whose games are being played.
struct OpenStep {
    step: SpsaStep,
    /// Wins minus losses so far.
    won_by: f64,
    /// The number of games without a result.
    missing: u32,
}

/// Runs a tuning.
pub struct Tuner {
    parameters: Vec<Parameter>,
    schedule: StepSchedule,
    /// The seed of the flips.
    seed: u64,
    /// The number of consecutive failures that ends the tuning.
    max_failures: u32,
    openings: OpeningOrder,
    board: Box<dyn Position>,
    journal: Journal<JournalRecord>,
    /// The current values of the parameters.
    theta: Vec<f64>,
    /// The finished steps, by number, from 1.
    finished: BTreeMap<u64, SpsaRecord>,
    open: HashMap<u64, OpenStep>,
    /// The number of the next step.
    next: u64,
    /// Games to submit.
    queue: Vec<Task<Plan>>,
    failures: u32,
}

impl Tuner {
    /// Creates the tuning of `spsa` that continues after `records`.
    pub fn new(
        spsa: SpsaConfig,
        config: &Config,
        openings: OpeningOrder,
        board: Box<dyn Position>,
        journal: Journal<JournalRecord>,
        records: &[JournalRecord],
    ) -> Self {
        let mut theta: Vec<f64> = spsa.parameters.iter().map(|known| known.start).collect();
        let mut finished = BTreeMap::new();
        for record in records {
            if let JournalRecord::Spsa(step) = record {
                theta.clone_from(&step.theta);
                finished.insert(step.step, step.clone());
            }
        }
        Self {
            schedule: spsa.schedule(config.rounds()),
            parameters: spsa.parameters,
            seed: config.seed,
            max_failures: config.max_failures,
            openings,
            board,
            journal,
            theta,
            finished,
            open: HashMap::new(),
            next: 1,
            queue: Vec::new(),
            failures: 0,
        }
    }

    /// Returns the current values of the parameters.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Returns the finished steps, by number.
    pub fn finished_steps(&self) -> &BTreeMap<u64, SpsaRecord> {
        &self.finished
    }

    /// Starts a step: queues two games from one opening with exchanged colours.
    fn start_step(&mut self, number: u64) {
        let Self { parameters, schedule, seed, .. } = &*self;
        let mut random = Rng::with_seed(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let step = SpsaStep::at(parameters, schedule, number, &self.theta, &mut random);
        let options = step.values.each_ref().map(|values| option_list(parameters, values));
        let pair = number - 1;
        for half in [1, 0] {
            let players = if half == 0 { [0, 1] } else { [1, 0] };
            let fixture = Fixture { id: 2 * pair + half, round: pair, encounter: pair, players };
            let options = players.map(|player| options[player].clone());
            let work = Plan::new(fixture, &self.openings, &mut *self.board, options);
            self.queue.push(Task { id: fixture.id, attempt: 0, work });
        }
        self.open.insert(number, OpenStep { step, won_by: 0.0, missing: 2 });
    }

    /// Counts a game, and moves the parameters if it completes a step.
    fn count(&mut self, game: &GameRecord, control: &mut Control<'_, Self>) -> Result<(), Error> {
        let number = game.pair() + 1;
        let Some(open) = self.open.get_mut(&number) else { return Ok(()) };
        let side = usize::from(game.players[0] != PLUS_PLAYER);
        open.won_by += f64::from(game.score.half_points(side)) - 1.0;
        open.missing -= 1;
        if open.missing > 0 {
            return Ok(());
        }
        let Some(open) = self.open.remove(&number) else { return Ok(()) };
        let theta = open.step.learn(&self.parameters, &self.theta, open.won_by);
        let record = SpsaRecord { step: number, won_by: open.won_by, theta };
        self.journal.append(&[JournalRecord::Spsa(record.clone())])?;
        self.theta.clone_from(&record.theta);
        control.watcher.saved(self, &record);
        self.finished.insert(number, record);
        Ok(())
    }

    fn count_failures(&mut self, game: &GameRecord, control: &mut Control<'_, Self>) {
        if game.failed_side().is_none() {
            self.failures = 0;
            return;
        }
        self.failures += 1;
        let (number, why) = (game.id + 1, &game.end.text);
        control.watcher.note(&format!("game {number} ended by a failure: {why}"));
        let is_limit = self.max_failures > 0 && self.failures >= self.max_failures;
        if is_limit && !control.is_ending() {
            control.watcher.note(&format!(
                "{} games in a row ended by a failure: the tuning ends; -max-failures N allows more",
                self.failures
            ));
            control.end(End::Failures);
        }
    }
}

impl Run for Tuner {
    type Work = Plan;
    type Record = SpsaRecord;
    const TASKS: &'static str = "running games";

    /// Returns the next game. A started step is finished even when the tuning ends.
    fn next(&mut self, _: usize, control: &mut Control<'_, Self>) -> NextTask<Plan> {
        if self.queue.is_empty() && !control.is_ending() {
            while self.finished.contains_key(&self.next) {
                self.next += 1;
            }
            if self.next <= self.schedule.steps {
                self.start_step(self.next);
                self.next += 1;
            }
        }
        Ok(self.queue.pop())
    }

    fn handle(
        &mut self,
        task: Task<Plan>,
        outcome: GameOutcome,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        match outcome {
            Outcome::Aborted => {}
            Outcome::Failed(why) => {
                let number = task.id + 1;
                control.watcher.note(&format!("game {number} does not count: {why}"));
                if task.is_last_attempt() {
                    control.watcher.note(&format!(
                        "game {number} could not be played {MAX_ATTEMPTS} times: the tuning ends"
                    ));
                    control.end(End::Failures);
                }
                self.queue.extend(task.next_attempt());
            }
            Outcome::Finished(record) => {
                self.count_failures(&record, control);
                self.count(&record, control)?;
            }
        }
        Ok(())
    }

    fn note(&mut self, note: RunNote) -> Result<(), Error> {
        self.journal.note(&note)
    }
}

/// Returns the values of parameters as options of an engine.
pub fn option_list(parameters: &[Parameter], values: &[f64]) -> Vec<(String, String)> {
    let places = parameters.iter().zip(values);
    places.map(|(parameter, value)| (parameter.name.clone(), value.to_string())).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::Instant;

    use tengen_engine::Chosen;
    use tengen_engine::backend::Catalog;
    use tengen_games::CATALOG;
    use tengen_runs::{Event, Transport, Watcher, drive};

    use super::*;
    use crate::record::{EndKind, GameScore};

    /// A transport of invented games. The player whose value is nearer to 40 wins.
    struct FakeTransport {
        open: Vec<Task<Plan>>,
        /// The number of games until the transport fails.
        left: usize,
        fails: bool,
    }

    impl Transport<Plan> for FakeTransport {
        fn capacity(&self) -> usize {
            3
        }

        fn submit(&mut self, task: Task<Plan>) {
            self.open.push(task);
        }

        fn next_event(&mut self, _: Option<Instant>) -> Option<Event<Plan>> {
            if self.left == 0 {
                return Some(Event::Broken("killed".to_owned()));
            }
            self.left -= 1;
            let task = self.open.remove(0);
            let far = |side: usize| {
                let value: f64 = task.work.options[side][0].1.parse().unwrap();
                (value - 40.0).abs()
            };
            let score = match far(0).total_cmp(&far(1)) {
                std::cmp::Ordering::Less => GameScore::First,
                std::cmp::Ordering::Equal => GameScore::Draw,
                std::cmp::Ordering::Greater => GameScore::Second,
            };
            let kind = if self.fails { EndKind::Crash } else { EndKind::Line };
            let game = GameRecord::of_result(task.id, task.work.fixture.players, score, kind);
            Some(Event::Finished(task, Outcome::Finished(Box::new(game))))
        }

        fn stop(&mut self) {}
    }

    #[derive(Default)]
    struct RecordingWatcher {
        steps: Vec<u64>,
        notes: Vec<String>,
    }

    impl Watcher<Tuner> for RecordingWatcher {
        fn saved(&mut self, _: &Tuner, record: &SpsaRecord) {
            self.steps.push(record.step);
        }

        fn note(&mut self, text: &str) {
            self.notes.push(text.to_owned());
        }
    }

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder =
                std::env::temp_dir().join(format!("tengen-tune-{}-{name}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn tuner(&self) -> Tuner {
            let parameter = Parameter {
                name: "Width".to_owned(),
                is_integer: true,
                start: 10.0,
                min: 0.0,
                max: 100.0,
                c_end: 4.0,
                r_end: 0.05,
            };
            let spsa = SpsaConfig { parameters: vec![parameter], ..SpsaConfig::default() };
            let config =
                Config { rounds: Some(300), seed: 3, max_failures: 2, ..Config::default() };
            let (journal, records) = Journal::open(&self.0).unwrap();
            let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
            let board = CATALOG.position(&spec);
            Tuner::new(spsa, &config, OpeningOrder::none(), board, journal, &records)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_tuning_finds_the_value_that_wins() {
        let folder = Folder::new("finds");
        let mut tuner = folder.tuner();
        let mut games = FakeTransport { open: Vec::new(), left: usize::MAX, fails: false };
        let mut watcher = RecordingWatcher::default();
        assert_eq!(drive(&mut tuner, &mut games, &mut watcher).unwrap(), End::Done);
        assert_eq!(watcher.steps.len(), 300);
        assert!((tuner.theta()[0] - 40.0).abs() < 5.0, "{:?}", tuner.theta());
    }

    #[test]
    fn a_tuning_that_was_killed_makes_every_step_once() {
        let folder = Folder::new("killed");
        let mut random = Rng::with_seed(8);
        let mut watcher = RecordingWatcher::default();
        loop {
            let mut tuner = folder.tuner();
            let left = random.usize(1..60);
            let mut games = FakeTransport { open: Vec::new(), left, fails: false };
            if drive(&mut tuner, &mut games, &mut watcher).is_ok() {
                assert_eq!(tuner.finished_steps().len(), 300);
                break;
            }
        }
        watcher.steps.sort_unstable();
        assert_eq!(watcher.steps, (1..=300).collect::<Vec<_>>());
    }

    #[test]
    fn failures_in_a_row_end_a_tuning() {
        let folder = Folder::new("fails");
        let mut games = FakeTransport { open: Vec::new(), left: usize::MAX, fails: true };
        let mut watcher = RecordingWatcher::default();
        // Only decided games can be failures.
        let ending = drive(&mut folder.tuner(), &mut games, &mut watcher).unwrap();
        assert_eq!(ending, End::Failures);
        assert!(watcher.notes.iter().any(|note| note.contains("in a row ended by a failure: ")));
    }
}
