//! [`SearchSummary`]: the result of a search, one line for each ranked move.

use tengen_engine::{Bound, GameSpec, Move, Report, Score, Wdl};

/// A line of a search. Its first move is the move that it ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BestLine {
    /// The score for the side to move.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The chances of the side to move; `None` if the game has no model for them.
    pub wdl: Option<Wdl>,
    /// Whether a draw is proven.
    pub is_draw: bool,
    /// The moves, not empty.
    pub moves: Vec<Move>,
}

/// The result of a search. Lines are in order of rank.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SearchSummary {
    /// The lines, the best first.
    pub lines: Vec<BestLine>,
    /// The iteration of the last report, in plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Nodes a second.
    pub nps: u64,
    /// Whether the search has ended.
    pub is_complete: bool,
}

impl SearchSummary {
    /// Adds a report. `plies_left` is an upper bound on the plies that can still be played.
    pub(crate) fn note(&mut self, report: &Report<Move>, spec: &GameSpec, plies_left: u32) {
        if report.pv.is_empty() || report.line == 0 || report.line > self.lines.len() + 1 {
            return;
        }
        let is_whole = report.bound == Bound::Exact && report.depth >= plies_left;
        let line = BestLine {
            score: report.score,
            bound: report.bound,
            wdl: report.wdl,
            is_draw: spec.is_exact && is_whole && report.score == Score::DRAW,
            moves: report.pv.clone(),
        };
        // An earlier iteration may have given the move another rank, but each move has one line.
        let same = |known: &BestLine| known.moves.first() == line.moves.first();
        let (index, last) = (report.line - 1, self.lines.len().saturating_sub(1));
        match self.lines.iter().position(same) {
            Some(old) if old > index => self.lines[index..=old].rotate_right(1),
            Some(old) => self.lines[old..=index.min(last)].rotate_left(1),
            None if index < self.lines.len() => {}
            None => self.lines.push(line.clone()),
        }
        let index = index.min(self.lines.len() - 1);
        self.lines[index] = line;
        (self.depth, self.nodes, self.nps) = (report.depth, report.nodes, report.nps());
    }

    /// Returns the best line.
    pub(crate) fn best(&self) -> Option<&BestLine> {
        self.lines.first()
    }
}

impl BestLine {
    /// Returns the move that the line ranks.
    pub(crate) fn first(&self) -> Option<Move> {
        self.moves.first().copied()
    }

    /// Returns the expected share of the side to move, in per mille; a draw counts half. `None` if
    /// only a score is known.
    pub(crate) fn expected(&self) -> Option<u16> {
        self.chances().map(Wdl::expected)
    }

    /// Returns the chances of the side to move; `None` if only a score is known.
    pub(crate) fn chances(&self) -> Option<Wdl> {
        match self.score {
            score if score.is_win() => Some(Wdl::WON),
            score if score.is_loss() => Some(Wdl::LOST),
            _ if self.is_draw => Some(Wdl::DRAWN),
            _ => self.wdl,
        }
    }

    /// Returns the value in few characters: `W5`, `L6`, `=`, the share in per cent, or else the
    /// score.
    pub(crate) fn short(&self) -> String {
        self.text("W", "L", "=", "")
    }

    /// Returns the value in words, for the side to move.
    pub(crate) fn words(&self) -> String {
        self.text("win in ", "loss in ", "draw", " %")
    }

    /// Returns the value: `win` or `loss` before the winner's moves, `draw`, or else the share before
    /// `unit`, or the score.
    fn text(&self, win: &str, loss: &str, draw: &str, unit: &str) -> String {
        match (self.score.plies(), self.expected()) {
            (Some(plies), _) if self.score.is_win() => format!("{win}{}", own_moves(plies)),
            (Some(plies), _) => format!("{loss}{}", own_moves(plies)),
            (None, _) if self.is_draw => draw.to_owned(),
            (None, Some(share)) => format!("{}{unit}", percent(share)),
            (None, None) => format!("{:+}", self.score.raw()),
        }
    }
}

/// Returns the number of the winner's moves in `plies` plies. The last ply is the winner's.
fn own_moves(plies: u32) -> u32 {
    plies.div_ceil(2)
}

/// Returns a share in per mille as whole per cent.
pub(crate) fn percent(share: u16) -> u16 {
    (share + 5) / 10
}

#[cfg(test)]
pub(crate) mod tests {
    use tengen_engine::{Catalog, Chosen};
    use tengen_games::CATALOG;

    use super::*;

    /// Returns a report for tests.
    pub(crate) fn report(depth: u32, line: usize, score: Score, moves: &[u32]) -> Report<Move> {
        let mut report = Report::blank(score, None);
        (report.depth, report.line) = (depth, line);
        report.pv = moves.iter().map(|code| Move::from_code(*code)).collect();
        report
    }

    fn firsts(summary: &SearchSummary) -> Vec<u32> {
        summary.lines.iter().map(|line| line.moves[0].code()).collect()
    }

    #[test]
    fn every_move_has_one_line_however_the_ranks_change() {
        let spec = CATALOG.describe("gomoku", &Chosen::new()).expect("gomoku is a variant");
        let mut summary = SearchSummary::default();
        let mut note = |line, code| {
            summary.note(&report(4, line, Score::heuristic(3), &[code]), &spec, 200);
            firsts(&summary)
        };
        assert_eq!(note(1, 5), [5]);
        assert_eq!(note(2, 6), [5, 6]);
        assert_eq!(note(3, 7), [5, 6, 7]);
        assert_eq!(note(1, 7), [7, 5, 6]);
        assert_eq!(note(3, 7), [5, 6, 7]);
        // A newly ranked move replaces the one at its rank.
        assert_eq!(note(2, 9), [5, 9, 7]);
        // A rank after a gap is ignored.
        assert_eq!(note(5, 8), [5, 9, 7]);
    }

    #[test]
    fn a_value_has_a_short_form_and_words() {
        let line = |score, wdl, is_draw| BestLine {
            score,
            bound: Bound::Exact,
            wdl,
            is_draw,
            moves: vec![Move::from_code(1)],
        };
        let even = Some(Wdl { win: 455, draw: 200, loss: 345 });
        for (line, short, words) in [
            (line(Score::win_in(9), None, false), "W5", "win in 5"),
            (line(Score::loss_in(12), even, false), "L6", "loss in 6"),
            (line(Score::DRAW, None, true), "=", "draw"),
            (line(Score::heuristic(9), even, false), "56", "56 %"),
            (line(Score::heuristic(-27), None, false), "-27", "-27"),
        ] {
            assert_eq!((line.short().as_str(), line.words().as_str()), (short, words));
        }
    }
}
