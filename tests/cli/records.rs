//! `tengen convert`, and `tengen analyze` on records of every format.

use std::fs;

use serde_json::Value;

use crate::analyze::run;
use crate::scratch::{Scratch, text};

/// A game of a tournament, as its manager writes it.
const PSQ: &str =
    "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,12\n8,9,1500\n8,10,3\nANNA.zip\nBEN.exe\n-1\n";
/// A library of two variations after one move, the first with a comment: `h8`, `i8` and `g9`.
const LIBRARY: &[u8] = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0\x78\0\x79\xc8So\0\0\x67\x40";

/// Runs a conversion that must succeed, and returns its output.
fn converted(args: &[&str], input: impl AsRef<[u8]>) -> String {
    let output = run(&[&["convert"], args].concat(), input);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs a command that must be refused with status 2, and returns its message.
fn refused(args: &[&str], input: impl AsRef<[u8]>) -> String {
    let output = run(args, input);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stdout));
    text(&output.stderr).trim_end().to_owned()
}

#[test]
fn every_format_becomes_sgf() {
    let psq = "(;FF[4]GM[4]SZ[15]XL[11:11]PB[ANNA.zip]PW[BEN.exe]XE[-1]\n;B[hh];W[ii]XT[12];B[hi]XT[1500];W[hj]XT[3])\n";
    assert_eq!(converted(&["-", "-", "--to", "sgf"], PSQ), psq);
    let library = "(;FF[4]GM[4]SZ[15]RU[Renju]\n;B[hh]\n(;W[ih]C[So])\n(;W[gg]))\n";
    assert_eq!(converted(&["-", "-", "--to", "sgf"], LIBRARY), library);
    let moves = "(;FF[4]GM[4]SZ[15]\n;B[hh];W[ig];B[ji])\n";
    for list in ["h8i9j7", "h8 i9 j7\n", "7,7 8,6 9,8", "h8\ni9\nj7\n", "# a game\n\nH8,I9,J7"] {
        assert_eq!(converted(&["-", "-", "--to", "sgf"], list), moves, "{list}");
    }
    let games = converted(&["-", "-", "--to", "sgf"], "h8i9\nt20\n");
    assert_eq!(games, "(;FF[4]GM[4]SZ[20]\n;B[hm];W[il])\n(;FF[4]GM[4]SZ[20]\n;B[ta])\n");
    let named = converted(&["-", "-", "--to", "sgf", "--variant", "connect4"], "4455");
    assert_eq!(named, "(;FF[4]SZ[7:6]RU[cfour]\n;B[df];W[de];B[ef];W[ee])\n");
    let caro = converted(&["-", "-", "--to", "sgf", "--variant", "caro", "--no-overline"], PSQ);
    assert!(caro.contains("RU[standardcaro]"), "{caro}");
}

#[test]
fn moves_are_converted_to_psq_and_lists_and_back() {
    let scratch = Scratch::new(&[]);
    let sgf = scratch.write("g.sgf", "(;GM[4]SZ[15];B[hh];W[ii];B[hi](;W[hj])(;W[aa]C[so]))");
    let psq = scratch.path("g.psq");
    let output = run(&["convert", &sgf, &psq], "");
    assert!(output.status.success());
    let warning = format!("tengen: warning: {sgf}: PSQ does not hold variations, comments\n");
    assert_eq!(text(&output.stderr), warning);
    assert_eq!(
        scratch.read("g.psq"),
        "Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n8,9,0\n8,10,0\n-1\n"
    );
    assert_eq!(converted(&[&psq, "-", "--to", "moves"], ""), "h8 i7 h7 h6\n");
    let twice = refused(&["convert", &sgf, &psq], "");
    assert_eq!(twice, format!("tengen: {psq} exists: --force overwrites it"));
    assert!(run(&["convert", &sgf, &psq, "--force"], "").status.success());
    let same = refused(&["convert", &sgf, &sgf, "--force"], "");
    assert!(same.ends_with("g.sgf would be overwritten"), "{same}");
}

