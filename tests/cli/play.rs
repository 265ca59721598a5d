//! `tengen play` in its plain mode, as a script or a screen reader uses it.

use std::process::{Command, Output, Stdio};
use std::{fs, io::Write};

use crate::analyze::run;
use crate::scratch::{Scratch, text};

/// Options that make a game repeatable.
const FIXED: [&str; 6] = ["--level", "0", "--seed", "1", "--nodes", "2000"];

fn play(args: &[&str], input: &str) -> Output {
    run(&[&["play"], &FIXED[..], args].concat(), input)
}

/// Returns the lines of a game that must succeed.
fn lines(args: &[&str], input: &str) -> Vec<String> {
    let shown = play(args, input);
    assert!(shown.status.success(), "{args:?}: {}", text(&shown.stderr));
    assert_eq!(text(&shown.stderr), "", "{args:?}");
    text(&shown.stdout).lines().map(str::to_owned).collect()
}

/// Runs a game that must be refused with status 2, and returns its message.
fn refused(args: &[&str]) -> String {
    let shown = play(args, "");
    assert_eq!(shown.status.code(), Some(2), "{args:?}: {}", text(&shown.stdout));
    text(&shown.stderr).trim_end().to_owned()
}

/// Checks that lines with these beginnings occur in this order.
fn assert_order(lines: &[String], beginnings: &[&str]) {
    let mut rest = lines.iter();
    for beginning in beginnings {
        let found = rest.any(|line| line.starts_with(beginning));
        assert!(found, "no \"{beginning}\" in its place: {lines:#?}");
    }
}

#[test]
fn a_game_is_played_to_its_end_in_sentences() {
    // Fills the columns one by one; the weakest level may lose or win.
    let input =
        "d\nd\nd\nd\nc\nc\nc\nc\ne\ne\ne\ne\nb\nb\nb\nb\nf\nf\nf\nf\na\na\na\na\na\ng\ng\ng\ng\n";
    let shown = lines(&[], input);
    assert_order(&shown, &["cfour: 7x6 board", "Your turn, Red.", "You play d1.", "Tengen plays "]);
    let ends = |line: &String| line.contains(" has won: ") || line == "The game is drawn.";
    assert_eq!(shown.iter().filter(|line| ends(line)).count(), 1, "{shown:#?}");
    // Moves after the end are refused, and nothing else happens.
    let end = shown.iter().position(ends).expect("an end");
    assert!(shown[end + 1..].iter().all(|line| line.starts_with("The game is over")));
}

#[test]
fn the_same_script_plays_the_same_game() {
    let script = "h8\nj9\nhint\nhint\nvalue\nundo\nk10\nmoves\nboard\nquit\n";
    let first = lines(&["--variant", "renju"], script);
    assert_eq!(first, lines(&["--variant", "renju"], script));
    assert_order(
        &first,
        &[
            "You play h8.",
            "Tengen plays",
            "You play j9.",
            "Tengen plays",
            "Hint: ",
            "Hint: ",
            "Best is ",
            "Taken back: ",
            "You play k10.",
            "Tengen plays",
            "  1. h8 ",
            "15 . ",
            "   a b c",
            "Your turn",
        ],
    );
}

#[test]
fn a_wrong_word_is_reported_in_one_line_and_changes_nothing() {
    let script = "z9\nh99\nlevel 12\nplay me\nto 7\nload nothing.sgf\nundo now\nsay hello\nh8\nh8\n\n\u{1}\nquit\n";
    let shown = lines(&["--variant", "gomoku", "--side", "both"], script);
    for line in [
        "move \"z9\": outside the board (a1 to o15).",
        "level 12: say a number from 0 to 10.",
        "play me: say first, second, both or none.",
        "to 7: the game has 0 moves.",
        "cannot read nothing.sgf: ",
        "undo now: undo takes no argument.",
    ] {
        assert!(shown.iter().any(|shown| shown.starts_with(line)), "no {line}: {shown:#?}");
    }
    assert!(shown.iter().all(|line| line.chars().all(|c| !c.is_control())), "{shown:#?}");
}

#[test]
fn a_line_too_long_and_bytes_that_are_no_text_are_refused() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["play", "--side", "both"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        let long = vec![b'x'; 100_000];
        for part in [&long[..], b"\n", b"\xff\xfe\x00\n", b"d\n"] {
            let _ = input.write_all(part);
        }
    });
    let shown = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert!(shown.status.success());
    let shown = text(&shown.stdout);
    assert!(shown.ends_with("Red plays d1.\nOpening: 4 centre column.\n"), "{shown}");
    assert!(shown.lines().all(|line| line.len() < 400), "{shown}");
}

#[test]
fn swap2_is_played_in_words() {
    let script = "h14\ni15\ng10\nmoves\nquit\n";
    let shown = lines(&["--variant", "gomoku", "--swap2"], script);
    assert_order(
        &shown,
        &[
            "Swap2: you, Black now: place stone 1 (black) on any empty point.",
            "You play h14.",
            "You play i15.",
            "You play g10.",
            "Tengen ",
        ],
    );
    let opened = lines(&["--variant", "gomoku", "--swap2", "--side", "second"], "white\nquit\n");
    assert_order(
        &opened,
        &[
            "Tengen plays ",
            "Swap2: you, White now: swap (take the other colour) or stay (keep it), or two (place two",
            "You keep White.",
            "Your turn, White.",
        ],
    );
    assert_eq!(opened.iter().filter(|line| line.starts_with("Tengen plays ")).count(), 1);
}

