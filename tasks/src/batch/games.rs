//! Makes queries of the games of a record: to judge their moves, or to search their last positions.

use serde_json::{Map, Value, json};
use tengen_protocol::judge::language::Language;
use tengen_records::{Collection, Format, Record};

use super::limits::{Limits, RawQuery};

/// What is asked about games.
#[derive(Clone, Debug)]
pub struct GameOptions {
    /// Whether only the last position of each game is searched. Else every move is judged.
    pub positions: bool,
    /// Whether better lines are written as variations. Else they are written into comments.
    pub variations: bool,
    /// The language of the comments.
    pub language: Language,
    /// The limits of the searches.
    pub limits: Limits,
}

/// The games of a record.
#[derive(Default)]
pub struct Games {
    pub(super) queries: Vec<RawQuery>,
    pub(super) games: Vec<Game>,
}

/// The SGF of a game without comments, and the index of its query; `None` for a game that is not
/// searched.
pub(super) type Game = (String, Option<u64>);

impl Games {
    /// Returns whether no game is searched.
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// Adds a game that is not searched.
    pub fn keep(&mut self, record: &Record) {
        self.games.push((sgf_of(record), None));
    }

    /// Adds a game that is searched. `number` is its number in the file, from 1; `place` is its name in
    /// messages.
    pub fn search(&mut self, record: &Record, number: u64, place: &str, options: &GameOptions) {
        let sgf = sgf_of(record);
        let mut query = fields(json!({ "id": number.to_string(), "sgf": sgf }));
        if !options.positions {
            let own = json!({
                "action": "review",
                "include_sgf": true,
                "include_variations": options.variations,
                "language": options.language.code(),
            });
            query.extend(fields(own));
        }
        options.limits.add_to(&mut query);
        let text = Value::Object(query).to_string();
        self.games.push((sgf, Some(self.queries.len() as u64)));
        self.queries.push(RawQuery { place: place.to_owned(), number, text });
    }
}

/// Returns the fields of an object.
pub(super) fn fields(object: Value) -> Map<String, Value> {
    if let Value::Object(fields) = object { fields } else { Map::new() }
}

fn sgf_of(record: &Record) -> String {
    let sgf = Collection::new(Format::SGF, vec![record.clone()]).to_sgf();
    String::from_utf8_lossy(&sgf).into_owned()
}

/// Returns the record with comments, from the last reply of a review.
pub(super) fn annotated(replies: &[String]) -> Option<String> {
    let reply: Value = serde_json::from_str(replies.last()?).ok()?;
    reply.get("sgf")?.as_str().map(str::to_owned)
}
