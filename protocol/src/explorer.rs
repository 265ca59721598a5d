//! [`Explorer`]: games and positions that clients look up. The program implements it; this crate knows
//! no database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tengen_engine::{GameSpec, Move, Position, Style};

use crate::dialect::json::Problem;
use crate::dialect::json::shelf::{
    ChangeInfo, Changed, CommentFields, EditTreeFields, Explored, GameFilter, GameHeaders, GameList,
};

/// The longest time of a lookup.
pub const LOOKUP_TIME: Duration = Duration::from_millis(200);

/// Games and positions that clients look up.
pub trait Explorer: Send + Sync {
    /// Looks up what a client asks. Several threads call this at the same time. When `limit` is over, the
    /// answer is [`Code::Interrupted`](crate::dialect::json::Code::Interrupted).
    fn look_up(&self, query: &LookupQuery, limit: &LookupLimit) -> Result<LookupResult, Problem>;

    /// Returns whether clients may change what they look up.
    fn is_editable(&self) -> bool {
        false
    }
}

/// The explorer of a program, or why it has none.
pub type OptionalExplorer = Result<&'static dyn Explorer, &'static str>;

/// Why a program that can have a shelf has none.
pub const NO_SHELF: &str = "no shelf is open: start the program with --shelf FILE";

/// What a client looks up.
pub enum LookupQuery {
    /// What was played in a position.
    Explore {
        /// The position.
        position: LookupPosition,
        /// The games that count.
        filter: GameFilter,
        /// The games that are listed.
        page: PageRange,
    },
    /// Which games there are.
    Find {
        /// The position that they reached; `None` for any.
        position: Option<LookupPosition>,
        /// The board on which they were played; `None` for any.
        board: Option<GameSpec>,
        /// The games that count.
        filter: GameFilter,
        /// The pattern that they show; `None` for any.
        pattern: Option<String>,
        /// The games that are listed.
        page: PageRange,
    },
    /// The whole game with this number, as SGF.
    ReadGame(i64),
    /// The last changes, at most so many.
    Changes(usize),
    /// A change. It has no limit of time, and is made wholly or not at all.
    Change {
        /// The number of the last change that the client has seen; `None` makes the change in any case.
        last_change: Option<i64>,
        /// The change.
        change: ShelfChange,
    },
}

/// What a client changes.
pub enum ShelfChange {
    /// Sets headers of games, by their names.
    EditGames {
        /// The numbers of the games.
        games: Vec<i64>,
        /// The headers. An empty text removes one.
        headers: GameHeaders,
    },
    /// Removes the games with these numbers.
    DeleteGames(Vec<i64>),
    /// Adds a comment about a position.
    Comment(LookupPosition, CommentFields),
    /// Changes the comment with this number.
    ChangeComment(i64, CommentFields),
    /// Changes trees of variations at a position.
    EditTree(LookupPosition, EditTreeFields),
    /// Takes the last change back, if it has this number.
    Undo(Option<i64>),
    /// Makes the change again that was taken back last.
    Redo,
}

/// A position, and the moves that led to it.
pub struct LookupPosition {
    /// The position before the moves.
    pub start: Box<dyn Position>,
    /// The moves. All are legal.
    pub moves: Vec<Move>,
    /// How moves are written in the answer.
    pub style: Style,
}

/// The games of a list that are sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageRange {
    /// How many are skipped.
    pub offset: usize,
    /// The most that are sent.
    pub limit: usize,
}

/// What a lookup found.
#[derive(Debug)]
pub enum LookupResult {
    /// What was played in a position.
    Position(Box<Explored>),
    /// Games.
    Games(GameList),
    /// A game as SGF.
    Record(Vec<u8>),
    /// What was changed.
    Changed(Changed),
    /// The last changes.
    Changes(Vec<ChangeInfo>),
    /// All lines have been sent.
    Sent,
}

/// When a lookup ends early: when its time is over, or when its client has cancelled it.
#[derive(Clone, Debug)]
pub struct LookupLimit {
    until: Instant,
    signal: Arc<LookupSignal>,
}

impl LookupLimit {
    /// Creates the limit of a lookup that starts now.
    pub(crate) fn start(signal: Arc<LookupSignal>) -> Self {
        Self { until: Instant::now() + LOOKUP_TIME, signal }
    }

    /// Returns whether the lookup must end.
    pub fn is_over(&self) -> bool {
        self.signal.is_cancelled() || Instant::now() >= self.until
    }
}

/// What a session tells a lookup that runs: to end early, or to send its next lines.
#[derive(Default, Debug)]
pub struct LookupSignal {
    is_cancelled: AtomicBool,
    /// Whether lines were sent that nobody has taken yet.
    is_full: Mutex<bool>,
    emptied: Condvar,
}

impl LookupSignal {
    /// Ends the lookup early.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Relaxed);
        self.let_send();
    }

    /// Lets the lookup send its next lines.
    pub fn let_send(&self) {
        *self.is_full.lock() = false;
        self.emptied.notify_all();
    }

    /// Returns whether the lookup must end.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Relaxed)
    }

    /// Waits until the lines before were taken or the lookup is cancelled, and sends the next ones.
    pub(crate) fn wait_to_send(&self) {
        let mut is_full = self.is_full.lock();
        self.emptied.wait_while(&mut is_full, |is_full| *is_full && !self.is_cancelled());
        *is_full = true;
    }
}
