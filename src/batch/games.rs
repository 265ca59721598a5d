//! Reads the games of a record as queries that judge them.

use serde_json::{Map, Value, json};
use tengen_games::CATALOG;
use tengen_records::{Collection, Format, ReadOptions, Record};

use super::question::{Limits, RawQuery};
use crate::board::BoardArgs;
use crate::exit_status::{Refusal, warn};
use crate::record_files::{Warnings, game_of, refusal};

/// The SGF of a game without comments, and the index of the query that judges it; `None` for a game
/// without moves.
pub(super) type Game = (String, Option<u64>);

/// Reads the games of the file `name`. A game without moves has no query.
pub(super) fn read(
    name: &str,
    bytes: &[u8],
    board: &BoardArgs,
    limits: &Limits,
) -> Result<(Vec<RawQuery>, Vec<Game>), Refusal> {
    let named = board.named_game()?;
    let options = ReadOptions::new().named(name);
    let options = match named.as_ref().and_then(|spec| spec.grid) {
        Some(notation) => options.on(notation),
        None => options,
    };
    let collection =
        tengen_records::read(bytes, &options).map_err(|fault| refusal(name, &fault))?;
    let mut warnings = Warnings::of(name, &collection);
    let format = collection.format();
    let (mut queries, mut games) = (Vec::new(), Vec::new());
    for (mut record, number) in collection.into_records().into_iter().zip(1_u64..) {
        let place = format!("{name}: game {number}");
        if named.is_some() || format != Format::Sgf {
            let (spec, warning) = game_of(&record, board, &place)?;
            warning.iter().for_each(|fault| warnings.say(fault));
            record.declare(&spec, &CATALOG);
        }
        let has_moves = has_moves(&record);
        let sgf = Collection::new(Format::Sgf, vec![record]).to_sgf();
        let sgf = String::from_utf8_lossy(&sgf).into_owned();
        if !has_moves {
            warn(&format!("{place}: it has no moves, and is not judged"));
            games.push((sgf, None));
            continue;
        }
        games.push((sgf.clone(), Some(queries.len() as u64)));
        let query = json!({
            "id": number.to_string(), "action": "review", "sgf": sgf, "include_sgf": true,
        });
        let mut query: Map<String, Value> = query.as_object().cloned().unwrap_or_default();
        limits.add_to(&mut query);
        queries.push(RawQuery { place, number, text: Value::Object(query).to_string() });
    }
    if queries.is_empty() {
        return Err(Refusal(format!("{name}: no game of it has moves")));
    }
    Ok((queries, games))
}

/// Returns whether the main line has a move. Passes are none.
fn has_moves(record: &Record) -> bool {
    let notation = record.spec(&CATALOG).ok().and_then(|(spec, _)| spec.grid);
    let line = notation.and_then(|notation| record.line(notation).ok());
    let has_move = || record.main_line().any(|id| record.node(id).mover().is_some());
    line.map_or_else(has_move, |line| !line.moves.is_empty())
}

/// Returns the record with comments, from the last reply of a review.
pub(super) fn annotated(replies: &[String]) -> Option<String> {
    let reply: Value = serde_json::from_str(replies.last()?).ok()?;
    reply.get("sgf")?.as_str().map(str::to_owned)
}
