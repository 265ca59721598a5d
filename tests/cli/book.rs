//! `tengen book` as a process: builds with a given journal, and valid and damaged books.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tengen_games::cfour::Classic;
use tengen_games::cfour::book::{Book, BookJournal, CLASSIC, Layers};

use crate::scratch::{Scratch, text};

/// The embedded book.
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/books/cfour.book");

fn tengen(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.arg("book").args(arguments).output().expect("the binary runs")
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a path in text")
}

#[test]
fn a_build_with_a_complete_journal_writes_the_book_at_once() {
    let scratch = Scratch::new(&[]);
    let output = scratch.file("again.book");
    let own = CLASSIC.book().expect("the embedded book");
    let plies = own.plies();
    let layers = Layers::new(Classic, plies);
    let (mut journal, _) =
        BookJournal::open(&scratch.file("again.book.journal"), &layers).expect("a journal");
    for number in 0..layers.count(plies) {
        let score = own.score(&layers.board(plies, number)).expect("it is in the book");
        journal.add(number, score).expect("room on the disk");
    }
    drop(journal);
    let plies = plies.to_string();
    let built = tengen(&["build", "--plies", &plies, "--output", path(&output), "--hash", "1"]);
    let stderr = text(&built.stderr);
    assert!(built.status.success(), "{stderr}");
    // Known results come from `--classes` only.
    assert!(!stderr.contains("known results"), "{stderr}");
    assert_eq!(fs::read(&output).expect("a book"), fs::read(OWN).expect("the embedded book"));
    assert!(!scratch.file("again.book.journal").exists(), "the journal goes with success");
}

