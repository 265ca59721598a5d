//! Reviews of games by `tengen analyze --game`: marks, comments, plots and the records that they are written to.

use super::*;

#[test]
fn a_game_lost_by_a_forbidden_move_says_which_point_and_why() {
    for (moves, why) in [
        ("h8 a1 i8 a3 j7 a5 j6 a7 j8", "j8 is forbidden to the first player (double-three)"),
        (
            "h8 a1 i8 a3 j8 a5 k9 a7 k10 a9 k11 a11 k8",
            "k8 is forbidden to the first player (double-four)",
        ),
        ("h8 a1 i8 a3 j8 a5 l8 a7 m8 a9 k8", "k8 is forbidden to the first player (overline)"),
    ] {
        let shown = printed(&["--variant", "renju", "--moves", moves], "");
        assert!(shown.ends_with(&format!("The second player has won: {why}.\n")), "{shown}");
    }
    let won = printed(&["--variant", "renju", "--moves", "h8 a1 h9 a2 h10 a3 h11 a5 h12"], "");
    assert!(won.ends_with("The first player has won.\n"), "{won}");
    let judged = printed(
        &["--game", "-", "--nodes", "50"],
        "(;GM[4]SZ[15]RU[renju];B[hh];W[ao];B[ih];W[am];B[ji];W[ak];B[jj];W[ai];B[jh])",
    );
    let end = "The second player has won: j8 is forbidden to the first player (double-three).";
    assert!(judged.contains(end), "{judged}");
}

#[test]
fn a_review_writes_its_record_even_if_nobody_reads_its_output() {
    let scratch = Scratch::new(&[]);
    let record = scratch.write("game.sgf", "(;GM[4]SZ[15];B[hh];W[ii])");
    let (reader, output) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    command.args([
        "analyze",
        "--nodes",
        "50",
        "--game",
        &record,
        "--out",
        &scratch.path("out.sgf"),
    ]);
    let ended = command.stdin(Stdio::null()).stdout(output).status().unwrap();
    assert!(ended.success());
    assert!(scratch.read("out.sgf").contains("B[hh]"));
}

#[test]
fn a_game_from_standard_input_leaves_no_file_and_a_plot_is_written_on_request() {
    let scratch = Scratch::new(&[]);
    let record = "(;GM[4]SZ[15];B[hh];W[ii])";
    let file = scratch.write("game.sgf", record);
    let program = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(["analyze", "--nodes", "50"]).args(args).current_dir(scratch.path(""));
        command.stdin(fs::File::open(&file).unwrap());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    let files = || fs::read_dir(scratch.path("")).unwrap().count();
    let shown = program(&["--game", "-"]);
    assert!(shown.contains("mistakes: ") && !shown.contains("record: "), "{shown}");
    assert_eq!(files(), 1);
    program(&["--game", "-", "--json"]);
    assert!(program(&["--game", "-", "--out", "-"]).starts_with("(;GM[4]"));
    assert_eq!(files(), 1);
    let message = refused(&["--game", "-", "--svg"], record);
    assert_eq!(message, "tengen: --svg: standard input needs a name for the file");
    let shown = program(&["--game", "game.sgf"]);
    assert!(shown.ends_with("record: game.annotated.sgf\n"), "{shown}");
    assert_eq!(files(), 2);
    // A file with the name of a plot is not in the way of a review without one.
    let plot = scratch.write("game.svg", "mine");
    assert_eq!(program(&["--game", "game.sgf", "--force", "--no-svg"]), shown);
    assert_eq!(scratch.read("game.svg"), "mine");
    fs::remove_file(plot).unwrap();
    assert!(program(&["--game", "-", "--svg", "plot.svg"]).ends_with("plot: plot.svg\n"));
    assert_eq!(files(), 3);
}

