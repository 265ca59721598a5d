//! [`Analysis`]: what an engine thinks of a position, kept until a deeper search replaces it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use rusqlite::types::Null;
use rusqlite::types::Value as SqlValue;
use rusqlite::{params, params_from_iter};
use serde_json::Value as Json;
use tengen_engine::{Bound, Placement, Point, Score, Side};

use crate::Error;
use crate::explore::Value;
use crate::find::{Filter, find};
use crate::position::PositionAsked;
use crate::ruleset::Ruleset;
use crate::store::Shelf;
use crate::yxdb::{Database, Entry};

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Analysis {
    /// The score for the side to move.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// The depth.
    pub depth: u32,
    /// The nodes.
    pub nodes: u64,
    /// The best line, as points.
    pub line: Vec<Point>,
    /// The name of the engine.
    pub engine: String,
    /// The time of the search, in seconds since 1970.
    pub at: u64,
}

/// Which values of engines are meant: those that fit all fields. The default means all.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ValueFilter {
    /// A part of the name of the engine.
    pub engine: Option<String>,
    /// A day such as `2026-01-31`: values from before it.
    pub before: Option<String>,
    /// Values of a search with less depth.
    pub below_depth: Option<u32>,
}

/// A position that occurs often.
#[derive(Clone, Debug)]
pub struct OftenPosition {
    /// The position.
    pub position: PositionAsked,
    /// The number of games that reached it.
    pub games: u64,
}

/// The depth and the nodes of the stored search of a position; `None` for a proof, which stays.
type Effort = Option<(i64, i64)>;

/// The key of a position that games reached often, how many, and one of them; `None` for any.
type Frequent = (i64, u64, Option<i64>);

/// A text of a row that may be missing.
type Text = Option<String>;

/// Adds a row of the table `analysis`, or replaces the value of a row. Its label and comment stay.
const REPLACE: &str = "INSERT INTO analysis (key, board, position, cp, mate, bound, depth, nodes, line, engine, \
    at, label, comment) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
    ON CONFLICT DO UPDATE SET cp = excluded.cp, mate = excluded.mate, bound = excluded.bound, \
    depth = excluded.depth, nodes = excluded.nodes, line = excluded.line, engine = excluded.engine, at = excluded.at";

impl Shelf {
    /// Keeps an analysis of a position. A deeper one replaces a shallower one, and a proof stays until
    /// `forget_values` removes it. Returns whether it was kept.
    pub fn keep_analysis(
        &mut self,
        asked: &PositionAsked,
        analysis: &Analysis,
    ) -> Result<bool, Error> {
        self.write(|shelf| {
            let key = asked.walker().key();
            let is_better = match shelf.effort(key)? {
                None => true,
                Some(None) => false,
                Some(Some(before)) => {
                    let effort = (i64::from(analysis.depth), analysis.nodes as i64);
                    analysis.score.is_decisive() || effort > before
                }
            };
            if is_better {
                shelf.store_analysis(key, asked, analysis)?;
            }
            Ok(is_better)
        })
    }

    /// Sets the value of a position that is stored and not proven.
    pub(crate) fn set_value(&self, key: i64, value: Value) -> Result<(), Error> {
        let (cp, mate) = value.columns();
        let update = "UPDATE analysis SET cp = ?2, mate = ?3 WHERE key = ?1 AND mate IS NULL";
        self.change(update, params![key, cp, mate]).map(drop)
    }

    /// Removes the values of engines, proofs too, that fit all of `values`. Labels and comments stay. Returns how many.
    pub fn forget_values(&mut self, values: &ValueFilter) -> Result<u64, Error> {
        let ValueFilter { engine, before, below_depth } = values;
        if let Some(day) = before {
            let is_day = self.count("SELECT date(?1) IS ?1", [day])? == 1;
            if !is_day {
                return Err(Error::refused("day", day, "write it such as 2026-01-31"));
            }
        }
        self.write_change("forget values", |shelf| {
            let update = "UPDATE analysis SET cp = NULL, mate = NULL, bound = NULL, depth = NULL, nodes = NULL, \
                          line = NULL, engine = NULL, at = NULL WHERE (cp IS NOT NULL OR mate IS NOT NULL) \
                          AND (?1 IS NULL OR instr(lower(engine), lower(?1)) > 0) \
                          AND (?2 IS NULL OR at < unixepoch(?2)) AND (?3 IS NULL OR depth < ?3)";
            let forgotten = shelf.change(update, params![engine, before, below_depth])?;
            let empty = "DELETE FROM analysis WHERE cp IS NULL AND mate IS NULL AND label IS NULL AND comment IS NULL";
            shelf.change(empty, [])?;
            Ok(forgotten as u64)
        })
    }

