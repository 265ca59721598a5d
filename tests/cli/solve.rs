//! `tengen solve`, as a shell runs it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use crate::support::published;
use proptest::prelude::*;
use tengen_engine::{Game, Notation, Score};
use tengen_games::mnk::{Mnk, MnkEvaluator, Rules};
use tengen_protocol::dialect::json::reply::Reply;
use tengen_textbook::Algorithm;

fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_tengen"))
        .arg("solve")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn solve(args: &[&str], input: &str) -> Output {
    let mut child = start(args);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // The program may end before it has read everything.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    output
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// Runs a command that must succeed, and returns the words of its lines.
fn solved(args: &[&str], input: &str) -> Vec<Vec<String>> {
    let output = solve(args, input);
    let (stderr, printed) = (text(output.stderr), text(output.stdout));
    assert!(output.status.success() && stderr.is_empty(), "{args:?}: {stderr}");
    printed.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

/// Returns the first two words of every line.
fn scores(args: &[&str], input: &str) -> Vec<String> {
    let lines = solved(args, input);
    assert!(lines.iter().all(|line| line.len() == 4), "{lines:?}");
    lines.iter().map(|line| line[..2].join(" ")).collect()
}

/// Runs a command that must be refused with status 2. Returns its message and its output.
fn refused(args: &[&str], input: &str) -> (String, String) {
    let output = solve(args, input);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    (text(output.stderr), text(output.stdout))
}

#[test]
fn a_line_is_answered_with_its_score_nodes_and_time() {
    let lines = solved(&[], "4455\n");
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0][..2], ["4455", "18"]);
    assert!(lines[0][2..].iter().all(|word| word.parse::<u64>().is_ok()), "{lines:?}");
}

#[test]
fn moves_are_columns_or_points_or_letters() {
    let input = "4455 18 as known\n  d1d2e1e2\tx\r\nddee\nDdE1e\n4d2e1e\n# 4455\n\n \t\n4455";
    let expected = ["4455 18", "d1d2e1e2 18", "ddee 18", "DdE1e 18", "4d2e1e 18", "4455 18"];
    assert_eq!(scores(&[], input), expected);
}

#[test]
fn the_empty_board_has_two_names() {
    assert_eq!(
        scores(&["--width", "5", "--height", "4"], "-\nstartpos\n- 0\n"),
        ["- 0", "startpos 0", "- 0"]
    );
}

#[test]
fn positions_come_from_a_file_or_standard_input() {
    let path = std::env::temp_dir().join(format!("tengen-solve-{}.txt", std::process::id()));
    fs::write(&path, "4455\n1212121\n").unwrap();
    let from_file = scores(&[path.to_str().unwrap()], "");
    fs::remove_file(&path).unwrap();
    assert_eq!(from_file, ["4455 18", "1212121 -18"]);
    assert_eq!(scores(&["-"], "4455\n"), ["4455 18"]);
    assert_eq!(scores(&[], ""), [""; 0]);
    let missing = solve(&[path.to_str().unwrap()], "");
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(missing.stderr).starts_with("tengen: cannot read "));
}

#[test]
fn a_bad_line_is_reported_with_its_number_and_the_rest_is_solved() {
    let input = "4455\n\n44449\n1111111\n12121212\nd1d3\n44é\n# 9\n4455\n";
    let (stderr, printed) = refused(&[], input);
    let expected = "\
line 3: move 5 \"9\": column out of range (a to g or 1 to 7)
line 4: move 7 \"1\": column a is full
line 5: move 8 \"2\": the game is over
line 6: move 2 \"d3\": a stone in this column falls to d2
line 7: move 3 \"é\": neither a column (a to g or 1 to 7) nor a point (as in d1)
tengen: 5 lines could not be solved
";
    assert_eq!(stderr, expected);
    assert_eq!(printed.lines().count(), 2);
    assert!(printed.lines().all(|line| line.starts_with("4455 18 ")), "{printed}");
    let (stderr, _) = refused(&["--all"], &format!("{}\n", "7".repeat(1 << 20)));
    assert!(stderr.ends_with("tengen: 1 line could not be solved\n"), "{stderr}");
    assert!(stderr.starts_with("line 1: move 7 \"7\": column g is full\n"), "{stderr}");
}

