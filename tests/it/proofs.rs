//! Compares the claims of games and evaluators with plain minimax: proven bounds, complete
//! candidates, keys that positions share, and moves stored under a symmetry.

use std::collections::{HashMap, HashSet};

use crate::support::boards::{falling, mnk, moves_of, random_position};
use fastrand::Rng;
use tengen_engine::{Game, Notation, SearchEvaluator, Style, laws};
use tengen_games::cfour::{AnySize, Board, CfourEvaluator, Classic, Shape};

/// More positions than any board here can reach from its start.
const POSITIONS: usize = 200_000;

/// Checks every position that can be reached from `game`.
fn check_all<G: Notation, E: SearchEvaluator<G>>(game: &G, evaluator: &E) {
    let checked = laws::check_values(game, evaluator, POSITIONS);
    assert!(checked.unwrap_or_else(|broken| panic!("{broken}")), "too many positions");
}

#[test]
fn proofs_of_the_plain_board_hold_everywhere_on_small_boards() {
    for overline in [false, true] {
        for falls in [false, true] {
            for (width, height, connect) in [(3, 3, 3), (4, 3, 3), (3, 3, 2), (2, 3, 1), (3, 3, 4)]
            {
                let (game, evaluator) = mnk(width, height, connect, falls, overline);
                check_all(&game, &evaluator);
            }
        }
    }
}

#[test]
fn proofs_of_the_plain_board_hold_near_the_end_of_larger_boards() {
    let mut rng = Rng::with_seed(3);
    let boards = [(4, 4, 3), (4, 4, 4), (5, 4, 3), (5, 5, 4), (7, 6, 4), (6, 6, 5), (9, 5, 5)];
    for (width, height, connect) in boards {
        for (falls, overline) in [(false, true), (false, false), (true, true), (true, false)] {
            let (start, evaluator) = mnk(width, height, connect, falls, overline);
            for _ in 0..60 {
                let empties = 1 + rng.usize(..8);
                let text = random_position(width, height, falls, empties, &mut rng);
                let Ok(game) = start.read_position(&text) else { continue };
                check_all(&game, &evaluator);
            }
        }
    }
}

#[test]
fn proofs_of_the_bitboard_hold_near_the_end_of_larger_boards() {
    let mut rng = Rng::with_seed(4);
    for (width, height, connect) in [(7, 6, 4), (5, 5, 3), (9, 7, 5), (6, 9, 4), (5, 6, 6)] {
        let start = falling::<u128>(width, height, connect);
        for _ in 0..150 {
            let empties = 1 + rng.usize(..9);
            let text = random_position(width, height, true, empties, &mut rng);
            let Ok(game) = start.read_position(&text) else { continue };
            check_all(&game, &CfourEvaluator::new());
        }
    }
}

/// Returns the mirror image of a move on a board of this width.
fn mirrored(text: &str, width: u32) -> String {
    let (file, rank) = text.split_at(1);
    let column = u32::from(file.as_bytes()[0] - b'a');
    format!("{}{rank}", char::from(b'a' + (width - 1 - column) as u8))
}

/// Plays random moves and their mirror images. Checks that the keys agree, and that a move stored
/// in one position is read as its mirror image in the other.
fn check_mirror<S: Shape>(shape: S, rng: &mut Rng) {
    let (mut left, mut right) = (Board::new(shape), Board::new(shape));
    while left.outcome().is_none() {
        let ((left_key, left_frame), (right_key, right_frame)) = (left.key(), right.key());
        assert_eq!(left_key, right_key);
        let is_own_mirror = left == right;
        for mv in moves_of(&left) {
            let text = left.write_move(mv, Style::Plain);
            let image = right.read_move(&mirrored(&text, shape.width()));
            let back = right.unpack(left.pack(mv, left_frame), right_frame);
            assert_eq!(back, if is_own_mirror { Some(mv) } else { image.ok() });
        }
        let moves = moves_of(&left);
        let mv = moves[rng.usize(..moves.len())];
        let image = mirrored(&left.write_move(mv, Style::Plain), shape.width());
        right.play(right.read_move(&image).unwrap_or_else(|error| panic!("{error}")));
        left.play(mv);
    }
}

#[test]
fn a_stored_move_is_mirrored_with_its_position() {
    let mut rng = Rng::with_seed(6);
    for _ in 0..200 {
        check_mirror(Classic, &mut rng);
    }
    for (width, height) in [(1, 5), (2, 9), (8, 7), (9, 6), (16, 7), (26, 3)] {
        let shape = AnySize::<u128>::new(width, height, 4).expect("the board fits");
        for _ in 0..20 {
            check_mirror(shape, &mut rng);
        }
    }
    for (width, height, connect) in [(4, 4, 4), (4, 3, 3), (3, 5, 3)] {
        let shape = AnySize::<u64>::new(width, height, connect).expect("the board fits");
        for _ in 0..5 {
            check_mirror(shape, &mut rng);
        }
    }
}

/// Collects the positions by key.
fn positions_by_key<G: Notation>(game: &mut G, found: &mut HashMap<u64, HashSet<String>>) {
    let text = game.write_position(false);
    if !found.entry(game.key().0).or_default().insert(text) {
        return;
    }
    for mv in moves_of(game) {
        let undo = game.play(mv);
        positions_by_key(game, found);
        game.undo(mv, undo);
    }
}

#[test]
fn positions_with_the_same_key_are_mirror_images() {
    let mut found = HashMap::new();
    positions_by_key(&mut falling::<u64>(4, 3, 3), &mut found);
    assert!(found.values().all(|texts| texts.len() <= 2));
    assert!(found.values().any(|texts| texts.len() == 2));
    check_all(&falling::<u64>(3, 3, 3), &CfourEvaluator::new());
    check_all(&falling::<u128>(3, 3, 3), &CfourEvaluator::new());
    check_all(&falling::<u64>(4, 4, 4), &CfourEvaluator::new());
    check_all(&falling::<u64>(4, 3, 3), &CfourEvaluator::new());
    check_all(&falling::<u64>(3, 5, 3), &CfourEvaluator::new());
}
