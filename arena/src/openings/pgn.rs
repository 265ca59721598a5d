//! Reads openings from games in PGN: their main lines, without comments and variations.

use tengen_engine::Position;
use tengen_engine::text::quotable;

use super::Opening;
use super::file::{BadOpening, check_unfinished};

/// A tag or a word of a PGN file, with its place.
struct Token<'a> {
    text: &'a str,
    /// Line and character, both from 1.
    place: (usize, usize),
}

/// The tags and words of one game.
#[derive(Default)]
struct Game<'a> {
    tags: Vec<Token<'a>>,
    words: Vec<Token<'a>>,
}

/// Reads the games of a file, at most `plies` plies of each.
pub(super) fn read(
    text: &str,
    plies: Option<u32>,
    position: &mut dyn Position,
) -> Result<Vec<Opening>, BadOpening> {
    let plies = plies.map_or(usize::MAX, |plies| plies as usize);
    games(tokens(text)?).iter().map(|game| game.opening(plies, position)).collect()
}

/// Divides the tokens of a file into games. A game ends at its result, or at the tags of the next
/// game.
fn games(tokens: Vec<Token<'_>>) -> Vec<Game<'_>> {
    let mut games: Vec<Game<'_>> = Vec::new();
    for token in tokens {
        let is_tag = token.text.starts_with('[');
        let is_over = |last: &Token<'_>| is_tag || (is_result(last.text) && !is_result(token.text));
        if games.last().is_none_or(|game| game.words.last().is_some_and(is_over)) {
            games.push(Game::default());
        }
        if let Some(game) = games.last_mut() {
            let tokens = if is_tag { &mut game.tags } else { &mut game.words };
            tokens.push(token);
        }
    }
    games
}

impl Game<'_> {
    /// Sets up the game and plays at most `plies` plies of it.
    fn opening(&self, plies: usize, position: &mut dyn Position) -> Result<Opening, BadOpening> {
        let mut fens = self.tags.iter().filter_map(|tag| Some((tag, fen(tag.text)?)));
        let start = match fens.next_back() {
            None => {
                position.reset();
                None
            }
            Some((tag, text)) => {
                position.set_up(text).map_err(|why| (Some(tag.place), why.to_string()))?;
                // The FEN is written again in the form of the game.
                Some(position.fen(false))
            }
        };
        let mut last = self.tags.last().map(|tag| tag.place);
        for Token { text, place } in self.words.iter().filter(|word| !is_result(word.text)) {
            if text.starts_with('$') || position.played().len() >= plies {
                continue;
            }
            // A move number "12." or "12..." may come before a move without a blank.
            let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
            let mv = if after.starts_with('.') { after.trim_start_matches('.') } else { text };
            let mv = mv.trim_end_matches(['!', '?']);
            if !mv.is_empty() {
                last = Some(*place);
                position.play_text(mv).map_err(|why| (last, why.to_string()))?;
            }
        }
        check_unfinished(position).map_err(|why| (last, why))?;
        Ok(Opening { start, moves: position.played().to_vec() })
    }
}

/// Returns the value of the tag `FEN`; `None` for another tag.
fn fen(tag: &str) -> Option<&str> {
    let (name, rest) = tag.strip_prefix('[')?.split_once(char::is_whitespace)?;
    let value = rest.trim().trim_end_matches(']').trim().trim_matches('"');
    name.eq_ignore_ascii_case("FEN").then_some(value)
}

fn is_result(text: &str) -> bool {
    matches!(text, "1-0" | "0-1" | "1/2-1/2" | "*")
}

/// Splits a file into tags and words, without comments and variations.
fn tokens(text: &str) -> Result<Vec<Token<'_>>, BadOpening> {
    let mut tokens = Vec::new();
    let mut depth = 0_usize;
    let mut comment: Option<(usize, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        if comment.is_none() && line.trim_start().starts_with(['[', '%']) {
            if line.trim_start().starts_with('[') && depth == 0 {
                let tag = line.trim();
                let character = 1 + line.len() - line.trim_start().len();
                tokens.push(Token { text: tag, place: (index + 1, character) });
            }
            continue;
        }
        let place = |at: usize| (index + 1, 1 + line[..at].chars().count());
        // The place where the current word begins.
        let mut word: Option<usize> = None;
        for (at, c) in line.char_indices().chain([(line.len(), '\n')]) {
            if comment.is_some() {
                comment = comment.filter(|_| c != '}');
                continue;
            }
            if !c.is_whitespace() && !matches!(c, '{' | ';' | '(' | ')') {
                word.get_or_insert(at);
                continue;
            }
            if let Some(from) = word.take().filter(|_| depth == 0) {
                tokens.push(Token { text: &line[from..at], place: place(from) });
            }
            match c {
                '{' => comment = Some(place(at)),
                ';' => break,
                '(' => depth += 1,
                ')' => {
                    depth = depth.checked_sub(1).ok_or_else(|| {
                        let rest = quotable(&line[at..]);
                        (Some(place(at)), format!("no variation ends at \"{rest}\""))
                    })?;
                }
                _ => {}
            }
        }
    }
    match comment {
        Some(place) => Err((Some(place), "a comment has no end".to_owned())),
        None if depth > 0 => Err((None, "a variation has no end".to_owned())),
        None => Ok(tokens),
    }
}
