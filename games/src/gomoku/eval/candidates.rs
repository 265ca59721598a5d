//! Candidate moves: all moves that can matter if something is forced, otherwise the moves near the
//! stones.

use tengen_engine::{Cell, Coverage, Game, HistoryTuning, MoveOrdering, Side};

use crate::gomoku::eval::weights;
use crate::gomoku::pattern::lines::DIRECTIONS;
use crate::gomoku::pattern::threat::{Group, Threat};
use crate::gomoku::pattern::{Class, PatternShape};
use crate::gomoku::{Board, GomokuEvaluator};

impl GomokuEvaluator {
    /// Appends the moves of `side` that stop an opponent who threatens to win at once.
    pub(crate) fn push_answers(&self, board: &Board, side: Side, out: &mut Vec<Cell>) {
        let mut fives = self.fives(board, side.other());
        let (Some(first), second) = (fives.next(), fives.next()) else { return };
        if !board.rule().closes_ends() {
            let answer = second.is_none() && self.may_play(board, side, first);
            out.extend(answer.then_some(first));
            return;
        }
        // A stone beyond the end of a row may close the row, and so stop more than one five.
        let all: Vec<Cell> = self.fives(board, side.other()).collect();
        let mut after = board.lines;
        let near = |direction| board.lines.empty_near(first, direction);
        for cell in (0..DIRECTIONS.len()).flat_map(near) {
            if out.contains(&cell) {
                continue;
            }
            after.toggle(cell, side);
            let stops = all.iter().all(|&five| {
                five == cell || !after.classes(five, side.other()).contains(&Class::Five)
            });
            after.toggle(cell, side);
            if stops {
                out.push(cell);
            }
        }
    }

    /// Returns a point where `side` makes an open four or two fours, and wins with its next stone.
    /// Neither side may have a win at once.
    pub(crate) fn decisive_point(&self, board: &Board, side: Side) -> Option<Cell> {
        self.playable(board, side, Group::OpenFours).find(|&cell| {
            // In renju the game may end with this move, when the first player has no move left.
            !board.rule().forbids(side.other()) || {
                let mut after = board.clone();
                after.play(cell);
                after.outcome().is_none()
            }
        })
    }

    /// Returns whether `side` can still make an open four or two fours on `cell` after every reply
    /// that leaves the lines of `cell` unchanged.
    // In renju a stone elsewhere can make a real three of a false one, and so forbid a point that
    // also makes two open threes.
    fn is_lasting_threat(&self, board: &Board, side: Side, cell: Cell) -> bool {
        let threes = || {
            let classes = self.points.classes(side, cell);
            classes.iter().filter(|&&class| class == Class::OpenThree).count()
        };
        !board.rule().forbids(side) || threes() < 2
    }

    /// Appends the moves that stop the opponent from making an open four or two fours, and the
    /// moves that make a four. Returns false, and appends nothing, when there is no such threat, or
    /// in renju when the board has too little room. Precondition: no side has an immediate win.
    // After every other move the opponent makes the open four. The reply cannot make a five,
    // because there was no four, and cannot stop two fives. No move loses sooner.
    pub(crate) fn push_defences(&self, board: &Board, out: &mut Vec<Cell>) -> bool {
        let side = board.turn();
        let opponent = side.other();
        let threats: Vec<Cell> = self
            .cells(board, opponent, Group::OpenFours)
            .filter(|&cell| self.is_lasting_threat(board, opponent, cell))
            .collect();
        let Some(&first) = threats.first() else { return false };
        if board.rule().forbids(side) && !self.has_room(board, 2) {
            return false;
        }
        let before = out.len();
        out.extend(self.playable(board, side, Group::Fours));
        for direction in 0..DIRECTIONS.len() {
            let may_stop = self.may_stop(board, first, direction);
            for cell in board.lines.empty_near(first, direction) {
                let stops = |&threat: &Cell| self.stops(board, cell, threat);
                if (may_stop || cell == first)
                    && !out[before..].contains(&cell)
                    && threats.iter().all(stops)
                    && self.may_play(board, side, cell)
                {
                    out.push(cell);
                }
            }
        }
        if out.len() == before {
            out.extend(self.losing_move(board, first));
        }
        true
    }

    /// Returns whether the first player surely has a legal move in renju after `stones` more
    /// stones.
    // A stone changes only points within its radius of influence on its four lines.
    pub(crate) fn has_room(&self, board: &Board, stones: usize) -> bool {
        let changed_points = 8 * board.rule().reach() as usize;
        let is_surely_allowed = |&cell: &Cell| {
            let threat = self.points.threat(Side::First, cell);
            threat > Threat::Forbidden
                && threat != Threat::DoubleThree
                && threat < Threat::FourThree
        };
        board.grid().all().filter(is_surely_allowed).count() > stones * (changed_points + 1)
    }

    /// Returns whether a stone of the side to move on `cell` prevents an open four or two fours of
    /// the opponent on `threat`.
    fn stops(&self, board: &Board, cell: Cell, threat: Cell) -> bool {
        if cell == threat {
            return true;
        }
        let opponent = board.turn().other();
        let after = board.lines.pair_after(threat, cell, board.turn());
        after.is_some_and(|line| self.points.threat_with(opponent, threat, line) < Threat::OpenFour)
    }

