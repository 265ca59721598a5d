//! `tengen shelf analyze`: searches positions that games reach often, and keeps the values.

use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::cores;
use tengen_games::CATALOG;
use tengen_shelf::{PositionAsked, Shelf};

use super::ask::board;
use super::failure;
use super::searches::{Positions, Searched, Searches, set_up};
use crate::board::BoardArgs;
use crate::exit_status::print;
use crate::progress::Progress;
use crate::search_args::table_mib;

const EXAMPLES: &str = "\
Examples:
  tengen shelf analyze --nodes 100000
      search the positions that at least five games reached
  tengen shelf analyze --nodes 1000000 --often 20 --deeper
      search the most frequent ones again, with more nodes";

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

    /// Search again what was searched with fewer nodes.
    #[arg(long)]
    deeper: bool,

    /// Searches at a time [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    workers: Option<u16>,

    /// Size of the table of each search in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    #[command(flatten)]
    board: BoardArgs,
}

/// Positions that games reach often, and the shelf that keeps their values.
struct Often<'s> {
    shelf: &'s mut Shelf,
    open: std::vec::IntoIter<PositionAsked>,
    kept: u64,
}

impl Positions for Often<'_> {
    fn next(&mut self) -> Option<PositionAsked> {
        self.open.next()
    }

    fn keep(
        &mut self,
        position: &PositionAsked,
        found: &Searched,
    ) -> Result<(), tengen_shelf::Error> {
        self.kept += u64::from(self.shelf.keep_analysis(position, &found.analysis)?);
        Ok(())
    }

    fn show(&self, _: u64, progress: &mut Progress) {
        progress.step();
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let board = board(shelf, &args.board, None)?;
    let done = if args.deeper { args.nodes } else { 0 };
    let often = shelf.often(&board.name, args.often, done).map_err(failure)?;
    let positions = often.into_iter().map(|often| often.position).filter(|asked| !is_over(asked));
    let positions: Vec<PositionAsked> = positions.collect();
    let count = positions.len();
    let settings = Settings::default().with_hash_mib(table_mib(args.hash)?).with_own_book(false);
    let workers = args.workers.map_or_else(cores, usize::from).clamp(1, count.max(1));
    let often = Often { shelf, open: positions.into_iter(), kept: 0 };
    let mut searches = Searches::new(often, args.nodes);
    let end = searches.run(&board.spec, settings, workers, Some(count as u64))?;
    print(format!("{}: {count} positions, {} values kept\n", board.name, searches.positions.kept))?;
    searches.check(&end)
}

/// Returns whether the game is over in a position.
fn is_over(asked: &PositionAsked) -> bool {
    let mut position = CATALOG.position(&asked.board().spec);
    set_up(position.as_mut(), asked).is_err() || position.outcome().is_some()
}
