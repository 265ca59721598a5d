//! Line patterns: the class of a point, by its window of five cells to each side. Derived from the
//! rule.
//!
//! This file looks at one line. Other modules combine the lines of a point and know what renju
//! forbids.

pub(crate) mod forbidden;
pub(crate) mod lines;
pub(crate) mod threat;

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use tengen_engine::Side;

use crate::gomoku::rule::{Content, Rule};

/// The class of a point in one line: what a stone there makes, for the side that puts it. A higher
/// class wins sooner, except for the two that renju forbids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    /// Nothing.
    None,
    /// One more stone makes a three.
    Two,
    /// One more stone makes an open three.
    OpenTwo,
    /// One more stone makes a four.
    Three,
    /// One more stone makes an open four.
    OpenThree,
    /// One more stone wins.
    Four,
    /// One more stone wins, whatever the opponent's next stone on this line.
    OpenFour,
    /// Two fours in one line, if the rule forbids them.
    DoubleFour,
    /// More than five in a row, if the rule forbids them.
    Overline,
    /// Five in a row: wins.
    Five,
}

impl Class {
    /// The number of classes.
    pub const COUNT: usize = Self::Five as usize + 1;

    /// All classes in order.
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::None,
        Self::Two,
        Self::OpenTwo,
        Self::Three,
        Self::OpenThree,
        Self::Four,
        Self::OpenFour,
        Self::DoubleFour,
        Self::Overline,
        Self::Five,
    ];

    /// Returns the class of a line before its last stone: an open three for an open four.
    const fn before(self) -> Self {
        match self {
            Self::Five => Self::Four,
            Self::OpenFour => Self::OpenThree,
            Self::Four => Self::Three,
            Self::OpenThree => Self::OpenTwo,
            Self::Three => Self::Two,
            _ => Self::None,
        }
    }
}

/// A class and roughly the number of ways to continue it, in four bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PatternShape(u8);

impl PatternShape {
    /// The number of shapes.
    pub(crate) const COUNT: usize = 16;

    /// The class of each shape, and the smallest number of stones that each make the next class. A
    /// shape of class `None` other than [`Self::DEAD`] can still become something. A side without
    /// forbidden points always has at least two ways to continue a two or a three.
    const ALL: [(Class, usize); Self::COUNT] = [
        (Class::None, 0),
        (Class::None, 1),
        (Class::Two, 0),
        (Class::Two, 2),
        (Class::OpenTwo, 0),
        (Class::OpenTwo, 3),
        (Class::OpenTwo, 4),
        (Class::Three, 0),
        (Class::Three, 2),
        (Class::OpenThree, 0),
        (Class::OpenThree, 2),
        (Class::Four, 0),
        (Class::OpenFour, 0),
        (Class::DoubleFour, 0),
        (Class::Overline, 0),
        (Class::Five, 0),
    ];

    /// A line that can never become a five.
    const DEAD: Self = Self(0);

    /// The pair of shapes of a line in which neither side can make a five.
    pub(crate) const DEAD_PAIR: u8 = Self::DEAD.0 | Self::DEAD.0 << 4;

    fn of(class: Class, ways: usize) -> Self {
        let fits = |&(of, least): &(Class, usize)| of == class && ways >= least;
        Self(Self::ALL.iter().rposition(fits).unwrap_or_default() as u8)
    }

    /// Returns the shape of `side` in a pair.
    #[inline]
    pub(crate) const fn half(pair: u8, side: Side) -> Self {
        Self(pair >> (4 * side.index()) & 15)
    }

    #[inline]
    pub(crate) const fn class(self) -> Class {
        const CLASSES: [Class; PatternShape::COUNT] = {
            let mut classes = [Class::None; PatternShape::COUNT];
            let mut shape = 0;
            while shape < PatternShape::COUNT {
                classes[shape] = PatternShape::ALL[shape].0;
                shape += 1;
            }
            classes
        };
        CLASSES[self.0 as usize]
    }
}

/// The number of cells of a window on each side of the point.
pub(crate) const ARM: usize = 5;

