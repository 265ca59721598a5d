//! Tests of the public interface: files of common programs, round trips, broken files.

mod broken;
mod editors;
mod field;
mod games;
mod renlib;
mod reports;
mod round_trips;
