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
fn a_game_lost_by_a_forbidden_move_says_which_point_and_why() {
    for (moves, why) in [
        ("h8 a1 i8 a3 j7 a5 j6 a7 j8", "j8 is forbidden to the first player (double-three)"),
        (
            "h8 a1 i8 a3 j8 a5 k9 a7 k10 a9 k11 a11 k8",
            "k8 is forbidden to the first player (double-four)",
        ),
        ("h8 a1 i8 a3 j8 a5 l8 a7 m8 a9 k8", "k8 is forbidden to the first player (overline)"),
    ] {
        let shown = printed(&["--variant", "renju", "--moves", moves], "");
        assert!(shown.ends_with(&format!("The second player has won: {why}.\n")), "{shown}");
    }
    let won = printed(&["--variant", "renju", "--moves", "h8 a1 h9 a2 h10 a3 h11 a5 h12"], "");
    assert!(won.ends_with("The first player has won.\n"), "{won}");
    let judged = printed(
        &["--game", "-", "--nodes", "50"],
        "(;GM[4]SZ[15]RU[renju];B[hh];W[ao];B[ih];W[am];B[ji];W[ak];B[jj];W[ai];B[jh])",
    );
    let end = "The second player has won: j8 is forbidden to the first player (double-three).";
    assert!(judged.contains(end), "{judged}");
}

#[test]
fn a_game_from_standard_input_leaves_no_file_and_a_plot_can_be_turned_off() {
    let scratch = Scratch::new(&[]);
    let record = "(;GM[4]SZ[15];B[hh];W[ii])";
    let file = scratch.write("game.sgf", record);
    let program = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(["analyze", "--nodes", "50"]).args(args).current_dir(scratch.path(""));
        command.stdin(fs::File::open(&file).unwrap());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let files = || fs::read_dir(scratch.path("")).unwrap().count();
    let shown = program(&["--game", "-"]);
    assert!(shown.contains("mistakes: ") && !shown.contains("record: "), "{shown}");
    assert_eq!(files(), 1);
    program(&["--game", "-", "--json"]);
    assert!(program(&["--game", "-", "--out", "-"]).starts_with("(;GM[4]"));
    assert_eq!(files(), 1);
    let shown = program(&["--game", "game.sgf", "--no-svg"]);
    assert!(shown.ends_with("record: game.annotated.sgf\n"), "{shown}");
    assert_eq!(files(), 2);
    assert!(program(&["--game", "-", "--svg", "plot.svg"]).ends_with("plot: plot.svg\n"));
    assert_eq!(files(), 3);
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

#[test]
fn a_game_is_annotated_and_plotted() {
    let scratch = Scratch::new(&[]);
    // The second player leaves an open three alone, then an open four.
    let record = "(;GM[4]SZ[15]C[a game];B[hh];W[ii]C[so];B[hi];W[aa];B[hg];W[oo];B[hf];W[nn];B[hj](;C[end])(;C[other]))";
    let path = scratch.write("g.sgf", record);
    let shown = printed(&["--game", &path, "--nodes", "2000"], "");
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 1 + 9 + 4, "{shown}");
    assert!(lines[0].starts_with("gomokufreestyle: 15x15 board"), "{shown}");
    let lines = &lines[1..];
    assert!(lines[0].starts_with("  1. X h8 ") && lines[8].starts_with("  9. X h6 "), "{shown}");
    assert!(lines[3].contains("  better: "), "{shown}");
    assert!(lines[8].contains("win in 1"), "{shown}");
    assert_eq!(lines[9], "The first player has won.");
    assert!(lines[10].starts_with("mistakes: first player 0, second player "), "{shown}");
    assert_eq!(scratch.read("g.sgf"), record);
    let annotated = scratch.read("g.annotated.sgf");
    let (_, bad) = annotated.split_once("W[aa]").unwrap();
    let (remark, _) = bad.split_once(']').unwrap();
    assert!(remark.starts_with("BM["), "{annotated}");
    assert!(bad.contains(" after: mistake. Better: "), "{annotated}");
    assert!(
        annotated.contains("C[so\nTengen: ") && annotated.contains("(;C[other])"),
        "{annotated}"
    );
    // An independent SGF reader agrees that it is a record, with the same moves.
    let trees = sgf_parse::parse(&annotated).unwrap();
    assert_eq!(trees.len(), 1);
    assert!(sgf_parse::serialize(&trees).contains("W[aa]BM["));
    let plot = scratch.read("g.svg");
    assert!(plot.starts_with("<svg ") && plot.ends_with("</svg>\n"), "{plot}");
    let points = plot.split("<polyline ").nth(1).unwrap().split("points=\"").nth(1).unwrap();
    assert_eq!(points.split('"').next().unwrap().split(' ').count(), 10);
    assert!(plot.matches("<circle ").count() >= 1);
    // The better line stands beside the move, with chances.
    let game = &tengen_records::read(annotated.as_bytes(), &ReadOptions::new()).unwrap();
    let game = &game.records()[0];
    let moves: Vec<_> =
        game.main_line().filter_map(|id| Some(game.node(id).mover()?.1.text())).collect();
    assert_eq!(moves, ["hh", "ii", "hi", "aa", "hg", "oo", "hf", "nn", "hj"]);
    let root = game.node(game.root());
    assert_eq!(root.text("AP").as_deref(), Some("Tengen:0.1.0"));
    let about = "a game\nAnalysis: Tengen 0.1.0; for each position: 2000 nodes";
    assert_eq!(root.text("C").as_deref(), Some(about));
    let bad = game.main_line().nth(4).unwrap();
    let parent = game.node(game.node(bad).parent().unwrap());
    let better = game.node(parent.children()[1]);
    let comment = better.comment().unwrap();
    assert!(comment.starts_with("Tengen: ") && comment.contains("; win "), "{comment}");
    assert!(!better.children().is_empty(), "{annotated}");
    // A second review marks nothing twice.
    let again = scratch.path("g.annotated.sgf");
    printed(&["--game", &again, "--nodes", "500"], "");
    assert!(!scratch.read("g.annotated.annotated.sgf").contains("]BM[1]BM["));
}

