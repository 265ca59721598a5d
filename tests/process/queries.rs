//! The JSON protocol on standard input and output.

use std::process::Command;

use serde_json::{Value, json};
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;

use crate::support::running::{Engine, program, tengen};

fn send(engine: &mut Engine, query: &Value) {
    engine.send(format!("{query}\n"));
}

/// Returns the next message.
fn receive(engine: &mut Engine) -> Value {
    let line = engine.line().expect("the server continues");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Returns the next message of the type `kind`.
fn until(engine: &mut Engine, kind: &str) -> Value {
    loop {
        let message = receive(engine);
        if message["type"] == kind {
            return message;
        }
    }
}

/// Starts the program with `arguments`.
fn engine_with(arguments: &[&str]) -> Engine {
    let mut command = tengen();
    command.args(arguments);
    Engine::from(command)
}

#[test]
fn the_first_line_chooses_json_and_queries_are_answered_after_the_end_of_input() {
    let mut engine = Engine::start();
    engine.send("\n");
    for number in 0..20 {
        let moves = "d1 d2 d3".split(' ').take(number % 4).collect::<Vec<_>>();
        send(
            &mut engine,
            &json!({ "id": format!("{number}"), "moves": moves, "nodes": 100, "book": false }),
        );
    }
    send(&mut engine, &json!({ "id": "endless", "infinite": true }));
    engine.close();
    let (lines, status) = engine.rest();
    let mut ids: Vec<String> = lines
        .iter()
        .map(|line| {
            let message: Value = serde_json::from_str(line).unwrap();
            assert_eq!(message["type"], "answer", "{line}");
            message["id"].as_str().unwrap().to_owned()
        })
        .collect();
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), status.code()), (21, Some(0)));
}

#[test]
fn the_end_of_input_can_stop_all_queries() {
    let mut engine =
        engine_with(&["--dialect", "json", "--workers", "1", "--quit-without-waiting"]);
    for id in ["a", "b", "c"] {
        send(&mut engine, &json!({ "id": id, "infinite": true, "book": false }));
    }
    engine.close();
    let (lines, status) = engine.rest();
    let ended = lines.iter().filter(|line| line.contains("\"ended_by\":\"terminated\""));
    assert_eq!((ended.count(), lines.len(), status.code()), (3, 3, Some(0)), "{lines:#?}");
}

#[test]
fn a_query_is_terminated_while_others_go_on() {
    let mut engine = engine_with(&["--workers", "1"]);
    let endless = json!({
        "id": "a", "variant": "gomokufreestyle", "infinite": true, "report_every_ms": 20, "multi_pv": 2,
    });
    send(&mut engine, &endless);
    while until(&mut engine, "report")["moves"].as_array().is_some_and(|moves| moves.len() < 2) {}
    send(&mut engine, &json!({ "id": "b", "moves": "44", "nodes": 500 }));
    send(&mut engine, &json!({ "id": "a", "nodes": 1 }));
    let error = until(&mut engine, "error");
    assert_eq!((error["code"].as_str(), error["id"].as_str()), (Some("duplicate_id"), Some("a")));
    send(&mut engine, &json!({ "id": "t", "action": "terminate", "terminate_id": "a" }));
    assert_eq!(until(&mut engine, "terminate")["count"], 1);
    let answer = until(&mut engine, "answer");
    assert_eq!(
        (answer["id"].as_str(), answer["ended_by"].as_str()),
        (Some("a"), Some("terminated"))
    );
    assert!(answer["best"].is_string() && answer["depth"].as_u64() > Some(0), "{answer}");
    assert_eq!(until(&mut engine, "answer")["id"], "b");
    send(&mut engine, &json!({ "id": "t", "action": "terminate", "terminate_id": "a" }));
    assert_eq!(until(&mut engine, "terminate")["count"], 0);
}

