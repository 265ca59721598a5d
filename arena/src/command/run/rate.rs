//! `arena rate`: rates the players of games in files, PGN or the arena's own JSON.
//!
//! A game of PGN has the players and the result that all commands read, by its board. Where its moves
//! cannot be read, as those of another game, its tags decide.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;
use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{Outcome, Side};
use tengen_records::{Format, ReadOptions, TextEncoding, format_of, read};

use super::before::check_options;
use super::{Context, Ended, Failure, refusal, refuse};
use crate::config::Config;
use crate::config::given::read_words;
use crate::config::option::{OptionSpec, Options};
use crate::config::values::ENCODINGS;
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
pub(super) fn rate(args: &[String], context: &mut Context<'_>) -> Ended {
    let (args, encoding) = take_encoding(args)?;
    let (names, entries) = read_words(&args)?;
    if names.is_empty() {
        return refuse!("rate: files of games expected, .pgn or .jsonl, then options");
    }
    check_options(&entries, OptionSpec::RATE, "rate takes only -encoding,")?;
    let mut config = Config::default();
    entries.iter().try_for_each(|entry| config.set_option(entry))?;
    let mut files = Vec::new();
    for path in names.iter().map(Path::new) {
        let file = path.display();
        let bytes = tengen_runs::files::read(path)
            .map_err(|error| refusal!("{file}: cannot be read: {error}"))?;
        let encoding = encoding.unwrap_or_else(|| TextEncoding::guessed(&bytes));
        let text = encoding.decode_lossy(&bytes);
        let is_json = path.extension().is_some_and(|end| end == "jsonl");
        let games = if is_json { json(&text) } else { pgn(&text, context.catalog) };
        let FileGames { games, unknown, contradicting } =
            games.map_err(|(line, why)| refusal!("{file}:{line}: {why}"))?;
        if let Some(line) = contradicting.first() {
            let count = contradicting.len();
            context.note(&format!(
                "warning: {file}:{line}: the result contradicts the board or another result; games that do not count for this: {count}"
            ));
        }
        if unknown > 0 {
            context.note(&format!("{file}: games without a result, which do not count: {unknown}"));
        }
        if games.is_empty() {
            return refuse!("{file}: the file has no game");
        }
        files.push(games);
    }
    let tally = tally(&files);
    let ratings = table::ratings(&tally, config.advantage, config.bootstrap as usize, config.seed);
    let width = context.console.width();
    let mut sections = vec![table::rating_table(&tally, &ratings, width)];
    if tally.players.len() > 2 {
        sections.push(table::crosstable(&tally, &table::ranking(&tally, &ratings)));
    }
    context.print(&report::text(&sections, width))
}

/// Returns the arguments without `-encoding NAME`, and that encoding; `None` if it is not given.
fn take_encoding(args: &[String]) -> Result<(Vec<String>, Option<TextEncoding>), Failure> {
    let is_name =
        |word: &String| word.trim_start_matches('-') == "encoding" && word.starts_with('-');
    let Some(at) = args.iter().position(is_name) else { return Ok((args.to_vec(), None)) };
    let label = args.get(at + 1).map_or("", String::as_str);
    let encoding = TextEncoding::named(label).ok_or_else(|| {
        let label = quotable(label);
        refusal!("-encoding \"{label}\": it must be {ENCODINGS}")
    })?;
    Ok(([&args[..at], &args[at + 2..]].concat(), Some(encoding)))
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

/// The games of a file.
#[derive(Default)]
struct FileGames {
    games: Vec<RatedGame>,
    /// The number of games without a result.
    unknown: usize,
    /// The lines of the games whose result is not clear.
    contradicting: Vec<usize>,
}

/// Reads a file with one JSON object a line. The error names the line.
fn json(text: &str) -> Result<FileGames, (usize, String)> {
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let read = |(line, number)| {
        let expected = |_| (number, "a game with names and score expected".to_owned());
        serde_json::from_str(line).map_err(expected)
    };
    Ok(FileGames { games: lines.map(read).collect::<Result<_, _>>()?, ..FileGames::default() })
}

/// Reads a PGN file without its unfinished games. The error names the line.
fn pgn(text: &str, catalog: &dyn Catalog) -> Result<FileGames, (usize, String)> {
    let mut games = FileGames::default();
    let mut tags: HashMap<String, String> = HashMap::new();
    let (mut first_line, mut begin, mut at) = (0, 0, 0);
    let mut in_tags = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let Some((name, value)) = tag(line) else {
            in_tags &= line.trim().is_empty();
            continue;
        };
        // The first tag after moves begins a new game.
        if !in_tags {
            games.add(&tags, first_line, &text[begin..start], catalog)?;
            tags.clear();
            (first_line, begin) = (index + 1, start);
        }
        in_tags = true;
        tags.insert(name.to_owned(), value);
    }
    games.add(&tags, first_line, &text[begin..], catalog)?;
    Ok(games)
}

