//! The choice of a move at a level below full strength, among the lines of a search.
//!
//! [`crate::level`] defines the strength of the levels.

use crate::game::rules::Game;
use crate::search::level::Level;
use crate::search::report::{Answer, Bound, Report};

/// The lines of the last iteration, from which the level chooses its move.
pub(super) struct Choice<G: Game> {
    level: Level,
    /// The score that multiplies the odds of a win by e (`WdlModel::spread`).
    unit: i64,
    root: G,
    lines: Vec<Report<G::Move>>,
}

impl<G: Game> Choice<G> {
    pub(super) fn new(level: Level, unit: i64, root: G) -> Self {
        Self { level, unit, root, lines: Vec::new() }
    }

    /// Adds a line. The first line of an iteration replaces all earlier lines.
    pub(super) fn add(&mut self, report: &Report<G::Move>) {
        if report.bound != Bound::Exact || report.pv.is_empty() {
            return;
        }
        if report.line == 1 {
            self.lines.clear();
        }
        self.lines.push(report.clone());
    }

    /// Returns the answer of the level. It replaces `best`, the answer of the search.
    pub(super) fn answer(&self, best: Answer<G::Move>) -> Answer<G::Move> {
        let (key, symmetry) = self.root.key();
        let code = |line: &Report<G::Move>| self.root.pack(line.pv[0], symmetry);
        let ranked: Vec<_> = self.lines.iter().map(|line| (code(line), line.score)).collect();
        let Some(place) = self.level.choose(&ranked, key, self.unit) else { return best };
        let Report { nodes, time, hashfull, probe_hits, .. } = best.report;
        let report =
            Report { line: 1, nodes, time, hashfull, probe_hits, ..self.lines[place].clone() };
        Answer {
            best: report.pv.first().copied(),
            ponder: report.pv.get(1).copied(),
            report,
            has_unreported: true,
            settled: None,
            bounds: None,
            counts: best.counts,
        }
    }
}
