//! What the screen shows. Everything here turns the board into cells and changes nothing.

pub(crate) mod board;
pub(crate) mod help;
pub(crate) mod new_game;
pub(crate) mod panel;
pub(crate) mod screen;
pub(crate) mod style;
#[cfg(test)]
mod tests;
