//! What a screen shows of the board beside the stones.

use std::time::Duration;

use tengen_engine::{Point, Side};

use super::App;
use super::schedule::SearchPurpose;
use crate::search_summary::{BestLine, SearchSummary};
use crate::tree::GameNodeId;

/// A stone of a line that is shown on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ghost {
    /// Where.
    pub point: Point,
    /// Whose.
    pub side: Side,
    /// Its place in the line, from 1.
    pub number: usize,
}

impl App {
    /// For how long the engine has thought about its move; `None` when it does not.
    pub(crate) fn thinking(&self, now: Duration) -> Option<Duration> {
        let running = self.running.as_ref()?;
        let moves = matches!(
            running.task,
            SearchPurpose::Move | SearchPurpose::Choice | SearchPurpose::Question
        );
        moves.then(|| now.saturating_sub(running.since))
    }

    /// Whether the engine works on something that ends by itself.
    pub(crate) fn is_busy(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.task != SearchPurpose::Analysis)
    }

    /// Whether a search runs, of whatever kind.
    pub(crate) fn is_searching(&self) -> bool {
        self.running.is_some()
    }

    /// What the analysis says of the current position; `None` if it is off.
    pub(crate) fn analysis(&self) -> Option<&SearchSummary> {
        if !self.analyses {
            return None;
        }
        self.game.tree().finding(self.game.tree().current())
    }

    /// The lines of the analysis by their points, the best first.
    pub(crate) fn values(&self) -> Vec<(Point, &BestLine)> {
        let (Some(finding), Some(grid)) = (self.analysis(), self.game.spec().grid) else {
            return Vec::new();
        };
        let lines = finding.lines.iter();
        lines.filter_map(|line| Some((grid.point_of(line.first()?)?, line))).collect()
    }

    /// The stones of the hint: one, or its line.
    pub(crate) fn ghosts(&self) -> Vec<Ghost> {
        const LONGEST: usize = 10;
        let here = self.game.tree().current();
        let Some(hint) = self.hint.filter(|hint| hint.node == here) else { return Vec::new() };
        let line = self.game.tree().finding(here).and_then(SearchSummary::best);
        let (Some(line), Some(grid)) = (line, self.game.spec().grid) else { return Vec::new() };
        let length = if hint.shows_line { LONGEST } else { 1 };
        let mut side = self.game.position().turn();
        let mut ghosts = Vec::new();
        for (place, mv) in line.moves.iter().take(length).enumerate() {
            let Some(point) = grid.point_of(*mv) else { break };
            ghosts.push(Ghost { point, side, number: place + 1 });
            side = side.other();
        }
        ghosts
    }

    /// What the first player can expect in each position of the current line that was searched, in
    /// per mille.
    pub(crate) fn chances(&self) -> Vec<Option<u16>> {
        let tree = self.game.tree();
        let mut nodes = vec![tree.root()];
        nodes.extend(tree.whole_line());
        nodes.into_iter().map(|id| self.first_share(id)).collect()
    }

    fn first_share(&self, id: GameNodeId) -> Option<u16> {
        let tree = self.game.tree();
        let share = tree.finding(id)?.best()?.expected()?;
        let turn = match tree.played(id) {
            Some(played) => played.side.other(),
            None => self.game.position_at(id).turn(),
        };
        Some(if turn == Side::First { share } else { 1000 - share })
    }
}
