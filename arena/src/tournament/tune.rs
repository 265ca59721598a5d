//! [`Tuner`]: runs a tuning by SPSA. Each step is a pair of games that moves the parameters.
//!
//! This module plays and prints nothing: games go to a [`Transport`]. A step is one record of the
//! journal, so that a killed tuning continues after its last step.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use fastrand::Rng;
use tengen_engine::Position;

use crate::drive::{TaskRun, drive};
use crate::game::{GameOutcome, GameView, Plan};
use crate::journal::{Journal, JournalError};
use crate::openings::OpeningOrder;
use crate::stats::spsa::{Parameter, SpsaStep, StepSchedule};
use crate::tournament::record::{GameRecord, JournalRecord, SpsaRecord, StopRecord};
use crate::tournament::schedule::Fixture;
use crate::transport::Transport;

/// The player whose parameters are changed along the flips of a step.
const PLUS_PLAYER: usize = 0;

/// The greatest number of attempts for a game.
const MAX_ATTEMPTS: u32 = 3;

/// How a tuning ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TuningEnd {
    /// All steps were made.
    Done,
    /// The user interrupted the tuning.
    Interrupted,
    /// Too many games failed.
    Failures,
}

/// Why a tuning could not continue.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The workers have failed.
    #[error("{0}")]
    Broken(String),
}

/// Receives the progress of a tuning.
pub trait TuningWatcher {
    /// Called when a step is in the journal.
    fn stepped(&mut self, record: &SpsaRecord);

    /// Shows a note or a warning to the user.
    fn note(&mut self, text: &str);
}

/// The settings of a tuning.
#[derive(Clone, PartialEq, Debug)]
pub struct TuningConfig {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The schedule of the steps.
    pub schedule: StepSchedule,
    /// The seed of the flips.
    pub seed: u64,
    /// The number of consecutive failures that ends the tuning.
    pub max_failures: u32,
}

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
    config: TuningConfig,
    openings: OpeningOrder,
    board: Box<dyn Position>,
    journal: Journal,
    /// The current values of the parameters.
    theta: Vec<f64>,
    /// The finished steps, by number, from 1.
    finished: BTreeMap<u64, SpsaRecord>,
    open: HashMap<u64, OpenStep>,
    /// The number of the next step.
    next: u64,
    /// Games to submit.
    queue: Vec<Plan>,
    failures: u32,
    ending: Option<TuningEnd>,
}

