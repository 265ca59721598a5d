//! [`Job`]: a position to search and how; [`SearchResult`]: what came of it. [`RankedLines`] gathers the lines of
//! a search as they are reported.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tengen_engine::backend::{Go, Settings};
use tengen_engine::opening::MoveRanking;
use tengen_engine::{Answer, Limits, Move, Position, Report};

/// A position to search and how.
pub struct Job {
    /// The position.
    pub position: Box<dyn Position>,
    /// When to end.
    pub limits: Limits,
    /// Only these moves; all when empty.
    pub search_moves: Vec<Move>,
    /// What the backend is set to. The size of a worker's table is the pool's.
    pub settings: Settings,
    /// Whether the table is emptied first.
    pub is_fresh: bool,
    /// Whether it is searched with a table that its session keeps; else with a worker's.
    pub keeps_table: bool,
    /// From when time counts: from the start of the search without an instant.
    pub received: Option<Instant>,
    /// What is made of the search's reports.
    pub reports: Reports,
}

/// What is made of the reports of a search.
#[derive(Clone)]
pub enum Reports {
    /// Nothing: its answer is enough.
    Dropped,
    /// Its lines are gathered until its end.
    Gathered,
    /// Its lines are gathered, and each report is told.
    Told,
    /// Each report and each note is passed on as it is.
    PassedOn,
    /// The moves are ranked over all iterations.
    Ranked(Arc<Mutex<MoveRanking>>),
}

impl Reports {
    /// Returns what becomes of reports where lines are needed at the end, and perhaps told before.
    pub fn lines(are_needed: bool, are_told: bool) -> Self {
        match (are_told, are_needed) {
            (true, _) => Self::Told,
            (false, true) => Self::Gathered,
            (false, false) => Self::Dropped,
        }
    }
}

impl Job {
    /// Returns the search to start at this instant.
    pub fn go(&self, now: Instant) -> Go {
        let mut go = Go::new(self.limits.clone(), self.received.unwrap_or(now));
        go.search_moves.clone_from(&self.search_moves);
        go
    }

    /// Subtracts the time that a search has already used.
    pub fn spend(&mut self, time: Duration) {
        if let Some(left) = &mut self.limits.movetime {
            *left = left.saturating_sub(time).max(Duration::from_millis(1));
        }
    }
}

/// What a search has found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// Its answer.
    pub answer: Answer<Move>,
    /// The moves that were ranked, best first.
    pub lines: Vec<Report<Move>>,
}

/// Why a search gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// There is no memory for its table.
    NoMemory(String),
    /// It broke off.
    Internal(String),
}

/// The lines of a search. A search ranks its moves anew in each iteration; until the new ranks are
/// complete, those of the iteration before fill the list.
#[derive(Clone, Debug)]
pub struct RankedLines<M = Move> {
    current: Vec<Report<M>>,
    before: Vec<Report<M>>,
}

impl<M> Default for RankedLines<M> {
    fn default() -> Self {
        Self { current: Vec::new(), before: Vec::new() }
    }
}

impl<M: Clone + PartialEq> RankedLines<M> {
    /// Adds a report.
    pub fn note(&mut self, report: Report<M>) {
        if report.line == 1 && !self.current.is_empty() && self.current[0].depth < report.depth {
            self.before = self.merged();
            self.current.clear();
        }
        self.current.truncate(report.line - 1);
        self.current.push(report);
    }

    /// Returns what is known of each move, best first.
    pub fn merged(&self) -> Vec<Report<M>> {
        let mut lines = self.current.clone();
        let length = self.before.len();
        for old in &self.before {
            if lines.len() >= length {
                break;
            }
            if lines.iter().all(|line| line.pv.first() != old.pv.first()) {
                lines.push(old.clone());
            }
        }
        lines
    }

    /// Returns the lines at the end of a search, best first. The line of the answer is put first unless
    /// one with its depth, score and first move is there. So a weaker level of play, which may choose
    /// another move than the best, changes no ranks.
    pub fn at_end(self, answer: &Answer<M>) -> Vec<Report<M>> {
        let last = &answer.report;
        let mut lines = self.merged();
        let is_known = |line: &Report<M>| {
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
    fn an_iteration_that_is_not_complete_is_filled_from_the_one_before() {
        let mut lines = RankedLines::default();
        for (depth, rank, first) in [(4, 1, 10), (4, 2, 20), (4, 3, 30)] {
            lines.note(report(depth, rank, first));
        }
        assert_eq!(shown(&lines.merged()), [(4, 10), (4, 20), (4, 30)]);
        lines.note(report(5, 1, 30));
        assert_eq!(shown(&lines.merged()), [(5, 30), (4, 10), (4, 20)]);
        lines.note(report(5, 2, 40));
        assert_eq!(shown(&lines.merged()), [(5, 30), (5, 40), (4, 10)]);
        // The same rank again, with another score, takes the place of the first.
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
    fn the_choice_of_a_level_changes_no_ranks() {
        let mut lines = RankedLines::default();
        for (rank, first) in [(1, 10), (2, 20), (3, 30)] {
            lines.note(report(4, rank, first));
        }
        let mut answer = Answer::blank(Score::heuristic(9), Some(Move::from_code(20)));
        answer.report.depth = 4;
        assert_eq!(shown(&lines.at_end(&answer)), [(4, 10), (4, 20), (4, 30)]);
    }
}
