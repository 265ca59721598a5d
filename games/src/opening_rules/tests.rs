//! Every rule against an independent checker: a walk through a table of codes that shares no code
//! with the rules and their machine.

use tengen_engine::opening::{Act, Course, OpeningRule};
use tengen_engine::{Grid, Point};

use super::{GENERAL, RENJU};

/// The steps of each rule. A step is an actor and a code. The actor is player 1 or 2, or the player
/// who is to move (`m`) or not to move (`n`). The code is a place (`1` to `9`: a square around the
/// centre, `o5`: outside of it, `*`: anywhere), `s` for a swap, `sA` for a swap or the way A, `d8` or
/// `d*` for a declared number, `f2` or `fN` for offers, `k` for the offer that is kept.
const TABLE: [(&str, &str); 11] = [
    ("free", ""),
    ("pro", "m1 m* mo5"),
    ("longpro", "m1 m* mo7"),
    ("swap", "1* 1* 1* ms"),
    ("swap2", "1* 1* 1* mstwo"),
    ("swap1", "1* ms"),
    ("rif", "11 13 15 ms m* mf2 nk"),
    ("yamaguchi", "11 13 15 1d* ms m* mfN nk"),
    ("tarannikov", "m1 ms m3 ms m5 ms m7 ms m9 ms"),
    ("taraguchi10", "m1 ms m3 ms m5 ms m7 msten m9 ms"),
    ("soosorv8", "11 13 15 ms m* nd8 ms mfN nk"),
];

/// The steps of the other ways, and whether the colours are exchanged first.
const WAYS: [(&str, bool, &str); 2] = [("two", true, "2* 2* ms"), ("ten", false, "mf10 nk")];

const SIDE: i32 = 15;
const CENTRE: i32 = 7;

type Xy = (i32, i32);

/// A walk through the table.
#[derive(Clone)]
struct Walk {
    steps: Vec<&'static str>,
    black: u32,
    stones: Vec<Xy>,
    offers: Vec<Xy>,
    number: usize,
}

