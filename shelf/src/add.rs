//! [`Adder`]: adds games and trees to a shelf, each game once.

use std::collections::HashMap;

use rusqlite::{Connection, params};
use serde_json::{Map, Value};

use crate::Error;
use crate::date::dates_agree;
use crate::game::{Game, Judged, Marks, Tree, plain_name};
use crate::index::move_counts;
use crate::ruleset::Ruleset;
use crate::store::Shelf;

/// What became of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Added {
    /// A new game.
    New,
    /// A game that the shelf had: its headers are merged.
    Merged,
    /// A tree without a game.
    Tree,
}

/// Adds games in the transactions of one program. It remembers the ids of names.
#[derive(Default)]
pub(crate) struct Adder {
    players: Names,
    events: Names,
    rules: Names,
    rulesets: HashMap<String, i64>,
    /// The version of the data that the names were read from.
    version: Option<i64>,
}

/// The ids of names, by their text without differences that do not matter.
#[derive(Default)]
struct Names(HashMap<String, i64>);

impl Names {
    fn read(db: &Connection, table: &'static str) -> rusqlite::Result<Self> {
        let mut select = db.prepare(&format!("SELECT name, id FROM {table}"))?;
        let row =
            |row: &rusqlite::Row<'_>| Ok((plain_name(&row.get::<_, String>(0)?), row.get(1)?));
        Ok(Self(select.query_map([], row)?.collect::<Result<_, _>>()?))
    }

    /// Returns the id of a name, which is added if it is new.
    fn id(
        &mut self,
        db: &Connection,
        table: &'static str,
        name: Option<&String>,
    ) -> rusqlite::Result<Option<i64>> {
        let Some(name) = name.map(|name| name.trim()).filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let plain = plain_name(name);
        if let Some(id) = self.0.get(&plain) {
            return Ok(Some(*id));
        }
        db.prepare_cached(&format!("INSERT INTO {table} (name) VALUES (?1)"))?.execute([name])?;
        let id = db.last_insert_rowid();
        self.0.insert(plain, id);
        Ok(Some(id))
    }
}

/// The columns of a game that headers fill.
#[derive(Clone, PartialEq, Default)]
struct Columns {
    first: Option<i64>,
    second: Option<i64>,
    event: Option<i64>,
    rule: Option<i64>,
    round: Option<String>,
    date: Option<i64>,
    result: Option<i64>,
    ending: Option<String>,
    opening: Option<String>,
    headers: Option<String>,
    marks: i64,
}

impl Columns {
    /// Returns the columns with those of `other` where they are empty.
    fn merged(&self, other: &Self) -> Self {
        let date = match (self.date, other.date) {
            (Some(one), Some(two)) => Some(one.max(two)),
            (one, two) => one.or(two),
        };
        let taken = Marks::RULES_TAKEN.0;
        let marks = ((self.marks | other.marks) & !taken) | (self.marks & other.marks & taken);
        Self {
            first: self.first.or(other.first),
            second: self.second.or(other.second),
            event: self.event.or(other.event),
            rule: self.rule.or(other.rule),
            round: self.round.clone().or_else(|| other.round.clone()),
            date,
            result: self.result.or(other.result),
            ending: self.ending.clone().or_else(|| other.ending.clone()),
            opening: self.opening.clone().or_else(|| other.opening.clone()),
            headers: merged_headers(self.headers.as_deref(), other.headers.as_deref()),
            marks,
        }
    }
}

/// Returns the headers of both objects; those of the first where both have one.
fn merged_headers(one: Option<&str>, other: Option<&str>) -> Option<String> {
    let read = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
    let (Some(before), Some(more)) = (one, other) else {
        return one.or(other).map(str::to_owned);
    };
    let mut headers = read(before);
    for (name, value) in read(more) {
        headers.entry(name).or_insert(value);
    }
    Some(Value::Object(headers).to_string())
}

