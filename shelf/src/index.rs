//! The index of positions: which games reached a position, and the counts of its moves.
//!
//! Games are indexed in batches, in the order of their ids. A batch is one transaction, so that a
//! killed import continues with the batch that was not finished. Rows are written in the order of
//! their keys, which keeps the pages of the file full and in memory.

use std::sync::Arc;

use rusqlite::Row;

use crate::Error;
use crate::condition::Condition;
use crate::key::Walker;
use crate::ruleset::Ruleset;
use crate::store::Shelf;

/// All positions with this many stones are in the index, later ones if two games reached them.
pub(crate) const EARLY_STONES: usize = 24;
/// The move that counts the games which ended in a position.
pub(crate) const NO_MOVE: i64 = -1;
/// The most positions of a batch: 16 bytes each. Each batch after the first writes almost every page of
/// the index anew, so few large ones are fast. With half as many again, a large import needs 500 MB.
const BATCH: usize = 8 << 20;
/// The most games that are indexed again at a time.
const AGAIN: usize = 20_000;
/// The bits of the filter in front of the late positions of a batch, as a power of two.
const FILTER_BITS: u32 = 26;

/// A game, as the index needs it.
#[derive(Clone)]
pub(crate) struct IndexedGame {
    pub(crate) id: i64,
    pub(crate) ruleset: Arc<Ruleset>,
    pub(crate) start: Option<tengen_engine::Placement>,
    /// The moves until its end.
    pub(crate) moves: Vec<u16>,
    pub(crate) date: Option<i64>,
    pub(crate) result: Option<i64>,
}

/// The condition of games that may have late positions: long ones, and those that
/// begin with stones.
pub(crate) const MAY_BE_LATE: &str = "(length(moves) > 24 OR start IS NOT NULL)";

/// Reads [`GameColumns`].
const GAMES: &str = "SELECT id, board, start, ended, moves, date, result FROM games";

/// A game that reached a position, and its next move.
#[derive(Clone, Copy)]
struct Reached {
    key: i64,
    /// The index of the game in its batch.
    game: u32,
    /// The move in the orientation of the key; [`NO_MOVE`] if the game ended.
    mv: i16,
}

/// The counts of a move: games, wins of the first player, draws, wins of the second, the last date.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) games: i64,
    pub(crate) first_wins: i64,
    pub(crate) draws: i64,
    pub(crate) second_wins: i64,
    pub(crate) last: i64,
}

impl Tally {
    /// Reads five columns of the table `counts`, from the column `at` on.
    pub(crate) fn read(row: &Row<'_>, at: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            games: row.get(at)?,
            first_wins: row.get(at + 1)?,
            draws: row.get(at + 2)?,
            second_wins: row.get(at + 3)?,
            last: row.get(at + 4)?,
        })
    }

    /// Returns the counts of one game.
    pub(crate) fn of(date: Option<i64>, result: Option<i64>) -> Self {
        let is = |value| i64::from(result == Some(value));
        let (first_wins, draws, second_wins) = (is(1), is(0), is(-1));
        Self { games: 1, first_wins, draws, second_wins, last: date.unwrap_or(0) }
    }

    /// Adds the counts of other games.
    pub(crate) fn add(&mut self, other: Self) {
        self.games += other.games;
        self.first_wins += other.first_wins;
        self.draws += other.draws;
        self.second_wins += other.second_wins;
        self.last = self.last.max(other.last);
    }
}

/// Returns the year of a date, or 0.
pub(crate) fn year(date: Option<i64>) -> i64 {
    date.map_or(0, |date| date / 10_000)
}

impl IndexedGame {
    /// Reads a game from a row of [`GAMES`].
    pub(crate) fn read(shelf: &mut Shelf, columns: GameColumns) -> Result<Self, Error> {
        let GameColumns { id, ruleset, start, ended, moves, date, result } = columns;
        let ruleset = shelf.ruleset(ruleset)?;
        let start = start.map(|text| ruleset.read_fen(&text)).transpose()?;
        let mut moves = ruleset.unpack(&moves);
        moves.truncate(ended.map_or(usize::MAX, |ended| ended as usize));
        Ok(Self { id, ruleset, start, moves, date, result })
    }

