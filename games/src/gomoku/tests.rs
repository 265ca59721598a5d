//! The rules of five in a row, the text of its positions, and its evaluator.

mod kept_wins;

use super::*;
use tengen_engine::grid_game::GridGame;
use tengen_engine::{Evaluator, Notation, Placement};

fn empty(rule: Rule) -> Board {
    Board::new(rule, 15, 15).unwrap()
}

/// Returns the board `start` after `moves`.
fn after(start: &Board, moves: &str) -> Board {
    let mut board = start.clone();
    for text in moves.split_whitespace() {
        let mv = board.read_move(text).unwrap();
        board.play(mv);
    }
    board
}

/// Returns a freestyle board after `moves`, and its evaluator.
pub(super) fn evaluated_after(moves: &str) -> (Board, GomokuEvaluator) {
    let mut board = empty(Rule::Freestyle);
    let mut evaluator = GomokuEvaluator::new(&board);
    for text in moves.split_whitespace() {
        let mv = board.read_move(text).unwrap();
        board.play(mv);
        evaluator.played(&board, mv);
    }
    (board, evaluator)
}

fn cells(board: &Board, names: &str) -> Vec<Cell> {
    names.split_whitespace().map(|name| board.read_move(name).unwrap()).collect()
}

/// Returns a position with the stones of both sides and the side to move.
fn placed(rule: Rule, first: &str, second: &str, turn: Side) -> Board {
    let start = empty(rule);
    let mut stones = vec![None; start.grid().cells()];
    for (names, side) in [(first, Side::First), (second, Side::Second)] {
        for cell in cells(&start, names) {
            stones[cell.index()] = Some(side);
        }
    }
    start.with(&Placement { stones, turn }).unwrap()
}

/// Returns the outcome after `mv` by `side`, whose stones are `own`.
fn outcome(rule: Rule, side: Side, own: &str, other: &str, mv: &str) -> Option<Outcome> {
    let (first, second) = if side == Side::First { (own, other) } else { (other, own) };
    after(&placed(rule, first, second, side), mv).outcome()
}

fn kind(first: &str, second: &str, point: &str) -> Option<Forbidden> {
    let board = placed(Rule::Renju, first, second, Side::First);
    board.forbidden(cells(&board, point)[0])
}

const FIRST_WINS: Option<Outcome> = Some(Outcome::Win(Side::First));
const SECOND_WINS: Option<Outcome> = Some(Outcome::Win(Side::Second));

#[test]
fn five_in_any_direction_wins_under_every_rule() {
    for rule in Rule::ALL {
        for moves in [
            "a1 a2 b1 b2 c1 c2 d1 d2 e1",
            "o15 a2 o14 b2 o13 c2 o12 d2 o11",
            "a1 a2 b2 b3 c3 c4 d4 d5 e5",
            "a15 a2 b14 b3 c13 c4 d12 d5 e11",
        ] {
            assert_eq!(after(&empty(rule), moves).outcome(), FIRST_WINS, "{rule:?} {moves}");
        }
    }
}

#[test]
fn a_row_does_not_run_over_the_edge() {
    let board = after(&empty(Rule::Freestyle), "m1 a9 n1 c9 o1 e9 a2 g9 b2");
    assert_eq!(board.outcome(), None);
}

#[test]
fn six_win_in_freestyle_but_not_in_standard() {
    let six = |rule, side| outcome(rule, side, "a1 b1 c1 e1 f1", "", "d1");
    assert_eq!(six(Rule::Freestyle, Side::First), FIRST_WINS);
    assert_eq!(six(Rule::Standard, Side::First), None);
    assert_eq!(six(Rule::Standard, Side::Second), None);
}

#[test]
fn in_renju_six_lose_for_the_first_player_and_win_for_the_second() {
    let six = |side| outcome(Rule::Renju, side, "a1 b1 c1 e1 f1", "", "d1");
    assert_eq!(six(Side::First), SECOND_WINS);
    assert_eq!(six(Side::Second), SECOND_WINS);
    assert_eq!(kind("a1 b1 c1 e1 f1", "", "d1"), Some(Forbidden::Overline));
}