#[test]
fn on_boards_of_ten_columns_a_number_is_one_column() {
    let (stderr, _) = refused(&["--width", "10", "--height", "2"], "ab\na1\n10\n1,10,2\n11\n");
    let why = "column out of range (a to j or 1 to 10)";
    assert!(stderr.starts_with(&format!("line 5: move 1 \"11\": {why}\n")), "{stderr}");
    assert_eq!(scores(&["--width", "10", "--height", "2", "-k", "2"], "aj\n"), ["aj 9"]);
}

#[test]
fn a_finished_game_has_the_score_it_ended_with() {
    // Won by the first player's fourth stone, and by the second player's; a full board.
    let lines = solved(&["--all"], "1212121\n71212121\n");
    for (line, expected) in lines.iter().zip(["1212121 -18 0 0", "71212121 -18 0 0"]) {
        assert_eq!(line.join(" "), format!("{expected} . . . . . . ."));
    }
    assert_eq!(scores(&["--width", "2", "--height", "1"], "12\n"), ["12 0"]);
}

/// Compares the scores of all columns after `moves` with those of the positions after each column.
fn check_columns(board: &[&str], moves: &str) {
    let lines = solved(&[board, &["--all"]].concat(), &format!("{moves}\n"));
    let words: Vec<&str> = lines[0].iter().map(String::as_str).collect();
    let open = (1..).zip(&words[4..]).filter(|(_, word)| **word != ".");
    let mut best = i32::MIN;
    for (column, word) in open {
        let after = scores(board, &format!("{moves}{column}\n"));
        let score: i32 = after[0].split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(*word, (-score).to_string(), "{board:?}, column {column}: {words:?}");
        best = best.max(-score);
    }
    assert_eq!(words[1], best.to_string(), "{board:?}");
}

#[test]
fn every_column_gets_the_score_of_the_move_into_it() {
    let board = ["--width", "5", "--height", "4"];
    let lines = solved(&[&board[..], &["--all"]].concat(), "133332\n");
    assert_eq!(lines[0].len(), 4 + 5, "{lines:?}");
    assert_eq!(lines[0][4 + 2], ".");
    check_columns(&board, "133332");
}

#[test]
fn columns_are_scored_on_boards_that_are_searched_ply_by_ply_too() {
    let exact = ["--width", "5", "--height", "4", "--no-overline"];
    // A lost position, a drawn one, one with a single open column, and a won one.
    for moves in ["432313", "3333", "22232334141145314", "345541"] {
        check_columns(&exact, moves);
    }
    check_columns(&["--width", "4", "--height", "4", "-k", "2"], "4");
    let wide = ["--variant", "custom", "--width", "26", "--height", "4", "-k", "3"];
    let lines = solved(&[&wide[..], &["--all"]].concat(), "aaaabb\n");
    assert_eq!(lines[0][4..10], [".", "47", "49", "-45", "42", "-45"], "{lines:?}");
    // The lines after an unreadable one are solved too.
    let (_, printed) = refused(&[&exact[..], &["--all", "--weak"]].concat(), "1\n9\n432313\n");
    assert_eq!(printed.lines().count(), 2, "{printed}");
}

#[test]
fn in_misere_the_score_counts_the_winners_stones_left() {
    let board = ["--variant", "cfour-misere"];
    // The first player has lost with its fourth stone, then the second player with its own.
    let lines = "1212121\n71212121\n";
    assert_eq!(scores(&board, lines), ["1212121 19", "71212121 18"]);
    check_columns(&board, "63234311273713155356555674727");
    check_columns(&board, "5355162663353645522721217312");
}

