//! [`find`]: the games of players, events, openings, years, positions and patterns.

use rusqlite::Row;
use serde_json::{Map, Value};
use tengen_engine::Side;

use crate::Error;
use crate::condition::Condition;
use crate::date::write_date;
use crate::edit::check_text;
use crate::game::{Marks, folded};
use crate::opening::opening_code;
use crate::pattern::{Matcher, Pattern};
use crate::position::PositionAsked;
use crate::ruleset::Ruleset;
use crate::store::Shelf;

/// The condition of games with an opening: its code in the catalogue, or its name in the record.
const OPENING: &str = "(opening = ? COLLATE NOCASE OR headers ->> '$.ON' = ? COLLATE NOCASE)";

/// The condition of games of some players, and of games between some players and others.
const EITHER: &str =
    "(first IN (SELECT value FROM json_each(?)) OR second IN (SELECT value FROM json_each(?)))";
const OPPONENTS: &str = "(first IN (SELECT value FROM json_each(?)) AND second IN (SELECT value FROM json_each(?)) \
    OR first IN (SELECT value FROM json_each(?)) AND second IN (SELECT value FROM json_each(?)))";
/// The condition of games with a number of moves. On boards of more than 256 cells a move has two bytes.
const PLIES: &str = "length(moves) / (SELECT 1 + (width * height > 256) FROM boards WHERE boards.id = board) \
    BETWEEN ? AND ?";
/// Reads games and the comments in their trees, or about the positions that they reached.
const IN_TREES: &str =
    "SELECT game, comment FROM notes JOIN trees ON trees.id = tree WHERE game IS NOT NULL";
const AT_POSITIONS: &str =
    "SELECT game, comment FROM comments JOIN occurrences USING (key) WHERE comment IS NOT NULL";

/// Reads files and their names, with their folders and without.
const FILES: &str = "SELECT id, name FROM sources UNION ALL SELECT source, name FROM other_names";
const FILES_ALONE: &str = "SELECT id, substr(name, length(rtrim(name, replace(replace(name, '/', ''), '\\', ''))) + 1) \
    FROM (SELECT id, name FROM sources UNION ALL SELECT source, name FROM other_names)";
/// The condition of games that one of some files has.
const OF_FILES: &str = "(source IN (SELECT value FROM json_each(?)) OR id IN \
    (SELECT game FROM other_sources WHERE source IN (SELECT value FROM json_each(?))))";

/// Which games are taken. The default takes all.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Filter {
    /// The name of their ruleset.
    pub ruleset: Option<String>,
    /// A part of the name of a player.
    pub player: Option<String>,
    /// A part of the name of the opponent of `player`.
    pub against: Option<String>,
    /// Parts of the names of the first and of the second player.
    pub sides: [Option<String>; 2],
    /// A part of the name of the event.
    pub event: Option<String>,
    /// The code of the opening in the catalogue or its name in any language, or the name in the record.
    pub opening: Option<String>,
    /// 1 for a win of the first player, 0 for a draw, -1 for a loss.
    pub result: Option<i64>,
    /// The first and the last year.
    pub years: Option<(i64, i64)>,
    /// The least and the greatest number of moves.
    pub plies: Option<(i64, i64)>,
    /// Words in the comments of the game, or in a comment about a position that it reached.
    pub comment: Option<String>,
    /// A part of the name of the file that the game comes from, with its folder.
    pub source: Option<String>,
    /// A part of the name of that file without its folder.
    pub file: Option<String>,
    /// Marks that the game has.
    pub marks: Option<Marks>,
}

impl Filter {
    /// Returns whether all games of a ruleset are taken.
    pub fn is_open(&self) -> bool {
        Self { ruleset: None, ..self.clone() } == Self::default()
    }

    /// Returns whether at most years decide.
    pub(crate) fn is_only_years(&self) -> bool {
        Self { ruleset: None, years: None, ..self.clone() } == Self::default()
    }

    /// Returns whether an index leads to the games.
    fn is_narrow(&self) -> bool {
        let Self { player, against, sides: [first, second], event, comment, source, file, .. } =
            self;
        let parts = [player, against, first, second, event, comment, source, file];
        parts.iter().any(|part| part.is_some())
    }

