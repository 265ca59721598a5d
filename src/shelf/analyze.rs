//! `tengen shelf analyze`: searches positions that games reach often, and keeps the values.

use tengen_shelf::Shelf;
use tengen_shelf::service::{OftenReached, Searches};

use super::ask::ruleset;
use super::failure;
use super::search::{Shown, ThreadArgs, check, search};
use crate::board::BoardArgs;
use crate::exit_status::print;
use crate::progress::Progress;

const EXAMPLES: &str = include_str!("../help/shelf_analyze.txt").trim_ascii_end();

/// Search the positions that games reach often, and keep their values.
///
/// A deeper search replaces a shallower one; a proof stays. A run that was interrupted continues with the
/// same command.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The nodes of each search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// Search positions that at least this many games reached.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(2..))]
    often: u64,

    /// Search the positions of trees of variations instead.
    #[arg(long, conflicts_with = "often")]
    trees: bool,

    /// With --trees: only the trees of a file whose name contains this text; "desk" is that of the trees of the shelf itself.
    #[arg(long, value_name = "NAME", requires = "trees")]
    source: Option<String>,

    /// Search again what was searched with fewer nodes.
    #[arg(long)]
    deeper: bool,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    board: BoardArgs,
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let ruleset = ruleset(shelf, &args.board, None)?;
    let done = if args.deeper { args.nodes } else { 0 };
    let often = match args.trees {
        true => OftenReached::of_trees(shelf, &ruleset.name, done, args.source.as_deref()),
        false => OftenReached::read(shelf, &ruleset.name, args.often, done),
    };
    let often = often.map_err(failure)?;
    let count = often.left();
    let mut searches = Searches::new(often, args.nodes);
    let workers = args.threads.workers().clamp(1, count.max(1));
    let shown = Shown::Count(Progress::new(Some(count as u64)));
    let end = search(&mut searches, &ruleset.spec, args.threads.settings()?, workers, shown)?;
    print(format!(
        "{}: {count} positions, {} values kept\n",
        ruleset.name, searches.positions.kept
    ))?;
    check(&searches, &end)
}
