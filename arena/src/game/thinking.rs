//! One move of an engine: the request, the timeout, pondering, late answers, failures.

use std::time::{Duration, Instant};

use tengen_engine::{Limits, Position, Side};
use tengen_protocol::client::{ClientDialect, Info, Message, SearchRequest};

use super::state::GameState;
use crate::engine::conversation::{failure, seconds};
use crate::engine::host::HostEvent;
use crate::game::clock::limits;
use crate::game::referee::write_moves;
use crate::tournament::record::EndKind;

/// The result of asking for a move.
pub(super) enum Answer {
    /// The engine answered with a move.
    Move {
        text: String,
        /// The reply that the engine expects, to ponder on.
        ponder: Option<String>,
        took: Duration,
        /// The last search information of the engine.
        info: Option<Info>,
        /// Whether the engine had pondered on the opponent's move.
        ponder_hit: bool,
    },
    /// An engine failed or ran out of time.
    Lost(Lost),
    /// The run was aborted.
    Aborted,
}

/// How a side lost by a failure of its engine or on time.
pub(super) struct Lost {
    pub(super) side: usize,
    pub(super) kind: EndKind,
    pub(super) text: String,
    /// The time by which the engine exceeded its limit, as far as it is known.
    pub(super) overrun: Duration,
    /// Whether the machine itself was late during the move.
    pub(super) suspect: bool,
}

/// The timeout of a late answer, before the engine gets the stop command.
const GRACE: Duration = Duration::from_secs(1);

/// The timeout of the answer to the stop command.
const STOP: Duration = Duration::from_secs(2);