#[test]
fn a_game_is_annotated_and_plotted() {
    let scratch = Scratch::new(&[]);
    // The second player leaves an open three alone, then an open four.
    let record = "(;GM[4]SZ[15]C[a game];B[hh];W[ii]C[so];B[hi];W[aa];B[hg];W[oo];B[hf];W[nn];B[hj](;C[end])(;C[other]))";
    let path = scratch.write("g.sgf", record);
    let shown = printed(&["--game", &path, "--nodes", "2000", "--svg", "--report"], "");
    let (reasons, lines): (Vec<&str>, Vec<&str>) =
        shown.lines().partition(|line| line.starts_with("     "));
    assert_eq!(lines.len(), 1 + 9 + 5, "{shown}");
    let reason = "No forced win is known; by evaluation ";
    assert!(reasons.iter().any(|line| line.contains(reason)), "{shown}");
    assert!(lines[0].starts_with("gomokufreestyle: 15x15 board"), "{shown}");
    let lines = &lines[1..];
    assert!(lines[0].starts_with("  1. X h8 ") && lines[8].starts_with("  9. X h6 "), "{shown}");
    assert!(lines[3].contains("  better: "), "{shown}");
    assert!(lines[8].contains("win in 1"), "{shown}");
    assert_eq!(lines[9], "The first player has won.");
    assert!(lines[10].starts_with("mistakes: first player 0, second player "), "{shown}");
    assert_eq!(scratch.read("g.sgf"), record);
    let annotated = scratch.read("g.annotated.sgf");
    let (_, bad) = annotated.split_once("W[aa]").unwrap();
    let (remark, _) = bad.split_once(']').unwrap();
    assert!(remark.starts_with("BM["), "{annotated}");
    assert!(bad.contains(" after: mistake. ") && bad.contains(" Better: "), "{annotated}");
    assert!(annotated.contains(reason), "{annotated}");
    let report = scratch.read("g.html");
    assert!(report.starts_with("<!doctype html>") && report.ends_with("</html>\n"), "{report}");
    assert!(report.contains(reason) && report.matches("<svg ").count() == 1, "{report}");
    assert!(!report.contains("<script") && report.matches("src=").count() == 1, "{report}");
    assert!(report.contains("src=\"data:"), "{report}");
    assert!(
        annotated.contains("C[so\nTengen: ") && annotated.contains("(;C[other])"),
        "{annotated}"
    );
    // An independent SGF reader agrees that it is a record, with the same moves.
    let trees = sgf_parse::parse(&annotated).unwrap();
    assert_eq!(trees.len(), 1);
    assert!(sgf_parse::serialize(&trees).contains("W[aa]BM["));
    let plot = scratch.read("g.svg");
    assert!(plot.starts_with("<svg ") && plot.ends_with("</svg>\n"), "{plot}");
    let points = plot.split("<polyline ").nth(1).unwrap().split("points=\"").nth(1).unwrap();
    assert_eq!(points.split('"').next().unwrap().split(' ').count(), 10);
    assert!(plot.matches("<circle ").count() >= 1);
    // The better line stands beside the move, with chances.
    let game = &tengen_records::read(annotated.as_bytes(), &ReadOptions::new()).unwrap();
    let game = &game.records()[0];
    let moves: Vec<_> =
        game.main_line().filter_map(|id| Some(game.node(id).mover()?.1.text())).collect();
    assert_eq!(moves, ["hh", "ii", "hi", "aa", "hg", "oo", "hf", "nn", "hj"]);
    let root = game.node(game.root());
    assert_eq!(root.text("AP").as_deref(), Some("Tengen:0.1.0"));
    let about = "a game\nAnalysis: Tengen 0.1.0; for each position: 2000 nodes";
    assert_eq!(root.text("C").as_deref(), Some(about));
    let bad = game.main_line().nth(4).unwrap();
    let parent = game.node(game.node(bad).parent().unwrap());
    let better = game.node(parent.children()[1]);
    let comment = better.comment().unwrap();
    assert!(comment.starts_with("Tengen: ") && comment.contains("; win "), "{comment}");
    assert!(!better.children().is_empty(), "{annotated}");
    // A second review marks nothing twice.
    let again = scratch.path("g.annotated.sgf");
    printed(&["--game", &again, "--nodes", "500"], "");
    assert!(!scratch.read("g.annotated.annotated.sgf").contains("]BM[1]BM["));
}

#[test]
fn a_report_has_the_result_of_the_board_or_else_of_the_record() {
    let resigned = "(;GM[4]SZ[15]RE[W+R];B[hh];W[ii])";
    let won = "(;GM[4]SZ[15]RE[W+R];B[hh];W[ii];B[hi];W[aa];B[hg];W[oo];B[hf];W[nn];B[hj])";
    let unknown = "(;GM[4]SZ[15];B[hh];W[ii])";
    let results = [(resigned, "White wins"), (won, "Black wins"), (unknown, "not decided")];
    for (record, result) in results {
        let scratch = Scratch::new(&[]);
        let path = scratch.write("g.sgf", record);
        printed(&["--game", &path, "--nodes", "100", "--report"], "");
        let report = scratch.read("g.html");
        assert!(report.contains(&format!("<p>Result: {result}</p>")), "{report}");
    }
}

