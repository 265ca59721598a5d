//! The UGI dialect: like UCI, with queries about the state of the game.

pub mod client;
pub mod server;
