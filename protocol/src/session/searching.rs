//! Searches, perfts and benches of a session, from the command to the answer. It does not depend on
//! a dialect.

use std::sync::Arc;

use tengen_engine::backend::{Go, Sink};
use tengen_engine::text::{NotationError, quotable};
use tengen_engine::{Answer, Control, Instant, Limits, Move, Position, Report, Score};

use super::running::{Running, WorkKind};
use super::{Engine, Post, Purpose, Session, Ticket, active_game};
use crate::command::{Reply, Request};
use crate::dialect::words::legal_move;

impl Session {
    pub(super) fn runs(&self, ticket: Ticket, kind: WorkKind) -> bool {
        self.running.as_ref().is_some_and(|r| r.ticket == ticket && r.kind == kind)
    }

    /// Starts a search for a client that keeps the game itself.
    pub(super) fn search(&mut self, request: Request, at: Instant, purpose: Purpose) {
        for complaint in request.complaints {
            self.refuse(complaint);
        }
        self.note_drops(request.search_moves.iter().any(|mv| active_game::is_drop(mv)));
        let mut moves = self.read_search_moves(&request.search_moves);
        let avoided = self.read_search_moves(&request.avoid_moves);
        if !avoided.is_empty() {
            if moves.is_empty() {
                moves = self.active.position().legal();
            }
            moves.retain(|mv| !avoided.contains(mv));
            if moves.is_empty() {
                return self.refuse("no move is left to search");
            }
        }
        self.start_search(request.limits, moves, at, purpose);
    }

    /// Returns the moves in `words`, the `searchmoves`. Notes each word with an illegal move.
    pub(super) fn read_search_moves(&mut self, words: &[String]) -> Vec<Move> {
        if words.is_empty() || self.active.fault().is_some() {
            return Vec::new();
        }
        let mut moves = Vec::new();
        for word in words {
            match legal_moves(self.active.position(), word) {
                Ok(read) => moves.extend(read),
                Err(error) => self.note(format!("searchmoves \"{}\": {error}", quotable(word))),
            }
        }
        moves
    }

    /// Starts a search of the current position: of `moves`, or of all moves when empty.
    pub(super) fn start_search(
        &mut self,
        limits: Limits,
        moves: Vec<Move>,
        at: Instant,
        purpose: Purpose,
    ) {
        let ticket = self.next_ticket();
        let root = self.active.position().duplicate();
        let mut running = Running::new(ticket, WorkKind::Search, limits.clone(), root, self.style);
        running.purpose = purpose;
        if let Some(why) = self.active.fault() {
            let why = format!("search refused: {why}");
            self.refuse(why);
            running.held = Some(Answer::blank(Score::DRAW, None));
        } else if let Some(score) = self.active.final_score() {
            running.held = Some(Answer::blank(score, None));
        } else {
            let mut go = Go::new(limits, at);
            go.search_moves = moves;
            go.follows_game = true;
            running.control = Some(self.active.go(go, sink(&self.post, ticket)));
        }
        self.running = Some(running);
        self.conclude();
    }

    pub(super) fn perft(&mut self, depth: u32, at: Instant) {
        if let Some(why) = self.active.fault() {
            let why = format!("perft refused: {why}");
            return self.refuse(why);
        }
        let ticket = self.next_ticket();
        let control = self.active.perft(depth, at, sink(&self.post, ticket));
        self.start(ticket, WorkKind::Perft, control);
    }

    pub(super) fn bench(&mut self, depth: Option<u32>) {
        let ticket = self.next_ticket();
        let Engine { catalog, bench, .. } = self.engine;
        let control = bench(catalog, depth, sink(&self.post, ticket));
        self.start(ticket, WorkKind::Bench, control);
    }

    /// Remembers a perft or bench that was started.
    fn start(&mut self, ticket: Ticket, kind: WorkKind, control: Control) {
        let root = self.active.position().duplicate();
        let mut running = Running::new(ticket, kind, Limits::default(), root, self.style);
        running.control = Some(control);
        self.running = Some(running);
    }

    pub(super) fn stop(&mut self) {
        let Some(running) = &mut self.running else { return };
        running.stop();
        self.conclude();
    }

    /// Stops the search, because a command waits for its end.
    pub(super) fn stop_for_command(&mut self) {
        if self.debug && self.running.as_ref().is_some_and(|running| !running.is_stopped()) {
            self.note("the search is stopped: a command waits for its end");
        }
        self.stop();
    }

    pub(super) fn ponderhit(&mut self, at: Instant) {
        if let Some(running) = &mut self.running {
            running.ponderhit(at);
            self.conclude();
        }
    }

    pub(super) fn reported(&mut self, report: Report<Move>) {
        let Some(mut running) = self.running.take() else { return };
        running.note(&report);
        self.reply_from(&running, &Reply::Report(report));
        self.running = Some(running);
    }

    pub(super) fn answered(&mut self, answer: Answer<Move>) {
        if let Some(running) = &mut self.running {
            running.held = Some(answer);
            self.conclude();
        }
    }

    /// Sends the answer once it is known and not withheld. Only this function ends a search.
    pub(super) fn conclude(&mut self) {
        let Some(answer) = self.running.as_mut().and_then(Running::due) else { return };
        let Some(running) = self.running.take() else { return };
        let is_stopped = running.is_stopped();
        match running.purpose {
            Purpose::Client => self.reply_from(&running, &Reply::Answer(answer)),
            Purpose::PlayBest => {
                self.active.play_best(&*running.root, answer.best);
                self.reply_from(&running, &Reply::Answer(answer));
            }
            purpose => {
                self.found(purpose, &running.ranking, answer, is_stopped);
            }
        }
    }

    /// Sends the result of a perft or bench.
    pub(super) fn finish(&mut self, reply: &Reply) {
        if let Some(running) = self.running.take() {
            self.reply_from(&running, reply);
        }
    }

    pub(super) fn next_ticket(&mut self) -> Ticket {
        self.last_ticket = Ticket(self.last_ticket.0 + 1);
        self.last_ticket
    }
}

/// Returns the moves in `word`, each legal in `position`.
fn legal_moves(position: &dyn Position, word: &str) -> Result<Vec<Move>, NotationError> {
    let legal = position.legal();
    let texts = position.split_moves(word).into_iter();
    texts.map(|text| legal_move(position, &legal, text)).collect()
}

/// Returns a sink that sends events to `post` with `ticket`.
pub(super) fn sink(post: &Post, ticket: Ticket) -> Sink {
    let post = Arc::clone(post);
    Arc::new(move |event| post(ticket, event))
}
