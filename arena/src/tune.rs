//! The course of a tuning by SPSA: steps are offered as pairs of games, and each finished pair moves
//! the parameters.
//!
//! It plays nothing and prints nothing: games go to a [`Transport`]. A step is one record of the
//! journal, so that a killed tuning continues after its last step.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use fastrand::Rng;
use tengen_engine::Position;

use crate::drive::{TaskRun, drive};
use crate::game::{GameView, Plan, Played};
use crate::journal::{Journal, JournalError};
use crate::openings::OpeningOrder;
use crate::record::{GameRecord, JournalRecord, SpsaRecord, StopRecord};
use crate::schedule::Fixture;
use crate::stats::spsa::{Parameter, SpsaStep, StepSchedule};
use crate::transport::Transport;

/// The player whose parameters are moved along the flips of a step.
const ALONG: usize = 0;

/// How often a game is begun at most.
const ATTEMPTS: u32 = 3;

/// How a tuning ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TuningEnd {
    /// All steps were made.
    Done,
    /// Somebody interrupted it.
    Interrupted,
    /// Too many failures.
    Failures,
}

/// Why a tuning could not continue.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Games cannot be played here.
    #[error("{0}")]
    Broken(String),
}

/// Receives the progress of a tuning.
pub trait TuningWatcher {
    /// A step was made; `theta`: the parameters behind it.
    fn stepped(&mut self, record: &SpsaRecord);

    /// Something that a person should know.
    fn note(&mut self, text: &str);
}

/// What is tuned, and how.
#[derive(Clone, PartialEq, Debug)]
pub struct Plans {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// How fast steps shrink.
    pub schedule: StepSchedule,
    /// The seed of the flips.
    pub seed: u64,
    /// Failures in a row that end the tuning.
    pub max_failures: u32,
}

/// A step whose games are played.
struct Open {
    step: SpsaStep,
    /// Wins less losses so far.
    won_by: f64,
    /// Games that have no result yet.
    missing: u32,
}

/// A tuning.
pub struct Tuner {
    plans: Plans,
    openings: OpeningOrder,
    board: Box<dyn Position>,
    journal: Journal,
    /// The parameters now.
    theta: Vec<f64>,
    /// By number, from 1: the steps that were made.
    made: BTreeMap<u64, SpsaRecord>,
    open: HashMap<u64, Open>,
    /// The next step that may begin.
    next: u64,
    /// Games that are to be offered.
    queue: Vec<Plan>,
    failures: u32,
    ending: Option<TuningEnd>,
}

impl Tuner {
    /// A tuning that continues after `records`.
    pub fn new(
        plans: Plans,
        openings: OpeningOrder,
        board: Box<dyn Position>,
        journal: Journal,
        records: &[JournalRecord],
    ) -> Self {
        let mut theta: Vec<f64> = plans.parameters.iter().map(|known| known.start).collect();
        let mut made = BTreeMap::new();
        for record in records {
            if let JournalRecord::Spsa(step) = record {
                theta.clone_from(&step.theta);
                made.insert(step.step, step.clone());
            }
        }
        Self {
            plans,
            openings,
            board,
            journal,
            theta,
            made,
            open: HashMap::new(),
            next: 1,
            queue: Vec::new(),
            failures: 0,
            ending: None,
        }
    }

    /// The parameters now.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The steps that were made, by number.
    pub fn made(&self) -> &BTreeMap<u64, SpsaRecord> {
        &self.made
    }

    /// Plays until all steps are made.
    pub fn run(
        &mut self,
        transport: &mut dyn Transport,
        watcher: &mut dyn TuningWatcher,
    ) -> Result<TuningEnd, TuneError> {
        drive(transport, &mut Steps { tuner: self, watcher })?;
        let ending = self.ending.unwrap_or(TuningEnd::Done);
        let why = match ending {
            TuningEnd::Done => return Ok(ending),
            TuningEnd::Interrupted => "interrupted",
            TuningEnd::Failures => "too many failures",
        };
        self.journal.append(&[JournalRecord::Stop(StopRecord { why: why.to_owned() })])?;
        Ok(ending)
    }

