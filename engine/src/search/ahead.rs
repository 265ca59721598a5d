//! Looking ahead: in an exact game all moves of a node are looked at before one is entered, but for
//! the table's.

use crate::evaluator::SearchEvaluator;
use crate::order::{Ordered, Orderer, pick, remember_killer};
use crate::prover::Probe;
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::child::{Child, Known, Node};
use super::proven::Proven;
use super::state::Search;
use crate::context::Stopped;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    pub(super) fn looks_ahead(&self) -> bool {
        self.exact && self.techniques.look_ahead
    }

    /// Searches the candidates: first all by what is proven or known of them, then those left open,
    /// in order. The best score, and the move that raised alpha, if one did.
    pub(super) fn search_ahead(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
        table_move: Option<G::Move>,
    ) -> Result<(Score, Option<G::Move>), Stopped> {
        let mut children = std::mem::take(&mut self.frames[ply].children);
        let mut places = std::mem::take(&mut self.frames[ply].places);
        let mut node = Node {
            game: self.game.clone(),
            evaluator: self.evaluator.clone(),
            depth,
            ply,
            window,
            wanted: (-window).to_table(ply + 1),
            best: Score::LOWEST,
            best_move: None,
        };
        let result = self.search_children(&mut node, &mut children, &mut places, table_move);
        (self.game, self.evaluator) = (node.game, node.evaluator);
        self.frames[ply].children = children;
        self.frames[ply].places = places;
        result.map(|()| (node.best, node.best_move))
    }

    fn search_children(
        &mut self,
        node: &mut Node<G, E, G::Move>,
        children: &mut Vec<Child<G, E>>,
        places: &mut Vec<Ordered<usize>>,
        table_move: Option<G::Move>,
    ) -> Result<(), Stopped> {
        let first = table_move.filter(|_| self.enters_table_move_first(node));
        if let Some(mv) = first {
            self.search_first(mv, node, children)?;
            if self.is_cut(node) {
                return Ok(());
            }
            self.game.clone_from(&node.game);
            self.evaluator.clone_from(&node.evaluator);
        }
        self.look_at_all(node, children, first)?;
        if !self.is_cut(node) {
            self.recall_all(node, children, places, table_move);
        }
        if !self.is_cut(node) {
            self.enter_all(node, children, places)?;
        }
        Ok(())
    }

    /// Whether the table's move is entered before the others are looked at: in proofs it most often
    /// cuts off. Where several lines are asked for, it pays to find what the others have left in
    /// the table.
    fn enters_table_move_first(&self, node: &Node<G, E, G::Move>) -> bool {
        self.is_proving && self.lines == 1 && node.window.is_scout()
    }

    /// Searches one move before the others are looked at.
    #[inline(always)]
    fn search_first(
        &mut self,
        mv: G::Move,
        node: &mut Node<G, E, G::Move>,
        children: &mut Vec<Child<G, E>>,
    ) -> Result<(), Stopped> {
        children.clear();
        let score = match self.look_behind(mv, node, children)? {
            Some(score) => score,
            None => self.search_child(&mut children[0], node)?,
        };
        node.improve(mv, score);
        if self.is_cut(node) {
            self.context.count_cut_off(0);
            remember_killer(&mut self.frames[node.ply].killers, mv);
        }
        Ok(())
    }

    /// The score of a child for the side to move at the node: by the table, or else by a search.
    #[inline(always)]
    fn search_child(
        &mut self,
        child: &mut Child<G, E>,
        node: &Node<G, E, G::Move>,
    ) -> Result<Score, Stopped> {
        let (depth, ply) = (node.depth - child.plies, node.ply + child.plies as usize);
        match self.recall(&mut child.known, child.window, depth, ply) {
            Some(score) => Ok(child.turned(score)),
            None => self.enter_child(child, node.window, node.depth, node.ply),
        }
    }

    fn is_cut(&self, node: &Node<G, E, G::Move>) -> bool {
        self.techniques.cutoffs && node.window.is_empty()
    }

    /// Lists the moves that static proofs leave open, but for the one that came first.
    fn look_at_all(
        &mut self,
        node: &mut Node<G, E, G::Move>,
        children: &mut Vec<Child<G, E>>,
        first: Option<G::Move>,
    ) -> Result<(), Stopped> {
        children.clear();
        let mut moves = std::mem::take(&mut self.frames[node.ply].candidates);
        moves.clear();
        self.list_candidates(&mut moves);
        let mut result = Ok(());
        for &mv in moves.iter().filter(|mv| Some(**mv) != first) {
            match self.look_behind(mv, node, children) {
                Ok(Some(score)) => self.settle(node, mv, score),
                Ok(None) => {}
                Err(stopped) => result = Err(stopped),
            }
            if result.is_err() || self.is_cut(node) {
                break;
            }
        }
        self.frames[node.ply].candidates = moves;
        result
    }

    /// Takes the score of a move that was not entered.
    fn settle(&mut self, node: &mut Node<G, E, G::Move>, mv: G::Move, score: Score) {
        let is_pv = !node.window.is_scout();
        if node.improve(mv, score) && is_pv {
            self.adopt_line(node.ply, mv);
        }
    }

    /// Plays `mv` and all forced moves after it. The score that settles it for the side that plays
    /// it; when there is none, it is one more of the `children`.
    #[inline(always)]
    fn look_behind(
        &mut self,
        mv: G::Move,
        node: &Node<G, E, G::Move>,
        children: &mut Vec<Child<G, E>>,
    ) -> Result<Option<Score>, Stopped> {
        let techniques = self.techniques;
        let is_pv = !node.window.is_scout();
        let follows_forced_moves = techniques.candidates && !is_pv;
        if is_pv {
            self.frames[node.ply + 1].pv.clear();
        }
        let (mut game, mut evaluator) = (node.game.clone(), node.evaluator.clone());
        let (mut next, mut plies) = (mv, 1);
        let (mut window, mut wanted) = (-node.window, node.wanted);
        loop {
            game.play(next);
            evaluator.played(&game, next);
            let ply = node.ply + plies as usize;
            let sign = |score: Score| if plies % 2 == 1 { -score } else { score };
            if let Some(outcome) = game.outcome() {
                self.seldepth = self.seldepth.max(ply);
                return Ok(Some(sign(outcome.score(game.turn(), ply as u32))));
            }
            let proven = Proven::of(&game, &evaluator, &techniques, wanted);
            if techniques.cutoffs
                && let Some(score) = proven.settles(wanted)
            {
                return Ok(Some(sign(score.from_table(ply as u32))));
            }
            if techniques.probe
                && let Some(probe) = self.probe_child(&game, &mut evaluator, window)?
            {
                self.context.count_probe_hit();
                if plies == 1 {
                    self.frames[node.ply + 1].pv.extend(probe.line);
                }
                return Ok(Some(sign(probe.score.from_table(ply as u32))));
            }
            if follows_forced_moves
                && plies < node.depth
                && let Some(forced) = evaluator.only_move(&game)
            {
                (next, plies) = (forced, plies + 1);
                (window, wanted) = (-window, (-wanted).to_table(1));
                continue;
            }
            let (at, symmetry) = self.address_of(&game);
            self.table.expect(at);
            let known = Known { proven, at, symmetry, code: None };
            children.push(Child { mv, game, evaluator, plies, window, known });
            return Ok(None);
        }
    }

    #[inline(always)]
    fn probe_child(
        &mut self,
        game: &G,
        evaluator: &mut E,
        window: Window,
    ) -> Result<Option<Probe<G::Move>>, Stopped> {
        if game.plies_left() >= self.book_plies_left
            && let Some(probe) = self.probe_book(game)
        {
            return Ok(Some(probe));
        }
        evaluator.probe(game, window, &mut self.context)
    }

    // Enhanced transposition cut-offs
    // CITE: Plaat, Schaeffer, Pijls and de Bruin, "Exploiting graph properties of game trees",
    // AAAI 1996.
    fn recall_all(
        &mut self,
        node: &mut Node<G, E, G::Move>,
        children: &mut [Child<G, E>],
        places: &mut Vec<Ordered<usize>>,
        table_move: Option<G::Move>,
    ) {
        places.clear();
        for (place, child) in children.iter_mut().enumerate() {
            let (depth, ply) = (node.depth - child.plies, node.ply + child.plies as usize);
            let Some(score) = self.recall(&mut child.known, child.window, depth, ply) else {
                places.push(Ordered { key: 0, mv: place });
                continue;
            };
            self.settle(node, child.mv, child.turned(score));
            if self.is_cut(node) {
                return;
            }
        }
        if places.len() > 1 {
            for Ordered { key, mv: place } in places {
                *key = self.order_key(node, &children[*place], *place, table_move);
            }
        }
    }

    fn order_key(
        &self,
        node: &Node<G, E, G::Move>,
        child: &Child<G, E>,
        place: usize,
        table_move: Option<G::Move>,
    ) -> i64 {
        let techniques = self.techniques;
        let killers = self.frames[node.ply].killers;
        let orderer = Orderer {
            game: &node.game,
            table_move,
            killers: if techniques.killers { killers } else { [None, None] },
            history: None,
        };
        let rank_played = || child.evaluator.rank_played(&node.game, &child.game, self.asks_ends);
        let rank = if techniques.rank { rank_played() } else { 0 };
        orderer.key(child.mv, rank, place)
    }

    /// Searches the moves at these places.
    fn enter_all(
        &mut self,
        node: &mut Node<G, E, G::Move>,
        children: &[Child<G, E>],
        places: &mut [Ordered<usize>],
    ) -> Result<(), Stopped> {
        let (depth, ply) = (node.depth, node.ply);
        let has_company = self.company(depth).is_some();
        for index in 0..places.len() {
            self.heed(ply)?;
            let mut place = pick(places, index);
            let mut heard = None;
            // All threads search the first.
            if has_company && index > 0 {
                place = self.pick_free(depth, children, places, index);
                heard = self.hear_of(&children[place], depth, ply);
            }
            let child = &children[place];
            let is_pv = !node.window.is_scout();
            let visit =
                |search: &mut Self, window, _| search.enter_child(child, window, depth, ply);
            let score = match heard {
                Some(score) => score,
                None => self.follow(index == 0, node.window, 0, visit)?,
            };
            if !node.improve(child.mv, score) {
                continue;
            }
            if is_pv {
                self.adopt_line(ply, child.mv);
                self.ask(ply, node.window);
            }
            if self.is_cut(node) {
                self.context.count_cut_off(index);
                remember_killer(&mut self.frames[ply].killers, child.mv);
                break;
            }
        }
        Ok(())
    }

    /// The next child, if there is one that no other thread is searching; else the best, which is
    /// at `index`.
    fn pick_free(
        &self,
        depth: u32,
        children: &[Child<G, E>],
        places: &mut [Ordered<usize>],
        index: usize,
    ) -> usize {
        let is_taken = |key| self.company(depth).is_some_and(|crowd| crowd.is_at(key));
        let is_free = |at: &usize| !is_taken(children[places[*at].mv].known.at.key);
        let free = (index..places.len()).filter(is_free).max_by_key(|at| places[*at].key);
        places.swap(index, free.unwrap_or(index));
        places[index].mv
    }

    /// What another thread found of a child since it was looked at.
    fn hear_of(&mut self, child: &Child<G, E>, depth: u32, ply: usize) -> Option<Score> {
        let (depth, ply) = (depth - child.plies, ply + child.plies as usize);
        let score = self.recall(&mut child.known.clone(), child.window, depth, ply)?;
        Some(child.turned(score))
    }

    /// The score of a child for the side to move at the node, in a window of that side.
    pub(super) fn enter_child(
        &mut self,
        child: &Child<G, E>,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Stopped> {
        self.game.clone_from(&child.game);
        self.evaluator.clone_from(&child.evaluator);
        let key = child.known.at.key;
        if let Some(crowd) = self.company(depth) {
            crowd.enter(key);
        }
        let (below, ply) = (depth - child.plies, ply + child.plies as usize);
        let window = if child.changes_side() { -window } else { window };
        let score = self.enter(ply).and_then(|()| {
            if below == 0 {
                self.rest(child.known.proven, window, ply)
            } else {
                self.expand(child.known, window, below, ply)
            }
        });
        if let Some(crowd) = self.company(depth) {
            crowd.leave(key);
        }
        Ok(child.turned(score?))
    }
}
