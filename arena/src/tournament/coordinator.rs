//! Runs a tournament or a sequential test: chooses the next game, journals results, ends the run.
//!
//! This module plays and prints nothing: games go to a transport, progress goes to a watcher.

use std::collections::{BTreeSet, HashMap, VecDeque};

use tengen_engine::Position;
use tengen_runs::journal::{Journal, RunNote};
use tengen_runs::{Control, End, Error, MAX_ATTEMPTS, NextTask, Outcome, Run, Task};

use crate::config::{Config, OnLag};
use crate::game::{GameOutcome, Plan};
use crate::openings::OpeningOrder;
use crate::output::files::Files;
use crate::record::{EndKind, Forfeit, GameRecord, JournalRecord, Round};
use crate::schedule::{Fixture, PlayedRound, Schedule};
use crate::tally::{RunState, Tally, TestProgress};

/// How many games a sequential test may run ahead of its oldest running game, beside twice the greatest number
/// of running games.
const AHEAD: usize = 32;

/// Coordinates a run of games.
pub struct Coordinator {
    config: Config,
    openings: OpeningOrder,
    board: Box<dyn Position>,
    journal: Journal<JournalRecord>,
    files: Files,
    state: RunState,
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
    /// The games that are played now, and the greatest number of them so far.
    running: BTreeSet<u64>,
    most_running: usize,
    /// The game that later games of a test waited for last.
    late: Option<u64>,
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
        let (tally, test) = TestProgress::of(&config, names, records);
        let (mut attempts, mut known_rounds) = (HashMap::new(), HashMap::new());
        for record in records {
            match record {
                JournalRecord::Void { id, attempt, .. } => {
                    attempts.insert(*id, attempt + 1);
                }
                JournalRecord::Round(round) => {
                    known_rounds.insert(round.number, round.clone());
                }
                // A repaired engine may play what could not be played before.
                JournalRecord::Readmitted { .. } => attempts.clear(),
                _ => {}
            }
        }
        let schedule = Schedule(&config);
        let (games, may_grow) = (schedule.least_games(&tally.rounds), schedule.games().is_none());
        Self {
            config,
            openings,
            board,
            journal,
            files,
            state: RunState { tally, test, games, may_grow, played_now: 0 },
            played: Vec::new(),
            open_round: None,
            next_round: 0,
            next_encounter: 0,
            known_rounds,
            queue: VecDeque::new(),
            running: BTreeSet::new(),
            most_running: 0,
            late: None,
            attempts,
            failures: vec![0; names.len()],
        }
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule(&self.config)
    }

    /// Returns the state of the run.
    pub fn state(&self) -> &RunState {
        &self.state
    }

    /// Returns the output files of the run.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the next game to submit while `in_flight` games are played; `None` if there is none
    /// now.
    fn next_fixture(&mut self, in_flight: usize) -> Result<Option<Fixture>, Error> {
        loop {
            while let Some(fixture) = self.queue.pop_front() {
                if self.is_playable(&fixture)? {
                    return Ok(Some(fixture));
                }
            }
            let Some(round) = self.begin_round(in_flight) else { return Ok(None) };
            let round = self.write_round(round)?;
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
            self.played.push(self.state.tally.played(&round));
        }
        let absent: Vec<usize> = self.state.tally.withdrawn.keys().copied().collect();
        self.schedule().next_round(&self.played, &absent)
    }

    /// Journals the pairings of a round before its first game, or checks them against the journal.
    /// Returns the round.
    fn write_round(&mut self, round: Round) -> Result<Round, Error> {
        match self.known_rounds.get(&round.number) {
            // The round of the journal counts: other players were withdrawn when it began.
            Some(known) if *known == round || self.state.tally.had_withdrawals => Ok(known.clone()),
            Some(_) => Err(Error::OtherRun(format!(
                "round {} of the journal is not the round of this schedule",
                round.number
            ))),
            None => {
                self.add_record(JournalRecord::Round(round.clone()))?;
                self.state.games = self.schedule().least_games(&self.state.tally.rounds);
                Ok(round)
            }
        }
    }

    /// Journals a record, then counts it.
    fn add_record(&mut self, record: JournalRecord) -> Result<(), Error> {
        let entry = [record];
        self.journal.append(&entry)?;
        self.state.tally.add_record(&entry[0]);
        Ok(())
    }

    /// Returns whether a game is to be played. If a player was withdrawn, or if no attempt is left,
    /// the game is forfeited.
    fn is_playable(&mut self, fixture: &Fixture) -> Result<bool, Error> {
        let Fixture { id, players, .. } = *fixture;
        let tally = &self.state.tally;
        let is_forfeited = tally.forfeits.contains_key(&id);
        // The pairings of later rounds may depend on a forfeit.
        let is_final = is_forfeited && self.schedule().needs_points();
        if is_final || self.journal.results().contains(id) {
            return Ok(false);
        }
        let is_present = |player: &usize| !tally.withdrawn.contains_key(player);
        let gave_up = self.attempts.get(&id).is_some_and(|attempts| *attempts >= MAX_ATTEMPTS);
        if players.iter().all(is_present) && !gave_up {
            return Ok(true);
        }
        if !is_forfeited {
            let winner = players.into_iter().find(|player| is_present(player) && !gave_up);
            self.add_record(JournalRecord::Forfeit(Forfeit { id, players, winner }))?;
        }
        Ok(false)
    }

    /// Returns whether too few players are left for a game.
    fn has_too_few_players(&self) -> bool {
        self.state.tally.players.len() < self.state.tally.withdrawn.len() + 2
    }

    /// Returns the game that `fixture` waits for: games of a sequential test do not run far ahead of a late one.
    fn waits_for(&self, fixture: &Fixture) -> Option<u64> {
        let oldest = *self.running.first()?;
        let most = 2 * self.most_running + AHEAD;
        // Both games of a pair go or wait.
        let is_far = fixture.pair() > oldest.saturating_add(most as u64) / 2;
        (self.state.test.is_some() && is_far).then_some(oldest)
    }

    fn task(&mut self, fixture: Fixture) -> Task<Plan> {
        self.running.insert(fixture.id);
        self.most_running = self.most_running.max(self.running.len());
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
        self.journal.append(&[JournalRecord::Void { id, attempt, why }])?;
        self.attempts.insert(id, attempt + 1);
        self.queue.push_front(work.fixture);
        if attempt + 1 < MAX_ATTEMPTS {
            return Ok(());
        }
        control.watcher.note(&format!(
            "game {} could not be played {MAX_ATTEMPTS} times: it is left out",
            id + 1
        ));
        self.count_failed(work.fixture.players, control)
    }

    /// Records a game: first in the journal, then in the files, the tally and the test.
    fn record(
        &mut self,
        mut record: Box<GameRecord>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        let decision = self.state.test.as_ref().and_then(|test| test.decision);
        record.is_late = decision.is_some_and(|(_, last)| record.pair() > last);
        let entry = [JournalRecord::Game(record)];
        self.journal.append(&entry)?;
        let [JournalRecord::Game(record)] = &entry else { return Ok(()) };
        self.files.add(record)?;
        self.state.played_now += 1;
        if !record.is_late {
            self.state.tally.add(record);
            self.advance_test()?;
        }
        control.watcher.saved(self, record);
        let failed = record.failed_side().map(|side| record.players[side]);
        for player in record.players {
            if failed != Some(player) {
                self.failures[player] = 0;
            }
        }
        self.count_failed(failed, control)
    }

    /// Counts the pairs of the test that have become complete. After the decision, later pairs that
    /// were counted before do not count any more.
    fn advance_test(&mut self) -> Result<(), Error> {
        let Some(test) = &mut self.state.test else { return Ok(()) };
        if test.decision.is_some() {
            return Ok(());
        }
        test.advance(&self.state.tally);
        if let Some((_, last)) = test.decision {
            let names = self.state.tally.players.iter().map(|player| player.name.clone());
            let names: Vec<String> = names.collect();
            self.state.tally = Tally::until(last, &names, &self.journal.records()?);
        }
        Ok(())
    }

    /// Counts a failure of each of `players`. Withdraws a player who failed too often. With
    /// `-recover off` the run ends instead.
    fn count_failed(
        &mut self,
        players: impl IntoIterator<Item = usize>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        for player in players {
            self.failures[player] += 1;
            let count = self.failures[player];
            let name = self.state.tally.players[player].name.clone();
            let times =
                if count == 1 { "a game".to_owned() } else { format!("{count} games in a row") };
            if !self.config.recover {
                control.watcher.note(&format!(
                    "{name} failed in {times}: the tournament ends; without -recover off it goes on"
                ));
                control.end(End::Failures);
                continue;
            }
            let limit = self.config.max_failures;
            let is_gone = self.state.tally.withdrawn.contains_key(&player);
            if limit == 0 || count < limit || is_gone || control.is_ending() {
                continue;
            }
            let why = format!("failed in {times}");
            self.add_record(JournalRecord::Withdrawn { player, why })?;
            let rest = match self.has_too_few_players() {
                true => "the tournament ends, because no game is left to play",
                false => "it is withdrawn and forfeits its other games, and the others play on",
            };
            control.watcher.note(&format!(
                "{name} failed in {times}: {rest}; -max-failures N allows N in a row (0: any number), and resume takes -readmit \"{name}\" when the engine is repaired"
            ));
        }
        Ok(())
    }
}

