//! Runs a tournament or a sequential test: chooses the next game, journals results, ends the run.
//!
//! This module plays and prints nothing: games go to a transport, progress goes to a watcher.

use std::collections::{HashMap, VecDeque};

use tengen_engine::Position;
use tengen_runs::journal::{Journal, StopRecord};
use tengen_runs::{Control, End, Error, MAX_ATTEMPTS, Outcome, Run, Task};

use crate::config::{Config, OnLag};
use crate::game::{GameOutcome, Plan};
use crate::openings::OpeningOrder;
use crate::output::files::Files;
use crate::tournament::record::{EndKind, GameRecord, JournalRecord, Round, VoidRecord};
use crate::tournament::schedule::{Fixture, PlayedRound, Schedule};
use crate::tournament::tally::{Tally, TestProgress};

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
pub struct Coordinator {
    config: Config,
    openings: OpeningOrder,
    board: Box<dyn Position>,
    journal: Journal<JournalRecord>,
    files: Files,
    state: State,
    /// The finished rounds, if later rounds depend on them.
    played: Vec<PlayedRound>,
    /// The current round, if the next round depends on its points.
    open_round: Option<Round>,
    next_round: u64,
    next_encounter: u64,
    /// The rounds in the journal.
    known_rounds: HashMap<u64, Round>,
    /// Games to submit.
    queue: VecDeque<Fixture>,
    /// The number of earlier attempts, by game.
    attempts: HashMap<u64, u32>,
    /// The number of consecutive failures, by player.
    failures: Vec<u32>,
}

impl Coordinator {
    /// Creates the coordinator of a run that continues after `records`.
    pub fn new(
        config: Config,
        names: &[String],
        openings: OpeningOrder,
        board: Box<dyn Position>,
        journal: Journal<JournalRecord>,
        files: Files,
        records: &[JournalRecord],
    ) -> Self {
        let mut tally = Tally::new(names);
        let (mut attempts, mut known_rounds) = (HashMap::new(), HashMap::new());
        for record in records {
            match record {
                JournalRecord::Game(game) => tally.add(game),
                JournalRecord::Void(void) => {
                    attempts.insert(void.id, void.attempt + 1);
                }
                JournalRecord::Round(round) => {
                    known_rounds.insert(round.number, round.clone());
                }
                _ => {}
            }
        }
        let (test, games) = (TestProgress::of(&config, &tally), Schedule(&config).games());
        Self {
            config,
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
            attempts,
            failures: vec![0; names.len()],
        }
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule(&self.config)
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
        self.schedule().ranking(&self.played)
    }

    /// Returns the ties of a knockout that the better seed decided, as winner and loser.
    pub fn decided_by_seed(&self) -> Vec<[usize; 2]> {
        self.schedule().decided_by_seed(&self.played)
    }

    /// Returns the next game to submit while `in_flight` games are played; `None` if there is none
    /// now.
    fn next_fixture(&mut self, in_flight: usize) -> Result<Option<Fixture>, Error> {
        loop {
            while let Some(fixture) = self.queue.pop_front() {
                if !self.journal.results().contains(&fixture.id) {
                    return Ok(Some(fixture));
                }
            }
            let Some(round) = self.begin_round(in_flight) else { return Ok(None) };
            self.write_round(&round)?;
            let fixtures = self.schedule().fixtures(&round, self.next_encounter);
            self.next_encounter += round.pairings.len() as u64;
            self.next_round = round.number + 1;
            self.queue.extend(fixtures);
            if self.schedule().needs_points() {
                self.open_round = Some(round);
            }
        }
    }

    /// Returns the next round; `None` at the end, or while it waits for `in_flight` games.
    fn begin_round(&mut self, in_flight: usize) -> Option<Round> {
        if !self.schedule().needs_points() {
            return self.schedule().static_round(self.next_round);
        }
        // The pairings depend on the games that are still played.
        if in_flight > 0 {
            return None;
        }
        if let Some(round) = self.open_round.take() {
            let encounters = round.pairings.iter().enumerate();
            let points = encounters
                .map(|(number, players)| self.state.tally.points_in(round.pairs(number), *players))
                .collect();
            self.played.push(PlayedRound { round, points });
        }
        self.schedule().next_round(&self.played)
    }

