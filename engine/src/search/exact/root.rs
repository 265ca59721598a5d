//! The proof of the root's value: searches at full depth in windows of provable scores.
//!
//! `windows.rs` chooses the windows.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::prover::Probe;
use crate::search::evaluator::selectivity::RootSchedule;
use crate::search::limits::{Limits, Proof};
use crate::search::report::{Bound, ProofSource, Report};

use crate::search::bounds::ProvenBounds;
use crate::search::state::{RootMove, Search};
use crate::search::techniques::Techniques;

use super::windows::Bracket;

/// The progress of a proof.
pub(in crate::search) enum Progress {
    /// The scores of all lines are proven.
    Done,
    /// The quota of nodes is used up. The next call continues.
    Postponed,
}

/// The state of a proof. It is kept between two calls of [`Search::prove`].
pub(in crate::search) struct Proving<M> {
    proof: Proof,
    /// Whether lines are shown to their end.
    shows_lines: bool,
    /// The line that is being proven.
    line: usize,
    bracket: Option<Bracket>,
    /// The nodes spent on the current window so far.
    spent: u64,
    /// The move that last raised the lower bound of the root in this thread.
    best: Option<M>,
    /// Whether `best` wins. If another thread has proven the win, the winning move is unknown.
    best_wins: bool,
    /// The score of the root in a book.
    book_score: Option<Score>,
    /// Whether no move is known to reach the score, and none is asked for.
    has_guess: bool,
    /// The root moves of the proof, while iterative deepening orders its own.
    root_moves: Vec<RootMove<M>>,
}

impl<M> Proving<M> {
    pub(in crate::search) fn new(limits: &Limits, root_moves: Vec<RootMove<M>>) -> Self {
        Self {
            proof: limits.proof.unwrap_or(Proof::Score),
            shows_lines: limits.proof.is_none(),
            line: 0,
            bracket: None,
            spent: 0,
            best: None,
            best_wins: false,
            book_score: None,
            has_guess: false,
            root_moves,
        }
    }

    /// Returns whether the best move is known.
    pub(in crate::search) fn knows_best_move(&self) -> bool {
        self.line > 0
    }