impl Tuner {
    /// Creates a tuning that continues after `records`.
    pub fn new(
        config: TuningConfig,
        openings: OpeningOrder,
        board: Box<dyn Position>,
        journal: Journal,
        records: &[JournalRecord],
    ) -> Self {
        let mut theta: Vec<f64> = config.parameters.iter().map(|known| known.start).collect();
        let mut finished = BTreeMap::new();
        for record in records {
            if let JournalRecord::Spsa(step) = record {
                theta.clone_from(&step.theta);
                finished.insert(step.step, step.clone());
            }
        }
        Self {
            config,
            openings,
            board,
            journal,
            theta,
            finished,
            open: HashMap::new(),
            next: 1,
            queue: Vec::new(),
            failures: 0,
            ending: None,
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

    /// Plays until all steps are finished.
    pub fn run(
        &mut self,
        transport: &mut dyn Transport,
        watcher: &mut dyn TuningWatcher,
    ) -> Result<TuningEnd, TuneError> {
        drive(transport, &mut GameTasks { tuner: self, watcher })?;
        let ending = self.ending.unwrap_or(TuningEnd::Done);
        let why = match ending {
            TuningEnd::Done => return Ok(ending),
            TuningEnd::Interrupted => "interrupted",
            TuningEnd::Failures => "too many failures",
        };
        self.journal.append(&[JournalRecord::Stop(StopRecord { why: why.to_owned() })])?;
        Ok(ending)
    }

    /// Returns the next game to submit; `None` if there is none now. A started step is finished
    /// even when the tuning ends.
    fn next_game(&mut self) -> Option<Plan> {
        if self.queue.is_empty() && self.ending.is_none() {
            while self.finished.contains_key(&self.next) {
                self.next += 1;
            }
            if self.next <= self.config.schedule.steps {
                self.start_step(self.next);
                self.next += 1;
            }
        }
        self.queue.pop()
    }

    /// Starts a step: queues two games from one opening with exchanged colours.
    fn start_step(&mut self, number: u64) {
        let TuningConfig { parameters, schedule, seed, .. } = &self.config;
        let mut random = Rng::with_seed(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let step = SpsaStep::at(parameters, schedule, number, &self.theta, &mut random);
        let options = step.values.each_ref().map(|values| option_list(parameters, values));
        let pair = number - 1;
        for half in [1, 0] {
            let players = if half == 0 { [0, 1] } else { [1, 0] };
            let fixture = Fixture { id: 2 * pair + half, round: pair, encounter: pair, players };
            let (opening_number, opening) = self.openings.opening_of(&fixture, &mut *self.board);
            self.queue.push(Plan {
                fixture,
                attempt: 0,
                opening_number,
                opening,
                started: String::new(),
                options: players.map(|player| options[player].clone()),
            });
        }
        self.open.insert(number, OpenStep { step, won_by: 0.0, missing: 2 });
    }

    /// Handles the outcome of a game.
    fn handle(
        &mut self,
        mut plan: Plan,
        outcome: GameOutcome,
        watcher: &mut dyn TuningWatcher,
    ) -> Result<(), TuneError> {
        match outcome {
            GameOutcome::Aborted => Ok(()),
            GameOutcome::Void(why) => {
                let id = plan.fixture.id + 1;
                watcher.note(&format!("game {id} does not count: {why}"));
                plan.attempt += 1;
                if plan.attempt >= MAX_ATTEMPTS {
                    watcher.note(&format!("game {id} could not be played {MAX_ATTEMPTS} times"));
                    self.ending.get_or_insert(TuningEnd::Failures);
                } else {
                    self.queue.push(plan);
                }
                Ok(())
            }
            GameOutcome::Finished(record) => {
                self.count_failures(&record, watcher);
                self.count(&record, watcher)
            }
        }
    }

    /// Counts a game, and moves the parameters if it completes a step.
    fn count(
        &mut self,
        game: &GameRecord,
        watcher: &mut dyn TuningWatcher,
    ) -> Result<(), TuneError> {
        let number = game.pair() + 1;
        let Some(open) = self.open.get_mut(&number) else { return Ok(()) };
        let side = usize::from(game.players[0] != PLUS_PLAYER);
        open.won_by += f64::from(game.score.half_points(side)) - 1.0;
        open.missing -= 1;
        if open.missing > 0 {
            return Ok(());
        }
        let Some(open) = self.open.remove(&number) else { return Ok(()) };
        let theta = open.step.learn(&self.config.parameters, &self.theta, open.won_by);
        let record = SpsaRecord { step: number, won_by: open.won_by, theta };
        self.journal.append(&[JournalRecord::Spsa(record.clone())])?;
        self.theta.clone_from(&record.theta);
        watcher.stepped(&record);
        self.finished.insert(number, record);
        Ok(())
    }

    fn count_failures(&mut self, game: &GameRecord, watcher: &mut dyn TuningWatcher) {
        if game.failed_side().is_none() {
            self.failures = 0;
            return;
        }
        self.failures += 1;
        watcher.note(&format!("game {} ended by a failure: {}", game.id + 1, game.end.text));
        if self.failures >= self.config.max_failures && self.ending.is_none() {
            watcher.note(&format!("{} games in a row ended by a failure", self.failures));
            self.ending = Some(TuningEnd::Failures);
        }
    }
}

/// Connects a tuner and its watcher to [`TaskRun`].
struct GameTasks<'r> {
    tuner: &'r mut Tuner,
    watcher: &'r mut dyn TuningWatcher,
}

impl TaskRun<Plan, GameOutcome, GameView> for GameTasks<'_> {
    type Error = TuneError;

    fn next(&mut self, _: usize) -> Result<Option<Plan>, TuneError> {
        Ok(self.tuner.next_game())
    }

    fn started(&mut self, _: Plan) {}

    fn handle(&mut self, plan: Plan, outcome: GameOutcome) -> Result<(), TuneError> {
        self.tuner.handle(plan, outcome, self.watcher)
    }

    fn interrupted(&mut self, in_flight: usize) {
        if self.tuner.ending.is_none() {
            self.watcher.note(&format!(
                "interrupted: {in_flight} running games are finished; Ctrl-C again leaves them"
            ));
        }
        self.tuner.ending = Some(TuningEnd::Interrupted);
    }

    fn transport_error(&self, why: String) -> TuneError {
        TuneError::Broken(why)
    }

    fn period(&self) -> Option<Duration> {
        None
    }

    fn tick(&mut self, _: &[GameView]) {}
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

    use super::*;
    use crate::tournament::record::{EndKind, GameScore};
    use crate::transport::TransportEvent;

    /// A transport of invented games. The player whose value is nearer to 40 wins.
    struct FakeTransport {
        open: Vec<Plan>,
        /// The number of games until the transport fails.
        left: usize,
        fails: bool,
    }

    impl Transport for FakeTransport {
        fn capacity(&self) -> usize {
            3
        }

        fn submit(&mut self, plan: Plan) {
            self.open.push(plan);
        }

        fn next_event(&mut self, _: Option<Instant>) -> Option<TransportEvent> {
            if self.left == 0 {
                return Some(TransportEvent::Broken("killed".to_owned()));
            }
            self.left -= 1;
            let plan = self.open.remove(0);
            let far = |side: usize| {
                let value: f64 = plan.options[side][0].1.parse().unwrap();
                (value - 40.0).abs()
            };
            let score = match far(0).total_cmp(&far(1)) {
                std::cmp::Ordering::Less => GameScore::First,
                std::cmp::Ordering::Equal => GameScore::Draw,
                std::cmp::Ordering::Greater => GameScore::Second,
            };
            let kind = if self.fails { EndKind::Crash } else { EndKind::Line };
            let game = GameRecord::of_result(plan.fixture.id, plan.fixture.players, score, kind);
            Some(TransportEvent::Finished(plan, GameOutcome::Finished(Box::new(game))))
        }

        fn stop(&mut self) {}

        fn views(&self) -> Vec<GameView> {
            Vec::new()
        }
    }

    #[derive(Default)]
    struct RecordingWatcher {
        steps: Vec<u64>,
        notes: Vec<String>,
    }

    impl TuningWatcher for RecordingWatcher {
        fn stepped(&mut self, record: &SpsaRecord) {
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
            let config = TuningConfig {
                parameters: vec![parameter],
                schedule: StepSchedule::over(300),
                seed: 3,
                max_failures: 2,
            };
            let (journal, records) = Journal::open(&self.0).unwrap();
            let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
            let board = CATALOG.position(&spec);
            Tuner::new(config, OpeningOrder::none(), board, journal, &records)
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
        assert_eq!(tuner.run(&mut games, &mut watcher).unwrap(), TuningEnd::Done);
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
            if tuner.run(&mut games, &mut watcher).is_ok() {
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
        let ending = folder.tuner().run(&mut games, &mut watcher).unwrap();
        assert_eq!(ending, TuningEnd::Failures);
        assert!(watcher.notes.iter().any(|note| note.ends_with("in a row ended by a failure")));
    }
}
