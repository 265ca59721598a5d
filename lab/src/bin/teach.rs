//! Writes positions near the lines of games of five in a row, with the chances that short
//! searches give them, for a net to learn from.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use tengen_lab::gomoku::{BoardArgs, SearchTeacher, labelled_line, read_games};

const EXAMPLES: &str = include_str!("teach.txt").trim_ascii_end();

/// Writes positions for `tune --labelled`: positions up to three random moves away from the games,
/// quiet ones, with the chances that short searches give them.
#[derive(Parser)]
#[command(after_help = EXAMPLES)]
struct Args {
    /// Files of played games.
    #[arg(required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    board: BoardArgs,

    /// How many positions are written.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,

    /// The nodes searched for each position. A position is left out if they do not suffice for one
    /// iteration.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// The seed: the same seed gives the same positions.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The file to write.
    #[arg(long, value_name = "FILE")]
    write: PathBuf,
}

fn main() -> Result<()> {
    let Args { files, board, positions, nodes, seed, write } = Args::parse();
    let start = board.start()?;
    let records = read_games(&start, &files)?;
    let mut teacher = SearchTeacher::new(board.variant(), start, &records, nodes, seed)?;
    let nothing =
        || format!("no quiet and open position of the games can be searched with {nodes} nodes");
    let failure = || format!("cannot write {}", write.display());
    let mut out = BufWriter::new(File::create(&write).with_context(failure)?);
    for _ in 0..positions {
        let position = teacher.teach()?.with_context(nothing)?;
        out.write_all(labelled_line(&position).as_bytes()).with_context(failure)?;
    }
    out.flush().with_context(failure)
}
