//! Matches between engines of n-in-a-row games.
//!
//! It knows no concrete game.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod adjudicate;
pub mod batch;
pub mod clock;
pub mod command;
pub mod config;
pub mod coordinator;
pub mod drive;
pub mod engine_host;
pub mod game;
pub mod journal;
pub mod openings;
pub mod output;
#[cfg(unix)]
pub mod prepare;
#[cfg(target_os = "linux")]
pub mod process;
pub mod proof;
pub mod prover;
pub mod record;
pub mod referee;
pub mod schedule;
pub mod session;
pub mod stats;
pub mod swap_choice;
pub mod tally;
pub mod transport;
pub mod tune;
