//! `tengen prove` and `tengen check` as processes, and the checkers in Python: valid and spoilt proofs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sha2::{Digest, Sha256};
use tengen_engine::{Catalog, Chosen, Side};
use tengen_games::CATALOG;
use tengen_proofs::Claim;

use crate::scratch::{Scratch, text};

/// The folder of the proofs and of the checkers in Python.
const PROOFS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/proofs");
/// The proofs that take `tengen prove` less than a few seconds, and what it is asked for.
const SMALL: [(&str, &str); 9] = [
    ("3x3x3-first.proof", "--variant tictactoe --side first"),
    ("3x3x3-second.proof", "--variant tictactoe --side second"),
    ("4x3x3.proof", "--width 4 --height 3 -k 3 --no-gravity"),
    ("4x4x3.proof", "--width 4 --height 4 -k 3 --no-gravity"),
    ("7x6-late.proof", "--variant cfour --threads 2 --moves d1d2d3d4d5b1b2b3d6e1e2"),
    ("15x15-late.proof", "--variant gomokufreestyle --moves h8i9i8g8j10h9j9g9"),
    ("renju-late.proof", "--variant renju --moves h8i9i8g8j10h9j9g9j8j7g10j6"),
    ("renju-forbidden.proof", "--variant renju --moves h8g11h9f12i10e13k10a1c15a2i9"),
    ("caro-late.proof", "--variant caro --moves h8i9i8g8j10h9j9g9j8j7g10j6"),
];

/// The proofs that take the checkers minutes. `.ci/run` checks them with the program that it builds for the wheel.
const LARGE: [&str; 1] = ["7x6-d1.proof.gz"];

/// Runs a checker in Python: `check_GAME.py`.
fn python(file: &str, game: &str) -> Output {
    let mut command = Command::new("python3");
    command.arg(Path::new(PROOFS).join(format!("check_{game}.py"))).arg(file);
    command.output().expect("Python 3 runs")
}

/// Returns which checker in Python reads a proof of the tree.
fn game_of(name: &str) -> &'static str {
    let games = [("7x6", "four"), ("renju", "renju"), ("caro", "caro")];
    games.iter().find(|(part, _)| name.contains(part)).map_or("line", |(_, game)| game)
}

fn all_proofs() -> Vec<PathBuf> {
    let files = fs::read_dir(PROOFS).expect("the folder").map(|entry| entry.expect("an entry"));
    let files = files.map(|entry| entry.path());
    let mut proofs: Vec<PathBuf> =
        files.filter(|path| path.to_string_lossy().contains(".proof")).collect();
    proofs.sort();
    assert!(proofs.len() >= SMALL.len(), "{proofs:?}");
    proofs
}

#[test]
fn the_small_proofs_of_the_tree_are_those_that_prove_writes() {
    let scratch = Scratch::new(&["prove"]);
    for (name, arguments) in SMALL {
        let words: Vec<&str> = arguments.split(' ').collect();
        let output = scratch.command(&[&words, &["--out", name][..]].concat()).output();
        let output = output.expect("the program runs");
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        let known = fs::read_to_string(Path::new(PROOFS).join(name)).expect("a proof");
        assert!(scratch.read(name) == known, "{name} of the tree is another one");
    }
}

#[test]
fn the_checkers_accept_every_proof_of_the_tree() {
    let scratch = Scratch::new(&["check"]);
    for path in all_proofs() {
        let name = path.to_str().expect("a path in text");
        if LARGE.iter().any(|large| path.ends_with(large)) {
            continue;
        }
        let checked = scratch.command(&[name]).output().expect("the program runs");
        assert!(checked.status.success(), "{name}: {}", text(&checked.stderr));
        let checked = python(name, game_of(name));
        assert!(checked.status.success(), "{name}: {}", text(&checked.stdout));
    }
}

