//! The messages of runs at a NATS server: a pause, a cancelled run, a refused user, a server that comes back or is absent.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::nats::{Exporter, Server};
use super::transports::{MATCH, arena};
use super::{Folder, TENGEN};
use crate::support::running::wait;

/// A process whose output goes to a file, and which is killed on drop.
struct Process(Option<Child>, std::path::PathBuf);

impl Process {
    fn start(folder: &Folder, log: &str, words: &[&str]) -> Self {
        let path = folder.0.join(log);
        let mut command = Command::new(TENGEN);
        let log = File::create(&path).unwrap();
        command.args(words).current_dir(&folder.0).stdin(Stdio::null());
        command.stdout(log.try_clone().unwrap());
        let process = command.stderr(log).spawn().unwrap();
        Self(Some(process), path)
    }

    /// Starts a worker for the engines of a match.
    fn worker(folder: &Folder, server: &Server, name: &str) -> Self {
        let listed = |name: &str| format!("[[engine]]\ncmd = {TENGEN:?}\nname = \"{name}\"\n");
        let config = folder.write("work.toml", &(listed("A") + &listed("B")));
        let words =
            ["work", "--nats", &server.url, "--config", &config, "--jobs", "1", "--name", name];
        Self::start(folder, &format!("{name}.log"), &words)
    }

    fn said(&self) -> String {
        fs::read_to_string(&self.1).unwrap()
    }

    /// Waits until the process has said a text.
    fn await_text(&mut self, text: &str) {
        while !self.said().contains(text) {
            let ended = self.0.as_mut().and_then(|child| child.try_wait().unwrap());
            assert_eq!(ended, None, "{text}: {}", self.said());
            std::thread::yield_now();
        }
    }

    fn interrupt(&self) {
        self.signal("-INT");
    }