#[test]
fn what_cannot_be_converted_is_refused() {
    let two = "(;GM[4]SZ[15];B[hh])(;GM[4]SZ[15];B[ii])";
    for (args, input, message) in [
        (
            &["-", "x.png"][..],
            two,
            "x.png: unknown extension; choose the format by --to: sgf, pgn, psq, lib, moves",
        ),
        (&["-", "-", "--to", "psq"], two, "-: -: holds 2"),
        (&["-", "-", "--to", "psq", "--game", "3"], two, "--game 3: - holds 2 games"),
        (&["-", "-", "--to", "sgf"], "", "-: the file is empty"),
        (
            &["-", "-", "--to", "sgf"],
            "dear diary",
            "-: line 1, character 1: \"dear diary\" begins no record: SGF begins with \"(;\", ",
        ),
        (
            &["-", "-", "--to", "sgf"],
            "h8 i9\nh8 h8",
            "-: line 2, character 4: move 2 \"h8\": h8 is taken",
        ),
        (
            &["-", "-", "--to", "psq"],
            "(;GM[4]SZ[15]AB[hh];W[ii])",
            "-: PSQ cannot hold stones put down before the first move (AB, AW)",
        ),
        (
            &["-", "-", "--to", "psq"],
            "(;GM[4]SZ[15];B[hh];W[];B[ii])",
            "-: line 1, character 23: move 2 \"\": pass before a move: Tengen's games have no passes",
        ),
        (
            &["-", "-", "--to", "psq", "--variant", "gomoku", "--width", "15"],
            "(;SZ[19];B[hh])",
            "-: line 1, character 6: SZ[19]: this game is played on 15x19 points",
        ),
        (
            &["-", "-", "--to", "sgf", "--encoding", "klingon"],
            two,
            "--encoding klingon: unknown encoding; UTF-8, GBK, Big5, Shift_JIS, EUC-KR, windows-1251 and the like are known",
        ),
    ] {
        let stderr = refused(&[&["convert"], args].concat(), input);
        let expected = format!("tengen: {message}");
        assert!(
            stderr == expected
                // Then each format says how its files begin.
                || (message.ends_with(", ") && stderr.starts_with(&expected))
                || (message == "-: -: holds 2"
                    && stderr.contains("- holds 2 games, and PSQ one: --game N")),
            "{stderr}"
        );
    }
    assert_eq!(
        converted(&["-", "-", "--to", "psq", "--game", "2"], two).lines().nth(1),
        Some("9,9,0")
    );
    let missing = refused(&["convert", "/nowhere/at.all", "-", "--to", "sgf"], "");
    assert!(missing.starts_with("tengen: cannot read /nowhere/at.all: "), "{missing}");
}

#[test]
fn every_format_is_analysed() {
    let scratch = Scratch::new(&[]);
    let first = |args: &[&str], input: &[u8]| -> Value {
        let args = [&["analyze"], args, &["--nodes", "50", "--json"]].concat();
        let output = run(&args, input);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        serde_json::from_str(text(&output.stdout).lines().next().unwrap()).unwrap()
    };
    for (input, variant, fen) in [
        (
            PSQ.as_bytes(),
            "gomokufreestyle",
            "15/15/15/15/15/15/15/7P7/7Pp6/7p7/15/15/15/15/15 w - - 0 3",
        ),
        (LIBRARY, "renju", "15/15/15/15/15/15/15/7Pp6/15/15/15/15/15/15/15 w - - 0 2"),
        (b"h8i8", "gomokufreestyle", "15/15/15/15/15/15/15/7Pp6/15/15/15/15/15/15/15 w - - 0 2"),
    ] {
        let position = first(&["--sgf", "-"], input);
        assert_eq!(
            (position["variant"].as_str(), position["fen"].as_str()),
            (Some(variant), Some(fen))
        );
    }
    let named = first(&["--sgf", "-", "--variant", "cfour"], b"4455");
    assert_eq!(named["fen"], "7/7/7/7/3pp2/3PP2 w - - 0 3");
    // A game is judged and written as SGF, or as PSQ if the output has that ending.
    let path = scratch.write("g.psq", PSQ);
    assert_eq!(first(&["--game", &path, "--no-variations"], b"")["variant"], "gomokufreestyle");
    let annotated = scratch.read("g.annotated.sgf");
    assert_eq!(annotated.matches("C[Tengen: ").count(), 4, "{annotated}");
    assert!(annotated.starts_with("(;FF[4]GM[4]SZ[15]"), "{annotated}");
    let (out, svg) = (scratch.path("out.psq"), scratch.path("out.svg"));
    let output =
        run(&["analyze", "--game", &path, "--nodes", "50", "--out", &out, "--svg", &svg], "");
    assert!(text(&output.stderr).contains("PSQ has no comments"), "{}", text(&output.stderr));
    assert_eq!(scratch.read("out.psq"), PSQ);
    let lists = scratch.write("two.txt", "h8i9\nh8j10");
    let message = refused(&["analyze", "--game", &lists, "--out", &scratch.path("o.psq")], "");
    assert!(message.ends_with("two.txt 2"), "{message}");
    assert!(fs::metadata(scratch.path("o.psq")).is_err());
}

