//! Iterative deepening and aspiration windows: [`RootSchedule::Deepening`].
//!
//! [`RootSchedule::Deepening`]: crate::RootSchedule::Deepening

use std::cmp::Reverse;

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::limits::Limits;
use crate::search::report::{Bound, Report};

use super::state::{Search, Task};
use super::techniques::Techniques;

/// The percentage of the soft time limit that is used if the best move is neither new nor stable.
pub(super) const NORMAL_TIME: u32 = 100;

/// A timed search with only one root move ends after the iteration that reaches this many nodes,
/// over all threads. An earlier end leaves the move with a shallow score.
const ONE_MOVE_NODES: u64 = 20_000;

/// The state of iterative deepening.
pub(super) struct Deepening<M> {
    next: u32,
    deepest: u32,
    /// Whether the current result is newer than the last report.
    pub(super) has_unreported: bool,
    /// Whether deeper iterations cannot change the answer.
    pub(super) is_settled: bool,
    /// Whether the deepening has ended: the answer is settled, or a limit or a stop was reached.
    pub(super) is_over: bool,
    stability: BestMoveStability<M>,
}

/// Best-move stability: the number of iterations without a change of the best move. The more
/// stable the best move, the less time the search uses.
struct BestMoveStability<M> {
    best: Option<M>,
    unchanged: u32,
}

impl<M> Default for BestMoveStability<M> {
    fn default() -> Self {
        Self { best: None, unchanged: 0 }
    }
}

impl<M: Copy + Eq> BestMoveStability<M> {
    fn update(&mut self, best: M) {
        self.unchanged = if self.best == Some(best) { self.unchanged + 1 } else { 0 };
        self.best = Some(best);
    }

