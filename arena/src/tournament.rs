//! Tournaments, tests and tunings: chooses the games, and keeps their records.

pub mod coordinator;
pub mod tune;
