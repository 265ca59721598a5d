//! The moves of the root.

use crate::score::Score;

use super::bounds::ProvenBounds;

/// A root move with what the search last found of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    /// Its score when it last raised alpha; [`Score::LOWEST`] when it never did.
    pub(super) score: Score,
    /// The iteration that `score` is from.
    pub(super) depth: u32,
    /// The line from the root on, `mv` included.
    pub(super) pv: Vec<M>,
    /// Whether the line shows what the score claims: a win or a loss to its end.
    pub(super) is_complete: bool,
    /// What is proven of it, in exact games.
    pub(super) proven: ProvenBounds,
    /// Whether the bounds are from a book.
    pub(super) from_book: bool,
}