    /// Journals the pairings of a round before its first game, or checks them against the journal.
    fn write_round(&mut self, round: &Round) -> Result<(), Error> {
        match self.known_rounds.get(&round.number) {
            Some(known) if known == round => Ok(()),
            Some(_) => Err(Error::OtherRun(format!(
                "round {} of the journal is not the round of this schedule",
                round.number
            ))),
            None => self.journal.append(&[JournalRecord::Round(round.clone())]),
        }
    }

    fn task(&mut self, fixture: Fixture) -> Task<Plan> {
        let attempt = self.attempts.get(&fixture.id).copied().unwrap_or(0);
        let work = Plan::new(fixture, &self.openings, &mut *self.board, Default::default());
        Task { id: fixture.id, attempt, work }
    }

    /// Journals that a game does not count, and plays the game again.
    fn replay(
        &mut self,
        task: Task<Plan>,
        why: String,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        let Task { id, attempt, work } = task;
        control.watcher.note(&format!("game {} does not count: {why}", id + 1));
        self.journal.append(&[JournalRecord::Void(VoidRecord { id, attempt, why })])?;
        self.attempts.insert(id, attempt + 1);
        if attempt + 1 >= MAX_ATTEMPTS {
            gave_up(id, control);
        } else {
            self.queue.push_front(work.fixture);
        }
        Ok(())
    }

    /// Records a game: first in the journal, then in the files, the tally and the test.
    fn record(
        &mut self,
        record: Box<GameRecord>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        let entry = [JournalRecord::Game(record)];
        self.journal.append(&entry)?;
        let [JournalRecord::Game(record)] = &entry else { return Ok(()) };
        self.files.add(record)?;
        self.state.tally.add(record);
        self.state.played_now += 1;
        if let Some(test) = &mut self.state.test {
            test.advance(&self.state.tally);
        }
        control.watcher.saved(self, record);
        self.count_failures(record, control);
        Ok(())
    }

    fn count_failures(&mut self, record: &GameRecord, control: &mut Control<'_, Self>) {
        let failed = record.failed_side().map(|side| record.players[side]);
        for player in record.players {
            self.failures[player] =
                if failed == Some(player) { self.failures[player] + 1 } else { 0 };
        }
        let Some(player) = failed else { return };
        let count = self.failures[player];
        let limit = if self.config.recover { self.config.max_failures } else { 1 };
        if count >= limit && !control.is_ending() {
            let name = &self.state.tally.players[player].name;
            let times =
                if count == 1 { "a game".to_owned() } else { format!("{count} games in a row") };
            control.watcher.note(&format!("{name} failed in {times}: the tournament ends"));
            control.end(End::Failures);
        }
    }
}

/// Ends a run whose game `id` failed in all its attempts.
pub(super) fn gave_up<R: Run>(id: u64, control: &mut Control<'_, R>) {
    let id = id + 1;
    control.watcher.note(&format!("game {id} could not be played {MAX_ATTEMPTS} times"));
    control.end(End::Failures);
}

impl Run for Coordinator {
    type Work = Plan;
    type Record = GameRecord;
    const TASKS: &'static str = "running games";

    fn next(
        &mut self,
        in_flight: usize,
        control: &mut Control<'_, Self>,
    ) -> Result<Option<Task<Plan>>, Error> {
        if self.state.test.as_ref().is_some_and(|test| test.decision.is_some()) {
            control.end(End::Done);
        }
        if control.is_ending() {
            return Ok(None);
        }
        Ok(self.next_fixture(in_flight)?.map(|fixture| self.task(fixture)))
    }

    fn handle(
        &mut self,
        task: Task<Plan>,
        outcome: GameOutcome,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        let record = match outcome {
            Outcome::Aborted => return Ok(()),
            Outcome::Failed(why) => return self.replay(task, why, control),
            Outcome::Finished(record) => record,
        };
        let is_suspect = record.suspect && record.end.kind == EndKind::Time;
        let may_replay = task.attempt + 1 < MAX_ATTEMPTS;
        if is_suspect && self.config.on_lag == OnLag::Replay && may_replay {
            let why = format!("{}, while the machine was late", record.end.text);
            return self.replay(task, why, control);
        }
        self.record(record, control)
    }

    fn stopped(&mut self, why: &str) -> Result<(), Error> {
        self.journal.append(&[JournalRecord::Stop(StopRecord { why: why.to_owned() })])
    }
}

#[cfg(test)]
mod tests;
