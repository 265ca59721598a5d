//! The commands and replies of a managed game: the client sends stones one by one and the engine
//! keeps the game. "We" are the engine; the client plays for the opponent.
//!
//! A cell is a column and a row from the top left. [`Xy::on`] converts it to a point of a grid.

use std::fmt;
use std::time::Duration;

use tengen_engine::opening::{Course, Decision};
use tengen_engine::{Grid, Point, Score};

/// A cell as the client writes it. It may lie outside the board.
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
    /// Nobody: a wall, on which neither player may play.
    Nobody,
}

impl Owner {
    /// Returns the other player; `Nobody` for `Nobody`.
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

/// A command of a managed game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameCommand {
    /// Begin a new game on the empty board.
    Open {
        /// Columns and rows; `None` keeps the current size.
        size: Option<(u32, u32)>,
        /// Whether the client analyses: then the transposition table is kept.
        analyses: bool,
    },
    /// Play the first move on the empty board.
    Begin,
    /// The opponent plays here; reply with a move.
    Turn(Xy),
    /// Play our stone here, without a search.
    Play(Xy),
    /// Take this stone off the board.
    TakeBack(Xy),
    /// Set up these stones, in the order of play. We are to move.
    SetUp {
        /// All stones.
        stones: Vec<Stone>,
        /// Whether to reply with a move.
        reply: bool,
    },
    /// Decide in an opening.
    Opening {
        /// The step, and the form of the reply.
        step: OpeningStep,
        /// The stones on the board, black first; `None` for those of the managed game.
        stones: Option<Vec<Xy>>,
    },
    /// Play a move, and report this number of best moves.
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
    /// Search with this number of threads; with one for each core when `None`.
    Threads(Option<u64>),
    /// Evaluate the position after our stone here.
    Evaluate(Xy),
    /// Never play on these cells.
    Block(Vec<Xy>),
    /// Allow these cells again.
    Unblock(Vec<Xy>),
    /// Allow every blocked cell again.
    UnblockAll,
    /// Never play the last cell of this path when the game is exactly the cells before it.
    BlockPath(Vec<Xy>),
    /// Allow this path again.
    UnblockPath(Vec<Xy>),
    /// Allow every blocked path again.
    UnblockPaths,
    /// List the points that the rules forbid to the side to move.
    Forbidden,
    /// Report the most threads and the largest table that can be set.
    Capacity,
}

/// A step of an opening in which the engine decides, with the form of its reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpeningStep {
    /// Swap2 in the words of Gomocup: the reply is `SWAP` or stones. White is to move, except on the
    /// empty board.
    Swap2Board,
    /// Step 1, 2 or 3 of Swap2 in the words of Yixin.
    YixinSwap2(u32),
    /// Step 1 to 6 of Soosorv-8 in the words of Yixin, with the number of offers in steps 4 and 5.
    YixinSoosorv(u32, u32),
}

/// The decision in an opening, with the form of the reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningReply {
    /// The step.
    pub step: OpeningStep,
    /// The opening before the decision.
    pub before: Course,
    /// The decision.
    pub decision: Decision,
}

/// A limit for all later searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameLimit {
    /// The time for each move; 0 for as fast as possible.
    Turn(Duration),
    /// The time for all moves of a game; `None` for no limit.
    Game(Option<Duration>),
    /// The time left; `None` for no limit.
    Left(Option<Duration>),
    /// The time added after each move.
    Increment(Duration),
    /// The depth in plies; `None` for no limit.
    Depth(Option<u32>),
    /// The number of nodes; `None` for no limit.
    Nodes(Option<u64>),
    /// Bytes for the whole program; `None` for no limit.
    Memory(Option<u64>),
    /// KiB for the transposition table.
    Table(u64),
}

/// A reply in a managed game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GameReply {
    /// The command was carried out.
    Ok,
    /// Our stone was put here without a search.
    Stone(Point),
    /// The decision in an opening.
    Opening(Box<OpeningReply>),
    /// The points that the rules forbid to the side to move.
    Forbidden(Vec<Point>),
    /// The evaluation for us after our stone on this point.
    Evaluated(Point, Score),
    /// The maximum values of the options.
    Capacity {
        /// The maximum number of search threads.
        threads: u64,
        /// The maximum table size, in MiB.
        table_mib: u64,
    },
}

impl Xy {
    /// Returns the point of the cell on `grid`; `None` if the cell is outside of it.
    pub fn on(self, grid: Grid) -> Option<Point> {
        grid.point_from_top(self.x, self.y)
    }

    /// Returns the cell of `point` on `grid`.
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
