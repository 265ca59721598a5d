//! [`MoveBook`]: a file that answers in place of a search, such as a proof or a shelf of games.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use crate::clock::Instant;
use crate::game::score::Score;
use crate::host::backend::{Backend, Catalog, Event, Features, Go, Settings, Sink};
use crate::host::position::Position;
use crate::host::spec::GameSpec;
use crate::host::wrapper::CatalogWrapper;
use crate::search::control::Control;
use crate::search::evaluator::Term;
use crate::search::report::Answer;
use crate::search::table::TableHandle;
use crate::text::typed_move::Move;

/// A book that answers in place of a search as long as it has the position.
pub trait MoveBook: Sized + Send + 'static {
    /// Whether its answers are proven. They then answer a search without a limit or of several lines, too.
    const IS_PROVEN: bool;

    /// Returns the features of games that can open such books.
    fn features(inner: Features) -> Features;

    /// Opens `file` for the game that `spec` describes. Returns `None` if the file is of another kind: the search
    /// then opens the file.
    fn open(
        file: &Path,
        spec: &GameSpec,
        catalog: &'static dyn Catalog,
    ) -> Result<Option<Self>, Box<dyn Error>>;

    /// Says what the book has for its game.
    fn describe(&self) -> Result<String, Box<dyn Error>>;

    /// Returns the answer for a position; `None` if the position is to be searched. Notes for the user go to `sink`.
    fn answer(
        &mut self,
        position: &dyn Position,
        settings: &Settings,
        go: &Go,
        sink: &Sink,
    ) -> Option<Answer<Move>>;
}

/// Returns the book that a game begins with.
type FirstBook<B> = dyn Fn(&GameSpec) -> Option<B> + Send + Sync;

/// The games of a catalogue, with books of the kind `B`.
pub struct WithBooks<B> {
    catalog: &'static dyn Catalog,
    first: Option<Box<FirstBook<B>>>,
}

impl<B> WithBooks<B> {
    /// Adds books to the games of `catalog`.
    pub const fn new(catalog: &'static dyn Catalog) -> Self {
        Self { catalog, first: None }
    }

    /// Adds books to the games of `catalog`. Each game begins with the book that `first` returns for it.
    pub fn beginning_with(
        catalog: &'static dyn Catalog,
        first: impl Fn(&GameSpec) -> Option<B> + Send + Sync + 'static,
    ) -> Self {
        Self { catalog, first: Some(Box::new(first)) }
    }
}

impl<B: MoveBook> CatalogWrapper for WithBooks<B> {
    fn inner(&self) -> &dyn Catalog {
        self.catalog
    }

    fn features(&self) -> Features {
        B::features(self.catalog.features())
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        let catalog = self.catalog;
        let search = catalog.open(spec, settings, Arc::clone(&sink));
        let book = self.first.as_ref().and_then(|first| first(spec));
        Box::new(BookBackend { catalog, search, settings: *settings, book, sink })
    }
}

/// The search of a game, and the book that is asked before it.
struct BookBackend<B> {
    catalog: &'static dyn Catalog,
    search: Box<dyn Backend>,
    settings: Settings,
    book: Option<B>,
    /// Gets notes about the book.
    sink: Sink,
}

impl<B: MoveBook> Backend for BookBackend<B> {
    fn spec(&self) -> &GameSpec {
        self.search.spec()
    }

    fn configure(&mut self, settings: &Settings, sink: Sink) {
        self.settings = *settings;
        self.search.configure(settings, sink);
    }

    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        let book = file.map(|file| B::open(file, self.spec(), self.catalog)).transpose()?.flatten();
        // The book takes the place of another file, not that of the game's own book.
        self.search.open_book(file.filter(|_| book.is_none()))?;
        if let Some(book) = &book {
            (self.sink)(Event::Note(book.describe()?));
        }
        self.book = book;
        Ok(())
    }

    fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn Error>> {
        self.search.open_eval_file(file)
    }

    fn eval_source(&self) -> Option<String> {
        self.search.eval_source()
    }

    fn use_table(&mut self, table: TableHandle) {
        self.search.use_table(table);
    }

    fn clear_hash(&mut self) {
        self.search.clear_hash();
    }

    fn evaluate(&self, position: &dyn Position) -> Option<(Score, Vec<Term>)> {
        self.search.evaluate(position)
    }

    fn go(&mut self, position: &dyn Position, go: Go, sink: Sink) -> Control {
        let settings = &self.settings;
        let book = self.book.as_mut().filter(|_| is_asked::<B>(settings, &go));
        match book.and_then(|book| book.answer(position, settings, &go, &sink)) {
            None => self.search.go(position, go, sink),
            Some(answer) => {
                sink(Event::Answer(answer));
                Control::new(Arc::default())
            }
        }
    }

    fn perft(
        &mut self,
        position: &dyn Position,
        depth: u32,
        received: Instant,
        sink: Sink,
    ) -> Control {
        self.search.perft(position, depth, received, sink)
    }

    fn ready(&mut self, sink: Sink) -> bool {
        self.search.ready(sink)
    }
}

/// Returns whether a book may answer: all moves are allowed, without a depth. A book without proofs answers only searches
/// of one line that end by themselves.
fn is_asked<B: MoveBook>(settings: &Settings, go: &Go) -> bool {
    let limits = &go.limits;
    settings.own_book
        && limits.depth.is_none()
        && limits.mate.is_none()
        && limits.proof.is_none()
        && go.search_moves.is_empty()
        && (B::IS_PROVEN || (settings.multi_pv == 1 && !limits.is_open_ended()))
}