#[test]
fn bad_lines_are_reported_and_the_session_goes_on() {
    let mut engine = Engine::start();
    engine.send("{\"id\":\"a\"\n[]\n{\"id\":\"a\",\"nodes\":0}\nisready\n");
    for (code, message) in [
        ("bad_json", "line 1, column 9: EOF while parsing an object"),
        ("bad_json", "line 2: expected an object, found \"[]\""),
        ("bad_field", "nodes \"0\" is not a whole number from 1 to 9007199254740991"),
        ("bad_json", "line 4, column 1: expected value"),
    ] {
        let error = receive(&mut engine);
        assert_eq!(
            (error["code"].as_str(), error["message"].as_str()),
            (Some(code), Some(message))
        );
        // An error without an id says which line it is about.
        let line = message.strip_prefix("line ").and_then(|rest| rest[..1].parse().ok());
        assert_eq!(error["input_line"].as_u64(), line);
    }
    engine.send([b"\n{\"id\":\"".as_slice(), &[b'x'; 1 << 20], b"\"}\n"].concat());
    let error = receive(&mut engine);
    assert_eq!(error["message"], "a line longer than 1048576 bytes was skipped");
    // The empty line counts.
    assert_eq!(error["input_line"], 6);
    send(&mut engine, &json!({ "id": "a", "action": "position" }));
    assert_eq!(receive(&mut engine)["turn"], "first");
}

#[test]
fn every_variant_answers_analyze_and_position() {
    let mut engine = Engine::start();
    for variant in CATALOG.variants() {
        let name = variant.name;
        let position = json!({ "id": "p", "action": "position", "variant": name });
        send(&mut engine, &position);
        let position = receive(&mut engine);
        assert_eq!(
            (position["variant"].as_str(), position["outcome"].is_null()),
            (Some(name), true)
        );
        send(
            &mut engine,
            &json!({ "id": "a", "variant": name, "nodes": 500, "include_legal": true }),
        );
        let answer = until(&mut engine, "answer");
        assert_eq!(answer["legal"], position["legal"], "{name}");
        assert!(answer["legal"].as_array().unwrap().contains(&answer["best"]), "{answer}");
    }
    send(&mut engine, &json!({ "id": "v", "action": "query_version" }));
    let version = receive(&mut engine);
    assert_eq!(version["variants"].as_array().unwrap().len(), CATALOG.variants().len());
}

#[test]
fn a_game_is_reviewed_and_its_record_annotated() {
    let mut engine = Engine::start();
    let sgf = "(;GM[4]SZ[15];B[hh];W[ig];B[ii];W[gg];B[hi];W[aa];B[gi])";
    send(
        &mut engine,
        &json!({ "id": "r", "action": "review", "sgf": sgf, "nodes": 2000, "include_sgf": true }),
    );
    for number in 1..=7 {
        let judged = receive(&mut engine);
        assert_eq!(
            (judged["type"].as_str(), judged["number"].as_i64()),
            (Some("move"), Some(number))
        );
    }
    let game = receive(&mut engine);
    assert_eq!((game["type"].as_str(), game["moves"].as_i64()), (Some("game"), Some(7)));
    let record = game["sgf"].as_str().unwrap();
    let head =
        "(;GM[4]SZ[15]AP[Tengen:0.1.0]C[Analysis: Tengen 0.1.0; for each position: 2000 nodes]";
    assert!(record.starts_with(head), "{record}");
    // The open three is left alone: a better line stands beside the move.
    assert!(record.contains("W[aa]BM[") && record.contains(")(;W["), "{record}");
    assert_eq!(game["chances"].as_array().unwrap().len(), 8);
    let own = json!({
        "id": "r", "action": "review", "sgf": sgf, "nodes": 200, "include_sgf": true,
        "include_variations": false, "language": "ja",
    });
    send(&mut engine, &own);
    let record = until(&mut engine, "game")["sgf"].as_str().unwrap().to_owned();
    assert!(record.contains("CA[UTF-8]") && !record.contains("(;W["), "{record}");
    assert!(record.contains("\u{7740}\u{624b}\u{5f8c}"), "{record}");
    let resigned = json!({
        "id": "r", "action": "review", "sgf": "(;GM[4]SZ[15]RE[W+R]PB[Ann]EV[Cup <1>];B[hh];W[ig])", "nodes": 100, "include_report": true,
    });
    send(&mut engine, &resigned);
    let report = until(&mut engine, "game")["report"].as_str().unwrap().to_owned();
    for part in ["<p>Result: White wins</p>", "<p>Cup &lt;1&gt;, W+R</p>", "Ann (Black)"] {
        assert!(report.contains(part), "{part}: {report}");
    }
    // The players are called as on the board, also in comments without variations.
    for (variant, moves, text) in [
        ("tictactoe", "b2 a2", "After a2, X wins"),
        ("cfour", "a1 d1 a2 d2 a3 b1", "Red threatened to win at once on a4"),
    ] {
        let lost = json!({
            "id": "r", "action": "review", "variant": variant, "moves": moves, "nodes": 2000,
            "include_sgf": true, "include_variations": false,
        });
        send(&mut engine, &lost);
        let record = until(&mut engine, "game")["sgf"].as_str().unwrap().to_owned();
        assert!(record.contains(text), "{record}");
    }
    let moves = json!({ "id": "r", "action": "review", "moves": "d1 d2 d3", "nodes": 200, "include_sgf": true });
    send(&mut engine, &moves);
    let record = until(&mut engine, "game")["sgf"].as_str().unwrap().to_owned();
    assert!(
        record.starts_with("(;FF[4]GM[4]SZ[7:6]RU[cfour]AP[Tengen:0.1.0]ON[4 centre column]C["),
        "{record}"
    );
    send(&mut engine, &json!({ "id": "s", "sgf": record, "nodes": 10 }));
    assert_eq!(until(&mut engine, "answer")["turn_number"], 3);
}