    /// Returns whether the first line is proven to win.
    fn wins(&self) -> bool {
        self.line == 0 && self.bracket.is_some_and(|bracket| bracket.low > Score::DRAW)
    }
}

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Returns whether the search must prove the value at full depth.
    pub(in crate::search) fn should_prove(&self, limits: &Limits) -> bool {
        let plies_left = self.game.plies_left();
        self.exact
            && self.on().proving
            && self.evaluator.schedule() == RootSchedule::Proving
            && limits.mate.is_none()
            && limits.depth.is_none_or(|depth| depth >= plies_left)
    }

    /// Proves the scores of the lines in turn, within `quota` nodes. Once the first line is proven,
    /// `last` is its report.
    pub(in crate::search) fn prove(
        &mut self,
        state: &mut Proving<G::Move>,
        quota: u64,
        last: &mut Report<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> Result<Progress, Interrupt> {
        self.context.set_quota(quota);
        std::mem::swap(&mut self.root.moves, &mut state.root_moves);
        self.set_proof_running(true);
        let result = self.prove_lines(state, last, report);
        self.set_proof_running(false);
        self.proof.outer_window = false;
        if result.is_err() {
            std::mem::swap(&mut self.root.moves, &mut state.root_moves);
        }
        let is_open = result.is_err() && state.line == 0 && !self.root.is_restricted;
        self.root.bounds = state.bracket.filter(|_| is_open).map(|bracket| bracket.bounds());
        self.context.set_quota(u64::MAX);
        match result {
            Ok(()) => Ok(Progress::Done),
            Err(Interrupt::Stopped) => Err(Interrupt::Stopped),
            Err(_) => Ok(Progress::Postponed),
        }
    }

    fn prove_lines(
        &mut self,
        state: &mut Proving<G::Move>,
        last: &mut Report<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> Result<(), Interrupt> {
        let depth = self.game.plies_left();
        let is_asked = state.book_score.is_some() || state.bracket.is_some() || state.line > 0;
        if !is_asked && !self.root.is_restricted {
            self.probe_book_at_root(state, report)?;
        }
        while state.line < self.root.lines {
            let line = state.line;
            let (score, bound) = self.solve_line(state)?;
            let root = &mut self.root.moves[line];
            (root.score, root.depth, root.is_complete) = (score, depth, false);
            root.pv = if state.has_guess { Vec::new() } else { vec![root.mv] };
            let from_book = root.from_book;
            if line == 0 && from_book {
                self.root.source = ProofSource::Book;
            }
            match (state.shows_lines, from_book) {
                (true, false) => self.show_proven_line(line)?,
                (true, true) => self.show_book_line(line)?,
                (false, _) => {}
            }
            let found = self.report(line, bound, depth);
            if line == 0 {
                self.root.book_score = None;
                *last = found.clone();
            }
            report(found);
            (state.line, state.bracket) = (line + 1, None);
        }
        Ok(())
    }

    /// Proves the score of the current line, or only its sign if the limits ask for no more. Moves
    /// its best move to the index of the line.
    fn solve_line(&mut self, state: &mut Proving<G::Move>) -> Result<(Score, Bound), Interrupt> {
        let (line, root_is_one_node) = (state.line, self.root_is_one_node());
        if let Some(score) = state.book_score
            && state.bracket.is_none()
            && root_is_one_node
            && (state.best.is_some() || !state.shows_lines)
        {
            state.has_guess = state.best.is_none();
            let best = self.root_index_of(state.best);
            self.root.moves[..=best].rotate_right(1);
            self.root.moves[0].from_book = true;
            return Ok((score, Bound::Exact));
        }
        let mut bracket = match state.bracket {
            Some(bracket) => bracket,
            None => self.first_bracket(state)?,
        };
        while !bracket.is_settled() {
            state.bracket = Some(bracket);
            let window = bracket.window();
            self.proof.outer_window = !bracket.is_at_centre();
            let before = self.context.own_nodes();
            let answer = if root_is_one_node {
                self.search_root_window(window, state.book_score.is_some())
            } else {
                self.search_remaining_moves(line, window)
            };
            let nodes = std::mem::take(&mut state.spent) + self.context.own_nodes() - before;
            match answer {
                Ok(score) => {
                    bracket.narrow(window, score, nodes);
                    if root_is_one_node && score > window.alpha {
                        state.best = self.table_move();
                        state.best_wins = score > Score::DRAW;
                    }
                }
                Err(Interrupt::SettledElsewhere) => {}
                Err(interrupt) => {
                    state.spent = nodes;
                    return Err(interrupt);
                }
            }
            if root_is_one_node {
                bracket.share(self.context.shared_root());
            }
        }
        let (score, bound) = bracket.result();
        let best = match root_is_one_node {
            true if state.book_score.is_some() => {
                // If another thread was faster, the best move is unknown.
                let best = self.move_worth(score, self.game.plies_left() - 1, 0)?;
                self.root_index_of(best)
            }
            true => self.root_index_of(state.best),
            false => self.index_of_best(line),
        };
        self.root.moves[line..=best].rotate_right(1);
        self.root.moves[line].from_book |= line == 0 && state.book_score.is_some();
        Ok((score, bound))
    }

    /// Returns the bracket of the current line before its first window.
    fn first_bracket(&mut self, state: &Proving<G::Move>) -> Result<Bracket, Interrupt> {
        let (line, plies_left) = (state.line, self.game.plies_left());
        let (root_is_one_node, tuning) = (self.root_is_one_node(), self.proof.tuning);
        let bracket = |proven| Bracket::new(proven, plies_left, state.proof, &tuning);
        if line == 0 && !root_is_one_node {
            self.bound_root_moves()?;
        }
        let proven = if root_is_one_node { self.position_bounds() } else { self.proven_from(line) };
        if line == 0
            && let Some(score) = state.book_score
        {
            // The score is known. The search finds the move that reaches it.
            let low = proven.low.max(score.previous());
            let proven = ProvenBounds { low, high: score };
            return Ok(bracket(proven).without_outer_windows());
        }
        // Far from the end of the game, open windows cost less than a sequence of null windows.
        // Several threads share more results in null windows.
        let open_from = match self.context.busy() {
            None => tuning.open_windows_from,
            Some(_) => tuning.open_windows_of_threads_from,
        };
        let bracket = bracket(proven);
        Ok(match root_is_one_node {
            true if !self.proof.is_in_batch => bracket.with_open_windows(plies_left >= open_from),
            false if line == 0 => bracket,
            _ => bracket.without_outer_windows(),
        })
    }

    /// Probes books and solvers at the root. Reports their score immediately if they give no best
    /// move.
    fn probe_book_at_root(
        &mut self,
        state: &mut Proving<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> Result<(), Interrupt> {
        if !self.probes {
            return Ok(());
        }
        let probe = self.probe_book_or_solver(Window::FULL)?;
        let Some(Probe { score, line }) = probe else { return Ok(()) };
        let depth = self.game.plies_left();
        self.context.count_probe_hit();
        self.root.source = ProofSource::Book;
        state.book_score = Some(score);
        let only = (self.root.moves.len() == 1).then(|| self.root.moves[0].mv);
        if let Some(best) = line.first().copied().or(only) {
            (state.best, state.best_wins) = (Some(best), score > Score::DRAW);
            self.store(depth, 0, score, Bound::Exact, Some(best));
        } else if self.root_is_one_node() && state.shows_lines {
            self.root.book_score = Some(score);
            let known = self.report(0, Bound::Exact, depth);
            report(Report { score, pv: Vec::new(), ..known });
        }
        Ok(())
    }

    /// Returns whether a move is proven to win. Iterations cannot find a better one.
    pub(in crate::search) fn knows_a_winning_move(&self, state: &Proving<G::Move>) -> bool {
        if !state.wins() {
            return false;
        }
        match self.root_is_one_node() {
            true => state.best_wins && state.best.is_some(),
            false => state.root_moves.iter().any(|root| root.proven.low > Score::DRAW),
        }
    }

    /// After a stop, sets `last` to a move that is proven to win, even if the distance is unknown.
    /// Returns whether there is such a move.
    pub(in crate::search) fn keep_proven_win(
        &mut self,
        state: &Proving<G::Move>,
        last: &mut Report<G::Move>,
    ) -> bool {
        if !self.knows_a_winning_move(state) {
            return false;
        }
        let root_is_one_node = self.root_is_one_node();
        self.root.moves.clone_from(&state.root_moves);
        let best =
            if root_is_one_node { self.root_index_of(state.best) } else { self.index_of_best(0) };
        self.root.moves[..=best].rotate_right(1);
        let mut pv = vec![self.root.moves[0].mv];
        self.add_reply(&mut pv);
        let root = &mut self.root.moves[0];
        (root.score, root.pv) = (Score::win_in(0).unproven(), pv);
        *last = self.report(0, Bound::Lower, self.game.plies_left());
        true
    }

    /// Returns the score of the root in `window`. With `moves_only`, known scores of the root
    /// itself are ignored, because they have no move.
    fn search_root_window(&mut self, window: Window, moves_only: bool) -> Result<Score, Interrupt> {
        let depth = self.game.plies_left();
        self.context.set_root_window(Some(window));
        let answer = match moves_only {
            true => self.search_root_moves_only(window, depth),
            false => self.search_exact_game(window, depth, 0),
        };
        self.context.set_root_window(None);
        answer
    }

    fn search_root_moves_only(&mut self, window: Window, depth: u32) -> Result<Score, Interrupt> {
        self.count_node(0)?;
        let node = self.node(&self.game, self.position_bounds(), window, depth, 0);
        self.search_probed::<true>(&node)
    }

    /// Returns the proven bounds of the current position.
    fn position_bounds(&self) -> ProvenBounds {
        self.static_bounds(&self.game, &self.evaluator, Window::FULL)
    }

    /// Bounds each root move without a search.
    fn bound_root_moves(&mut self) -> Result<(), Interrupt> {
        for index in 0..self.root.moves.len() {
            let mv = self.root.moves[index].mv;
            let (ProvenBounds { low, high }, from_book) =
                self.with_move(mv, Self::bound_root_move)?;
            let root = &mut self.root.moves[index];
            (root.proven, root.from_book) = (ProvenBounds { low: -high, high: -low }, from_book);
        }
        Ok(())
    }

    /// Returns the proven bounds of the position after a root move, for the side to move there, and
    /// whether they are from a book.
    fn bound_root_move(&mut self) -> Result<(ProvenBounds, bool), Interrupt> {
        if let Some(outcome) = self.game.outcome() {
            return Ok((ProvenBounds::exactly(outcome.score(self.game.turn(), 1)), false));
        }
        if self.probes
            && let Some(probe) = self.probe_book_or_solver(Window::FULL)?
        {
            self.context.count_probe_hit();
            return Ok((ProvenBounds::exactly(probe.score.to_root(1)), true));
        }
        Ok((self.position_bounds().to_root(1), false))
    }

    /// Returns the proven bounds of the best move from the index `line` on.
    fn proven_from(&self, line: usize) -> ProvenBounds {
        let rest = &self.root.moves[line..];
        let best =
            |bound: fn(&ProvenBounds) -> Score| rest.iter().map(|root| bound(&root.proven)).max();
        ProvenBounds {
            low: best(|proven| proven.low).unwrap_or(Score::LOWEST),
            high: best(|proven| proven.high).unwrap_or(Score::HIGHEST),
        }
    }

    /// Returns the best score of the moves from the index `line` on in a null window. A move is not
    /// searched if its proven bounds are enough.
    fn search_remaining_moves(&mut self, line: usize, window: Window) -> Result<Score, Interrupt> {
        let depth = self.game.plies_left() - 1;
        let mut best = Score::LOWEST;
        for index in self.order_of_remaining_moves(line) {
            let ProvenBounds { low, high } = self.root.moves[index].proven;
            if low < window.beta && high > window.alpha {
                let mv = self.root.moves[index].mv;
                let score =
                    -self.with_move(mv, |search| search.search_exact_game(-window, depth, 1))?;
                let proven = &mut self.root.moves[index].proven;
                if score >= window.beta {
                    proven.low = proven.low.max(score);
                } else {
                    proven.high = proven.high.min(score);
                }
            }
            let ProvenBounds { low, high } = self.root.moves[index].proven;
            if low >= window.beta {
                return Ok(low);
            }
            best = best.max(high);
        }
        Ok(best)
    }

    /// Returns the indices of the moves from the index `line` on, in search order. The first line
    /// searches the likely best move first. Later lines search the weakest move first: then all
    /// lines search the same windows, and find the results of earlier lines in the table.
    fn order_of_remaining_moves(&self, line: usize) -> Vec<usize> {
        let places = line..self.root.moves.len();
        if line == 0 {
            return places.collect();
        }
        let mut weakest_first: Vec<_> = places.rev().collect();
        weakest_first.sort_by_cached_key(|place| {
            let root = &self.root.moves[*place];
            (root.proven.low, self.rank_after(root.mv))
        });
        weakest_first
    }

    fn rank_after(&self, mv: G::Move) -> i32 {
        let (mut game, mut evaluator) = (self.game.clone(), self.evaluator.clone());
        game.play(mv);
        evaluator.played(&game, mv);
        evaluator.rank_played(&self.game, &game, self.proof.outer_window)
    }

    /// Returns the index of the move with the highest lower bound, from the index `line` on. This
    /// bound becomes an upper bound of the other moves.
    fn index_of_best(&mut self, line: usize) -> usize {
        let rest = &mut self.root.moves[line..];
        let most = rest.iter().map(|root| root.proven.low).max();
        let best = rest.iter().position(|root| Some(root.proven.low) == most).unwrap_or(0);
        let low = rest[best].proven.low;
        for root in rest {
            root.proven.high = root.proven.high.min(low);
        }
        line + best
    }
}
