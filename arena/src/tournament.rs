//! Tournaments, tests and tunings: which games are played, their records, and the sums over them.

pub mod coordinator;
pub mod record;
pub mod schedule;
pub mod tally;
pub mod tune;
