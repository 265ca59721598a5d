//! The shelf against files that the tests write, a plain recount, and kills between transactions.

mod changes;
mod databases;
mod desk;
mod faults;
mod games;
mod kept_inputs;
mod plain;
mod support;
mod words;
