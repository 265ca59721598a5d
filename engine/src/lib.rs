//! The generic search core: one principal variation search that serves every game.
//!
//! It knows no dialect, no runtime, no log and no concrete game. Text appears only behind
//! [`notation::Notation`], the clock only behind [`time::Timer`].

pub mod backend;
pub mod bench;
pub mod book;
pub mod client;
pub mod context;
pub mod control;
pub mod coords;
pub mod evaluator;
pub mod fen;
#[doc(hidden)]
pub mod game;
pub mod grid_game;
pub mod grid_notation;
pub mod hooks;
pub mod host;
pub mod laws;
pub mod level;
pub mod limits;
pub mod notation;
pub mod opener;
pub mod options;
mod order;
pub mod ordering;
pub mod perft;
pub mod position;
pub mod prover;
pub mod report;
pub mod rules;
pub mod score;
pub mod search;
pub mod selectivity;
pub mod side;
mod smp;
pub mod spec;
pub mod table;
pub mod text;
pub mod time;
pub mod typed_move;
pub mod wdl;
pub mod window;
mod worker;

pub use book::{BookSource, OpeningBook};
pub use client::{Client, Query};
pub use context::{Context, Interrupt};
pub use control::{Control, Signal};
pub use coords::{Cell, Grid, Point};
pub use evaluator::{Evaluator, SearchEvaluator, Term};
pub use fen::Placement;
pub use grid_notation::GridNotation;
pub use hooks::Wrapper;
pub use level::Strength;
pub use limits::{Clock, Limits, Proof};
pub use notation::Notation;
pub use ordering::{Coverage, MoveOrdering};
pub use position::{Position, PositionError};
pub use prover::{Probe, Prover};
pub use report::{Answer, Bound, Grounds, Report, Settled, Tally};
pub use rules::{Game, MAX_MOVE_CODE};
pub use score::Score;
pub use selectivity::{LateMove, ProofTuning, Schedule, Selectivity, SingularTuning};
pub use side::{Outcome, Side};
pub use spec::{Chosen, GameSpec, Variant};
pub use text::{NotationError, Style};
pub use typed_move::Move;
pub use wdl::{Wdl, WdlModel};
pub use window::Window;
