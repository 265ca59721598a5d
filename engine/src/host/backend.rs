//! The interface to the games: [`Catalog`] lists them, [`Backend`] searches one of them. Both are
//! object-safe. Their moves are of the type [`Move`].
//!
//! A command is one virtual call. All code behind it is monomorphized. [`crate::host::Host`] is the
//! only [`Backend`] that searches; another one may answer from a book of games before it.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Instant;
use crate::game::score::Score;
use crate::host::options::{Chosen, OptionSpec};
use crate::host::position::Position;
use crate::host::search_error::SearchError;
use crate::host::spec::{About, GameSpec, RuleNames, Variant};
use crate::host::threats::{FoursResult, Threats};
use crate::opening::{OpeningName, OpeningRule};
use crate::search::control::Control;
use crate::search::evaluator::Term;
use crate::search::level::Strength;
use crate::search::limits::Limits;
use crate::search::report::{Answer, Report};
use crate::search::table::{KeptWins, TableHandle};
use crate::text::quotable;
use crate::text::typed_move::Move;

/// An event of a backend. It may arrive before the call that caused it has returned.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A report of a running search.
    Report(Report<Move>),
    /// A search has ended: exactly one per [`Backend::go`].
    Answer(Answer<Move>),
    /// A count has ended: exactly one per [`Backend::perft`].
    Perft(Perft),
    /// A bench has ended: exactly one per [`crate::host::bench::start`].
    Bench(BenchTotal),
    /// All commands before [`Backend::ready`] are done.
    Ready,
    /// What the backend was asked for cannot be done. The answer of a search follows.
    Failed(SearchError),
    /// A message to the user in one line.
    Note(String),
}

/// The callback for the events of a backend. The threads of the backend call it. It must not block.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// The number of move sequences of a given length.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Perft {
    /// Each root move with the number of sequences that begin with it.
    pub divide: Vec<(Move, u64)>,
    /// The number of all sequences.
    pub nodes: u64,
    /// The time since the request.
    pub time: Duration,
    /// Whether the count ran to its end. If not, it was stopped, and the numbers are incomplete.
    pub complete: bool,
}

/// The sum over all bench positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct BenchTotal {
    /// The number of nodes: the signature of the search.
    pub nodes: u64,
    /// The time of the searches.
    pub time: Duration,
    /// Whether all positions were searched.
    pub complete: bool,
}

/// The request to start a search.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Go {
    /// The limits of the search.
    pub limits: Limits,
    /// The moves to search; all moves if empty. Illegal moves are ignored.
    pub search_moves: Vec<Move>,
    /// The instant of the client's request. Time counts from it.
    pub received: Instant,
    /// The wins that searches of this game keep together; `None` for those beside the table.
    pub wins: Option<KeptWins>,
    /// Whether the client plays or goes through a game. Then a proven win does not end a search with
    /// nodes left or without a limit: it goes on for shorter wins. A search that does not know
    /// the earlier positions of the game looks for wins there first.
    pub follows_game: bool,
}

impl Go {
    /// Creates the request for a search of all moves under `limits`, received at `received`.
    pub fn new(limits: Limits, received: Instant) -> Self {
        Self { limits, search_moves: Vec::new(), received, wins: None, follows_game: false }
    }
}

/// The settings of a backend of any game.
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
    /// The time lost per move between the clock of the client and the engine.
    pub overhead: Duration,
    /// Whether the client lets the engine ponder.
    pub ponder: bool,
    /// Whether the opening book is used.
    pub own_book: bool,
    /// The playing strength.
    pub strength: Strength,
    /// The number of nodes that count as one millisecond (Stockfish's `nodestime`); 0 uses the
    /// clock.
    pub nodes_per_ms: u32,
    /// How a move is chosen from a book of games. Books of scores ignore it.
    pub book_choice: BookChoice,
}

/// How a move is chosen from a book of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookChoice {
    /// Whether the moves with the best values are taken; otherwise those that were played most.
    pub is_best: bool,
    /// The number of moves to choose from, from 1.
    pub width: usize,
    /// The book is used with fewer stones than this on the board.
    pub depth: usize,
}

impl Default for BookChoice {
    fn default() -> Self {
        Self { is_best: true, width: 1, depth: 24 }
    }
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
            book_choice: BookChoice::default(),
        }
    }
}