#[test]
fn in_caro_a_five_closed_at_both_ends_does_not_win() {
    for rule in [Rule::Caro, Rule::CaroExact] {
        let five = |other: &str| outcome(rule, Side::First, "c5 d5 e5 f5", other, "g5");
        assert_eq!(five("b5 h5"), None);
        assert_eq!(five("b5"), FIRST_WINS);
        assert_eq!(outcome(rule, Side::First, "a5 b5 c5 d5", "f5", "e5"), FIRST_WINS);
    }
    let six = |rule| outcome(rule, Side::First, "c5 d5 e5 f5 h5", "b5 i5", "g5");
    assert_eq!(six(Rule::Caro), FIRST_WINS);
    assert_eq!(six(Rule::CaroExact), None);
}

#[test]
fn in_renju_a_double_three_is_forbidden() {
    assert_eq!(kind("g8 i8 h7 h9", "", "h8"), Some(Forbidden::DoubleThree));
    assert_eq!(outcome(Rule::Renju, Side::First, "g8 i8 h7 h9", "", "h8"), SECOND_WINS);
    // A closed three does not count.
    assert_eq!(kind("g8 i8 h7 h9", "f8", "h8"), None);
}

#[test]
fn in_renju_two_fours_are_forbidden_even_in_one_line() {
    assert_eq!(kind("e8 f8 g8 h5 h6 h7", "", "h8"), Some(Forbidden::DoubleFour));
    assert_eq!(kind("d8 f8 g8", "", "h8"), None);
    assert_eq!(kind("d8 f8 h8 j8", "", "g8"), Some(Forbidden::DoubleFour));
    // A row of four with two ends is one four.
    assert_eq!(kind("e8 f8 g8", "", "h8"), None);
}

#[test]
fn in_renju_a_three_and_a_four_together_are_allowed() {
    assert_eq!(kind("e8 f8 g8 h6 h7", "d8", "h8"), None);
}

#[test]
fn in_renju_a_five_wins_even_with_a_double_four() {
    let stones = "d8 e8 f8 g8 h5 h6 h7 i9 j10 k11";
    assert_eq!(kind(stones, "", "h8"), None);
    assert_eq!(outcome(Rule::Renju, Side::First, stones, "", "h8"), FIRST_WINS);
}

#[test]
fn in_renju_a_three_needs_an_allowed_move_to_an_open_four() {
    // The column can become an open four only on h10 or h6, and both make double-fours.
    let threes = "g8 i8 h7 h9";
    assert_eq!(kind(threes, "", "h8"), Some(Forbidden::DoubleThree));
    let blocked = format!("{threes} e10 f10 g10 e6 f6 g6");
    assert_eq!(kind(&blocked, "d10 d6", "h8"), None);
}

#[test]
fn in_renju_a_three_must_not_need_a_move_that_makes_five() {
    // h10 and h6 complete fives.
    let stones = "g8 i8 h7 h9 d10 e10 f10 g10 d6 e6 f6 g6";
    assert_eq!(kind(stones, "c10 c6", "h8"), None);
}

#[test]
fn in_renju_nothing_is_forbidden_to_the_second_player() {
    let moves = [("g8 i8 h7 h9", "h8"), ("e8 f8 g8 h5 h6 h7", "h8"), ("d8 f8 h8 j8", "g8")];
    for (own, mv) in moves {
        assert_eq!(outcome(Rule::Renju, Side::Second, own, "", mv), None);
    }
}

#[test]
fn a_forbidden_point_is_no_move_but_can_be_played() {
    let board = placed(Rule::Renju, "g8 i8 h7 h9", "", Side::First);
    let point = cells(&board, "h8")[0];
    let mut moves = Vec::new();
    board.moves(&mut moves);
    assert_eq!(moves.len(), 225 - 5);
    assert!(!moves.contains(&point));
    assert_eq!(board.unpack(board.pack(point, ()), ()), None);
    assert!(board.draw().ends_with("\nforbidden: h8"), "{}", board.draw());
    let mut lost = board.clone();
    lost.play(point);
    assert_eq!((lost.outcome(), lost.plies_left()), (SECOND_WINS, 0));
    lost.undo(point, ());
    assert_eq!((lost.outcome(), lost.key()), (None, board.key()));
    // With the second player to move, the point can be played. It is still forbidden to the first
    // player.
    let other = placed(Rule::Renju, "g8 i8 h7 h9", "", Side::Second);
    assert!(other.draw().ends_with("\nforbidden: h8"));
    assert!(other.is_allowed(point));
    assert!(empty(Rule::Renju).draw().ends_with("\nforbidden: -"));
    assert!(!empty(Rule::Standard).draw().contains("forbidden"));
}

