//! The search against plain minimax, and its limits, on a synthetic game.

mod hooks;
mod laws;
mod limits;
mod maze;
mod oracle;
mod piles;
mod toy;
