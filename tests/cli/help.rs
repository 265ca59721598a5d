//! Every example in the help texts works as written; completions and manual pages can be made.

use std::fs;
use std::process::{Command, Output, Stdio};

use crate::scratch::{Scratch, text};
use crate::support::published;

/// The embedded book.
const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/games/books/cfour.book");

/// Examples that take minutes or hours: `tests/cli/book.rs` builds and checks smaller books,
/// `tests/it/bench.rs` runs the bench, `tests/cli/proofs.rs` proves less,
/// and `tests/cli/shelf.rs` lets a book grow for a moment.
const LONG: [&str; 8] = [
    "tengen book build --plies 6",
    "tengen book verify cfour-6.book",
    "tengen bench",
    "tengen prove --variant cfour --moves d --out d.proof.gz",
    "tengen prove --variant gomokufreestyle --opening 6 --threads 2 --out gomoku.proof.gz",
    "tengen prove --minimise d.proof.gz --effort 40 --out smaller.proof.gz",
    "tengen shelf grow --variant renju --from \"h8 i9\" --hours 8",
    "tengen shelf grow --trees --source joseki.lib --hours 1",
];

/// The beginning of examples that run until they are stopped. The examples of
/// `docs/manual/serve.md`, which are run too, stop theirs.
const ENDLESS: &str = "tengen serve";

/// Command lines that are refused, and what the one line says.
const REFUSED: [(&[&str], &str); 12] = [
    (&["--variant", "chess"], "invalid value 'chess' for '--variant <NAME>' [possible values: "),
    (&["solv"], "unrecognized subcommand 'solv'; tip: a similar subcommand exists: 'solve'"),
    (&["solve", "--nods", "1"], "unexpected argument '--nods' found; tip: "),
    (&["solve", "--nodes", "0"], "invalid value '0' for '--nodes <N>': 0 is not in 1.."),
    (&["solve", "--nodes"], "a value is required for '--nodes <N>' but none was supplied"),
    (&["solve", "--nodes", "x\ny"], "invalid value 'x y' for '--nodes <N>'"),
    (&["solve", "--fresh", "--fresh"], "the argument '--fresh' cannot be used multiple times"),
    (&["count", "--variant", "tictactoe", "--width", "3"], "the argument '--variant <VARIANT>' "),
    (&["convert"], "the following required arguments were not provided: "),
    (&["book"], "'tengen book' requires a subcommand but one was not provided"),
    (&["bench", "1", "2"], "unexpected argument '2' found"),
    (&["completions", "cmd"], "invalid value 'cmd' for '<SHELL>'"),
];

#[test]
fn every_refusal_of_the_command_line_is_one_line() {
    for (arguments, why) in REFUSED {
        let mut tengen = Command::new(env!("CARGO_BIN_EXE_tengen"));
        let output = tengen.args(arguments).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with(&format!("tengen: {why}")), "{arguments:?}: {stderr}");
        assert!(stderr.ends_with("; try '--help'\n"), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments:?}: {stderr}");
    }
}

/// Command lines whose word `{}` is refused.
const QUOTING: [&str; 27] = [
    "{}",
    "--variant {}",
    "--dialect {}",
    "analyze --variant {}",
    "analyze --moves {}",
    "analyze --fen {}",
    "analyze --game {}",
    "analyze --book {}",
    "analyze --depth {}",
    "solve {}",
    "solve --nodes {}",
    "convert {} out.sgf",
    "convert --to {} in.sgf out.sgf",
    "count --width {}",
    "tree {}",
    "tree --algorithm {} x",
    "book verify {}",
    "book build --plies {}",
    "bench {}",
    "man {}",
    "completions {}",
    "play --clock {}",
    "serve --limit {}",
    "batch {}",
    "arena {}",
    "arena -variant {}",
    "arena resume {}",
];

/// Words that are refused everywhere, and what of them a message quotes: what cannot be printed is
/// replaced or left out, and the first of two lines may be enough.
const WORDS: [(&str, &[&str]); 4] = [
    ("zzx", &["zzx"]),
    ("zz\u{7}xy", &["zz", "xy"]),
    ("zz\nxy", &["zz"]),
    ("\u{434}\u{43e}\u{441}\u{43a}\u{430}", &["\u{434}\u{43e}\u{441}\u{43a}\u{430}"]),
];

