//! [`Booked`]: the judgement of [`Threats`] with a book at hand.

use std::error::Error;
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

use tengen_engine::Probe;
use tengen_engine::search::{Context, Stopped};
use tengen_engine::{Coverage, Evaluator, Schedule, Score, Term, Window};

use super::super::bits::Bits;
use super::super::shape::{Classic, Shape};
use super::super::{Board, Drop, Threats};
use super::format::PLIES_AT;
use super::{Book, LoadError, load_for};

/// A book that the program brings with it, read when a game first needs it; and those that were
/// opened in its place.
#[derive(Debug)]
pub struct Shelf<S: Shape> {
    shape: S,
    bytes: &'static [u8],
    /// How many plies the book says it reaches.
    plies: u32,
    /// `None` once it was found to be no book for this board.
    book: OnceLock<Option<Book<S>>>,
    /// They stay: searches hold them by reference.
    others: Mutex<Vec<&'static Self>>,
}

/// The book of four in a row on 7x6.
pub static CLASSIC: Shelf<Classic> =
    Shelf::new(Classic, include_bytes!("../../../books/cfour.book"));

impl<S: Shape> Shelf<S> {
    /// The book in `bytes`, unread.
    pub const fn new(shape: S, bytes: &'static [u8]) -> Self {
        let plies = if bytes.len() > PLIES_AT { bytes[PLIES_AT] as u32 } else { 0 };
        Self { shape, bytes, plies, book: OnceLock::new(), others: Mutex::new(Vec::new()) }
    }

    /// The book in `file`, for the same board.
    fn other(&self, file: &Path) -> Result<&'static Self, LoadError> {
        let book = Book::read(self.shape, load_for(self.shape, file)?)?;
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = others.iter().find(|other| other.book() == Some(&book)) {
            return Ok(known);
        }
        let other = Self { plies: book.plies(), ..Self::new(self.shape, &[]) };
        let other: &Self = Box::leak(Box::new(Self { book: Some(book).into(), ..other }));
        others.push(other);
        Ok(other)
    }

    /// The book; `None` when the bytes are no book for this board.
    pub fn book(&self) -> Option<&Book<S>> {
        self.book.get_or_init(|| Book::read(self.shape, self.bytes).ok()).as_ref()
    }

    #[cold]
    fn look_up(&self, board: &Board<S>) -> Option<Probe<Drop>> {
        let book = self.book()?;
        Some(Probe { score: book.score(board)?, line: book.best(board).into_iter().collect() })
    }
}

/// [`Threats`], and the scores of a book where it has them.
#[derive(Clone, Copy, Debug)]
pub struct Booked<S: Shape> {
    threats: Threats<S>,
    /// The book that comes with the program.
    own: &'static Shelf<S>,
    /// `None` when the book is closed.
    shelf: Option<&'static Shelf<S>>,
}

impl<S: Shape> Booked<S> {
    /// An evaluator with this book; [`reset`](Evaluator::reset) it before use. The book is read
    /// now, so that no search has to wait for it.
    pub fn new(shelf: &'static Shelf<S>) -> Self {
        shelf.book();
        Self { threats: Threats::new(), own: shelf, shelf: Some(shelf) }
    }
}

impl<S: Shape> Evaluator<Board<S>> for Booked<S> {
    type Undo = Threats<S>;

    #[inline(always)]
    fn exact(&self) -> bool {
        self.threats.exact()
    }

    fn schedule(&self) -> Schedule {
        self.threats.schedule()
    }

    fn without_book(self) -> Self {
        Self { shelf: None, ..self }
    }

    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        let shelf = file.map_or(Ok(self.own), |file| self.own.other(file))?;
        shelf.book();
        self.shelf = Some(shelf);
        Ok(())
    }

    fn reset(&mut self, board: &Board<S>) {
        self.threats.reset(board);
    }

    #[inline]
    fn played(&mut self, board: &Board<S>, mv: Drop) -> Threats<S> {
        self.threats.played(board, mv)
    }

    #[inline]
    fn undone(&mut self, board: &Board<S>, mv: Drop, undo: Threats<S>) {
        self.threats.undone(board, mv, undo);
    }

    #[inline]
    fn evaluate(&mut self, board: &Board<S>) -> Score {
        self.threats.evaluate(board)
    }

    #[inline(always)]
    fn bounds(&self, board: &Board<S>, wanted: Window) -> (Score, Score) {
        self.threats.bounds(board, wanted)
    }

    #[inline(always)]
    fn only_move(&self, board: &Board<S>) -> Option<Drop> {
        self.threats.only_move(board)
    }

    #[inline]
    fn candidates(&self, board: &Board<S>, out: &mut Vec<Drop>) -> Coverage {
        self.threats.candidates(board, out)
    }

    #[inline]
    fn rank(&self, board: &Board<S>, mv: Drop) -> i32 {
        self.threats.rank(board, mv)
    }

    #[inline]
    fn rank_played(&self, before: &Board<S>, board: &Board<S>, asks_ends: bool) -> i32 {
        self.threats.rank_played(before, board, asks_ends)
    }

    #[inline(always)]
    fn probe(
        &mut self,
        board: &Board<S>,
        _window: Window,
        _ctx: &mut Context,
    ) -> Result<Option<Probe<Drop>>, Stopped> {
        let reaches = |shelf: &&Shelf<S>| board.all.count() <= shelf.plies;
        Ok(self.shelf.filter(reaches).and_then(|shelf| shelf.look_up(board)))
    }

    fn terms(&mut self, board: &Board<S>) -> Vec<Term> {
        self.threats.terms(board)
    }
}
