//! The search of games whose every value is proven.

mod node;
pub(super) mod root;
mod windows;
