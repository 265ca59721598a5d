//! The book in the program, and book files that replace it.

use std::error::Error;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use tengen_engine::{BookSource, OpeningBook, Probe};

use super::super::shape::{Classic, Shape};
use super::super::{Board, Drop};
use super::file::load_for;
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
pub static CLASSIC: EmbeddedBook<Classic> = EmbeddedBook {
    shape: Classic,
    #[cfg(feature = "book")]
    bytes: Some(include_bytes!("../../../books/cfour.book")),
    #[cfg(not(feature = "book"))]
    bytes: None,
    book: OnceLock::new(),
};

/// The error message of a build without an opening book.
const NO_OWN_BOOK: &str = "this build has no opening book; one can be opened from a file";

impl<S: Shape> EmbeddedBook<S> {
    /// Creates a source of the book in `bytes`, which are read later.
    pub const fn new(shape: S, bytes: &'static [u8]) -> Self {
        Self { shape, bytes: Some(bytes), book: OnceLock::new() }
    }

    /// Returns the book; `None` in a build without it, and when its bytes are not a book for this
    /// board.
    pub fn book(&self) -> Option<&Arc<Book<S>>> {
        let read = || Book::read(self.shape, self.bytes?).ok().map(Arc::new);
        self.book.get_or_init(read).as_ref()
    }
}

impl<S: Shape> BookSource<Board<S>> for EmbeddedBook<S> {
    fn has_own(&self) -> bool {
        self.bytes.is_some()
    }

    fn open(&self, file: Option<&Path>) -> Result<Arc<dyn OpeningBook<Board<S>>>, Box<dyn Error>> {
        match file {
            Some(file) => Ok(Arc::new(Book::read(self.shape, load_for(self.shape, file)?)?)),
            None if self.bytes.is_none() => Err(NO_OWN_BOOK.into()),
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
