//! `tengen book build`: solves every position of the last ply and computes the book from them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tengen_engine::{Score, cores};
use tengen_games::cfour::book::{Book, BookJournal, Layers};
use tengen_games::cfour::{Board, Classic};
use tengen_prover::book::{BookSolver, Classes, Solved};
use tengen_runs::files::Target;

use super::progress::{Progress, note, readable};
use crate::exit_status::{Refusal, Unfinished, print};
use crate::files;
use crate::interrupt::{interruptible, is_interrupted};
use crate::prove::ended;
use crate::search_args::table_mib;

/// Solve every position of up to N plies and write a book.
///
/// Solved positions are kept in a journal beside the book, FILE.journal. The same command continues
/// where a killed one stopped, and removes the journal when the book is complete. On two cores
/// --plies 6 takes about an hour; a line after the first positions says what the build will take.
#[derive(clap::Args)]
pub(super) struct Args {
    /// How many plies the book reaches.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=12))]
    plies: u32,

    /// The book to write; cfour-N.book when not given. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite the book if it is there.
    #[arg(long)]
    force: bool,

    /// Search threads; as many as the machine has cores when not given.
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    /// Size of the table that the threads share, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    /// Known results of positions of eight plies, to check a resumed build with.
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
}

/// The number of positions on which the cost is estimated, spread over the ply.
const SAMPLE: usize = 8;

/// Builds the book.
pub(super) fn run(args: &Args) -> anyhow::Result<()> {
    let threads = args.threads.map_or_else(cores, usize::from);
    let default = PathBuf::from(format!("cfour-{}.book", args.plies));
    let output = args.output.clone().unwrap_or_else(|| default.clone());
    let hash_mib = table_mib(args.hash)?;
    let target = files::output(&output, args.force)
        .map_err(|Refusal(why)| Refusal(format!("--output: {why}")))?;
    // Beside standard output and devices there is no file.
    let journal = beside(if matches!(target, Target::File(_)) { &output } else { &default });
    let classes = args.classes.as_deref().map(Classes::read).transpose().map_err(ended)?;
    let layers = Layers::new(Classic, args.plies);
    let (book_journal, known) = BookJournal::open(&journal, &layers)
        .with_context(|| format!("cannot use the journal {}", journal.display()))?;
    let mut build = Build { layers, known, journal: book_journal };
    let solved = interruptible(|_| {
        build.report_start();
        let mut solver = BookSolver::new(hash_mib, threads)?;
        if build.is_resumed()
            && let Some(classes) = classes
        {
            let compared = classes.compare(&build.layers, &build.known)?;
            let plies = Classes::PLIES;
            note(&format!(
                "{compared} known results after {plies} plies agree with what is solved"
            ));
        }
        build.solve_all(&mut solver, threads)
    });
    solved.map_err(|error| with_journal(error, &journal))?;
    let book = build.book()?;
    let bytes = book.bytes();
    files::write_output(&target, &output, bytes)?;
    // The journal is no longer needed. If it cannot be removed, it does no harm.
    let _ = fs::remove_file(&journal);
    let written = format!("{}: {} bytes", output.display(), bytes.len());
    if target == Target::Standard {
        note(&written);
        return Ok(());
    }
    print(format!("{written}\n"))
}

/// Adds to an interruption which journal keeps the solved positions.
fn with_journal(error: anyhow::Error, journal: &Path) -> anyhow::Error {
    match error.downcast() {
        Ok(Unfinished::Interrupted(why)) => {
            let kept = journal.display();
            Unfinished::Interrupted(format!("{why}; {kept} keeps them for the next build")).into()
        }
        Ok(other) => other.into(),
        Err(error) => error,
    }
}

/// Returns the journal of a book.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".journal");
    name.into()
}

/// A book that is being built.
struct Build {
    layers: Layers<Classic>,
    /// The scores of the last ply, by number.
    known: Vec<Option<Score>>,
    journal: BookJournal,
}

impl Build {
    fn is_resumed(&self) -> bool {
        self.known.iter().any(Option::is_some)
    }

    fn report_start(&self) {
        let (plies, all, last) = (self.layers.plies(), self.layers.total(), self.known.len());
        let solved = self.known.iter().flatten().count();
        note(&format!(
            "positions of a book of {plies} plies: {all}; to solve, those after {plies} plies: {last}; solved by an earlier build: {solved}"
        ));
        match self.journal.damaged() {
            0 => {}
            1 => note("1 record of the journal is damaged and was skipped"),
            more => {
                note(&format!("{more} records of the journal are damaged and were passed over"))
            }
        }
    }

    fn board(&self, number: usize) -> Board<Classic> {
        self.layers.board(self.layers.plies(), number)
    }

    fn solve_all(&mut self, solver: &mut BookSolver, threads: usize) -> anyhow::Result<()> {
        let open = self.unsolved();
        if open.is_empty() {
            return Ok(());
        }
        let first: Vec<usize> = open.iter().copied().step_by(open.len().div_ceil(SAMPLE)).collect();
        let mut costs = Vec::new();
        self.solve(&first, solver, |solved| costs.push((solved.time, solved.nodes)))?;
        let rest = self.unsolved();
        let time = costs.iter().map(|(time, _)| *time).sum::<std::time::Duration>();
        let nodes = costs.iter().map(|(_, nodes)| nodes).sum::<u64>() / costs.len() as u64;
        let whole = time.mul_f64(rest.len() as f64 / (costs.len() * threads) as f64);
        note(&format!(
            "positions solved: {}, each with {nodes} nodes in {}; positions left: {}, about {} with this number of threads ({threads}), less as the table fills",
            costs.len(),
            readable(time / costs.len() as u32),
            rest.len(),
            readable(whole),
        ));
        if rest.is_empty() {
            return Ok(());
        }
        let mut progress = Progress::new(rest.len());
        self.solve(&rest, solver, |solved| progress.step(solved.nodes))?;
        progress.end();
        Ok(())
    }

    /// Returns the numbers of the unsolved positions, neighbours side by side.
    fn unsolved(&self) -> Vec<usize> {
        self.layers.walk().into_iter().filter(|&number| self.known[number].is_none()).collect()
    }

    fn solve(
        &mut self,
        numbers: &[usize],
        solver: &mut BookSolver,
        mut on_solved: impl FnMut(&Solved),
    ) -> anyhow::Result<()> {
        let boards: Vec<_> = numbers.iter().map(|&number| self.board(number)).collect();
        solver.solve(&boards, |solved| {
            let number = numbers[solved.index];
            self.known[number] = Some(solved.score);
            on_solved(&solved);
            self.journal.add(number, solved.score).context("cannot write the journal")?;
            if is_interrupted() {
                let solved = self.known.iter().flatten().count();
                return Err(Unfinished::Interrupted(format!("positions solved: {solved}")).into());
            }
            Ok(())
        })
    }

    fn book(self) -> anyhow::Result<Book<Classic>> {
        let scores: Option<Vec<Score>> = self.known.into_iter().collect();
        let scores = scores.context("a position was left out")?;
        Ok(Book::new(&self.layers, &scores))
    }
}
