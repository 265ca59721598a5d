//! Opening books of four in a row on 7x6: their positions solved, and compared with known results.

mod classes;
mod solver;

pub use classes::Classes;
pub use solver::{BookSolver, Solved};
