//! `tengen bench`: search a fixed set of positions. The number of nodes is the search's signature.

use std::io::{self, ErrorKind, Write};

use anyhow::{Context, ensure};
use tengen_engine::{Signal, bench};
use tengen_games::CATALOG;
use tengen_protocol::dialect::uci::total_line;

use crate::exit_status::WRITE_FAILED;

const EXAMPLES: &str = include_str!("help/bench.txt").trim_ascii_end();

/// Search a fixed set of positions of every game; the last line is "N nodes M nps".
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Search every position to this depth, in plies, instead of its own.
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,
}

/// Runs the bench to its end.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let signal = Signal::default();
    let note = |line: String| {
        if say(&line).is_err() {
            signal.stop();
        }
    };
    let total = bench::run(&CATALOG, args.depth, &signal, &note);
    match say(&total_line(&total)) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
        done => done.context(WRITE_FAILED)?,
    }
    ensure!(total.complete, "the bench did not reach its end");
    Ok(())
}

fn say(line: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{line}")
}
