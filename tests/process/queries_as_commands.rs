//! A query with `fresh` and one thread has the same result as `go nodes` in UCI with an empty
//! table.

use fastrand::Rng;
use serde_json::{Value, json};
use tengen_engine::Style;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;

use crate::support::running::{Engine, tengen};

const VARIANTS: [&str; 5] = ["cfour", "cfour-misere", "gomokufreestyle", "renju", "tictactoe"];
const NODES: u32 = 10_000;

/// The results to compare.
#[derive(PartialEq, Debug)]
struct Found {
    best: String,
    score: Value,
    depth: i64,
    nodes: i64,
}

/// Returns the moves of a random unfinished game, at most eight.
fn opening(variant: &str, rng: &mut Rng) -> Vec<String> {
    let spec = CATALOG.describe(variant, &Default::default()).unwrap();
    let mut position = CATALOG.position(&spec);
    let mut moves = Vec::new();
    for _ in 0..rng.usize(0..=8) {
        let legal = position.legal();
        let mv = legal[rng.usize(..legal.len())];
        let text = position.write_move(mv, Style::Plain);
        position.play(mv).unwrap();
        if position.outcome().is_some() {
            break;
        }
        moves.push(text);
    }
    moves
}

fn ask_query(server: &mut Engine, variant: &str, moves: &[String]) -> (Found, Value) {
    let query = json!({
        "id": "a", "variant": variant, "moves": moves, "nodes": NODES, "threads": 1, "fresh": true,
    });
    server.send(format!("{query}\n"));
    let mut answer: Value = serde_json::from_str(&server.line().unwrap()).unwrap();
    assert_eq!(answer["type"], "answer", "{answer}");
    for time in ["nps", "time_ms", "queue_ms"] {
        answer[time] = Value::Null;
    }
    let found = Found {
        best: answer["best"].as_str().unwrap().to_owned(),
        score: answer["score"].clone(),
        depth: answer["depth"].as_i64().unwrap(),
        nodes: answer["nodes"].as_i64().unwrap(),
    };
    (found, answer)
}

fn ask_command(engine: &mut Engine, variant: &str, moves: &[String]) -> Found {
    let list = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
    engine.send(format!(
        "setoption name UCI_Variant value {variant}\nsetoption name Clear Hash\n\
         position startpos{list}\ngo nodes {NODES}\n"
    ));
    let lines = engine.until("bestmove");
    let last = lines.iter().rev().find(|line| line.starts_with("info depth")).unwrap();
    let number = |name: &str| -> Option<i64> {
        last.split(' ').skip_while(|word| *word != name).nth(1)?.parse().ok()
    };
    Found {
        best: lines[lines.len() - 1].split(' ').nth(1).unwrap().to_owned(),
        score: match (number("cp"), number("mate")) {
            (Some(cp), None) => json!({ "cp": cp }),
            (None, Some(mate)) => json!({ "mate": mate }),
            both => panic!("{last}: {both:?}"),
        },
        depth: number("depth").unwrap(),
        nodes: number("nodes").unwrap(),
    }
}

/// Returns a score in plies as in UCI: in moves of the side to move, rounded up.
fn in_moves(score: &Value) -> Value {
    let moves = |plies: &Value| plies.as_i64().map(|plies| (plies + 1) / 2);
    match (moves(&score["win_in"]), moves(&score["loss_in"])) {
        (Some(moves), None) => json!({ "mate": moves }),
        (None, Some(moves)) => json!({ "mate": -moves }),
        _ => score.clone(),
    }
}

fn compare(positions: usize) {
    let mut command = tengen();
    command.args(["--workers", "2", "--hash", "16"]);
    let mut server = Engine::from(command);
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 16\nsetoption name Notation value plain\n");
    let mut rng = Rng::with_seed(24);
    for number in 0..positions {
        let variant = VARIANTS[number % VARIANTS.len()];
        let moves = opening(variant, &mut rng);
        let (mut found, answer) = ask_query(&mut server, variant, &moves);
        // `fresh` clears the table, so the second answer is equal.
        let (_, again) = ask_query(&mut server, variant, &moves);
        assert_eq!(answer, again, "{variant} {moves:?}");
        found.score = in_moves(&found.score);
        let by_command = ask_command(&mut engine, variant, &moves);
        assert_eq!(found, by_command, "{variant} {moves:?}");
    }
}

#[test]
fn a_fresh_query_and_go_nodes_have_the_same_result() {
    compare(30);
}

#[test]
#[ignore = "a campaign: two minutes"]
fn campaign_a_thousand_fresh_queries() {
    compare(1000);
}