#[test]
fn who_wins_is_one_zero_or_minus_one() {
    let input = "4455\n1212121\n";
    assert_eq!(scores(&["--weak"], input), ["4455 1", "1212121 -1"]);
    assert_eq!(scores(&["--weak", "--width", "5", "--height", "4"], "-\n"), ["- 0"]);
    let lines = solved(&["--weak", "--all"], "4455\n");
    assert_eq!(lines[0][1], "1");
    assert!(lines[0][4..].iter().all(|word| ["-1", "0", "1"].contains(&word.as_str())));
}

#[test]
fn a_large_table_shared_by_threads_gives_the_same_scores() {
    // Positions of 7 to 16 stones, in games one ply after the other.
    let games =
        ["4455353535", "44444433333355", "123456712345", "2533511626445", "7422341735647741"];
    let mut input = String::new();
    for game in games {
        for plies in game.len() - 3..=game.len() {
            input += &format!("{}\n", &game[..plies]);
        }
    }
    let small = scores(&["--no-book", "--hash", "16"], &input);
    for threads in ["1", "2", "3"] {
        for more in [None, Some("--fresh")] {
            let mut args = vec!["--no-book", "--hash", "128", "--threads", threads];
            args.extend(more);
            assert_eq!(scores(&args, &input), small, "{args:?}");
        }
    }
}

#[test]
fn with_a_fresh_table_equal_lines_cost_equal_nodes() {
    let board = ["--width", "5", "--height", "4"];
    let input = "2\n2\n2\n";
    let nodes = |options: &[&str]| -> Vec<u64> {
        let lines = solved(&[&board[..], options].concat(), input);
        lines.iter().map(|line| line[2].parse().unwrap()).collect()
    };
    let fresh = nodes(&["--fresh", "--no-book"]);
    assert!(fresh.iter().all(|n| *n == fresh[0]), "{fresh:?}");
    let kept = nodes(&["--hash", "1"]);
    assert!(kept[1] < kept[0], "{kept:?}");
    assert_eq!(scores(&["--fresh", "--threads", "2"], "4455\n"), ["4455 18"]);
}

#[test]
fn the_statistics_come_at_the_end_on_standard_error() {
    let output = solve(&["--stats", "--width", "5", "--height", "4"], "-\n2\n");
    assert!(output.status.success());
    let stderr = text(output.stderr);
    let names: Vec<&str> = stderr.lines().map(|line| line[..20].trim_end()).collect();
    let expected = [
        "positions",
        "nodes",
        "microseconds",
        "nodes per second",
        "table hits",
        "first-move cut-offs",
    ];
    assert_eq!(names, expected);
    assert!(stderr.starts_with("positions           2\n"), "{stderr}");
    let nodes = text(output.stdout)
        .lines()
        .map(|line| line.split(' ').nth(2).unwrap().parse::<u64>().unwrap())
        .sum::<u64>();
    assert!(stderr.contains(&format!(", sum {nodes}\n")), "{stderr}");
}

/// The manual names the boards that run on bitboards; other boards take many times the nodes.
#[test]
fn boards_that_run_on_bitboards_take_fewer_nodes() {
    let nodes = |args: &[&str]| -> u64 {
        let board = [&["--width", "5", "--height", "4"], args].concat();
        solved(&board, "-\n")[0][2].parse().unwrap()
    };
    let bitboard = nodes(&[]);
    let plain = nodes(&["--no-overline"]);
    assert!(20 * bitboard < plain, "{bitboard}, {plain}");
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let saying = |args: &[&str]| refused(args, "").0;
    assert_eq!(
        saying(&["--no-gravity"]),
        "tengen: custom (7x6 board, 4 in a row): too large to be solved; \"tengen analyze\" searches it\n"
    );
    assert_eq!(
        saying(&["--variant", "tictactoe", "--all"]),
        "tengen: tictactoe (3x3 board, 3 in a row): --all is for games of columns\n"
    );
    assert_eq!(
        saying(&["--variant", "cfour", "--width", "5"]),
        "tengen: cfour takes no --width: that is for custom, gomokufreestyle, gomoku, renju, caro, freestyle20\n"
    );
    assert_eq!(
        saying(&["--variant", "gomoku"]),
        "tengen: gomoku (15x15 board, exactly 5 in a row): too large to be solved; \"tengen analyze\" searches it\n"
    );
    for side in ["--width", "--height", "--connect"] {
        assert!(saying(&[side, "27"]).contains("27 is not in 1..=26"));
        assert!(saying(&[side, "0"]).contains("0 is not in 1..=26"));
    }
    assert_eq!(
        saying(&["--variant", "tree"]),
        "tengen: tree: it has no board; trees are solved by \"tengen tree\"\n"
    );
    assert!(saying(&["--hash", "0"]).contains("--hash"));
    assert!(saying(&["--threads", "0"]).contains("--threads"));
}

