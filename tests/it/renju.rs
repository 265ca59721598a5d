//! Compares the forbidden points of renju with published boards, read from `../shared/data`, and
//! with a second implementation that follows the text of the rule word by word.

use crate::support::published;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::boards::compact;
use fastrand::Rng;
use tengen_engine::{Game, Notation};
use tengen_games::gomoku::{Board, Forbidden, Rule};

const SIDE: i32 = 15;

/// The literal rule on a plain array of letters.
// CITE: Renju International Federation, "The International Rules of Renju", section 9,
// https://www.renju.net/rules/
#[derive(Clone)]
struct LiteralRule([[char; SIDE as usize]; SIDE as usize]);

type Point = (i32, i32);

const DIRECTIONS: [Point; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

fn beside((column, row): Point, (across, up): Point, steps: i32) -> Point {
    (column + across * steps, row + up * steps)
}

impl LiteralRule {
    /// Reads a board from its letters, the top row first.
    fn read(cells: &str) -> Self {
        let mut board = Self([['.'; SIDE as usize]; SIDE as usize]);
        for (index, letter) in cells.chars().enumerate() {
            board.0[SIDE as usize - 1 - index / SIDE as usize][index % SIDE as usize] = letter;
        }
        board
    }

    fn at(&self, (column, row): Point) -> char {
        let inside = (0..SIDE).contains(&column) && (0..SIDE).contains(&row);
        if inside { self.0[row as usize][column as usize] } else { '#' }
    }

    fn with(&self, (column, row): Point) -> Self {
        let mut board = self.clone();
        board.0[row as usize][column as usize] = 'x';
        board
    }

    /// Returns the unbroken row of black stones through a point in a direction.
    fn row(&self, point: Point, direction: Point) -> BTreeSet<Point> {
        let mut row = BTreeSet::new();
        for sign in [1, -1] {
            let stones = (0..).map(|steps| beside(point, direction, sign * steps));
            row.extend(stones.take_while(|&at| self.at(at) == 'x'));
        }
        row
    }

    fn has_row_of(&self, point: Point, is_wanted: impl Fn(usize) -> bool) -> bool {
        DIRECTIONS.iter().any(|&direction| is_wanted(self.row(point, direction).len()))
    }

    /// Returns the empty points near `point` in a direction.
    fn empties(&self, point: Point, direction: Point) -> Vec<Point> {
        let near = (-4..=4).map(|steps| beside(point, direction, steps));
        near.filter(|&at| self.at(at) == '.').collect()
    }

    /// Returns the fours with the stone on `point`: the sets of four stones to which one more can
    /// be added to attain five in a row.
    fn fours(&self, point: Point, direction: Point) -> BTreeSet<BTreeSet<Point>> {
        let mut fours = BTreeSet::new();
        for end in self.empties(point, direction) {
            let mut five = self.with(end).row(end, direction);
            if five.len() == 5 && five.contains(&point) {
                five.remove(&end);
                fours.insert(five);
            }
        }
        fours
    }

    /// Returns whether `four` is a straight four: unbroken, and a stone at either end makes a five.
    fn is_straight_four(&self, four: &BTreeSet<Point>, direction: Point) -> bool {
        let (Some(&first), Some(&last)) = (four.first(), four.last()) else { return false };
        // Points are sorted by column, then row, which is their order along every direction.
        let ends = [beside(first, direction, -1), beside(last, direction, 1)];
        let makes_five =
            |&end: &Point| self.at(end) == '.' && self.with(end).row(end, direction).len() == 5;
        four.len() == 4 && ends.iter().all(makes_five)
    }

    /// Returns the threes with the stone on `point`: the sets of three stones to which one more can
    /// be added, by an allowed move that makes no five at the same time, to attain a straight four.
    fn threes(&self, point: Point, direction: Point) -> BTreeSet<BTreeSet<Point>> {
        let mut threes = BTreeSet::new();
        for more in self.empties(point, direction) {
            let after = self.with(more);
            let mut four = after.row(more, direction);
            let is_attained = four.contains(&point) && after.is_straight_four(&four, direction);
            let makes_five = || after.has_row_of(more, |length| length == 5);
            if is_attained && !makes_five() && self.forbidden(more).is_none() {
                four.remove(&more);
                threes.insert(four);
            }
        }
        threes
    }

    /// Returns why an empty point is forbidden to Black; `None` when it is allowed.
    fn forbidden(&self, point: Point) -> Option<Forbidden> {
        let after = self.with(point);
        if after.has_row_of(point, |length| length == 5) {
            return None;
        }
        let fours: usize = DIRECTIONS.iter().map(|&d| after.fours(point, d).len()).sum();
        if fours >= 2 {
            return Some(Forbidden::DoubleFour);
        }
        let threes: usize = DIRECTIONS.iter().map(|&d| after.threes(point, d).len()).sum();
        if threes >= 2 {
            return Some(Forbidden::DoubleThree);
        }
        after.has_row_of(point, |length| length > 5).then_some(Forbidden::Overline)
    }

    fn forbidden_points(&self) -> Vec<String> {
        let all = (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (column, row)));
        let empty = all.filter(|&at| self.at(at) == '.');
        empty.filter_map(|at| Some(label(name(at), self.forbidden(at)?))).collect()
    }
}

fn name((column, row): Point) -> String {
    format!("{}{}", char::from(b'A' + column as u8), row + 1)
}

/// Returns a point and its kind in the format of the data files.
fn label(name: String, kind: Forbidden) -> String {
    let kind = match kind {
        Forbidden::DoubleThree => "33",
        Forbidden::DoubleFour => "44",
        Forbidden::Overline => "6",
    };
    format!("{name}:{kind}")
}

