//! What the protocol sees of a game: [`Backend`], object-safe, positions and moves as text.
//!
//! One virtual call per command; behind it everything is monomorphized. [`crate::host::Host`] is
//! the one implementation.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::control::Control;
use crate::evaluator::Term;
use crate::level::Strength;
use crate::limits::Limits;
use crate::notation::{NotationError, Style};
use crate::options::OptionSpec;
use crate::report::{Answer, Report};
use crate::score::Score;
use crate::side::{Outcome, Side};

/// What a backend tells after the call that caused it has returned.
#[derive(Clone, Debug)]
pub enum Event {
    /// A search goes on.
    Report(Report<String>),
    /// A search has ended: exactly one per [`Backend::go`].
    Answer(Answer<String>),
    /// A count has ended: exactly one per [`Backend::perft`].
    Perft(Perft),
    /// A bench has ended: exactly one per [`crate::bench::start`].
    Bench(BenchTotal),
    /// Everything posted before [`Backend::ready`] is done.
    Ready,
    /// Something a person should know, one line of text.
    Note(String),
}

/// Where a backend's events go: called from its threads, it must not block.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// The number of move sequences of a given length.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Perft {
    /// Each root move with the sequences that begin with it.
    pub divide: Vec<(String, u64)>,
    /// All of them.
    pub nodes: u64,
    /// Since the count was asked for.
    pub time: Duration,
    /// Whether the count ran to its end; when not, it was stopped and the numbers are only parts.
    pub complete: bool,
}

/// The sum over all bench positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BenchTotal {
    /// Nodes searched: the signature of the search.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
    /// Whether all positions were searched.
    pub complete: bool,
}

/// One search to start.
#[derive(Clone, Debug)]
pub struct Go {
    /// When to end.
    pub limits: Limits,
    /// Search only these moves; all when empty.
    pub search_moves: Vec<String>,
    /// When the client asked: time counts from here.
    pub received: Instant,
}

/// What every backend can be told, whatever its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Size of the transposition table in MiB, from 1.
    pub hash_mib: usize,
    /// Search threads, from 1.
    pub threads: usize,
    /// Lines to report, from 1.
    pub multi_pv: usize,
    /// Time lost between the client's clock and ours, per move.
    pub overhead: Duration,
    /// Whether the client will let us think on the opponent's time.
    pub ponder: bool,
    /// Whether an opening book may be asked.
    pub own_book: bool,
    /// How moves are written.
    pub style: Style,
    /// How strong to play.
    pub strength: Strength,
    /// Whether reports tell the chances that go with their scores.
    pub odds: bool,
    /// Budgets count so many nodes for a millisecond instead of the time; 0: they count the time.
    pub nodes_per_ms: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            hash_mib: 64,
            threads: 1,
            multi_pv: 1,
            overhead: Duration::from_millis(10),
            ponder: false,
            own_book: true,
            style: Style::Plain,
            strength: Strength::default(),
            odds: false,
            nodes_per_ms: 0,
        }
    }
}

/// A game as a client names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The variant's name, such as `cfour`.
    pub variant: String,
    /// The rules in force, such as `7x6 board, 4 in a row, stones fall`.
    pub rules: String,
}

/// A position as a person looks at it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// The board with coordinates, several lines.
    pub board: String,
    /// The position in text without stones in hand.
    pub plain: String,
    /// The position in text with stones in hand, where the game has such a form.
    pub pocket: String,
    /// The table's key.
    pub key: u64,
    /// Every legal move.
    pub legal: Vec<String>,
    /// Whose turn it is.
    pub turn: Side,
    /// How the game ended, if it did.
    pub outcome: Option<Outcome>,
}

/// Why a position was refused. The backend keeps the one it had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PositionError {
    /// The starting position is no position.
    Start(NotationError),
    /// The move in this place, from 1, cannot be played.
    Move(usize, NotationError),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(error) => error.fmt(f),
            Self::Move(index, error) => write!(f, "move {index} of the list: {error}"),
        }
    }
}

impl Error for PositionError {}

