//! The parity rule: a static proof of a draw or a win for a side that only answers, cell above
//! cell, until the other side is in zugzwang. It is independent of the search.

use tengen_engine::Score;

use super::bits::Bits;
use super::shape::Shape;
use super::{Board, runs};

/// The side that plays the strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Controller {
    /// The side to move.
    Mover,
    /// The opponent of the side to move.
    Opponent,
}

/// Returns a lower bound of the score of `controller`, proven by the parity rule: a draw, or a win
/// with a bound on its plies. [`Score::LOWEST`] when no strategy proves `needed` or better.
/// `threats` are empty cells that complete a line of the controller.
//
// The names are those of the proof in docs/explanation/four-in-a-row.md ("Parity"):
// - the rival is the other side;
// - T is a set of the controller's threats that are not playable, at most one in a column. The tail
//   of t in T is the cell below t, t itself and all cells above;
// - S is the set of empty cells outside the tails. Each column of S consists of pairs, taken from
//   the top, and perhaps a single, the lowest cell. |S| is even when the rival moves and odd when
//   the controller does;
// - R are the cells that the rival can get: its stones, lower cells of pairs, singles, and the
//   cells below T. K are those that the controller gets: its stones and the upper cells of pairs.
//
// The controller answers a lower cell by the upper one, a single by a single, and the cell below t
// by t, which wins. The rival never wins if every line in R has a line in K below it.
//
// Tails of an even number of cells do not change the parity of |S|, take cells from the rival only,
// and shorten the play: T contains all of them, the lowest in each column. Tails of an odd number
// are tried one or two at a time, as the parity of |S| requires.
// CITE: follow-up, claimeven and zugzwang are from Victor Allis, "A Knowledge-based Approach of
// Connect-Four", 1988; that a line above one of the controller's is harmless is from
// Christophe Steininger's solver, https://github.com/ChristopheSteininger/c4.
#[inline(always)]
pub(super) fn parity_bound<S: Shape>(
    board: &Board<S>,
    controller: Controller,
    threats: S::Bits,
    needed: Score,
) -> Score {
    let not_playable = threats & !board.playable();
    if needs_odd_tail(board, controller) && !not_playable.meets(!rows_from_the_top(board.shape())) {
        return Score::LOWEST;
    }
    bound_by_tails(board, controller, not_playable, needed)
}

/// Returns whether the number of odd tails must be odd.
#[inline(always)]
fn needs_odd_tail<S: Shape>(board: &Board<S>, controller: Controller) -> bool {
    board.empty().count().is_multiple_of(2) == (controller == Controller::Mover)
}

/// Returns the [`parity_bound`]. `not_playable` are the threats that can have tails.
#[inline(never)]
fn bound_by_tails<S: Shape>(
    board: &Board<S>,
    controller: Controller,
    not_playable: S::Bits,
    needed: Score,
) -> Score {
    let shape = board.shape();
    let needs_odd_tail = needs_odd_tail(board, controller);
    let controller_moves = controller == Controller::Mover;
    let empty = board.empty();
    let (own, theirs) = (board.own(), board.theirs());
    let (controller, rival) = if controller_moves { (own, theirs) } else { (theirs, own) };
    let position = ParityPosition {
        shape,
        empty,
        playable: board.playable(),
        controller,
        rival,
        controller_moves,
        needed,
    };
    let upper = rows_from_the_top(shape);
    let mut odd = not_playable & !upper;
    let plan = position.plan(upper, on_or_above(shape, not_playable & upper));
    if !needs_odd_tail && let Some(bound) = position.bound(&plan) {
        return bound;
    }
    while !odd.is_empty() {
        let (first, column) = position.with_odd_tail(&plan, odd);
        odd &= !column;
        let bound = if needs_odd_tail {
            position.bound(&first)
        } else {
            position.bound_with_another(&first, odd)
        };
        if let Some(bound) = bound {
            return bound;
        }
    }
    Score::LOWEST
}

/// The parts of a position that the rule uses.
struct ParityPosition<'a, S: Shape> {
    shape: &'a S,
    empty: S::Bits,
    playable: S::Bits,
    /// The stones of the controller.
    controller: S::Bits,
    /// The stones of the rival.
    rival: S::Bits,
    controller_moves: bool,
    /// The lowest bound that is useful.
    needed: Score,
}

