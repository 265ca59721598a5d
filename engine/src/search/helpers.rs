//! How the thread that answers shares its iterations with the helpers.

use crate::evaluator::SearchEvaluator;
use crate::rules::Game;

use super::state::Search;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Publishes an iteration for the helpers.
    pub(super) fn publish_iteration(&self, depth: u32) {
        let best = &self.root.moves[0];
        self.context.shared_root().tell_iteration(depth, self.code(best.mv), best.score);
    }

    /// Returns the depth of a helper's next iteration, after the one to `depth`. It is at least the
    /// current depth of the answering thread. At that depth, the helper starts from the move and
    /// the score of the answering thread, so that both search equal windows.
    pub(super) fn next_helper_depth(&mut self, depth: u32) -> u32 {
        let (done, code, score) = self.context.shared_root().iteration();
        let next = depth.max(done) + 1;
        if next > done + 1 || done == 0 || self.root.lines > 1 {
            return next;
        }
        let is_best = |mv| self.code(mv) == code;
        if let Some(place) = self.root.moves.iter().position(|root| is_best(root.mv)) {
            self.root.moves[..=place].rotate_right(1);
            self.root.moves[0].score = score;
        }
        next
    }
}
