//! The commands and replies of clients that send stones one by one, while the engine keeps the game.
//! The engine is "we"; the client plays for the opponent.
//!
//! Cells are columns and rows from the top left. [`Xy::on`] turns them into points of a grid.

use std::fmt;
use std::time::Duration;

use tengen_engine::opening::SwapDecision;
use tengen_engine::{Grid, Point, Score};

/// A cell as clients of this kind write it. It may lie outside the board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Xy {
    /// The column, from the left and from 0.
    pub x: u32,
    /// The row, from the top and from 0.
    pub y: u32,
}

/// The owner of a stone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Owner {
    /// The engine.
    #[default]
    Own,
    /// The opponent.
    Opponent,
    /// Nobody: no one may play there.
    Nobody,
}

impl Owner {
    /// Returns the other player; nobody's opponent is nobody.
    pub const fn other(self) -> Self {
        match self {
            Self::Own => Self::Opponent,
            Self::Opponent => Self::Own,
            Self::Nobody => Self::Nobody,
        }
    }
}

/// A stone on a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stone {
    /// The cell.
    pub at: Xy,
    /// The owner.
    pub owner: Owner,
}

/// A command of a client that sends single stones.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameCommand {
    /// Begin another game on the empty board.
    Open {
        /// Columns and rows; `None` keeps the size.
        size: Option<(u32, u32)>,
        /// Whether the table is kept, because the client analyses.
        analyses: bool,
    },
    /// The board is empty: play first.
    Begin,
    /// The opponent plays here: reply.
    Turn(Xy),
    /// We play here, without a search.
    Play(Xy),
    /// Take this stone off the board.
    TakeBack(Xy),
    /// These are the stones, in the order in which they were put; we are to move.
    SetUp {
        /// All stones.
        stones: Vec<Stone>,
        /// Whether the engine is to reply with a move.
        reply: bool,
    },
    /// Choose in the opening of these stones, black first: white is to move but on the empty
    /// board.
    Swap(Vec<Xy>),
    /// Play, and rank so many of the best moves.
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
    /// Search on so many threads; on all cores without a number.
    Threads(Option<u64>),
    /// Evaluate the position with our stone here.
    Evaluate(Xy),
    /// Do not play here.
    Block(Vec<Xy>),
    /// These may be played again.
    Unblock(Vec<Xy>),
    /// Every cell may be played again.
    UnblockAll,
    /// Do not play the last of these after the others.
    BlockPath(Vec<Xy>),
    /// The last of these may be played after the others again.
    UnblockPath(Vec<Xy>),
    /// Every sequence may be played again.
    UnblockPaths,
    /// List the points that the rules forbid to the side to move.
    Forbidden,
    /// Report how many threads and how large a table the machine has.
    Capacity,
}

/// One limit of the searches to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameLimit {
    /// The time for each move; 0 is the least time.
    Turn(Duration),
    /// The time for all moves of a game, if there is such a limit.
    Game(Option<Duration>),
    /// The time left, if there is such a limit.
    Left(Option<Duration>),
    /// The time added after each move.
    Increment(Duration),
    /// The depth in plies.
    Depth(Option<u32>),
    /// The number of nodes.
    Nodes(Option<u64>),
    /// Bytes for the whole program.
    Memory(Option<u64>),
    /// KiB for the table.
    Table(u64),
}

/// A reply to a client that sends single stones.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameReply {
    /// The command was carried out.
    Ok,
    /// A stone is put here without a search.
    Stone(Point),
    /// The choice in an opening.
    Swap(SwapDecision),
    /// The points that the rules forbid to the side to move.
    Forbidden(Vec<Point>),
    /// The evaluation for us with our stone on a cell.
    Evaluated(Point, Score),
    /// The capacity of the machine.
    Capacity {
        /// Threads.
        threads: u64,
        /// Size of the table, in MiB.
        table_mib: u64,
    },
}

impl Xy {
    /// Returns the point of the cell on a grid; `None` if the grid has no such cell.
    pub fn on(self, grid: Grid) -> Option<Point> {
        grid.point_from_top(self.x, self.y)
    }

    /// Returns the cell of a point of a grid.
    pub fn of(point: Point, grid: Grid) -> Self {
        let (x, y) = grid.from_top(point);
        Self { x, y }
    }
}

impl fmt::Display for Xy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}
