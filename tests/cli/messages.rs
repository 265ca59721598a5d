//! Messages about unusual input: they name the file, and say what is wrong in words.

use crate::analyze::run;
use crate::scratch::{Scratch, text};

/// Command lines, with `{}` for the file; its content; the status; and the message, with `{}` for the file.
const MESSAGES: [(&str, &str, i32, &str); 15] = [
    (
        "analyze --nodes -5",
        "",
        2,
        "unexpected argument '-5' found; no option takes a number below 0",
    ),
    ("play --clock -1", "", 2, "unexpected argument '-1' found; no option takes a number below 0"),
    (
        "analyze --movetime 1.5",
        "",
        2,
        "invalid value '1.5' for '--movetime <MS>': it must be a whole number; try '--help'",
    ),
    (
        "solve --nodes 99999999999999999999",
        "",
        2,
        "invalid value '99999999999999999999' for '--nodes <N>': the number is too large; try '--help'",
    ),
    (
        "count --width 9 --height 9",
        "",
        2,
        "9x9 board, 3 in a row may have more than 18,446,744,073,709,551,615 positions, and at most 40,000,000 can be counted",
    ),
    (
        "tree --file {}",
        "",
        2,
        "{}: position \"\": expected `[` or `(`, found the end at character 1",
    ),
    ("solve {}", "# none\n\n", 0, "warning: {}: it has no position"),
    (
        "analyze --board {}",
        "7,7,1\n15,0,2\n",
        2,
        "{}: 15,0 is outside the board of 15x15 points (0,0 to 14,14)",
    ),
    ("convert {} - --to sgf --game 2", "h8 i9", 2, "--game 2: {} holds 1 game"),
    (
        "convert {} /nowhere/x.sgf",
        "h8 i9",
        2,
        "cannot write /nowhere/x.sgf: no file can be made in the folder /nowhere: there is no such folder",
    ),
    (
        "convert {} - --to psq",
        "h8 z26 a1",
        2,
        "{}: line 1, character 4: move 2 \"z26\": outside the board (a1 to o15); a larger board is named by --variant gomoku --width N --height N",
    ),
    (
        "convert {} - --to sgf --variant gomoku --width 19 --height 19",
        "h8 t19 a1",
        2,
        "{}: line 1, character 4: move 2 \"t19\": outside the board (a1 to s19)",
    ),
    (
        "convert {} - --to sgf --variant gomoku",
        "[White \"a\"]\n[White \"b\"]\n[White \"b\"]\n\n1. h8 i9 *\n",
        0,
        "warning: {}: line 2, character 1: the tag White stands twice: its last value is taken",
    ),
    ("runs /nowhere", "", 2, "/nowhere: no run is in this folder"),
    ("check {}", "no proof\n", 2, "{}: line 1: not a proof: the first line is not tengen-proof 1"),
];

#[test]
fn messages_about_unusual_input_say_what_is_wrong() {
    let scratch = Scratch::new(&[]);
    let is_built = |line: &str| match line.split(' ').next() {
        Some("play") => cfg!(feature = "play"),
        Some("runs") => cfg!(feature = "arena"),
        _ => true,
    };
    for (line, content, status, message) in MESSAGES.into_iter().filter(|it| is_built(it.0)) {
        let file = scratch.write("input", content);
        let line = line.replace("{}", &file);
        let output = run(&line.split(' ').collect::<Vec<_>>(), "");
        let expected = format!("tengen: {}\n", message.replace("{}", &file));
        assert_eq!(
            (output.status.code(), text(&output.stderr)),
            (Some(status), expected),
            "{line}"
        );
    }
}

#[test]
fn a_folder_in_place_of_a_file_is_refused() {
    let scratch = Scratch::new(&[]);
    let folder = scratch.path("folder");
    std::fs::create_dir(&folder).unwrap();
    for line in ["check {}", "solve {}", "convert {} -", "analyze --game {}", "tree --file {}"] {
        let line = line.replace("{}", &folder)
            + if line.starts_with("convert") { " --to sgf" } else { "" };
        let output = run(&line.split(' ').collect::<Vec<_>>(), "");
        let stderr = text(&output.stderr).to_lowercase();
        assert_eq!(output.status.code(), Some(2), "{line}: {stderr}");
        let wanted = format!("tengen: cannot read {folder}: is a directory").to_lowercase();
        assert!(stderr.starts_with(&wanted), "{line}: {stderr}");
    }
}
