//! The interface to a game: [`Catalog`] lists the games, [`Backend`] searches one of them. Both are
//! object-safe; moves cross the border typed.
//!
//! There is one virtual call per command; behind it everything is monomorphized.
//! [`crate::host::Host`] is the one implementation of [`Backend`].

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::control::Control;
use crate::evaluator::Term;
use crate::level::Strength;
use crate::limits::Limits;
use crate::opening::SwapOpening;
use crate::options::OptionSpec;
use crate::position::Position;
use crate::report::{Answer, Report};
use crate::score::Score;
use crate::spec::{Chosen, GameSpec, Variant};
use crate::table::TableHandle;
use crate::typed_move::Move;

/// An event that a backend reports. It may arrive before the call that caused it has returned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A report of a search that goes on.
    Report(Report<Move>),
    /// A search has ended: exactly one per [`Backend::go`].
    Answer(Answer<Move>),
    /// A count has ended: exactly one per [`Backend::perft`].
    Perft(Perft),
    /// A bench has ended: exactly one per [`crate::bench::start`].
    Bench(BenchTotal),
    /// Everything posted before [`Backend::ready`] is done.
    Ready,
    /// Something a person should know, one line of text.
    Note(String),
}

/// The receiver of a backend's events. The backend's threads call it, and it must not block.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// The number of move sequences of a given length.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Perft {
    /// Each root move with the sequences that begin with it.
    pub divide: Vec<(Move, u64)>,
    /// The number of all sequences.
    pub nodes: u64,
    /// The time since the count was asked for.
    pub time: Duration,
    /// Whether the count ran to its end; when not, it was stopped and the numbers are only parts.
    pub complete: bool,
}

/// The sum over all bench positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct BenchTotal {
    /// Nodes searched: the signature of the search.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
    /// Whether all positions were searched.
    pub complete: bool,
}

/// The request to start a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Go {
    /// When to end.
    pub limits: Limits,
    /// Search only these moves; all when empty. Moves that are not legal are left out.
    pub search_moves: Vec<Move>,
    /// When the client asked: time counts from here.
    pub received: Instant,
}

impl Go {
    /// Returns a search of all moves under `limits`, asked for at `received`.
    pub fn new(limits: Limits, received: Instant) -> Self {
        Self { limits, search_moves: Vec::new(), received }
    }
}

/// The settings that every backend has, whatever its game.
///
/// ```
/// use tengen_engine::Settings;
///
/// let settings = Settings::default().with_hash_mib(256).with_threads(2);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// Size of the transposition table in MiB, from 1.
    pub hash_mib: usize,
    /// Search threads, from 1.
    pub threads: usize,
    /// Lines to report, from 1.
    pub multi_pv: usize,
    /// Time lost per move between the client's clock and ours.
    pub overhead: Duration,
    /// Whether the client lets the engine ponder.
    pub ponder: bool,
    /// Whether an opening book may be asked.
    pub own_book: bool,
    /// How strong to play.
    pub strength: Strength,
    /// Nodes per millisecond that replace the clock (Stockfish's `nodestime`); 0 uses the clock.
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
            strength: Strength::default(),
            nodes_per_ms: 0,
        }
    }
}

impl Settings {
    /// Sets the size of the transposition table.
    #[must_use]
    pub fn with_hash_mib(mut self, mib: usize) -> Self {
        self.hash_mib = mib;
        self
    }

    /// Sets the number of search threads.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets how many lines are reported.
    #[must_use]
    pub fn with_multi_pv(mut self, lines: usize) -> Self {
        self.multi_pv = lines;
        self
    }

    /// Sets the time lost between the client's clock and ours, per move.
    #[must_use]
    pub fn with_overhead(mut self, overhead: Duration) -> Self {
        self.overhead = overhead;
        self
    }

    /// Sets whether the client lets the engine ponder.
    #[must_use]
    pub fn with_ponder(mut self, ponder: bool) -> Self {
        self.ponder = ponder;
        self
    }

    /// Sets whether an opening book may be asked.
    #[must_use]
    pub fn with_own_book(mut self, own_book: bool) -> Self {
        self.own_book = own_book;
        self
    }

    /// Sets how strong to play.
    #[must_use]
    pub fn with_strength(mut self, strength: Strength) -> Self {
        self.strength = strength;
        self
    }

    /// Replaces the clock by a count of nodes per millisecond; 0 uses the clock.
    #[must_use]
    pub fn with_nodes_per_ms(mut self, nodes: u32) -> Self {
        self.nodes_per_ms = nodes;
        self
    }
}

/// The search of one game. The position to search comes with each command; a search in progress
/// keeps the position that it was given.
pub trait Backend: Send {
    /// Returns which game it searches.
    fn spec(&self) -> &GameSpec;

    /// Applies `settings` to the searches that start from now on. A new table is allocated behind
    /// the scenes, after the work in progress. When that fails, `sink` gets a note and the old
    /// table stays.
    fn configure(&mut self, settings: &Settings, sink: Sink);

