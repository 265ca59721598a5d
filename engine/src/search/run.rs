//! One search from its start to its answer.

use crate::evaluator::SearchEvaluator;
use crate::limits::Limits;
use crate::report::{Answer, Bound, Report, Settled};
use crate::rules::Game;
use crate::score::Score;
use crate::selectivity::Schedule;
use crate::side::Outcome;

use super::deepening::{Deepening, STEADY};
use super::proof::{Progress, Proving};
use super::state::Search;
use super::task::Task;

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// Searches until a limit, a stop or a proven result, and tells `report` after each iteration.
    pub fn run(
        &mut self,
        task: &Task<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> Answer<G::Move> {
        self.context.start();
        self.close_books(task);
        self.list_root_moves(task);
        let mut last = self.initial_report();
        let mut deepening = self.deepening(&task.limits);
        let news = if self.proves(&task.limits) {
            self.prove_or_deepen(task, &mut deepening, &mut last, report)
        } else {
            self.deepen(&mut deepening, u64::MAX, task, &mut last, report);
            deepening.news
        };
        self.context.publish();
        self.answer(last, news)
    }

    /// What a book knows of a game that can be proven holds at full depth: a search that is to end
    /// sooner could not show it, so it does without.
    fn close_books(&mut self, task: &Task<G::Move>) {
        self.options.probe &= task.probes;
        self.options.probe &=
            self.evaluator.schedule() == Schedule::Deepening || self.proves(&task.limits);
    }

    /// Tries to prove the value; while that takes long, deepens in between.
    /// Whether the last report says less than `last`.
    fn prove_or_deepen(
        &mut self,
        task: &Task<G::Move>,
        deepening: &mut Deepening<G::Move>,
        last: &mut Report<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> bool {
        const GROWTH: u64 = 2;
        let mut proving = Proving::new(&task.limits, self.root.moves.clone());
        let (mut quota, share) = quota_and_share(&task.limits);
        loop {
            let is_over = match self.prove(&mut proving, quota, last, report) {
                Ok(Progress::Done) => return false,
                Ok(Progress::Postponed) if self.says_enough(&proving, deepening) => {
                    !self.context.timer().allows_iteration(STEADY, self.context.nodes())
                }
                Ok(Progress::Postponed) => {
                    let nodes = self.context.own_nodes() + quota / share;
                    // What a book told is not taken back.
                    let silent: &mut dyn FnMut(_) = &mut |_| ();
                    let report = if self.root.book_score.is_some() { silent } else { &mut *report };
                    self.deepen(deepening, nodes, task, last, report);
                    if deepening.is_settled {
                        return false;
                    }
                    if deepening.is_over {
                        let has_news = deepening.news || self.root.book_score.is_some();
                        return self.salvage_proof(&proving, last) || has_news;
                    }
                    false
                }
                Err(_) => true,
            };
            if is_over {
                return self.salvage_proof(&proving, last) || !proving.knows_the_best();
            }
            quota = quota.saturating_mul(GROWTH);
        }
    }

    /// Whether nothing that a proof still lacks is to be had from iterations.
    fn says_enough(&self, proving: &Proving<G::Move>, deepening: &Deepening<G::Move>) -> bool {
        let has_guess = self.root.book_score.is_some() && !deepening.news;
        has_guess || proving.knows_the_best() || self.knows_a_winning_move(proving)
    }

    /// Searches like [`run`](Self::run), for the table alone, until it is stopped.
    pub fn assist(&mut self, task: &Task<G::Move>) {
        self.close_books(task);
        self.list_root_moves(task);
        let mut last = self.initial_report();
        if self.proves(&task.limits) {
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

    /// What can be said before anything was searched.
    fn initial_report(&mut self) -> Report<G::Move> {
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

    pub(super) fn report(&self, line: usize, bound: Bound, depth: u32) -> Report<G::Move> {
        Report { hashfull: self.table.hashfull(), ..self.line_report(line, bound, depth) }
    }

    /// A report that does not look into the table.
    fn line_report(&self, line: usize, bound: Bound, depth: u32) -> Report<G::Move> {
        let root = &self.root.moves[line];
        Report {
            depth,
            seldepth: self.seldepth as u32,
            line: line + 1,
            score: root.score,
            bound,
            odds: None,
            nodes: self.context.nodes(),
            time: self.context.timer().elapsed(),
            hashfull: 0,
            probe_hits: self.context.probe_hits(),
            pv: root.pv.clone(),
        }
    }

    fn answer(&self, last: Report<G::Move>, news: bool) -> Answer<G::Move> {
        let (best, ponder) = (last.pv.first().copied(), last.pv.get(1).copied());
        let last = match self.root.book_score {
            // The move is a guess: no line shows the score.
            Some(score) if score != last.score => {
                let depth = self.game.plies_left();
                Report { score, bound: Bound::Exact, depth, pv: Vec::new(), ..last }
            }
            _ => last,
        };
        let report = Report {
            nodes: self.context.nodes(),
            time: self.context.timer().elapsed(),
            hashfull: if news { self.table.hashfull() } else { last.hashfull },
            ..last
        };
        let settled = self.settled(&report);
        Answer { best, ponder, report, news, settled, tally: self.context.tally() }
    }

    /// What `report` proves of the position.
    fn settled(&self, report: &Report<G::Move>) -> Option<Settled> {
        let is_drawn = report.score == Score::DRAW
            && report.bound == Bound::Exact
            && self.exact
            && report.depth >= self.game.plies_left();
        if self.root.is_restricted || !(is_drawn || report.score.is_decisive()) {
            return None;
        }
        let mover = self.game.turn();
        let winner = match report.score {
            score if score.is_win() => Some(mover),
            score if score.is_loss() => Some(mover.other()),
            _ => None,
        };
        Some(Settled { winner, plies: report.score.plies(), grounds: self.root.grounds })
    }
}

/// After how many nodes a proof first waits for an iteration, and how many times as many nodes it
/// has as the iterations in between.
fn quota_and_share(limits: &Limits) -> (u64, u64) {
    const FIRST: u64 = 1 << 12;
    const PATIENT: u64 = 1 << 16;
    const SHARE: u64 = 16;
    match () {
        () if limits.proof.is_some() => (u64::MAX, 1),
        () if limits.is_timed() || limits.nodes.is_some() => (FIRST, 1),
        // A stop can come at any time.
        () if limits.is_open_ended() => (FIRST, SHARE),
        () => (PATIENT, SHARE),
    }
}
