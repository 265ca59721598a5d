//! The overhead of the arena: `cargo bench --bench arena [-- MOVES [CONCURRENCY..]]`.
//!
//! Both engines answer immediately from a list, so that the time of a move is the overhead of the
//! arena, the kernel and the engine's loop. It is read from the journal: from the end of the
//! arena's write to the arrival of the engine's line. All other time of a game is the arena's own.

use std::fs;
use std::io::{self, BufRead, Write};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// The argument that runs this program as an engine.
const ENGINE: &str = "engine";

/// The number of stones in a game, which fills a 15x15 board without five in a row.
const STONES: usize = 225;

#[expect(clippy::print_stdout, reason = "a benchmark's result")]
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if args.first().is_some_and(|arg| arg == ENGINE) {
        answer();
        return ExitCode::SUCCESS;
    }
    let mut numbers = args.iter().filter_map(|arg| arg.parse::<usize>().ok());
    let moves = numbers.next().unwrap_or(10_000);
    let mut concurrencies: Vec<usize> = numbers.collect();
    if concurrencies.is_empty() {
        concurrencies = vec![1, 32];
    }
    println!("at a time  games  moves  median us  99 % us  largest us  moves/s  own us/move");
    for concurrency in concurrencies {
        measure(moves, concurrency);
    }
    ExitCode::SUCCESS
}

/// Returns the cells of the board in the order of play: a pattern of two colours with at most four
/// in a row, the cells of both sides in turn.
fn order() -> Vec<(usize, usize)> {
    let cells = || (0..15).flat_map(|row| (0..15).map(move |column| (column, row)));
    let is_first = |&(column, row): &(usize, usize)| (column / 2 + row).is_multiple_of(2);
    let mut first = cells().filter(is_first);
    let mut second = cells().filter(|cell| !is_first(cell));
    let mut order = Vec::with_capacity(STONES);
    loop {
        let (one, other) = (first.next(), second.next());
        if one.is_none() && other.is_none() {
            return order;
        }
        order.extend(one);
        order.extend(other);
    }
}

/// Runs a UCI engine that plays the cells in the order of [`order`].
fn answer() {
    let order = order();
    let (input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut played = 0;
    for line in input.lines().map_while(Result::ok) {
        let reply = match line.split(' ').next().unwrap_or_default() {
            "uci" => "option name UCI_Variant type combo default x var gomokufreestyle\nuciok\n"
                .to_owned(),
            "isready" => "readyok\n".to_owned(),
            "position" => {
                played = line.split(' ').count().saturating_sub(3);
                continue;
            }
            "go" => {
                let (column, row) = order[played];
                let file = char::from(b'a' + column as u8);
                format!("info depth 1 score cp 0 nodes 1 time 0\nbestmove {file}{}\n", row + 1)
            }
            "quit" => return,
            _ => continue,
        };
        if output.write_all(reply.as_bytes()).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

fn measure(moves: usize, concurrency: usize) {
    let games = moves.div_ceil(STONES).next_multiple_of(2);
    let folder = std::env::temp_dir().join(format!("tengen-bench-arena-{}", std::process::id()));
    let me = std::env::current_exe().expect("this program has a path");
    let (cmd, out) = (format!("cmd={}", me.display()), folder.display().to_string());
    let (rounds, at_once) = ((games / 2).to_string(), concurrency.to_string());
    let args = format!("args={ENGINE}");
    let words = [
        "arena",
        "-engine",
        &cmd,
        &args,
        "name=A",
        "-engine",
        &cmd,
        &args,
        "name=B",
        "-each",
        "proto=uci",
        "tc=1000+0",
        "-variant",
        "gomokufreestyle",
        "-rounds",
        &rounds,
        "-concurrency",
        &at_once,
        "-force-concurrency",
        "-out",
        &out,
    ];
    let begun = Instant::now();
    let run = Command::new(env!("CARGO_BIN_EXE_tengen")).args(words).output().expect("it starts");
    let took = begun.elapsed();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    report(
        &fs::read_to_string(folder.join("journal.jsonl")).expect("a journal"),
        concurrency,
        took,
    );
    fs::remove_dir_all(&folder).expect("the folder can be removed");
}

/// Prints one line of the table.
#[expect(clippy::print_stdout, reason = "a benchmark's result")]
fn report(journal: &str, concurrency: usize, took: std::time::Duration) {
    let mut micros: Vec<u64> = Vec::new();
    let (mut games, mut own) = (0, 0);
    for line in journal.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        if record["kind"] != "game" {
            continue;
        }
        games += 1;
        let notes = record["notes"].as_array().expect("notes");
        assert_eq!(notes.len(), STONES, "{}", record["end"]);
        let times = notes.iter().filter_map(|note| note["us"].as_u64());
        let before = micros.len();
        micros.extend(times);
        let thought: u64 = micros[before..].iter().sum();
        own += (1000 * record["millis"].as_u64().unwrap_or(0)).saturating_sub(thought);
    }
    micros.sort_unstable();
    let at = |share: f64| micros[((micros.len() as f64 * share) as usize).min(micros.len() - 1)];
    println!(
        "{concurrency:>9}  {games:>5}  {:>5}  {:>9}  {:>7}  {:>10}  {:>7.0}  {:>11.0}",
        micros.len(),
        at(0.5),
        at(0.99),
        at(1.0),
        micros.len() as f64 / took.as_secs_f64(),
        own as f64 / micros.len() as f64,
    );
}
