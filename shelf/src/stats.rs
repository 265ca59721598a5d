//! [`Shelf::stats`]: what a shelf holds.

use rusqlite::params_from_iter;

use crate::Error;
use crate::game::Marks;
use crate::store::Shelf;

/// What a shelf holds.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// The rulesets and their numbers of games.
    pub rulesets: Vec<(String, u64)>,
    /// The number of games.
    pub games: u64,
    /// The numbers of games won by the first player, drawn, won by the second player.
    pub results: [u64; 3],
    /// The numbers of games with each of [`Marks::NAMED`].
    pub marked: [u64; Marks::NAMED.len()],
    /// The first and the last year.
    pub years: Option<(i64, i64)>,
    /// The number of players.
    pub players: u64,
    /// The number of events.
    pub events: u64,
    /// The number of files.
    pub sources: u64,
    /// The number of games that cannot be read.
    pub problems: u64,
    /// The number of trees.
    pub trees: u64,
    /// The number of positions with analysis.
    pub analysis: u64,
    /// The number of games that reached a position of the index, over all positions.
    pub occurrences: u64,
    /// The number of games that are not indexed yet.
    pub not_indexed: u64,
    /// The size of the file in bytes.
    pub bytes: u64,
}

impl Shelf {
    /// Returns what the shelf holds.
    pub fn stats(&mut self) -> Result<Stats, Error> {
        let rulesets =
            self.rulesets()?.into_iter().map(|(ruleset, games)| (ruleset.name.clone(), games));
        let rulesets: Vec<(String, u64)> = rulesets.collect();
        let number = |select: &'static str, given: Option<i64>| -> Result<u64, Error> {
            let given = params_from_iter(given);
            self.sql(|db| db.query_row(select, given, |row| row.get::<_, i64>(0)))
                .map(|number| number as u64)
        };
        let count = |select| number(select, None);
        let of_result = "SELECT count(*) FROM games WHERE result = ?1";
        let [first, draws, second] = [1, 0, -1].map(|result| number(of_result, Some(result)));
        let mut marked = [0; Marks::NAMED.len()];
        for (sum, (Marks(bits), _)) in marked.iter_mut().zip(Marks::NAMED) {
            *sum = number("SELECT count(*) FROM games WHERE marks & ?1 != 0", Some(bits))?;
        }
        let years = "SELECT min(date) / 10000, max(date) / 10000 FROM games WHERE date IS NOT NULL";
        let years: (Option<i64>, Option<i64>) =
            self.sql(|db| db.query_row(years, [], |row| Ok((row.get(0)?, row.get(1)?))))?;
        Ok(Stats {
            games: count("SELECT count(*) FROM games")?,
            results: [first?, draws?, second?],
            marked,
            years: years.0.zip(years.1),
            players: count("SELECT count(*) FROM players")?,
            events: count("SELECT count(*) FROM events")?,
            sources: count("SELECT count(*) FROM sources")?,
            problems: count("SELECT count(*) FROM problems")?,
            trees: count("SELECT count(*) FROM trees")?,
            analysis: count("SELECT count(*) FROM analysis")?,
            occurrences: count("SELECT count(*) FROM occurrences")?,
            not_indexed: self.not_indexed()?,
            bytes: count("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?,
            rulesets,
        })
    }

    /// Returns the games that cannot be read: their file, number and error.
    pub fn problems(&self) -> Result<Vec<(String, i64, String)>, Error> {
        let select = "SELECT name, number, text FROM problems JOIN sources ON sources.id = source \
                      ORDER BY source, number";
        self.sql(|db| {
            let mut select = db.prepare(select)?;
            select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })
    }
}
