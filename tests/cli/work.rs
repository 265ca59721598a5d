//! `tengen work`: tasks of the contract, a line each.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::running::{Engine, program};

#[cfg(all(feature = "nats", target_os = "linux"))]
mod nats;
#[cfg(all(feature = "nats", target_os = "linux"))]
mod server;
mod transports;

const TENGEN: &str = env!("CARGO_BIN_EXE_tengen");

/// A temporary folder, which is removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("tengen-work-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// Runs the program in the folder. Returns its status and both outputs.
    fn tengen(&self, words: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(TENGEN);
        command.args(words).current_dir(&self.0).stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    }

    /// Returns the results of a journal without times, by id.
    fn journal(&self, run: &str, kind: &str) -> BTreeMap<u64, Value> {
        let text = fs::read_to_string(self.0.join(run).join("journal.jsonl")).unwrap();
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let results = records.filter(|record| record["kind"] == kind);
        results.map(|record| (record["id"].as_u64().unwrap(), without_times(record))).collect()
    }

    fn records(&self, run: &str, kind: &str) -> usize {
        let text = fs::read_to_string(self.0.join(run).join("journal.jsonl")).unwrap();
        text.lines().filter(|line| line.contains(&format!("\"kind\":\"{kind}\""))).count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Removes the fields that differ each time.
fn without_times(mut record: Value) -> Value {
    let fields = record.as_object_mut().unwrap();
    for field in ["crc", "started", "millis", "usage", "worker", "time_ms", "queue_ms", "nps"] {
        fields.remove(field);
    }
    for note in fields.get_mut("notes").and_then(Value::as_array_mut).into_iter().flatten() {
        for field in ["us", "ms"] {
            note.as_object_mut().unwrap().remove(field);
        }
    }
    for reply in fields.get_mut("replies").and_then(Value::as_array_mut).into_iter().flatten() {
        *reply = without_times(serde_json::from_str(reply.as_str().unwrap()).unwrap());
    }
    record
}

fn work(words: &[&str]) -> Engine {
    let mut command = program(TENGEN);
    command.arg("work").args(words);
    Engine::from(command)
}

/// Two builds of one engine have one `id`: a pair has one digest with both, and its times name the builds.
#[test]
#[cfg(target_os = "linux")]
fn builds_of_one_engine_can_share_an_id() {
    let folder = Folder::new("builds");
    let copy = folder.0.join("other");
    let mut bytes = fs::read(TENGEN).unwrap();
    bytes.extend(b"another build");
    fs::write(&copy, bytes).unwrap();
    fs::set_permissions(&copy, fs::metadata(TENGEN).unwrap().permissions()).unwrap();
    let engine = json!({"sha256": "id:c0-1", "options": {"Hash": 8}});
    let task = json!({"version": 1, "id": "t", "kind": "pair", "a": engine, "b": engine, "variant": "gomoku",
        "opening": "h8 i9 g7", "nodes": 100});
    let copy = copy.display().to_string();
    let results = [TENGEN, &copy].map(|program| {
        let text = format!("[[engine]]\ncmd = {program:?}\nid = \"c0-1\"\n");
        let config = folder.write("work.toml", &text);
        let (results, status) = done(&["--config", &config], &format!("{task}\n"));
        assert_eq!(status, Some(0), "{results:?}");
        let usage = &results["t"]["times"][0]["usage"];
        assert_eq!(
            (usage[0]["program"].as_str(), &usage[1]["program"]),
            (Some(&*sha256(program)), &usage[0]["program"])
        );
        results["t"]["digest"].clone()
    });
    assert_eq!(results[0], results[1]);
    // An engine without the id is another one.
    let config = folder.write("work.toml", &format!("[[engine]]\ncmd = {TENGEN:?}\n"));
    let (results, status) = done(&["--config", &config], &format!("{task}\n"));
    assert_eq!((status, &results["t"]["error"]["code"]), (Some(2), &json!("unlisted_engine")));
}

/// Does tasks. Returns the results by id and the status.
fn done(words: &[&str], tasks: &str) -> (BTreeMap<String, Value>, Option<i32>) {
    let mut worker = work(words);
    worker.send(tasks);
    worker.close();
    let (lines, status) = worker.rest();
    let results = lines.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let by_id = results.map(|result| (result["id"].as_str().unwrap_or("none").to_owned(), result));
    (by_id.collect(), status.code())
}

fn positions(id: &str, count: usize) -> String {
    let query = |number| json!({"id": format!("q{number}"), "variant": "gomoku", "moves": format!("h8 {}9", ["g", "i", "j"][number % 3]), "nodes": 300});
    let queries: Vec<Value> = (0..count).map(query).collect();
    format!("{}\n", json!({"version": 1, "id": id, "kind": "analyze", "queries": queries}))
}

fn sha256(path: &str) -> String {
    use sha2::Digest;
    let hash = sha2::Sha256::digest(fs::read(path).unwrap());
    hash.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn equal_tasks_have_equal_digests_in_any_slots() {
    let solve = json!({"version": 1, "id": "s", "kind": "solve", "queries": [{"id": "a", "variant": "cfour", "moves": "4455"}]});
    let tasks: String =
        (0..4).map(|number| positions(&format!("t{number}"), 2 + number % 2)).collect();
    let tasks = format!("{tasks}\n\n{solve}\n");
    let (one, status) = done(&["--jobs", "1"], &tasks);
    let (two, other) = done(&["--jobs", "2"], &tasks);
    assert_eq!((status, other, one.len()), (Some(0), Some(0), 5));
    for (id, result) in &one {
        assert_eq!(result["digest"], two[id]["digest"], "{id}");
        assert_eq!(result["data"], two[id]["data"], "{id}");
        let data = result["data"].to_string();
        assert!(!data.contains("time_ms") && !data.contains("nps"), "{data}");
    }
    assert_eq!(one["t0"]["digest"], one["t2"]["digest"]);
    assert_ne!(one["t0"]["digest"], one["t1"]["digest"]);
    assert_eq!(one["s"]["data"]["replies"][0][0]["solver_score"], 18);
    let worker = &one["s"]["worker"];
    assert_eq!((&worker["sha256"], &worker["bench"]), (&json!(sha256(TENGEN)), &Value::Null));
    assert_eq!(worker["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn hostile_lines_get_an_error_each_and_harm_no_other_task() {
    let long = format!("{{\"version\":1,\"id\":\"long\",\"x\":\"{}\"}}", "x".repeat(600_000));
    let query = |id: &str, query: Value| {
        json!({"version": 1, "id": id, "kind": "analyze", "queries": [query]}).to_string()
    };
    let tasks = [
        long,
        "\u{0}\u{1}".to_owned(),
        json!({"version": 2, "id": "version", "kind": "analyze"}).to_string(),
        json!({"version": 1, "id": "kind", "kind": "dig"}).to_string(),
        json!({"version": 1, "id": "none", "kind": "analyze", "queries": []}).to_string(),
        json!({"version": 1, "id": "field", "kind": "analyze", "queries": [], "file": "/etc/passwd"}).to_string(),
        json!({"version": 1, "id": "hash", "kind": "solve", "hash_mib": 1_000_000, "queries": [{"id": "a"}]}).to_string(),
        query("move", json!({"id": "a", "variant": "gomoku", "moves": "h8 h8"})),
        query("endless", json!({"id": "a", "variant": "gomoku", "infinite": true})),
        query("action", json!({"id": "a", "action": "clear_cache"})),
        positions("good", 1).trim().to_owned(),
    ];
    let (results, status) = done(&["--jobs", "2"], &tasks.join("\n"));
    assert_eq!(status, Some(2));
    let error = |id: &str| {
        let error = &results[id]["error"];
        let text = |name: &str| error[name].as_str().unwrap_or("-").to_owned();
        assert_eq!(
            (&results[id]["ok"], &results[id]["retry"]),
            (&json!(false), &json!(false)),
            "{id}"
        );
        (text("code"), text("field"))
    };
    for (id, code, field) in [
        ("version", "unsupported", "version"),
        ("kind", "unsupported", "kind"),
        ("field", "bad_field", "-"),
        ("hash", "bad_field", "hash_mib"),
        ("move", "bad_move", "queries[0].moves[1]"),
        ("endless", "unsupported", "queries[0].infinite"),
        ("action", "unsupported", "queries[0].action"),
    ] {
        assert_eq!(error(id), (code.to_owned(), field.to_owned()), "{id}");
    }
    assert_eq!(results["good"]["ok"], true);
}

#[test]
fn a_pair_is_one_task_and_only_listed_engines_play() {
    let folder = Folder::new("pair");
    let sha = sha256(TENGEN);
    let config = folder.write(
        "work.toml",
        &format!("slots = 2\n[[engine]]\ncmd = {TENGEN:?}\nsha256 = \"{sha}\"\n"),
    );
    let task = |id: &str, change: Value| {
        let engine = json!({"sha256": sha, "options": {"Hash": 8}});
        let mut task = json!({
            "version": 1, "id": id, "kind": "pair", "a": engine, "b": engine, "variant": "gomoku",
            "opening": "h8 i9 g7", "nodes": 200, "seed": 4,
        });
        task.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        format!("{task}\n")
    };
    let tasks = [
        task("one", json!({})),
        task("two", json!({})),
        task("first", json!({"first": ["b"], "settings": {"maxmoves": 3}})),
        task("file", json!({"a": {"sha256": sha, "options": {"Debug Log File": "x"}}})),
        task("option", json!({"b": {"sha256": sha, "options": {"Speed": 1}}})),
        task(
            "line",
            json!({"a": {"sha256": sha, "options": {"UCI_Opponent": "x\nsetoption name Hash value 9"}}}),
        ),
        task("unlisted", json!({"b": {"sha256": "00"}})),
        task("opening", json!({"opening": "h8 h8"})),
        task("variant", json!({"variant": "chess"})),
        task("late", json!({"nodes": 1_000_000_000_u64, "max_ms": 300})),
    ];
    let (results, status) = done(&["--config", &config], &tasks.concat());
    assert_eq!((status, results.len()), (Some(2), 10));
    let pair = &results["one"]["data"];
    assert_eq!(pair["games"].as_array().unwrap().len(), 2);
    assert!(pair["category"].as_u64().unwrap() <= 4);
    assert!(pair["games"][1]["moves"].as_str().unwrap().starts_with("h8 i9 g7 "));
    assert_eq!(
        (&pair["games"][0]["first"], &pair["games"][1]["first"]),
        (&json!("a"), &json!("b"))
    );
    assert_eq!(results["one"]["digest"], results["two"]["digest"]);
    let first = &results["first"]["data"];
    assert_eq!((&first["category"], &first["games"][0]["first"]), (&Value::Null, &json!("b")));
    assert_eq!(
        (&first["games"][0]["end"], &first["games"][0]["result"]),
        (&json!("length"), &json!("1/2"))
    );
    for (id, code, field) in [
        ("file", "forbidden", "a.options.Debug Log File"),
        ("option", "bad_field", "b"),
        ("line", "bad_field", "a"),
        ("unlisted", "unlisted_engine", "b.sha256"),
        ("opening", "bad_move", "opening"),
        ("variant", "bad_field", "variant"),
    ] {
        let error = &results[id]["error"];
        assert_eq!(
            (&error["code"], &error["field"]),
            (&json!(code), &json!(field)),
            "{id}: {error}"
        );
    }
    // The engine to move loses the pair.
    let late = &results["late"]["data"];
    assert_eq!(late["games"][0]["end"], "stall");
    assert!(late["category"] == 0 || late["category"] == 4, "{late}");
}

#[test]
#[cfg(target_os = "linux")]
fn engines_stay_between_tasks_and_end_without_one() {
    let folder = Folder::new("stay");
    let sha = sha256(TENGEN);
    let config = folder.write("work.toml", &format!("[[engine]]\ncmd = {TENGEN:?}\n"));
    let task = |id: &str, hash: u32, first: [&str; 2], opening: &str| {
        let engine = json!({"sha256": sha, "options": {"Hash": hash}});
        let task = json!({
            "version": 1, "id": id, "kind": "pair", "a": engine, "b": {"sha256": sha},
            "variant": "gomoku", "opening": opening, "nodes": 200, "first": first,
        });
        format!("{task}\n")
    };
    let mut worker = work(&["--config", &config, "--jobs", "1"]);
    let mut result = |task: String| {
        worker.send(task);
        serde_json::from_str::<Value>(&worker.line().unwrap()).unwrap()
    };
    let starts = |result: &Value| {
        let usage = &result["times"][0]["usage"];
        [&usage[0]["started"], &usage[1]["started"]].map(|started| started.as_bool().unwrap())
    };
    let (one_two, two_one) = (["a", "b"], ["b", "a"]);
    let one = result(task("one", 8, one_two, "h8 i9 g7"));
    let other = result(task("other", 8, two_one, "h8 g8"));
    let again = result(task("again", 8, one_two, "h8 i9 g7"));
    let changed = result(task("changed", 9, one_two, "h8 i9 g7"));
    assert_eq!(starts(&one), [true; 2]);
    assert_eq!((starts(&other), starts(&again)), ([false; 2], [false; 2]));
    assert_eq!(starts(&changed), [true; 2]);
    assert_ne!(one["digest"], other["digest"]);
    assert_eq!(one["digest"], again["digest"]);

    let threads = format!("/proc/{}/task", worker.id());
    let has_children = || {
        fs::read_dir(&threads).unwrap().flatten().any(|thread| {
            fs::read_to_string(thread.path().join("children")).is_ok_and(|list| !list.is_empty())
        })
    };
    assert!(has_children());
    while has_children() {
        std::thread::yield_now();
    }
    worker.close();
    assert!(worker.rest().1.success());
}

/// A worker never plays without the book that a task or its own list names.
#[test]
#[cfg(target_os = "linux")]
fn a_book_that_is_missing_fails_the_task() {
    let folder = Folder::new("book");
    let sha = sha256(TENGEN);
    let own = folder.write("own.book", "");
    let listed = folder.write("listed.book", "");
    let config = folder.write(
        "work.toml",
        &format!(
            "[files]\nnone = \"none.book\"\nlisted = \"listed.book\"\n\
             [[engine]]\ncmd = {TENGEN:?}\nname = \"plain\"\n\
             [[engine]]\ncmd = {TENGEN:?}\nname = \"own\"\n\"option.BookFile\" = {own:?}\n"
        ),
    );
    let task = |id: &str, name: &str, options: Value| {
        let engine = json!({"sha256": sha, "name": name, "options": options});
        let task = json!({
            "version": 1, "id": id, "kind": "pair", "a": {"sha256": sha, "name": "plain"}, "b": engine,
            "variant": "gomoku", "opening": "h8 i9 g7", "nodes": 20,
        });
        format!("{task}\n")
    };
    let mut worker = work(&["--config", &config, "--jobs", "1"]);
    let mut result = |id: &str, name: &str, options: Value| {
        worker.send(task(id, name, options));
        serde_json::from_str::<Value>(&worker.line().unwrap()).unwrap()
    };
    let missing = |result: &Value, file: &str| {
        let error = &result["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert_eq!((&result["ok"], &error["code"]), (&json!(false), &json!("machine")), "{result}");
        assert!(message.contains(file) && message.contains("No such file"), "{result}");
    };
    missing(&result("none", "plain", json!({"BookFile": "none"})), "none.book");
    for (name, options, file) in
        [("plain", json!({"BookFile": "listed"}), &listed), ("own", json!({}), &own)]
    {
        // The engine is checked while the book is there, and the next task finds it gone.
        let before = result("before", name, options.clone());
        assert_eq!(before["ok"], true, "{before}");
        fs::remove_file(file).unwrap();
        missing(&result("after", name, options), file);
    }
    assert_eq!(result("good", "plain", json!({}))["ok"], true);
    worker.close();
    assert!(!worker.rest().1.success());
}

#[test]
fn a_bad_config_is_refused_with_its_line() {
    let folder = Folder::new("config");
    for (text, why) in [
        (
            format!("[[engine]]\ncmd = {TENGEN:?}\nsha256 = \"00\"\n"),
            ":3: engine tengen: sha256 \"00\": ",
        ),
        (
            "[[engine]]\ncmd = \"/no/such\"\n".to_owned(),
            ":1: engine such: there is no program \"/no/such\"",
        ),
        (
            "slots = 1\nrun = 5\n".to_owned(),
            ":2: unknown setting \"run\": it must be one of engine, files, slots",
        ),
    ] {
        let path = folder.write("work.toml", &text);
        let (status, out, err) = folder.tengen(&["work", "--config", &path]);
        assert_eq!((status, out.as_str()), (Some(2), ""));
        assert!(err.starts_with(&format!("tengen: {path}{why}")), "{err}");
    }
}

#[test]
fn a_worker_that_was_stopped_is_continued_with_the_missing_tasks() {
    let folder = Folder::new("sigterm");
    let tasks: String = (0..6).map(|number| positions(&format!("t{number}"), 1 + number)).collect();
    let tasks_file = folder.write("tasks.jsonl", &tasks);
    let (whole, _) = done(&["--jobs", "1"], &tasks);

    let mut worker = work(&["--jobs", "1"]);
    worker.send(positions("t0", 1) + &positions("t1", 2));
    let mut lines = vec![worker.line().unwrap(), worker.line().unwrap()];
    worker.send(json!({"version": 1, "id": "long", "kind": "analyze", "queries": [{"id": "a", "variant": "gomoku", "nodes": 1u64 << 40}]}).to_string() + "\n");
    Command::new("kill").args(["-TERM", &worker.id().to_string()]).status().unwrap();
    let (rest, status) = worker.rest();
    assert_eq!((status.code(), rest.len()), (Some(143), 0));
    // A line that was cut off is no result.
    lines.push("{\"version\":1,\"id\":\"t2\",\"ki".to_owned());
    let results_file = folder.write("results.jsonl", &lines.join("\n"));
    let (status, missing, err) = folder.tengen(&["work", "--missing", &tasks_file, &results_file]);
    assert_eq!((status, missing.lines().count()), (Some(0), 4), "{missing}");
    assert!(err.contains("results.jsonl:3: no result"), "{err}");

    let (rest, _) = done(&["--jobs", "2"], &missing);
    let first = lines[..2].iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut all: Vec<Value> =
        rest.into_values().chain(first).map(|result| result["digest"].clone()).collect();
    let mut wanted: Vec<Value> =
        whole.into_values().map(|result| result["digest"].clone()).collect();
    all.sort_by_key(Value::to_string);
    wanted.sort_by_key(Value::to_string);
    assert_eq!(all, wanted);
}