#[test]
fn the_game_of_a_record_follows_from_its_rules_or_its_board() {
    let variant = |record: &str| {
        let output = run(&["analyze", "--sgf", "-", "--nodes", "50", "--json"], record);
        let shown = text(&output.stdout);
        let first: Option<Value> =
            shown.lines().next().map(|line| serde_json::from_str(line).unwrap());
        let name =
            first.map_or_else(String::new, |first| first["variant"].as_str().unwrap().to_owned());
        (name, text(&output.stderr))
    };
    for (record, name) in [
        ("(;GM[4]RU[4]SZ[15];B[hh])", "renju"),
        ("(;GM[1]RU[Standard Swap2]SZ[15];B[hh])", "gomoku"),
        ("(;GM[4]RU[Renju, Yamaguchi]SZ[15];B[hh])", "renju"),
        ("(;GM[4]RU[Standard renju]SZ[15];B[hh])", "renju"),
        ("(;RU[\u{4e94}\u{5b50}\u{68cb}]SZ[15];B[hh])", "gomokufreestyle"),
        ("(;RU[Soos\u{f5}rv-8];B[hh])", "renju"),
        ("(;GM[4]RU[9]SZ[15];B[hh])", "caro"),
    ] {
        assert_eq!(variant(record), (name.to_owned(), String::new()), "{record}");
    }
    for record in ["(;SZ[15];B[hh])", "(;GM[1]SZ[15];B[hh])", "(;FF[4]SZ[20];B[tt])", "(;B[hh])"] {
        let (name, warning) = variant(record);
        assert_eq!(name, "gomokufreestyle", "{record}");
        let expected = "tengen: warning: -: the record names no game (no GM[4], no RU): the game is taken as gomokufreestyle; --variant chooses another\n";
        assert_eq!(warning, expected, "{record}");
    }
    for (record, why) in [
        (
            "(;GM[1]SZ[19];B[pd])",
            "-: line 1, character 6: GM[1] is Go, and RU names no known rules: name it with --variant",
        ),
        (
            "(;GM[2];B[hh])",
            "-: line 1, character 6: GM[2] is not five in a row, which is GM[4]: name it with --variant",
        ),
    ] {
        assert_eq!(refused(&["analyze", "--sgf", "-"], record), format!("tengen: {why}"));
    }
}

#[test]
fn a_stone_on_a_taken_point_is_refused_in_every_format() {
    for (file, message) in [
        (
            "Piskvorky 15x15, 11:11, 0\n8,8,1\n8,8,1\n8,8,1\n-1\n",
            "tengen: -: line 3, character 1: move 2 \"hh\": h8 is taken",
        ),
        (
            "(;GM[4]SZ[15];B[hh];W[hh])",
            "tengen: -: line 1, character 23: move 2 \"hh\": h8 is taken",
        ),
        (
            "[Variant \"renju\"]\n\n1. h8 h8 *\n",
            "tengen: -: line 3, character 7: move 2 \"h8\": h8 is taken",
        ),
        ("1. h8 i9 2. h8", "tengen: -: line 1, character 13: move 3 \"h8\": h8 is taken"),
    ] {
        for format in ["sgf", "psq", "moves", "pgn", "lib"] {
            assert_eq!(refused(&["convert", "-", "-", "--to", format], file), message, "{format}");
        }
    }
}

