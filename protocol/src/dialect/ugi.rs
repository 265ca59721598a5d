//! The UGI dialect: UCI for games of two players, with questions about the game.

pub mod client;
pub mod server;