impl Adder {
    /// Reads the names again if another program has changed the shelf. Called first in a transaction.
    pub(crate) fn refresh(&mut self, shelf: &Shelf) -> Result<(), Error> {
        let version =
            shelf.sql(|db| db.pragma_query_value(None, "data_version", |row| row.get(0)))?;
        if self.version == Some(version) {
            return Ok(());
        }
        self.rulesets.clear();
        self.players = shelf.sql(|db| Names::read(db, "players"))?;
        self.events = shelf.sql(|db| Names::read(db, "events"))?;
        self.rules = shelf.sql(|db| Names::read(db, "rules"))?;
        self.version = Some(version);
        Ok(())
    }

    /// Adds what a record holds.
    pub(crate) fn add(
        &mut self,
        shelf: &mut Shelf,
        judged: &Judged,
        source: i64,
        number: i64,
    ) -> Result<Added, Error> {
        let ruleset = self.ruleset(shelf, &judged.ruleset)?;
        let mut id = None;
        let mut added = Added::Tree;
        if let Some(game) = &judged.game {
            let (game, what) = self.add_game(shelf, ruleset, game, source, number)?;
            (id, added) = (Some(game), what);
        }
        if let Some(tree) = &judged.tree {
            shelf.sql(|db| add_tree(db, tree, ruleset, source, number, id))?;
        }
        Ok(added)
    }

    /// Returns the id of a ruleset, which is added if it is new.
    pub(crate) fn ruleset(&mut self, shelf: &Shelf, ruleset: &Ruleset) -> Result<i64, Error> {
        if let Some(id) = self.rulesets.get(&ruleset.name) {
            return Ok(*id);
        }
        let id = shelf.keep_ruleset(ruleset)?;
        self.rulesets.insert(ruleset.name.clone(), id);
        Ok(id)
    }

    /// Adds a game, unless the shelf has it. Returns its id.
    pub(crate) fn add_game(
        &mut self,
        shelf: &mut Shelf,
        ruleset: i64,
        game: &Game,
        source: i64,
        number: i64,
    ) -> Result<(i64, Added), Error> {
        let columns = shelf.sql(|db| self.columns(db, game))?;
        let rest = game.rest.as_deref();
        let line =
            game.ruleset.keys.line(game.start.as_ref(), &game.moves, rest.unwrap_or_default());
        if let Some((id, before)) = shelf.sql(|db| find_same(db, ruleset, line, &columns))? {
            let after = before.merged(&columns);
            if after != before {
                shelf.sql(|db| update(db, id, &after))?;
                move_counts(shelf, id, (before.date, before.result), (after.date, after.result))?;
            }
            return Ok((id, Added::Merged));
        }
        let start = game.start.as_ref().map(|start| game.ruleset.fen(start));
        let id = shelf.sql(|db| {
            let insert = "INSERT INTO games (board, line, first, second, event, rule, round, date, result, ending, \
                          opening, headers, marks, ended, moves, rest, start, source, number) \
                          VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)";
            let ended = game.ended.map(|ended| ended as i64);
            let packed = game.ruleset.pack(&game.moves);
            db.prepare_cached(insert)?.execute(params![
                ruleset, line, columns.first, columns.second, columns.event, columns.rule, columns.round,
                columns.date, columns.result, columns.ending, columns.opening, columns.headers, columns.marks,
                ended, packed, rest, start, source, number,
            ])?;
            let id = db.last_insert_rowid();
            db.prepare_cached("UPDATE boards SET games = games + 1 WHERE id = ?1")?.execute([ruleset])?;
            Ok(id)
        })?;
        Ok((id, Added::New))
    }

    fn columns(&mut self, db: &Connection, game: &Game) -> rusqlite::Result<Columns> {
        Ok(Columns {
            first: self.players.id(db, "players", game.players[0].as_ref())?,
            second: self.players.id(db, "players", game.players[1].as_ref())?,
            event: self.events.id(db, "events", game.event.as_ref())?,
            rule: self.rules.id(db, "rules", game.rule.as_ref())?,
            round: game.round.clone(),
            date: game.date,
            result: game.result,
            ending: game.ending.clone(),
            opening: game.opening.clone(),
            headers: game.headers.clone(),
            marks: game.marks.0,
        })
    }
}