    /// Uses the book in `file` from now on, or with `None` the book that comes with the game. On an
    /// error nothing changes. It has no effect where a game has no books.
    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>>;

    /// Uses the evaluation file `file` from now on, or with `None` the weights that come with the
    /// program, and clears the table. On an error nothing changes. It has no effect where a game has
    /// no evaluation files.
    fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>>;

    /// Returns which weights the evaluation uses, for people: where they come from and their
    /// checksum. `None` where a game has no evaluation files.
    fn eval_source(&self) -> Option<String>;

    /// Replaces the table, after the work in progress. [`Self::configure`] is to be called next: it
    /// gives the table its size. The caller clears a table that another game has used.
    fn use_table(&mut self, table: TableHandle);

    /// Clears the transposition table.
    fn clear_hash(&mut self);

    /// Returns the static evaluation of a position and its parts, for the side to move; `None` when
    /// the game is over.
    fn evaluate(&self, position: &dyn Position) -> Option<(Score, Vec<Term>)>;

    /// Starts a search of `position` and returns at once. The sink gets reports, then one answer.
    /// The search before it must have answered.
    fn go(&mut self, position: &dyn Position, go: Go, sink: Sink) -> Control;

    /// Starts counting move sequences of `depth` plies and returns at once.
    fn perft(
        &mut self,
        position: &dyn Position,
        depth: u32,
        received: Instant,
        sink: Sink,
    ) -> Control;

    /// Returns whether all earlier commands are done. When not, `sink` gets [`Event::Ready`] once
    /// they are.
    fn ready(&mut self, sink: Sink) -> bool;
}

/// The error of a catalogue that has no such game.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// No variant has this name.
    UnknownVariant(String),
    /// A number that was chosen for an option is out of range.
    Range {
        /// The option as announced.
        option: &'static str,
        /// What was chosen.
        value: i64,
        /// The least that can be chosen.
        least: i64,
        /// The most that can be chosen.
        most: i64,
        /// Whether 0 can be chosen too, for what is usual.
        or_usual: bool,
    },
    /// The options chosen do not make a game.
    Options(String),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownVariant(name) => write!(f, "no variant \"{name}\""),
            Self::Range { option, value, least, most, or_usual } => {
                let usual = if *or_usual { ", or 0 for the usual size" } else { "" };
                write!(f, "{option} {value}: it must be from {least} to {most}{usual}")
            }
            Self::Options(why) => f.write_str(why),
        }
    }
}

impl Error for OpenError {}

/// A position of the bench.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
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

impl BenchPosition {
    /// Returns the position of `variant` after these moves, searched to `depth`.
    pub fn new(variant: &'static str, moves: &'static str, depth: u32) -> Self {
        Self { variant, chosen: Chosen::new(), moves, depth }
    }

    /// Sets options that differ from the defaults.
    #[must_use]
    pub fn with_chosen(mut self, chosen: Chosen) -> Self {
        self.chosen = chosen;
        self
    }
}

/// A list of games that can be opened by name. It gives three handles: a
/// [`GameSpec`], which is data; a [`Position`], which knows the rules; a [`Backend`], which searches.
pub trait Catalog: Send + Sync {
    /// Returns every variant, the first being the default.
    fn variants(&self) -> &[Variant];

    /// Returns the variant of this name or alias, in any case.
    fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants().iter().find(|variant| variant.is_named(name))
    }

    /// Returns the variant that game records mean by rules of this name, and the options that they ask for.
    fn rules_named(&self, name: &str) -> Option<(&Variant, Chosen)> {
        self.variants().iter().find_map(|variant| Some((variant, variant.rules_named(name)?)))
    }

    /// Options of the games themselves, beside those that every backend has.
    fn options(&self) -> Vec<OptionSpec>;

    /// Describes a variant. `name` is its name or an alias, in any case. Options that the variant does not read are ignored,
    /// missing ones take their defaults.
    fn describe(&self, name: &str, chosen: &Chosen) -> Result<GameSpec, OpenError>;

    /// Returns the starting position of a game that this catalogue described.
    fn position(&self, spec: &GameSpec) -> Box<dyn Position>;

    /// Returns the search of a game that this catalogue described. It starts a thread and allocates
    /// a table.
    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend>;

    /// Makes every legal move of a position and judges the position after it without a search.
    /// Scores are those of the side to move. Empty when the game is over.
    fn judge_moves(&self, _position: &dyn Position) -> Vec<(Move, Score)> {
        Vec::new()
    }

    /// Returns the opening in which players of this game swap sides; `None` if there is none.
    fn swap_opening(&self, _spec: &GameSpec) -> Option<&'static dyn SwapOpening> {
        None
    }

    /// Returns the positions that make up the bench.
    fn bench(&self) -> Vec<BenchPosition>;
}
