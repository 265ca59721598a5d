//! [`Adder`]: adds games and trees to a shelf, each game once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::{Row, ToSql, params};
use serde_json::{Map, Value};

use crate::Error;
use crate::date::dates_agree;
use crate::game::{Game, Judged, Marks, Tree, TreeMove, plain_name};
use crate::recount::move_counts;
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
    fn read(shelf: &Shelf, table: &'static str) -> Result<Self, Error> {
        let names: Vec<(String, i64)> = shelf.rows(&format!("SELECT name, id FROM {table}"), [])?;
        Ok(Self(names.into_iter().map(|(name, id)| (plain_name(&name), id)).collect()))
    }

    /// Returns the id of a name, which is added if it is new.
    fn id(
        &mut self,
        shelf: &Shelf,
        table: &'static str,
        name: Option<&String>,
    ) -> Result<Option<i64>, Error> {
        let Some(name) = name.map(|name| name.trim()).filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let plain = plain_name(name);
        if let Some(id) = self.0.get(&plain) {
            return Ok(Some(*id));
        }
        let id = shelf.insert(&format!("INSERT INTO {table} (name) VALUES (?1)"), [name])?;
        self.0.insert(plain, id);
        Ok(Some(id))
    }
}

/// The columns of a game that headers fill.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct Columns {
    pub(crate) first: Option<i64>,
    pub(crate) second: Option<i64>,
    pub(crate) event: Option<i64>,
    pub(crate) rule: Option<i64>,
    pub(crate) round: Option<String>,
    pub(crate) date: Option<i64>,
    pub(crate) result: Option<i64>,
    pub(crate) ending: Option<String>,
    pub(crate) opening: Option<String>,
    pub(crate) headers: Option<String>,
    pub(crate) marks: i64,
}

/// The names of the columns, in their order.
pub(crate) const COLUMNS: &str =
    "first, second, event, rule, round, date, result, ending, opening, headers, marks";

