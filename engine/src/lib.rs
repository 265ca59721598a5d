//! The generic search core: one principal variation search that serves every game.
//!
//! It has no protocol, no async runtime, no logging and no concrete game. Only [`Notation`] handles
//! text, and only one type, the timer, measures time.
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
//! plain_search!(Even, Nim);
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
//! client. A game on a grid implements [`grid_game::GridGame`], and [`grid_notation!`] implements
//! [`Notation`] for it. A catalogue of many games opens each with [`opener::TypedOpener`].

pub mod backend;
pub mod bench;
mod book;
mod client;
mod context;
mod control;
mod coords;
mod evaluator;
pub mod fen;
mod grade;
pub mod grid_game;
mod grid_notation;
pub mod hash;
mod history;
pub mod host;
pub mod laws;
mod level;
mod limits;
mod notation;
mod one_game;
pub mod opener;
pub mod opening;
pub mod options;
mod order;
mod ordering;
pub mod perft;
mod position;
mod prover;
mod report;
mod rules;
mod score;
pub mod search;
mod selectivity;
mod side;
mod smp;
mod spec;
pub mod suggest;
pub mod table;
pub mod text;
mod time;
mod typed_move;
mod wdl;
mod window;
mod worker;

#[doc(inline)]
pub use backend::{Catalog, Settings};
pub use book::{BookSource, OpeningBook};
pub use client::{Client, ClientError, Listener, Query, SearchError};
pub use context::{Context, Interrupt};
pub use control::{Control, Signal};
pub use coords::{Cell, Grid, NoPoint, Point};
pub use evaluator::{Evaluator, SearchEvaluator, StaticEvaluator, Term};
#[doc(inline)]
pub use fen::Placement;
pub use grade::Grade;
pub use grid_notation::GridNotation;
pub use level::Strength;
pub use limits::{Clock, Limits, Proof};
pub use notation::Notation;
pub use one_game::OneGame;
pub use ordering::{Coverage, HistoryTuning, MoveOrdering};
pub use position::{IllegalMove, Position, PositionError, TypedPosition};
pub use prover::{LosingMoves, Probe, ProofEffort, Prover};
pub use report::{Answer, Bound, ProofSource, ProvenResult, Report, SearchCounts};
pub use rules::{Game, MAX_MOVE_CODE, OUTER_WINDOW_MARK};
pub use score::Score;
pub use selectivity::{
    ExtensionTuning, FutilityMargins, LateMove, MoveCountLimits, ProofTuning, ReSearchMargin,
    RootSchedule, Selectivity, SingularTuning,
};
pub use side::{Outcome, Side};
pub use spec::{BoardSizes, Chosen, GameSpec, RuleNames, Variant};
#[doc(inline)]
pub use text::{NotationError, Style};
pub use typed_move::Move;
pub use wdl::{Wdl, WdlModel};
pub use window::Window;
pub use worker::cores;