#[test]
fn a_guess_is_said_once_and_names_the_option() {
    let gbk = b"(;GM[4]SZ[15]C[\xba\xda\xc6\xe5\xca\xa4\xa3\xac\xb0\xd7\xc6\xe5\xb1\xd8\xd0\xeb\xb5\xb2\xd7\xa1\xcb\xc4];B[hh])";
    let output = run(&["convert", "-", "-", "--to", "sgf"], gbk);
    let warning = "tengen: warning: -: the file names no encoding: its text is read as gb18030; --encoding chooses another\n";
    assert_eq!(text(&output.stderr), warning);
    assert!(output.stdout.starts_with(b"(;FF[4]CA[gb18030]GM[4]SZ[15]C[\xba\xda"));
    let output = run(&["convert", "-", "-", "--to", "sgf", "--to-encoding", "UTF-8"], gbk);
    assert!(text(&output.stdout).contains("\u{9ed1}\u{68cb}"), "{}", text(&output.stdout));
    let two = "(;GM[4]RU[Gomoku]SZ[15];B[hh])(;GM[4]RU[Gomoku]SZ[15];B[ii])";
    let output = run(&["convert", "-", "-", "--to", "moves"], two);
    let said = "tengen: warning: -: line 1, character 11: RU[Gomoku] is read as gomoku; many programs mean gomokufreestyle by it; --variant chooses another\n";
    assert!(text(&output.stderr).starts_with(said), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr).matches("many programs").count(), 1);
    assert_eq!(text(&output.stdout), "h8\ni7\n");
}

#[test]
fn what_variant_says_is_written_into_annotated_records() {
    let scratch = Scratch::new(&[]);
    for (name, file, variant, begin) in [
        ("a.txt", "h8i9", "renju", "(;FF[4]GM[4]SZ[15]RU[renju]"),
        (
            "b.psq",
            PSQ,
            "gomoku",
            "(;FF[4]GM[4]SZ[15]XL[11:11]PB[ANNA.zip]PW[BEN.exe]XE[-1]RU[standard]",
        ),
        ("c.sgf", "(;SZ[7:6];B[df];W[de])", "cfour", "(;SZ[7:6]RU[cfour]AP[Tengen:"),
        ("d.txt", "4455", "cfour", "(;FF[4]SZ[7:6]RU[cfour]"),
    ] {
        let path = scratch.write(name, file);
        let output = run(&["analyze", "--game", &path, "--variant", variant, "--nodes", "50"], "");
        assert!(output.status.success(), "{name}: {}", text(&output.stderr));
        let stem = name.split('.').next().unwrap();
        let written = scratch.read(&format!("{stem}.annotated.sgf"));
        assert!(written.starts_with(begin), "{name}: {written}");
        // Read again, it is the same game.
        let again = run(&["analyze", "--sgf", "-", "--nodes", "50", "--json"], &written);
        assert!(again.stderr.is_empty(), "{}", text(&again.stderr));
        let shown = text(&again.stdout);
        assert!(shown.contains(&format!("\"variant\":\"{variant}\"")), "{name}: {shown}");
    }
}

