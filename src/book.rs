//! `tengen book`: build, check and describe opening books of four in a row.

mod build;
mod progress;
mod verify;

use std::path::{Path, PathBuf};

use tengen_games::cfour::Classic;
use tengen_games::cfour::book::{Book, Header, LoadError, load};

use crate::exit_status::{Refusal, print};

const EXAMPLES: &str = include_str!("help/book.txt").trim_ascii_end();

/// Build, check and describe opening books of four in a row on 7x6.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = false)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(clap::Subcommand)]
enum Task {
    Build(build::Args),
    Verify(verify::Args),
    Info(InfoArgs),
}

/// Describe a book.
#[derive(clap::Args)]
struct InfoArgs {
    /// The book.
    file: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.task {
        Task::Build(args) => build::run(args),
        Task::Verify(args) => verify::run(args),
        Task::Info(args) => info(&args.file),
    }
}

fn info(file: &Path) -> anyhow::Result<()> {
    let bytes = read(file)?;
    let header = Header::read(&bytes).map_err(|error| refusal(file, &error))?;
    let Header { width, height, connect, plies, positions } = header;
    let message = format!(
        "{width}x{height} board, {connect} in a row: {positions} positions of up to {plies} plies, {} bytes\n",
        bytes.len()
    );
    if (width, height, connect) != (7, 6, 4) {
        return print(message);
    }
    let book = Book::read(Classic, bytes).map_err(|error| refusal(file, &error))?;
    print(message)?;
    for ply in 0..=plies {
        let [won, drawn, lost] = results(&book, ply);
        print(format!(
            "ply {ply:>2}: {won} won, {drawn} drawn, {lost} lost by the side to move\n"
        ))?;
    }
    Ok(())
}

/// Returns how many positions of a ply the side to move wins, draws and loses.
fn results(book: &Book<Classic>, ply: u32) -> [usize; 3] {
    let mut results = [0; 3];
    for score in book.scores(ply) {
        let index = if score.is_win() { 0 } else { 1 + usize::from(score.is_loss()) };
        results[index] += 1;
    }
    results
}

/// Reads the bytes of a book.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    load(path).map_err(|error| match error {
        LoadError::File(error) => Refusal::unreadable(path, &error).into(),
        error => refusal(path, &error).into(),
    })
}

/// Returns the refusal of `file` for `error`.
fn refusal(file: &Path, error: &dyn std::error::Error) -> Refusal {
    Refusal(format!("{}: {error}", file.display()))
}
