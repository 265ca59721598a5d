//! Runs whose workers are child processes or machines that run `tengen work`.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

#[cfg(all(feature = "nats", target_os = "linux"))]
use super::nats::{Exporter, Server};
use super::{Folder, TENGEN};

pub(super) const MATCH: [&str; 20] = [
    "-engine",
    "cmd=tengen",
    "name=A",
    "-engine",
    "cmd=tengen",
    "name=B",
    "option.Hash=8",
    "-each",
    "nodes=100",
    "proto=uci",
    "-variant",
    "gomoku",
    "-boardsize",
    "15",
    "-openings",
    "file=o.txt",
    "format=moves",
    "-rounds",
    "4",
    "-out",
];

pub(super) fn arena(folder: &Folder, run: &str, more: &[&str]) -> (Option<i32>, String) {
    folder.write("o.txt", "h8 i9\nh8 g9 f7\nh8 h9\ng7 h8\n");
    let engine = format!("cmd={TENGEN}");
    let mut words = vec!["arena"];
    words.extend(MATCH.map(|word| if word == "cmd=tengen" { engine.as_str() } else { word }));
    words.push(run);
    words.extend(more);
    let (status, _, err) = folder.tengen(&words);
    (status, err)
}

/// Checks what the metrics of the server `nats` say of the run `name`, which is done, and of its workers.
#[cfg(all(feature = "nats", target_os = "linux"))]
fn check_metrics(nats: &str, name: &str) {
    let exporter = Exporter::start(nats);
    for (path, status, part) in [
        ("/metrics".to_owned(), 200, "tengen_run_share{"),
        ("/healthz".to_owned(), 200, "ok"),
        (format!("/healthz/runs/{name}"), 200, "ok"),
        ("/healthz/runs/none".to_owned(), 503, "there is no run none"),
        ("/healthz/workers/good".to_owned(), 200, "ok"),
        ("/healthz/workers/none".to_owned(), 503, "no such worker"),
        ("/other".to_owned(), 404, ""),
    ] {
        let reply = exporter.get(&path);
        assert!(reply.starts_with(&format!("{status} ")), "{path}: {reply}");
        assert!(reply.contains(part), "{path}: {reply}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_match_has_one_journal_in_this_process_and_in_children() {
    let folder = Folder::new("match");
    let (status, err) = arena(&folder, "local", &[]);
    assert_eq!(status, Some(0), "{err}");
    let local = folder.journal("local", "game");
    assert_eq!(local.len(), 8);
    let (status, err) =
        arena(&folder, "pipe", &["-transport", "pipe", "-concurrency", "2", "-force-concurrency"]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(folder.journal("pipe", "game"), local);

    // A command that gives false digests is refused once, and its games are played by the other one.
    let good = format!("{TENGEN} work --jobs 1");
    let bad = format!("{good} | sed -u s/sha256:./sha256:x/");
    let (status, err) =
        arena(&folder, "false", &["-transport", "pipe", "-pipe", &bad, "-pipe", &good]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(folder.journal("false", "game"), local);
    assert_eq!(folder.records("false", "refused"), 1);
    assert!(err.contains("does not count: its digest is not that of its data"), "{err}");

    // So is a command of another version.
    let old = format!("{good} | sed -u 's/\"version\":\"[^\"]*\"/\"version\":\"0.0.1\"/'");
    let (status, err) = arena(&folder, "old", &["-transport", "pipe", "-pipe", &old]);
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("the worker has version 0.0.1, the run "), "{err}");
    assert!(err.contains("no worker is left"), "{err}");
    // Nothing is lost: the run goes on with other workers.
    let (status, _, err) =
        folder.tengen(&["arena", "resume", "old", "-transport", "pipe", "-pipe", &good]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(folder.journal("old", "game"), local);
}

/// Both children of a match show the game that they play.
#[test]
#[cfg(target_os = "linux")]
fn the_games_of_children_are_shown_while_they_play() {
    let folder = Folder::new("views");
    folder.write("o.txt", "h8 i9\nh8 g9 f7\nh8 h9\ng7 h8\n");
    let engine = format!("cmd={TENGEN}");
    let mut words = vec!["arena"];
    words.extend(MATCH.map(|word| match word {
        "cmd=tengen" => engine.as_str(),
        "nodes=100" => "nodes=20000",
        word => word,
    }));
    words.extend(["run", "-transport", "pipe", "-concurrency", "2", "-force-concurrency"]);
    let mut run = Command::new(TENGEN);
    run.args(words).current_dir(&folder.0).stdin(Stdio::null());
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let games = loop {
        let text = fs::read_to_string(folder.0.join("run/running.json")).unwrap_or_default();
        let games: Value = serde_json::from_str(&text).unwrap_or_default();
        let has_moves = |game: &Value| game["said"].as_array().is_some_and(|said| !said.is_empty());
        match games.as_array() {
            Some(both) if both.len() == 2 && both.iter().all(has_moves) => break games,
            _ => assert_eq!(run.try_wait().unwrap(), None, "the run has ended: {games}"),
        }
        std::thread::yield_now();
    };
    let pair = |game: &Value| game["game"].as_u64().unwrap() / 2;
    assert_ne!(pair(&games[0]), pair(&games[1]), "{games}");
    run.kill().unwrap();
    run.wait().unwrap();
}

/// Each process scales the clocks by its speed, and says so in the journal and the PGN.
#[test]
#[cfg(target_os = "linux")]
fn clocks_are_scaled_to_the_speed_of_a_machine() {
    let folder = Folder::new("speed");
    let (status, err) = arena(&folder, "counted", &["-scale-nps", "100000"]);
    assert_eq!(status, Some(1), "{err}");
    assert!(err.contains("scale-nps: no engine has a clock"), "{err}");
    let clock = ["-scale-nps", "100000", "-each", "tc=2+0.1", "-maxmoves", "6"];
    let pipe = [&clock[..], &["-transport", "pipe", "-concurrency", "1"]].concat();
    for (run, words) in [("local", &clock[..]), ("pipe", &pipe)] {
        let (status, err) = arena(&folder, run, words);
        assert_eq!(status, Some(0), "{err}");
        let text = fs::read_to_string(folder.0.join(run).join("journal.jsonl")).unwrap();
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let scales = records.filter(|record| record["kind"] == "game");
        let scales: Vec<Value> = scales.map(|mut game| game["clock_scale"].take()).collect();
        assert!(scales.len() == 8 && scales.iter().all(|scale| scale.as_f64() > Some(0.0)));
        let pgn = fs::read_to_string(folder.0.join(run).join("games.pgn")).unwrap();
        assert!(pgn.contains(&format!("[ClockScale \"{}\"]", scales[0])), "{pgn}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_engine_that_no_worker_lists_is_refused_once() {
    let folder = Folder::new("unlisted");
    let config = folder.write("none.toml", "slots = 1\n");
    let command = format!("{TENGEN} work --config {config}");
    let (status, err) = arena(&folder, "run", &["-transport", "pipe", "-pipe", &command]);
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("this worker lists no engine with this SHA-256"), "{err}");
    let absent = ["-transport", "pipe", "-pipe", "/no/such/program"];
    let (status, err) = arena(&folder, "absent", &absent);
    assert_eq!(status, Some(3), "{err}");
    assert!(err.contains("no worker is left: the last one ended: exit status: 127"), "{err}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_journal_that_is_cut_anywhere_is_continued_to_the_same_games() {
    let folder = Folder::new("cut");
    let (status, err) = arena(&folder, "run", &[]);
    assert_eq!(status, Some(0), "{err}");
    let games = folder.journal("run", "game");
    let journal = folder.0.join("run/journal.jsonl");
    let (whole, mut random) = (fs::read(&journal).unwrap(), fastrand::Rng::with_seed(6));
    let head = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // Nothing, a part of the head, the head, and random lengths.
    let cuts =
        [0, head / 2, head].into_iter().chain((0..4).map(|_| random.usize(head..whole.len())));
    for length in cuts {
        fs::write(&journal, &whole[..length]).unwrap();
        let (status, _, err) = folder.tengen(&["arena", "resume", "run"]);
        assert_eq!(status, Some(0), "{length}: {err}");
        assert_eq!(folder.journal("run", "game"), games, "{length}");
        assert!(fs::read(&journal).unwrap().starts_with(&whole[..head]), "{length}");
    }
}

#[test]
#[cfg(all(target_os = "linux", not(feature = "nats")))]
fn without_the_feature_no_socket_is_opened() {
    let folder = Folder::new("sockets");
    folder.write("q.jsonl", "{\"id\":\"a\",\"variant\":\"gomoku\",\"nodes\":10}\n");
    folder.write("o.txt", "h8 i9\nh8 g9 f7\n");
    let engine = format!("cmd={TENGEN}");
    let own = MATCH.map(|word| if word == "cmd=tengen" { engine.as_str() } else { word });
    let arena = [&["arena"], &own[..]].concat();
    let batch = ["batch", "q.jsonl", "--out"];
    for words in [
        [&arena[..], &["game"]].concat(),
        [&arena[..], &["games", "-transport", "pipe"]].concat(),
        [&batch[..], &["batch"]].concat(),
        [&batch[..], &["batches", "--transport", "pipe", "--workers", "1"]].concat(),
    ] {
        let mut traced = Command::new("strace");
        traced.args(["-f", "-qq", "-e", "trace=execve,socket,connect,bind", "-o", "trace", TENGEN]);
        let traced = traced.args(&words).current_dir(&folder.0).stdin(Stdio::null()).output();
        let trace = fs::read_to_string(folder.0.join("trace")).unwrap_or_default();
        if !trace.contains("execve(") {
            return crate::support::published::skip("strace");
        }
        let output = traced.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // Other lines are notes of strace, such as `???( <detached ...>`.
        let is_call =
            |line: &&str| ["socket(", "connect(", "bind("].iter().any(|call| line.contains(call));
        let sockets: Vec<&str> = trace.lines().filter(is_call).collect();
        assert!(sockets.is_empty(), "{words:?}: {sockets:?}");
    }
}

#[test]
fn a_batch_has_one_journal_in_this_process_and_in_children() {
    let folder = Folder::new("batch");
    let query = |number: usize| {
        let variant = ["gomoku", "renju", "cfour"][number % 3];
        let moves = if variant == "cfour" {
            format!("4{}", number % 7 + 1)
        } else {
            format!("h8 i{}", number % 9 + 1)
        };
        json!({"id": format!("q{number}"), "variant": variant, "moves": moves, "nodes": 200})
            .to_string()
            + "\n"
    };
    let queries: String = (0..23).map(query).collect();
    folder.write("q.jsonl", &queries);
    let run = |out: &str, more: &[&str]| {
        let words = [&["batch", "q.jsonl", "--fresh", "--in-order", "--out", out], more].concat();
        let (status, _, err) = folder.tengen(&words);
        assert_eq!(status, Some(0), "{err}");
        folder.journal(out, "answer")
    };
    let local = run("local", &["--workers", "1"]);
    assert_eq!(local.len(), 23);
    assert_eq!(run("pipe", &["--transport", "pipe", "--workers", "2", "--chunk", "4"]), local);
    // Answers of other processes name their workers.
    let named = |run: &str| {
        let journal = fs::read_to_string(folder.0.join(run).join("journal.jsonl")).unwrap();
        journal.lines().filter(|line| line.contains("/0\",\"crc\"")).count()
    };
    assert_eq!((named("local"), named("pipe")), (0, 23));
    // The replies have their fields in the order of the protocol.
    let results = fs::read_to_string(folder.0.join("pipe/results.jsonl")).unwrap();
    assert!(
        results.starts_with("{\"type\":\"answer\",\"id\":\"q0\",\"turn_number\":2"),
        "{results}"
    );
}

#[test]
#[cfg(all(feature = "nats", target_os = "linux"))]
fn a_match_and_a_batch_have_one_journal_by_nats() {
    let folder = Folder::new("nats");
    let Some(server) = Server::start(&folder) else { return };
    let listed = |name: &str| format!("[[engine]]\ncmd = {TENGEN:?}\nname = \"{name}\"\n");
    let config = folder.write("work.toml", &(listed("A") + &listed("B")));
    let _worker =
        super::work(&["--nats", &server.url, "--config", &config, "--jobs", "2", "--name", "good"]);
    let mut other = super::work(&["--nats", &server.url, "--jobs", "1", "--name", "other"]);
    let (status, err) = arena(&folder, "local", &[]);
    assert_eq!(status, Some(0), "{err}");
    let (status, err) = arena(&folder, "nats", &["-transport", "nats", "-nats", &server.url]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(folder.journal("nats", "game"), folder.journal("local", "game"));
    let nats = format!("--nats={}", server.url);
    let (status, shown, err) = folder.tengen(&["workers", &nats, "--json"]);
    assert_eq!(status, Some(0), "{err}");
    let workers: Value = serde_json::from_str(&shown).unwrap();
    let of =
        |name: &str| workers.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(
        (&of("good")["slots"], of("good")["refuses"].as_object().unwrap().len()),
        (&json!(2), 0)
    );
    assert_eq!(of("other")["is_drained"], json!(false));
    let (_, shown, _) = folder.tengen(&["runs", &nats, "--json"]);
    let runs: Value = serde_json::from_str(&shown).unwrap();
    let name = runs[0]["name"].as_str().unwrap().to_owned();
    assert!(name.starts_with("nats-") && runs[0]["state"] == "done", "{shown}");
    assert_eq!((&runs[0]["open"], &runs[0]["workers"]), (&json!(0), &json!(0)), "{shown}");
    let (_, shown, err) = folder.tengen(&["runs", &nats, "--metrics"]);
    for line in [
        format!("tengen_run_tasks_open{{run=\"{name}\",state=\"done\"}} "),
        "tengen_worker_slots{worker=\"good\",drained=\"false\"} 2\n".into(),
    ] {
        assert!(shown.contains(&line), "{line}: {shown}{err}");
    }
    check_metrics(&nats, &name);
    let (status, _, err) = folder.tengen(&["runs", &nats, "--share", &format!("{name}=0")]);
    assert_eq!((status, err.contains("a number from 1 to 100")), (Some(2), true), "{err}");
    let (status, _, err) = folder.tengen(&["runs", &nats, "--share", &format!("{name}=3")]);
    assert_eq!((status, err.contains("is done")), (Some(2), true), "{err}");
    let (status, _, err) = folder.tengen(&["runs", &nats, "--pause", &name]);
    assert_eq!((status, err.contains("is done")), (Some(2), true), "{err}");
    // A journal that is lost is made again from the results at the server.
    let head = fs::read_to_string(folder.0.join("nats/journal.jsonl")).unwrap();
    fs::write(folder.0.join("nats/journal.jsonl"), head.lines().next().unwrap().to_owned() + "\n")
        .unwrap();
    other.close();
    let again = ["arena", "resume", "nats", "-transport", "nats", "-nats", &server.url];
    let (status, _, err) = folder.tengen(&again);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(folder.journal("nats", "game"), folder.journal("local", "game"));

    folder.write("q.jsonl", &(0..9).map(|n| format!("{{\"id\":\"q{n}\",\"variant\":\"gomoku\",\"moves\":\"h8 i{}\",\"nodes\":200}}\n", n + 1)).collect::<String>());
    let batch = |out: &str, more: &[&str]| {
        let words = [&["batch", "q.jsonl", "--fresh", "--out", out], more].concat();
        let (status, _, err) = folder.tengen(&words);
        assert_eq!(status, Some(0), "{err}");
        folder.journal(out, "answer")
    };
    // Other queries under the same name have their own answers.
    let words = ["--transport", "nats", "--nats", &server.url, "--run-name", "nightly"];
    let first = batch("nightly-1", &words);
    folder.write("q.jsonl", &(0..9).map(|n| format!("{{\"id\":\"q{n}\",\"variant\":\"gomoku\",\"moves\":\"h8 g{}\",\"nodes\":200}}\n", n + 1)).collect::<String>());
    let other = batch("nightly-2", &words);
    assert_ne!(first, other);
    assert_eq!(other, batch("nightly-local", &["--workers", "1"]));
    assert_eq!(batch("nightly-3", &[&words[..], &["--chunk", "1"]].concat()), other);
    let by_nats =
        batch("batch-nats", &["--transport", "nats", "--nats", &server.url, "--chunk", "2"]);
    assert_eq!(by_nats, batch("batch-local", &["--workers", "1"]));
}

/// The results of one worker are removed, and the next command asks for them again.
#[test]
fn the_results_of_a_worker_can_be_removed() {
    let folder = Folder::new("purge");
    let query = |n: usize| format!("{{\"id\":\"q{n}\",\"moves\":\"4{}\",\"nodes\":50}}\n", n + 1);
    folder.write("q.jsonl", &(0..6).map(query).collect::<String>());
    let words = ["batch", "q.jsonl", "--fresh", "--out", "out", "--chunk", "1"];
    let pipe = [&words[..], &["--transport", "pipe", "--workers", "1"]].concat();
    let (status, _, err) = folder.tengen(&pipe);
    assert_eq!(status, Some(0), "{err}");
    let answers = folder.journal("out", "answer");
    let (status, json, err) = folder.tengen(&["workers", "out", "--json"]);
    assert_eq!(status, Some(0), "{err}");
    let workers: Value = serde_json::from_str(&json).unwrap();
    let (name, worker) = workers.as_object().unwrap().iter().next().unwrap();
    assert_eq!((&worker["results"], &worker["refused"]), (&json!(6), &json!(0)));
    assert!(worker["program"]["sha256"].as_str().unwrap().len() == 64, "{json}");
    let (_, shown, _) = folder.tengen(&["runs", "out"]);
    assert_eq!(shown, "out: 6 results by 1 worker, 0 reasons for refusals; not running\n");

    let (status, _, err) = folder.tengen(&["workers", "out", "--purge", "nobody"]);
    assert_eq!(
        (status, err.contains("--purge nobody: the journal has no results")),
        (Some(2), true),
        "{err}"
    );
    if cfg!(feature = "nats") {
        let (status, _, err) = folder.tengen(&["workers", "nats://host2", "--nats"]);
        let says = err.contains("(nats://host2): name the server as --nats=nats://host2, or leave");
        assert_eq!((status, says), (Some(2), true), "{err}");
        let (status, _, err) = folder.tengen(&["workers", "out", "--purge", name, "--nats"]);
        assert_eq!((status, err.contains("--nats and a folder (out)")), (Some(2), true), "{err}");
    }
    let (status, said, err) = folder.tengen(&["workers", "out", "--purge", name]);
    assert_eq!(status, Some(0), "{err}");
    assert!(said.starts_with(&format!("6 results of {name} removed")), "{said}");
    assert_eq!(folder.records("out", "answer"), 0);
    let (status, _, err) = folder.tengen(&[&words[..], &["--workers", "1"]].concat());
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(folder.journal("out", "answer"), answers);
    let (_, shown, _) = folder.tengen(&["workers", "out"]);
    assert!(shown.contains("this process") && shown.contains(" purged\n"), "{shown}");
    let (status, _, err) = folder.tengen(&["workers", "nothing"]);
    assert_eq!(status, Some(2), "{err}");
}

/// A run that is paused, and a worker that is drained, go on later; a run that is cancelled is continued.
#[test]
#[cfg(all(feature = "nats", target_os = "linux"))]
fn a_run_is_steered_at_the_server() {
    let folder = Folder::new("steer");
    let Some(server) = Server::start(&folder) else { return };
    let query = |n: usize| {
        format!(
            "{{\"id\":\"q{n}\",\"variant\":\"gomoku\",\"moves\":\"h8 i9\",\"nodes\":{}}}\n",
            3000 + n
        )
    };
    folder.write("q.jsonl", &(0..100).map(query).collect::<String>());
    let _worker = super::work(&["--nats", &server.url, "--jobs", "1", "--name", "w"]);
    let words = ["batch", "q.jsonl", "--fresh", "--out", "out", "--chunk", "1", "--run-name", "r"];
    let words = [&words[..], &["--transport", "nats", "--nats", &server.url]].concat();
    let start = || {
        let mut run = Command::new(TENGEN);
        run.args(&words).current_dir(&folder.0).stdin(Stdio::null());
        run.stderr(Stdio::null()).spawn().unwrap()
    };
    let nats = format!("--nats={}", server.url);
    let row = || {
        let (_, shown, _) = folder.tengen(&["runs", &nats, "--json"]);
        serde_json::from_str::<Value>(&shown).map_or(Value::Null, |rows| rows[0].clone())
    };
    let tell = |words: &[&str]| folder.tengen(&[words, &[nats.as_str()]].concat());
    let steer = |words: &[&str], says: &str| {
        let (status, said, err) = tell(words);
        assert_eq!((status, said.trim_end()), (Some(0), says), "{words:?}: {err}");
    };
    let refuse = |words: &[&str], says: &str| {
        let (status, said, err) = tell(words);
        assert_eq!((status, said.as_str(), err.contains(says)), (Some(2), "", true), "{err}");
    };
    let await_state = |state: &str| {
        while row()["state"] != state {
            std::thread::yield_now();
        }
    };
    let mut run = start();
    await_state("running");
    steer(&["runs", "--pause", "r"], "run r is paused; --resume r continues it");
    await_state("paused");
    refuse(&["runs", "--remove", "r"], "run r is still running: ");
    refuse(&["runs", "--pause", "s"], "there is no run s: ");
    // The coordinator of a paused run keeps it.
    let other = words.iter().map(|word| if *word == "out" { "other" } else { *word });
    let (status, _, err) = folder.tengen(&other.collect::<Vec<_>>());
    assert!(status != Some(0) && err.contains("another coordinator works"), "{status:?} {err}");
    while !tell(&["workers", "--json"]).1.contains("\"w\"") {
        std::thread::yield_now();
    }
    refuse(&["workers", "--drain", "x"], "--drain x: no such worker is at the server; ");
    steer(&["workers", "--drain", "w"], "w takes no more tasks; --restore w takes this back");
    steer(&["runs", "--resume", "r"], "run r goes on");
    steer(&["workers", "--restore", "w"], "w takes tasks again");
    steer(&["runs", "--cancel", "r"], "run r ends; its command continues it");
    assert_eq!(run.wait().unwrap().code(), Some(130));
    assert_eq!(row()["state"], "cancelled");
    steer(&["runs", "--remove", "r"], "run r is removed; its folder stays");
    assert_eq!(row(), Value::Null);
    assert!(folder.records("out", "answer") < 100);
    let mut run = start();
    assert!(run.wait().unwrap().success());
    assert_eq!(folder.records("out", "answer"), 100);
    steer(&["runs", "--remove", "r"], "run r is removed; its folder stays");
    assert_eq!(row(), Value::Null);
}

/// A worker that is asked to end gives its task back: without that, the run would wait for hours.
#[test]
#[cfg(all(feature = "nats", target_os = "linux"))]
fn a_worker_that_ends_gives_its_task_back() {
    let folder = Folder::new("leave");
    let Some(server) = Server::start(&folder) else { return };
    folder.write("q.jsonl", &(0..6).map(|n| format!("{{\"id\":\"q{n}\",\"variant\":\"gomoku\",\"moves\":\"h8 i{}\",\"nodes\":{}}}\n", n + 1, if n == 0 { 50 } else { 60_000 })).collect::<String>());
    let words = ["--nats", &server.url, "--jobs", "1", "--name"];
    let first = super::work(&[&words[..], &["first"]].concat());
    let nats = ["--transport", "nats", "--nats", &server.url, "--chunk", "1"];
    let more = ["--fresh", "--out", "out", "--ack-wait-ms", "7200000"];
    let mut run = Command::new(TENGEN);
    run.args(["batch", "q.jsonl"]).args(nats).args(more).current_dir(&folder.0);
    let mut run = run.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let results = folder.0.join("out/results.jsonl");
    // It has one answer, and does the next query.
    while fs::read_to_string(&results).unwrap_or_default().is_empty() {
        std::thread::yield_now();
    }
    Command::new("kill").args(["-TERM", &first.id().to_string()]).status().unwrap();
    assert_eq!(first.rest().1.code(), Some(143));
    let _second = super::work(&[&words[..], &["second"]].concat());
    assert!(run.wait().unwrap().success());
    assert_eq!(folder.records("out", "answer"), 6);
    // The journal says who did each task, and by which program.
    let journal = fs::read_to_string(folder.0.join("out/journal.jsonl")).unwrap();
    for name in ["first", "second"] {
        assert!(journal.contains(&format!("\"worker\":\"{name}/0\"")), "{journal}");
        assert!(journal.contains(&format!("\"kind\":\"worker\",\"name\":\"{name}\"")), "{journal}");
    }
}

/// A task that takes too long is divided, and a query that takes too long is asked again by a later command.
#[test]
fn a_failure_is_no_answer() {
    let folder = Folder::new("late");
    let query = |id: &str, nodes: u64| {
        json!({"id": id, "variant": "gomoku", "moves": "h8 i9", "nodes": nodes}).to_string() + "\n"
    };
    folder.write("q.jsonl", &(query("a", 50) + &query("late", 1 << 40) + &query("b", 50)));
    let words = ["batch", "q.jsonl", "--out", "out", "--transport", "pipe", "--workers", "1"];
    let (status, _, err) = folder.tengen(&[&words[..], &["--task-ms", "1500"]].concat());
    assert_eq!(status, Some(1), "{err}");
    assert!(err.contains("query \"late\" has no answer: max_ms 1500"), "{err}");
    assert!(err.contains("1 of 3 queries have no answer; this command asks them again"), "{err}");
    assert_eq!(folder.records("out", "answer"), 2);
}

#[test]
#[cfg(feature = "nats")]
fn a_server_that_is_absent_is_named() {
    let folder = Folder::new("absent");
    folder.write("q.jsonl", "{\"id\":\"a\",\"variant\":\"gomoku\",\"nodes\":10}\n");
    let words =
        ["batch", "q.jsonl", "--transport", "nats", "--nats", "nats://me:secret@127.0.0.1:1"];
    let (status, _, err) = folder.tengen(&words);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.starts_with("tengen: --transport nats: nats://127.0.0.1:1: "), "{err}");
    assert!(!err.contains("secret"), "{err}");
    let (status, _, err) = folder.tengen(&["batch", "q.jsonl", "--transport", "nats"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("the address of the server is missing"), "{err}");
}

#[test]
#[cfg(not(feature = "nats"))]
fn without_the_feature_nats_is_refused() {
    let folder = Folder::new("without");
    folder.write("q.jsonl", "{\"id\":\"a\",\"variant\":\"gomoku\",\"nodes\":10}\n");
    let words = ["batch", "q.jsonl", "--transport", "nats", "--nats", "nats://127.0.0.1"];
    let (status, _, err) = folder.tengen(&words);
    assert_eq!(status, Some(2), "{err}");
    assert!(
        err.contains("this program was built without NATS: cargo build --release --features nats"),
        "{err}"
    );
    let (status, _, err) = folder.tengen(&["work", "--nats", "nats://127.0.0.1"]);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("built without the feature nats"), "{err}");
}
