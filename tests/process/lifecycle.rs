//! The real program with pipes, sockets and files, and all ways to end it. No test here may hang.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;

use crate::support::running::{Engine, TIMEOUT, tengen, wait};

const ROUNDS: usize = 20;

fn count(lines: &[String], start: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(start)).count()
}

fn is_move(line: &str) -> bool {
    line.strip_prefix("bestmove ").is_some_and(|mv| mv.starts_with(|c: char| c.is_alphanumeric()))
}

/// Returns the output of the program for `input`, which is its whole input.
fn converse(input: &[u8]) -> Vec<String> {
    let mut engine = Engine::start();
    engine.send(input);
    engine.close();
    let (lines, status) = engine.rest();
    assert!(status.success(), "{status}");
    lines
}

#[test]
fn a_thousand_isready_and_a_stop_are_answered_during_a_search() {
    let mut engine = Engine::start();
    engine.send("go infinite\n");
    for _ in 0..1000 {
        engine.send("isready\n");
        engine.until("readyok");
    }
    engine.send("isready\n".repeat(1000));
    for _ in 0..1000 {
        engine.until("readyok");
    }
    engine.send("stop\n");
    engine.until("bestmove");
    engine.send("quit\n");
    let (lines, status) = engine.rest();
    assert!(lines.is_empty() && status.success());
}

#[test]
fn each_go_has_one_bestmove_when_a_command_follows_go_infinite_at_once() {
    for (next, goes) in
        [("stop\n", 1), ("go depth 1\n", 2), ("ucinewgame\n", 1), ("quit\n", 1), ("", 1)]
    {
        let together = format!("go infinite\n{next}");
        for round in 0..ROUNDS {
            let lines = if round % 2 == 0 {
                converse(together.as_bytes())
            } else {
                let mut engine = Engine::start();
                engine.send("go infinite\n");
                engine.send(next);
                engine.close();
                engine.rest().0
            };
            assert_eq!(count(&lines, "bestmove"), goes, "{next:?} {lines:#?}");
            assert!(
                lines.iter().filter(|line| line.starts_with("bestmove")).all(|line| is_move(line))
            );
        }
    }
}

#[test]
fn answers_of_many_rounds_in_one_process_are_never_mixed_up() {
    let mut engine = Engine::start();
    for next in [
        "stop\n",
        "go depth 1\n",
        "ucinewgame\n",
        "setoption name Hash value 2\n",
        "position startpos moves d1\nstop\n",
    ] {
        for _ in 0..ROUNDS {
            engine.send(format!("go infinite\n{next}isready\n"));
            let mut lines = engine.until("readyok");
            if next.starts_with("go") || next.contains("position") {
                // These answers come after the readyok.
                let expected = if next.starts_with("go") { 2 } else { 1 };
                while count(&lines, "bestmove") < expected {
                    lines.extend(engine.until("bestmove"));
                }
            }
            while count(&lines, "bestmove") == 0 {
                lines.extend(engine.until("bestmove"));
            }
            let goes = if next.starts_with("go") { 2 } else { 1 };
            assert_eq!(count(&lines, "bestmove"), goes, "{next:?}");
        }
    }
    engine.send("isready\nquit\n");
    let (lines, status) = engine.rest();
    assert_eq!((lines, status.success()), (vec!["readyok".to_owned()], true));
}

#[test]
fn at_the_end_of_input_bounded_searches_finish_and_endless_ones_stop() {
    let lines = converse(b"position startpos\ngo depth 8\n");
    assert!(lines.iter().any(|line| line.starts_with("info depth 8 ")));
    assert_eq!(count(&lines, "bestmove"), 1);
    assert!(is_move(lines.last().unwrap()));

    let unfinished_line = converse(b"uci\nposition startpos moves d1 d2\ngo depth 6");
    assert!(is_move(unfinished_line.last().unwrap()));
    for endless in ["go\n", "go infinite\n", "go ponder wtime 1000 btime 1000\n"] {
        assert_eq!(count(&converse(endless.as_bytes()), "bestmove"), 1, "{endless}");
    }
    assert_eq!(converse(b"setoption name Hash value 256\nisready"), ["readyok"]);
    assert_eq!(converse(b"go perft 3").last().unwrap(), "Nodes searched: 343");
    assert!(converse(b"").is_empty());
}

