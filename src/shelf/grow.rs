//! `tengen shelf grow`: lets a tree of values grow from a position, where it matters most.

use std::time::{Duration, Instant};

use tengen_engine::backend::Settings;
use tengen_engine::cores;
use tengen_runs::{Control, End, Error, Outcome, Refusal, Run, Task, Watcher, drive};
use tengen_shelf::{Grown, Growth, Shelf};

use super::analyze::{Search, Searched, start};
use super::ask::{PositionArgs, board, position, value_text};
use super::failure;
use crate::board::BoardArgs;
use crate::exit_status::{Unfinished, print};
use crate::progress::Progress;
use crate::serve::table_mib;

/// Let a book grow from a position: search next what matters most for its value.
///
/// The next position is the leaf whose line loses least against the best moves (drop-out expansion).
/// The values stay in the shelf. The same command goes on where an earlier one ended.
#[derive(clap::Args)]
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
    let hours = hours.ok_or_else(|| "a number of hours from 0 to 100000 is needed".to_owned())?;
    Ok(Duration::from_secs_f64(hours * 3600.0))
}

/// The searches of a run, and the tree that they let grow.
struct Growing<'s> {
    shelf: &'s mut Shelf,
    growth: Growth,
    end: Instant,
    nodes: u64,
    next: u64,
    retries: Vec<Task<Search>>,
    failed: Vec<String>,
}

impl Run for Growing<'_> {
    type Work = Search;
    type Record = ();
    const TASKS: &'static str = "searches";

    fn next(
        &mut self,
        _: usize,
        control: &mut Control<'_, Self>,
    ) -> Result<Option<Task<Search>>, Error> {
        if control.is_ending() || Instant::now() >= self.end {
            return Ok(None);
        }
        if let Some(task) = self.retries.pop() {
            return Ok(Some(task));
        }
        let Some(position) = self.growth.take_leaf() else { return Ok(None) };
        self.next += 1;
        let work = Search { position, nodes: self.nodes };
        Ok(Some(Task { id: self.next, attempt: 0, work }))
    }

    fn handle(
        &mut self,
        task: Task<Search>,
        outcome: Outcome<Searched>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        match outcome {
            Outcome::Finished(Searched { analysis, lines }) => {
                let position = &task.work.position;
                let added = self.growth.add(self.shelf, position, &analysis, &lines);
                added.map_err(|why| Error::Broken(why.to_string()))?;
                control.watcher.saved(self, &());
            }
            Outcome::Failed(why) => match task.next_attempt() {
                Some(task) => self.retries.push(task),
                None => self.failed.push(why),
            },
            Outcome::Aborted => {}
        }
        Ok(())
    }

    // Threads of this program never send a damaged result, and there is no journal.
    fn refused(&mut self, _: Refusal) -> Result<(), Error> {
        Ok(())
    }

    fn stopped(&mut self, _: &str) -> Result<(), Error> {
        Ok(())
    }
}

impl Watcher<Growing<'_>> for Progress {
    fn note(&mut self, text: &str) {
        self.print_error(&format!("tengen: {text}"));
    }

    fn saved(&mut self, run: &Growing<'_>, _: &()) {
        let left = run.end.saturating_duration_since(Instant::now());
        self.show(format!("{} positions, {} minutes left", run.next, left.as_secs() / 60));
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
    let mut threads = start(&board.spec, settings, workers)?;
    let mut run = Growing {
        shelf,
        growth,
        end: Instant::now() + args.hours,
        nodes: args.nodes,
        next: 0,
        retries: Vec::new(),
        failed: Vec::new(),
    };
    let mut progress = Progress::new(None);
    let end = drive(&mut run, &mut threads, &mut progress)?;
    drop(progress);
    print(summary(&run.growth.grown(), run.next))?;
    if let Some(why) = run.failed.first() {
        anyhow::bail!("{} positions could not be searched: {why}", run.failed.len());
    }
    match end {
        End::Interrupted => {
            Err(Unfinished::Interrupted("the same command continues".to_owned()).into())
        }
        _ => Ok(()),
    }
}

fn summary(grown: &Grown, searches: u64) -> String {
    let mut text = format!(
        "{searches} searches; the tree has {} positions, {} of them searched\n",
        grown.positions, grown.searched
    );
    if let Some(value) = grown.value {
        text += &format!("value: {}\n", value_text(value));
    }
    if let Some((value, line)) = &grown.worst {
        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
        text += &format!("worst leaf: {} after {}\n", value_text(*value), line.join(" "));
    }
    if let Some(cost) = grown.cost {
        text += &format!("next leaf: {:.2} from the best line\n", cost as f64 / 100.0);
    }
    text
}
