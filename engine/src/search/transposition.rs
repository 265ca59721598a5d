//! How nodes read and write the transposition table, and how they probe books and solvers.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::prover::Probe;
use crate::report::Bound;
use crate::rules::{Game, OUTER_WINDOW_MARK};
use crate::score::Score;
use crate::table::{Address, Entry, Region};
use crate::window::Window;

use super::bounds::ProvenBounds;
use super::state::{ProbedNode, Search};

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Returns the score by which the table settles a node. Without one, stores the table's move in
    /// `node`.
    #[inline]
    pub(super) fn probe_tt(
        &mut self,
        node: &mut ProbedNode<G::Symmetry>,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Option<Score> {
        let entry = if self.uses_table() { self.table.get(node.at) } else { None };
        if self.options.table
            && let Some(score) = entry.and_then(|entry| tt_cutoff(&entry, window, depth, ply))
        {
            self.context.count_table_hit();
            return Some(node.bounds.seen_from(ply).clamp(score));
        }
        let code = entry.filter(|_| self.options.table_move).and_then(|entry| entry.code);
        // Moves stored in outer windows carry OUTER_WINDOW_MARK; other windows ignore them.
        node.code =
            code.map(|code| if self.outer_window { code & !OUTER_WINDOW_MARK } else { code });
        None
    }

    /// Stores what the search of a node found.
    pub(super) fn store_node(
        &mut self,
        node: &ProbedNode<G::Symmetry>,
        depth: u32,
        ply: usize,
        score: Score,
        bound: Bound,
        best_move: Option<G::Move>,
    ) {
        if self.uses_table() {
            let code = best_move.map(|mv| self.game.pack(mv, node.symmetry) | self.mark(ply));
            let score = score.to_table(ply as u32);
            self.table.put(node.at, Entry { depth, bound, score, code });
        }
    }

    /// Stores what is found of the current position outside the move loop.
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
        self.table.put(at, Entry { depth, bound, score: score.to_table(ply as u32), code });
    }

    /// Probes the book and the solver for the current position, and stores what they find. Returns
    /// its score.
    #[inline]
    pub(super) fn probe_and_store(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Option<Score>, Interrupt> {
        if !self.options.probe {
            return Ok(None);
        }
        let probe = self.probe_book_or_solver(window)?;
        Ok(probe.map(|probe| self.store_probe(probe, depth, ply)))
    }

    /// Probes the book for the current position, and the solver when the book does not have it.
    #[inline(always)]
    pub(super) fn probe_book_or_solver(
        &mut self,
        window: Window,
    ) -> Result<Option<Probe<G::Move>>, Interrupt> {
        let Self { book, game, evaluator, context, .. } = self;
        book.probe_book_or_solver(game, evaluator, window, context)
    }

    /// Stores what a probe of the current position found. Returns its score.
    pub(super) fn store_probe(&mut self, probe: Probe<G::Move>, depth: u32, ply: usize) -> Score {
        self.context.count_probe_hit();
        let score = probe.score.from_table(ply as u32);
        let bound = match score {
            s if s.is_win() => Bound::Lower,
            s if s.is_loss() => Bound::Upper,
            _ => Bound::Exact,
        };
        self.store(depth, ply, score, bound, probe.line.first().copied());
        self.frames[ply].pv.extend(probe.line);
        score
    }

    /// Returns the node of the position of `game`, with its table address and no table move.
    #[inline(always)]
    pub(super) fn probed_node(&self, game: &G, bounds: ProvenBounds) -> ProbedNode<G::Symmetry> {
        let (at, symmetry) = self.address_of(game);
        ProbedNode { bounds, at, symmetry, code: None }
    }

    /// Returns the table address of a position, and the symmetry under which it is stored.
    #[inline(always)]
    pub(super) fn address_of(&self, game: &G) -> (Address, G::Symmetry) {
        let (key, symmetry) = game.key();
        let is_near = self.exact && game.plies_left() < self.near_end;
        let region = if is_near { Region::Near } else { Region::Far };
        (Address { key, region }, symmetry)
    }

    /// Returns the mark of moves that an outer window leaves in the table: elsewhere they are poor
    /// guesses. The move of the root itself has no mark.
    fn mark(&self, ply: usize) -> u32 {
        if self.outer_window && ply > 0 { OUTER_WINDOW_MARK } else { 0 }
    }

    fn uses_table(&self) -> bool {
        self.options.table || self.options.table_move
    }
}

/// Returns the score of a table entry that cuts off a node searched in `window`. An exact score
/// inside the window gives no cut-off, so that the PV is complete.
pub(super) fn tt_cutoff(entry: &Entry, window: Window, depth: u32, ply: usize) -> Option<Score> {
    let score = entry.score.from_table(ply as u32);
    let is_deep = entry.depth >= depth;
    let is_exact = entry.bound == Bound::Exact;
    // A proven win or loss holds at every depth.
    let is_low = (is_exact || entry.bound == Bound::Lower) && (is_deep || score.is_win());
    let is_high = (is_exact || entry.bound == Bound::Upper) && (is_deep || score.is_loss());
    let settles = (is_low && score >= window.beta) || (is_high && score <= window.alpha);
    settles.then_some(score)
}
