//! [`PuzzleRun`]: the search of all positions of a collection. It journals what each position is, and
//! chooses the puzzles to write.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tengen_engine::Signal;
use tengen_engine::backend::Settings;
use tengen_runs::journal::{Journal, Journaled, StopRecord};
use tengen_runs::{Control, Error, Outcome, Refusal, Run, Task, Threads, Work, Worker};

use super::games::{Game, PositionId};
use super::puzzle::{Grade, Puzzle};
use super::search::Finder;

/// The version of the journal format.
const VERSION: u32 = 1;

/// The greatest number of results in one write of the journal.
const MAX_UNSAVED: usize = 256;

/// The search of a position.
#[derive(Clone)]
pub(super) struct PositionWork {
    game: Arc<Game>,
    plies: usize,
}

impl Work for PositionWork {
    type Result = Option<Puzzle>;
    type View = ();
}

/// A record of the journal.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum PuzzleRecord {
    /// The first record: identifies the positions and the searches.
    Head(PuzzleHead),
    /// A position was searched.
    Position(SearchedPosition),
    /// A result that does not count.
    Refused(Refusal),
    /// The run was interrupted.
    Stop(StopRecord),
}

impl Journaled for PuzzleRecord {
    const UNIT: &'static str = "position";
    const HOLDER: &'static str = "another search for puzzles works";

