//! Queries about records and pictures: what is written is read again, in parts of any size.

use serde_json::{Value, json};
use tengen_protocol::queries::SessionLimits;

use super::{REMOTE, TestDriver, check_schema};

const GAME: &str = "(;GM[4]SZ[15]RU[renju]PB[Anna]RE[B+];B[hh]C[zentrum, für \u{9ed1}];W[ih]\
                    (;B[ii]XT[31])(;B[gg]))";

fn ask(driver: &mut TestDriver, query: Value) -> Vec<Value> {
    let replies = driver.ask(&query);
    replies.iter().for_each(check_schema);
    replies
}

fn only(driver: &mut TestDriver, query: Value) -> Value {
    let replies = ask(driver, query);
    assert_eq!(replies.len(), 1, "{replies:?}");
    replies[0].clone()
}

#[test]
fn a_position_has_its_board_moves_winning_line_and_pictures() {
    let mut driver = TestDriver::new(SessionLimits::LOCAL);
    let all = json!({
        "id": "a", "action": "position", "variant": "gomoku",
        "moves": "h8 a1 i8 a2 j8 a3 k8 b9 l8",
        "include_board": true, "include_moves": true, "include_winning_line": true,
        "include_text": true, "include_svg": true, "include_sgf": true,
    });
    let reply = only(&mut driver, all.clone());
    assert_eq!(reply["board"], json!({ "width": 15, "height": 15, "gravity": false }));
    assert_eq!(reply["moves"][7], "b9");
    assert_eq!(reply["winning_line"], json!(["h8", "i8", "j8", "k8", "l8"]));
    assert!(reply["svg"].as_str().unwrap().starts_with("<svg "), "{reply}");
    assert!(reply["text"].as_str().unwrap().lines().count() > 15, "{reply}");
    // The same position without its moves has the same line.
    let mut set_up = all;
    set_up["fen"] = reply["fen"].clone();
    set_up["moves"] = Value::Null;
    let again = only(&mut driver, set_up);
    assert_eq!(again["winning_line"], reply["winning_line"]);
    for (sgf, fen) in [(&reply["sgf"], &reply["fen"]), (&again["sgf"], &reply["fen"])] {
        let query = json!({ "id": "a", "action": "position", "sgf": sgf });
        assert_eq!(only(&mut driver, query)["fen"], *fen, "{sgf}");
    }
    for (variant, moves, line) in [
        ("cfour", "44444", json!([])),
        ("cfour", "1212121", json!(["a1", "a2", "a3", "a4"])),
        ("renju", "g8 a1 i8 a3 h7 a5 h9 a7 h8", json!([])),
    ] {
        let query = json!({
            "id": "a", "action": "position", "variant": variant, "moves": moves,
            "include_winning_line": true,
        });
        assert_eq!(only(&mut driver, query)["winning_line"], line, "{variant} {moves}");
    }
    let tree = json!({ "id": "a", "action": "position", "variant": "tree", "include_svg": true });
    assert_eq!(only(&mut driver, tree)["type"], "error");
}

#[test]
fn a_record_is_read_in_parts_of_any_size() {
    let mut driver = TestDriver::new(SessionLimits::LOCAL);
    let query = json!({ "id": "a", "action": "read_record", "text": GAME });
    let whole = only(&mut driver, query);
    assert_eq!(
        (&whole["about"]["first"], &whole["about"]["outcome"]),
        (&json!("Anna"), &json!("first"))
    );
    assert_eq!(whole["line"]["moves"], json!(["h8", "i8", "i7"]));
    assert_eq!(whole["line"]["times_ms"], json!([null, null, 31]));
    let comment = json!([{ "turn_number": 1, "text": "zentrum, für \u{9ed1}" }]);
    assert_eq!((&whole["line"]["comments"], &whole["nodes"]), (&comment, &json!(5)));
    let characters: Vec<char> = GAME.chars().collect();
    for size in [1, 7, 50] {
        let parts: Vec<String> = characters.chunks(size).map(String::from_iter).collect();
        for (index, text) in parts.iter().enumerate() {
            let query = json!({
                "id": "b", "action": "read_record", "text": text, "part": index + 1,
                "more": index + 1 < parts.len(),
            });
            let mut replies = ask(&mut driver, query);
            if index + 1 < parts.len() {
                assert!(replies.is_empty(), "{replies:?}");
                continue;
            }
            replies[0]["id"] = "a".into();
            assert_eq!(replies, std::slice::from_ref(&whole));
        }
    }
}

