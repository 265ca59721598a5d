//! Games that leave the index, or are counted with another date or result.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use crate::Error;
use crate::condition::Condition;
use crate::index::{EARLY_STONES, Tally, add_counts, move_of, year};
use crate::store::Shelf;

/// Among the games of a position with at most this many, the latest date is looked for in the index.
const FEW: i64 = if cfg!(test) { 4 } else { 5000 };

/// The counts of a move in a year: position, move and year.
type Place = (i64, i64, i64);

/// Takes a game out of the counts of a move. Returns whether the position has counts, and notes where the latest
/// date may be another one now.
fn subtract(
    shelf: &Shelf,
    (key, mv): (i64, i64),
    (date, result): (Option<i64>, Option<i64>),
    stale: &mut BTreeSet<Place>,
) -> Result<bool, Error> {
    let Tally { first_wins, draws, second_wins, last, .. } = Tally::of(date, result);
    let update = "UPDATE counts SET games = games - 1, first_wins = first_wins - ?4, draws = draws - ?5, \
                  second_wins = second_wins - ?6 WHERE key = ?1 AND move = ?2 AND year = ?3 RETURNING games, last";
    let place = (key, mv, year(date));
    let values = [key, mv, place.2, first_wins, draws, second_wins];
    let Some((games, latest)) = shelf.row::<(i64, i64)>(update, values)? else { return Ok(false) };
    if games == 0 {
        let delete = "DELETE FROM counts WHERE key = ?1 AND move = ?2 AND year = ?3";
        shelf.change(delete, [key, mv, place.2])?;
    } else if latest == last && last > 0 {
        stale.insert(place);
    }
    Ok(true)
}

/// Finds the latest dates anew.
fn settle_dates(shelf: &mut Shelf, stale: BTreeSet<Place>) -> Result<(), Error> {
    let mut of_years: HashMap<i64, Vec<i64>> = HashMap::new();
    for (key, mv, year) in stale {
        let at_key = shelf.count("SELECT sum(games) FROM counts WHERE key = ?1", [key])?;
        let few: Vec<i64>;
        let games = if at_key as i64 <= FEW {
            let select = "SELECT game FROM occurrences JOIN games ON games.id = game \
                          WHERE key = ?1 AND date / 10000 = ?2 ORDER BY date DESC";
            few = shelf.column(select, [key, year])?;
            &few
        } else {
            match of_years.entry(year) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let select = "SELECT id FROM games WHERE date / 10000 = ?1 ORDER BY date DESC";
                    place.insert(shelf.column(select, [year])?)
                }
            }
        };
        let is_there = "SELECT count(*) FROM occurrences WHERE key = ?1 AND game = ?2";
        for id in games {
            // Games that are on their way out are in their table still.
            if shelf.count(is_there, [key, *id])? == 0 {
                continue;
            }
            let game = shelf.indexed_game(*id)?;
            if game.move_at(key) == Some(mv) {
                let update =
                    "UPDATE counts SET last = ?4 WHERE key = ?1 AND move = ?2 AND year = ?3";
                shelf.change(update, [key, mv, year, game.date.unwrap_or(0)])?;
                break;
            }
        }
    }
    Ok(())
}

/// Takes games out of the index and the counts, before they are removed or changed.
pub(crate) fn unindex(shelf: &mut Shelf, ids: &[i64]) -> Result<(), Error> {
    let indexed = shelf.meta("indexed")?;
    let mut stale = BTreeSet::new();
    for id in ids.iter().filter(|id| **id <= indexed) {
        let only = Condition::new("id = ?", [*id]);
        let mut places = Vec::new();
        let mut facts = (None, None);
        shelf.each_game(0, &only, |game| {
            facts = (game.date, game.result);
            game.walk(|stones, walker, next| places.push((stones, move_of(walker, next))));
            true
        })?;
        for (stones, (key, mv)) in places {
            let delete = "DELETE FROM occurrences WHERE key = ?1 AND game = ?2";
            if shelf.change(delete, [key, *id])? == 0 {
                continue;
            }
            match shelf.first_games(key)?.len() {
                0 => {}
                1 => {
                    // The counts of a position of one game are in the game.
                    shelf.change("DELETE FROM counts WHERE key = ?1", [key])?;
                    if stones > EARLY_STONES {
                        shelf.change("DELETE FROM occurrences WHERE key = ?1", [key])?;
                    }
                }
                _ => {
                    subtract(shelf, (key, i64::from(mv)), facts, &mut stale)?;
                }
            }
        }
    }
    settle_dates(shelf, stale)
}

/// Counts an indexed game anew whose date and result have changed from `before` to `after`. The table `games` has
/// the new ones.
pub(crate) fn move_counts(
    shelf: &mut Shelf,
    id: i64,
    before: (Option<i64>, Option<i64>),
    after: (Option<i64>, Option<i64>),
) -> Result<(), Error> {
    if before == after || id > shelf.meta("indexed")? {
        return Ok(());
    }
    let game = shelf.indexed_game(id)?;
    let mut places = Vec::new();
    game.walk(|_, walker, next| places.push(move_of(walker, next)));
    let mut stale = BTreeSet::new();
    for (key, mv) in places {
        let mv = i64::from(mv);
        // Positions of one game have no counts.
        if subtract(shelf, (key, mv), before, &mut stale)? {
            add_counts(shelf, key, (mv, year(after.0)), Tally::of(after.0, after.1))?;
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
}
