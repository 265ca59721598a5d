//! `arena rate`: rates the players of games in files, PGN or the arena's own JSON.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use tengen_engine::text::quotable;

use super::before::check_options;
use super::{Console, Failure, Status, print};
use crate::config::Config;
use crate::config::given::read_words;
use crate::config::option::{OptionSpec, Options};
use crate::output::{report, table};
use crate::record::{EndKind, GameRecord, GameScore};
use crate::tally::Tally;

/// The data of a game that ratings need.
#[derive(Clone, PartialEq, Debug, Deserialize)]
struct RatedGame {
    names: [String; 2],
    score: GameScore,
    /// The number of the game, if its file has it. The two games of a pair are 2n and 2n + 1.
    id: Option<u64>,
}

/// Rates the players of all files together.
pub(super) fn rate(args: &[String], console: &mut dyn Console) -> Result<Status, Failure> {
    let (names, entries) = read_words(args)?;
    if names.is_empty() {
        let why = "rate: files of games expected, .pgn or .jsonl, then options";
        return Err(Failure::refused(why));
    }
    check_options(&entries, OptionSpec::RATE, "rate takes only")?;
    let mut config = Config::default();
    entries.iter().try_for_each(|entry| config.set_option(entry))?;
    let mut files = Vec::new();
    for arg in &names {
        let path = Path::new(arg);
        let refuse = |why: String| Failure::refused(format!("{}: {why}", path.display()));
        let bytes = tengen_runs::files::read(path)
            .map_err(|error| refuse(format!("cannot be read: {error}")))?;
        let text = String::from_utf8_lossy(&bytes);
        let is_json = path.extension().is_some_and(|end| end == "jsonl");
        let games = if is_json { json(&text) } else { pgn(&text) };
        let games = games
            .map_err(|(line, why)| Failure::refused(format!("{}:{line}: {why}", path.display())))?;
        if games.is_empty() {
            return Err(refuse("the file has no game".to_owned()));
        }
        files.push(games);
    }
    let tally = tally(&files);
    let ratings = table::ratings(&tally, config.advantage, config.bootstrap as usize, config.seed);
    let width = console.width();
    let mut sections = vec![table::rating_table(&tally, &ratings, width)];
    if tally.players.len() > 2 {
        sections.push(table::crosstable(&tally, &table::ranking(&tally, &ratings)));
    }
    print(console, &report::text(&sections, width))
}

/// Counts the games of all files. The two games of a pair stay together.
fn tally(files: &[Vec<RatedGame>]) -> Tally {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut names = Vec::new();
    for name in files.iter().flatten().flat_map(|game| &game.names) {
        numbers.entry(name).or_insert_with(|| {
            names.push(name.clone());
            names.len() - 1
        });
    }
    let mut tally = Tally::new(&names);
    let mut next_pair = 0;
    for games in files {
        let mut pairs: HashMap<u64, u64> = HashMap::new();
        for game in games {
            let mut new_pair = || {
                next_pair += 1;
                next_pair - 1
            };
            let (pair, half) = match game.id {
                Some(id) => (*pairs.entry(id / 2).or_insert_with(new_pair), id % 2),
                None => (new_pair(), 0),
            };
            let players = game.names.each_ref().map(|name| numbers[name.as_str()]);
            let id = 2 * pair + half;
            tally.add(&GameRecord::of_result(id, players, game.score, EndKind::Line));
        }
    }
    tally
}

/// Reads a file with one JSON object a line. The error names the line.
fn json(text: &str) -> Result<Vec<RatedGame>, (usize, String)> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let read = |(line, number)| {
        let expected = |_| (number, "a game with names and score expected".to_owned());
        serde_json::from_str(line).map_err(expected)
    };
    lines.map(read).collect()
}

fn score_of(text: &str) -> Option<GameScore> {
    [GameScore::First, GameScore::Second, GameScore::Draw]
        .into_iter()
        .find(|score| score.text() == text)
}