    /// Returns the effort of the stored search; `None` if none is stored.
    fn effort(&self, key: i64) -> Result<Option<Effort>, Error> {
        let select = "SELECT mate, depth, nodes FROM analysis WHERE key = ?1 AND depth IS NOT NULL";
        let row: Option<(Option<i64>, i64, Option<i64>)> = self.row(select, [key])?;
        let effort = |(mate, depth, nodes): (Option<i64>, i64, Option<i64>)| {
            mate.is_none().then_some((depth, nodes.unwrap_or(0)))
        };
        Ok(row.map(effort))
    }

    /// Keeps a row of the table `analysis`: its value if it is deeper, or a proof that was not known.
    /// Labels and comments are kept where there is none, but a label of one letter replaces a text. Returns
    /// whether the value was kept.
    pub(crate) fn keep_row(&self, row: Vec<SqlValue>) -> Result<bool, Error> {
        const IF_DEEPER: &str = "WHERE mate IS NULL AND (excluded.mate IS NOT NULL \
            OR (excluded.depth, excluded.nodes) > (coalesce(depth, -1), coalesce(nodes, -1)))";
        // The text on a point, of several letters, is stored first. The label of the position after the move replaces it.
        const WORDS: &str = "UPDATE analysis SET label = CASE WHEN length(label) > 1 AND length(?2) = 1 THEN ?2 \
            ELSE coalesce(label, ?2) END, comment = coalesce(comment, ?3) WHERE key = ?1";
        let words = [0, 11, 12].map(|column: usize| row[column].clone());
        let kept = self.change(&format!("{REPLACE} {IF_DEEPER}"), params_from_iter(row))?;
        self.change(WORDS, params_from_iter(words))?;
        Ok(kept > 0)
    }

    /// Keeps a position of a database. `ruleset` is that of its game, with the id `id`.
    pub(crate) fn keep_entry(
        &self,
        ruleset: &Ruleset,
        id: i64,
        entry: &Entry,
    ) -> Result<(), Error> {
        let cell = |(x, y): (u8, u8)| ruleset.cell(Point { column: x.into(), row: y.into() });
        let mut placement = Placement::empty(ruleset.grid());
        for (side, points) in [Side::First, Side::Second].into_iter().zip(&entry.stones) {
            for point in points {
                placement.stones[usize::from(cell(*point))] = Some(side);
            }
        }
        placement.turn = entry.turn;
        let (cp, mate) = entry.value.map_or((None, None), |(value, _)| value.columns());
        let row = |position: &Placement, label: Option<&String>| {
            let key = ruleset.keys.start(Some(position)).key();
            let position = ruleset.fen(&ruleset.canonical(position));
            let mut row = vec![SqlValue::Null; 13];
            (row[0], row[1], row[2]) = (key.into(), id.into(), position.into());
            row[11] = label.cloned().into();
            row
        };
        let mut whole = row(&placement, entry.label.as_ref());
        let bound = entry.value.map(|(_, bound)| bound.to_owned());
        (whole[3], whole[4], whole[5]) = (cp.into(), mate.into(), bound.into());
        whole[6] = entry.value.map(|_| entry.depth).into();
        whole[12] = entry.comment.clone().into();
        self.keep_row(whole)?;
        // A text on a point is about the move to it.
        for (point, text) in &entry.texts {
            let is_inside = u32::from(point.0) < ruleset.grid().width()
                && u32::from(point.1) < ruleset.grid().height();
            if !is_inside || placement.stones[usize::from(cell(*point))].is_some() {
                continue;
            }
            let mut after = placement.clone();
            after.stones[usize::from(cell(*point))] = Some(after.turn);
            after.turn = after.turn.other();
            self.keep_row(row(&after, Some(text)))?;
        }
        Ok(())
    }