impl Settings {
    setters! {
        /// Sets the size of the transposition table in MiB.
        with_hash_mib(mib: usize) => hash_mib = mib;
        /// Sets the number of search threads.
        with_threads(threads: usize) => threads = threads;
        /// Sets the number of lines to report.
        with_multi_pv(lines: usize) => multi_pv = lines;
        /// Sets the time lost per move between the clock of the client and the engine.
        with_overhead(overhead: Duration) => overhead = overhead;
        /// Sets whether the client lets the engine ponder.
        with_ponder(ponder: bool) => ponder = ponder;
        /// Sets whether the opening book is used.
        with_own_book(own_book: bool) => own_book = own_book;
        /// Sets the playing strength.
        with_strength(strength: Strength) => strength = strength;
        /// Sets the number of nodes that count as one millisecond; 0 uses the clock.
        with_nodes_per_ms(nodes: u32) => nodes_per_ms = nodes;
        /// Sets how a move is chosen from a book of games.
        with_book_choice(choice: BookChoice) => book_choice = choice;
    }
}

/// The search of one game. Each command has its own position. A running search keeps its position.
pub trait Backend: Send {
    /// Returns the description of the game.
    fn spec(&self) -> &GameSpec;

    /// Applies `settings` to later searches. A new table is allocated in the background, after the
    /// work in progress. If the allocation fails, `sink` gets [`Event::Failed`] and the old table stays.
    fn configure(&mut self, settings: &Settings, sink: Sink);

    /// Opens the book in `file`, or with `None` the book that comes with the game. On an error
    /// nothing changes. A game without books refuses every file.
    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>>;

    /// Loads the evaluation file `file`, or with `None` the built-in weights, and clears the table.
    /// On an error nothing changes. A game without evaluation files ignores the call.
    fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>>;

    /// Describes the weights of the evaluation in words: their source and their checksum. `None` if
    /// the game has no evaluation files.
    fn eval_source(&self) -> Option<String>;

    /// Replaces the table, after the work in progress. The caller must call [`Self::configure`]
    /// next, which sets the size of the table, and must clear a table that another game has used.
    fn use_table(&mut self, table: TableHandle);

    /// Clears the transposition table.
    fn clear_hash(&mut self);

    /// Returns the static evaluation of a position and its parts, for the side to move; `None` when
    /// the game is over.
    fn evaluate(&self, position: &dyn Position) -> Option<(Score, Vec<Term>)>;

    /// Starts a search of `position` and returns immediately. `sink` gets reports, then one answer.
    /// The previous search must have answered.
    fn go(&mut self, position: &dyn Position, go: Go, sink: Sink) -> Control;

    /// Starts counting move sequences of `depth` plies and returns immediately.
    fn perft(
        &mut self,
        position: &dyn Position,
        depth: u32,
        received: Instant,
        sink: Sink,
    ) -> Control;

    /// Returns whether all earlier commands are done. If not, `sink` gets [`Event::Ready`] when
    /// they are.
    fn ready(&mut self, sink: Sink) -> bool;
}

/// The error of [`Catalog::describe`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// No variant has this name.
    UnknownVariant(String),
    /// The value of an option is out of range.
    Range {
        /// The name of the option.
        option: &'static str,
        /// The chosen value.
        value: i64,
        /// The minimum.
        least: i64,
        /// The maximum.
        most: i64,
        /// Whether 0 is allowed, too, for the default size.
        or_usual: bool,
    },
    /// The options do not fit together. The text tells why.
    Options(String),
}

impl OpenError {
    /// Returns the message in the words of a client: `word` returns the client's name of an option.
    pub fn in_words(&self, word: impl FnOnce(&'static str) -> &'static str) -> String {
        match self {
            Self::UnknownVariant(name) => format!("no variant \"{name}\""),
            Self::Range { option, value, least, most, or_usual } => {
                let usual = if *or_usual { ", or 0 for the default size" } else { "" };
                format!("{} {value}: it must be from {least} to {most}{usual}", word(option))
            }
            Self::Options(why) => why.clone(),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(|option| option))
    }
}

impl Error for OpenError {}

/// A position of the bench.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BenchPosition {
    /// The variant to open.
    pub variant: &'static str,
    /// The options that differ from the defaults.
    pub chosen: Chosen,
    /// The moves from the starting position, blank-separated.
    pub moves: &'static str,
    /// The default depth in plies.
    pub depth: u32,
}

impl BenchPosition {
    /// Creates the position of `variant` after these `moves`, to be searched to `depth`.
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

/// What the games of a catalogue have. A field is true if at least one game has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Opening books.
    pub books: bool,
    /// Files of weights for the evaluation.
    pub eval_files: bool,
    /// Chances to win, draw and lose, and so levels in Elo.
    pub chances: bool,
    /// A board that is a grid, so that moves have several spellings.
    pub grids: bool,
    /// Books of games, from which a move is chosen.
    pub game_books: bool,
}

impl Features {
    /// Every feature that a game can have. Books of games belong to the program.
    pub const ALL: Self =
        Self { books: true, eval_files: true, chances: true, grids: true, game_books: false };

    fn and(self, spec: GameSpec) -> Self {
        Self {
            books: self.books || spec.has_book,
            eval_files: self.eval_files || spec.own_eval.is_some(),
            chances: self.chances || spec.has_chances,
            grids: self.grids || spec.grid.is_some(),
            game_books: self.game_books,
        }
    }
}

