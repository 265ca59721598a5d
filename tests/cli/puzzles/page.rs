//! The puzzles of the browser board: no other move wins as soon, by another solver or another search.

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

/// The puzzles of the page: `v` is the variant, `f` the FEN, `l` the solution, `t` the other moves that matter.
fn puzzles_of_the_page() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/web/page/puzzles.json");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(file["version"], 2);
    file["puzzles"].as_array().unwrap().clone()
}

/// Returns the moves besides the solution that win in a search of `nodes` after them.
fn others(puzzle: &Value, nodes: u64) -> Vec<String> {
    let best = puzzle["l"].as_str().unwrap().split(' ').next();
    let puzzle = json!({"variant": puzzle["v"], "fen": puzzle["f"], "best": best});
    other_winning_moves(&puzzle, nodes, &[])
}

/// Returns the moves of which the file says that they win later.
fn later(puzzle: &Value) -> Vec<String> {
    let tries = puzzle["t"].as_array().unwrap().iter();
    let wins = tries.filter(|tried| tried[1] == "win").map(|tried| tried[0].as_str().unwrap());
    wins.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn the_puzzles_of_the_browser_board_have_one_winning_move() {
    let puzzles = puzzles_of_the_page();
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
                let column = |mv: &str| mv.parse::<Point>().unwrap().column as usize;
                let mut listed: Vec<usize> = later(puzzle).iter().map(|mv| column(mv)).collect();
                listed.push(column(line[0]));
                listed.sort_unstable();
                assert_eq!((0..7).filter(wins).collect::<Vec<_>>(), listed, "{puzzle}");
            }
            // Each search of another game takes a second.
            None if number % 12 == 0 => {
                let won = others(puzzle, 300);
                assert!(won.iter().all(|mv| later(puzzle).contains(mv)), "{won:?}: {puzzle}");
            }
            _ => {}
        }
    }
    assert!(solved > 30, "{solved}");
}
