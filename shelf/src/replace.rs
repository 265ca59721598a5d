//! [`Shelf::replace`]: a corrected file takes the place of what an earlier import of it added.

use std::collections::{HashMap, HashSet};

use rusqlite::params;

use crate::Error;
use crate::store::Shelf;

/// What became of the games of files that were replaced.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Replaced {
    /// The number of files of earlier imports.
    pub files: u64,
    /// The number of games that were removed.
    pub removed: u64,
    /// The number of games that stay because another file has them, too.
    pub shared: u64,
    /// The games that stay because a person edited them or their trees.
    pub edited: Vec<i64>,
    /// The trees without a game that stay because a person edited them.
    pub edited_trees: Vec<i64>,
}

/// The files of a shelf by their names: their ids and digests.
#[derive(Default, Debug)]
pub(crate) struct KnownNames(HashMap<String, Vec<(i64, i64)>>);

impl KnownNames {
    /// Reads the names of the files that were imported.
    pub(crate) fn read(shelf: &Shelf) -> Result<Self, Error> {
        let mut names: HashMap<String, Vec<(i64, i64)>> = HashMap::new();
        // The trees of the shelf itself have no file.
        let select = "SELECT name, id, digest FROM sources WHERE digest != 0 UNION \
                      SELECT other_names.name, id, digest FROM other_names JOIN sources ON id = source";
        for (name, id, digest) in shelf.rows(select, [])? {
            names.entry(name).or_default().push((id, digest));
        }
        Ok(Self(names))
    }

    /// Takes the ids of the other imports of the file `name` than `source`. They are returned once.
    pub(crate) fn take_others(&mut self, name: &str, source: i64) -> Vec<i64> {
        let known = self.0.remove(name).unwrap_or_default().into_iter();
        known.map(|(id, _)| id).filter(|id| *id != source).collect()
    }

    /// Returns whether a file with this name and another content was imported.
    pub(crate) fn has_another(&self, name: &str, digest: i64) -> bool {
        self.0.get(name).is_some_and(|known| known.iter().any(|(_, other)| *other != digest))
    }
}

impl Shelf {
    /// Notes that a file has a game which another file added.
    pub(crate) fn note_source(&self, game: i64, source: i64, number: i64) -> Result<(), Error> {
        let insert = "INSERT OR IGNORE INTO other_sources (game, source, number) \
                      SELECT id, ?2, ?3 FROM games WHERE id = ?1 AND source != ?2";
        self.change(insert, [game, source, number]).map(drop)
    }

    /// Notes that a file with the same content has another name.
    pub(crate) fn note_name(&self, source: i64, name: &str) -> Result<(), Error> {
        let insert = "INSERT OR IGNORE INTO other_names (source, name) SELECT id, ?2 FROM sources \
                      WHERE id = ?1 AND name != ?2";
        self.change(insert, params![source, name]).map(drop)
    }

    /// Notes that a person edited a row of `games` or `trees`.
    pub(crate) fn note_edit(&self, table: &str, id: i64) -> Result<(), Error> {
        let insert = "INSERT OR IGNORE INTO edited (name, id) VALUES (?1, ?2)";
        self.change(insert, params![table, id]).map(drop)
    }

    /// Returns whether a person edited a row of `games` or `trees`.
    pub(crate) fn is_edited(&self, table: &str, id: i64) -> Result<bool, Error> {
        let select = "SELECT count(*) FROM edited WHERE name = ?1 AND id = ?2";
        Ok(self.count(select, params![table, id])? > 0)
    }

