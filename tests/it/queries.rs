//! The JSON protocol: every accepted query gets exactly one last line for each of its turns, in
//! every order of events, and every line is valid by the schema.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use boon::{Compiler, SchemaIndex, Schemas};
use proptest::prelude::*;
use serde_json::{Value, json};
use tengen_engine::{Answer, Report, Score};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::schema::schema;
use tengen_protocol::explorer::LookupSignal;
use tengen_protocol::pool::job::{Failure, Job, SearchResult};
use tengen_protocol::pool::{Effect, PoolSession, Room, Search, TurnKey, UpdateKind};
use tengen_protocol::queries::{QuerySession, Service, SessionIdentity, SessionLimits, numbered};

mod one_player;
mod records;
mod spoiled_lines;

/// A validator of replies by the schema.
struct Validator {
    schemas: Schemas,
    reply: SchemaIndex,
}

impl Validator {
    fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("tengen.json", schema()).unwrap();
        let reply = compiler.compile("tengen.json#/$defs/reply", &mut schemas).unwrap();
        Self { schemas, reply }
    }

    fn check(&self, value: &Value) {
        if let Err(error) = self.schemas.validate(value, self.reply) {
            panic!("{value}: {error:#}");
        }
    }
}

thread_local! {
    static VALIDATOR: Validator = Validator::new();
}

/// Fails if a reply is not valid by the schema.
fn check_schema(reply: &Value) {
    VALIDATOR.with(|validator| validator.check(reply));
}

/// A driver of a session whose searches start and end when the test says so.
struct TestDriver {
    session: QuerySession,
    now: Instant,
    waiting: Vec<(TurnKey, Job)>,
    running: Vec<(TurnKey, Job)>,
    lines: Vec<Value>,
    seq: Option<u64>,
    has_quit: bool,
}

impl TestDriver {
    fn new(limits: SessionLimits) -> Self {
        let service = Service { workers: 2, threads: 2, limits, ..Service::new(&CATALOG) };
        let name = SessionIdentity { session: "test".to_owned(), kept: Duration::ZERO };
        Self {
            session: QuerySession::new(service, name),
            now: Instant::now(),
            waiting: Vec::new(),
            running: Vec::new(),
            lines: Vec::new(),
            seq: None,
            has_quit: false,
        }
    }

    fn ask(&mut self, query: &Value) -> Vec<Value> {
        let room = Room { positions: 1000, retry_after: Duration::from_millis(800) };
        self.session.line(&query.to_string(), self.now, room);
        self.carry_out()
    }

    fn carry_out(&mut self) -> Vec<Value> {
        let before = self.lines.len();
        loop {
            let effects = self.session.effects();
            if effects.is_empty() {
                return self.lines[before..].to_vec();
            }
            effects.into_iter().for_each(|effect| self.act(effect));
        }
    }

    fn act(&mut self, effect: Effect) {
        assert!(!self.has_quit, "nothing follows the end");
        match effect {
            Effect::Line(line) | Effect::Report(_, line) | Effect::Last(_, line) => {
                let line = match &mut self.seq {
                    None => line,
                    Some(seq) => {
                        *seq += 1;
                        numbered(&line, *seq)
                    }
                };
                self.lines.push(serde_json::from_str(&line).unwrap());
            }
            Effect::Search(turns) => {
                self.waiting.extend(turns.into_iter().map(|Search { key, job, .. }| (key, job)));
            }
            Effect::Cancel(key) => {
                self.waiting.retain(|(waiting, _)| *waiting != key);
                if let Some(index) = self.running.iter().position(|(it, _)| *it == key) {
                    self.finish(index, false);
                }
            }
            Effect::PonderHit(..) => unreachable!("only commands ponder"),
            Effect::Number => self.seq = Some(0),
            Effect::LookUp(key, lookup) => {
                let signal = Arc::<LookupSignal>::default();
                let updates = RefCell::new(Vec::new());
                lookup.run(&signal, &|news| {
                    signal.let_send();
                    updates.borrow_mut().push(UpdateKind::LookedUp(Box::new(news)));
                });
                for update in updates.take() {
                    self.session.update(key, update, self.now);
                }
            }
            Effect::ClearTables => self.session.cleared(),
            Effect::Quit => self.has_quit = true,
        }
    }