#[test]
fn quit_ends_a_running_search() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Variant value gomoku\ngo infinite\n");
    engine.until("info depth 3 ");
    engine.send("quit\n");
    let (lines, status) = engine.rest();
    assert!(status.success());
    assert_eq!(count(&lines, "bestmove"), 1);
}

#[test]
fn quit_waits_only_for_a_short_perft() {
    let lines = converse(b"go perft 7\nquit\n");
    assert_eq!(lines.last().unwrap(), "Nodes searched: 823536");
    let mut engine = Engine::start();
    engine.send("go perft 40\nucinewgame\nisready\n");
    engine.until("readyok");
    engine.send("quit\n");
    let (lines, status) = engine.rest();
    assert!(lines.iter().any(|line| line == "info string perft stopped before its end"));
    assert!(status.success());
}

#[test]
fn a_closed_output_ends_the_program_without_an_error() {
    for command in ["uci\n", "go infinite\n", "go depth 20\n", "bench 1\n"] {
        let mut child = tengen().spawn().unwrap();
        drop(child.stdout.take());
        let mut input = child.stdin.take().unwrap();
        // The program may have ended already.
        let _ = input.write_all(command.as_bytes());
        assert!(wait(child).success(), "{command}");
    }
}

/// The answers to this number of commands are larger than the buffer of a pipe.
const MANY_COMMANDS: usize = 2000;

/// More empty lines than the buffer of a pipe or a socket. When they are written, the program has
/// read all bytes before them.
static PADDING: [u8; 1 << 20] = [b'\n'; 1 << 20];

#[test]
fn commands_of_a_client_that_does_not_read_are_handled() {
    let mut child = tengen().spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all("d\n".repeat(MANY_COMMANDS).as_bytes()).unwrap();
    input.write_all(b"go infinite\nquit\n").unwrap();
    assert!(wait(child).success());
}

#[test]
fn a_client_that_reads_late_loses_nothing() {
    let mut child = tengen().spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all("d\n".repeat(MANY_COMMANDS).as_bytes()).unwrap();
    input.write_all(b"go depth 3\n").unwrap();
    input.write_all(&PADDING).unwrap();
    drop(input);
    let output = BufReader::new(child.stdout.take().unwrap());
    let lines: Vec<String> = output.lines().map(Result::unwrap).collect();
    assert_eq!(count(&lines, "Fen: "), MANY_COMMANDS);
    assert!(is_move(lines.last().unwrap()));
    assert!(wait(child).success());
}

#[test]
fn garbage_is_answered_with_info_strings_and_the_next_line_is_served() {
    let mut garbage = vec![0; 100_000];
    fastrand::Rng::with_seed(1).fill(&mut garbage);
    garbage.extend(b"\nisready\n");
    let lines = converse(&garbage);
    assert_eq!(lines.last().unwrap(), "readyok");
    assert!(lines[..lines.len() - 1].iter().all(|line| line.starts_with("info string ")));
}

#[test]
fn a_line_of_many_mebibytes_is_skipped_and_the_next_is_served() {
    let mut input = vec![b'x'; 5 << 20];
    input.extend(b"\r\nisready\r\n");
    let message = "info string \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\": the line was skipped, it is longer than 1 MiB";
    assert_eq!(converse(&input), [message, "readyok"]);
}

#[test]
fn a_file_as_standard_input_is_served_to_its_end() {
    let path = scratch("input.txt");
    std::fs::write(&path, "position startpos moves d1\r\ngo depth 5").unwrap();
    let mut command = tengen();
    command.stdin(File::open(&path).unwrap());
    let (lines, status) = Engine::from(command).rest();
    assert!(status.success());
    assert!(is_move(lines.last().unwrap()));
}

#[cfg(unix)]
#[test]
fn one_socket_for_both_directions_loses_nothing() {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut command = tengen();
    command.stdin(OwnedFd::from(theirs.try_clone().unwrap())).stdout(OwnedFd::from(theirs));
    let child = command.spawn().unwrap();
    drop(command);
    ours.set_read_timeout(Some(TIMEOUT)).unwrap();
    let mut input = ours.try_clone().unwrap();
    // The answers are larger than the buffer of the socket, and nobody reads them yet. Standard
    // output does not block here.
    let writer = thread::spawn(move || {
        input.write_all("uci\n".repeat(2000).as_bytes()).unwrap();
        input.write_all(&PADDING).unwrap();
        input.write_all(b"go depth 3\nquit\n").unwrap();
    });
    writer.join().unwrap();
    let lines: Vec<String> = BufReader::new(ours).lines().map(Result::unwrap).collect();
    assert_eq!(count(&lines, "uciok"), 2000);
    assert_eq!(count(&lines, "bestmove"), 1);
    assert!(wait(child).success());
}

