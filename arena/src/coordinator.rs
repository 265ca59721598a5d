//! The course of a run: which game is offered next, what its record means, and when all is over.
//!
//! It plays nothing and prints nothing: games go to a [`Transport`], words to a [`Watcher`].

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use tengen_engine::Position;

use crate::config::{Config, OnLag};
use crate::drive::{TaskRun, drive};
use crate::game::{GameView, Plan, Played};
use crate::journal::{Journal, JournalError};
use crate::openings::OpeningOrder;
use crate::output::files::{FileError, Files};
use crate::record::{EndKind, GameRecord, JournalRecord, RoundRecord, StopRecord, VoidRecord};
use crate::schedule::{Fixture, PlayedRound, Points, Round, Schedule};
use crate::stats::sprt::Decision;
use crate::tally::{Tally, TestProgress};
use crate::transport::Transport;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// All games were played.
    Played,
    /// A test ended.
    Decided(Decision),
    /// A test used up its rounds.
    NoDecision,
    /// Somebody interrupted it.
    Interrupted,
    /// Too many failures.
    Failures,
}

/// Why a run could not continue.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file beside it.
    #[error(transparent)]
    File(#[from] FileError),
    /// The journal belongs to another schedule.
    #[error("round {0} of the journal is not the round of this schedule")]
    OtherSchedule(u64),
    /// Games cannot be played here.
    #[error("{0}")]
    Broken(String),
}

/// Receives the progress of a run.
pub trait Watcher {
    /// A game begins.
    fn started(&mut self, plan: &Plan);

    /// A game has been recorded.
    fn finished(&mut self, record: &GameRecord, state: &State);

    /// Something that a person should know.
    fn note(&mut self, text: &str);

    /// Returns how often the view of running games is wanted; `None` if it is not shown.
    fn period(&self) -> Option<Duration>;

    /// The view of running games.
    fn tick(&mut self, state: &State, games: &[GameView]);
}

/// What is known of a run.
#[derive(Clone, Debug)]
pub struct State {
    /// What the games add up to.
    pub tally: Tally,
    /// The test, where there is one.
    pub test: Option<TestProgress>,
    /// All games, where that is known.
    pub games: Option<u64>,
    /// Games of this session.
    pub played_now: u64,
}

/// A run.
pub struct Coordinator<'a> {
    config: &'a Config,
    schedule: Schedule,
    openings: OpeningOrder,
    board: Box<dyn Position>,
    journal: Journal,
    files: Files,
    state: State,
    /// Rounds so far, where later ones follow from them.
    played: Vec<PlayedRound>,
    /// The round whose games are played, where its points are awaited.
    open_round: Option<Round>,
    next_round: u64,
    next_encounter: u64,
    /// Rounds that the journal knows.
    known_rounds: HashMap<u64, RoundRecord>,
    /// Games to be offered.
    queue: VecDeque<Fixture>,
    /// Games that have a record.
    done: HashSet<u64>,
    /// How often a game was begun before.
    attempts: HashMap<u64, u32>,
    /// Failures of each player in a row.
    failures: Vec<u32>,
    ending: Option<RunEnd>,
}

/// How often a game is begun at most.
const ATTEMPTS: u32 = 3;

impl<'a> Coordinator<'a> {
    /// A run that continues after `records`.
    pub fn new(
        config: &'a Config,
        names: &[String],
        openings: OpeningOrder,
        board: Box<dyn Position>,
        journal: Journal,
        files: Files,
        records: &[JournalRecord],
    ) -> Self {
        let schedule = Schedule::new(config);
        let mut tally = Tally::new(names);
        let mut test = config.sprt.map(|test| TestProgress::new(test, config.proof.is_some()));
        let (mut done, mut attempts, mut known_rounds) =
            (HashSet::new(), HashMap::new(), HashMap::new());
        for record in records {
            match record {
                JournalRecord::Game(game) => {
                    tally.add(game);
                    done.insert(game.id);
                }
                JournalRecord::Void(void) => {
                    attempts.insert(void.id, void.attempt + 1);
                }
                JournalRecord::Round(round) => {
                    known_rounds.insert(round.number, round.clone());
                }
                _ => {}
            }
        }
        if let Some(test) = &mut test {
            test.advance(&tally);
        }
        let games = schedule.games();
        Self {
            config,
            schedule,
            openings,
            board,
            journal,
            files,
            state: State { tally, test, games, played_now: 0 },
            played: Vec::new(),
            open_round: None,
            next_round: 0,
            next_encounter: 0,
            known_rounds,
            queue: VecDeque::new(),
            done,
            attempts,
            failures: vec![0; names.len()],
            ending: None,
        }
    }

