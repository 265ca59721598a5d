//! Random queries to the program. Every line of output fits the schema, every turn of an accepted
//! query ends with exactly one line, and a refused query gets exactly one error, which quotes it.

use std::collections::BTreeMap;

use boon::{Compiler, SchemaIndex, Schemas};
use fastrand::Rng;
use serde_json::{Value, json};
use tengen_protocol::dialect::json::schema::schema;

use crate::support::running::{Engine, tengen};

/// The compiled schema.
struct Validator {
    schemas: Schemas,
    query: SchemaIndex,
    reply: SchemaIndex,
}

impl Validator {
    fn new() -> Self {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("tengen.json", schema()).unwrap();
        let query = compiler.compile("tengen.json#/$defs/query", &mut schemas).unwrap();
        let reply = compiler.compile("tengen.json#/$defs/reply", &mut schemas).unwrap();
        Self { schemas, query, reply }
    }
}

/// The messages that a query has got.
#[derive(Default, Debug)]
struct Tally {
    action: String,
    query: Value,
    /// The number of last lines by turn; `None` for queries without turns, such as a review.
    last: BTreeMap<Option<u64>, usize>,
    /// The number of errors without a turn.
    refusals: usize,
    /// The number of lines after the last line of their turn.
    late: usize,
    /// Whether the query fits the schema.
    is_valid: bool,
    /// How many last lines the query gets if it is accepted.
    turns: usize,
}

fn pick<T: Clone>(rng: &mut Rng, values: &[T]) -> T {
    values[rng.usize(..values.len())].clone()
}

/// Returns a query, and how many last lines it gets.
fn query(rng: &mut Rng, id: &str) -> (Value, usize) {
    let (variant, game) = pick(
        rng,
        &[
            ("cfour", "d1 d2 d3 d4 e1 e2 c1"),
            ("tictactoe", "a1 b2 c3 a3 c1"),
            ("gomokufreestyle", "h8 i9 g7 j10 k11 f6"),
            ("renju", "h8 h9 g7 i7 f6 e5"),
            ("tree", ""),
        ],
    );
    let game: Vec<&str> = game.split_whitespace().collect();
    let moves = &game[..rng.usize(0..=game.len())];
    let action =
        pick(rng, &["analyze", "analyze", "analyze", "solve", "review", "position", "swap2"]);
    let mut query = json!({
        "id": id, "action": action, "variant": variant, "moves": moves, "nodes": rng.u32(1..300),
    });
    let mut turns = 1;
    if matches!(action, "analyze" | "solve") && rng.u8(..3) == 0 {
        query["analyze_turns"] = json!("all");
        turns = moves.len() + 1;
    }
    let extras = [
        ("multi_pv", json!(rng.u32(0..6))),
        ("values", json!(pick(rng, &["none", "static", "search", "most"]))),
        ("report_every_ms", json!(pick(rng, &[0, 20, 7]))),
        ("include_legal", json!(rng.bool())),
        ("include_forbidden", json!(rng.bool())),
        ("wdl", json!(rng.bool())),
        ("book", json!(rng.bool())),
        ("fresh", json!(rng.bool())),
        ("notation", json!(pick(rng, &["plain", "drop", "column", "other"]))),
        ("priority", json!(rng.i32(-1100..1100))),
        ("level", json!(rng.i32(-1..12))),
        ("elo", json!(pick(rng, &[900, 1000, 2420]))),
        ("avoid_moves", json!([pick(rng, &["a1", "d1", "h8", "z9"])])),
        ("mode", json!(pick(rng, &["score", "outcome"]))),
        ("all", json!(rng.bool())),
        ("include_sgf", json!(rng.bool())),
        ("threads", json!(rng.u32(0..4))),
        ("depth", json!(rng.u32(0..9))),
        ("fen", json!(pick(rng, &["", "7/7/7/7/7/7 w", "x"]))),
        ("komi", json!(6.5)),
        ("time_ms", json!(pick(rng, &[json!(50), json!(0), json!(1.5), json!(null)]))),
    ];
    for _ in 0..rng.usize(..4) {
        let (name, value) = pick(rng, &extras);
        query[name] = value;
    }
    // Some are infinite. The end of the input stops them.
    if action == "analyze" && rng.u8(..8) == 0 {
        query["infinite"] = json!(true);
    }
    (query, turns)
}

