//! Tests of the search against plain minimax, of its limits and of the laws, on synthetic games.

mod laws;
mod limits;
mod maze;
mod oracle;
mod piles;
mod pincer;
mod race;
mod toy;
mod traits;
