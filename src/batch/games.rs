//! Reads the games of a record as queries: to judge their moves, or to search their last positions.

use serde_json::{Map, Value, json};
use tengen_games::CATALOG;
use tengen_records::{Collection, Format, ReadOptions, Record};

use super::Args;
use super::question::RawQuery;
use crate::exit_status::{Refusal, report, warn};
use crate::record_files::{Warnings, game_name, game_of, playable, refusal};

/// The games of a record.
pub(super) struct Games {
    pub(super) queries: Vec<RawQuery>,
    pub(super) games: Vec<Game>,
    /// How many games were refused.
    pub(super) refused: usize,
}

/// The SGF of a game without comments, and the index of its query; `None` for a game that is not
/// searched.
pub(super) type Game = (String, Option<u64>);

/// Reads the games of the file `name`. A game without moves is not judged. A game that cannot be read
/// or played is reported, or with `--strict` refused.
pub(super) fn read(name: &str, bytes: &[u8], args: &Args) -> Result<Games, Refusal> {
    let notation = args.board.named_game()?.and_then(|spec| spec.grid);
    let options = ReadOptions::new().named(name).on(notation).skips_bad_games(!args.strict);
    let collection =
        tengen_records::read(bytes, &options).map_err(|fault| refusal(name, &fault))?;
    let mut warnings = Warnings::of(name, &collection);
    let mut found = Games { queries: Vec::new(), games: Vec::new(), refused: 0 };
    let count = collection.records().len();
    let mut first_error = None;
    for index in 0..count {
        let place = game_name(name, index + 1, count);
        match query_of(&collection, index, &place, args, &mut warnings) {
            Ok((sgf, None)) => found.games.push((sgf, None)),
            Ok((sgf, Some(query))) => {
                found.games.push((sgf, Some(found.queries.len() as u64)));
                found.queries.push(query);
            }
            Err(why) if args.strict || count == 1 => return Err(why),
            Err(why) => {
                report(&why.to_string());
                found.refused += 1;
                if collection.fault(index).is_none() {
                    found.games.push((sgf_of(&collection.records()[index]), None));
                }
                first_error.get_or_insert(why);
            }
        }
    }
    if found.queries.is_empty() {
        let no_moves = || Refusal(format!("{name}: no game of it has moves"));
        return Err(first_error.unwrap_or_else(no_moves));
    }
    Ok(found)
}

/// Returns the SGF of a game, and its query if it is searched.
fn query_of(
    collection: &Collection,
    index: usize,
    place: &str,
    args: &Args,
    warnings: &mut Warnings,
) -> Result<(String, Option<RawQuery>), Refusal> {
    if let Some(fault) = collection.fault(index) {
        return Err(refusal(place, fault));
    }
    let mut record = collection.records()[index].clone();
    let (spec, warning) = game_of(&record, &args.board, place)?;
    warning.iter().for_each(|fault| warnings.say(fault));
    let (line, left_out) = playable(&record, &spec).map_err(|fault| refusal(place, &fault))?;
    if let Some(fault) = left_out {
        warn(&format!("{place}: {fault}"));
    }
    if args.board.named_game()?.is_some() || collection.format() != Format::Sgf {
        record.declare(&spec, &CATALOG);
    }
    let sgf = sgf_of(&record);
    if line.moves.is_empty() && !args.positions {
        warn(&format!("{place}: it has no moves, and is not judged"));
        return Ok((sgf, None));
    }
    let number = index as u64 + 1;
    let mut query = fields(json!({ "id": number.to_string(), "sgf": sgf }));
    if !args.positions {
        let own = json!({
            "action": "review",
            "include_sgf": true,
            "include_variations": !args.annotation.no_variations,
            "language": args.annotation.language().code(),
        });
        query.extend(fields(own));
    }
    args.limits.add_to(&mut query);
    let text = Value::Object(query).to_string();
    Ok((sgf, Some(RawQuery { place: place.to_owned(), number, text })))
}

/// Returns the fields of an object.
pub(super) fn fields(object: Value) -> Map<String, Value> {
    if let Value::Object(fields) = object { fields } else { Map::new() }
}

fn sgf_of(record: &Record) -> String {
    let sgf = Collection::new(Format::Sgf, vec![record.clone()]).to_sgf();
    String::from_utf8_lossy(&sgf).into_owned()
}

/// Returns the record with comments, from the last reply of a review.
pub(super) fn annotated(replies: &[String]) -> Option<String> {
    let reply: Value = serde_json::from_str(replies.last()?).ok()?;
    reply.get("sgf")?.as_str().map(str::to_owned)
}
