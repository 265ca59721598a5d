//! `tengen shelf grow`: lets a book grow from a position, where it matters most.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tengen_shelf::service::{GrowingBook, Searches};
use tengen_shelf::{Filter, Grown, Growth, Shelf};

use super::ask::{FilterArgs, PositionArgs, position, ruleset};
use super::failure;
use super::search::{Shown, ThreadArgs, check, search};
use crate::board::BoardArgs;
use crate::exit_status::{print, warn};
use crate::progress::Progress;

const EXAMPLES: &str = include_str!("../help/shelf_grow.txt").trim_ascii_end();

/// How many moves of a position get a value by default.
pub(super) const MULTI_PV: u16 = 5;

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

    /// How many moves of a position get a value [default: as many as when the book grew last, else 5].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=676))]
    multi_pv: Option<u16>,

    /// Search only positions of trees of variations: of all, or with --source of those of a file whose name contains it.
    #[arg(long)]
    trees: bool,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    #[command(flatten)]
    board: BoardArgs,
}

fn hours(text: &str) -> Result<Duration, String> {
    let hours = text.parse::<f64>().ok().filter(|hours| *hours > 0.0 && *hours <= 1e5);
    let hours =
        hours.ok_or_else(|| "a number of hours above 0, up to 100000, is needed".to_owned())?;
    Ok(Duration::from_secs_f64(hours * 3600.0))
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let ruleset = ruleset(shelf, &args.board, None)?;
    let from = position(&ruleset, &PositionArgs::of_moves(&args.from))?;
    shelf.keep_ruleset(&ruleset).map_err(failure)?;
    let known = Growth::width(shelf, &from).map_err(failure)?;
    let width = args.multi_pv.map(usize::from).or(known).unwrap_or(MULTI_PV.into());
    if let Some(known) = known.filter(|known| *known != width) {
        warn(&format!(
            "--multi-pv {width}: the book grew with {known}, and goes on as another one"
        ));
    }
    let until = Instant::now() + args.hours;
    let settings = args.threads.settings()?.with_multi_pv(width);
    let only = args.only(shelf, &ruleset.name)?;
    let book = GrowingBook::read(shelf, from, width, until, only).map_err(failure)?;
    let mut searches = Searches::new(book, args.nodes);
    let (workers, shown) = (args.threads.workers(), Shown::Until(until, Progress::new(None)));
    let end = search(&mut searches, &ruleset.spec, settings, workers, shown)?;
    searches.positions.finish().map_err(failure)?;
    print(summary(&searches.positions.growth.grown(), searches.started))?;
    check(&searches, &end)
}

impl Args {
    /// Returns the keys of the positions that may be searched: those of the trees or games that options choose; `None` for all.
    fn only(&self, shelf: &mut Shelf, ruleset: &str) -> anyhow::Result<Option<HashSet<i64>>> {
        if self.trees {
            let keys = shelf.keys_of_trees(ruleset, self.filter.source_of_trees()?);
            return Ok(Some(keys.map_err(failure)?));
        }
        let filter = Filter { ruleset: Some(ruleset.to_owned()), ..self.filter.filter(shelf)? };
        match filter.is_open() {
            true => Ok(None),
            false => Ok(Some(shelf.keys_of_games(&filter).map_err(failure)?)),
        }
    }
}

fn summary(grown: &Grown, searches: u64) -> String {
    let mut text = format!(
        "{searches} searches; the book has {} positions, {} of them searched\n",
        grown.positions, grown.searched
    );
    if let Some(value) = grown.value {
        text += &format!("value: {value}\n");
    }
    if let Some((value, line)) = &grown.worst {
        let line: Vec<String> = line.iter().map(|point| format!(" {point}")).collect();
        let after = if line.is_empty() { "" } else { " after" };
        text += &format!("worst leaf: {value}{after}{}\n", line.concat());
    }
    if let Some(cost) = grown.cost {
        text += &format!("next leaf: {:.2} from the best line\n", cost as f64 / 100.0);
    }
    text
}