    fn start(&mut self, index: usize) {
        let (key, job) = self.waiting.remove(index);
        self.session.update(key, UpdateKind::Started(Duration::ZERO), self.now);
        self.running.push((key, job));
    }

    fn finish(&mut self, index: usize, fails: bool) {
        let (key, job) = self.running.remove(index);
        let result = match fails {
            true => Err(Failure::Internal("the search failed".to_owned())),
            false => Ok(found(&job)),
        };
        self.session.update(key, UpdateKind::Finished(Box::new(result)), self.now);
    }
}

/// Returns the result of a search of one node.
fn found(job: &Job) -> SearchResult {
    let legal = job.position.legal();
    let answer = Answer::blank(Score::heuristic(7), legal.first().copied());
    let lines = legal.iter().take(job.settings.multi_pv).enumerate().map(|(index, mv)| {
        let mut report = Report::blank(Score::heuristic(7), Some(*mv));
        report.line = index + 1;
        report
    });
    SearchResult { lines: lines.collect(), answer }
}

#[derive(Clone, Debug)]
enum Event {
    Analyze { moves: usize, turns: u8, infinite: bool },
    Solve { moves: usize },
    Review { moves: usize },
    Terminate(usize, bool),
    TerminateAll,
    Other(usize),
    Start(usize),
    Report(usize),
    Pause(usize),
    Finish(usize, bool),
    Wait(u64),
    Drain,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        4 => (0..8_usize, 0..3_u8, any::<bool>())
            .prop_map(|(moves, turns, infinite)| Event::Analyze { moves, turns, infinite }),
        1 => (0..8_usize).prop_map(|moves| Event::Solve { moves }),
        1 => (1..8_usize).prop_map(|moves| Event::Review { moves }),
        2 => (0..20_usize, any::<bool>()).prop_map(|(query, all)| Event::Terminate(query, all)),
        1 => Just(Event::TerminateAll),
        1 => (0..6_usize).prop_map(Event::Other),
        6 => (0..20_usize).prop_map(Event::Start),
        2 => (0..20_usize).prop_map(Event::Report),
        1 => (0..20_usize).prop_map(Event::Pause),
        4 => (0..20_usize, prop::bool::weighted(0.1)).prop_map(|(at, fails)| Event::Finish(at, fails)),
        2 => (1..3000_u64).prop_map(Event::Wait),
    ];
    (prop::collection::vec(event, 0..80), any::<bool>()).prop_map(|(mut events, drains)| {
        if drains {
            events.push(Event::Drain);
        }
        events
    })
}

