//! The journal of a shelf: what each change added, replaced and removed, so that [`Shelf::undo`] takes it back.
//!
//! While a change is open, triggers of this connection write each row that is replaced or removed into the table
//! `old_rows`. New rows are known by their ids: each transaction notes its range of them in the table `added`. The index
//! and the counts are not in the journal; they follow from the games.

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::params;

use crate::Error;
use crate::index::{index_again, wipe_index};
use crate::recount::{Facts, LATE, move_counts, unindex};
use crate::store::Shelf;

/// The tables whose new rows are known by their ids.
const WITH_IDS: [&str; 7] = ["games", "trees", "sources", "comments", "players", "events", "rules"];

/// The tables whose rows are kept. New rows are those with a new id of the table in [`WITH_IDS`], which a column has;
/// each other new row is noted.
const KEPT: [(&str, Option<(&str, &str)>); 13] = [
    ("games", Some(("id", "games"))),
    ("trees", Some(("id", "trees"))),
    ("tree_moves", Some(("tree", "trees"))),
    ("notes", Some(("tree", "trees"))),
    ("sources", Some(("id", "sources"))),
    ("comments", Some(("id", "comments"))),
    ("other_sources", Some(("source", "sources"))),
    ("other_names", Some(("source", "sources"))),
    ("edited", None),
    ("queries", None),
    ("problems", None),
    ("analysis", None),
    ("aliases", None),
];

/// The tables of names, whose rows are kept only for [`Shelf::redo`]: a name without games does no harm.
const NAMES: [&str; 3] = ["players", "events", "rules"];
/// The most rows of a change that can be made again after an undo: each of them is kept once more.
const MOST_ROWS: u64 = 50_000;

/// The columns of a table: the name, whether it is a BLOB, and its place in the key from 1, or 0.
type Columns = Vec<(String, bool, i64)>;

/// A change of a shelf.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The number.
    pub id: i64,
    /// When it began, such as `2026-11-30 12:00:00`, in universal time.
    pub at: String,
    /// What was done.
    pub what: String,
}

/// Joins what `write` makes of columns.
fn list<'c>(
    columns: impl Iterator<Item = &'c (String, bool, i64)>,
    write: impl Fn(&(String, bool, i64)) -> String,
) -> String {
    columns.map(write).collect::<Vec<_>>().join(", ")
}

/// Returns the tables whose rows are kept for an undo or a redo.
fn tables() -> impl Iterator<Item = &'static str> {
    KEPT.iter().map(|(name, _)| *name).chain(NAMES)
}

impl Shelf {
    /// Begins a change. What follows, until [`Shelf::end_change`], is undone together.
    pub fn begin_change(&mut self, what: &str) -> Result<(), Error> {
        self.end_change()?;
        let id = self.write(|shelf| shelf.note_change(what))?;
        self.change = Some(id);
        Ok(())
    }