#[test]
fn every_refusal_of_the_command_line_quotes_its_input() {
    let is_built = |line: &&str| match line.split(' ').next() {
        Some("play") => cfg!(feature = "play"),
        Some("serve") => cfg!(feature = "serve"),
        Some("batch" | "arena") => cfg!(all(feature = "arena", target_os = "linux")),
        _ => true,
    };
    for line in QUOTING.into_iter().filter(is_built) {
        for (word, quoted) in WORDS {
            let arguments = line.split(' ').map(|it| it.replace("{}", word));
            let mut tengen = Command::new(env!("CARGO_BIN_EXE_tengen"));
            let output = tengen.args(arguments).stdin(Stdio::null()).output();
            let output = output.unwrap();
            let said = text(&output.stderr);
            let status = if line.starts_with("arena") { 1 } else { 2 };
            assert_eq!(output.status.code(), Some(status), "{line}, {word:?}: {said}");
            let said = said.strip_suffix('\n').unwrap_or_default();
            let is_clean = said.starts_with("tengen: ") && !said.contains(char::is_control);
            assert!(is_clean, "{line}, {word:?}: {said:?}");
            let is_quoted = quoted.iter().all(|part| said.contains(part));
            assert!(is_quoted, "{line}, {word:?}: {said:?}");
        }
    }
}

/// A temporary folder with the files of the examples.
fn examples_folder() -> Scratch {
    let scratch = Scratch::new(&[]);
    scratch.write("game.sgf", "(;GM[4]SZ[15];B[hh];W[ii];B[hi];W[hj];B[gh])");
    scratch.write("game.psq", "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,31\n-1\n");
    let library = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\x78\x40";
    scratch.write("library.lib", library);
    scratch.write("board.txt", "START 15\nBOARD\n7,7,1\n8,8,2\nDONE\n");
    scratch.write("positions.jsonl", "{\"id\":\"a\",\"moves\":\"4\",\"nodes\":50}\n");
    scratch.write("positions.txt", "4455\n1212121\n");
    let task = r#"{"version":1,"id":"a","kind":"solve","queries":[{"id":"a","moves":"4455"}]}"#;
    scratch.write("tasks.jsonl", format!("{task}\n"));
    scratch.write("results.jsonl", "");
    scratch.write("boards.txt", "?\n....\n.xo.\n.ox.\n....\n$\n");
    fs::copy(BOOK, scratch.file("cfour-6.book")).unwrap();
    if cfg!(feature = "shelf") {
        write_games(&scratch);
    }
    scratch
}

