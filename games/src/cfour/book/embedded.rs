//! The book in the program, a book that the program gets later, and book files that replace it.

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tengen_engine::{BookSource, OpeningBook, Probe};

use super::super::shape::{Classic, Shape};
use super::super::{Board, Drop};
use super::file::load_for;
use super::format::BookError;
use super::in_memory::Book;

/// A book in the program, read when a game first needs it.
#[derive(Debug)]
pub struct EmbeddedBook<S: Shape> {
    shape: S,
    /// `None` in a build without the book.
    bytes: Option<&'static [u8]>,
    /// `None` if the bytes are not a book for this board.
    book: OnceLock<Option<Arc<Book<S>>>>,
}

/// The book of four in a row on 7x6.
#[cfg(feature = "book")]
pub static CLASSIC: EmbeddedBook<Classic> =
    EmbeddedBook::new(Classic, include_bytes!("../../../books/cfour.book"));
/// The book of four in a row on 7x6, if the program provides it.
#[cfg(not(feature = "book"))]
pub static CLASSIC: EmbeddedBook<Classic> = EmbeddedBook::absent(Classic);

/// The error message of a build without an opening book.
const NO_OWN_BOOK: &str = "this build has no opening book; one can be opened from a file";

impl<S: Shape> EmbeddedBook<S> {
    /// Creates a source of the book in `bytes`, which are read later.
    pub const fn new(shape: S, bytes: &'static [u8]) -> Self {
        Self { shape, bytes: Some(bytes), book: OnceLock::new() }
    }

    /// Creates a source without a book. [`provide`](Self::provide) brings one.
    pub const fn absent(shape: S) -> Self {
        Self { shape, bytes: None, book: OnceLock::new() }
    }

    /// Returns the book; `None` in a build without it, and when its bytes are not a book for this
    /// board.
    pub fn book(&self) -> Option<&Arc<Book<S>>> {
        match (self.book.get(), self.bytes) {
            (None, Some(bytes)) => {
                let read = || Book::read(self.shape, bytes).ok().map(Arc::new);
                self.book.get_or_init(read).as_ref()
            }
            (book, _) => book?.as_ref(),
        }
    }

    /// Makes `bytes` the own book of a build without one. Searches use it in games that are opened
    /// from now on. If there is a book, it stays.
    pub fn provide(&self, bytes: Vec<u8>) -> Result<(), BookError> {
        let book = Book::read(self.shape, bytes)?;
        self.book.get_or_init(|| Some(Arc::new(book)));
        Ok(())
    }
}

impl<S: Shape> BookSource<Board<S>> for EmbeddedBook<S> {
    fn has_own(&self) -> bool {
        self.bytes.is_some() || self.book.get().is_some()
    }

    fn open(&self, file: Option<&Path>) -> Result<Arc<dyn OpeningBook<Board<S>>>, Box<dyn Error>> {
        match file {
            Some(file) => Ok(Arc::new(Book::read(self.shape, load_for(self.shape, file)?)?)),
            None if !self.has_own() => Err(NO_OWN_BOOK.into()),
            None => Ok(self.book().ok_or("the program's own book is damaged")?.clone()),
        }
    }
}

impl<S: Shape> OpeningBook<Board<S>> for Book<S> {
    fn plies_left(&self) -> u32 {
        self.shape().cells().saturating_sub(self.plies())
    }

    fn probe(&self, board: &Board<S>) -> Option<Probe<Drop>> {
        Some(Probe { score: self.score(board)?, line: self.best(board).into_iter().collect() })
    }
}
