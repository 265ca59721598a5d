//! The commands and replies of clients that send stones one by one, while the engine keeps the game.
//! The engine is "we"; the client plays for the opponent.
//!
//! Cells are columns and rows; what a game calls them is told by [`Point::name`] alone.

use std::fmt;
use std::time::Duration;

use tengen_engine::score::Score;

/// A cell, wherever the board ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    /// The column, from the left and from 0.
    pub x: u32,
    /// The row, from the top and from 0.
    pub y: u32,
}

/// Whose stone it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// Ours.
    Own,
    /// The opponent's.
    Opponent,
    /// Nobody's: nobody may play there.
    Nobody,
}

/// A stone on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stone {
    /// Where.
    pub point: Point,
    /// Whose.
    pub owner: Owner,
}

/// A command of a client that sends single stones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameCommand {
    /// Begin another game on the empty board.
    Open {
        /// Columns and rows; the same board without.
        size: Option<(u32, u32)>,
        /// Whether what earlier searches found is to be kept.
        analyses: bool,
    },
    /// The board is empty: play first.
    Begin,
    /// The opponent plays here: reply.
    Turn(Point),
    /// We play here, without a search.
    Play(Point),
    /// Take this stone off the board.
    TakeBack(Point),
    /// These are the stones, in the order in which they were put; we are to move.
    SetUp {
        /// All of them.
        stones: Vec<Stone>,
        /// Whether to play.
        reply: bool,
    },
    /// Choose in the opening of these stones, black first: white is to move but on the empty
    /// board.
    Swap(Vec<Point>),
    /// Play, and tell so many of the best moves.
    BestMoves(usize),
    /// Play by these rules.
    Rule {
        /// The variant of the catalogue.
        variant: &'static str,
        /// Whether more stones than needed win too.
        overline: bool,
    },
    /// Search within this limit from now on.
    Limit(GameLimit),
    /// Evaluate the position with our stone here.
    Evaluate(Point),
    /// Do not play here.
    Block(Vec<Point>),
    /// These may be played again.
    Unblock(Vec<Point>),
    /// Every cell may be played again.
    UnblockAll,
    /// Do not play the last of these after the others.
    BlockPath(Vec<Point>),
    /// The last of these may be played after the others again.
    UnblockPath(Vec<Point>),
    /// Every sequence may be played again.
    UnblockPaths,
    /// Tell where the rules forbid the side to move to play.
    Forbidden,
    /// Tell how many threads and how large a table can be had.
    Capacity,
}

/// One limit of the searches to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameLimit {
    /// The time for each move; none at all is the least there is.
    Turn(Duration),
    /// The time for all moves of a game, where there is such a limit.
    Game(Option<Duration>),
    /// What is left of it, where there is such a limit.
    Left(Option<Duration>),
    /// What is added to it after each move.
    Increment(Duration),
    /// Plies.
    Depth(Option<u32>),
    /// Nodes.
    Nodes(Option<u64>),
    /// Bytes for all that the program holds.
    Memory(Option<u64>),
    /// KiB for the table.
    Table(u64),
}

/// A reply to a client that sends single stones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameReply {
    /// The command was carried out.
    Ok,
    /// A stone is put here without a search.
    Stone(Point),
    /// The choice in an opening.
    Swap(Swap),
    /// Where the rules forbid the side to move to play.
    Forbidden(Vec<Point>),
    /// The evaluation for us with our stone on a cell.
    Evaluated(Point, Score),
    /// What can be had.
    Capacity {
        /// Threads.
        threads: u64,
        /// Size of the table, in MiB.
        table_mib: u64,
    },
}

/// A choice in an opening.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Swap {
    /// Take the other side.
    Sides,
    /// Put these stones.
    Stones(Vec<Point>),
}

impl Point {
    /// The cell's name on a board of this many rows: files `a..` from the left, ranks `1..` from
    /// the bottom. Empty where there is no such cell.
    pub fn name(self, rows: u32) -> String {
        let file = u8::try_from(self.x).ok().filter(|&x| x < 26).map(|x| char::from(b'a' + x));
        match (file, rows.checked_sub(self.y)) {
            (Some(file), Some(rank)) => format!("{file}{rank}"),
            _ => String::new(),
        }
    }

    /// The cell of this name on a board of this many rows.
    pub fn named(name: &str, rows: u32) -> Option<Self> {
        let mut chars = name.chars();
        let file = chars.next().filter(char::is_ascii_lowercase)?;
        let rank = chars.as_str().parse().ok().filter(|&rank: &u32| rank > 0)?;
        Some(Self { x: u32::from(file) - u32::from('a'), y: rows.checked_sub(rank)? })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_from_the_top_and_ranks_from_the_bottom() {
        assert_eq!(Point { x: 7, y: 0 }.name(15), "h15");
        assert_eq!(Point { x: 0, y: 14 }.name(15), "a1");
        for y in 0..20 {
            for x in 0..20 {
                let point = Point { x, y };
                assert_eq!(Point::named(&point.name(20), 20), Some(point));
            }
        }
        for name in ["", "h", "8", "h16", "H8", "(none)", "hh", "h-1", "h0"] {
            assert_eq!(Point::named(name, 15), None, "{name}");
        }
    }
}
