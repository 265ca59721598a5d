//! Analysis: queries about positions, answered by a pool of workers in an order that is fair to all
//! sessions.
//!
//! ```text
//! line -> session -> queue -> pool -> backend
//!           |                   |
//! line <----+ <-----------------+
//! ```
//!
//! The queue and the session read no clock and start nothing; the pool is their shell.

pub mod commands;
pub mod job;
pub mod pool;
pub mod queue;
pub mod review;
pub mod session;
pub mod solver;
pub mod subject;
mod tables;
pub mod words;
pub mod write;