/// Returns whether a refusal quotes the query: the value of the field, its name, the number of its
/// items, or the variant.
fn quotes(refusal: &Value, query: &Value) -> bool {
    let message = refusal["message"].as_str().unwrap();
    let field = refusal["field"].as_str().unwrap();
    let name = field.split(['.', '[']).next().unwrap();
    let value = match &query[name] {
        Value::String(text) => format!("\"{text}\""),
        Value::Array(items) => items.len().to_string(),
        other => other.to_string(),
    };
    let is_quoted = |text: &str| message.contains(text);
    let is_clean = !message.chars().any(char::is_control) && message.len() < 300;
    is_clean
        && (is_quoted(&value)
            || is_quoted(name)
            || query["variant"].as_str().is_some_and(is_quoted))
}

/// Validates a message, and counts it for its query.
fn count(message: &Value, validator: &Validator, tallies: &mut BTreeMap<String, Tally>) {
    if let Err(error) = validator.schemas.validate(message, validator.reply) {
        panic!("{message}: {error:#}");
    }
    let id = message["id"].as_str().unwrap_or_else(|| panic!("{message}"));
    let tally = tallies.get_mut(id).unwrap_or_else(|| panic!("no such query: {message}"));
    let turn = message["turn_number"].as_u64();
    let kind = message["type"].as_str().unwrap();
    match kind {
        "error" if turn.is_none() => {
            tally.refusals += 1;
            assert!(quotes(message, &tally.query), "{}: {message}", tally.query);
        }
        "answer" | "solution" | "swap" | "error" => *tally.last.entry(turn).or_default() += 1,
        "game" | "position" => *tally.last.entry(None).or_default() += 1,
        "report" if tally.last.contains_key(&turn) => tally.late += 1,
        "move" if tally.last.contains_key(&None) => tally.late += 1,
        "report" | "move" | "warning" => {}
        _ if kind == tally.action => *tally.last.entry(None).or_default() += 1,
        other => panic!("{other}: {message}"),
    }
}

fn send_random_queries(total: usize) {
    let validator = Validator::new();
    let mut rng = Rng::with_seed(24);
    let mut command = tengen();
    command.args(["--workers", "2", "--hash", "1"]);
    let mut engine = Engine::from(command);
    let mut tallies = BTreeMap::new();
    let mut lines = Vec::new();
    for number in 0..total {
        let id = format!("q{number}");
        let other = format!("q{}", number.saturating_sub(rng.usize(..20)));
        let (query, turns) = match rng.u8(..6) {
            0 => (json!({ "id": id, "action": "terminate", "terminate_id": other }), 1),
            1 if rng.u8(..20) == 0 => (json!({ "id": id, "action": "terminate_all" }), 1),
            _ => query(&mut rng, &id),
        };
        let is_valid = validator.schemas.validate(&query, validator.query).is_ok();
        let action = query["action"].as_str().unwrap().to_owned();
        let tally = Tally { action, query: query.clone(), is_valid, turns, ..Tally::default() };
        tallies.insert(id, tally);
        engine.send(format!("{query}\n"));
        // The program stops reading when too much output is unread. So the test reads it now and
        // then.
        if number % 50 == 49 {
            tallies.insert(
                format!("s{number}"),
                Tally {
                    action: "terminate_all".to_owned(),
                    is_valid: true,
                    turns: 1,
                    ..Tally::default()
                },
            );
            let pause = json!({ "id": format!("s{number}"), "action": "terminate_all" });
            engine.send(format!("{pause}\n"));
            while lines.last().is_none_or(|line: &String| !line.contains(&format!("\"s{number}\"")))
            {
                lines.push(engine.line().unwrap());
            }
        }
    }
    engine.close();
    let (rest, status) = engine.rest();
    assert_eq!(status.code(), Some(0));
    lines.extend(rest);
    for line in &lines {
        count(&serde_json::from_str(line).unwrap(), &validator, &mut tallies);
    }
    let mut accepted = 0;
    for (id, tally) in &tallies {
        let ends: usize = tally.last.values().sum();
        let is_refused = tally.refusals == 1 && ends == 0;
        let is_accepted = tally.refusals == 0 && ends == tally.turns && tally.last.len() == ends;
        assert!((is_refused || is_accepted) && tally.late == 0, "{id}: {tally:?}");
        assert!(tally.is_valid || is_refused, "{id} does not fit the schema: {tally:?}");
        accepted += usize::from(is_accepted);
    }
    // Most of them are searched.
    assert!(accepted * 3 > total, "{accepted} of {total}");
}

#[test]
fn random_queries_are_answered_or_refused() {
    send_random_queries(500);
}

#[test]
#[ignore = "a campaign: half a minute"]
fn campaign_ten_thousand_random_queries() {
    send_random_queries(10_000);
}