fn words(text: &'static str) -> Vec<&'static str> {
    text.split_whitespace().rev().collect()
}

impl Walk {
    fn new(rule: &str) -> Self {
        let (_, steps) = TABLE.iter().find(|(name, _)| *name == rule).unwrap();
        Self { steps: words(steps), black: 1, stones: Vec::new(), offers: Vec::new(), number: 0 }
    }

    /// Returns the number of the player who acts, and the code; `None` at the end.
    fn next(&self) -> Option<(u32, &'static str)> {
        let (actor, code) = self.steps.last()?.split_at(1);
        let white = 3 - self.black;
        let is_black = self.stones.len().is_multiple_of(2);
        let to_move = if is_black { self.black } else { white };
        let player = match actor {
            "m" => to_move,
            "n" => 3 - to_move,
            player => player.parse().unwrap(),
        };
        Some((player, code))
    }

    /// Carries out an act; returns `false` if it is not allowed.
    fn act(&mut self, act: Act) -> bool {
        let Some((_, code)) = self.next() else { return false };
        let (kind, rest) = code.split_at(1);
        match (act, kind) {
            (Act::Swap, "s") => self.black = 3 - self.black,
            (Act::Stay, "s") => {}
            (Act::Other, "s") if !rest.is_empty() => {
                let (_, exchanges, steps) = WAYS.iter().find(|(name, ..)| *name == rest).unwrap();
                self.black = if *exchanges { 3 - self.black } else { self.black };
                self.steps = words(steps);
                return true;
            }
            (Act::Number(number), "d") => {
                // A quarter of the 221 points that are empty after four stones.
                let most = rest.parse().unwrap_or(55);
                if number < 1 || number > most {
                    return false;
                }
                self.number = number as usize;
            }
            (Act::Point(point), kind) => {
                let at = (point.column as i32, point.row as i32);
                if !self.point(at, kind, rest) {
                    return false;
                }
                if kind == "f" {
                    return true;
                }
            }
            _ => return false,
        }
        self.steps.pop();
        true
    }

    fn point(&mut self, at: Xy, kind: &str, rest: &str) -> bool {
        let is_on_board = (0..SIDE).contains(&at.0) && (0..SIDE).contains(&at.1);
        if !is_on_board || self.stones.contains(&at) {
            return false;
        }
        let steps_away = (at.0 - CENTRE).abs().max((at.1 - CENTRE).abs());
        let is_allowed = match kind {
            "*" => true,
            "o" => 2 * steps_away + 1 > rest.parse().unwrap(),
            "f" => return self.offer(at, rest),
            "k" => self.offers.contains(&at),
            square => square.parse().is_ok_and(|side: i32| 2 * steps_away < side),
        };
        if is_allowed {
            self.stones.push(at);
        }
        is_allowed
    }

    fn offer(&mut self, at: Xy, count: &str) -> bool {
        if self.offers.iter().any(|offer| is_equal(&self.stones, *offer, at)) {
            return false;
        }
        self.offers.push(at);
        let count = count.parse().unwrap_or(self.number);
        if self.offers.len() == count {
            self.steps.pop();
            if count == 1 {
                self.steps.pop();
                self.stones.push(at);
            }
        }
        true
    }
}

/// Returns whether two points are equal with these stones: there is a reflection or a half turn that
/// keeps the colours and moves one point to the other. Every mirror line is tried: `2x = c`, `2y = c`,
/// `x - y = c`, `x + y = c`, and every centre of a half turn.
fn is_equal(stones: &[Xy], one: Xy, other: Xy) -> bool {
    let keeps = |map: &dyn Fn(Xy) -> Xy| {
        let of = |colour: usize| stones.iter().skip(colour).step_by(2).copied();
        let keeps_colour = |colour| of(colour).all(|stone| of(colour).any(|it| it == map(stone)));
        map(one) == other && keeps_colour(0) && keeps_colour(1)
    };
    let lines = -SIDE..=2 * SIDE;
    let by_line = lines.clone().any(|c| {
        keeps(&|(x, y)| (c - x, y))
            || keeps(&|(x, y)| (x, c - y))
            || keeps(&|(x, y)| (y + c, x - c))
            || keeps(&|(x, y)| (c - y, c - x))
    });
    // A half turn that moves one point to the other is known by the two points.
    let (across, up) = (one.0 + other.0, one.1 + other.1);
    one == other || by_line || keeps(&|(x, y)| (across - x, up - y))
}

/// A small generator of random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Returns any act: mostly points near the centre, so that the small squares are hit.
    fn act(&mut self) -> Act {
        let mut at = |reach: u64| (CENTRE as u64 + self.below(2 * reach + 1)).saturating_sub(reach);
        let reach = [0, 1, 2, 3, 4, 8][at(2) as usize % 6];
        let point = Point { column: at(reach) as u32, row: at(reach) as u32 };
        match self.below(8) {
            0 => Act::Swap,
            1 => Act::Stay,
            2 => Act::Other,
            3 => Act::Number(self.below(60) as u32),
            _ => Act::Point(point),
        }
    }

    /// Returns an act that is allowed, or one that is not.
    fn act_that(&mut self, walk: &Walk, is_allowed: bool) -> Act {
        loop {
            let act = self.act();
            if walk.clone().act(act) == is_allowed {
                return act;
            }
        }
    }
}

fn grid() -> Grid {
    Grid::new(SIDE as u32, SIDE as u32).unwrap()
}

/// Plays `count` courses. In each one an act that is not allowed is tried at one step, if
/// `tries_illegal`.
fn play(rule: &'static OpeningRule, count: u64, tries_illegal: bool) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for number in 0..count {
        let (mut walk, mut course) = (Walk::new(rule.name), Course::new(rule, grid()));
        let wrong_at = random.below(12);
        for step in 0.. {
            let over = walk.next().is_none();
            if tries_illegal && (step == wrong_at || over) {
                let act = random.act_that(&walk, false);
                let before = course.clone();
                assert!(course.act(act).is_err(), "{} {}: {act:?}", rule.name, course.text());
                assert_eq!(course, before);
                assert_eq!(course.pending(), before.pending());
                break;
            }
            assert_eq!(course.is_over(), over, "{} {}", rule.name, course.text());
            let Some((player, _)) = walk.next() else { break };
            if number.is_multiple_of(50) {
                let pending = course.pending().unwrap();
                assert_eq!(pending.player as u32 + 1, player, "{} {}", rule.name, course.text());
                let is_allowed = |point: &Point| walk.clone().act(Act::Point(*point));
                let all: Vec<Point> = grid().all().map(|cell| grid().point(cell)).collect();
                let allowed: Vec<Point> = all.into_iter().filter(is_allowed).collect();
                let mut known = pending.points().to_vec();
                known.sort_by_key(|point| (point.row, point.column));
                assert_eq!(known, allowed, "{} {}", rule.name, course.text());
            }
            let act = random.act_that(&walk, true);
            let done = course.act(act);
            assert!(done.is_ok() && walk.act(act), "{} {}: {done:?}", rule.name, course.text());
        }
        let black = course.first_player() as u32 + 1;
        assert_eq!(black, walk.black, "{} {}", rule.name, course.text());
    }
}

