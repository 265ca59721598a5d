//! What games and evaluators claim of a position's value, held against plain minimax: proven
//! bounds, complete candidates, keys that positions share, and moves stored under a symmetry.

use std::collections::{HashMap, HashSet};

use crate::support::boards::{Dice, falling, mnk, moves_of, random_position};
use tengen_engine::Coverage;
use tengen_engine::{Game, Notation, Outcome, Score, SearchEvaluator, Style, Window};
use tengen_games::cfour::{AnySize, Board, CfourEvaluator, Classic, Shape};

/// Plain minimax: the truth on which everything else is measured.
#[derive(Default)]
struct Minimax(HashMap<u64, Score>);

impl Minimax {
    fn value<G: Game>(&mut self, game: &mut G) -> Score {
        match game.outcome() {
            Some(Outcome::Win(side)) if side == game.turn() => return Score::win_in(0),
            Some(Outcome::Win(_)) => return Score::loss_in(0),
            Some(_) => return Score::DRAW,
            None => {}
        }
        let key = game.key().0;
        if let Some(&value) = self.0.get(&key) {
            return value;
        }
        let values = moves_of(game).into_iter().map(|mv| self.value_after(game, mv));
        let value = values.max().expect("a game that goes on has a move");
        self.0.insert(key, value);
        value
    }

    fn value_after<G: Game>(&mut self, game: &mut G, mv: G::Move) -> Score {
        let undo = game.play(mv);
        let value = -self.value(game).from_table(1);
        game.undo(mv, undo);
        value
    }
}

/// The bounds hold, and complete candidates keep the value.
fn check_proofs<G: Notation, E: SearchEvaluator<G>>(
    game: &mut G,
    evaluator: &E,
    truth: &mut Minimax,
) {
    if game.outcome().is_some() {
        return;
    }
    let mut evaluator = evaluator.clone();
    evaluator.reset(game);
    let value = truth.value(game);
    let (low, high) = evaluator.static_bounds(game, Window::FULL);
    let position = game.write_position(false);
    assert!(low <= value && value <= high, "{low:?} <= {value:?} <= {high:?} in {position}");
    let mut candidates = Vec::new();
    if evaluator.candidates(game, &mut candidates) == Coverage::Complete {
        let best = candidates.iter().map(|&mv| truth.value_after(game, mv)).max();
        assert_eq!(best, Some(value), "candidates of {position}");
    }
}

/// Checks every position that can be reached.
fn check_all_proofs<G: Notation, E: SearchEvaluator<G>>(
    game: &mut G,
    evaluator: &E,
    truth: &mut Minimax,
    seen: &mut HashSet<u64>,
) {
    if !seen.insert(game.key().0) {
        return;
    }
    check_proofs(game, evaluator, truth);
    for mv in moves_of(game) {
        let undo = game.play(mv);
        check_all_proofs(game, evaluator, truth, seen);
        game.undo(mv, undo);
    }
}

#[test]
fn what_the_plain_board_calls_proven_is_true_everywhere_on_small_boards() {
    for overline in [false, true] {
        for falls in [false, true] {
            for (width, height, connect) in [(3, 3, 3), (4, 3, 3), (3, 3, 2), (2, 3, 1), (3, 3, 4)]
            {
                let (mut game, lines) = mnk(width, height, connect, falls, overline);
                let (mut truth, mut seen) = Default::default();
                check_all_proofs(&mut game, &lines, &mut truth, &mut seen);
            }
        }
    }
}

#[test]
fn what_the_plain_board_calls_proven_is_true_near_the_end_of_larger_ones() {
    let mut dice = Dice(3);
    let boards = [(4, 4, 3), (4, 4, 4), (5, 4, 3), (5, 5, 4), (7, 6, 4), (6, 6, 5), (9, 5, 5)];
    for (width, height, connect) in boards {
        for (falls, overline) in [(false, true), (false, false), (true, true), (true, false)] {
            let (start, lines) = mnk(width, height, connect, falls, overline);
            for _ in 0..60 {
                let empties = 1 + dice.below(8);
                let text = random_position(width, height, falls, empties, &mut dice);
                let Ok(mut game) = start.read_position(&text) else { continue };
                let (mut truth, mut seen) = Default::default();
                check_all_proofs(&mut game, &lines, &mut truth, &mut seen);
            }
        }
    }
}

