//! Reads and writes of the transposition table by nodes, and probes of books and solvers.

use crate::game::rules::{Game, OUTER_WINDOW_MARK};
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::prover::Probe;
use crate::search::report::Bound;
use crate::search::table::{Address, Entry, Region};

use super::bounds::ProvenBounds;
use super::state::{Node, Search};
use super::techniques::Techniques;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Creates the node of the position `game`, with its table address and no table move.
    #[inline(always)]
    pub(super) fn node(
        &self,
        game: &G,
        bounds: ProvenBounds,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Node<G::Symmetry> {
        let (at, symmetry) = self.address_of(game);
        Node { window, depth, ply, at, symmetry, bounds, code: None }
    }

    /// Returns the table address of a position, and the symmetry under which it is stored.
    #[inline(always)]
    pub(super) fn address_of(&self, game: &G) -> (Address, G::Symmetry) {
        let (key, symmetry) = game.key();
        let is_near = self.exact && game.plies_left() < self.proof.near_end;
        let region = if is_near { Region::Near } else { Region::Far };
        (Address { key, region }, symmetry)
    }

    /// Returns the score of `node` if the table cuts it off. Otherwise stores the table move in
    /// `node`.
    #[inline]
    pub(super) fn probe_tt(&mut self, node: &mut Node<G::Symmetry>) -> Option<Score> {
        let on = self.on();
        let entry = if self.uses_table() { self.table.get(node.at) } else { None };
        if on.table
            && let Some(score) = entry.and_then(|entry| tt_cutoff(&entry, node))
        {
            self.context.count_table_hit();
            return Some(node.bounds.to_root(node.ply).clamp(score));
        }
        let code = entry.filter(|_| on.table_move).and_then(|entry| entry.code);
        // Moves stored in outer windows carry OUTER_WINDOW_MARK. In other windows the mark stays, and
        // `unpack` finds no move of that code.
        let outer = self.proof.outer_window;
        node.code = code.map(|code| if outer { code & !OUTER_WINDOW_MARK } else { code });
        None
    }

    /// Returns the table move that [`probe_tt`](Self::probe_tt) stored in `node`.
    pub(super) fn table_move_of(&self, node: &Node<G::Symmetry>) -> Option<G::Move> {
        node.code.and_then(|code| self.game.unpack(code, node.symmetry))
    }

    /// Returns the table move of the current position.
    pub(super) fn table_move(&self) -> Option<G::Move> {
        let (at, symmetry) = self.address_of(&self.game);
        let code = self.table.get(at).and_then(|entry| entry.code);
        code.and_then(|code| self.game.unpack(code, symmetry))
    }

    /// Returns the window for the moves of `node`: its window narrowed by its proven bounds.
    pub(super) fn window_of_moves(&self, node: &Node<G::Symmetry>) -> Window {
        if !self.on().cutoffs {
            return node.window;
        }
        node.bounds.to_root(node.ply).narrow(node.window)
    }

    /// Stores the result of searching the moves of `node` in `window`, and returns the score of the
    /// node.
    pub(super) fn store_node(
        &mut self,
        node: &Node<G::Symmetry>,
        window: Window,
        best: Score,
        best_move: Option<G::Move>,
    ) -> Score {
        let bounds = node.bounds.to_root(node.ply);
        let score = if self.on().cutoffs { bounds.clamp(best) } else { best };
        // A score at a proven bound is exact, even outside the window.
        let bound = match score {
            s if s >= window.beta && s < bounds.high => Bound::Lower,
            s if s <= window.alpha && s > bounds.low => Bound::Upper,
            _ => Bound::Exact,
        };
        if self.uses_table() {
            let mark = self.outer_window_mark(node.ply);
            let code = best_move.map(|mv| self.game.pack(mv, node.symmetry) | mark);
            let score = score.to_node(node.ply as u32);
            self.table.put(node.at, Entry { depth: node.depth, bound, score, code });
        }
        score
    }

    /// Stores a result of the current position. `score` counts plies from the root.
    pub(super) fn store(
        &mut self,
        depth: u32,
        ply: usize,
        score: Score,
        bound: Bound,
        best: Option<G::Move>,
    ) {
        if !self.uses_table() {
            return;
        }
        let (at, symmetry) = self.address_of(&self.game);
        let code = best.map(|mv| self.game.pack(mv, symmetry));
        self.table.put(at, Entry { depth, bound, score: score.to_node(ply as u32), code });
    }

    /// Probes the book and the solver for the current position, and stores their result. Returns
    /// its score; `None` if there is no result.
    #[inline]
    pub(super) fn book_or_solver_score(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Option<Score>, Interrupt> {
        if !self.probes {
            return Ok(None);
        }
        let probe = self.probe_book_or_solver(window)?;
        Ok(probe.map(|probe| self.store_probe(probe, depth, ply)))
    }

    /// Probes the book for the current position, then the solver if the book does not have it.
    #[inline(always)]
    pub(super) fn probe_book_or_solver(
        &mut self,
        window: Window,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        let Self { book, game, evaluator, context, .. } = self;
        book.probe_book_or_solver(game, evaluator, window, context)
    }

    /// Stores the result of a probe of the current position. Returns its score with plies from the
    /// root.
    pub(super) fn store_probe(&mut self, probe: Probe<G::Move>, depth: u32, ply: usize) -> Score {
        self.context.count_probe_hit();
        let score = probe.score.to_root(ply as u32);
        // A proven win need not be the shortest, nor a loss the longest.
        let bound = match score {
            s if s.is_win() => Bound::Lower,
            s if s.is_loss() => Bound::Upper,
            _ => Bound::Exact,
        };
        self.store(depth, ply, score, bound, probe.line.first().copied());
        self.frames[ply].pv.extend(probe.line);
        score
    }

    /// Returns the mark of moves that a search in an outer window stores in the table. They are
    /// poor guesses in other windows. The move of the root has no mark.
    fn outer_window_mark(&self, ply: usize) -> u32 {
        if self.proof.outer_window && ply > 0 { OUTER_WINDOW_MARK } else { 0 }
    }

    fn uses_table(&self) -> bool {
        self.on().table || self.on().table_move
    }
}

/// Returns the score of a table entry that cuts off `node`. An exact score inside the window gives
/// no cut-off, so that the PV is complete.
pub(super) fn tt_cutoff<S>(entry: &Entry, node: &Node<S>) -> Option<Score> {
    let score = entry.score.to_root(node.ply as u32);
    let is_deep_enough = entry.depth >= node.depth;
    let is_exact = entry.bound == Bound::Exact;
    // A proven win or loss holds at every depth.
    let is_lower_bound =
        (is_exact || entry.bound == Bound::Lower) && (is_deep_enough || score.is_win());
    let is_upper_bound =
        (is_exact || entry.bound == Bound::Upper) && (is_deep_enough || score.is_loss());
    let fails_high = is_lower_bound && score >= node.window.beta;
    let fails_low = is_upper_bound && score <= node.window.alpha;
    (fails_high || fails_low).then_some(score)
}