    /// Plays until all is over.
    pub fn run(
        &mut self,
        transport: &mut dyn Transport,
        watcher: &mut dyn Watcher,
    ) -> Result<RunEnd, RunError> {
        drive(transport, &mut Games { coordinator: self, watcher })?;
        let ending = self.ending.unwrap_or(match &self.state.test {
            Some(_) => RunEnd::NoDecision,
            None => RunEnd::Played,
        });
        let why = match ending {
            RunEnd::Interrupted => "interrupted",
            RunEnd::Failures => "too many failures",
            _ => return Ok(ending),
        };
        self.journal.append(&[JournalRecord::Stop(StopRecord { why: why.to_owned() })])?;
        Ok(ending)
    }

    /// What is known of the run.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The files of the run.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The players in the order in which they ended, where the tournament says so itself.
    pub fn ranking(&self) -> Option<Vec<usize>> {
        self.schedule.ranking(&self.played)
    }

    /// The ties of a knockout that the better seed decided: who went on, and who left.
    pub fn decided_by_seed(&self) -> Vec<[usize; 2]> {
        self.schedule.decided_by_seed(&self.played)
    }

    /// Ends the run where its test is decided.
    fn look_at_test(&mut self) {
        let decision = self.state.test.as_ref().and_then(|test| test.decision);
        if let Some((decision, _)) = decision
            && self.ending.is_none()
        {
            self.ending = Some(RunEnd::Decided(decision));
        }
    }

    /// The next game to be offered while so many are played; `None` where none is, for now or for
    /// good.
    fn next(&mut self, in_flight: usize) -> Result<Option<Fixture>, RunError> {
        loop {
            while let Some(fixture) = self.queue.pop_front() {
                if !self.done.contains(&fixture.id) {
                    return Ok(Some(fixture));
                }
            }
            let Some(round) = self.begin_round(in_flight) else { return Ok(None) };
            self.write_round(&round)?;
            let fixtures = self.schedule.fixtures(&round, self.next_encounter);
            self.next_encounter += round.encounters.len() as u64;
            self.next_round = round.number + 1;
            self.queue.extend(fixtures);
            if self.schedule.needs_points() {
                self.open_round = Some(round);
            }
        }
    }

    /// The next round, where it can begin.
    fn begin_round(&mut self, in_flight: usize) -> Option<Round> {
        if !self.schedule.needs_points() {
            return self.schedule.static_round(self.next_round);
        }
        // Its pairings follow from games that are played now.
        if in_flight > 0 {
            return None;
        }
        if let Some(round) = self.open_round.take() {
            let points = round.encounters.iter().map(|encounter| {
                let pairs = encounter.first_pair..encounter.first_pair + encounter.pairs();
                Points(self.state.tally.points_in(pairs, encounter.players))
            });
            let points = points.collect();
            self.played.push(PlayedRound { round, points });
        }
        self.schedule.next_round(&self.played)
    }

    /// Puts the pairings of a round into the journal before its first game, unless they stand there.
    fn write_round(&mut self, round: &Round) -> Result<(), RunError> {
        let record = RoundRecord {
            number: round.number,
            first_pair: round.encounters.first().map_or(0, |encounter| encounter.first_pair),
            games: round.encounters.first().map_or(0, |encounter| encounter.games),
            pairings: round.encounters.iter().map(|encounter| encounter.players).collect(),
            byes: round.byes.clone(),
            by_seed: round.by_seed.clone(),
        };
        match self.known_rounds.get(&round.number) {
            Some(known) if *known == record => Ok(()),
            Some(_) => Err(RunError::OtherSchedule(round.number)),
            None => Ok(self.journal.append(&[JournalRecord::Round(record)])?),
        }
    }

    fn plan(&mut self, fixture: Fixture) -> Plan {
        let (opening_number, opening) = self.openings.of(&fixture, &mut *self.board);
        let attempt = self.attempts.get(&fixture.id).copied().unwrap_or(0);
        Plan {
            fixture,
            attempt,
            opening_number,
            opening,
            started: String::new(),
            options: Default::default(),
        }
    }

