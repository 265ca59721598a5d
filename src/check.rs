//! `tengen check`: checks a proof by the rules of its game alone.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use indicatif::HumanCount;
use tengen_games::CATALOG;
use tengen_proofs::Checked;

use crate::exit_status::{Refusal, Unfinished, print};

/// The most open positions that are listed.
const LISTED: usize = 100;

const EXAMPLES: &str = include_str!("help/check.txt").trim_ascii_end();

/// Check a proof of "tengen prove" by the rules of its game alone, without a search.
///
/// A proof that is not right is refused, with the line and the moves that lead there.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = false)]
pub(crate) struct Args {
    /// The proof, plain or compressed by gzip.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    report(&args.file, &check(&args.file)?)
}

/// Says what a file shows. Fails if it leaves positions open.
pub(crate) fn report(file: &Path, checked: &Checked) -> anyhow::Result<()> {
    print(format!("{}: {}\n", file.display(), summary(checked)))?;
    let Some(first) = checked.open.first() else { return Ok(()) };
    let count = HumanCount(checked.head.open);
    checked.open.iter().take(LISTED).try_for_each(|moves| print(format!("open: {moves}\n")))?;
    let why = format!("not proven: open positions: {count}, the first after {first}");
    Err(Unfinished::Limited(why).into())
}

/// Checks a file.
pub(crate) fn check(file: &Path) -> anyhow::Result<Checked> {
    let unreadable = |error| Refusal::unreadable(file, &error);
    let input = File::open(file).map_err(unreadable)?;
    if input.metadata().map_err(unreadable)?.is_dir() {
        return Err(unreadable(ErrorKind::IsADirectory.into()).into());
    }
    let checked = tengen_proofs::check(BufReader::new(input), &CATALOG, &mut |_, _, _| ());
    checked.map_err(|why| Refusal(format!("{}: {why}", file.display())).into())
}

/// Says what a proof shows.
pub(crate) fn summary(checked: &Checked) -> String {
    let head = &checked.head;
    let after =
        if head.moves.is_empty() { String::new() } else { format!(" after {}", head.moves) };
    let (claim, rules, plies) = (head.claim.text(), &head.spec.rules, checked.plies);
    let [lines, played, open] = [head.positions, checked.played, head.open].map(HumanCount);
    let counts = format!("{lines} positions, {played} played through");
    match head.open {
        0 => format!("{rules}: {claim}{after} within {plies} plies; {counts}"),
        _ => format!("{rules}: not proven: {claim}{after}; open positions: {open}; {counts}"),
    }
}
