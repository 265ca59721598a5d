//! The move loop of a node: candidates in order, each searched with a window and a depth of its own.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::history::{HistoryContext, HistoryKey, HistoryOrder};
use crate::order::{Ordered, Orderer, remember_killer};
use crate::ordering::Coverage;
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::move_depth::MoveDepth;
use super::node_id::NodeId;
use super::pruning::Singular;
use super::state::Search;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Searches the candidates in order. Returns the best score, and the move that raised alpha, if
    /// one did.
    pub(super) fn search_moves(
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
    pub(super) fn search_move(
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
    pub(super) fn pvs(
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

    /// Plays `mv`, runs `body` and takes the move back, also after an interrupt.
    #[inline]
    pub(super) fn with_move<R>(&mut self, mv: G::Move, body: impl FnOnce(&mut Self) -> R) -> R {
        self.played_slots.push(self.game.history_slot(mv));
        let undo = self.game.play(mv);
        // The evaluator's update hides the wait. An exact node prefetches its children itself.
        if !self.exact {
            self.table.prefetch(self.address_of(&self.game).0);
        }
        let evaluator_undo = self.evaluator.played(&self.game, mv);
        let result = body(self);
        self.game.undo(mv, undo);
        self.evaluator.undone(&self.game, mv, evaluator_undo);
        self.played_slots.pop();
        result
    }

    /// Appends the moves that this search considers in the current position.
    pub(super) fn list_candidates(&self, out: &mut Vec<G::Move>) -> Coverage {
        if !self.options.candidates {
            self.game.moves(out);
            return Coverage::Complete;
        }
        let coverage = self.evaluator.candidates(&self.game, out);
        debug_assert!(!out.is_empty(), "no candidates while the game goes on");
        coverage
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
    pub(super) fn history_key(&self, mv: G::Move) -> HistoryKey {
        let is_threat = self.evaluator.is_threat(&self.game, mv);
        HistoryKey { slot: self.game.history_slot(mv), is_threat }
    }

    /// Makes `mv` and the line below it the line of this ply.
    pub(super) fn update_pv(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        let line = &mut upper[ply].pv;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0].pv);
    }

    /// Returns the extension that the game asks for, in plies.
    fn extension(&self, mv: G::Move, ply: usize) -> u32 {
        if self.exact || !self.options.extensions || self.is_deep(ply) {
            return 0;
        }
        self.evaluator.extension(&self.game, mv)
    }
}
