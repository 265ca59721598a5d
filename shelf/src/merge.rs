//! [`Shelf::merge`]: adds everything of another shelf.

use std::collections::HashMap;

use rusqlite::params;
use rusqlite::types::Value;
use serde_json::Value as Json;

use crate::Error;
use crate::add::{Added, Adder, add_tree};
use crate::date::read_date;
use crate::game::{Game, Tree, TreeMove};
use crate::import::id_of_choice;
use crate::store::Shelf;

/// The games of a transaction.
const PORTION: usize = 20_000;

/// What a merge did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Merged {
    /// The number of new games.
    pub new: u64,
    /// The number of games that the shelf had.
    pub known: u64,
    /// The number of positions whose analysis was added, or replaced by a deeper one.
    pub analysis: u64,
}

impl Shelf {
    /// Adds the games, trees and analysis of `other`, and indexes the games. A merge that was killed is
    /// continued by the same call. `progress` gets the numbers of games stored and indexed; `false` ends
    /// the work.
    pub fn merge(
        &mut self,
        other: &mut Self,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Merged, Error> {
        self.begin_change(&format!("merge {}", other.path().display()))?;
        let merged = self.merge_all(other, progress);
        self.end_change()?;
        let merged = merged?;
        self.index(progress)?;
        self.finish()?;
        Ok(merged)
    }

    fn merge_all(
        &mut self,
        other: &mut Self,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Merged, Error> {
        let mut merged = Merged::default();
        let sources = self.write(|shelf| shelf.add_sources(other))?;
        let ids: Vec<i64> = other.column("SELECT id FROM games ORDER BY id", [])?;
        let mut adder = Adder::default();
        let mut nodes = TreeNodes::read(other)?;
        for portion in ids.chunks(PORTION) {
            self.write(|shelf| {
                adder.refresh(shelf)?;
                for id in portion {
                    match add_game(shelf, other, &mut adder, &mut nodes, *id, &sources)? {
                        Added::New => merged.new += 1,
                        _ => merged.known += 1,
                    }
                }
                Ok(())
            })?;
            if !progress(portion.len() as u64) {
                return Err(Error::Stopped);
            }
        }
        self.write(|shelf| {
            adder.refresh(shelf)?;
            add_libraries(shelf, other, &mut adder, &mut nodes, &sources)?;
            merged.analysis = add_analysis(shelf, other, &mut adder)?;
            shelf.merge_comments(other)?;
            for (alias, name) in other.aliases()? {
                let insert = "INSERT OR IGNORE INTO aliases (alias, name) VALUES (?1, ?2)";
                shelf.change(insert, [alias, name])?;
            }
            for (name, options) in
                other.rows::<(String, String)>("SELECT name, options FROM queries", [])?
            {
                let insert = "INSERT OR IGNORE INTO queries (name, options) VALUES (?1, ?2)";
                shelf.change(insert, [name, options])?;
            }
            finish_sources(shelf, other, &sources)
        })?;
        Ok(merged)
    }

    /// Adds the files of another shelf. Returns the ids here by the ids there.
    fn add_sources(&self, other: &Self) -> Result<Sources, Error> {
        let found: Vec<(i64, String, i64, String)> =
            other.rows("SELECT id, name, digest, choice FROM sources", [])?;
        let known = "SELECT id FROM sources WHERE digest = ?1 AND choice = ?2";
        let mut sources = Sources::new();
        for (id, name, digest, choice) in found {
            let choice = id_of_choice(&choice).unwrap_or(choice);
            let here = match self.value(known, params![digest, choice])? {
                Some(known) => known,
                None => self.add_source(&name, digest, &choice)?,
            };
            self.note_name(here, &name)?;
            sources.insert(id, here);
        }
        let names: Vec<(i64, String)> = other.rows("SELECT source, name FROM other_names", [])?;
        for (source, name) in names {
            self.note_name(sources.get(&source).copied().unwrap_or(source), &name)?;
        }
        Ok(sources)
    }

    /// Returns a game as it was added, with its file and its number there.
    fn game_to_add(&mut self, id: i64) -> Result<(Game, i64, i64), Error> {
        let found = self.game(id)?;
        let select = "SELECT board, moves, ended, source FROM games WHERE id = ?1";
        let missing = || self.damaged(format!("game {id} is missing"));
        let row: (i64, Vec<u8>, Option<i64>, i64) = self.row(select, [id])?.ok_or_else(missing)?;
        let (ruleset, moves, ended, source) = row;
        let ruleset = self.ruleset(ruleset)?;
        let start = found.start.as_deref().map(|text| ruleset.read_fen(text)).transpose()?;
        let headers = (!found.headers.is_empty()).then(|| Json::Object(found.headers).to_string());
        let game = Game {
            players: found.players,
            event: found.event,
            rule: found.rule,
            round: found.round,
            date: found.date.as_deref().and_then(|text| read_date(text).0),
            result: found.result,
            ending: found.ending,
            opening: found.opening,
            marks: found.marks,
            ended: ended.map(|ended| ended as usize),
            start,
            moves: ruleset.unpack(&moves),
            rest: found.rest,
            headers,
            ruleset,
        };
        Ok((game, source, found.source.1))
    }

    /// Returns the trees that fulfil a condition with the number `given`: their id, ruleset, file, number in
    /// it, and contents.
    fn trees(
        &self,
        nodes: &mut TreeNodes,
        condition: &'static str,
        given: i64,
    ) -> Result<Vec<StoredTree>, Error> {
        let select =
            format!("SELECT id, board, source, number, nodes, sgf FROM trees WHERE {condition}");
        let trees = self.rows(&select, [given])?.into_iter();
        let tree = |(id, ruleset, source, number, count, sgf): (i64, _, _, _, i64, _)| {
            let (moves, notes) = nodes.take(id);
            (id, ruleset, source, number, Tree { nodes: count as usize, sgf, moves, notes })
        };
        Ok(trees.map(tree).collect())
    }
}

/// A tree of the other shelf: its id, ruleset, file, number in it, and contents.
type StoredTree = (i64, i64, i64, i64, Tree);

/// Moves of a tree, and keys of positions with comments.
type Nodes = (Vec<TreeMove>, Vec<(i64, String)>);

/// What the trees of a shelf say about positions, by the id of the tree. The tables are in the order of
/// positions, so they are read once.
struct TreeNodes(HashMap<i64, Nodes>);

impl TreeNodes {
    fn read(shelf: &Shelf) -> Result<Self, Error> {
        let mut trees: HashMap<i64, Nodes> = HashMap::new();
        let select = "SELECT tree, key, move, child, label FROM tree_moves";
        for (tree, key, mv, child, label) in shelf.rows(select, [])? {
            let moves = &mut trees.entry(tree).or_default().0;
            moves.push(TreeMove { key, mv, child, label });
        }
        for (tree, key, comment) in shelf.rows("SELECT tree, key, comment FROM notes", [])? {
            trees.entry(tree).or_default().1.push((key, comment));
        }
        Ok(Self(trees))
    }

    fn take(&mut self, tree: i64) -> Nodes {
        self.0.remove(&tree).unwrap_or_default()
    }
}

/// The ids of the files of the other shelf, and their ids here.
type Sources = HashMap<i64, i64>;

/// Adds a game of `other` with its trees.
fn add_game(
    shelf: &mut Shelf,
    other: &mut Shelf,
    adder: &mut Adder,
    nodes: &mut TreeNodes,
    id: i64,
    sources: &Sources,
) -> Result<Added, Error> {
    let (game, source, number) = other.game_to_add(id)?;
    let source = sources.get(&source).copied().unwrap_or(source);
    let ruleset = adder.ruleset(shelf, &game.ruleset)?;
    let (here, added) = adder.add_game(shelf, ruleset, &game, source, number)?;
    let select = "SELECT source, number FROM other_sources WHERE game = ?1";
    for (source, number) in other.rows::<(i64, i64)>(select, [id])? {
        shelf.note_source(here, sources.get(&source).copied().unwrap_or(source), number)?;
    }
    if other.is_edited("games", id)? {
        shelf.note_edit("games", here)?;
    }
    for (tree_id, .., tree) in other.trees(nodes, "game = ?1", id)? {
        let tree = add_tree(shelf, &tree, ruleset, source, number, Some(here))?;
        if other.is_edited("trees", tree_id)? {
            shelf.note_edit("trees", tree)?;
        }
    }
    Ok(added)
}

/// Adds the trees of `other` that have no game.
fn add_libraries(
    shelf: &mut Shelf,
    other: &mut Shelf,
    adder: &mut Adder,
    nodes: &mut TreeNodes,
    sources: &Sources,
) -> Result<(), Error> {
    for (id, ruleset, source, number, tree) in other.trees(nodes, "game IS NULL AND id > ?1", 0)? {
        let ruleset = other.ruleset(ruleset)?;
        let ruleset = adder.ruleset(shelf, &ruleset)?;
        let source = sources.get(&source).copied().unwrap_or(source);
        let tree = add_tree(shelf, &tree, ruleset, source, number, None)?;
        if other.is_edited("trees", id)? {
            shelf.note_edit("trees", tree)?;
        }
    }
    Ok(())
}

/// Adds the analysis of `other` that is deeper. Returns the number of positions.
fn add_analysis(shelf: &mut Shelf, other: &mut Shelf, adder: &mut Adder) -> Result<u64, Error> {
    let select = "SELECT key, board, position, cp, mate, bound, depth, nodes, line, engine, at, label, comment \
                  FROM analysis ORDER BY key";
    let rows: Vec<Vec<Value>> =
        other.rows_by(select, [], |row| (0..13).map(|column| row.get(column)).collect())?;
    let mut added = 0;
    for mut row in rows {
        if let Value::Integer(ruleset) = row[1] {
            let ruleset = other.ruleset(ruleset)?;
            row[1] = adder.ruleset(shelf, &ruleset)?.into();
        }
        added += u64::from(shelf.keep_row(row)?);
    }
    Ok(added)
}

/// Adds the games that cannot be read, and notes which files are done.
fn finish_sources(shelf: &Shelf, other: &Shelf, sources: &Sources) -> Result<(), Error> {
    let problems: Vec<(i64, i64, String)> =
        other.rows("SELECT source, number, text FROM problems", [])?;
    let insert = "INSERT OR IGNORE INTO problems (source, number, text) VALUES (?1, ?2, ?3)";
    for (source, number, text) in problems {
        shelf.change(insert, params![sources.get(&source), number, text])?;
    }
    let done: Vec<(i64, i64, bool)> = other.rows("SELECT id, games, done FROM sources", [])?;
    let update = "UPDATE sources SET games = max(games, ?2), done = max(done, ?3) WHERE id = ?1";
    for (source, games, done) in done {
        shelf.change(update, params![sources.get(&source), games, done])?;
    }
    Ok(())
}
