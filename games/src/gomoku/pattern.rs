//! What a stone would make of a line: a class for every window of five cells to each side, derived
//! from the rule.
//!
//! It knows one line at a time. Other modules know what lines make together, and what renju
//! forbids.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use tengen_engine::Side;

use super::rule::{Content, Rule};

/// What a stone on an empty point makes of one line, for the side that puts it there. A higher
/// class wins sooner, but for the two that renju forbids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Class {
    /// Less than any other class.
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
    /// Two fours in one line, where that is forbidden.
    DoubleFour,
    /// More than five in a row, where that is forbidden.
    Overline,
    /// Five in a row: wins.
    Five,
}

impl Class {
    /// How many classes there are.
    pub const COUNT: usize = Self::Five as usize + 1;

    /// Every class, in their order.
    pub(super) const ALL: [Self; Self::COUNT] = [
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

    /// Returns the class before its last stone but one: an open four comes of an open three.
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

/// A class, and roughly in how many ways a line of it goes on, in four bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PatternShape(u8);

impl PatternShape {
    /// How many shapes there are.
    pub(super) const COUNT: usize = 16;

    /// For each shape, its class and the least number of stones that each make the next class of
    /// it. Without a class, every shape but [`Self::DEAD`]. A side that renju does not bind has at
    /// least two ways for a two, and for a three.
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

    /// Nothing can come of it.
    const DEAD: Self = Self(0);

    /// The pair of a line of which neither side can make anything.
    pub(super) const DEAD_PAIR: u8 = Self::DEAD.0 | Self::DEAD.0 << 4;

    fn of(class: Class, ways: usize) -> Self {
        let fits = |&(of, least): &(Class, usize)| of == class && ways >= least;
        Self(Self::ALL.iter().rposition(fits).unwrap_or_default() as u8)
    }

    /// Returns the half of a pair that is a side's own.
    #[inline]
    pub(super) const fn half(pair: u8, side: Side) -> Self {
        Self(pair >> (4 * side.index()) & 15)
    }

    #[inline]
    pub(super) const fn class(self) -> Class {
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

/// How many cells to each side of a point a window has.
pub(super) const ARM: usize = 5;

/// The ways in which the cells on one side of a point can be filled, with the edge after 0 to 5 of
/// them: 1 + 3 + 9 + .. + 243.
const ARMS: usize = 364;

type Cells = [Content; ARM];

/// One side of a point: its cells from the nearest on, in the order of their codes. Filling an
/// empty cell raises the place in this order.
struct Arms {
    cells: Vec<Cells>,
    /// By a code of two bits a cell, the nearest cell lowest.
    rising: Box<[u16; 1 << (2 * ARM)]>,
    /// By a code of two bits a cell, the nearest cell highest.
    falling: Box<[u16; 1 << (2 * ARM)]>,
}

impl Arms {
    fn new() -> Self {
        let mut arms = Self {
            cells: Vec::with_capacity(ARMS),
            rising: Box::new([0; 1 << (2 * ARM)]),
            falling: Box::new([0; 1 << (2 * ARM)]),
        };
        for code in 0..1_usize << (2 * ARM) {
            let cells: Cells = std::array::from_fn(|k| Content::ALL[code >> (2 * k) & 3]);
            let inside = cells.iter().take_while(|&&cell| cell != Content::Edge).count();
            let is_whole = cells[inside..].iter().all(|&cell| cell == Content::Edge);
            if is_whole {
                let place = arms.cells.len() as u16;
                arms.rising[code] = place;
                arms.falling[reversed(code)] = place;
                arms.cells.push(cells);
            }
        }
        debug_assert!(arms.cells.len() == ARMS);
        arms
    }

    /// Returns the arm with a stone on the empty cell `k` cells from the nearest.
    fn with(&self, arm: usize, k: usize, stone: Content) -> Option<usize> {
        let cells = &self.cells[arm];
        if cells[k] != Content::Empty {
            return None;
        }
        let code: usize = cells.iter().enumerate().map(|(i, &c)| (c as usize) << (2 * i)).sum();
        Some(usize::from(self.rising[code | (stone as usize) << (2 * k)]))
    }

    /// Returns, for every arm, the arms that one stone more makes.
    fn successors(&self, stone: Content) -> Vec<Vec<usize>> {
        let of = |arm| (0..ARM).filter_map(|k| self.with(arm, k, stone)).collect();
        (0..ARMS).map(of).collect()
    }
}

fn reversed(code: usize) -> usize {
    (0..ARM).map(|k| (code >> (2 * k) & 3) << (2 * (ARM - 1 - k))).sum()
}

/// The shapes of every window under one rule, for both sides.
// Many arms are equivalent: what comes after a stone of each side, for example, changes no shape.
// Equivalent arms share one row and one column, so that the table fits in the L1 cache.
pub(super) struct Patterns {
    /// The first index of a row, by the code of the arm behind the point.
    behind: Box<[u16; 1 << (2 * ARM)]>,
    /// The column, by the code of the arm ahead of the point.
    ahead: Box<[u16; 1 << (2 * ARM)]>,
    /// The first player's shape in the low four bits, the second player's in the high ones.
    pairs: Vec<u8>,
}

impl fmt::Debug for Patterns {
    /// Writes only the name: the table is too large to be shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patterns").finish_non_exhaustive()
    }
}

impl Patterns {
    /// Returns the table of a rule, made when it is first asked for.
    pub(super) fn of(rule: Rule) -> &'static Self {
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
        let start = |arm: u16| row_of[usize::from(arm)] * columns.len() as u16;
        let column = |arm: u16| column_of[usize::from(arm)];
        let windows = |&left: &usize| columns.iter().map(move |&right| left * ARMS + right);
        Self {
            behind: Box::new(std::array::from_fn(|code| start(arms.falling[code]))),
            ahead: Box::new(std::array::from_fn(|code| column(arms.rising[code]))),
            pairs: rows.iter().flat_map(windows).map(|window| pairs[window]).collect(),
        }
    }

    /// Returns the shapes of the point at bit `shift` of a line of two bits a cell, with at least
    /// [`ARM`] cells, edge included, to each side of it.
    #[inline]
    pub(super) fn at(&self, line: u64, shift: u32) -> u8 {
        const MASK: u64 = (1 << (2 * ARM)) - 1;
        let behind = (line >> (shift - 2 * ARM as u32) & MASK) as usize;
        let ahead = (line >> (shift + 2) & MASK) as usize;
        self.pairs[usize::from(self.behind[behind]) + usize::from(self.ahead[ahead])]
    }
}

/// Returns one arm of each class of equivalent arms, and the number of the class of every arm. Arms
/// are equivalent when `pair` is equal for them with every other arm.
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
/// have higher numbers: in falling order, what one stone more makes is known already.
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

    /// Returns how many stones there are that each make the next class of this one.
    fn ways(&self, left: usize, right: usize, class: Class) -> usize {
        let leads = |window: &usize| match class {
            Class::None => self.known[*window] != PatternShape::DEAD,
            _ => self.known[*window].class().before() == class,
        };
        Self::after(&self.own, left, right).filter(leads).count()
    }

    /// Returns the windows after one more stone, whose successors of each arm are given.
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
            return if self.wins_anyway(left, right) { Class::OpenFour } else { Class::Four };
        }
        // A row of four with two ends is one four; other points that make five are each of a four
        // of their own.
        match (fives, length) {
            (1, _) => Class::Four,
            (_, 4) => Class::OpenFour,
            _ => Class::DoubleFour,
        }
    }

    /// Returns whether some stone wins after each reply on this line.
    fn wins_anyway(&self, left: usize, right: usize) -> bool {
        let mut replies = Self::after(&self.opponent, left, right);
        replies.all(|window| matches!(self.known[window].class(), Class::Four | Class::OpenFour))
    }

    /// Returns the row through the point, and what stands beyond it. A row that fills an arm is
    /// longer than five, and what stands beyond does not matter.
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
    fn arms_are_numbered_so_that_a_stone_raises_the_number() {
        let arms = Arms::new();
        assert_eq!(arms.cells.len(), ARMS);
        for stone in [Content::First, Content::Second] {
            for (arm, after) in arms.successors(stone).into_iter().enumerate() {
                assert!(after.iter().all(|&next| next > arm));
            }
        }
    }

    #[test]
    fn the_usual_shapes_have_their_usual_names() {
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
    fn shapes_tell_in_how_many_ways_a_line_goes_on() {
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
    fn exactly_five_makes_nothing_of_six() {
        assert_eq!(first(Rule::Standard, "xxx*xx"), Class::None);
        assert_eq!(first(Rule::Standard, "x.xxx*.x"), Class::None);
        assert_eq!(first(Rule::Standard, "x.xxx*.."), Class::Four);
        assert_eq!(first(Rule::Standard, "x..xx*..x"), Class::Three);
        assert_eq!(first(Rule::Standard, "x..xx*..."), Class::OpenThree);
        assert_eq!(first(Rule::Freestyle, "x..xx*..x"), Class::OpenThree);
    }

    #[test]
    fn renju_binds_the_first_player_alone() {
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
        // Six win even when closed, and so does a five at the edge.
        assert_eq!(first(Rule::Caro, "oxxx*xxo"), Class::Five);
        assert_eq!(first(Rule::CaroExact, "oxxx*xxo"), Class::None);
        assert_eq!(first(Rule::Caro, "|xxx*xo"), Class::Five);
        assert_eq!(first(Rule::Caro, "oxxx*xo"), Class::None);
    }
}