    /// Returns the condition that the games fulfil.
    fn condition(&self, shelf: &Shelf) -> Result<Condition, Error> {
        let mut all = Condition::all();
        if let Some(name) = &self.ruleset {
            all = all.and("board = ?", [shelf.ruleset_id(name)?.unwrap_or(-1)]);
        }
        let players =
            |name: &Option<String>| name.as_ref().map(|name| shelf.players(name)).transpose();
        match (players(&self.player)?, players(&self.against)?) {
            (Some(one), Some(other)) => {
                all = all.and(OPPONENTS, [one.clone(), other.clone(), other, one]);
            }
            (Some(ids), None) | (None, Some(ids)) => all = all.and(EITHER, [ids.clone(), ids]),
            (None, None) => {}
        }
        let sides = [
            "first IN (SELECT value FROM json_each(?))",
            "second IN (SELECT value FROM json_each(?))",
        ];
        for (is_side, name) in sides.into_iter().zip(&self.sides) {
            if let Some(ids) = players(name)? {
                all = all.and(is_side, [ids]);
            }
        }
        if let Some(name) = &self.event {
            let ids = shelf.named("SELECT id, name FROM events", name)?;
            all = all
                .and("event IN (SELECT value FROM json_each(?))", [Value::from(ids).to_string()]);
        }
        if let Some(name) = &self.opening {
            let name = name.trim();
            let code = opening_code(shelf.catalog, name).unwrap_or(name);
            all = all.and(OPENING, [code.to_owned(), name.to_owned()]);
        }
        if let Some(result) = self.result {
            all = all.and("result = ?", [result]);
        }
        if let Some((from, to)) = self.years {
            all = all.and("date / 10000 BETWEEN ? AND ?", [from, to]);
        }
        if let Some((least, most)) = self.plies {
            all = all.and(PLIES, [least, most]);
        }
        if let Some(words) = &self.comment {
            let mut ids = shelf.named(IN_TREES, words)?;
            ids.extend(shelf.named(AT_POSITIONS, words)?);
            all = all.and("id IN (SELECT value FROM json_each(?))", [Value::from(ids).to_string()]);
        }
        for (names, part) in [(FILES, &self.source), (FILES_ALONE, &self.file)] {
            let Some(part) = part else { continue };
            let ids = Value::from(shelf.named(names, part)?).to_string();
            all = all.and(OF_FILES, [ids.clone(), ids]);
        }
        if let Some(Marks(bits)) = self.marks {
            all = all.and("marks & ? = ?", [bits, bits]);
        }
        Ok(all)
    }
}

/// A game of the shelf.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FoundGame {
    /// The id in the shelf.
    pub id: i64,
    /// The name of the ruleset, such as `renju 15x15`.
    pub ruleset: String,
    /// The names of the players; `None` if unknown.
    pub players: [Option<String>; 2],
    /// The event.
    pub event: Option<String>,
    /// The rules as the record names them.
    pub rule: Option<String>,
    /// The round.
    pub round: Option<String>,
    /// The date, such as `2020-05`.
    pub date: Option<String>,
    /// 1, 0 or -1, for the first player.
    pub result: Option<i64>,
    /// How it ended.
    pub ending: Option<String>,
    /// The code of the opening in the catalogue, else its name in the record.
    pub opening: Option<String>,
    /// What is remarkable.
    pub marks: Marks,
    /// The moves as points, such as `h8`.
    pub moves: Vec<String>,
    /// The moves from the first one that cannot be played.
    pub rest: Option<String>,
    /// The position before the first move, as a FEN; `None` for the empty board.
    pub start: Option<String>,
    /// Other headers, by the property of SGF.
    pub headers: Map<String, Value>,
    /// The file, and the number of the game in it.
    pub source: (String, i64),
}

/// Games that were found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct FoundGames {
    /// The number of all games.
    pub total: u64,
    /// The ids of the first ones, the latest game first.
    pub ids: Vec<i64>,
}