/// Checks the bounds in the message of an unsolved position against its score.
fn assert_bounds(message: &str, moves: &str, score: i32) {
    let bounds = message.strip_prefix(&format!("\"{moves}\" was not solved: its score is from "));
    let (low, high) = bounds.and_then(|bounds| bounds.split_once(" to ")).expect(message);
    let (low, high): (i32, i32) = (low.parse().unwrap(), high.parse().unwrap());
    assert!((low..=high).contains(&score) && low < high, "{message}");
}

#[test]
fn the_proven_bounds_contain_the_score_and_narrow() {
    let mut last = (i32::MIN, i32::MAX);
    for nodes in ["2", "100", "1000", "10000", "20000", "40000", "100000"] {
        let output = solve(&["--no-book", "--nodes", nodes], "4\n");
        let stderr = text(output.stderr);
        let Some(message) = stderr.lines().find(|line| line.contains("its score is")) else {
            continue;
        };
        // The first move in the middle wins for the first player, with the last stone but one.
        assert_bounds(message, "4", -2);
        let (_, bounds) = message.split_once(" from ").unwrap();
        let (low, high) = bounds.split_once(" to ").unwrap();
        let bounds: (i32, i32) = (low.parse().unwrap(), high.parse().unwrap());
        assert!(bounds.0 >= last.0 && bounds.1 <= last.1, "{message}, before it {last:?}");
        last = bounds;
    }
    assert!(last.0 > -20 && last.1 < 20, "{last:?}");
}

