//! [`Replay`]: checks the records of games that other machines played, by the rules of the run.

use std::sync::Arc;
use std::time::Duration;

use tengen_engine::Position;
use tengen_engine::Style;
use tengen_engine::opening::{Course, OpeningRule};
use tengen_protocol::client::EngineScore;

use super::adjudicate::Adjudicator;
use super::clock::PlayerClock;
use super::play::Plan;
use super::referee::{Ending, Referee};
use super::speed;
use super::state::RunRules;
use crate::record::{EndKind, GameRecord, GameScore, MoveNote};

/// How far a time of a record may differ from the sum of its parts, in milliseconds. Each part is rounded.
const ROUNDING_MS: i64 = 2;

/// Plays games again by their records.
pub struct Replay {
    rules: Arc<RunRules>,
    /// The opening rule; `None` without one.
    opening: Option<&'static OpeningRule>,
}

impl Replay {
    /// Creates the check of games by `rules`.
    pub fn new(rules: Arc<RunRules>, opening: Option<&'static OpeningRule>) -> Self {
        Self { rules, opening }
    }

    /// Returns whether the same games are played again, on any machine.
    pub fn is_reproducible(&self) -> bool {
        self.rules.players.iter().all(|player| {
            let time = &player.time;
            let is_counted = time.nodes.is_some() || time.depth.is_some();
            is_counted
                && time.clock.is_none()
                && time.turn.is_none()
                && player.threads() == 1
                && !player.ponder
        })
    }

    /// Checks the opening, the players, the moves, the end and the times of the game of `plan`. `board` is a
    /// board to work on. Returns the board after the last move. The error says what does not fit.
    pub fn check(
        &self,
        record: &GameRecord,
        plan: &Plan,
        mut board: Box<dyn Position>,
    ) -> Result<Box<dyn Position>, String> {
        let players = plan.fixture.players;
        let is_unplayed = record.moves.is_empty() && record.notes.is_empty();
        if is_unplayed && record.end.kind == EndKind::Stall && record.players == players {
            // The time of the task passed before this game.
            return self.check_failure(record, None).map(|()| board);
        }
        plan.opening.set_up(&mut *board)?;
        if record.start != plan.opening.start {
            return Err("it has another starting position".to_owned());
        }
        let mut referee = Referee::new(board);
        let first = self.check_opening(record, &mut referee)?;
        let [one, other] = if first == Some(1) { [1, 0] } else { [0, 1] };
        if record.players != [players[one], players[other]] {
            return Err("another engine moved first".to_owned());
        }
        let end = match first {
            Some(_) => self.check_moves(record, &mut referee)?,
            None => None,
        };
        if referee.texts() != record.moves {
            return Err("its moves are not those of a game from its opening".to_owned());
        }
        match end {
            Some(end) if end == (record.score, record.end.clone()) => {}
            Some((score, end)) => {
                let (score, found) = (score.text(), record.score.text());
                return Err(format!("by the rules it ends {score}, {}: not {found}", end.text));
            }
            None => self.check_failure(record, first.map(|_| referee.turn().index()))?,
        }
        Ok(referee.board().duplicate())
    }

    /// Plays the opening on the board. Returns the player who moves first, 0 or 1 of the plan; `None` if the
    /// game ended in the opening.
    fn check_opening(
        &self,
        record: &GameRecord,
        referee: &mut Referee,
    ) -> Result<Option<usize>, String> {
        let differs = || "it has another opening".to_owned();
        if record.opened.rule.as_deref() != self.opening.map(|rule| rule.name)
            && !record.notes.is_empty()
        {
            return Err(differs());
        }
        let grid = referee.board().spec().grid;
        let mut first = Some(0);
        if let (Some(rule), Some(notation)) = (self.opening, grid) {
            let mut course = Course::new(rule, notation.grid());
            for text in &record.opened.acts {
                let act = course.read(text).map_err(|why| why.to_string())?;
                course.act(act).map_err(|why| why.to_string())?;
            }
            for stone in course.stones().iter().skip(referee.texts().len()) {
                referee.play(&notation.write_move(*stone, Style::Plain));
            }
            first = course.is_over().then_some(course.first_player());
            // An engine of Gomocup may place one stone more with its decision.
            if first.is_some() && record.opening_plies == referee.texts().len() + 1 {
                referee.play(record.moves.get(referee.texts().len()).ok_or_else(differs)?);
            }
        } else if !record.opened.acts.is_empty() {
            return Err(differs());
        }
        let is_whole = first.is_none() || record.opening_plies == referee.texts().len();
        (is_whole && record.moves.starts_with(referee.texts())).then_some(first).ok_or_else(differs)
    }

