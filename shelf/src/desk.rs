//! [`Shelf::edit_tree`]: trees of variations that a person edits: the desk.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::params;
use tengen_engine::{Point, Side};
use tengen_records::{PropertyValue, Record, RecordNodeId, write_letters};

use crate::Error;
use crate::add::{add_tree, replace_tree};
use crate::edit::{check_comment, check_text};
use crate::export::tree_record;
use crate::game::Tree;
use crate::judge::{is_engine_note, tree_of};
use crate::position::PositionAsked;
use crate::ruleset::Ruleset;
use crate::store::Shelf;
use crate::trees::{start_of, walk};

/// The name of the file that trees have which were made in the shelf.
const DESK: &str = "desk";
/// The most nodes of such a tree, to which moves are added: each edit keeps the whole tree as it was.
const MOST_NODES: i64 = 500;

/// What is changed in trees of variations at a position, which the last move leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TreeEdit {
    /// The line to the position is added.
    Add,
    /// The last move is removed, with all moves after it.
    Remove,
    /// The text on the point of the last move; empty for none.
    Label(String),
    /// The comment of the position; empty for none.
    Comment(String),
}

impl TreeEdit {
    /// Returns what the journal says about it.
    fn what(&self) -> &'static str {
        match self {
            Self::Add => "add moves to a tree",
            Self::Remove => "remove a branch of a tree",
            Self::Label(_) => "label a point in a tree",
            Self::Comment(_) => "comment in a tree",
        }
    }
}

impl Shelf {
    /// Changes trees of variations at the position `asked`. Without `tree`, the number of a tree, a branch is removed from all trees
    /// without a game, and a text is set in those that have the move; moves and comments, and the text on another move, are written into a tree of the
    /// shelf itself. Returns how many trees have changed.
    pub fn edit_tree(
        &mut self,
        asked: &PositionAsked,
        tree: Option<i64>,
        edit: &TreeEdit,
    ) -> Result<u64, Error> {
        match edit {
            TreeEdit::Label(text) => check_text("label", text.trim(), "")?,
            TreeEdit::Comment(text) => check_comment(text)?,
            TreeEdit::Add | TreeEdit::Remove => {}
        }
        let needs_move = !matches!(edit, TreeEdit::Comment(_));
        if needs_move && asked.moves().next().is_none() {
            let why = "a move is needed: none leads to this position";
            return Err(Error::wrong("moves", why.to_owned()));
        }
        self.write_change(edit.what(), |shelf| {
            let mut changed = 0;
            for id in shelf.trees_to_edit(asked, tree, edit)? {
                changed += u64::from(shelf.edit_one(id, asked, edit)?);
            }
            Ok(changed)
        })
    }

    /// Returns the numbers of the trees that an edit changes.
    fn trees_to_edit(
        &mut self,
        asked: &PositionAsked,
        tree: Option<i64>,
        edit: &TreeEdit,
    ) -> Result<Vec<i64>, Error> {
        if let Some(id) = tree {
            let (_, ruleset) = self.library(id)?;
            if ruleset.name != asked.ruleset().name {
                let why = format!("tree {id} has another board: {}", ruleset.name);
                return Err(Error::wrong("tree", why));
            }
            return Ok(vec![id]);
        }
        if let TreeEdit::Comment(text) = edit {
            let select = "SELECT tree FROM notes JOIN trees ON trees.id = tree JOIN sources ON sources.id = source \
                          WHERE key = ?1 AND name = ?2 AND digest = 0 ORDER BY tree";
            let own = self.column(select, params![asked.walker().key(), DESK])?;
            let is_there = !own.is_empty() || text.trim().is_empty();
            return if is_there { Ok(own) } else { Ok(vec![self.own_tree(asked)?]) };
        }
        let Some((key, mv)) = last_move(asked) else { return Ok(Vec::new()) };
        let select = "SELECT trees.id, game FROM tree_moves JOIN trees ON trees.id = tree \
                      WHERE key = ?1 AND move = ?2 ORDER BY trees.id";
        let found: Vec<(i64, Option<i64>)> = self.rows(select, [key, mv])?;
        let libraries = found.iter().filter(|(_, game)| game.is_none()).map(|(id, _)| *id);
        let libraries: Vec<i64> = libraries.collect();
        match edit {
            TreeEdit::Add if !libraries.is_empty() => Ok(Vec::new()),
            TreeEdit::Remove if libraries.is_empty() => {
                let of_game = found.iter().find_map(|(id, game)| Some((*id, (*game)?)));
                Err(of_game.map_or_else(
                    || Error::wrong("moves", "no tree of variations has this move".to_owned()),
                    |(id, game)| {
                        let why = "has this move: name the tree";
                        Error::wrong("tree", format!("only tree {id} of game {game} {why}"))
                    },
                ))
            }
            TreeEdit::Label(text) if libraries.is_empty() && text.trim().is_empty() => {
                Ok(Vec::new())
            }
            _ if libraries.is_empty() => Ok(vec![self.own_tree(asked)?]),
            _ => Ok(libraries),
        }
    }

