//! [`Shelf::stats`]: what a shelf holds.

use crate::Error;
use crate::game::Marks;
use crate::store::Shelf;

/// What a shelf holds.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Stats {
    /// The boards and their numbers of games.
    pub boards: Vec<(String, u64)>,
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
        let boards = self.boards()?.into_iter().map(|(board, games)| (board.name.clone(), games));
        let boards: Vec<(String, u64)> = boards.collect();
        let number = |select: &str| -> Result<u64, Error> {
            self.sql(|db| db.query_row(select, [], |row| row.get::<_, i64>(0)))
                .map(|number| number as u64)
        };
        let count = |table: &str| number(&format!("SELECT count(*) FROM {table}"));
        let results = [1, 0, -1].map(|result| count(&format!("games WHERE result = {result}")));
        let [first, draws, second] = results;
        let mut marked = [0; Marks::NAMED.len()];
        for (sum, (Marks(bits), _)) in marked.iter_mut().zip(Marks::NAMED) {
            *sum = count(&format!("games WHERE marks & {bits} != 0"))?;
        }
        let years = "SELECT min(date) / 10000, max(date) / 10000 FROM games WHERE date IS NOT NULL";
        let years: (Option<i64>, Option<i64>) =
            self.sql(|db| db.query_row(years, [], |row| Ok((row.get(0)?, row.get(1)?))))?;
        Ok(Stats {
            games: count("games")?,
            results: [first?, draws?, second?],
            marked,
            years: years.0.zip(years.1),
            players: count("players")?,
            events: count("events")?,
            sources: count("sources")?,
            problems: count("problems")?,
            trees: count("trees")?,
            analysis: count("analysis")?,
            occurrences: count("occurrences")?,
            not_indexed: self.not_indexed()?,
            bytes: number(
                "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
            )?,
            boards,
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
