//! [`Shelf::check`]: the index and every count against a recount of all games.

use std::collections::BTreeMap;

use rusqlite::Row;

use crate::Error;
use crate::condition::Condition;
use crate::index::{EARLY_STONES, NO_MOVE, Tally, wipe_index, year};
use crate::store::Shelf;

/// The parts of the keys that are recounted one after the other, to save memory.
const PARTS: i64 = 16;
/// The most differences that are described.
const SHOWN: usize = 20;

/// What a check found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The number of games.
    pub games: u64,
    /// The number of positions in the index.
    pub positions: u64,
    /// The number of counts of a move in a year.
    pub counts: u64,
    /// The number of differences.
    pub differences: u64,
    /// The first differences, in words.
    pub shown: Vec<String>,
}

/// A game that reached a position.
struct Reached {
    key: i64,
    game: i64,
    mv: i64,
    year: i64,
    is_early: bool,
    tally: Tally,
}

/// A row of the table `occurrences`: position and game.
type Occurrence = ((i64, i64), ());
/// A row of the table `counts`: position, move, year, and its counts.
type Count = ((i64, i64, i64), Tally);

impl Checked {
    fn differs(&mut self, what: impl FnOnce() -> String) {
        self.differences += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(what());
        }
    }

    /// Compares rows of the shelf with those of the recount, both in order.
    fn compare<K: Ord + Copy + std::fmt::Debug, V: PartialEq + std::fmt::Debug>(
        &mut self,
        table: &str,
        stored: Vec<(K, V)>,
        counted: Vec<(K, V)>,
    ) {
        let (mut stored, mut counted) =
            (stored.into_iter().peekable(), counted.into_iter().peekable());
        loop {
            match (stored.peek(), counted.peek()) {
                (None, None) => return,
                (Some((key, one)), Some((other_key, other))) if key == other_key => {
                    if one != other {
                        self.differs(|| format!("{table} {key:?}: {one:?}, recounted {other:?}"));
                    }
                    stored.next();
                    counted.next();
                }
                (Some((key, _)), other) if other.is_none_or(|(other, _)| key < other) => {
                    self.differs(|| format!("{table} {key:?}: not in the recount"));
                    stored.next();
                }
                (_, Some((key, _))) => {
                    self.differs(|| format!("{table} {key:?}: missing"));
                    counted.next();
                }
                (Some(_), None) => unreachable!("the arm above takes it"),
            }
        }
    }
}

impl Shelf {
    /// Checks the file, and compares the index and every count with a recount of all indexed games.
    /// `progress` is called with the parts done, of all.
    pub fn check(&mut self, progress: &mut dyn FnMut(i64, i64) -> bool) -> Result<Checked, Error> {
        // All parts see the same games, whatever another program adds.
        self.sql(|db| db.execute_batch("BEGIN"))?;
        let checked = self.check_all(progress);
        self.sql(|db| db.execute_batch("COMMIT"))?;
        checked
    }

    /// Makes the index and all counts anew from the games.
    pub fn repair(&mut self, on_batch: impl FnMut(u64) -> bool) -> Result<(), Error> {
        self.write(|shelf| {
            wipe_index(shelf)?;
            shelf.settle_games()
        })?;
        self.index(on_batch)?;
        self.finish()
    }

    fn check_all(&mut self, progress: &mut dyn FnMut(i64, i64) -> bool) -> Result<Checked, Error> {
        let mut checked = Checked::default();
        let found: Vec<String> = self.column("PRAGMA quick_check(20)", [])?;
        for problem in found.into_iter().filter(|line| line != "ok") {
            checked.differs(|| problem);
        }
        self.check_games(&mut checked)?;
        for part in 0..PARTS {
            if !progress(part, PARTS) {
                return Err(Error::Stopped);
            }
            // The keys are spread evenly over all numbers.
            let width = (1_i128 << 64) / i128::from(PARTS);
            let from = i128::from(i64::MIN) + i128::from(part) * width;
            self.check_part(from as i64, (from + width - 1) as i64, &mut checked)?;
        }
        Ok(checked)
    }

    /// Checks the numbers of games of the rulesets.
    fn check_games(&mut self, checked: &mut Checked) -> Result<(), Error> {
        let select = "SELECT board, count(*) FROM games GROUP BY board ORDER BY board";
        let counted: Vec<(i64, i64)> = self.rows(select, [])?;
        checked.games = counted.iter().map(|(_, games)| games).sum::<i64>() as u64;
        let select = "SELECT id, games FROM boards WHERE games > 0 ORDER BY id";
        checked.compare("boards", self.rows(select, [])?, counted);
        Ok(())
    }

    /// Checks the rows with keys from `from` to `to`.
    fn check_part(&mut self, from: i64, to: i64, checked: &mut Checked) -> Result<(), Error> {
        let indexed = self.meta("indexed")?;
        let mut reached: Vec<Reached> = Vec::new();
        self.each_game(0, &Condition::new("id <= ?", [indexed]), |game| {
            let (year, tally) = (year(game.date), Tally::of(game.date, game.result));
            game.walk(|stones, walker, next| {
                let key = walker.key();
                if key < from || key > to {
                    return;
                }
                let mv = next.map_or(NO_MOVE, |cell| i64::from(walker.key_and_move(cell).1));
                let is_early = stones <= EARLY_STONES;
                reached.push(Reached { key, game: game.id, mv, year, is_early, tally });
            });
            true
        })?;
        reached.sort_unstable_by_key(|one| (one.key, one.game));
        let (mut occurrences, mut counts): (Vec<Occurrence>, Vec<Count>) = Default::default();
        for group in reached.chunk_by(|one, other| one.key == other.key) {
            if group.len() == 1 && !group[0].is_early {
                continue;
            }
            checked.positions += 1;
            occurrences.extend(group.iter().map(|one| ((one.key, one.game), ())));
            if group.len() == 1 {
                continue;
            }
            let mut tallies: BTreeMap<(i64, i64, i64), Tally> = BTreeMap::new();
            for one in group {
                tallies.entry((one.key, one.mv, one.year)).or_default().add(one.tally);
            }
            counts.extend(tallies);
        }
        drop(reached);
        checked.counts += counts.len() as u64;
        let select =
            "SELECT key, game FROM occurrences WHERE key BETWEEN ?1 AND ?2 ORDER BY key, game";
        let row = |row: &Row<'_>| Ok((row.try_into()?, ()));
        checked.compare("occurrences", self.rows_by(select, [from, to], row)?, occurrences);
        let select = "SELECT key, move, year, games, first_wins, draws, second_wins, last FROM counts \
                      WHERE key BETWEEN ?1 AND ?2 ORDER BY key, move, year";
        let row = |row: &Row<'_>| Ok((row.try_into()?, Tally::read(row, 3)?));
        checked.compare("counts", self.rows_by(select, [from, to], row)?, counts);
        Ok(())
    }
}
