//! Wins that were announced before: the root's win is looked up among the kept wins.
//!
//! A kept win answers the search, unless a shorter one is found. With several lines, or in a search
//! for a shorter win, its move keeps its score.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::prover::ProofEffort;
use crate::search::limits::Limits;
use crate::search::order::pick;
use crate::search::report::{Bound, ProofSource, Report};

use super::state::{RecalledWin, RootMove, Search, Task};
use super::techniques::Techniques;

/// The nodes for finding the answer to a reply that the kept proof does not name.
const RECALL_NODES: u64 = 2_000_000;

/// No win is shorter, for a player who does not win at once, in plies.
const SHORTEST: u32 = 3;

/// The node limit of the prover for the end of a line.
const LINE_NODES: u64 = 10_000;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Looks up the win that is kept for the root, and moves its move to the front.
    pub(super) fn recall_win(&mut self, task: &Task<G::Move>) {
        if !E::KEEPS_WINS || !self.wins.is_on {
            return;
        }
        self.wins.kept.note_search(self.game.key().0);
        let win = self.aside(RECALL_NODES, |search| search.root_win(task));
        let Some((mv, plies)) = win else { return self.wins.kept.make_room() };
        if self.root.moves.iter().any(|root| root.mv == mv) {
            self.recall(mv, plies);
        }
    }

    /// Recalls `mv`, a root move that wins within `plies` plies by the kept wins. Returns the plies.
    fn recall(&mut self, mv: G::Move, plies: u32) -> Option<u32> {
        let mut pv = Vec::new();
        // After a stop the line is shorter.
        let _ = self.aside(RECALL_NODES, |search| search.follow(&mut pv, plies));
        self.root.recalled = Some(RecalledWin { mv, score: Score::win_in(plies), pv });
        self.show_recalled_win()
    }

    /// Returns the move and the plies of the root's win: one that is kept, or that the win before
    /// the last two moves promises.
    fn root_win(&mut self, task: &Task<G::Move>) -> Option<(G::Move, u32)> {
        let known = self.kept_win();
        if known.is_some() {
            return known;
        }
        let (key, code) = task.own_last_move?;
        let before = self.wins.kept.get(key).filter(|win| win.code == code)?;
        self.prove_win(0, before.plies.checked_sub(2)?).ok()??;
        self.kept_win()
    }

    /// Appends the kept line from the current position on: the winner's moves, and the longest
    /// known defence. The win takes at most `left` plies.
    fn follow(&mut self, line: &mut Vec<G::Move>, left: u32) -> Result<(), Interrupt> {
        if self.game.outcome().is_some() || left == 0 {
            return Ok(());
        }
        let Some((mv, _)) = self.kept_win() else {
            let Self { game, evaluator, context, .. } = self;
            let win = evaluator.win_within(game, left, LINE_NODES, context)?;
            line.extend(win.into_iter().flat_map(|win| win.line));
            return Ok(());
        };
        line.push(mv);
        self.with_move(mv, |search| {
            let Some(reply) = search.longest_defence() else { return Ok(()) };
            line.push(reply);
            search.with_move(reply, |search| search.follow(line, left.saturating_sub(2)))
        })
    }

    /// Returns the reply with the longest kept win after it, or else the first candidate; `None` if
    /// the game is over.
    fn longest_defence(&mut self) -> Option<G::Move> {
        if self.game.outcome().is_some() {
            return None;
        }
        let mut replies = self.ranked_candidates();
        let first = (!replies.is_empty()).then(|| pick(&mut replies, 0));
        let plies = |search: &mut Self, mv| {
            search.with_move(mv, |search| search.kept_win().map(|(_, plies)| plies))
        };
        let mut longest: Option<(u32, G::Move)> = None;
        for index in 0..replies.len() {
            let mv = pick(&mut replies, index);
            if let Some(plies) = plies(self, mv)
                && longest.is_none_or(|(most, _)| plies > most)
            {
                longest = Some((plies, mv));
            }
        }
        longest.map(|(_, mv)| mv).or(first)
    }

    /// Moves the recalled win to the front of the root moves, with its score and line.
    fn show_recalled_win(&mut self) -> Option<u32> {
        let RecalledWin { mv, score, pv } = self.root.recalled.clone()?;
        let plies = score.plies()?;
        let place = self.root_index_of(Some(mv));
        self.root.moves[..=place].rotate_right(1);
        let root = &mut self.root.moves[0];
        (root.score, root.depth, root.pv, root.is_complete) = (score, plies, pv, true);
        Some(plies)
    }

    /// Recalls the proven win of the best move, if the rest of the limits is for shorter wins. Returns
    /// false if the win ends the search.
    pub(super) fn seeks_shorter_win(&mut self, task: &Task<G::Move>) -> bool {
        if !task.seeks_shorter_wins || !self.wins.is_on || !self.root_is_one_node() {
            return false;
        }
        let RootMove { mv, score, pv, .. } = self.root.moves[0].clone();
        if !score.is_win() || score >= Score::win_in(SHORTEST) {
            return false;
        }
        self.root.recalled = Some(RecalledWin { mv, score, pv });
        self.root.any_win_answers = false;
        self.root.seeks_shorter_win = true;
        true
    }

    /// In a search for a shorter win than the recalled one, recalls the best move if it has one, and
    /// otherwise shows the recalled win again: a win without a proof does not replace it.
    pub(super) fn keep_shorter_win(&mut self) {
        let recalled = self.root.recalled.as_ref().filter(|_| self.root.seeks_shorter_win);
        let Some(recalled) = recalled.map(|win| win.score) else { return };
        let RootMove { mv, score, pv, .. } = self.root.moves[0].clone();
        if score <= recalled {
            self.show_recalled_win();
            return;
        }
        self.root.source = ProofSource::Search;
        self.root.recalled = Some(RecalledWin { mv, score, pv });
    }

    /// Returns a win that is shorter than the recalled one, by the prover of the game.
    pub(super) fn shorter_win_at_root(&mut self) -> Option<Report<G::Move>> {
        let plies = self.root.recalled.as_ref()?.score.plies()?.checked_sub(2)?;
        let nodes = self.solver_nodes();
        let Self { game, evaluator, context, .. } = self;
        let mv = evaluator.attack_within(game, plies, ProofEffort::High, nodes, context).ok()??;
        if !self.keep_win(mv, plies).ok()? {
            return None;
        }
        let (mv, plies) = self.kept_win()?;
        self.root.source = ProofSource::Solver(E::SOLVER_NAME);
        let plies = self.recall(mv, plies)?;
        Some(self.report(0, Bound::Exact, plies))
    }

    /// Returns a win that ends the search: the shorter one of a recalled win and a win that the
    /// solver finds. `None` also after a stop: the search itself handles the stop.
    pub(super) fn win_at_root(&mut self, limits: &Limits) -> Option<Report<G::Move>> {
        let solved = self.solve_root(limits);
        if !E::KEEPS_WINS {
            return solved;
        }
        let recalled = self.root.recalled.as_ref().filter(|_| self.root.any_win_answers);
        let Some(recalled) = recalled.map(|win| win.score) else { return solved };
        if solved.as_ref().is_some_and(|solved| solved.score > recalled) {
            return solved;
        }
        self.root.source = ProofSource::Search;
        let plies = self.show_recalled_win()?;
        self.seldepth = self.root.moves[0].pv.len();
        Some(self.report(0, Bound::Exact, plies))
    }
}
