//! The records as their users see them: files of the common programs, round trips, broken files.

mod broken;
mod editors;
mod games;
mod renlib;
mod round_trips;