    /// Calls `visit` with the number of stones of each position, the position and its next move.
    pub(crate) fn walk(&self, mut visit: impl FnMut(usize, &Walker<'_>, Option<u16>)) {
        let mut walker = self.ruleset.keys.start(self.start.as_ref());
        let start = self.start.as_ref().map_or(0, |start| start.stones.iter().flatten().count());
        for (ply, cell) in self.moves.iter().enumerate() {
            visit(start + ply, &walker, Some(*cell));
            walker.play(*cell);
        }
        visit(start + self.moves.len(), &walker, None);
    }

    /// Returns the number of moves after which the game first reaches a position, and the position;
    /// `None` if it does not.
    pub(crate) fn reaches(&self, key: i64) -> Option<(usize, Walker<'_>)> {
        let mut walker = self.ruleset.keys.start(self.start.as_ref());
        let mut plies = 0;
        while walker.key() != key {
            walker.play(*self.moves.get(plies)?);
            plies += 1;
        }
        Some((plies, walker))
    }

    /// Returns the next move of the game in a position, in the orientation of its key; `None` if the
    /// game does not reach the position.
    pub(crate) fn move_at(&self, key: i64) -> Option<i64> {
        let (plies, walker) = self.reaches(key)?;
        Some(i64::from(move_of(&walker, self.moves.get(plies).copied()).1))
    }
}

/// Returns the key of a position and the next move in its orientation.
pub(crate) fn move_of(walker: &Walker<'_>, next: Option<u16>) -> (i64, i16) {
    match next {
        Some(cell) => {
            let (key, cell) = walker.key_and_move(cell);
            (key, cell as i16)
        }
        None => (walker.key(), NO_MOVE as i16),
    }
}

/// The row of a game.
pub(crate) struct GameColumns {
    pub(crate) id: i64,
    ruleset: i64,
    start: Option<String>,
    ended: Option<i64>,
    moves: Vec<u8>,
    date: Option<i64>,
    result: Option<i64>,
}

impl GameColumns {
    /// Reads a row of [`GAMES`].
    pub(crate) fn of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            ruleset: row.get(1)?,
            start: row.get(2)?,
            ended: row.get(3)?,
            moves: row.get(4)?,
            date: row.get(5)?,
            result: row.get(6)?,
        })
    }
}

impl Shelf {
    /// Returns the game with this id.
    pub(crate) fn indexed_game(&mut self, id: i64) -> Result<IndexedGame, Error> {
        let found = Condition::new("id = ?", [id]).rows(self, GAMES, "", GameColumns::of)?;
        let missing = || self.damaged(format!("game {id} is missing"));
        let columns = found.into_iter().next().ok_or_else(missing)?;
        IndexedGame::read(self, columns)
    }

    /// Calls `visit` with each game with an id above `from` that fulfils the condition `only`, in the
    /// order of ids, until it returns `false`.
    pub(crate) fn each_game(
        &mut self,
        from: i64,
        only: &Condition,
        mut visit: impl FnMut(IndexedGame) -> bool,
    ) -> Result<(), Error> {
        // Rows are read in portions, so that rulesets can be read in between.
        let mut last = from;
        loop {
            let next = only.clone().and("id > ?", [last]);
            let rows = next.rows(self, GAMES, "ORDER BY id LIMIT 4096", GameColumns::of)?;
            let Some(end) = rows.last().map(|row| row.id) else { return Ok(()) };
            last = end;
            for row in rows {
                if !visit(IndexedGame::read(self, row)?) {
                    return Ok(());
                }
            }
        }
    }

    /// Returns the number of games that are not indexed yet.
    pub fn not_indexed(&self) -> Result<u64, Error> {
        let indexed = self.meta("indexed")?;
        self.count("SELECT count(*) FROM games WHERE id > ?1", [indexed])
    }

    /// Returns the first two games that reached a position.
    pub(crate) fn first_games(&self, key: i64) -> Result<Vec<i64>, Error> {
        self.column("SELECT game FROM occurrences WHERE key = ?1 LIMIT 2", [key])
    }

    /// Returns a game that reached a position; `None` if no indexed game did.
    pub(crate) fn any_game(&self, key: i64) -> Result<Option<i64>, Error> {
        self.value("SELECT game FROM occurrences WHERE key = ?1 LIMIT 1", [key])
    }

