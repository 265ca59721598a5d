//! Losses found on a partial move list: whether the moves that are not listed lose, too.
//!
//! The evaluator proves what it can. While a win at the root lacks its proof, the search itself tries
//! the moves that the evaluator does not prove to lose.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::prover::{LosingMoves, ProofEffort};
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::super::state::{NodeId, Search};

/// No search of an unlisted move begins after these took this part of the thread's nodes: one in so
/// many.
const SHARE: u64 = 2;

/// The least limit on these nodes.
const LEAST_NODES: u64 = 10_000;

/// The longest loss that a score can count.
const LONGEST_LOSS: Score = Score::loss_in(Score::MAX_PLIES);

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Checks a loss found on a partial move list. Returns a heuristic score unless all other moves
    /// are proven to lose, too.
    pub(in super::super) fn verify_loss(
        &mut self,
        id: NodeId,
        best: Score,
    ) -> Result<Score, Interrupt> {
        let mut others = Vec::new();
        self.game.moves(&mut others);
        others.retain(|mv| !self.frames[id.ply].candidates.contains(mv));
        let loss = self.loss_of_others(id, &others)?;
        Ok(loss.map_or(best.unproven(), |loss| best.max(loss)))
    }

    /// Returns the longest loss after `others`, moves that are not listed, if all of them are proven
    /// to lose.
    fn loss_of_others(
        &mut self,
        id: NodeId,
        mut others: &[G::Move],
    ) -> Result<Option<Score>, Interrupt> {
        let mut longest = Score::LOWEST;
        loop {
            let effort = self.proof_effort(id.ply);
            let LosingMoves { count, plies } =
                self.evaluator.others_lose(&self.game, others, effort, &mut self.context)?;
            if count > 0 {
                longest = longest.max(Score::loss_in(plies).from_table(id.ply as u32));
            }
            let Some((&unproven, rest)) = others[count..].split_first() else {
                return Ok(Some(longest));
            };
            if !self.may_search_unlisted(id.ply) {
                return Ok(None);
            }
            let Some(loss) = self.loss_after(id, unproven)? else { return Ok(None) };
            longest = longest.max(loss);
            others = rest;
        }
    }

    /// Returns whether the search tries unlisted moves of the side to move: the root is a win
    /// without a proof, of the other side, and such searches have not taken their nodes yet.
    fn may_search_unlisted(&self, ply: usize) -> bool {
        let allowed = (self.context.own_nodes() / SHARE).max(LEAST_NODES);
        self.lacks_proof && !ply.is_multiple_of(2) && self.unlisted_nodes <= allowed
    }

    /// Searches an unlisted move in a window that asks only whether it loses. Returns its score if
    /// it does.
    fn loss_after(&mut self, id: NodeId, mv: G::Move) -> Result<Option<Score>, Interrupt> {
        let (before, spent) = (self.context.own_nodes(), self.unlisted_nodes);
        let result = self.search_move(mv, 0, Window::scout(LONGEST_LOSS), id.depth, 0, id.ply);
        // Such searches below this one have added their nodes, which are among these.
        self.unlisted_nodes = spent + self.context.own_nodes() - before;
        let score = result?;
        Ok(score.is_loss().then_some(score))
    }

    /// Returns how many nodes a proof `ply` plies below the root may take.
    fn proof_effort(&self, ply: usize) -> ProofEffort {
        const CLOSE_PLIES: usize = 3;
        // A search of the moves that are not proven to lose needs fewer nodes than high effort.
        let is_close = ply <= CLOSE_PLIES && !self.may_search_unlisted(ply);
        if is_close { ProofEffort::High } else { ProofEffort::Low }
    }
}
