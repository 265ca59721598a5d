//! The Gomocup dialect, with the part of Yixin's extension that analysis boards use.

mod info;
mod read;
mod rows;
pub mod server;
#[cfg(test)]
mod tests;
mod write;
