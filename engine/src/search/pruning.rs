//! What the judgement leaves out in games that are not exact: positions far above the window, late
//! moves, and plies of moves that are unlikely to matter.

use crate::evaluator::SearchEvaluator;
use crate::report::Bound;
use crate::rules::Game;
use crate::score::Score;
use crate::selectivity::{LateMove, SingularTuning};
use crate::table::Address;
use crate::window::Window;

use super::node_id::Station;
use super::state::Search;
use crate::context::Stopped;

/// What is special about the table's move of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Special {
    /// Nothing.
    None,
    /// It is searched deeper.
    Deeper,
    /// It is left out.
    Without,
    /// Other moves do as well: the node is cut off.
    Cut(Score),
}

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    fn prunes(&self) -> bool {
        !self.exact && self.techniques.pruning && self.techniques.cutoffs
    }

    /// The score of a position whose evaluation is far enough from the window.
    #[inline]
    pub(super) fn prune(&mut self, window: Window, depth: u32, ply: usize) -> Option<Score> {
        if !self.prunes() {
            return None;
        }
        let still = self.evaluator.evaluate(&self.game);
        self.frames[ply].still = Some(still);
        if !window.is_scout() || window.beta.is_decisive() {
            return None;
        }

        // Futility pruning
        let margin = self.evaluator.futility_margin(&self.game, depth, self.improves(ply))?;
        (still.raw() >= window.beta.raw() + margin).then_some(still)
    }

    /// Whether the evaluation is better than two plies before.
    fn improves(&self, ply: usize) -> bool {
        let before = ply.checked_sub(2).and_then(|ply| self.frames[ply].still);
        before.is_none_or(|before| self.frames[ply].still > Some(before))
    }

    // Late move pruning
    /// How many moves of a node are searched, once one does not lose.
    pub(super) fn most_moves(&self, window: Window, depth: u32, ply: usize) -> usize {
        if !self.prunes() || !window.is_scout() || window.alpha.is_loss() {
            return usize::MAX;
        }
        self.evaluator.move_count_limit(&self.game, depth, self.improves(ply))
    }

    // Late move reductions
    /// By how many plies less than `depth` a move is searched first.
    pub(super) fn reduction(
        &self,
        mv: G::Move,
        index: usize,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> u32 {
        if self.exact || !self.techniques.reductions || index == 0 {
            return 0;
        }
        let late = LateMove {
            depth,
            index,
            is_scout: window.is_scout(),
            cut_node: self.frames[ply].expects_cut,
            improving: self.improves(ply),
        };
        self.evaluator.reduction(&self.game, mv, &late).min(depth)
    }

    // Singular extensions
    // CITE: Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
    // searching", Artificial Intelligence 43, 1990.
    /// Whether the table's move is the only one that reaches its score.
    pub(super) fn singularity(
        &mut self,
        at: Address,
        table_move: Option<G::Move>,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Special, Stopped> {
        let SingularTuning { depth: least_depth, margin } = self.singular;
        let is_deep = ply >= 2 * self.iteration as usize;
        if depth < least_depth || table_move.is_none() || ply == 0 || is_deep {
            return Ok(Special::None);
        }
        let Some(entry) = self.table.get(at) else { return Ok(Special::None) };
        let is_lower = matches!(entry.bound, Bound::Lower | Bound::Exact);
        if !is_lower || entry.score.is_decisive() || entry.depth + 3 < depth {
            return Ok(Special::None);
        }
        let least = Score::heuristic(entry.score.raw() - margin * depth as i32 / 4);
        let asked = Window::new(least.previous(), least);
        let station = Station { key: at.key, depth: depth / 2, ply };
        let (best, _) = self.search_moves(station, asked, table_move, Special::Without)?;
        if best < least {
            return Ok(Special::Deeper);
        }
        Ok(if least >= window.beta { Special::Cut(least) } else { Special::None })
    }
}
