//! [`Chooser`]: the engine's decisions in an opening. It names the searches that it needs, and
//! decides by their scores.
//!
//! A chooser starts no search. Its caller asks for the next search ([`Chooser::choice`]), runs it and
//! gives the ranked moves back, until the chooser has decided.
//!
//! A stone before a swap goes where the scores are most even. A player swaps if the own colour is
//! worse. Where offers follow, a position counts what it is worth with the offers: the opponent
//! keeps the weakest one, so that N offers are worth the N-th best fifth.

use super::course::{Act, Course, Pending, PendingKind};
use super::rule::{OfferCount, OpeningStep, OtherWay};
use super::symmetry::distinct;
use super::{MoveRanking, RankedMove};
use crate::game::hash::mix64;
use crate::game::side::Side;
use crate::search::level::Strength;
use crate::search::limits::{Clock, Limits};
use crate::search::report::Answer;
use crate::text::coords::Point;
use crate::text::grid_notation::GridNotation;
use crate::text::typed_move::Move;

/// With another choice beside swap and stay, scores nearer to 0 than this are even, in centipawns.
const EVEN: i32 = 60;

/// Candidates that are less even than the best one by at most this many centipawns are as good. A
/// seed chooses among them.
const AS_EVEN: i32 = 60;

/// The maximum distance of a candidate from a stone, in steps.
const REACH: u32 = 3;

/// How many moves are searched further, before offers follow.
const FOLLOWED: usize = 4;

/// How many of the most even candidates are searched further.
const EVEN_FOLLOWED: usize = 6;

/// The error of a score for each level below full strength, in centipawns.
const ERROR_PER_LEVEL: i32 = 30;

/// A search that a decision needs.
#[derive(Clone, PartialEq, Debug)]
pub struct OpeningSearch {
    /// The stones of the position, in the order of play.
    pub stones: Vec<Point>,
    /// The moves to search; all if empty.
    pub moves: Vec<Point>,
    /// How many moves are ranked (MultiPV).
    pub lines: usize,
    /// The share of the limits of the decision, from 0 to 1.
    pub share: f64,
}

impl OpeningSearch {
    /// Returns the limits of this search, given those of the whole decision.
    pub fn limits(&self, whole: &Limits) -> Limits {
        let share = |time: std::time::Duration| time.mul_f64(self.share);
        let mut limits = whole.clone();
        limits.movetime = whole.movetime.map(share);
        limits.nodes = whole.nodes.map(|nodes| ((nodes as f64 * self.share) as u64).max(1));
        limits.clock = whole.clock.map(|clock| Clock {
            remaining: clock.remaining.map(|time| time.map(share)),
            increment: clock.increment.map(share),
            ..clock
        });
        limits
    }
}

/// What a [`Chooser`] needs or has decided.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// It needs the result of this search.
    Search(OpeningSearch),
    /// It has decided.
    Decided(Decision),
}

/// A decision: all that a player does until the other player decides or the opening is over.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Decision {
    /// The acts. Empty if a search failed or the opening is over.
    pub acts: Vec<Act>,
    /// The first move after the opening, if the player is to move and the decision found it.
    pub then: Option<Point>,
}

/// Decides for the player whose decision is pending.
#[derive(Clone, Debug)]
pub struct Chooser {
    course: Course,
    /// Levels below full strength.
    weakness: i32,
    seed: u64,
    /// The number of steps to decide; `None` for all until the other player decides.
    steps: Option<usize>,
    results: Vec<Searched>,
}

/// The result of a search.
#[derive(Clone, Debug)]
struct Searched {
    /// The best move.
    best: Option<RankedMove>,
    /// The ranked moves, best first.
    ranked: Vec<RankedMove>,
}

impl Chooser {
    /// Creates a chooser for the player of `course` who decides next. A player below full strength misjudges
    /// scores. With a seed other than 0, candidates that are nearly as even are chosen, too.
    pub fn new(course: Course, strength: &Strength) -> Self {
        let skill = strength.effective_skill();
        let weakness = i32::from(Strength::FULL) - i32::from(skill);
        let (seed, steps) = (strength.seed.into(), None);
        Self { course, weakness, seed, steps, results: Vec::new() }
    }

    /// Decides at most `steps` steps.
    #[must_use]
    pub fn with_steps(mut self, steps: usize) -> Self {
        self.steps = Some(steps);
        self
    }