#[test]
fn pgn_and_libraries_are_written() {
    let scratch = Scratch::new(&[]);
    let sgf = "(;GM[4]SZ[15]RU[renju];B[hh]C[centre];W[ig](;B[gg]LB[aa:x])(;B[ii]HO[1]))";
    let path = scratch.write("g.sgf", sgf);
    let (library, pgn) = (scratch.path("g.lib"), scratch.path("g.pgn"));
    assert!(run(&["convert", &path, &library], "").status.success());
    let back = converted(&[&library, "-", "--to", "sgf"], "");
    let tree = "\n;B[hh]C[centre];W[ig]\n(;B[gg]LB[aa:x])\n(;B[ii]HO[1]))\n";
    assert!(back.ends_with(tree), "{back}");
    let output = run(&["convert", &path, &pgn], "");
    let lost = format!("tengen: warning: {path}: PGN does not hold marks\n");
    assert_eq!(text(&output.stderr), lost);
    assert!(scratch.read("g.pgn").ends_with("\n1. h8 {centre} 1... i9 2. g9 (2. i7) *\n\n"));
    assert_eq!(converted(&[&pgn, "-", "--to", "moves"], ""), "h8 i9 g9\n");
    let refusal = refused(&["convert", "-", "-", "--to", "lib"], "(;GM[4]SZ[15]C[\u{738b}];B[hh])");
    assert!(refusal.ends_with("such as GBK, Shift_JIS or windows-1252"), "{refusal}");
    let gbk = run(
        &["convert", "-", "-", "--to", "lib", "--to-encoding", "gbk"],
        "(;GM[4]SZ[15]C[\u{738b}];B[hh])",
    );
    assert!(gbk.stdout.ends_with(b"\0\x08\xcd\xf5\0\0\x78\x40"), "{:?}", gbk.stdout);
}

#[test]
fn a_real_library_is_read_and_written_back() {
    let Some(library) = crate::support::published::bytes("records/Allrenjuopenings.lib") else {
        return;
    };
    let output = run(&["convert", "-", "-", "--to", "sgf"], &library);
    let stderr = text(&output.stderr);
    assert!(stderr.contains("its text is read as gb18030"), "{stderr}");
    let sgf = text(&output.stdout);
    let chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    assert!(sgf.chars().filter(|c| chinese(*c)).count() > 1000);
    let again = run(&["convert", "-", "-", "--to", "lib"], &library);
    let back = run(&["convert", "-", "-", "--to", "sgf"], &again.stdout);
    assert_eq!(text(&back.stdout), sgf);
}

/// Writes a file of a list or of records, and checks that all commands that take records read it.
fn check_readers(scratch: &Scratch, file: &str, variant: &str) {
    let path = scratch.path(file);
    let output = run(&["convert", &path, "-", "--to", "sgf", "--variant", variant], "");
    assert!(output.status.success(), "convert {file}: {}", text(&output.stderr));
    let again = scratch.path("again.sgf");
    let review = ["analyze", "--game", &path, "--nodes", "5", "--no-svg", "--force"];
    let output = run(&[&review[..], &["--variant", variant, "--out", &again]].concat(), "");
    assert!(output.status.success(), "analyze {file}: {}", text(&output.stderr));
    let openings = format!("file={path}");
    let list = ["arena", "openings", "-variant", variant, "-openings", &openings, "plies=2"];
    let output = run(&list, "");
    assert!(output.status.success(), "arena openings {file}: {}", text(&output.stderr));
    assert!(!output.stdout.is_empty(), "{file}");
}

