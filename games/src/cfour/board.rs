//! The rules of four in a row on bitboards, without evaluation.

use tengen_engine::{Game, Outcome, Side};

use super::bits::Bits;
use super::runs;
use super::shape::Shape;

/// A position of four in a row. With `MISERE` the side that completes a line loses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Board<S: Shape, const MISERE: bool = false> {
    pub(super) shape: S,
    /// The stones of the side to move.
    pub(super) own: S::Bits,
    /// All stones. A column is filled from the bottom, without gaps.
    pub(super) all: S::Bits,
    pub(super) turn: Side,
    pub(super) state: State,
}

/// The state of the game, in one byte because positions are copied often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    Open,
    /// This side has a line.
    Line(Side),
    Drawn,
}

/// A move: the index of the bit where the stone comes to rest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Drop(pub(super) u8);

impl Drop {
    #[inline(always)]
    pub(super) fn stone<B: Bits>(self) -> B {
        B::bit(u32::from(self.0))
    }

    /// Returns the move on the lowest of `cells`, which must not be empty.
    #[inline(always)]
    pub(super) fn lowest<B: Bits>(cells: B) -> Self {
        debug_assert!(!cells.is_empty());
        Self(cells.lowest() as u8)
    }

    /// Returns the move on `cells` if there is only one.
    #[inline(always)]
    pub(super) fn only<B: Bits>(cells: B) -> Option<Self> {
        let is_one = !cells.is_empty() && cells.without_lowest().is_empty();
        is_one.then(|| Self::lowest(cells))
    }
}

impl<S: Shape> Board<S> {
    /// Returns the empty board.
    pub fn new(shape: S) -> Self {
        Self::without_stones(shape)
    }
}

impl<S: Shape, const MISERE: bool> Board<S, MISERE> {
    pub(super) fn without_stones(shape: S) -> Self {
        let none = S::Bits::NONE;
        Self { shape, own: none, all: none, turn: Side::First, state: State::Open }
    }

    /// Returns the shape: the size of the board and the length of a line.
    #[inline(always)]
    pub fn shape(&self) -> &S {
        &self.shape
    }

    /// Returns the stones of the side to move.
    #[inline(always)]
    pub fn own(&self) -> S::Bits {
        self.own
    }

    /// Returns the stones of the opponent.
    #[inline(always)]
    pub fn theirs(&self) -> S::Bits {
        self.all ^ self.own
    }

    /// Returns the cells without a stone.
    #[inline(always)]
    pub fn empty(&self) -> S::Bits {
        self.shape.board() ^ self.all
    }

    /// Returns the lowest empty cell of every column that is not full.
    #[inline(always)]
    pub fn playable(&self) -> S::Bits {
        self.all.plus(self.shape.bottom()) & self.shape.board()
    }

    /// Returns the position with the stones `own` of `turn`, the side to move, and `theirs` of its
    /// opponent; `None` when both sides have a line.
    pub(super) fn from_stones(shape: S, own: S::Bits, theirs: S::Bits, turn: Side) -> Option<Self> {
        let all = own | theirs;
        let state = match (runs::has_line(&shape, own), runs::has_line(&shape, theirs)) {
            (true, true) => return None,
            (true, false) => State::Line(turn),
            (false, true) => State::Line(turn.other()),
            (false, false) if all == shape.board() => State::Drawn,
            (false, false) => State::Open,
        };
        Some(Self { shape, own, all, turn, state })
    }

    /// Returns the code of the position: own and all stones in one word, unique to the position.
    // A column of n stones has 2^n - 1 in `all` and at most as much in `own`. Their sum is at least
    // 2^n - 1 and at most 2^(n+1) - 2, so it determines n and both words. It fits in the column and
    // its guard bit.
    // CITE: Pascal Pons, http://blog.gamesolver.org/solving-connect-four/06-bitboard/
    #[inline(always)]
    pub(super) fn code(&self) -> S::Bits {
        self.own.plus(self.all)
    }

    /// Returns the lower [code](Self::code) of this position and its mirror image.
    #[inline(always)]
    pub(super) fn canonical_code(&self) -> S::Bits {
        let code = self.code();
        code.min(self.shape.mirror(code))
    }

