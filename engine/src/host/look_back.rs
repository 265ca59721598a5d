//! Wins of earlier positions, for a search that does not know the game so far: in a new process, or
//! after a jump to another game.
//!
//! The side to move may have announced a win some moves ago. Its moves since then were threats. So
//! the positions before its last threats are searched as they were then, the oldest first, and a win
//! that leads here is kept. Other positions cost nothing.

use std::sync::Arc;

use crate::game::rules::Game;
use crate::search::context::Context;
use crate::search::evaluator::SearchEvaluator;
use crate::search::wins::KeptWins;
use crate::search::{Search, Task};

use super::coded;
use super::worker::Crew;

/// The maximum number of earlier positions. A longer list of threats is rare, and the search of each
/// depends on those before it.
pub(super) const MOVES: usize = 12;

/// The node limit of the search of an earlier position, if the search itself has no limit.
const NODES: u64 = 10_000;

/// The node limit for the threat of a move.
const THREAT_NODES: u64 = 10_000;

/// All earlier positions together get the time of the search divided by this.
const TIME_SHARE: u32 = 2;

/// Returns whether the limits of a search leave room for searches of earlier positions. A search to
/// a depth counts all its nodes, and a ponder search follows another search of the game.
pub(super) fn may_look_back<M>(task: &Task<M>) -> bool {
    let limits = &task.limits;
    let has_other_end = limits.depth.is_some() || limits.mate.is_some() || limits.ponder;
    task.keeps_wins && task.multi_pv == 1 && task.search_moves.is_empty() && !has_other_end
}

impl<G: Game, E: SearchEvaluator<G>> Crew<'_, G, E> {
    /// Searches the positions before the last threats among `earlier`, and keeps their wins in `wins`.
    /// Does nothing if the latest one was searched before.
    // None is left out, even if a win of the position to search is kept: a later one may shorten it.
    pub(super) fn look_back(&self, earlier: &[(G, G::Move)], wins: &KeptWins) {
        let was_searched = |(game, _): &(G, G::Move)| wins.was_searched(game.key().0);
        if earlier.first().is_none_or(was_searched) {
            return;
        }
        let threats = earlier.iter().take_while(|(game, mv)| self.threatens(game, *mv)).count();
        for index in (0..threats).rev() {
            let mut task = self.task.clone();
            task.own_last_move = earlier.get(index + 1).map(|(game, mv)| coded(game, *mv));
            let timer = self.timer.part((threats - index) as u32, TIME_SHARE * threats as u32);
            let limits = &task.limits;
            let nodes = limits.nodes.or_else(|| (!limits.is_timed()).then_some(NODES));
            let context = Context::new(self.signal.clone(), timer, Arc::default(), nodes, 1);
            let game = earlier[index].0.clone();
            Search::new(game, self.evaluator.clone(), self.views[0], context)
                .with_wins(wins.clone())
                .run(&task, &mut |_| ());
        }
    }

    /// Returns whether only some replies to `mv` do not lose to a threat.
    fn threatens(&self, game: &G, mv: G::Move) -> bool {
        let (mut game, mut evaluator) = (game.clone(), self.evaluator.clone());
        game.play(mv);
        evaluator.reset(&game);
        let plies = game.plies_left();
        matches!(evaluator.defences(&game, plies, &mut Context::limited(THREAT_NODES)), Ok(Some(_)))
    }
}