    /// The next game to be offered; `None` where none is, for now or for good. A step that has begun
    /// is played to its end, whatever ends the tuning.
    fn next_game(&mut self) -> Option<Plan> {
        if self.queue.is_empty() && self.ending.is_none() {
            while self.made.contains_key(&self.next) {
                self.next += 1;
            }
            if self.next <= self.plans.schedule.steps {
                self.begin(self.next);
                self.next += 1;
            }
        }
        self.queue.pop()
    }

    /// Begins a step: two games from one opening, colours exchanged.
    fn begin(&mut self, number: u64) {
        let Plans { parameters, schedule, seed, .. } = &self.plans;
        let mut random = Rng::with_seed(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let step = SpsaStep::at(parameters, schedule, number, &self.theta, &mut random);
        let options = step.values.each_ref().map(|values| option_list(parameters, values));
        let pair = number - 1;
        for half in [1, 0] {
            let players = if half == 0 { [0, 1] } else { [1, 0] };
            let fixture = Fixture { id: 2 * pair + half, round: pair, encounter: pair, players };
            let (opening_number, opening) = self.openings.of(&fixture, &mut *self.board);
            self.queue.push(Plan {
                fixture,
                attempt: 0,
                opening_number,
                opening,
                started: String::new(),
                options: players.map(|player| options[player].clone()),
            });
        }
        self.open.insert(number, Open { step, won_by: 0.0, missing: 2 });
    }

    fn take(
        &mut self,
        mut plan: Plan,
        played: Played,
        watcher: &mut dyn TuningWatcher,
    ) -> Result<(), TuneError> {
        match played {
            Played::Aborted => Ok(()),
            Played::Void(why) => {
                let id = plan.fixture.id + 1;
                watcher.note(&format!("game {id} does not count: {why}"));
                plan.attempt += 1;
                if plan.attempt >= ATTEMPTS {
                    watcher.note(&format!("game {id} could not be played {ATTEMPTS} times"));
                    self.ending.get_or_insert(TuningEnd::Failures);
                } else {
                    self.queue.push(plan);
                }
                Ok(())
            }
            Played::Finished(record) => {
                self.count_failures(&record, watcher);
                self.count(&record, watcher)
            }
        }
    }

    /// Counts a game, and makes the step that it completes.
    fn count(
        &mut self,
        game: &GameRecord,
        watcher: &mut dyn TuningWatcher,
    ) -> Result<(), TuneError> {
        let number = game.pair() + 1;
        let Some(open) = self.open.get_mut(&number) else { return Ok(()) };
        let side = usize::from(game.players[0] != ALONG);
        open.won_by += f64::from(game.score.half_points(side)) - 1.0;
        open.missing -= 1;
        if open.missing > 0 {
            return Ok(());
        }
        let Some(open) = self.open.remove(&number) else { return Ok(()) };
        let theta = open.step.learn(&self.plans.parameters, &self.theta, open.won_by);
        let record = SpsaRecord { step: number, won_by: open.won_by, theta };
        self.journal.append(&[JournalRecord::Spsa(record.clone())])?;
        self.theta.clone_from(&record.theta);
        watcher.stepped(&record);
        self.made.insert(number, record);
        Ok(())
    }

    fn count_failures(&mut self, game: &GameRecord, watcher: &mut dyn TuningWatcher) {
        if game.failed_side().is_none() {
            self.failures = 0;
            return;
        }
        self.failures += 1;
        watcher.note(&format!("game {} ended by a failure: {}", game.id + 1, game.end.text));
        if self.failures >= self.plans.max_failures && self.ending.is_none() {
            watcher.note(&format!("{} games in a row ended by a failure", self.failures));
            self.ending = Some(TuningEnd::Failures);
        }
    }
}

/// The games of a tuning, with whoever hears of its steps.
struct Steps<'r> {
    tuner: &'r mut Tuner,
    watcher: &'r mut dyn TuningWatcher,
}

