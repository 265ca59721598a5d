//! `tengen batch`, as a shell runs it: every query is answered once, even if the run is killed.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::thread;

use serde_json::Value;

use crate::scratch::{Scratch, text};

const BATCH: &[&str] = &["batch"];

/// Returns the replies of a batch without times.
fn results_of(scratch: &Scratch, folder: &str) -> Vec<Value> {
    let reply = |line: &str| {
        let mut reply: Value = serde_json::from_str(line).unwrap();
        for field in ["time_ms", "queue_ms", "nps"] {
            reply.as_object_mut().unwrap().remove(field);
        }
        reply
    };
    scratch.read(&format!("{folder}/results.jsonl")).lines().map(reply).collect()
}

/// Returns the ids of the queries that the journal of a batch answers.
fn answered_of(scratch: &Scratch, folder: &str) -> Vec<u64> {
    let journal = scratch.read(&format!("{folder}/journal.jsonl"));
    let records = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answers = records.filter(|record| record["kind"] == "answer");
    answers.map(|record| record["id"].as_u64().unwrap()).collect()
}

/// Returns queries whose answers do not depend on each other.
fn queries(count: usize) -> String {
    let variants = ["cfour", "tictactoe", "gomokufreestyle", "renju"];
    let mut lines = String::new();
    for number in 0..count {
        let variant = variants[number % variants.len()];
        let moves = match variant {
            "cfour" => format!("{}{}", number % 7 + 1, number / 7 % 7 + 1),
            "tictactoe" => format!("{}1", ["a", "b", "c"][number / 4 % 3]),
            _ => format!("h8 {}{}", ["g", "i", "j"][number % 3], number / 3 % 5 + 6),
        };
        let query = serde_json::json!({
            "id": format!("q{number}"), "variant": variant, "moves": moves, "fresh": true,
        });
        lines.push_str(&format!("{query}\n"));
    }
    lines
}

/// Returns games of five in a row.
fn games(count: usize) -> String {
    let game = |number: usize| {
        let (c, d) = (["f", "g", "h", "i"][number % 4], ["g", "h", "i"][number / 4 % 3]);
        format!("(;GM[4]SZ[15]GN[game {number}];B[hh];W[{c}j];B[{d}i];W[jj];B[kh])\n")
    };
    (0..count).map(game).collect()
}

#[test]
fn every_query_is_answered_once_in_the_order_of_the_file() {
    let scratch = Scratch::new(BATCH);
    scratch.write("all.jsonl", format!("\u{feff}{}\n\n", queries(30)));
    let message = scratch.done(&["all.jsonl", "--nodes", "50", "--workers", "2", "--in-order"]);
    let file = PathBuf::from("all.batch").join("results.jsonl");
    assert_eq!(message, format!("30 queries, 30 positions: {}\n", file.display()));
    let results = results_of(&scratch, "all.batch");
    let ids: Vec<&str> = results.iter().map(|reply| reply["id"].as_str().unwrap()).collect();
    let wanted: Vec<String> = (0..30).map(|number| format!("q{number}")).collect();
    assert_eq!(ids, wanted);
    assert!(results.iter().all(|reply| reply["type"] == "answer" && reply["best"].is_string()));
    // A second call has nothing to do.
    let journal = scratch.read("all.batch/journal.jsonl");
    assert_eq!(scratch.done(&["all.jsonl", "--nodes", "50"]), message);
    assert_eq!(scratch.read("all.batch/journal.jsonl"), journal);
}