/// A list of games that can be opened by name. A game has three parts: [`GameSpec`] describes it,
/// [`Position`] has the rules, [`Backend`] searches.
pub trait Catalog: Send + Sync {
    /// Returns the name of the engine that offers these games. The default is the name of the first
    /// variant, by an unknown author.
    fn about(&self) -> About {
        About::new(self.variants().first().map_or("engine", |variant| variant.name))
    }

    /// Returns which features the games have. Clients see only the options of these features.
    /// The default describes each game with its default options.
    fn features(&self) -> Features {
        let describe = |variant: &Variant| self.describe(variant.name, &Chosen::new()).ok();
        self.variants().iter().filter_map(describe).fold(Features::default(), Features::and)
    }

    /// Returns every variant. The first one is the default.
    fn variants(&self) -> &[Variant];

    /// Returns the variant with this name or alias. Case is ignored.
    fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants().iter().find(|variant| variant.is_named(name))
    }

    /// Returns the variant and the options for rules that a game record calls `name`.
    fn rules_named(&self, name: &str) -> Option<(&Variant, Chosen)> {
        self.variants().iter().find_map(|variant| Some((variant, variant.rules_named(name)?)))
    }

    /// Returns the variant whose list of rule names has `name`, and the part of the list with it.
    /// `name` is in lower case, without blanks and punctuation.
    fn rule_names_with(&self, name: &str) -> Option<(&Variant, &RuleNames)> {
        self.variants().iter().find_map(|variant| {
            let rules = variant.rule_names.iter().find(|rules| rules.names.contains(&name))?;
            Some((variant, rules))
        })
    }

    /// Returns the options of the games, without the options of every backend.
    fn options(&self) -> Vec<OptionSpec>;

    /// Describes the variant with this name or alias and the options `chosen`. Case is ignored.
    /// Options that the variant does not use are ignored. Missing options have their defaults.
    fn describe(&self, name: &str, chosen: &Chosen) -> Result<GameSpec, OpenError>;

    /// Returns the starting position of a game that this catalogue described.
    fn position(&self, spec: &GameSpec) -> Box<dyn Position>;

    /// Opens the search of a game that this catalogue described. It starts a thread and allocates a
    /// table.
    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend>;

    /// Returns the static evaluation of the position after each legal move. Scores are for the side
    /// to move in `position`. Empty when the game is over.
    fn judge_moves(&self, _position: &dyn Position) -> Vec<(Move, Score)> {
        Vec::new()
    }

    /// Returns the threats of the side to move, then those of the opponent as if it were to move;
    /// empty when the game is over, and `None` for a game without a search of threats.
    fn threats(&self, _position: &dyn Position) -> Option<Vec<Threats>> {
        None
    }

    /// Searches a win of the side to move by continuous fours with at most `nodes` nodes; `None` for a game without
    /// a search of threats.
    fn win_by_fours(&self, _position: &dyn Position, _nodes: u64) -> Option<FoursResult> {
        None
    }

    /// Returns the opening rules of this game on any board; empty if it has none.
    fn opening_rules(&self, _spec: &GameSpec) -> Vec<&'static OpeningRule> {
        Vec::new()
    }

    /// Returns the opening rule with this name, if the board of the game is large enough for it.
    /// The error says what is possible.
    fn opening_rule(&self, spec: &GameSpec, name: &str) -> Result<&'static OpeningRule, String> {
        let rules = self.opening_rules(spec);
        let fits = |rule: &OpeningRule| {
            spec.grid.is_some_and(|notation| rule.board.is_met(notation.grid()))
        };
        let Some(rule) = rules.iter().find(|rule| rule.is_named(name)) else {
            let name = quotable(name);
            let names: Vec<&str> =
                rules.iter().filter(|rule| fits(rule)).map(|rule| rule.name).collect();
            let variant = spec.variant;
            return Err(match names.is_empty() {
                true => format!("{variant} has no opening rules, so not \"{name}\""),
                false => {
                    let names = names.join(", ");
                    format!("{variant} has no opening rule \"{name}\": it has {names}")
                }
            });
        };
        match fits(rule) {
            true => Ok(rule),
            false => {
                let (variant, rule, need) = (spec.variant, rule.name, rule.board);
                let found = spec.grid.map_or(String::new(), |found| {
                    format!(", not of {}x{}", found.grid().width(), found.grid().height())
                });
                Err(format!("{variant}: {rule} needs a board of {need}{found}"))
            }
        }
    }

    /// Returns the name of the opening of the game in `position`; `None` if it has no name (yet).
    fn opening_name(&self, _position: &dyn Position) -> Option<&'static OpeningName> {
        None
    }

    /// Returns the positions of the bench.
    fn bench(&self) -> Vec<BenchPosition>;
}
