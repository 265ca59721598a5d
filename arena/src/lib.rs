//! Matches between engines of n-in-a-row games.
//!
//! It knows no concrete game.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

pub mod adjudicate;
pub mod clock;
pub mod command;
pub mod config;
pub mod game;
pub mod journal;
pub mod openings;
pub mod record;
pub mod referee;
pub mod schedule;
pub mod session;
pub mod stage;
pub mod stats;