impl TaskRun<Plan, Played, GameView> for Steps<'_> {
    type Error = TuneError;

    fn next(&mut self, _: usize) -> Result<Option<Plan>, TuneError> {
        Ok(self.tuner.next_game())
    }

    fn started(&mut self, _: Plan) {}

    fn take(&mut self, plan: Plan, played: Played) -> Result<(), TuneError> {
        self.tuner.take(plan, played, self.watcher)
    }

    fn interrupted(&mut self, in_flight: usize) {
        if self.tuner.ending.is_none() {
            self.watcher.note(&format!(
                "interrupted: {in_flight} running games are finished; Ctrl-C again leaves them"
            ));
        }
        self.tuner.ending = Some(TuningEnd::Interrupted);
    }

    fn broken(&self, why: String) -> TuneError {
        TuneError::Broken(why)
    }

    fn period(&self) -> Option<Duration> {
        None
    }

    fn tick(&mut self, _: &[GameView]) {}
}

/// Values as options of an engine.
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
    use crate::record::{EndKind, GameScore};
    use crate::transport::TransportEvent;

    /// Games in which the player whose value is nearer to 40 wins.
    struct Nearer {
        open: Vec<Plan>,
        /// Games until it breaks.
        left: usize,
        fails: bool,
    }

    impl Transport for Nearer {
        fn capacity(&self) -> usize {
            3
        }

        fn offer(&mut self, plan: Plan) {
            self.open.push(plan);
        }

        fn results(&mut self, _: Option<Instant>) -> Option<TransportEvent> {
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
            Some(TransportEvent::Finished(plan, Played::Finished(Box::new(game))))
        }

        fn stop(&mut self) {}

        fn views(&self) -> Vec<GameView> {
            Vec::new()
        }
    }

    #[derive(Default)]
    struct Heard(Vec<u64>, Vec<String>);

    impl TuningWatcher for Heard {
        fn stepped(&mut self, record: &SpsaRecord) {
            self.0.push(record.step);
        }

        fn note(&mut self, text: &str) {
            self.1.push(text.to_owned());
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
            let plans = Plans {
                parameters: vec![parameter],
                schedule: StepSchedule::over(300),
                seed: 3,
                max_failures: 2,
            };
            let (journal, records) = Journal::open(&self.0).unwrap();
            let spec = CATALOG.describe("cfour", &Chosen::new()).unwrap();
            let board = CATALOG.position(&spec);
            Tuner::new(plans, OpeningOrder::none(), board, journal, &records)
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
        let mut games = Nearer { open: Vec::new(), left: usize::MAX, fails: false };
        let mut heard = Heard::default();
        assert_eq!(tuner.run(&mut games, &mut heard).unwrap(), TuningEnd::Done);
        assert_eq!(heard.0.len(), 300);
        assert!((tuner.theta()[0] - 40.0).abs() < 5.0, "{:?}", tuner.theta());
    }

    #[test]
    fn a_tuning_that_was_killed_makes_every_step_once() {
        let folder = Folder::new("killed");
        let mut random = Rng::with_seed(8);
        let mut heard = Heard::default();
        loop {
            let mut tuner = folder.tuner();
            let left = random.usize(1..60);
            let mut games = Nearer { open: Vec::new(), left, fails: false };
            if tuner.run(&mut games, &mut heard).is_ok() {
                assert_eq!(tuner.made().len(), 300);
                break;
            }
        }
        heard.0.sort_unstable();
        assert_eq!(heard.0, (1..=300).collect::<Vec<_>>());
    }

    #[test]
    fn failures_in_a_row_end_a_tuning() {
        let folder = Folder::new("fails");
        let mut games = Nearer { open: Vec::new(), left: usize::MAX, fails: true };
        let mut heard = Heard::default();
        // A value that is equal to its opponent's draws, and a draw is no failure.
        let ending = folder.tuner().run(&mut games, &mut heard).unwrap();
        assert_eq!(ending, TuningEnd::Failures);
        assert!(heard.1.iter().any(|note| note.ends_with("in a row ended by a failure")));
    }
}