impl GameState<'_> {
    /// Asks a side for its move.
    pub(super) fn think(&mut self, mover: Side) -> Answer {
        let side = mover.index();
        if let Some(lost) = self.ended_process() {
            return Answer::Lost(lost);
        }
        let cpu_before = self.host.cpu_time(self.seats[1 - side]);
        let ponders = self.pondering[1 - side].is_some();
        if self.rules.suspend && !ponders {
            self.host.suspend(self.seats[1 - side], true);
        }
        let answer = self.ask(mover);
        if self.rules.suspend && !ponders {
            self.host.suspend(self.seats[1 - side], false);
        }
        if !ponders && self.sessions[1 - side].is_some() {
            let used = self.host.cpu_time(self.seats[1 - side]).saturating_sub(cpu_before);
            self.record.usage[1 - side].waiting_cpu_micros += used.as_micros() as u64;
        }
        answer
    }

    /// Returns the loss of a side whose process has ended.
    fn ended_process(&mut self) -> Option<Lost> {
        for side in [self.referee.turn().index(), self.referee.turn().other().index()] {
            let end = self.host.exit_event(self.seats[side]);
            if let Some((_, kind, text)) = end.as_ref().and_then(failure) {
                self.fail(side);
                return Some(lost(side, kind, text));
            }
        }
        None
    }

    /// Kills an engine that failed.
    fn fail(&mut self, side: usize) {
        if let Some(session) = self.sessions[side].take() {
            session.kill(self.host);
        }
    }

    /// Sends the request for a move, or the ponder hit, and waits for the answer.
    fn ask(&mut self, mover: Side) -> Answer {
        let side = mover.index();
        let last = self.referee.board().played().last().copied();
        let pondered = self.pondering[side].take();
        let ponder_hit = pondered.is_some() && pondered == last;
        let mut started_at = self.host.now();
        if ponder_hit {
            self.speak(side, |dialect, out| dialect.ponder_hit(out));
        } else {
            if pondered.is_some()
                && let Err(lost) = self.end_pondering(side)
            {
                return lost.map_or(Answer::Aborted, Answer::Lost);
            }
            self.go(mover);
            if pondered.is_none() {
                started_at = self.host.now();
            }
        }
        self.await_move(mover, started_at, ponder_hit)
    }

    /// Calls `say` with the dialect of a side and a function that sends a line to its engine.
    fn speak(
        &mut self,
        side: usize,
        say: impl FnOnce(&mut dyn ClientDialect, &mut dyn FnMut(String)),
    ) {
        let seat = self.seats[side];
        let host = &mut *self.host;
        if let Some(session) = &mut *self.sessions[side] {
            say(session.dialect(), &mut |line| host.send(seat, &line));
        }
    }

    /// Sends the position and the limits to the engine of the side to move.
    fn go(&mut self, mover: Side) {
        let Some(session) = &mut *self.sessions[mover.index()] else { return };
        let keeps_clock = !session.dialect().declares_options();
        let limits = limits(&self.clocks, mover, keeps_clock);
        self.request(mover.index(), &*self.referee.board().duplicate(), &limits);
    }

    /// Asks the engine of a side to search the position of `board`.
    fn request(&mut self, side: usize, board: &dyn Position, limits: &Limits) {
        let start = self.record.start.clone();
        self.speak(side, |dialect, out| {
            let texts = write_moves(board, dialect.style());
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
        let Some(session) = &mut *self.sessions[side] else { return };
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
    }

    /// Stops a search, and waits for its move, which does not count.
    fn stop(&mut self, side: usize) -> LateAnswer {
        self.speak(side, |dialect, out| dialect.stop(out));
        self.await_any_move(side, self.host.now() + STOP)
    }

    /// Stops a pondering engine and drops its answer. The error is the loss of this side, or `None`
    /// if the run is aborted.
    fn end_pondering(&mut self, side: usize) -> Result<(), Option<Lost>> {
        match self.stop(side) {
            LateAnswer::Moved(_) => Ok(()),
            LateAnswer::Aborted => Err(None),
            LateAnswer::Failed(kind, text) => {
                self.fail(side);
                Err(Some(lost(side, kind, text)))
            }
            LateAnswer::Silent => {
                self.fail(side);
                let text = format!("no answer to stop within {}", seconds(STOP));
                Err(Some(lost(side, EndKind::Stall, text)))
            }
        }
    }

    /// Waits for the move of a side whose clock started at `started_at`.
    pub(super) fn await_move(
        &mut self,
        mover: Side,
        started_at: Instant,
        ponder_hit: bool,
    ) -> Answer {
        let side = mover.index();
        let deadline = self.clocks[side].deadline(started_at);
        let mut info: Option<Info> = None;
        // The last sign of life of an engine without a clock: its last line, and its CPU time then.
        let (mut last_sign, mut last_cpu) = (started_at, self.host.cpu_time(self.seats[side]));
        loop {
            let until = deadline.unwrap_or(last_sign + self.rules.stall);
            let event = self.host.next(until);
            match event {
                HostEvent::Line { seat, at, text } if seat == self.seats[side] => {
                    last_sign = at;
                    let (text, ponder) = match self.read(side, &text) {
                        Message::Move { text, ponder } => (text, ponder),
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
                    return Answer::Move { text, ponder, took, info, ponder_hit };
                }
                HostEvent::Line { text, .. } => self.out_of_turn(1 - side, &text),
                HostEvent::Abort => return Answer::Aborted,
                HostEvent::Timeout => match deadline {
                    Some(deadline) => return self.too_late(side, started_at, deadline),
                    None => {
                        let cpu = self.host.cpu_time(self.seats[side]);
                        if cpu <= last_cpu {
                            self.fail(side);
                            let text = format!(
                                "neither output nor CPU time for {}",
                                seconds(self.rules.stall)
                            );
                            return Answer::Lost(lost(side, EndKind::Stall, text));
                        }
                        (last_sign, last_cpu) = (self.host.now(), cpu);
                    }
                },
                event => {
                    let Some((seat, kind, text)) = failure(&event) else { continue };
                    let failed = if seat == self.seats[side] { side } else { 1 - side };
                    self.fail(failed);
                    if failed != side && !self.interrupt(side) {
                        return Answer::Aborted;
                    }
                    return Answer::Lost(lost(failed, kind, text));
                }
            }
        }
    }

    /// Stops a search and drops its answer, so that it cannot reach the next game. Returns `false`
    /// if the run is aborted.
    fn interrupt(&mut self, side: usize) -> bool {
        match self.stop(side) {
            LateAnswer::Moved(_) => {}
            LateAnswer::Aborted => return false,
            LateAnswer::Silent | LateAnswer::Failed(..) => self.fail(side),
        }
        true
    }

    /// Stops all pondering at the end of a game. Returns `false` if the run is aborted.
    pub(super) fn stop_pondering(&mut self) -> bool {
        (0..2).all(|side| self.pondering[side].take().is_none() || self.interrupt(side))
    }

    fn read(&mut self, side: usize, line: &str) -> Message {
        match &mut *self.sessions[side] {
            Some(session) => session.dialect().read(line),
            None => Message::Other(line.to_owned()),
        }
    }

    /// Reads a line of the engine that is not to move. A move is a warning.
    fn out_of_turn(&mut self, side: usize, line: &str) {
        let says_move = matches!(self.read(side, line), Message::Move { .. });
        if says_move && self.pondering[side].is_none() {
            self.add_warning(side, "a move out of turn", line);
        }
    }

    /// Ends the game of a side that lost on time. Waits for the late answer, so that it cannot
    /// reach the next game.
    fn too_late(&mut self, side: usize, started_at: Instant, deadline: Instant) -> Answer {
        let limit = self.clocks[side].limit().unwrap_or_default();
        let suspect = self.host.was_late(started_at, deadline);
        let mut late = self.await_any_move(side, deadline + GRACE);
        if matches!(late, LateAnswer::Silent) {
            late = self.stop(side);
        }
        let limit_text = seconds(limit);
        let (text, overrun) = match late {
            LateAnswer::Aborted => return Answer::Aborted,
            LateAnswer::Moved(at) => {
                let overrun = at.saturating_duration_since(started_at).saturating_sub(limit);
                (format!("out of time: {} over {limit_text}", seconds(overrun)), overrun)
            }
            LateAnswer::Silent => {
                self.fail(side);
                let overrun =
                    self.host.now().saturating_duration_since(started_at).saturating_sub(limit);
                (format!("out of time: no move after {limit_text} and a stop"), overrun)
            }
            LateAnswer::Failed(_, why) => {
                self.fail(side);
                (format!("out of time: no move after {limit_text}, then {why}"), Duration::ZERO)
            }
        };
        Answer::Lost(Lost { side, kind: EndKind::Time, text, overrun, suspect })
    }

    /// Waits until `until` for a move that does not count.
    fn await_any_move(&mut self, side: usize, until: Instant) -> LateAnswer {
        loop {
            match self.host.next(until) {
                HostEvent::Line { seat, at, text } if seat == self.seats[side] => {
                    if let Message::Move { .. } = self.read(side, &text) {
                        return LateAnswer::Moved(at);
                    }
                }
                HostEvent::Line { text, .. } => self.out_of_turn(1 - side, &text),
                HostEvent::Timeout => return LateAnswer::Silent,
                HostEvent::Abort => return LateAnswer::Aborted,
                event => {
                    if let Some((seat, kind, text)) = failure(&event)
                        && seat == self.seats[side]
                    {
                        return LateAnswer::Failed(kind, text);
                    }
                }
            }
        }
    }
}

/// The result of waiting for a move that does not count.
enum LateAnswer {
    Moved(Instant),
    Silent,
    Failed(EndKind, String),
    Aborted,
}

/// Creates the loss of a side that did not lose on time.
fn lost(side: usize, kind: EndKind, text: String) -> Lost {
    Lost { side, kind, text, overrun: Duration::ZERO, suspect: false }
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
