//! [`explore`]: what was played in a position, and how the games ended.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use tengen_engine::{Point, Score, Side};

use crate::Error;
use crate::comments::Comment;
use crate::date::write_date;
use crate::find::Filter;
use crate::index::{NO_MOVE, Tally, year};
use crate::judge::is_engine_note;
use crate::position::PositionAsked;
use crate::store::Shelf;

/// What the shelf knows about a position.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Explored {
    /// The results of all games that reached it, for the side to move.
    pub total: Results,
    /// The moves, the most played first.
    pub moves: Vec<ExploredMove>,
    /// What is stored about the position.
    pub stored: Stored,
    /// What people wrote about the position, with who wrote it.
    pub notes: Vec<Note>,
    /// The other last moves that lead to the position.
    pub other_orders: Vec<OtherOrder>,
}

/// What a person wrote about a position.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Note {
    /// The comment.
    pub text: Option<String>,
    /// The label.
    pub label: Option<String>,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was written, such as `2026-11-30 12:00:00`, in universal time.
    pub at: Option<String>,
    /// The number of the comment in the shelf.
    pub comment: Option<i64>,
    /// The number of the tree of variations that has the comment.
    pub tree: Option<i64>,
}

/// A stone that could have been the last move: the shelf has games or trees with this order of moves. An order that symmetry
/// makes equal to another one is not listed.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OtherOrder {
    /// The stone.
    pub point: Point,
    /// The number of games.
    pub games: u64,
    /// Whether a tree of variations has it.
    pub is_in_tree: bool,
}

/// A move that was played, that a tree of variations has, or that has a value.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ExploredMove {
    /// The point, one of those that symmetry makes equal.
    pub point: Point,
    /// The results of the games with it, for its player.
    pub results: Results,
    /// The value after it, for its player; that of the position for its best move, if the position
    /// after it has none.
    pub value: Option<Value>,
    /// The label of a person: the text of a tree on the point, or the label of the position after it.
    pub label: Option<String>,
    /// Whether a tree of variations has the move.
    pub is_in_tree: bool,
}

/// The results of games, for one player.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Results {
    /// The number of games.
    pub games: u64,
    /// The number of games won.
    pub wins: u64,
    /// The number of draws.
    pub draws: u64,
    /// The number of games lost.
    pub losses: u64,
    /// The date of the last game; `None` if unknown.
    pub last: Option<String>,
    /// The numbers of games, wins, draws and losses by year; year 0 is unknown.
    pub years: BTreeMap<i64, [u64; 4]>,
}

/// The value of a position, for one player. It is written in pawns, such as `+0.35`, or as `M7`, a win in 7 plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// A score in centipawns.
    Cp(i64),
    /// A win in this number of plies; below 0 a loss.
    Mate(i64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(cp) => write!(f, "{:+.2}", *cp as f64 / 100.0),
            Self::Mate(plies) if *plies < 0 => write!(f, "-M{}", -plies),
            Self::Mate(plies) => write!(f, "M{plies}"),
        }
    }
}

/// What is stored about a position.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Stored {
    /// Its value for the side to move.
    pub value: Option<Value>,
    /// The depth of the search.
    pub depth: Option<i64>,
    /// The nodes of the search.
    pub nodes: Option<i64>,
    /// The engine.
    pub engine: Option<String>,
    /// The label of a person.
    pub label: Option<String>,
    /// The comments of people: of the position, and of trees.
    pub comments: Vec<String>,
}

impl From<Score> for Value {
    fn from(score: Score) -> Self {
        match score.plies().map(i64::from) {
            Some(plies) if score.is_loss() => Self::Mate(-plies),
            Some(plies) => Self::Mate(plies),
            None => Self::Cp(score.raw().into()),
        }
    }
}

impl Value {
    /// Returns the columns `cp` and `mate` of the table `analysis`.
    pub(crate) const fn columns(self) -> (Option<i64>, Option<i64>) {
        match self {
            Self::Cp(cp) => (Some(cp), None),
            Self::Mate(plies) => (None, Some(plies)),
        }
    }

    /// Returns the value of these columns; `None` if there is none.
    pub(crate) fn of_columns(cp: Option<i64>, mate: Option<i64>) -> Option<Self> {
        mate.map(Self::Mate).or(cp.map(Self::Cp))
    }

    /// Returns the value for the other player.
    pub const fn negated(self) -> Self {
        match self {
            Self::Cp(cp) => Self::Cp(-cp),
            Self::Mate(plies) => Self::Mate(-plies),
        }
    }
}

/// The counts of the moves of a position, in the orientation of its key.
type Counts = BTreeMap<i64, BTreeMap<i64, Tally>>;

