//! Runs a tournament or a sequential test: chooses the next game, journals results, ends the run.
//!
//! This module plays and prints nothing: games go to a [`Transport`], progress goes to a
//! [`Watcher`].

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use tengen_engine::Position;

use crate::config::{Config, OnLag};
use crate::drive::{TaskRun, drive};
use crate::game::{GameOutcome, GameView, Plan};
use crate::journal::{Journal, JournalError};
use crate::openings::OpeningOrder;
use crate::output::files::{FileError, Files};
use crate::stats::sprt::Decision;
use crate::tournament::record::{
    EndKind, GameRecord, JournalRecord, RoundRecord, StopRecord, VoidRecord,
};
use crate::tournament::schedule::{Fixture, PlayedRound, Points, Round, Schedule};
use crate::tournament::tally::{Tally, TestProgress};
use crate::transport::Transport;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// All games were played.
    Played,
    /// A sequential test accepted a hypothesis.
    Decided(Decision),
    /// A sequential test played all its rounds without a decision.
    NoDecision,
    /// The user interrupted the run.
    Interrupted,
    /// An engine failed too often, or a game could not be played.
    Failures,
}

/// Why a run could not continue.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// An output file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The journal belongs to another schedule.
    #[error("round {0} of the journal is not the round of this schedule")]
    OtherSchedule(u64),
    /// The workers have failed.
    #[error("{0}")]
    Broken(String),
}

/// Receives the progress of a run.
pub trait Watcher {
    /// Called when a game starts.
    fn started(&mut self, plan: &Plan);

    /// Called when a game is in the journal and counted.
    fn finished(&mut self, record: &GameRecord, state: &State);

    /// Shows a note or a warning to the user.
    fn note(&mut self, text: &str);

    /// Returns the interval between two calls of `tick`; `None` if `tick` is not called.
    fn period(&self) -> Option<Duration>;

    /// Shows the running games.
    fn tick(&mut self, state: &State, games: &[GameView]);
}

/// The state of a run, for its watcher.
#[derive(Clone, Debug)]
pub struct State {
    /// The sums of the games so far.
    pub tally: Tally,
    /// The sequential test; `None` if the run is no test.
    pub test: Option<TestProgress>,
    /// The number of all games; `None` if it is not known in advance.
    pub games: Option<u64>,
    /// The number of games played since the program started.
    pub played_now: u64,
}

/// Coordinates a run of games.
pub struct Coordinator<'a> {
    config: &'a Config,
    schedule: Schedule,
    openings: OpeningOrder,
    board: Box<dyn Position>,
    journal: Journal,
    files: Files,
    state: State,
    /// The finished rounds, if later rounds depend on them.
    played: Vec<PlayedRound>,
    /// The current round, if the next round depends on its points.
    open_round: Option<Round>,
    next_round: u64,
    next_encounter: u64,
    /// The rounds in the journal.
    known_rounds: HashMap<u64, RoundRecord>,
    /// Games to submit.
    queue: VecDeque<Fixture>,
    /// Games with a record.
    done: HashSet<u64>,
    /// The number of earlier attempts, by game.
    attempts: HashMap<u64, u32>,
    /// The number of consecutive failures, by player.
    failures: Vec<u32>,
    ending: Option<RunEnd>,
}

/// The greatest number of attempts for a game.
const MAX_ATTEMPTS: u32 = 3;

impl<'a> Coordinator<'a> {
    /// Creates the coordinator of a run that continues after `records`.
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

