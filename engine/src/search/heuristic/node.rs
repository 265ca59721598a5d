//! One node of the tree, step by step: fail-soft principal variation search.
//!
//! An exact game is searched without unsound pruning (`Selectivity::exact`). Its nodes take the
//! same steps and differ in the move loop: an exact node probes all its moves before it enters one,
//! see `exact/node.rs`. The root is in `root.rs`. How threads tell each other of cut-offs is in
//! `abdada.rs`.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::history::{HistoryContext, HistoryKey, HistoryOrder};
use crate::order::{Ordered, Orderer, remember_killer};
use crate::ordering::Coverage;
use crate::report::Bound;
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::super::state::{NodeId, ProbedNode, Search};
use super::pruning::{MoveDepth, Singular};

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Returns the value of the current position, `ply` plies below the root, searched `depth` plies
    /// deep. A score at or below alpha is an upper bound, one at or above beta a lower bound, one
    /// between them the value.
    // CITE: Fishburn, "Another optimization of alpha-beta search", SIGART 84, 1983 (fail-soft);
    // Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982 (principal
    // variation search).
    #[inline]
    pub(in super::super) fn search(
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
    pub(in super::super) fn search_probed_node(
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
    pub(in super::super) fn search_moves_and_store(
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

    /// Searches the candidates in order. Returns the best score, and the move that raised alpha, if
    /// one did.
    pub(in super::super) fn search_moves(
        &mut self,
        id: NodeId,
        mut window: Window,
        table_move: Option<G::Move>,
        singular: Singular,
    ) -> Result<(Score, Option<G::Move>), Interrupt> {
        let NodeId { depth, ply, .. } = id;
        let is_pv = !window.is_scout();
        let (coverage, mut moves) = self.ordered_candidates(ply, table_move);
        let mut best = Score::LOWEST;
        let mut best_move = None;
        let mut move_count = 0;
        let mut result = Ok(());

        // Move count pruning
        let limit = self.move_count_limit(window, depth, ply);
        while move_count < moves.len() && (move_count < limit || best.is_loss()) {
            if let Err(interrupt) = self.check_cutoff(ply) {
                result = Err(interrupt);
                break;
            }
            let mv = self.pick_move(id, &mut moves, move_count, limit);
            if singular == Singular::Excluded && Some(mv) == table_move {
                move_count += 1;
                continue;
            }
            let extension = u32::from(singular == Singular::Extend && Some(mv) == table_move);
            let score = match self.search_marked_move(id, mv, move_count, window, extension) {
                Ok(score) => score,
                Err(interrupt) => {
                    result = Err(interrupt);
                    break;
                }
            };
            move_count += 1;
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
            if self.options.cutoffs && window.is_empty() {
                self.context.count_cut_off(move_count - 1);
                let left_out = table_move.filter(|_| singular == Singular::Excluded);
                let tried = moves[..move_count - 1].iter().map(|m| m.item);
                self.update_history(mv, tried.filter(|mv| Some(*mv) != left_out), depth, ply);
                break;
            }
        }
        self.frames[ply].ordered = moves;
        result?;
        let is_cut_off = self.options.cutoffs && window.is_empty();
        let may_be_missed = coverage == Coverage::Partial && singular != Singular::Excluded;
        if best.is_loss() && may_be_missed && !is_cut_off {
            best = self.verify_loss(id, best)?;
        }
        Ok((best, best_move))
    }

    /// Plays `mv`, the `index`-th in order, and searches the position after it. Returns the score
    /// for the side that plays it.
    pub(in super::super) fn search_move(
        &mut self,
        mv: G::Move,
        index: usize,
        window: Window,
        depth: u32,
        extension: u32,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        let extension = extension.max(self.extension(mv, ply));
        let depth = depth - 1 + extension;
        let reduction =
            if extension > 0 { 0 } else { self.reduction(mv, index, window, depth, ply) };
        let cut_node = self.frames[ply].cut_node;
        let search_child = |search: &mut Self, window: Window, child_depth| {
            let is_reduced = child_depth < depth;
            search.frames[ply + 1].cut_node = window.is_scout() && (is_reduced || !cut_node);
            Ok(-search.search(-window, child_depth, ply + 1)?)
        };
        let move_depth = MoveDepth { full: depth, reduction, may_extend: !self.is_deep(ply) };
        self.with_move(mv, |search| search.pvs(index == 0, window, move_depth, search_child))
    }

    /// Returns the score of a move for the side that plays it. `search_child` searches it in a
    /// window of that side, to a depth.
    pub(in super::super) fn pvs(
        &mut self,
        is_first: bool,
        window: Window,
        depth: MoveDepth,
        search_child: impl Fn(&mut Self, Window, u32) -> Result<Score, Interrupt>,
    ) -> Result<Score, Interrupt> {
        if !self.options.cutoffs {
            return search_child(self, Window::FULL, depth.full);
        }

        // Principal variation search: all but the first move in a null window
        let is_scout = self.options.scout && !is_first;
        let first = if is_scout { Window::scout(window.alpha) } else { window };
        let mut score = search_child(self, first, depth.full - depth.reduction)?;

        // Late move reductions: what does not fail low is searched again at full depth or deeper
        let mut full = depth.full;
        if depth.reduction > 0 && score > window.alpha {
            full += self.re_search_extension(score, window, depth);
            score = search_child(self, first, full)?;
        }

        // Re-search in the full window
        if is_scout && score > window.alpha && score < window.beta {
            score = search_child(self, window, full)?;
        }
        Ok(score)
    }

    fn ordered_candidates(
        &mut self,
        ply: usize,
        table_move: Option<G::Move>,
    ) -> (Coverage, Vec<Ordered<G::Move>>) {
        let mut candidates = std::mem::take(&mut self.frames[ply].candidates);
        let mut ordered = std::mem::take(&mut self.frames[ply].ordered);
        candidates.clear();
        let coverage = self.list_candidates(&mut candidates);
        let options = self.options;
        let orderer = Orderer {
            table_move,
            killers: if options.killers { self.frames[ply].killers } else { [None, None] },
        };
        let rank = |mv| if options.rank { self.evaluator.rank(&self.game, mv) } else { 0 };
        let history = self.history.view(self.history_context());
        let history_order = |mv| match options.history {
            true => history.order_of(self.history_key(mv)),
            false => HistoryOrder::default(),
        };
        self.frames[ply].best_rank = orderer.fill(&candidates, rank, history_order, &mut ordered);
        self.frames[ply].candidates = candidates;
        (coverage, ordered)
    }

    /// Rewards the move that cut a node off, and punishes the moves that were tried before it.
    fn update_history(
        &mut self,
        mv: G::Move,
        tried: impl Iterator<Item = G::Move>,
        depth: u32,
        ply: usize,
    ) {
        remember_killer(&mut self.frames[ply].killers, mv);
        let context = self.history_context();
        self.history.update(context, self.history_key(mv), depth, true);
        for earlier in tried {
            self.history.update(context, self.history_key(earlier), depth, false);
        }
    }

    /// Returns what selects the history of the current position.
    fn history_context(&self) -> HistoryContext {
        let mut slots = self.played_slots.iter().rev().copied();
        HistoryContext { side: self.game.turn(), last: [slots.next(), slots.next()] }
    }

    /// Returns what selects the history of `mv` in the current position.
    pub(in super::super) fn history_key(&self, mv: G::Move) -> HistoryKey {
        let is_threat = self.evaluator.is_threat(&self.game, mv);
        HistoryKey { slot: self.game.history_slot(mv), is_threat }
    }

    /// Returns the extension that the game asks for, in plies.
    fn extension(&self, mv: G::Move, ply: usize) -> u32 {
        if self.exact || !self.options.extensions || self.is_deep(ply) {
            return 0;
        }
        self.evaluator.extension(&self.game, mv)
    }
}