#[test]
fn a_review_as_json_has_every_move() {
    let scratch = Scratch::new(&[]);
    let path = scratch.write("g.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[bb];W[aa];B[ab];W[cb])");
    let (out, svg) = (scratch.path("x.sgf"), scratch.path("x.svg"));
    let objects = objects(&["--game", &path, "--depth", "9", "--out", &out, "--svg", &svg], "");
    let moves: Vec<_> = objects.iter().filter(|object| object["type"] == "move").collect();
    assert_eq!(moves.len(), 4);
    assert_eq!(moves[0]["side"], "first");
    assert_eq!(moves[3]["move"], "c2");
    assert!(moves.iter().all(|mv| mv["grade"] == "fine"), "{moves:#?}");
    let end = objects.last().unwrap();
    assert_eq!((end["type"].as_str(), end["moves"].as_u64()), (Some("game"), Some(4)));
    assert_eq!(end["chances"].as_array().unwrap().len(), 5, "{end}");
    let same = refused(&["--game", &path, "--out", &path], "");
    assert!(same.ends_with("would be overwritten"), "{same}");
}

#[test]
fn files_are_checked_before_a_game_is_searched() {
    let scratch = Scratch::new(&[]);
    let path = scratch.write("g.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[bb];W[aa])");
    let game = ["--game", &path, "--depth", "9"];
    let lost = scratch.path("none/x");
    for flag in ["--out", "--svg", "--report"] {
        let message = refused(&[&game[..], &[flag, &lost]].concat(), "");
        assert!(message.starts_with(&format!("tengen: cannot write {lost}: ")), "{message}");
        assert!(!scratch.file("g.annotated.sgf").exists());
        let message = refused(&[flag, &lost], "");
        assert!(message.contains("--game"), "{message}");
    }
    let shown = printed(&game, "");
    let annotated = scratch.read("g.annotated.sgf");
    let message = refused(&game, "");
    let expected = format!("{} exists: --force overwrites it", scratch.path("g.annotated.sgf"));
    assert_eq!(message, format!("tengen: {expected}"));
    assert_eq!(printed(&[&game[..], &["--force"]].concat(), ""), shown);

    let output = analyze(&[&game[..], &["--out", "-", "--force"]].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), annotated);
    assert!(text(&output.stderr).contains("\nmistakes: first player 0, "));
    let message = refused(&[&game[..], &["--out", "-", "--json"]].concat(), "");
    assert_eq!(message, "tengen: --out - and --json both need standard output");
}

#[test]
#[cfg(unix)]
fn a_review_keeps_the_moves_judged_before_ctrl_c() {
    let scratch = Scratch::new(&[]);
    let path = scratch.write("g.sgf", "(;GM[4]SZ[15];B[hh];W[ii];B[aa];W[oo];B[cc];W[dd])");
    let args = ["--game", &path, "--movetime", "2000", "--no-variations", "--svg"];
    let (rest, status) = interrupted(&args, "  1. X h8 ");
    assert!(rest.contains("mistakes: first player 0"), "{rest}");
    assert_eq!(status, Some(130));
    let annotated = scratch.read("g.annotated.sgf");
    assert!((1..6).contains(&annotated.matches("C[Tengen: ").count()), "{annotated}");
    assert!(annotated.contains("W[dd]"), "{annotated}");
    assert!(scratch.read("g.svg").ends_with("</svg>\n"));
}

#[test]
fn the_rule_of_a_record_decides_and_is_named() {
    // Six in a row, and a move after it.
    let record = "(;GM[4]RU[Standard]SZ[15];B[ah];W[aa];B[bh];W[ca];B[ch];W[ea];B[eh];W[ga];B[fh];W[ia];B[dh])";
    let shown = printed(
        &["--game", "-", "--nodes", "100", "--out", "/dev/null", "--svg", "/dev/null"],
        record,
    );
    assert!(shown.starts_with("gomoku: 15x15 board, exactly 5 in a row\n"), "{shown}");
    let last = printed(&["--sgf", "-", "--nodes", "100"], record);
    assert!(last.contains("\nThe second player is to move.\n"), "{last}");
    for (rule, variant, warns) in [
        ("RU[free style]", "gomokufreestyle", false),
        ("RU[RIF]", "renju", false),
        ("RU[Caro]", "caro", false),
        ("", "gomokufreestyle", false),
        ("RU[Japanese]", "gomokufreestyle", true),
        ("RU[My own]", "gomokufreestyle", true),
    ] {
        let record = format!("(;GM[4]{rule}SZ[15];B[hh])");
        let output = analyze(&["--sgf", "-", "--nodes", "50", "--json"], &record);
        let first: Value =
            serde_json::from_str(text(&output.stdout).lines().next().unwrap()).unwrap();
        assert_eq!(first["variant"], variant, "{rule}");
        let warning = text(&output.stderr);
        assert_eq!(
            warning.starts_with("tengen: warning: -: line 1, character "),
            warns,
            "{warning}"
        );
        assert!(
            !warns || warning.contains(&format!("{rule} is not a known rule of five in a row")),
            "{warning}"
        );
        let named = analyze(&["--sgf", "-", "--nodes", "50", "--variant", "renju"], &record);
        assert!(named.stderr.is_empty(), "{}", text(&named.stderr));
    }
}

