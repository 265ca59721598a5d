//! Output at a terminal that a pipe does not get: progress and colours. The command `script`
//! provides the terminal; without it these tests are skipped.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::scratch::Scratch;
use crate::support::published;

/// The byte that Ctrl-C sends.
const CTRL_C: &[u8] = b"\x03";
/// The beginning of colours and other escape sequences.
const ESCAPE: char = '\x1b';

/// Returns a folder with the input files; `None`, after a note, if there is no terminal.
fn folder() -> Option<Scratch> {
    let scratch = Scratch::new(&[]);
    scratch.write("positions.txt", "-\n");
    scratch.write("game.sgf", "(;GM[4]SZ[15];B[hh];W[ii];B[aa];W[oo];B[cc];W[dd])");
    if scratch.shell("command -v script").status().unwrap().success() {
        return Some(scratch);
    }
    published::skip("the command script");
    None
}

/// Runs a command at a terminal until it has shown `mark`, then types Ctrl-C. Returns everything
/// that was shown.
fn interrupted(command: &str, mark: &str) -> Option<String> {
    let folder = folder()?;
    let mut terminal = folder.shell(&format!("script -qec \"{command}\" /dev/null"));
    let mut child = terminal.stdin(Stdio::piped()).spawn().unwrap();
    let (mut typed, mut output) = (child.stdin.take(), child.stdout.take().unwrap());
    let mut shown = String::new();
    let mut bytes = [0; 4096];
    loop {
        let count = output.read(&mut bytes).unwrap();
        if count == 0 {
            break;
        }
        shown += &String::from_utf8_lossy(&bytes[..count]);
        if shown.contains(mark)
            && let Some(mut keys) = typed.take()
        {
            keys.write_all(CTRL_C).unwrap();
        }
    }
    child.wait().unwrap();
    assert!(shown.contains(mark), "{command}: {shown}");
    Some(shown)
}

#[test]
fn solve_shows_its_progress_and_ends_with_what_is_proven() {
    let command = "tengen solve --no-book --hash 1 --width 9 --height 9 positions.txt";
    let Some(shown) = interrupted(command, " gone") else { return };
    assert!(shown.contains("\"-\" was not solved: its score is from "), "{shown}");
    assert!(shown.contains("tengen: interrupted: positions solved: 0"), "{shown}");
}

#[test]
fn a_review_shows_its_progress_and_ends_with_the_moves_judged() {
    let command = "tengen analyze --game game.sgf --movetime 2000";
    let Some(shown) = interrupted(command, " gone") else { return };
    assert!(shown.contains("tengen: interrupted: moves judged: "), "{shown}");
}

#[test]
fn a_count_shows_its_progress_and_ends_with_the_plies_counted() {
    let command = "tengen count --width 16 --height 1 -k 16";
    let Some(shown) = interrupted(command, " gone") else { return };
    assert!(shown.contains("distinct positions  "), "{shown}");
    assert!(shown.contains("tengen: interrupted: plies counted: "), "{shown}");
}

#[test]
fn a_build_shows_its_progress_and_ends_with_the_positions_solved() {
    let command = "tengen book build --plies 5 --output 5.book";
    let Some(shown) = interrupted(command, "solved by an earlier build: 0") else { return };
    assert!(shown.contains("; 5.book.journal keeps them for the next build"), "{shown}");
}

/// Plays in words at a terminal, with this folder for the kept game. Returns what was shown.
fn played(args: &str, lines: &[&str], state: &str, folder: &Scratch) -> String {
    let line = format!("XDG_STATE_HOME={state} tengen play --plain {args}");
    let mut terminal = folder.shell(&format!("script -qec \"{line}\" /dev/null"));
    let mut child = terminal.stdin(Stdio::piped()).spawn().unwrap();
    let mut typed = child.stdin.take().unwrap();
    let lines = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    typed.write_all(format!("{lines}quit\n").as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(typed);
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

#[test]
fn a_game_is_resumed_as_it_was_left() {
    let Some(folder) = folder() else { return };
    let state = folder.folder().display().to_string();
    let begin = "--variant gomoku --side both --clock 10+5";
    let shown = played(begin, &["h8", "i9", "j10", "undo"], &state, &folder);
    assert!(shown.contains("tengen play --resume continues it."), "{shown}");
    let shown = played("--resume", &["moves", "clock", "resign"], &state, &folder);
    for part in ["1. h8 i9*\n", "Clocks: Black 10:", "White has won."] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let shown = played("--resume", &["h8"], &state, &folder);
    assert!(shown.contains("Black resigns: White has won."), "{shown}");
    assert!(shown.contains("The game is over"), "{shown}");
}

#[test]
fn a_game_that_cannot_be_kept_is_reported_once() {
    let Some(folder) = folder() else { return };
    let begin = "--variant gomoku --side both";
    let shown = played(begin, &["h8", "i9"], "/dev/null/none", &folder);
    assert_eq!(shown.matches("cannot be kept in /dev/null/none").count(), 1, "{shown}");
    assert!(shown.contains("The game is not kept: /dev/null/none"), "{shown}");
}

#[test]
fn colours_are_shown_at_terminals_unless_no_color_is_set() {
    let Some(folder) = folder() else { return };
    let shown = |line: &str| {
        let output = folder.shell(line).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    assert!(shown("script -qec 'tengen --help' /dev/null").contains(ESCAPE));
    for plain in [
        "NO_COLOR=1 script -qec 'tengen --help' /dev/null",
        "NO_COLOR=1 script -qec 'tengen analyze --depth 0' /dev/null",
        "tengen --help",
        "tengen analyze --depth 0",
        "tengen analyze --moves d1 --depth 2",
        "tengen analyze --game game.sgf --nodes 50",
        "echo 4455 | tengen solve",
        "tengen book verify --help",
        "echo d | tengen",
    ] {
        let shown = shown(plain);
        assert!(!shown.is_empty() && !shown.contains(ESCAPE), "{plain}: {shown:?}");
    }
}
