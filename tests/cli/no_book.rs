//! The program without the feature `book`: it reports that there is no book, and works without one.

use std::io::Write;
use std::process::{Command, Stdio};

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/books/cfour.book");

/// Returns the standard output and the standard error of a run.
fn run(args: &[&str], input: &str) -> [String; 2] {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let program = program.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = program.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input.as_bytes()).expect("the program reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("the program ends");
    assert!(output.status.success(), "{args:?}: {}", output.status);
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"))
}

#[test]
fn solve_says_that_there_is_no_book_and_solves() {
    let warning = "tengen: warning: this build has no opening book; --book names one\n";
    let [printed, stderr] = run(&["solve"], "4455\n");
    assert!(printed.starts_with("4455 18 "), "{printed}");
    assert_eq!(stderr, warning);
    let [printed, stderr] = run(&["solve", "--no-book"], "4455\n");
    assert!(printed.starts_with("4455 18 "), "{printed}");
    assert_eq!(stderr, "");
    // Other boards have no books in any build.
    let [_, stderr] = run(&["solve", "--width", "4", "--height", "4"], "-\n");
    assert_eq!(stderr, "");
}

#[test]
fn a_book_is_opened_from_a_file() {
    let [printed, stderr] = run(&["solve", "--book", BOOK], "-\n");
    assert!(printed.starts_with("- 1 0 "), "{printed}");
    assert_eq!(stderr, "");
}

#[test]
fn a_client_that_enables_the_book_gets_a_note() {
    let note = "info string option OwnBook: this build has no opening book; BookFile names one\n";
    assert_eq!(run(&[], "setoption name OwnBook value true\nquit\n")[0], note);
    let file = format!("setoption name BookFile value {BOOK}\nsetoption name OwnBook value true\n");
    let [printed, _] = run(&[], &format!("{file}position startpos\ngo movetime 600000\n"));
    assert!(printed.contains(" score mate 21 nodes 0 "), "{printed}");
}