/// Returns the games that `filter` takes, that reached `position`, and that show `pattern`; up to
/// `limit`. `stop` ends the work early.
pub fn find(
    shelf: &mut Shelf,
    filter: &Filter,
    position: Option<&PositionAsked>,
    pattern: Option<&Pattern>,
    limit: Option<usize>,
    stop: &dyn Fn() -> bool,
) -> Result<FoundGames, Error> {
    let condition = filter.condition(shelf)?;
    let mut found: Vec<(i64, i64)> = match position {
        Some(asked) => {
            let ids = shelf.filtered_games_at(asked, filter, stop)?;
            let dates = "SELECT coalesce(date, 0) FROM games WHERE id = ?1";
            let dated =
                ids.into_iter().map(|id| Ok((shelf.value(dates, [id])?.unwrap_or_default(), id)));
            dated.collect::<Result<_, Error>>()?
        }
        None if pattern.is_none() => {
            let select = "SELECT coalesce(date, 0), id FROM games";
            condition.rows(shelf, select, "", |row| row.try_into())?
        }
        None => Vec::new(),
    };
    if let Some(pattern) = pattern {
        found = match position {
            Some(_) => {
                shelf.showing(pattern, found.into_iter().map(|(_, id)| id).collect(), stop)?
            }
            None => shelf.all_showing(pattern, &condition, stop)?,
        };
    }
    found.sort_unstable_by_key(|(date, id)| (std::cmp::Reverse(*date), *id));
    let total = found.len() as u64;
    found.truncate(limit.unwrap_or(usize::MAX));
    Ok(FoundGames { total, ids: found.into_iter().map(|(_, id)| id).collect() })
}

/// Finds a pattern in games of any ruleset.
struct Search<'p> {
    pattern: &'p Pattern,
    /// A matcher for each ruleset that was met, by the name.
    matchers: Vec<(String, Matcher)>,
}

impl Search<'_> {
    fn shows(&mut self, game: &crate::index::IndexedGame) -> bool {
        let ruleset: &Ruleset = &game.ruleset;
        let known = self.matchers.iter().position(|(name, _)| *name == ruleset.name);
        let index = known.unwrap_or_else(|| {
            self.matchers
                .push((ruleset.name.clone(), Matcher::new(self.pattern, ruleset.notation)));
            self.matchers.len() - 1
        });
        let matcher = &mut self.matchers[index].1;
        let (stones, turn) = game
            .start
            .as_ref()
            .map_or((&[][..], Side::First), |start| (&start.stones[..], start.turn));
        matcher.finds(stones, turn, &game.moves)
    }
}

impl Shelf {
    /// Returns whether an opening has a code or a name in the catalogue, or a game of the shelf has the name.
    pub fn knows_opening(&self, name: &str) -> Result<bool, Error> {
        if opening_code(self.catalog, name).is_some() {
            return Ok(true);
        }
        let condition = Condition::new(OPENING, [name.trim().to_owned(), name.trim().to_owned()]);
        let games = condition.rows(self, "SELECT id FROM games", "LIMIT 1", |_| Ok(()))?;
        Ok(!games.is_empty())
    }

    /// Returns the ids of texts that contain a text. `select` reads all ids and texts.
    pub(crate) fn named(&self, select: &'static str, part: &str) -> Result<Vec<i64>, Error> {
        let part = folded(part);
        let names: Vec<(i64, String)> = self.rows(select, [])?;
        let ids = names.into_iter().filter(|(_, name)| folded(name).contains(&part));
        Ok(ids.map(|(id, _)| id).collect())
    }

    /// Returns the ids of players with a name that contains a text, or that has another name with it, as a JSON array.
    fn players(&self, part: &str) -> Result<String, Error> {
        let part = folded(part);
        let aliases = self.aliases()?.into_iter();
        let aliases: Vec<[String; 2]> =
            aliases.map(|(alias, name)| [folded(&alias), folded(&name)]).collect();
        let is_meant = |name: &String| {
            let others = aliases.iter().filter(|pair| pair.contains(name)).flatten();
            [name].into_iter().chain(others).any(|name| name.contains(&part))
        };
        let names: Vec<(i64, String)> = self.rows("SELECT id, name FROM players", [])?;
        let ids = names.into_iter().filter(|(_, name)| is_meant(&folded(name)));
        Ok(Value::from_iter(ids.map(|(id, _)| id)).to_string())
    }

    /// Returns the other names of players, and the names that they mean.
    pub fn aliases(&self) -> Result<Vec<(String, String)>, Error> {
        self.rows("SELECT alias, name FROM aliases ORDER BY alias", [])
    }

    /// Makes `alias` another name of the player `name`; without a name, no longer. Games do not change.
    pub fn set_alias(&mut self, alias: &str, name: Option<&str>) -> Result<(), Error> {
        if let Some(name) = name {
            check_text("alias", alias, "")?;
            check_text("name", name, "")?;
        }
        self.write_change(&format!("alias {alias}"), |shelf| match name {
            Some(name) => {
                let insert = "INSERT INTO aliases (alias, name) VALUES (?1, ?2) \
                              ON CONFLICT DO UPDATE SET name = excluded.name";
                shelf.change(insert, [alias, name]).map(drop)
            }
            None if shelf.change("DELETE FROM aliases WHERE alias = ?1", [alias])? == 0 => {
                Err(Error::refused("alias", alias, "the shelf has no such alias"))
            }
            None => Ok(()),
        })
    }

