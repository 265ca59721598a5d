//! The Gomocup dialect, with the part of Yixin's extension that analysis GUIs use.

pub mod board_file;
pub mod client;
mod info;
mod read;
mod rows;
pub mod rules;
pub mod server;
#[cfg(test)]
mod tests;
mod write;