/// The seventh move ends the game.
const MOVES: [&str; 7] = ["d1", "e1", "d2", "e2", "d3", "e3", "d4"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_turn_of_an_accepted_query_has_one_last_line(
        events in events(), reports in any::<bool>(), ends_at_once in any::<bool>(),
    ) {
        let mut driver = TestDriver::new(SessionLimits::LOCAL);
        // The number of last lines still to come, by query.
        let mut expected_lines: BTreeMap<String, usize> = BTreeMap::new();
        let mut actions = 0;
        for event in events {
            let id = format!("q{}", expected_lines.len() + actions);
            let line_of = |moves: usize| json!(MOVES[..moves.min(MOVES.len())]);
            match event {
                Event::Analyze { moves, turns, infinite } => {
                    let mut query = json!({
                        "id": id, "moves": line_of(moves), "infinite": infinite, "multi_pv": 2,
                        "report_every_ms": if reports { 20 } else { 0 },
                    });
                    let count = match turns {
                        0 => 1,
                        1 => {
                            query["analyze_turns"] = json!([0]);
                            1
                        }
                        _ => {
                            query["analyze_turns"] = json!("all");
                            moves.min(MOVES.len()) + 1
                        }
                    };
                    expected_lines.insert(id, count);
                    driver.ask(&query);
                }
                Event::Solve { moves } => {
                    expected_lines.insert(id.clone(), 1);
                    driver.ask(&json!({ "id": id, "action": "solve", "moves": line_of(moves), "all": true }));
                }
                Event::Review { moves } => {
                    expected_lines.insert(id.clone(), 1);
                    driver.ask(&json!({ "id": id, "action": "review", "moves": line_of(moves) }));
                }
                Event::Terminate(query, all) => {
                    actions += 1;
                    let mut query = json!({ "id": id, "action": "terminate", "terminate_id": format!("q{query}") });
                    if !all {
                        query["turn_numbers"] = json!([0, 2]);
                    }
                    let replies = driver.ask(&query);
                    prop_assert_eq!(&replies[0]["type"], "terminate");
                }
                Event::TerminateAll => {
                    actions += 1;
                    let replies = driver.ask(&json!({ "id": id, "action": "terminate_all" }));
                    prop_assert_eq!(&replies[0]["type"], "terminate_all");
                }
                Event::Other(kind) => {
                    actions += 1;
                    let (action, reply) = [
                        ("clear_cache", "clear_cache"), ("query_version", "version"), ("hello", "hello"),
                        ("position", "position"), ("nothing", "error"), ("hello", "hello"),
                    ][kind];
                    let replies = driver.ask(&json!({ "id": id, "action": action }));
                    prop_assert_eq!(replies.len(), 1);
                    prop_assert_eq!(&replies[0]["type"], reply);
                }
                Event::Start(index) if !driver.waiting.is_empty() => driver.start(index % driver.waiting.len()),
                Event::Report(index) if !driver.running.is_empty() => {
                    let (key, job) = &driver.running[index % driver.running.len()];
                    let update = UpdateKind::Reported(found(job).lines);
                    driver.session.update(*key, update, driver.now);
                }
                Event::Pause(index) if !driver.running.is_empty() => {
                    let (key, job) = driver.running.remove(index % driver.running.len());
                    let update = UpdateKind::Paused(Box::new(found(&job)));
                    driver.session.update(key, update, driver.now);
                    driver.waiting.push((key, job));
                }
                Event::Finish(index, fails) if !driver.running.is_empty() => {
                    driver.finish(index % driver.running.len(), fails);
                }
                Event::Wait(time) => {
                    driver.now += Duration::from_millis(time);
                    driver.session.wake(driver.now);
                }
                Event::Drain => driver.session.drain(Duration::from_secs(1), driver.now),
                _ => {}
            }
            driver.carry_out();
        }
        driver.session.end_of_input(ends_at_once, driver.now);
        driver.carry_out();
        while !driver.has_quit {
            if driver.running.is_empty() {
                prop_assert!(!driver.waiting.is_empty(), "the session waits for nothing");
                driver.start(0);
            }
            driver.finish(0, false);
            driver.carry_out();
        }
        let mut ended: BTreeMap<(String, Option<u64>), usize> = BTreeMap::new();
        let mut last_seq = None;
        for line in &driver.lines {
            check_schema(line);
            if let Some(seq) = line["seq"].as_u64() {
                prop_assert!(last_seq.is_none_or(|last| seq == last + 1));
                last_seq = Some(seq);
            } else {
                prop_assert!(last_seq.is_none());
            }
            let id = line["id"].as_str().unwrap_or_default().to_owned();
            let kind = line["type"].as_str().unwrap();
            let turn = line["turn_number"].as_u64();
            let is_last = matches!(kind, "answer" | "solution" | "game") || (kind == "error" && turn.is_some());
            let key = (id, turn);
            prop_assert!(!ended.contains_key(&key) || kind == "game", "{line} after the last line");
            if is_last {
                *ended.entry(key).or_default() += 1;
            }
        }
        for (id, count) in expected_lines {
            let own = ended.iter().filter(|((ended, _), _)| *ended == id);
            prop_assert_eq!(own.map(|(_, count)| count).sum::<usize>(), count, "{}", id);
        }
    }
}