#[test]
fn a_position_has_the_threats_of_both_sides_on_request() {
    let mut engine = Engine::start();
    let query = |variant: &str, moves: &str| {
        json!({
            "id": 3, "action": "position", "variant": variant, "moves": moves,
            "include_legal": false, "include_threats": true,
        })
    };
    send(&mut engine, &query("renju", "h8 a1 i8 c1 j8 e1"));
    let position = until(&mut engine, "position");
    assert_eq!(position["id"], 3);
    let [first, second] = &position["threats"].as_array().unwrap()[..] else {
        panic!("{position}")
    };
    assert_eq!((&first["side"], &second["side"]), (&json!("first"), &json!("second")));
    assert_eq!(
        (&first["moves"][0]["move"], &first["moves"][0]["win_in"]),
        (&json!("g8"), &json!(3))
    );
    assert_eq!(second["moves"][0]["win_in"], Value::Null);
    send(&mut engine, &query("cfour", "4455"));
    let error = until(&mut engine, "error");
    assert_eq!(error["message"], "include_threats: cfour has no search of threats");
}

#[test]
fn the_opening_swap2_begins_with_three_stones_that_can_be_played() {
    let mut engine = Engine::start();
    let swap2 = json!({ "id": "o", "action": "swap2", "variant": "gomoku", "nodes": 500 });
    send(&mut engine, &swap2);
    let opened = until(&mut engine, "swap");
    assert_eq!(opened["choice"], "three", "{opened}");
    let stones = &opened["moves"];
    assert_eq!(stones.as_array().unwrap().len(), 3, "{opened}");
    let mut answered = swap2.clone();
    answered["moves"] = stones.clone();
    send(&mut engine, &answered);
    let choice = until(&mut engine, "swap");
    assert!(["two", "stay", "swap"].contains(&choice["choice"].as_str().unwrap()), "{choice}");
}

