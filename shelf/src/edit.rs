//! [`Shelf::edit`] and [`Shelf::delete`]: games that a person corrects or removes.

use std::collections::HashSet;

use rusqlite::Row;
use serde_json::{Map, Value};
use tengen_engine::Outcome;
use tengen_engine::text::is_printable;
use tengen_records::outcome_of;

use crate::Error;
use crate::add::{COLUMNS, Columns, update};
use crate::date::{read_date, says_more};
use crate::game::Marks;
use crate::recount::move_counts;
use crate::ruleset::win;
use crate::store::Shelf;

/// The names of headers, and their properties of SGF.
const HEADERS: [(&str, &str); 8] = [
    ("first", "PB"),
    ("second", "PW"),
    ("event", "EV"),
    ("round", "RO"),
    ("date", "DT"),
    ("result", "RE"),
    ("rules", "RU"),
    ("opening", "ON"),
];

/// Returns the property of SGF for the name of a header, such as `PB` for `first`; another name as it is.
pub fn property_of(name: &str) -> &str {
    HEADERS.iter().find(|(header, _)| *header == name).map_or(name, |(_, property)| property)
}

/// Returns the name of the header for a property of SGF, such as `first` for `PB`; another property as it is.
fn name_of(property: &str) -> &str {
    HEADERS.iter().find(|(_, known)| *known == property).map_or(property, |(header, _)| header)
}

impl Shelf {
    /// Sets headers of games: properties of SGF and their texts; an empty text removes a header. Counts follow. Returns
    /// how many games have changed.
    pub fn edit(&mut self, games: &[i64], headers: &[(String, String)]) -> Result<u64, Error> {
        let names: Vec<&str> = headers.iter().map(|(name, _)| name_of(name)).collect();
        for (name, (_, text)) in names.iter().zip(headers) {
            check_text(name, text.trim(), "")?;
        }
        let games = &once(games);
        let what = format!("edit {} of {}", names.join(", "), named(games));
        self.write_change(&what, |shelf| {
            let mut changed = Vec::new();
            for id in games {
                let (before, ended) = shelf.columns_of_game(*id)?;
                let mut after = before.clone();
                for (name, text) in headers {
                    set(shelf, &mut after, (name, text.trim()), ended.is_some()).map_err(
                        |why| match why {
                            Error::Wrong { what, why } => {
                                Error::Wrong { what, why: format!("game {id}: {why}") }
                            }
                            why => why,
                        },
                    )?;
                }
                if after != before {
                    update(shelf, *id, &after)?;
                    shelf.note_edit("games", *id)?;
                    let facts = (before.date, before.result);
                    changed.push((*id, facts, (after.date, after.result)));
                }
            }
            move_counts(shelf, &changed)?;
            Ok(changed.len() as u64)
        })
    }

    /// Removes games with their trees. Counts follow. A later import of their files with the same options
    /// does not add them again. Returns how many were removed.
    pub fn delete(&mut self, games: &[i64]) -> Result<u64, Error> {
        let games = &once(games);
        self.write_change(&format!("delete {}", named(games)), |shelf| {
            for id in games {
                shelf.columns_of_game(*id)?;
            }
            shelf.remove_games(games)
        })?;
        self.index(|_| true)?;
        Ok(games.len() as u64)
    }

    /// Returns the id of exactly this name, which is added if it is new; `None` for an empty one.
    fn id_of_name(&self, table: &'static str, name: &str) -> Result<Option<i64>, Error> {
        if name.is_empty() {
            return Ok(None);
        }
        let known = self.value(&format!("SELECT id FROM {table} WHERE name = ?1"), [name])?;
        let insert = format!("INSERT INTO {table} (name) VALUES (?1)");
        known.map_or_else(|| self.insert(&insert, [name]), Ok).map(Some)
    }

    /// Returns the headers of a game, and the number of moves until the board ended it.
    fn columns_of_game(&self, id: i64) -> Result<(Columns, Option<i64>), Error> {
        let select = format!("SELECT {COLUMNS}, ended FROM games WHERE id = ?1");
        let read = |row: &Row<'_>| Ok((Columns::read(row)?, row.get("ended")?));
        let missing = || Error::no_game(id);
        self.rows_by(&select, [id], read)?.into_iter().next().ok_or_else(missing)
    }
}

