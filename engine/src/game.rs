//! The old address of the rules and the evaluator, until everybody has moved.

pub use crate::evaluator::{Evaluator, SearchEvaluator, Term};
pub use crate::ordering::Coverage;
pub use crate::prover::Probe;
pub use crate::rules::{Game, MAX_MOVE_CODE};
pub use crate::selectivity::{LateMove, Schedule, Selectivity};
pub use crate::side::{Outcome, Side};