/// Returns the code, the field and the message of the error of a refused query.
fn refused(limits: SessionLimits, query: Value) -> (String, String, String) {
    let mut driver = TestDriver::new(limits);
    let replies = driver.ask(&query);
    assert_eq!(replies.len(), 1, "{replies:?}");
    assert!(driver.waiting.is_empty(), "nothing is searched");
    check_schema(&replies[0]);
    let field = |name: &str| replies[0][name].as_str().unwrap_or_default().to_owned();
    assert_eq!(field("type"), "error");
    (field("code"), field("field"), field("message"))
}

#[test]
fn the_version_gives_the_sizes_of_boards() {
    let mut driver = TestDriver::new(SessionLimits::LOCAL);
    let version = driver.ask(&json!({ "id": "v", "action": "query_version" })).remove(0);
    check_schema(&version);
    let variants = version["variants"].as_array().unwrap();
    let mut sized = Vec::new();
    for variant in variants {
        let name = variant["name"].as_str().unwrap();
        let reads_width = variant["board"].as_array().unwrap().contains(&json!("width"));
        assert_eq!(variant.get("size").is_some(), reads_width, "{name}");
        let Some(size) = variant.get("size") else { continue };
        let number = |field: &str| size[field].as_u64().unwrap();
        sized.push((name, number("width"), number("height"), number("min"), number("max")));
    }
    for &(name, width, height, least, most) in &sized {
        let mut ask = |board: Value| {
            let query = json!({ "id": "p", "action": "position", "variant": name, "board": board });
            let reply = driver.ask(&query).remove(0);
            (reply["type"] == "position", reply)
        };
        let usual = ask(json!({})).1;
        assert_eq!(ask(json!({ "width": width, "height": height })).1, usual, "{name}");
        for side in ["width", "height"] {
            for (cells, is_taken) in
                [(least, true), (most, true), (least - 1, false), (most + 1, false)]
            {
                // 0 means the default size.
                if cells == 0 {
                    continue;
                }
                let (taken, reply) = ask(json!({ side: cells }));
                assert_eq!(taken, is_taken, "{name}, {side} {cells}: {reply}");
            }
        }
    }
    assert!(sized.contains(&("renju", 15, 15, 5, 22)), "{sized:?}");
    assert!(sized.contains(&("custom", 7, 6, 1, 26)), "{sized:?}");
}

