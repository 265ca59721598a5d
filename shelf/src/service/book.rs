//! A shelf as an opening book: the engine plays moves from its games and values.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tengen_engine::backend::{Backend, BookChoice, Catalog, Event, Features, Go, Settings, Sink};
use tengen_engine::table::TableHandle;
use tengen_engine::wrapper::CatalogWrapper;
use tengen_engine::{Answer, Control, GameSpec, Move, Position, Score, Term};
use tengen_protocol::explorer::LOOKUP_TIME;

use crate::{Error, ExploredMove, Filter, PositionAsked, Ruleset, Shelf, Value, explore};

/// The first bytes of every file of SQLite.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The games of a catalogue, with shelves as books.
#[derive(Clone, Copy)]
pub struct WithShelves(pub &'static dyn Catalog);

impl CatalogWrapper for WithShelves {
    fn inner(&self) -> &dyn Catalog {
        self.0
    }

    fn features(&self) -> Features {
        Features { game_books: true, ..self.0.features() }
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        let search = self.0.open(spec, settings, Arc::clone(&sink));
        let catalog = self.0;
        Box::new(BookBackend { catalog, search, settings: *settings, book: None, sink })
    }
}

/// The search of a game, which answers from a shelf as long as the shelf has a move.
struct BookBackend {
    catalog: &'static dyn Catalog,
    search: Box<dyn Backend>,
    settings: Settings,
    book: Option<Book>,
    /// Gets notes about the book.
    sink: Sink,
}

/// A shelf that the client chose as its book.
struct Book {
    shelf: Shelf,
    ruleset: Arc<Ruleset>,
    /// The name of its file.
    name: String,
    /// Whether the client was told that the last position is not in the book.
    is_left: bool,
}

impl Backend for BookBackend {
    fn spec(&self) -> &GameSpec {
        self.search.spec()
    }

    fn configure(&mut self, settings: &Settings, sink: Sink) {
        self.settings = *settings;
        self.search.configure(settings, sink);
    }

    fn open_book(&mut self, file: Option<&Path>) -> Result<(), Box<dyn std::error::Error>> {
        let book = match file.map(|file| (file, is_sqlite(file))) {
            Some((file, Ok(true))) => Some(Book::open(file, self.spec(), self.catalog)?),
            Some((_, known)) if !self.spec().has_book => {
                known?;
                let variant = self.spec().variant;
                return Err(format!("this is no shelf, and {variant} has no other books").into());
            }
            _ => None,
        };
        // A shelf takes the place of another book, not that of the game's own.
        self.search.open_book(file.filter(|_| book.is_none()))?;
        if let Some(book) = &book {
            (self.sink)(Event::Note(book.describe()?));
        }
        self.book = book;
        Ok(())
    }

    fn open_eval_file(&mut self, file: Option<&Path>) -> Result<(), Box<dyn std::error::Error>> {
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
        let book = self.book.as_mut().filter(|_| plays(&self.settings, &go));
        let choice = self.settings.book_choice;
        let seed = u64::from(self.settings.strength.seed);
        let Some(found) = book.and_then(|book| book.choose(position, choice, seed)) else {
            return self.search.go(position, go, sink);
        };
        match found {
            Ok((mv, text)) => {
                sink(Event::Note(text));
                let mut answer = Answer::blank(Score::heuristic(0), Some(mv));
                // Nothing was searched: there is no score to report.
                answer.has_unreported = false;
                sink(Event::Answer(answer));
                Control::new(Arc::default())
            }
            Err(why) => {
                sink(Event::Note(why));
                self.search.go(position, go, sink)
            }
        }
    }

    fn perft(
        &mut self,
        position: &dyn Position,
        depth: u32,
        received: tengen_engine::Instant,
        sink: Sink,
    ) -> Control {
        self.search.perft(position, depth, received, sink)
    }

    fn ready(&mut self, sink: Sink) -> bool {
        self.search.ready(sink)
    }
}

/// Returns whether the client asks for a move, and not for an analysis of the position.
fn plays(settings: &Settings, go: &Go) -> bool {
    let limits = &go.limits;
    let is_analysis = limits.is_open_ended() || limits.depth.is_some() || limits.mate.is_some();
    settings.own_book
        && settings.multi_pv == 1
        && !settings.strength.analyses
        && !is_analysis
        && limits.proof.is_none()
        && go.search_moves.is_empty()
}

fn is_sqlite(file: &Path) -> io::Result<bool> {
    let mut begin = Vec::new();
    File::open(file)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    Ok(begin == *MAGIC)
}

impl Book {
    fn open(
        file: &Path,
        spec: &GameSpec,
        catalog: &'static dyn Catalog,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let shelf = Shelf::open_to_read(file, catalog)?;
        let no_grid = || format!("{}: this game has no board of points", spec.variant);
        let ruleset = Arc::new(Ruleset::new(spec).ok_or_else(no_grid)?);
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { shelf, ruleset, name, is_left: false })
    }

    /// Says what the book has for its game.
    fn describe(&self) -> Result<String, Box<dyn std::error::Error>> {
        let games = self.shelf.games_on(&self.ruleset.name)?;
        Ok(format!("book {}: {games} games of {}", self.name, self.ruleset.name))
    }

    /// Returns a move of the book and a line about it; a line alone if the position is not in the
    /// book or cannot be looked up; `None` if there is nothing to say.
    fn choose(
        &mut self,
        position: &dyn Position,
        choice: BookChoice,
        seed: u64,
    ) -> Option<Result<(Move, String), String>> {
        let asked = PositionAsked::of_game(Arc::clone(&self.ruleset), position, &[]);
        let stones = asked.placement().stones.iter().flatten().count();
        if stones >= choice.depth || position.outcome().is_some() {
            return None;
        }
        let begin = Instant::now();
        let stop = || begin.elapsed() > LOOKUP_TIME;
        let found = self
            .shelf
            .refresh()
            .and_then(|()| explore(&mut self.shelf, &asked, &Filter::default(), &stop));
        let known = match found {
            Ok(known) => known,
            Err(Error::Stopped) => {
                let most = LOOKUP_TIME.as_millis();
                return Some(Err(format!("book {}: no answer within {most} ms", self.name)));
            }
            Err(why) => return Some(Err(format!("book {}: {why}", self.name))),
        };
        let legal = position.legal();
        let is_legal =
            |known: &ExploredMove| legal.contains(&self.ruleset.notation.move_to(known.point));
        let moves: Vec<ExploredMove> = known.moves.into_iter().filter(is_legal).collect();
        let seed = match seed {
            0 => RandomState::new().hash_one(position.key()),
            seed => seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ position.key(),
        };
        let Some(chosen) = chosen(moves, choice, seed) else {
            let was_left = std::mem::replace(&mut self.is_left, true);
            let text = format!("book {}: no move for this position", self.name);
            return (!was_left).then_some(Err(text));
        };
        self.is_left = false;
        let mv = self.ruleset.notation.move_to(chosen.point);
        Some(Ok((mv, format!("book {}: {}", self.name, line(&chosen)))))
    }
}

