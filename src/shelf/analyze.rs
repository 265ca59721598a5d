//! `tengen shelf analyze`: searches positions that games reach often, and keeps the values.

use tengen_shelf::service::{OftenReached, Searches};
use tengen_shelf::{Filter, Shelf};

use super::ask::{FilterArgs, ruleset};
use super::failure;
use super::search::{Shown, ThreadArgs, check, search};
use crate::board::BoardArgs;
use crate::exit_status::{print, refuse};
use crate::progress::Progress;

const EXAMPLES: &str = include_str!("../help/shelf_analyze.txt").trim_ascii_end();

/// How many games must have reached a position by default.
const OFTEN: u64 = 5;

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

    /// Search positions that at least this many games reached, of those that options such as --player choose [default: 5].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    often: Option<u64>,

    /// Search the positions of trees of variations instead: of all, or with --source those of a file whose name contains it;
    /// "desk" is that of the trees of the shelf itself.
    #[arg(long, conflicts_with = "often")]
    trees: bool,

    /// Search again what was searched with fewer nodes.
    #[arg(long)]
    deeper: bool,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    board: BoardArgs,
}

impl Args {
    /// Returns how many games must have reached a position. Counts of all games have those of two at least.
    fn often(&self, filter: &Filter) -> anyhow::Result<u64> {
        match self.often {
            Some(1) if filter.is_open() => {
                refuse!(
                    "--often 1: choose games, such as by --player; of all games, 2 is the least"
                )
            }
            often => Ok(often.unwrap_or(OFTEN)),
        }
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let ruleset = ruleset(shelf, &args.board, None)?;
    let done = if args.deeper { args.nodes } else { 0 };
    let often = match args.trees {
        true => OftenReached::of_trees(shelf, &ruleset.name, done, args.filter.source_of_trees()?),
        false => {
            let ruleset = Some(ruleset.name.clone());
            let filter = Filter { ruleset, ..args.filter.filter(shelf)? };
            OftenReached::read(shelf, &filter, args.often(&filter)?, done)
        }
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