#[test]
fn values_cover_the_board() {
    let mut engine = Engine::start();
    send(
        &mut engine,
        &json!({ "id": "p", "action": "position", "moves": "444444", "values": "static" }),
    );
    let values = receive(&mut engine)["values"].as_array().unwrap().clone();
    assert_eq!(values.len(), 6);
    assert!(values.iter().all(|row| row.as_array().is_some_and(|row| row.len() == 7)));
    // The fourth column is full; the others have their stones on the ground.
    let bottom = values[5].as_array().unwrap();
    assert!(bottom[3].is_null() && bottom[0].is_object(), "{bottom:?}");
    assert!(values[..5].iter().flat_map(|row| row.as_array().unwrap()).all(Value::is_null));
    let query = json!({ "id": "a", "variant": "tictactoe", "moves": "b2 a1", "values": "search", "depth": 9 });
    send(&mut engine, &query);
    let answer = until(&mut engine, "answer");
    let values: Vec<&Value> = answer["values"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .collect();
    assert_eq!(values.iter().filter(|value| value.is_null()).count(), 2, "{answer}");
    assert_eq!(answer["moves"].as_array().unwrap().len(), 1);
}

#[test]
fn the_manual_names_every_field_and_every_code() {
    let pages = concat!(
        include_str!("../../docs/manual/json.md"),
        include_str!("../../docs/manual/json-openings.md"),
        include_str!("../../docs/manual/json-records.md"),
        include_str!("../../docs/manual/json-shelf.md"),
        include_str!("../../docs/manual/json-rooms.md"),
        // The names of formats.
        include_str!("../../docs/manual/records.md"),
    );
    let schema = tengen_protocol::dialect::json::schema::schema();
    let mut words = Vec::new();
    collect(&schema["$defs"], &mut words);
    words.sort();
    words.dedup();
    assert!(words.len() > 100, "{words:?}");
    for word in words {
        let is_named =
            pages.contains(&format!("`{word}`")) || pages.contains(&format!("`\"{word}\"`"));
        assert!(is_named, "the pages docs/manual/json*.md do not name {word}");
    }
}

/// Collects the names of all fields, and all words that a field may have as its value.
fn collect(schema: &Value, words: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("properties", Value::Object(properties)) => {
                        words.extend(properties.keys().cloned())
                    }
                    ("enum", Value::Array(items)) => {
                        words.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                    }
                    ("const", Value::String(word)) => words.push(word.clone()),
                    _ => {}
                }
                collect(value, words);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, words)),
        _ => {}
    }
}