    /// Plays the moves after the opening. Returns the end of the game by the rules and by the scores.
    fn check_moves(
        &self,
        record: &GameRecord,
        referee: &mut Referee,
    ) -> Result<Option<Ending>, String> {
        let scale = self.check_scale(record)?;
        let time = |player: usize| {
            self.rules.players.get(player).map(|player| PlayerClock::new(player.time.scaled(scale)))
        };
        let [Some(one), Some(other)] = record.players.map(time) else {
            return Err("it has an unknown player".to_owned());
        };
        let (mut clocks, mut adjudicator) = ([one, other], Adjudicator::default());
        let moves = &record.moves[record.opening_plies..];
        if moves.len() != record.notes.len() {
            let (moves, notes) = (moves.len(), record.notes.len());
            return Err(format!("it has {moves} moves, and notes about {notes}"));
        }
        let micros: u64 = record.notes.iter().fold(0, |sum, note| sum.saturating_add(note.micros));
        if micros / 1000 > record.millis.saturating_add(ROUNDING_MS as u64) {
            return Err("its moves took longer than the game".to_owned());
        }
        let mut end = None;
        for (text, note) in moves.iter().zip(&record.notes) {
            if end.is_some() {
                return Err("it goes on after its end".to_owned());
            }
            let side = referee.turn().index();
            self.check_clock(&mut clocks[side], note)?;
            let score = note.said.score.as_deref().map(score).transpose()?;
            let (played, verdict) = referee.play(text);
            if played.is_none() {
                return Err(verdict.map_or_else(String::new, |(_, end)| end.text));
            }
            let (config, has_start) = (&self.rules.config, record.start.is_some());
            let by_scores =
                || adjudicator.judge_board(config, side, score, referee.board(), has_start);
            end = verdict.or_else(by_scores);
        }
        Ok(end)
    }

    /// Returns the factor by which the machine has scaled the clocks. Its speed cannot be checked.
    fn check_scale(&self, record: &GameRecord) -> Result<Option<f64>, String> {
        let is_possible =
            |scale: f64| (speed::MAX_SCALE.recip()..=speed::MAX_SCALE).contains(&scale);
        match (self.rules.config.scale_nps, record.clock_scale) {
            (None, None) => Ok(None),
            (Some(_), Some(scale)) if is_possible(scale) => Ok(Some(scale)),
            (None, Some(scale)) => {
                Err(format!("its clocks were scaled by {scale}, and the run asks for none"))
            }
            (Some(_), None) => {
                Err("its clocks were not scaled, and the run asks for that".to_owned())
            }
            (Some(_), Some(scale)) => {
                Err(format!("its clocks were scaled by {scale}, which is not possible"))
            }
        }
    }

    /// Checks the time that a note says is left. In an opening by a rule, decisions take time, too.
    fn check_clock(&self, clock: &mut PlayerClock, note: &MoveNote) -> Result<(), String> {
        let expected = clock.spend(Duration::from_micros(note.micros)).left_millis;
        let fits = match (expected, note.left_millis) {
            (Some(expected), Some(found)) => {
                let too_low =
                    expected.saturating_sub(found) > ROUNDING_MS && self.opening.is_none();
                found.saturating_sub(expected) <= ROUNDING_MS && !too_low
            }
            (expected, found) => expected == found,
        };
        fits.then_some(()).ok_or_else(|| "its clock does not fit the times of its moves".to_owned())
    }

    /// Checks an end that is not by the rules: a failure, a resignation or a proof. `turn` is the side to
    /// move; `None` if the game did not begin.
    fn check_failure(&self, record: &GameRecord, turn: Option<usize>) -> Result<(), String> {
        let (kind, winner) = (record.end.kind, record.score.winner());
        let has_lost = winner.is_some() && turn.is_none_or(|turn| winner == Some(1 - turn));
        let has_limit = || {
            self.rules
                .players
                .iter()
                .any(|player| player.time.clock.is_some() || player.time.turn.is_some())
        };
        let is_proven = || {
            let proof = record.proof.as_ref().filter(|proof| !proof.played_on);
            self.rules.config.proof.is_some()
                && proof.is_some_and(|note| note.score == record.score)
        };
        let fits = match kind {
            EndKind::Illegal | EndKind::Resign => has_lost,
            EndKind::Time => has_lost && has_limit(),
            EndKind::Proof => is_proven(),
            kind => kind.is_failure() && record.score != GameScore::Draw,
        };
        let (name, score) = (kind.name(), record.score.text());
        fits.then_some(()).ok_or_else(|| format!("it cannot end {score} by \"{name}\""))
    }
}

/// Reads the score of a note. A number that is too large counts as a large one.
fn score(text: &str) -> Result<EngineScore, String> {
    let is_number = text.len() > 1 && text.bytes().all(|byte| b"+-.0123456789".contains(&byte));
    let large = || {
        let units = if text.starts_with('-') { i64::MIN } else { i64::MAX };
        is_number.then_some(EngineScore::Units(units))
    };
    let read = EngineScore::from_text(text).or_else(large);
    read.ok_or_else(|| format!("\"{}\" is no score", tengen_engine::text::quotable(text)))
}
