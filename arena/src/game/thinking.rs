//! One move of an engine: what it is sent, how long it is waited for, and what happens when it is
//! late or gone.

use std::time::{Duration, Instant};

use tengen_engine::{Limits, Move, Side, Style};
use tengen_protocol::client::{Info, Message, SearchRequest};

use super::state::GameState;
use crate::clock::limits;
use crate::engine_host::HostEvent;
use crate::record::EndKind;
use crate::session::{failure, seconds};

/// What comes of asking for a move.
pub(super) enum Answer {
    /// A move, as it was written.
    Move {
        text: String,
        /// The reply that the engine expects.
        ponder: Option<String>,
        took: Duration,
        /// The last search information of the engine.
        info: Option<Info>,
        /// Whether the opponent's move was the one that it had pondered on.
        hit: bool,
    },
    /// A side has lost.
    Lost(Lost),
    /// The run ends.
    Aborted,
}

/// How a side lost by its engine.
pub(super) struct Lost {
    pub(super) side: usize,
    pub(super) kind: EndKind,
    pub(super) text: String,
    /// How far over its limit the engine was, as far as it is known.
    pub(super) overrun: Duration,
    /// Whether the machine was late meanwhile.
    pub(super) suspect: bool,
}

/// How long after its time an engine may still move by itself.
const GRACE: Duration = Duration::from_secs(1);

/// The time for the answer after the command to stop.
const STOP: Duration = Duration::from_secs(2);