#[test]
fn a_review_as_json_has_every_move() {
    let scratch = Scratch::new(&[]);
    let path = scratch.write("g.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[bb];W[aa];B[ab];W[cb])");
    let (out, svg) = (scratch.path("x.sgf"), scratch.path("x.svg"));
    let objects = objects(&["--game", &path, "--depth", "9", "--out", &out, "--svg", &svg], "");
    let moves: Vec<_> = objects.iter().filter(|object| object["type"] == "move").collect();
    assert_eq!(moves.len(), 4);
    assert_eq!(moves[0]["side"], "first");
    assert_eq!(moves[3]["move"], "c2");
    assert!(moves.iter().all(|mv| mv["grade"] == "fine"), "{moves:#?}");
    let end = objects.last().unwrap();
    assert_eq!((end["type"].as_str(), end["moves"].as_u64()), (Some("game"), Some(4)));
    assert_eq!(end["chances"].as_array().unwrap().len(), 5, "{end}");
    let same = refused(&["--game", &path, "--out", &path], "");
    assert!(same.ends_with("would be overwritten"), "{same}");
}

#[test]
fn files_are_checked_before_a_game_is_searched() {
    let scratch = Scratch::new(&[]);
    let path = scratch.write("g.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[bb];W[aa])");
    let game = ["--game", &path, "--depth", "9"];
    let lost = scratch.path("none/x");
    for flag in ["--out", "--svg"] {
        let message = refused(&[&game[..], &[flag, &lost]].concat(), "");
        assert!(message.starts_with(&format!("tengen: cannot write {lost}: ")), "{message}");
        assert!(!scratch.file("g.annotated.sgf").exists());
        let message = refused(&[flag, &lost], "");
        assert!(message.contains("--game"), "{message}");
    }
    let shown = printed(&game, "");
    let annotated = scratch.read("g.annotated.sgf");
    let message = refused(&game, "");
    let expected = format!("{} exists: --force overwrites it", scratch.path("g.annotated.sgf"));
    assert_eq!(message, format!("tengen: {expected}"));
    assert_eq!(printed(&[&game[..], &["--force"]].concat(), ""), shown);

    let output = analyze(&[&game[..], &["--out", "-", "--force"]].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), annotated);
    assert!(text(&output.stderr).contains("\nmistakes: first player 0, "));
    let message = refused(&[&game[..], &["--out", "-", "--json"]].concat(), "");
    assert_eq!(message, "tengen: --out - and --json both need standard output");
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
#[cfg(unix)]
fn a_review_keeps_the_moves_judged_before_ctrl_c() {
    let scratch = Scratch::new(&[]);
    let path = scratch.write("g.sgf", "(;GM[4]SZ[15];B[hh];W[ii];B[aa];W[oo];B[cc];W[dd])");
    let args = ["--game", &path, "--movetime", "2000", "--no-variations"];
    let (rest, status) = interrupted(&args, "  1. X h8 ");
    assert!(rest.contains("mistakes: first player 0"), "{rest}");
    assert_eq!(status, Some(130));
    let annotated = scratch.read("g.annotated.sgf");
    assert!((1..6).contains(&annotated.matches("C[Tengen: ").count()), "{annotated}");
    assert!(annotated.contains("W[dd]"), "{annotated}");
    assert!(scratch.read("g.svg").ends_with("</svg>\n"));
}

