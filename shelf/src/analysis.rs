//! [`Analysis`]: what an engine thinks of a position, kept until a deeper search replaces it.

use rusqlite::{OptionalExtension, params};
use serde_json::Value as Json;
use tengen_engine::{Bound, Point, Score};

use crate::Error;
use crate::explore::Value;
use crate::place::PositionAsked;
use crate::store::Shelf;

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

impl Shelf {
    /// Keeps an analysis of a position. A deeper one replaces a shallower one, and a proof stays for
    /// ever. Returns whether it was kept.
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
        let (cp, mate) = match value {
            Value::Cp(cp) => (Some(cp), None),
            Value::Mate(plies) => (None, Some(plies)),
        };
        let update = "UPDATE analysis SET cp = ?2, mate = ?3 WHERE key = ?1 AND mate IS NULL";
        self.sql(|db| db.prepare_cached(update)?.execute(params![key, cp, mate])).map(drop)
    }

    /// Returns the effort of the stored search; `None` if none is stored.
    fn effort(&self, key: i64) -> Result<Option<Effort>, Error> {
        let select = "SELECT mate, depth, nodes FROM analysis WHERE key = ?1 AND depth IS NOT NULL";
        let row = |row: &rusqlite::Row<'_>| {
            let mate: Option<i64> = row.get(0)?;
            let (depth, nodes) = (row.get(1)?, row.get::<_, Option<i64>>(2)?.unwrap_or(0));
            Ok(mate.is_none().then_some((depth, nodes)))
        };
        self.sql(|db| db.prepare_cached(select)?.query_row([key], row).optional())
    }

    fn store_analysis(
        &self,
        key: i64,
        asked: &PositionAsked,
        analysis: &Analysis,
    ) -> Result<(), Error> {
        let board = self.board_id(&asked.board().name)?;
        let position = asked.board().fen(&asked.board().canonical(&asked.placement()));
        let orientation = asked.walker().orientation();
        let symmetries = asked.board().keys.symmetries();
        let cells = analysis.line.iter().map(|point| asked.board().cell(*point));
        let line: Json = cells.map(|cell| symmetries.image(orientation, cell)).collect();
        let (cp, mate) = numbers(analysis.score);
        let bound = match analysis.bound {
            Bound::Exact => "exact",
            Bound::Lower => "lower",
            Bound::Upper => "upper",
        };
        let insert = "INSERT INTO analysis (key, board, position, cp, mate, bound, depth, nodes, line, engine, at) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO UPDATE SET cp = excluded.cp, \
            mate = excluded.mate, bound = excluded.bound, depth = excluded.depth, nodes = excluded.nodes, \
            line = excluded.line, engine = excluded.engine, at = excluded.at";
        let values = params![
            key,
            board,
            position,
            cp,
            mate,
            bound,
            analysis.depth,
            analysis.nodes as i64,
            line.to_string(),
            analysis.engine,
            analysis.at as i64
        ];
        self.sql(|db| db.prepare_cached(insert)?.execute(values)).map(drop)
    }

    /// Returns the positions on a board that at least `often` games reached, the most frequent first.
    /// Positions with a proof are left out, and those whose stored search has `nodes` nodes or more.
    pub fn often(
        &mut self,
        board: &str,
        often: u64,
        nodes: u64,
    ) -> Result<Vec<OftenPosition>, Error> {
        let select = "SELECT counts.key, sum(games) FROM counts LEFT JOIN analysis ON analysis.key = counts.key \
                      WHERE mate IS NULL AND coalesce(analysis.nodes, -1) < ?2 \
                      GROUP BY counts.key HAVING sum(games) >= ?1 ORDER BY 2 DESC, 1";
        let keys: Vec<(i64, i64)> = self.sql(|db| {
            let mut select = db.prepare(select)?;
            let given = params![often as i64, nodes as i64];
            select.query_map(given, |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        let mut positions = Vec::new();
        for (key, games) in keys {
            let Some(id) = self.sql(|db| crate::index::any_game(db, key))? else { continue };
            let game = self.indexed_game(id)?;
            if game.board.name != board {
                continue;
            }
            let position = PositionAsked::in_game(&game, key);
            positions
                .extend(position.map(|position| OftenPosition { position, games: games as u64 }));
        }
        Ok(positions)
    }
}

/// Returns a score in centipawns, or in plies to the end.
fn numbers(score: Score) -> (Option<i64>, Option<i64>) {
    match score.plies() {
        Some(plies) if score.is_loss() => (None, Some(-i64::from(plies))),
        Some(plies) => (None, Some(i64::from(plies))),
        None => (Some(i64::from(score.raw())), None),
    }
}