    /// Returns the percentage of the soft time limit that the search may use.
    fn time_percent(&self) -> u32 {
        match self.unchanged {
            0 => 160,
            1 => 130,
            2..=4 => NORMAL_TIME,
            _ => 75,
        }
    }
}

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    pub(super) fn deepening(&self, limits: &Limits) -> Deepening<G::Move> {
        let deepest = self.deepest(limits);
        let next = if self.on().deepening { 1 } else { deepest };
        Deepening {
            next,
            deepest,
            has_unreported: true,
            is_settled: false,
            is_over: false,
            stability: BestMoveStability::default(),
        }
    }

    /// Continues the deepening until this thread has entered `nodes` nodes.
    pub(super) fn deepen(
        &mut self,
        state: &mut Deepening<G::Move>,
        nodes: u64,
        task: &Task<G::Move>,
        last: &mut Report<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) {
        while !state.is_over && self.context.own_nodes() < nodes {
            let depth = state.next;
            let (time_percent, nodes) = (state.stability.time_percent(), self.context.nodes());
            let in_time = self.context.timer().allows_iteration(time_percent, nodes);
            // The first iteration is always finished, so that there is an answer.
            if !state.has_unreported && !in_time {
                state.is_over = true;
                return;
            }
            let solved = match self.root.seeks_shorter_win {
                true => self.shorter_win_at_root(),
                false => self.win_at_root(&task.limits),
            };
            if let Some(solved) = solved {
                report(solved.clone());
                *last = solved;
                state.has_unreported = false;
                if self.seeks_shorter_win(task) {
                    continue;
                }
                (state.is_settled, state.is_over) = (true, true);
                return;
            }
            if self.iterate(depth, last, report).is_err() {
                (state.is_over, state.has_unreported) = (true, true);
                return;
            }
            self.publish_iteration(depth);
            state.has_unreported = false;
            state.next += 1;
            state.stability.update(self.root.moves[0].mv);
            let is_settled = self.is_settled(depth, &task.limits);
            let goes_on = is_settled && self.root.any_win_answers && self.seeks_shorter_win(task);
            state.is_settled = depth == state.deepest || is_settled && !goes_on;
            state.is_over = state.is_settled;
        }
    }

    /// Searches one iteration of `depth` plies. After a stop, `last` is the best result so far.
    pub(super) fn iterate(
        &mut self,
        depth: u32,
        last: &mut Report<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> Result<(), Interrupt> {
        self.root.depth = depth;
        self.seldepth = 0;
        self.root.lacks_proof = self.root.moves[0].score.is_unproven_win();
        for line in 0..self.root.lines {
            self.aspiration_search(line, depth, report)
                .inspect_err(|_| self.keep_partial_result(line, depth, last))?;
        }
        self.keep_shorter_win();
        self.root.moves[..self.root.lines].sort_by_key(|root| Reverse(root.score));
        *last = self.report(0, Bound::Exact, depth);
        report(last.clone());
        for line in 1..self.root.lines {
            report(self.report(line, Bound::Exact, depth));
        }
        Ok(())
    }

    /// Searches the line at the index `line` with aspiration windows.
    fn aspiration_search(
        &mut self,
        line: usize,
        depth: u32,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> Result<(), Interrupt> {
        const INITIAL_DELTA: i32 = 24;
        const DELTA_GROWTH: i32 = 4;
        // `delta` is half the width of the window.
        let expected = self.root.moves[line].score;
        let narrow = self.on().aspiration && expected > Score::LOWEST && depth > 3;
        let mut delta = if narrow { INITIAL_DELTA } else { i32::MAX };
        let mut window = Window::around(if narrow { expected } else { Score::DRAW }, delta);
        loop {
            let mut score = self.search_root(line, window, depth)?;
            // A search with a wider window might not find a proven win again.
            if self.accept_win(line, &mut score)? {
                return Ok(());
            }
            let (bound, open_end) = if score <= window.alpha && window.alpha > Score::LOWEST {
                (Bound::Upper, Score::LOWEST)
            } else if score >= window.beta && window.beta < Score::HIGHEST {
                (Bound::Lower, Score::HIGHEST)
            } else {
                return self.complete_root_line(line);
            };
            // The search with a wider window might not find a win or loss from the table again.
            let may_be_missed = self.exact && score.is_decisive();
            if self.root.lines == 1 && !may_be_missed {
                let failed = Report { score, bound, ..self.report(line, bound, depth) };
                report(failed);
            }
            self.root.lacks_proof |= line == 0 && bound == Bound::Lower && score.is_unproven_win();
            delta = delta.saturating_mul(DELTA_GROWTH);
            let wider = Window::around(expected, delta);
            let too_far = score.is_decisive()
                || score.is_unproven_win()
                || delta > INITIAL_DELTA * DELTA_GROWTH * DELTA_GROWTH * DELTA_GROWTH;
            match bound {
                Bound::Upper if too_far => window.alpha = open_end,
                Bound::Upper => window.alpha = wider.alpha.min(score.previous()),
                _ if too_far => window.beta = open_end,
                _ => window.beta = wider.beta.max(score.next()),
            }
        }
    }

    /// Completes the line if `score` is a proven win that ends the search. Returns whether the line
    /// shows the win. If it does not, `score` becomes heuristic.
    fn accept_win(&mut self, line: usize, score: &mut Score) -> Result<bool, Interrupt> {
        if !self.root.any_win_answers || !score.is_win() {
            return Ok(false);
        }
        self.complete_root_line(line)?;
        let root = &mut self.root.moves[line];
        // An incomplete line of a win is useless.
        root.is_complete = root.score.is_win();
        *score = root.score;
        Ok(root.is_complete)
    }

    /// Returns the greatest depth of an iteration, in plies.
    pub(super) fn deepest(&self, limits: &Limits) -> u32 {
        let end = self.game.plies_left().max(1);
        // With reductions, finding a line can need more depth than its length. An exact search has
        // searched the whole tree at the depth of the plies left.
        let end = if self.exact { end } else { end.saturating_mul(2) };
        let mate = limits.mate.unwrap_or(u32::MAX);
        let mate = if self.exact { mate } else { mate.saturating_mul(2) };
        end.min(limits.depth.unwrap_or(u32::MAX)).min(mate).max(1)
    }

    /// Returns whether deeper iterations cannot change the answer.
    fn is_settled(&self, depth: u32, limits: &Limits) -> bool {
        let found = self.root.moves[0].score;
        let is_mate_asked = |plies| found.is_win() && found.plies().is_some_and(|n| n <= plies);
        if limits.mate.is_some_and(is_mate_asked) {
            return true;
        }
        // In a game that is not exact, the first proven win ends the search, even if a shorter one
        // exists.
        if self.root.any_win_answers && found.is_win() {
            return true;
        }
        let has_one_move = self.root.lines == 1 && self.root.moves.len() == 1;
        let may_end = self.exact || self.context.nodes() >= ONE_MOVE_NODES;
        if limits.is_timed() && has_one_move && may_end {
            return true;
        }
        self.root.moves[..self.root.lines]
            .iter()
            .all(|root| root.score.plies().is_some_and(|plies| plies <= depth))
    }

    /// After a stop, sets `last` to the result of the unfinished iteration if it is better.
    fn keep_partial_result(&mut self, line: usize, depth: u32, last: &mut Report<G::Move>) {
        if line > 0 || self.root.lines > 1 {
            return;
        }
        // A reported win or loss stays, unless the unfinished iteration has proven a shorter win or a longer loss.
        let is_older = self.root.moves[0].depth < depth;
        let best = &self.root.moves[0];
        let is_proven = best.is_complete && best.score.is_decisive();
        if is_older || last.score.is_decisive() && (!is_proven || best.score <= last.score) {
            return;
        }
        if !self.root.moves[0].is_complete {
            let mut pv = std::mem::take(&mut self.root.moves[0].pv);
            pv.truncate(1);
            self.add_reply(&mut pv);
            self.root.moves[0].score = self.root.moves[0].score.unproven();
            self.root.moves[0].pv = pv;
        }
        *last = self.report(0, Bound::Lower, depth);
    }

    /// Publishes the result of an iteration to the helper threads.
    pub(super) fn publish_iteration(&self, depth: u32) {
        let best = &self.root.moves[0];
        self.context.shared_root().set_iteration(depth, self.code(best.mv), best.score);
    }

    /// Returns the depth of a helper's next iteration, after its iteration of `depth` plies. It is
    /// at least the current depth of the main thread. At that depth, the helper starts from the
    /// best move and the score of the main thread, so that both search equal windows.
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
