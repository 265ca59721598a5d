//! The search against plain minimax, and its limits, on a synthetic game.

mod laws;
mod limits;
mod maze;
mod oracle;
mod piles;
mod toy;
mod traits;
