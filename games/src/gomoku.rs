//! Five in a row by five rules, on boards of 5 to 22 cells a side.
//!
//! [`Board`] has the rules, [`GomokuEvaluator`] the evaluation.

mod eval;
pub mod features;
mod notation;
mod pattern;
mod rule;
mod rule_names;
mod solver;
mod solver_memory;
pub(crate) mod threats;
pub(crate) mod variants;

use std::ops::RangeInclusive;

use tengen_engine::hash::mix64;
use tengen_engine::{Cell, Game, Grid, Outcome, Side};

use pattern::forbidden::{self, may_be_forbidden};
use pattern::lines::{Lines, SIDES, Setting};

pub use eval::GomokuEvaluator;
pub use eval::eval_file::{EvalFile, EvalFileError, WeightScope};
pub use eval::side_weights::SideWeights;
pub use pattern::Class;
pub use pattern::forbidden::Forbidden;
pub use rule::Rule;
pub use solver::vcf::SolverResult;
pub use solver::vct::VctLimits;
pub use solver_memory::scope::VcfScope;

const SECOND_TO_MOVE: u64 = mix64(u64::MAX);

/// A position of five in a row.
#[derive(Clone, Debug)]
pub struct Board {
    lines: Lines,
    turn: Side,
    empties: u32,
    hash: u64,
    outcome: Option<Outcome>,
}

impl Board {
    /// The range of the width and of the height of a board, in cells.
    pub const SIDES: RangeInclusive<u32> = SIDES;

    /// Returns the empty board of `width` by `height` cells; `None` when a side is not from 5 to
    /// 22.
    pub fn new(rule: Rule, width: u32, height: u32) -> Option<Self> {
        if !SIDES.contains(&width) || !SIDES.contains(&height) {
            return None;
        }
        Some(Self::empty(Setting::of(rule, Grid::new(width, height)?)))
    }

    fn empty(setting: &'static Setting) -> Self {
        Self {
            lines: Lines::new(setting),
            turn: Side::First,
            empties: setting.grid.cells() as u32,
            hash: 0,
            outcome: None,
        }
    }

    fn setting(&self) -> &'static Setting {
        self.lines.setting
    }

    /// Returns the rule.
    pub fn rule(&self) -> Rule {
        self.setting().rule
    }

    /// Returns the size of the board.
    pub fn grid(&self) -> Grid {
        self.setting().grid
    }

    /// Returns the side that has a stone on `cell`; `None` when the cell is empty.
    pub fn stone(&self, cell: Cell) -> Option<Side> {
        self.lines.stone(cell)
    }

    /// Returns the classes of a stone of `side` on `cell` in its row, column, rising and falling
    /// diagonal. The stone may be there already.
    pub fn classes(&self, cell: Cell, side: Side) -> [Class; 4] {
        self.lines.classes(cell, side)
    }

    /// Returns why the empty `cell` is forbidden to the first player; `None` when it is not. Only
    /// renju has forbidden cells.
    pub fn forbidden(&self, cell: Cell) -> Option<Forbidden> {
        if !self.rule().forbids(Side::First) {
            return None;
        }
        forbidden::forbidden(&self.lines, cell, &mut |_| ())
    }

    /// Returns every point that is forbidden to the first player, for either side to move, also
    /// after the end of the game.
    pub fn forbidden_points(&self) -> impl Iterator<Item = (Cell, Forbidden)> + '_ {
        let cells = self.grid().all().filter(|&cell| self.stone(cell).is_none());
        cells.filter_map(|cell| Some((cell, self.forbidden(cell)?)))
    }

    /// Returns whether the side to move may play on `cell`, if the game is not over.
    pub fn is_allowed(&self, cell: Cell) -> bool {
        self.stone(cell).is_none() && !(self.turn == Side::First && self.forbidden(cell).is_some())
    }

    /// Returns the position with the other side to move, as after a pass.
    fn passed(&self) -> Self {
        Self { turn: self.turn.other(), ..self.clone() }
    }

    /// Returns the key of the position after `mv`.
    fn key_after(&self, mv: Cell) -> u64 {
        let (key, ()) = self.key();
        key ^ SECOND_TO_MOVE ^ mix64(2 * mv.index() as u64 + self.turn.index() as u64)
    }

    fn toggle(&mut self, cell: Cell, side: Side) {
        self.lines.toggle(cell, side);
        self.hash ^= mix64(2 * cell.index() as u64 + side.index() as u64);
    }

    /// Puts a stone of `side` on `cell`, for either side to move.
    fn put(&mut self, cell: Cell, side: Side) {
        self.toggle(cell, side);
        self.empties -= 1;
    }

    /// Returns the outcome after a move that neither wins nor is forbidden.
    fn drawn(&self) -> Option<Outcome> {
        let has_no_move = || {
            self.rule().forbids(self.turn) && !self.grid().all().any(|cell| self.is_allowed(cell))
        };
        (self.empties == 0 || has_no_move()).then_some(Outcome::Draw)
    }

    /// Returns the outcome of a position that was set up; the outer `None` when both sides have
    /// won.
    fn scanned_outcome(&self) -> Option<Option<Outcome>> {
        let has = |side: Side, class: Class| {
            let mut own = self.grid().all().filter(|&cell| self.stone(cell) == Some(side));
            own.any(|cell| self.classes(cell, side).contains(&class))
        };
        match (has(Side::First, Class::Five), has(Side::Second, Class::Five)) {
            (true, true) => None,
            (true, false) => Some(Some(Outcome::Win(Side::First))),
            (false, true) => Some(Some(Outcome::Win(Side::Second))),
            // An overline of the first player lost the game when it was made.
            (false, false) if self.turn == Side::Second && has(Side::First, Class::Overline) => {
                Some(Some(Outcome::Win(Side::Second)))
            }
            (false, false) => Some(self.drawn()),
        }
    }
}