/// Returns the name and the value of a tag; `None` if the line is not a tag.
fn tag(line: &str) -> Option<(&str, String)> {
    let inner = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    let (name, value) = inner.split_once(' ')?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    Some((name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

impl FileGames {
    /// Adds the game of `tags`, which begin on `line` of the file with `text`.
    fn add(
        &mut self,
        tags: &HashMap<String, String>,
        line: usize,
        text: &str,
        catalog: &dyn Catalog,
    ) -> Result<(), (usize, String)> {
        if tags.is_empty() {
            return Ok(());
        }
        let tag = |name: &str| {
            let missing = || (line, format!("the game has no tag {name}"));
            tags.get(name).cloned().ok_or_else(missing)
        };
        let (names, result) = ([tag("White")?, tag("Black")?], tag("Result")?);
        let id = tags.get("GameId").and_then(|id| id.parse().ok());
        let (names, score) = match of_record(text, catalog) {
            Some((of_record, Some(score))) => (of_record.unwrap_or(names), score),
            _ if result == "*" => {
                self.unknown += 1;
                return Ok(());
            }
            // A result that is known by itself, and not with the board or another one.
            Some((_, None)) if GameScore::of_text(&result).is_some() => {
                self.contradicting.push(line);
                return Ok(());
            }
            _ => {
                let score = GameScore::of_text(&result).ok_or_else(|| {
                    let found = quotable(&result);
                    (line, format!("Result \"{found}\": it must be 1-0, 0-1, 1/2-1/2 or *"))
                })?;
                (names, score)
            }
        };
        self.games.push(RatedGame { names, score, id });
        Ok(())
    }
}

/// Reads a game as all commands do: its players, the first one first, and its result. `None` if its moves
/// cannot be read; the players are `None` if the record does not name both.
fn of_record(
    text: &str,
    catalog: &dyn Catalog,
) -> Option<(Option<[String; 2]>, Option<GameScore>)> {
    let options = ReadOptions::new().named("game.pgn");
    if format_of(text.as_bytes(), &options) != Ok(Format::PGN) {
        return None;
    }
    let games = read(text.as_bytes(), &options).ok()?;
    let [record] = games.records() else { return None };
    let (spec, _) = record.spec(catalog).ok()?;
    let played = record.play(&mut *catalog.position(&spec)).ok()?;
    let score = match played.result() {
        Some(Outcome::Win(Side::First)) => Some(GameScore::First),
        Some(Outcome::Win(Side::Second)) => Some(GameScore::Second),
        Some(Outcome::Draw) => Some(GameScore::Draw),
        Some(Outcome::Value(_)) => return None,
        None => None,
    };
    let root = record.node(record.root());
    Some((root.text("PB").zip(root.text("PW")).map(|(first, second)| [first, second]), score))
}

#[cfg(test)]
mod tests {
    use tengen_games::CATALOG;

    use super::*;

    const PGN: &str = "[White \"A\"]\n[Black \"B \\\"x\\\"\"]\n[Result \"1-0\"]\n[GameId \"0\"]\n\n1. d1 1-0\n\n\
        [White \"B \\\"x\\\"\"]\n[Black \"A\"]\n[Result \"1/2-1/2\"]\n[GameId \"1\"]\n\n1. d1 1/2-1/2\n\n\
        [White \"A\"]\n[Black \"C\"]\n[Result \"*\"]\n\n*\n";

    #[test]
    fn the_encoding_is_taken_from_the_arguments() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (args, encoding) = take_encoding(&words("a.pgn -encoding gbk -srand 2")).ok().unwrap();
        assert_eq!((args, encoding), (words("a.pgn -srand 2"), TextEncoding::named("GBK")));
        assert!(take_encoding(&words("a.pgn -encoding")).is_err());
        assert!(take_encoding(&words("a.pgn -encoding nonsense")).is_err());
        let (args, encoding) = take_encoding(&words("encoding.pgn")).ok().unwrap();
        assert_eq!((args, encoding), (words("encoding.pgn"), None));
    }

    #[test]
    fn games_of_both_formats_are_read() {
        let FileGames { games, unknown, .. } = pgn(PGN, &CATALOG).unwrap();
        assert_eq!(unknown, 1);
        assert_eq!(games.len(), 2);
        assert_eq!(games[0].names, ["A".to_owned(), "B \"x\"".to_owned()]);
        assert_eq!((games[1].score, games[1].id), (GameScore::Draw, Some(1)));
        let line = "{\"id\":4,\"names\":[\"A\",\"D\"],\"score\":\"0-1\"}\n\n";
        let more = json(line).unwrap().games;
        assert_eq!((more[0].score, more[0].id), (GameScore::Second, Some(4)));
        let tally = tally(&[games, more]);
        assert_eq!(tally.players.len(), 3);
        // One whole pair, and one game alone.
        assert_eq!(tally.players[0].pairs, [0, 0, 0, 1, 0]);
        assert_eq!((tally.players[0].all.games(), tally.rated_pairs().len()), (3, 2));
    }

    #[test]
    fn the_board_decides_and_a_contradiction_does_not_count() {
        let game = |result: &str, tags: &str, moves: &str| {
            format!(
                "[White \"A\"]\n[Black \"B\"]\n[Variant \"gomokufreestyle\"]\n[Result \"{result}\"]\n{tags}\n{moves} {result}\n\n"
            )
        };
        let five = "1. h8 a1 2. h9 b1 3. h10 c1 4. h11 a3 5. h12";
        let open = "1. h8 a1 2. h9 b1";
        let file = [
            game("1-0", "", five),
            game("0-1", "", five),
            game("*", "", open),
            game("1 - 0", "", open),
            game("0-1", "", open),
            // The moves of another game.
            game("0-1", "", "1. Nf3 Nf6"),
        ];
        let FileGames { games, unknown, contradicting } = pgn(&file.concat(), &CATALOG).unwrap();
        let scores: Vec<GameScore> = games.iter().map(|game| game.score).collect();
        assert_eq!(
            scores,
            [GameScore::First, GameScore::First, GameScore::Second, GameScore::Second]
        );
        assert_eq!((unknown, contradicting), (1, vec![8]));
    }

    #[test]
    fn bad_games_are_refused_with_their_line() {
        let refused = |text: &str| pgn(text, &CATALOG).err().unwrap();
        assert_eq!(refused("\n[White \"A\"]\n\n*\n"), (2, "the game has no tag Black".to_owned()));
        let odd = refused("[White \"A\"]\n[Black \"B\"]\n[Result \"2-0\"]\n");
        assert_eq!(odd, (1, "Result \"2-0\": it must be 1-0, 0-1, 1/2-1/2 or *".to_owned()));
        let line = json("{}\n").err().unwrap();
        assert_eq!(line, (1, "a game with names and score expected".to_owned()));
    }
}