#[test]
fn a_record_is_shown_judged_and_saved() {
    let scratch = Scratch::new(&[]);
    let record = "(;GM[4]SZ[15]RU[renju]PB[One]C[Start];B[hh];W[ig];B[ii](;W[gg];B[hi];W[aa];B[gi])(;W[aa]C[bad]))";
    let file = scratch.write("game.sgf", record);
    let saved = scratch.path("saved.sgf");
    let script = format!(
        "forward\nto 4\nvariation\nto 6\nreview\nmistake\nstart\nmistake\nsave {saved}\nsave {saved}\nsave {file}\n"
    );
    let shown = lines(&[&file], &script);
    assert_order(
        &shown,
        &["Move 1 of 7: Black h8.", "Move 4 of 7: White g9.", "Move 4 of 4: White a15. bad"],
    );
    assert_order(
        &shown,
        &["Mistakes: ", "Beginning of the game", "The game is saved as ", "The game is saved as "],
    );
    assert!(
        shown.iter().any(|line| line.contains("exists: save under another name")),
        "{shown:#?}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), record);
    let text = scratch.read("saved.sgf");
    for part in ["PB[One]", "C[Start]", "RU[renju]", "B[hh]", "C[bad]", "B[gi]"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The saved file is read again, with the same moves and variations.
    let again = lines(&[&saved], "end\nmoves\n");
    assert!(again.iter().any(|line| line.contains("h8 i9 i7")), "{again:#?}");
}

#[test]
fn a_custom_board_is_read_from_its_record() {
    let scratch = Scratch::new(&[]);
    let saved = scratch.path("own.sgf");
    let board = [
        "--variant",
        "custom",
        "--width",
        "9",
        "--height",
        "8",
        "-k",
        "5",
        "--no-gravity",
        "--side",
        "both",
    ];
    lines(&board, &format!("e4\nf5\nsave {saved}\n"));
    let shown = lines(&[&saved], "end\n");
    assert_order(&shown, &["custom: 9x8 board, 5 in a row.", "Move 2 of 2: White f5."]);
}

#[test]
fn moves_after_the_end_of_a_record_are_left_out() {
    let scratch = Scratch::new(&[]);
    let record = scratch
        .write("t.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[aa];W[ab];B[ba];W[bb];B[ca];W[cc];B[bc])");
    let shown = lines(&[&record], "end\n");
    let said = "line 1, character 59: the game is over after move 5; moves left out: 2.";
    assert!(shown.iter().any(|line| line.ends_with(said)), "{shown:#?}");
    assert!(!shown.iter().any(|line| line.contains("Variations")), "{shown:#?}");
    assert_order(&shown, &["Move 5 of 5: X c3."]);
}

#[test]
fn a_named_game_takes_the_board_of_the_record() {
    let scratch = Scratch::new(&[]);
    let record = scratch.write("small.sgf", "(;GM[4]SZ[9];B[ea];W[ii])");
    let named = ["--variant", "custom", "-k", "5", "--no-gravity"];
    let shown = lines(&[&named[..], &[&record]].concat(), "end\n");
    assert_order(&shown, &["custom: 9x9 board, 5 in a row.", "Move 2 of 2: White i1."]);
}

#[test]
fn bad_input_is_refused_before_the_game() {
    let scratch = Scratch::new(&[]);
    let file = scratch.write("no.sgf", "this is not a record");
    assert!(refused(&["--variant", "chess"]).starts_with("tengen: invalid value 'chess'"));
    let why = refused(&[&file]);
    assert!(
        why.contains(
            "no.sgf: line 1, character 1: expected \"(\", which begins a game, found \"t\""
        ),
        "{why}"
    );
    assert!(why.lines().count() == 1);
    let bad = scratch.write("bad.sgf", "(;GM[4]SZ[15];B[hh];W[hh])");
    assert!(
        refused(&[&bad]).ends_with("line 1, character 23: move 2 \"hh\": h8 is taken"),
        "{}",
        refused(&[&bad])
    );
    assert!(refused(&["--moves", "d1 h8"]).contains("it fits gomokufreestyle"));
    assert!(refused(&["--swap2"]).contains("--swap2: cfour has no opening rules"));
    let strong = run(&["play", "--level", "11"], "");
    assert!(strong.status.code() == Some(2) && text(&strong.stderr).contains("0..=10"));
    assert!(refused(&["missing.sgf"]).contains("cannot read missing.sgf"));
}

#[test]
fn a_game_without_a_board_is_played_with_names_of_moves() {
    let shown = lines(
        &[
            "--variant",
            "tree",
            "--fen",
            "[A, [B, (D, 3), (E, 12)], [C, (F, 2), (G, 4)]]",
            "--side",
            "both",
        ],
        "board\nB\n",
    );
    assert!(shown.iter().any(|line| line.starts_with("First plays B")), "{shown:#?}");
}
