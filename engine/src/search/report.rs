//! Results of a search: [`Report`]s while it runs, and one [`Answer`] at the end.

use std::time::Duration;

use crate::game::score::Score;
use crate::game::side::Side;
use crate::game::wdl::Wdl;
use crate::search::limits::Limits;

/// The relation of a score to the value of the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The score is the value.
    Exact,
    /// The value is at least the score.
    Lower,
    /// The value is at most the score.
    Upper,
}

/// One line of analysis. `M` is the move type of the game inside the search, and [`Move`] outside
/// it.
///
/// [`Move`]: crate::Move
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Report<M> {
    /// The depth of the iteration in plies; 0 if none was finished.
    pub depth: u32,
    /// The length of the longest line searched (selective depth), in plies.
    pub seldepth: u32,
    /// The rank of this line under MultiPV, from 1.
    pub line: usize,
    /// The score for the side to move at the root; plies count from the root.
    pub score: Score,
    /// The relation of the score to the value of the position.
    pub bound: Bound,
    /// The win, draw and loss chances; `None` if the game has no model of them.
    pub wdl: Option<Wdl>,
    /// The number of nodes so far, over all threads.
    pub nodes: u64,
    /// The time since the request.
    pub time: Duration,
    /// How full the table is with entries of this search, in per mille.
    pub hashfull: u32,
    /// The number of book and solver hits so far.
    pub probe_hits: u64,
    /// The principal variation from the root on. Empty if the game is over at the root, or if the
    /// score is that of the position in a book, and no move is known to reach it.
    pub pv: Vec<M>,
}

/// The answer of a search, sent exactly once.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Answer<M> {
    /// The move to play; `None` only if there is no legal move, or if the limits ask for the value
    /// alone and a book has it.
    pub best: Option<M>,
    /// The expected reply; `None` if it is unknown.
    pub ponder: Option<M>,
    /// The last report on the best line. Its score is that of the best move.
    pub report: Report<M>,
    /// Whether `report` is newer than the last report that was sent.
    pub has_unreported: bool,
    /// The proven result of the position; `None` if nothing is proven.
    pub settled: Option<ProvenResult>,
    /// The proven lower and upper bound of the value, if a limit or a stop ended a proof early.
    pub bounds: Option<(Score, Score)>,
    /// The counts of the main search thread.
    pub counts: SearchCounts,
}

/// A proven result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProvenResult {
    /// The winner; `None` for a draw.
    pub winner: Option<Side>,
    /// The number of plies to the end of the game; `None` if it is unknown.
    pub plies: Option<u32>,
    /// The source of the proof.
    pub source: ProofSource,
    /// Whether the best move is proven to reach the result. A book can prove the value of a position
    /// without a move. Then the best move is a guess, and the score is that of the guess.
    pub is_of_move: bool,
}

impl ProvenResult {
    /// Creates a result that the best move reaches. `winner` is `None` for a draw. `plies` is `None`
    /// if it is unknown.
    pub const fn new(winner: Option<Side>, plies: Option<u32>, source: ProofSource) -> Self {
        Self { winner, plies, source, is_of_move: true }
    }

    /// Returns whether a search under `limits` has nothing left to find: the best move reaches the
    /// result, or the limits ask for the value alone.
    pub fn is_whole(&self, limits: &Limits) -> bool {
        self.is_of_move || limits.proof.is_some()
    }

    /// Returns the score of the result for the side `turn`; `None` if the number of plies is unknown.
    pub fn score(&self, turn: Side) -> Option<Score> {
        match self.winner {
            None => Some(Score::DRAW),
            Some(winner) if winner == turn => self.plies.map(Score::win_in),
            Some(_) => self.plies.map(Score::loss_in),
        }
    }
}

/// The source of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProofSource {
    /// The search itself.
    Search,
    /// An opening book with the score of the position.
    Book,
    /// A solver with this name, as in `proven by NAME`.
    Solver(&'static str),
    /// A proof in a file. The number of plies is the largest that the opponent can reach.
    Proof,
}

impl ProofSource {
    /// Returns the name of the source, such as `the opening book`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Book => "the opening book",
            Self::Solver(kind) => kind,
            Self::Proof => "a proof",
        }
    }
}

/// Counts of one search thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SearchCounts {
    /// The time from the start of the search to its end, in the search thread.
    pub time: Duration,
    /// The number of cut-offs by the table.
    pub table_hits: u64,
    /// The number of cut-offs by a searched move.
    pub cut_offs: u64,
    /// The number of cut-offs by the first move searched.
    pub first_cut_offs: u64,
}

impl<M: Clone> Answer<M> {
    /// Creates the answer of a position that was not searched.
    pub fn blank(score: Score, best: Option<M>) -> Self {
        let report = Report::blank(score, best.clone());
        Self {
            best,
            ponder: None,
            report,
            has_unreported: true,
            settled: None,
            bounds: None,
            counts: SearchCounts::default(),
        }
    }

    /// Converts the moves of the answer by `write`, which gets lines that begin at the root.
    pub fn map<N>(self, write: impl Fn(Vec<M>) -> Vec<N>) -> Answer<N> {
        let moves = self.best.into_iter().chain(self.ponder).collect();
        let mut moves = write(moves).into_iter();
        Answer {
            best: moves.next(),
            ponder: moves.next(),
            report: self.report.map(write),
            has_unreported: self.has_unreported,
            settled: self.settled,
            bounds: self.bounds,
            counts: self.counts,
        }
    }
}

impl<M> Report<M> {
    /// Creates a report on a position that was not searched.
    pub fn blank(score: Score, best: Option<M>) -> Self {
        Self {
            depth: 0,
            seldepth: 0,
            line: 1,
            score,
            bound: Bound::Exact,
            wdl: None,
            nodes: 0,
            time: Duration::ZERO,
            hashfull: 0,
            probe_hits: 0,
            pv: best.into_iter().collect(),
        }
    }

    /// Converts the moves of the report by `write`.
    pub fn map<N>(self, write: impl FnOnce(Vec<M>) -> Vec<N>) -> Report<N> {
        Report {
            depth: self.depth,
            seldepth: self.seldepth,
            line: self.line,
            score: self.score,
            bound: self.bound,
            wdl: self.wdl,
            nodes: self.nodes,
            time: self.time,
            hashfull: self.hashfull,
            probe_hits: self.probe_hits,
            pv: write(self.pv),
        }
    }

    /// Returns the nodes per second; 0 if no time has passed.
    pub fn nps(&self) -> u64 {
        let micros = self.time.as_micros();
        if micros == 0 {
            return 0;
        }
        u64::try_from(u128::from(self.nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
    }
}