/// Returns what the shelf knows about a position, of the games that `filter` takes. `stop` ends the
/// work early.
pub fn explore(
    shelf: &mut Shelf,
    asked: &PositionAsked,
    filter: &Filter,
    stop: &dyn Fn() -> bool,
) -> Result<Explored, Error> {
    let walker = asked.walker();
    let key = walker.key();
    let counts = shelf.counts(asked, filter, stop)?;
    let side = walker.turn();
    let mut total = Results::default();
    let mut moves: BTreeMap<i64, ExploredMove> = BTreeMap::new();
    let new = |mv: i64| {
        let point = asked.ruleset.point(walker.cell_here(mv as u16));
        ExploredMove {
            point,
            results: Results::default(),
            value: None,
            label: None,
            is_in_tree: false,
        }
    };
    for (mv, years) in counts {
        for (year, tally) in years {
            total.add(year, tally, side);
            if mv != NO_MOVE {
                moves.entry(mv).or_insert_with(|| new(mv)).results.add(year, tally, side);
            }
        }
    }
    for (mv, label) in shelf.tree_moves(key)? {
        let known = moves.entry(mv).or_insert_with(|| new(mv));
        known.is_in_tree = true;
        known.label = known.label.take().or(label);
    }
    for mv in shelf.valued_moves(asked)? {
        moves.entry(mv).or_insert_with(|| new(mv));
    }
    let mut stored = shelf.stored(key)?;
    let best = shelf.best_move(asked)?;
    if let Some(mv) = best {
        moves.entry(mv).or_insert_with(|| new(mv));
    }
    for (mv, known) in &mut moves {
        let mut after = walker;
        after.play(asked.ruleset.cell(known.point));
        let next = shelf.stored(after.key())?;
        let of_best = stored.value.filter(|_| best == Some(*mv));
        known.value = next.value.map(Value::negated).or(of_best);
        known.label = known.label.take().or(next.label);
    }
    let mut moves: Vec<ExploredMove> = moves.into_values().collect();
    moves.sort_by_key(|known| (std::cmp::Reverse(known.results.games), known.point));
    let mut notes = Vec::new();
    for text in stored.comments.drain(..) {
        notes.push(Note { text: Some(text), ..Note::default() });
    }
    notes.extend(shelf.tree_notes(key)?);
    for Comment { id, label, comment, author, at } in shelf.comments_at(asked)? {
        stored.label = stored.label.or(label.clone());
        let (at, comment, text) = (Some(at), Some(id), comment);
        notes.push(Note { text, label, author, at, comment, tree: None });
    }
    for text in notes.iter().filter_map(|note| note.text.as_ref()) {
        if !stored.comments.contains(text) {
            stored.comments.push(text.clone());
        }
    }
    let other_orders = shelf.other_orders(asked, stop)?;
    Ok(Explored { total, moves, stored, notes, other_orders })
}

impl Results {
    fn add(&mut self, year: i64, tally: Tally, side: Side) {
        let (wins, losses) = match side {
            Side::First => (tally.first_wins, tally.second_wins),
            Side::Second => (tally.second_wins, tally.first_wins),
        };
        let numbers = [tally.games, wins, tally.draws, losses].map(|number| number as u64);
        self.games += numbers[0];
        self.wins += numbers[1];
        self.draws += numbers[2];
        self.losses += numbers[3];
        let last = (tally.last > 0).then(|| write_date(tally.last));
        self.last = self.last.take().max(last);
        let of_year = self.years.entry(year).or_default();
        of_year.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
}

impl Shelf {
    /// Returns the counts of the moves of a position, by year.
    fn counts(
        &mut self,
        asked: &PositionAsked,
        filter: &Filter,
        stop: &dyn Fn() -> bool,
    ) -> Result<Counts, Error> {
        let key = asked.walker().key();
        if filter.is_only_years() {
            let counts = self.stored_counts(key, filter)?;
            if !counts.is_empty() {
                return Ok(counts);
            }
        }
        let ids = if filter.is_open() {
            self.games_at(asked, stop)?
        } else {
            self.filtered_games_at(asked, filter, stop)?
        };
        let mut counts = Counts::new();
        for id in ids {
            if stop() {
                return Err(Error::Stopped);
            }
            let game = self.indexed_game(id)?;
            let mv = game.move_at(key).unwrap_or(NO_MOVE);
            let tally = counts.entry(mv).or_default().entry(year(game.date)).or_default();
            tally.add(Tally::of(game.date, game.result));
        }
        Ok(counts)
    }

    fn stored_counts(&self, key: i64, filter: &Filter) -> Result<Counts, Error> {
        let select = "SELECT move, year, games, first_wins, draws, second_wins, last FROM counts \
                      WHERE key = ?1 AND year BETWEEN ?2 AND ?3";
        let (from, to) = filter.years.unwrap_or((i64::MIN, i64::MAX));
        let mut counts = Counts::new();
        let rows = self.rows_by(select, [key, from, to], |row| {
            Ok((row.get(0)?, row.get(1)?, Tally::read(row, 2)?))
        })?;
        for (mv, year, tally) in rows {
            counts.entry(mv).or_default().insert(year, tally);
        }
        Ok(counts)
    }

    /// Returns the moves of trees in a position, with their labels.
    fn tree_moves(&self, key: i64) -> Result<Vec<(i64, Option<String>)>, Error> {
        self.rows("SELECT move, max(label) FROM tree_moves WHERE key = ?1 GROUP BY move", [key])
    }

