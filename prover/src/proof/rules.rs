//! Learns a rule for a position: a list of points with which the side reaches its aim to the end.
//!
//! It follows a rule until the rule fails, asks the solver where it went wrong, and learns a list that is
//! right in all such positions. `tengen_proofs::Item` is the same item in the format's words.
// CITE: R. Rivest, Learning Decision Lists, 1987: taking any item that is right wherever it applies finds
// a list if there is one.

use super::solver::Solver;
use super::stones::{BOARD, EVEN, Set, Stones, each, mirror, name, point};

/// A point to play, if the point `at` is as `owner` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Item {
    point: u64,
    /// 0 if there is no condition.
    at: u64,
    /// The index in [`SIGNS`].
    owner: u8,
}

/// The signs of the opponent, the side and nobody.
const SIGNS: [char; 3] = ['-', '+', '.'];

/// The sets that [`SIGNS`] stand for.
fn owners(stones: Stones) -> [u64; 3] {
    [stones.theirs(), stones.own, BOARD & !stones.all]
}

impl Item {
    fn applies(self, stones: Stones, safe: u64) -> bool {
        safe & self.point != 0
            && (self.at == 0 || owners(stones)[usize::from(self.owner)] & self.at != 0)
    }

    fn write(self) -> String {
        let point = name(self.point);
        if self.at == 0 {
            return point;
        }
        format!("{point}{}{}", SIGNS[usize::from(self.owner)], name(self.at))
    }

    fn read(word: &str) -> Option<Self> {
        for (owner, sign) in (0..).zip(SIGNS) {
            if let Some((to, at)) = word.split_once(sign) {
                return Some(Self { point: point(to)?, at: point(at)?, owner });
            }
        }
        Some(Self { point: point(word)?, at: 0, owner: 0 })
    }
}

/// A list of items, the most important first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Rule(Vec<Item>);

impl Rule {
    /// Returns the rule for the mirror image of `stones`. Without an item that counts, a rule prefers the
    /// columns from the left; in the image they come from the right, so the points are named.
    pub(super) fn mirror(&self, stones: Stones, wins: bool) -> Self {
        let image = |item: &Item| Item { point: mirror(item.point), at: mirror(item.at), ..*item };
        let mut turned = Self(self.0.iter().map(image).collect());
        if !turned.holds(stones.mirror(), wins) {
            let empty = BOARD & !stones.all;
            let rest = each(empty & EVEN).chain(each(empty & !EVEN));
            turned.0.extend(rest.map(|at| Item { point: mirror(at), at: 0, owner: 0 }));
        }
        turned
    }

    /// Writes the rule as a proof has it.
    pub(super) fn write(&self) -> String {
        self.0.iter().map(|item| item.write()).collect::<Vec<_>>().join(" ")
    }

    /// Reads what [`write`](Self::write) wrote.
    pub(super) fn read(text: &str) -> Option<Self> {
        text.split_whitespace().map(Item::read).collect::<Option<Vec<_>>>().map(Self)
    }

    fn choose(&self, stones: Stones, safe: u64) -> u64 {
        let listed = self.0.iter().find(|item| item.applies(stones, safe));
        let even = safe & EVEN;
        let rest = if even == 0 { safe } else { even };
        listed.map_or(rest & rest.wrapping_neg(), |item| item.point)
    }

    /// Returns whether the rule reaches the aim from `stones`, with the side to move.
    pub(super) fn holds(&self, stones: Stones, wins: bool) -> bool {
        let mut walk = Walk { rule: self, wins, most: usize::MAX, failures: 1, ..Walk::default() };
        walk.side(stones);
        walk.failed.is_empty()
    }
}

/// The limits of learning.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The positions of the side under one rule.
    pub(super) positions: usize,
    /// The positions from which a rule is learned.
    pub(super) lessons: usize,
}

/// A walk by a rule.
#[derive(Default)]
struct Walk<'a> {
    rule: &'a Rule,
    wins: bool,
    seen: Set,
    path: Vec<Stones>,
    /// The decisions on the way to each failure.
    failed: Vec<Vec<Stones>>,
    /// The largest number of positions.
    most: usize,
    /// The number of failures after which the walk ends.
    failures: usize,
}

impl Default for &Rule {
    fn default() -> Self {
        static NONE: Rule = Rule(Vec::new());
        &NONE
    }
}

