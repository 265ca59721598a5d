//! Games that leave the index, or are counted with another date or result.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::params;

use crate::Error;
use crate::condition::Condition;
use crate::index::{EARLY_STONES, IndexedGame, Tally, add_counts, move_of, year};
use crate::store::Shelf;

/// The name under which `old_rows` has the games that share late positions with a game which left the index.
pub(crate) const LATE: &str = "late";

/// The index of games by date. A shelf has it from the first change on that looks for a latest date.
const BY_DATE: &str = "CREATE INDEX IF NOT EXISTS games_date ON games (date)";
/// Up to so many games of a position, all are sorted by date. With more they are sorted only if they are estimated to
/// be fewer than the games of the year that must be tried.
const FEW: i64 = 8;
/// About how many years the games of a shelf span. This estimate only chooses the faster way.
const YEARS: i64 = 16;

/// The date and the result of a game.
pub(crate) type Facts = (Option<i64>, Option<i64>);
/// The counts of a move in a year: position, move and year.
type Place = (i64, i64, i64);
/// The places where the latest date may be another one now, with the position after the move.
type Stale = BTreeMap<Place, Option<i64>>;

/// A move of a game.
struct Step {
    /// The number of stones before it.
    stones: usize,
    /// The position before it.
    key: i64,
    /// The move in the orientation of the key; [`NO_MOVE`](crate::index::NO_MOVE) at the end.
    mv: i64,
    /// The position after it.
    child: Option<i64>,
}

impl Step {
    /// Returns the moves of a game, and its end.
    fn of(game: &IndexedGame) -> Vec<Self> {
        let mut steps: Vec<Self> = Vec::with_capacity(game.moves.len() + 1);
        game.walk(|stones, walker, next| {
            let (key, mv) = move_of(walker, next);
            if let Some(before) = steps.last_mut() {
                before.child = Some(key);
            }
            steps.push(Self { stones, key, mv: i64::from(mv), child: None });
        });
        steps
    }
}

/// Takes a game out of the counts of a move. Returns whether the position has counts, and notes where the latest
/// date may be another one now.
fn subtract(
    shelf: &Shelf,
    step: &Step,
    (date, result): Facts,
    stale: &mut Stale,
) -> Result<bool, Error> {
    let Tally { first_wins, draws, second_wins, last, .. } = Tally::of(date, result);
    let update = "UPDATE counts SET games = games - 1, first_wins = first_wins - ?4, draws = draws - ?5, \
                  second_wins = second_wins - ?6 WHERE key = ?1 AND move = ?2 AND year = ?3 RETURNING games, last";
    let place = (step.key, step.mv, year(date));
    let values = [place.0, place.1, place.2, first_wins, draws, second_wins];
    let Some((games, latest)) = shelf.row::<(i64, i64)>(update, values)? else { return Ok(false) };
    if games == 0 {
        let delete = "DELETE FROM counts WHERE key = ?1 AND move = ?2 AND year = ?3";
        shelf.change(delete, [place.0, place.1, place.2])?;
    } else if latest == last && last > 0 {
        stale.insert(place, step.child);
    }
    Ok(true)
}

/// Finds the latest dates anew.
fn settle_dates(shelf: &mut Shelf, stale: Stale) -> Result<(), Error> {
    if stale.is_empty() {
        return Ok(());
    }
    shelf.sql(|db| db.execute_batch(BY_DATE))?;
    let last_id = shelf.count("SELECT max(id) FROM games", [])? as i64;
    for (place, child) in stale {
        let (key, mv, year) = place;
        let games = "SELECT games FROM counts WHERE key = ?1 AND move = ?2 AND year = ?3";
        // Another game may have left the place since.
        let Some(games) = shelf.value::<i64>(games, [key, mv, year])? else { continue };
        let few = FEW.max(last_id / games.max(1) / YEARS);
        if let Some(date) = latest_date(shelf, place, child, few)? {
            let update = "UPDATE counts SET last = ?4 WHERE key = ?1 AND move = ?2 AND year = ?3";
            shelf.change(update, [key, mv, year, date])?;
        }
    }
    Ok(())
}