const COURSES: u64 = 10_000;

#[test]
fn random_legal_courses_are_accepted() {
    GENERAL.iter().chain(&RENJU).for_each(|rule| play(rule, COURSES, false));
}

#[test]
fn a_step_that_is_not_allowed_is_refused_and_changes_nothing() {
    GENERAL.iter().chain(&RENJU).for_each(|rule| play(rule, COURSES, true));
}

#[test]
fn the_table_has_every_rule() {
    let names: Vec<&str> = GENERAL.iter().chain(&RENJU).map(|rule| rule.name).collect();
    assert_eq!(names, TABLE.map(|(name, _)| name));
}

/// Carries out acts; the error is the first refusal.
fn course(rule: &str, acts: &str) -> Result<Course, String> {
    let rule = GENERAL.iter().chain(&RENJU).find(|known| known.is_named(rule)).unwrap();
    let mut course = Course::new(rule, grid());
    for text in acts.split_whitespace() {
        let act = course.read(text).map_err(|why| why.to_string())?;
        course.act(act).map_err(|why| why.to_string())?;
    }
    Ok(course)
}

#[test]
fn equal_fifths_follow_the_stones_as_in_the_official_example() {
    let stones = "h8 h9 h7 stay h6";
    for equal in ["g7", "i8", "i7"] {
        let refused = course("rif", &format!("{stones} g8 {equal}")).unwrap_err();
        let why = "equal to the offer g8, because the stones are symmetric";
        assert_eq!(refused, format!("{equal}: {why}"));
    }
    assert!(course("rif", &format!("{stones} g8 g9 g9")).unwrap().is_over());
}

#[test]
fn a_refusal_quotes_the_act_and_says_what_is_allowed() {
    for (rule, acts, why) in [
        ("rif", "a1", "a1: not allowed for stone 1, which must be on the centre h8"),
        (
            "rif",
            "h8 h10",
            "h10: not allowed for stone 2, which must be in the 3x3 square around h8",
        ),
        (
            "pro",
            "h8 h9 j10",
            "j10: not allowed for stone 3, which must be outside the 5x5 square around h8",
        ),
        ("swap", "h8 h8", "h8: the point is taken"),
        ("swap", "z99", "z99: outside the board"),
        (
            "swap",
            "swap",
            "swap: not possible now; possible: place stone 1 (black) on any empty point",
        ),
        (
            "swap1",
            "h8 i9",
            "i9: not possible now; possible: swap (take the other colour) or stay (keep it)",
        ),
        ("swap1", "h8 stay i9", "i9: the opening is over"),
        ("yamaguchi", "h8 h9 i9 56", "56: the number of offers must be from 1 to 55"),
        ("soosorv8", "h8 h9 i9 stay a1 9", "9: the number of offers must be from 1 to 8"),
        ("rif", "h8 h9 i9 stay a1 b2 b2", "b2: the point is offered already"),
        ("rif", "h8 h9 i9 stay a1 b2 c3 d4", "d4: not offered; the offers are b2 c3"),
        (
            "swap",
            "maybe",
            "\"maybe\": not possible now; possible: place stone 1 (black) on any empty point",
        ),
    ] {
        assert_eq!(course(rule, acts).unwrap_err(), why);
    }
}

#[test]
fn players_keep_their_numbers_and_exchange_colours() {
    for (rule, acts, first) in [
        ("swap2", "h8 i9 g10 swap", 1),
        ("swap2", "h8 i9 g10 stay", 0),
        ("swap2", "h8 i9 g10 black", 1),
        ("swap2", "h8 i9 g10 two a1 b2 swap", 0),
        ("swap2", "h8 i9 g10 two a1 b2 white", 1),
        ("taraguchi10", "h8 swap h9 swap i9 stay i10 swap j10 stay", 1),
        ("soosorv8", "h8 h9 i9 swap a1 1 swap b2", 0),
    ] {
        let course = course(rule, acts).unwrap();
        assert!(course.is_over(), "{rule} {acts}");
        assert_eq!(course.first_player(), first, "{rule} {acts}");
        assert_eq!(course.undone().unwrap().acts().len(), course.acts().len() - 1);
    }
}
