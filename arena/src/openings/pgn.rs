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

impl Token<'_> {
    fn fault(&self, why: String) -> BadOpening {
        (Some(self.place), why)
    }
}

/// Reads the games of a file, at most `plies` plies of each.
pub(super) fn read(
    text: &str,
    plies: Option<u32>,
    position: &mut dyn Position,
) -> Result<Vec<Opening>, BadOpening> {
    let plies = plies.map_or(usize::MAX, |plies| plies as usize);
    let mut openings = Vec::new();
    let mut game = Game::default();
    for token in tokens(text)? {
        match token.text.strip_prefix('[') {
            Some(tag) => {
                if game.has_moves || game.is_over {
                    openings.extend(game.finish(position)?);
                    game = Game::default();
                }
                game.add_tag(tag, &token);
            }
            None => {
                if game.is_over && !is_result(token.text) {
                    openings.extend(game.finish(position)?);
                    game = Game::default();
                }
                game.add_word(&token, plies, position)?;
            }
        }
    }
    openings.extend(game.finish(position)?);
    Ok(openings)
}

/// The game that is being read.
#[derive(Default)]
struct Game {
    /// The value of the tag `FEN`, with its place.
    start: Option<(String, (usize, usize))>,
    is_set_up: bool,
    has_tags: bool,
    has_moves: bool,
    is_over: bool,
    last: Option<(usize, usize)>,
}

impl Game {
    fn add_tag(&mut self, tag: &str, token: &Token<'_>) {
        self.has_tags = true;
        self.last = Some(token.place);
        let (name, rest) = tag.split_once(|c: char| c.is_whitespace()).unwrap_or((tag, ""));
        if name.eq_ignore_ascii_case("FEN") {
            let value = rest.trim().trim_end_matches(']').trim().trim_matches('"');
            self.start = Some((value.to_owned(), token.place));
        }
    }

    fn set_up(&mut self, position: &mut dyn Position) -> Result<(), BadOpening> {
        if self.is_set_up {
            return Ok(());
        }
        self.is_set_up = true;
        match &self.start {
            None => position.reset(),
            Some((text, place)) => {
                position.set_up(text).map_err(|why| (Some(*place), why.to_string()))?
            }
        }
        Ok(())
    }

    fn add_word(
        &mut self,
        token: &Token<'_>,
        plies: usize,
        position: &mut dyn Position,
    ) -> Result<(), BadOpening> {
        self.set_up(position)?;
        self.has_moves = true;
        if is_result(token.text) {
            self.is_over = true;
            return Ok(());
        }
        if token.text.starts_with('$') || position.played().len() >= plies {
            return Ok(());
        }
        // A move number "12." or "12..." may come before a move without a blank.
        let digits = token.text.bytes().take_while(u8::is_ascii_digit).count();
        let numbered = token.text[digits..].starts_with('.');
        let mv = if numbered { token.text[digits..].trim_start_matches('.') } else { token.text };
        let mv = mv.trim_end_matches(['!', '?']);
        if mv.is_empty() {
            return Ok(());
        }
        self.last = Some(token.place);
        position.play_text(mv).map_err(|why| token.fault(why.to_string()))?;
        Ok(())
    }

    fn finish(mut self, position: &mut dyn Position) -> Result<Option<Opening>, BadOpening> {
        if !self.has_tags && !self.has_moves {
            return Ok(None);
        }
        self.set_up(position)?;
        let played = position.played().to_vec();
        check_unfinished(position).map_err(|why| (self.last, why))?;
        let start = match self.start {
            None => None,
            Some((text, place)) => {
                // The FEN is written again in the form of the game.
                let mut board = position.duplicate();
                board.set_up(&text).map_err(|why| (Some(place), why.to_string()))?;
                Some(board.fen(false))
            }
        };
        Ok(Some(Opening { start, moves: played }))
    }
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
        let mut word: Option<usize> = None;
        let mut stop = line.len();
        let mut end = |word: &mut Option<usize>, at: usize, depth: usize| {
            if let Some(from) = word.take()
                && depth == 0
            {
                let character = 1 + line[..from].chars().count();
                tokens.push(Token { text: &line[from..at], place: (index + 1, character) });
            }
        };
        for (at, c) in line.char_indices() {
            if comment.is_some() {
                if c == '}' {
                    comment = None;
                }
                continue;
            }
            match c {
                '{' => {
                    end(&mut word, at, depth);
                    comment = Some((index + 1, 1 + line[..at].chars().count()));
                }
                ';' => {
                    stop = at;
                    break;
                }
                '(' => {
                    end(&mut word, at, depth);
                    depth += 1;
                }
                ')' => {
                    end(&mut word, at, depth);
                    let character = 1 + line[..at].chars().count();
                    depth = depth.checked_sub(1).ok_or_else(|| {
                        let rest = quotable(&line[at..]);
                        (Some((index + 1, character)), format!("no variation ends at \"{rest}\""))
                    })?;
                }
                c if c.is_whitespace() => end(&mut word, at, depth),
                _ => {
                    word.get_or_insert(at);
                }
            }
        }
        if comment.is_none() {
            end(&mut word, stop, depth);
        }
    }
    match comment {
        Some(place) => Err((Some(place), "a comment has no end".to_owned())),
        None if depth > 0 => Err((None, "a variation has no end".to_owned())),
        None => Ok(tokens),
    }
}