#[test]
fn the_rule_of_a_record_decides_and_is_named() {
    // Six in a row, and a move after it.
    let record = "(;GM[4]RU[Standard]SZ[15];B[ah];W[aa];B[bh];W[ca];B[ch];W[ea];B[eh];W[ga];B[fh];W[ia];B[dh])";
    let shown = printed(
        &["--game", "-", "--nodes", "100", "--out", "/dev/null", "--svg", "/dev/null"],
        record,
    );
    assert!(shown.starts_with("gomoku: 15x15 board, exactly 5 in a row\n"), "{shown}");
    let last = printed(&["--sgf", "-", "--nodes", "100"], record);
    assert!(last.contains("\nThe second player is to move.\n"), "{last}");
    for (rule, variant, warns) in [
        ("RU[free style]", "gomokufreestyle", false),
        ("RU[RIF]", "renju", false),
        ("RU[Caro]", "caro", false),
        ("", "gomokufreestyle", false),
        ("RU[Japanese]", "gomokufreestyle", true),
        ("RU[My own]", "gomokufreestyle", true),
    ] {
        let record = format!("(;GM[4]{rule}SZ[15];B[hh])");
        let output = analyze(&["--sgf", "-", "--nodes", "50", "--json"], &record);
        let first: Value =
            serde_json::from_str(text(&output.stdout).lines().next().unwrap()).unwrap();
        assert_eq!(first["variant"], variant, "{rule}");
        let warning = text(&output.stderr);
        assert_eq!(
            warning.starts_with("tengen: warning: -: line 1, character "),
            warns,
            "{warning}"
        );
        assert!(
            !warns || warning.contains(&format!("{rule} is not a known rule of five in a row")),
            "{warning}"
        );
        let named = analyze(&["--sgf", "-", "--nodes", "50", "--variant", "renju"], &record);
        assert!(named.stderr.is_empty(), "{}", text(&named.stderr));
    }
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
fn every_game_of_a_file_is_judged() {
    let scratch = Scratch::new(&[]);
    let games = "(;GM[4]RU[Renju]SZ[15];B[hh];W[ii])\n(;GM[4]SZ[15])\n(;GM[4]SZ[19];B[jj])";
    let path = scratch.write("g.sgf", games);
    let shown = printed(&["--game", &path, "--nodes", "100", "--no-variations"], "");
    for heading in [
        "game 1 of 3, renju: 15x15 board",
        "game 2 of 3, gomokufreestyle: 15x15 board",
        "game 3 of 3, gomokufreestyle: 19x19 board",
    ] {
        assert!(shown.contains(heading), "{shown}");
    }
    let annotated = scratch.read("g.annotated.sgf");
    assert_eq!(annotated.matches("C[Tengen: ").count(), 3, "{annotated}");
    assert!(scratch.read("g.1.svg").starts_with("<svg "));
    assert!(scratch.read("g.3.svg").starts_with("<svg "));
    let first = analyze(&["--sgf", &path, "--nodes", "50"], "");
    assert!(text(&first.stderr).contains("holds 3 games: the position is of the first one"));
}

#[test]
fn a_record_is_read_and_written_in_its_own_encoding() {
    let scratch = Scratch::new(&[]);
    for (charset, name) in [
        ("CA[ISO-8859-1]", &b"J\xfcrgen"[..]),
        ("", b"J\xfcrgen"),
        ("CA[UTF-8]", "J\u{fc}rgen".as_bytes()),
        ("CA[GB18030]", b"\xcd\xf5\x81\x30\x81\x30"),
        // The second byte of one of these is a bracket, of another a backslash.
        ("CA[Shift_JIS]", b"\x83\x5d\x95\x5c"),
        ("CA[EUC-KR]", b"\xb1\xe8"),
    ] {
        let head = [format!("(;GM[4]{charset}SZ[15]PB[").as_bytes(), name, b"]"].concat();
        let path = scratch.write("g.sgf", [&head[..], b";B[hh];W[ii])"].concat());
        printed(&["--game", &path, "--nodes", "100", "--force", "--no-variations"], "");
        let written = fs::read(scratch.file("g.annotated.sgf")).unwrap();
        assert!(written.starts_with(&head), "{charset}: {}", String::from_utf8_lossy(&written));
        assert_eq!(written.windows(8).filter(|part| part == b"C[Tengen").count(), 2, "{charset}");
    }
    let hint = "; --encoding of tengen convert chooses another\n";
    for (file, warning) in [
        (
            &b"(;GM[4]CA[Klingon];B[hh])"[..],
            "line 1, character 11: CA[Klingon] is not a known encoding: the text is read as UTF-8",
        ),
        (
            b"(;GM[4]CA[UTF-8]\nPB[\xfc];B[hh])",
            "line 1, character 11: CA[UTF-8] does not fit the text, which is read as ISO-8859-1",
        ),
    ] {
        let output = analyze(&["--sgf", "-", "--nodes", "50"], file);
        assert!(output.status.success());
        assert_eq!(text(&output.stderr), format!("tengen: warning: -: {warning}{hint}"));
    }
}

#[test]
fn comments_are_in_the_language_of_the_user() {
    let scratch = Scratch::new(&[]);
    let path = scratch.write("g.sgf", "(;GM[4]SZ[15];B[hh];W[ii])");
    let args = ["--game", &path, "--nodes", "50", "--out", "-", "--no-svg"];
    let in_words = |args: &[&str]| text(&analyze(args, "").stdout);
    let english = in_words(&args);
    assert!(
        english.contains("C[Analysis: Tengen 0.1.0; for each position: 50 nodes]"),
        "{english}"
    );
    let japanese = in_words(&[&args[..], &["--language", "ja"]].concat());
    assert!(
        japanese.contains("CA[UTF-8]") && japanese.contains("\u{7740}\u{624b}\u{5f8c}"),
        "{japanese}"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let russian = command.arg("analyze").args(args).env("LC_ALL", "ru_RU.UTF-8").output().unwrap();
    assert!(text(&russian.stdout).contains("\u{410}\u{43d}\u{430}\u{43b}\u{438}\u{437}: Tengen"));
    let message = refused(&["--moves", "d1", "--language", "ja"], "");
    assert_eq!(message, "tengen: --language is for --game");
}

/// Records of every format, with the game that the user named.
#[test]
fn an_annotated_record_is_the_same_game() {
    let scratch = Scratch::new(&[]);
    for (name, file, args) in [
        ("a.txt", "h8 i9 h9 a1\n", &["--variant", "renju"][..]),
        (
            "b.psq",
            "Piskvorky 20x20, 11:11, 0\n8,8,0\n9,8,31\n8,9,3\n-1\n",
            &["--variant", "gomoku"],
        ),
        ("c.txt", "4455\n", &["--variant", "cfour"]),
        ("d.sgf", "(;SZ[13];B[gg];W[hh];B[gh](;W[aa];B[gi])(;W[ab]))", &["--variant", "caro"]),
    ] {
        let path = scratch.write(name, file);
        let out = scratch.path("out.sgf");
        let shown = printed(
            &[&["--game", &path, "--nodes", "300", "--out", &out, "--no-svg", "--force"], args]
                .concat(),
            "",
        );
        let again = printed(
            &[
                "--game",
                &out,
                "--nodes",
                "300",
                "--out",
                &scratch.path("x.sgf"),
                "--no-svg",
                "--force",
            ],
            "",
        );
        let body = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with("record: "));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(body(&again), body(&shown), "{name}");
    }
}

#[test]
fn the_games_beside_a_bad_one_are_judged() {
    let scratch = Scratch::new(&[]);
    let good = "(;GM[4]SZ[15];B[hh];W[ii])";
    let games = format!("{good}(;GM[4]SZ[15];B[hh];W[ii];B[hh])(;GM[4]SZ[15];B{good}");
    let path = scratch.write("g.sgf", &games);
    let args = ["--game", &path, "--nodes", "50", "--no-variations", "--no-svg", "--json"];
    let output = analyze(&args, "");
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    let lines: Vec<&str> = message.lines().collect();
    let second =
        format!("tengen: {path}: game 2: line 1, character 55: move 3 \"hh\": h8 is taken");
    assert_eq!(lines[0], second);
    assert!(
        lines[1].starts_with(&format!("tengen: {path}: game 3: line 1, character 74: expected")),
        "{message}"
    );
    assert_eq!(lines[2], format!("tengen: {path}: games refused: 2 of 4"));
    let objects: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_kind = |kind: &str| -> Vec<String> {
        let own = objects.iter().filter(|object| object["type"] == kind);
        own.map(|object| object["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (of_kind("game"), of_kind("error")),
        (vec!["1".to_owned(), "4".to_owned()], vec!["2".to_owned(), "3".to_owned()])
    );
    // The text of the bad games stays as it is.
    let annotated = scratch.read("g.annotated.sgf");
    assert!(
        annotated.contains(")(;GM[4]SZ[15];B[hh];W[ii];B[hh])(;GM[4]SZ[15];B(;GM[4]"),
        "{annotated}"
    );
    let message = refused(&[&args[..6], &["--force", "--strict"]].concat(), "");
    assert!(message.starts_with(&format!("tengen: {path}: line 1, character 74: ")), "{message}");
}

#[test]
fn moves_after_the_end_of_a_game_are_left_out() {
    let record = "(;GM[4]RU[tictactoe]SZ[3];B[aa];W[ab];B[ba];W[bb];B[ca];W[cc];B[bc])";
    let left_out =
        "line 1, character 59: move 6 \"c1\": the game is over after move 5; moves left out: 2";
    for args in [&["--game", "-", "--nodes", "50"][..], &["--sgf", "-", "--nodes", "50"]] {
        let output = analyze(args, record);
        assert_eq!(text(&output.stderr), format!("tengen: warning: -: {left_out}\n"), "{args:?}");
        assert!(output.status.success());
        assert!(text(&output.stdout).contains("The first player has won."), "{args:?}");
    }
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
fn threats_of_both_sides_are_listed() {
    let base = ["--variant", "gomokufreestyle", "--moves", "h8 a1 i8 c1 j8 e1", "--threats"];
    let shown = printed(&base, "");
    let (_, table) = shown.split_once("threats of the first player, to move:\n").unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "  open four or double-four  g8 k8");
    assert_eq!(lines[1], "  four                      f8 l8");
    assert!(lines[2].starts_with("  win by fours with g8      in 3: g8 "), "{table}");
    assert_eq!(lines[4], "threats of the second player, if it were to move:");
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
