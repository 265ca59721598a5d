//! What a screen shows besides the stones: thinking time, analysis, hint and chances.

use std::time::Duration;

use tengen_engine::{Point, Side};

use super::App;
use super::schedule::Purpose;
use crate::search_summary::{BestLine, SearchSummary};
use crate::tree::GameNodeId;

/// A stone of a hint, shown on the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ghost {
    /// The point of the stone.
    pub point: Point,
    /// The side of the stone.
    pub side: Side,
    /// The number of its move in the line, from 1.
    pub number: usize,
}

impl App {
    /// Returns how long the engine has searched for a move, a choice or an answer; `None` if it
    /// does not.
    pub(crate) fn thinking(&self, now: Duration) -> Option<Duration> {
        let running = self.running.as_ref()?;
        let moves = matches!(running.purpose, Purpose::Move | Purpose::Choice | Purpose::Question);
        moves.then(|| now.saturating_sub(running.started))
    }

    /// Returns whether a search runs that ends by itself, unlike an analysis.
    pub(crate) fn is_busy(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.purpose != Purpose::Analysis)
    }

    /// Returns whether any search runs.
    pub(crate) fn is_searching(&self) -> bool {
        self.running.is_some()
    }

    /// Returns the analysis of the current position; `None` if the analysis is off or has found
    /// nothing yet.
    pub(crate) fn analysis(&self) -> Option<&SearchSummary> {
        if !self.analyses {
            return None;
        }
        self.game.tree().summary(self.game.tree().current())
    }

    /// Returns the lines of the analysis with the points of their first moves, the best first.
    pub(crate) fn values(&self) -> Vec<(Point, &BestLine)> {
        let (Some(summary), Some(grid)) = (self.analysis(), self.game.spec().grid) else {
            return Vec::new();
        };
        let lines = summary.lines.iter();
        lines.filter_map(|line| Some((grid.point_of(line.first()?)?, line))).collect()
    }

    /// Returns the stones of the hint: its move, or its line.
    pub(crate) fn ghosts(&self) -> Vec<Ghost> {
        const LONGEST: usize = 10;
        let here = self.game.tree().current();
        let Some(hint) = self.hint.filter(|hint| hint.node == here) else { return Vec::new() };
        let line = self.game.tree().summary(here).and_then(SearchSummary::best);
        let (Some(line), Some(grid)) = (line, self.game.spec().grid) else { return Vec::new() };
        let length = if hint.shows_line { LONGEST } else { 1 };
        let mut side = self.game.position().turn();
        let mut ghosts = Vec::new();
        for (index, mv) in line.moves.iter().take(length).enumerate() {
            let Some(point) = grid.point_of(*mv) else { break };
            ghosts.push(Ghost { point, side, number: index + 1 });
            side = side.other();
        }
        ghosts
    }

    /// Returns the first player's expected share in each position of the current line, in per
    /// mille; `None` for positions without a search.
    pub(crate) fn chances(&self) -> Vec<Option<u16>> {
        let tree = self.game.tree();
        let mut nodes = vec![tree.root()];
        nodes.extend(tree.whole_line());
        nodes.into_iter().map(|id| self.first_share(id)).collect()
    }

    fn first_share(&self, id: GameNodeId) -> Option<u16> {
        let tree = self.game.tree();
        let share = tree.summary(id)?.best()?.expected()?;
        let turn = match tree.played(id) {
            Some(played) => played.side.other(),
            None => self.game.position_at(id).turn(),
        };
        Some(if turn == Side::First { share } else { 1000 - share })
    }
}
