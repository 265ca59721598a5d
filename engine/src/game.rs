//! The rules of a game, and the scores of its positions. It knows neither text nor a search.

pub mod hash;
pub(crate) mod rules;
pub(crate) mod score;
pub(crate) mod side;
pub(crate) mod wdl;
pub(crate) mod window;
