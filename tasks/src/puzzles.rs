//! Searches for puzzles: positions in games that have only one winning move, or one that wins sooner.
//!
//! `games` has the games and their positions, `search` searches them and makes the puzzles of `puzzle`, whose
//! solutions `traits` describes.
//! `run` is the run with its journal, and `output` writes the file.

mod games;
mod output;
mod puzzle;
mod run;
mod search;
mod traits;

use std::path::PathBuf;
use std::sync::Arc;

use sha2::Digest;
use tengen_engine::backend::Settings;
use tengen_protocol::judge::language::Language;
use tengen_runs::{End, NO_THREAD, TaskList, Watcher, drive};

pub use self::games::{Game, Positions};
use self::output::Found;
pub use self::puzzle::Grade;
pub use self::run::Wanted;
use self::run::{PuzzleTasks, SearchedPosition, start_workers};
pub use self::search::Effort;
use crate::console::open_folder;
use crate::{Console, Failure, Progress};

/// How puzzles are searched.
pub struct PuzzleOptions {
    /// The folder of the journal.
    pub folder: PathBuf,
    /// The table and the threads of each search.
    pub settings: Settings,
    /// How much is searched.
    pub effort: Effort,
    /// How many positions are searched in parallel.
    pub workers: usize,
    /// Which puzzles are written.
    pub wanted: Wanted,
}

/// The puzzles of games.
pub struct Puzzles {
    run: TaskList<PuzzleTasks>,
}

/// The message about the journal of another search, after the folder.
const OTHER: &str = "holds the search of other games, or with another --nodes, --judge-nodes, \
                     --unproven, --threads or --hash: another --journal is needed";

/// Searches the positions of games that the journal does not hold.
pub fn search(
    games: Vec<Arc<Game>>,
    positions: Positions,
    options: PuzzleOptions,
    console: &dyn Console,
) -> Result<Puzzles, Failure> {
    let PuzzleOptions { folder, settings, effort, workers, wanted } = options;
    let Positions { list, digest } = positions;
    let total = list.len();
    open_folder(&folder, "search for puzzles: --journal")?;
    let search = format!("{} {} {}", effort.id(), settings.threads, settings.hash_mib);
    let fingerprint = data_encoding::HEXLOWER.encode(&digest.chain_update(search).finalize());
    let tasks = PuzzleTasks::new(games, list, wanted);
    let mut run = TaskList::open(&folder, tasks, total as u64, &[fingerprint], OTHER)?;
    let workers = workers.clamp(1, total.max(1));
    let mut threads =
        start_workers(workers, settings, effort).map_err(Failure::because(NO_THREAD))?;
    console.on_interrupt(threads.interrupter())?;
    let mut show = Show { progress: console.progress(total as u64, run.done().len()) };
    show.count(&run, 0);
    let end = drive(&mut run, &mut threads, &mut show)?;
    if let Some(why) = run.failures.first() {
        let failed = run.failures.len();
        return Err(Failure::Failed(format!(
            "{failed} of {total} positions were not searched: {why}; this command searches them"
        )));
    }
    let searched = run.done().len();
    if end == End::Interrupted && !run.tasks.is_full() && searched < total as u64 {
        let why = format!("{searched} of {total} positions are searched; this command goes on");
        return Err(Failure::Interrupted(why));
    }
    Ok(Puzzles { run })
}

impl Puzzles {
    fn found(&self) -> Vec<Found<'_>> {
        let found = (1..).zip(self.run.tasks.found());
        found.map(|(number, (game, plies, puzzle))| Found { number, game, plies, puzzle }).collect()
    }

    /// Returns the puzzles as SGF, a game for each, with comments in `language`.
    pub fn sgf(&self, language: Language) -> Result<Vec<u8>, String> {
        output::sgf(&self.found(), language)
    }

    /// Returns the puzzles as JSON, an object on each line.
    pub fn jsonl(&self) -> Result<Vec<u8>, String> {
        let lines = self.found().iter().map(Found::json).collect::<Result<String, String>>();
        lines.map(String::into_bytes)
    }

    /// Returns how many puzzles of which grade were found.
    pub fn summary(&self) -> String {
        let found = self.found();
        let of = |grade: Grade| found.iter().filter(|found| found.puzzle.grade() == grade).count();
        let grades = Grade::ALL.map(|grade| format!("{} {}", of(grade), grade.name())).join(", ");
        format!("puzzles: {} ({grades}), positions: {}", found.len(), self.run.done().len())
    }
}

/// Shows the progress of a run.
struct Show {
    progress: Box<dyn Progress>,
}

impl Show {
    fn count(&self, run: &TaskList<PuzzleTasks>, positions: u64) {
        self.progress.steps(positions, format!("positions; {} puzzles", run.tasks.count()));
    }
}

impl Watcher<TaskList<PuzzleTasks>> for Show {
    fn note(&mut self, text: &str) {
        self.progress.note(text);
    }

    fn saved(&mut self, run: &TaskList<PuzzleTasks>, _: &SearchedPosition) {
        self.count(run, 1);
    }
}