    fn result_of(&self) -> Option<u64> {
        match self {
            Self::Position(searched) => Some(searched.id),
            _ => None,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct PuzzleHead {
    /// The version of the record format.
    version: u32,
    /// The program that wrote the journal.
    program: String,
    /// The SHA-256 of the positions and of the settings of the search, in hexadecimal.
    fingerprint: String,
    /// The number of positions.
    positions: u64,
}

/// A position that was searched.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct SearchedPosition {
    /// The index of the position, from 0.
    id: u64,
    /// `None` if the position is no puzzle.
    puzzle: Option<Puzzle>,
}

/// Which puzzles are written.
pub struct Wanted {
    /// The grades.
    pub grades: Vec<Grade>,
    /// The greatest number of puzzles.
    pub limit: usize,
}

/// The puzzles to write, chosen in the order of the positions.
struct Choice {
    wanted: Wanted,
    /// The position whose result comes next.
    next: u64,
    /// Results that wait for those of earlier positions.
    waiting: BTreeMap<u64, Option<Puzzle>>,
    /// Positions that a game reached by the solution of a puzzle.
    continued: HashSet<PositionId>,
    found: Vec<(PositionId, Puzzle)>,
}

/// The search of all positions.
pub(super) struct PuzzleRun {
    games: Vec<Arc<Game>>,
    positions: Vec<PositionId>,
    journal: Journal<PuzzleRecord>,
    /// The index of the next position.
    next: usize,
    /// Failed searches to repeat.
    retries: Vec<Task<PositionWork>>,
    /// Results that are not in the journal yet.
    unsaved: Vec<SearchedPosition>,
    choice: Choice,
    /// Why positions were not searched.
    pub(super) failures: Vec<String>,
}

impl PuzzleRun {
    /// Opens the journal in `folder` and continues after its records. `fingerprint` identifies
    /// positions and searches.
    pub(super) fn open(
        folder: &Path,
        games: Vec<Arc<Game>>,
        positions: Vec<PositionId>,
        fingerprint: String,
        wanted: Wanted,
    ) -> Result<Self, Error> {
        let (mut journal, records) = Journal::open(folder)?;
        match records.first() {
            None => {
                let program = concat!("tengen ", env!("CARGO_PKG_VERSION")).to_owned();
                let positions = positions.len() as u64;
                let head = PuzzleHead { version: VERSION, program, fingerprint, positions };
                journal.append(&[PuzzleRecord::Head(head)])?;
            }
            Some(PuzzleRecord::Head(head))
                if head.version == VERSION && head.fingerprint == fingerprint => {}
            Some(_) => {
                let folder = folder.display();
                return Err(Error::OtherRun(format!(
                    "{folder} holds the search of other games, or with another --nodes, --threads or \
                     --hash: another --journal is needed"
                )));
            }
        }
        let choice = Choice {
            wanted,
            next: 0,
            waiting: BTreeMap::new(),
            continued: HashSet::new(),
            found: Vec::new(),
        };
        let (retries, unsaved, failures) = (Vec::new(), Vec::new(), Vec::new());
        let mut run =
            Self { games, positions, journal, next: 0, retries, unsaved, choice, failures };
        for record in records {
            if let PuzzleRecord::Position(searched) = record {
                run.choose(searched);
            }
        }
        Ok(run)
    }

    /// Returns the number of positions whose results are in the journal.
    pub(super) fn searched(&self) -> u64 {
        self.journal.results().len()
    }

    /// Returns whether all puzzles that are wanted are found.
    pub(super) fn is_done(&self) -> bool {
        self.choice.is_full() || self.searched() == self.positions.len() as u64
    }

    /// Returns the number of puzzles found so far.
    pub(super) fn count(&self) -> usize {
        self.choice.found.len()
    }

    /// Returns the puzzles, each with its game and the number of the game's moves before it.
    pub(super) fn found(&self) -> impl Iterator<Item = (&Game, usize, &Puzzle)> {
        let found = self.choice.found.iter();
        found.map(|(at, puzzle)| (&*self.games[at.game], at.plies, puzzle))
    }

    fn choose(&mut self, searched: SearchedPosition) {
        self.choice.waiting.insert(searched.id, searched.puzzle);
        while let Some(puzzle) = self.choice.waiting.remove(&self.choice.next) {
            let at = self.positions.get(self.choice.next as usize).copied();
            self.choice.next += 1;
            if let (Some(puzzle), Some(at)) = (puzzle, at) {
                let game = Arc::clone(&self.games[at.game]);
                self.choice.add(at, puzzle, &game);
            }
        }
    }
}

impl Choice {
    fn is_full(&self) -> bool {
        self.found.len() >= self.wanted.limit
    }

    /// Adds a puzzle that is wanted, unless it continues another one of its game.
    fn add(&mut self, at: PositionId, puzzle: Puzzle, game: &Game) {
        let is_continued = self.continued.contains(&at);
        let played = game.spec.grid.zip(game.moves.get(at.plies));
        let played = played.and_then(|(notation, mv)| notation.point_of(*mv));
        if played.map(|point| point.to_string()).as_ref() == puzzle.line.first() {
            self.continued.insert(PositionId { plies: at.plies + 2, ..at });
        }
        if !is_continued && !self.is_full() && self.wanted.grades.contains(&puzzle.grade()) {
            self.found.push((at, puzzle));
        }
    }
}

impl Run for PuzzleRun {
    type Work = PositionWork;
    type Record = SearchedPosition;
    const TASKS: &'static str = "positions";

    fn next(
        &mut self,
        _: usize,
        control: &mut Control<'_, Self>,
    ) -> Result<Option<Task<PositionWork>>, Error> {
        if control.is_ending() || self.choice.is_full() {
            return Ok(None);
        }
        if let Some(task) = self.retries.pop() {
            return Ok(Some(task));
        }
        while self.journal.results().contains(self.next as u64) {
            self.next += 1;
        }
        let Some(at) = self.positions.get(self.next) else { return Ok(None) };
        let work = PositionWork { game: Arc::clone(&self.games[at.game]), plies: at.plies };
        let id = self.next as u64;
        self.next += 1;
        Ok(Some(Task { id, attempt: 0, work }))
    }

    fn handle(
        &mut self,
        task: Task<PositionWork>,
        outcome: Outcome<Option<Puzzle>>,
        control: &mut Control<'_, Self>,
    ) -> Result<(), Error> {
        match outcome {
            Outcome::Aborted => {}
            Outcome::Failed(why) => match task.next_attempt() {
                Some(task) => self.retries.push(task),
                None => self.failures.push(why),
            },
            Outcome::Finished(puzzle) => {
                self.unsaved.push(SearchedPosition { id: task.id, puzzle });
                if self.unsaved.len() == MAX_UNSAVED {
                    self.flush(control)?;
                }
            }
        }
        Ok(())
    }

    fn flush(&mut self, control: &mut Control<'_, Self>) -> Result<(), Error> {
        let searched = std::mem::take(&mut self.unsaved);
        let records: Vec<_> = searched.iter().cloned().map(PuzzleRecord::Position).collect();
        if records.is_empty() {
            return Ok(());
        }
        self.journal.append(&records)?;
        for searched in searched {
            self.choose(searched.clone());
            control.watcher.saved(self, &searched);
        }
        Ok(())
    }

    fn refused(&mut self, refusal: Refusal) -> Result<(), Error> {
        self.journal.append(&[PuzzleRecord::Refused(refusal)])
    }

    fn stopped(&mut self, why: &str) -> Result<(), Error> {
        if self.is_done() {
            return Ok(());
        }
        self.journal.append(&[PuzzleRecord::Stop(StopRecord { why: why.to_owned() })])
    }
}

/// Starts threads that search positions, each with a limit of `nodes` for each search.
pub(super) fn start_workers(
    count: usize,
    settings: Settings,
    nodes: u64,
) -> std::io::Result<Threads<PositionWork>> {
    let signal = Arc::new(Signal::default());
    let work = |_| {
        let signal = Arc::clone(&signal);
        move |worker: Worker<PositionWork>| search_all(&worker, settings, nodes, &signal)
    };
    let stop = {
        let signal = Arc::clone(&signal);
        move || signal.stop()
    };
    Threads::start("puzzles", (0..count).map(work), stop)
}

/// Searches positions until there are none.
fn search_all(worker: &Worker<PositionWork>, settings: Settings, nodes: u64, signal: &Arc<Signal>) {
    let mut finder = Finder::new(settings, nodes, Arc::clone(signal));
    while let Some(task) = worker.next() {
        worker.started(&task);
        let found = finder.find(&task.work.game, task.work.plies);
        let outcome = match found {
            Ok(_) if signal.is_stopped() => Outcome::Aborted,
            Ok(puzzle) => Outcome::Finished(puzzle),
            Err(why) => Outcome::Failed(why),
        };
        worker.finished(task, outcome);
    }
}