    /// Returns the number of a tree of the shelf itself with the start of `asked`, which is made if there is none with room.
    fn own_tree(&mut self, asked: &PositionAsked) -> Result<i64, Error> {
        let board = self.keep_ruleset(asked.ruleset())?;
        let known = "SELECT id FROM sources WHERE name = ?1 AND digest = 0";
        let source = match self.value(known, [DESK])? {
            Some(known) => known,
            None => self.add_source(DESK, 0, "")?,
        };
        let select = "SELECT id, sgf FROM trees WHERE source = ?1 AND board = ?2 AND game IS NULL \
                      AND nodes < ?3 ORDER BY id DESC";
        for (id, sgf) in self.rows::<(i64, String)>(select, params![source, board, MOST_NODES])? {
            if start_of(&tree_record(&sgf)?, &asked.ruleset) == asked.start() {
                return Ok(id);
            }
        }
        let mut record = Record::of_line(asked.ruleset.notation, asked.start().as_ref(), []);
        record.declare(&asked.ruleset.spec, self.catalog);
        let number = self
            .count("SELECT coalesce(max(number), 0) + 1 FROM trees WHERE source = ?1", [source])?;
        add_tree(self, &indexed(&record, &asked.ruleset), board, source, number as i64, None)
    }

    /// Changes a tree. Returns whether it has changed.
    fn edit_one(&mut self, id: i64, asked: &PositionAsked, edit: &TreeEdit) -> Result<bool, Error> {
        let (sgf, ruleset) = self.library(id)?;
        let record = tree_record(&sgf)?;
        let before = indexed(&record, &ruleset);
        let is_of_game: Option<i64> =
            self.value("SELECT game FROM trees WHERE id = ?1", [id])?.flatten();
        let mut desk = Desk::new(record, asked, is_of_game);
        match edit {
            TreeEdit::Add => desk.add()?,
            TreeEdit::Remove => desk.remove()?,
            TreeEdit::Label(text) => desk.label(text.trim())?,
            TreeEdit::Comment(text) => desk.comment(text.trim())?,
        }
        let after = indexed(&desk.record, &ruleset);
        if after.sgf == before.sgf {
            return Ok(false);
        }
        replace_tree(self, id, &before, &after)?;
        self.note_edit("trees", id)?;
        Ok(true)
    }
}

/// Returns the key of the position before the last move, and the move in its orientation; `None` without a move.
fn last_move(asked: &PositionAsked) -> Option<(i64, i64)> {
    let point = asked.moves().last()?;
    let (key, mv) = asked.before_last().walker().key_and_move(asked.ruleset.cell(point));
    Some((key, i64::from(mv)))
}

/// Returns a tree with what it says about positions.
fn indexed(record: &Record, ruleset: &Ruleset) -> Tree {
    tree_of(record, ruleset, &record.line_until_fault(ruleset.notation).0)
}

/// A tree that is edited at a position.
struct Desk<'a> {
    record: Record,
    asked: &'a PositionAsked,
    /// The game of the tree.
    game: Option<i64>,
    /// The nodes of the position before the last move, with the points of that move there.
    before: Vec<(RecordNodeId, Vec<Point>)>,
    /// The nodes of the position.
    at: Vec<RecordNodeId>,
    /// The nodes of the position that the last move leads to.
    after: Vec<RecordNodeId>,
}

impl<'a> Desk<'a> {
    fn new(record: Record, asked: &'a PositionAsked, game: Option<i64>) -> Self {
        let ruleset = &asked.ruleset;
        let (key, last) = (asked.walker().key(), last_move(asked));
        let (mut before, mut at, mut after) = (Vec::new(), Vec::new(), Vec::new());
        let mut keys: HashMap<RecordNodeId, i64> = HashMap::new();
        walk(&record, ruleset, &mut |here, _, (id, parent)| {
            let walker = here.walker();
            let here_key = walker.key();
            keys.insert(id, here_key);
            if here_key == key {
                at.push(id);
                if last
                    .is_some_and(|(before, _)| id != parent && keys.get(&parent) == Some(&before))
                {
                    after.push(id);
                }
            }
            if let Some((_, mv)) = last.filter(|(before, _)| *before == here_key) {
                let is_free = here.placement().stones;
                let cells = (0_u16..).zip(&is_free).filter(|(_, stone)| stone.is_none());
                let same = cells.map(|(cell, _)| cell);
                let same = same.filter(|cell| i64::from(walker.key_and_move(*cell).1) == mv);
                before.push((id, same.map(|cell| ruleset.point(cell)).collect()));
            }
        });
        Self { record, asked, game, before, at, after }
    }

