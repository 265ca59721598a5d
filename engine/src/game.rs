//! The old address of the rules and the evaluator, until everybody has moved.

pub use crate::evaluator::{Evaluator, Term};
pub use crate::ordering::Coverage;
pub use crate::prover::Probe;
pub use crate::rules::{Game, MAX_MOVE_CODE};
pub use crate::selectivity::{Late, Schedule, Selectivity};
pub use crate::side::{Outcome, Side};