/// The number of arms, the ways to fill the cells on one side of a point, with the edge after 0 to
/// 5 of them: 1 + 3 + 9 + .. + 243.
const ARMS: usize = 364;

/// The number of codes of an arm: two bits a cell, the nearest cell lowest.
const CODES: usize = 1 << (2 * ARM);

/// All arms by number. The cells of an arm begin with the nearest to the point. A stone on an empty
/// cell gives a higher number.
struct Arms {
    cells: Vec<[Content; ARM]>,
    /// The number of an arm by its code.
    numbers: [u16; CODES],
}

impl Arms {
    fn new() -> Self {
        let mut arms = Self { cells: Vec::with_capacity(ARMS), numbers: [0; CODES] };
        for code in 0..CODES {
            let cells: [_; ARM] = std::array::from_fn(|k| Content::ALL[code >> (2 * k) & 3]);
            let inside = cells.iter().take_while(|&&cell| cell != Content::Edge).count();
            if cells[inside..].iter().all(|&cell| cell == Content::Edge) {
                arms.numbers[code] = arms.cells.len() as u16;
                arms.cells.push(cells);
            }
        }
        debug_assert!(arms.cells.len() == ARMS);
        arms
    }

    /// Returns `arm` with a stone on its cell `k`, from 0; `None` when the cell is not empty.
    fn with(&self, arm: usize, k: usize, stone: Content) -> Option<usize> {
        let cells = &self.cells[arm];
        if cells[k] != Content::Empty {
            return None;
        }
        let code: usize = cells.iter().enumerate().map(|(i, &c)| (c as usize) << (2 * i)).sum();
        Some(usize::from(self.numbers[code | (stone as usize) << (2 * k)]))
    }

    /// Returns, for every arm, the arms with one more stone.
    fn successors(&self, stone: Content) -> Vec<Vec<usize>> {
        let of = |arm| (0..ARM).filter_map(|k| self.with(arm, k, stone)).collect();
        (0..ARMS).map(of).collect()
    }
}

/// Finds the place of a window in a table of windows. A window is two arms, the cells on each side
/// of a point. The code of an arm has two bits a cell, the nearest cell lowest.
pub(crate) struct WindowIndex<const CODES: usize> {
    /// The first index of a row, by the code of the arm behind the point, its nearest cell highest.
    behind: Box<[u16; CODES]>,
    /// The column, by the code of the arm ahead of the point.
    ahead: Box<[u16; CODES]>,
}

impl<const CODES: usize> WindowIndex<CODES> {
    /// The number of bits of an arm.
    const BITS: u32 = CODES.ilog2();

    /// Creates an index from the first index of the row and the column of each arm, by its code.
    pub(crate) fn new(row: impl Fn(usize) -> u16, column: impl Fn(usize) -> u16) -> Self {
        let cells = |code| (0..Self::BITS).step_by(2).map(move |shift| code >> shift & 3);
        let reversed = |code| cells(code).fold(0, |reversed, cell| reversed << 2 | cell);
        Self {
            behind: Box::new(std::array::from_fn(|code| row(reversed(code)))),
            ahead: Box::new(std::array::from_fn(column)),
        }
    }

    /// Returns the index of the window around bit `shift` of a line of two bits a cell, with an arm,
    /// edge included, on each side.
    #[inline]
    pub(crate) fn at(&self, line: u64, shift: u32) -> usize {
        let behind = (line >> (shift - Self::BITS)) as usize & (CODES - 1);
        let ahead = (line >> (shift + 2)) as usize & (CODES - 1);
        usize::from(self.behind[behind]) + usize::from(self.ahead[ahead])
    }
}

impl<const CODES: usize> fmt::Debug for WindowIndex<CODES> {
    /// Writes only the name, because the tables are large.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WindowIndex").finish_non_exhaustive()
    }
}

