//! Losses found on a partial move list: whether the moves that are not listed lose, too.
//!
//! The evaluator proves what it can. While a win at the root lacks its proof, the search itself tries
//! the moves that the evaluator does not prove to lose.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::prover::{LosingMoves, ProofEffort};
use crate::rules::Game;
use crate::score::Score;
use crate::search::state::{Line, Node, Search};
use crate::search::techniques::Techniques;
use crate::window::Window;

/// Searches of unlisted moves may take one in so many of the thread's nodes.
const SHARE: u64 = 2;

/// The least limit on these nodes.
const LEAST_NODES: u64 = 10_000;

/// The longest loss that a score can count.
const LONGEST_LOSS: Score = Score::loss_in(Score::MAX_PLIES);

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Checks `best`, a loss found on a partial move list. Returns the longest loss if all other
    /// moves are proven to lose, too, else a heuristic score.
    pub(super) fn verify_loss(
        &mut self,
        node: &Node<G::Symmetry>,
        best: Score,
        line: Line,
    ) -> Result<Score, Interrupt> {
        let mut others = Vec::new();
        self.game.moves(&mut others);
        others.retain(|mv| !self.frames[node.ply].candidates.contains(mv));
        let loss = self.loss_of_others(node, &others, line)?;
        Ok(loss.map_or(best.unproven(), |loss| best.max(loss)))
    }

    /// Returns the longest loss after `others`, moves that are not listed, if all of them are proven
    /// to lose.
    fn loss_of_others(
        &mut self,
        node: &Node<G::Symmetry>,
        mut others: &[G::Move],
        line: Line,
    ) -> Result<Option<Score>, Interrupt> {
        let ply = node.ply;
        let mut longest = Score::LOWEST;
        loop {
            let effort = self.proof_effort(ply);
            let LosingMoves { count, plies } =
                self.evaluator.others_lose(&self.game, others, effort, &mut self.context)?;
            if count > 0 {
                longest = longest.max(Score::loss_in(plies).from_table(ply as u32));
            }
            let Some((&unproven, rest)) = others[count..].split_first() else {
                return Ok(Some(longest));
            };
            if !self.may_search_unlisted(ply) {
                return Ok(None);
            }
            let Some(loss) = self.loss_after(node, unproven, line)? else { return Ok(None) };
            longest = longest.max(loss);
            others = rest;
        }
    }

    /// Returns whether the search tries unlisted moves of the side to move: the root is a win
    /// without a proof, of the other side, and such searches have not used up their nodes.
    fn may_search_unlisted(&self, ply: usize) -> bool {
        let allowed = (self.context.own_nodes() / SHARE).max(LEAST_NODES);
        self.root.lacks_proof && !ply.is_multiple_of(2) && self.unlisted_nodes <= allowed
    }

    /// Searches an unlisted move in a window that asks only whether it loses. Returns its score if
    /// it does.
    fn loss_after(
        &mut self,
        node: &Node<G::Symmetry>,
        mv: G::Move,
        line: Line,
    ) -> Result<Option<Score>, Interrupt> {
        let (before, spent) = (self.context.own_nodes(), self.unlisted_nodes);
        let window = Window::scout(LONGEST_LOSS);
        let result = self.search_move::<false>(node, window, mv, 0, 0, line);
        // Such searches deeper in the tree have added their nodes, which are among these.
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
