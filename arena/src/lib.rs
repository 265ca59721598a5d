//! Matches between engines of n-in-a-row games.
//!
//! This crate does not depend on a concrete game: games come from a catalogue. The path of a game:
//!
//! ```text
//! command -> config, prepare -> Coordinator -> workers -> GameRunner -> EngineHost -> guard -> engine
//!                                   |                          |
//!                           journal, tally, files         Referee, clocks
//! ```
//!
//! A game is written against the trait [`EngineHost`](engine::host::EngineHost): two seats, lines, times and
//! ends. In a run, processes stand behind it. In the tests, scripts in virtual time do, so that no test of a
//! deadline waits for one.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod command;
pub mod config;
pub mod engine;
pub mod game;
pub mod openings;
pub mod output;
pub mod record;
pub mod schedule;
pub mod stats;
pub mod tally;
pub mod tournament;
pub mod watch;
pub mod work;