    /// Returns the opening.
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// Returns the next search, or the decision.
    pub fn choice(&self) -> Choice {
        let mut thinking = Thinking::new(self);
        let decision = thinking.decide();
        match thinking.needed {
            Some(search) => Choice::Search(search),
            None => Choice::Decided(decision.unwrap_or_default()),
        }
    }

    /// Takes the result of the search that [`choice`](Self::choice) named.
    pub fn add_result(&mut self, ranking: &MoveRanking, answer: &Answer<Move>, grid: GridNotation) {
        let search = match self.choice() {
            Choice::Search(search) => search,
            Choice::Decided(_) => return,
        };
        let even = self.course.rule().even;
        let is_first = search.stones.len().is_multiple_of(2);
        let shift = if is_first { -even } else { even };
        let mut ranked = ranking.ranked(answer, grid, search.lines);
        for known in &mut ranked {
            known.shift = shift + self.error(known.point);
        }
        let best = answer.best.and_then(|best| grid.point_of(best));
        let best = ranked.iter().find(|ranked| Some(ranked.point) == best).cloned();
        ranked.sort_by_key(|ranked| std::cmp::Reverse(ranked.value()));
        self.results.push(Searched { best, ranked });
    }

    /// Returns the error of the score of a move: none at full strength.
    fn error(&self, point: Point) -> i32 {
        let key = u64::from(point.column) << 32 | u64::from(point.row);
        let most = self.weakness * ERROR_PER_LEVEL;
        let random = mix64(key ^ mix64(self.seed ^ (self.results.len() as u64) << 48));
        (random % (2 * most as u64 + 1)) as i32 - most
    }
}

/// A decision in the making. Without the result of a search it ends, and names the search.
struct Thinking<'a> {
    chooser: &'a Chooser,
    course: Course,
    used: usize,
    needed: Option<OpeningSearch>,
    /// The share of the limits that is left.
    left: f64,
    /// The share of the limits for the current step.
    step: f64,
    then: Option<Point>,
}

impl<'a> Thinking<'a> {
    fn new(chooser: &'a Chooser) -> Self {
        let course = chooser.course.clone();
        Self { chooser, course, used: 0, needed: None, left: 1.0, step: 1.0, then: None }
    }

    fn decide(&mut self) -> Option<Decision> {
        let player = self.course.pending()?.player;
        let before = self.course.acts().len();
        let mut steps = self.chooser.steps.unwrap_or(usize::MAX);
        while let Some(pending) = self.course.pending().filter(|next| next.player == player) {
            if steps == 0 {
                break;
            }
            steps -= 1;
            self.step = if steps > 0 && self.decides_twice() { self.left / 2.0 } else { self.left };
            self.then = None;
            let used = self.used;
            for act in self.acts(&pending)? {
                self.course.act(act).ok()?;
            }
            // A step with one allowed point needs no search and no share.
            if self.used > used {
                self.left -= self.step;
            }
        }
        let is_to_move =
            self.course.is_over() && self.course.player_of(self.course.turn()) == player;
        let then = self.then.filter(|_| is_to_move);
        Some(Decision { acts: self.course.acts()[before..].to_vec(), then })
    }

    /// Returns whether the player may have another decision after the next step.
    fn decides_twice(&self) -> bool {
        match (self.course.step(), self.course.later_steps().first()) {
            (_, Some(OpeningStep::Declare(..))) => true,
            // Without a swap the player places the next stone.
            (Some(OpeningStep::MaySwap(_)), Some(OpeningStep::Place(..))) => true,
            _ => false,
        }
    }

