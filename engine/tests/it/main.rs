//! The search against plain minimax, and its limits, on a synthetic game.

mod limits;
mod maze;
mod oracle;