#[test]
fn a_build_that_cannot_succeed_is_refused_at_once() {
    let scratch = Scratch::new(&[]);
    let output = scratch.file("new.book");
    let refused = |more: &[&str], status: i32, expected: &str| {
        let refused = tengen(&[&["build", "--plies", "10"], more].concat());
        assert_eq!(text(&refused.stderr), format!("tengen: {expected}\n"), "{more:?}");
        assert_eq!(refused.status.code(), Some(status), "{more:?}");
        assert_eq!(fs::read_dir(scratch.folder()).expect("the folder").count(), 0, "{more:?}");
    };
    let folder = path(scratch.folder());
    let why = format!("--output: cannot write {folder}: is a directory");
    refused(&["--output", folder], 2, &why);
    let lost = scratch.file("none");
    let lost = path(&lost);
    let within = format!("{lost}/new.book");
    let why = format!(
        "--output: cannot write {within}: no file can be made in the folder {lost}: \
         there is no such folder"
    );
    refused(&["--output", &within], 2, &why);
    let why = format!("--output: cannot write {lost}/: there is no such folder");
    refused(&["--output", &format!("{lost}/")], 2, &why);
    let why = format!("cannot read {lost}: No such file or directory (os error 2)");
    refused(&["--output", path(&output), "--classes", lost], 2, &why);

    let large =
        tengen(&["build", "--plies", "10", "--output", path(&output), "--hash", "999999999"]);
    let stderr = text(&large.stderr);
    assert_eq!(large.status.code(), Some(2), "{stderr}");
    assert!(stderr.starts_with("tengen: --hash 999999999: this machine has "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn two_builds_of_one_book_do_not_both_run() {
    let scratch = Scratch::new(&[]);
    let output = scratch.file("new.book");
    let journal = scratch.file("new.book.journal");
    let open = BookJournal::open(&journal, &Layers::new(Classic, 4)).expect("a journal");
    let second = tengen(&["build", "--plies", "4", "--output", path(&output), "--hash", "1"]);
    let why = format!(
        "tengen: cannot use the journal {}: another build is writing it\n",
        journal.display()
    );
    assert_eq!((text(&second.stderr), second.status.code()), (why, Some(1)));
    drop(open);
    let other = tengen(&["build", "--plies", "5", "--output", path(&output), "--hash", "1"]);
    let stderr = text(&other.stderr);
    assert_eq!(other.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("a book of 4 plies on 7x6, 4 in a row, not of 5 plies on 7x6"),
        "{stderr}"
    );
}

#[test]
fn a_build_resumes_with_every_undamaged_record() {
    let scratch = Scratch::new(&[]);
    let output = scratch.file("again.book");
    let (own, layers) = (CLASSIC.book().expect("the embedded book"), Layers::new(Classic, 4));
    let journal_path = scratch.file("again.book.journal");
    let (mut journal, _) = BookJournal::open(&journal_path, &layers).expect("a journal");
    let count = layers.count(4);
    for number in 0..count {
        let score = own.score(&layers.board(4, number)).expect("it is in the book");
        journal.add(number, score).expect("room on the disk");
    }
    drop(journal);
    // The first record is damaged; its score is added again at the end.
    let mut bytes = fs::read(&journal_path).expect("a journal");
    let first = own.score(&layers.board(4, 0)).expect("it is in the book");
    bytes[17 + 4] ^= 1;
    fs::write(&journal_path, &bytes).expect("room on the disk");
    let (mut journal, known) = BookJournal::open(&journal_path, &layers).expect("a journal");
    assert_eq!((known[0], known.iter().flatten().count()), (None, count - 1));
    journal.add(0, first).expect("room on the disk");
    drop(journal);
    let built = tengen(&["build", "--plies", "4", "--output", path(&output), "--hash", "1"]);
    let stderr = text(&built.stderr);
    assert!(built.status.success(), "{stderr}");
    assert!(stderr.contains(&format!("solved by an earlier build: {count}\n")), "{stderr}");
    assert!(stderr.contains("1 record of the journal is damaged and was skipped\n"), "{stderr}");
}

#[test]
fn the_embedded_book_is_described_and_verified() {
    let info = text(&tengen(&["info", OWN]).stdout);
    assert!(info.starts_with("7x6 board, 4 in a row: "), "{info}");
    assert!(info.contains("\nply  0: 1 won, 0 drawn, 0 lost by the side to move\n"), "{info}");
    let checked = tengen(&["verify", OWN, "--sample", "0", "--hash", "1"]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    assert!(text(&checked.stdout).contains("in place, every ply follows from the next\n"));
}

#[test]
fn a_damaged_book_and_other_files_are_refused() {
    let scratch = Scratch::new(&[]);
    let file = scratch.file("bad.book");
    let mut bytes = fs::read(OWN).expect("the embedded book");
    let longer = [&bytes[..], &[0]].concat();
    bytes[30] ^= 4;
    for (content, why) in [
        (bytes, "the book is damaged: its checksum is wrong"),
        (longer, "the book has the wrong length"),
        (b"7/7/7/7/7/7 w".to_vec(), "not an opening book"),
        (Vec::new(), "not an opening book"),
    ] {
        fs::write(&file, content).expect("room on the disk");
        for task in ["info", "verify"] {
            let refused = tengen(&[task, path(&file)]);
            assert_eq!(refused.status.code(), Some(2));
            let expected = format!("tengen: {}: {why}\n", file.display());
            assert_eq!(text(&refused.stderr), expected);
        }
    }
    // A device is not read.
    #[cfg(unix)]
    {
        let refused = tengen(&["info", "/dev/zero"]);
        assert_eq!(text(&refused.stderr), "tengen: /dev/zero: not a regular file\n");
    }
    let missing = tengen(&["info", path(&scratch.file("none"))]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("cannot read "), "{}", text(&missing.stderr));
}

#[test]
fn a_book_from_a_file_replaces_the_embedded_one() {
    let scratch = Scratch::new(&[]);
    let file = scratch.file("short.book");
    let own = CLASSIC.book().expect("the embedded book");
    let layers = Layers::new(Classic, 3);
    let score = |number| own.score(&layers.board(3, number)).expect("it is in the book");
    let last: Vec<_> = (0..layers.count(3)).map(score).collect();
    fs::write(&file, Book::new(&layers, &last).bytes()).expect("room on the disk");
    let positions = scratch.file("positions.txt");
    fs::write(&positions, "445\n4455\n").expect("room on the disk");
    let solve = |options: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.arg("solve").arg(path(&positions)).args(options);
        let output = command.output().expect("the binary runs");
        let lines = text(&output.stdout);
        let nodes = |line: &str| line.split(' ').nth(2).map(|nodes| nodes != "0");
        let searched: Vec<_> = lines.lines().filter_map(nodes).collect();
        (searched, text(&output.stderr), output.status.code())
    };
    assert_eq!(solve(&[]), (vec![false, false], String::new(), Some(0)));
    let short = solve(&["--book", path(&file)]);
    assert_eq!(short, (vec![false, true], String::new(), Some(0)), "the shorter book");

    let (_, stderr, status) = solve(&["--book", "no/such.book"]);
    let missing = "tengen: --book no/such.book: No such file or directory (os error 2)\n";
    assert_eq!((stderr.as_str(), status), (missing, Some(2)));
    let (_, stderr, status) = solve(&["--book", path(&file), "--variant", "cfour-misere"]);
    assert!(stderr.ends_with("short.book: cfour-misere has no books\n"), "{stderr}");
    assert_eq!(status, Some(2));
}