#[test]
fn a_record_is_written_in_every_format_and_read_again() {
    let mut driver = TestDriver::new(SessionLimits::LOCAL);
    let moves: Vec<String> = (0..676).map(|_| "h8 i9 h9 i10".to_owned()).collect();
    for (text, variant) in [(GAME.to_owned(), "renju"), (moves.join("\n"), "gomoku")] {
        for to in ["sgf", "pgn", "psq", "lib", "moves"] {
            if text != GAME && ["psq", "lib"].contains(&to) {
                continue;
            }
            let query = json!({
                "id": "a", "action": "convert_record", "text": text, "variant": variant, "to": to,
                "to_encoding": if to == "lib" { json!("GBK") } else { Value::Null },
            });
            let replies = ask(&mut driver, query);
            let parts: Vec<&Value> =
                replies.iter().filter(|reply| reply["type"] == "record_part").collect();
            assert_eq!(parts.len() > 1, text != GAME && to == "pgn", "{to}: {}", parts.len());
            let mut last = Vec::new();
            for (part, number) in parts.iter().zip(1..) {
                assert_eq!(
                    (&part["part"], part["more"].as_bool()),
                    (&json!(number), Some(number < parts.len()))
                );
                last = ask(
                    &mut driver,
                    json!({
                        "id": "b", "action": "read_record", "part": number, "more": part["more"],
                        "text": part["text"], "base64": part["base64"], "variant": variant,
                        "name": format!("game.{to}"), "encoding": if to == "lib" { json!("GBK") } else { Value::Null },
                    }),
                );
            }
            last.retain(|reply| reply["type"] == "record");
            let wanted = if text == GAME {
                json!(["h8", "i8", "i7"])
            } else {
                json!(["h8", "i9", "h9", "i10"])
            };
            assert!(!last.is_empty(), "{to}");
            for game in &last {
                assert_eq!(game["line"]["moves"], wanted, "{to}");
            }
            assert_eq!(last.len(), if text == GAME { 1 } else { 676 }, "{to}");
            assert_eq!(last.last().unwrap()["more"], false);
        }
    }
}

#[test]
fn a_bad_record_gets_one_error() {
    let mut driver = TestDriver::new(SessionLimits::LOCAL);
    for (fields, code, message) in [
        (json!({ "text": "" }), "bad_record", "the file is empty"),
        (json!({}), "bad_field", "text is missing"),
        (json!({ "base64": "*" }), "bad_field", "base64: invalid length at 0"),
        (
            json!({ "text": "h8", "base64": "aDgK" }),
            "bad_field",
            "base64: cannot be combined with text",
        ),
        (json!({ "text": "h8", "part": 2 }), "bad_field", "part 2: part 1 is expected"),
        (json!({ "text": "h8", "game": 2 }), "bad_field", "game 2: the record holds 1 games"),
        (
            json!({ "text": "h8", "encoding": "x" }),
            "bad_field",
            "encoding \"x\" is not a known encoding",
        ),
        (json!({ "text": "h8", "variant": "chess" }), "unknown_variant", "no variant \"chess\""),
        (
            json!({ "text": "(;GM[4];B[hh" }),
            "bad_record",
            "line 1, character 13: expected \"]\", which ends a value, found the end of the file",
        ),
    ] {
        let mut query = json!({ "id": "a", "action": "read_record" });
        query.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let reply = only(&mut driver, query);
        assert_eq!(
            (reply["code"].as_str(), reply["message"].as_str()),
            (Some(code), Some(message)),
            "{fields}"
        );
    }
    // A game that cannot be played does not hide the others.
    let query = json!({ "id": "a", "action": "read_record", "variant": "gomoku",
        "text": "(;GM[4]SZ[15];B[hh];W[hh])(;GM[4]SZ[15];B[hh])" });
    let replies = ask(&mut driver, query);
    let lines: Vec<bool> = replies.iter().map(|reply| reply["line"].is_null()).collect();
    assert_eq!(lines, [true, false], "{replies:?}");
    // An open record has its id for itself, and ends with one error.
    let part = json!({ "id": "a", "action": "read_record", "text": "h8", "more": true });
    assert!(ask(&mut driver, part.clone()).is_empty());
    let other = json!({ "id": "a", "action": "position" });
    assert_eq!(only(&mut driver, other)["code"], "duplicate_id");
    let end = json!({ "id": "b", "action": "terminate", "terminate_id": "a" });
    let replies = ask(&mut driver, end);
    assert_eq!((&replies[0]["id"], &replies[1]["id"]), (&json!("b"), &json!("a")), "{replies:?}");
    assert_eq!(replies[1]["code"], "bad_record");
    assert!(ask(&mut TestDriver::new(REMOTE), part)[0]["code"] == "forbidden");
}
