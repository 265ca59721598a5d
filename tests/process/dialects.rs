//! The real program in each dialect: how the dialect is chosen, and how it stops and ends.

use std::path::PathBuf;

use crate::support::running::{Engine, program, tengen};

/// Starts a search that ends only by a command.
const ENDLESS: &str = "START 15\nINFO timeout_turn 100000000\nBOARD 7,7,2 DONE\n";

fn is_cell(line: &str) -> bool {
    line.split_once(',').is_some_and(|(x, y)| x.parse::<u32>().is_ok() && y.parse::<u32>().is_ok())
}

/// Returns the next move.
fn cell(engine: &mut Engine) -> String {
    loop {
        let line = engine.line().expect("a move");
        if is_cell(&line) {
            return line;
        }
    }
}

#[test]
fn the_first_line_chooses_the_dialect() {
    for (line, answer) in [
        ("uci", "uciok"),
        ("ugi", "ugiok"),
        ("isready", "readyok"),
        ("START 15", "OK"),
        ("rectstart 8,7", "OK"),
        ("ABOUT", "name="),
        ("RESTART", "OK"),
        ("yxshowinfo", "MESSAGE INFO MAX_HASH_SIZE"),
        ("\n# START 15\n\nisready", "readyok"),
        ("INFO rule 2", "ERROR"),
        ("xyzzy", "info string"),
    ] {
        let mut engine = Engine::start();
        engine.send(format!("{line}\n"));
        engine.until(answer);
        engine.close();
        assert!(engine.rest().1.success());
    }
}

#[test]
fn the_command_line_or_the_program_name_chooses_the_dialect() {
    let mut command = tengen();
    command.args(["--dialect", "GOMOCUP", "--variant", "gomoku"]);
    let mut engine = Engine::from(command);
    engine.send("isready\nSTART 7\nuci\n");
    assert_eq!(engine.until("UNKNOWN").len(), 1);
    assert_eq!(engine.until("UNKNOWN"), ["OK", "UNKNOWN command \"uci\""]);

    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let brain = folder.join(format!("pbrain-tengen-{}", std::process::id()));
    std::fs::copy(env!("CARGO_BIN_EXE_tengen"), &brain).unwrap();
    let mut engine = Engine::from(program(&brain));
    engine.send("isready\n");
    assert_eq!(engine.until("UNKNOWN").len(), 1);
    let mut command = program(&brain);
    command.args(["--dialect", "uci"]);
    let mut other = Engine::from(command);
    other.send("START 15\nisready\n");
    assert_eq!(other.until("readyok"), ["info string unknown command: \"START 15\"", "readyok"]);
    drop((engine, other));
    std::fs::remove_file(&brain).unwrap();
}

#[test]
fn a_stopped_search_answers_with_a_move_and_end_ends_the_program() {
    for stop in ["YXSTOP", "stop"] {
        let mut engine = Engine::start();
        engine.send(ENDLESS);
        engine.until("MESSAGE");
        engine.send(format!("{stop}\n"));
        cell(&mut engine);
        engine.send("TURN 0,0\n");
        engine.until("MESSAGE");
        engine.send("END\n");
        let (_, status) = engine.rest();
        assert!(status.success());
    }
}

#[test]
fn end_ends_the_program_after_the_commands_before_it() {
    let mut engine = Engine::start();
    engine.send(ENDLESS);
    engine.until("MESSAGE");
    engine.send("TURN 0,0\nINFO rule 1\nTURN 1,0\nTAKEBACK 1,0\nBOARD\n1,1,1\nEND\n");
    let (lines, status) = engine.rest();
    assert!(status.success());
    assert_eq!(lines.iter().filter(|line| is_cell(line)).count(), 3, "{lines:?}");
}

#[test]
fn the_end_of_the_input_waits_for_every_move() {
    let mut engine = Engine::start();
    engine.send("START 15\nINFO timeout_turn 50\nBEGIN\nTURN 0,0\nTURN 0,1\nTURN 0,2");
    engine.close();
    let (lines, status) = engine.rest();
    assert!(status.success());
    assert_eq!(lines.iter().filter(|line| is_cell(line)).count(), 4, "{lines:?}");
}

#[test]
fn a_turn_ends_in_time_with_every_kind_of_limit() {
    for limits in [
        "INFO timeout_turn 0",
        "INFO timeout_turn 100",
        "INFO timeout_turn 100000000\nINFO timeout_match 100000000\nINFO time_left 50",
        "INFO timeout_turn 100000000\nINFO timeout_match 100000000\nINFO time_left -50",
        "INFO timeout_match 1000",
        "INFO timeout_turn 100000000\nINFO timeout_match 100000000\nINFO time_left 100\nINFO time_increment 100",
        "INFO timeout_turn 100000000\nINFO max_node 1000",
    ] {
        let mut engine = Engine::start();
        engine.send(format!("START 20\n{limits}\nTURN 10,10\n"));
        // Without its limit the engine would search for a day.
        cell(&mut engine);
    }
}

/// Returns the peak memory of a process, in KiB.
#[cfg(target_os = "linux")]
fn peak_kib(engine: &Engine) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", engine.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn max_memory_limits_the_memory() {
    const MEMORY: u64 = 80 << 20;
    let mut engine = Engine::start();
    engine.send(format!("START 20\nINFO max_memory {MEMORY}\nINFO timeout_turn 1000\n"));
    for turn in ["BOARD 10,10,2 DONE", "TURN 0,0", "START 15", "BOARD 7,7,2 DONE"] {
        engine.send(format!("{turn}\n"));
        if !turn.starts_with("START") {
            cell(&mut engine);
        }
    }
    assert!(peak_kib(&engine) * 1024 < MEMORY, "{} KiB", peak_kib(&engine));
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_that_has_not_searched_holds_no_table_and_no_thread() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 512\nsetoption name Threads value 8\nuci\n");
    engine.until("uciok");
    engine.send("position startpos moves d1\nd\n");
    engine.until("Fen");
    let tasks =
        |engine: &Engine| std::fs::read_dir(format!("/proc/{}/task", engine.id())).unwrap().count();
    let before = tasks(&engine);
    assert!(before <= 4, "{before} threads");
    assert!(peak_kib(&engine) < 64 << 10, "{} KiB", peak_kib(&engine));
    engine.send("go infinite\n");
    engine.until("info");
    assert!(tasks(&engine) > before);
}