#[test]
fn an_overline_of_the_first_player_loses_with_the_second_to_move() {
    let six = "a1 b1 c1 d1 e1 f1";
    assert_eq!(placed(Rule::Renju, six, "", Side::Second).outcome(), SECOND_WINS);
    assert_eq!(placed(Rule::Renju, six, "", Side::First).outcome(), None);
    assert_eq!(placed(Rule::Renju, "", six, Side::First).outcome(), SECOND_WINS);
}

#[test]
fn with_only_forbidden_points_left_renju_is_a_draw() {
    // Every point but two is taken. Both would be overlines of the first player.
    let rows = ["PPP1PP", "ppPppP", "PPP1PP", "ppPppP", "pPpPpp", "PppPpP"];
    let board = Board::new(Rule::Renju, 6, 6).unwrap();
    let text = rows.join("/");
    let to_move = board.read_position(&format!("{text} w")).unwrap();
    assert_eq!(to_move.outcome(), Some(Outcome::Draw), "{}", to_move.draw());
    assert_eq!(to_move.plies_left(), 0);
    let other = board.read_position(&format!("{text} b")).unwrap();
    assert_eq!(other.outcome(), None);
    // The second player takes one of the two points, and the other is forbidden to the first.
    let drawn = after(&other, "d6");
    assert_eq!(drawn.outcome(), Some(Outcome::Draw));
}

/// Fills the board without three in a row.
fn fill(board: &mut Board) {
    let grid = board.grid();
    let is_first = |cell: Cell| (grid.column(cell) / 2 + grid.row(cell)).is_multiple_of(2);
    let (mut first, mut second): (Vec<_>, Vec<_>) = grid.all().partition(|&cell| is_first(cell));
    loop {
        let own = if board.turn() == Side::First { &mut first } else { &mut second };
        let Some(mv) = own.pop() else { break };
        assert_eq!(board.outcome(), None);
        board.play(mv);
    }
}

#[test]
fn a_full_board_is_a_draw() {
    for rule in Rule::ALL {
        for (width, height) in [(16, 14), (14, 22), (20, 20), (22, 22), (8, 5)] {
            let mut board = Board::new(rule, width, height).unwrap();
            fill(&mut board);
            assert_eq!(board.empties, 0);
            assert_eq!(board.outcome(), Some(Outcome::Draw), "{rule:?}\n{}", board.draw());
        }
    }
}

#[test]
fn any_number_of_stones_is_accepted_but_not_two_winners() {
    let board = empty(Rule::Freestyle);
    let rest = "/15/15/15/15/15/15/15/15/15/15/15/15/15";
    assert!(board.read_position(&format!("PPPP11/15{rest} b")).is_ok());
    let refused = board.read_position(&format!("PPPPP10/ppppp10{rest} w"));
    assert!(refused.unwrap_err().to_string().contains("both sides have won"));
}

#[test]
fn boards_have_five_to_twenty_two_cells_a_side() {
    for (width, height, fits) in
        [(5, 5, true), (22, 22, true), (5, 22, true), (4, 15, false), (15, 23, false)]
    {
        assert_eq!(Board::new(Rule::Caro, width, height).is_some(), fits);
    }
}

#[test]
fn the_key_does_not_depend_on_the_order_of_moves() {
    let start = empty(Rule::Standard);
    let (a, b) = (after(&start, "h8 i9 h7 i7"), after(&start, "h7 i7 h8 i9"));
    assert_eq!(a.key(), b.key());
    assert_ne!(a.key(), after(&start, "h8 i9 h7").key());
    assert_eq!(start.read_position(&a.write_position(true)).unwrap().key(), a.key());
}
