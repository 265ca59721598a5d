//! The plain m,n,k board, with or without gravity. Its simple rules are the reference that tests
//! compare the fast boards with.
//!
//! [`MnkEvaluator`] evaluates it.

mod eval;
mod standing;
mod tables;
pub(crate) mod variants;

use tengen_engine::grid_game::GridGame;
use tengen_engine::{Cell, Game, Grid, GridNotation, Outcome, Placement, Point, Side};
use thiserror::Error;

use tengen_engine::hash::mix64;

pub use eval::MnkEvaluator;

/// The four directions of a line, as columns and rows per step.
pub(crate) const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

const SECOND_TO_MOVE: u64 = mix64(u64::MAX);

/// The rules: `connect` in a row on a board of `grid`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    grid: Grid,
    connect: u32,
    falls: bool,
    overline: bool,
}

/// The error when a number is out of the range of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The width or the height is out of range.
    #[error("a board of {0}x{1} cells: each side must be from 1 to {max}", max = Grid::MAX_SIDE)]
    Size(u32, u32),
    /// The length of a line is out of range.
    #[error("{0} in a row: it must be from 1 to {max}", max = Grid::MAX_SIDE)]
    Connect(u32),
}

impl Rules {
    /// Creates rules on a `width` by `height` board, each from 1 to 26. The first line of `connect`
    /// (1 to 26) stones wins. A longer line wins only with `overline`. With `falls`, a stone drops
    /// to the lowest empty cell of its column.
    pub fn new(
        width: u32,
        height: u32,
        connect: u32,
        falls: bool,
        overline: bool,
    ) -> Result<Self, RulesError> {
        let grid = Grid::new(width, height).ok_or(RulesError::Size(width, height))?;
        if !(1..=Grid::MAX_SIDE).contains(&connect) {
            return Err(RulesError::Connect(connect));
        }
        Ok(Self { grid, connect, falls, overline })
    }

    /// Returns the board.
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// Returns the number of stones in a row that wins.
    pub fn connect(&self) -> u32 {
        self.connect
    }

    /// Returns whether stones fall.
    pub fn falls(&self) -> bool {
        self.falls
    }

    /// Returns whether a line of more than [`connect`](Self::connect) stones wins too.
    pub fn overline(&self) -> bool {
        self.overline
    }

    fn is_winning_run(&self, length: u32) -> bool {
        length == self.connect || (self.overline && length > self.connect)
    }
}

/// A position of an m,n,k game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mnk {
    rules: Rules,
    stones: Vec<Option<Side>>,
    turn: Side,
    empties: u32,
    hash: u64,
    outcome: Option<Outcome>,
}

impl Mnk {
    /// Returns the empty board.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            stones: vec![None; rules.grid.cells()],
            turn: Side::First,
            empties: rules.grid.cells() as u32,
            hash: 0,
            outcome: None,
        }
    }

    /// Returns the rules.
    pub fn ruleset(&self) -> &Rules {
        &self.rules
    }

    /// Returns the side that has a stone on `cell`; `None` when the cell is empty.
    pub fn stone(&self, cell: Cell) -> Option<Side> {
        self.stones[cell.index()]
    }

    /// Returns whether a stone can be put on `cell`: it is empty and, where stones fall, supported.
    pub fn is_playable(&self, cell: Cell) -> bool {
        self.stone(cell).is_none() && (!self.rules.falls || self.is_supported(cell))
    }

    /// Returns whether a stone of `side` on the empty `cell` makes a winning line, playable or not.
    pub fn completes(&self, cell: Cell, side: Side) -> bool {
        DIRECTIONS.iter().any(|&(across, up)| {
            let ahead = self.stones_beyond(cell, (across, up), side);
            let behind = self.stones_beyond(cell, (-across, -up), side);
            self.rules.is_winning_run(ahead + 1 + behind)
        })
    }

    fn is_supported(&self, cell: Cell) -> bool {
        self.rules.grid.below(cell).is_none_or(|below| self.stone(below).is_some())
    }

    /// Returns the number of stones of `side` in an unbroken row beyond `cell`.
    fn stones_beyond(&self, cell: Cell, direction: (i32, i32), side: Side) -> u32 {
        let mut length = 0;
        let mut at = cell;
        while let Some(next) = self.rules.grid.step(at, direction, 1)
            && self.stone(next) == Some(side)
        {
            at = next;
            length += 1;
        }
        length
    }

    /// Returns the outcome of a position that was set up; the outer `None` when both sides have
    /// won.
    fn scanned_outcome(&self) -> Option<Option<Outcome>> {
        let has_won = |side| {
            let mut own = self.rules.grid.all().filter(|&cell| self.stone(cell) == Some(side));
            own.any(|cell| self.completes(cell, side))
        };
        match (has_won(Side::First), has_won(Side::Second)) {
            (true, true) => None,
            (true, false) => Some(Some(Outcome::Win(Side::First))),
            (false, true) => Some(Some(Outcome::Win(Side::Second))),
            (false, false) if self.empties == 0 => Some(Some(Outcome::Draw)),
            (false, false) => Some(None),
        }
    }

    fn put(&mut self, cell: Cell, side: Side) {
        self.stones[cell.index()] = Some(side);
        self.empties -= 1;
        self.hash ^= stone_hash(cell, side);
    }
}

/// Returns a fixed pseudo-random number for a stone of `side` on `cell`.
fn stone_hash(cell: Cell, side: Side) -> u64 {
    mix64(2 * cell.index() as u64 + side.index() as u64)
}

impl Game for Mnk {
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
            out.extend(self.rules.grid.all().filter(|&cell| self.is_playable(cell)));
        }
    }

    fn play(&mut self, mv: Cell) {
        debug_assert!(self.outcome.is_none() && self.is_playable(mv));
        let side = self.turn;
        self.put(mv, side);
        self.turn = side.other();
        self.outcome = if self.completes(mv, side) {
            Some(Outcome::Win(side))
        } else if self.empties == 0 {
            Some(Outcome::Draw)
        } else {
            None
        };
    }

    fn undo(&mut self, mv: Cell, (): ()) {
        let side = self.turn.other();
        self.stones[mv.index()] = None;
        self.empties += 1;
        self.hash ^= stone_hash(mv, side);
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
        let cell = self.rules.grid.at(code as usize)?;
        (self.outcome.is_none() && self.is_playable(cell)).then_some(cell)
    }

    fn history_slots(&self) -> usize {
        self.rules.grid.cells()
    }

    fn history_slot(&self, mv: Cell) -> usize {
        mv.index()
    }
}

impl GridGame for Mnk {
    fn layout(&self) -> GridNotation {
        GridNotation::new(self.rules.grid, self.rules.falls)
    }

    fn describe(&self) -> String {
        self.layout().line_rules(self.rules.connect, self.rules.overline)
    }

    fn stone_at(&self, at: Point) -> Option<Side> {
        self.stone(self.move_at(at))
    }

    fn move_at(&self, at: Point) -> Cell {
        self.rules.grid.cell(at.column, at.row)
    }

    fn point_of(&self, mv: Cell) -> Point {
        self.rules.grid.point(mv)
    }

    fn with(&self, placement: &Placement) -> Option<Self> {
        let mut game = Self::new(self.rules);
        for cell in self.rules.grid.all() {
            if let Some(side) = placement.stones[cell.index()] {
                game.put(cell, side);
            }
        }
        game.turn = placement.turn;
        game.outcome = game.scanned_outcome()?;
        Some(game)
    }
}
