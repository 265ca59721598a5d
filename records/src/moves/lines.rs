//! Which lines of a list are one game, and what stands in a line beside its moves.

use crate::result::without_result;

/// A game: its lines with their numbers from 1.
pub(super) type Lines<'a> = Vec<(usize, &'a str)>;

/// Returns the games of a text. A comment begins with `#`. A file with one move on each line is one
/// game, and so are lines that begin with the numbers of moves, up to the next number 1, and lines
/// that end with a comma or an arrow with the next one. `falls` is whether stones fall.
pub(super) fn games(text: &str, falls: bool) -> Vec<Lines<'_>> {
    let all = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    // Brackets around several games stand on lines of their own.
    let is_blank = |c: char| c.is_whitespace() || "[](),;{}".contains(c);
    let is_listed = |line: &str| !line.chars().all(is_blank) && !line.trim_start().starts_with('#');
    let lines: Lines<'_> = all.filter(|(_, line)| is_listed(line)).collect();
    let is_single = |line: &str| {
        let line = alone(line);
        if !falls && numbers(line).is_some() {
            return true;
        }
        let letters = line.bytes().filter(u8::is_ascii_alphabetic).count();
        line.len() <= MAX_MOVE_LEN
            && letters <= 2
            && !line.contains(char::is_whitespace)
            && (line.contains(',') || letters > 0)
            && (letters != 2 || line.contains('@') || (line.len() == 2 && !falls))
    };
    if lines.len() > 1 && lines.iter().all(|(_, line)| is_single(line)) {
        return vec![lines];
    }
    let mut games: Vec<Lines<'_>> = Vec::new();
    let (mut is_numbered, mut is_open) = (false, false);
    for (number, line) in lines {
        let first = leading_number(line, falls);
        match games.last_mut().filter(|_| is_open || (is_numbered && first != Some(1))) {
            Some(game) => game.push((number, line)),
            None => games.push(vec![(number, line)]),
        }
        is_open = goes_on(line);
        is_numbered = (is_numbered && first != Some(1)) || first.is_some();
        is_numbered &= without_result(line).1.is_none();
    }
    games
}

/// Returns whether a line begins a game: the line before does not go on, and the line has no number of
/// a later move.
pub(super) fn begins_game(before: &str, line: &str) -> bool {
    let goes_on = before.trim_end().ends_with([',', '-', '\u{2192}']);
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_numbered = digits > 0 && line[digits..].starts_with(['.', ')', ':']);
    !goes_on && (!is_numbered || &line[..digits] == "1")
}

/// Returns a line with a move alone, without the comma after it and brackets around it.
fn alone(line: &str) -> &str {
    let line = line.trim().trim_end_matches([',', ';']).trim_end();
    let inside = line.strip_prefix(['(', '[']).and_then(|line| line.strip_suffix([')', ']']));
    inside.map_or(line, str::trim)
}

/// Returns whether the game of a line goes on in the next line: it ends with a comma or an arrow.
fn goes_on(line: &str) -> bool {
    let line = line.trim();
    let without = without_arrow(line);
    if without.len() < line.len() {
        return true;
    }
    // `[(7, 7), (8, 6)],` is a game of several.
    line.strip_suffix(',').is_some_and(|line| !matches!(outer(line), (true, true, _)))
}

/// Returns a line without an arrow at its end.
pub(super) fn without_arrow(line: &str) -> &str {
    let line = line.trim_end();
    line.strip_suffix(['-', '\u{2192}']).unwrap_or(line)
}

/// Returns whether a list of moves in brackets or quotes begins and ends with brackets of its own, and
/// what is inside of them.
pub(super) fn outer(line: &str) -> (bool, bool, &str) {
    let line = line.trim().trim_end_matches(',').trim_end();
    let begin = line.strip_prefix(['[', '(']);
    let begin = begin.filter(|line| line.trim_start().starts_with(['[', '(', '"', '\'']));
    let inside = begin.unwrap_or(line);
    let end = inside.strip_suffix([']', ')']);
    let end = end.filter(|line| line.trim_end().ends_with([']', ')', '"', '\'']));
    (begin.is_some(), end.is_some(), end.unwrap_or(inside))
}

/// Returns the FEN of a line and its moves: `fen FEN moves h8 i9`, as in UCI; `fen` may be missing.
/// `None` for another line.
pub(super) fn with_fen(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("position ").unwrap_or(line).trim_start();
    let text = line.strip_prefix("fen ").or_else(|| Some(line).filter(|line| is_fen(line)))?;
    Some(text.split_once(" moves").unwrap_or((text, "")))
}

/// Returns whether a line begins with the rows of a FEN.
pub fn is_fen(line: &str) -> bool {
    let rows = line.split_ascii_whitespace().next().unwrap_or_default();
    let is_of_fen = |c: char| c.is_ascii_digit() || "Pp/[]".contains(c);
    rows.matches('/').count() > 1 && rows.chars().all(is_of_fen)
}

/// Returns whether a line begins with words of UCI.
pub(super) fn is_in_words(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("position ").unwrap_or(line);
    let word = line.split_ascii_whitespace().next().unwrap_or_default();
    word == "startpos" || with_fen(line).is_some()
}

/// Reads a column and a row.
pub(super) fn numbers(text: &str) -> Option<[u32; 2]> {
    let (column, row) = text.split_once(',')?;
    Some([column.trim().parse().ok()?, row.trim().parse().ok()?])
}

/// Returns the number of the move that a line begins with; `None` if it begins with a move.
fn leading_number(line: &str, falls: bool) -> Option<u32> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let is_marked = rest.starts_with(['.', ')', ':']);
    let is_bare = !falls && rest.starts_with(char::is_whitespace);
    let next = rest.trim_start_matches(['.', ')', ':']).trim_start();
    let is_number = is_marked || (is_bare && !next.starts_with(','));
    line[..digits].parse().ok().filter(|_| is_number)
}

/// The length in bytes of the longest move: `P@z26`, or `25,25`.
const MAX_MOVE_LEN: usize = 5;
