//! What users are told at a server of NATS: when a run is paused, when the server starts again, and when it is away.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::nats::{Exporter, Server};
use super::transports::{MATCH, arena};
use super::{Folder, TENGEN};
use crate::support::running::wait;

/// A process whose standard error goes to a file, and which is killed on drop.
struct Process(Option<Child>, std::path::PathBuf);

impl Process {
    fn start(folder: &Folder, log: &str, words: &[&str]) -> Self {
        let path = folder.0.join(log);
        let mut command = Command::new(TENGEN);
        command.args(words).current_dir(&folder.0).stdin(Stdio::null()).stdout(Stdio::null());
        let process = command.stderr(File::create(&path).unwrap()).spawn().unwrap();
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
        let id = self.0.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
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
    one.await_text("slots at");
    run.interrupt();
    assert_eq!(run.status(), Some(130), "{}", run.said());

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
