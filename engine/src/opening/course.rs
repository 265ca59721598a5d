//! [`Course`]: an opening in progress. It says who decides what, and accepts or refuses each act.

use std::error::Error;
use std::fmt;

use super::rule::{Actor, Area, OfferCount, OpeningRule, OpeningStep, OtherWay};
use super::symmetry::equal_point;
use crate::game::side::Side;
use crate::text::coords::{Grid, Point};

/// What a player does in an opening.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Places a stone, offers a point, or keeps an offered point.
    Point(Point),
    /// Takes the other colour.
    Swap,
    /// Keeps the colour.
    Stay,
    /// Goes the other way of the rule.
    Other,
    /// Declares a number of offers.
    Number(u32),
}

/// The next decision of an opening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The player who decides: 0 or 1.
    pub player: usize,
    /// The colour that this player holds now.
    pub colour: Side,
    /// What is to be decided.
    pub kind: PendingKind,
}

/// What is to be decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PendingKind {
    /// Place a stone of this colour on one of these points.
    Place {
        /// The colour of the stone.
        stone: Side,
        /// The allowed points.
        allowed: Vec<Point>,
    },
    /// Take the other colour, or keep the own one, or go the other way.
    MaySwap {
        /// The word and the summary of the other way, if there is one.
        other: Option<(&'static str, &'static str)>,
    },
    /// Declare how many points are offered.
    Declare {
        /// The largest number.
        most: u32,
    },
    /// Offer a point for the next stone.
    Offer {
        /// The number of points to offer.
        count: u32,
        /// The points offered so far.
        offered: Vec<Point>,
        /// The allowed points.
        allowed: Vec<Point>,
    },
    /// Keep one of these points.
    Keep {
        /// The offered points.
        among: Vec<Point>,
    },
}

impl Pending {
    /// Returns the points that may be named now.
    pub fn points(&self) -> &[Point] {
        match &self.kind {
            PendingKind::Place { allowed, .. } | PendingKind::Offer { allowed, .. } => allowed,
            PendingKind::Keep { among } => among,
            PendingKind::MaySwap { .. } | PendingKind::Declare { .. } => &[],
        }
    }
}

/// Why an act is not allowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedAct(String);

impl fmt::Display for RefusedAct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for RefusedAct {}

/// An opening in progress.
#[derive(Clone, Debug)]
pub struct Course {
    rule: &'static OpeningRule,
    grid: Grid,
    acts: Vec<Act>,
    /// The steps of the way that was taken, and the index of the next one.
    steps: &'static [OpeningStep],
    next: usize,
    /// The player who holds Black, the first side.
    first: usize,
    stones: Vec<Point>,
    declared: u32,
    offered: Vec<Point>,
}

/// Two courses are equal if all was equal so far: the rule, the board and the acts.
impl PartialEq for Course {
    fn eq(&self, other: &Self) -> bool {
        self.rule.name == other.rule.name && self.grid == other.grid && self.acts == other.acts
    }
}

impl Eq for Course {}

impl Course {
    /// Begins an opening on an empty board.
    pub fn new(rule: &'static OpeningRule, grid: Grid) -> Self {
        Self {
            rule,
            grid,
            acts: Vec::new(),
            steps: rule.steps,
            next: 0,
            first: 0,
            stones: Vec::new(),
            declared: 1,
            offered: Vec::new(),
        }
    }

