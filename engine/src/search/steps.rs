//! The steps that both kinds of node share: entering a node, its bounds, playing a move, lists of
//! candidates.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::ordering::Coverage;
use crate::search::evaluator::{Evaluator, SearchEvaluator};
use crate::search::history::HistoryOrder;
use crate::search::order::{Ordered, Orderer};

use super::bounds::ProvenBounds;
use super::state::Search;
use super::techniques::Techniques;

/// The data that takes back a move in the game and in the evaluator.
pub(super) struct Undo<G: Game, E: Evaluator<G>> {
    game: G::Undo,
    evaluator: E::Undo,
}

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Counts the node and clears its PV. Returns the score of a finished game; `None` if the game
    /// is not over.
    #[inline]
    pub(super) fn enter(&mut self, ply: usize) -> Result<Option<Score>, Interrupt> {
        self.count_node(ply)?;
        Ok(self.game.outcome().map(|outcome| outcome.score(self.game.turn(), ply as u32)))
    }

    /// Counts the node and clears its PV.
    #[inline]
    pub(super) fn count_node(&mut self, ply: usize) -> Result<(), Interrupt> {
        self.context.enter()?;
        self.frames[ply].pv.clear();
        self.seldepth = self.seldepth.max(ply);
        Ok(())
    }

    /// Returns the proven bounds of a position, without a search.
    #[inline(always)]
    pub(super) fn static_bounds(&self, game: &G, evaluator: &E, tt_window: Window) -> ProvenBounds {
        ProvenBounds::of(game, evaluator, self.on(), tt_window)
    }

    /// Plays `mv` in the game and in the evaluator.
    #[inline(always)]
    pub(super) fn play(&mut self, mv: G::Move) -> Undo<G, E> {
        self.played_slots.push(self.game.history_slot(mv));
        let game = self.game.play(mv);
        // The prefetch runs during the evaluator's update.
        self.table.prefetch(self.address_of(&self.game).0);
        let evaluator = self.evaluator.played(&self.game, mv);
        Undo { game, evaluator }
    }

    /// Takes back `mv`, the last move played.
    #[inline(always)]
    pub(super) fn undo(&mut self, mv: G::Move, undo: Undo<G, E>) {
        self.game.undo(mv, undo.game);
        self.evaluator.undone(&self.game, mv, undo.evaluator);
        self.played_slots.pop();
    }

    /// Plays `mv`, runs `body` and takes `mv` back, also after an interrupt.
    pub(super) fn with_move<R>(&mut self, mv: G::Move, body: impl FnOnce(&mut Self) -> R) -> R {
        let undo = self.play(mv);
        let result = body(self);
        self.undo(mv, undo);
        result
    }

    /// Appends the candidates of the current position, or all legal moves if that technique is off.
    pub(super) fn list_candidates(&self, out: &mut Vec<G::Move>) -> Coverage {
        if !self.on().candidates {
            self.game.moves(out);
            return Coverage::Complete;
        }
        let coverage = self.evaluator.candidates(&self.game, out);
        debug_assert!(!out.is_empty(), "no candidates although the game is not over");
        coverage
    }

    /// Sets the PV of `ply` to `mv` and the PV of the next ply.
    pub(super) fn update_pv(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        let line = &mut upper[ply].pv;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0].pv);
    }

    /// Returns the candidates of the current position with their order keys.
    pub(super) fn ranked_candidates(&self) -> Vec<Ordered<G::Move>> {
        let mut moves = Vec::new();
        self.list_candidates(&mut moves);
        self.in_order(&moves)
    }

    /// Returns `moves` of the current position with their order keys: the table move first, then by
    /// rank.
    pub(super) fn in_order(&self, moves: &[G::Move]) -> Vec<Ordered<G::Move>> {
        let orderer = Orderer { table_move: self.table_move(), killers: [None, None] };
        let mut ordered = Vec::new();
        let rank = |mv| self.evaluator.rank(&self.game, mv);
        orderer.fill(moves, rank, |_| HistoryOrder::default(), &mut ordered);
        ordered
    }
}