#[test]
fn standard_error_is_empty_without_a_log() {
    let mut child = tengen().spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"uci\nnonsense\ngo depth 3\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));

    let mut command = tengen();
    let mut child = command.args(["--log", "stderr"]).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"isready\ngo depth 2\n").unwrap();
    let log = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    for expected in [">> isready", "<< readyok", "<< bestmove", "session", "search{"] {
        assert!(log.contains(expected), "{expected} in {log}");
    }
    // 2026-01-31T23:59:59.123456Z
    let stamp = log.split(' ').next().unwrap();
    assert_eq!(
        (stamp.len(), stamp.as_bytes()[19], stamp.as_bytes()[26]),
        (27, b'.', b'Z'),
        "{stamp}"
    );
}

#[test]
fn the_log_can_be_turned_on_and_off_while_it_runs() {
    let (first, second) = (scratch("first.log"), scratch("second.log"));
    let path = |path: &PathBuf| path.display().to_string();
    let commands = [
        "before".to_owned(),
        format!("setoption name Debug Log File value {}", path(&first)),
        "one".to_owned(),
        format!("setoption name Debug Log File value {}", path(&second)),
        "two".to_owned(),
        "setoption name Debug Log File value <empty>".to_owned(),
        "after".to_owned(),
        format!("setoption name Debug Log File value {}", path(&scratch("no/such/folder.log"))),
    ];
    let lines = converse(commands.join("\n").as_bytes());
    assert!(lines.last().unwrap().starts_with("info string cannot log to \""), "{lines:?}");
    assert_eq!(lines.len(), 5);
    let (first, second) =
        (std::fs::read_to_string(first).unwrap(), std::fs::read_to_string(second).unwrap());
    assert!(first.contains(">> one") && !first.contains(">> two") && !first.contains(">> before"));
    assert!(second.contains(">> two") && !second.contains(">> after"));
}

#[test]
fn the_command_line_explains_itself() {
    let run = |args: &[&str]| tengen().args(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();

    let unknown = run(&["--variant", "chess"]);
    assert_eq!(unknown.status.code(), Some(2));
    let message = text(&unknown.stderr);
    assert!(
        ["chess", "cfour", "tictactoe", "custom"].iter().all(|word| message.contains(word)),
        "{message}"
    );
    assert!(unknown.stdout.is_empty());

    let short = format!("tengen {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&run(&["-V"]).stdout), format!("{short}\n"));
    let long = text(&run(&["--version"]).stdout);
    assert!(long.starts_with(&format!("{short} (")) && long.contains("features: "), "{long}");
    assert!(text(&run(&["--help"]).stdout).contains("Examples:"));
    let unwritable = run(&["--log", "/no/such/folder/x.log"]);
    assert_eq!(unwritable.status.code(), Some(2));
    assert!(text(&unwritable.stderr).starts_with("tengen: cannot log to "));
}

#[test]
fn the_command_line_sets_the_initial_variant() {
    let mut command = tengen();
    command.args(["--variant", "TicTacToe"]);
    let mut engine = Engine::from(command);
    engine.send("uci\nd\n");
    engine.close();
    let (lines, _) = engine.rest();
    assert!(lines.contains(&"Variant: tictactoe: 3x3 board, 3 in a row".to_owned()));
    assert!(
        lines.iter().any(|line| line.starts_with("Moves: a1 ")),
        "plain until the client writes drops"
    );
}

#[test]
fn the_bench_ends_with_its_total() {
    let output = tengen().args(["bench", "1"]).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let words: Vec<&str> = text.lines().last().unwrap().split(' ').collect();
    assert_eq!((words.len(), words[1], words[3]), (4, "nodes", "nps"));
    assert!(words[0].parse::<u64>().is_ok() && words[2].parse::<u64>().is_ok());
}

/// Returns the path of a temporary file of this process.
fn scratch(name: &str) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("process-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}