    /// Returns the position of a [code](Self::code). It must be reachable from the empty board and
    /// not over.
    pub(super) fn from_code(shape: S, code: S::Bits) -> Self {
        let (mut own, mut all) = (S::Bits::NONE, S::Bits::NONE);
        for column in 0..shape.width() {
            let from = shape.stride() * column;
            let word = (code & shape.guarded_column(column)).down(from);
            // The sum plus one has its highest bit just above the stones.
            let above = word.plus(S::Bits::ONE);
            let full = |stones: u32| S::Bits::bit(stones).minus(S::Bits::ONE);
            let is_lower = |stones: &u32| !above.down(*stones).is_empty();
            let stones = full((0..=shape.height()).rev().find(is_lower).unwrap_or(0));
            own |= word.minus(stones).up(from);
            all |= stones.up(from);
        }
        let turn = if all.count().is_multiple_of(2) { Side::First } else { Side::Second };
        Self { shape, own, all, turn, state: State::Open }
    }

    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.state != State::Open
    }

    #[inline(always)]
    pub(super) fn column_of(&self, mv: Drop) -> u32 {
        u32::from(mv.0) / self.shape.stride()
    }

    pub(super) fn row_of(&self, mv: Drop) -> u32 {
        u32::from(mv.0) % self.shape.stride()
    }

    /// Returns the move in `column`, from 0; `None` when the column is full.
    pub(super) fn move_in(&self, column: u32) -> Option<Drop> {
        let cell = self.playable() & self.shape.column(column);
        (!cell.is_empty()).then(|| Drop::lowest(cell))
    }
}

/// Whether the left and right of a position are exchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mirrored(pub(super) bool);

impl<S: Shape, const MISERE: bool> Game for Board<S, MISERE> {
    type Move = Drop;
    type Undo = ();
    type Symmetry = Mirrored;

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = if MISERE { (1, 2) } else { (2, 1) };

    #[inline(always)]
    fn turn(&self) -> Side {
        self.turn
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        match self.state {
            State::Open => None,
            State::Line(side) => Some(Outcome::Win(if MISERE { side.other() } else { side })),
            State::Drawn => Some(Outcome::Draw),
        }
    }

    fn moves(&self, out: &mut Vec<Drop>) {
        if self.is_over() {
            return;
        }
        let mut cells = self.playable();
        while !cells.is_empty() {
            out.push(Drop::lowest(cells));
            cells = cells.without_lowest();
        }
    }

    #[inline]
    fn play(&mut self, mv: Drop) {
        let stone = mv.stone();
        debug_assert!(!self.is_over() && self.playable().meets(stone));
        let mover = self.own | stone;
        self.own ^= self.all;
        self.all |= stone;
        if runs::has_line(&self.shape, mover) {
            self.state = State::Line(self.turn);
        } else if self.all == self.shape.board() {
            self.state = State::Drawn;
        }
        self.turn = self.turn.other();
    }

    #[inline]
    fn undo(&mut self, mv: Drop, (): ()) {
        self.all ^= mv.stone();
        self.own ^= self.all;
        self.turn = self.turn.other();
        self.state = State::Open;
    }

    #[inline]
    fn plies_left(&self) -> u32 {
        if self.is_over() { 0 } else { self.empty().count() }
    }

    #[inline]
    fn key(&self) -> (u64, Mirrored) {
        let code = self.code();
        let mirror = self.shape.mirror(code);
        (code.min(mirror).mixed(), Mirrored(mirror < code))
    }

    #[inline]
    fn pack(&self, mv: Drop, mirrored: Mirrored) -> u32 {
        let column = self.column_of(mv);
        if mirrored.0 { self.shape.width() - 1 - column } else { column }
    }

    #[inline]
    fn unpack(&self, code: u32, mirrored: Mirrored) -> Option<Drop> {
        if code >= self.shape.width() || self.is_over() {
            return None;
        }
        self.move_in(if mirrored.0 { self.shape.width() - 1 - code } else { code })
    }

    fn history_slots(&self) -> usize {
        (self.shape.width() * self.shape.stride()) as usize
    }

    #[inline]
    fn history_slot(&self, mv: Drop) -> usize {
        usize::from(mv.0)
    }
}
