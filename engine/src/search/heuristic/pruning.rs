//! The selective techniques of the heuristic search, in the order in which a node uses them: reverse
//! futility pruning, singular extensions and multi-cut, move count pruning, late move reductions,
//! extensions, deeper re-searches.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::selectivity::{LateMove, SingularTuning};
use crate::search::report::Bound;
use crate::search::state::{Node, NodeFlags, Search, is_scout};
use crate::search::techniques::Techniques;

/// How the move loop searches the table move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TableMove {
    /// Like other moves.
    Normal,
    /// One ply deeper, because no other move comes near its score.
    Extended,
    /// Not at all, because this is the singular search.
    Excluded,
}

/// The result of [`singular_extension`](Search::singular_extension).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Singular {
    /// The moves are searched, the table move in this way.
    Search(TableMove),
    /// The node is cut off with this score, because other moves reach beta, too (multi-cut).
    Cut(Score),
}

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Reverse futility pruning, also called static null-move pruning: returns the static
    /// evaluation if it is at least a margin above beta. Stores an evaluation in the frame of
    /// `ply`: the evaluation of the node if it can be trusted, else the negated evaluation of the
    /// parent.
    // CITE: "Reverse Futility Pruning", Chess Programming Wiki,
    // https://www.chessprogramming.org/Reverse_Futility_Pruning
    #[inline]
    pub(super) fn reverse_futility_pruning<const PV: bool>(
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
        let may_prune = is_scout::<PV>(window) && !window.beta.is_decisive();
        let bound = |margin: i32| window.beta.raw().saturating_add(margin);
        if may_prune
            && let Some(score) = self
                .evaluator
                .lazy_evaluate(&self.game, bound(margins.worse.max(margins.improving)))
        {
            return Some(score);
        }
        let static_eval = self.evaluator.evaluate(&self.game);
        self.frames[ply].static_eval = Some(static_eval);
        if !may_prune {
            return None;
        }
        let margin = if self.improving(ply) { margins.improving } else { margins.worse };
        (static_eval.raw() >= bound(margin)).then_some(static_eval)
    }

    /// Singular extensions and multi-cut: searches all moves but the table move at half the depth.
    /// If none of them comes near the score of the table move, the table move is extended. If one
    /// of them reaches beta, the node is cut off.
    // CITE: Anantharaman, Campbell and Hsu, "Singular extensions: adding selectivity to brute-force
    // searching", Artificial Intelligence 43, 1990.
    pub(super) fn singular_extension(
        &mut self,
        node: &Node<G::Symmetry>,
        window: Window,
        table_move: Option<G::Move>,
        flags: NodeFlags,
    ) -> Result<Singular, Interrupt> {
        const NORMAL: Singular = Singular::Search(TableMove::Normal);
        // An entry that is much shallower than the node says little of the move.
        const MAX_DEPTH_GAP: u32 = 3;
        let (depth, ply) = (node.depth, node.ply);
        let SingularTuning { depth: min_depth, margin } = self.extension_tuning.singular;
        if depth < min_depth || table_move.is_none() || ply == 0 || self.is_too_deep(ply) {
            return Ok(NORMAL);
        }
        let Some(entry) = self.table.get(node.at) else { return Ok(NORMAL) };
        let is_lower = matches!(entry.bound, Bound::Lower | Bound::Exact);
        if !is_lower || entry.score.is_decisive() || entry.depth + MAX_DEPTH_GAP < depth {
            return Ok(NORMAL);
        }
        let singular_beta = Score::heuristic(entry.score.raw() - margin * depth as i32 / 4);
        let singular_window = Window::new(singular_beta.previous(), singular_beta);
        let half = Node { window: singular_window, depth: depth / 2, ..*node };
        let (best, _) = self.search_moves::<false>(
            &half,
            singular_window,
            table_move,
            TableMove::Excluded,
            flags,
        )?;
        Ok(match () {
            () if best < singular_beta => Singular::Search(TableMove::Extended),
            () if singular_beta >= window.beta => Singular::Cut(singular_beta),
            () => NORMAL,
        })
    }

    /// Move count pruning, also called late move pruning: returns how many moves of a node are
    /// searched, if one of them does not lose.
    // CITE: "Futility Pruning: Move Count Based Pruning", Chess Programming Wiki,
    // https://www.chessprogramming.org/Futility_Pruning#Move_Count_Based_Pruning
    pub(super) fn move_count_limit<const PV: bool>(
        &self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> usize {
        if !self.prunes() || window.alpha.is_loss() {
            return usize::MAX;
        }
        let limits = self.evaluator.move_count_limits(&self.game, depth);
        match is_scout::<PV>(window) {
            false => limits.pv,
            true if self.improving(ply) => limits.improving,
            true => limits.worse,
        }
    }

    /// Late move reductions: returns the reduction of `depth` for the first search of a late move,
    /// in plies.
    // CITE: "Late Move Reductions", Chess Programming Wiki,
    // https://www.chessprogramming.org/Late_Move_Reductions
    pub(super) fn reduction<const PV: bool>(
        &self,
        mv: G::Move,
        index: usize,
        window: Window,
        depth: u32,
        ply: usize,
        cut_node: bool,
    ) -> u32 {
        let on = self.on();
        if !on.reductions {
            return 0;
        }
        let rank = if on.rank { self.evaluator.rank(&self.game, mv) } else { 0 };
        let late = LateMove {
            depth,
            index,
            at_root: ply == 0 && self.root.lines == 1,
            is_scout: is_scout::<PV>(window),
            cut_node,
            improving: self.improving(ply),
            rank_gap: self.frames[ply].best_rank.saturating_sub(rank).max(0),
            history: match on.history {
                true => self.history.value(self.game.turn(), self.history_key(mv)),
                false => 0,
            },
        };
        self.evaluator.reduction(&self.game, mv, &late).min(depth.saturating_sub(1))
    }

    /// Returns the extension that the game asks for, in plies.
    pub(super) fn extension(&self, mv: G::Move, ply: usize) -> u32 {
        if !self.on().extensions || self.is_too_deep(ply) {
            return 0;
        }
        self.evaluator.extension(&self.game, mv)
    }

    /// Deeper re-searches: returns the extension of the re-search of a late move in plies, after
    /// its reduced search returned `score`, above alpha.
    // CITE: Stockfish, https://github.com/official-stockfish/Stockfish; Rapfi,
    // https://github.com/dhbloo/rapfi.
    pub(super) fn re_search_extension(
        &self,
        score: Score,
        window: Window,
        reduction: u32,
        ply: usize,
    ) -> u32 {
        let is_decisive = score.is_decisive() || window.alpha.is_decisive();
        if !self.on().extensions || self.is_too_deep(ply) || is_decisive {
            return 0;
        }
        let excess = score.raw() - window.alpha.raw();
        self.extension_tuning.re_search_extension(reduction, excess)
    }

    /// Returns whether `ply` is too deep for extensions.
    pub(super) fn is_too_deep(&self, ply: usize) -> bool {
        ply >= 2 * self.root.depth as usize
    }

    /// Returns whether the static evaluation is better than two plies before.
    fn improving(&self, ply: usize) -> bool {
        let before = ply.checked_sub(2).and_then(|ply| self.frames[ply].static_eval);
        before.is_none_or(|before| self.frames[ply].static_eval > Some(before))
    }

    fn prunes(&self) -> bool {
        self.on().pruning && self.on().cutoffs
    }
}