#[test]
fn what_commands_write_other_commands_read() {
    let scratch = Scratch::new(&[]);
    let game = scratch.write("game.sgf", "(;GM[4]SZ[15]RU[renju];B[hh];W[ig];B[ji];W[gg])");
    for format in tengen_records::Format::written() {
        let name = format!("game.{}", format.extensions()[0]);
        let path = scratch.path(&name);
        if name != "game.sgf" {
            assert!(run(&["convert", &game, &path], "").status.success());
        }
        check_readers(&scratch, &name, "renju");
    }
    // The openings and games of a run, and a list of openings.
    let cmd = format!("cmd={}", env!("CARGO_BIN_EXE_tengen"));
    let (folder, listed) = (scratch.path("run"), scratch.path("listed.txt"));
    let openings = format!("file={}", scratch.write("own.txt", "h8 i9\nstartpos moves j10 a1\n"));
    let players =
        ["-engine", &cmd, "name=A", "-engine", &cmd, "name=B", "-each", "nodes=2", "proto=uci"];
    let rest = [
        "-variant",
        "renju",
        "-openings",
        &openings,
        "-games",
        "2",
        "-maxmoves",
        "4",
        "-out",
        &folder,
    ];
    let output = run(&[&["arena"][..], &players, &rest].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let made = ["arena", "openings", "-variant", "renju", "-openings", &openings, "-out", &listed];
    assert!(run(&made, "").status.success());
    for name in ["run/openings.txt", "run/games.jsonl", "run/games.pgn", "listed.txt"] {
        check_readers(&scratch, name, "renju");
    }
    // Solved positions, as `tengen solve` writes them.
    let solved = run(&["solve"], "44 55\n-\ndd ee\n");
    assert!(solved.status.success());
    let first = run(&["solve"], &solved.stdout).stdout;
    let moves = |output: &[u8]| -> Vec<String> {
        text(output)
            .lines()
            .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
            .collect()
    };
    assert_eq!(moves(&first), moves(&solved.stdout));
    assert_eq!(moves(&first), ["4455 18", "- 1", "ddee 18"]);
}

#[test]
fn nothing_is_written_for_nothing_without_a_word() {
    let output = run(&["convert", "-", "-", "--to", "moves"], "(;GM[4]SZ[15])");
    assert_eq!(text(&output.stdout), "startpos\n");
    assert_eq!(text(&output.stderr), "tengen: warning: -: the game has no moves\n");
    assert_eq!(converted(&["-", "-", "--to", "sgf"], "startpos\n"), "(;FF[4]GM[4]SZ[15])\n");
    let psq = "Piskvorky 15x15, 11:11, 0\nh8,0\ni9,0\n-1\n";
    let why = refused(&["convert", "-", "-", "--to", "moves"], psq);
    assert!(why.contains("line 2, character 1: expected a move"), "{why}");
}

#[test]
fn an_unnamed_encoding_is_the_one_under_which_no_move_is_lost() {
    let own = b"(;GM[4]SZ[15]RU[renju]PB[\xb3\x5c\xa5\x5c\xbb\x5c];B[hh])".to_vec();
    let reported = crate::support::published::bytes("reports/big5-short-name.sgf");
    for file in [Some(own), reported].into_iter().flatten() {
        let output = run(&["convert", "-", "-", "--to", "pgn", "--to-encoding", "UTF-8"], &file);
        let pgn = text(&output.stdout);
        assert!(pgn.contains("[White \"\u{8a31}\u{529f}\u{84cb}\"]"), "{pgn}");
        assert!(pgn.contains("1. h8 *"), "{pgn}");
        assert!(text(&output.stderr).contains("is read as Big5"), "{}", text(&output.stderr));
    }
}

/// Files that are too large for the memory are refused in one line.
#[cfg(target_os = "linux")]
#[test]
fn a_file_beyond_the_memory_is_refused_in_one_line() {
    let scratch = Scratch::new(&[]);
    let huge = scratch.path("huge.sgf");
    let file = fs::File::create(&huge).unwrap();
    file.set_len(3 << 30).unwrap();
    let list = scratch.write("list.txt", "h8 i9\n".repeat(1 << 18));
    let limited = |arguments: &[&str]| {
        let tengen = env!("CARGO_BIN_EXE_tengen");
        let command = format!("ulimit -v 300000; exec {tengen} {}", arguments.join(" "));
        let output = std::process::Command::new("sh").args(["-c", &command]).output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
    };
    for file in [&huge, &list] {
        limited(&["convert", file, &scratch.path("out.sgf"), "--force"]);
        limited(&["analyze", "--game", file, "--nodes", "5"]);
        limited(&["analyze", "--sgf", file, "--nodes", "5"]);
        limited(&["batch", file, "--nodes", "5", "--out", &scratch.path("out")]);
    }
    limited(&["puzzles", &huge, "--strict", "--out", &scratch.path("out.jsonl")]);
    limited(&["solve", &huge]);
    limited(&["analyze", "--board", &huge, "--nodes", "5"]);
}