#[test]
fn every_game_of_a_file_is_judged() {
    let scratch = Scratch::new(&[]);
    let games = "(;GM[4]RU[Renju]SZ[15];B[hh];W[ii])\n(;GM[4]SZ[15])\n(;GM[4]SZ[19];B[jj])";
    let path = scratch.write("g.sgf", games);
    let shown = printed(&["--game", &path, "--nodes", "100", "--no-variations", "--svg"], "");
    for heading in [
        "game 1 of 3, renju: 15x15 board",
        "game 2 of 3, gomokufreestyle: 15x15 board",
        "game 3 of 3, gomokufreestyle: 19x19 board",
    ] {
        assert!(shown.contains(heading), "{shown}");
    }
    let annotated = scratch.read("g.annotated.sgf");
    assert_eq!(annotated.matches("C[Tengen: ").count(), 3, "{annotated}");
    assert!(scratch.read("g.1.svg").starts_with("<svg "));
    assert!(scratch.read("g.3.svg").starts_with("<svg "));
    let first = analyze(&["--sgf", &path, "--nodes", "50"], "");
    assert!(text(&first.stderr).contains("holds 3 games: the position is of the first one"));
}

#[test]
fn a_record_is_read_and_written_in_its_own_encoding() {
    let scratch = Scratch::new(&[]);
    for (charset, name) in [
        ("CA[ISO-8859-1]", &b"J\xfcrgen"[..]),
        ("", b"J\xfcrgen"),
        ("CA[UTF-8]", "J\u{fc}rgen".as_bytes()),
        ("CA[GB18030]", b"\xcd\xf5\x81\x30\x91\x31"),
        // The second byte of one of these is a bracket, of another a backslash.
        ("CA[Shift_JIS]", b"\x83\x5d\x95\x5c"),
        ("CA[EUC-KR]", b"\xb1\xe8"),
    ] {
        let head = [format!("(;GM[4]{charset}SZ[15]PB[").as_bytes(), name, b"]"].concat();
        let path = scratch.write("g.sgf", [&head[..], b";B[hh];W[ii])"].concat());
        printed(&["--game", &path, "--nodes", "100", "--force", "--no-variations"], "");
        let written = fs::read(scratch.file("g.annotated.sgf")).unwrap();
        assert!(written.starts_with(&head), "{charset}: {}", String::from_utf8_lossy(&written));
        assert_eq!(written.windows(8).filter(|part| part == b"C[Tengen").count(), 2, "{charset}");
    }
    let hint = "; --encoding chooses another\n";
    for (file, warning) in [
        (
            &b"(;GM[4]CA[Klingon];B[hh])"[..],
            "line 1, character 11: CA[Klingon] is not a known encoding: the text is read as UTF-8",
        ),
        (
            b"(;GM[4]CA[UTF-8]\nPB[\xfc];B[hh])",
            "line 1, character 11: CA[UTF-8] does not fit the text, which is read as ISO-8859-1",
        ),
    ] {
        let output = analyze(&["--sgf", "-", "--nodes", "50"], file);
        assert!(output.status.success());
        assert_eq!(text(&output.stderr), format!("tengen: warning: -: {warning}{hint}"));
    }
}

