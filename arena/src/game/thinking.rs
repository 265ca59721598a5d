//! One move of an engine: the request, the timeout, pondering, late answers, failures.

use std::time::{Duration, Instant};

use tengen_engine::text::quotable;
use tengen_engine::{Limits, Position, Side};
use tengen_protocol::client::{ClientDialect, Info, Message, SearchRequest};

use super::state::GameState;
use crate::engine::conversation::seconds;
use crate::engine::host::HostEvent;
use crate::game::clock::limits;
use crate::game::referee::{Ending, loss};
use crate::record::EndKind;

/// The move of an engine.
pub(super) struct Answer {
    pub(super) text: String,
    /// The reply that the engine expects, to ponder on.
    pub(super) ponder: Option<String>,
    pub(super) took: Duration,
    /// The last search information of the engine.
    pub(super) info: Option<Info>,
    /// Whether the engine had pondered on the opponent's move.
    pub(super) ponder_hit: bool,
}

/// The end of a game; `None` if the run is aborted.
pub(super) type Over = Option<Ending>;

/// The timeout of a late answer, before the engine gets the stop command.
const GRACE: Duration = Duration::from_secs(1);

/// How much more an engine may be late than the delays that were measured: shorter ones are not.
const UNSEEN_LAG: Duration = Duration::from_millis(20);

/// The timeout of the answer to the stop command.
const STOP: Duration = Duration::from_secs(2);