/// Returns the date of the latest game of a place. `child` is the position after the move. The games of a position are sorted by date, if they
/// are at most `few`; else those of the year are tried, the latest first.
fn latest_date(
    shelf: &mut Shelf,
    (key, mv, year): Place,
    child: Option<i64>,
    few: i64,
) -> Result<Option<i64>, Error> {
    let (first, last) = (year * 10_000, year * 10_000 + 9_999);
    // All games of the place reach the position after the move. A late position of only one game is not in the
    // index: then the position before the move is used.
    let reached = match child {
        Some(child) if shelf.any_game(child)?.is_some() => child,
        _ => key,
    };
    let count = "SELECT count(*) FROM (SELECT 1 FROM occurrences WHERE key = ?1 LIMIT ?2)";
    let select = if shelf.count(count, [reached, few + 1])? as i64 <= few {
        "SELECT id FROM occurrences CROSS JOIN games ON id = game WHERE key = ?1 AND date BETWEEN ?2 AND ?3 \
         ORDER BY date DESC LIMIT ?4 OFFSET ?5"
    } else {
        "SELECT id FROM games INDEXED BY games_date WHERE date BETWEEN ?2 AND ?3 \
         AND EXISTS (SELECT 1 FROM occurrences WHERE key = ?1 AND game = id) ORDER BY date DESC LIMIT ?4 OFFSET ?5"
    };
    // Nearly always it is the first one.
    for (limit, offset) in [(1, 0), (64, 1), (-1, 65)] {
        for id in shelf.column(select, [reached, first, last, limit, offset])? {
            let game = shelf.indexed_game(id)?;
            if game.move_at(key) == Some(mv) {
                return Ok(game.date);
            }
        }
    }
    Ok(None)
}

/// Takes games out of the index and the counts, before they are removed or changed. The journal of the change `noted` gets the games
/// that share late positions with them.
pub(crate) fn unindex(shelf: &mut Shelf, ids: &[i64], noted: Option<i64>) -> Result<(), Error> {
    let indexed = shelf.meta("indexed")?;
    // Games that are not indexed yet may share late positions, too.
    let noted = if shelf.not_indexed()? == 0 { noted } else { None };
    let mut stale = Stale::new();
    for id in ids.iter().filter(|id| **id <= indexed) {
        let only = Condition::new("id = ?", [*id]);
        let mut steps = Vec::new();
        let mut facts = (None, None);
        shelf.each_game(0, &only, |game| {
            facts = (game.date, game.result);
            steps = Step::of(&game);
            true
        })?;
        let mut sharing = BTreeSet::new();
        for step in steps {
            let (key, is_late) = (step.key, step.stones > EARLY_STONES);
            let delete = "DELETE FROM occurrences WHERE key = ?1 AND game = ?2";
            if shelf.change(delete, [key, *id])? == 0 {
                continue;
            }
            let others = shelf.first_games(key)?;
            if is_late {
                sharing.extend(others.iter().copied());
            }
            match others.len() {
                0 => {}
                1 => {
                    // The counts of a position of one game are in the game.
                    shelf.change("DELETE FROM counts WHERE key = ?1", [key])?;
                    if is_late {
                        shelf.change("DELETE FROM occurrences WHERE key = ?1", [key])?;
                    }
                }
                _ => {
                    subtract(shelf, &step, facts, &mut stale)?;
                }
            }
        }
        if let Some(change) = noted {
            let insert =
                "INSERT INTO old_rows (change, name, key, row) VALUES (?1, ?2, json_array(?3), ?4)";
            let sharing = serde_json::Value::from_iter(sharing).to_string();
            shelf.change(insert, params![change, LATE, id, sharing])?;
        }
    }
    settle_dates(shelf, stale)
}

/// Counts games anew whose date and result have changed: the number of a game, and both before and after.
/// The table `games` has the new ones.
pub(crate) fn move_counts(shelf: &mut Shelf, games: &[(i64, Facts, Facts)]) -> Result<(), Error> {
    let indexed = shelf.meta("indexed")?;
    let mut stale = Stale::new();
    for &(id, before, after) in games {
        if before == after || id > indexed {
            continue;
        }
        let game = shelf.indexed_game(id)?;
        for step in Step::of(&game) {
            // Positions of one game have no counts.
            if subtract(shelf, &step, before, &mut stale)? {
                add_counts(shelf, step.key, (step.mv, year(after.0)), Tally::of(after.0, after.1))?;
            }
        }
    }
    settle_dates(shelf, stale)
}

#[cfg(test)]
mod tests {
    use tengen_games::CATALOG;