    /// Indexes all games that are not indexed yet. Calls `on_batch` after each batch, with the number
    /// of its games; `false` ends the work.
    pub fn index(&mut self, mut on_batch: impl FnMut(u64) -> bool) -> Result<(), Error> {
        loop {
            let games = self.write(index_batch)?;
            if games == 0 {
                return Ok(());
            }
            if !on_batch(games) {
                return Err(Error::Stopped);
            }
        }
    }
}

/// Indexes the next games, and returns their number.
fn index_batch(shelf: &mut Shelf) -> Result<u64, Error> {
    let indexed = shelf.meta("indexed")?;
    let others = (indexed > 0).then(|| Condition::new("id <= ?", [indexed]));
    let (last, new) = index_games(shelf, indexed, &Condition::all(), others)?;
    if new > 0 {
        shelf.set_meta("indexed", last)?;
    }
    Ok(new)
}

/// Indexes games again that were taken out of the index, as far as the shelf has them. `sharing` are the other games that share late
/// positions with them; `None` looks for them in all games.
pub(crate) fn index_again(
    shelf: &mut Shelf,
    ids: &[i64],
    sharing: Option<Vec<i64>>,
) -> Result<(), Error> {
    let indexed = shelf.meta("indexed")?;
    let list = |ids: &[i64]| serde_json::Value::from(ids).to_string();
    for (at, chunk) in ids.chunks(AGAIN).enumerate() {
        let only = Condition::new("id <= ?", [indexed])
            .and("id IN (SELECT value FROM json_each(?))", [list(chunk)]);
        let others = Condition::new("id <= ?", [indexed])
            .and("id NOT IN (SELECT value FROM json_each(?))", [list(&ids[at * AGAIN..])]);
        let others = match &sharing {
            Some(sharing) => {
                let sharing = list(&[sharing.as_slice(), &ids[..at * AGAIN]].concat());
                others.and("id IN (SELECT value FROM json_each(?))", [sharing])
            }
            None => others,
        };
        index_games(shelf, 0, &only, Some(others))?;
    }
    Ok(())
}

/// Forgets the whole index.
pub(crate) fn wipe_index(shelf: &mut Shelf) -> Result<(), Error> {
    for table in ["occurrences", "counts"] {
        shelf.change(&format!("DELETE FROM {table}"), [])?;
    }
    shelf.set_meta("indexed", 0)
}

/// Indexes the games above `from` that fulfil a condition, up to the size of a batch. `others` are the games that were
/// indexed before. Returns the last id, and the number of games.
fn index_games(
    shelf: &mut Shelf,
    from: i64,
    only: &Condition,
    others: Option<Condition>,
) -> Result<(i64, u64), Error> {
    let mut games: Vec<(i64, Option<i64>, Option<i64>)> = Vec::new();
    let (mut reached, mut late): (Vec<Reached>, Vec<Reached>) = (Vec::new(), Vec::new());
    shelf.each_game(from, only, |game| {
        let number = games.len() as u32;
        game.walk(|stones, walker, next| {
            let (key, mv) = move_of(walker, next);
            let list = if stones <= EARLY_STONES { &mut reached } else { &mut late };
            list.push(Reached { key, game: number, mv });
        });
        games.push((game.id, game.date, game.result));
        reached.len() + late.len() < BATCH
    })?;
    let Some((last, ..)) = games.last().copied() else { return Ok((from, 0)) };
    let new = games.len() as u64;
    late.sort_unstable_by_key(|one| (one.key, one.game));
    let has_index = others.is_some();
    let found = shared_before(shelf, others, &late, &mut games)?;
    keep_shared(&mut late, &found);
    reached.extend(late);
    reached.extend(found.into_iter().filter(|(_, is_new)| *is_new).map(|(one, _)| one));
    let id = |one: &Reached| games[one.game as usize].0;
    reached.sort_unstable_by_key(|one| (one.key, id(one)));
    for group in reached.chunk_by(|one, other| one.key == other.key) {
        write_group(shelf, group, &games, has_index)?;
    }
    Ok((last, new))
}