#[cfg(unix)]
#[test]
fn a_process_answers_all_queries_after_sigterm() {
    let mut engine = engine_with(&["--workers", "1"]);
    send(
        &mut engine,
        &json!({ "id": "a", "infinite": true, "book": false, "report_every_ms": 20 }),
    );
    send(&mut engine, &json!({ "id": "b", "infinite": true, "book": false }));
    until(&mut engine, "report");
    let kill = Command::new("kill").args(["-TERM", &engine.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(until(&mut engine, "notice")["code"], "shutting_down");
    let (lines, status) = engine.rest();
    let last: Vec<&String> =
        lines.iter().filter(|line| line.contains("\"type\":\"answer\"")).collect();
    assert_eq!((last.len(), status.code()), (2, Some(0)), "{lines:#?}");
    assert!(last.iter().all(|line| line.contains("\"ended_by\":\"drain\"")), "{last:#?}");
}

/// The memory limit of the process is below the size of the table.
#[test]
#[cfg(target_os = "linux")]
fn without_memory_for_a_table_a_query_is_refused_and_the_session_goes_on() {
    let mut command = program("sh");
    command.args(["-c", "ulimit -v 500000; exec \"$0\" --dialect json --workers 1 --hash 600"]);
    command.arg(tengen().get_program());
    let mut engine = Engine::from(command);
    for id in ["a", "b"] {
        send(&mut engine, &json!({ "id": id, "variant": "gomoku", "nodes": 100 }));
        let error = receive(&mut engine);
        assert_eq!((&error["id"], &error["code"]), (&json!(id), &json!("no_memory")), "{error}");
        assert_eq!(error["message"], "hash 600 MiB: not enough memory");
    }
    send(&mut engine, &json!({ "id": "c", "action": "query_version" }));
    assert_eq!(receive(&mut engine)["type"], "version");
}

/// With less and less memory, first a solver's table is missing, then the thread of the search, and at last the
/// program does not start.
#[test]
#[cfg(target_os = "linux")]
fn with_little_memory_every_search_is_answered() {
    for kib in [300_000, 150_000, 120_000, 100_000, 80_000, 60_000] {
        let limited = |arguments: &[&str]| {
            let mut command = program("sh");
            let script = format!("ulimit -v {kib}; exec \"$0\" \"$@\"");
            command.args(["-c", &script]).arg(tengen().get_program()).args(arguments);
            command
        };
        let version = limited(&["--version"]).output().unwrap();
        if kib < 100_000 && !version.status.success() {
            break;
        }
        let mut engine = Engine::from(limited(&[]));
        engine.send(
            "setoption name UCI_Variant value freestyle20\nsetoption name Hash value 1\n\
             position startpos moves h8 i9 g7 h9 g8\ngo nodes 20000\n",
        );
        let last = engine.until("bestmove").pop();
        assert_ne!(last.as_deref(), Some("bestmove (none)"), "{kib} KiB");
        engine.close();
        let (lines, status) = engine.rest();
        assert!(status.success() && lines.is_empty(), "{kib} KiB: {status} {lines:?}");
    }
}

/// Plays an opening in which the engine decides for both players. Returns the last reply.
fn play_opening(engine: &mut Engine, rule: &str, variant: &str) -> Value {
    let mut query =
        json!({ "id": "o", "action": "opening", "variant": variant, "rule": rule, "nodes": 300 });
    send(engine, &query);
    let begun = until(engine, "opening");
    assert_eq!((&begun["acts"], begun.get("chosen")), (&json!([]), None), "{begun}");
    query["decide"] = json!(true);
    for _ in 0..20 {
        send(engine, &query);
        let reply = until(engine, "opening");
        assert!(!reply["chosen"].as_array().unwrap().is_empty(), "{reply}");
        if reply["step"].is_null() {
            return reply;
        }
        assert!(reply["step"]["text"].as_str().is_some_and(|text| !text.is_empty()), "{reply}");
        query["acts"] = reply["acts"].clone();
    }
    panic!("the opening {rule} does not end");
}

#[test]
fn an_opening_of_each_rule_is_played_by_json() {
    let mut engine = Engine::start();
    send(&mut engine, &json!({ "id": "v", "action": "query_version" }));
    let version = until(&mut engine, "version");
    let variants = version["variants"].as_array().unwrap();
    for (name, count) in [("renju", 11), ("gomoku", 6), ("cfour", 0)] {
        let variant = variants.iter().find(|variant| variant["name"] == name).unwrap();
        let none = Vec::new();
        let rules = variant["opening_rules"].as_array().unwrap_or(&none);
        assert_eq!(rules.len(), count, "{variant}");
        for rule in rules.iter().map(|rule| rule.as_str().unwrap()).filter(|rule| *rule != "free") {
            let reply = play_opening(&mut engine, rule, name);
            let acts: Vec<&str> =
                reply["acts"].as_array().unwrap().iter().map(|act| act.as_str().unwrap()).collect();
            let swaps = acts.iter().filter(|act| **act == "swap").count();
            // In the way "two" of Swap2 the colours are exchanged once more.
            let exchanges = swaps + usize::from(acts.contains(&"two"));
            assert_eq!(reply["first"], json!(exchanges % 2 + 1), "{reply}");
        }
    }
}

#[test]
fn a_step_of_an_opening_says_what_is_allowed_and_refuses_the_rest() {
    let mut engine = Engine::start();
    let mut ask = |rule: &str, acts: &str| {
        let query = json!({
            "id": "o", "action": "opening", "variant": "renju", "rule": rule, "acts": acts,
        });
        send(&mut engine, &query);
        receive(&mut engine)
    };
    let step = ask("rif", "h8")["step"].clone();
    assert_eq!(
        (&step["player"], &step["side"], &step["kind"]),
        (&json!(1), &json!("first"), &json!("place"))
    );
    assert_eq!(step["points"].as_array().unwrap().len(), 8);
    assert_eq!(step["stone"], "second");
    let step = ask("taraguchi10", "h8 stay h9 stay i9 stay i10")["step"].clone();
    assert_eq!((&step["kind"], &step["other"]), (&json!("swap"), &json!("ten")));
    let step = ask("soosorv8", "h8 h9 i9 stay a1")["step"].clone();
    assert_eq!((&step["kind"], &step["most"]), (&json!("declare"), &json!(8)));
    let step = ask("rif", "h8 h9 h7 stay h6 g8")["step"].clone();
    assert_eq!((&step["kind"], &step["count"]), (&json!("offer"), &json!(2)));
    assert_eq!(step["offered"], json!(["g8"]));
    assert_eq!(ask("rif", "h8 h9 h7 stay h6 g8 g9")["step"]["points"], json!(["g8", "g9"]));
    let over = ask("rif", "h8 h9 h7 swap h6 g8 g9 g9");
    assert_eq!((&over["step"], &over["first"]), (&Value::Null, &json!(2)));
    assert_eq!(over["moves"], json!(["h8", "h9", "h7", "h6", "g9"]));
    for (rule, acts, code, field, why) in [
        (
            "rif",
            "h8 a1",
            "bad_move",
            "acts[1]",
            "a1: not allowed for stone 2, which must be in the 3x3 square around h8",
        ),
        (
            "rif",
            "h8 h9 h7 stay h6 g8 i7",
            "bad_move",
            "acts[6]",
            "i7: equal to the offer g8, because the stones are symmetric",
        ),
        (
            "sakata",
            "",
            "unsupported",
            "rule",
            "renju has no opening rule \"sakata\": it has free, pro,",
        ),
    ] {
        let error = ask(rule, acts);
        assert_eq!((&error["code"], &error["field"]), (&json!(code), &json!(field)), "{error}");
        assert!(error["message"].as_str().unwrap().starts_with(why), "{error}");
    }
}

#[test]
fn replies_name_the_opening_of_the_game() {
    let mut engine = Engine::start();
    for (variant, moves, code) in [("renju", "h8 h9 i9", "D4"), ("cfour", "d1", "4")] {
        let game = json!({ "id": "p", "action": "position", "variant": variant, "moves": moves });
        send(&mut engine, &game);
        let position = receive(&mut engine);
        assert_eq!(position["opening"]["code"], code, "{position}");
        assert_eq!(position["opening"]["names"].as_object().unwrap().len(), 5, "{position}");
    }
    let analysis = json!({ "id": "a", "variant": "renju", "moves": "h8 h9 i9 a1", "nodes": 50 });
    send(&mut engine, &analysis);
    assert_eq!(until(&mut engine, "answer")["opening"]["romanised"], "Kagetsu");
    let sgf = json!({
        "id": "p", "action": "position", "variant": "renju", "moves": "h8 h9 i9", "include_sgf": true,
    });
    send(&mut engine, &sgf);
    let sgf = receive(&mut engine)["sgf"].as_str().unwrap().to_owned();
    assert!(sgf.contains("ON[D4 Kagetsu 花月 (Flower Moon)]"), "{sgf}");
    send(&mut engine, &json!({ "id": "r", "action": "read_record", "text": sgf }));
    let record = receive(&mut engine);
    assert_eq!(record["about"]["opening"], "D4 Kagetsu 花月 (Flower Moon)", "{record}");
    assert_eq!(record["line"]["opening"]["code"], "D4", "{record}");
}

/// Returns the lines of a `read_record` of so many games.
fn record_of(games: usize) -> Value {
    let text = "(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben];B[hh];W[ii];B[hi];W[ih])\n".repeat(games);
    json!({ "id": "r", "action": "read_record", "text": text })
}

#[test]
fn other_queries_are_answered_while_a_record_is_read() {
    let mut engine = Engine::start();
    send(&mut engine, &record_of(10_000));
    send(&mut engine, &json!({ "id": "v", "action": "query_version" }));
    send(&mut engine, &json!({ "id": "p", "action": "position", "moves": "d1" }));
    assert_eq!(receive(&mut engine)["id"], "v");
    assert_eq!(receive(&mut engine)["id"], "p");
    for number in 1..=10_000 {
        let record = receive(&mut engine);
        assert_eq!((&record["id"], &record["number"]), (&json!("r"), &json!(number)), "{record}");
    }
}

#[test]
fn a_record_that_is_read_ends_with_its_query_and_with_its_session() {
    let mut engine = Engine::start();
    send(&mut engine, &record_of(10_000));
    send(&mut engine, &record_of(1));
    assert_eq!(until(&mut engine, "error")["code"], "duplicate_id");
    send(&mut engine, &json!({ "id": "t", "action": "terminate", "terminate_id": "r" }));
    assert_eq!(until(&mut engine, "terminate")["count"], 1);
    assert_eq!(until(&mut engine, "error")["code"], "interrupted");
    // The id is free, and the thread too.
    send(&mut engine, &record_of(1));
    let record = receive(&mut engine);
    assert_eq!((&record["games"], &record["more"]), (&json!(1), &json!(false)), "{record}");
    let mut engine = engine_with(&["--dialect", "json", "--quit-without-waiting"]);
    send(&mut engine, &record_of(10_000));
    engine.close();
    assert_eq!(until(&mut engine, "error")["code"], "interrupted");
    let (lines, status) = engine.rest();
    assert_eq!((lines.len(), status.success()), (0, true), "{lines:?}");
}
