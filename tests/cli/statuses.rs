//! The exit statuses of all commands, as `docs/manual/command-line.md` lists them.

use std::path::Path;
use std::process::{Command, Output};

use crate::scratch::{Scratch, text};
use crate::support::published::skip;

/// Runs a line of the shell in a folder, with the program on its PATH.
fn shell(line: &str, folder: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_tengen"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).current_dir(folder).env("PATH", path).output().unwrap()
}

/// Checks the status of every line, and that a failure is one message.
fn check(status: i32, lines: &[&str]) {
    let scratch = Scratch::new(&[]);
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
    check(2, &lines.each_ref().map(String::as_str));
}

#[cfg(target_os = "linux")]
#[test]
fn lost_output_has_status_one() {
    check(
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

/// Runs a line of the shell as a user who may start no thread, in `folder`. Only the superuser can
/// become another user, and others have too many processes of their own to be limited.
#[cfg(target_os = "linux")]
fn shell_without_threads(line: &str, folder: &str) -> Option<Output> {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    std::fs::set_permissions(folder, PermissionsExt::from_mode(0o777)).unwrap();
    let mut shell = Command::new("prlimit");
    shell.args(["--nproc=1", "sh", "-c", line]).current_dir(folder).uid(NOBODY).gid(NOBODY);
    shell.env("HOME", folder).output().ok()
}

#[cfg(target_os = "linux")]
#[test]
fn a_thread_that_the_system_refuses_has_status_one_and_one_line() {
    let scratch = Scratch::new(&[]);
    let folder = scratch.path("");
    // The folder of the program may be closed to others.
    std::fs::copy(env!("CARGO_BIN_EXE_tengen"), scratch.path("tengen")).unwrap();
    scratch.write("g.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[bb];W[aa])");
    scratch.write("moves", "4455\n");
    if shell_without_threads("exit 0", &folder).is_none() {
        return skip("prlimit, or the right to limit another user,");
    }
    for line in [
        "exec ./tengen solve moves",
        "exec ./tengen solve --threads 4 moves",
        "exec ./tengen count --variant tictactoe",
        "exec ./tengen analyze --depth 1",
        "exec ./tengen analyze --game g.sgf --depth 1",
        "exec ./tengen tree '[A, (B, 1)]'",
        "exec ./tengen batch g.sgf --nodes 10",
        "exec ./tengen book build --plies 1 --hash 1",
        "exec ./tengen play --plain",
    ] {
        let output = shell_without_threads(line, &folder).unwrap();
        let (shown, told) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{line}: {shown}{told}");
        let last = told.lines().last().unwrap_or_default();
        assert!(last.starts_with("tengen: ") && last.contains("thread"), "{line}: {told}");
        assert!(
            !told.contains("panicked") && !told.contains("not enough memory"),
            "{line}: {told}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_cannot_be_written_is_reported_once_with_status_one() {
    let scratch = Scratch::new(&[]);
    let lines = "printf 'isready\\nisready\\nquit\\n'";
    let option = "printf 'setoption name Debug Log File value /dev/full\\nisready\\nquit\\n'";
    for line in [
        format!("{lines} | tengen --log /dev/full"),
        format!("{option} | tengen"),
        format!("{lines} | tengen --log stderr 2> /dev/full"),
    ] {
        let output = shell(&line, &scratch.path(""));
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {told}");
        assert!(text(&output.stdout).contains("readyok\n"), "{line}");
        let said = "tengen: the log cannot be written: No space left on device (os error 28)\n";
        assert!(told == said || line.ends_with("/dev/full"), "{line}: {told}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_keeps_the_old_file_and_leaves_nothing() {
    let scratch = Scratch::new(&[]);
    scratch.write("g.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[bb];W[aa])");
    // A limit of the size of files ends a write as a full disk does.
    for command in [
        "tengen convert g.sgf old.psq --force",
        "tengen analyze --game g.sgf --depth 1 --out old.psq --no-svg --force",
        "tengen analyze --game g.sgf --depth 1 --out - --svg old.psq --force",
        "tengen book build --plies 1 --hash 1 --output old.psq --force",
    ] {
        scratch.write("old.psq", "precious");
        let line = format!("trap '' XFSZ; ulimit -f 0; {command} > /dev/null");
        let output = shell(&line, &scratch.path(""));
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{command}: {told}");
        assert_eq!(scratch.read("old.psq"), "precious", "{command}: {told}");
        let parts = std::fs::read_dir(scratch.path("")).unwrap();
        let parts = parts.filter(|it| it.as_ref().unwrap().file_name() != "old.psq");
        let left: Vec<_> = parts.map(|it| it.unwrap().file_name()).collect();
        let is_known = |name: &std::ffi::OsString| {
            name == "g.sgf" || name.to_string_lossy().ends_with(".journal")
        };
        assert!(left.iter().all(is_known), "{command}: {left:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_command_writes_files_in_one_way() {
    let scratch = Scratch::new(&[]);
    scratch.write("g.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[bb];W[aa])");
    let folder = scratch.path("");
    let analyze = "tengen analyze --game g.sgf --depth 1";
    // A command with OUT for its output, and what the output begins with.
    for (command, start) in [
        ("tengen convert --to moves g.sgf OUT".to_owned(), "b2 a3"),
        (format!("{analyze} --no-svg --out OUT"), "(;"),
        (format!("{analyze} --out /dev/null --svg OUT"), "<svg "),
        ("tengen arena openings -variant gomoku -count 1 -openings nodes=10 balance=9999 plies=2 \
          -out OUT"
            .to_owned(), ""),
    ] {
        let run = |out: &str| shell(&command.replace("OUT", out), &folder);
        let begins = |bytes: &[u8]| {
            !bytes.is_empty() && String::from_utf8_lossy(bytes).starts_with(start)
        };
        for standard in ["-", "/dev/stdout"] {
            let shown = run(standard);
            assert!(begins(&shown.stdout), "{command}: {shown:?}");
            assert!(!Path::new(&scratch.path("-")).exists(), "{command}");
        }
        let piped = run("/dev/fd/3 3>&1 >/dev/null | cat");
        assert!(begins(&piped.stdout), "{command}: {piped:?}");
        let full = run("/dev/full");
        // The arena has a status of its own.
        assert!(matches!(full.status.code(), Some(1 | 5)), "{command}: {full:?}");
        assert!(text(&full.stderr).contains("/dev/full"), "{command}: {full:?}");
        let (file, link) = (scratch.write("real", "precious"), scratch.path("link"));
        std::os::unix::fs::symlink("real", &link).unwrap();
        let refused = run("link");
        assert_ne!(refused.status.code(), Some(0), "{command}");
        assert!(text(&refused.stderr).contains("exists: -"), "{command}: {refused:?}");
        assert_eq!(scratch.read("real"), "precious");
        let forced = run("link --force");
        assert_eq!(forced.status.code(), Some(0), "{command}: {forced:?}");
        assert!(begins(&std::fs::read(&file).unwrap()), "{command}");
        assert!(Path::new(&link).is_symlink(), "{command}");
        std::fs::remove_file(&link).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn lack_of_memory_has_status_one_and_says_what_to_choose() {
    check(
        1,
        &[
            "ulimit -v 1000000; echo 4455 | tengen solve --hash 1500",
            "ulimit -v 1000000; tengen analyze --depth 1 --hash 1500",
        ],
    );
    let scratch = Scratch::new(&[]);
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
    let scratch = Scratch::new(&[]);
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
    let scratch = Scratch::new(&[]);
    for command in ["analyze", "play", "solve", "convert", "tree", "count", "batch", "serve", ""] {
        let help = text(&shell(&format!("tengen {command} --help"), &scratch.path("")).stdout);
        assert!(help.len() > 100 && !help.contains("\\\""), "{command}: {help}");
    }
}
