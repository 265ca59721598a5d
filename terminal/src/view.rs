//! The views of the screen. They draw the state and do not change it.

pub(crate) mod board;
pub(crate) mod help;
pub(crate) mod new_game;
pub(crate) mod panel;
pub(crate) mod screen;
pub(crate) mod style;
#[cfg(test)]
mod tests;
