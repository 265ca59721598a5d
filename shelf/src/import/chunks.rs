//! Cuts large files between games, so that threads share them and memory stays small.

use std::ops::Range;

use tengen_engine::{Grid, GridNotation};
use tengen_records::{Format, is_of_larger_board};

/// Files below this size are not cut.
const WHOLE: usize = 512 << 10;
/// The least size of a piece.
const PIECE: usize = 256 << 10;

/// A piece of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// The number of lines before it.
    pub(super) lines: usize,
}

/// Returns the pieces of a file, in order. Only a text in UTF-8 is cut, whose games begin at a known
/// place. PSQ is cut into games, so that a bad game leaves the others alone.
pub(super) fn pieces(bytes: &[u8], format: Format) -> Vec<Piece> {
    let whole = || vec![Piece { range: 0..bytes.len(), lines: 0 }];
    let is_psq = format == Format::Psq;
    if bytes.len() < WHOLE && !is_psq {
        return whole();
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return whole() };
    let starts = match format {
        Format::Sgf => sgf_starts(text),
        Format::Pgn => line_starts(text, |before, line| {
            line.starts_with("[Event ") && !before.trim_start().starts_with('[')
        }),
        Format::Psq => line_starts(text, |_, line| {
            line.get(..9).is_some_and(|word| word.eq_ignore_ascii_case("piskvorky"))
        }),
        Format::Moves => line_starts(text, begins_game),
        // The first line of a journal says what the other lines mean.
        Format::Jsonl if !text.trim_start().starts_with("{\"kind\"") => {
            line_starts(text, |_, line| line.starts_with('{'))
        }
        _ => return whole(),
    };
    cut(text, &starts, if is_psq { 1 } else { PIECE })
}

/// Returns the pieces of at least `least` bytes that begin at some of `starts`, which are in order.
fn cut(text: &str, starts: &[usize], least: usize) -> Vec<Piece> {
    let (mut pieces, mut from, mut lines) = (Vec::new(), 0, 0);
    let end = text.len();
    for to in starts.iter().copied().filter(|start| *start > 0).chain([end]) {
        if to - from >= least || (to == end && to > from) {
            pieces.push(Piece { range: from..to, lines });
            lines += text[from..to].bytes().filter(|byte| *byte == b'\n').count();
            from = to;
        }
    }
    pieces
}

/// Returns where lines begin that begin a game. `begins` gets the line before that is not blank, and
/// the line.
fn line_starts(text: &str, begins: impl Fn(&str, &str) -> bool) -> Vec<usize> {
    let (mut starts, mut at, mut before) = (Vec::new(), 0, "");
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            if begins(before, line.trim_start()) {
                starts.push(at);
            }
            before = line;
        }
        at += line.len();
    }
    starts
}

/// Returns whether a line of a list of moves begins a game: the line before does not go on, and the
/// line has no number of a later move.
fn begins_game(before: &str, line: &str) -> bool {
    let goes_on = before.trim_end().ends_with([',', '-', '\u{2192}']);
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let is_numbered = digits > 0 && line[digits..].starts_with(['.', ')', ':']);
    !goes_on && (!is_numbered || &line[..digits] == "1")
}

/// Returns where the games of an SGF file begin.
fn sgf_starts(text: &str) -> Vec<usize> {
    let (mut starts, mut depth, mut in_value, mut is_escaped) = (Vec::new(), 0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_value => is_escaped = true,
            b']' if in_value => in_value = false,
            _ if in_value => {}
            b'[' if depth > 0 => in_value = true,
            b'(' => {
                if depth == 0 {
                    starts.push(at);
                }
                depth += 1;
            }
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    starts
}

/// Returns the board of a large list of moves that names none, so that all pieces have the same: 20x20
/// if one line in ten has a move that needs it. Fewer such lines are faulty games of 15x15.
pub(super) fn board_of_moves(text: &[u8]) -> Option<GridNotation> {
    let board = |side| Grid::new(side, side).map(|grid| GridNotation::new(grid, false));
    let (small, large) = (board(15)?, board(20)?);
    let text = std::str::from_utf8(text).ok()?;
    let is_outside = |line: &&str| {
        small.split_moves(line).into_iter().any(|mv| small.is_outside(mv) && !large.is_outside(mv))
    };
    let outside = text.lines().filter(is_outside).count();
    Some(if is_of_larger_board(outside, text.lines().count()) { large } else { small })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the pieces of a large file hold its games.
    fn check(game: &str, format: Format) {
        let text = game.repeat(2 * WHOLE / game.len());
        let pieces = pieces(text.as_bytes(), format);
        assert!(pieces.len() > 2);
        let (mut at, mut lines) = (0, 0);
        for piece in &pieces {
            let part = &text[piece.range.clone()];
            assert_eq!((piece.range.start, piece.lines), (at, lines));
            assert!(part.len().is_multiple_of(game.len()), "{format:?}: {}", &part[..40]);
            at = piece.range.end;
            lines += part.matches('\n').count();
        }
        assert_eq!(at, text.len());
    }

    #[test]
    fn large_files_are_cut_between_games() {
        check("(;GM[4]C[a (; \\] b]\n;B[hh](;W[ii])(;W[gg]))\n", Format::Sgf);
        check("[Event \"a\"]\n[Site \"b\"]\n\n1. h8 {[Event } i9 *\n\n", Format::Pgn);
        check("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n-1\n", Format::Psq);
        check("1. h8 i9\n2. j7 g9\n", Format::Moves);
        check("h8 i9 j7\n", Format::Moves);
        check("{\"players\":[],\"moves\":[]}\n", Format::Jsonl);
    }

    #[test]
    fn a_list_is_of_20x20_if_one_line_in_ten_is() {
        let board = |outside: usize| {
            let text = "h8 i9\n".repeat(20 - outside) + &"h8 t20\n".repeat(outside);
            board_of_moves(text.as_bytes()).unwrap().grid().width()
        };
        assert_eq!([0, 1, 2, 20].map(board), [15, 15, 20, 20]);
    }

    #[test]
    fn a_small_file_is_not_cut_unless_a_bad_game_spoils_the_others() {
        let psq = "Piskvorky 15x15\n8,8\n\nPiskvorky 15x15\n8;8\n";
        assert_eq!(pieces(psq.as_bytes(), Format::Psq).len(), 2);
        assert_eq!(pieces(b"h8 i9\nh8\n", Format::Moves), [Piece { range: 0..9, lines: 0 }]);
    }
}