    /// Returns the rule.
    pub fn rule(&self) -> &'static OpeningRule {
        self.rule
    }

    /// Returns the board.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns what the players did so far.
    pub fn acts(&self) -> &[Act] {
        &self.acts
    }

    /// Returns the stones on the board, in the order of play. Offered points are no stones.
    pub fn stones(&self) -> &[Point] {
        &self.stones
    }

    /// Returns the player who holds Black, the first side, now.
    pub fn first_player(&self) -> usize {
        self.first
    }

    /// Returns the player who holds a colour now.
    pub fn player_of(&self, side: Side) -> usize {
        self.first ^ side.index()
    }

    /// Returns whether the opening is over. Then the game continues with the side to move.
    pub fn is_over(&self) -> bool {
        self.step().is_none()
    }

    /// Returns the number of fifth stones that are offered in this opening.
    pub(super) fn offer_count(&self, count: OfferCount) -> u32 {
        match count {
            OfferCount::Fixed(count) => count,
            OfferCount::Declared => self.declared,
        }
    }

    /// Returns the next step; `None` at the end.
    pub(super) fn step(&self) -> Option<OpeningStep> {
        self.steps.get(self.next).copied()
    }

    /// Returns the steps after the next one.
    pub(super) fn later_steps(&self) -> &'static [OpeningStep] {
        self.steps.get(self.next + 1..).unwrap_or_default()
    }

    /// Returns the colour of the next stone.
    pub fn turn(&self) -> Side {
        if self.stones.len().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn actor(&self, actor: Actor) -> usize {
        match actor {
            Actor::ToMove => self.player_of(self.turn()),
            Actor::NotToMove => self.player_of(self.turn().other()),
            Actor::Player(player) => player,
        }
    }

    /// Returns the next decision; `None` when the opening is over.
    pub fn pending(&self) -> Option<Pending> {
        let to_move = self.player_of(self.turn());
        let (player, kind) = match self.step()? {
            OpeningStep::Place(actor, area) => {
                let allowed = self.empty_points(|point| area.contains(point, self.grid));
                (self.actor(actor), PendingKind::Place { stone: self.turn(), allowed })
            }
            OpeningStep::MaySwap(other) => {
                let other = other.map(|way| (way.word, way.summary));
                (to_move, PendingKind::MaySwap { other })
            }
            OpeningStep::Declare(actor, most) => {
                (self.actor(actor), PendingKind::Declare { most: self.most_offers(most) })
            }
            OpeningStep::Offer(count) => {
                let is_new =
                    |point| equal_point(&self.stones, &self.offered, point, self.grid).is_none();
                let (count, offered) = (self.offer_count(count), self.offered.clone());
                let allowed = self.empty_points(is_new);
                (to_move, PendingKind::Offer { count, offered, allowed })
            }
            OpeningStep::Keep => (1 - to_move, PendingKind::Keep { among: self.offered.clone() }),
        };
        let colour = if player == self.first { Side::First } else { Side::Second };
        Some(Pending { player, colour, kind })
    }

    /// Returns the largest number of offers: `most`, or the number that every position allows. At
    /// most four points are equal to each other, so a quarter of the empty points are unequal.
    fn most_offers(&self, most: Option<u32>) -> u32 {
        const STONES: usize = 4;
        let unequal = (self.grid.cells().saturating_sub(STONES) / 4).max(1) as u32;
        most.map_or(unequal, |most| most.min(unequal))
    }

    fn empty_points(&self, is_wanted: impl Fn(Point) -> bool) -> Vec<Point> {
        let points = self.grid.all().map(|cell| self.grid.point(cell));
        points.filter(|point| !self.stones.contains(point) && is_wanted(*point)).collect()
    }

    /// Reads an act: a point, `swap`, `stay`, a number of offers, or the word of the other way. At
    /// a swap, the colours `black` and `white` mean the colour that the player takes.
    pub fn read(&self, text: &str) -> Result<Act, RefusedAct> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        let colour = |side: Side| match self.pending() {
            Some(pending) if pending.colour == side => Act::Stay,
            _ => Act::Swap,
        };
        let act = match lower.as_str() {
            "swap" => Some(Act::Swap),
            "stay" => Some(Act::Stay),
            "black" => Some(colour(Side::First)),
            "white" => Some(colour(Side::Second)),
            word if other_ways(self.rule.steps).any(|way| way.word == word) => Some(Act::Other),
            word => word.parse().map(Act::Number).or_else(|_| word.parse().map(Act::Point)).ok(),
        };
        act.ok_or_else(|| {
            let text = crate::text::quotable(text);
            RefusedAct(format!("\"{text}\": {}", self.not_now()))
        })
    }

    /// Writes an act.
    pub fn write(&self, act: Act) -> String {
        match act {
            Act::Point(point) => point.to_string(),
            Act::Swap => "swap".to_owned(),
            Act::Stay => "stay".to_owned(),
            Act::Other => other_ways(self.rule.steps).next().map_or("", |way| way.word).to_owned(),
            Act::Number(number) => number.to_string(),
        }
    }

    /// Returns all acts in words, separated by blanks.
    pub fn text(&self) -> String {
        let acts: Vec<String> = self.acts.iter().map(|act| self.write(*act)).collect();
        acts.join(" ")
    }

    /// Describes the next decision: what is to be done, and what is allowed.
    pub fn wanted(&self) -> String {
        let number = self.stones.len() + 1;
        let Some(step) = self.step() else { return "the opening is over".to_owned() };
        match step {
            OpeningStep::Place(_, area) => {
                let stone = colour_name(self.turn());
                format!("place stone {number} ({stone}) {}", area.words(self.grid))
            }
            OpeningStep::MaySwap(other) => {
                let other = other
                    .map_or(String::new(), |way| format!(", or {} ({})", way.word, way.summary));
                format!("swap (take the other colour) or stay (keep it){other}")
            }
            OpeningStep::Declare(_, most) => {
                let most = self.most_offers(most);
                format!("declare the number of fifth stones to offer: from 1 to {most}")
            }
            OpeningStep::Offer(count) => {
                let (done, all) = (self.offered.len() + 1, self.offer_count(count));
                format!(
                    "offer {done} of {all} for stone {number}: an empty point, not a mirror image of another offer"
                )
            }
            OpeningStep::Keep => format!("keep one offer: {}", names(&self.offered)),
        }
    }

    fn not_now(&self) -> String {
        format!("not possible now; possible: {}", self.wanted())
    }

    /// Returns the acts so far except the last one, as a course; `None` at the beginning.
    pub fn undone(&self) -> Option<Self> {
        let (_, acts) = self.acts.split_last()?;
        let mut course = Self::new(self.rule, self.grid);
        acts.iter().try_for_each(|act| course.act(*act)).ok()?;
        Some(course)
    }

    /// Carries out an act of the player whose decision is pending. If it is not allowed, nothing
    /// changes.
    pub fn act(&mut self, act: Act) -> Result<(), RefusedAct> {
        let Some(step) = self.step() else {
            return self.refuse(act, "the opening is over");
        };
        match (step, act) {
            (OpeningStep::Place(_, area), Act::Point(point)) => self.place(point, area)?,
            (OpeningStep::MaySwap(_), Act::Swap) => self.swap(),
            (OpeningStep::MaySwap(_), Act::Stay) => self.next += 1,
            (OpeningStep::MaySwap(Some(way)), Act::Other) => self.enter(way),
            (OpeningStep::Declare(_, most), Act::Number(number)) => self.declare(number, most)?,
            (OpeningStep::Offer(count), Act::Point(point)) => self.offer(point, count)?,
            (OpeningStep::Keep, Act::Point(point)) => self.keep(point)?,
            _ => return self.refuse(act, &self.not_now()),
        }
        self.acts.push(act);
        Ok(())
    }

    fn refuse(&self, act: Act, why: &str) -> Result<(), RefusedAct> {
        Err(RefusedAct(format!("{}: {why}", self.write(act))))
    }

    /// Refuses a point that is not on the board or taken.
    fn check_empty(&self, point: Point) -> Result<(), RefusedAct> {
        let outside = self.grid.cell_at(point).is_none();
        let why = match self.stones.contains(&point) {
            _ if outside => "outside the board",
            true => "the point is taken",
            false => return Ok(()),
        };
        self.refuse(Act::Point(point), why)
    }

    fn place(&mut self, point: Point, area: Area) -> Result<(), RefusedAct> {
        self.check_empty(point)?;
        if !area.contains(point, self.grid) {
            let (number, area) = (self.stones.len() + 1, area.words(self.grid));
            let why = format!("not allowed for stone {number}, which must be {area}");
            return self.refuse(Act::Point(point), &why);
        }
        self.stones.push(point);
        self.next += 1;
        Ok(())
    }

    fn swap(&mut self) {
        self.first = 1 - self.first;
        self.next += 1;
    }

    fn enter(&mut self, way: &'static OtherWay) {
        if way.exchanges {
            self.first = 1 - self.first;
        }
        (self.steps, self.next) = (way.steps, 0);
    }

    fn declare(&mut self, number: u32, most: Option<u32>) -> Result<(), RefusedAct> {
        let most = self.most_offers(most);
        if !(1..=most).contains(&number) {
            let why = format!("the number of offers must be from 1 to {most}");
            return self.refuse(Act::Number(number), &why);
        }
        self.declared = number;
        self.next += 1;
        Ok(())
    }

    fn offer(&mut self, point: Point, count: OfferCount) -> Result<(), RefusedAct> {
        self.check_empty(point)?;
        match equal_point(&self.stones, &self.offered, point, self.grid) {
            Some(known) if known == point => {
                return self.refuse(Act::Point(point), "the point is offered already");
            }
            Some(known) => {
                let why = format!("equal to the offer {known}, because the stones are symmetric");
                return self.refuse(Act::Point(point), &why);
            }
            None => self.offered.push(point),
        }
        let count = self.offer_count(count);
        if self.offered.len() < count as usize {
            return Ok(());
        }
        self.next += 1;
        if count == 1 {
            // There is nothing to choose.
            self.stones.push(point);
            self.next += 1;
        }
        Ok(())
    }

    fn keep(&mut self, point: Point) -> Result<(), RefusedAct> {
        if !self.offered.contains(&point) {
            let why = format!("not offered; the offers are {}", names(&self.offered));
            return self.refuse(Act::Point(point), &why);
        }
        self.stones.push(point);
        self.next += 1;
        Ok(())
    }
}

/// Returns the other ways of some steps.
fn other_ways(steps: &'static [OpeningStep]) -> impl Iterator<Item = &'static OtherWay> {
    steps.iter().filter_map(|step| match step {
        OpeningStep::MaySwap(other) => *other,
        _ => None,
    })
}

fn names(points: &[Point]) -> String {
    let names: Vec<String> = points.iter().map(ToString::to_string).collect();
    names.join(" ")
}

/// Returns the name of a colour.
const fn colour_name(side: Side) -> &'static str {
    match side {
        Side::First => "black",
        Side::Second => "white",
    }
}
