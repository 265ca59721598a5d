//! Boards of every kind, and random positions that may be unreachable.

use fastrand::Rng;
use tengen_engine::Game;
use tengen_games::cfour::{AnySize, Bits, Board};
use tengen_games::gomoku::{self, GomokuEvaluator, Rule};
use tengen_games::mnk::{Mnk, MnkEvaluator, Rules};

/// Returns the legal moves.
pub(crate) fn moves_of<G: Game>(game: &G) -> Vec<G::Move> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
}

/// Returns a plain board and its evaluator.
pub(crate) fn mnk(
    width: u32,
    height: u32,
    connect: u32,
    falls: bool,
    overline: bool,
) -> (Mnk, MnkEvaluator) {
    let rules = Rules::new(width, height, connect, falls, overline).expect("these rules are valid");
    (Mnk::new(rules), MnkEvaluator::new(&rules))
}

/// Returns a board of five in a row and its evaluator.
pub(crate) fn gomoku(rule: Rule, width: u32, height: u32) -> (gomoku::Board, GomokuEvaluator) {
    let board = gomoku::Board::new(rule, width, height).expect("the size fits");
    let evaluator = GomokuEvaluator::new(&board);
    (board, evaluator)
}

/// Returns a board on which stones fall, in bitboards of type `B`.
pub(crate) fn falling<B: Bits>(width: u32, height: u32, connect: u32) -> Board<AnySize<B>> {
    Board::new(AnySize::new(width, height, connect).expect("the board fits"))
}

/// Returns a random position as text, with `empties` empty cells. It may be unreachable in play.
pub(crate) fn random_position(
    width: u32,
    height: u32,
    falls: bool,
    empties: usize,
    rng: &mut Rng,
) -> String {
    let mut filled = vec![true; (width * height) as usize];
    let mut left = empties.min(filled.len());
    while left > 0 {
        let column = rng.usize(..width as usize);
        let row = if falls {
            (0..height as usize).rev().find(|row| filled[row * width as usize + column])
        } else {
            Some(rng.usize(..height as usize))
        };
        let Some(row) = row else { continue };
        let cell = &mut filled[row * width as usize + column];
        left -= usize::from(*cell);
        *cell = false;
    }
    let row_text = |row: &[bool], rng: &mut Rng| -> String {
        row.iter().map(|&full| if full { ["P", "p"][rng.usize(..2)] } else { "1" }).collect()
    };
    let rows: Vec<String> =
        filled.chunks(width as usize).rev().map(|row| row_text(row, rng)).collect();
    // Adjacent digits would be read as one number.
    let rows = rows.iter().map(|row| compact(row)).collect::<Vec<_>>().join("/");
    format!("{rows} {}", ["w", "b"][rng.usize(..2)])
}

/// Returns a row of `P`, `p` and `1` with its runs of `1` written as numbers.
pub(crate) fn compact(row: &str) -> String {
    let mut out = String::new();
    let mut empties = 0;
    for cell in row.chars().chain(['/']) {
        if cell == '1' {
            empties += 1;
            continue;
        }
        if empties > 0 {
            out.push_str(&empties.to_string());
        }
        empties = 0;
        if cell != '/' {
            out.push(cell);
        }
    }
    out
}