/// Returns the board with these cells, Black to move; `None` when both sides have won.
fn board(cells: &str) -> Option<Board> {
    let letters: String = cells
        .chars()
        .map(|cell| match cell {
            'x' => 'P',
            'o' => 'p',
            _ => '1',
        })
        .collect();
    let side = SIDE as usize;
    let rows: Vec<String> =
        (0..side).map(|row| compact(&letters[row * side..(row + 1) * side])).collect();
    let start = Board::new(Rule::Renju, SIDE as u32, SIDE as u32).expect("the size fits");
    start.read_position(&format!("{} w", rows.join("/"))).ok()
}

fn forbidden_points(board: &Board) -> Vec<String> {
    let grid = board.grid();
    let name = |cell| name((grid.column(cell) as i32, grid.row(cell) as i32));
    board.forbidden_points().map(|(cell, kind)| label(name(cell), kind)).collect()
}

/// Returns the points of a published list; `-` is an empty list.
fn listed(text: &str) -> BTreeSet<String> {
    text.split_whitespace().filter(|&point| point != "-").map(str::to_owned).collect()
}

fn check_published(file: &str, points: usize, cells: usize) {
    let Some(text) = published::text(&format!("gomoku/{file}")) else { return };
    for row in published::rows(&text) {
        let found: BTreeSet<String> = board(row[cells]).iter().flat_map(forbidden_points).collect();
        assert_eq!(found, listed(row[points]), "{file}: {}", row[cells]);
    }
}

#[test]
fn forbidden_points_are_the_published_ones_on_labelled_boards() {
    check_published("renju_forbidden_labelled.tsv", 3, 4);
}

#[test]
fn forbidden_points_are_the_published_ones_on_puzzles() {
    check_published("renju_forbidden_puzzles.tsv", 0, 1);
}

#[test]
fn forbidden_points_are_the_published_ones_on_stress_boards() {
    check_published("renju_forbidden_stress.tsv", 0, 1);
}

/// Returns a board with stones in clusters, more of Black than of White, so that threes and fours
/// meet.
fn clustered(rng: &mut Rng) -> String {
    let mut cells = vec!['.'; (SIDE * SIDE) as usize];
    let (mut column, mut row) = (7, 7);
    for _ in 0..10 + rng.usize(..60) {
        if rng.usize(..6) == 0 {
            (column, row) = (rng.i32(0..15), rng.i32(0..15));
        }
        column = (column + rng.i32(0..5) - 2).clamp(0, SIDE - 1);
        row = (row + rng.i32(0..5) - 2).clamp(0, SIDE - 1);
        cells[(row * SIDE + column) as usize] = if rng.usize(..3) == 0 { 'o' } else { 'x' };
    }
    cells.into_iter().collect()
}

/// Returns random boards on which the game is not over, with their cells.
fn random_boards() -> impl Iterator<Item = (String, Board)> {
    let mut rng = Rng::with_seed(11);
    let boards = std::iter::repeat_with(move || clustered(&mut rng));
    boards.filter_map(|cells| {
        let board = board(&cells).filter(|board| board.outcome().is_none())?;
        Some((cells, board))
    })
}

/// Compares the forbidden points of `boards` random boards with the literal rule.
fn compare_random_boards(boards: u32) {
    let mut kinds = [0; 3];
    for (cells, board) in random_boards().take(boards as usize) {
        let found = forbidden_points(&board);
        assert_eq!(found, LiteralRule::read(&cells).forbidden_points(), "{}", board.draw());
        for (_, kind) in board.forbidden_points() {
            kinds[kind as usize] += 1;
        }
    }
    assert!(kinds.iter().all(|&count| count > boards / 20), "{kinds:?}");
}

#[test]
fn forbidden_points_on_random_boards_are_those_of_the_rule_word_by_word() {
    compare_random_boards(3_000);
}

/// Prints the forbidden points of each board that it reads, as `proofs/check_renju.py` finds them.
const IN_PYTHON: &str = r#"
import sys
from check_renju import Renju, each

board = Renju(15, 15)
for cells in sys.stdin.read().split():
    stones = dict.fromkeys("xo.", 0)
    for index, cell in enumerate(cells):
        stones[cell] |= board.points[chr(97 + index % 15) + str(15 - index // 15)]
    kinds = {point: board.forbidden(stones["x"], stones["o"], point) for point in each(stones["."])}
    print(*(f"{board.names[point].upper()}:{kind}" for point, kind in kinds.items() if kind))
"#;

/// Compares the forbidden points of `boards` random boards with those of the checker of proofs in Python.
fn compare_with_python(boards: usize) {
    let boards: Vec<(String, Board)> = random_boards().take(boards).collect();
    let mut python = Command::new("python3")
        .args(["-c", IN_PYTHON])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/proofs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python 3 runs");
    let lines: Vec<&str> = boards.iter().map(|(cells, _)| cells.as_str()).collect();
    // Python reads all boards before it writes.
    let mut stdin = python.stdin.take().expect("a pipe");
    stdin.write_all(lines.join("\n").as_bytes()).expect("Python reads");
    drop(stdin);
    let output = python.wait_with_output().expect("Python ends");
    let found = String::from_utf8(output.stdout).expect("text");
    assert_eq!(found.lines().count(), boards.len());
    for (found, (_, board)) in found.lines().zip(&boards) {
        assert_eq!(found, forbidden_points(board).join(" "), "{}", board.draw());
    }
}

#[test]
fn forbidden_points_on_random_boards_are_those_of_the_checker_in_python() {
    compare_with_python(100);
}

#[test]
#[ignore = "campaign"]
fn campaign_forbidden_points() {
    compare_random_boards(20_000);
    compare_with_python(3_000);
}