    /// Returns the games that a filter takes and that reached a position.
    pub(crate) fn filtered_games_at(
        &mut self,
        asked: &PositionAsked,
        filter: &Filter,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<i64>, Error> {
        if filter.is_open() {
            return self.games_at(asked, stop);
        }
        let condition = filter.condition(self)?;
        let key = asked.walker().key();
        let is_indexed = self.any_game(key)?.is_some();
        let (select, condition) = if !is_indexed {
            let Some(game) = self.only_game_at(asked, stop)? else { return Ok(Vec::new()) };
            ("SELECT id FROM games", condition.and("id = ?", [game.id]))
        } else if filter.is_narrow() {
            let reached = "EXISTS (SELECT 1 FROM occurrences WHERE key = ? AND game = games.id)";
            ("SELECT id FROM games", condition.and(reached, [key]))
        } else {
            let select =
                "SELECT id FROM occurrences CROSS JOIN games ON games.id = occurrences.game";
            (select, condition.and("key = ?", [key]))
        };
        condition.rows(self, select, "", |row| row.get(0))
    }

    /// Returns the dates and ids of those of `ids` that show a pattern.
    fn showing(
        &mut self,
        pattern: &Pattern,
        ids: Vec<i64>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<(i64, i64)>, Error> {
        let mut search = Search { pattern, matchers: Vec::new() };
        let mut found = Vec::new();
        for id in ids {
            if stop() {
                return Err(Error::Stopped);
            }
            let game = self.indexed_game(id)?;
            if search.shows(&game) {
                found.push((game.date.unwrap_or(0), id));
            }
        }
        Ok(found)
    }

    /// Returns the dates and ids of the games that fulfil a condition and show a pattern.
    fn all_showing(
        &mut self,
        pattern: &Pattern,
        condition: &Condition,
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<(i64, i64)>, Error> {
        let mut search = Search { pattern, matchers: Vec::new() };
        let mut found = Vec::new();
        let mut is_stopped = false;
        self.each_game(0, condition, |game| {
            is_stopped = stop();
            if search.shows(&game) {
                found.push((game.date.unwrap_or(0), game.id));
            }
            !is_stopped
        })?;
        if is_stopped { Err(Error::Stopped) } else { Ok(found) }
    }

    /// Returns the game with this id.
    pub fn game(&mut self, id: i64) -> Result<FoundGame, Error> {
        const SELECT: &str = "SELECT first.name, second.name, events.name, rules.name, round, date, result, ending, \
            opening, marks, rest, start, headers, sources.name, number, games.board, moves FROM games \
            JOIN sources ON sources.id = games.source \
            LEFT JOIN players AS first ON first.id = games.first \
            LEFT JOIN players AS second ON second.id = games.second \
            LEFT JOIN events ON events.id = games.event LEFT JOIN rules ON rules.id = games.rule \
            WHERE games.id = ?1";
        let read = |row: &Row<'_>| {
            let date: Option<i64> = row.get(5)?;
            let headers: Option<String> = row.get(12)?;
            let headers = headers.and_then(|text| serde_json::from_str(&text).ok());
            let game = FoundGame {
                id,
                ruleset: String::new(),
                players: [row.get(0)?, row.get(1)?],
                event: row.get(2)?,
                rule: row.get(3)?,
                round: row.get(4)?,
                date: date.map(write_date),
                result: row.get(6)?,
                ending: row.get(7)?,
                opening: row.get(8)?,
                marks: Marks(row.get(9)?),
                moves: Vec::new(),
                rest: row.get(10)?,
                start: row.get(11)?,
                headers: headers.unwrap_or_default(),
                source: (row.get(13)?, row.get(14)?),
            };
            Ok((game, row.get::<_, i64>(15)?, row.get::<_, Vec<u8>>(16)?))
        };
        let found = self.rows_by(SELECT, [id], read)?.into_iter().next();
        let missing = || Error::no_game(id);
        let (mut game, ruleset, moves) = found.ok_or_else(missing)?;
        let ruleset = self.ruleset(ruleset)?;
        let moves = ruleset.unpack(&moves);
        game.moves = moves.into_iter().map(|cell| ruleset.point(cell).to_string()).collect();
        game.ruleset.clone_from(&ruleset.name);
        Ok(game)
    }
}