    /// Returns whether a stone on the line of `threat` in `direction`, but not on `threat` itself,
    /// may prevent an open four or two fours of the opponent on `threat`.
    // A dead line is the weakest case for the opponent, but not in renju, where more fours are
    // forbidden.
    fn may_stop(&self, board: &Board, threat: Cell, direction: usize) -> bool {
        let opponent = board.turn().other();
        board.rule().forbids(opponent)
            || self.points.threat_with(opponent, threat, (direction, PatternShape::DEAD_PAIR))
                < Threat::OpenFour
    }

    /// Returns a move for a position where every move loses: on `threat` if that is allowed.
    pub(crate) fn losing_move(&self, board: &Board, threat: Cell) -> Option<Cell> {
        let is_allowed = self.may_play(board, board.turn(), threat);
        if is_allowed { Some(threat) } else { self.any_move(board) }
    }

    /// Returns the first legal move; `None` when there is none.
    pub(crate) fn any_move(&self, board: &Board) -> Option<Cell> {
        board.grid().all().find(|&cell| board.is_allowed(cell))
    }

    /// Appends the candidates when nothing is forced: moves close to a stone, moves that make a
    /// four or an open three, and moves that stop one of the opponent.
    pub(crate) fn push_near(&self, board: &Board, out: &mut Vec<Cell>) -> Coverage {
        let side = board.turn();
        let mut near = *self.points.neighbourhood();
        for own in [side, side.other()] {
            for group in [Group::Threes, Group::Fours, Group::OpenFours] {
                near.unite(self.points.group(own, group));
            }
        }
        let before = out.len();
        let cells = near.iter().filter_map(|index| board.grid().at(index));
        out.extend(cells.filter(|&cell| self.may_play(board, side, cell)));
        if out.len() == before {
            let grid = board.grid();
            let centre = grid.cell(grid.width() / 2, grid.height() / 2);
            let middle = Some(centre).filter(|&cell| board.is_allowed(cell));
            out.extend(middle.or_else(|| self.any_move(board)));
        }
        let all = out.len() - before == board.plies_left() as usize;
        if all { Coverage::Complete } else { Coverage::Partial }
    }
}

impl MoveOrdering<Board> for GomokuEvaluator {
    fn candidates(&self, board: &Board, out: &mut Vec<Cell>) -> Coverage {
        let side = board.turn();
        if let Some(five) = self.fives(board, side).next() {
            out.push(five);
            return Coverage::Complete;
        }
        if self.fives(board, side.other()).next().is_some() {
            // A side that does not answer loses in two plies, the shortest loss.
            let before = out.len();
            self.push_answers(board, side, out);
            if out.len() == before {
                let mut fives = self.fives(board, side.other());
                out.extend(fives.next().and_then(|five| self.losing_move(board, five)));
            }
            return Coverage::Complete;
        }
        if let Some(point) = self.decisive_point(board, side) {
            out.push(point);
            return Coverage::Complete;
        }
        if self.push_defences(board, out) {
            return Coverage::Complete;
        }
        self.push_near(board, out)
    }

    // A win can begin with a move that is not a candidate: a closed three of stones far apart. The
    // first move of a game needs no such search.
    fn searches_all_at_root(&self) -> bool {
        !self.points.neighbourhood().is_empty()
    }

    fn rank(&self, board: &Board, mv: Cell) -> i32 {
        self.move_score(board, mv)
    }

    fn history_tuning(&self) -> HistoryTuning {
        weights::HISTORY
    }

    fn is_threat(&self, board: &Board, mv: Cell) -> bool {
        self.points.threat(board.turn(), mv) >= Threat::Three
    }

    fn noisy(&self, board: &Board, out: &mut Vec<Cell>) {
        self.push_answers(board, board.turn(), out);
    }
}

#[cfg(test)]
mod tests {
    use tengen_engine::Notation;

    use super::*;
    use crate::gomoku::tests::evaluated_after;

    #[test]
    fn an_open_three_is_a_threat_and_a_closed_three_is_none() {
        // The first player can make an open three on j8. On d5 it is closed by a5.
        let (board, evaluator) = evaluated_after("h8 c2 i8 c3 b5 c4 c5 a5");
        let is_threat = |name| evaluator.is_threat(&board, board.read_move(name).unwrap());
        assert_eq!(["j8", "d5", "o15"].map(is_threat), [true, false, false]);
    }

    #[test]
    fn the_root_searches_all_moves_even_those_that_are_no_candidates() {
        // With g10 and h9 a stone on d13 makes a three that can only become a closed four.
        let (board, evaluator) = evaluated_after("g10 a1 h9 a3");
        let mut candidates = Vec::new();
        assert_eq!(evaluator.candidates(&board, &mut candidates), Coverage::Partial);
        assert!(!candidates.contains(&board.read_move("d13").unwrap()));
        assert!(evaluator.searches_all_at_root());
        // The first move of a game needs no search.
        assert!(!evaluated_after("").1.searches_all_at_root());
    }
}