#[test]
fn what_the_bitboard_calls_proven_is_true_near_the_end_of_larger_boards() {
    let mut dice = Dice(4);
    for (width, height, connect) in [(7, 6, 4), (5, 5, 3), (9, 7, 5), (6, 9, 4), (5, 6, 6)] {
        let start = falling::<u128>(width, height, connect);
        for _ in 0..150 {
            let empties = 1 + dice.below(9);
            let text = random_position(width, height, true, empties, &mut dice);
            let Ok(mut game) = start.read_position(&text) else { continue };
            let (mut truth, mut seen) = Default::default();
            check_all_proofs(&mut game, &CfourEvaluator::new(), &mut truth, &mut seen);
        }
    }
}

/// The same position, or move, seen in a mirror.
fn mirrored(text: &str, width: u32) -> String {
    let (file, rank) = text.split_at(1);
    let column = u32::from(file.as_bytes()[0] - b'a');
    format!("{}{rank}", char::from(b'a' + (width - 1 - column) as u8))
}

/// Plays random moves and their mirror images. The keys agree, and a move that one position stores
/// is the mirror image in the other.
fn check_mirror<S: Shape>(shape: S, mut truth: Option<Minimax>, dice: &mut Dice) {
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
            if let (Some(truth), Some(back)) = (&mut truth, back) {
                let values =
                    (truth.value_after(&mut left, mv), truth.value_after(&mut right, back));
                assert_eq!(values.0, values.1);
            }
        }
        let moves = moves_of(&left);
        let mv = moves[dice.below(moves.len())];
        let image = mirrored(&left.write_move(mv, Style::Plain), shape.width());
        right.play(right.read_move(&image).unwrap_or_else(|error| panic!("{error}")));
        left.play(mv);
    }
}

#[test]
fn a_stored_move_is_right_in_the_mirror() {
    let mut dice = Dice(6);
    for _ in 0..200 {
        check_mirror(Classic, None, &mut dice);
    }
    for (width, height) in [(1, 5), (2, 9), (8, 7), (9, 6), (16, 7), (26, 3)] {
        let shape = AnySize::<u128>::new(width, height, 4).expect("the board fits");
        for _ in 0..20 {
            check_mirror(shape, None, &mut dice);
        }
    }
    for (width, height, connect) in [(4, 4, 4), (4, 3, 3), (3, 5, 3)] {
        let shape = AnySize::<u64>::new(width, height, connect).expect("the board fits");
        for _ in 0..5 {
            check_mirror(shape, Some(Minimax::default()), &mut dice);
        }
    }
}

/// Collects the positions behind each key, and their values when asked anew.
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

fn check_keys<G: Notation>(start: &G) {
    let mut found = HashMap::new();
    positions_by_key(&mut start.clone(), &mut found);
    // A minimax that knows positions by their text cannot be misled by a key.
    for texts in found.values().filter(|texts| texts.len() > 1) {
        let values: HashSet<Score> = texts
            .iter()
            .map(|text| {
                let read = start.read_position(text);
                let mut game = read.unwrap_or_else(|error| panic!("{error}"));
                Minimax::default().value(&mut game)
            })
            .collect();
        assert_eq!(values.len(), 1, "{texts:?}");
    }
}

#[test]
fn positions_of_one_key_are_mirror_images() {
    let mut found = HashMap::new();
    positions_by_key(&mut falling::<u64>(4, 3, 3), &mut found);
    assert!(found.values().all(|texts| texts.len() <= 2));
    check_keys(&falling::<u64>(3, 3, 3));
    check_keys(&falling::<u128>(3, 3, 3));
    check_keys(&mnk(3, 3, 3, false, true).0);
    check_keys(&mnk(3, 3, 3, true, true).0);
}