/// Writes the files of the examples of `tengen shelf`, and two shelves.
fn write_games(scratch: &Scratch) {
    let game = "(;GM[4]SZ[15]RU[renju]PB[Anna]PW[Ben]DT[2020]RE[B+R];B[hh];W[ig];B[gg])";
    scratch.write("games.sgf", game);
    // An archive without files.
    scratch.write("archive.zip", [&b"PK\x05\x06"[..], &[0; 18]].concat());
    let rif = "<database><games><game><move>h8 i9 i8</move></game></games></database>";
    scratch.write("renjunet.rif", rif);
    scratch.write("lines.txt", "h8 i9\nh8\n");
    for folder in ["records", "psq"] {
        fs::create_dir(scratch.file(folder)).unwrap();
        fs::copy(scratch.file("game.psq"), scratch.file(folder).join("game.psq")).unwrap();
    }
    for shelf in ["mine.shelf", "club.shelf"] {
        let made = run(scratch, &format!("tengen shelf import games.sgf --shelf {shelf}"));
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    // The book that an example of `check` compares.
    let grow = "tengen shelf grow --from \"h8 i9\" --hours 0.0002 --nodes 5000 --workers 1 --hash 1 --shelf club.shelf";
    let grown = run(scratch, grow);
    assert!(grown.status.success(), "{}", text(&grown.stderr));
}

/// Runs a line in the folder, which is that of the user's data, too.
fn run(scratch: &Scratch, line: &str) -> Output {
    let mut shell = scratch.shell(line);
    shell.env("HOME", scratch.folder()).env("XDG_DATA_HOME", scratch.folder());
    shell.output().unwrap()
}

/// Returns the names of all subcommands of a command, as its help lists them.
fn subcommands(scratch: &Scratch, command: &str) -> Vec<String> {
    let help = text(&run(scratch, &format!("{command} --help")).stdout);
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names =
        lines.filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names
        .map(|line| line.split(' ').next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

/// Returns the commands among the examples of a help text: lines indented by two blanks.
fn examples(help: &str) -> Vec<String> {
    let Some((_, list)) = help.split_once("Examples:\n") else { return Vec::new() };
    let lines = list.lines().filter_map(|line| line.strip_prefix("  "));
    lines.filter(|line| !line.starts_with(' ')).map(str::to_owned).collect()
}

#[test]
fn every_example_in_the_help_works() {
    let scratch = examples_folder();
    let names = subcommands(&scratch, "tengen");
    assert!(names.len() >= 9, "{names:?}");
    let mut helps = vec!["tengen --help".to_owned()];
    helps.extend(names.iter().map(|name| format!("tengen {name} --help")));
    if cfg!(feature = "shelf") {
        let parts = subcommands(&scratch, "tengen shelf");
        assert_eq!(parts.len(), 19, "{parts:?}");
        helps.extend(parts.iter().map(|part| format!("tengen shelf {part} --help")));
    }
    for help in helps {
        let shown = text(&run(&scratch, &help).stdout);
        let examples = examples(&shown);
        assert!(!examples.is_empty(), "{help}: no example");
        let ends = |line: &&String| !LONG.contains(&line.as_str()) && !line.starts_with(ENDLESS);
        for example in examples.iter().filter(ends) {
            let output = run(&scratch, example);
            let stderr = text(&output.stderr);
            assert!(output.status.success(), "{help}: {example}: {stderr}");
        }
    }
}

#[test]
fn the_manual_lists_the_statuses_of_the_help() {
    let scratch = examples_folder();
    let help = text(&run(&scratch, "tengen --help").stdout);
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/manual/command-line.md"));
    let page = page.unwrap();
    for status in [0, 1, 2, 3, 130] {
        assert!(help.contains(&format!("\n  {status:<3}  ")), "{help}");
        assert!(page.contains(&format!("\n| {status} | ")), "{status}");
    }
}

#[test]
fn a_terminal_is_greeted_and_a_pipe_is_not() {
    let scratch = examples_folder();
    let piped = run(&scratch, "echo quit | tengen");
    assert_eq!(text(&piped.stderr), "");
    if !run(&scratch, "command -v script").status.success() {
        return published::skip("the command script");
    }
    let terminal = run(&scratch, "echo quit | script -qec tengen /dev/null");
    assert!(terminal.status.success());
    let shown = text(&terminal.stdout);
    let greeting =
        "Tengen speaks UCI, UGI, Gomocup, GTP and JSON; try \"help\", or \"tengen --help\"";
    assert!(shown.contains(greeting), "{shown}");
}

#[test]
fn completions_and_pages_contain_the_options() {
    let scratch = examples_folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = text(&run(&scratch, &format!("tengen completions {shell}")).stdout);
        for word in ["analyze", "multipv", "winning-move"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    let page = text(&run(&scratch, "tengen man").stdout);
    assert!(page.contains(".TH tengen 1") && page.contains("analyze"), "{page}");
    for name in subcommands(&scratch, "tengen") {
        let page = text(&run(&scratch, &format!("tengen man {name}")).stdout);
        assert!(page.contains(&format!(".TH tengen-{name} 1")), "{name}: {page}");
    }
    let page = text(&run(&scratch, "tengen man arena").stdout);
    let help = text(&run(&scratch, "tengen arena --help").stdout);
    for line in help.lines().filter(|line| !line.trim().is_empty()) {
        let word = line.split_whitespace().next().unwrap().replace('-', "\\-");
        assert!(page.contains(&word), "tengen man arena lacks {word}");
    }
    let page = text(&run(&scratch, "tengen man book build").stdout);
    assert!(page.contains(".TH tengen-book-build 1"), "{page}");
    assert!(page.contains("\n\\fBtengen book build\\fR "), "{page}");
    every_page_that_is_listed_can_be_made(&scratch, "tengen man");
    let refused = run(&scratch, "tengen man nothing");
    assert_eq!(refused.status.code(), Some(2));
    let known = subcommands(&scratch, "tengen").join(", ");
    let why = format!("tengen: tengen has no subcommand \"nothing\": there are {known}\n");
    assert_eq!(text(&refused.stderr), why);
}

fn every_page_that_is_listed_can_be_made(scratch: &Scratch, man: &str) {
    let page = text(&run(scratch, man).stdout);
    let prefix = man.replacen("tengen man", "tengen", 1).replace(' ', "-");
    for listed in page.lines().filter_map(|line| line.strip_suffix("(1)")) {
        let listed = listed.replace("\\-", "-");
        let name = listed.strip_prefix(&format!("{prefix}-")).unwrap();
        let output = run(scratch, &format!("{man} {name}"));
        assert!(output.status.success(), "{listed}: {}", text(&output.stderr));
        every_page_that_is_listed_can_be_made(scratch, &format!("{man} {name}"));
    }
}
