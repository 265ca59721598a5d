//! The rules of the variants of five in a row, written for this program alone.

use std::cell::Cell;

/// What wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    Freestyle,
    Exact,
    Renju,
    Caro,
    CaroExact,
}

pub(crate) const EMPTY: u8 = 0;
/// Black, who moves first in a game.
pub(crate) const FIRST: u8 = 1;
pub(crate) const SECOND: u8 = 2;
const EDGE: u8 = 3;

/// Returns the opponent of a side.
pub(crate) const fn other(side: u8) -> u8 {
    3 - side
}

/// A point: `32 * row + column`, with an edge of at least five points around the board.
pub(crate) type Point = usize;

const STRIDE: usize = 32;
const MARGIN: usize = 5;
const STEPS: [usize; 4] = [1, STRIDE, STRIDE + 1, STRIDE - 1];
/// The points of a line that matter to its middle: five to each side.
const LINE: usize = 11;
const MIDDLE: usize = 5;

/// What a stone in the middle of a line does there.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shape {
    /// It makes a winning row.
    pub five: bool,
    /// It makes a row of six or more.
    overline: bool,
    /// The fours that it makes: sets of four stones that one more turns into a winning row.
    pub fours: u8,
    /// The points, as bits of the line, where one more stone then makes a straight four.
    straight: u16,
    /// Whether one more stone then makes two points that win.
    pub three: bool,
}

impl Shape {
    const fn pack(self) -> u32 {
        self.five as u32
            | (self.overline as u32) << 1
            | (self.three as u32) << 2
            | (self.fours as u32) << 4
            | (self.straight as u32) << 8
    }

    const fn unpack(bits: u32) -> Self {
        Self {
            five: bits & 1 > 0,
            overline: bits & 2 > 0,
            three: bits & 4 > 0,
            fours: (bits >> 4 & 15) as u8,
            straight: (bits >> 8 & 0x7ff) as u16,
        }
    }
}

/// Returns the first and the last place of the row of `side` through `at`.
fn row(line: &[u8; LINE], side: u8, at: usize) -> (usize, usize) {
    let before = line[..at].iter().rev().take_while(|&&stone| stone == side).count();
    let after = line[at + 1..].iter().take_while(|&&stone| stone == side).count();
    (at - before, at + after)
}

/// Returns whether the row of `side` through `at`, a part of the row through the middle, wins.
fn wins(rule: Rule, side: u8, line: &[u8; LINE], at: usize) -> bool {
    let (first, last) = row(line, side, at);
    if !(first..=last).contains(&MIDDLE) {
        return false;
    }
    let length = last - first + 1;
    // A row of five through the middle has both neighbours within the line.
    let is_closed = || line[first - 1] == other(side) && line[last + 1] == other(side);
    match rule {
        Rule::Freestyle => length >= 5,
        Rule::Exact => length == 5,
        Rule::Renju => length == 5 || length > 5 && side == SECOND,
        Rule::Caro => length > 5 || length == 5 && !is_closed(),
        Rule::CaroExact => length == 5 && !is_closed(),
    }
}