    /// Returns the moves to positions with a value, in the orientation of the key.
    pub(crate) fn valued_moves(&self, asked: &PositionAsked) -> Result<BTreeSet<i64>, Error> {
        if self.count("SELECT EXISTS (SELECT 1 FROM analysis)", [])? == 0 {
            return Ok(BTreeSet::new());
        }
        let walker = asked.walker();
        let placement = asked.placement();
        let free = (0..).zip(&placement.stones).filter(|(_, stone)| stone.is_none());
        let mut moves = BTreeSet::new();
        let select =
            "SELECT 1 FROM analysis WHERE key = ?1 AND (cp IS NOT NULL OR mate IS NOT NULL)";
        self.sql(|db| {
            let mut select = db.prepare_cached(select)?;
            for (cell, _) in free {
                let mut after = walker;
                after.play(cell);
                if select.exists([after.key()])? {
                    moves.insert(i64::from(walker.key_and_move(cell).1));
                }
            }
            Ok(())
        })?;
        Ok(moves)
    }

    /// Returns the first move of the stored best line, in the orientation of the key.
    fn best_move(&self, asked: &PositionAsked) -> Result<Option<i64>, Error> {
        let walker = asked.walker();
        let select = "SELECT line ->> 0 FROM analysis WHERE key = ?1 AND line IS NOT NULL";
        let first: Option<Option<i64>> = self.value(select, [walker.key()])?;
        let cell = first.flatten().and_then(|cell| u16::try_from(cell).ok());
        let cell = cell.filter(|cell| usize::from(*cell) < asked.ruleset.grid().cells());
        Ok(cell.map(|cell| i64::from(walker.key_and_move(walker.cell_here(cell)).1)))
    }

    /// Returns the comments of people about a position, from trees. Earlier programs kept those of engines, too.
    fn tree_notes(&self, key: i64) -> Result<Vec<Note>, Error> {
        let select = "SELECT comment, tree FROM notes WHERE key = ?1 ORDER BY tree";
        let mut notes: Vec<(String, i64)> = self.rows(select, [key])?;
        notes.retain(|(note, _)| !is_engine_note(note));
        let note = |(text, tree)| Note { text: Some(text), tree: Some(tree), ..Note::default() };
        Ok(notes.into_iter().map(note).collect())
    }

    /// Returns the other last moves that lead to a position.
    fn other_orders(
        &mut self,
        asked: &PositionAsked,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<OtherOrder>, Error> {
        let ruleset = &asked.ruleset;
        let mut before = asked.placement();
        before.turn = before.turn.other();
        let stones = (0_u16..).zip(before.stones.clone());
        let own = stones.filter(|(_, stone)| *stone == Some(before.turn)).map(|(cell, _)| cell);
        let last = asked.moves().last().map(|point| ruleset.cell(point));
        let mut seen = BTreeSet::new();
        let mut orders = Vec::new();
        // The last move of the line comes first, so that its images are not listed.
        for cell in last.into_iter().chain(own) {
            let stone = before.stones[usize::from(cell)].take();
            let walker = ruleset.keys.start(Some(&before));
            before.stones[usize::from(cell)] = stone;
            let (key, mv) = walker.key_and_move(cell);
            if !seen.insert((key, mv)) || last == Some(cell) {
                continue;
            }
            if stop() {
                return Err(Error::Stopped);
            }
            let games = self.games_with(key, i64::from(mv))?;
            let select = "SELECT 1 FROM tree_moves WHERE key = ?1 AND move = ?2";
            let is_in_tree = self.count(select, [key, i64::from(mv)])? > 0;
            if games > 0 || is_in_tree {
                orders.push(OtherOrder { point: ruleset.point(cell), games, is_in_tree });
            }
        }
        Ok(orders)
    }

    /// Returns the number of games with a move in a position, both in the orientation of the key. Of a position that is not in
    /// the index, with many stones, it is 0.
    fn games_with(&mut self, key: i64, mv: i64) -> Result<u64, Error> {
        let select = "SELECT sum(games) FROM counts WHERE key = ?1 AND move = ?2";
        let counted: Option<Option<i64>> = self.value(select, [key, mv])?;
        if let Some(games) = counted.flatten() {
            return Ok(games as u64);
        }
        // A position of one game has no counts.
        let games = self.column("SELECT game FROM occurrences WHERE key = ?1 LIMIT 2", [key])?;
        let [game] = games[..] else { return Ok(0) };
        Ok(u64::from(self.indexed_game(game)?.move_at(key) == Some(mv)))
    }

    /// Returns what is stored about a position.
    pub(crate) fn stored(&self, key: i64) -> Result<Stored, Error> {
        let select =
            "SELECT cp, mate, depth, nodes, engine, label, comment FROM analysis WHERE key = ?1";
        let Some(row) = self.row(select, [key])? else { return Ok(Stored::default()) };
        let comment: Option<String>;
        let (cp, mate, depth, nodes, engine, label);
        (cp, mate, depth, nodes, engine, label, comment) = row;
        let (value, comments) = (Value::of_columns(cp, mate), comment.into_iter().collect());
        Ok(Stored { value, depth, nodes, engine, label, comments })
    }
}
