//! Lists of moves: one game on each line, each move in any notation that the engine reads.
//!
//! [`GridNotation`] of the engine reads the moves.

use std::borrow::Cow;

use tengen_engine::{Grid, GridNotation, Placement, Side};

use crate::encoding::TextEncoding;
use crate::fault::{Fault, FaultKind};
use crate::line::reason;
use crate::place::Place;
use crate::tree::{Collection, Format, Record};

/// The sides of the boards that are tried for a list without a board.
const SIDES: [u32; 2] = [15, 20];

/// Reads the games of a text. `notation` is their board; if it is `None`, the smallest board of
/// [`SIDES`] where all moves fit.
pub(crate) fn read(bytes: &[u8], notation: Option<GridNotation>) -> Result<Collection, Fault> {
    let text = String::from_utf8_lossy(TextEncoding::unmarked(bytes));
    let lines = lines(&text);
    let read_on = |board| -> Result<Vec<Record>, Fault> {
        lines.iter().map(|(number, line)| game(*number, line, board)).collect()
    };
    let usual = SIDES.iter().filter_map(|&side| square(side));
    let mut tried =
        notation.map_or_else(|| usual.collect(), |board| vec![board]).into_iter().map(read_on);
    let smallest = tried.next().unwrap_or_else(|| Ok(Vec::new()));
    let records = smallest.or_else(|fault| tried.find_map(Result::ok).ok_or(fault))?;
    Ok(Collection::new(Format::Moves, records))
}

fn square(side: u32) -> Option<GridNotation> {
    Some(GridNotation::new(Grid::new(side, side)?, false))
}

/// Returns whether a text begins with a move on the board of `notation`; without a board, with a
/// point of some board or with numbers of columns.
pub(crate) fn is_moves(text: &str, notation: Option<GridNotation>) -> bool {
    let Some((_, line)) = lines(text).into_iter().next() else { return false };
    let Some(board) = notation.or_else(|| square(Grid::MAX_SIDE)) else { return false };
    let first = board.split_moves(&line).into_iter().next();
    first.is_some_and(|mv| board.read_move(mv, |_| false).is_ok())
        || line.trim().bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the lines with moves, and their numbers from 1. A comment begins with `#`. A file with
/// one move on each line is one game.
fn lines(text: &str) -> Vec<(usize, Cow<'_, str>)> {
    let all = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let lines: Vec<(usize, &str)> =
        all.filter(|(_, line)| !line.trim().is_empty() && !line.trim().starts_with('#')).collect();
    let is_single = |line: &str| {
        let line = line.trim();
        line.len() <= MAX_MOVE_LEN
            && line.bytes().filter(u8::is_ascii_alphabetic).count() <= 2
            && !line.contains(char::is_whitespace)
            && (line.contains(',') || line.bytes().any(|byte| byte.is_ascii_alphabetic()))
            && line.bytes().filter(u8::is_ascii_alphabetic).count() != 2
    };
    if lines.len() > 1 && lines.iter().all(|(_, line)| is_single(line)) {
        let moves: Vec<&str> = lines.iter().map(|(_, line)| line.trim()).collect();
        return vec![(lines[0].0, Cow::Owned(moves.join(" ")))];
    }
    lines.into_iter().map(|(number, line)| (number, Cow::Borrowed(line))).collect()
}

/// The length in bytes of the longest move: `P@z26`, or `25,25`.
const MAX_MOVE_LEN: usize = 5;

fn game(number: usize, line: &str, notation: GridNotation) -> Result<Record, Fault> {
    let grid = notation.grid();
    let mut record = Record::on_board(notation);
    let mut board = Placement::empty(grid);
    let (mut last, mut side) = (record.root(), Side::First);
    for (index, mv) in notation.split_moves(line).into_iter().enumerate() {
        let character = 1 + line[..mv.as_ptr() as usize - line.as_ptr() as usize].chars().count();
        let place = Place::Text { line: number, character };
        let point = notation.read_move(mv, |point| board.stone(grid, point).is_some());
        let point = point.map_err(|error| {
            let (number, text, why) = (index + 1, mv.to_owned(), reason(error));
            Fault::new(place, FaultKind::Move { number, text, why })
        })?;
        board.stones[grid.cell(point.column, point.row).index()] = Some(side);
        last = record.add_read_move(last, side, point, grid, Some(place));
        side = side.other();
    }
    Ok(record)
}

impl Record {
    /// Returns the moves of the main line as a list on one line, such as `h8 i9 j7`. A record with
    /// stones set up before the game is an error.
    pub fn to_moves(&self, notation: GridNotation) -> Result<String, Fault> {
        let line = self.line(notation)?;
        if !line.is_from_start() {
            let what =
                "stones put down before the first move, or a game begun by the second player";
            return Err(Fault::cannot_hold("a list of moves", what));
        }
        let moves: Vec<String> = line.moves.iter().map(|played| played.point.to_string()).collect();
        Ok(moves.join(" "))
    }
}
