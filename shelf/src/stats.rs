//! [`Shelf::stats`]: what a shelf holds.

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
        let count = |select| self.count(select, []);
        let of_result = "SELECT count(*) FROM games WHERE result = ?1";
        let [first, draws, second] = [1, 0, -1].map(|result| self.count(of_result, [result]));
        let mut marked = [0; Marks::NAMED.len()];
        for (sum, (Marks(bits), _)) in marked.iter_mut().zip(Marks::NAMED) {
            *sum = self.count("SELECT count(*) FROM games WHERE marks & ?1 != 0", [bits])?;
        }
        let years = "SELECT min(date) / 10000, max(date) / 10000 FROM games WHERE date IS NOT NULL";
        let years: Option<(Option<i64>, Option<i64>)> = self.row(years, [])?;
        Ok(Stats {
            games: count("SELECT count(*) FROM games")?,
            results: [first?, draws?, second?],
            marked,
            years: years.and_then(|(first, last)| first.zip(last)),
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
        self.rows(select, [])
    }
}