    /// Removes the games and trees of the file `name`. Games that another file has stay there, and what people edited stays.
    pub(crate) fn replace(
        &mut self,
        source: i64,
        name: &str,
        replaced: &mut Replaced,
    ) -> Result<(), Error> {
        replaced.files += 1;
        if self.leave_to_other_name(source, name)? {
            let games = "SELECT count(*) FROM games WHERE source = ?1";
            replaced.shared += self.count(games, [source])?;
            return Ok(());
        }
        let select = "SELECT id, (SELECT min(source) FROM other_sources WHERE game = games.id), \
            EXISTS (SELECT 1 FROM edited WHERE name = 'games' AND edited.id = games.id) \
            OR EXISTS (SELECT 1 FROM trees JOIN edited ON name = 'trees' AND edited.id = trees.id WHERE game = games.id) \
            FROM games WHERE source = ?1";
        let (mut removed, mut edited) = (Vec::new(), HashSet::new());
        for (id, other, is_edited) in self.rows::<(i64, Option<i64>, bool)>(select, [source])? {
            match other {
                Some(other) => {
                    self.move_game(id, other)?;
                    replaced.shared += 1;
                }
                None if is_edited => {
                    edited.insert(id);
                }
                None => removed.push(id),
            }
        }
        self.remove_games(&removed)?;
        let select = "SELECT id, game, EXISTS (SELECT 1 FROM edited WHERE name = 'trees' AND edited.id = trees.id) \
                      FROM trees WHERE source = ?1";
        for (id, game, is_edited) in self.rows::<(i64, Option<i64>, bool)>(select, [source])? {
            match game {
                Some(game) if is_edited || edited.contains(&game) => {}
                None if is_edited => replaced.edited_trees.push(id),
                _ => self.remove_tree(id)?,
            }
        }
        self.change("DELETE FROM other_sources WHERE source = ?1", [source])?;
        self.change("DELETE FROM problems WHERE source = ?1", [source])?;
        let unused = "DELETE FROM sources WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM games WHERE source = ?1) \
                      AND NOT EXISTS (SELECT 1 FROM trees WHERE source = ?1)";
        self.change(unused, [source])?;
        replaced.removed += removed.len() as u64;
        replaced.edited.extend(edited);
        replaced.edited.sort_unstable();
        Ok(())
    }

    /// Takes a name from a file, if a file with the same content has another one. Returns whether it has.
    fn leave_to_other_name(&self, source: i64, name: &str) -> Result<bool, Error> {
        let delete = "DELETE FROM other_names WHERE source = ?1 AND name = ?2";
        if self.change(delete, params![source, name])? > 0 {
            return Ok(true);
        }
        let select = "SELECT min(name) FROM other_names WHERE source = ?1";
        let Some(other) = self.value::<Option<String>>(select, [source])?.flatten() else {
            return Ok(false);
        };
        self.change("UPDATE sources SET name = ?2 WHERE id = ?1", params![source, other])?;
        self.change(delete, params![source, other])?;
        Ok(true)
    }

    /// Makes another file that has a game its first one.
    fn move_game(&self, game: i64, source: i64) -> Result<(), Error> {
        // It may have the comments and variations, too: those of equal games are stored once.
        for (table, id) in [("trees", "game"), ("games", "id")] {
            let update = format!(
                "UPDATE {table} SET (source, number) = \
                 (SELECT source, number FROM other_sources WHERE game = ?1 AND source = ?2) WHERE {id} = ?1"
            );
            self.change(&update, [game, source])?;
        }
        let delete = "DELETE FROM other_sources WHERE game = ?1 AND source = ?2";
        self.change(delete, [game, source]).map(drop)
    }

    /// Removes games with their trees, and from the counts.
    pub(crate) fn remove_games(&mut self, games: &[i64]) -> Result<(), Error> {
        self.leave_index(games, self.change)?;
        for id in games {
            for tree in self.column("SELECT id FROM trees WHERE game = ?1", [id])? {
                self.remove_tree(tree)?;
            }
            for part in [
                "UPDATE boards SET games = games - 1 WHERE id = (SELECT board FROM games WHERE id = ?1)",
                "DELETE FROM other_sources WHERE game = ?1",
                "DELETE FROM edited WHERE name = 'games' AND id = ?1",
                "DELETE FROM games WHERE id = ?1",
            ] {
                self.change(part, [id])?;
            }
        }
        self.settle_index()
    }

    /// Removes a tree, with what it says about positions.
    fn remove_tree(&self, id: i64) -> Result<(), Error> {
        for part in [
            "tree_moves WHERE tree = ?1",
            "notes WHERE tree = ?1",
            "edited WHERE name = 'trees' AND id = ?1",
            "trees WHERE id = ?1",
        ] {
            self.change(&format!("DELETE FROM {part}"), [id])?;
        }
        Ok(())
    }
}