    /// Adds the last move after the position before it, or the whole line.
    fn add(&mut self) -> Result<(), Error> {
        if !self.at.is_empty() && (self.asked.moves().next().is_none() || !self.after.is_empty()) {
            return Ok(());
        }
        let ruleset = Arc::clone(&self.asked.ruleset);
        let grid = ruleset.grid();
        if let Some((id, points)) = self.before.first()
            && let Some(point) = points.first()
        {
            let side = self.asked.before_last().placement().turn;
            let node = self.record.add_move(*id, side, *point, grid);
            self.at.push(node);
            self.after.push(node);
            return Ok(());
        }
        if start_of(&self.record, &ruleset) != self.asked.start() {
            let why = "the tree begins with another position";
            return Err(Error::wrong("tree", why.to_owned()));
        }
        let mut side = self.asked.start().map_or(Side::First, |start| start.turn);
        let mut node = self.record.root();
        for point in self.asked.moves() {
            let has_move = |id: &&RecordNodeId| {
                let mover = self.record.node(**id).mover();
                mover.is_some_and(|(by, value)| by == side && value.point(grid) == Some(point))
            };
            let known = self.record.node(node).children().iter().find(has_move).copied();
            node = known.unwrap_or_else(|| self.record.add_move(node, side, point, grid));
            side = side.other();
        }
        self.at.push(node);
        self.after.push(node);
        Ok(())
    }

    /// Removes the last move, all moves after it, and the text on its point.
    fn remove(&mut self) -> Result<(), Error> {
        let is_played = |id| self.after.contains(&id);
        if let Some(game) = self.game
            && self.record.main_line().any(is_played)
        {
            let why = format!("the move was played in game {game}: only variations are removed");
            return Err(Error::wrong("remove", why));
        }
        self.write_labels(None);
        self.record = self.record.without(&self.after);
        Ok(())
    }

    /// Sets the text on the point of the last move.
    fn label(&mut self, text: &str) -> Result<(), Error> {
        if text.is_empty() {
            self.write_labels(None);
            return Ok(());
        }
        if self.before.is_empty() {
            self.add()?;
            *self = Self::new(self.record.clone(), self.asked, self.game);
        }
        self.write_labels(Some(text));
        Ok(())
    }

    /// Replaces the texts on the images of the last move by one text.
    fn write_labels(&mut self, text: Option<&str>) {
        let grid = self.asked.ruleset.grid();
        for (id, points) in &self.before {
            let point_of = |value: &PropertyValue| {
                let text = value.text();
                let (point, _) = text.split_once(':')?;
                PropertyValue::new(point).point(grid)
            };
            let node = self.record.node_mut(*id);
            let is_other = |value: &&PropertyValue| {
                point_of(value).is_none_or(|point| !points.contains(&point))
            };
            let others: Vec<String> =
                node.values("LB").iter().filter(is_other).map(PropertyValue::text).collect();
            node.remove("LB");
            others.iter().for_each(|other| node.add("LB", other));
            let Some((text, first)) = text.zip(points.first().copied()) else { continue };
            let node = self.record.node(*id);
            let played = node.children().iter().filter_map(|child| {
                self.record.node(*child).mover().and_then(|(_, value)| value.point(grid))
            });
            let point = { played }.find(|point| points.contains(point)).unwrap_or(first);
            let label = format!("{}:{text}", write_letters(grid, point));
            self.record.node_mut(*id).add("LB", &label);
        }
    }

    /// Sets the comment of the position.
    fn comment(&mut self, text: &str) -> Result<(), Error> {
        if self.at.is_empty() && !text.is_empty() {
            self.add()?;
        }
        let is_of_engine = |id: &RecordNodeId| {
            self.record.node(*id).comment().is_some_and(|comment| is_engine_note(&comment))
        };
        let (engines, nodes): (Vec<_>, Vec<_>) = self.at.iter().partition(|id| is_of_engine(id));
        if nodes.is_empty() && !engines.is_empty() {
            let why = "the comment here is a note of an engine, and stays";
            return Err(Error::wrong("comment", why.to_owned()));
        }
        for (place, id) in nodes.into_iter().enumerate() {
            match place {
                0 if !text.is_empty() => self.record.node_mut(id).set("C", text),
                _ => self.record.node_mut(id).remove("C"),
            }
        }
        Ok(())
    }
}