impl Walk<'_> {
    /// Returns whether the walk goes on.
    fn side(&mut self, stones: Stones) -> bool {
        if stones.wins() != 0 {
            return true;
        }
        self.path.push(stones);
        let safe = stones.safe();
        let goes_on = match safe {
            0 => self.fail(),
            _ => self.replies(stones.play(self.rule.choose(stones, safe))),
        };
        self.path.pop();
        goes_on
    }

    fn replies(&mut self, stones: Stones) -> bool {
        if !self.seen.insert(stones.code()) {
            return true;
        }
        if self.seen.len() > self.most {
            return false;
        }
        if stones.is_full() {
            return !self.wins || self.fail();
        }
        each(stones.playable()).all(|reply| match stones.play(reply) {
            full if full.is_full() => !self.wins || self.fail(),
            next => self.side(next),
        })
    }

    fn fail(&mut self) -> bool {
        self.failed.push(self.path.clone());
        self.failed.len() < self.failures
    }
}

/// A position in which a rule was wrong, and the moves that are right.
#[derive(Clone, Copy)]
struct Lesson {
    stones: Stones,
    safe: u64,
    good: u64,
}

/// What was learned so far.
#[derive(Clone, Default)]
pub(super) struct Learner {
    lessons: Vec<Lesson>,
    pub(super) rule: Rule,
}

impl Learner {
    /// Learns until the rule holds in all `roots`. Returns whether it does.
    pub(super) fn learn(
        &mut self,
        roots: &[Stones],
        limits: Limits,
        solver: &mut Solver<'_>,
    ) -> bool {
        loop {
            let mut walk = Walk {
                rule: &self.rule,
                wins: solver.wins,
                most: limits.positions,
                failures: 4,
                ..Walk::default()
            };
            let is_whole = roots.iter().all(|root| walk.side(*root));
            let failed = walk.failed;
            if failed.is_empty() {
                return is_whole;
            }
            let known = self.lessons.len();
            failed.iter().for_each(|path| self.add_lesson(path, solver));
            if self.lessons.len() == known || self.lessons.len() > limits.lessons {
                return false;
            }
            let Some(rule) = self.list() else { return false };
            self.rule = rule;
        }
    }

    /// Adds the last position of a path in which the aim could still be reached.
    fn add_lesson(&mut self, path: &[Stones], solver: &mut Solver<'_>) {
        let is_good = |at: &&Stones| at.safe() != 0 && solver.is_reached_by_mover(**at);
        let Some(&stones) = path.iter().rev().find(is_good) else { return };
        if self.lessons.iter().any(|lesson| lesson.stones == stones) {
            return;
        }
        let safe = stones.safe();
        let good = solver.good_moves(stones);
        self.lessons.push(Lesson { stones, safe, good });
    }

    /// Returns a list that is right in all lessons; `None` if there is none.
    fn list(&self) -> Option<Rule> {
        let mut open: Vec<&Lesson> = self.lessons.iter().collect();
        let mut rule = Rule::default();
        let rest = Rule::default();
        let is_right = |it: &&Lesson| rest.choose(it.stones, it.safe) & it.good != 0;
        while !open.iter().all(is_right) {
            let item = best_item(&open)?;
            open.retain(|lesson| !item.applies(lesson.stones, lesson.safe));
            rule.0.push(item);
        }
        Some(rule)
    }
}

/// Returns the item that is right wherever it applies, and applies most often.
fn best_item(open: &[&Lesson]) -> Option<Item> {
    let points = open.iter().fold(0, |points, lesson| points | lesson.good);
    let mut best: Option<(usize, Item)> = None;
    let mut offer = |worth: usize, item: Item| {
        if worth > 3 && best.is_none_or(|(known, _)| worth > known) {
            best = Some((worth, item));
        }
    };
    for point in each(points) {
        let here: Vec<_> = open.iter().filter(|lesson| lesson.safe & point != 0).collect();
        if here.iter().all(|lesson| lesson.good & point != 0) {
            offer(4 * here.len() + 3, Item { point, at: 0, owner: 0 });
            continue;
        }
        let mut wrong = [0; 3];
        let mut counts = [[0; 64]; 3];
        for lesson in here {
            for (owner, set) in owners(lesson.stones).into_iter().enumerate() {
                match lesson.good & point {
                    0 => wrong[owner] |= set,
                    _ => each(set).for_each(|at| counts[owner][at.trailing_zeros() as usize] += 1),
                }
            }
        }
        for owner in 0..3 {
            for at in each(BOARD & !wrong[owner]) {
                let count = counts[owner][at.trailing_zeros() as usize];
                let worth = 4 * count + usize::from(owner == 0);
                offer(worth, Item { point, at, owner: owner as u8 });
            }
        }
    }
    Some(best?.1)
}