impl GameState<'_> {
    /// Asks a side for its move.
    pub(super) fn think(&mut self, mover: Side) -> Answer {
        let side = mover.index();
        if let Some(lost) = self.anybody_gone() {
            return Answer::Lost(lost);
        }
        let waiting = self.engine_host.cpu_time(self.seats[1 - side]);
        let ponders = self.pondering[1 - side].is_some();
        if self.rules.suspend && !ponders {
            self.engine_host.suspend(self.seats[1 - side], true);
        }
        let answer = self.ask(mover);
        if self.rules.suspend && !ponders {
            self.engine_host.suspend(self.seats[1 - side], false);
        }
        if !ponders && self.sessions[1 - side].is_some() {
            let used = self.engine_host.cpu_time(self.seats[1 - side]).saturating_sub(waiting);
            self.usage[1 - side].waiting_cpu_micros += used.as_micros() as u64;
        }
        answer
    }

    fn anybody_gone(&mut self) -> Option<Lost> {
        for side in [self.referee.turn().index(), self.referee.turn().other().index()] {
            let end = self.engine_host.gone(self.seats[side]);
            if let Some((_, kind, text)) = end.as_ref().and_then(failure) {
                self.fail(side);
                return Some(lost(side, kind, text));
            }
        }
        None
    }

    /// Takes the session of an engine that failed, and ends it.
    fn fail(&mut self, side: usize) {
        if let Some(session) = self.sessions[side].take() {
            session.kill(self.engine_host);
        }
    }

    fn ask(&mut self, mover: Side) -> Answer {
        let side = mover.index();
        let last = self.referee.board().played().last().copied();
        let pondered = self.pondering[side].take();
        let hit = pondered.is_some() && pondered == last;
        let mut begun = self.engine_host.now();
        if hit {
            self.speak(side, |dialect, out| dialect.ponder_hit(out));
        } else {
            if pondered.is_some()
                && let Err(lost) = self.end_pondering(side)
            {
                return lost.map_or(Answer::Aborted, Answer::Lost);
            }
            self.go(mover);
            if pondered.is_none() {
                begun = self.engine_host.now();
            }
        }
        self.await_move(mover, begun, hit)
    }

    /// Lets a side's dialect write lines to its engine.
    fn speak(
        &mut self,
        side: usize,
        say: impl FnOnce(&mut dyn tengen_protocol::client::ClientDialect, &mut dyn FnMut(String)),
    ) {
        let seat = self.seats[side];
        let engine_host = &mut *self.engine_host;
        if let Some(session) = &mut *self.sessions[side] {
            say(session.dialect(), &mut |line| engine_host.send(seat, &line));
        }
    }

    /// Sends the position and the limits.
    fn go(&mut self, mover: Side) {
        let side = mover.index();
        let Some(session) = &mut *self.sessions[side] else { return };
        let keeps_clock = !session.dialect().declares_options();
        let limits = limits(&self.clocks, mover, keeps_clock);
        let texts = match session.dialect().style() {
            Style::Drop if !self.drops.is_empty() => &self.drops,
            _ => self.referee.texts(),
        };
        let board = self.referee.board();
        let turn = SearchRequest {
            position: board,
            start: self.start.as_deref(),
            moves: board.played(),
            texts,
            limits: &limits,
        };
        let seat = self.seats[side];
        let engine_host = &mut *self.engine_host;
        session.dialect().go(&turn, &mut |line| engine_host.send(seat, &line));
    }

    /// Lets a side ponder on the reply that it expects, if it may and the game continues.
    pub(super) fn ponder(&mut self, mover: Side, expected: Option<String>) {
        let side = mover.index();
        if !self.rules.players[self.players[side]].ponder {
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
        let plain = board.played().last().map(|mv| self.written(*mv, Style::Plain));
        let drop = board.played().last().map(|mv| self.written(*mv, Style::Drop));
        let (mut texts, mut drops) = (self.referee.texts().to_vec(), self.drops.clone());
        texts.extend(plain);
        drops.extend(drop);
        let Some(session) = &mut *self.sessions[side] else { return };
        let is_drop = session.dialect().style() == Style::Drop;
        let turn = SearchRequest {
            position: &*board,
            start: self.start.as_deref(),
            moves: board.played(),
            texts: if is_drop { &drops } else { &texts },
            limits: &limits,
        };
        let seat = self.seats[side];
        let engine_host = &mut *self.engine_host;
        session.dialect().go(&turn, &mut |line| engine_host.send(seat, &line));
        self.pondering[side] = Some(mv);
    }

    fn written(&self, mv: Move, style: Style) -> String {
        self.referee.board().write_move(mv, style)
    }

    /// Ends a search on the opponent's time. Its answer is dropped. The error is the end of the
    /// game, or `None` where the run ends.
    fn end_pondering(&mut self, side: usize) -> Result<(), Option<Lost>> {
        self.speak(side, |dialect, out| dialect.stop(out));
        let until = self.engine_host.now() + STOP;
        match self.await_any_move(side, until) {
            Late::Moved(_) => Ok(()),
            Late::Aborted => Err(None),
            Late::Failed(kind, text) => {
                self.fail(side);
                Err(Some(lost(side, kind, text)))
            }
            Late::Silent => {
                self.fail(side);
                let text = format!("no answer to stop within {}", seconds(STOP));
                Err(Some(lost(side, EndKind::Stall, text)))
            }
        }
    }

    pub(super) fn await_move(&mut self, mover: Side, begun: Instant, hit: bool) -> Answer {
        let side = mover.index();
        let deadline = self.clocks[side].deadline(begun);
        let mut info: Option<Info> = None;
        let mut quiet = Quiet { since: begun, cpu: self.engine_host.cpu_time(self.seats[side]) };
        loop {
            let until = deadline.unwrap_or(quiet.since + self.rules.stall);
            let event = self.engine_host.next(until);
            match event {
                HostEvent::Line { seat, at, text } if seat == self.seats[side] => {
                    quiet.since = at;
                    match self.read(side, &text) {
                        Message::Move { text, ponder } => {
                            let took = at.saturating_duration_since(begun);
                            return Answer::Move { text, ponder, took, info, hit };
                        }
                        Message::Info(new) if new.line.unwrap_or(1) <= 1 => merge(&mut info, new),
                        Message::Suggestion(cell) => {
                            self.speak(side, |dialect, out| dialect.accept(&cell, out));
                        }
                        Message::Swap => {
                            let took = at.saturating_duration_since(begun);
                            let text = "swap".to_owned();
                            return Answer::Move { text, ponder: None, took, info, hit };
                        }
                        Message::Stones(stones) => {
                            let text = stones.join(" ");
                            let took = at.saturating_duration_since(begun);
                            return Answer::Move { text, ponder: None, took, info, hit };
                        }
                        _ => {}
                    }
                }
                HostEvent::Line { text, .. } => self.out_of_turn(1 - side, &text),
                HostEvent::Abort => return Answer::Aborted,
                HostEvent::Timeout => match deadline {
                    Some(deadline) => return self.too_late(side, begun, deadline),
                    None => {
                        let cpu = self.engine_host.cpu_time(self.seats[side]);
                        if cpu <= quiet.cpu {
                            self.fail(side);
                            let text = format!(
                                "neither output nor CPU time for {}",
                                seconds(self.rules.stall)
                            );
                            return Answer::Lost(lost(side, EndKind::Stall, text));
                        }
                        quiet = Quiet { since: self.engine_host.now(), cpu };
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

    /// Ends a search and drops its answer, so that it cannot reach the next game. Returns whether
    /// the run goes on.
    fn interrupt(&mut self, side: usize) -> bool {
        self.speak(side, |dialect, out| dialect.stop(out));
        let until = self.engine_host.now() + STOP;
        match self.await_any_move(side, until) {
            Late::Moved(_) => {}
            Late::Aborted => return false,
            Late::Silent | Late::Failed(..) => self.fail(side),
        }
        true
    }

    /// Ends all searches on the opponent's time at the end of a game.
    pub(super) fn stop_pondering(&mut self) -> bool {
        (0..2).all(|side| self.pondering[side].take().is_none() || self.interrupt(side))
    }

    fn read(&mut self, side: usize, line: &str) -> Message {
        match &mut *self.sessions[side] {
            Some(session) => session.dialect().read(line),
            None => Message::Other(line.to_owned()),
        }
    }

    /// A line of the engine that is not asked.
    fn out_of_turn(&mut self, side: usize, line: &str) {
        let says_move = matches!(self.read(side, line), Message::Move { .. });
        if says_move && self.pondering[side].is_none() {
            self.add_warning(side, "a move out of turn", line);
        }
    }

    /// The side has lost on time. Its engine is still waited for, so that its answer cannot reach the
    /// next game.
    fn too_late(&mut self, side: usize, begun: Instant, deadline: Instant) -> Answer {
        let limit = self.clocks[side].limit().unwrap_or_default();
        let suspect = self.engine_host.was_late(begun, deadline);
        let mut late = self.await_any_move(side, deadline + GRACE);
        if matches!(late, Late::Silent) {
            self.speak(side, |dialect, out| dialect.stop(out));
            let until = self.engine_host.now() + STOP;
            late = self.await_any_move(side, until);
        }
        let limit_text = seconds(limit);
        let (text, overrun) = match late {
            Late::Aborted => return Answer::Aborted,
            Late::Moved(at) => {
                let overrun = at.saturating_duration_since(begun).saturating_sub(limit);
                (format!("out of time: {} over {limit_text}", seconds(overrun)), overrun)
            }
            Late::Silent => {
                self.fail(side);
                let overrun =
                    self.engine_host.now().saturating_duration_since(begun).saturating_sub(limit);
                (format!("out of time: no move after {limit_text} and a stop"), overrun)
            }
            Late::Failed(_, why) => {
                self.fail(side);
                (format!("out of time: no move after {limit_text}, then {why}"), Duration::ZERO)
            }
        };
        Answer::Lost(Lost { side, kind: EndKind::Time, text, overrun, suspect })
    }

    /// Waits for the late move of a side that has lost.
    fn await_any_move(&mut self, side: usize, until: Instant) -> Late {
        loop {
            match self.engine_host.next(until) {
                HostEvent::Line { seat, at, text } if seat == self.seats[side] => {
                    if let Message::Move { .. } = self.read(side, &text) {
                        return Late::Moved(at);
                    }
                }
                HostEvent::Line { text, .. } => self.out_of_turn(1 - side, &text),
                HostEvent::Timeout => return Late::Silent,
                HostEvent::Abort => return Late::Aborted,
                event => {
                    if let Some((seat, kind, text)) = failure(&event)
                        && seat == self.seats[side]
                    {
                        return Late::Failed(kind, text);
                    }
                }
            }
        }
    }
}

/// Since when an engine without a clock has said nothing, and its CPU time then.
struct Quiet {
    since: Instant,
    cpu: Duration,
}

/// The result of waiting for a late move.
enum Late {
    Moved(Instant),
    Silent,
    Failed(EndKind, String),
    Aborted,
}

fn lost(side: usize, kind: EndKind, text: String) -> Lost {
    Lost { side, kind, text, overrun: Duration::ZERO, suspect: false }
}

/// Merges a new `info` line. A field that the line lacks keeps its value.
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
        // A line belongs to its score.
        info.pv = new.pv;
    } else if !new.pv.is_empty() {
        info.pv = new.pv;
    }
}
