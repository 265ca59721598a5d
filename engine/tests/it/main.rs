//! Tests of the search against plain minimax, of its limits and of the laws, on synthetic games.

mod laws;
mod limits;
mod maze;
mod oracle;
mod piles;
mod toy;
mod traits;