    /// Takes what became of a game.
    fn take(
        &mut self,
        plan: Plan,
        played: Played,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError> {
        match played {
            Played::Aborted => Ok(()),
            Played::Void(why) => self.replay(plan, why, watcher),
            Played::Finished(record) => {
                let is_suspect = record.suspect && record.end.kind == EndKind::Time;
                let may_replay = plan.attempt + 1 < ATTEMPTS;
                if is_suspect && self.config.on_lag == OnLag::Replay && may_replay {
                    let why = format!("{}, while the machine was late", record.end.text);
                    return self.replay(plan, why, watcher);
                }
                self.record(&record, watcher)
            }
        }
    }

    /// Notes that a game does not count, and plays it again.
    fn replay(
        &mut self,
        plan: Plan,
        why: String,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError> {
        let (id, attempt) = (plan.fixture.id, plan.attempt);
        watcher.note(&format!("game {} does not count: {why}", id + 1));
        self.journal.append(&[JournalRecord::Void(VoidRecord { id, attempt, why })])?;
        self.attempts.insert(id, attempt + 1);
        if attempt + 1 >= ATTEMPTS {
            watcher.note(&format!("game {} could not be played {ATTEMPTS} times", id + 1));
            self.ending.get_or_insert(RunEnd::Failures);
            return Ok(());
        }
        self.queue.push_front(plan.fixture);
        Ok(())
    }

    /// Records a game: on the disk first, then everywhere else.
    fn record(&mut self, record: &GameRecord, watcher: &mut dyn Watcher) -> Result<(), RunError> {
        self.journal.append(&[JournalRecord::Game(Box::new(record.clone()))])?;
        self.done.insert(record.id);
        self.files.add(record)?;
        self.state.tally.add(record);
        self.state.played_now += 1;
        if let Some(test) = &mut self.state.test {
            test.advance(&self.state.tally);
        }
        watcher.finished(record, &self.state);
        self.count_failures(record, watcher);
        Ok(())
    }

    fn count_failures(&mut self, record: &GameRecord, watcher: &mut dyn Watcher) {
        let failed = record.failed_side().map(|side| record.players[side]);
        for player in record.players {
            self.failures[player] =
                if failed == Some(player) { self.failures[player] + 1 } else { 0 };
        }
        let Some(player) = failed else { return };
        let count = self.failures[player];
        let most = if self.config.recover { self.config.max_failures } else { 1 };
        if count >= most && self.ending.is_none() {
            let name = &self.state.tally.players[player].name;
            let times =
                if count == 1 { "a game".to_owned() } else { format!("{count} games in a row") };
            watcher.note(&format!("{name} failed in {times}: the tournament ends"));
            self.ending = Some(RunEnd::Failures);
        }
    }
}

/// The games of a run, with whoever hears of them.
struct Games<'r, 'a> {
    coordinator: &'r mut Coordinator<'a>,
    watcher: &'r mut dyn Watcher,
}

impl TaskRun<Plan, Played, GameView> for Games<'_, '_> {
    type Error = RunError;

    fn next(&mut self, in_flight: usize) -> Result<Option<Plan>, RunError> {
        let run = &mut *self.coordinator;
        run.look_at_test();
        if run.ending.is_some() {
            return Ok(None);
        }
        Ok(run.next(in_flight)?.map(|fixture| run.plan(fixture)))
    }

    fn started(&mut self, plan: Plan) {
        self.watcher.started(&plan);
    }

    fn take(&mut self, plan: Plan, played: Played) -> Result<(), RunError> {
        self.coordinator.take(plan, played, self.watcher)
    }

    fn interrupted(&mut self, in_flight: usize) {
        if self.coordinator.ending.is_none() {
            self.watcher.note(&format!(
                "interrupted: {in_flight} running games are finished; Ctrl-C again leaves them"
            ));
        }
        self.coordinator.ending = Some(RunEnd::Interrupted);
    }

    fn broken(&self, why: String) -> RunError {
        RunError::Broken(why)
    }

    fn period(&self) -> Option<Duration> {
        self.watcher.period()
    }

    fn tick(&mut self, games: &[GameView]) {
        self.watcher.tick(&self.coordinator.state, games);
    }
}

#[cfg(test)]
mod tests;
