//! The generic search core: one principal variation search that serves every game.
//!
//! It has no protocol, no async runtime, no logging and no concrete game. Only [`Notation`] handles
//! text, and only one type, [`Instant`], reads the clock.
//!
//! [`Client`] is the entry point: it opens a game, sets up a position, searches and waits for the
//! answer. The games of Tengen are in the crate `tengen-games`. Its page shows how to play, analyse
//! and solve. UCI, UGI and Gomocup are in `tengen-protocol`. This crate is the core library alone.
//! The Python distribution of the same name is the whole program.
//!
//! # A game of your own
//!
//! A game needs rules ([`Game`]), text ([`Notation`]) and an evaluation ([`Evaluator`]). An
//! example:
//!
//! ```
//! use tengen_engine::*;
//!
//! /// The players take one to three stones in turn. The player who takes the last stone wins.
//! #[derive(Clone)]
//! struct Nim { stones: u32, turn: Side }
//!
//! impl Game for Nim {
//!     type Move = u32;
//!     type Undo = ();
//!     type Symmetry = ();
//!     // Only the player of the last move can win.
//!     const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);
//!     fn turn(&self) -> Side { self.turn }
//!     fn outcome(&self) -> Option<Outcome> {
//!         (self.stones == 0).then(|| Outcome::Win(self.turn.other()))
//!     }
//!     fn moves(&self, out: &mut Vec<u32>) { out.extend(1..=self.stones.min(3)) }
//!     fn play(&mut self, taken: u32) { self.stones -= taken; self.turn = self.turn.other(); }
//!     fn undo(&mut self, taken: u32, _: ()) { self.stones += taken; self.turn = self.turn.other(); }
//!     fn plies_left(&self) -> u32 { self.stones }
//!     fn key(&self) -> (u64, ()) { (2 * u64::from(self.stones) + self.turn.index() as u64, ()) }
//! }
//!
//! impl Notation for Nim {
//!     fn write_move(&self, taken: u32, _: Style) -> String { taken.to_string() }
//!     fn write_position(&self, _: bool) -> String { format!("{} {:?}", self.stones, self.turn) }
//! }
//!
//! /// Scores every position before the end as a draw.
//! #[derive(Clone)]
//! struct Even;
//!
//! impl Evaluator<Nim> for Even {
//!     type Undo = ();
//!     fn reset(&mut self, _: &Nim) {}
//!     fn played(&mut self, _: &Nim, _: u32) {}
//!     fn undone(&mut self, _: &Nim, _: u32, _: ()) {}
//!     fn evaluate(&mut self, _: &Nim) -> Score { Score::DRAW }
//! }
//! // The game is small: the search proves its value.
//! plain_search!(Even, Nim, exact);
//!
//! let nim = Nim { stones: 21, turn: Side::First };
//! laws::check(&nim, &Even)?;
//! let mut client = Client::over(nim, Even, &Settings::default())?;
//! let answer = client.search(Limits::default())?;
//! assert_eq!(answer.report.score, Score::win_in(11));
//! assert_eq!(client.write_line(answer.best.as_slice()), ["1"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An evaluator without state, such as this one, can be a function: [`StaticEvaluator`]. Move
//! ordering, selectivity and proofs are optional: [`MoveOrdering`], [`Selectivity`] and [`Prover`]
//! have a default for every method. [`laws::check`] tests a game against the contracts of these
//! traits.
//!
//! [`OneGame`] is a catalogue of one game of your own. The crate `tengen-protocol` serves it to any
//! client. A game on a grid implements [`grid_game::GridGame`] and so has its [`Notation`]. A
//! catalogue of many games opens each with [`opener::TypedOpener`].

/// Declares methods that set a field each, and return the changed value.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($value:ident: $type:ty) => $field:ident = $set:expr;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $value: $type) -> Self {
            self.$field = $set;
            self
        }
    )*};
}

pub mod clock;
pub mod game;
pub mod host;
pub mod laws;
pub mod opening;
pub mod search;
mod sync;
pub mod text;

pub use clock::Instant;
pub use game::hash;
pub use host::{backend, bench, move_book, opener, options, suggest, threats, wrapper};
pub use search::{perft, table};
pub use text::{fen, grid_game};

pub use game::rules::{Game, MAX_MOVE_CODE, OUTER_WINDOW_MARK};
pub use game::score::Score;
pub use game::side::{Outcome, Side};
pub use game::wdl::{Wdl, WdlModel};
pub use game::window::Window;
#[doc(inline)]
pub use host::backend::{Catalog, Settings};
pub use host::board_option::BoardOption;
pub use host::client::{Client, ClientError, Listener, Query};
pub use host::client_game::{AnyGame, ClientGame};
pub use host::grade::Grade;
pub use host::helpers::pool_threads;
#[cfg(feature = "helper-pool")]
pub use host::helpers::{provide_helpers, run_helper};
pub use host::one_game::{GameOption, OneGame};
pub use host::options::Chosen;
pub use host::position::{IllegalMove, Position, PositionError, TypedPosition};
pub use host::search_all::search_all;
pub use host::search_error::SearchError;
pub use host::spec::{About, BoardSizes, GameSpec, NameStrength, RuleNames, Variant};
pub use host::worker::{cores, run_aside, run_posted_jobs};
pub use search::context::{Context, Interrupt};
pub use search::control::{Control, Signal};
pub use search::evaluator::book::{BookSource, OpeningBook};
pub use search::evaluator::ordering::{Coverage, HistoryTuning, MoveOrdering};
pub use search::evaluator::prover::{Defences, LosingMoves, Probe, ProofEffort, Prover};
pub use search::evaluator::selectivity::{
    ExtensionTuning, FutilityMargins, LateMove, MoveCountLimits, ProofTuning, ReSearchMargin,
    RootSchedule, Selectivity, SingularTuning,
};
pub use search::evaluator::{Evaluator, SearchEvaluator, StaticEvaluator, Term};
pub use search::level::Strength;
pub use search::limits::{Clock, Limits, Proof};
pub use search::report::{Answer, Bound, ProofSource, ProvenResult, Report, SearchCounts};
pub use text::coords::{Cell, Grid, NoPoint, Point};
#[doc(inline)]
pub use text::fen::Placement;
pub use text::grid_notation::GridNotation;
pub use text::notation::Notation;
pub use text::symmetry::Symmetry;
pub use text::typed_move::Move;
#[doc(inline)]
pub use text::{NotationError, Style};
