//! Reverse futility pruning, move count pruning, late move reductions, deeper re-searches, singular
//! extensions and multi-cut. Not used in exact games.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::report::Bound;
use crate::rules::Game;
use crate::score::Score;
use crate::selectivity::{LateMove, SingularTuning};
use crate::table::Address;
use crate::window::Window;

use super::super::state::{NodeId, Search};

/// The result of the singular search of the table's move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Singular {
    /// The table's move is like other moves, or was not tried.
    No,
    /// No other move comes near the table's move, which is extended.
    Extend,
    /// The table's move is left out, because this is the singular search.
    Excluded,
    /// Other moves do as well: the node is cut off.
    Cut(Score),
}

/// How deep the position after a move is searched.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct MoveDepth {
    /// The depth of a search that is not reduced.
    pub(in super::super) full: u32,
    /// By how many plies less a late move is searched first.
    pub(in super::super) reduction: u32,
    /// Whether a late move may be searched again deeper than `full`.
    pub(in super::super) may_extend: bool,
}

impl MoveDepth {
    /// A depth that is neither reduced nor extended.
    pub(in super::super) const fn fixed(full: u32) -> Self {
        Self { full, reduction: 0, may_extend: false }
    }
}

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    fn prunes(&self) -> bool {
        !self.exact && self.options.pruning && self.options.cutoffs
    }

    /// Evaluates the position where the evaluation can be trusted, and returns its score when it is
    /// at least a margin above beta: reverse futility pruning (static null-move pruning).
    #[inline]
    pub(in super::super) fn reverse_futility_pruning(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Option<Score> {
        if !self.prunes() {
            return None;
        }
        let Some(margins) = self.evaluator.futility_margins(&self.game, depth) else {
            let parent = ply.checked_sub(1).and_then(|ply| self.frames[ply].static_eval);
            self.frames[ply].static_eval = parent.map(|parent| -parent);
            return None;
        };
        let may_prune = window.is_scout() && !window.beta.is_decisive();
        let bound = |margin: i32| window.beta.raw().saturating_add(margin);
        if may_prune
            && let Some(score) =
                self.evaluator.lazy_evaluate(&self.game, bound(margins[0].max(margins[1])))
        {
            return Some(score);
        }
        let static_eval = self.evaluator.evaluate(&self.game);
        self.frames[ply].static_eval = Some(static_eval);
        if !may_prune {
            return None;
        }
        let margin = margins[usize::from(self.improving(ply))];
        (static_eval.raw() >= bound(margin)).then_some(static_eval)
    }

    /// Returns whether the static evaluation is better than two plies before.
    fn improving(&self, ply: usize) -> bool {
        let before = ply.checked_sub(2).and_then(|ply| self.frames[ply].static_eval);
        before.is_none_or(|before| self.frames[ply].static_eval > Some(before))
    }

    /// Returns how many moves of a node are searched, once one does not lose.
    pub(in super::super) fn move_count_limit(
        &self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> usize {
        if !self.prunes() || window.alpha.is_loss() {
            return usize::MAX;
        }
        let [worse, better, pv] = self.evaluator.move_count_limits(&self.game, depth);
        match window.is_scout() {
            false => pv,
            true if self.improving(ply) => better,
            true => worse,
        }
    }

    /// Returns by how many plies less than `depth` a late move is searched first.
    pub(in super::super) fn reduction(
        &self,
        mv: G::Move,
        index: usize,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> u32 {
        if self.exact || !self.options.reductions || index == 0 {
            return 0;
        }
        let rank = if self.options.rank { self.evaluator.rank(&self.game, mv) } else { 0 };
        let late = LateMove {
            depth,
            index,
            at_root: ply == 0 && self.root.lines == 1,
            is_scout: window.is_scout(),
            cut_node: self.frames[ply].cut_node,
            improving: self.improving(ply),
            rank_gap: self.frames[ply].best_rank.saturating_sub(rank).max(0),
            history: if self.options.history {
                self.history.value(self.game.turn(), self.history_key(mv))
            } else {
                0
            },
        };
        self.evaluator.reduction(&self.game, mv, &late).min(depth.saturating_sub(1))
    }

    /// Returns by how many plies more a late move is searched again, after its reduced search had a
    /// score above alpha.
    // CITE: Stockfish, https://github.com/official-stockfish/Stockfish; Rapfi,
    // https://github.com/dhbloo/rapfi.
    pub(in super::super) fn re_search_extension(
        &self,
        score: Score,
        window: Window,
        depth: MoveDepth,
    ) -> u32 {
        let is_decisive = score.is_decisive() || window.alpha.is_decisive();
        if !depth.may_extend || !self.options.extensions || is_decisive {
            return 0;
        }
        let excess = score.raw() - window.alpha.raw();
        self.extension_tuning.re_search_extension(depth.reduction, excess)
    }

    /// Returns whether a line is so long that nothing on it is extended any more.
    pub(in super::super) fn is_deep(&self, ply: usize) -> bool {
        ply >= 2 * self.root_depth as usize
    }

    /// Searches all moves but the table's to half the depth, to see whether it is the only one that
    /// reaches its score.
    // CITE: Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
    // searching", Artificial Intelligence 43, 1990.
    pub(in super::super) fn singular_extension(
        &mut self,
        at: Address,
        table_move: Option<G::Move>,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Singular, Interrupt> {
        let SingularTuning { depth: singular_depth, margin } = self.extension_tuning.singular;
        if depth < singular_depth || table_move.is_none() || ply == 0 || self.is_deep(ply) {
            return Ok(Singular::No);
        }
        let Some(entry) = self.table.get(at) else { return Ok(Singular::No) };
        let is_lower = matches!(entry.bound, Bound::Lower | Bound::Exact);
        if !is_lower || entry.score.is_decisive() || entry.depth + 3 < depth {
            return Ok(Singular::No);
        }
        let singular_beta = Score::heuristic(entry.score.raw() - margin * depth as i32 / 4);
        let singular_window = Window::new(singular_beta.previous(), singular_beta);
        let id = NodeId { key: at.key, depth: depth / 2, ply };
        let (best, _) = self.search_moves(id, singular_window, table_move, Singular::Excluded)?;
        if best < singular_beta {
            return Ok(Singular::Extend);
        }

        // Multi-cut
        Ok(if singular_beta >= window.beta { Singular::Cut(singular_beta) } else { Singular::No })
    }
}
