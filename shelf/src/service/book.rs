//! A shelf as an opening book: the engine plays moves from its games and values.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tengen_engine::backend::{BookChoice, Catalog, Event, Features, Go, Settings, Sink};
use tengen_engine::move_book::{MoveBook, WithBooks};
use tengen_engine::{Answer, GameSpec, Move, Position, Score};
use tengen_protocol::explorer::LOOKUP_TIME;

use crate::{Error, ExploredMove, Filter, PositionAsked, Ruleset, Shelf, Value, explore};

/// The first bytes of every file of SQLite.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The games of a catalogue, with shelves as books.
pub type WithShelves = WithBooks<ShelfBook>;

/// A shelf that the client chose as its book.
pub struct ShelfBook {
    shelf: Shelf,
    ruleset: Arc<Ruleset>,
    /// The name of its file.
    name: String,
    /// Whether the client was told that the last position is not in the book.
    is_left: bool,
}

impl MoveBook for ShelfBook {
    const IS_PROVEN: bool = false;

    fn features(inner: Features) -> Features {
        Features { game_books: true, ..inner }
    }

    fn open(
        file: &Path,
        spec: &GameSpec,
        catalog: &'static dyn Catalog,
    ) -> Result<Option<Self>, Box<dyn std::error::Error>> {
        match is_sqlite(file) {
            Ok(true) => {}
            known if !spec.has_book => {
                known?;
                let variant = spec.variant;
                return Err(format!("this is no shelf, and {variant} has no other books").into());
            }
            _ => return Ok(None),
        }
        let shelf = Shelf::open_to_read(file, catalog)?;
        let no_grid = || format!("{}: this game has no board of points", spec.variant);
        let ruleset = Arc::new(Ruleset::new(spec).ok_or_else(no_grid)?);
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Some(Self { shelf, ruleset, name, is_left: false }))
    }

    fn describe(&self) -> Result<String, Box<dyn std::error::Error>> {
        let games = self.shelf.games_on(&self.ruleset.name)?;
        Ok(format!("book {}: {games} games of {}", self.name, self.ruleset.name))
    }

    fn answer(
        &mut self,
        position: &dyn Position,
        settings: &Settings,
        _: &Go,
        sink: &Sink,
    ) -> Option<Answer<Move>> {
        // The client asks for a move, not for an analysis of the position.
        if settings.strength.analyses {
            return None;
        }
        let seed = u64::from(settings.strength.seed);
        let (best, text) = match self.choose(position, settings.book_choice, seed)? {
            Ok((mv, text)) => (Some(mv), text),
            Err(why) => (None, why),
        };
        sink(Event::Note(text));
        let mut answer = Answer::blank(Score::heuristic(0), Some(best?));
        // Nothing was searched: there is no score to report.
        answer.has_unreported = false;
        Some(answer)
    }
}

fn is_sqlite(file: &Path) -> io::Result<bool> {
    let mut begin = Vec::new();
    File::open(file)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    Ok(begin == *MAGIC)
}

impl ShelfBook {
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