    /// Plays the run to its end.
    pub fn run(
        &mut self,
        transport: &mut dyn Transport,
        watcher: &mut dyn Watcher,
    ) -> Result<RunEnd, RunError> {
        drive(transport, &mut GameTasks { coordinator: self, watcher })?;
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

    /// Returns the state of the run.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the output files of the run.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the final ranking of a Swiss tournament or a knockout; `None` for others, and while
    /// a knockout continues.
    pub fn ranking(&self) -> Option<Vec<usize>> {
        self.schedule.ranking(&self.played)
    }

    /// Returns the ties of a knockout that the better seed decided, as winner and loser.
    pub fn decided_by_seed(&self) -> Vec<[usize; 2]> {
        self.schedule.decided_by_seed(&self.played)
    }

    /// Ends the run if its sequential test is decided.
    fn check_test(&mut self) {
        let decision = self.state.test.as_ref().and_then(|test| test.decision);
        if let Some((decision, _)) = decision
            && self.ending.is_none()
        {
            self.ending = Some(RunEnd::Decided(decision));
        }
    }

    /// Returns the next game to submit while `in_flight` games are played; `None` if there is none
    /// now.
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

    /// Returns the next round; `None` at the end, or while it waits for `in_flight` games.
    fn begin_round(&mut self, in_flight: usize) -> Option<Round> {
        if !self.schedule.needs_points() {
            return self.schedule.static_round(self.next_round);
        }
        // The pairings depend on the games that are still played.
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

    /// Journals the pairings of a round before its first game, or checks them against the journal.
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
        let (opening_number, opening) = self.openings.opening_of(&fixture, &mut *self.board);
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

    /// Handles the outcome of a game.
    fn handle(
        &mut self,
        plan: Plan,
        outcome: GameOutcome,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError> {
        match outcome {
            GameOutcome::Aborted => Ok(()),
            GameOutcome::Void(why) => self.replay(plan, why, watcher),
            GameOutcome::Finished(record) => {
                let is_suspect = record.suspect && record.end.kind == EndKind::Time;
                let may_replay = plan.attempt + 1 < MAX_ATTEMPTS;
                if is_suspect && self.config.on_lag == OnLag::Replay && may_replay {
                    let why = format!("{}, while the machine was late", record.end.text);
                    return self.replay(plan, why, watcher);
                }
                self.record(&record, watcher)
            }
        }
    }

    /// Journals that a game does not count, and plays the game again.
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
        if attempt + 1 >= MAX_ATTEMPTS {
            watcher.note(&format!("game {} could not be played {MAX_ATTEMPTS} times", id + 1));
            self.ending.get_or_insert(RunEnd::Failures);
            return Ok(());
        }
        self.queue.push_front(plan.fixture);
        Ok(())
    }

    /// Records a game: first in the journal, then in the files, the tally and the test.
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
        let limit = if self.config.recover { self.config.max_failures } else { 1 };
        if count >= limit && self.ending.is_none() {
            let name = &self.state.tally.players[player].name;
            let times =
                if count == 1 { "a game".to_owned() } else { format!("{count} games in a row") };
            watcher.note(&format!("{name} failed in {times}: the tournament ends"));
            self.ending = Some(RunEnd::Failures);
        }
    }
}

/// Connects a coordinator and its watcher to [`TaskRun`].
struct GameTasks<'r, 'a> {
    coordinator: &'r mut Coordinator<'a>,
    watcher: &'r mut dyn Watcher,
}

impl TaskRun<Plan, GameOutcome, GameView> for GameTasks<'_, '_> {
    type Error = RunError;

    fn next(&mut self, in_flight: usize) -> Result<Option<Plan>, RunError> {
        let run = &mut *self.coordinator;
        run.check_test();
        if run.ending.is_some() {
            return Ok(None);
        }
        Ok(run.next(in_flight)?.map(|fixture| run.plan(fixture)))
    }

    fn started(&mut self, plan: Plan) {
        self.watcher.started(&plan);
    }

    fn handle(&mut self, plan: Plan, outcome: GameOutcome) -> Result<(), RunError> {
        self.coordinator.handle(plan, outcome, self.watcher)
    }

    fn interrupted(&mut self, in_flight: usize) {
        if self.coordinator.ending.is_none() {
            self.watcher.note(&format!(
                "interrupted: {in_flight} running games are finished; Ctrl-C again leaves them"
            ));
        }
        self.coordinator.ending = Some(RunEnd::Interrupted);
    }

    fn transport_error(&self, why: String) -> RunError {
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