/// Returns the proof with this body, and a head that fits the body.
fn sealed(proof: &str, body: &str) -> String {
    let (head, _) = proof.split_once("\n\n").expect("a head");
    let lines: Vec<&str> = body.lines().collect();
    let shared = lines.iter().filter(|line| line.starts_with('*')).count();
    let digest = Sha256::digest(body);
    let sha256: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let head = head.lines().map(|line| match line.split(' ').next() {
        Some("positions") => format!("positions {}\n", lines.len()),
        Some("shared") => format!("shared {shared}\n"),
        Some("sha256") => format!("sha256 {sha256}\n"),
        _ => format!("{line}\n"),
    });
    format!("{}\n{body}", head.collect::<String>())
}

/// Checks that both checkers refuse a proof, at this line of the file if it is not 0.
fn assert_refused(what: &str, proof: impl AsRef<[u8]>, line: usize, game: &str) {
    let scratch = Scratch::new(&["check"]);
    let file = scratch.write("spoilt.proof", proof);
    let checked = scratch.command(&[&file]).output().expect("the program runs");
    assert_eq!(checked.status.code(), Some(2), "{what}: {}", text(&checked.stdout));
    let in_python = python(&file, game);
    assert_eq!(in_python.status.code(), Some(1), "{what}: {}", text(&in_python.stdout));
    let place = if line == 0 { "line ".to_owned() } else { format!("line {line}") };
    for said in [text(&checked.stderr), text(&in_python.stdout)] {
        assert!(said.contains(&place), "{what}: not at {place}: {said}");
    }
}

#[test]
fn both_checkers_refuse_a_proof_that_is_spoilt() {
    let names = ["3x3x3-second", "4x3x3", "7x6-late", "15x15-late", "renju-late", "caro-late"];
    for name in names.map(|name| format!("{name}.proof")) {
        let game = game_of(&name);
        let proof = fs::read_to_string(Path::new(PROOFS).join(&name)).expect("a proof");
        let (head, body) = proof.split_once("\n\n").expect("a head");
        let lines: Vec<&str> = body.lines().collect();
        let joined = |lines: &[&str]| format!("{}\n", lines.join("\n"));
        let refused = |what: &str, body: &str, line| {
            assert_refused(&format!("{name}: {what}"), sealed(&proof, body), line, game);
        };
        // The place of the fault depends on the strategy: the first position that does not fit.
        refused("a reply is left out", &joined(&lines[..lines.len() - 1]), 9 + lines.len());
        refused(
            "a line in the middle is left out",
            &joined(&[&lines[..1], &lines[2..]].concat()),
            0,
        );
        refused("it is longer than the strategy", &format!("{body}a1\n"), 10 + lines.len());
        refused("a point outside the board", &body.replacen(lines[0], "z9", 1), 10);
        refused("no point at all", &body.replacen(lines[0], "first", 1), 10);
        refused("an empty line", &body.replacen(lines[0], "", 1), 10);
        assert_refused("cut off", &proof[..proof.len() - 3], 9 + lines.len(), game);
        assert_refused("text after the end", format!("{proof}a1\n"), 10 + lines.len(), game);
        let wrong = |from: &str, to: &str| format!("{}\n\n{body}", head.replacen(from, to, 1));
        assert_refused("wrong hash", wrong("sha256 ", "sha256 0"), 8, game);
        assert_refused("wrong count", wrong("positions ", "positions 1"), 6, game);
        assert_refused("wrong number of shared positions", wrong("shared ", "shared 1"), 7, game);
        assert_refused("no claim", wrong("claim ", "claim that "), 5, game);
        assert_refused("no format", wrong("tengen-proof 1", "tengen-proof 2"), 1, game);
        assert_refused("a field is missing", wrong("claim ", "clam "), 5, game);
        let other = if head.contains("first") {
            ("claim first", "claim second")
        } else {
            ("claim second", "claim first")
        };
        assert_refused("the other side's claim", wrong(other.0, other.1), 0, game);
        let shared = lines.iter().position(|line| line.starts_with('*'));
        if let Some(place) = shared {
            let mut lines = lines.clone();
            lines[place] = &lines[place][1..];
            refused("a position comes again without its mark", &joined(&lines), 0);
        }
    }
}