/// Returns the late positions of `others`, games indexed before, that `late`, in the order of keys, holds, too.
/// The second value is whether the position is not in the index yet: no other game of before reached
/// it. The games are added to `games`.
fn shared_before(
    shelf: &mut Shelf,
    others: Option<Condition>,
    late: &[Reached],
    games: &mut Vec<(i64, Option<i64>, Option<i64>)>,
) -> Result<Vec<(Reached, bool)>, Error> {
    let mut found: Vec<(Reached, bool)> = Vec::new();
    let Some(others) = others.filter(|_| !late.is_empty()) else { return Ok(found) };
    let slot = |key: i64| (key as u64 >> (64 - FILTER_BITS)) as usize;
    let mut filter = vec![0_u64; 1 << (FILTER_BITS - 6)];
    for one in late {
        filter[slot(one.key) >> 6] |= 1 << (slot(one.key) & 63);
    }
    shelf.each_game(0, &others.and::<i64>(MAY_BE_LATE, []), |game| {
        let mut is_listed = false;
        game.walk(|stones, walker, next| {
            if stones <= EARLY_STONES {
                return;
            }
            let key = walker.key();
            let may_be = filter[slot(key) >> 6] >> (slot(key) & 63) & 1 == 1;
            if may_be && late.binary_search_by_key(&key, |one| one.key).is_ok() {
                if !is_listed {
                    games.push((game.id, game.date, game.result));
                    is_listed = true;
                }
                let mv = move_of(walker, next).1;
                found.push((Reached { key, game: games.len() as u32 - 1, mv }, true));
            }
        });
        true
    })?;
    found.sort_unstable_by_key(|(one, _)| (one.key, one.game));
    for group in found.chunk_by_mut(|one, other| one.0.key == other.0.key) {
        if group.len() > 1 {
            group.iter_mut().for_each(|(_, is_new)| *is_new = false);
        }
    }
    Ok(found)
}

/// Keeps the late positions that two games reached.
fn keep_shared(late: &mut Vec<Reached>, found: &[(Reached, bool)]) {
    let keys: Vec<i64> = late.iter().map(|one| one.key).collect();
    let mut at = 0;
    late.retain(|one| {
        let is_shared = at > 0 && keys[at - 1] == one.key
            || keys.get(at + 1) == Some(&one.key)
            || found.binary_search_by_key(&one.key, |(found, _)| found.key).is_ok();
        at += 1;
        is_shared
    });
}

/// Writes the games of `group`, which reached one position. `has_index` is whether other games may
/// have reached it before.
fn write_group(
    shelf: &mut Shelf,
    group: &[Reached],
    games: &[(i64, Option<i64>, Option<i64>)],
    has_index: bool,
) -> Result<(), Error> {
    let key = group[0].key;
    let before = if has_index { shelf.first_games(key)? } else { Vec::new() };
    shelf.sql(|db| {
        let insert = "INSERT INTO occurrences (key, game) VALUES (?1, ?2)";
        let mut insert = db.prepare_cached(insert)?;
        group.iter().try_for_each(|one| insert.execute([key, games[one.game as usize].0]).map(drop))
    })?;
    if before.len() + group.len() < 2 {
        return Ok(());
    }
    let mut tallies: Vec<((i64, i64), Tally)> = Vec::with_capacity(group.len() + 1);
    for one in group {
        let (_, date, result) = games[one.game as usize];
        tallies.push(((i64::from(one.mv), year(date)), Tally::of(date, result)));
    }
    if let [only] = before[..] {
        // The counts of a position of one game are in the game.
        let game = shelf.indexed_game(only)?;
        let mv = game.move_at(key).unwrap_or(NO_MOVE);
        tallies.push(((mv, year(game.date)), Tally::of(game.date, game.result)));
    }
    tallies.sort_unstable_by_key(|(which, _)| *which);
    tallies.chunk_by(|one, other| one.0 == other.0).try_for_each(|same| {
        let mut tally = Tally::default();
        same.iter().for_each(|(_, one)| tally.add(*one));
        add_counts(shelf, key, same[0].0, tally)
    })
}

/// Adds to the counts of a move in a year.
pub(crate) fn add_counts(
    shelf: &Shelf,
    key: i64,
    (mv, year): (i64, i64),
    tally: Tally,
) -> Result<(), Error> {
    let insert = "INSERT INTO counts (key, move, year, games, first_wins, draws, second_wins, last) \
                  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) \
                  ON CONFLICT DO UPDATE SET games = games + excluded.games, \
                  first_wins = first_wins + excluded.first_wins, draws = draws + excluded.draws, \
                  second_wins = second_wins + excluded.second_wins, last = max(last, excluded.last)";
    let Tally { games, first_wins, draws, second_wins, last } = tally;
    let row = [key, mv, year, games, first_wins, draws, second_wins, last];
    shelf.change(insert, row).map(drop)
}