    /// Returns the result of the next search, best move first; `None` if it has not run yet.
    fn search(
        &mut self,
        stones: &[Point],
        moves: &[Point],
        lines: usize,
        share: f64,
    ) -> Option<&'a Searched> {
        if let Some(result) = self.chooser.results.get(self.used) {
            self.used += 1;
            return Some(result);
        }
        let share = share * self.step;
        let (stones, moves) = (stones.to_vec(), moves.to_vec());
        self.needed.get_or_insert(OpeningSearch { stones, moves, lines, share });
        None
    }

    fn acts(&mut self, pending: &Pending) -> Option<Vec<Act>> {
        match &pending.kind {
            PendingKind::Place { allowed, .. } => self.place(allowed),
            PendingKind::MaySwap { .. } => self.may_swap(),
            PendingKind::Declare { most } => self.offer_number(*most).map(|n| vec![Act::Number(n)]),
            PendingKind::Offer { count, offered, .. } => {
                let wanted = *count as usize - offered.len();
                let points = self.offers(*count as usize, 1.0)?;
                let (course, mut acts) = (self.course.clone(), Vec::new());
                add_offers(course, &points, wanted, &mut acts);
                Some(acts)
            }
            PendingKind::Keep { among } => {
                let stones = self.course.stones().to_vec();
                // Black would play the best of them. White keeps the worst: one without a rank, if a
                // short search has ranked only the best.
                let ranked = &self.search(&stones, among, among.len(), 1.0)?.ranked;
                let is_unranked =
                    |point: &&Point| ranked.iter().all(|known| known.point != **point);
                let unranked = among.iter().find(is_unranked).copied();
                let worst = ranked.iter().rev().map(|known| known.point);
                let kept = unranked.or_else(|| worst.into_iter().find(|at| among.contains(at)));
                Some(vec![Act::Point(kept?)])
            }
        }
    }

    /// Returns the placing of one stone, or of the usual first stones.
    fn place(&mut self, allowed: &[Point]) -> Option<Vec<Act>> {
        let one = |point| Some(vec![Act::Point(point)]);
        if let &[only] = allowed {
            return one(only);
        }
        let first_stones =
            self.course.rule().first_stones.filter(|_| self.course.stones().is_empty());
        if let Some(first_stones) = first_stones {
            let stones = first_stones(self.course.grid());
            return Some(stones.into_iter().map(Act::Point).collect());
        }
        let later = self.course.later_steps();
        match later.first() {
            Some(OpeningStep::MaySwap(_) | OpeningStep::Declare(..)) => {
                one(self.most_even(allowed)?)
            }
            Some(OpeningStep::Offer(count)) => {
                let count = self.course.offer_count(*count) as usize;
                let stones = self.course.stones().to_vec();
                let (best, _) = self.best_with_offers(&stones, count, 1.0)?;
                one(best)
            }
            // The same player places the next stone, too, so all choices are open still.
            Some(OpeningStep::Place(..)) if self.places_next_too() => {
                let points = distinct(self.course.stones(), allowed, self.course.grid());
                let chosen = mix64(self.chooser.seed) % points.len().max(1) as u64;
                one(*points.get(chosen as usize)?)
            }
            _ => {
                let stones = self.course.stones().to_vec();
                let is_free = allowed.len() + stones.len() == self.course.grid().cells();
                let searched = self.search(&stones, if is_free { &[] } else { allowed }, 1, 1.0)?;
                let best = searched.best.as_ref();
                let best = best.filter(|ranked| allowed.contains(&ranked.point));
                one(best.map_or(*allowed.first()?, |ranked| ranked.point))
            }
        }
    }

    fn places_next_too(&self) -> bool {
        let after = |mut course: Course| {
            let pending = course.pending()?;
            let point = *pending.points().first()?;
            course.act(Act::Point(point)).ok()?;
            Some(course.pending()?.player == pending.player)
        };
        after(self.course.clone()).unwrap_or(false)
    }

    /// Returns the candidates of `allowed`: near the stones, and no two of them equal.
    fn candidates(&self, stones: &[Point], allowed: &[Point]) -> Vec<Point> {
        let near = |point: &&Point| {
            let is_near = |stone: &Point| {
                stone.column.abs_diff(point.column) <= REACH
                    && stone.row.abs_diff(point.row) <= REACH
            };
            stones.is_empty() || stones.iter().any(is_near)
        };
        let close: Vec<Point> = allowed.iter().filter(near).copied().collect();
        distinct(stones, if close.is_empty() { allowed } else { &close }, self.course.grid())
    }

    /// Returns the point of `allowed` after which the game is most even.
    fn most_even(&mut self, allowed: &[Point]) -> Option<Point> {
        let stones = self.course.stones().to_vec();
        let points = self.candidates(&stones, allowed);
        let offers = offers_after_swap(self.course.later_steps())
            .map(|count| self.course.offer_count(count));
        let ranked = &self.search(&stones, &points, points.len(), 0.3)?.ranked;
        let mut even: Vec<(i32, Point)> =
            ranked.iter().map(|ranked| (ranked.value(), ranked.point)).collect();
        even.sort_by_key(|(value, _)| value.abs());
        even.truncate(EVEN_FOLLOWED);
        let share = 0.7 / even.len().max(1) as f64;
        for (value, point) in &mut even {
            let after = [&stones[..], &[*point]].concat();
            *value = match offers {
                Some(count) => self.best_with_offers(&after, count as usize, share)?.1,
                None => self.value_of(&after, share)?.unwrap_or(*value),
            };
        }
        even.sort_by_key(|(value, _)| value.abs());
        let Some(&(best, point)) = even.first() else { return points.first().copied() };
        if self.chooser.seed == 0 {
            return Some(point);
        }
        even.retain(|(value, _)| value.abs() <= best.abs() + AS_EVEN);
        let stones = self.course.stones().len() as u64;
        let chosen = mix64(self.chooser.seed ^ (stones << 32)) % even.len() as u64;
        Some(even[chosen as usize].1)
    }

    /// Returns what a position is worth for the side to move; `None` if its search finds no move.
    fn value_of(&mut self, stones: &[Point], share: f64) -> Option<Option<i32>> {
        let best = self.search(stones, &[], 1, share)?.best.as_ref();
        Some(best.map(RankedMove::value))
    }

    /// Returns White's best fourth stone if `count` fifths are offered after it, and what it is
    /// worth for Black.
    fn best_with_offers(
        &mut self,
        stones: &[Point],
        count: usize,
        share: f64,
    ) -> Option<(Point, i32)> {
        let followed = if share < 0.5 { 1 } else { FOLLOWED };
        let ranked = &self.search(stones, &[], followed, share * 0.4)?.ranked;
        let fourths: Vec<Point> = ranked.iter().take(followed).map(|ranked| ranked.point).collect();
        let share = share * 0.6 / fourths.len().max(1) as f64;
        let mut best = None;
        for fourth in fourths {
            let after = [stones, &[fourth]].concat();
            let value = self.worth_of_offers(&after, count, share)?;
            if best.is_none_or(|(_, known)| value < known) {
                best = Some((fourth, value));
            }
        }
        best
    }

    /// Returns the fifths in these four `stones`, the best one for Black first.
    fn fifths(&mut self, stones: &[Point], count: usize, share: f64) -> Option<&'a [RankedMove]> {
        let points = self.empty_points(stones);
        let mut near = self.candidates(stones, &points);
        if near.len() < count {
            near = distinct(stones, &points, self.course.grid());
        }
        Some(&self.search(stones, &near, count, share)?.ranked)
    }

    fn empty_points(&self, stones: &[Point]) -> Vec<Point> {
        let grid = self.course.grid();
        let points = grid.all().map(|cell| grid.point(cell));
        points.filter(|point| !stones.contains(point)).collect()
    }

    /// Returns what `count` offers are worth for Black: the value of the weakest one.
    fn worth_of_offers(&mut self, stones: &[Point], count: usize, share: f64) -> Option<i32> {
        let fifths = self.fifths(stones, count, share)?;
        let weakest = fifths.get(count - 1).or(fifths.last());
        Some(weakest.map_or(0, RankedMove::value))
    }

    /// Returns the points that Black offers, best first, and more points if they are too few.
    fn offers(&mut self, count: usize, share: f64) -> Option<Vec<Point>> {
        let stones = self.course.stones().to_vec();
        let ranked = self.fifths(&stones, count, share)?;
        let mut points: Vec<Point> = ranked.iter().map(|ranked| ranked.point).collect();
        let others = self.empty_points(&stones);
        points.extend(self.candidates(&stones, &others));
        points.extend(others);
        Some(points)
    }

    /// Returns the number of offers after which the game is most even.
    fn offer_number(&mut self, most: u32) -> Option<u32> {
        /// More offers than this are not considered.
        const CONSIDERED: u32 = 12;
        let lines = most.min(CONSIDERED) as usize;
        let mut stones = self.course.stones().to_vec();
        let mut share = 1.0;
        if self.course.turn() == Side::Second {
            // White's fourth stone comes before the offers.
            share = 0.6;
            stones.push(self.search(&stones, &[], 1, 0.4)?.best.as_ref()?.point);
        }
        let fifths = self.fifths(&stones, lines, share)?;
        let numbered = (1..).zip(fifths.iter().take(lines));
        let even = numbered.min_by_key(|(_, ranked)| ranked.value().abs());
        Some(even.map_or(1, |(number, _)| number))
    }

    fn may_swap(&mut self) -> Option<Vec<Act>> {
        let later = self.course.later_steps();
        let stones = self.course.stones().to_vec();
        match (self.course.step(), later) {
            (Some(OpeningStep::MaySwap(Some(way))), _) => self.swap_stay_or_other(way),
            (_, [OpeningStep::Place(..), OpeningStep::Offer(count), ..]) => {
                let count = self.course.offer_count(*count) as usize;
                let (_, worth) = self.best_with_offers(&stones, count, 1.0)?;
                // White is to move.
                Some(vec![swap_if(-worth)])
            }
            (_, [OpeningStep::Offer(count), ..]) => {
                let count = self.course.offer_count(*count) as usize;
                if self.worth_of_offers(&stones, count, 1.0)? < 0 {
                    return Some(vec![Act::Swap]);
                }
                if self.chooser.steps == Some(1) {
                    return Some(vec![Act::Stay]);
                }
                // The offers follow from the search that is done.
                self.used -= 1;
                let points = self.offers(count, 1.0)?;
                let (mut course, mut acts) = (self.course.clone(), vec![Act::Stay]);
                course.act(Act::Stay).ok()?;
                add_offers(course, &points, count, &mut acts);
                Some(acts)
            }
            _ => {
                let best = self.search(&stones, &[], 1, 1.0)?.best.as_ref()?;
                self.then = Some(best.point);
                Some(vec![swap_if(best.value())])
            }
        }
    }

    /// Chooses among swap, stay and another way: to place two more stones, or to offer fifths.
    fn swap_stay_or_other(&mut self, way: &'static OtherWay) -> Option<Vec<Act>> {
        let stones = self.course.stones().to_vec();
        if let Some(OpeningStep::Offer(count)) = way.steps.first() {
            let count = self.course.offer_count(*count) as usize;
            let fifths = self.fifths(&stones, count, 1.0)?;
            let value = |index: usize| fifths.get(index).map(RankedMove::value);
            if value(count - 1).is_none_or(|weakest| weakest < 0) {
                return Some(vec![swap_if(value(0).unwrap_or_default())]);
            }
            let points: Vec<Point> = fifths.iter().map(|ranked| ranked.point).collect();
            let (mut course, mut acts) = (self.course.clone(), vec![Act::Other]);
            course.act(Act::Other).ok()?;
            add_offers(course, &points, count, &mut acts);
            return Some(acts);
        }
        let searched = self.search(&stones, &[], self.course.grid().cells(), 1.0)?;
        let best = searched.best.as_ref()?;
        let even = searched.ranked.iter().min_by_key(|ranked| ranked.value().abs()).unwrap_or(best);
        let value = best.value();
        Some(match even.reply {
            _ if value <= -EVEN => vec![Act::Swap],
            Some(reply) if value < EVEN => {
                vec![Act::Other, Act::Point(even.point), Act::Point(reply)]
            }
            _ => {
                self.then = Some(best.point);
                vec![Act::Stay]
            }
        })
    }
}

/// Returns the choice of a player whose colour is worth `value`.
const fn swap_if(value: i32) -> Act {
    if value < 0 { Act::Swap } else { Act::Stay }
}

/// Returns the number of offers that follow a swap and a fourth stone.
fn offers_after_swap(later: &[OpeningStep]) -> Option<OfferCount> {
    match later {
        [OpeningStep::MaySwap(_), OpeningStep::Place(..), OpeningStep::Offer(count), ..] => {
            Some(*count)
        }
        _ => None,
    }
}

/// Adds offers of `points` to `acts` until there are `wanted` of them. Equal points are skipped.
fn add_offers(mut course: Course, points: &[Point], wanted: usize, acts: &mut Vec<Act>) {
    let mut done = 0;
    for &point in points {
        if done < wanted && course.act(Act::Point(point)).is_ok() {
            done += 1;
            acts.push(Act::Point(point));
        }
    }
}
