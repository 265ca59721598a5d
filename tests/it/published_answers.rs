//! Published counts, values and exact scores of positions, read from `../shared/data`.

use std::io::Read;
use std::thread;

use crate::support::analyst::Analyst;
use crate::support::published;
use flate2::read::GzDecoder;
use tengen_engine::perft::perft;
use tengen_engine::{Limits, Proof, Score, Signal};
use tengen_games::cfour::{Board, Classic};

/// Returns the usual score of solvers: one more than the number of stones that the winner has left
/// at the end, negative for a loss. `plies` have been played on a board of `cells`. The first
/// player has half of the cells, rounded up.
fn solver_score(score: Score, plies: u32, cells: u32) -> i32 {
    let Some(plies_left) = score.plies() else {
        assert_eq!(score, Score::DRAW, "not solved");
        return 0;
    };
    let value = 1 + (cells - plies - plies_left) as i32 / 2;
    if score.is_win() { value } else { -value }
}

/// Solves every position of a file of `moves score` lines and compares the scores. Columns count
/// from `first_column`.
fn check_scores(file: &str, width: u32, height: u32, first_column: u32) {
    let Some(text) = published::text(file) else { return };
    let lines: Vec<(&str, i32)> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(moves, score)| (moves, score.trim().parse().expect("a score")))
        .collect();
    assert!(lines.len() >= 500, "{file}");
    let half = lines.len() / 2;
    thread::scope(|scope| {
        for part in [&lines[..half], &lines[half..]] {
            scope.spawn(move || {
                let mut analyst = Analyst::custom(width.into(), height.into(), 4, true);
                for &(moves, score) in part {
                    let column = |char: char| char.to_digit(10).map(|c| c + 1 - first_column);
                    let columns: Vec<String> =
                        moves.chars().filter_map(column).map(|c| c.to_string()).collect();
                    let solved = analyst.solve(None, &columns.join(" "));
                    let found = solver_score(solved, moves.len() as u32, width * height);
                    assert_eq!(found, score, "{file}: {moves}");
                }
            });
        }
    });
}

/// Returns the position and the class of a line of the table of eight plies. The line has cells a1
/// to a6, b1 to b6 and so on; `x` is the first player, who is to move.
fn position_and_class(line: &str) -> (String, &str) {
    let cells: Vec<&str> = line.trim().split(',').collect();
    assert_eq!(cells.len(), 43, "{line}");
    let row = |row: usize| {
        let (mut text, mut empty) = (String::new(), 0);
        for column in 0..7 {
            let stone = match cells[6 * column + row] {
                "x" => 'P',
                "o" => 'p',
                _ => {
                    empty += 1;
                    continue;
                }
            };
            text += &empty_cells(std::mem::take(&mut empty));
            text.push(stone);
        }
        text + &empty_cells(empty)
    };
    let rows: Vec<String> = (0..6).rev().map(row).collect();
    (format!("{} w - - 0 5", rows.join("/")), cells[42])
}

/// Returns the text of `empty` empty cells in a row of a position.
fn empty_cells(empty: usize) -> String {
    if empty == 0 { String::new() } else { empty.to_string() }
}

/// Solves a sample of `positions` of the positions of eight plies.
fn check_eight_plies(positions: usize) {
    let Some(bytes) = published::bytes("connect4/8ply_67557.csv.gz") else { return };
    let mut text = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut text).expect("a table of text");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 67_557);
    let sample: Vec<&str> = lines.iter().copied().step_by(lines.len() / positions).collect();
    thread::scope(|scope| {
        for part in [&sample[..positions / 2], &sample[positions / 2..positions]] {
            scope.spawn(move || {
                let mut analyst = Analyst::open("cfour", &[]);
                let limits = Limits::default().with_proof(Proof::Outcome);
                for line in part {
                    let (position, class) = position_and_class(line);
                    let score = analyst.ask(Some(&position), "", limits.clone()).report.score;
                    let found = match score {
                        score if score.is_win() => "win",
                        score if score.is_loss() => "loss",
                        _ => "draw",
                    };
                    assert_eq!(found, class, "{position}");
                }
            });
        }
    });
}

#[test]
fn positions_of_eight_plies_have_their_published_results() {
    check_eight_plies(100);
}

#[test]
#[ignore = "campaign"]
fn campaign_eight_plies() {
    check_eight_plies(500);
}

#[test]
fn every_position_near_the_end_is_solved_exactly() {
    check_scores("connect4/Test_L3_R1.txt", 7, 6, 1);
}

#[test]
fn every_easy_position_of_the_middle_game_is_solved_exactly() {
    check_scores("connect4/Test_L2_R1.txt", 7, 6, 1);
}

#[test]
fn every_easy_position_of_the_opening_is_solved_exactly() {
    check_scores("connect4/Test_L1_R1.txt", 7, 6, 1);
}

#[test]
fn every_position_near_the_end_of_wider_boards_is_solved_exactly() {
    check_scores("connect4/other_sizes/9x5_endgame_L1.txt", 9, 5, 0);
    check_scores("connect4/other_sizes/10x6_endgame_L1.txt", 10, 6, 0);
}

#[test]
fn perft_is_the_published_one_to_depth_nine() {
    let Some(text) = published::text("connect4/perft_7x6.tsv") else { return };
    for row in published::rows(&text) {
        let (depth, known) = (row[0].parse().expect("a depth"), row[1].parse().expect("a count"));
        if depth <= 9 {
            let counted =
                perft::<Board<Classic>>(&mut Board::new(Classic), depth, &Signal::default());
            assert_eq!(counted, Ok::<u64, _>(known), "depth {depth}");
        }
    }
}

/// The maximum board size, in cells, that is solved from the start.
const CELLS: i64 = 24;

#[test]
fn small_boards_on_which_stones_fall_have_their_published_values() {
    let Some(text) = published::text("connect4/board_size_values.tsv") else { return };
    let mut checked = 0;
    for row in published::rows(&text) {
        let (width, height): (i64, i64) =
            (row[0].parse().expect("a width"), row[1].parse().expect("a height"));
        if width * height > CELLS {
            continue;
        }
        let end = row[3].parse().expect("a ply");
        let known = match row[2] {
            "+" => Score::win_in(end),
            "-" => Score::loss_in(end),
            _ => Score::DRAW,
        };
        let solved = Analyst::custom(width, height, 4, true).solve(None, "");
        assert_eq!(solved, known, "{width}x{height}");
        checked += 1;
    }
    assert!(checked >= 5, "only {checked} boards");
}

#[test]
fn small_boards_without_gravity_have_their_published_values() {
    let Some(text) = published::text("small/mnk_values.tsv") else { return };
    let mut checked = 0;
    for row in published::rows(&text).filter(|row| row.len() > 4 && row[3] == "-") {
        let numbers: Option<Vec<i64>> = row[..3].iter().map(|text| text.parse().ok()).collect();
        let Some(&[rows, columns, connect]) = numbers.as_deref() else { continue };
        // Larger draws take long, wins do not.
        let limit = if row[4] == "win" { 30 } else { 16 };
        if rows * columns > limit {
            continue;
        }
        let solved = Analyst::custom(columns, rows, connect, false).solve(None, "");
        assert_eq!(solved.is_win(), row[4] == "win", "{row:?}: {solved:?}");
        assert_eq!(solved == Score::DRAW, row[4] == "draw", "{row:?}: {solved:?}");
        checked += 1;
    }
    assert!(checked >= 3, "only {checked} boards");
}