/// Returns the first game with the same moves whose headers do not contradict; `None` if there is none.
fn find_same(
    db: &Connection,
    ruleset: i64,
    line: i64,
    columns: &Columns,
) -> rusqlite::Result<Option<(i64, Columns)>> {
    const SELECT: &str = "SELECT id, first, second, event, rule, round, date, result, ending, opening, headers, marks \
        FROM games WHERE line = ?1 AND board = ?2 \
        AND (?3 IS NULL OR first IS NULL OR first = ?3) AND (?4 IS NULL OR second IS NULL OR second = ?4) \
        AND (?5 IS NULL OR event IS NULL OR event = ?5) AND (?6 IS NULL OR round IS NULL OR round = ?6) \
        AND (?7 IS NULL OR result IS NULL OR result = ?7) ORDER BY id";
    let mut select = db.prepare_cached(SELECT)?;
    let given = params![
        line,
        ruleset,
        columns.first,
        columns.second,
        columns.event,
        columns.round,
        columns.result
    ];
    let mut rows = select.query(given)?;
    while let Some(row) = rows.next()? {
        let date: Option<i64> = row.get(6)?;
        if date.zip(columns.date).is_some_and(|(one, other)| !dates_agree(one, other)) {
            continue;
        }
        let found = Columns {
            first: row.get(1)?,
            second: row.get(2)?,
            event: row.get(3)?,
            rule: row.get(4)?,
            round: row.get(5)?,
            date,
            result: row.get(7)?,
            ending: row.get(8)?,
            opening: row.get(9)?,
            headers: row.get(10)?,
            marks: row.get(11)?,
        };
        return Ok(Some((row.get(0)?, found)));
    }
    Ok(None)
}

fn update(db: &Connection, id: i64, columns: &Columns) -> rusqlite::Result<()> {
    let update = "UPDATE games SET first = ?2, second = ?3, event = ?4, rule = ?5, round = ?6, date = ?7, \
                  result = ?8, ending = ?9, opening = ?10, headers = ?11, marks = ?12 WHERE id = ?1";
    let values = params![
        id,
        columns.first,
        columns.second,
        columns.event,
        columns.rule,
        columns.round,
        columns.date,
        columns.result,
        columns.ending,
        columns.opening,
        columns.headers,
        columns.marks,
    ];
    db.prepare_cached(update)?.execute(values).map(drop)
}

/// Adds a tree, unless the shelf has it for the same game or from the same place.
pub(crate) fn add_tree(
    db: &Connection,
    tree: &Tree,
    ruleset: i64,
    source: i64,
    number: i64,
    game: Option<i64>,
) -> rusqlite::Result<()> {
    let known = "SELECT count(*) FROM trees WHERE sgf = ?2 AND \
                 ((game IS NOT NULL AND game = ?1) OR (source = ?3 AND number = ?4))";
    let given = params![game, tree.sgf, source, number];
    let count: i64 = db.prepare_cached(known)?.query_row(given, |row| row.get(0))?;
    if count > 0 {
        return Ok(());
    }
    let insert = "INSERT INTO trees (board, source, number, game, nodes, sgf) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let nodes = tree.nodes as i64;
    db.prepare_cached(insert)?.execute(params![ruleset, source, number, game, nodes, tree.sgf])?;
    let id = db.last_insert_rowid();
    let mut insert = db.prepare_cached(
        "INSERT INTO tree_moves (key, move, tree, child, label) VALUES (?1, ?2, ?3, ?4, ?5) \
         ON CONFLICT DO UPDATE SET label = coalesce(label, excluded.label)",
    )?;
    for mv in &tree.moves {
        insert.execute(params![mv.key, mv.mv, id, mv.child, mv.label])?;
    }
    let mut insert = db.prepare_cached(
        "INSERT INTO notes (key, tree, comment) VALUES (?1, ?2, ?3) \
         ON CONFLICT DO UPDATE SET comment = comment || char(10) || excluded.comment \
         WHERE instr(comment, excluded.comment) = 0",
    )?;
    for (key, comment) in &tree.notes {
        insert.execute(params![key, id, comment])?;
    }
    Ok(())
}
