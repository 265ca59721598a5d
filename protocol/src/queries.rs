//! Queries about positions. [`QuerySession`] is the session of a JSON client: lines, search events and
//! instants go in, [`Effect`]s come out. [`pool`](crate::pool) searches the positions.
//!
//! A session is deterministic: it reads no clock, starts no thread and prints nothing. Each turn of
//! an accepted query gets exactly one line that ends the turn, whatever the order of events.

mod accept;
mod actions;
mod change;
mod conclude;
mod explore;
mod opening;
mod records;
mod subject;
mod turns;
pub mod write;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use tengen_engine::{BoardSizes, Instant, Move, Report, Strength};

use self::accept::{Accepted, Check, NewTurn};
use self::explore::OpenLookup;
use self::records::Upload;
use self::subject::board_fields;
pub use self::subject::{board_info, chosen, describe};
use self::turns::{OpenQuery, Stage, TimeCap, Turn};
use self::write::Spent;
use crate::dialect::json::number::{Id, Positive};
use crate::dialect::json::query::{Query, TurnNumber};
use crate::dialect::json::read::{self, ReadQuery, RefusedQuery};
use crate::dialect::json::reply::{
    Cleared, EndedBy, ErrorReply, HelloReply, Notice, NoticeCode, Reply, ServerLimits, SizeInfo,
    VariantInfo, Version, Warning, WarningCode,
};
use crate::dialect::json::{Code, Problem, VERSION, problem};
use crate::explorer::Explorer;
use crate::log::{Escaped, LINES};
use crate::pool::job::{Failure, SearchResult};
use crate::pool::lookup::LookupNews;
use crate::pool::{Effect, PoolSession, Room, Search, TurnKey, UpdateKind};
pub use crate::service::{Service, SessionIdentity, SessionLimits, numbered};

/// The session of a JSON client.
pub struct QuerySession {
    service: Service,
    identity: SessionIdentity,
    /// Whether messages are numbered, because the client has sent `hello`.
    is_numbered: bool,
    /// How many lines the client has sent.
    lines: u64,
    queries: BTreeMap<u64, OpenQuery>,
    ids: HashMap<Id, u64>,
    turns: BTreeMap<TurnKey, Turn>,
    /// Turns whose search has started. Only these have reports and deadlines.
    started: BTreeSet<TurnKey>,
    last_query: u64,
    last_turn: u64,
    /// The `clear_cache` queries that wait until the tables are cleared.
    clearing: Vec<Id>,
    /// The records of which more parts are expected.
    uploads: HashMap<Id, Upload>,
    /// The queries that wait for a lookup.
    lookups: BTreeMap<TurnKey, OpenLookup>,
    effects: Vec<Effect>,
    /// Whether the session quits once it has no open query.
    is_ending: bool,
    /// Whether the server is shutting down.
    is_draining: bool,
    is_over: bool,
}

impl QuerySession {
    /// Returns a session without queries.
    pub fn new(service: Service, identity: SessionIdentity) -> Self {
        Self {
            service,
            identity,
            is_numbered: false,
            lines: 0,
            queries: BTreeMap::new(),
            ids: HashMap::new(),
            turns: BTreeMap::new(),
            started: BTreeSet::new(),
            last_query: 0,
            last_turn: 0,
            clearing: Vec::new(),
            uploads: HashMap::new(),
            lookups: BTreeMap::new(),
            effects: Vec::new(),
            is_ending: false,
            is_draining: false,
            is_over: false,
        }
    }

    fn query(&mut self, read: ReadQuery, now: Instant, room: Room) {
        let ReadQuery { query, unused } = read;
        let id = query.head().id.clone();
        let is_part = matches!(query, Query::ReadRecord(_) | Query::ConvertRecord(_));
        let is_upload = self.uploads.contains_key(&id) && !is_part;
        let is_known = self.ids.contains_key(&id) || self.looks_up(&id);
        if is_known || self.clearing.contains(&id) || is_upload {
            let problem = problem!(DuplicateId, "id", "a query \"{id}\" is open");
            return self.refuse(Some(id), problem);
        }
        if self.is_draining && actions::takes_work(&query) {
            let problem = Problem::new(Code::ShuttingDown, "the server is shutting down");
            return self.refuse(Some(id), problem);
        }
        let unused = unused.into_iter().map(|field| {
            let message = format!("\"{field}\" is not used");
            (WarningCode::UnusedField, field, message)
        });
        let warnings = unused.collect();
        let mut check = Check { service: &self.service, received: now, room, warnings };
        match check.action(query) {
            Err(problem) => self.refuse(Some(id), problem),
            Ok(action) => {
                for (code, field, message) in check.warnings {
                    let field = Some(field);
                    let id = id.clone();
                    self.reply(&Reply::Warning(Warning { id, code, field, message }));
                }
                action(self);
            }
        }
    }

