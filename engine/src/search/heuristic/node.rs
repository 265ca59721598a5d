//! One node of the heuristic search, step by step: fail-soft principal variation search with
//! selectivity.
//!
//! The file has the order of a search: the steps of a node, its move loop, one move. Move ordering
//! is in `ordering.rs`, pruning, reductions and extensions are in `pruning.rs`, and the sharing of
//! nodes between threads is in `abdada.rs`.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::ordering::Coverage;
use crate::search::order::Ordered;
use crate::search::state::{Node, NodeFlags, Search, Searched};
use crate::search::techniques::Techniques;

use super::pruning::{Singular, TableMove};

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Returns the score of the current position, `ply` plies below the root, searched `depth`
    /// plies deep. A score at or below alpha is an upper bound. A score at or above beta is a lower
    /// bound. Without `PV` the window is a null window.
    // CITE: Fishburn, "Another optimization of alpha-beta search", SIGART 84, 1983 (fail-soft);
    // Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982 (principal
    // variation search).
    pub(in crate::search) fn search<const PV: bool>(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
        flags: NodeFlags,
    ) -> Result<Score, Interrupt> {
        debug_assert!(window.alpha < window.beta && (PV || window.is_scout()));
        if depth == 0 {
            return self.quiescence(window, ply);
        }

        // Step 1. Finished games
        if let Some(score) = self.enter(ply)? {
            return Ok(score);
        }

        // Step 2. Mate-distance pruning and static bounds
        // In this window, plies to a win or a loss count from the node, as in the table.
        let node_window = window.to_node(ply);
        let bounds = self.static_bounds(&self.game, &self.evaluator, node_window);
        if self.on().cutoffs
            && let Some(score) = bounds.cutoff(node_window)
        {
            return Ok(score.to_root(ply as u32));
        }

        // Step 3. Transposition table
        let mut node = self.node(&self.game, bounds, window, depth, ply);
        if let Some(score) = self.probe_tt(&mut node) {
            return Ok(score);
        }

        // Step 4. Static evaluation, stored for later steps, and reverse futility pruning
        if let Some(score) = self.reverse_futility_pruning::<PV>(window, depth, ply) {
            return Ok(bounds.to_root(ply).clamp(score));
        }

        // Step 5. Opening book and threat solver
        if let Some(score) = self.book_or_solver_score(window, depth, ply)? {
            return Ok(score);
        }

        // Step 6. ABDADA: from here on this thread looks whether another one settles the node
        self.begin_cutoff_checks(&node)?;

        // Step 7. Singular extension and multi-cut
        let move_window = self.window_of_moves(&node);
        let table_move = self.table_move_of(&node);
        let searched = match self.singular_extension(&node, move_window, table_move, flags) {
            Ok(Singular::Cut(score)) => Ok(Searched::Settled(score)),
            // Step 8. The moves
            Ok(Singular::Search(use_of_table_move)) => self
                .search_moves::<PV>(&node, move_window, table_move, use_of_table_move, flags)
                .map(|(best, best_move)| Searched::Moves(best, best_move)),
            Err(interrupt) => Err(interrupt),
        };

        // Step 9. The end of ABDADA's checks, and the table entry
        match self.end_cutoff_checks(&node, searched)? {
            Searched::Moves(best, best_move) => {
                Ok(self.store_node(&node, move_window, best, best_move))
            }
            Searched::Settled(score) => Ok(score),
        }
    }

    /// Searches the candidates of a node. Returns the best score, and the move that raised alpha;
    /// `None` if no move did.
    pub(super) fn search_moves<const PV: bool>(
        &mut self,
        node: &Node<G::Symmetry>,
        window: Window,
        table_move: Option<G::Move>,
        use_of_table_move: TableMove,
        flags: NodeFlags,
    ) -> Result<(Score, Option<G::Move>), Interrupt> {
        let (coverage, mut moves) = self.ordered_candidates(node.ply, table_move);
        let searched = self.search_in_order::<PV>(
            node,
            window,
            table_move,
            use_of_table_move,
            &mut moves,
            flags,
        );
        self.frames[node.ply].ordered = moves;
        let (mut best, best_move) = searched?;

        // If all moves of a partial list lose, the others might not
        let has_unlisted =
            coverage == Coverage::Partial && use_of_table_move != TableMove::Excluded;
        let is_cut_off = self.on().cutoffs && best >= window.beta;
        if best.is_loss() && has_unlisted && !is_cut_off {
            best = self.verify_loss(node, best, flags)?;
        }
        Ok((best, best_move))
    }

    /// Searches `moves` in order until a cut-off. Returns the best score, and the move that raised
    /// alpha; `None` if no move did.
    fn search_in_order<const PV: bool>(
        &mut self,
        node: &Node<G::Symmetry>,
        mut window: Window,
        table_move: Option<G::Move>,
        use_of_table_move: TableMove,
        moves: &mut [Ordered<G::Move>],
        flags: NodeFlags,
    ) -> Result<(Score, Option<G::Move>), Interrupt> {
        let (depth, ply) = (node.depth, node.ply);
        let is_pv = PV && !window.is_scout();
        let excluded = table_move.filter(|_| use_of_table_move == TableMove::Excluded);
        let (mut best, mut best_move) = (Score::LOWEST, None);

        // Move count pruning
        let limit = self.move_count_limit::<PV>(window, depth, ply);
        let mut next = 0;
        while next < moves.len() && (next < limit || best.is_loss()) {
            self.check_cutoff(ply)?;
            let mv = self.pick_move(node, moves, next, limit);
            let index = next;
            next += 1;
            if Some(mv) == excluded {
                continue;
            }
            let is_extended = use_of_table_move == TableMove::Extended && Some(mv) == table_move;
            let mark = self.mark_move(node, mv);
            let score = self.search_move::<PV>(node, window, mv, index, is_extended.into(), flags);
            self.unmark(node, mark);
            let score = score?;
            best = best.max(score);
            if score <= window.alpha {
                continue;
            }
            best_move = Some(mv);
            window.raise(score);
            if is_pv {
                self.update_pv(ply, mv);
                self.narrow_cutoff_check(ply, window);
            }
            if self.on().cutoffs && window.is_empty() {
                self.context.count_cut_off(index);
                let tried = moves[..index].iter().map(|m| m.item);
                self.update_history(mv, tried.filter(|mv| Some(*mv) != excluded), depth, ply);
                break;
            }
        }
        Ok((best, best_move))
    }

    /// Plays `mv`, the move at `index` in search order, and searches the position after it, at
    /// least `extension` plies deeper than without it. Returns the score for the side that plays
    /// `mv`.
    pub(in crate::search) fn search_move<const PV: bool>(
        &mut self,
        node: &Node<G::Symmetry>,
        window: Window,
        mv: G::Move,
        index: usize,
        extension: u32,
        flags: NodeFlags,
    ) -> Result<Score, Interrupt> {
        let extension = extension.max(self.extension(mv, node.ply));
        let depth = node.depth - 1 + extension;
        let may_reduce = flags.may_reduce && extension == 0 && index > 0;
        let reduction = match may_reduce {
            true => self.reduction::<PV>(mv, index, window, depth, node.ply, flags.cut_node),
            false => 0,
        };
        let undo = self.play(mv);
        let score = match index {
            0 => self.search_after_move::<PV>(window, depth, depth, node.ply, flags),
            _ => self.search_after_late_move::<PV>(window, depth, reduction, node.ply, flags),
        };
        self.undo(mv, undo);
        score
    }

    /// Searches the position after a late move (not the first of its node): principal variation
    /// search with late move reductions. Returns the score for the side that played the move.
    fn search_after_late_move<const PV: bool>(
        &mut self,
        window: Window,
        depth: u32,
        reduction: u32,
        ply: usize,
        flags: NodeFlags,
    ) -> Result<Score, Interrupt> {
        if !self.on().cutoffs || !self.on().scout {
            return self.search_after_move::<PV>(window, depth, depth, ply, flags);
        }

        // A null window, at reduced depth
        let scout = Window::scout(window.alpha);
        let reduced = depth - reduction;
        let mut score = self.search_after_move::<false>(scout, reduced, depth, ply, flags)?;

        // If the score does not fail low, a re-search at full depth or deeper
        let mut full = depth;
        if reduction > 0 && score > window.alpha {
            full += self.re_search_extension(score, window, reduction, ply);
            score = self.search_after_move::<false>(scout, full, depth, ply, flags)?;
        }

        // If the score is inside the window, a re-search with the full window
        if PV && score > window.alpha && score < window.beta {
            score = self.search_after_move::<true>(window, full, depth, ply, flags)?;
        }
        Ok(score)
    }

    /// Searches the position after a move, `depth` plies deep. `window` and the score are for the
    /// side that played the move. `unreduced` is the depth without a reduction.
    #[inline(always)]
    fn search_after_move<const PV: bool>(
        &mut self,
        window: Window,
        depth: u32,
        unreduced: u32,
        ply: usize,
        flags: NodeFlags,
    ) -> Result<Score, Interrupt> {
        if !self.on().cutoffs {
            let flags = flags.child(Window::FULL, false);
            return Ok(-self.search::<true>(Window::FULL, unreduced, ply + 1, flags)?);
        }
        let flags = flags.child(window, depth < unreduced);
        Ok(-self.search::<PV>(-window, depth, ply + 1, flags)?)
    }
}