/// Both leave out replies that touch nothing of a plan, each in its own way.
#[test]
fn both_checkers_say_the_same_of_a_plan_without_its_end() {
    let proof = fs::read_to_string(Path::new(PROOFS).join("15x15-late.proof")).expect("a proof");
    let lines: Vec<&str> = proof.split_once("\n\n").expect("a head").1.lines().collect();
    let scratch = Scratch::new(&["check"]);
    let (mut refused, mut accepted) = (0, 0);
    for (place, line) in lines.iter().enumerate() {
        for mark in ['!', '('] {
            let Some((begin, rest)) = line.rsplit_once(mark) else { continue };
            let end =
                if mark == '(' { rest.split_once(')').map_or("", |(_, end)| end) } else { "" };
            let spoilt = format!("{begin}{end}{}", ")".repeat(open_brackets(begin)));
            let mut lines = lines.clone();
            lines[place] = &spoilt;
            let file =
                scratch.write("plan.proof", sealed(&proof, &format!("{}\n", lines.join("\n"))));
            let ours = scratch.command(&[&file]).output().expect("the program runs");
            let in_python = python(&file, "line");
            let places = [text(&ours.stderr), text(&in_python.stdout)];
            assert_eq!(ours.status.success(), in_python.status.success(), "{spoilt}: {places:?}");
            *if ours.status.success() { &mut accepted } else { &mut refused } += 1;
        }
    }
    assert!(refused > 10, "{refused} refused, {accepted} accepted");
}

/// Returns the number of brackets that are not closed.
fn open_brackets(plan: &str) -> usize {
    plan.matches('(').count() - plan.matches(')').count()
}

#[test]
fn both_checkers_refuse_a_damaged_compressed_proof() {
    let scratch = Scratch::new(&["check"]);
    let proof = fs::read(Path::new(PROOFS).join("3x3x3-second.proof")).expect("a proof");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(&proof).expect("memory");
    let packed = packed.finish().expect("memory");
    let mut flipped = packed.clone();
    flipped[packed.len() / 2] ^= 0x10;
    for (bytes, accepted) in
        [(&packed[..], true), (&packed[..packed.len() - 9], false), (&flipped[..], false)]
    {
        let file = scratch.write("packed.proof.gz", bytes);
        let checked = scratch.command(&[&file]).output().expect("the program runs");
        assert_eq!(checked.status.success(), accepted, "{}", text(&checked.stderr));
        assert_eq!(python(&file, "line").status.success(), accepted);
    }
}