impl Run for Coordinator {
    type Work = Plan;
    type Record = GameRecord;
    const TASKS: &'static str = "running games";

    fn next(&mut self, in_flight: usize, control: &mut Control<'_, Self>) -> NextTask<Plan> {
        if self.state.test.as_ref().is_some_and(|test| test.decision.is_some()) {
            control.end(End::Done);
        }
        if self.has_too_few_players() {
            control.end(End::Failures);
        }
        if control.is_ending() {
            return Ok(None);
        }
        let Some(fixture) = self.next_fixture(in_flight)? else { return Ok(None) };
        let Some(late) = self.waits_for(&fixture) else { return Ok(Some(self.task(fixture))) };
        self.queue.push_front(fixture);
        if self.late.replace(late) != Some(late) {
            let number = late + 1;
            control.watcher.note(&format!(
                "game {number} is late: games far behind it wait, because the test counts pairs in their order"
            ));
        }
        Ok(None)
    }

    fn handle(
        &mut self,
        task: Task<Plan>,
        outcome: GameOutcome,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        self.running.remove(&task.id);
        let record = match outcome {
            Outcome::Aborted => return Ok(()),
            Outcome::Failed(why) => return self.replay(task, why, control),
            Outcome::Finished(record) => record,
        };
        let is_suspect = record.suspect && record.end.kind == EndKind::Time;
        if is_suspect && self.config.on_lag == OnLag::Replay && !task.is_last_attempt() {
            let why = format!("{}, while the machine was late", record.end.text);
            return self.replay(task, why, control);
        }
        self.record(record, control)
    }

    fn note(&mut self, note: RunNote) -> Result<(), Error> {
        self.journal.note(&note)
    }
}

#[cfg(test)]
mod tests;
