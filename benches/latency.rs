//! The latency of UCI engines: `cargo bench --bench latency [-- ENGINE...]` measures Tengen and
//! each ENGINE.
//!
//! Engines take turns in rounds, so that other load of the machine affects all of them alike.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The number of `isready` in a row, in each of ten rounds.
const READY_COUNT: usize = 100;
const STARTS: usize = 30;
const SEARCHES: usize = 100;
const MOVETIME: Duration = Duration::from_millis(50);

struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(path: &str) -> Self {
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {path}: {error}"));
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, input, output }
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).expect("the engine listens");
    }

    fn wait_for(&mut self, word: &str) {
        let mut line = String::new();
        while !line.starts_with(word) {
            line.clear();
            let read = self.output.read_line(&mut line).expect("the engine speaks");
            assert!(read > 0, "the engine left before {word}");
        }
    }

    fn ask(&mut self, line: &str, word: &str) -> Duration {
        let asked = Instant::now();
        self.send(line);
        self.wait_for(word);
        asked.elapsed()
    }

    fn ask_ready(&mut self) -> Vec<Duration> {
        (0..READY_COUNT).map(|_| self.ask("isready", "readyok")).collect()
    }

    fn quit(mut self) {
        self.send("quit");
        self.child.wait().expect("the engine leaves");
    }
}

/// Measures one figure of every engine in turn, and prints it.
fn measure(
    name: &str,
    engines: &mut [(String, Engine)],
    rounds: usize,
    mut sample: impl FnMut(&mut Engine) -> Vec<Duration>,
) {
    let mut samples = vec![Vec::with_capacity(rounds); engines.len()];
    for _ in 0..rounds {
        for ((_, engine), samples) in engines.iter_mut().zip(&mut samples) {
            samples.extend(sample(engine));
        }
    }
    let paths: Vec<String> = engines.iter().map(|(path, _)| path.clone()).collect();
    print(name, &paths, samples);
}

#[expect(clippy::print_stdout, reason = "a benchmark's result")]
fn print(name: &str, paths: &[String], samples: Vec<Vec<Duration>>) {
    for (path, mut samples) in paths.iter().zip(samples) {
        samples.sort_unstable();
        let at =
            |per_cent: usize| samples[(samples.len() - 1) * per_cent / 100].as_secs_f64() * 1e6;
        let engine = path.rsplit('/').next().unwrap_or(path);
        println!("{name:<28} {engine:<16} median {:>9.1} us   p99 {:>9.1} us", at(50), at(99));
    }
}

fn start_up(paths: &[String]) {
    let mut samples = vec![Vec::new(); paths.len()];
    for _ in 0..STARTS {
        for (path, samples) in paths.iter().zip(&mut samples) {
            let started = Instant::now();
            let mut engine = Engine::start(path);
            engine.ask("uci", "uciok");
            engine.ask("isready", "readyok");
            samples.push(started.elapsed());
            engine.quit();
        }
    }
    print("start-up to readyok", paths, samples);
}

fn main() {
    let peers = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let paths: Vec<String> =
        [env!("CARGO_BIN_EXE_tengen").to_owned()].into_iter().chain(peers).collect();
    start_up(&paths);
    let mut engines: Vec<_> =
        paths.into_iter().map(|path| (path.clone(), Engine::start(&path))).collect();
    for (_, engine) in &mut engines {
        engine.ask("uci", "uciok");
        // A variant without a book, so that the first move is searched.
        engine.send("setoption name UCI_Variant value gomokufreestyle");
        engine.ask("isready", "readyok");
    }
    measure("isready, idle", &mut engines, 10, Engine::ask_ready);
    measure("isready, under go infinite", &mut engines, 10, |engine| {
        engine.send("position startpos");
        engine.send("go infinite");
        engine.wait_for("info depth 5 ");
        let samples = engine.ask_ready();
        engine.ask("stop", "bestmove");
        samples
    });
    measure("stop to bestmove", &mut engines, SEARCHES, |engine| {
        engine.send("go infinite");
        engine.wait_for("info depth 5 ");
        std::thread::sleep(Duration::from_millis(5));
        vec![engine.ask("stop", "bestmove")]
    });
    let line = format!("go movetime {}", MOVETIME.as_millis());
    measure("movetime overshoot", &mut engines, SEARCHES, |engine| {
        vec![engine.ask(&line, "bestmove").saturating_sub(MOVETIME)]
    });
    engines.into_iter().for_each(|(_, engine)| engine.quit());
}