#[test]
fn a_drawn_proof_that_cannot_be_smaller_is_not_written() {
    let scratch = Scratch::new(&["prove"]);
    let proof = Path::new(PROOFS).join("3x3x3-first.proof");
    let output =
        scratch.run(&["--minimise", proof.to_str().expect("text"), "--out", "small.proof"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = [text(&output.stdout), text(&output.stderr)].concat();
    assert!(said.contains("5 positions are not fewer than 5: nothing written"), "{said}");
    assert!(!scratch.file("small.proof").exists());
}

#[test]
fn both_checkers_refuse_a_move_that_does_not_win_and_a_rule_that_fails() {
    let read = |name: &str| fs::read_to_string(Path::new(PROOFS).join(name)).expect("a proof");
    // After a corner the second player must take the centre.
    let proof = read("3x3x3-second.proof");
    let body = proof.split_once("\n\n").expect("a head").1;
    assert!(body.contains("b2"), "{body}");
    assert_refused("a wrong move", sealed(&proof, &body.replacen("b2", "b1", 1)), 0, "line");
    let proof = read("4x3x3.proof");
    let body = proof.split_once("\n\n").expect("a head").1;
    assert_refused(
        "the draw of a won game",
        sealed(&proof, body).replace("wins", "draws").replace("first", "second"),
        0,
        "line",
    );
    let proof = read("7x6-late.proof");
    let body = proof.split_once("\n\n").expect("a head").1;
    let (_, rest) = body.split_once('\n').expect("several lines");
    assert_refused("a rule is claimed for all", sealed(&proof, ":\n"), 10, "four");
    assert_refused("a rule for no game", sealed(&proof, &format!(":e4=e3\n{rest}")), 10, "four");
    assert_refused(
        "a plan in four in a row",
        sealed(&proof, &format!("a1!a2\n{rest}")),
        10,
        "four",
    );
}

#[test]
fn play_refuses_a_book_that_is_no_proof_of_its_game() {
    let scratch = Scratch::new(&["play", "--variant", "tictactoe", "--book"]);
    let other = Path::new(PROOFS).join("4x3x3.proof").display().to_string();
    let broken = scratch.write("broken.proof", "tengen-proof 1\n");
    for (book, says) in [
        ("absent.proof", "No such file"),
        (&broken, "here must be: game"),
        (&other, "a proof of 4x3 board, 3 in a row, not of 3x3 board"),
    ] {
        let output = scratch.command(&[book]).output().expect("the program runs");
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(&format!("--book {book}: ")) && stderr.contains(says), "{stderr}");
    }
}

/// Up to d3 nobody has a row on 5x5 points, and not all of the first player's rows are closed.
const NO_WIN: [&str; 10] = [
    "--variant",
    "gomokufreestyle",
    "--width",
    "5",
    "--height",
    "5",
    "--moves",
    "a1b1c1d1e1a2b2c2d2e2a3b3c3d3",
    "--side",
    "first",
];

#[test]
fn what_an_opening_does_not_prove_stays_open_and_is_no_proof() {
    let scratch = Scratch::new(&["prove"]);
    let prove = [&NO_WIN[..], &["--opening", "2", "--out", "open.proof"]].concat();
    let output = scratch.run(&prove);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(
        said.contains("not proven: first wins after a1 b1") && said.contains("\nopen: a1 b1"),
        "{said}"
    );
    let proof = scratch.read("open.proof");
    assert!(proof.contains("\nclaim first wins, 1 open\n") && proof.ends_with("\n?\n"), "{proof}");
    assert!(scratch.file("open.proof.run").exists(), "a larger opening goes on from the journal");
    let check = Scratch::new(&["check"]);
    let file = check.write("open.proof", &proof);
    let checked = check.command(&[&file]).output().expect("the program runs");
    assert_eq!(checked.status.code(), Some(3), "{}", text(&checked.stdout));
    assert!(text(&checked.stderr).contains("not proven: open positions: 1, the first after a1 b1"));
    let in_python = python(&file, "line");
    assert_eq!(in_python.status.code(), Some(1), "{}", text(&in_python.stdout));
    let play = Scratch::new(&["play", "--variant", "gomokufreestyle", "--book"]);
    let played = play.command(&[&file]).output().expect("the program runs");
    assert!(
        text(&played.stderr).contains("not proven: open positions: 1"),
        "{}",
        text(&played.stderr)
    );
    for (what, spoilt, line) in [
        ("another number of open positions", proof.replace("1 open", "2 open"), 5),
        ("no open position is told", proof.replace(", 1 open", ""), 11),
        ("no number", proof.replace("1 open", "0 open"), 5),
    ] {
        let file = check.write("spoilt.proof", spoilt);
        let checked = check.command(&[&file]).output().expect("the program runs");
        assert_eq!(checked.status.code(), Some(2), "{what}: {}", text(&checked.stdout));
        assert!(
            text(&checked.stderr).contains(&format!("line {line}")),
            "{what}: {}",
            text(&checked.stderr)
        );
    }
}

#[test]
fn an_opening_is_proven_by_moves_whose_win_the_search_does_not_see() {
    let scratch = Scratch::new(&["prove"]);
    let claim =
        ["--variant", "gomokufreestyle", "--width", "7", "--height", "7", "--moves", "d4a1e4g1"];
    let prove =
        [&claim[..], &["--opening", "2", "--threads", "2", "--out", "seven.proof"]].concat();
    let output = scratch.run(&prove);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("first wins after d4 a1 e4 g1 within "),
        "{}",
        text(&output.stdout)
    );
    assert!(!scratch.file("seven.proof.run").exists());
    let file = scratch.file("seven.proof").display().to_string();
    let in_python = python(&file, "line");
    assert!(in_python.status.success(), "{}", text(&in_python.stdout));
    let solved = scratch.run(&["--variant", "cfour", "--opening", "2", "--out", "solved.proof"]);
    assert_eq!(solved.status.code(), Some(2));
    assert!(text(&solved.stderr).contains("leave --opening out"), "{}", text(&solved.stderr));
}

