//! Verification of a loss on a partial move list: checks whether the unlisted moves lose, too.
//!
//! First the evaluator tries to prove that they lose. If a win at the root is not proven yet, the
//! search itself searches the moves that the evaluator cannot prove to lose.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::prover::{LosingMoves, ProofEffort};
use crate::search::state::{Node, NodeFlags, Search};
use crate::search::techniques::Techniques;

/// The node limit for searches of unlisted moves is the thread's nodes divided by this, but at
/// least `MIN_UNLISTED_NODES`.
const UNLISTED_DIVISOR: u64 = 2;

/// The minimum of the node limit for searches of unlisted moves.
const MIN_UNLISTED_NODES: u64 = 10_000;

/// The maximum loss that a score can count.
const LONGEST_LOSS: Score = Score::loss_in(Score::MAX_PLIES);

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Verifies `best`, a loss on a partial move list. Returns the longest loss of all moves if the
    /// unlisted moves are proven to lose, too, else a heuristic score.
    pub(super) fn verify_loss(
        &mut self,
        node: &Node<G::Symmetry>,
        best: Score,
        flags: NodeFlags,
    ) -> Result<Score, Interrupt> {
        // The candidates of the node still lie in its frame.
        let mut others = Vec::new();
        self.game.moves(&mut others);
        others.retain(|mv| !self.frames[node.ply].candidates.contains(mv));
        let loss = self.loss_of_others(node, &others, flags)?;
        Ok(loss.map_or(best.unproven(), |loss| best.max(loss)))
    }

    /// Returns the longest loss of `others`, the unlisted moves; `None` if one of them is not
    /// proven to lose.
    fn loss_of_others(
        &mut self,
        node: &Node<G::Symmetry>,
        mut others: &[G::Move],
        flags: NodeFlags,
    ) -> Result<Option<Score>, Interrupt> {
        let ply = node.ply;
        let mut longest = Score::LOWEST;
        loop {
            let effort = self.proof_effort(ply);
            let LosingMoves { count, plies } =
                self.evaluator.others_lose(&self.game, others, effort, &mut self.context)?;
            if count > 0 {
                longest = longest.max(Score::loss_in(plies).to_root(ply as u32));
            }
            let Some((&unproven, rest)) = others[count..].split_first() else {
                return Ok(Some(longest));
            };
            if !self.may_search_unlisted(ply) {
                return Ok(None);
            }
            let Some(loss) = self.loss_after(node, unproven, flags)? else { return Ok(None) };
            longest = longest.max(loss);
            others = rest;
        }
    }

    /// Returns whether the search may search unlisted moves: the other side has a win at the root
    /// that is not proven, and the node limit for such searches is not reached.
    fn may_search_unlisted(&self, ply: usize) -> bool {
        let allowed = (self.context.own_nodes() / UNLISTED_DIVISOR).max(MIN_UNLISTED_NODES);
        self.root.lacks_proof && !ply.is_multiple_of(2) && self.unlisted_nodes <= allowed
    }

    /// Searches an unlisted move with a null window that tells only whether it loses. Returns the
    /// score of a loss; `None` if the move does not lose.
    fn loss_after(
        &mut self,
        node: &Node<G::Symmetry>,
        mv: G::Move,
        flags: NodeFlags,
    ) -> Result<Option<Score>, Interrupt> {
        let (before, spent) = (self.context.own_nodes(), self.unlisted_nodes);
        let window = Window::scout(LONGEST_LOSS);
        let result = self.search_move::<false>(node, window, mv, 0, 0, flags);
        // This difference includes the searches of unlisted moves deeper in the tree, so what they
        // have added is dropped.
        self.unlisted_nodes = spent + self.context.own_nodes() - before;
        let score = result?;
        Ok(score.is_loss().then_some(score))
    }

    /// Returns the effort for a proof at `ply`.
    fn proof_effort(&self, ply: usize) -> ProofEffort {
        const CLOSE_PLIES: usize = 3;
        // Searching the moves that are not proven to lose needs fewer nodes than high effort.
        let is_close = ply <= CLOSE_PLIES && !self.may_search_unlisted(ply);
        if is_close { ProofEffort::High } else { ProofEffort::Low }
    }
}
