//! Tests that the reader, the replies and the schema agree with each other and with the examples.

use boon::{Compiler, SchemaIndex, Schemas};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::code::Code;
use super::query::Query;
use super::read::{self, ReadQuery, RefusedQuery};
use super::reply::Reply;
use super::schema::schema;

/// A line for each query and reply: `>` from the client, `<` from the server.
const EXAMPLES: &str = include_str!("examples.txt");

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
        let mut part = |name: &str| {
            let place = format!("tengen.json#/$defs/{name}");
            compiler.compile(&place, &mut schemas).unwrap_or_else(|error| panic!("{error:#}"))
        };
        let (query, reply) = (part("query"), part("reply"));
        Self { schemas, query, reply }
    }

    fn accepts(&self, part: SchemaIndex, value: &Value) -> bool {
        self.schemas.validate(value, part).is_ok()
    }

    fn assert_valid(&self, part: SchemaIndex, value: &Value) {
        if let Err(error) = self.schemas.validate(value, part) {
            panic!("{value}: {error:#}");
        }
    }
}

fn examples(side: &str) -> impl Iterator<Item = Value> {
    EXAMPLES.lines().filter_map(move |line| {
        let text = line.strip_prefix(side)?;
        Some(serde_json::from_str(text).unwrap())
    })
}

fn read(line: &str) -> Result<ReadQuery, RefusedQuery> {
    read::query(line, 1)
}

fn problem(line: &str) -> (Code, Option<String>, String) {
    let problem = read(line).expect_err(line).problem;
    (problem.code, problem.field, problem.message)
}

#[test]
fn every_example_is_valid_and_each_of_its_fields_counts() {
    let validator = Validator::new();
    for value in examples("> ") {
        validator.assert_valid(validator.query, &value);
        let ReadQuery { query, unused } = read(&value.to_string()).unwrap();
        assert!(unused.is_empty(), "{unused:?}");
        for name in value.as_object().unwrap().keys().filter(|name| *name != "action") {
            let mut without = value.clone();
            without.as_object_mut().unwrap().remove(name);
            let read = read(&without.to_string());
            assert!(read.is_err() || read.unwrap().query != query, "{name} of {value}");
        }
    }
    let mut kinds = Vec::new();
    for value in examples("< ") {
        validator.assert_valid(validator.reply, &value);
        let reply =
            Reply::read(&value.to_string()).unwrap_or_else(|error| panic!("{value}: {error}"));
        let reply = reply.unwrap_or_else(|| panic!("no type {value}"));
        validator.assert_valid(validator.reply, &serde_json::to_value(&reply).unwrap());
        kinds.push(value["type"].as_str().unwrap().to_owned());
    }
    kinds.sort();
    kinds.dedup();
    assert_eq!(kinds.len(), 24, "a kind of reply has no example: {kinds:?}");
}

