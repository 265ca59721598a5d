//! The heuristic search: games that are searched with selectivity.

mod losses;
mod node;
mod ordering;
mod pruning;
