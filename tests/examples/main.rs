//! The programs in `examples/`, run as a reader runs them.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The optional features of these tests.
const FEATURES: [&str; 2] = [
    if cfg!(feature = "nats") { "tengen/nats" } else { "" },
    if cfg!(feature = "shelf") { "tengen/shelf" } else { "" },
];

/// Builds the examples with the features of the tests, so that no crate is compiled twice. Returns
/// their folder.
fn built() -> PathBuf {
    static BUILT: LazyLock<PathBuf> = LazyLock::new(|| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--offline", "--workspace", "--examples"]);
        cargo.args(["--features", &FEATURES.join(",")]);
        let status = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).status().expect("cargo runs");
        assert!(status.success(), "the examples are not built: {status}");
        // This test program is in a folder beside the examples.
        let own = std::env::current_exe().expect("a path");
        own.ancestors().nth(2).expect("the folder of the profile").join("examples")
    });
    BUILT.clone()
}

/// Runs an example with `args` and `input`, and returns its output.
fn run(example: &str, args: &[&str], input: &str) -> String {
    let mut program = Command::new(built().join(example));
    program.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = program.spawn().expect("the example was built");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("the example reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("the example ends");
    assert!(output.status.success(), "{example}: {}", output.status);
    String::from_utf8(output.stdout).expect("text")
}

fn last(output: &str) -> &str {
    output.lines().last().unwrap_or_default()
}

#[test]
fn a_game_of_sixty_lines_is_played_over_uci() {
    let source = include_str!("../../examples/add_a_game.rs");
    assert!(source.lines().count() <= 60, "{} lines", source.lines().count());
    // 21 stones: only one stone leaves a multiple of four.
    let output = run("add_a_game", &[], "uci\nposition startpos\ngo\n");
    assert!(output.lines().any(|line| line == "uciok"), "{output}");
    assert!(output.contains("first player wins in 11 plies, proven by search"), "{output}");
    assert!(last(&output).starts_with("bestmove 1 "), "{output}");
    let output = run("add_a_game", &[], "position startpos moves 1 4\nposition fen 3\ngo\n");
    assert!(output.contains("move \"4\": no such move"), "{output}");
    assert!(output.contains("this game does not support positions in text"), "{output}");
}

#[test]
fn an_own_engine_has_its_name_and_only_options_that_have_an_effect() {
    let output = run("grid_game", &[], "uci\n");
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[..2], ["id name Contact 1.0", "id author the Tengen developers"]);
    let has = |name: &str| output.contains(&format!("option name {name} type "));
    for name in ["Hash", "Threads", "MultiPV", "Skill Level", "BoardWidth", "Notation"] {
        assert!(has(name), "{name}: {output}");
    }
    for name in ["OwnBook", "BookFile", "EvalFile", "UCI_ShowWDL", "UCI_Elo", "UCI_Variant"] {
        assert!(!has(name), "{name}: {output}");
    }
    assert!(!has("Debug Log File") && !has("UCI_EngineAbout"), "{output}");
    let output = run("add_a_game", &[], "uci\n");
    assert!(output.starts_with("id name nim\nid author unknown\n"), "{output}");
    assert!(!output.contains("Notation"), "a game without a grid: {output}");
}

#[test]
fn an_own_game_has_a_size_and_more_than_stones() {
    assert_eq!(run("grid_game", &["check"], ""), "");
    let size = "setoption name BoardWidth value 4\nsetoption name BoardHeight value 3\n";
    let moves = "position fen 4/1p2/1P2 w - - 0 2 3:1 moves a2\nd\ngo depth 5\n";
    let output = run("grid_game", &[], &format!("{size}{moves}"));
    assert!(output.contains("Fen: 4/Pp2/1P2 b - - 0 2 4:1"), "{output}");
    assert!(last(&output).starts_with("bestmove "), "{output}");
    let output = run("grid_game", &[], "setoption name BoardWidth value 10\n");
    assert!(
        output.contains("option BoardWidth: \"10\" is not a whole number from 2 to 9"),
        "{output}"
    );
    let output = run("grid_game", &[], "START 7\nABOUT\nBEGIN\nEND\n");
    assert!(output.contains("name=\"Contact\", version=\"1.0\""), "{output}");
    assert!(output.starts_with("OK\n"), "{output}");
    let refused = run("grid_game", &[], "START 20\nEND\n");
    assert!(refused.starts_with("ERROR"), "{refused}");
}

#[test]
fn a_script_plays_a_game_to_its_end() {
    let output = run("play", &["tictactoe"], "a1\nxx\na1\nb1\nc1\na2\nb2\nc2\na3\nb3\nc3\n");
    assert!(output.contains("tictactoe: 3x3 board, 3 in a row"), "{output}");
    assert!(output.contains("move \"xx\": not a point"), "{output}");
    assert!(output.contains("move \"a1\": a1 is taken"), "{output}");
    assert!(["a draw", "the engine wins"].contains(&last(&output)), "{output}");
    let replies = output.lines().filter(|line| line.starts_with("engine plays ")).count();
    assert!((2..=4).contains(&replies), "{output}");
}

#[test]
fn a_move_is_taken_back_and_quit_ends_the_program() {
    let output = run("play", &["cfour"], "d1\nundo\nquit\n");
    let boards: Vec<&str> = output.split("   a b c d e f g").collect();
    let rows = |board: &str| board.lines().filter(|line| line.contains(" .")).collect::<String>();
    assert_eq!(boards.len(), 4, "{output}");
    assert_eq!(rows(boards[0]), rows(boards[2]), "{output}");
    assert_ne!(rows(boards[0]), rows(boards[1]), "{output}");
}

#[test]
fn an_analysis_lists_lines_with_scores() {
    let output = run("analyse", &["tictactoe", "b2", "a2"], "");
    let best = output.lines().find(|line| line.starts_with("1. ")).unwrap_or_default();
    assert!(best.starts_with("1. win in 5 at depth "), "{output}");
    assert!(output.lines().any(|line| line.starts_with("3. ")), "{output}");
    assert_eq!(last(&output), "proven by search");
}

#[test]
fn an_own_evaluator_keeps_the_laws_and_plays() {
    let output = run("own_evaluator", &[], "");
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[..2], ["the evaluator keeps the laws", "tic-tac-toe: a draw"]);
    let nodes = |line: &str| -> u64 { line.split(' ').next().unwrap().parse().expect("nodes") };
    assert!(2 * nodes(lines[3]) < nodes(lines[2]), "the hooks are used: {output}");
    let result = last(&output).strip_prefix("seven by seven, five in a row: ");
    let results = ["a draw", "the own evaluator wins", "the built-in evaluator wins"];
    assert!(result.is_some_and(|result| results.contains(&result)), "{output}");
}

#[test]
fn an_own_dialect_plays_and_answers_each_line_once() {
    let input = "new 15 15\nplay h8\nplay h8\nthink 2000\nplay a1\nback\nback\nback\nback\nnew 3 3\nthink x\nbye\n";
    let output = run("own_dialect", &[], input);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines[..3], ["ok", "ok", "no: h8 is taken"], "{output}");
    assert_eq!(lines.len(), 11, "{output}");
}

#[test]
fn many_positions_are_searched_in_parallel() {
    let output = run("analyse_many", &["cfour", "d1", "a1", "d2", "a2", "d3", "a3"], "");
    assert_eq!(output.lines().count(), 7, "{output}");
    assert!(last(&output).starts_with("after 6 moves: best d4, score "), "{output}");
}