/// A set of tails and the cells that each side gets with these tails.
#[derive(Clone, Copy)]
struct Plan<B> {
    /// R: the stones of the rival and all cells that the rival can get.
    rivals: B,
    /// K: the stones of the controller and all cells that the controller gets.
    controllers: B,
    tails: B,
    singles: B,
}

impl<S: Shape> ParityPosition<'_, S> {
    /// Returns the plan whose pairs have their upper cells on the rows of `upper`. The rival gets
    /// no stone on `closed`: the threats in T and the cells above them.
    #[inline(always)]
    fn plan(&self, upper: S::Bits, closed: S::Bits) -> Plan<S::Bits> {
        let tails = closed | closed.down(1);
        Plan {
            rivals: self.rival | (self.empty & !closed & (self.playable | !upper)),
            controllers: self.controller | (self.empty & !tails & upper & !self.playable),
            tails,
            singles: self.playable & upper & !tails,
        }
    }

    /// Returns `plan` with the tail of the lowest of `threats` in its column, and that column.
    #[inline(always)]
    fn with_odd_tail(&self, plan: &Plan<S::Bits>, threats: S::Bits) -> (Plan<S::Bits>, S::Bits) {
        let lowest = threats.lowest();
        let column = self.shape.column(lowest / self.shape.stride());
        let closed = on_or_above(self.shape, S::Bits::bit(lowest));
        let own = self.plan(!rows_from_the_top(self.shape), closed);
        let merged = |outside: S::Bits, inside: S::Bits| (outside & !column) | (inside & column);
        let plan = Plan {
            rivals: merged(plan.rivals, own.rivals),
            controllers: merged(plan.controllers, own.controllers),
            tails: merged(plan.tails, own.tails),
            singles: merged(plan.singles, own.singles),
        };
        (plan, column)
    }

    /// Returns the bound of the plan with one more tail, of a threat in `odd`; `None` when it is
    /// below `needed`.
    #[inline(always)]
    fn bound_with_another(&self, plan: &Plan<S::Bits>, odd: S::Bits) -> Option<Score> {
        let mut odd = odd;
        while !odd.is_empty() {
            let (both, column) = self.with_odd_tail(plan, odd);
            odd &= !column;
            let bound = self.bound(&both);
            if bound.is_some() {
                return bound;
            }
        }
        None
    }

    /// Returns the bound of the plan; `None` when it is below `needed` or the rival is not stopped.
    #[inline(always)]
    fn bound(&self, plan: &Plan<S::Bits>) -> Option<Score> {
        let lines = Lines::within(self.shape, plan.controllers);
        let bound = self.bound_if_rival_stopped(plan, &lines);
        (bound >= self.needed && self.stops_rival(plan, &lines)).then_some(bound)
    }

    /// Returns the score of the controller if the rival completes no line.
    #[inline(always)]
    fn bound_if_rival_stopped(&self, plan: &Plan<S::Bits>, lines: &Lines<S::Bits>) -> Score {
        let plies = (self.empty & !plan.tails).count();
        match (lines.are_none(), plan.tails.is_empty()) {
            (true, true) => Score::DRAW,
            (true, false) => Score::win_in(plies + 2),
            (false, true) => Score::win_in(plies - lines.cells_above(self.shape)),
            (false, false) => Score::win_in(plies),
        }
    }

    /// Returns whether the rival completes no line in time.
    #[inline(always)]
    fn stops_rival(&self, plan: &Plan<S::Bits>, lines: &Lines<S::Bits>) -> bool {
        let rivals_win = |cells| Lines::within(self.shape, cells).any_free_of(self.shape, lines);
        if !rivals_win(plan.rivals) {
            return true;
        }
        // The controller moves first and chooses the single that it takes.
        let mut singles = if self.controller_moves { plan.singles } else { S::Bits::NONE };
        if singles.is_empty() || rivals_win(plan.rivals & !singles) {
            return false;
        }
        while !singles.is_empty() {
            let rest = singles.without_lowest();
            if !rivals_win(plan.rivals & !(singles ^ rest)) {
                return true;
            }
            singles = rest;
        }
        false
    }
}

/// The first cells of all lines within a set, by direction: the leftmost, or the lowest of vertical
/// lines.
struct Lines<B>([B; 4]);