#[test]
fn broken_json_is_reported_with_its_position() {
    for (line, message) in [
        ("{\"id\":\"a\" \"nodes\":1}", "line 1, column 11: expected `,` or `}`"),
        ("{\"id\":\"a\",\"id\":\"b\"}", "line 1, column 14: duplicate field \"id\""),
        (
            "{\"id\":\"a\",\"board\":{\"width\":7,\"width\":8}}",
            "line 1, column 36: duplicate field \"width\"",
        ),
        ("{\"id\":\"a\"} x", "line 1, column 12: trailing characters"),
        ("{\"id\":\"a\"", "line 1, column 9: EOF while parsing an object"),
        ("[1]", "line 1: expected an object, found \"[1]\""),
        ("7", "line 1: expected an object, found \"7\""),
    ] {
        assert_eq!(problem(line), (Code::BadJson, None, message.to_owned()), "{line}");
    }
    let deep = format!("{{\"id\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(problem(&deep).2, "line 1, column 133: recursion limit exceeded");
}

#[test]
fn an_error_names_the_field_and_quotes_the_value() {
    const WHOLE_NUMBER: &str = "a whole number from 1 to 9007199254740991";
    let long = "9".repeat(90);
    for (fields, field, message) in [
        ("\"nodes\":\"-1\"", "nodes", format!("nodes \"-1\" is not {WHOLE_NUMBER}")),
        ("\"nodes\":-1", "nodes", format!("nodes \"-1\" is not {WHOLE_NUMBER}")),
        ("\"nodes\":1.0", "nodes", format!("nodes \"1.0\" is not {WHOLE_NUMBER}")),
        ("\"nodes\":9007199254740992", "nodes", format!("nodes \"9007199254740992\" is not {WHOLE_NUMBER}")),
        ("\"nodes\":true", "nodes", format!("nodes \"true\" is not {WHOLE_NUMBER}")),
        ("\"wdl\":1", "wdl", "wdl \"1\" is not a boolean".to_owned()),
        ("\"notation\":\"sgf\"", "notation", "notation \"sgf\" is not one of plain, drop, column".to_owned()),
        ("\"moves\":7", "moves", "moves \"7\" is not a string or a list of at most 676 moves".to_owned()),
        ("\"moves\":[\"d1\",2]", "moves[1]", "moves[1] \"2\" is not a string".to_owned()),
        ("\"analyze_turns\":[1,1]", "analyze_turns",
         "analyze_turns \"[1,1]\" is not \"all\" or a list of at most 1000 turns, each once".to_owned()),
        ("\"analyze_turns\":[1,-1]", "analyze_turns[1]",
         "analyze_turns[1] \"-1\" is not a whole number from 0 to 676".to_owned()),
        ("\"report_every_ms\":19", "report_every_ms",
         "report_every_ms \"19\" is not 0 or a whole number from 20 to 60000".to_owned()),
        ("\"avoid_moves\":[\"d1\",{\"moves\":[]}]", "avoid_moves",
         "avoid_moves \"[\"d1\",{\"moves\":[]}]\" is not a list of moves, or a list of objects with moves".to_owned()),
        ("\"avoid_moves\":[{\"side\":\"first\"}]", "avoid_moves[0].moves", "avoid_moves[0].moves is missing".to_owned()),
        ("\"avoid_moves\":[{\"moves\":[],\"until_depth\":0}]", "avoid_moves[0].until_depth",
         format!("avoid_moves[0].until_depth \"0\" is not {WHOLE_NUMBER}")),
        ("\"clock\":{}", "clock.left_ms", "clock.left_ms is missing".to_owned()),
        ("\"clock\":7", "clock", "clock \"7\" is not an object".to_owned()),
        ("\"level\":\"99999\\u0000\"", "level", "level \"99999\\0\" is not a whole number from 0 to 10".to_owned()),
        (&format!("\"elo\":\"{long}\""), "elo",
         format!("elo \"{}...\" is not a whole number from 1000 to 2420", &long[..64])),
    ] {
        let line = format!("{{\"id\":\"a\",{fields}}}");
        assert_eq!(problem(&line), (Code::BadField, Some(field.to_owned()), message), "{line}");
        assert_eq!(read(&line).unwrap_err().id.unwrap().to_string(), "a");
    }
    let (code, field, _) = problem("{\"id\":\"a\",\"board\":{\"width\":27}}");
    assert_eq!((code, field.as_deref()), (Code::BadBoard, Some("board.width")));
}

#[test]
fn a_query_with_a_bad_id_or_action_is_refused() {
    let id = |line: &str| {
        let refusal = read(line).expect_err(line);
        (refusal.id.is_some(), refusal.problem.code, refusal.problem.message)
    };
    assert_eq!(id("{}"), (false, Code::BadField, "id is missing".to_owned()));
    assert_eq!(id("{\"id\":null}"), (false, Code::BadField, "id is missing".to_owned()));
    assert_eq!(
        id("{\"id\":\"\"}"),
        (
            false,
            Code::BadField,
            "id \"\" is not a string of 1 to 128 bytes or a whole number of at most 2^53 - 1"
                .to_owned()
        )
    );
    for bad in ["7.5", "9007199254740992", "true", "[7]"] {
        assert_eq!(id(&format!("{{\"id\":{bad}}}")).1, Code::BadField, "{bad}");
    }
    let number = read("{\"id\":-7}").map(|read| read.query.head().id.to_string());
    assert_eq!(number.as_deref(), Ok("-7"));
    let (named, code, message) = id("{\"id\":\"a\",\"action\":\"analyse\"}");
    assert_eq!(
        (named, code, message.starts_with("no action \"analyse\": there are analyze, solve, ")),
        (true, Code::UnknownAction, true),
        "{message}"
    );
    assert_eq!(id("{\"id\":\"a\",\"action\":7}").1, Code::BadField);
    assert_eq!(id("{\"id\":\"a\",\"protocol\":2}").1, Code::Unsupported);
    assert_eq!(id("{\"id\":\"a\",\"action\":\"terminate\"}").2, "terminate_id is missing");
}

#[test]
fn null_is_the_default_and_unknown_fields_are_reported() {
    let plain = read("{\"id\":\"a\"}").unwrap();
    let line = "{\"id\":\"a\",\"action\":null,\"nodes\":null,\"board\":null,\"moves\":null,\"infinite\":null}";
    assert_eq!(read(line).unwrap(), plain);
    let line = "{\"id\":\"a\",\"komi\":7,\"mode\":\"score\",\"board\":{\"gravity\":true,\"depth\":3},\
                \"avoid_moves\":[{\"moves\":[],\"colour\":1}]}";
    let mut unused = read(line).unwrap().unused;
    unused.sort();
    assert_eq!(unused, ["avoid_moves[0].colour", "board.depth", "komi", "mode"]);
}

/// Returns the fields of `action` in the schema.
fn fields(action: &str) -> serde_json::Map<String, Value> {
    let schema = schema();
    let queries = schema["$defs"]["query"]["oneOf"].as_array().unwrap().clone();
    let found = queries.into_iter().find(|query| query["title"] == action).unwrap();
    found["properties"].as_object().unwrap().clone()
}

#[test]
fn every_field_of_the_schema_is_described_and_has_a_range() {
    let schema = schema();
    for part in ["query", "reply"] {
        for kind in schema["$defs"][part]["oneOf"].as_array().unwrap() {
            for (name, field) in kind["properties"].as_object().unwrap() {
                let is_tag = field.get("const").is_some();
                assert!(is_tag || field.get("description").is_some(), "{}.{name}", kind["title"]);
            }
        }
    }
    for action in Query::ACTIONS {
        for (name, field) in fields(action) {
            if field["type"] == json!(["integer", "null"]) || field["type"] == "integer" {
                assert!(field.get("minimum").is_some() && field.get("maximum").is_some(), "{name}");
            }
        }
    }
}

/// Values at and beyond the limits of the ranges in the schema.
fn values() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        prop::sample::select(vec![
            -1001_i64,
            -1000,
            -1,
            0,
            1,
            5,
            10,
            11,
            19,
            20,
            26,
            27,
            512,
            513,
            676,
            677,
            999,
            1000,
            1001,
            2420,
            2421,
            60_000,
            60_001,
            86_400_000,
            86_400_001,
            2_147_483_647,
            2_147_483_648,
            9_007_199_254_740_991,
            9_007_199_254_740_992,
            i64::MAX,
        ])
        .prop_map(Value::from),
        Just(json!(1.5)),
    ];
    let text = prop::sample::select(vec![
        "", "a", "all", "d1 d2", "plain", "drop", "score", "none", "static", "search",
    ])
    .prop_map(Value::from);
    let leaf = prop_oneof![number, text, any::<bool>().prop_map(Value::from), Just(Value::Null)];
    leaf.prop_recursive(2, 12, 4, |inner| {
        let name = prop::sample::select(vec!["width", "connect", "side", "moves", "left_ms", "x"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name, inner, 0..3).prop_map(|fields| json!(fields)),
        ]
    })
}

