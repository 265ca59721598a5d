//! `tengen analyze`, as a shell runs it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tengen_engine::backend::Catalog;
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::reply::Reply;
use tengen_records::ReadOptions;

use crate::scratch::{Scratch, text};

mod review;

fn analyze(args: &[&str], input: impl AsRef<[u8]>) -> Output {
    run(&[&["analyze"], args].concat(), input)
}

/// Runs the program with `args` and `input`.
pub(crate) fn run(args: &[&str], input: impl AsRef<[u8]>) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(args)
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_ref());
    child.wait_with_output().unwrap()
}

/// Runs a command that must succeed, and returns its output.
fn printed(args: &[&str], input: &str) -> String {
    let output = analyze(args, input);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Returns the objects that a command prints with `--json`.
fn objects(args: &[&str], input: &str) -> Vec<Value> {
    let args = [args, &["--json"]].concat();
    let lines = printed(&args, input);
    let read = |line: &str| {
        assert!(Reply::read(line).expect("a reply").is_some(), "{line}");
        serde_json::from_str(line).expect("an object")
    };
    lines.lines().map(read).collect()
}

/// The words of output that are English in every language: the names of variants and files.
const NAMES: [&str; 5] = ["gomokufreestyle", "renju", "Kagetsu", "game", "annotated"];

/// Returns the English words of an output, besides `NAMES`, moves and positions.
fn english(shown: &str) -> Vec<&str> {
    let words = shown.split(|sign: char| !sign.is_ascii_alphanumeric());
    let is_word =
        |word: &&str| word.len() > 2 && word.chars().all(|sign| sign.is_ascii_alphabetic());
    words.filter(is_word).filter(|word| !NAMES.contains(word)).collect()
}

/// Runs a command that must be refused with status 2, and returns its message.
fn refused(args: &[&str], input: &str) -> String {
    let output = analyze(args, input);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
    let message = text(&output.stderr).trim_end().to_owned();
    assert!(message.starts_with("tengen: ") && message.lines().count() == 1, "{args:?}: {message}");
    message
}

#[test]
fn the_plain_output_shows_the_board_the_candidates_and_the_best_move() {
    let shown = printed(&["--moves", "d1 d2", "--depth", "4"], "");
    assert!(shown.starts_with(" 6 . . . . . . .\n"), "{shown}");
    assert!(shown.contains("\n   a b c d e f g\ncfour: 7x6 board"), "{shown}");
    assert!(shown.contains("\nThe first player is to move.\n"), "{shown}");
    let heading = "\ndepth rank score              nodes       time  moves\n";
    assert!(shown.contains(heading), "{shown}");
    for rank in ["    4   1. ", "    4   2. ", "    4   3. "] {
        assert!(shown.contains(rank), "{shown}");
    }
    assert!(shown.contains("\n 2 . . .[O]. . .\n 1 . . . X . . .\n"), "{shown}");
    let last = shown.lines().last().unwrap();
    assert!(last.starts_with("best: ") && last.contains(" %, draw "), "{last}");
}

#[test]
fn a_proven_result_and_a_finished_game_are_reported() {
    let args = ["--variant", "gomokufreestyle", "--multipv", "1", "--depth", "6"];
    let shown = printed(&[&args[..], &["--moves", "h8 a1 i8 c1 j8 e1"]].concat(), "");
    assert!(
        shown.ends_with("First player wins in 3 plies, proven by threat search (VCF or VCT).\n"),
        "{shown}"
    );
    let shown = printed(&["--moves", "1 2 1 2 1 2 1"], "");
    assert!(shown.ends_with("The first player has won.\n"), "{shown}");
    let objects = objects(&["--moves", "1 2 1 2 1 2 1"], "");
    assert_eq!(objects.len(), 2, "{objects:#?}");
    assert_eq!(objects[0]["outcome"], "first");
    assert_eq!(objects[1]["ended_by"], "over");
    let answer = &objects[1];
    assert_eq!(
        (answer["type"].as_str(), answer["outcome"].as_str()),
        (Some("answer"), Some("first"))
    );
    assert!(answer["best"].is_null() && answer["score"]["loss_in"] == 0, "{answer}");
}

#[test]
fn games_and_commands_have_aliases() {
    for (alias, name) in [("connect4", "cfour"), ("Freestyle", "gomokufreestyle")] {
        let objects = objects(&["--variant", alias, "--nodes", "200"], "");
        assert_eq!(objects[0]["variant"], name);
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let output =
        command.args(["analyse", "--variant", "tictactoe", "--depth", "1"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let message = refused(&["--variant", "standard", "--no-overline"], "");
    assert!(message.contains("standard takes no --no-overline"), "{message}");
}

#[test]
fn moves_of_another_game_propose_it() {
    let why = "tengen: move 1 \"h8\": outside the board (a1 to g6); it fits gomokufreestyle: --variant gomokufreestyle";
    assert_eq!(refused(&["--moves", "h8 i9"], ""), why);
    let message = refused(&["--moves", "d3"], "");
    assert_eq!(message, "tengen: move 1 \"d3\": a stone in this column falls to d1");
}

#[test]
fn every_variant_is_analysed() {
    for variant in CATALOG.variants() {
        let objects = objects(&["--variant", variant.name, "--nodes", "2000"], "");
        assert_eq!(objects[0]["type"], "position");
        assert_eq!(objects[0]["variant"], variant.name);
        let answer = objects.last().unwrap();
        assert_eq!(answer["type"], "answer");
        let legal = objects[0]["legal"].as_array().unwrap();
        assert!(legal.contains(&answer["best"]), "{}: {answer}", variant.name);
        let score = answer["score"].as_object().unwrap();
        assert_eq!(score.len(), 1, "{answer}");
    }
}

#[test]
fn json_reports_have_lines_in_order_with_legal_moves() {
    let objects = objects(&["--moves", "d1", "--depth", "5", "--multipv", "7"], "");
    let mut reports = objects.iter().filter(|object| object["type"] == "report");
    let report = reports.rfind(|report| report["depth"] == 5).expect("a report of the last depth");
    let last = report["moves"].as_array().unwrap();
    assert_eq!(objects.last().unwrap()["ended_by"], "depth");
    assert_eq!(last.len(), 7);
    for (place, line) in last.iter().enumerate() {
        assert_eq!(line["rank"], place + 1);
        let odds = line["wdl"].as_array().unwrap().iter().map(|share| share.as_u64().unwrap());
        assert_eq!(odds.sum::<u64>(), 1000, "{line}");
    }
    let scores: Vec<_> = last.iter().map(|line| line["score"]["cp"].as_i64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

#[test]
fn a_position_comes_from_text_a_record_or_a_board() {
    let fen = |args: &[&str], input: &str| {
        let first = objects(&[args, &["--nodes", "50"]].concat(), input).swap_remove(0);
        format!("{} {}", first["variant"].as_str().unwrap(), first["fen"].as_str().unwrap())
    };
    let three = "15/15/15/15/15/15/15/7Pp6/7P7/15/15/15/15/15/15 b - - 0 2";
    let record = "(;GM[4]SZ[15];B[hh];W[ih](;B[hi])(;B[aa]))";
    assert_eq!(fen(&["--sgf", "-"], record), format!("gomokufreestyle {three}"));
    let renju = record.replace("SZ", "RU[Renju]SZ");
    assert_eq!(fen(&["--sgf", "-"], &renju), format!("renju {three}"));
    // Stones put down before the game, and the other player's turn.
    let handicap = "(;GM[4]SZ[15]AB[hh][hi]AW[ih])";
    assert_eq!(fen(&["--sgf", "-"], handicap), format!("gomokufreestyle {three}"));
    let board = "START 15\nBOARD\n7,7,2\n8,7,1\n7,8,2\nDONE\n";
    assert_eq!(fen(&["--board", "-"], board), format!("gomokufreestyle {three}"));
    let typed = ["--variant", "gomokufreestyle", "--moves", "h8 i8 h7"];
    assert_eq!(fen(&typed, ""), format!("gomokufreestyle {three}"));
    assert_eq!(
        fen(&["--variant", "gomokufreestyle", "--fen", three], ""),
        format!("gomokufreestyle {three}")
    );
    // Boards of other sizes and games of columns.
    let record = "(;GM[4]RU[cfour]SZ[7:6];B[df];W[de])";
    assert_eq!(fen(&["--sgf", "-"], record), "cfour 7/7/7/7/3p3/3P3 w - - 0 2");
    let wide = "(;GM[4]SZ[10:8];B[aa];W[jh])";
    assert_eq!(fen(&["--sgf", "-"], wide), "gomokufreestyle P9/10/10/10/10/10/10/9p w - - 0 2");
    let size = ["--variant", "custom", "--width", "5", "--height", "4", "-k", "3", "--no-gravity"];
    assert_eq!(fen(&[&size[..], &["--moves", "c3"]].concat(), ""), "custom 5/2P2/5/5 b - - 0 1");
}

#[test]
fn overlines_win_without_the_option_no_overline() {
    let row = ["--no-gravity", "--moves", "a1 a6 b1 b6 c1 c6 e1 e6 d1"];
    let won = analyze(&[&row[..], &["--depth", "1"]].concat(), "");
    assert!(text(&won.stdout).contains("The first player has won."), "{}", text(&won.stdout));
    let goes_on = analyze(&[&row[..], &["--no-overline", "--depth", "1"]].concat(), "");
    let shown = text(&goes_on.stdout);
    assert!(shown.contains("exactly 4 in a row"), "{shown}");
    assert!(shown.contains("The second player is to move."), "{shown}");
    let caro = analyze(&["--variant", "caro", "--no-overline", "--depth", "1"], "");
    assert!(caro.status.success(), "{}", text(&caro.stderr));
}

#[test]
fn bad_input_is_quoted_with_its_place() {
    for (args, input, message) in [
        (vec!["--moves", "d1 z9"], "", "tengen: move 2 \"z9\": outside the board (a1 to g6)"),
        (vec!["--fen", "7/7 w"], "", "tengen: position \"7/7 w\": 2 of 6 rows at character 4"),
        (
            vec!["--sgf", "-"],
            "(;GM[4];B[hh]\nW]",
            "tengen: -: line 2, character 2: expected \"[\", which begins a value, found \"]\"",
        ),
        (
            vec!["--sgf", "-"],
            "(;GM[4]SZ[15];B[hh];B[hi])",
            "tengen: -: line 1, character 23: move 2 \"hi\": the other player is to move",
        ),
        (
            vec!["--sgf", "-"],
            "(;GM[4]SZ[15];B[hh]\n;W[hh])",
            "tengen: -: line 2, character 4: move 2 \"hh\": h8 is taken",
        ),
        (
            vec!["--sgf", "-"],
            "(;GM[4]SZ[big];B[hh])",
            "tengen: -: line 1, character 11: SZ[big] is not a size of a board",
        ),
        (
            vec!["--sgf", "-"],
            "(;GM[4]SZ[15];B[zz])",
            "tengen: -: line 1, character 17: move 1 \"zz\": column 26 and row 26 are outside the board of 15x15 points",
        ),
        (
            vec!["--board", "-"],
            "7,7,1\n8;8;2\n",
            "tengen: -: line 2: \"8;8;2\": \"column,row,field\" was expected, with field 1 (to move), 2 or 3 (blocked)",
        ),
        (
            vec!["--variant", "cfour", "--width", "9"],
            "",
            "tengen: cfour takes no --width: that is for custom, gomokufreestyle, gomoku, renju, caro, freestyle20",
        ),
        (
            vec!["--variant", "gomoku", "-k", "6"],
            "",
            "tengen: gomoku takes no -k: that is for custom",
        ),
        (
            vec!["--variant", "gomoku", "--width", "23"],
            "",
            "tengen: --width 23: gomoku takes 5 to 22",
        ),
        (
            vec!["--variant", "gomoku", "--no-overline"],
            "",
            "tengen: gomoku takes no --no-overline: that is for custom, caro",
        ),
        (vec!["--game", "-"], "(;GM[4]SZ[15])", "tengen: the game has no moves"),
        (vec!["--moves", "d1", "--out", "x.sgf"], "", "tengen: --out is for --game"),
        (vec!["--fen", "x", "--svg", "x.svg"], "", "tengen: --svg is for --game"),
        (vec!["--moves", "d1", "--force"], "", "tengen: --force is for --game"),
    ] {
        assert_eq!(refused(&args, input), message, "{args:?}");
    }
    let empty = refused(&["--board", "-"], " \n");
    let expected = r#"tengen: -: the file is empty: "column,row,field" was expected"#;
    assert!(empty.starts_with(expected), "{empty}");
    let unnamed = refused(&["--sgf", "-"], "(;GM[1]SZ[19];B[hh])");
    assert!(unnamed.contains("name it with --variant"), "{unnamed}");
    let missing = analyze(&["--sgf", "/nowhere/at.all"], "");
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).starts_with("tengen: cannot read /nowhere/at.all"));
}

/// Starts a long analysis, and sends SIGINT when it has printed a line that begins with `sign`.
/// Returns the rest of its output and its exit status.
#[cfg(unix)]
fn interrupted(args: &[&str], sign: &str) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let mut child = command.arg("analyze").args(args).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with(sign)), "{args:?}: no {sign}");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let rest: Vec<String> = lines.collect();
    (rest.join("\n"), child.wait().unwrap().code())
}

#[test]
#[cfg(unix)]
fn an_infinite_analysis_prints_the_best_move_after_ctrl_c() {
    let args = ["--variant", "freestyle", "--infinite", "--multipv", "1"];
    let (rest, status) = interrupted(&args, "    1   1. ");
    assert!(rest.contains("\nbest: ") || rest.starts_with("best: "), "{rest}");
    assert_eq!(status, Some(0));
}

#[test]
fn a_board_takes_every_rule_and_field_of_the_dialect() {
    let board = "START 15\nINFO rule 9\nBOARD\n7,7,1\n0,0,2\n8,7,1\n0,2,2\n9,7,1\n0,4,2\n6,7,1\n0,6,2\n10,7,3\nDONE\n";
    let objects = objects(&["--board", "-", "--depth", "4"], board);
    assert_eq!(objects[0]["variant"], "caro");
    let rules = objects[0]["rules"].as_str().unwrap();
    assert!(rules.contains("exactly 5"), "{rules}");
    // One end of the four is blocked.
    assert_eq!(objects.last().unwrap()["best"], "f8");
}

#[test]
fn searches_are_limited_by_mate_moves_and_level() {
    let three = "h8 a1 i8 c1 j8 e1";
    let base = ["--variant", "gomokufreestyle", "--moves", three];
    let last = |args: &[&str]| objects(&[&base[..], args].concat(), "").pop().unwrap();
    let mate = last(&["--mate", "3", "--multipv", "1"]);
    assert_eq!(mate["score"]["win_in"], 3, "{mate}");
    let only = last(&["--searchmoves", "o15 o14", "--nodes", "200", "--multipv", "5"]);
    let ranked = only["moves"].as_array().unwrap();
    assert!(
        ranked.len() == 2
            && ranked.iter().all(|line| line["move"].as_str().unwrap().starts_with('o')),
        "{only}"
    );
    for (list, why) in
        [("h8", "move \"h8\": h8 is taken"), ("z1", "move \"z1\": "), (" ", "the list has no move")]
    {
        let message = refused(&[&base[..], &["--searchmoves", list]].concat(), "");
        assert!(message.starts_with(&format!("tengen: --searchmoves: {why}")), "{message}");
    }
    let weak =
        printed(&["--variant", "renju", "--moves", "h8 i9", "--level", "1", "--nodes", "500"], "");
    assert!(weak.contains("\nbest: "), "{weak}");
    assert!(refused(&["--level", "11"], "").contains("11"));
}

#[test]
fn no_english_word_stands_between_those_of_another_language() {
    let scratch = Scratch::new(&[]);
    let moves = "(;GM[4]SZ[15]RU[renju];B[hh];W[ao];B[ih];W[am];B[ji];W[ak];B[jj];W[ai];B[jh])";
    let game =
        scratch.write("game.txt", format!("{moves}(;GM[4]SZ[15]RU[renju];B[hh];W[ih];B[ij])"));
    let out = scratch.path("game.annotated.txt");
    let game = ["--game", &game, "--out", &out, "--force", "--nodes", "300"];
    let opening = ["--variant", "renju", "--moves", "h8 h9 i9", "--threats"];
    let over = "h8 a1 i8 a3 j7 a5 j6 a7 j8";
    let forbidden = ["--variant", "renju", "--moves", over, "--threats"];
    for language in ["ru", "zh", "ja"] {
        for args in [&game[..], &opening, &forbidden] {
            let shown = printed(&[args, &["--language", language]].concat(), "");
            let shown = shown.replace(&out, "");
            assert_eq!(english(&shown), [""; 0], "{shown}");
        }
    }
    let russian = printed(&[&forbidden[..], &["--language", "ru"]].concat(), "");
    assert!(russian.contains("Выиграли белые: j8 – фол (вилка 3×3)."), "{russian}");
    let chinese = printed(&[&opening[..], &["--language", "zh"]].concat(), "");
    assert!(chinese.contains("\n开局：D4 Kagetsu 花月\n"), "{chinese}");
    let russian = printed(&[&game[..], &["--language", "ru"]].concat(), "");
    assert!(russian.contains("партия 1 из 2, renju: Рэндзю, 15x15\n"), "{russian}");
    assert!(russian.contains("\nошибки: чёрные "), "{russian}");
}

#[test]
fn threats_of_both_sides_are_listed() {
    let base = ["--variant", "gomokufreestyle", "--moves", "h8 a1 i8 c1 j8 e1", "--threats"];
    let shown = printed(&base, "");
    let (_, table) = shown.split_once("Black, to move:\n").unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "  g8, k8: open four or double four");
    assert_eq!(lines[1], "  f8, l8: four");
    assert!(lines[2].starts_with("  g8 wins by fours; moves: 2. g8 "), "{table}");
    assert_eq!(lines[4], "White, if it were to move:");
    let chinese = printed(&[&base[..], &["--language", "zh"]].concat(), "");
    assert!(chinese.contains("轮到黑棋：\n  g8, k8: 活四或双四\n"), "{chinese}");
    assert!(chinese.contains("\ngomokufreestyle: 自由五子棋, 15x15\n"), "{chinese}");
    let found = objects(&base, "").pop().unwrap();
    let first = &found["threats"][0];
    assert_eq!((first["side"].as_str(), first["complete"].as_bool()), (Some("first"), Some(true)));
    assert_eq!(first["moves"][0]["win_in"], 3, "{found}");
    let message = refused(&["--variant", "cfour", "--threats"], "");
    assert_eq!(
        message,
        "tengen: --threats: cfour has no search of threats; games of gomoku have one"
    );
    let over = printed(
        &[
            "--variant",
            "gomokufreestyle",
            "--fen",
            "PPPPP10/15/15/15/15/15/15/15/15/15/15/15/15/15/15 b",
            "--threats",
        ],
        "",
    );
    assert!(over.contains("The first player has won."), "{over}");
}