#[test]
fn comments_are_in_the_language_of_the_user() {
    let scratch = Scratch::new(&[]);
    let path = scratch.write("g.sgf", "(;GM[4]SZ[15];B[hh];W[ii])");
    let args = ["--game", &path, "--nodes", "50", "--out", "-", "--no-svg"];
    let in_words = |args: &[&str]| text(&analyze(args, "").stdout);
    let english = in_words(&args);
    assert!(
        english.contains("C[Analysis: Tengen 0.1.0; for each position: 50 nodes]"),
        "{english}"
    );
    let japanese = in_words(&[&args[..], &["--language", "ja"]].concat());
    assert!(
        japanese.contains("CA[UTF-8]") && japanese.contains("\u{7740}\u{624b}\u{5f8c}"),
        "{japanese}"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
    let russian = command.arg("analyze").args(args).env("LC_ALL", "ru_RU.UTF-8").output().unwrap();
    assert!(text(&russian.stdout).contains("\u{410}\u{43d}\u{430}\u{43b}\u{438}\u{437}: Tengen"));
    let message = refused(&["--moves", "d1", "--language", "ja"], "");
    assert_eq!(message, "tengen: --language is for --game");
}

/// Records of every format, with the game that the user named.
#[test]
fn an_annotated_record_is_the_same_game() {
    let scratch = Scratch::new(&[]);
    for (name, file, args) in [
        ("a.txt", "h8 i9 h9 a1\n", &["--variant", "renju"][..]),
        (
            "b.psq",
            "Piskvorky 20x20, 11:11, 0\n8,8,0\n9,8,31\n8,9,3\n-1\n",
            &["--variant", "gomoku"],
        ),
        ("c.txt", "4455\n", &["--variant", "cfour"]),
        ("d.sgf", "(;SZ[13];B[gg];W[hh];B[gh](;W[aa];B[gi])(;W[ab]))", &["--variant", "caro"]),
    ] {
        let path = scratch.write(name, file);
        let out = scratch.path("out.sgf");
        let shown = printed(
            &[&["--game", &path, "--nodes", "300", "--out", &out, "--no-svg", "--force"], args]
                .concat(),
            "",
        );
        let again = printed(
            &[
                "--game",
                &out,
                "--nodes",
                "300",
                "--out",
                &scratch.path("x.sgf"),
                "--no-svg",
                "--force",
            ],
            "",
        );
        let body = |text: &str| -> Vec<String> {
            let lines = text.lines().filter(|line| !line.starts_with("record: "));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(body(&again), body(&shown), "{name}");
    }
}

#[test]
fn the_games_beside_a_bad_one_are_judged() {
    let scratch = Scratch::new(&[]);
    let good = "(;GM[4]SZ[15];B[hh];W[ii])";
    let games = format!("{good}(;GM[4]SZ[15];B[hh];W[ii];B[hh])(;GM[4]SZ[15];B{good}");
    let path = scratch.write("g.sgf", &games);
    let args = ["--game", &path, "--nodes", "50", "--no-variations", "--no-svg", "--json"];
    let output = analyze(&args, "");
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    let lines: Vec<&str> = message.lines().collect();
    let second =
        format!("tengen: {path}: game 2: line 1, character 55: move 3 \"hh\": h8 is taken");
    assert_eq!(lines[0], second);
    assert!(
        lines[1].starts_with(&format!("tengen: {path}: game 3: line 1, character 74: expected")),
        "{message}"
    );
    assert_eq!(lines[2], format!("tengen: {path}: games refused: 2 of 4"));
    let objects: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_kind = |kind: &str| -> Vec<String> {
        let own = objects.iter().filter(|object| object["type"] == kind);
        own.map(|object| object["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (of_kind("game"), of_kind("error")),
        (vec!["1".to_owned(), "4".to_owned()], vec!["2".to_owned(), "3".to_owned()])
    );
    // The text of the bad games stays as it is.
    let annotated = scratch.read("g.annotated.sgf");
    assert!(
        annotated.contains(")(;GM[4]SZ[15];B[hh];W[ii];B[hh])(;GM[4]SZ[15];B(;GM[4]"),
        "{annotated}"
    );
    let message = refused(&[&args[..6], &["--force", "--strict"]].concat(), "");
    assert!(message.starts_with(&format!("tengen: {path}: line 1, character 74: ")), "{message}");
}

#[test]
fn moves_after_the_end_of_a_game_are_left_out() {
    let record = "(;GM[4]RU[tictactoe]SZ[3];B[aa];W[ab];B[ba];W[bb];B[ca];W[cc];B[bc])";
    let left_out = "line 1, character 59: the game is over after move 5; moves left out: 2";
    for args in [&["--game", "-", "--nodes", "50"][..], &["--sgf", "-", "--nodes", "50"]] {
        let output = analyze(args, record);
        assert_eq!(text(&output.stderr), format!("tengen: warning: -: {left_out}\n"), "{args:?}");
        assert!(output.status.success());
        assert!(text(&output.stdout).contains("The first player has won."), "{args:?}");
    }
}