    /// Answers the `hello` with this `id`. Messages are numbered from this reply on. With `resumed`
    /// the session has input again, from a new connection.
    fn hello(&mut self, id: Id, resumed: bool) {
        self.is_ending &= !resumed;
        if !std::mem::replace(&mut self.is_numbered, true) {
            self.effects.push(Effect::Number);
        }
        let SessionIdentity { session, kept } = self.identity.clone();
        self.reply(&Reply::Hello(HelloReply { id, session, resumed, resume_s: kept.as_secs() }));
    }

    fn version(&self, id: Id) -> Version {
        let Service { catalog, workers, threads, hash_mib, limits, git, .. } = self.service;
        let variants = catalog.variants().iter().map(|variant| VariantInfo {
            name: variant.name.to_owned(),
            summary: variant.summary.to_owned(),
            aliases: variant.aliases.iter().map(|&alias| alias.to_owned()).collect(),
            board: board_fields(variant.options),
            size: variant.sizes.map(
                |BoardSizes { usual: (width, height), least, most, .. }| SizeInfo {
                    width,
                    height,
                    min: least,
                    max: most,
                },
            ),
            opening_rules: opening::rule_names(catalog, variant.name),
        });
        Version {
            id,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: Positive::nearest(VERSION),
            git: git.map(str::to_owned),
            workers: Positive::nearest(workers),
            threads: Positive::nearest(threads),
            hash_mib: Positive::nearest(hash_mib),
            limits: ServerLimits {
                time_ms: limits.time.map(millis),
                queue: limits.queue.map(|queue| queue as u64),
                line_bytes: limits.line_bytes as u64,
                multi_pv: limits.multi_pv as u64,
            },
            variants: variants.collect(),
            shelf: self.service.explorer.is_ok(),
            edit: self.service.explorer.is_ok_and(Explorer::is_editable),
            rooms: self.service.limits.may_make_rooms,
        }
    }

    /// Opens an accepted query. Answers the turns of finished games, and starts to search the
    /// others.
    fn open(&mut self, accepted: Accepted) {
        let Accepted { id, received, format, kind, interval, turns } = accepted;
        self.last_query += 1;
        let query = self.last_query;
        self.ids.insert(id.clone(), query);
        let last = self.last_turn + turns.len() as u64;
        let keys: Vec<TurnKey> = (self.last_turn + 1..=last).map(TurnKey).collect();
        self.last_turn = last;
        let open = OpenQuery { id, received, format, kind, turns: keys.clone() };
        self.queries.insert(query, open);
        let mut searches = Vec::new();
        let mut finished = Vec::new();
        for (key, NewTurn { number, job, rank, cap }) in keys.into_iter().zip(turns) {
            let turn = Turn {
                query,
                number,
                position: job.position.duplicate(),
                limits: job.limits.clone(),
                cap,
                stage: Stage::Waiting,
                stopped: None,
                spent: Spent::default(),
                lines: Vec::new(),
                last_report: None,
                has_unsent_report: false,
                is_weakened: job.settings.strength != Strength::default(),
                is_infinite: rank.is_infinite,
                interval,
                deadline: None,
            };
            let is_over = turn.position.outcome().is_some();
            self.turns.insert(key, turn);
            if is_over {
                finished.push(key);
            } else {
                searches.push(Search { key, rank, job });
            }
        }
        finished.into_iter().for_each(|key| self.conclude(key, None));
        if !searches.is_empty() {
            self.effects.push(Effect::Search(searches));
        }
    }

    /// Removes a turn.
    fn remove_turn(&mut self, key: TurnKey) -> Option<Turn> {
        self.started.remove(&key);
        self.turns.remove(&key)
    }

    /// Handles the start of the search of a turn.
    fn started(&mut self, key: TurnKey, now: Instant) {
        let Some(turn) = self.turns.get_mut(&key) else { return };
        if turn.last_report.is_none() {
            let query = self.queries.get(&turn.query);
            let received = query.map_or(now, |query| query.received);
            turn.spent.queue_ms = millis(now.saturating_duration_since(received));
            turn.last_report = Some(now);
            let limit = match (turn.is_infinite, turn.cap) {
                (true, _) => self.service.limits.infinite,
                (false, TimeCap::StopAfter(limit)) => Some(limit),
                (false, TimeCap::None | TimeCap::Clamped) => None,
            };
            turn.deadline = limit.map(|limit| now + limit);
        }
        turn.stage = Stage::Running;
        self.started.insert(key);
    }

    /// Handles new lines of the search of a turn.
    fn reported(&mut self, key: TurnKey, lines: Vec<Report<Move>>, now: Instant) {
        let Some(turn) = self.turns.get_mut(&key).filter(|turn| turn.stopped.is_none()) else {
            return;
        };
        turn.lines = lines;
        turn.has_unsent_report = true;
        self.report_if_due(key, now);
    }