    /// Returns the positions with a value, a label or a comment of the ruleset with this name, or of all
    /// rulesets; and the number of those that a database cannot hold.
    pub fn database(&mut self, ruleset: Option<&str>) -> Result<(Database, u64), Error> {
        const PORTION: i64 = 4096;
        let only = ruleset.map(|name| self.ruleset_id(name)).transpose()?.flatten();
        let only = if ruleset.is_some() { Some(only.unwrap_or(-1)) } else { None };
        let select = "SELECT key, board, position, cp, mate, bound, coalesce(depth, 0), label, comment FROM analysis \
                      WHERE key > ?1 AND (?3 IS NULL OR board = ?3) ORDER BY key LIMIT ?2";
        let (mut database, mut left_out) = (Database::default(), 0);
        let mut notes = self.commented(only)?;
        let mut last = i64::MIN;
        loop {
            let rows = self.rows(select, params![last, PORTION, only])?;
            if rows.is_empty() {
                break;
            }
            for row in rows {
                let position: String;
                let (ruleset, cp, mate, depth): (_, _, _, i64);
                let (bound, label, comment): (Text, Text, Text);
                (last, ruleset, position, cp, mate, bound, depth, label, comment) = row;
                let ruleset = self.ruleset(ruleset)?;
                let position = ruleset.read_fen(&position)?;
                let value = Value::of_columns(cp, mate);
                let value = value.map(|value| (value, bound.as_deref().unwrap_or("exact")));
                let note = notes.remove(&last).map(|(.., note)| note);
                let comment = match (comment, note) {
                    (Some(one), Some(other)) if one != other => Some(format!("{one}\n{other}")),
                    (one, other) => one.or(other),
                };
                let (label, comment) = (label.as_deref(), comment.as_deref());
                let is_held = database.add(&ruleset, &position, value, depth, label, comment);
                left_out += u64::from(!is_held);
            }
        }
        for (board, position, note) in notes.into_values() {
            let ruleset = self.ruleset(board)?;
            let position = ruleset.canonical(&position);
            left_out += u64::from(!database.add(&ruleset, &position, None, 0, None, Some(&note)));
        }
        database.place_texts();
        Ok((database, left_out))
    }

    fn store_analysis(
        &self,
        key: i64,
        asked: &PositionAsked,
        analysis: &Analysis,
    ) -> Result<(), Error> {
        let ruleset = self.ruleset_id(&asked.ruleset().name)?;
        let position = asked.ruleset().fen(&asked.ruleset().canonical(&asked.placement()));
        let orientation = asked.walker().orientation();
        let keys = &asked.ruleset().keys;
        let cells = analysis.line.iter().map(|point| asked.ruleset().cell(*point));
        let line: Json = cells.map(|cell| keys.image(orientation, cell)).collect();
        let (cp, mate) = Value::from(analysis.score).columns();
        let bound = match analysis.bound {
            Bound::Exact => "exact",
            Bound::Lower => "lower",
            Bound::Upper => "upper",
        };
        let Analysis { depth, nodes, engine, at, .. } = analysis;
        let (nodes, at, line) = (*nodes as i64, *at as i64, line.to_string());
        let row = params![
            key, ruleset, position, cp, mate, bound, depth, nodes, line, engine, at, Null, Null
        ];
        self.change(REPLACE, row).map(drop)
    }

