//! The front: what the threads of one search have proven of the root together, and how far the
//! first of them has come.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering::Relaxed};

use crate::game::{Evaluator, Game};
use crate::score::Score;
use crate::window::Window;

use super::Search;

/// `low <= value <= high`, for the side to move at the root. It only ever narrows.
#[derive(Debug)]
pub(crate) struct Front {
    low: AtomicI32,
    high: AtomicI32,
    /// The last whole iteration of the thread that answers: depth, best move's code and score in 12,
    /// 20 and 32 bits; 0 before the first.
    iterated: AtomicU64,
}

impl Default for Front {
    fn default() -> Self {
        let (low, high) = (Score::LOWEST.raw(), Score::HIGHEST.raw());
        Self { low: AtomicI32::new(low), high: AtomicI32::new(high), iterated: AtomicU64::new(0) }
    }
}

impl Front {
    /// The highest score that the value is known to reach.
    pub(super) fn low(&self) -> Score {
        Score::from_raw(self.low.load(Relaxed))
    }

    /// The lowest score that the value is known not to exceed.
    pub(super) fn high(&self) -> Score {
        Score::from_raw(self.high.load(Relaxed))
    }

    /// Tells the other threads what one has proven.
    pub(super) fn narrow(&self, low: Score, high: Score) {
        self.low.fetch_max(low.raw(), Relaxed);
        self.high.fetch_min(high.raw(), Relaxed);
    }

    fn tell_iteration(&self, depth: u32, code: u32, score: Score) {
        let score = u64::from(score.raw() as u32);
        self.iterated.store(u64::from(depth) << 52 | u64::from(code) << 32 | score, Relaxed);
    }

    /// Depth, best move's code and score of the last whole iteration; of depth 0 before the first.
    fn iteration(&self) -> (u32, u32, Score) {
        let word = self.iterated.load(Relaxed);
        let score = Score::from_raw(word as u32 as i32);
        ((word >> 52) as u32, (word >> 32) as u32 & 0xF_FFFF, score)
    }

    /// Whether a search in this window can tell nothing new.
    pub(super) fn settles(&self, window: Window) -> bool {
        let (low, high) = (self.low(), self.high());
        low >= high || low >= window.beta || high <= window.alpha
    }
}

impl<G: Game, E: Evaluator<G>> Search<'_, G, E> {
    /// Tells the helpers what an iteration found.
    pub(super) fn lead(&self, depth: u32) {
        let best = &self.root_moves[0];
        self.context.front().tell_iteration(depth, self.code(best.mv), best.score);
    }

    /// The depth of a helper's next iteration, after the one to `depth`: no less than that which the
    /// leading thread is at. If it is that one, it starts from the same move and score, so that both
    /// search the same windows.
    pub(super) fn catch_up(&mut self, depth: u32) -> u32 {
        let (done, code, score) = self.context.front().iteration();
        let next = depth.max(done) + 1;
        if next > done + 1 || done == 0 || self.lines > 1 {
            return next;
        }
        let is_best = |mv| self.code(mv) == code;
        if let Some(place) = self.root_moves.iter().position(|root| is_best(root.mv)) {
            self.root_moves[..=place].rotate_right(1);
            self.root_moves[0].score = score;
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_value_settles_every_window_and_a_bound_those_beyond_it() {
        let front = Front::default();
        let around = Window::new(Score::DRAW.previous(), Score::DRAW.next());
        assert!(!front.settles(around));
        front.narrow(Score::DRAW, Score::HIGHEST);
        assert!(!front.settles(around));
        assert!(front.settles(Window::scout(Score::DRAW.previous())));
        front.narrow(Score::LOWEST, Score::DRAW);
        assert!(front.settles(around));
    }

    #[test]
    fn an_iteration_is_told_as_it_was() {
        let front = Front::default();
        assert_eq!(front.iteration().0, 0, "none yet");
        for (depth, code, score) in
            [(1, 0, Score::DRAW), (255, 0xF_FFFE, Score::loss_in(4)), (9, 7, Score::win_in(3))]
        {
            front.tell_iteration(depth, code, score);
            assert_eq!(front.iteration(), (depth, code, score));
        }
    }
}