    /// Handles a pause of the search of a turn, which waits again. `result` is the result so far.
    fn paused(&mut self, key: TurnKey, result: &SearchResult) {
        let Some(turn) = self.turns.get_mut(&key) else { return };
        turn.stage = Stage::Waiting;
        turn.lines.clone_from(&result.lines);
        self.write_report(key, true);
        if let Some(turn) = self.turns.get_mut(&key) {
            turn.spent.nodes += result.answer.report.nodes;
            turn.spent.time_ms += millis(result.answer.report.time);
        }
    }

    /// Handles the end of a search.
    fn finished(&mut self, key: TurnKey, result: Result<SearchResult, Failure>) {
        let Some(turn) = self.turns.get_mut(&key) else { return };
        match result {
            Ok(result) if turn.is_infinite && turn.stopped.is_none() => {
                let is_proven = result.answer.settled.is_some();
                turn.lines.clone_from(&result.lines);
                turn.stage = Stage::Withheld(Box::new(result));
                if is_proven {
                    self.write_report(key, false);
                }
            }
            Ok(result) => {
                if !self.search_on(key, &result) {
                    self.conclude(key, Some(&result));
                }
            }
            Err(failure) => self.fail(key, failure),
        }
        self.leave_if_done();
    }

    fn report_if_due(&mut self, key: TurnKey, now: Instant) {
        let Some(turn) = self.turns.get_mut(&key) else { return };
        let Some(interval) = turn.interval else { return };
        let is_due = turn.last_report.is_none_or(|last| now >= last + interval);
        if is_due && turn.has_unsent_report && turn.stopped.is_none() {
            turn.last_report = Some(now);
            self.write_report(key, false);
        }
    }

    /// Returns the open turns of `queries`, or only those with a number in `numbers`.
    fn open_turns(&self, queries: Vec<u64>, numbers: Option<&[TurnNumber]>) -> Vec<TurnKey> {
        let is_selected = |key: &TurnKey| {
            let Some(turn) = self.turns.get(key).filter(|turn| turn.stopped.is_none()) else {
                return false;
            };
            numbers.is_none_or(|numbers| numbers.contains(&TurnNumber::nearest(turn.number)))
        };
        let queries = queries.iter().filter_map(|query| self.queries.get(query));
        queries.flat_map(|query| &query.turns).filter(|key| is_selected(key)).copied().collect()
    }

    /// Ends turns. Running searches are stopped and give their result later; other turns end at
    /// once.
    fn end_turns(&mut self, keys: Vec<TurnKey>, why: EndedBy) {
        for key in keys {
            let Some(turn) = self.turns.get_mut(&key) else { continue };
            turn.stopped = Some(why);
            match std::mem::replace(&mut turn.stage, Stage::Running) {
                Stage::Running => self.effects.push(Effect::Cancel(key)),
                Stage::Withheld(result) => self.conclude(key, Some(&result)),
                Stage::Waiting => {
                    self.effects.push(Effect::Cancel(key));
                    let lines = std::mem::take(&mut turn.lines);
                    match write::snapshot(lines) {
                        Some(result) => self.conclude(key, Some(&result)),
                        None => self.conclude_without_search(key, why),
                    }
                }
            }
        }
        self.leave_if_done();
    }

    fn leave_if_done(&mut self) {
        if (self.is_ending || self.is_draining) && !self.is_over && !self.is_busy() {
            // A session with a name may be resumed over another connection.
            self.is_over = self.is_draining || !self.is_numbered;
            self.is_ending = false;
            self.effects.push(Effect::Quit);
        }
    }

    fn refuse(&mut self, id: Option<Id>, problem: Problem) {
        let input_line = id.is_none().then(|| Positive::nearest(self.lines));
        let error = ErrorReply::new(id, problem, None);
        self.reply(&Reply::Error(ErrorReply { input_line, ..error }));
    }

    fn reply(&mut self, reply: &Reply) {
        self.effects.extend(serialize(reply).map(Effect::Line));
    }
}

/// Returns the line of a message; `None` if it cannot be written.
fn serialize(reply: &Reply) -> Option<String> {
    match serde_json::to_string(reply) {
        Ok(line) => {
            tracing::debug!(target: LINES, "<< {}", Escaped(&line));
            Some(line)
        }
        Err(error) => {
            tracing::error!(%error, "a message cannot be written");
            None
        }
    }
}

