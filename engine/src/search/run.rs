//! One search from its start to its answer: the choice of the schedule, and the answer.
//!
//! It calls no node. `deepening.rs` and `exact/root.rs` search the root.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::side::Outcome;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::selectivity::RootSchedule;
use crate::search::limits::Limits;
use crate::search::report::{Answer, Bound, ProofSource, ProvenResult, Report};

use super::deepening::{Deepening, NORMAL_TIME};
use super::exact::root::{Progress, Proving};
use super::state::{Search, Task};
use super::techniques::Techniques;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Searches until a limit, a stop or a proven result, and calls `report` after each iteration.
    pub fn run(
        &mut self,
        task: &Task<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> Answer<G::Move> {
        self.context.start();
        self.close_books(task);
        self.list_root_moves(task);
        self.wins.is_on = task.keeps_wins && E::KEEPS_WINS && !self.exact;
        self.recall_win(task);
        let mut last = self.initial_report();
        let mut deepening = self.deepening(&task.limits);
        let has_unreported = if self.should_prove(&task.limits) {
            self.prove_or_deepen(task, &mut deepening, &mut last, report)
        } else {
            self.deepen(&mut deepening, u64::MAX, task, &mut last, report);
            deepening.has_unreported
        };
        self.context.publish();
        self.answer(last, has_unreported)
    }

    /// Turns off books and solvers if `task` excludes them. The book of a game with
    /// [`RootSchedule::Proving`] gives scores at full depth. A search with a smaller depth limit
    /// cannot show such a score, so it uses no book.
    fn close_books(&mut self, task: &Task<G::Move>) {
        self.probes &= task.probes;
        self.probes &=
            self.evaluator.schedule() == RootSchedule::Deepening || self.should_prove(&task.limits);
    }

    /// Tries to prove the value, with iterations in between while the proof takes long. Returns
    /// whether `last` is newer than the last report.
    fn prove_or_deepen(
        &mut self,
        task: &Task<G::Move>,
        deepening: &mut Deepening<G::Move>,
        last: &mut Report<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> bool {
        const GROWTH: u64 = 2;
        let mut proving = Proving::new(&task.limits, self.root.moves.clone());
        let (mut quota, ratio) = quota_and_ratio(&task.limits, self.context.own_limit());
        loop {
            let is_over = match self.prove(&mut proving, quota, last, report) {
                Ok(Progress::Done) => return false,
                Ok(Progress::Postponed) if self.needs_no_iteration(&proving, deepening) => {
                    !self.context.timer().allows_iteration(NORMAL_TIME, self.context.nodes())
                }
                Ok(Progress::Postponed) => {
                    let nodes = self.context.own_nodes() + quota / ratio;
                    // The score of the position in a book stays: iterations are not reported after it.
                    let silent: &mut dyn FnMut(_) = &mut |_| ();
                    let report = if self.root.book_score.is_some() { silent } else { &mut *report };
                    self.deepen(deepening, nodes, task, last, report);
                    if deepening.is_settled {
                        return false;
                    }
                    if deepening.is_over {
                        let has_unreported =
                            deepening.has_unreported || self.root.book_score.is_some();
                        return self.keep_proven_win(&proving, last) || has_unreported;
                    }
                    false
                }
                Err(_) => true,
            };
            if is_over {
                return self.keep_proven_win(&proving, last) || !proving.knows_best_move();
            }
            quota = quota.saturating_mul(GROWTH);
        }
    }

    /// Returns whether iterations cannot improve the answer.
    fn needs_no_iteration(
        &self,
        proving: &Proving<G::Move>,
        deepening: &Deepening<G::Move>,
    ) -> bool {
        let has_guess = self.root.book_score.is_some() && !deepening.has_unreported;
        has_guess || proving.knows_best_move() || self.knows_a_winning_move(proving)
    }

    /// Searches as a helper thread until it is stopped. Its results go only into the table.
    pub fn assist(&mut self, task: &Task<G::Move>) {
        self.close_books(task);
        self.list_root_moves(task);
        let mut last = self.initial_report();
        if self.should_prove(&task.limits) {
            let mut proving = Proving::new(&task.limits, self.root.moves.clone());
            let result = self.prove(&mut proving, u64::MAX, &mut last, &mut |_| ());
            if matches!(result, Ok(Progress::Done)) {
                return self.context.publish();
            }
        }
        let mut depth = self.next_helper_depth(0);
        while depth <= self.deepest(&task.limits) {
            if self.iterate(depth, &mut last, &mut |_| ()).is_err() {
                break;
            }
            depth = self.next_helper_depth(depth);
        }
        self.context.publish();
    }

    /// Returns the report before anything is searched.
    fn initial_report(&mut self) -> Report<G::Move> {
        if self.root.recalled.is_some() {
            return self.line_report(0, Bound::Exact, 0);
        }
        let mv = self.root.moves[0].mv;
        let undo = self.game.play(mv);
        let wins = self.game.outcome() == Some(Outcome::Win(self.game.turn().other()));
        self.game.undo(mv, undo);
        let score = if wins { Score::win_in(1) } else { self.evaluator.evaluate(&self.game) };
        self.root.moves[0].pv = vec![mv];
        let mut line = self.root.moves[0].pv.clone();
        self.add_reply(&mut line);
        self.root.moves[0].pv = line;
        Report { score, ..self.line_report(0, Bound::Exact, 0) }
    }

    /// Returns the answer. `last` is the result of the best line. `has_unreported` tells whether it
    /// is newer than the last report.
    fn answer(&self, last: Report<G::Move>, has_unreported: bool) -> Answer<G::Move> {
        let (best, ponder) = (last.pv.first().copied(), last.pv.get(1).copied());
        let report = Report {
            nodes: self.context.nodes(),
            time: self.context.timer().elapsed(),
            hashfull: if has_unreported { self.table.hashfull() } else { last.hashfull },
            ..last
        };
        let settled = self.settled(&report);
        let (bounds, counts) = (self.root.bounds, self.context.counts());
        Answer { best, ponder, report, has_unreported, settled, bounds, counts }
    }

    /// Returns the proven result of the position; `None` if nothing is proven. Without a proof in
    /// `report`, a book may have the score, but no move with this score is known.
    fn settled(&self, report: &Report<G::Move>) -> Option<ProvenResult> {
        if self.root.is_restricted {
            return None;
        }
        let is_drawn = report.score == Score::DRAW
            && report.bound == Bound::Exact
            && self.exact
            && report.depth >= self.game.plies_left();
        let is_proven = is_drawn || report.score.is_decisive();
        let (score, source, is_of_move) = match self.root.book_score {
            Some(score) if !is_proven => (score, ProofSource::Book, false),
            Some(_) => (report.score, ProofSource::Search, true),
            None if is_proven => (report.score, self.root.source, !report.pv.is_empty()),
            None => return None,
        };
        let mover = self.game.turn();
        let winner = match score {
            score if score.is_win() => Some(mover),
            score if score.is_loss() => Some(mover.other()),
            _ => None,
        };
        Some(ProvenResult { is_of_move, ..ProvenResult::new(winner, score.plies(), source) })
    }
}

/// Returns the first node quota of a proof, and the ratio of its nodes to the iterations' nodes.
/// `own_limit` is the node limit of this thread: a small search leaves half of it for iterations.
fn quota_and_ratio(limits: &Limits, own_limit: u64) -> (u64, u64) {
    const SMALL_QUOTA: u64 = 1 << 12;
    const LARGE_QUOTA: u64 = 1 << 16;
    const RATIO: u64 = 16;
    match () {
        () if limits.proof.is_some() => (u64::MAX, 1),
        () if limits.is_timed() || limits.nodes.is_some() => {
            (SMALL_QUOTA.min(own_limit / 2).max(1), 1)
        }
        // A stop can come at any time.
        () if limits.is_open_ended() => (SMALL_QUOTA, RATIO),
        () => (LARGE_QUOTA, RATIO),
    }
}