    /// Adds a change to the journal, and watches the tables for it. Returns its number.
    fn note_change(&self, what: &str) -> Result<i64, Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64;
        self.forget_undone()?;
        let id = self.next_number()?;
        let insert = "INSERT INTO changes (id, at, what) VALUES (?1, ?2, ?3)";
        self.change(insert, params![id, now, what])?;
        KEPT.iter().try_for_each(|(name, owner)| self.watch(id, name, *owner))?;
        Ok(id)
    }

    /// Returns the number of a new change. A number names one change for ever: clients name changes by it.
    fn next_number(&self) -> Result<i64, Error> {
        let id = self.meta("change")?.max(self.last_change()?.unwrap_or(0)) + 1;
        self.set_meta("change", id)?;
        Ok(id)
    }

    /// Forgets the changes that were taken back.
    pub(crate) fn forget_undone(&self) -> Result<(), Error> {
        self.change("DELETE FROM old_rows WHERE change < 0", [])?;
        self.change("DELETE FROM changes WHERE id < 0", []).map(drop)
    }

    /// Watches all tables for a change; each new row is noted.
    fn watch_all(&self, change: i64) -> Result<(), Error> {
        // Without this a row that is replaced is not noted.
        self.sql(|db| db.pragma_update(None, "recursive_triggers", true))?;
        tables().try_for_each(|name| self.watch(change, name, None))
    }

    /// Removes the triggers of all tables.
    fn unwatch(&self) -> Result<(), Error> {
        self.sql(|db| db.pragma_update(None, "recursive_triggers", false))?;
        for name in tables() {
            for event in ["INSERT", "UPDATE", "DELETE"] {
                self.sql(|db| {
                    db.execute_batch(&format!("DROP TRIGGER IF EXISTS temp.{name}_{event}"))
                })?;
            }
        }
        Ok(())
    }

    /// Ends a change. One that changed nothing is forgotten.
    pub fn end_change(&mut self) -> Result<(), Error> {
        let Some(id) = self.change.take() else { return Ok(()) };
        self.unwatch()?;
        let is_empty = "DELETE FROM changes WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM old_rows WHERE change = ?1) \
                        AND NOT EXISTS (SELECT 1 FROM added WHERE change = ?1)";
        self.change(is_empty, [id]).map(drop)
    }

    /// Runs `work` as one change, in one transaction, so that changes of several programs follow one another.
    pub(crate) fn write_change<T>(
        &mut self,
        what: &str,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.end_change()?;
        let done = self.write(|shelf| {
            shelf.change = Some(shelf.note_change(what)?);
            shelf.open_ranges()?;
            work(shelf)
        });
        if done.is_err() {
            // The transaction has taken the change back, with its triggers.
            self.change = None;
        }
        self.end_change()?;
        done
    }

    /// Makes the triggers of a table.
    fn watch(&self, change: i64, name: &str, owner: Option<(&str, &str)>) -> Result<(), Error> {
        let columns = self.columns_of(name)?;
        let mut keys: Vec<_> = columns.iter().filter(|(.., place)| *place > 0).collect();
        keys.sort_by_key(|(.., place)| *place);
        let key = |row: &str| list(keys.iter().copied(), |(column, ..)| format!("{row}.{column}"));
        let all = list(columns.iter(), |(column, is_blob, _)| match is_blob {
            true => format!("hex(old.{column})"),
            false => format!("old.{column}"),
        });
        let is_of_old = |row: &str| {
            owner.map_or("1".to_owned(), |(column, table)| {
                format!(
                    "NOT EXISTS (SELECT 1 FROM added WHERE change = {change} AND name = '{table}' \
                     AND {row}.{column} BETWEEN low AND high)"
                )
            })
        };
        let is_old = format!("WHEN {}", is_of_old("old"));
        let insert = "INSERT INTO old_rows (change, name, key, row) VALUES";
        let trigger = |event: &str, when: &str, key: &str, row: &str| {
            format!(
                "CREATE TEMP TRIGGER {name}_{event} BEFORE {event} ON main.{name} {when} BEGIN \
                 {insert} ({change}, '{name}', json_array({key}), {row}); END"
            )
        };
        let row = format!("json_array({all})");
        let mut triggers = vec![
            trigger("UPDATE", &is_old, &key("old"), &row),
            trigger("DELETE", &is_old, &key("old"), &row),
        ];
        if owner.is_none_or(|(column, _)| column != "id") {
            let is_new = keys.iter().map(|(column, ..)| format!("{column} = new.{column}"));
            let is_new = is_new.collect::<Vec<_>>().join(" AND ");
            let is_of_old = is_of_old("new");
            let when =
                format!("WHEN {is_of_old} AND NOT EXISTS (SELECT 1 FROM {name} WHERE {is_new})");
            triggers.push(trigger("INSERT", &when, &key("new"), "NULL"));
        }
        triggers.iter().try_for_each(|trigger| self.sql(|db| db.execute_batch(trigger)))
    }

    fn columns_of(&self, name: &str) -> Result<Columns, Error> {
        let select = "SELECT name, type = 'BLOB', pk FROM pragma_table_info(?1) ORDER BY cid";
        self.rows(select, [name])
    }

    /// Notes, at the beginning of a transaction of a change, that rows with higher ids than now are new.
    pub(crate) fn open_ranges(&self) -> Result<(), Error> {
        let Some(change) = self.change else { return Ok(()) };
        WITH_IDS.iter().try_for_each(|name| {
            let insert = format!(
                "INSERT INTO added (change, name, low, high) \
                 SELECT ?1, '{name}', coalesce(max(id), 0) + 1, {} FROM {name}",
                i64::MAX
            );
            self.change(&insert, [change]).map(drop)
        })
    }

    /// Ends the ranges of new rows, at the end of a transaction.
    pub(crate) fn close_ranges(&self) -> Result<(), Error> {
        let Some(change) = self.change else { return Ok(()) };
        WITH_IDS.iter().try_for_each(|name| {
            let update = format!(
                "UPDATE added SET high = (SELECT coalesce(max(id), 0) FROM {name}) \
                 WHERE change = ?1 AND name = '{name}' AND high = {}",
                i64::MAX
            );
            self.change(&update, [change]).map(drop)
        })?;
        let none = "DELETE FROM added WHERE change = ?1 AND high < low";
        self.change(none, [change]).map(drop)
    }

    /// Returns the changes that can be undone, the latest first.
    pub fn changes(&self) -> Result<Vec<Change>, Error> {
        let select =
            "SELECT id, datetime(at, 'unixepoch'), what FROM changes WHERE id > 0 ORDER BY id DESC";
        let changes = self.rows(select, [])?.into_iter();
        Ok(changes.map(|(id, at, what)| Change { id, at, what }).collect())
    }

    /// Returns the number of the last change; `None` if there is none.
    pub fn last_change(&self) -> Result<Option<i64>, Error> {
        Ok(self.value("SELECT max(id) FROM changes WHERE id > 0", [])?.flatten())
    }

    /// Takes the last change back. Returns it; `None` if there is none. If another one than `only` is the last, nothing is taken
    /// back. An undo that was killed leaves the shelf as it was, or with games that are not indexed yet.
    pub fn undo(&mut self, only: Option<i64>) -> Result<Option<Change>, Error> {
        self.end_change()?;
        let undone = self.write(|shelf| {
            let Some(change) = shelf.changes()?.into_iter().next() else { return Ok(None) };
            let id = change.id;
            if only.is_some_and(|only| only != id) {
                let why = "the shelf was changed since; the last change is";
                return Err(Error::wrong("change", format!("{why} {id}: {}", change.what)));
            }
            let noted = match shelf.rows_of(id)? <= MOST_ROWS {
                // The undone change keeps its name, and what makes it again, under a number below 0: the least one is
                // the last one that was undone.
                true => {
                    let undone = shelf.last_undone()?.unwrap_or(0) - 1;
                    let insert = "INSERT INTO changes (id, at, what) SELECT ?2, at, what FROM changes WHERE id = ?1";
                    shelf.change(insert, [id, undone])?;
                    shelf.watch_all(undone)?;
                    Some(undone)
                }
                false => {
                    shelf.forget_undone()?;
                    None
                }
            };
            shelf.take_back(id, noted)?;
            Ok(Some(change))
        })?;
        if undone.is_some() {
            self.index(|_| true)?;
            self.finish()?;
        }
        Ok(undone)
    }

    /// Makes the change again that was taken back last, if nothing was changed since. Returns it; `None` if there is none.
    pub fn redo(&mut self) -> Result<Option<Change>, Error> {
        self.end_change()?;
        let redone = self.write(|shelf| {
            let Some(undone) = shelf.last_undone()? else { return Ok(None) };
            let id = shelf.next_number()?;
            let insert =
                "INSERT INTO changes (id, at, what) SELECT ?1, at, what FROM changes WHERE id = ?2";
            shelf.change(insert, [id, undone])?;
            shelf.watch_all(id)?;
            shelf.take_back(undone, Some(id))?;
            Ok(shelf.changes()?.into_iter().next())
        })?;
        if redone.is_some() {
            self.index(|_| true)?;
            self.finish()?;
        }
        Ok(redone)
    }

    /// Returns the number of the change that was undone last; `None` if none can be made again.
    fn last_undone(&self) -> Result<Option<i64>, Error> {
        Ok(self.value("SELECT min(id) FROM changes WHERE id < 0", [])?.flatten())
    }

    /// Returns how many rows a change has added, replaced or removed, with the nodes of new trees.
    fn rows_of(&self, change: i64) -> Result<u64, Error> {
        let select = "SELECT (SELECT count(*) FROM old_rows WHERE change = ?1 AND name != ?2) \
             + coalesce((SELECT sum(high - low + 1) FROM added WHERE change = ?1), 0) \
             + coalesce((SELECT sum(nodes) FROM added JOIN trees ON trees.id BETWEEN low AND high \
               WHERE change = ?1 AND name = 'trees'), 0)";
        self.count(select, params![change, LATE])
    }

    /// Restores what was before a change, and removes it from the journal. Ends what [`Shelf::watch_all`] began for the change
    /// `noted`.
    fn take_back(&mut self, id: i64, noted: Option<i64>) -> Result<(), Error> {
        let games = "SELECT key ->> 0 FROM old_rows WHERE change = ?1 AND name = 'games' UNION \
             SELECT games.id FROM added JOIN games ON games.id BETWEEN low AND high \
             WHERE change = ?1 AND name = 'games'";
        let games: Vec<i64> = self.column(games, [id])?;
        let kept = self.games_with_moves(id)?;
        let ids: HashSet<i64> = kept.iter().map(|(id, _)| *id).collect();
        let moved: Vec<i64> = games.iter().copied().filter(|id| !ids.contains(id)).collect();
        self.leave_index(&moved, noted)?;
        self.count_on_boards(&moved, -1)?;
        self.restore(id)?;
        self.unwatch()?;
        self.count_on_boards(&moved, 1)?;
        self.settle_index()?;
        let mut counted = Vec::new();
        for (id, before) in kept {
            let after = self.row("SELECT date, result FROM games WHERE id = ?1", [id])?;
            counted.push((id, before, after.unwrap_or(before)));
        }
        move_counts(self, &counted)?;
        let sharing = self.sharing(id, &moved)?;
        index_again(self, &moved, sharing)?;
        for table in ["old_rows", "added"] {
            self.change(&format!("DELETE FROM {table} WHERE change = ?1"), [id])?;
        }
        self.change("DELETE FROM changes WHERE id = ?1", [id]).map(drop)
    }

    /// Returns the games whose moves were the same before a change, with their dates and results now.
    fn games_with_moves(&self, change: i64) -> Result<Vec<(i64, Facts)>, Error> {
        let columns = self.columns_of("games")?;
        let is_same = |(at, (column, is_blob, _)): (usize, &(String, bool, i64))| match is_blob {
            true => format!("row ->> {at} IS hex({column})"),
            false => format!("row ->> {at} IS {column}"),
        };
        let of_moves = |name: &str| ["board", "moves", "start", "ended"].contains(&name);
        let is_same =
            columns.iter().enumerate().filter(|(_, (name, ..))| of_moves(name)).map(is_same);
        let select = format!(
            "SELECT games.id, date, result FROM old_rows JOIN games ON games.id = key ->> 0 \
             WHERE change = ?1 AND name = 'games' AND NOT EXISTS (SELECT 1 FROM added \
             WHERE added.change = ?1 AND added.name = 'games' AND games.id BETWEEN low AND high) \
             GROUP BY games.id HAVING min({})",
            is_same.collect::<Vec<_>>().join(" AND ")
        );
        let games = self.rows::<(i64, Option<i64>, Option<i64>)>(&select, [change])?;
        Ok(games.into_iter().map(|(id, date, result)| (id, (date, result))).collect())
    }

    /// Returns the games that share late positions with those of `games` that a change has brought back; `None` if its
    /// journal does not know them all.
    fn sharing(&self, change: i64, games: &[i64]) -> Result<Option<Vec<i64>>, Error> {
        let unknown = "SELECT count(*) FROM games WHERE id IN (SELECT value FROM json_each(?2)) \
             AND id NOT IN (SELECT key ->> 0 FROM old_rows WHERE change = ?1 AND name = ?3)";
        let list = serde_json::Value::from(games).to_string();
        if self.count(unknown, params![change, list, LATE])? > 0 {
            return Ok(None);
        }
        let select = "SELECT DISTINCT value FROM old_rows JOIN json_each(row) WHERE change = ?1 AND name = ?2";
        self.column(select, params![change, LATE]).map(Some)
    }

    /// Takes games out of the index; all games, if these are many: all are counted anew faster than many one by one. The
    /// journal of the change `noted` gets what indexes them again.
    pub(crate) fn leave_index(&mut self, games: &[i64], noted: Option<i64>) -> Result<(), Error> {
        let all = self.count("SELECT count(*) FROM games", [])?;
        if games.len() as u64 * 4 > all { wipe_index(self) } else { unindex(self, games, noted) }
    }

    /// Adds the numbers of games of a list on each board, times `sign`, to those of the boards.
    fn count_on_boards(&self, games: &[i64], sign: i64) -> Result<(), Error> {
        let update = "UPDATE boards SET games = games + ?2 * (SELECT count(*) FROM games \
             WHERE board = boards.id AND id IN (SELECT value FROM json_each(?1)))";
        let list = serde_json::Value::from(games).to_string();
        self.change(update, params![list, sign]).map(drop)
    }

    /// Sets the numbers of games of the boards, and how far the games are indexed, after games were removed or restored.
    pub(crate) fn settle_games(&mut self) -> Result<(), Error> {
        let update =
            "UPDATE boards SET games = (SELECT count(*) FROM games WHERE board = boards.id)";
        self.change(update, [])?;
        self.settle_index()
    }

    /// Sets how far the games are indexed, after games were removed or restored.
    pub(crate) fn settle_index(&self) -> Result<(), Error> {
        // The next game may get the id of a removed one.
        let last = self.count("SELECT coalesce(max(id), 0) FROM games", [])? as i64;
        let indexed = self.meta("indexed")?;
        self.set_meta("indexed", indexed.min(last))
    }

    /// Writes the rows of before a change, and removes the new ones.
    fn restore(&mut self, change: i64) -> Result<(), Error> {
        self.remove_added(change)?;
        let select = "SELECT id, name, key, row FROM old_rows WHERE change = ?1 AND id < ?2 AND name != ?3 \
                      ORDER BY id DESC LIMIT 4096";
        let mut last = i64::MAX;
        loop {
            let rows: Vec<(i64, String, String, Option<String>)> =
                self.rows(select, params![change, last, LATE])?;
            let Some((id, ..)) = rows.last() else { break };
            last = *id;
            for (_, name, key, row) in rows {
                self.restore_row(&name, &key, row.as_deref())?;
            }
        }
        Ok(())
    }

    /// Removes the rows that a change added. An old row with the same id is restored after that.
    fn remove_added(&self, change: i64) -> Result<(), Error> {
        let select = "SELECT name, low, high FROM added WHERE change = ?1";
        for (name, low, high) in self.rows::<(String, i64, i64)>(select, [change])? {
            self.check_name(&name, WITH_IDS.contains(&name.as_str()))?;
            let owned = KEPT.iter().filter_map(|(owned, owner)| Some((*owned, (*owner)?)));
            let owned = owned.filter(|(owned, (_, table))| *table == name && *owned != name);
            let columns = owned.map(|(owned, (column, _))| (owned, column));
            for (table, column) in columns.chain([(name.as_str(), "id")]) {
                let delete = format!("DELETE FROM {table} WHERE {column} BETWEEN ?1 AND ?2");
                self.change(&delete, [low, high])?;
            }
        }
        Ok(())
    }

    /// Writes a row of a table as it was; without one, removes the row with this key.
    fn restore_row(&self, name: &str, key: &str, row: Option<&str>) -> Result<(), Error> {
        self.check_name(name, tables().any(|kept| kept == name))?;
        let columns = self.columns_of(name)?;
        let Some(row) = row else {
            let mut keys: Vec<_> = columns.iter().filter(|(.., place)| *place > 0).collect();
            keys.sort_by_key(|(.., place)| *place);
            let is = |(column, _, place): &(String, bool, i64)| {
                format!("{column} = ?1 ->> {}", place - 1)
            };
            let is = list(keys.into_iter(), is).replace(", ", " AND ");
            return self.change(&format!("DELETE FROM {name} WHERE {is}"), [key]).map(drop);
        };
        let names = list(columns.iter(), |(column, ..)| column.clone());
        let values = (0..).zip(&columns).map(|(at, (_, is_blob, _))| match is_blob {
            true => format!("unhex(?1 ->> {at})"),
            false => format!("?1 ->> {at}"),
        });
        let values = values.collect::<Vec<_>>().join(", ");
        let insert = format!("INSERT OR REPLACE INTO {name} ({names}) VALUES ({values})");
        self.change(&insert, [row]).map(drop)
    }

    /// Refuses a journal with the name of another table.
    fn check_name(&self, name: &str, is_known: bool) -> Result<(), Error> {
        if is_known { Ok(()) } else { Err(self.damaged(format!("the journal names {name}"))) }
    }
}