/// Removes null fields. They count as absent, but the schema does not say so.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let set = fields.iter().filter(|(_, value)| !value.is_null());
            set.map(|(name, value)| (name.clone(), without_nulls(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_reader_and_the_schema_take_the_same_values() {
    let validator = Validator::new();
    for action in Query::ACTIONS {
        let names: Vec<String> =
            fields(action).keys().filter(|name| *name != "action").cloned().collect();
        let run = |(name, value): (String, Value)| {
            let mut query = json!({ "id": "a", "action": action });
            match *action {
                "terminate" => query["terminate_id"] = "b".into(),
                "opening" => query["rule"] = "rif".into(),
                "join_room" => query["room"] = "s".into(),
                "room_act" => (query["room"], query["do"]) = ("s".into(), "act".into()),
                _ => {}
            }
            query[&name] = value;
            let line = query.to_string();
            let read = read(&line);
            let is_valid = validator.accepts(validator.query, &without_nulls(&query));
            // The schema does not know which protocol versions are supported.
            let is_version = matches!(&read, Err(it) if it.problem.code == Code::Unsupported);
            prop_assert!(read.is_ok() == is_valid || is_version, "{line}: {read:?}");
            Ok(())
        };
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(400));
        let strategy = (prop::sample::select(names), values());
        runner.run(&strategy, run).unwrap();
    }
}

proptest! {
    #[test]
    fn no_line_makes_the_reader_panic(line in "\\{?[\\[\\]{}:,\"a-z0-9. é\\\\-]{0,60}\\}?") {
        let _ = read(&line);
    }

    #[test]
    fn an_error_quotes_only_the_beginning_of_a_value(text in "\\PC{0,300}") {
        let line = json!({ "id": "a", "nodes": text }).to_string();
        prop_assert!(problem(&line).2.len() < 1000);
    }
}