impl<B: Bits> Lines<B> {
    #[inline(always)]
    fn within(shape: &impl Shape<Bits = B>, cells: B) -> Self {
        Self(runs::directions(shape).map(|step| runs::run_starts(cells, step, shape.connect())))
    }

    #[inline(always)]
    fn are_none(&self) -> bool {
        let [upright, falling, level, rising] = self.0;
        (upright | falling | level | rising).is_empty()
    }

    /// Returns whether one of these lines has no line of `lower` below it.
    #[inline(always)]
    fn any_free_of(&self, shape: &impl Shape<Bits = B>, lower: &Self) -> bool {
        let free = |direction: usize| self.0[direction] & !on_or_above(shape, lower.0[direction]);
        let free: [B; 4] = std::array::from_fn(free);
        !(free[0] | free[1] | free[2] | free[3]).is_empty()
    }

    /// Returns the number of cells above the highest cell of the lowest line.
    #[inline(always)]
    fn cells_above(&self, shape: &impl Shape<Bits = B>) -> u32 {
        let [upright, falling, level, rising] = self.0;
        let highest = level | falling | (upright | rising).up(shape.connect() - 1);
        let row = |row: &u32| highest.meets(shape.bottom().up(*row));
        (0..shape.height()).find(row).map_or(0, |row| shape.height() - 1 - row)
    }
}

/// Returns the top row and every second row below it.
#[inline(always)]
fn rows_from_the_top<S: Shape>(shape: &S) -> S::Bits {
    let odd = shape.odd_rows();
    if shape.height().is_multiple_of(2) { shape.board() ^ odd } else { odd }
}

/// Returns the lowest of `cells` in every column, and all cells above.
// In a column of height h with the number x > 0, 2^h - x has the bits of x up to its lowest one,
// and the inverted bits of x above.
#[inline(always)]
fn on_or_above<S: Shape>(shape: &S, cells: S::Bits) -> S::Bits {
    let guards = shape.bottom().up(shape.height());
    (guards.minus(cells) | cells) & shape.board()
}

#[cfg(test)]
mod tests {
    use super::super::eval::CfourEvaluator;
    use super::super::shape::AnySize;
    use super::*;
    use tengen_engine::{Evaluator, Notation};

    /// Returns the bounds of the mover and of the opponent.
    fn bounds_of(position: &str) -> [Score; 2] {
        let shape = AnySize::<u64>::new(4, 4, 4).unwrap();
        let board = Board::new(shape).read_position(position).unwrap();
        let mut threats = CfourEvaluator::new();
        threats.reset(&board);
        let theirs = parity_bound(&board, Controller::Opponent, threats.theirs, Score::DRAW);
        [parity_bound(&board, Controller::Mover, threats.own, Score::DRAW), theirs]
    }

    #[test]
    fn a_threat_on_an_even_row_wins_by_follow_up() {
        // The second player waits for d2. There are six cells outside column d; d1 and d2 come
        // last.
        assert_eq!(bounds_of("4/4/ppp1/PPp1 w"), [Score::LOWEST, Score::win_in(8)]);
        // The second player has the move and takes a4 first.
        assert_eq!(bounds_of("4/P3/ppp1/PPp1 b"), [Score::win_in(7), Score::LOWEST]);
    }

    #[test]
    fn a_threat_on_an_odd_row_needs_the_other_parity() {
        // The second player waits for d3; a4, b4, c4 and d1 are four singles.
        assert_eq!(bounds_of("4/ppp1/pPp1/PpP1 w"), [Score::LOWEST, Score::win_in(6)]);
        // With one more stone the number of singles is odd: the threat does not help, and follow-up
        // draws.
        assert_eq!(bounds_of("P3/ppp1/pPp1/PpP1 w")[1], Score::DRAW);
    }

    #[test]
    fn on_or_above_fills_columns_to_the_top() {
        let shape = AnySize::<u128>::new(16, 7, 4).unwrap();
        let cells = 1 << 2 | 1 << 4 | 1 << 126;
        assert_eq!(on_or_above(&shape, cells), 0b111_1100 | 1 << 126);
        assert_eq!(on_or_above(&shape, shape.bottom()), shape.board());
    }
}
