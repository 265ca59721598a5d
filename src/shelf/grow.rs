//! `tengen shelf grow`: lets a book grow from a position, where it matters most.

use std::time::{Duration, Instant};

use tengen_engine::backend::Settings;
use tengen_engine::cores;
use tengen_shelf::{Grown, Growth, PositionAsked, Shelf};

use super::ask::{PositionArgs, board, position, value_text};
use super::failure;
use super::searches::{Positions, Searched, Searches};
use crate::board::BoardArgs;
use crate::exit_status::print;
use crate::progress::Progress;
use crate::search_args::table_mib;

const EXAMPLES: &str = "\
Examples:
  tengen shelf grow --variant renju --from \"h8 i9\" --hours 8
      grow a book of renju after H8 I9; play from it by the option BookFile";

/// Let a book grow from a position: search next what matters most for its value.
///
/// The next position is the leaf whose line loses least against the best moves (drop-out expansion).
/// The values stay in the shelf. The same command goes on where an earlier one ended.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The moves that lead to the first position.
    #[arg(long, value_name = "MOVES", default_value = "")]
    from: String,

    /// How long it grows, such as 0.5.
    #[arg(long, value_name = "H", value_parser = hours)]
    hours: Duration,

    /// The nodes of each search.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// How many moves of a position get a value.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=676))]
    multi_pv: u16,

    /// Searches at a time [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    workers: Option<u16>,

    /// Size of the table of each search in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    #[command(flatten)]
    board: BoardArgs,
}

fn hours(text: &str) -> Result<Duration, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| *hours > 0.0 && *hours <= 1e5);
    let hours =
        hours.ok_or_else(|| "a number of hours above 0, up to 100000, is needed".to_owned())?;
    Ok(Duration::from_secs_f64(hours * 3600.0))
}

/// The leaves of a book that grows, and the shelf that keeps its values.
struct Leaves<'s> {
    shelf: &'s mut Shelf,
    growth: Growth,
    end: Instant,
}

impl Positions for Leaves<'_> {
    fn next(&mut self) -> Option<PositionAsked> {
        (Instant::now() < self.end).then(|| self.growth.take_leaf()).flatten()
    }

    fn keep(
        &mut self,
        position: &PositionAsked,
        found: &Searched,
    ) -> Result<(), tengen_shelf::Error> {
        self.growth.add(self.shelf, position, &found.analysis, &found.lines)
    }

    fn show(&self, started: u64, progress: &mut Progress) {
        let left = self.end.saturating_duration_since(Instant::now());
        progress.show(format!("{started} searches, {} minutes left", left.as_secs() / 60));
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let board = board(shelf, &args.board, None)?;
    let from = position(&board, &PositionArgs::of_moves(&args.from))?;
    shelf.keep_board(&board).map_err(failure)?;
    let width = usize::from(args.multi_pv);
    let settings = Settings::default()
        .with_hash_mib(table_mib(args.hash)?)
        .with_own_book(false)
        .with_multi_pv(width);
    let growth = Growth::read(shelf, from, width).map_err(failure)?;
    let workers = args.workers.map_or_else(cores, usize::from);
    let leaves = Leaves { shelf, growth, end: Instant::now() + args.hours };
    let mut searches = Searches::new(leaves, args.nodes);
    let end = searches.run(&board.spec, settings, workers, None)?;
    print(summary(&searches.positions.growth.grown(), searches.started))?;
    searches.check(&end)
}

fn summary(grown: &Grown, searches: u64) -> String {
    let mut text = format!(
        "{searches} searches; the book has {} positions, {} of them searched\n",
        grown.positions, grown.searched
    );
    if let Some(value) = grown.value {
        text += &format!("value: {}\n", value_text(value));
    }
    if let Some((value, line)) = &grown.worst {
        let line: Vec<String> = line.iter().map(|point| format!(" {point}")).collect();
        let after = if line.is_empty() { "" } else { " after" };
        text += &format!("worst leaf: {}{after}{}\n", value_text(*value), line.concat());
    }
    if let Some(cost) = grown.cost {
        text += &format!("next leaf: {:.2} from the best line\n", cost as f64 / 100.0);
    }
    text
}
