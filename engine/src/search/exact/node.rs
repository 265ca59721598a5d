//! The move loop of an exact node: all its moves except the table's are probed before one is
//! entered.
//!
//! Each move is played together with the forced moves after it. Then the first steps of `node.rs`
//! follow: finished games, static bounds, book and solver. After all moves have taken these steps,
//! the table is probed. The moves that are still open are entered in order.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::history::HistoryOrder;
use crate::order::{Ordered, Orderer, pick, remember_killer};
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::super::heuristic::pruning::MoveDepth;
use super::super::state::{Child, Search};

/// An exact node whose moves are searched.
pub(in super::super) struct ExactNode<G: Game, E> {
    pub(in super::super) game: G,
    pub(in super::super) evaluator: E,
    pub(in super::super) depth: u32,
    pub(in super::super) ply: usize,
    /// The window that is still open.
    pub(in super::super) window: Window,
    /// The window of the side to move after a move. Mate distances count from that position.
    pub(in super::super) tt_window: Window,
    pub(in super::super) best: Score,
    /// The move that raised alpha.
    pub(in super::super) best_move: Option<G::Move>,
}

impl<G: Game, E> ExactNode<G, E> {
    /// Takes the score of a move. Returns whether it raises alpha.
    pub(in super::super) fn improve(&mut self, mv: G::Move, score: Score) -> bool {
        self.best = self.best.max(score);
        if score <= self.window.alpha {
            return false;
        }
        self.best_move = Some(mv);
        self.window.raise(score);
        self.tt_window = (-self.window).to_table(self.ply + 1);
        true
    }
}

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    pub(in super::super) fn is_exact_node(&self) -> bool {
        self.exact && self.options.probe_children
    }

    /// Searches the candidates. Returns the best score, and the move that raised alpha, if one did.
    pub(in super::super) fn search_exact_moves(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
        table_move: Option<G::Move>,
    ) -> Result<(Score, Option<G::Move>), Interrupt> {
        let mut children = std::mem::take(&mut self.frames[ply].children);
        let mut child_order = std::mem::take(&mut self.frames[ply].child_order);
        let mut node = ExactNode {
            game: self.game.clone(),
            evaluator: self.evaluator.clone(),
            depth,
            ply,
            window,
            tt_window: (-window).to_table(ply + 1),
            best: Score::LOWEST,
            best_move: None,
        };
        let result = self.search_exact_node(&mut node, &mut children, &mut child_order, table_move);
        (self.game, self.evaluator) = (node.game, node.evaluator);
        self.frames[ply].children = children;
        self.frames[ply].child_order = child_order;
        result.map(|()| (node.best, node.best_move))
    }

    fn search_exact_node(
        &mut self,
        node: &mut ExactNode<G, E>,
        children: &mut Vec<Child<G, E>>,
        child_order: &mut Vec<Ordered<usize>>,
        table_move: Option<G::Move>,
    ) -> Result<(), Interrupt> {
        // Table move first
        let first = table_move.filter(|_| self.enters_table_move_first(node));
        if let Some(mv) = first {
            self.search_first(mv, node, children)?;
            if self.is_cut(node) {
                return Ok(());
            }
            self.game.clone_from(&node.game);
            self.evaluator.clone_from(&node.evaluator);
        }

        // Static bounds, books and solvers of all moves
        self.probe_children(node, children, first)?;

        // Enhanced transposition cut-offs, and move ordering
        if !self.is_cut(node) {
            self.probe_tt_of_children(node, children, child_order, table_move);
        }

        // Open moves in order
        if !self.is_cut(node) {
            self.search_children(node, children, child_order)?;
        }
        Ok(())
    }

    /// Returns whether the table's move is entered before the others are probed. In proofs the
    /// table's move usually causes a cut-off. With several lines, probing first finds the results
    /// that other lines have left in the table.
    fn enters_table_move_first(&self, node: &ExactNode<G, E>) -> bool {
        self.is_proving && self.root.lines == 1 && node.window.is_scout()
    }

    /// Searches one move before the others are probed.
    #[inline(always)]
    fn search_first(
        &mut self,
        mv: G::Move,
        node: &mut ExactNode<G, E>,
        children: &mut Vec<Child<G, E>>,
    ) -> Result<(), Interrupt> {
        children.clear();
        let score = match self.probe_child(mv, node, children)? {
            Some(score) => score,
            None => self.probe_tt_or_search(&mut children[0], node)?,
        };
        node.improve(mv, score);
        if self.is_cut(node) {
            self.context.count_cut_off(0);
            remember_killer(&mut self.frames[node.ply].killers, mv);
        }
        Ok(())
    }

    /// Returns the score of a child for the side to move at the node. The score comes from the
    /// table if possible, else from a search.
    #[inline(always)]
    fn probe_tt_or_search(
        &mut self,
        child: &mut Child<G, E>,
        node: &ExactNode<G, E>,
    ) -> Result<Score, Interrupt> {
        let (depth, ply) = (node.depth - child.plies, node.ply + child.plies as usize);
        match self.probe_tt(&mut child.node, child.window, depth, ply) {
            Some(score) => Ok(child.score_for_parent(score)),
            None => self.search_child(child, node.window, node.depth, node.ply),
        }
    }

    fn is_cut(&self, node: &ExactNode<G, E>) -> bool {
        self.options.cutoffs && node.window.is_empty()
    }

    /// Lists the moves that the probes leave open, except the one that was searched first.
    fn probe_children(
        &mut self,
        node: &mut ExactNode<G, E>,
        children: &mut Vec<Child<G, E>>,
        first: Option<G::Move>,
    ) -> Result<(), Interrupt> {
        children.clear();
        let mut moves = std::mem::take(&mut self.frames[node.ply].candidates);
        moves.clear();
        self.list_candidates(&mut moves);
        let mut result = Ok(());
        for &mv in moves.iter().filter(|mv| Some(**mv) != first) {
            match self.probe_child(mv, node, children) {
                Ok(Some(score)) => self.settle_move(node, mv, score),
                Ok(None) => {}
                Err(interrupt) => result = Err(interrupt),
            }
            if result.is_err() || self.is_cut(node) {
                break;
            }
        }
        self.frames[node.ply].candidates = moves;
        result
    }

    /// Takes the score of a move that was not entered.
    fn settle_move(&mut self, node: &mut ExactNode<G, E>, mv: G::Move, score: Score) {
        let is_pv = !node.window.is_scout();
        if node.improve(mv, score) && is_pv {
            self.update_pv(node.ply, mv);
        }
    }

    /// Plays `mv` and all forced moves after it. Returns the move's score if steps 1, 2 or 5 cut it
    /// off. Otherwise appends a child and returns `None`.
    #[inline(always)]
    fn probe_child(
        &mut self,
        mv: G::Move,
        node: &ExactNode<G, E>,
        children: &mut Vec<Child<G, E>>,
    ) -> Result<Option<Score>, Interrupt> {
        let options = self.options;
        let is_pv = !node.window.is_scout();
        let follows_forced_moves = options.candidates && !is_pv;
        if is_pv {
            self.frames[node.ply + 1].pv.clear();
        }
        let (mut game, mut evaluator) = (node.game.clone(), node.evaluator.clone());
        let (mut next, mut plies) = (mv, 1);
        let (mut window, mut tt_window) = (-node.window, node.tt_window);
        loop {
            game.play(next);
            evaluator.played(&game, next);
            let ply = node.ply + plies as usize;
            let sign = |score: Score| if plies % 2 == 1 { -score } else { score };

            // Step 1. Finished games
            if let Some(outcome) = game.outcome() {
                self.seldepth = self.seldepth.max(ply);
                return Ok(Some(sign(outcome.score(game.turn(), ply as u32))));
            }

            // Step 2. Mate-distance pruning and static bounds
            let bounds = self.static_bounds(&game, &evaluator, tt_window);
            if options.cutoffs
                && let Some(score) = bounds.settles(tt_window)
            {
                return Ok(Some(sign(score.from_table(ply as u32))));
            }

            // Step 5. Opening book and threat solver
            if options.probe
                && let Some(probe) = self.book.probe_book_or_solver(
                    &game,
                    &mut evaluator,
                    window,
                    &mut self.context,
                )?
            {
                self.context.count_probe_hit();
                if plies == 1 {
                    self.frames[node.ply + 1].pv.extend(probe.line);
                }
                return Ok(Some(sign(probe.score.from_table(ply as u32))));
            }

            // Forced moves
            if follows_forced_moves
                && plies < node.depth
                && let Some(forced) = evaluator.only_move(&game)
            {
                (next, plies) = (forced, plies + 1);
                (window, tt_window) = (-window, (-tt_window).to_table(1));
                continue;
            }

            let open = self.probed_node(&game, bounds);
            self.table.prefetch(open.at);
            children.push(Child { mv, game, evaluator, plies, window, node: open });
            return Ok(None);
        }
    }

    /// Settles the children that the table knows, and orders the others.
    // CITE: Plaat, Schaeffer, Pijls and de Bruin, "Exploiting graph properties of game trees",
    // AAAI 1996 (enhanced transposition cut-offs).
    fn probe_tt_of_children(
        &mut self,
        node: &mut ExactNode<G, E>,
        children: &mut [Child<G, E>],
        child_order: &mut Vec<Ordered<usize>>,
        table_move: Option<G::Move>,
    ) {
        child_order.clear();
        for (place, child) in children.iter_mut().enumerate() {
            let (depth, ply) = (node.depth - child.plies, node.ply + child.plies as usize);
            let Some(score) = self.probe_tt(&mut child.node, child.window, depth, ply) else {
                child_order.push(Ordered { key: 0, item: place });
                continue;
            };
            self.settle_move(node, child.mv, child.score_for_parent(score));
            if self.is_cut(node) {
                return;
            }
        }
        if child_order.len() > 1 {
            for Ordered { key, item: place } in child_order {
                *key = self.order_key(node, &children[*place], *place, table_move);
            }
        }
    }

    fn order_key(
        &self,
        node: &ExactNode<G, E>,
        child: &Child<G, E>,
        place: usize,
        table_move: Option<G::Move>,
    ) -> i64 {
        let options = self.options;
        let killers = self.frames[node.ply].killers;
        let orderer =
            Orderer { table_move, killers: if options.killers { killers } else { [None, None] } };
        let rank_played =
            || child.evaluator.rank_played(&node.game, &child.game, self.outer_window);
        let rank = if options.rank { rank_played() } else { 0 };
        orderer.key(child.mv, rank, HistoryOrder::default(), place)
    }

    /// Searches the open children in order.
    fn search_children(
        &mut self,
        node: &mut ExactNode<G, E>,
        children: &[Child<G, E>],
        child_order: &mut [Ordered<usize>],
    ) -> Result<(), Interrupt> {
        let (depth, ply) = (node.depth, node.ply);
        let has_helpers = self.busy(depth).is_some();
        for index in 0..child_order.len() {
            self.check_cutoff(ply)?;
            let mut place = pick(child_order, index);
            let mut known = None;
            // All threads search the first.
            if has_helpers && index > 0 {
                place = self.pick_free(depth, children, child_order, index);
                known = self.probe_tt_again(&children[place], depth, ply);
            }
            let child = &children[place];
            let is_pv = !node.window.is_scout();
            // The depth of a child does not depend on what `pvs` asks for.
            let search_child =
                |search: &mut Self, window, _| search.search_child(child, window, depth, ply);
            let score = match known {
                Some(score) => score,
                None => self.pvs(index == 0, node.window, MoveDepth::fixed(depth), search_child)?,
            };
            if !node.improve(child.mv, score) {
                continue;
            }
            if is_pv {
                self.update_pv(ply, child.mv);
                self.narrow_cutoff_check(ply, node.window);
            }
            if self.is_cut(node) {
                self.context.count_cut_off(index);
                remember_killer(&mut self.frames[ply].killers, child.mv);
                break;
            }
        }
        Ok(())
    }

    /// Returns the place of the next child that no other thread is searching, or of the best child,
    /// which is at `index`.
    fn pick_free(
        &self,
        depth: u32,
        children: &[Child<G, E>],
        child_order: &mut [Ordered<usize>],
        index: usize,
    ) -> usize {
        let is_busy = |key| self.busy(depth).is_some_and(|busy| busy.is_marked(key));
        let is_free = |at: &usize| !is_busy(children[child_order[*at].item].node.at.key);
        let free = (index..child_order.len()).filter(is_free).max_by_key(|at| child_order[*at].key);
        child_order.swap(index, free.unwrap_or(index));
        child_order[index].item
    }

    /// Returns the result of another thread for a child, stored since the last probe of the table.
    fn probe_tt_again(&mut self, child: &Child<G, E>, depth: u32, ply: usize) -> Option<Score> {
        let (depth, ply) = (depth - child.plies, ply + child.plies as usize);
        let score = self.probe_tt(&mut child.node.clone(), child.window, depth, ply)?;
        Some(child.score_for_parent(score))
    }

    /// Returns the score of a child for the side to move at the node, in a window of that side.
    fn search_child(
        &mut self,
        child: &Child<G, E>,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        self.game.clone_from(&child.game);
        self.evaluator.clone_from(&child.evaluator);
        let key = child.node.at.key;
        if let Some(busy) = self.busy(depth) {
            busy.mark(key);
        }
        let (below, ply) = (depth - child.plies, ply + child.plies as usize);
        let window = if child.changes_side() { -window } else { window };
        let score = self.count_node(ply).and_then(|()| {
            if below == 0 {
                self.qsearch_probed_node(child.node.bounds, window, ply)
            } else {
                self.search_probed_node(child.node, window, below, ply)
            }
        });
        if let Some(busy) = self.busy(depth) {
            busy.unmark(key);
        }
        Ok(child.score_for_parent(score?))
    }
}