/// Returns the sets of four stones, as bits, that a stone at one more place turns into a winning row; and those places.
fn fours(rule: Rule, side: u8, line: &[u8; LINE]) -> (Vec<u16>, u16) {
    let (mut sets, mut places) = (Vec::new(), 0);
    for place in 1..LINE - 1 {
        if line[place] != EMPTY {
            continue;
        }
        let mut line = *line;
        line[place] = side;
        if wins(rule, side, &line, place) {
            let (first, last) = row(&line, side, place);
            let set = (first..=last).filter(|&at| at != place).fold(0, |set, at| set | 1 << at);
            places |= 1 << place;
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
    }
    (sets, places)
}

/// Looks at a stone of `side` in the middle of a line.
fn look(rule: Rule, side: u8, line: &[u8; LINE]) -> Shape {
    let mut line = *line;
    line[MIDDLE] = side;
    let (first, last) = row(&line, side, MIDDLE);
    let (sets, _) = fours(rule, side, &line);
    let mut shape = Shape {
        five: wins(rule, side, &line, MIDDLE),
        overline: last - first >= 5,
        fours: sets.len() as u8,
        ..Shape::default()
    };
    for place in (1..LINE - 1).filter(|&place| line[place] == EMPTY) {
        let mut line = line;
        line[place] = side;
        if wins(rule, side, &line, place) {
            continue;
        }
        let (_, places) = fours(rule, side, &line);
        shape.three |= places.count_ones() >= 2;
        let (first, last) = row(&line, side, place);
        let ends = 1u16 << first >> 1 | 2 << last;
        if last - first == 3 && (first..=last).contains(&MIDDLE) && places & ends == ends {
            shape.straight |= 1 << place;
        }
    }
    shape
}

/// A board with its rule.
pub(crate) struct Board {
    rule: Rule,
    cells: [u8; STRIDE * STRIDE],
    /// For each direction and point: the five points to each side, two bits each.
    views: [[u32; STRIDE * STRIDE]; 4],
    /// For each side: what a stone does in each view; `u32::MAX` while it is not known.
    shapes: [Vec<Cell<u32>>; 2],
    /// For each side and point: in how many directions a stone wins there.
    winning: [[u8; STRIDE * STRIDE]; 2],
    /// The points where stones of each side win, if they are empty.
    five_points: [Vec<Point>; 2],
    pub(crate) points: Vec<Point>,
    pub(crate) hash: u64,
}

/// Returns a random number for a stone.
fn key(at: Point, side: u8) -> u64 {
    let mut x = (at as u64) << 2 | u64::from(side);
    for _ in 0..3 {
        x = (x ^ x >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1);
    }
    x ^ x >> 29
}

impl Board {
    pub(crate) fn new(rule: Rule, width: usize, height: usize) -> Self {
        let shapes = [(); 2].map(|()| vec![Cell::new(u32::MAX); 1 << 20]);
        let mut board = Self {
            rule,
            cells: [EDGE; STRIDE * STRIDE],
            views: [[0; STRIDE * STRIDE]; 4],
            shapes,
            winning: [[0; STRIDE * STRIDE]; 2],
            five_points: [Vec::new(), Vec::new()],
            points: Vec::new(),
            hash: 0,
        };
        let rows = MARGIN..MARGIN + height;
        board.points = rows
            .flat_map(|row| (MARGIN..MARGIN + width).map(move |column| row * STRIDE + column))
            .collect();
        for &at in &board.points {
            board.cells[at] = EMPTY;
        }
        for (direction, step) in STEPS.iter().enumerate() {
            for &at in &board.points {
                for place in (0..LINE).filter(|&place| place != MIDDLE) {
                    let stone = board.cells[at + place * step - MIDDLE * step];
                    board.views[direction][at] |= u32::from(stone) << slot(place);
                }
            }
        }
        board
    }

    pub(crate) fn rule(&self) -> Rule {
        self.rule
    }

    pub(crate) fn is_empty(&self, at: Point) -> bool {
        self.cells[at] == EMPTY
    }

    pub(crate) fn empties(&self) -> Vec<Point> {
        self.points.iter().copied().filter(|&at| self.is_empty(at)).collect()
    }

    pub(crate) fn put(&mut self, at: Point, side: u8) {
        self.cells[at] = side;
        self.change(at, side);
    }

    pub(crate) fn take(&mut self, at: Point) {
        let side = self.cells[at];
        self.cells[at] = EMPTY;
        self.change(at, side);
    }

    fn change(&mut self, at: Point, side: u8) {
        self.hash ^= key(at, side);
        for (direction, step) in STEPS.iter().enumerate() {
            for place in (0..LINE).filter(|&place| place != MIDDLE) {
                // Here `at` is at this place of the line.
                let middle = at + MIDDLE * step - place * step;
                if self.cells[middle] == EDGE {
                    continue;
                }
                let before = self.five_bits(direction, middle);
                self.views[direction][middle] ^= u32::from(side) << slot(place);
                let after = self.five_bits(direction, middle);
                for side in [0, 1] {
                    if before[side] != after[side] {
                        self.change_five(side, middle, after[side]);
                    }
                }
            }
        }
    }

    fn change_five(&mut self, side: usize, at: Point, is_more: bool) {
        let count = &mut self.winning[side][at];
        *count = if is_more { *count + 1 } else { *count - 1 };
        match (*count, is_more) {
            (1, true) => self.five_points[side].push(at),
            (0, false) => self.five_points[side].retain(|&known| known != at),
            _ => {}
        }
    }

    /// Returns for each side whether its stone wins on a point, in one direction.
    fn five_bits(&self, direction: usize, at: Point) -> [bool; 2] {
        [FIRST, SECOND].map(|side| self.shape(side, direction, at) & 1 > 0)
    }

    /// Returns the packed shape of a stone on a point in one direction.
    fn shape(&self, side: u8, direction: usize, at: Point) -> u32 {
        let view = self.views[direction][at];
        let known = &self.shapes[side as usize - 1][view as usize];
        if known.get() == u32::MAX {
            let mut line = [EMPTY; LINE];
            for place in (0..LINE).filter(|&place| place != MIDDLE) {
                line[place] = (view >> slot(place) & 3) as u8;
            }
            known.set(look(self.rule, side, &line).pack());
        }
        known.get()
    }

    /// Returns what a stone of `side` on an empty point does in each direction.
    pub(crate) fn shapes(&self, side: u8, at: Point) -> [Shape; 4] {
        std::array::from_fn(|direction| Shape::unpack(self.shape(side, direction, at)))
    }

    /// Returns whether a stone of `side` on an empty point wins.
    pub(crate) fn is_five(&self, side: u8, at: Point) -> bool {
        self.winning[side as usize - 1][at] > 0
    }

    /// Returns the points where a stone of `side` wins.
    pub(crate) fn fives(&self, side: u8) -> Vec<Point> {
        let mut points = self.five_points[side as usize - 1].clone();
        points.retain(|&at| self.is_empty(at));
        points.sort_unstable();
        points
    }

    /// Returns the points whose stones matter to the shapes of `at`, and `at` itself.
    pub(crate) fn near(&self, at: Point) -> Vec<Point> {
        let around = |step: usize| (0..LINE).map(move |place| at + place * step - MIDDLE * step);
        let mut near: Vec<Point> = STEPS.iter().flat_map(|&step| around(step)).collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&at| self.is_empty(at));
        near
    }

    /// Returns whether `side` may play on an empty point.
    pub(crate) fn is_allowed(&mut self, side: u8, at: Point) -> bool {
        self.rule != Rule::Renju || side != FIRST || self.forbidden(at).is_none()
    }

    /// Returns the kind of a point of renju that is forbidden to Black: `44`, `33` or `6`.
    pub(crate) fn forbidden(&mut self, at: Point) -> Option<&'static str> {
        let shapes = self.shapes(FIRST, at);
        if shapes.iter().any(|shape| shape.five) {
            return None;
        }
        if shapes.iter().map(|shape| shape.fours).sum::<u8>() >= 2 {
            return Some("44");
        }
        let over = shapes.iter().any(|shape| shape.overline).then_some("6");
        if shapes.iter().map(|shape| shape.straight.count_ones()).sum::<u32>() < 2 {
            return over;
        }
        self.put(at, FIRST);
        let threes: usize =
            (0..4).map(|direction| self.threes(at, direction, shapes[direction])).sum();
        self.take(at);
        if threes >= 2 { Some("33") } else { over }
    }

    /// Returns the number of threes in a direction with the stone of Black on `at`: sets of three stones to which an
    /// allowed move adds one to attain a straight four, and no five.
    fn threes(&mut self, at: Point, direction: usize, shape: Shape) -> usize {
        let step = STEPS[direction];
        let mut sets = Vec::new();
        for place in (0..LINE).filter(|place| shape.straight >> place & 1 > 0) {
            let more = at + place * step - MIDDLE * step;
            if self.is_five(FIRST, more) || self.forbidden(more).is_some() {
                continue;
            }
            let mut set = Vec::new();
            for step in [step, step.wrapping_neg()] {
                let next = |from: &Point| Some(from.wrapping_add(step));
                let points = std::iter::successors(next(&more), next);
                set.extend(points.take_while(|&at| self.cells[at] == FIRST));
            }
            set.sort_unstable();
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets.len()
    }

    /// Reads a point such as `h8`.
    pub(crate) fn read(&self, name: &str) -> Option<Point> {
        let letter = name.bytes().next().filter(u8::is_ascii_lowercase)?;
        let row: usize = name[1..].parse().ok()?;
        let at = (row - 1 + MARGIN) * STRIDE + MARGIN + usize::from(letter - b'a');
        self.points.contains(&at).then_some(at)
    }
}

