//! Cuts large files between games, so that threads share them and memory stays small.

use std::ops::Range;

use tengen_records::Format;

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

/// Returns the pieces of a file, in order. Only a large text in UTF-8 is cut, whose games begin at a known
/// place.
pub(super) fn pieces(bytes: &[u8], format: Format) -> Vec<Piece> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() >= WHOLE);
    let starts = text.and_then(|text| Some((text, format.game_starts(text)?)));
    match starts {
        Some((text, starts)) => cut(text, &starts),
        None => vec![Piece { range: 0..bytes.len(), lines: 0 }],
    }
}

/// Returns the pieces that begin at some of `starts`, which are in order.
fn cut(text: &str, starts: &[usize]) -> Vec<Piece> {
    let (mut pieces, mut from, mut lines) = (Vec::new(), 0, 0);
    let end = text.len();
    for to in starts.iter().copied().filter(|start| *start > 0).chain([end]) {
        if to - from >= PIECE || (to == end && to > from) {
            pieces.push(Piece { range: from..to, lines });
            lines += text[from..to].bytes().filter(|byte| *byte == b'\n').count();
            from = to;
        }
    }
    pieces
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
        check("(;GM[4]C[a (; \\] b]\n;B[hh](;W[ii])(;W[gg]))\n", Format::SGF);
        check("[Event \"a\"]\n[Site \"b\"]\n\n1. h8 {[Event } i9 *\n\n", Format::PGN);
        check("Piskvorky 15x15, 11:11, 0\n8,8,0\n9,9,0\n-1\n", Format::PSQ);
        check("1. h8 i9\n2. j7 g9\n", Format::MOVES);
        check("h8 i9 j7\n", Format::MOVES);
        check("{\"players\":[],\"moves\":[]}\n", Format::JSONL);
    }

    #[test]
    fn a_small_file_is_not_cut() {
        assert_eq!(pieces(b"h8 i9\nh8\n", Format::MOVES), [Piece { range: 0..9, lines: 0 }]);
    }
}