impl Game for Board {
    type Move = Cell;
    type Undo = ();
    type Symmetry = ();

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = (2, 1);

    fn turn(&self) -> Side {
        self.turn
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn moves(&self, out: &mut Vec<Cell>) {
        if self.outcome.is_none() {
            out.extend(self.grid().all().filter(|&cell| self.is_allowed(cell)));
        }
    }

    /// Plays on an empty cell. A forbidden cell is not a legal move but can be played: the opponent
    /// then wins.
    fn play(&mut self, mv: Cell) {
        debug_assert!(self.outcome.is_none() && self.stone(mv).is_none());
        let side = self.turn;
        let wins =
            self.lines.may_make_five(mv, side) && self.classes(mv, side).contains(&Class::Five);
        let loses = self.rule().forbids(side)
            && may_be_forbidden(&self.classes(mv, side))
            && self.forbidden(mv).is_some();
        self.put(mv, side);
        self.turn = side.other();
        self.outcome = match (wins, loses) {
            (true, _) => Some(Outcome::Win(side)),
            (_, true) => Some(Outcome::Win(side.other())),
            _ => self.drawn(),
        };
    }

    fn undo(&mut self, mv: Cell, (): ()) {
        let side = self.turn.other();
        self.toggle(mv, side);
        self.empties += 1;
        self.turn = side;
        self.outcome = None;
    }

    fn plies_left(&self) -> u32 {
        if self.outcome.is_some() { 0 } else { self.empties }
    }

    fn key(&self) -> (u64, ()) {
        match self.turn {
            Side::First => (self.hash, ()),
            Side::Second => (self.hash ^ SECOND_TO_MOVE, ()),
        }
    }

    fn pack(&self, mv: Cell, (): ()) -> u32 {
        mv.index() as u32
    }

    fn unpack(&self, code: u32, (): ()) -> Option<Cell> {
        let cell = self.grid().at(code as usize)?;
        (self.outcome.is_none() && self.is_allowed(cell)).then_some(cell)
    }

    fn history_slots(&self) -> usize {
        self.grid().cells()
    }

    fn history_slot(&self, mv: Cell) -> usize {
        mv.index()
    }
}

#[cfg(test)]
mod tests;
