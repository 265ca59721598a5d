//! The Gomocup dialect, with the part of Yixin's extension that analysis GUIs use.

pub mod client;
mod info;
mod read;
mod rows;
pub mod rules;
pub mod server;
#[cfg(test)]
mod tests;
mod write;

pub use self::read::stone as read_stone;
