//! `tengen check`: checks a proof by the rules of its game alone.

use std::fs::File;
use std::io::{BufReader, ErrorKind};
use std::path::{Path, PathBuf};

use indicatif::HumanCount;
use tengen_games::CATALOG;
use tengen_proofs::Checked;

use crate::exit_status::{Refusal, print};

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
    let checked = check(&args.file)?;
    print(format!("{}: {}\n", args.file.display(), summary(&checked)))
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
    let [lines, played] = [head.positions, checked.played].map(HumanCount);
    format!(
        "{rules}: {claim}{after} within {plies} plies; {lines} positions, {played} played through"
    )
}