/// Returns the name of a point.
pub(crate) fn name(at: Point) -> String {
    let column = (at % STRIDE - MARGIN) as u8;
    format!("{}{}", char::from(b'a' + column), at / STRIDE - MARGIN + 1)
}

/// Returns the first bit of a place in a view.
const fn slot(place: usize) -> usize {
    2 * if place < MIDDLE { place } else { place - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a board of 15x15 with these stones of Black and of White.
    fn board(rule: Rule, black: &str, white: &str) -> Board {
        let mut board = Board::new(rule, 15, 15);
        for (side, stones) in [(FIRST, black), (SECOND, white)] {
            for stone in stones.split_whitespace() {
                let at = board.read(stone).expect("a point");
                board.put(at, side);
            }
        }
        board
    }

    fn fives(board: &Board, side: u8) -> String {
        board.fives(side).into_iter().map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_rule_has_its_rows() {
        for (rule, longer) in [
            (Rule::Freestyle, true),
            (Rule::Exact, false),
            (Rule::Renju, false),
            (Rule::Caro, true),
            (Rule::CaroExact, false),
        ] {
            // Four in a row, and five to which a point adds a sixth stone.
            let found = fives(&board(rule, "e8 f8 g8 h8 e5 f5 h5 i5 j5", ""), FIRST);
            assert_eq!(found, if longer { "g5 d8 i8" } else { "d8 i8" }, "{rule:?}");
        }
        // White of renju wins with six.
        assert_eq!(fives(&board(Rule::Renju, "", "e5 f5 h5 i5 j5"), SECOND), "g5");
    }

    #[test]
    fn a_five_that_is_closed_at_both_ends_wins_in_all_rules_but_caro() {
        for (rule, found) in [(Rule::Freestyle, "i8"), (Rule::Caro, ""), (Rule::CaroExact, "")] {
            assert_eq!(fives(&board(rule, "e8 f8 g8 h8", "d8 j8"), FIRST), found, "{rule:?}");
        }
        // The edge is no stone.
        assert_eq!(fives(&board(Rule::Caro, "a8 b8 c8 d8", "f8"), FIRST), "e8");
    }

    #[test]
    fn stones_that_are_taken_leave_nothing_behind() {
        let mut board = board(Rule::Renju, "e8 f8 g8 h8", "d8");
        let (hash, views) = (board.hash, board.views);
        for stone in ["i8", "j9", "h9"] {
            let at = board.read(stone).expect("a point");
            board.put(at, FIRST);
            board.take(at);
        }
        assert!(board.hash == hash && board.views == views);
        assert_eq!(fives(&board, FIRST), "i8");
    }

    #[test]
    fn forbidden_points_have_their_kinds() {
        for (black, white, point, kind) in [
            ("h8 h9 i10 j10", "", "h10", Some("33")),
            ("h8 h9 i10 j10", "h11", "h10", None),
            ("h5 h6 h7 e8 f8 g8", "", "h8", Some("44")),
            ("e8 g8 h8 i8", "", "k8", None),
            ("e8 g8 i8 k8", "", "h8", Some("44")),
            ("e8 f8 g8 i8 j8", "", "h8", Some("6")),
            // A five overrides.
            ("e8 f8 g8 i8 h5 h6 h7", "", "h8", None),
        ] {
            let mut board = board(Rule::Renju, black, white);
            let at = board.read(point).expect("a point");
            assert_eq!(board.forbidden(at), kind, "{black}: {point}");
        }
    }
}
