//! What a search asks of a game: rules, evaluation, order of moves, selectivity, proofs, books.

pub(crate) mod book;
pub(crate) mod evaluator;
pub mod hash;
pub mod laws;
pub mod opening;
pub(crate) mod ordering;
pub mod perft;
pub(crate) mod prover;
pub(crate) mod rules;
pub(crate) mod score;
pub(crate) mod selectivity;
pub(crate) mod side;
pub(crate) mod window;