#[test]
fn every_action_that_ends_is_answered() {
    let scratch = Scratch::new(BATCH);
    let lines = [
        r#"{"id":"turns","variant":"tictactoe","moves":"a1 b2","analyze_turns":"all","depth":2}"#,
        r#"{"id":"solve","action":"solve","moves":"4455","all":true,"report_every_ms":20}"#,
        r#"{"id":"review","action":"review","variant":"tictactoe","moves":"a1 b2 c3","depth":2}"#,
        r#"{"id":"rules","action":"position","variant":"renju","moves":"h8"}"#,
        r#"{"id":"swap","action":"swap2","variant":"gomoku","moves":"","nodes":50}"#,
    ];
    scratch.write("all.jsonl", lines.join("\n"));
    scratch.done(&["all.jsonl"]);
    let results = results_of(&scratch, "all.batch");
    let kinds = |id: &str| -> Vec<String> {
        let own = results.iter().filter(|reply| reply["id"] == id);
        own.map(|reply| reply["type"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kinds("turns"), ["answer"; 3]);
    assert_eq!(kinds("solve"), ["solution"]);
    assert_eq!(kinds("review"), ["move", "move", "move", "game"]);
    assert_eq!(kinds("rules"), ["position"]);
    assert_eq!(kinds("swap"), ["swap"]);
}

#[test]
fn a_bad_query_is_refused_with_its_place_before_anything_is_searched() {
    let scratch = Scratch::new(BATCH);
    let good = r#"{"id":"a","moves":"4"}"#;
    let cases = [
        ("{\"id\":\"b\",\n", "bad.jsonl:2: line 2, column"),
        (good, "bad.jsonl:2: id \"a\" is already used by bad.jsonl:1"),
        (r#"{"id":"b","moves":"9"}"#, "bad.jsonl:2: \"9\": column out of range"),
        (r#"{"id":"b","nodes":1,"nodes":2}"#, "bad.jsonl:2: "),
        (r#"{"id":"b","infinite":true}"#, "bad.jsonl:2: infinite: a query of a batch"),
        (r#"{"id":"b","action":"hello"}"#, "bad.jsonl:2: action \"hello\": a batch takes analyze"),
        (r#"{"id":"b","action":"solve","variant":"gomoku"}"#, "bad.jsonl:2: gomoku has no exact"),
    ];
    for (line, why) in cases {
        scratch.write("bad.jsonl", format!("{good}\n{line}\n"));
        // The manual lists messages about queries by their codes.
        let message = scratch.refused(&["bad.jsonl", "--nodes", "5"], 2);
        assert!(message.starts_with(why), "{line}: {message}");
    }
    assert!(!scratch.file("bad.batch").exists());
    scratch.write("good.jsonl", good);
    let cases: [(&[&str], &str); 4] = [
        (&["-"], "--out: standard input"),
        (&["nothing.jsonl"], "cannot read nothing.jsonl: "),
        (&["good.jsonl", "--width", "9"], "--width, --height, -k"),
        (&["good.jsonl", "--out", "."], ". holds no batch"),
    ];
    for (words, why) in cases {
        let message = scratch.refused(words, 2);
        assert!(message.starts_with(why), "{words:?}: {message}");
    }
}

#[test]
fn a_warning_is_printed_and_the_query_is_answered() {
    let scratch = Scratch::new(BATCH);
    scratch.write("komi.jsonl", r#"{"id":"a","moves":"4","komi":7,"nodes":5}"#);
    let output = scratch.run(&["komi.jsonl"]);
    assert_eq!(text(&output.stderr), "tengen: warning: komi.jsonl:1: \"komi\" is not used\n");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(results_of(&scratch, "komi.batch").len(), 2);
}

#[test]
fn a_folder_of_other_queries_or_with_a_damaged_journal_is_refused() {
    let scratch = Scratch::new(BATCH);
    scratch.write("all.jsonl", queries(4));
    scratch.done(&["all.jsonl", "--nodes", "20"]);
    let others: [&[&str]; 2] = [&["--nodes", "21"], &["--nodes", "20", "--no-book"]];
    for words in others {
        let message = scratch.refused(&[&["all.jsonl"], words].concat(), 1);
        assert!(message.starts_with("all.batch holds the batch of other queries"), "{message}");
    }
    scratch.write("all.batch/run.toml", "");
    let message = scratch.refused(&["all.jsonl", "--nodes", "20"], 2);
    assert!(message.starts_with("all.batch holds no batch"), "{message}");
    fs::remove_file(scratch.file("all.batch/run.toml")).unwrap();
    let journal = scratch.read("all.batch/journal.jsonl");
    scratch.write("all.batch/journal.jsonl", journal.replacen("best", "Best", 1));
    let message = scratch.refused(&["all.jsonl", "--nodes", "20"], 1);
    assert!(message.contains("journal.jsonl:2: the journal is damaged: its checksum"), "{message}");
    let line = journal.lines().nth(1).unwrap();
    scratch.write("all.batch/journal.jsonl", format!("{journal}{line}\n{line}\n"));
    let message = scratch.refused(&["all.jsonl", "--nodes", "20"], 1);
    assert!(message.contains("has a second record"), "{message}");
}

/// A kill can cut the journal off at any byte.
#[test]
fn a_batch_continues_from_a_journal_cut_at_any_byte_to_the_same_results() {
    let scratch = Scratch::new(BATCH);
    scratch.write("all.jsonl", queries(24));
    scratch.done(&["all.jsonl", "--nodes", "40", "--out", "whole", "--in-order"]);
    let whole = fs::read(scratch.file("whole/journal.jsonl")).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..12 {
        let _ = fs::remove_dir_all(scratch.file("cut"));
        fs::create_dir_all(scratch.file("cut")).unwrap();
        scratch.write("cut/journal.jsonl", &whole[..random.usize(..whole.len())]);
        scratch.done(&["all.jsonl", "--nodes", "40", "--out", "cut", "--in-order"]);
        assert_eq!(results_of(&scratch, "cut"), results_of(&scratch, "whole"));
        let answered = answered_of(&scratch, "cut");
        let unique: BTreeSet<u64> = answered.iter().copied().collect();
        assert_eq!((answered.len(), unique), (24, (0..24).collect()));
    }
}

#[test]
fn the_games_of_a_collection_are_judged_and_annotated() {
    let scratch = Scratch::new(BATCH);
    scratch.write("games.sgf", games(6) + "(;GM[4]SZ[15]C[no moves])");
    let words = ["games.sgf", "--nodes", "60", "--fresh", "--workers", "2", "--no-variations"];
    let output = scratch.run(&words);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let message = text(&output.stderr);
    assert!(message.contains("games.sgf: game 7: it has no moves, and is not judged"), "{message}");
    assert!(text(&output.stdout).starts_with("6 games, 36 positions: "), "{output:?}");
    let results = results_of(&scratch, "games.batch");
    for number in 1..=6 {
        let own = results.iter().filter(|reply| reply["id"] == number.to_string().as_str());
        let kinds: Vec<&str> = own.map(|reply| reply["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["move", "move", "move", "move", "move", "game"]);
    }
    let annotated = scratch.read("games.batch/annotated.sgf");
    assert_eq!(annotated.matches("GM[4]").count(), 7);
    assert_eq!(annotated.matches("C[Tengen: ").count(), 30);
    assert!(annotated.contains("C[no moves]"), "{annotated}");
    scratch.write("moves.txt", "h8 i9 g7\n");
    scratch.done(&["moves.txt", "--variant", "renju", "--nodes", "30"]);
    assert_eq!(results_of(&scratch, "moves.batch").len(), 4);
}

#[test]
fn a_bad_game_stops_only_itself_and_is_named_with_its_place_in_the_file() {
    let scratch = Scratch::new(BATCH);
    let good = "(;GM[4]SZ[15];B[hh];W[ii])";
    let games = format!("(;GM[4]SZ[15];B[hh];W[ii];B[hh]){good}(;GM[4]SZ[15];B{good}");
    scratch.write("games.sgf", &games);
    let output = scratch.run(&["games.sgf", "--nodes", "30", "--no-variations"]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(
        lines[0],
        "tengen: games.sgf: game 1: line 1, character 29: move 3 \"hh\": h8 is taken"
    );
    let third = "tengen: games.sgf: game 3: line 1, character 74: expected \"[\"";
    assert!(lines[1].starts_with(third), "{message}");
    assert_eq!(lines[2], "tengen: games.sgf: games refused: 2");
    let ids: BTreeSet<String> = results_of(&scratch, "games.batch")
        .iter()
        .map(|reply| reply["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids, ["2".to_owned(), "4".to_owned()].into());
    let annotated = scratch.read("games.batch/annotated.sgf");
    assert_eq!(annotated.matches("C[Tengen: ").count(), 4, "{annotated}");
    // The game whose moves are wrong stays in the record.
    assert_eq!(annotated.matches("GM[4]").count(), 3, "{annotated}");
    let message = scratch.refused(&["games.sgf", "--nodes", "30", "--strict", "--out", "none"], 2);
    assert!(message.starts_with("games.sgf: line 1, character 74: "), "{message}");
    assert!(!scratch.file("none").exists());
    // Lists of moves, and PGN.
    scratch.write("list.txt", "h8 i9\nh8 h8\nj10 i9\n");
    scratch.write("list.pgn", "[Event \"a\"]\n\n1. h8 i9 *\n\n[Event \"b\"]\n\n1. h8 ) *\n\n[Event \"c\"]\n\n1. h8 i9 *\n");
    for (name, folder) in [("list.txt", "txt"), ("list.pgn", "pgn")] {
        let words = [name, "--variant", "renju", "--nodes", "10", "--out", folder];
        let output = scratch.run(&words);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.starts_with(&format!("tengen: {name}: game 2: line ")), "{message}");
        assert_eq!(results_of(&scratch, folder).len(), 6, "{message}");
    }
}

#[test]
fn moves_after_the_end_of_a_game_are_named_and_left_out() {
    let scratch = Scratch::new(BATCH);
    scratch.write("g.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[aa];W[ab];B[ba];W[bb];B[ca];W[cc];B[bc])");
    let output = scratch.run(&["g.sgf", "--nodes", "30"]);
    let left_out = "line 1, character 59: the game is over after move 5; moves left out: 2";
    assert_eq!(text(&output.stderr), format!("tengen: warning: g.sgf: {left_out}\n"));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(results_of(&scratch, "g.batch").last().unwrap()["moves"], 5);
}

#[test]
fn a_file_may_be_longer_than_a_line_of_the_protocol() {
    let scratch = Scratch::new(BATCH);
    let comment = "long ".repeat(100_000);
    scratch.write("g.sgf", format!("(;GM[4]SZ[15]C[{comment}];B[hh])"));
    scratch.done(&["g.sgf", "--nodes", "20"]);
    assert!(scratch.read("g.batch/annotated.sgf").contains(comment.trim_end()));
    let blanks = " ".repeat(2_000_000);
    scratch.write("q.jsonl", format!("{{\"id\":1,{blanks}\"nodes\":5}}\n"));
    scratch.done(&["q.jsonl"]);
}

#[test]
fn a_list_of_positions_needs_no_json() {
    let scratch = Scratch::new(BATCH);
    let list = "# three positions\nposition startpos moves a1 b2\n\np2/1P1/3 w - - 0 2 moves a1\nfen 3/3/3 w\n-\n";
    scratch.write("list.txt", list);
    let words =
        ["list.txt", "--variant", "tictactoe", "--depth", "3", "--multipv", "2", "--in-order"];
    let message = scratch.done(&words);
    assert!(message.starts_with("4 queries, 4 positions: "), "{message}");
    let results = results_of(&scratch, "list.batch");
    let found: Vec<_> = results
        .iter()
        .map(|reply| (reply["id"].as_str().unwrap(), reply["turn_number"].as_u64().unwrap()))
        .collect();
    assert_eq!(found, [("2", 2), ("4", 1), ("5", 0), ("6", 0)]);
    assert!(results.iter().all(|reply| reply["moves"].as_array().unwrap().len() == 2));
    // A list of moves is judged as games, or searched as positions.
    scratch.write("moves.txt", "h8 i9\nh8 h9 i8\n");
    let own = [
        "moves.txt",
        "--variant",
        "gomoku",
        "--width",
        "17",
        "--nodes",
        "20",
        "--positions",
        "--print",
    ];
    let output = scratch.run(&own);
    let replies: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(replies.len(), 2, "{output:?}");
    assert!(text(&output.stderr).starts_with("2 queries, 2 positions: "), "{output:?}");
    scratch.write("braces.txt", "{7,7},{8,6}\n");
    let output = scratch.run(&["braces.txt", "--variant", "gomoku", "--nodes", "20"]);
    assert!(text(&output.stdout).starts_with("1 game"), "{output:?}");
    scratch.write("two.sgf", "(;GM[4]SZ[15];B[hh];W[ii])(;GM[4]SZ[15];AB[hh])");
    scratch.done(&["two.sgf", "--nodes", "20", "--positions"]);
    assert_eq!(results_of(&scratch, "two.batch").len(), 2);
    scratch.write("bad.txt", "startpos\n3/3/4 w\n");
    let message = scratch.refused(&["bad.txt", "--variant", "tictactoe"], 2);
    assert!(message.starts_with("bad.txt:2: fen \"3/3/4 w\": "), "{message}");
}

#[test]
fn numbers_are_ids_and_are_repeated_as_numbers() {
    let scratch = Scratch::new(BATCH);
    scratch.write(
        "q.jsonl",
        "{\"id\":1,\"nodes\":5}\n{\"id\":\"1\",\"nodes\":5}\n{\"id\":-7,\"nodes\":5}\n",
    );
    scratch.done(&["q.jsonl", "--in-order"]);
    let ids: Vec<Value> =
        results_of(&scratch, "q.batch").iter().map(|reply| reply["id"].clone()).collect();
    assert_eq!(ids, [serde_json::json!(1), serde_json::json!("1"), serde_json::json!(-7)]);
    scratch.write("bad.jsonl", "{\"id\":1.5,\"nodes\":5}\n");
    let message = scratch.refused(&["bad.jsonl"], 2);
    assert!(
        message.starts_with(
            "bad.jsonl:1: id \"1.5\" is not a string of 1 to 128 bytes or a whole number"
        ),
        "{message}"
    );
}

/// Starts a batch and kills it when its journal has grown by a random length, `kills` times.
fn kill_repeatedly(scratch: &Scratch, words: &[&str], folder: &str, kills: u32) {
    let journal = scratch.file(folder).join("journal.jsonl");
    let length = || fs::metadata(&journal).map_or(0, |known| known.len());
    let whole = fs::metadata(scratch.file("whole/journal.jsonl")).unwrap().len();
    let mut random = fastrand::Rng::with_seed(9);
    let mut killed = 0;
    for kill in 1..=u64::from(kills) {
        let enough = whole * kill / u64::from(kills + 1) + random.u64(..whole / 100);
        let mut child = scratch.command(words).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && length() < enough {
            thread::yield_now();
        }
        killed += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(killed > kills / 2, "{killed} kills of {kills}");
}

fn campaign(file: &str, input: String, limits: &[&str], count: u64) {
    let scratch = Scratch::new(BATCH);
    scratch.write(file, input);
    let words = |folder| [&[file, "--in-order", "--out", folder][..], limits].concat();
    scratch.done(&words("whole"));
    kill_repeatedly(&scratch, &words("killed"), "killed", 30);
    scratch.done(&words("killed"));
    assert_eq!(results_of(&scratch, "killed"), results_of(&scratch, "whole"));
    let answered = answered_of(&scratch, "killed");
    let unique: BTreeSet<u64> = answered.iter().copied().collect();
    assert_eq!((answered.len() as u64, unique), (count, (0..count).collect()));
}

#[test]
#[ignore = "campaign: see tests/README.md"]
fn campaign_batch_of_10000_positions() {
    campaign("all.jsonl", queries(10_000), &["--nodes", "50"], 10_000);
}

#[test]
#[ignore = "campaign: see tests/README.md"]
fn campaign_batch_of_200_games() {
    campaign("all.sgf", games(200), &["--nodes", "50", "--fresh"], 200);
}