/// The shapes of every window under one rule, for both sides.
// Many arms are equivalent: for example, what follows after a stone of each side does not matter.
// Equivalent arms share a row and a column, so that the table fits in the L1 cache.
#[derive(Debug)]
pub(crate) struct Patterns {
    index: WindowIndex<CODES>,
    /// The pairs of shapes: the first player's in the low four bits, the second player's in the
    /// high ones.
    pairs: Vec<u8>,
}

impl Patterns {
    /// Returns the table of `rule`, created at the first call.
    pub(crate) fn of(rule: Rule) -> &'static Self {
        static TABLES: [OnceLock<Patterns>; Rule::ALL.len()] =
            [const { OnceLock::new() }; Rule::ALL.len()];
        TABLES[rule as usize].get_or_init(|| Self::new(rule))
    }

    fn new(rule: Rule) -> Self {
        let arms = Arms::new();
        let first = Classifier::new(&arms, rule, Side::First).shapes();
        let second = Classifier::new(&arms, rule, Side::Second).shapes();
        let pair = |(a, b): (PatternShape, PatternShape)| a.0 | b.0 << 4;
        let pairs: Vec<u8> = first.into_iter().zip(second).map(pair).collect();
        let (rows, row_of) = equivalent_arms(|left, right| pairs[left * ARMS + right]);
        let (columns, column_of) = equivalent_arms(|right, left| pairs[left * ARMS + right]);
        let arm = |code: usize| usize::from(arms.numbers[code]);
        let start = |code| row_of[arm(code)] * columns.len() as u16;
        let windows = |&left: &usize| columns.iter().map(move |&right| left * ARMS + right);
        Self {
            index: WindowIndex::new(start, |code| column_of[arm(code)]),
            pairs: rows.iter().flat_map(windows).map(|window| pairs[window]).collect(),
        }
    }

    /// Returns the pair of shapes of the point at bit `shift` of a line of two bits a cell, with at
    /// least [`ARM`] cells, edge included, on each side.
    #[inline]
    pub(crate) fn at(&self, line: u64, shift: u32) -> u8 {
        self.pairs[self.index.at(line, shift)]
    }
}

/// Returns one arm of each group of equivalent arms, and the number of the group of every arm. Arms
/// are equivalent if `pair` is the same for them with every other arm.
fn equivalent_arms(pair: impl Fn(usize, usize) -> u8) -> (Vec<usize>, Vec<u16>) {
    let mut numbers = HashMap::new();
    let mut firsts = Vec::new();
    let number = |arm| {
        let row: Vec<u8> = (0..ARMS).map(|other| pair(arm, other)).collect();
        *numbers.entry(row).or_insert_with(|| {
            firsts.push(arm);
            firsts.len() as u16 - 1
        })
    };
    let numbers = (0..ARMS).map(number).collect();
    (firsts, numbers)
}

/// Computes the shapes of one side. A window is numbered by its two arms. Windows with more stones
/// have higher numbers, so that in descending order the windows after one more stone are already
/// known.
struct Classifier<'a> {
    arms: &'a Arms,
    rule: Rule,
    side: Side,
    own: Vec<Vec<usize>>,
    opponent: Vec<Vec<usize>>,
    known: Vec<PatternShape>,
}

impl<'a> Classifier<'a> {
    fn new(arms: &'a Arms, rule: Rule, side: Side) -> Self {
        Self {
            arms,
            rule,
            side,
            own: arms.successors(Content::of(side)),
            opponent: arms.successors(Content::of(side.other())),
            known: vec![PatternShape::DEAD; ARMS * ARMS],
        }
    }

    fn shapes(mut self) -> Vec<PatternShape> {
        for left in (0..ARMS).rev() {
            for right in (0..ARMS).rev() {
                let class = self.class(left, right);
                let ways = self.ways(left, right, class);
                self.known[left * ARMS + right] = PatternShape::of(class, ways);
            }
        }
        self.known
    }

    /// Returns the number of stones that each make the next class of `class`.
    fn ways(&self, left: usize, right: usize, class: Class) -> usize {
        let continues = |window: &usize| match class {
            Class::None => self.known[*window] != PatternShape::DEAD,
            _ => self.known[*window].class().before() == class,
        };
        Self::after(&self.own, left, right).filter(continues).count()
    }

