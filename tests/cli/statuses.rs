//! The exit statuses of all commands, as `docs/manual/command-line.md` lists them.

use std::path::Path;
use std::process::{Command, Output};

use crate::analyze::{Scratch, text};

/// Runs a line of the shell in a folder, with the program on its PATH.
fn shell(line: &str, folder: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_tengen"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("PATH", path).output().unwrap()
}

/// Checks the status of every line, and that a failure is one message.
fn check(name: &str, status: i32, lines: &[&str]) {
    let scratch = Scratch::new(name);
    let folder = scratch.path("");
    for line in lines {
        let output = shell(line, &folder);
        let (shown, told) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{line}: {shown}{told}");
        let last = told.lines().last().unwrap_or_default();
        assert!(status == 0 || last.starts_with("tengen: "), "{line}: {told}");
        assert!(!told.contains("panicked"), "{line}: {told}");
    }
}

#[test]
fn input_that_is_no_text_has_status_two() {
    check(
        "status-bytes",
        2,
        &[
            r"printf '\377' | tengen tree -",
            r"printf '[A, (B, \377)]' > tree.txt; tengen tree --file tree.txt",
            r"printf '\377' | tengen solve",
            r"printf '\377' | tengen winning-move",
            r"printf '\377' | tengen convert - - --to sgf",
            r"printf '\377' | tengen analyze --sgf -",
            r"printf '\377' | tengen analyze --game -",
            r"printf '\377' | tengen analyze --board -",
            r"printf '\377' > game.sgf; tengen play game.sgf",
            r"printf '\377' > no.book; tengen book info no.book",
        ],
    );
}

#[test]
fn input_that_cannot_be_read_has_status_two() {
    check(
        "status-unread",
        2,
        &[
            "tengen tree - < .",
            "tengen solve < .",
            "tengen winning-move < .",
            "tengen convert - - --to sgf < .",
            "tengen analyze --sgf - < .",
            "tengen analyze --game - < .",
            "tengen analyze --board - < .",
            "tengen tree --file none",
            "tengen solve none.txt",
            "tengen convert none.sgf - --to sgf",
            "tengen analyze --sgf none.sgf",
            "tengen analyze --game none.sgf",
            "tengen play none.sgf",
            "tengen book info none.book",
            "tengen book verify none.book",
        ],
    );
}

#[test]
fn a_wrong_command_line_has_status_two() {
    let commands = [
        "analyze",
        "play",
        "bench",
        "solve",
        "convert",
        "tree",
        "winning-move",
        "count",
        "book",
        "book build",
        "schema",
        "completions",
        "man",
        "batch",
        "serve",
        "",
    ];
    let lines = commands.map(|command| format!("tengen {command} --nonsense"));
    check("status-usage", 2, &lines.each_ref().map(String::as_str));
}

#[cfg(target_os = "linux")]
#[test]
fn lost_output_has_status_one() {
    check(
        "status-full",
        1,
        &[
            "tengen --version > /dev/full",
            "tengen --help > /dev/full",
            "tengen solve --help > /dev/full",
            "echo 4455 | tengen solve > /dev/full",
            "tengen tree '[A, (B, 1)]' > /dev/full",
            "tengen count > /dev/full",
            r"printf '?\n....\n....\n....\n....\n$\n' | tengen winning-move > /dev/full",
            "echo h8i9 | tengen convert - - --to moves > /dev/full",
            "tengen analyze --depth 1 > /dev/full",
            "tengen schema > /dev/full",
            "tengen completions bash > /dev/full",
            "tengen man > /dev/full",
            "echo d | tengen play --level 0 --nodes 10 > /dev/full",
        ],
    );
}

#[cfg(target_os = "linux")]
#[test]
fn lack_of_memory_has_status_one_and_says_what_to_choose() {
    check(
        "status-memory",
        1,
        &[
            "ulimit -v 1000000; echo 4455 | tengen solve --hash 1500",
            "ulimit -v 1000000; tengen analyze --depth 1 --hash 1500",
        ],
    );
    let scratch = Scratch::new("status-memory-message");
    let line = "ulimit -v 1000000; echo 4455 | tengen solve --hash 1500";
    let told = text(&shell(line, &scratch.path("")).stderr);
    assert!(
        told.ends_with("hash 1500 MiB: not enough memory: choose a smaller --hash\n"),
        "{told}"
    );
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn a_closed_output_has_status_zero() {
    check(
        "status-closed",
        0,
        &[
            "{ tengen --help; echo $? > status; } | true; exit $(cat status)",
            "{ tengen schema; echo $? > status; } | true; exit $(cat status)",
            "{ tengen man; echo $? > status; } | true; exit $(cat status)",
        ],
    );
}

#[test]
fn a_form_that_is_refused_is_answered_with_the_one_that_works() {
    let scratch = Scratch::new("status-forms");
    scratch.write("game.sgf", "(;GM[4]SZ[15];B[hh])");
    scratch.write("boards", "$\n");
    scratch.write("moves.txt", "4455\n");
    scratch.write("tree.txt", "[A, (B, 1)]");
    for (line, form) in [
        ("analyze game.sgf", "\"tengen analyze --game game.sgf\" judges every move of a record"),
        ("analyze game.sgf", "\"tengen analyze --sgf game.sgf\" searches its last position"),
        ("analyze --moves d1 d2", "moves are one argument in quotes: --moves \"... d2 ...\""),
        ("winning-move boards", "tengen winning-move < boards"),
        ("count 3 3 3", "--width 3 --height 3 -k 3"),
        ("game.sgf", "\"tengen play game.sgf\" shows a record"),
        ("renju", "a game is chosen by --variant renju"),
        (
            "solve 4455",
            "4455: there is no such file; moves are read from standard input: echo 4455 | tengen solve",
        ),
        ("play 4455", "4455: there is no such file; moves are given by --moves \"4455\""),
        ("convert moves.txt - --to sgf", "numbers of columns need the game: --variant cfour"),
        ("analyze --sgf moves.txt", "numbers of columns need the game: --variant cfour"),
        ("tree tree.txt", "to read the file: --file tree.txt"),
        ("solve --variant gomoku", "too large to be solved; \"tengen analyze\" searches it"),
    ] {
        let output = shell(&format!("tengen {line}"), &scratch.path(""));
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {told}");
        assert!(told.contains(form) && told.lines().count() == 1, "{line}: {told}");
    }
}

#[test]
fn no_help_shows_a_backslash_before_a_quote() {
    let scratch = Scratch::new("status-quotes");
    for command in ["analyze", "play", "solve", "convert", "tree", "count", "batch", "serve", ""] {
        let help = text(&shell(&format!("tengen {command} --help"), &scratch.path("")).stdout);
        assert!(help.len() > 100 && !help.contains("\\\""), "{command}: {help}");
    }
}
