//! One node of the exact search, step by step. It uses no unsound technique.
//!
//! A node probes all its moves before it searches one, except the table move in a proof: it plays
//! each move, in a null window together with the forced moves after it, and takes steps 1, 2 and 4
//! for that position. Then it probes the table for all of them (step 3). So a child that is still
//! open begins at step 5, in [`Search::search_probed`].

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::history::HistoryOrder;
use crate::search::order::{Ordered, Orderer, pick, remember_killer};
use crate::search::state::{Child, Node, Search, Searched, is_scout};
use crate::search::techniques::Techniques;

/// An exact node whose moves are searched.
struct ExactNode<G: Game, E> {
    game: G,
    evaluator: E,
    depth: u32,
    ply: usize,
    /// The current window.
    window: Window,
    /// The current window for the side to move after a move. Plies count from that position.
    child_window: Window,
    best: Score,
    /// The move that raised alpha.
    best_move: Option<G::Move>,
}

impl<G: Game, E> ExactNode<G, E> {
    /// Updates the node with the score of a move. Returns whether it raises alpha.
    fn improve(&mut self, mv: G::Move, score: Score) -> bool {
        self.best = self.best.max(score);
        if score <= self.window.alpha {
            return false;
        }
        self.best_move = Some(mv);
        self.window.raise(score);
        self.child_window = (-self.window).to_node(self.ply + 1);
        true
    }
}

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Returns the score of the current position, `ply` plies below the root, searched `depth`
    /// plies deep, fail-soft. Without `PV` the window is a null window.
    pub(in crate::search) fn search_exact<const PV: bool>(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
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

        // Step 4. Opening book and threat solver
        if let Some(score) = self.book_or_solver_score(window, depth, ply)? {
            return Ok(score);
        }
        self.search_probed::<PV>(&node)
    }

    /// Does the steps of a node after its probes. A child begins here, because its parent has
    /// probed it.
    pub(in crate::search) fn search_probed<const PV: bool>(
        &mut self,
        node: &Node<G::Symmetry>,
    ) -> Result<Score, Interrupt> {
        // Step 5. ABDADA: from here on this thread looks whether another one settles the node
        self.begin_cutoff_checks(node)?;

        // Step 6. The moves
        let move_window = self.window_of_moves(node);
        let searched = self.search_exact_moves::<PV>(node, move_window);

        // Step 7. The end of ABDADA's checks, and the table entry
        match self.end_cutoff_checks(node, searched)? {
            Searched::Moves(best, best_move) => {
                Ok(self.store_node(node, move_window, best, best_move))
            }
            Searched::Settled(score) => Ok(score),
        }
    }

    /// Searches the moves of `probed` in `window`, with the buffers of its frame. Returns the best
    /// score and the move that raised alpha.
    fn search_exact_moves<const PV: bool>(
        &mut self,
        probed: &Node<G::Symmetry>,
        window: Window,
    ) -> Result<Searched<G::Move>, Interrupt> {
        let (depth, ply) = (probed.depth, probed.ply);
        let table_move = self.table_move_of(probed);
        let mut children = std::mem::take(&mut self.frames[ply].children);
        let mut child_order = std::mem::take(&mut self.frames[ply].child_order);
        let mut node = ExactNode {
            game: self.game.clone(),
            evaluator: self.evaluator.clone(),
            depth,
            ply,
            window,
            child_window: (-window).to_node(ply + 1),
            best: Score::LOWEST,
            best_move: None,
        };
        let result =
            self.search_in_stages::<PV>(&mut node, &mut children, &mut child_order, table_move);
        (self.game, self.evaluator) = (node.game, node.evaluator);
        self.frames[ply].children = children;
        self.frames[ply].child_order = child_order;
        result.map(|()| Searched::Moves(node.best, node.best_move))
    }

    /// Searches the moves of `node`, stage by stage. Afterwards the current position is unspecified.
    fn search_in_stages<const PV: bool>(
        &mut self,
        node: &mut ExactNode<G, E>,
        children: &mut Vec<Child<G, E>>,
        child_order: &mut Vec<Ordered<usize>>,
        table_move: Option<G::Move>,
    ) -> Result<(), Interrupt> {
        // The table move first. In proofs it usually causes a cut-off. With several lines, probing
        // all moves first is better: it finds the table entries of other lines.
        let takes_first =
            self.proof.is_running && self.root.lines == 1 && is_scout::<PV>(node.window);
        let first = table_move.filter(|_| takes_first);
        if let Some(mv) = first {
            self.search_first(mv, node, children)?;
            if self.is_cut(node) {
                return Ok(());
            }
            self.game.clone_from(&node.game);
            self.evaluator.clone_from(&node.evaluator);
        }

        // Static bounds, books and solvers of all moves
        self.probe_children::<PV>(node, children, first)?;

        // Enhanced transposition cut-offs, and move ordering
        if !self.is_cut(node) {
            self.probe_tt_of_children::<PV>(node, children, child_order, table_move);
        }

        // Moves without a score, in order
        if !self.is_cut(node) {
            self.search_children::<PV>(node, children, child_order)?;
        }
        Ok(())
    }

    /// Searches `mv` in a null window before the other moves are probed.
    #[inline(always)]
    fn search_first(
        &mut self,
        mv: G::Move,
        node: &mut ExactNode<G, E>,
        children: &mut Vec<Child<G, E>>,
    ) -> Result<(), Interrupt> {
        children.clear();
        let score = match self.probe_child::<false>(mv, node, children)? {
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

    /// Returns the score of a child from the table if possible, else from a search. The score is
    /// for the side to move at the node.
    #[inline(always)]
    fn probe_tt_or_search(
        &mut self,
        child: &mut Child<G, E>,
        node: &ExactNode<G, E>,
    ) -> Result<Score, Interrupt> {
        match self.probe_tt(&mut child.node) {
            Some(score) => Ok(child.score_for_parent(score)),
            None => self.search_child::<false>(child, node.window, node.depth),
        }
    }

    fn is_cut(&self, node: &ExactNode<G, E>) -> bool {
        self.on().cutoffs && node.window.is_empty()
    }

    /// Probes all moves but `first`, and fills `children` with the moves that get no score.
    fn probe_children<const PV: bool>(
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
            match self.probe_child::<PV>(mv, node, children) {
                Ok(Some(score)) => self.settle_move::<PV>(node, mv, score),
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

    /// Updates the node with the score of a move that needs no search.
    fn settle_move<const PV: bool>(
        &mut self,
        node: &mut ExactNode<G, E>,
        mv: G::Move,
        score: Score,
    ) {
        let is_pv = !is_scout::<PV>(node.window);
        if node.improve(mv, score) && is_pv {
            self.update_pv(node.ply, mv);
        }
    }

    /// Plays `mv` and all forced moves after it. Returns the score of `mv` if steps 1, 2 or 4 give
    /// one. Otherwise appends a child and returns `None`.
    #[inline(always)]
    fn probe_child<const PV: bool>(
        &mut self,
        mv: G::Move,
        node: &ExactNode<G, E>,
        children: &mut Vec<Child<G, E>>,
    ) -> Result<Option<Score>, Interrupt> {
        let on = self.on();
        let is_pv = !is_scout::<PV>(node.window);
        let follows_forced_moves = on.candidates && !is_pv;
        if is_pv {
            self.frames[node.ply + 1].pv.clear();
        }
        let (mut game, mut evaluator) = (node.game.clone(), node.evaluator.clone());
        let (mut next, mut plies) = (mv, 1);
        let (mut window, mut child_window) = (-node.window, node.child_window);
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
            let bounds = self.static_bounds(&game, &evaluator, child_window);
            if on.cutoffs
                && let Some(score) = bounds.cutoff(child_window)
            {
                return Ok(Some(sign(score.to_root(ply as u32))));
            }

            // Step 4. Opening book and threat solver
            if self.probes
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
                return Ok(Some(sign(probe.score.to_root(ply as u32))));
            }

            // Forced moves
            if follows_forced_moves
                && plies < node.depth
                && let Some(forced) = evaluator.only_move(&game)
            {
                (next, plies) = (forced, plies + 1);
                (window, child_window) = (-window, (-child_window).to_node(1));
                continue;
            }

            let child = self.node(&game, bounds, window, node.depth - plies, ply);
            self.table.prefetch(child.at);
            children.push(Child { mv, game, evaluator, plies, node: child });
            return Ok(None);
        }
    }

    /// Probes the table for all children, and orders the children that get no score.
    // CITE: Plaat, Schaeffer, Pijls and de Bruin, "Exploiting graph properties of game trees",
    // AAAI 1996 (enhanced transposition cut-offs).
    fn probe_tt_of_children<const PV: bool>(
        &mut self,
        node: &mut ExactNode<G, E>,
        children: &mut [Child<G, E>],
        child_order: &mut Vec<Ordered<usize>>,
        table_move: Option<G::Move>,
    ) {
        child_order.clear();
        for (place, child) in children.iter_mut().enumerate() {
            let Some(score) = self.probe_tt(&mut child.node) else {
                child_order.push(Ordered { key: 0, item: place });
                continue;
            };
            self.settle_move::<PV>(node, child.mv, child.score_for_parent(score));
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

    /// Returns the order key of `child`, which has the index `place` in the list.
    fn order_key(
        &self,
        node: &ExactNode<G, E>,
        child: &Child<G, E>,
        place: usize,
        table_move: Option<G::Move>,
    ) -> i64 {
        let on = self.on();
        let killers = if on.killers { self.frames[node.ply].killers } else { [None, None] };
        let orderer = Orderer { table_move, killers };
        let outer_window = self.proof.outer_window;
        let rank_played = || child.evaluator.rank_played(&node.game, &child.game, outer_window);
        let rank = if on.rank { rank_played() } else { 0 };
        orderer.key(child.mv, rank, HistoryOrder::default(), place)
    }

    /// Searches the children in order.
    fn search_children<const PV: bool>(
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
            // All threads search the first child.
            if has_helpers && index > 0 {
                place = self.pick_child(depth, children, child_order, index);
                let child = &children[place];
                // Another thread may have stored the child since the last probe.
                let found = self.probe_tt(&mut child.node.clone());
                known = found.map(|score| child.score_for_parent(score));
            }
            let child = &children[place];
            let is_pv = !is_scout::<PV>(node.window);
            let score = match known {
                Some(score) => score,
                None => self.search_open_child::<PV>(child, node.window, index == 0, depth)?,
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

    /// Searches a child: principal variation search, with a null window for all children but the
    /// first. Returns the score for the side to move at the node.
    #[inline(always)]
    fn search_open_child<const PV: bool>(
        &mut self,
        child: &Child<G, E>,
        window: Window,
        is_first: bool,
        depth: u32,
    ) -> Result<Score, Interrupt> {
        let on = self.on();
        if !on.cutoffs {
            return self.search_child::<true>(child, Window::FULL, depth);
        }
        if PV && on.scout && !is_first {
            let scout = Window::scout(window.alpha);
            let score = self.search_child::<false>(child, scout, depth)?;
            if score <= window.alpha || score >= window.beta {
                return Ok(score);
            }
        }
        self.search_child::<PV>(child, window, depth)
    }

    /// Searches a child of a node of this `depth`. `window` and the score are for the side to move
    /// at the node.
    fn search_child<const PV: bool>(
        &mut self,
        child: &Child<G, E>,
        window: Window,
        depth: u32,
    ) -> Result<Score, Interrupt> {
        self.game.clone_from(&child.game);
        self.evaluator.clone_from(&child.evaluator);
        let node = Node { window: child.window_of_child(window), ..child.node };
        if let Some(busy) = self.busy(depth) {
            busy.mark(node.at.key);
        }
        let score = self.count_node(node.ply).and_then(|()| match node.depth {
            0 => self.quiescence_after_bounds(node.bounds, node.window, node.ply),
            _ => self.search_probed::<PV>(&node),
        });
        if let Some(busy) = self.busy(depth) {
            busy.unmark(node.at.key);
        }
        Ok(child.score_for_parent(score?))
    }

    /// Searches `mv`, the move of the root at `index` in search order. Returns the score for the
    /// side that plays `mv`.
    pub(in crate::search) fn search_exact_root_move(
        &mut self,
        window: Window,
        mv: G::Move,
        index: usize,
        depth: u32,
    ) -> Result<Score, Interrupt> {
        let undo = self.play(mv);
        let score = self.search_after_root_move(window, index == 0, depth - 1);
        self.undo(mv, undo);
        score
    }

    /// Searches the position after a root move: principal variation search. Returns the score for
    /// the side that played the move.
    fn search_after_root_move(
        &mut self,
        window: Window,
        is_first: bool,
        depth: u32,
    ) -> Result<Score, Interrupt> {
        let on = self.on();
        if !on.cutoffs {
            return Ok(-self.search_exact::<true>(Window::FULL, depth, 1)?);
        }
        if on.scout && !is_first {
            let scout = Window::scout(window.alpha);
            let score = -self.search_exact::<false>(-scout, depth, 1)?;
            if score <= window.alpha || score >= window.beta {
                return Ok(score);
            }
        }
        Ok(-self.search_exact::<true>(-window, depth, 1)?)
    }
}