    /// Returns the windows after one more stone. `successors` are those of the arms.
    fn after<'b>(
        successors: &'b [Vec<usize>],
        left: usize,
        right: usize,
    ) -> impl Iterator<Item = usize> + 'b {
        let on_left = successors[left].iter().map(move |&l| l * ARMS + right);
        on_left.chain(successors[right].iter().map(move |&r| left * ARMS + r))
    }

    fn class(&self, left: usize, right: usize) -> Class {
        let (length, ends) = self.row(left, right);
        if self.rule.wins(self.side, length, ends) {
            return Class::Five;
        }
        if self.rule.forbids(self.side) && length > 5 {
            return Class::Overline;
        }
        let after = || Self::after(&self.own, left, right).map(|window| self.known[window].class());
        let fives = after().filter(|&class| class == Class::Five).count();
        if fives == 0 {
            return after().map(Class::before).max().unwrap_or(Class::None);
        }
        if !self.rule.forbids(self.side) {
            return if self.wins_after_every_reply(left, right) {
                Class::OpenFour
            } else {
                Class::Four
            };
        }
        // A row of four with two ends is one four. Any other second point that makes five is a
        // second four.
        match (fives, length) {
            (1, _) => Class::Four,
            (_, 4) => Class::OpenFour,
            _ => Class::DoubleFour,
        }
    }

    /// Returns whether a five follows after every reply in this line.
    fn wins_after_every_reply(&self, left: usize, right: usize) -> bool {
        let mut replies = Self::after(&self.opponent, left, right);
        replies.all(|window| matches!(self.known[window].class(), Class::Four | Class::OpenFour))
    }

    /// Returns the length of the row through the point and the contents of the cells at its ends. A
    /// row that fills an arm is longer than five, and its end does not matter.
    fn row(&self, left: usize, right: usize) -> (usize, [Content; 2]) {
        let own = Content::of(self.side);
        let arms = [left, right].map(|arm| &self.arms.cells[arm]);
        let runs = arms.map(|cells| cells.iter().take_while(|&&cell| cell == own).count());
        let end = |k: usize| arms[k].get(runs[k]).copied().unwrap_or(Content::Edge);
        (runs[0] + 1 + runs[1], [end(0), end(1)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(rule: Rule, side: Side, text: &str) -> Class {
        shape(rule, side, text).class()
    }

    /// Returns the shape of the point `*` on the line `text`: `x` the first player, `o` the second,
    /// `.` empty, `|` the edge. Beyond the text the line is empty.
    fn shape(rule: Rule, side: Side, text: &str) -> PatternShape {
        let mut line = 0_u64;
        let mut shift = None;
        let start = 16 - text.find('*').unwrap();
        for (k, symbol) in text.chars().enumerate() {
            let at = 2 * (start + k) as u32;
            match symbol {
                'x' => line |= 1 << at,
                'o' => line |= 2 << at,
                '|' if k == 0 => line |= u64::MAX >> (62 - at),
                '|' => line |= u64::MAX << at,
                '*' => shift = Some(at),
                _ => {}
            }
        }
        PatternShape::half(Patterns::of(rule).at(line, shift.unwrap()), side)
    }

    fn first(rule: Rule, text: &str) -> Class {
        class(rule, Side::First, text)
    }

    #[test]
    fn a_stone_raises_the_number_of_an_arm() {
        let arms = Arms::new();
        assert_eq!(arms.cells.len(), ARMS);
        for stone in [Content::First, Content::Second] {
            for (arm, after) in arms.successors(stone).into_iter().enumerate() {
                assert!(after.iter().all(|&next| next > arm));
            }
        }
    }

    #[test]
    fn usual_lines_have_the_expected_classes() {
        for (text, expected) in [
            ("xx*xx", Class::Five),
            (".xxx*.", Class::OpenFour),
            ("oxxx*.", Class::Four),
            ("|xxx*.", Class::Four),
            (".xx.*x.", Class::Four),
            ("x.xx*.x", Class::OpenFour),
            (".xx*.", Class::OpenThree),
            (".x.x*.", Class::OpenThree),
            ("oxx*..", Class::Three),
            ("ox.x*.", Class::Three),
            ("oxx*.o", Class::None),
            ("o.x*..o", Class::Two),
            ("x*", Class::OpenTwo),
            ("x..*", Class::OpenTwo),
            ("x...*", Class::Two),
            ("*", Class::None),
            ("o*...o", Class::None),
        ] {
            assert_eq!(first(Rule::Freestyle, text), expected, "{text}");
        }
    }

    #[test]
    fn shapes_count_the_ways_to_continue_a_line() {
        for (text, class, ways) in [
            ("o*...o", Class::None, 0),
            ("o*....o", Class::None, 1),
            ("*", Class::None, 1),
            ("ox*...o", Class::Two, 2),
            ("ox..*..o", Class::Two, 2),
            ("x...*", Class::Two, 2),
            ("x*", Class::OpenTwo, 4),
            ("x.*", Class::OpenTwo, 3),
            ("x..*", Class::OpenTwo, 2),
            ("oxx*..", Class::Three, 2),
            ("ox.x*.o", Class::Three, 2),
            (".xx*.", Class::OpenThree, 2),
            ("o.xx*.o", Class::Three, 2),
            (".x.x*.", Class::OpenThree, 1),
        ] {
            let shape = shape(Rule::Freestyle, Side::First, text);
            assert_eq!(shape, PatternShape::of(class, ways), "{text}");
        }
        let distinct: std::collections::BTreeSet<u8> = PatternShape::ALL
            .iter()
            .map(|&(class, ways)| PatternShape::of(class, ways).0)
            .collect();
        assert_eq!(distinct.len(), PatternShape::COUNT);
    }

    #[test]
    fn six_in_a_row_is_nothing_in_standard() {
        assert_eq!(first(Rule::Standard, "xxx*xx"), Class::None);
        assert_eq!(first(Rule::Standard, "x.xxx*.x"), Class::None);
        assert_eq!(first(Rule::Standard, "x.xxx*.."), Class::Four);
        assert_eq!(first(Rule::Standard, "x..xx*..x"), Class::Three);
        assert_eq!(first(Rule::Standard, "x..xx*..."), Class::OpenThree);
        assert_eq!(first(Rule::Freestyle, "x..xx*..x"), Class::OpenThree);
    }

    #[test]
    fn renju_restricts_only_the_first_player() {
        assert_eq!(first(Rule::Renju, "xxx*xx"), Class::Overline);
        assert_eq!(class(Rule::Renju, Side::Second, "ooo*oo"), Class::Five);
        assert_eq!(first(Rule::Renju, "x.x*x.x"), Class::DoubleFour);
        assert_eq!(first(Rule::Renju, "xx.x*.xx"), Class::DoubleFour);
        assert_eq!(class(Rule::Renju, Side::Second, "o.o*o.o"), Class::OpenFour);
        assert_eq!(first(Rule::Renju, "x..xx*..x"), Class::Three);
    }

    #[test]
    fn in_caro_a_four_can_be_stopped_from_its_far_end() {
        assert_eq!(first(Rule::Caro, "oxxx*.o"), Class::None);
        assert_eq!(first(Rule::Caro, "oxxx*.."), Class::Four);
        assert_eq!(first(Rule::Caro, ".xxx*."), Class::OpenFour);
        assert_eq!(first(Rule::Caro, "|xxx*."), Class::Four);
        // Six win also when closed, and a five at the edge is not closed.
        assert_eq!(first(Rule::Caro, "oxxx*xxo"), Class::Five);
        assert_eq!(first(Rule::CaroExact, "oxxx*xxo"), Class::None);
        assert_eq!(first(Rule::Caro, "|xxx*xo"), Class::Five);
        assert_eq!(first(Rule::Caro, "oxxx*xo"), Class::None);
    }
}
