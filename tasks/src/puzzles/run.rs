//! [`PuzzleTasks`]: the positions of a collection as tasks. What each position is goes into the journal,
//! and the puzzles to write are chosen.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tengen_engine::Signal;
use tengen_engine::backend::Settings;
use tengen_runs::journal::Journaled;
use tengen_runs::{Task, Tasks, Threads, Work, Worker};

use super::games::{Game, PositionId};
use super::puzzle::{Grade, Puzzle};
use super::search::{Effort, Finder};

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

/// A position that was searched.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "position")]
pub(super) struct SearchedPosition {
    /// The index of the position, from 0.
    id: u64,
    /// `None` if the position is no puzzle.
    puzzle: Option<Puzzle>,
}

impl Journaled for SearchedPosition {
    const UNIT: &'static str = "position";
    const HOLDER: &'static str = "another search for puzzles works";

    fn result_of(&self) -> Option<u64> {
        Some(self.id)
    }
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

/// The positions of games, and the puzzles among them.
pub(super) struct PuzzleTasks {
    games: Vec<Arc<Game>>,
    positions: Vec<PositionId>,
    choice: Choice,
}

impl PuzzleTasks {
    pub(super) fn new(games: Vec<Arc<Game>>, positions: Vec<PositionId>, wanted: Wanted) -> Self {
        let choice = Choice {
            wanted,
            next: 0,
            waiting: BTreeMap::new(),
            continued: HashSet::new(),
            found: Vec::new(),
        };
        Self { games, positions, choice }
    }

    /// Returns whether all puzzles that are wanted are found.
    pub(super) fn is_full(&self) -> bool {
        self.choice.is_full()
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

impl Tasks for PuzzleTasks {
    type Work = PositionWork;
    type Record = SearchedPosition;
    const TASKS: &'static str = "positions";

    fn work(&mut self, id: u64) -> Option<PositionWork> {
        let at = self.positions.get(id as usize).filter(|_| !self.choice.is_full())?;
        Some(PositionWork { game: Arc::clone(&self.games[at.game]), plies: at.plies })
    }

    fn record(task: Task<PositionWork>, puzzle: Option<Puzzle>) -> SearchedPosition {
        SearchedPosition { id: task.id, puzzle }
    }

    fn keep(&mut self, searched: &SearchedPosition) {
        self.choice.waiting.insert(searched.id, searched.puzzle.clone());
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

/// Starts threads that search positions, each with this effort.
pub(super) fn start_workers(
    count: usize,
    settings: Settings,
    effort: Effort,
) -> std::io::Result<Threads<PositionWork>> {
    let signal = Arc::new(Signal::default());
    let work = |_| {
        let signal = Arc::clone(&signal);
        move |worker: Worker<PositionWork>| {
            let mut finder = Finder::new(settings, effort, Arc::clone(&signal));
            worker.serve(|| signal.is_stopped(), |work| finder.find(&work.game, work.plies));
        }
    };
    let stop = {
        let signal = Arc::clone(&signal);
        move || signal.stop()
    };
    Threads::start("puzzles", (0..count).map(work), stop)
}
