//! Results of a search: a [`Report`] as it goes on, and one [`Answer`] at the end.

use std::time::Duration;

use crate::score::Score;
use crate::side::Side;
use crate::wdl::Wdl;

/// The relation of a score to the true value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// One line of analysis. `M` is the game's move inside the engine and text outside it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Report<M> {
    /// The iteration, in plies; 0 when none was finished.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// The rank of this line under MultiPV, from 1.
    pub line: usize,
    /// The score for the side to move at the root; plies count from the root.
    pub score: Score,
    /// The relation of the score to the true value.
    pub bound: Bound,
    /// The chances that go with the score, where they were asked for.
    pub wdl: Option<Wdl>,
    /// Nodes so far, over all threads.
    pub nodes: u64,
    /// The time since the search was asked for.
    pub time: Duration,
    /// How full the table is of this search's entries, in per mille.
    pub hashfull: u32,
    /// Book and solver hits so far.
    pub probe_hits: u64,
    /// The line, legal from the root on. Empty only when the game is over at the root.
    pub pv: Vec<M>,
}

/// The answer of a search, sent exactly once.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Answer<M> {
    /// The move to play; `None` only when there is none.
    pub best: Option<M>,
    /// The reply expected.
    pub ponder: Option<M>,
    /// The state of the best line at the end: what a last line before the answer should show.
    pub report: Report<M>,
    /// Whether `report` says more than the last report sent: the search was cut short or sent none.
    pub has_unreported: bool,
    /// What is proven of the position, if anything is.
    pub settled: Option<ProvenResult>,
    /// The proven bounds of the value, lower and upper, if a limit or a stop ended a proof early.
    pub bounds: Option<(Score, Score)>,
    /// Counts of the thread that answers.
    pub tally: SearchCounts,
}

/// A proven result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ProvenResult {
    /// Who wins; nobody when it is a draw.
    pub winner: Option<Side>,
    /// After how many plies the game ends, as far as that is known.
    pub plies: Option<u32>,
    /// The source of the proof.
    pub source: ProofSource,
}

impl ProvenResult {
    /// Returns the result that `winner` wins (nobody: a draw), after so many plies where that is
    /// known.
    pub const fn new(winner: Option<Side>, plies: Option<u32>, source: ProofSource) -> Self {
        Self { winner, plies, source }
    }
}

/// The source of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProofSource {
    /// Every line was searched as far as it matters.
    Search,
    /// An opening book holds the score of the position.
    Book,
    /// A solver found a win; its name is as in `proven by NAME`.
    Solver(&'static str),
}

impl ProofSource {
    /// Returns the source in a few words, such as `the opening book`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Book => "the opening book",
            Self::Solver(kind) => kind,
        }
    }
}

/// Counts of one search thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SearchCounts {
    /// The time in the search thread, from the start of the search to its end.
    pub time: Duration,
    /// Positions that the table settled.
    pub table_hits: u64,
    /// Nodes that were cut off by a searched move.
    pub cut_offs: u64,
    /// Cut-offs by the first move searched.
    pub first_cut_offs: u64,
}

impl<M: Clone> Answer<M> {
    /// Returns the answer if nothing was searched.
    pub fn blank(score: Score, best: Option<M>) -> Self {
        let report = Report::blank(score, best.clone());
        Self {
            best,
            ponder: None,
            report,
            has_unreported: true,
            settled: None,
            bounds: None,
            tally: SearchCounts::default(),
        }
    }

    /// Returns the answer with its moves written by `write`, which gets lines that begin at the
    /// root.
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
            tally: self.tally,
        }
    }
}

impl<M> Report<M> {
    /// Returns a report on a position that was not searched.
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

    /// Returns the report with its moves written by `write`.
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

    /// Returns the nodes per second; 0 while no time has passed.
    pub fn nps(&self) -> u64 {
        let micros = self.time.as_micros();
        if micros == 0 {
            return 0;
        }
        u64::try_from(u128::from(self.nodes) * 1_000_000 / micros).unwrap_or(u64::MAX)
    }
}
