//! [`OpeningRule`]: the steps of an opening, as data.

use std::fmt;

use crate::text::coords::{Grid, Point};

/// An opening rule: who decides what, step by step. Games define the rules; [`Course`] follows
/// them.
///
/// [`Course`]: crate::opening::Course
#[derive(Debug)]
pub struct OpeningRule {
    /// The name, such as `taraguchi10`.
    pub name: &'static str,
    /// Other names, without blanks and hyphens.
    pub aliases: &'static [&'static str],
    /// The name in text, such as `Taraguchi-10`.
    pub title: &'static str,
    /// What the players do, in one sentence.
    pub summary: &'static str,
    /// The steps.
    pub steps: &'static [OpeningStep],
    /// The board that the rule needs.
    pub board: BoardNeed,
    /// The score of the first player at which a game is even, in centipawns.
    pub even: i32,
    /// Returns the usual first stones of a player who places several; `None` if the rule or a
    /// search chooses them.
    pub first_stones: Option<fn(Grid) -> Vec<Point>>,
}

impl OpeningRule {
    /// Returns whether this is the rule called `name`. Case, blanks, hyphens and underscores are
    /// ignored.
    pub fn is_named(&self, name: &str) -> bool {
        let plain = name.to_lowercase().replace([' ', '-', '_'], "");
        self.name == plain || self.aliases.contains(&plain.as_str())
    }
}

/// The board that an opening rule needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardNeed {
    /// At least this many points.
    Points(usize),
    /// Sides of at least this length.
    Sides(u32),
    /// Odd sides of at least this length, so that there is a point in the centre.
    OddSides(u32),
}

impl BoardNeed {
    /// Returns whether a board is enough.
    pub const fn is_met(self, grid: Grid) -> bool {
        let (width, height) = (grid.width(), grid.height());
        match self {
            Self::Points(points) => grid.cells() >= points,
            Self::Sides(side) => width >= side && height >= side,
            Self::OddSides(side) => {
                width >= side && height >= side && width % 2 == 1 && height % 2 == 1
            }
        }
    }
}

/// Describes the board: `at least 9x9 with odd sides`.
impl fmt::Display for BoardNeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Points(points) => write!(f, "at least {points} points"),
            Self::Sides(side) => write!(f, "at least {side}x{side}"),
            Self::OddSides(side) => write!(f, "at least {side}x{side} with odd sides"),
        }
    }
}

/// A step of an opening.
///
/// "The player to move" is the player who holds the colour of the next stone. Players 0 and 1 keep
/// their numbers when they exchange colours. Player 0 begins with Black, the first side.
#[derive(Clone, Copy, Debug)]
pub enum OpeningStep {
    /// This player places the next stone.
    Place(Actor, Area),
    /// The player to move may take the other colour. Instead, the player may go the other way.
    MaySwap(Option<&'static OtherWay>),
    /// This player says how many fifth stones are offered: from 1 to this number. `None` stands
    /// for the largest number that every position allows.
    Declare(Actor, Option<u32>),
    /// The player to move offers points for the next stone, no two of them equal.
    Offer(OfferCount),
    /// The other player keeps one of the offered points. With one offer there is no choice.
    Keep,
}

/// Other steps that a player may choose instead of a swap.
#[derive(Debug)]
pub struct OtherWay {
    /// The word for this choice, such as `two`.
    pub word: &'static str,
    /// What the player does, in words: `places two more stones`.
    pub summary: &'static str,
    /// Whether the players exchange colours first.
    pub exchanges: bool,
    /// The steps, in place of all later ones.
    pub steps: &'static [OpeningStep],
}

/// Who takes a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Actor {
    /// The player to move.
    ToMove,
    /// The player who is not to move.
    NotToMove,
    /// The player with this number.
    Player(usize),
}

/// The number of offered points.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OfferCount {
    /// This number.
    Fixed(u32),
    /// The declared number.
    Declared,
}

/// The points where a stone may be placed, if they are empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Area {
    /// Every point.
    Board,
    /// The square of this odd side around the centre.
    Square(u32),
    /// Every point outside the square of this odd side around the centre.
    Outside(u32),
}

impl Area {
    /// Returns whether a point of the board is in the area.
    pub fn contains(self, point: Point, grid: Grid) -> bool {
        let centre = centre(grid);
        let distance = point.column.abs_diff(centre.column).max(point.row.abs_diff(centre.row));
        match self {
            Self::Board => true,
            Self::Square(side) => distance <= side / 2,
            Self::Outside(side) => distance > side / 2,
        }
    }

    /// Describes the area in words.
    pub(super) fn words(self, grid: Grid) -> String {
        let centre = centre(grid);
        match self {
            Self::Board => "on any empty point".to_owned(),
            Self::Square(1) => format!("on the centre {centre}"),
            Self::Square(side) => format!("in the {side}x{side} square around {centre}"),
            Self::Outside(side) => format!("outside the {side}x{side} square around {centre}"),
        }
    }
}

/// Returns the point in the centre of a board; with an even side, the point right of the centre or
/// above it.
pub fn centre(grid: Grid) -> Point {
    Point { column: grid.width() / 2, row: grid.height() / 2 }
}