    /// Returns the positions that at least `often` of the games reached which `filter` takes, the most frequent first. The
    /// filter names a ruleset. Positions whose game is over or that have a proof are left out, and those whose stored search has
    /// `nodes` nodes or more.
    pub fn often(
        &mut self,
        filter: &Filter,
        often: u64,
        nodes: u64,
    ) -> Result<Vec<OftenPosition>, Error> {
        let keys = match filter.is_open() {
            true => self.often_of_all(often, nodes)?,
            false => self.often_of(filter, often, nodes)?,
        };
        let mut positions = Vec::new();
        for (key, games, id) in keys {
            let Some(id) = id.map_or_else(|| self.any_game(key), |id| Ok(Some(id)))? else {
                continue;
            };
            let game = self.indexed_game(id)?;
            if filter.ruleset.as_ref().is_some_and(|name| game.ruleset.name != *name) {
                continue;
            }
            let Some(position) = PositionAsked::in_game(&game, key) else { continue };
            let mut by_rules = self.catalog.position(&game.ruleset.spec);
            if position.set_up(by_rules.as_mut()).is_ok() && by_rules.outcome().is_none() {
                positions.push(OftenPosition { position, games });
            }
        }
        Ok(positions)
    }

    /// Returns the keys of positions that all games reached often, how many, and no game.
    fn often_of_all(&self, often: u64, nodes: u64) -> Result<Vec<Frequent>, Error> {
        let select = "SELECT counts.key, sum(games) FROM counts LEFT JOIN analysis ON analysis.key = counts.key \
                      WHERE mate IS NULL AND coalesce(analysis.nodes, -1) < ?2 \
                      GROUP BY counts.key HAVING sum(games) >= ?1 ORDER BY 2 DESC, 1";
        let keys: Vec<(i64, i64)> = self.rows(select, [often as i64, nodes as i64])?;
        Ok(keys.into_iter().map(|(key, games)| (key, games as u64, None)).collect())
    }

    /// Returns the keys of positions that the games of a filter reached often, how many, and one of the games.
    fn often_of(
        &mut self,
        filter: &Filter,
        often: u64,
        nodes: u64,
    ) -> Result<Vec<Frequent>, Error> {
        let done = "SELECT key FROM analysis WHERE mate IS NOT NULL OR coalesce(nodes, -1) >= ?1";
        let done: HashSet<i64> = self.column(done, [nodes as i64])?.into_iter().collect();
        let reached = self.reached_by(filter)?.into_iter();
        let mut keys: Vec<Frequent> = reached
            .filter(|(key, (games, _))| *games >= often && !done.contains(key))
            .map(|(key, (games, id))| (key, games, Some(id)))
            .collect();
        keys.sort_unstable_by_key(|(key, games, _)| (Reverse(*games), *key));
        Ok(keys)
    }

    /// Returns how many of the games that `filter` takes reached each position, and one of them, by the key.
    fn reached_by(&mut self, filter: &Filter) -> Result<HashMap<i64, (u64, i64)>, Error> {
        let mut reached: HashMap<i64, (u64, i64)> = HashMap::new();
        for id in find(self, filter, None, None, None, &|| false)?.ids {
            let game = self.indexed_game(id)?;
            let mut keys = HashSet::new();
            game.walk(|_, walker, _| {
                keys.insert(walker.key());
            });
            for key in keys {
                reached.entry(key).or_insert((0, id)).0 += 1;
            }
        }
        Ok(reached)
    }

    /// Returns the keys of the positions that the games of a filter reached.
    pub fn keys_of_games(&mut self, filter: &Filter) -> Result<HashSet<i64>, Error> {
        Ok(self.reached_by(filter)?.into_keys().collect())
    }

    /// Returns the keys of the positions of the trees of a ruleset: of all, or of those of a file whose name contains `source`.
    pub fn keys_of_trees(
        &self,
        ruleset: &str,
        source: Option<&str>,
    ) -> Result<HashSet<i64>, Error> {
        let sources = match source {
            Some(part) => self.named("SELECT id, name FROM sources", part)?,
            None => self.column("SELECT id FROM sources", [])?,
        };
        let select = "SELECT key, child FROM tree_moves JOIN trees ON trees.id = tree \
                      JOIN boards ON boards.id = trees.board \
                      WHERE boards.name = ?1 AND source IN (SELECT value FROM json_each(?2))";
        let sources = Json::from(sources).to_string();
        let moves: Vec<(i64, i64)> = self.rows(select, params![ruleset, sources])?;
        Ok(moves.into_iter().flat_map(|(key, child)| [key, child]).collect())
    }
}