/// Returns each game once.
fn once(games: &[i64]) -> Vec<i64> {
    let mut seen = HashSet::new();
    games.iter().copied().filter(|id| seen.insert(*id)).collect()
}

/// Refuses a text of a person with control characters, but those in `allowed`, and with characters that change the
/// direction of text or end a line.
pub(crate) fn check_text(what: &str, text: &str, allowed: &str) -> Result<(), Error> {
    let is_bad =
        |c: char| c.is_control() || !is_printable(c) || matches!(c, '\u{2028}' | '\u{2029}');
    match text.contains(|c: char| is_bad(c) && !allowed.contains(c)) {
        true => Err(Error::refused(what, text, "control characters are not allowed")),
        false => Ok(()),
    }
}

/// Refuses a comment with control characters other than line breaks and tabs.
pub(crate) fn check_comment(text: &str) -> Result<(), Error> {
    check_text("comment", text, "\r\n\t")
}

/// Names games in the words of a change.
fn named(games: &[i64]) -> String {
    match games {
        [game] => format!("game {game}"),
        games => format!("{} games", games.len()),
    }
}

/// Sets a header. `has_ended` is whether the board ended the game.
fn set(
    shelf: &Shelf,
    columns: &mut Columns,
    (name, text): (&str, &str),
    has_ended: bool,
) -> Result<(), Error> {
    let given = (!text.is_empty()).then(|| text.to_owned());
    let mut headers: Map<String, Value> = columns
        .headers
        .as_deref()
        .map_or_else(Map::new, |headers| serde_json::from_str(headers).unwrap_or_default());
    headers.remove(name);
    match name {
        "PB" => columns.first = shelf.id_of_name("players", text)?,
        "PW" => columns.second = shelf.id_of_name("players", text)?,
        "EV" => columns.event = shelf.id_of_name("events", text)?,
        "RU" => columns.rule = shelf.id_of_name("rules", text)?,
        "RO" => columns.round = given,
        "ON" => columns.opening = given,
        "DT" => {
            let (date, is_vague) = read_date(text);
            if !text.is_empty() && date.is_none() && !is_vague {
                let why = "no date is in it; write it such as 2019-05-04";
                return Err(Error::refused("date", text, why));
            }
            columns.date = date;
            columns.marks = columns.marks & !Marks::VAGUE_DATE.0
                | if is_vague { Marks::VAGUE_DATE.0 } else { 0 };
            if says_more(text) {
                headers.insert(name.to_owned(), text.into());
            }
        }
        "RE" => set_result(columns, text, has_ended)?,
        _ if name.bytes().all(|byte| byte.is_ascii_uppercase()) && !name.is_empty() => {
            headers.extend(given.map(|text| (name.to_owned(), Value::from(text))));
        }
        _ => {
            let known = HEADERS.map(|(header, _)| header).join(", ");
            let why =
                format!("it must be {known}, or a property of SGF in capital letters, such as PC");
            return Err(Error::refused("header", name, &why));
        }
    }
    columns.headers = (!headers.is_empty()).then(|| Value::Object(headers).to_string());
    Ok(())
}

/// Sets the result of a game. A win on the board stays.
fn set_result(columns: &mut Columns, text: &str, has_ended: bool) -> Result<(), Error> {
    let result = match text {
        "" | "*" | "?" => None,
        _ => Some(match outcome_of(text) {
            Some(Outcome::Win(side)) => win(side),
            Some(Outcome::Draw) => 0,
            _ => return Err(Error::refused("result", text, "1-0, 0-1, 1/2-1/2 or * is needed")),
        }),
    };
    let is_wrong = columns.marks & Marks::WRONG_RESULT.0 != 0;
    if has_ended && !is_wrong && result != columns.result {
        return Err(Error::refused("result", text, "the moves of the game show its result"));
    }
    if result != columns.result {
        let how = text.split_once('+').map_or("", |(_, how)| how.trim());
        let how = how.chars().next().map(|how| how.to_ascii_uppercase());
        let ending = match how {
            Some('R') => Some("resigned"),
            Some('T') => Some("time"),
            Some('F') => Some("forfeit"),
            _ => None,
        };
        columns.ending = ending
            .filter(|_| !has_ended)
            .map(str::to_owned)
            .or_else(|| columns.ending.clone().filter(|_| has_ended));
    }
    columns.result = result;
    columns.marks &= !Marks::WRONG_RESULT.0;
    Ok(())
}