impl GameState<'_> {
    /// Asks a side for its move.
    pub(super) fn think(&mut self, mover: Side) -> Result<Answer, Over> {
        let side = mover.index();
        for side in [side, 1 - side] {
            if let Some((kind, text)) = self.host.failure(self.seats[side]) {
                return Err(self.fail(side, kind, text));
            }
        }
        let suspend = self.rules.config.suspend;
        let cpu_before = self.host.cpu_time(self.seats[1 - side]);
        let ponders = self.pondering[1 - side].is_some();
        if suspend && !ponders {
            self.host.suspend(self.seats[1 - side], true);
        }
        let answer = self.ask(mover);
        if suspend && !ponders {
            self.host.suspend(self.seats[1 - side], false);
        }
        if !ponders && self.sessions[1 - side].is_some() {
            let cpu = self.host.cpu_time(self.seats[1 - side]);
            self.waited[1 - side] = Some(cpu);
            let used = cpu.saturating_sub(cpu_before);
            self.record.usage[1 - side].waiting_cpu_micros += used.as_micros() as u64;
        }
        answer
    }

    /// Kills an engine that failed.
    fn kill(&mut self, side: usize) {
        if let Some(session) = self.sessions[side].take() {
            session.kill(self.host);
        }
    }

    /// Kills an engine that failed, and returns the loss of its side. The text quotes its last words.
    fn fail(&mut self, side: usize, kind: EndKind, text: String) -> Over {
        let text = text + &self.host.words(self.seats[side]);
        self.kill(side);
        Some(loss(side, kind, text))
    }

    /// Sends the request for a move, or the ponder hit, and waits for the answer.
    fn ask(&mut self, mover: Side) -> Result<Answer, Over> {
        let side = mover.index();
        let last = self.referee.board().played().last().copied();
        let pondered = self.pondering[side].take();
        let ponder_hit = pondered.is_some() && pondered == last;
        let mut started_at = self.host.now();
        if ponder_hit {
            self.speak(side, |dialect, out| dialect.ponder_hit(out));
        } else {
            if pondered.is_some() {
                self.end_pondering(side)?;
            }
            self.go(mover);
            if pondered.is_none() {
                started_at = self.host.now();
            }
        }
        self.await_move(mover, started_at, ponder_hit)
    }

    /// Calls `say` with the dialect of a side and a function that sends a line to its engine.
    pub(super) fn speak(
        &mut self,
        side: usize,
        say: impl FnOnce(&mut dyn ClientDialect, &mut dyn FnMut(String)),
    ) {
        let seat = self.seats[side];
        let host = &mut *self.host;
        if let Some(session) = &mut self.sessions[side] {
            say(session.dialect(), &mut |line| host.send(seat, &line));
        }
    }

    /// Sends the position and the limits to the engine of the side to move.
    fn go(&mut self, mover: Side) {
        let Some(session) = &mut self.sessions[mover.index()] else { return };
        let keeps_clock = session.dialect().keeps_clock();
        let limits = limits(&self.clocks, mover, keeps_clock);
        self.request(mover.index(), &*self.referee.board().duplicate(), &limits);
    }

    /// Asks the engine of a side to search the position of `board`.
    fn request(&mut self, side: usize, board: &dyn Position, limits: &Limits) {
        let start = self.record.start.clone();
        self.speak(side, |dialect, out| {
            let texts = board.start().write_line(board.played(), dialect.style());
            let (start, moves) = (start.as_deref(), board.played());
            dialect
                .go(&SearchRequest { position: board, start, moves, texts: &texts, limits }, out);
        });
    }

    /// Starts pondering on the expected reply if the side ponders and the reply does not end the
    /// game.
    pub(super) fn ponder(&mut self, mover: Side, expected: Option<String>) {
        let side = mover.index();
        if !self.rules.players[self.record.players[side]].ponder {
            return;
        }
        let Some(session) = &mut self.sessions[side] else { return };
        if !session.dialect().can_ponder() {
            return;
        }
        let mut board = self.referee.board().duplicate();
        let Some(mv) = expected.and_then(|text| board.read_move(&text).ok()) else { return };
        if board.play(mv).is_err() || board.outcome().is_some() {
            return;
        }
        let mut limits: Limits = limits(&self.clocks, mover, false);
        limits.ponder = true;
        self.request(side, &*board, &limits);
        self.pondering[side] = Some(mv);
        self.pondered[side] = None;
    }

    /// Stops a search, and waits for its move, which does not count.
    fn stop(&mut self, side: usize) -> Result<LateAnswer, Over> {
        self.speak(side, |dialect, out| dialect.stop(out));
        self.await_any_move(side, self.host.now() + STOP)
    }

    /// Stops a pondering engine and drops its answer.
    fn end_pondering(&mut self, side: usize) -> Result<(), Over> {
        match self.stop(side)? {
            LateAnswer::Moved(_) => Ok(()),
            LateAnswer::Failed(kind, text) => Err(self.fail(side, kind, text)),
            LateAnswer::Silent => {
                let text = format!("no answer to stop within {}", seconds(STOP));
                Err(self.fail(side, EndKind::Stall, text))
            }
        }
    }

    /// Waits for the move of a side whose clock started at `started_at`.
    pub(super) fn await_move(
        &mut self,
        mover: Side,
        started_at: Instant,
        ponder_hit: bool,
    ) -> Result<Answer, Over> {
        let side = mover.index();
        let deadline = self.clocks[side].deadline(started_at);
        // The search goes on, and so does what it says.
        let mut info = self.pondered[side].take().filter(|_| ponder_hit);
        // The last line that is neither a move nor information.
        let mut unread: Option<String> = None;
        // The last sign of life of an engine without a clock: its last line, and its CPU time then.
        let waited = self.waited[side].take();
        let mut last_cpu = waited.unwrap_or_else(|| self.host.cpu_time(self.seats[side]));
        let mut last_sign = started_at;
        loop {
            let stall = self.rules.config.stall;
            match self.host.next(deadline.unwrap_or(last_sign + stall)) {
                HostEvent::Line { seat, at, text } if seat == self.seats[side] => {
                    last_sign = at;
                    let message = self.read(side, &text);
                    if is_unread(&message) {
                        unread = Some(text);
                        continue;
                    }
                    let (text, ponder) = match message {
                        Message::Move { text, ponder } => (text, ponder),
                        Message::Resign => {
                            let end = loss(side, EndKind::Resign, "resigns".to_owned());
                            return Err(Some(end));
                        }
                        Message::Refused(text) => {
                            let text = format!("refuses: \"{}\"", quotable(&text));
                            return Err(self.fail(side, EndKind::Stall, text));
                        }
                        Message::Swap => ("swap".to_owned(), None),
                        Message::Stones(stones) => (stones.join(" "), None),
                        Message::Info(new) if new.line.unwrap_or(1) <= 1 => {
                            merge(&mut info, new);
                            continue;
                        }
                        Message::Suggestion(cell) => {
                            self.speak(side, |dialect, out| dialect.accept(&cell, out));
                            continue;
                        }
                        _ => continue,
                    };
                    let took = at.saturating_duration_since(started_at);
                    return Ok(Answer { text, ponder, took, info, ponder_hit });
                }
                HostEvent::Line { text, .. } => self.out_of_turn(1 - side, &text),
                HostEvent::Abort => return Err(None),
                HostEvent::Timeout => match deadline {
                    Some(deadline) => {
                        let quoted = self.quote_unread(side, unread);
                        let (score, mut end) = self.too_late(side, started_at, deadline)?;
                        end.text.push_str(&quoted);
                        return Err(Some((score, end)));
                    }
                    None => {
                        let cpu = self.host.cpu_time(self.seats[side]);
                        if cpu <= last_cpu {
                            let quoted = self.quote_unread(side, unread);
                            let stall = seconds(stall);
                            let text = format!("neither output nor CPU time for {stall}{quoted}");
                            return Err(self.fail(side, EndKind::Stall, text));
                        }
                        (last_sign, last_cpu) = (self.host.now(), cpu);
                    }
                },
                HostEvent::Failed { seat, kind, text } => {
                    let failed = if seat == self.seats[side] { side } else { 1 - side };
                    let over = self.fail(failed, kind, text);
                    if failed != side {
                        self.interrupt(side)?;
                    }
                    return Err(over);
                }
            }
        }
    }

    /// Adds a warning about `line`, an answer that cannot be read, or about a line without an end.
    /// Returns the words that quote it after a reason; empty without a line.
    fn quote_unread(&mut self, side: usize, line: Option<String>) -> String {
        let unfinished = self.host.unfinished(self.seats[side]);
        let (line, how) = match (unfinished.trim(), line) {
            ("", None) => return String::new(),
            ("", Some(line)) => (line, ""),
            (unfinished, _) => (unfinished.to_owned(), " without a line end"),
        };
        self.add_warning(side, "an answer that cannot be read", &line);
        format!("; it answered \"{}\"{how}", quotable(&line))
    }

    /// Stops a search and drops its answer, so that it cannot reach the next game.
    fn interrupt(&mut self, side: usize) -> Result<(), Over> {
        if !matches!(self.stop(side)?, LateAnswer::Moved(_)) {
            self.kill(side);
        }
        Ok(())
    }

    /// Stops all pondering at the end of a game.
    pub(super) fn stop_pondering(&mut self) -> Result<(), Over> {
        for side in 0..2 {
            if self.pondering[side].take().is_some() {
                self.interrupt(side)?;
            }
        }
        Ok(())
    }

    fn read(&mut self, side: usize, line: &str) -> Message {
        match &mut self.sessions[side] {
            Some(session) => session.dialect().read(line),
            None => Message::Other(line.to_owned()),
        }
    }

    /// Reads a line of the engine that is not to move. A move is a warning, unless the engine ponders.
    fn out_of_turn(&mut self, side: usize, line: &str) {
        let ponders = self.pondering[side].is_some();
        match self.read(side, line) {
            Message::Info(new) if ponders && new.line.unwrap_or(1) <= 1 => {
                merge(&mut self.pondered[side], new);
            }
            Message::Move { .. } if !ponders => self.add_warning(side, "a move out of turn", line),
            _ => {}
        }
    }

    /// Ends the game of a side that lost on time. Waits for the late answer, so that it cannot
    /// reach the next game.
    fn too_late(
        &mut self,
        side: usize,
        started_at: Instant,
        deadline: Instant,
    ) -> Result<Ending, Over> {
        let limit = self.clocks[side].limit().unwrap_or_default();
        let mut late = self.await_any_move(side, deadline + GRACE)?;
        if matches!(late, LateAnswer::Silent) {
            late = self.stop(side)?;
        }
        let end_at = if let LateAnswer::Moved(at) = late { at } else { self.host.now() };
        let mut words = String::new();
        if !matches!(late, LateAnswer::Moved(_)) {
            words = self.host.words(self.seats[side]);
            self.kill(side);
        }
        let over = end_at.saturating_duration_since(started_at).saturating_sub(limit);
        let limit = seconds(limit);
        let (what, overrun) = match late {
            LateAnswer::Moved(_) => (format!("{} over {limit}", seconds(over)), over),
            LateAnswer::Silent => (format!("no move after {limit} and a stop"), over),
            LateAnswer::Failed(_, why) => {
                (format!("no move after {limit}, then {why}"), Duration::ZERO)
            }
        };
        self.count_overrun(side, overrun);
        self.record.suspect = self.is_excused(started_at, deadline, end_at);
        Ok(loss(side, EndKind::Time, format!("out of time: {what}{words}")))
    }

    /// Returns whether the delays of the machine itself explain that a move came at `end_at`, after
    /// `deadline`.
    fn is_excused(&self, started_at: Instant, deadline: Instant, end_at: Instant) -> bool {
        let lag = self.host.lag(started_at, end_at);
        !lag.is_zero() && lag + UNSEEN_LAG >= end_at.saturating_duration_since(deadline)
    }

    /// Waits until `until` for a move that does not count.
    fn await_any_move(&mut self, side: usize, until: Instant) -> Result<LateAnswer, Over> {
        loop {
            match self.host.next(until) {
                HostEvent::Line { seat, at, text } if seat == self.seats[side] => {
                    match self.read(side, &text) {
                        Message::Move { .. } | Message::Resign => return Ok(LateAnswer::Moved(at)),
                        Message::Refused(text) => {
                            let text = format!("refuses: \"{}\"", quotable(&text));
                            return Ok(LateAnswer::Failed(EndKind::Stall, text));
                        }
                        _ => {}
                    }
                }
                HostEvent::Line { text, .. } => self.out_of_turn(1 - side, &text),
                HostEvent::Timeout => return Ok(LateAnswer::Silent),
                HostEvent::Abort => return Err(None),
                HostEvent::Failed { seat, kind, text } if seat == self.seats[side] => {
                    return Ok(LateAnswer::Failed(kind, text));
                }
                HostEvent::Failed { .. } => {}
            }
        }
    }
}

/// Returns whether a message is neither a move nor something that the dialect allows beside it.
fn is_unread(message: &Message) -> bool {
    match message {
        Message::Error(_) | Message::Foreign => true,
        Message::Other(line) => !line.trim().is_empty(),
        _ => false,
    }
}

/// The result of waiting for a move that does not count.
enum LateAnswer {
    Moved(Instant),
    Silent,
    Failed(EndKind, String),
}

/// Merges a new `info` line into `known`. Fields that the line does not have keep their values.
fn merge(known: &mut Option<Info>, new: Info) {
    let Some(info) = known else {
        *known = Some(new);
        return;
    };
    info.depth = new.depth.or(info.depth);
    info.seldepth = new.seldepth.or(info.seldepth);
    info.nodes = new.nodes.or(info.nodes);
    info.time = new.time.or(info.time);
    if new.score.is_some() {
        (info.score, info.bound) = (new.score, new.bound);
        // A principal variation belongs to its score.
        info.pv = new.pv;
    } else if !new.pv.is_empty() {
        info.pv = new.pv;
    }
}
