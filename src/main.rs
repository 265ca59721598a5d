//! The binary: command line, log and wiring. Everything else is in the libraries.

mod analyze;
mod annotation;
#[cfg(feature = "arena")]
mod arena;
#[cfg(feature = "arena")]
mod batch;
mod bench;
mod board;
mod book;
mod check;
mod cli;
mod completions;
#[cfg(feature = "arena")]
mod console;
mod convert;
mod count;
mod exit_status;
mod files;
#[cfg(feature = "arena")]
mod fleet;
mod formats;
mod games;
mod interrupt;
mod log;
mod objects;
#[cfg(feature = "play")]
mod play;
#[cfg(feature = "arena")]
mod playable_games;
mod progress;
#[cfg(any(feature = "play", feature = "serve"))]
mod proof_book;
mod prove;
#[cfg(feature = "arena")]
mod puzzles;
mod record_files;
mod schema;
mod search_args;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "shelf")]
mod shelf;
mod solve;
mod stdio;
mod tree;
mod usage_error;
mod winning_move;
#[cfg(feature = "arena")]
mod work;

use std::io::{self, Write};
use std::process::ExitCode;

/// The commit of the program; `None` if the build did not know it.
const COMMIT: Option<&str> = option_env!("TENGEN_GIT");

fn main() -> ExitCode {
    match cli::run().and_then(|()| log::complete()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !exit_status::is_reported(&error) {
                // The name of a file may hold any character, and a message is one line.
                let message = exit_status::one_line(&format!("{error:#}"));
                // If standard error is closed, only the exit status shows the error.
                let _ = writeln!(io::stderr(), "tengen: {message}");
            }
            ExitCode::from(exit_status::status_of(&error))
        }
    }
}