#[test]
fn a_position_that_its_limits_do_not_solve_has_no_score() {
    let unsolved = |args: &[&str], input: &str| {
        let output = solve(&[args, &["--no-book"]].concat(), input);
        assert_eq!(output.status.code(), Some(3), "{args:?}");
        (text(output.stderr), text(output.stdout))
    };
    for limit in [["--nodes", "1000"], ["--time", "20"]] {
        let (stderr, printed) = unsolved(&limit, "-\n1212121\n");
        let (bounds, end) = stderr.split_once('\n').unwrap();
        assert_bounds(bounds, "-", 1);
        assert_eq!(end, "tengen: 1 position was not solved within its limits\n");
        let lines: Vec<&str> = printed.lines().collect();
        assert!(lines[0].starts_with("- ? ") && lines[1] == "1212121 -18 0 0", "{printed}");
    }
    let (_, printed) = unsolved(&["--nodes", "1000", "--all"], "444444\n");
    let words: Vec<&str> = printed.split_ascii_whitespace().collect();
    assert_eq!(words[..2], ["444444", "?"], "{printed}");
    assert_eq!(words[4..], ["?", "?", "?", ".", "?", "?", "?"], "{printed}");
    let small = ["--width", "5", "--height", "4", "--no-overline"];
    let (stderr, printed) = unsolved(&[&small[..], &["--nodes", "10"]].concat(), "-\n1\n");
    // Such a board is searched depth by depth, so that nothing is proven before the end.
    assert_eq!(stderr, "tengen: 2 positions were not solved within their limits\n");
    assert!(printed.starts_with("- ? ") && printed.contains("\n1 ? "), "{printed}");
    // Sufficient limits change nothing, and an unreadable line decides the exit status.
    assert_eq!(scores(&["--nodes", "100000000"], "4455\n"), ["4455 18"]);
    let (refusal, _) = refused(&["--no-book", "--nodes", "1000"], "-\n9\n");
    let end =
        "tengen: 1 line could not be solved, and 1 position was not solved within its limits\n";
    assert!(refusal.ends_with(end), "{refusal}");
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_with_the_positions_solved_so_far() {
    let path = std::env::temp_dir().join(format!("tengen-ctrl-c-{}.txt", std::process::id()));
    fs::write(&path, "4455\n-\n1\n").unwrap();
    let mut child = start(&[
        "--no-book",
        "--hash",
        "1",
        "--width",
        "9",
        "--height",
        "9",
        path.to_str().unwrap(),
    ]);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let mut rest = String::new();
    stdout.read_line(&mut rest).unwrap();
    let output = child.wait_with_output().unwrap();
    fs::remove_file(&path).unwrap();
    assert!(line.starts_with("4455 "), "{line}{rest}");
    assert_eq!(output.status.code(), Some(130));
    let stderr = text(output.stderr);
    // Ctrl-C may come before the second position begins, which then has no line.
    let end = if rest.is_empty() {
        &*stderr
    } else {
        let (bounds, end) = stderr.split_once('\n').unwrap();
        assert!(rest.starts_with("- ? "), "{rest}");
        assert!(bounds.starts_with("\"-\" was not solved: its score is from "), "{stderr}");
        end
    };
    assert_eq!(end, "tengen: interrupted: positions solved: 1\n");
}

#[test]
fn answers_come_line_by_line() {
    let mut child = start(&[]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        stdin.write_all(b"4455\n").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.starts_with("4455 18 "), "{line}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_closed_output_ends_the_command_silently() {
    let mut child = start(&[]);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all("4455\n".repeat(10_000).as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    assert!(output.status.success());
    assert_eq!(text(output.stderr), "");
}

#[test]
fn bad_lines_are_in_the_status_even_if_outputs_are_closed() {
    let input = "4455\n9\n4455\n".repeat(1000);
    let run = |closes: fn(&mut Child)| {
        let mut child = start(&[]);
        closes(&mut child);
        let mut stdin = child.stdin.take().unwrap();
        let input = input.clone();
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        let _ = writer.join();
        assert_eq!(output.status.code(), Some(2));
        text(output.stdout)
    };
    let printed = run(|child| drop(child.stderr.take()));
    assert_eq!(printed.lines().count(), 2000);
    // The output is closed after a bad line, so that the rest need not be solved.
    run(|child| {
        let stdin = child.stdin.as_mut().unwrap();
        stdin.write_all(b"9\n").unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.starts_with("line 1: "), "{line}");
        drop(child.stdout.take());
    });
}

#[test]
fn a_byte_order_mark_is_skipped_and_invisible_characters_are_escaped() {
    assert_eq!(scores(&[], "\u{feff}4455\n"), ["4455 18"]);
    assert_eq!(scores(&[], "\u{feff}# remark\n4455\n"), ["4455 18"]);
    let (stderr, _) = refused(&[], "44\u{200b}5\n4\x1b[2J\n\u{feff}4455\n");
    let expected = "\
line 1: move 3 \"\\u{200b}5\": neither a column (a to g or 1 to 7) nor a point (as in d1)
line 2: move 2 \"\\u{1b}[2J\": neither a column (a to g or 1 to 7) nor a point (as in d1)
line 3: move 1 \"\\u{feff}4455\": neither a column (a to g or 1 to 7) nor a point (as in d1)
";
    assert!(stderr.starts_with(expected), "{stderr}");
}

#[test]
fn a_path_that_cannot_be_read_is_named() {
    let folder = std::env::temp_dir();
    let refused = solve(&[folder.to_str().unwrap()], "");
    assert_eq!(refused.status.code(), Some(2));
    let (stderr, expected) = (text(refused.stderr), format!("cannot read {}: ", folder.display()));
    assert!(stderr.starts_with(&format!("tengen: {expected}")), "{stderr}");
}

#[test]
fn a_failed_write_to_standard_output_is_reported() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        published::skip("/dev/full");
        return;
    };
    let positions = std::env::temp_dir().join(format!("tengen-full-{}.txt", std::process::id()));
    fs::write(&positions, "4455\n").unwrap();
    for arguments in [
        ["solve", positions.to_str().unwrap()].as_slice(),
        &["book", "info", concat!(env!("CARGO_MANIFEST_DIR"), "/games/books/cfour.book")],
        &["tree", "[A, (B, 1)]"],
        &["count", "--variant", "tictactoe"],
        &["completions", "bash"],
        &["analyze", "--moves", "d1", "--depth", "1"],
        &["bench", "1"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        let output = command.args(arguments).stdout(full.try_clone().unwrap()).output().unwrap();
        let stderr = text(output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {stderr}");
        let expected = "tengen: cannot write to standard output: ";
        assert!(stderr.starts_with(expected), "{arguments:?}: {stderr}");
    }
    fs::remove_file(&positions).unwrap();
}

/// Returns the score that minimax finds on the simplest board, in the scale of solvers.
fn by_brute_force(rules: Rules, moves: &str) -> i32 {
    let mut game = Mnk::new(rules);
    let cells = game.plies_left();
    for mv in moves.chars() {
        let mv = game.read_move(&mv.to_string()).unwrap();
        game.play(mv);
    }
    let horizon = game.plies_left();
    let (found, _) = Algorithm::AlphaBetaSoft.measure(&game, &MnkEvaluator::new(&rules), horizon);
    let Some(plies) = found.value.plies() else {
        assert_eq!(found.value, Score::DRAW);
        return 0;
    };
    let value = 1 + ((cells - moves.len() as u32 - plies) / 2) as i32;
    if found.value.is_win() { value } else { -value }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn scores_are_those_of_brute_force(columns in prop::collection::vec(1..=5_u32, 60)) {
        let rules = Rules::new(5, 4, 4, true, true).unwrap();
        let mut game = Mnk::new(rules);
        let mut moves = String::new();
        let mut input = String::new();
        let mut expected = Vec::new();
        for column in columns {
            let text = column.to_string();
            let Ok(mv) = game.read_move(&text) else { continue };
            game.play(mv);
            moves += &text;
            if moves.len() >= 10 {
                input += &format!("{moves}\n");
                expected.push(format!("{moves} {}", by_brute_force(rules, &moves)));
            }
        }
        prop_assert_eq!(scores(&["--width", "5", "--height", "4"], &input), expected);
    }
}

#[test]
fn solutions_as_json_are_replies_of_the_protocol() {
    let output = solve(&["--json", "--all"], "4455\n\n# nothing\n44444\n");
    assert!(output.status.success());
    let printed = text(output.stdout);
    let replies: Vec<Reply> =
        printed.lines().map(|line| Reply::read(line).unwrap().unwrap()).collect();
    let [Reply::Solution(first), Reply::Solution(second)] = &replies[..] else {
        panic!("{printed}");
    };
    assert_eq!((first.id.to_string(), second.id.to_string()), ("1".to_owned(), "4".to_owned()));
    assert_eq!(first.solver_score.map(|score| score.get()), Some(18));
    assert_eq!(first.columns.as_ref().map(Vec::len), Some(7));
    assert!(printed.contains("\"score\":{\"win_in\":3}"), "{printed}");
    let weak = solve(&["--json", "--weak"], "4455\n");
    let line = text(weak.stdout);
    assert!(line.contains("\"score\":null,\"solver_score\":1,"), "{line}");
    let cut = solve(&["--json", "--nodes", "1", "--no-book"], "44\n");
    assert_eq!(cut.status.code(), Some(3));
    let line = text(cut.stdout);
    assert!(line.contains("\"solver_score\":null,\"bounds\":["), "{line}");
    assert!(line.contains("\"ended_by\":\"nodes\""), "{line}");
}