/// A game that can be set up, shown and searched.
///
/// Commands act on the current position; a search in progress keeps the position it started from.
pub trait Backend: Send {
    /// Which game this is.
    fn identity(&self) -> Identity;

    /// Applies `settings` to the searches that start from now on. A new table is allocated behind
    /// the scenes, after the work in progress; when that fails, `sink` gets a note and the old
    /// table stays.
    fn configure(&mut self, settings: &Settings, sink: Sink);

    /// Asks the book in `file` from now on, or the one that comes with the game. On an error nothing
    /// changes. Without effect where a game has no books.
    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>>;

    /// Back to the starting position with an empty table.
    fn new_game(&mut self);

    /// Forgets what earlier searches found.
    fn clear_hash(&mut self);

    /// Sets up `start` (the starting position when `None`) and plays `moves` on it. On an error
    /// nothing changes.
    fn set_position(&mut self, start: Option<&str>, moves: &[&str]) -> Result<(), PositionError>;

    /// Where the position at the start of `text` ends: the byte offset of the word `keyword` that
    /// begins a list of moves, else the end.
    fn position_end(&self, text: &str, keyword: &str) -> usize;

    /// Exchanges the players.
    fn flip(&mut self) -> Result<(), NotationError>;

    /// Whose turn it is.
    fn turn(&self) -> Side;

    /// How the game ended, if it did.
    fn outcome(&self) -> Option<Outcome>;

    /// An upper bound on the plies that can still be played; 0 when the game is over.
    fn plies_left(&self) -> u32;

    /// Whether a search that nothing ends early proves the value of every position: true or false
    /// of the whole game.
    fn is_exact(&self) -> bool;

    /// The current position for people.
    fn picture(&self) -> Picture;

    /// The evaluation and its parts, for the side to move; `None` when the game is over.
    fn explain(&self) -> Option<(Score, Vec<Term>)>;

    /// What else belongs beside the evaluation: lines about the position for people.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// Starts a search of the current position and returns at once. The sink gets reports, then one
    /// answer; of moves to search that are not legal, it gets a note first. The search before it
    /// must have answered.
    fn go(&mut self, go: Go, sink: Sink) -> Control;

    /// Starts counting move sequences of `depth` plies and returns at once.
    fn perft(&mut self, depth: u32, received: Instant, sink: Sink) -> Control;

    /// Whether all earlier commands are done. When not, `sink` gets [`Event::Ready`] once they are.
    fn ready(&mut self, sink: Sink) -> bool;
}

/// The values chosen for a catalogue's own options, by name as announced; checks are 0 or 1.
pub type Chosen = BTreeMap<&'static str, i64>;

/// A variant that a catalogue can open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    /// The name that clients use.
    pub name: &'static str,
    /// One line for people.
    pub summary: &'static str,
}

/// Why no backend was opened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpenError {
    /// No variant has this name.
    UnknownVariant(String),
    /// The options chosen do not make a game.
    Options(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVariant(name) => write!(f, "no variant \"{name}\""),
            Self::Options(why) => f.write_str(why),
        }
    }
}

impl Error for OpenError {}

/// A position of the bench.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BenchPosition {
    /// The variant to open.
    pub variant: &'static str,
    /// Its options, where they differ from the defaults.
    pub chosen: Chosen,
    /// The moves from the starting position, blank-separated.
    pub moves: &'static str,
    /// The depth searched unless another is asked for.
    pub depth: u32,
}

/// All the games there are, for whoever opens them by name.
pub trait Catalog: Send + Sync {
    /// Every variant, the first being the default.
    fn variants(&self) -> &[Variant];

    /// Options of the games themselves, beside those that every backend has.
    fn options(&self) -> Vec<OptionSpec>;

    /// Opens a variant. `name` folds case; options that it does not use are ignored, missing ones
    /// take their defaults.
    fn open(
        &self,
        name: &str,
        chosen: &Chosen,
        settings: &Settings,
        sink: Sink,
    ) -> Result<Box<dyn Backend>, OpenError>;

    /// The positions that make up the bench.
    fn bench(&self) -> Vec<BenchPosition>;
}
