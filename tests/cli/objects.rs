//! The output of `analyze --json`, `analyze --game --json` and `solve --json` equals the replies of
//! the JSON protocol to the same queries.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use crate::analyze::run;
use crate::scratch::text;

/// Fields that may differ between two searches of one position: the name, the times, and how full
/// the table is.
const VARYING: [&str; 5] = ["id", "nps", "time_ms", "queue_ms", "hashfull"];

/// Returns the objects of an output, without the fields that may vary.
fn objects(output: &[u8]) -> Vec<Value> {
    let printed = text(output);
    let objects = printed.lines().map(|line| {
        let mut object: Value = serde_json::from_str(line).unwrap();
        let fields = object.as_object_mut().unwrap();
        VARYING.iter().for_each(|name| drop(fields.remove(*name)));
        object
    });
    objects.collect()
}

/// Returns the replies to a query.
fn replies(mut query: Value) -> Vec<Value> {
    query["id"] = json!("1");
    objects(&run(&["--dialect", "json", "--workers", "1"], query.to_string() + "\n").stdout)
}

/// Returns the last reply to a query.
fn last(query: Value) -> Value {
    replies(query).pop().unwrap()
}

/// Fails if two objects differ, and names the field.
fn assert_same(command: &Value, reply: &Value, what: &[&str]) {
    let fields = |object: &Value| -> BTreeSet<String> {
        object.as_object().unwrap().keys().cloned().collect()
    };
    let (own, other) = (fields(command), fields(reply));
    assert_eq!(own, other, "{what:?}");
    for field in own {
        assert_eq!(command[&field], reply[&field], "{what:?}: {field}");
    }
}

#[test]
fn an_analysis_prints_the_replies_of_the_protocol() {
    let renju = "g8 a1 i8 a3 h7 a5 h9 a7";
    let full = "a1 b1 c1 b2 a2 c2 b3 a3 c3";
    let won = "d1 e1 d2 e2 d3 e3 d4";
    for (args, query) in [
        // The book; limits that cut the first iteration, a later one, none.
        (&["--moves", "d1 d2 d3"][..], json!({ "moves": "d1 d2 d3" })),
        (&["--nodes", "1", "--no-book"], json!({ "nodes": 1, "book": false })),
        (&["--nodes", "4000", "--no-book"], json!({ "nodes": 4000, "book": false })),
        (
            &["--variant", "gomoku", "--moves", "h8 i9", "--nodes", "3333"],
            json!({ "variant": "gomoku", "moves": "h8 i9", "nodes": 3333 }),
        ),
        (
            &["--variant", "gomoku", "--moves", "h8 i9", "--depth", "3"],
            json!({ "variant": "gomoku", "moves": "h8 i9", "depth": 3 }),
        ),
        // The limits of a level end the search before its time does.
        (
            &["--variant", "gomoku", "--moves", "h8 i9", "--level", "2", "--movetime", "60000"],
            json!({ "variant": "gomoku", "moves": "h8 i9", "level": 2, "time_ms": 60_000 }),
        ),
        // Forbidden points, a proof, finished games, a position in text, a tree, another board.
        (
            &["--variant", "renju", "--moves", renju, "--nodes", "500"],
            json!({ "variant": "renju", "moves": renju, "nodes": 500 }),
        ),
        (
            &["--variant", "tictactoe", "--fen", "p2/1P1/3 w"],
            json!({ "variant": "tictactoe", "fen": "p2/1P1/3 w" }),
        ),
        (&["--moves", won], json!({ "moves": won })),
        (
            &["--variant", "tictactoe", "--moves", full],
            json!({ "variant": "tictactoe", "moves": full }),
        ),
        (&["--variant", "tree", "--nodes", "9"], json!({ "variant": "tree", "nodes": 9 })),
        (
            &["--variant", "custom", "--width", "5", "--height", "4", "--nodes", "300"],
            json!({ "variant": "custom", "board": { "width": 5, "height": 4 }, "nodes": 300 }),
        ),
    ] {
        let all = [&["analyze", "--json", "--multipv", "3"], args].concat();
        let output = run(&all, "");
        let printed = objects(&output.stdout);
        let [position, .., answer] = &printed[..] else {
            panic!("{args:?}: {}", text(&output.stderr));
        };
        let mut wanted = query.clone();
        wanted["multi_pv"] = json!(3);
        assert_same(answer, &last(wanted), args);
        let mut rules = query;
        let fields = rules.as_object_mut().unwrap();
        fields.retain(|name, _| ["variant", "board", "moves", "fen"].contains(&name.as_str()));
        rules["action"] = json!("position");
        assert_same(position, &last(rules), args);
    }
}

#[test]
fn a_judged_game_prints_the_replies_of_the_protocol() {
    let file = std::env::temp_dir().join(format!("objects-{}.sgf", std::process::id()));
    for record in [
        "(;GM[4]SZ[15];B[hh];W[ig];B[ii];W[gg];B[hi];W[aa];B[gi])",
        "(;GM[4]SZ[15]RU[standard];B[hh];W[aa];B[hi];W[ac];B[hj];W[ae];B[hk];W[ag];B[hl])",
    ] {
        fs::write(&file, record).unwrap();
        let name = file.to_str().unwrap();
        let output = run(&["analyze", "--game", name, "--nodes", "500", "--json", "--force"], "");
        let printed = objects(&output.stdout);
        let replies = replies(json!({ "action": "review", "sgf": record, "nodes": 500 }));
        assert_eq!(printed[0]["type"], "position", "{}", text(&output.stderr));
        assert_eq!(printed.len() - 1, replies.len());
        for (command, reply) in printed[1..].iter().zip(&replies) {
            assert_same(command, reply, &[record]);
        }
    }
    for extension in ["sgf", "annotated.sgf", "svg"] {
        let _ = fs::remove_file(file.with_extension(extension));
    }
}

#[test]
fn a_solution_is_the_reply_of_the_protocol() {
    let full = "a1b1c1b2a2c2b3a3c3";
    for (args, moves, query) in [
        (&[][..], "4455", json!({})),
        (&["--all"], "4444443", json!({ "all": true })),
        (&["--weak"], "4455", json!({ "mode": "outcome" })),
        // Finished games.
        (&[], "1212121", json!({})),
        (&["--all"], "1212121", json!({ "all": true })),
        (&["--weak"], "1212121", json!({ "mode": "outcome" })),
        (&["--variant", "tictactoe"], full, json!({ "variant": "tictactoe" })),
        // A limit, and another board.
        (&["--nodes", "500", "--no-book"], "44", json!({ "nodes": 500, "book": false })),
        (
            &["--nodes", "500", "--no-book", "--all"],
            "44",
            json!({ "nodes": 500, "book": false, "all": true }),
        ),
        (
            &["--width", "4", "--height", "4"],
            "12",
            json!({ "variant": "custom", "board": { "width": 4, "height": 4 } }),
        ),
    ] {
        let output = run(&[&["solve", "--json"], args].concat(), moves.to_owned() + "\n");
        let printed = objects(&output.stdout);
        assert_eq!(printed.len(), 1, "{args:?}: {}", text(&output.stderr));
        let mut query = query;
        query["action"] = json!("solve");
        query["moves"] = json!(moves);
        assert_same(&printed[0], &last(query), args);
    }
}