#[test]
fn an_invalid_query_is_refused_as_a_whole_with_a_reason() {
    for (fields, code, field, message) in [
        (json!({"variant": "chess"}), "unknown_variant", "variant", "no variant \"chess\""),
        (
            json!({"board": {"width": 9}}),
            "bad_board",
            "board.width",
            "cfour takes no width: that is for custom, gomokufreestyle, gomoku, renju, caro, freestyle20",
        ),
        (
            json!({"variant": "gomoku", "board": {"width": 4}}),
            "bad_board",
            "board.width",
            "width 4: it must be from 5 to 22, or 0 for the default size",
        ),
        (
            json!({"fen": "7/7 w"}),
            "bad_position",
            "fen",
            "fen \"7/7 w\": 2 of 6 rows at character 4",
        ),
        (
            json!({"moves": ["d1", "x"]}),
            "bad_move",
            "moves[1]",
            "\"x\": column out of range (a to g or 1 to 7)",
        ),
        (
            json!({"moves": "4449"}),
            "bad_move",
            "moves[3]",
            "\"9\": column out of range (a to g or 1 to 7)",
        ),
        (
            json!({"moves": ["h8"]}),
            "bad_move",
            "moves[0]",
            "\"h8\": outside the board (a1 to g6); it fits the variant gomokufreestyle",
        ),
        (
            json!({"moves": "44", "analyze_turns": [0, 3]}),
            "bad_field",
            "analyze_turns[1]",
            "analyze_turns[1] \"3\" is not a whole number from 0 to 2",
        ),
        (
            json!({"moves": "44", "analyze_turns": "all", "priorities": [1]}),
            "bad_field",
            "priorities",
            "priorities: 1 for 3 turns",
        ),
        (
            json!({"allow_moves": ["d1"], "avoid_moves": ["e1"]}),
            "bad_field",
            "avoid_moves",
            "avoid_moves: cannot be combined with allow_moves; remove one",
        ),
        (
            json!({"avoid_moves": [{"moves": ["d1"], "until_depth": 3}]}),
            "unsupported",
            "avoid_moves",
            "until_depth 3: only 1 is supported",
        ),
        (
            json!({"avoid_moves": [{"moves": ["d1"], "side": "second"}]}),
            "unsupported",
            "avoid_moves",
            "side: only the side to move is supported",
        ),
        (
            json!({"avoid_moves": ["a", "b", "c", "d", "e", "f", "g"]}),
            "bad_move",
            "avoid_moves",
            "avoid_moves: no move is left to search",
        ),
        (
            json!({"variant": "tree", "values": "static"}),
            "unsupported",
            "values",
            "tree has no board",
        ),
        (
            json!({"sgf": "(;GM[4]SZ[15])", "moves": "d"}),
            "bad_field",
            "sgf",
            "sgf: cannot be combined with fen or moves",
        ),
        (json!({"sgf": "(;GM[4]SZ[15];B[hh];W[hh])"}), "bad_record", "sgf", ""),
        (
            json!({"action": "solve", "variant": "gomoku"}),
            "not_exact",
            "variant",
            "gomoku has no exact solver",
        ),
        (
            json!({"action": "solve", "variant": "tree"}),
            "unsupported",
            "variant",
            "tree has no board",
        ),
        (json!({"action": "review"}), "bad_field", "moves", "the game has no moves"),
        (
            json!({"action": "hello", "resume": "5b1e0c"}),
            "unknown_session",
            "resume",
            "session unknown: send hello without resume, then the open queries again",
        ),
    ] {
        let mut query = json!({ "id": "a" });
        query.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let error = refused(SessionLimits::LOCAL, query.clone());
        assert_eq!((error.0.as_str(), error.1.as_str()), (code, field), "{query}: {}", error.2);
        assert!(message.is_empty() || error.2 == message, "{query}: {}", error.2);
    }
}

const REMOTE: SessionLimits = SessionLimits {
    time: Some(Duration::from_secs(60)),
    infinite: Some(Duration::from_secs(600)),
    queue: Some(256),
    multi_pv: 5,
    line_bytes: 65_536,
    may_make_rooms: false,
    may_search: true,
    may_clear: false,
    may_ask_threats: false,
    may_read_records: false,
};

