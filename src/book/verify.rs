//! `tengen book verify`: checks a book without another book.

use std::path::PathBuf;

use tengen_engine::{Notation, Score, cores};
use tengen_games::cfour::book::{Book, Layers, in_words};
use tengen_games::cfour::{Board, Classic};
use tengen_prover::book::BookSolver;

use super::{read, refusal};
use crate::exit_status::print;
use crate::progress::Progress;
use crate::search_args::table_mib;

/// Check a book: its checksum, its positions, each ply against the next, and positions solved
/// again.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The book.
    file: PathBuf,

    /// How many positions of the last ply, by chance, are solved again.
    #[arg(long, value_name = "N", default_value_t = 20)]
    sample: usize,

    /// Size of the table, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 256)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
}

/// Checks the book.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let hash_mib = table_mib(args.hash)?;
    let bytes = read(&args.file)?;
    let book = Book::read(Classic, bytes).map_err(|error| refusal(&args.file, &error))?;
    print("checksum right\n")?;
    let layers = Layers::new(Classic, book.plies());
    book.check(&layers).map_err(|error| refusal(&args.file, &error))?;
    print(format!("{} positions in place, every ply follows from the next\n", layers.total()))?;
    let (last, count) = (layers.plies(), layers.count(layers.plies()));
    let boards: Vec<_> = sample(count, args.sample).map(|at| layers.board(last, at)).collect();
    let progress = Progress::new(Some(boards.len() as u64));
    BookSolver::new(hash_mib, cores())?.solve(&boards, |solved| {
        progress.step();
        let board = &boards[solved.index];
        let found = book.score(board);
        anyhow::ensure!(found == Some(solved.score), contradiction(board, found, solved.score));
        Ok(())
    })?;
    drop(progress);
    print(format!("{} positions of ply {last} solved again, all as the book says\n", boards.len()))
}

/// Returns the message for a score that differs between a search and the book.
fn contradiction(board: &Board<Classic>, found: Option<Score>, solved: Score) -> String {
    let found = found.map_or_else(|| "nothing".to_owned(), in_words);
    format!("{}: the book says {found}, a search {}", board.write_position(false), in_words(solved))
}

/// Returns at most `most` numbers below `count`, the same in every run.
fn sample(count: usize, most: usize) -> impl Iterator<Item = usize> {
    // A stride that shares no factor with the count meets every number once.
    let stride = (count * 5 / 8..).find(|stride| gcd(*stride, count) == 1).unwrap_or(1);
    (0..count.min(most)).map(move |index| index * stride % count)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_names_both_scores() {
        let board = Board::new(Classic);
        assert_eq!(
            contradiction(&board, Some(Score::DRAW), Score::win_in(41)),
            "7/7/7/7/7/7 w - - 0 1: the book says draw, a search win in 41"
        );
        assert_eq!(
            contradiction(&board, None, Score::loss_in(8)),
            "7/7/7/7/7/7 w - - 0 1: the book says nothing, a search loss in 8"
        );
    }
}
