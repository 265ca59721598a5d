//! `tengen puzzles`, as a shell runs it: what it finds is what plain search finds, and a run that was
//! killed ends with the same file.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::process::Command;
use std::thread;

use serde_json::Value;
use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::{Client, Limits, Outcome, Point, Query, Side};
use tengen_games::CATALOG;
use tengen_records::{Collection, Format, ReadOptions, Record, read};

use self::minimax::{lines_of, tictactoe};
use crate::scratch::{Scratch, text};
use crate::support::published;

mod minimax;
mod page;

const PUZZLES: &[&str] = &["puzzles", "--hash", "1", "--judge-nodes", "20000", "--unproven", "4"];

/// Returns the puzzles of a file of JSON.
fn puzzles(scratch: &Scratch, name: &str) -> Vec<Value> {
    scratch.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the texts of a list.
fn texts(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

/// Random games of four in a row with at least `least` stones, as columns.
fn four_in_a_row(count: usize, least: usize) -> Vec<String> {
    let mut random = fastrand::Rng::with_seed(11);
    let mut games = Vec::new();
    while games.len() < count {
        let spec = CATALOG.describe("cfour", &Default::default()).unwrap();
        let (mut position, mut columns) = (CATALOG.position(&spec), String::new());
        while position.outcome().is_none() {
            let mv = random.choice(position.legal()).unwrap();
            let point = spec.grid.unwrap().point_of(mv).unwrap();
            columns.push_str(&(point.column + 1).to_string());
            position.play(mv).unwrap();
        }
        if columns.len() >= least {
            games.push(columns);
        }
    }
    games
}

#[test]
fn puzzles_of_four_in_a_row_have_one_winning_column_by_another_solver() {
    let scratch = Scratch::new(PUZZLES);
    let games = four_in_a_row(12, 24);
    scratch.write("games.txt", games.join("\n") + "\n");
    // Only the ends of the games are searched to the end with these nodes.
    let words = ["games.txt", "--variant", "cfour", "--nodes", "20000", "--out", "all.jsonl"];
    scratch.done(&words);
    let puzzles = puzzles(&scratch, "all.jsonl");
    assert!(puzzles.len() > 3, "{puzzles:?}");
    let mut proven = 0;
    for puzzle in puzzles.iter().filter(|puzzle| puzzle["proven"] == true) {
        let source = &puzzle["source"];
        let game = &games[source["game"].as_u64().unwrap() as usize - 1];
        let stones = source["turn_number"].as_u64().unwrap() as usize;
        if stones < 14 {
            continue;
        }
        proven += 1;
        let position = connect_four_ai::Position::from_moves(&game[..stones]).unwrap();
        let scores = connect_four_ai::Solver::new().get_all_move_scores(&position);
        let winning: Vec<usize> =
            (0..7).filter(|column| scores[*column].is_some_and(|score| score > 0)).collect();
        let best = puzzle["best"].as_str().unwrap().parse::<Point>().unwrap();
        let later = later_wins(puzzle).into_iter().map(|mv| mv.parse::<Point>().unwrap().column);
        let mut listed: Vec<usize> =
            later.chain([best.column]).map(|column| column as usize).collect();
        listed.sort_unstable();
        assert_eq!(winning, listed, "{puzzle}");
        // A score counts the stones that the winner has left, plus one.
        let length = puzzle["length"].as_u64().unwrap() as usize;
        let score = 22 - (stones / 2 + length) as i32;
        assert_eq!(scores[best.column as usize].map(i32::from), Some(score), "{puzzle}");
    }
    assert!(proven > 2, "{puzzles:?}");
}

/// Returns records of published positions. The columns `black` and `black + 1` have the stones, and
/// the column `side` the side to move.
fn positions(rows: &[Vec<&str>], rules: &str, side: usize, black: usize) -> String {
    let letters = |text: &str| {
        let point: Point = text.to_ascii_lowercase().parse().unwrap();
        let letter = |number: u32| char::from(b'a' + number as u8);
        format!("[{}{}]", letter(point.column), letter(14 - point.row))
    };
    let stones = |list: &str| list.split(',').map(letters).collect::<String>();
    let game = |row: &Vec<&str>| {
        let (turn, first, second) =
            (row[side].to_uppercase(), stones(row[black]), stones(row[black + 1]));
        format!("(;GM[4]SZ[15]RU[{rules}]AB{first}AW{second}PL[{turn}])\n")
    };
    rows.iter().map(game).collect()
}

/// Returns the moves besides the solution of which a puzzle says that they win later.
fn later_wins(puzzle: &Value) -> Vec<&str> {
    let tries = puzzle["tries"].as_array().unwrap();
    tries.iter().filter(|it| it["verdict"] == "wins").map(|it| texts(&it["line"])[0]).collect()
}

/// The positions of which an earlier version said "does not win" about a move that wins: variant, FEN, the
/// move. Searches of 1,000 nodes after each other move had made them puzzles.
const OVERTURNED: [(&str, &str, &str); 2] = [
    (
        "gomokufreestyle",
        "15/15/8P1P4/8pp5/4P3p6/5pPpp6/5ppP7/5PPp1P5/5P9/4PPpppP5/3p1PpPP6/5p1p7/4P1P8/15/15 b",
        "g12",
    ),
    (
        "renju",
        "15/15/15/15/15/9p5/8PpP1p2/8pPPPPp1/8pp1PPP1/7PppppPp1/8p3ppP/8P3P1P/15/15/15 w",
        "l5",
    ),
];

/// Returns the record of a position.
fn record_of(variant: &str, fen: &str) -> String {
    let mut position = CATALOG.position(&CATALOG.describe(variant, &Default::default()).unwrap());
    position.set_up(fen).unwrap();
    let notation = position.spec().grid.unwrap();
    let mut record = Record::on_board(notation);
    record.declare(position.spec(), &CATALOG);
    record.set_up(&position.placement().unwrap(), notation.grid());
    text(&Collection::new(Format::SGF, vec![record]).to_sgf())
}

#[test]
fn a_move_that_wins_is_never_called_wrong() {
    let scratch = Scratch::new(PUZZLES);
    for (variant, fen, winning) in OVERTURNED {
        scratch.write("game.sgf", record_of(variant, fen));
        scratch.done(&["game.sgf", "--nodes", "1000", "--out", "out.jsonl", "--force"]);
        for puzzle in &puzzles(&scratch, "out.jsonl") {
            check_lines(puzzle);
            let is_solution = puzzle["best"] == winning;
            assert!(is_solution || later_wins(puzzle).contains(&winning), "{puzzle}");
        }
        fs::remove_dir_all(scratch.file("out.puzzles")).unwrap();
        // The judge of the board finds the win with these nodes.
        let puzzle = serde_json::json!({"variant": variant, "fen": fen, "best": "a1"});
        assert!(other_winning_moves(&puzzle, 10_000, &[winning]).contains(&winning.to_owned()));
    }
}

/// Searches each move of a puzzle but the best one again, with another table and other limits, and
/// returns the moves that win; only these `moves` if there are any.
fn other_winning_moves(puzzle: &Value, nodes: u64, moves: &[&str]) -> Vec<String> {
    let variant = puzzle["variant"].as_str().unwrap();
    let settings = Settings::default().with_hash_mib(4).with_own_book(false);
    let mut client = Client::open(&CATALOG, variant, &Default::default(), &settings).unwrap();
    client.set(Some(puzzle["fen"].as_str().unwrap()), &[]).unwrap();
    let mover = client.position().turn();
    let legal = client.position().legal();
    let best = client.position().read_move(puzzle["best"].as_str().unwrap()).unwrap();
    let mut winning = Vec::new();
    let read = |text: &&str| client.position().read_move(text).unwrap();
    let moves: Vec<_> = moves.iter().map(read).collect();
    let is_asked = |mv: &_| *mv != best && (moves.is_empty() || moves.contains(mv));
    for mv in legal.into_iter().filter(is_asked) {
        client.play(mv).unwrap();
        let won = match client.position().outcome() {
            Some(outcome) => outcome == Outcome::Win(mover),
            None => {
                let query = Query::from(Limits::default().with_nodes(nodes));
                let settled = client.search(query).unwrap().settled;
                settled.is_some_and(|result| result.winner == Some(mover))
            }
        };
        client.position_mut().undo();
        if won {
            winning.push(client.position().write_move(mv, tengen_engine::Style::Plain));
        }
    }
    winning
}

/// Checks that the solution and each refutation can be played, and how they end.
fn check_lines(puzzle: &Value) {
    let spec = CATALOG.describe(puzzle["variant"].as_str().unwrap(), &Default::default()).unwrap();
    let mut position = CATALOG.position(&spec);
    position.set_up(puzzle["fen"].as_str().unwrap()).unwrap();
    let mover = position.turn();
    let side = if mover == Side::First { "first" } else { "second" };
    assert_eq!(puzzle["side"], side, "{puzzle}");
    let line = texts(&puzzle["line"]);
    assert_eq!((puzzle["best"].as_str(), line.len() % 2), (Some(line[0]), 1), "{puzzle}");
    assert_eq!(puzzle["length"], line.len().div_ceil(2), "{puzzle}");
    position.play_all(&line).unwrap();
    assert_eq!(position.outcome(), Some(Outcome::Win(mover)), "{puzzle}");
    for tried in puzzle["tries"].as_array().unwrap() {
        position.undo_to(0);
        position.play_all(&texts(&tried["line"])).unwrap();
        let lost = Some(Outcome::Win(mover.other()));
        assert_eq!(position.outcome() == lost, tried["ending"] == "loss", "{tried}: {puzzle}");
        let verdict = match tried["ending"].as_str().unwrap() {
            "win" => {
                assert_eq!(position.outcome(), Some(Outcome::Win(mover)), "{tried}: {puzzle}");
                assert!(texts(&tried["line"]).len() >= line.len() + 6, "{tried}: {puzzle}");
                "wins"
            }
            "unproven" => "no_win_found",
            _ => "does_not_win",
        };
        assert_eq!(tried["verdict"], verdict, "{tried}: {puzzle}");
        let is_open = texts(&puzzle["unproven"]).contains(&texts(&tried["line"])[0]);
        assert_eq!(is_open, verdict == "no_win_found", "{tried}: {puzzle}");
    }
}

#[test]
fn published_wins_are_puzzles_if_no_other_move_wins() {
    let Some(table) = published::text("gomoku/renju_win_puzzles.tsv") else { return };
    let rows: Vec<_> = published::rows(&table).filter(|row| row.len() > 9).take(6).collect();
    let scratch = Scratch::new(PUZZLES);
    scratch.write("games.sgf", positions(&rows, "renju", 4, 8));
    scratch.done(&["games.sgf", "--nodes", "800", "--out", "all.jsonl"]);
    let puzzles = puzzles(&scratch, "all.jsonl");
    assert!(!puzzles.is_empty(), "{rows:?}");
    for puzzle in &puzzles {
        check_lines(puzzle);
        let won = other_winning_moves(puzzle, 300, &[]);
        assert!(
            won.iter().all(|mv| later_wins(puzzle).contains(&mv.as_str())),
            "{won:?}: {puzzle}"
        );
    }
}

#[test]
fn published_positions_with_several_winning_moves_are_no_puzzles() {
    let Some(table) = published::text("gomoku/freestyle_vcf.tsv") else { return };
    // The column of the first moves of the shortest wins has several.
    let rows = published::rows(&table).filter(|row| row.len() > 8 && row[5].contains(','));
    let rows: Vec<_> = rows.take(40).collect();
    let scratch = Scratch::new(PUZZLES);
    scratch.write("games.sgf", positions(&rows, "freestyle", 3, 7));
    scratch.done(&["games.sgf", "--nodes", "3000", "--out", "all.jsonl"]);
    assert_eq!(scratch.read("all.jsonl"), "");
}

/// Games of several variants with puzzles, and how many positions they have.
fn collection() -> String {
    let tictactoe = lines_of(&tictactoe(25));
    let game = |moves: &str| {
        let node = |(index, point): (usize, &str)| {
            let point: Point = point.parse().unwrap();
            let letter = |number: u32| char::from(b'a' + number as u8);
            let side = if index % 2 == 0 { 'B' } else { 'W' };
            format!(";{side}[{}{}]", letter(point.column), letter(2 - point.row))
        };
        let nodes: String = moves.split_whitespace().enumerate().map(node).collect();
        format!("(;GM[4]RU[tictactoe]SZ[3]{nodes})\n")
    };
    tictactoe.lines().map(game).collect()
}

#[test]
fn a_search_continues_from_a_journal_cut_at_any_byte_to_the_same_file() {
    let scratch = Scratch::new(PUZZLES);
    scratch.write("games.sgf", collection());
    scratch.done(&["games.sgf", "--out", "whole.sgf", "--workers", "2"]);
    let whole = fs::read(scratch.file("whole.puzzles/journal.jsonl")).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    for workers in ["1", "2", "3", "1", "2", "3"] {
        let _ = fs::remove_dir_all(scratch.file("cut.puzzles"));
        fs::create_dir_all(scratch.file("cut.puzzles")).unwrap();
        scratch.write("cut.puzzles/journal.jsonl", &whole[..random.usize(..whole.len())]);
        scratch.done(&["games.sgf", "--out", "cut.sgf", "--workers", workers, "--force"]);
        assert_eq!(scratch.read("cut.sgf"), scratch.read("whole.sgf"));
    }
    // A finished search writes its file again without a search.
    fs::remove_file(scratch.file("whole.sgf")).unwrap();
    scratch.done(&["games.sgf", "--out", "whole.sgf"]);
    assert_eq!(scratch.read("cut.sgf"), scratch.read("whole.sgf"));
    assert_eq!(fs::read(scratch.file("whole.puzzles/journal.jsonl")).unwrap(), whole);
}

#[test]
fn a_search_that_is_killed_often_ends_with_the_same_file() {
    let scratch = Scratch::new(PUZZLES);
    scratch.write("games.sgf", collection());
    scratch.done(&["games.sgf", "--out", "whole.jsonl", "--workers", "1"]);
    let length = |folder: &str| {
        let journal = scratch.file(folder).join("journal.jsonl");
        fs::metadata(journal).map_or(0, |known| known.len())
    };
    let words = ["games.sgf", "--out", "killed.jsonl", "--workers", "1"];
    let whole = length("whole.puzzles");
    let mut killed = 0;
    for kill in 1..=6 {
        let mut child = scratch.command(&words).spawn().unwrap();
        while child.try_wait().unwrap().is_none() && length("killed.puzzles") < whole * kill / 8 {
            thread::yield_now();
        }
        if child.try_wait().unwrap().is_none() {
            assert!(!scratch.file("killed.jsonl").exists());
            killed += 1;
        }
        let _ = child.kill();
        child.wait().unwrap();
        let _ = fs::remove_file(scratch.file("killed.jsonl"));
    }
    assert!(killed > 0, "no search was killed");
    scratch.done(&words);
    assert_eq!(scratch.read("killed.jsonl"), scratch.read("whole.jsonl"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_search_has_status_130_and_continues() {
    let scratch = Scratch::new(PUZZLES);
    scratch.write("games.sgf", collection());
    let words = ["games.sgf", "--out", "all.sgf", "--workers", "1"];
    let child = scratch.command(&words).spawn().unwrap();
    let journal = scratch.file("all.puzzles/journal.jsonl");
    while fs::metadata(&journal).map_or(0, |known| known.len()) < 300 {
        thread::yield_now();
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let message = text(&output.stderr);
    if output.status.code() == Some(0) {
        // The last position was searched before the signal came.
        assert!(scratch.file("all.sgf").exists());
        return;
    }
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("positions are searched; this command goes on"), "{message}");
    assert!(!scratch.file("all.sgf").exists());
    scratch.done(&words);
    scratch.done(&["games.sgf", "--out", "whole.sgf"]);
    assert_eq!(scratch.read("all.sgf"), scratch.read("whole.sgf"));
}

/// Returns the moves of each line of a record that begins at its root.
fn lines(record: &Record, spec: &tengen_engine::GameSpec) -> Vec<Vec<String>> {
    let grid = spec.grid.unwrap().grid();
    let children = record.node(record.root()).children();
    let line = |first: &tengen_records::RecordNodeId| {
        let next = |id: &tengen_records::RecordNodeId| record.node(*id).children().first().copied();
        let nodes = std::iter::successors(Some(*first), next);
        nodes
            .map(|id| record.node(id).mover().unwrap().1.point(grid).unwrap().to_string())
            .collect()
    };
    children.iter().map(line).collect()
}

#[test]
fn a_file_of_sgf_is_read_back_and_holds_what_the_json_holds() {
    let scratch = Scratch::new(PUZZLES);
    let games = four_in_a_row(6, 24).join("\n") + "\n";
    scratch.write("cfour.txt", games);
    scratch.write("small.sgf", collection());
    let other = ["cfour.txt", "--variant", "cfour", "--nodes", "5000"];
    for (words, name) in [(&["small.sgf"][..], "small"), (&other, "cfour")] {
        let (sgf, json) = (format!("{name}-out.sgf"), format!("{name}-out.jsonl"));
        let journal = ["--journal", "journal"];
        scratch.done(&[words, &["--out", &sgf], &journal].concat());
        scratch.done(&[words, &["--out", &json], &journal].concat());
        scratch
            .done(&[words, &["--out", "zh.sgf", "--force", "--language", "zh"], &journal].concat());
        assert!(scratch.read("zh.sgf").contains("难度："), "{name}");
        fs::remove_dir_all(scratch.file("journal")).unwrap();
        let (puzzles, bytes) = (puzzles(&scratch, &json), scratch.read(&sgf));
        let records = read(bytes.as_bytes(), &ReadOptions::new()).unwrap();
        assert!(records.warnings().is_empty(), "{:?}", records.warnings());
        assert_eq!(text(&records.to_sgf()), bytes);
        assert_eq!(records.records().len(), puzzles.len());
        assert!(puzzles.len() > 1, "{name}");
        for (record, puzzle) in records.records().iter().zip(&puzzles) {
            let (spec, warning) = record.spec(&CATALOG).unwrap();
            assert_eq!((spec.variant, warning), (puzzle["variant"].as_str().unwrap(), None));
            let line = record.line(spec.grid.unwrap()).unwrap();
            let mut position = CATALOG.position(&spec);
            position.place(&line.start).unwrap();
            assert_eq!(position.fen(false), puzzle["fen"], "{puzzle}");
            let tries = puzzle["tries"].as_array().unwrap();
            let promised = [&puzzle["line"]].into_iter().chain(tries.iter().map(|it| &it["line"]));
            let promised: Vec<Vec<&str>> = promised.map(texts).collect();
            assert_eq!(lines(record, &spec), promised, "{puzzle}");
            let comment = record.node(record.root()).comment().unwrap();
            let grade = format!("Grade: {}.", puzzle["grade"].as_str().unwrap());
            assert!(comment.contains(&grade), "{comment}");
            check_lines(puzzle);
        }
        // Other commands take the file.
        let shown = Command::new(env!("CARGO_BIN_EXE_tengen"))
            .args(["analyze", "--sgf", &sgf, "--depth", "1"])
            .current_dir(scratch.folder())
            .output()
            .unwrap();
        assert_eq!(shown.status.code(), Some(0), "{shown:?}");
    }
}

#[test]
fn the_nodes_of_an_unproven_move_are_those_that_searched_it() {
    let Some(table) = published::text("gomoku/renju_win_puzzles.tsv") else { return };
    let rows: Vec<_> = published::rows(&table).filter(|row| row.len() > 9).take(12).collect();
    let scratch = Scratch::new(&["puzzles", "--hash", "1", "--nodes", "400"]);
    scratch.write("games.sgf", positions(&rows, "renju", 4, 8));
    // The first search after each move has more nodes than the last one may have.
    for (judge, nodes) in [("100", 400), ("900", 900)] {
        let most = ["--unproven", "300", "--journal", judge];
        let words =
            [&["games.sgf", "--judge-nodes", judge, "--force"], &most[..], &["--out"]].concat();
        scratch.done(&[&words[..], &["out.jsonl"]].concat());
        scratch.done(&[&words[..], &["out.sgf"]].concat());
        let open: Vec<Value> = puzzles(&scratch, "out.jsonl");
        let open: Vec<_> = open.iter().filter(|puzzle| puzzle["proven"] == false).collect();
        assert!(!open.is_empty(), "{judge}");
        assert!(open.iter().all(|puzzle| puzzle["nodes"] == nodes), "{open:?}");
        let said = scratch.read("out.sgf");
        let words = format!("No win was found in {nodes} nodes after ");
        assert_eq!(said.matches(&words).count(), open.len(), "{said}");
    }
    // Unless the user asks for more, every other move has a proof.
    scratch.write("cfour.txt", four_in_a_row(12, 24).join("\n") + "\n");
    let cfour = ["cfour.txt", "--variant", "cfour", "--judge-nodes", "900"];
    scratch.done(&[&cfour[..], &["--out", "proven.jsonl"]].concat());
    let proven = puzzles(&scratch, "proven.jsonl");
    assert!(
        !proven.is_empty() && proven.iter().all(|puzzle| puzzle["proven"] == true),
        "{proven:?}"
    );
}

#[test]
fn the_same_position_stands_once_and_limits_choose_the_first_ones() {
    let scratch = Scratch::new(PUZZLES);
    let games = tictactoe(40);
    scratch.write("games.txt", lines_of(&games));
    let mirrored: Vec<Vec<usize>> = games
        .iter()
        .map(|game| game.iter().map(|cell| cell / 3 * 3 + 2 - cell % 3).collect())
        .collect();
    fs::create_dir(scratch.file("folder")).unwrap();
    scratch.write("folder/a.txt", lines_of(&games));
    scratch.write("folder/b.txt", lines_of(&mirrored));
    scratch.write("folder/notes.md", "no record");
    let variant = ["--variant", "tictactoe"];
    scratch.done(&[&["games.txt", "--out", "one.jsonl"][..], &variant].concat());
    scratch.done(&[&["folder", "--out", "two.jsonl"][..], &variant].concat());
    let (one, two) = (puzzles(&scratch, "one.jsonl"), puzzles(&scratch, "two.jsonl"));
    let plain = |puzzles: &[Value]| -> Vec<Value> {
        puzzles.iter().map(|puzzle| puzzle["fen"].clone()).collect()
    };
    assert_eq!(plain(&one), plain(&two));
    let limited = ["games.txt", "--out", "three.jsonl", "--limit", "3", "--workers", "3"];
    scratch.done(&[&limited[..], &variant].concat());
    assert_eq!(puzzles(&scratch, "three.jsonl"), one[..3]);
    // The journal does not depend on the choice.
    let journal = ["--journal", "one.puzzles"];
    for grade in ["easy", "medium", "hard"] {
        let name = format!("{grade}.jsonl");
        let words = ["games.txt", "--out", &name, "--grade", grade];
        scratch.done(&[&words[..], &journal, &variant].concat());
        let own: Vec<Value> =
            one.iter().filter(|puzzle| puzzle["grade"] == grade).cloned().collect();
        assert_eq!(puzzles(&scratch, &name), own);
    }
}

#[test]
fn games_without_puzzles_are_no_error_and_other_variants_are_left_out() {
    let scratch = Scratch::new(PUZZLES);
    scratch.write("none.sgf", "(;GM[4]SZ[15];B[hh];W[ii])(;GM[4]SZ[15])");
    let shown = scratch.done(&["none.sgf", "--out", "none.jsonl", "--nodes", "50"]);
    assert_eq!(
        shown,
        "puzzles: 0 (0 easy, 0 medium, 0 hard), positions: 3, games: 2: none.jsonl\n"
    );
    assert_eq!(scratch.read("none.jsonl"), "");
    scratch.write("two.sgf", "(;GM[4]RU[renju]SZ[15];B[hh])(;GM[4]RU[tictactoe]SZ[3];B[bb])");
    let words =
        ["two.sgf", "--out", "-", "--to", "sgf", "--journal", "j", "--variant", "tictactoe"];
    let output = scratch.run(&words);
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{message}");
    assert!(message.contains("games of another variant, left out: 1"), "{message}");
    assert!(message.contains("positions: 2, games: 1: -"), "{message}");
}

#[test]
fn bad_input_is_refused_with_one_message_and_leaves_nothing() {
    let scratch = Scratch::new(PUZZLES);
    scratch.write("good.sgf", "(;GM[4]RU[tictactoe]SZ[3];B[bb])");
    scratch.write("bad.sgf", "(;GM[4]SZ[15];B[hh];W[hh])");
    scratch.write("cut.sgf", "(;GM[4]SZ[15];B[hh");
    scratch.write("bytes.sgf", [0xff, 0x00, 0xfe]);
    scratch.write("there.sgf", "precious");
    scratch.write("empty.sgf", "");
    fs::create_dir_all(scratch.file("empty")).unwrap();
    fs::create_dir_all(scratch.file("other")).unwrap();
    scratch.write("other/file", "precious");
    let cases: [(&[&str], &str); 12] = [
        (
            &["good.sgf", "--out", "x.txt"],
            "x.txt: unknown extension; choose the format by --to: sgf",
        ),
        (&["good.sgf", "--out", "there.sgf"], "there.sgf exists: --force overwrites it"),
        (&["good.sgf", "--out", "-", "--to", "sgf"], "--out - is no file: --journal names"),
        (&["good.sgf", "--out", "x.sgf", "--journal", "other"], "other holds no search"),
        (&["good.sgf", "--out", "no/x.sgf"], "cannot write no/x.sgf"),
        (&["none.sgf", "--out", "x.sgf"], "cannot read none.sgf"),
        (&["empty", "--out", "x.sgf"], "empty: the folder has no file .sgf"),
        (&["empty.sgf", "--out", "x.sgf"], "empty.sgf: "),
        (&["bytes.sgf", "--out", "x.sgf"], "bytes.sgf: "),
        (&["cut.sgf", "--out", "x.sgf"], "cut.sgf: line 1, character "),
        (
            &["bad.sgf", "--out", "x.sgf"],
            "bad.sgf: line 1, character 23: move 2 \"hh\": h8 is taken",
        ),
        (&["good.sgf", "bad.sgf", "--strict", "--out", "x.sgf"], "bad.sgf: line 1"),
    ];
    for (words, why) in cases {
        let message = scratch.refused(words, 2);
        assert!(message.starts_with(why), "{words:?}: {message}");
    }
    let usage: [&[&str]; 4] = [
        &["good.sgf"],
        &["--out", "x.sgf"],
        &["good.sgf", "--out", "x.sgf", "--grade", "evil"],
        &["good.sgf", "--out", "x.sgf", "--nodes", "0"],
    ];
    for words in usage {
        let output = scratch.run(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert_eq!(text(&output.stderr).lines().count(), 1, "{output:?}");
    }
    let names: BTreeSet<String> = fs::read_dir(scratch.folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert!(!names.iter().any(|name| name.starts_with('x')), "{names:?}");
    assert_eq!(scratch.read("there.sgf"), "precious");
    // One bad game stops only itself.
    let words = ["good.sgf", "bad.sgf", "none.sgf", "--out", "x.sgf"];
    let message = scratch.refused(&words, 2);
    assert_eq!(message, "games and files refused: 2");
    assert!(scratch.file("x.sgf").exists());
}

#[test]
fn a_journal_of_another_search_or_a_damaged_one_is_refused() {
    let scratch = Scratch::new(PUZZLES);
    scratch.write("a.txt", lines_of(&tictactoe(3)));
    scratch.write("b.txt", lines_of(&tictactoe(4)));
    let run = |name: &str, more: &[&str], status| {
        let words = [name, "--variant", "tictactoe", "--out", "o.sgf", "--force"];
        scratch.refused(&[&words, more].concat(), status)
    };
    scratch.done(&["a.txt", "--variant", "tictactoe", "--out", "o.sgf"]);
    let others: [(&str, &[&str]); 2] = [("b.txt", &[]), ("a.txt", &["--nodes", "77"])];
    for (name, more) in others {
        let message = run(name, more, 1);
        assert!(message.starts_with("o.puzzles holds the search of other games"), "{message}");
    }
    let journal = scratch.read("o.puzzles/journal.jsonl");
    scratch.write("o.puzzles/journal.jsonl", journal.replacen("puzzle", "Puzzle", 1));
    let message = run("a.txt", &[], 1);
    assert!(message.contains("journal.jsonl:2: the journal is damaged: its checksum"), "{message}");
    let lines: HashMap<usize, &str> = journal.lines().enumerate().collect();
    scratch.write("o.puzzles/journal.jsonl", format!("{journal}{}\n{}\n", lines[&1], lines[&1]));
    assert!(run("a.txt", &[], 1).contains(" has a second record"));
}