    fn signal(&self, name: &str) {
        let id = self.0.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Waits for the end. Returns the status.
    fn status(&mut self) -> Option<i32> {
        wait(self.0.take().unwrap()).code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns the words of a match of two programs at the server.
fn words<'a>(engine: &'a str, server: &'a Server, run: &'a str, nodes: &'a str) -> Vec<&'a str> {
    let mut words = vec!["arena"];
    words.extend(MATCH.map(|word| match word {
        "cmd=tengen" => engine,
        "nodes=100" => nodes,
        word => word,
    }));
    words.extend([run, "-transport", "nats", "-nats", &server.url, "-run-name", "r"]);
    words
}

/// Ctrl-C ends a run at once if no worker takes its tasks, and `resume` goes on at the server.
#[test]
fn an_interrupted_run_is_continued_at_its_server() {
    let folder = Folder::new("interrupted");
    let Some(server) = Server::start(&folder) else { return };
    let nats = format!("--nats={}", server.url);
    let (status, err) = arena(&folder, "local", &[]);
    assert_eq!(status, Some(0), "{err}");
    let engine = format!("cmd={TENGEN}");
    // Nobody takes the tasks.
    let mut run = Process::start(&folder, "run.log", &words(&engine, &server, "run", "nodes=100"));
    run.await_text("no worker takes tasks of this run");
    run.interrupt();
    assert_eq!(run.status(), Some(130), "{}", run.said());
    assert!(
        run.said()
            .contains("interrupted: the run is paused or has no worker; 8 running games are left"),
        "{}",
        run.said()
    );
    assert!(run.said().contains("resume with: tengen arena resume run\n"), "{}", run.said());

    // The run is paused.
    let mut run = Process::start(&folder, "again.log", &["arena", "resume", "run"]);
    run.await_text(&format!(
        "the run goes on with -transport nats -nats {}; \"-transport local\"",
        server.url
    ));
    run.await_text("no worker takes tasks of this run");
    while folder.tengen(&["runs", &nats, "--pause", "r"]).0 != Some(0) {
        std::thread::yield_now();
    }
    run.await_text("run r is paused");
    let mut one = Process::worker(&folder, &server, "one");
    one.await_text("one: 1 slot at nats://");
    run.interrupt();
    assert_eq!(run.status(), Some(130), "{}", run.said());

    // Another folder does not end the pause. The command keeps it, until an operator ends it.
    let (status, err) = arena(&folder, "other", &words(&engine, &server, "run", "nodes=100")[22..]);
    assert_eq!(status, Some(4), "{err}");
    assert!(err.contains("/run, which has stopped, is paused: \"tengen runs --nats"), "{err}");
    assert!(err.contains("; -run-name gives this run another name"), "{err}");
    assert!(err.contains("start it with: tengen arena resume other\n"), "{err}");
    let shown = folder.tengen(&["runs", &nats]).1;
    assert!(shown.contains(" paused ") && shown.contains("/run, has stopped"), "{shown}");
    let mut run = Process::start(&folder, "pause.log", &["arena", "resume", "run"]);
    run.await_text("run r is paused: \"tengen runs --nats --resume r\" ends the pause");
    while !folder.tengen(&["runs", "run"]).1.contains("; paused") {
        std::thread::yield_now();
    }
    run.interrupt();
    assert_eq!(run.status(), Some(130), "{}", run.said());
    let (status, said, err) = folder.tengen(&["runs", &nats, "--resume", "r"]);
    assert_eq!(status, Some(0), "{err}");
    let says = "no coordinator of run r answers now, the last sign of life was ";
    assert!(said.starts_with(says) && said.ends_with("\nrun r goes on\n"), "{said}");

    // The results of a worker are removed: it is told so, and another one does its tasks.
    let (status, _, err) = folder.tengen(&["arena", "resume", "run"]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(folder.journal("run", "game"), folder.journal("local", "game"));
    let (status, _, err) = folder.tengen(&["workers", "run", "--purge", "one"]);
    assert_eq!(status, Some(0), "{err}");
    let _two = Process::worker(&folder, &server, "two");
    let (status, _, err) = folder.tengen(&["arena", "resume", "run"]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(folder.journal("run", "game"), folder.journal("local", "game"));
    one.await_text("run r: no task is taken: the results of this worker were purged from the run");

    // A run that goes on in this process keeps none of the server's options.
    let more = ["arena", "resume", "run", "-transport", "local", "-rounds", "5"];
    let (status, _, err) = folder.tengen(&more);
    assert_eq!((status, err.contains("goes on with")), (Some(0), false), "{err}");
    let saved = fs::read_to_string(folder.0.join("run/run.toml")).unwrap();
    assert!(saved.contains("transport = \"local\"") && !saved.contains("nats ="), "{saved}");
}

/// A server that is started again with its store: both sides say once that it is away and that it is back.
#[test]
fn a_server_that_is_started_again_is_told_once() {
    let folder = Folder::new("restart");
    let Some(mut server) = Server::start(&folder) else { return };
    let (status, err) = arena(&folder, "local", &[]);
    assert_eq!(status, Some(0), "{err}");
    let mut worker = Process::worker(&folder, &server, "one");
    let engine = format!("cmd={TENGEN}");
    let mut run = Process::start(&folder, "run.log", &words(&engine, &server, "run", "nodes=100"));
    let exporter = loop {
        let shown = folder.tengen(&["runs", &format!("--nats={}", server.url), "--json"]).1;
        let rows: Value = serde_json::from_str(&shown).unwrap_or_default();
        if rows[0]["name"] == "r" {
            break Exporter::start(&format!("--nats={}", server.url));
        }
        std::thread::yield_now();
    };
    assert!(exporter.get("/healthz").starts_with("200 "));
    server.kill();
    run.await_text("is lost");
    for path in ["/healthz", "/healthz/runs/r", "/healthz/workers/one"] {
        let reply = exporter.get(path);
        assert!(reply.starts_with("503 "), "{reply}");
    }
    server.start_again();
    assert_eq!(run.status(), Some(0), "{}", run.said());
    assert_eq!(folder.journal("run", "game"), folder.journal("local", "game"));
    worker.await_text("is back");
    for said in [run.said(), worker.said()] {
        let count = |text: &str| said.matches(text).count();
        assert_eq!((count("is lost: "), count("is back")), (1, 1), "{said}");
        assert_eq!(count("has lost its streams"), 0, "{said}");
    }
    while !exporter.get("/healthz").starts_with("200 ") {
        std::thread::yield_now();
    }
}

/// A user without the rights of a coordinator is refused at once, and no message shows a password.
#[test]
fn a_worker_cannot_steer_runs() {
    let folder = Folder::new("rights");
    let Some(server) = Server::with_users(&folder) else { return };
    let (worker, coordinator) = (server.url_of("worker"), server.url_of("coordinator"));
    let refuse = |words: &[&str], says: &str| {
        let (status, said, err) = folder.tengen(words);
        assert_eq!((status, said.as_str(), err.contains(says)), (Some(2), "", true), "{err}");
        assert!(!err.contains("secret"), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    };
    let needs = "this command needs the user of a coordinator";
    refuse(&["runs", &format!("--nats={worker}")], needs);
    refuse(&["workers", &format!("--nats={worker}"), "--drain", "w"], needs);
    folder.write("q.jsonl", "{\"id\":\"a\",\"variant\":\"gomoku\",\"nodes\":10}\n");
    refuse(&["batch", "q.jsonl", "--transport", "nats", "--nats", &worker], needs);
    refuse(&["runs", "--nats", &coordinator], "name the server as --nats=URL");
    refuse(&["runs", &coordinator], "no run is in this folder");
    refuse(&["batch", "q.jsonl", &coordinator], "unexpected argument");
    refuse(&["batch", "q.jsonl", "--nats", &coordinator], "add --transport nats");
    refuse(&["runs", &format!("--nats={coordinator}")], "no run was started at this server yet");
    let (status, _, err) = folder.tengen(&["arena", &coordinator]);
    assert_eq!((status, err.contains("secret")), (Some(1), false), "{err}");
}

/// A match that an operator cancels ends as an interrupted one. Only its coordinator gives signs of life, and the run is
/// removed only after its end.
#[test]
fn a_cancelled_match_is_an_interrupted_one() {
    let folder = Folder::new("cancelled");
    let Some(server) = Server::start(&folder) else { return };
    folder.write("o.txt", "h8 i9\nh8 g9 f7\nh8 h9\ng7 h8\n");
    let nats = format!("--nats={}", server.url);
    let row = || {
        let shown = folder.tengen(&["runs", &nats, "--json"]).1;
        serde_json::from_str::<Value>(&shown).map_or(Value::Null, |rows| rows[0].clone())
    };
    let engine = format!("cmd={TENGEN}");
    // Nobody takes the tasks.
    let mut run = Process::start(&folder, "run.log", &words(&engine, &server, "run", "nodes=100"));
    while row()["open"].as_u64().unwrap_or(0) == 0 {
        std::thread::yield_now();
    }
    run.signal("-STOP");
    while row()["silent_s"].as_i64() < Some(2) {
        std::thread::yield_now();
    }
    let (status, said, err) = folder.tengen(&["runs", &nats, "--share", "r=2"]);
    assert_eq!((status, said.as_str()), (Some(0), "run r has the share 2\n"), "{err}");
    assert!(row()["silent_s"].as_i64() >= Some(2) && row()["share"] == 2, "{}", row());
    let (status, said, err) = folder.tengen(&["runs", &nats, "--cancel", "r"]);
    let says = "run r ends; its command continues it\n";
    assert_eq!((status, said.as_str()), (Some(0), says), "{err}");
    let (status, _, err) = folder.tengen(&["runs", &nats, "--remove", "r"]);
    let says = "run r is stopping, and its coordinator has not ended yet: ";
    assert_eq!((status, err.contains(says)), (Some(2), true), "{err}");
    run.signal("-CONT");
    assert_eq!(run.status(), Some(130), "{}", run.said());
    for text in [
        "run r was cancelled by an operator\n",
        "\nMore: tengen arena report run --details\n",
        "resume with: tengen arena resume run\n",
    ] {
        assert!(run.said().contains(text), "{text}: {}", run.said());
    }
    let end = row();
    assert_eq!((&end["state"], &end["has_ended"]), (&json!("cancelled"), &json!(true)), "{end}");
    assert_eq!((&end["open"], &end["workers"]), (&json!(0), &json!(0)), "{end}");
    let shown = folder.tengen(&["runs", "run"]).1;
    assert!(shown.ends_with("; stopped: run r was cancelled by an operator\n"), "{shown}");

    // Another folder may have the name now, and replaces a run that has only stopped with a word.
    let mut other =
        Process::start(&folder, "other.log", &words(&engine, &server, "other", "nodes=100"));
    while row()["state"] != "running" {
        std::thread::yield_now();
    }
    // While it works, a third folder is refused.
    let (status, err) = arena(&folder, "third", &words(&engine, &server, "run", "nodes=100")[22..]);
    let says = "/other; -run-name gives this run another name";
    assert_eq!((status, err.contains(says)), (Some(4), true), "{err}");
    other.await_text("no worker takes tasks of this run");
    other.interrupt();
    assert_eq!(other.status(), Some(130), "{}", other.said());
    assert_eq!(row()["state"], "stopped");
    let mut third =
        Process::start(&folder, "third.log", &words(&engine, &server, "fourth", "nodes=100"));
    third.await_text("/other, which has stopped, is replaced by this one\n");
    let (status, said, err) = folder.tengen(&["runs", &nats, "--cancel", "r"]);
    assert_eq!(status, Some(0), "{said}{err}");
    assert_eq!(third.status(), Some(130), "{}", third.said());
    let (status, _, err) = folder.tengen(&["runs", &nats, "--remove", "r"]);
    assert_eq!(status, Some(0), "{err}");
    assert_eq!(row(), Value::Null);
}

/// A coordinator that was suspended while another one took its run, and one whose run was removed, end and say why.
#[test]
fn a_coordinator_that_has_lost_its_run_ends() {
    let folder = Folder::new("lost");
    let Some(server) = Server::start(&folder) else { return };
    folder.write("o.txt", "h8 i9\nh8 g9 f7\nh8 h9\ng7 h8\n");
    let nats = format!("--nats={}", server.url);
    let engine = format!("cmd={TENGEN}");
    // Nobody takes the tasks.
    let start = |log: &str, out: &str| {
        Process::start(&folder, log, &words(&engine, &server, out, "nodes=100"))
    };
    let mut one = start("one.log", "one");
    one.await_text("no worker takes tasks of this run");
    while folder.tengen(&["runs", &nats, "--share", "r=3"]).0 != Some(0) {
        std::thread::yield_now();
    }
    one.signal("-STOP");
    let mut other = start("other.log", "other");
    other.await_text(", is replaced by this one; its share 3 is dropped\n");
    one.signal("-CONT");
    assert_eq!(one.status(), Some(130), "{}", one.said());
    for text in ["/other has taken over the run r: this coordinator stops", "\nresume with: "] {
        assert!(one.said().contains(text), "{text}: {}", one.said());
    }
    other.await_text("no worker takes tasks of this run");
    server.remove_run("r");
    assert_eq!(other.status(), Some(130), "{}", other.said());
    let says = "run r was removed from the server by an operator";
    assert!(other.said().contains(says), "{}", other.said());
}