/// On 5x5 points, three in a row, two stones with room at both ends win.
#[test]
fn a_plan_is_followed_against_all_replies_that_it_meets() {
    let head = "tengen-proof 1\ngame custom BoardHeight=5 BoardWidth=5 ConnectK=3 Gravity=0 Overline=1\n\
                rules 5x5 board, 3 in a row\nmoves\nclaim first wins\npositions 0\nshared 0\nsha256 0\n\n";
    let scratch = Scratch::new(&["check"]);
    for (body, is_proof) in [
        ("c3!b3\nc2\n*c2\n", true),
        ("c3(a3 c2)(b3 c2)(d3 c2)!b3\n", true),
        ("c3(a3 c2)(b3 c2)!b3\nc2\n", true),
        // The mirror image of b3 comes again.
        ("c3!b3\nc2\nc2\n", false),
        ("c3!b3\n", false),
        ("c3(a3 c2)(b3 c2)(d3 c2!b3\n", false),
        ("c3(a3 c3)(b3 c2)(d3 c2)!b3\n", false),
        ("c3(a3 c2)(b3 c2)(d3 c2)\n", false),
        ("c3!c3\n", false),
        ("c3(a3c2)(b3 c2)(d3 c2)!b3\n", false),
        ("C3(a3 c2)(b3 c2)(d3 c2)!b3\n", false),
    ] {
        let file = scratch.write("plan.proof", sealed(head, body));
        let ours = scratch.command(&[&file]).output().expect("the program runs");
        let in_python = python(&file, "line");
        let said = format!("{body}: {}{}", text(&ours.stderr), text(&in_python.stdout));
        assert_eq!([ours.status, in_python.status].map(|it| it.success()), [is_proof; 2], "{said}");
    }
}

/// Returns a proof without a hash of its own, from a variant with its options, its rules, moves, the claim and the lines.
fn built(game: &str, rules: &str, moves: &str, claim: &str, body: &str) -> String {
    let head = format!(
        "tengen-proof 1\ngame {game}\nrules 15x15 board, {rules}\nmoves {moves}\nclaim {claim}\n\
         positions 0\nshared 0\nsha256 0\n\n"
    );
    sealed(&head, body)
}

