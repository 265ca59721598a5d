//! Principal variations for people: a proven win or loss is shown to its end, and every first move
//! has a reply, unless its score comes from a book.

use crate::context::Interrupt;
use crate::evaluator::SearchEvaluator;
use crate::order::pick;
use crate::rules::Game;
use crate::score::Score;
use crate::window::Window;

use super::state::{Line, Search};
use super::techniques::Techniques;

/// How many nodes a solver may take to show a proven win.
const SHOW: u64 = 1_000_000;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Extends the line of a decisive root move to the end of the game. A score that cannot be shown
    /// becomes a heuristic one.
    pub(super) fn complete_root_line(&mut self, line: usize) -> Result<(), Interrupt> {
        if self.root.moves[line].is_complete {
            return Ok(());
        }
        let score = self.root.moves[line].score;
        if !score.is_decisive() {
            return Ok(());
        }
        let mut pv = std::mem::take(&mut self.root.moves[line].pv);
        let shown = self.extend(&mut pv, 0, score);
        let root = &mut self.root.moves[line];
        root.pv = pv;
        if !shown? {
            root.score = root.score.unproven();
        }
        root.is_complete = true;
        Ok(())
    }

    /// Follows `line` from `ply` on and appends moves until the game ends as `score`, the root's,
    /// claims. Where scores are bounds the winner may win sooner. Returns whether the line shows it.
    fn extend(
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
            && let Some(win) = self.evaluator.solve(&self.game, SHOW, &mut self.context)?
            && win.score.plies().is_some_and(|plies| plies as usize <= end - ply)
        {
            line.extend(win.line);
        }
        if ply == line.len() {
            let shown =
                if self.exact { self.exact_move(ply, score) } else { self.likely(ply, end) };
            let Some(mv) = shown? else { return Ok(false) };
            line.push(mv);
        }
        let mv = line[ply];
        self.with_move(mv, |search| search.extend(line, ply + 1, score))
    }

    /// Returns a move that keeps the claim of `score`, the score of the root.
    fn exact_move(&mut self, ply: usize, score: Score) -> Result<Option<G::Move>, Interrupt> {
        let wanted = if ply.is_multiple_of(2) { score } else { -score };
        let left = score.plies().unwrap_or(0).saturating_sub(ply as u32);
        self.move_worth(wanted, left.saturating_sub(1), ply)
    }

    /// Returns a move worth at least `wanted`, the known value of the position `ply` plies below the
    /// root. It is found by a search `depth` plies deep behind the move.
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

    /// Returns a move of a proven line where scores are bounds: for the winner one that wins in time,
    /// for the loser the first in order, since all lose.
    fn likely(&mut self, ply: usize, end: usize) -> Result<Option<G::Move>, Interrupt> {
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
                search.search::<false>(scout, depth, ply + 1, Line::SHOWN)
            })?;
            if score >= wanted {
                return Ok(Some(mv));
            }
        }
        Ok(None)
    }

    /// Completes the line of a proven score: a win or a loss to its end, a draw as far as it takes
    /// little search.
    pub(super) fn show_proven_line(&mut self, line: usize) -> Result<(), Interrupt> {
        if self.root_is_one_node() {
            let score = self.root.moves[line].score;
            let found = self.move_worth(score, self.game.plies_left() - 1, 0)?;
            let mv = found.unwrap_or(self.root.moves[line].mv);
            let place = self.place_of(Some(mv));
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

    /// Completes the line of a book's score with the moves of the book only, so that the answer
    /// needs no search.
    pub(super) fn show_book_line(&mut self, line: usize) -> Result<(), Interrupt> {
        let mut pv = std::mem::take(&mut self.root.moves[line].pv);
        let shown = self.extend_by_book(&mut pv, 0);
        self.root.moves[line].pv = pv;
        shown
    }

    /// Follows `line` from `ply` on and appends the moves that books name.
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