/// Chooses a move; `None` if no move was played or has a value, and if the best value is a loss.
fn chosen(mut moves: Vec<ExploredMove>, choice: BookChoice, seed: u64) -> Option<ExploredMove> {
    let has_values = choice.is_best && moves.iter().any(|known| known.value.is_some());
    if has_values {
        moves.retain(|known| known.value.is_some_and(|value| !is_loss(value)));
        moves.sort_by_key(|known| std::cmp::Reverse(known.value.map(rank)));
    } else {
        moves.retain(|known| known.results.games > 0);
    }
    moves.truncate(choice.width.max(1));
    let weight = |known: &ExploredMove| if choice.is_best { 1 } else { known.results.games };
    let mut at = seed % moves.iter().map(weight).sum::<u64>().max(1);
    moves.into_iter().find(|known| match at.checked_sub(weight(known)) {
        Some(rest) => {
            at = rest;
            false
        }
        None => true,
    })
}

fn is_loss(value: Value) -> bool {
    matches!(value, Value::Mate(plies) if plies < 0)
}

/// Returns a number that orders values, the best one last.
fn rank(value: Value) -> (i64, i64) {
    match value {
        Value::Mate(plies) if plies >= 0 => (1, -plies),
        Value::Mate(plies) => (-1, -plies),
        Value::Cp(cp) => (0, cp),
    }
}

fn line(known: &ExploredMove) -> String {
    let results = &known.results;
    let mut text = format!("{}, {} games", known.point, results.games);
    if results.games > 0 {
        text +=
            &format!(", won {}, drawn {}, lost {}", results.wins, results.draws, results.losses);
    }
    if let Some(value) = known.value {
        text += &format!(", value {value}");
    }
    text
}