#[test]
fn the_limits_of_a_server_are_reported_and_enforced() {
    let (code, field, _) = refused(REMOTE, json!({ "id": "a", "action": "clear_cache" }));
    assert_eq!((code.as_str(), field.as_str()), ("forbidden", "action"));
    let threats = json!({
        "id": 1, "action": "position", "variant": "renju", "include_threats": true,
    });
    let (code, field, _) = refused(REMOTE, threats);
    assert_eq!((code.as_str(), field.as_str()), ("forbidden", "include_threats"));
    let mut driver = TestDriver::new(REMOTE);
    let many =
        json!({ "id": "a", "action": "analyze", "threads": 8, "time_ms": 61_000, "multi_pv": 6 });
    let warnings = driver.ask(&many);
    let fields: Vec<&str> = warnings.iter().map(|it| it["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["threads", "time_ms", "multi_pv"]);
    assert!(warnings.iter().all(|it| it["code"] == "clamped"), "{warnings:?}");
    let (_, job) = &driver.waiting[0];
    assert_eq!((job.settings.threads, job.settings.multi_pv), (2, 5));
    assert_eq!(job.limits.movetime, Some(Duration::from_secs(60)));
    driver.ask(&json!({ "id": "b", "infinite": true, "nodes": 5 }));
    let (_, job) = &driver.waiting[1];
    assert_eq!((job.limits.infinite, job.limits.nodes), (true, None));
    driver.start(1);
    assert_eq!(driver.session.next_wake(), Some(driver.now + Duration::from_secs(600)));
    driver.now += Duration::from_secs(600);
    driver.session.wake(driver.now);
    let ended = driver.carry_out();
    assert_eq!((ended[0]["id"].as_str(), ended[0]["ended_by"].as_str()), (Some("b"), Some("cap")));
    // The session enforces the time limit of a search without a time. As a move time it would also
    // limit the nodes.
    driver.ask(&json!({ "id": "c", "nodes": 5 }));
    assert_eq!(driver.waiting[1].1.limits.movetime, None);
    driver.start(1);
    assert_eq!(driver.session.next_wake(), Some(driver.now + Duration::from_secs(60)));
    driver.now += Duration::from_secs(60);
    driver.session.wake(driver.now);
    let ended = driver.carry_out();
    assert_eq!((ended[0]["id"].as_str(), ended[0]["ended_by"].as_str()), (Some("c"), Some("cap")));
}

#[test]
fn a_full_queue_refuses_the_whole_query_and_keeps_the_session() {
    let mut driver = TestDriver::new(REMOTE);
    let room = Room { positions: 2, retry_after: Duration::from_millis(800) };
    let query = json!({ "id": "a", "moves": "4444", "analyze_turns": "all" });
    driver.session.line(&query.to_string(), driver.now, room);
    let replies = driver.carry_out();
    assert_eq!(
        (replies[0]["code"].as_str(), replies[0]["retry_after_ms"].as_u64()),
        (Some("too_many"), Some(800))
    );
    assert_eq!(driver.ask(&json!({ "id": "a", "action": "position" }))[0]["type"], "position");
}

#[test]
fn a_query_without_limits_gets_the_default_limits() {
    let movetime = |query: Value| {
        let mut driver = TestDriver::new(SessionLimits::LOCAL);
        assert!(driver.ask(&query).is_empty());
        driver.waiting[0].1.limits.movetime
    };
    let millis = |millis| Some(Duration::from_millis(millis));
    assert_eq!(movetime(json!({ "id": "a" })), millis(3000));
    assert_eq!(movetime(json!({ "id": "a", "moves": "44", "analyze_turns": "all" })), millis(500));
    assert_eq!(movetime(json!({ "id": "a", "action": "review", "moves": "44" })), millis(500));
    assert_eq!(movetime(json!({ "id": "a", "time_ms": 7 })), millis(7));
    assert_eq!(movetime(json!({ "id": "a", "depth": 7 })), None);
    assert_eq!(movetime(json!({ "id": "a", "infinite": true })), None);
    assert_eq!(movetime(json!({ "id": "a", "clock": { "left_ms": 60_000 } })), None);
}

#[test]
fn forbidden_points_are_written_like_moves() {
    let mut driver = TestDriver::new(SessionLimits::LOCAL);
    let moves = "g8 a1 i8 a3 h7 a5 h9 a7";
    for (notation, written) in [("plain", "h8"), ("drop", "P@h8")] {
        let replies = driver.ask(&json!({
            "id": "a", "action": "position", "variant": "renju", "moves": moves,
            "notation": notation,
        }));
        let forbidden = json!([{ "move": written, "why": "double-three" }]);
        assert_eq!(replies[0]["forbidden"], forbidden, "{notation}");
    }
}