/// Reads a PGN file without its unfinished games. The error names the line.
fn pgn(text: &str) -> Result<Vec<RatedGame>, (usize, String)> {
    let mut games = Vec::new();
    let mut tags: HashMap<String, String> = HashMap::new();
    let mut first_line = 0;
    let mut in_tags = false;
    for (index, line) in text.lines().enumerate() {
        let Some((name, value)) = tag(line) else {
            in_tags &= line.trim().is_empty();
            continue;
        };
        // The first tag after moves begins a new game.
        if !in_tags {
            games.extend(finished(&tags, first_line)?);
            tags.clear();
            first_line = index + 1;
        }
        in_tags = true;
        tags.insert(name.to_owned(), value);
    }
    games.extend(finished(&tags, first_line)?);
    Ok(games)
}

/// Returns the name and the value of a tag; `None` if the line is not a tag.
fn tag(line: &str) -> Option<(&str, String)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once(' ')?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// Reads the game of `tags`, which begin on `line`; `None` if the game is unfinished.
fn finished(
    tags: &HashMap<String, String>,
    line: usize,
) -> Result<Option<RatedGame>, (usize, String)> {
    if tags.is_empty() {
        return Ok(None);
    }
    let tag = |name: &str| {
        let missing = || (line, format!("the game has no tag {name}"));
        tags.get(name).cloned().ok_or_else(missing)
    };
    let (names, result) = ([tag("White")?, tag("Black")?], tag("Result")?);
    if result == "*" {
        return Ok(None);
    }
    let score = score_of(&result).ok_or_else(|| {
        let found = quotable(&result);
        (line, format!("Result \"{found}\": it must be 1-0, 0-1, 1/2-1/2 or *"))
    })?;
    let id = tags.get("GameId").and_then(|id| id.parse().ok());
    Ok(Some(RatedGame { names, score, id }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PGN: &str = "[White \"A\"]\n[Black \"B \\\"x\\\"\"]\n[Result \"1-0\"]\n[GameId \"0\"]\n\n1. d1 1-0\n\n\
        [White \"B \\\"x\\\"\"]\n[Black \"A\"]\n[Result \"1/2-1/2\"]\n[GameId \"1\"]\n\n1. d1 1/2-1/2\n\n\
        [White \"A\"]\n[Black \"C\"]\n[Result \"*\"]\n\n*\n";

    #[test]
    fn games_of_both_formats_are_read() {
        let games = pgn(PGN).unwrap();
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].names, ["A".to_owned(), "B \"x\"".to_owned()]);
        assert_eq!((games[1].score, games[1].id), (GameScore::Draw, Some(1)));
        let line = "{\"id\":4,\"names\":[\"A\",\"D\"],\"score\":\"0-1\"}\n\n";
        let more = json(line).unwrap();
        assert_eq!((more[0].score, more[0].id), (GameScore::Second, Some(4)));
        let tally = tally(&[games, more]);
        assert_eq!(tally.players.len(), 3);
        // One whole pair, and one game alone.
        assert_eq!(tally.players[0].pairs, [0, 0, 0, 1, 0]);
        assert_eq!((tally.players[0].all.games(), tally.rated_pairs().len()), (3, 2));
    }

    #[test]
    fn bad_games_are_refused_with_their_line() {
        let refused = |text: &str| pgn(text).unwrap_err();
        assert_eq!(refused("\n[White \"A\"]\n\n*\n"), (2, "the game has no tag Black".to_owned()));
        let odd = refused("[White \"A\"]\n[Black \"B\"]\n[Result \"2-0\"]\n");
        assert_eq!(odd, (1, "Result \"2-0\": it must be 1-0, 0-1, 1/2-1/2 or *".to_owned()));
        let line = json("{}\n").unwrap_err();
        assert_eq!(line, (1, "a game with names and score expected".to_owned()));
    }
}