impl Columns {
    /// Reads a row that begins with the columns.
    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let [first, second, event, rule, date, result] =
            ["first", "second", "event", "rule", "date", "result"].map(|name| row.get(name));
        let [round, ending, opening, headers] =
            ["round", "ending", "opening", "headers"].map(|name| row.get(name));
        let (first, second, event, rule) = (first?, second?, event?, rule?);
        let (date, result, round, ending) = (date?, result?, round?, ending?);
        let (opening, headers, marks) = (opening?, headers?, row.get("marks")?);
        Ok(Self {
            first,
            second,
            event,
            rule,
            round,
            date,
            result,
            ending,
            opening,
            headers,
            marks,
        })
    }

    fn values(&self) -> [&dyn ToSql; 11] {
        let Self { first, second, event, rule, round, date, .. } = self;
        let Self { result, ending, opening, headers, marks, .. } = self;
        [first, second, event, rule, round, date, result, ending, opening, headers, marks]
    }

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
        self.players = Names::read(shelf, "players")?;
        self.events = Names::read(shelf, "events")?;
        self.rules = Names::read(shelf, "rules")?;
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
            add_tree(shelf, tree, ruleset, source, number, id)?;
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
        let columns = self.columns(shelf, game)?;
        let rest = game.rest.as_deref();
        let line = game.ruleset.line(game.start.as_ref(), &game.moves, rest.unwrap_or_default());
        if let Some((id, before)) = find_same(shelf, ruleset, line, &columns)? {
            let after = before.merged(&columns);
            if after != before {
                update(shelf, id, &after)?;
                let facts = (before.date, before.result);
                move_counts(shelf, &[(id, facts, (after.date, after.result))])?;
            }
            shelf.note_source(id, source, number)?;
            return Ok((id, Added::Merged));
        }
        let start = game.start.as_ref().map(|start| game.ruleset.fen(start));
        let insert = format!(
            "INSERT INTO games ({COLUMNS}, board, line, ended, moves, rest, start, source, number) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)"
        );
        let ended = game.ended.map(|ended| ended as i64);
        let moves = game.ruleset.pack(&game.moves);
        let own = params![ruleset, line, ended, moves, rest, start, source, number];
        let id = shelf.insert(&insert, &[&columns.values(), own].concat()[..])?;
        shelf.change("UPDATE boards SET games = games + 1 WHERE id = ?1", [ruleset])?;
        Ok((id, Added::New))
    }

    fn columns(&mut self, shelf: &Shelf, game: &Game) -> Result<Columns, Error> {
        Ok(Columns {
            first: self.players.id(shelf, "players", game.players[0].as_ref())?,
            second: self.players.id(shelf, "players", game.players[1].as_ref())?,
            event: self.events.id(shelf, "events", game.event.as_ref())?,
            rule: self.rules.id(shelf, "rules", game.rule.as_ref())?,
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
    shelf: &Shelf,
    ruleset: i64,
    line: i64,
    columns: &Columns,
) -> Result<Option<(i64, Columns)>, Error> {
    const CONDITION: &str = "line = ?1 AND board = ?2 \
        AND (?3 IS NULL OR first IS NULL OR first = ?3) AND (?4 IS NULL OR second IS NULL OR second = ?4) \
        AND (?5 IS NULL OR event IS NULL OR event = ?5) AND (?6 IS NULL OR round IS NULL OR round = ?6) \
        AND (?7 IS NULL OR result IS NULL OR result = ?7)";
    let select = format!("SELECT {COLUMNS}, id FROM games WHERE {CONDITION} ORDER BY id");
    let Columns { first, second, event, round, result, .. } = columns;
    let given = params![line, ruleset, first, second, event, round, result];
    let same = shelf.rows_by(&select, given, |row| Ok((row.get("id")?, Columns::read(row)?)))?;
    let agrees = |(_, known): &(i64, Columns)| {
        known.date.zip(columns.date).is_none_or(|(one, other)| dates_agree(one, other))
    };
    Ok(same.into_iter().find(agrees))
}

pub(crate) fn update(shelf: &Shelf, id: i64, columns: &Columns) -> Result<(), Error> {
    let values = "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11";
    let update = format!("UPDATE games SET ({COLUMNS}) = ({values}) WHERE id = ?12");
    shelf.change(&update, &[&columns.values(), params![id]].concat()[..]).map(drop)
}

/// Adds a tree, unless the shelf has it for the same game or from the same place. Returns its id.
pub(crate) fn add_tree(
    shelf: &Shelf,
    tree: &Tree,
    ruleset: i64,
    source: i64,
    number: i64,
    game: Option<i64>,
) -> Result<i64, Error> {
    let known = "SELECT id FROM trees WHERE sgf = ?2 AND \
                 ((game IS NOT NULL AND game = ?1) OR (source = ?3 AND number = ?4))";
    if let Some(known) = shelf.value(known, params![game, tree.sgf, source, number])? {
        return Ok(known);
    }
    let insert = "INSERT INTO trees (board, source, number, game, nodes, sgf) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let nodes = tree.nodes as i64;
    let id = shelf.insert(insert, params![ruleset, source, number, game, nodes, tree.sgf])?;
    add_rows(shelf, tree, id)?;
    Ok(id)
}

/// Adds the rows of what a tree says about positions.
fn add_rows(shelf: &Shelf, tree: &Tree, id: i64) -> Result<(), Error> {
    let insert = "INSERT INTO tree_moves (key, move, tree, child, label) VALUES (?1, ?2, ?3, ?4, ?5) \
                  ON CONFLICT DO UPDATE SET label = coalesce(label, excluded.label)";
    for TreeMove { key, mv, child, label } in &tree.moves {
        shelf.change(insert, params![key, mv, id, child, label])?;
    }
    let insert = "INSERT INTO notes (key, tree, comment) VALUES (?1, ?2, ?3) \
                  ON CONFLICT DO UPDATE SET comment = comment || char(10) || excluded.comment \
                  WHERE instr(comment, excluded.comment) = 0";
    let mut notes = tree.notes.iter();
    notes.try_for_each(|(key, note)| shelf.change(insert, params![key, id, note]).map(drop))
}

/// Replaces the tree `before` by `after`. Only rows of positions about which they differ are written.
pub(crate) fn replace_tree(
    shelf: &Shelf,
    id: i64,
    before: &Tree,
    after: &Tree,
) -> Result<(), Error> {
    let update = "UPDATE trees SET nodes = ?2, sgf = ?3 WHERE id = ?1";
    shelf.change(update, params![id, after.nodes as i64, after.sgf])?;
    let (old, new) = (by_position(before), by_position(after));
    let mut changed = Tree::default();
    let keys: BTreeSet<i64> = old.keys().chain(new.keys()).copied().collect();
    for key in keys.into_iter().filter(|key| old.get(key) != new.get(key)) {
        for table in ["tree_moves", "notes"] {
            let delete = format!("DELETE FROM {table} WHERE key = ?1 AND tree = ?2");
            shelf.change(&delete, [key, id])?;
        }
        if let Some((moves, notes)) = new.get(&key) {
            changed.moves.extend(moves.iter().map(|mv| (*mv).clone()));
            changed.notes.extend(notes.iter().map(|note| (key, (*note).to_owned())));
        }
    }
    add_rows(shelf, &changed, id)
}

/// Returns the moves and comments of a tree by the key of their position.
fn by_position(tree: &Tree) -> BTreeMap<i64, (Vec<&TreeMove>, Vec<&str>)> {
    let mut positions: BTreeMap<i64, (Vec<&TreeMove>, Vec<&str>)> = BTreeMap::new();
    for mv in &tree.moves {
        positions.entry(mv.key).or_default().0.push(mv);
    }
    for (key, note) in &tree.notes {
        positions.entry(*key).or_default().1.push(note);
    }
    positions
}
