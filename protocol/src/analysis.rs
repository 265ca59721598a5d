//! Queries about positions. A pool of workers answers them in an order that is fair to all
//! sessions.
//!
//! ```text
//! line -> session -> queue -> pool -> backend
//!           |                   |
//! line <----+ <-----------------+
//! ```
//!
//! The queue and the session read no clock and start no thread. The pool starts the workers.

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
