//! The puzzles of the browser board: each has one winning move, by another solver or another search.

use std::fs;

use serde_json::{Value, json};
use tengen_engine::backend::Catalog;
use tengen_engine::{Outcome, Point};
use tengen_games::CATALOG;

use super::other_winning_moves;

/// Reads a position of four in a row for the other solver.
fn solver_position(fen: &str) -> connect_four_ai::Position {
    let (rows, rest) = fen.split_once(' ').unwrap();
    let mover = if rest.starts_with('w') { 'P' } else { 'p' };
    let signs = |sign: char| match sign.to_digit(10) {
        Some(free) => ".".repeat(free as usize),
        None => String::from(if sign == mover { 'x' } else { 'o' }),
    };
    let board: String = rows.chars().filter(|sign| *sign != '/').map(signs).collect();
    connect_four_ai::Position::from_board_string(&board).unwrap()
}

/// The puzzles of the page: `v` is the variant, `f` the FEN, `l` the solution.
fn puzzles_of_the_page() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/web/page/puzzles.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the moves besides the solution that win in a search of `nodes` after them.
fn others(puzzle: &Value, nodes: u64) -> Vec<String> {
    let best = puzzle["l"].as_str().unwrap().split(' ').next();
    other_winning_moves(&json!({"variant": puzzle["v"], "fen": puzzle["f"], "best": best}), nodes)
}

#[test]
#[ignore = "a campaign of minutes, which the recipe in docs/manual/puzzles.md uses"]
fn no_other_move_of_a_puzzle_of_the_browser_board_wins_in_3000_nodes() {
    let mut puzzles = puzzles_of_the_page();
    puzzles.retain(|puzzle| puzzle["v"] != "cfour" && !others(puzzle, 3000).is_empty());
    let fens = puzzles.iter().map(|puzzle| puzzle["f"].clone());
    assert!(puzzles.is_empty(), "leave out {}", fens.collect::<Value>());
}

#[test]
fn the_puzzles_of_the_browser_board_have_one_winning_move() {
    let puzzles = puzzles_of_the_page();
    assert_eq!(puzzles.len(), 200);
    let mut solved = 0;
    for (number, puzzle) in puzzles.iter().enumerate() {
        let (variant, fen) = (puzzle["v"].as_str().unwrap(), puzzle["f"].as_str().unwrap());
        let line: Vec<&str> = puzzle["l"].as_str().unwrap().split(' ').collect();
        let mut position =
            CATALOG.position(&CATALOG.describe(variant, &Default::default()).unwrap());
        position.set_up(fen).unwrap();
        let mover = position.turn();
        position.play_all(&line).unwrap();
        assert_eq!(position.outcome(), Some(Outcome::Win(mover)), "{puzzle}");
        match (variant == "cfour").then(|| solver_position(fen)) {
            Some(board) if board.get_moves() >= 14 => {
                solved += 1;
                let scores = connect_four_ai::Solver::new().get_all_move_scores(&board);
                let wins = |column: &usize| scores[*column].is_some_and(|score| score > 0);
                let best = line[0].parse::<Point>().unwrap().column as usize;
                assert_eq!((0..7).filter(wins).collect::<Vec<_>>(), [best], "{puzzle}");
            }
            // Each search of another game takes a second.
            None if number % 12 == 0 => {
                assert_eq!(others(puzzle, 300), Vec::<String>::new(), "{puzzle}");
            }
            _ => {}
        }
    }
    assert!(solved > 30, "{solved}");
}
