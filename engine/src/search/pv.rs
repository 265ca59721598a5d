//! Principal variations for display. A proven win or loss is shown to its end. Every first move has
//! a reply, unless its score comes from a book.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::order::pick;

use super::state::{NodeFlags, Search};
use super::techniques::Techniques;

/// The node limit of a solver that shows a proven win.
const SOLVER_NODES: u64 = 1_000_000;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Extends the line of a decisive root move to the end of the game. If this fails, the score
    /// becomes heuristic.
    pub(super) fn complete_root_line(&mut self, line: usize) -> Result<(), Interrupt> {
        if self.root.moves[line].is_complete {
            return Ok(());
        }
        let score = self.root.moves[line].score;
        if !score.is_decisive() {
            return Ok(());
        }
        let mut pv = std::mem::take(&mut self.root.moves[line].pv);
        let shown = self.extend_line(&mut pv, 0, score);
        let root = &mut self.root.moves[line];
        root.pv = pv;
        let mv = root.mv;
        let plies = score.plies().filter(|_| score.is_win());
        let is_proven = shown? && plies.map_or(Ok(true), |plies| self.keep_win(mv, plies))?;
        let root = &mut self.root.moves[line];
        if !is_proven {
            root.score = root.score.unproven();
        }
        root.is_complete = true;
        Ok(())
    }

    /// Follows `line` from `ply` on, and appends moves until the game ends as `score`, the score of
    /// the root, says. In a game that is not exact, the winner may win sooner. Returns whether the
    /// line shows the score.
    fn extend_line(
        &mut self,
        line: &mut Vec<G::Move>,
        ply: usize,
        score: Score,
    ) -> Result<bool, Interrupt> {
        let end = score.plies().unwrap_or(0) as usize;
        if self.game.outcome().is_some() {
            let is_sooner = !self.exact && ply < end && (end - ply).is_multiple_of(2);
            return Ok(ply == end || is_sooner);
        }
        if ply >= end {
            return Ok(false);
        }
        if ply == line.len()
            && self.probes
            && (end - ply) % 2 == 1
            && let Some(win) = self.evaluator.solve(&self.game, SOLVER_NODES, &mut self.context)?
            && win.score.plies().is_some_and(|plies| plies as usize <= end - ply)
        {
            line.extend(win.line);
        }
        if ply == line.len() {
            let shown =
                if self.exact { self.exact_move(ply, score) } else { self.inexact_move(ply, end) };
            let Some(mv) = shown? else { return Ok(false) };
            line.push(mv);
        }
        let mv = line[ply];
        self.with_move(mv, |search| search.extend_line(line, ply + 1, score))
    }

    /// Returns a move that keeps `score`, the score of the root, in an exact game.
    fn exact_move(&mut self, ply: usize, score: Score) -> Result<Option<G::Move>, Interrupt> {
        let wanted = if ply.is_multiple_of(2) { score } else { -score };
        let left = score.plies().unwrap_or(0).saturating_sub(ply as u32);
        self.move_worth(wanted, left.saturating_sub(1), ply)
    }

    /// Returns a move with a score of at least `wanted`, the known value of the current position,
    /// `ply` plies below the root. Each move is searched `depth` plies deep.
    pub(super) fn move_worth(
        &mut self,
        wanted: Score,
        depth: u32,
        ply: usize,
    ) -> Result<Option<G::Move>, Interrupt> {
        let scout = -Window::scout(wanted.previous());
        let mut moves = self.ranked_candidates();
        if let [only] = moves[..] {
            return Ok(Some(only.item));
        }
        for from in 0..moves.len() {
            let mv = pick(&mut moves, from);
            let score =
                -self.with_move(mv, |search| search.search_exact_game(scout, depth, ply + 1))?;
            if score >= wanted {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }

    /// Returns a move of a proven line that ends at the ply `end`, in a game that is not exact: for
    /// the winner a move that wins in time, for the loser the first move in order, because all
    /// lose.
    fn inexact_move(&mut self, ply: usize, end: usize) -> Result<Option<G::Move>, Interrupt> {
        let left = (end - ply) as u32;
        let wanted = Score::win_in(end as u32);
        let mut moves = self.ranked_candidates();
        for from in 0..moves.len() {
            let mv = pick(&mut moves, from);
            if left.is_multiple_of(2) {
                return Ok(Some(mv));
            }
            let scout = -Window::scout(wanted.previous());
            let depth = (left - 1).min(self.root.depth);
            let score = -self.with_move(mv, |search| {
                search.search::<false>(scout, depth, ply + 1, NodeFlags::SHOWN)
            })?;
            if score >= wanted {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }

    /// Completes the line of a proven score. A draw ends early if no drawing move is found.
    pub(super) fn show_proven_line(&mut self, line: usize) -> Result<(), Interrupt> {
        if self.root_is_one_node() {
            let score = self.root.moves[line].score;
            let found = self.move_worth(score, self.game.plies_left() - 1, 0)?;
            let mv = found.unwrap_or(self.root.moves[line].mv);
            let place = self.root_index_of(Some(mv));
            self.root.moves[..=place].rotate_right(1);
            let root = &mut self.root.moves[0];
            (root.score, root.depth, root.is_complete) = (score, self.game.plies_left(), false);
            root.pv = vec![mv];
        }
        if self.root.moves[line].score.is_decisive() {
            return self.complete_root_line(line);
        }
        let mut pv = std::mem::take(&mut self.root.moves[line].pv);
        let shown = self.extend_draw(&mut pv, 0);
        self.root.moves[line].pv = pv;
        shown
    }

    /// Completes the line of a score from a book with moves of the book only, without a search.
    pub(super) fn show_book_line(&mut self, line: usize) -> Result<(), Interrupt> {
        let mut pv = std::mem::take(&mut self.root.moves[line].pv);
        let shown = self.extend_by_book(&mut pv, 0);
        self.root.moves[line].pv = pv;
        shown
    }

    /// Follows `line` from `ply` on and appends moves of the book.
    fn extend_by_book(&mut self, line: &mut Vec<G::Move>, ply: usize) -> Result<(), Interrupt> {
        if self.game.outcome().is_some() {
            return Ok(());
        }
        if ply == line.len() {
            let probe = self.probe_book_or_solver(Window::FULL)?;
            let Some(&mv) = probe.as_ref().and_then(|probe| probe.line.first()) else {
                return Ok(());
            };
            line.push(mv);
        }
        let mv = line[ply];
        self.with_move(mv, |search| search.extend_by_book(line, ply + 1))
    }

    /// Follows `line` from `ply` on and appends moves that keep the draw, to the end of the game.
    fn extend_draw(&mut self, line: &mut Vec<G::Move>, ply: usize) -> Result<(), Interrupt> {
        if self.game.outcome().is_some() {
            return Ok(());
        }
        if ply == line.len() {
            let Some(mv) = self.move_worth(Score::DRAW, self.game.plies_left() - 1, ply)? else {
                return Ok(());
            };
            line.push(mv);
        }
        let mv = line[ply];
        self.with_move(mv, |search| search.extend_draw(line, ply + 1))
    }
}
