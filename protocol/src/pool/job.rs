//! [`Job`]: a search for the pool. [`SearchResult`]: its result. [`RankedLines`] collects the reported
//! lines of a search.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tengen_engine::backend::{Go, Settings};
use tengen_engine::opening::MoveRanking;
use tengen_engine::{Answer, Instant, Limits, Move, Position, Report, SearchError};

/// A search for the pool.
pub struct Job {
    /// The position to search.
    pub position: Box<dyn Position>,
    /// When the search ends.
    pub limits: Limits,
    /// The moves to search; all when empty.
    pub search_moves: Vec<Move>,
    /// The settings of the backend. For a worker's table, the pool replaces the size.
    pub settings: Settings,
    /// Whether the table is cleared first.
    pub is_fresh: bool,
    /// Whether to use the table that the session keeps between searches, instead of a worker's.
    pub keeps_table: bool,
    /// Whether the client plays or goes through a game, see [`Go::follows_game`].
    pub follows_game: bool,
    /// From when the time counts; `None` for the start of the search.
    pub received: Option<Instant>,
    /// How the pool handles reports of the search.
    pub reports: ReportMode,
}

/// How the pool handles reports of a search.
#[derive(Clone)]
pub enum ReportMode {
    /// Drop reports: only the answer is needed.
    Dropped,
    /// Collect the lines for the end of the search.
    Collected,
    /// Collect the lines, and send them to the session after each report.
    Updated,
    /// Forward each report to the session unchanged.
    Forwarded,
    /// Rank the moves over all iterations.
    Ranked(Arc<Mutex<MoveRanking>>),
}

impl ReportMode {
    /// Returns the mode for a search whose lines are needed at the end (`at_end`) or also during
    /// the search (`during_search`).
    pub fn lines(at_end: bool, during_search: bool) -> Self {
        match (during_search, at_end) {
            (true, _) => Self::Updated,
            (false, true) => Self::Collected,
            (false, false) => Self::Dropped,
        }
    }
}

impl Job {
    /// Returns the parameters of the search, which starts at `now`.
    pub fn go(&self, now: Instant) -> Go {
        let mut go = Go::new(self.limits.clone(), self.received.unwrap_or(now));
        go.search_moves.clone_from(&self.search_moves);
        go.follows_game = self.follows_game;
        go
    }

    /// Subtracts the time that the search has already used.
    pub fn spend(&mut self, time: Duration) {
        if let Some(left) = &mut self.limits.movetime {
            *left = left.saturating_sub(time).max(Duration::from_millis(1));
        }
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The answer.
    pub answer: Answer<Move>,
    /// The ranked lines, best first.
    pub lines: Vec<Report<Move>>,
}

/// Why a search gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// There is no memory for the table, or no thread for the search.
    NoMemory(String),
    /// The search broke off.
    Internal(String),
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Table(_)
            | SearchError::NoMemory
            | SearchError::NoThread
            | SearchError::NoThreads => Self::NoMemory(error.cause()),
            _ => Self::Internal(error.cause()),
        }
    }
}

/// The ranked lines of a search. Each iteration ranks the moves again. While the new ranking is
/// incomplete, lines of the iteration before fill it up.
#[derive(Clone, Debug, Default)]
pub struct RankedLines {
    current: Vec<Report<Move>>,
    previous: Vec<Report<Move>>,
}

impl RankedLines {
    /// Adds a report.
    pub fn note(&mut self, report: Report<Move>) {
        if report.line == 1 && !self.current.is_empty() && self.current[0].depth < report.depth {
            self.previous = self.merged();
            self.current.clear();
        }
        self.current.truncate(report.line - 1);
        self.current.push(report);
    }

    /// Returns the latest line of each move, best first.
    pub fn merged(&self) -> Vec<Report<Move>> {
        let mut lines = self.current.clone();
        let length = self.previous.len();
        for old in &self.previous {
            if lines.len() >= length {
                break;
            }
            if lines.iter().all(|line| line.pv.first() != old.pv.first()) {
                lines.push(old.clone());
            }
        }
        lines
    }

    /// Returns the lines at the end of a search, best first. The line of `answer` comes first,
    /// unless the list already has a line with its depth, score and first move: a weakened search
    /// may answer with a worse move, which keeps its rank.
    pub fn at_end(self, answer: &Answer<Move>) -> Vec<Report<Move>> {
        let last = &answer.report;
        let mut lines = self.merged();
        let is_known = |line: &Report<Move>| {
            (line.depth, line.score) == (last.depth, last.score)
                && line.pv.first() == last.pv.first()
        };
        if last.pv.is_empty() || lines.iter().any(is_known) {
            return lines;
        }
        lines.retain(|line| line.pv.first() != last.pv.first());
        lines.insert(0, last.clone());
        lines
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Score;

    use super::*;

    fn report(depth: u32, line: usize, first: u32) -> Report<Move> {
        let mut report = Report::blank(Score::heuristic(9), Some(Move::from_code(first)));
        (report.depth, report.line) = (depth, line);
        report
    }

    fn shown(lines: &[Report<Move>]) -> Vec<(u32, u32)> {
        lines.iter().map(|line| (line.depth, line.pv[0].code())).collect()
    }

    #[test]
    fn an_incomplete_iteration_is_filled_up_from_the_one_before() {
        let mut lines = RankedLines::default();
        for (depth, rank, first) in [(4, 1, 10), (4, 2, 20), (4, 3, 30)] {
            lines.note(report(depth, rank, first));
        }
        assert_eq!(shown(&lines.merged()), [(4, 10), (4, 20), (4, 30)]);
        lines.note(report(5, 1, 30));
        assert_eq!(shown(&lines.merged()), [(5, 30), (4, 10), (4, 20)]);
        lines.note(report(5, 2, 40));
        assert_eq!(shown(&lines.merged()), [(5, 30), (5, 40), (4, 10)]);
        // A second report of a rank replaces the first one.
        lines.note(report(5, 2, 20));
        assert_eq!(shown(&lines.merged()), [(5, 30), (5, 20), (4, 10)]);
    }

    #[test]
    fn the_answer_s_line_comes_first_at_the_end() {
        let mut lines = RankedLines::default();
        for (depth, rank, first) in [(4, 1, 10), (4, 2, 20)] {
            lines.note(report(depth, rank, first));
        }
        let mut answer = Answer::blank(Score::heuristic(7), Some(Move::from_code(20)));
        answer.report.depth = 5;
        assert_eq!(shown(&lines.clone().at_end(&answer)), [(5, 20), (4, 10)]);
        answer.report.pv.clear();
        assert_eq!(shown(&lines.at_end(&answer)), [(4, 10), (4, 20)]);
    }

    #[test]
    fn a_weaker_move_of_a_level_keeps_its_rank() {
        let mut lines = RankedLines::default();
        for (rank, first) in [(1, 10), (2, 20), (3, 30)] {
            lines.note(report(4, rank, first));
        }
        let mut answer = Answer::blank(Score::heuristic(9), Some(Move::from_code(20)));
        answer.report.depth = 4;
        assert_eq!(shown(&lines.at_end(&answer)), [(4, 10), (4, 20), (4, 30)]);
    }
}