/// What the rules of renju and caro decide: proofs that are right under one rule and wrong under another.
#[test]
fn both_checkers_know_the_rules_of_renju_and_caro() {
    const SIZE: &str = "BoardHeight=15 BoardWidth=15";
    let freestyle = &(format!("gomokufreestyle {SIZE}"), "5 in a row", "line");
    let exact = &(format!("gomoku {SIZE}"), "exactly 5 in a row", "line");
    let renju = &(format!("renju {SIZE}"), "renju", "renju");
    let rules = "caro: 5 in a row not closed at both ends";
    let caro = &(format!("caro {SIZE} Overline=1"), rules, "caro");
    let rules = "caro: exactly 5 in a row not closed at both ends";
    let caro_exact = &(format!("caro {SIZE} Overline=0"), rules, "caro");
    // White makes a four whose only defence is a double three of Black.
    let double_three = "h8 g11 h9 f12 i10 e13 k10 a1 c15 a2 i9";
    // The three on the file of h is closed, so that the defence is allowed.
    let no_three = "h8 g11 h9 f12 i10 e13 k10 h11 c15 h7 i9";
    // Black has four with an end at d8, and White's stones close both ends of five.
    let closed = "e8 d8 f8 j8 g8 a1 h8 a2";
    // A stone on h8 makes six.
    let six = "e8 a1 f8 a3 g8 a5 i8 a7 j8 a9";
    // A stone on h8 makes five in a row of a file, and six in another one.
    let five_and_six = "e8 a1 f8 a3 g8 a5 i8 a7 j8 a9 h4 c1 h5 c3 h6 c5 h7 c7";
    for (game, moves, claim, body, is_proof) in [
        (renju, double_three, "second wins", "d14\n", true),
        (freestyle, double_three, "second wins", "d14\n", false),
        (renju, no_three, "second wins", "d14\n", false),
        // Black plays a forbidden move.
        (renju, "h8 a1 h9 a2 i10 a3 j10 a4", "first wins", "h10\n", false),
        (freestyle, closed, "first wins", "", true),
        (renju, closed, "first wins", "", true),
        (caro, closed, "first wins", "", false),
        (caro_exact, closed, "first wins", "", false),
        (freestyle, six, "first wins", "", true),
        (caro, six, "first wins", "", true),
        (exact, six, "first wins", "", false),
        (caro_exact, six, "first wins", "", false),
        (renju, six, "first wins", "", false),
        (renju, five_and_six, "first wins", "", true),
    ] {
        let (spec, rules, checker) = game;
        let scratch = Scratch::new(&["check"]);
        let file = scratch.write("rules.proof", built(spec, rules, moves, claim, body));
        let ours = scratch.command(&[&file]).output().expect("the program runs");
        let in_python = python(&file, checker);
        let said = format!("{moves}: {}{}", text(&ours.stderr), text(&in_python.stdout));
        assert_eq!(
            [ours.status, in_python.status].map(|it| it.success()),
            [is_proof; 2],
            "{spec}: {said}"
        );
    }
}

/// An open four of the first player on 15x15: it wins after each of the 218 replies at once, so the proof
/// has no lines.
#[test]
fn a_proof_becomes_a_library_of_renlib_with_every_reply() {
    let scratch = Scratch::new(&["convert"]);
    let spec = CATALOG.describe("gomokufreestyle", &Chosen::new()).expect("a variant");
    let claim = Claim { side: Side::First, wins: true };
    let proof = tengen_proofs::write(&spec, "h8 a1 i8 a3 j8 a5 k8", claim, &[]);
    scratch.write("four.proof", proof);
    scratch.done(&["four.proof", "four.lib"]);
    scratch.done(&["four.lib", "four.sgf"]);
    let tree = scratch.read("four.sgf");
    let count = |colour: &str| tree.matches(colour).count();
    assert_eq!([count("B["), count("W[")], [4 + 218, 3 + 218]);
}

#[test]
fn a_position_that_comes_again_is_answered_once_in_the_record_of_a_proof() {
    let scratch = Scratch::new(&["convert"]);
    let proof = Path::new(PROOFS).join("4x3x3.proof");
    let proof = proof.to_str().expect("a path in text");
    let tree = scratch.done(&[proof, "-", "--to", "sgf"]);
    assert!(tree.contains("C[proof 4x3x3.proof: first wins]"), "{tree}");
    assert!(tree.contains("C[The answer is that after b1 "), "{tree}");
}