impl PoolSession for QuerySession {
    fn line(&mut self, line: &str, now: Instant, room: Room) {
        self.lines += 1;
        if self.is_over || line.trim_ascii().is_empty() {
            return;
        }
        tracing::debug!(target: LINES, ">> {}", Escaped(line));
        // Some shells write a byte order mark before UTF-8.
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        match read::query(line, self.lines) {
            Ok(read) => self.query(read, now, room),
            Err(RefusedQuery { id, problem }) => self.refuse(id, problem),
        }
    }

    fn overlong_line(&mut self, _: &str, _: Instant) {
        self.lines += 1;
        if !self.is_over {
            let max = self.service.limits.line_bytes;
            let message = format!("a line longer than {max} bytes was skipped");
            self.refuse(None, Problem::new(Code::TooLarge, message));
        }
    }

    fn update(&mut self, turn: TurnKey, update: UpdateKind, now: Instant) {
        match update {
            UpdateKind::Started(_) => self.started(turn, now),
            // Notes are about session tables, and queries forward no reports.
            UpdateKind::Noted(_) | UpdateKind::Forwarded(_) => {}
            UpdateKind::Reported(lines) => self.reported(turn, lines, now),
            UpdateKind::Paused(result) => self.paused(turn, &result),
            UpdateKind::Finished(result) => self.finished(turn, *result),
            UpdateKind::LookedUp(news) => match *news {
                LookupNews::Lines(lines) => self.looked_up_lines(turn, lines),
                LookupNews::Ended(result) => self.looked_up(turn, result),
            },
        }
    }

    fn cleared(&mut self) {
        for id in std::mem::take(&mut self.clearing) {
            self.reply(&Reply::ClearCache(Cleared { id, action: "clear_cache".to_owned() }));
        }
        self.leave_if_done();
    }

    fn next_wake(&self) -> Option<Instant> {
        let reports = |turn: &Turn| {
            // A stopped turn sends no more reports, only its last line.
            let is_pending = turn.has_unsent_report && turn.stopped.is_none();
            is_pending.then_some(turn.last_report? + turn.interval?)
        };
        let deadline = |turn: &Turn| turn.deadline.filter(|_| turn.stopped.is_none());
        let due = |turn| [reports(turn), deadline(turn)].into_iter().flatten().min();
        self.started.iter().filter_map(|key| self.turns.get(key)).filter_map(due).min()
    }

    fn wake(&mut self, now: Instant) {
        let is_due =
            |turn: &Turn| turn.stopped.is_none() && turn.deadline.is_some_and(|at| at <= now);
        let started: Vec<TurnKey> = self.started.iter().copied().collect();
        let due = started.iter().filter(|key| self.turns.get(key).is_some_and(is_due));
        let due = due.copied().collect();
        self.end_turns(due, EndedBy::Cap);
        started.into_iter().for_each(|key| self.report_if_due(key, now));
    }

    fn end_of_input(&mut self, ends_all: bool, _: Instant) {
        if self.is_over {
            return;
        }
        self.is_ending = true;
        self.end_uploads(None);
        if ends_all {
            self.end_lookups(self.open_lookups(None), "the session ends");
        }
        let ends = |turn: &Turn| turn.stopped.is_none() && (ends_all || turn.is_infinite);
        let turns = self.turns.iter().filter(|(_, turn)| ends(turn)).map(|(key, _)| *key);
        self.end_turns(turns.collect(), EndedBy::Terminated);
        self.leave_if_done();
    }

    fn probe(&mut self, _: Instant) {
        self.reply(&Reply::Notice(Notice { code: NoticeCode::InputEnded, deadline_ms: None }));
    }

    fn leave_when_done(&mut self) {
        self.is_ending = true;
        self.leave_if_done();
    }

    fn drain(&mut self, grace: Duration, _: Instant) {
        if self.is_over || self.is_draining {
            return;
        }
        self.is_draining = true;
        let notice = Notice { code: NoticeCode::ShuttingDown, deadline_ms: Some(millis(grace)) };
        self.reply(&Reply::Notice(notice));
        let waits = |turn: &&TurnKey| {
            self.turns.get(turn).is_some_and(|turn| matches!(turn.stage, Stage::Waiting))
        };
        let waiting: Vec<TurnKey> = self.turns.keys().filter(waits).copied().collect();
        self.end_turns(waiting, EndedBy::Drain);
    }

    fn end_drain(&mut self, _: Instant) {
        self.end_lookups(self.open_lookups(None), "the session ends");
        let turns = self.turns.keys().copied().collect();
        self.end_turns(turns, EndedBy::Drain);
    }

    fn effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn is_busy(&self) -> bool {
        !self.queries.is_empty() || !self.clearing.is_empty() || !self.lookups.is_empty()
    }

    fn is_open(&self, id: &Id) -> bool {
        self.ids.contains_key(id) || self.uploads.contains_key(id) || self.looks_up(id)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.identity.session)
    }

    fn resume(&mut self, id: Id) {
        self.hello(id, true);
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