    use crate::{Checked, ImportOptions, Shelf, Silent, import};

    #[test]
    fn the_latest_date_of_many_games_follows_a_delete() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.sgf");
        let game = |day: u32| {
            let reply = char::from(b'a' + (day % 3) as u8);
            format!(
                "(;GM[4]SZ[15]RU[renju]DT[20{:02}-05-{day:02}];B[hh];W[{reply}a];B[a{reply}])",
                day % 2
            )
        };
        std::fs::write(&file, (1..=24).map(game).collect::<String>()).unwrap();
        let mut shelf = Shelf::create_or_open(&folder.path().join("a.shelf"), &CATALOG).unwrap();
        let choice = |record: &tengen_records::Record| record.spec(&CATALOG);
        import(&mut shelf, &[file], &ImportOptions::new(&choice), &mut Silent).unwrap();
        let differences = |shelf: &mut Shelf| {
            let Checked { differences, shown, .. } = shelf.check(&mut |_, _| true).unwrap();
            assert_eq!(differences, 0, "{shown:?}");
        };
        shelf.delete(&[24, 23, 20]).unwrap();
        differences(&mut shelf);
        shelf.edit(&[22, 21], &[("DT".to_owned(), "1999".to_owned())]).unwrap();
        differences(&mut shelf);
        shelf.undo(None).unwrap();
        shelf.undo(None).unwrap();
        differences(&mut shelf);
    }

    /// Games of 30 moves: `turned` exchanges two pairs of moves, so that the games meet after them.
    fn long_game(turned: bool, end: &str) -> String {
        let point = |number: usize| {
            let letter = |at: usize| char::from(b'a' + at as u8);
            format!("{}{}", letter(number % 14), letter(2 * (number / 14) + number % 2))
        };
        let mut moves: Vec<String> = (0..30).map(point).collect();
        if turned {
            moves.swap(0, 2);
            moves.swap(1, 3);
        }
        let colours = ["B", "W"].into_iter().cycle();
        let moves: String =
            colours.zip(&moves).map(|(by, point)| format!(";{by}[{point}]")).collect();
        format!("(;GM[4]SZ[15]RU[freestyle]DT[2020-05-04]{moves}{end})")
    }

    #[test]
    fn late_positions_are_shared_again_after_an_undo_and_a_redo() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.sgf");
        let games = [long_game(false, ""), long_game(true, ""), long_game(false, ";B[oo]")];
        std::fs::write(&file, games.concat()).unwrap();
        let mut shelf = Shelf::create_or_open(&folder.path().join("a.shelf"), &CATALOG).unwrap();
        let choice = |record: &tengen_records::Record| record.spec(&CATALOG);
        import(&mut shelf, &[file], &ImportOptions::new(&choice), &mut Silent).unwrap();
        let filler = (1..=24).map(|day| {
            format!(
                "(;GM[4]SZ[15]RU[freestyle]DT[2001-01-{day:02}];B[hh];W[{}a])",
                char::from(b'a' + day % 15)
            )
        });
        let file = folder.path().join("b.sgf");
        std::fs::write(&file, filler.collect::<String>()).unwrap();
        import(&mut shelf, &[file], &ImportOptions::new(&choice), &mut Silent).unwrap();
        let late = |shelf: &Shelf| {
            let select = "SELECT count(*) FROM occurrences WHERE game <= 3";
            shelf.count(select, []).unwrap()
        };
        let all = late(&shelf);
        let same = |shelf: &mut Shelf| {
            let Checked { differences, shown, .. } = shelf.check(&mut |_, _| true).unwrap();
            assert_eq!(differences, 0, "{shown:?}");
        };
        same(&mut shelf);
        for games in [&[1][..], &[2, 1], &[3]] {
            shelf.delete(games).unwrap();
            same(&mut shelf);
            let noted =
                "SELECT count(*) FROM old_rows WHERE name = 'late' AND row != '[]' AND change > 0";
            assert_eq!(shelf.count(noted, []).unwrap(), games.len() as u64);
            shelf.undo(None).unwrap();
            same(&mut shelf);
            assert_eq!(late(&shelf), all);
            shelf.redo().unwrap();
            same(&mut shelf);
            shelf.undo(None).unwrap();
            same(&mut shelf);
            assert_eq!(late(&shelf), all);
        }
    }
}
