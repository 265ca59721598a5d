//! One node of the tree, step by step: fail-soft principal variation search.
//!
//! An exact game is searched without unsound pruning (`Selectivity::exact`). Its nodes take the
//! same steps and differ in the move loop: an exact node probes all its moves before it enters one,
//! see `exact_moves.rs`. The root is in `root.rs`. How threads tell each other of cut-offs is in
//! `abdada.rs`.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::report::Bound;
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::bounds::ProvenBounds;
use super::child::ProbedNode;
use super::node_id::NodeId;
use super::pruning::Singular;
use super::state::Search;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Returns the value of the current position, `ply` plies below the root, searched `depth` plies
    /// deep. A score at or below alpha is an upper bound, one at or above beta a lower bound, one
    /// between them the value.
    // CITE: Fishburn, "Another optimization of alpha-beta search", SIGART 84, 1983 (fail-soft);
    // Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982 (principal
    // variation search).
    #[inline]
    pub(super) fn search(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        debug_assert!(window.alpha < window.beta);
        if depth == 0 { self.qsearch(window, ply) } else { self.search_node(window, depth, ply) }
    }

    fn search_node(&mut self, window: Window, depth: u32, ply: usize) -> Result<Score, Interrupt> {
        // Step 1. Finished games
        if let Some(score) = self.enter(ply)? {
            return Ok(score);
        }

        // Step 2. Mate-distance pruning and static bounds
        // In the table's window, mate distances count from this node.
        let tt_window = window.to_table(ply);
        let bounds = self.static_bounds(&self.game, &self.evaluator, tt_window);
        if self.options.cutoffs
            && let Some(score) = bounds.settles(tt_window)
        {
            return Ok(score.from_table(ply as u32));
        }

        // Step 3. Transposition table
        let mut node = self.probed_node(&self.game, bounds);
        if let Some(score) = self.probe_tt(&mut node, window, depth, ply) {
            return Ok(score);
        }

        // Step 4. Static evaluation and reverse futility pruning
        if let Some(score) = self.reverse_futility_pruning(window, depth, ply) {
            return Ok(node.bounds.seen_from(ply).clamp(score));
        }

        // Step 5. Opening book and threat solver
        if let Some(score) = self.probe_and_store(window, depth, ply)? {
            return Ok(score);
        }

        self.search_probed_node(node, window, depth, ply)
    }

    /// Takes the steps of a node that come after the probes. An exact node has probed its children
    /// itself, and enters them here.
    pub(super) fn search_probed_node(
        &mut self,
        node: ProbedNode<G::Symmetry>,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        // Step 6. ABDADA cut-off checks (around steps 7 to 9)
        if self.has_helpers(depth) {
            return self.search_with_cutoff_checks(node, window, depth, ply);
        }
        self.search_moves_and_store(node, window, depth, ply)
    }

    /// Searches the moves of a probed node and stores the result in the transposition table.
    pub(super) fn search_moves_and_store(
        &mut self,
        node: ProbedNode<G::Symmetry>,
        original_window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        let ProbedNode { at, symmetry, code, .. } = node;
        let bounds = node.bounds.seen_from(ply);
        let table_move = code.and_then(|code| self.game.unpack(code, symmetry));
        let window =
            if self.options.cutoffs { bounds.narrow(original_window) } else { original_window };

        let (best, best_move) = if self.is_exact_node() {
            // Step 8, exact. All moves are probed before one is entered
            self.search_exact_moves(window, depth, ply, table_move)?
        } else {
            // Step 7. Singular extension and multi-cut
            let singular = self.singular_extension(at, table_move, window, depth, ply)?;
            if let Singular::Cut(score) = singular {
                return Ok(score);
            }

            // Step 8. Move loop: move count pruning, late move reductions, re-searches
            let id = NodeId { key: at.key, depth, ply };
            self.search_moves(id, window, table_move, singular)?
        };

        // Step 9. Store in the transposition table
        let score = if self.options.cutoffs { bounds.clamp(best) } else { best };
        let bound = match score {
            s if s >= window.beta && s < bounds.high => Bound::Lower,
            s if s <= window.alpha && s > bounds.low => Bound::Upper,
            _ => Bound::Exact,
        };
        self.store_node(&node, depth, ply, score, bound, best_move);
        Ok(score)
    }

    /// Returns the proven bounds of a position, without a search.
    #[inline(always)]
    pub(super) fn static_bounds(&self, game: &G, evaluator: &E, tt_window: Window) -> ProvenBounds {
        ProvenBounds::of(game, evaluator, &self.options, tt_window)
    }

    /// Counts the node and starts its line. Returns the score of a finished game.
    #[inline]
    pub(super) fn enter(&mut self, ply: usize) -> Result<Option<Score>, Interrupt> {
        self.count_node(ply)?;
        Ok(self.game.outcome().map(|outcome| outcome.score(self.game.turn(), ply as u32)))
    }

    /// Counts the node and starts its line.
    #[inline]
    pub(super) fn count_node(&mut self, ply: usize) -> Result<(), Interrupt> {
        self.context.enter()?;
        self.frames[ply].pv.clear();
        self.seldepth = self.seldepth.max(ply);
        Ok(())
    }
}
