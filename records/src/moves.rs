//! Lists of moves: one game on each line, each move in any notation that the engine reads.
//!
//! [`GridNotation`] of the engine cuts a list into moves and reads them. This file knows which
//! lines are one game, and what the engine cannot read: points as two letters of SGF, columns and
//! rows counted from 1, results.

use tengen_engine::{Grid, GridNotation, NotationError, Placement, Point, Side};

use crate::encoding::TextEncoding;
use crate::encoding::choice::decode;
use crate::fault::{Fault, FaultKind};
use crate::line::{letters, reason};
use crate::place::Place;
use crate::tree::{Collection, Format, Record};

/// The sides of the boards that are tried for a list without a board.
const SIDES: [u32; 2] = [15, 20];

/// Results at the end of a game, and the value of the property `RE` for each.
const RESULTS: [(&str, &str); 5] =
    [("1-0", "B+"), ("0-1", "W+"), ("1/2-1/2", "0"), ("\u{bd}-\u{bd}", "0"), ("*", "")];

/// How a list is read: on which board, and whether columns and rows count from 0 or from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reading {
    board: GridNotation,
    first: u32,
}

/// A game: its lines with their numbers from 1.
type Lines<'a> = Vec<(usize, &'a str)>;

/// Reads the games of a text. `notation` is their board; if it is `None`, the smallest board of
/// [`SIDES`] where all moves fit.
pub(crate) fn read(
    bytes: &[u8],
    encoding: Option<TextEncoding>,
    notation: Option<GridNotation>,
) -> Result<Collection, Fault> {
    let (text, _, warnings) = decode(bytes, encoding)?;
    let boards: Vec<GridNotation> = match notation {
        Some(board) => vec![board],
        None => SIDES.iter().filter_map(|&side| square(side)).collect(),
    };
    let games = games(&text, boards.first().is_some_and(|board| board.falls()));
    let readings = boards.iter().flat_map(|board| {
        let from = if board.falls() { 0..=0 } else { 0..=1 };
        from.map(|first| Reading { board: *board, first })
    });
    let read_in = |reading: Reading| -> Result<Vec<Record>, Fault> {
        games.iter().map(|lines| reading.game(lines)).collect()
    };
    let mut fault = None;
    let mut taken: Option<(Reading, Vec<Record>)> = None;
    let mut other: Option<Reading> = None;
    let pair = first_pair(&games, &boards);
    for reading in readings {
        // Without pairs of numbers there is nothing to count from 1.
        if reading.first == 1 && pair.is_none() {
            continue;
        }
        let known = taken.as_ref().map(|(known, _)| known.first);
        match read_in(reading) {
            Ok(records) if known.is_none() => taken = Some((reading, records)),
            Ok(_) if known == Some(reading.first) => {}
            Ok(_) => other = Some(reading),
            Err(why) => drop(fault.get_or_insert(why)),
        }
        let is_clear = pair.is_none() && taken.is_some();
        if is_clear || other.is_some() {
            break;
        }
    }
    let Some((reading, records)) = taken else {
        return Err(fault.unwrap_or_else(|| Fault::new(None, FaultKind::Empty)));
    };
    let ambiguity = pair.zip(other).and_then(|((pair, place), other)| {
        let [here, there] = [reading, other].map(|reading| reading.point(pair));
        let (here, there) = (here.ok()?, there.ok()?);
        let given = format!("\"{pair}\"");
        let taken = format!(
            "{here}: columns and rows count from {} at the top left; from {} it is {there}{}",
            reading.first,
            other.first,
            other.board_name(reading),
        );
        Some(Fault::new(place, FaultKind::Reading { given, taken }))
    });
    let collection = Collection::new(Format::Moves, records);
    Ok(collection.with_warnings(warnings.into_iter().chain(ambiguity)))
}

fn square(side: u32) -> Option<GridNotation> {
    Some(GridNotation::new(Grid::new(side, side)?, false))
}

/// Returns whether a text begins with a move on the board of `notation`; without a board, with a
/// point of some board or with numbers of columns.
pub(crate) fn is_moves(text: &str, notation: Option<GridNotation>) -> bool {
    let falls = notation.is_some_and(GridNotation::falls);
    let games = games(text, falls);
    let Some((_, line)) = games.first().and_then(|lines| lines.first()) else { return false };
    let Some(board) = notation.or_else(|| square(Grid::MAX_SIDE)) else { return false };
    let reading = Reading { board, first: 0 };
    let moves = reading.moves(line);
    let is_move = |mv: &&str| reading.point(mv).is_ok() || is_number(mv);
    // Words of a sentence are pairs of letters, too.
    let is_word = |mv: &str| mv.bytes().all(|byte| byte.is_ascii_alphabetic());
    let has_words = !falls && moves.first().is_some_and(|mv| is_word(mv));
    let is_list = || moves.iter().all(|mv| is_word(mv) && reading.point(mv).is_ok());
    match has_words {
        true => is_list(),
        false => moves.first().is_some_and(is_move),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the first pair of numbers, with its place.
fn first_pair<'a>(games: &[Lines<'a>], boards: &[GridNotation]) -> Option<(&'a str, Place)> {
    let reading = Reading { board: *boards.first()?, first: 0 };
    games.iter().flatten().find_map(|(number, line)| {
        let moves = reading.moves(line);
        let pair = moves.into_iter().find(|mv| mv.contains(',') && numbers(mv).is_some())?;
        Some((pair, place(*number, line, pair)))
    })
}

/// Returns the place of a move, which is a part of `line`.
fn place(number: usize, line: &str, mv: &str) -> Place {
    let before = mv.as_ptr() as usize - line.as_ptr() as usize;
    Place::Text { line: number, character: 1 + line[..before].chars().count() }
}

/// Reads a column and a row.
fn numbers(text: &str) -> Option<[u32; 2]> {
    let (column, row) = text.split_once(',')?;
    Some([column.trim().parse().ok()?, row.trim().parse().ok()?])
}

/// Returns the games of a text. A comment begins with `#`. A file with one move on each line is one
/// game, and so are lines that begin with the numbers of moves, up to the next number 1. `falls` is
/// whether stones fall.
fn games(text: &str, falls: bool) -> Vec<Lines<'_>> {
    let all = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let is_listed = |line: &str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let lines: Lines<'_> = all.filter(|(_, line)| is_listed(line)).collect();
    let is_single = |line: &str| {
        let line = line.trim();
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
    let mut is_numbered = false;
    for (number, line) in lines {
        let first = leading_number(line, falls);
        match games.last_mut().filter(|_| is_numbered && first != Some(1)) {
            Some(game) => game.push((number, line)),
            None => games.push(vec![(number, line)]),
        }
        is_numbered = (is_numbered && first != Some(1)) || first.is_some();
        is_numbered &= without_result(line).1.is_none();
    }
    games
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

/// Returns a line without a result at its end, and the result as the value of `RE`.
fn without_result(line: &str) -> (&str, Option<&'static str>) {
    let line = line.trim_end();
    for (text, result) in RESULTS {
        if let Some(rest) = line.strip_suffix(text)
            && (rest.is_empty() || rest.ends_with(char::is_whitespace))
        {
            return (rest, Some(result));
        }
    }
    (line, None)
}

/// The length in bytes of the longest move: `P@z26`, or `25,25`.
const MAX_MOVE_LEN: usize = 5;

impl Reading {
    /// Cuts a line into moves. Pairs of letters are cut, too.
    fn moves(self, line: &str) -> Vec<&str> {
        let (line, _) = without_result(line);
        // A list of a program may stand in brackets as a whole: `[(7, 7), (8, 6)]`.
        let line = match line.trim().strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(inside) if inside.trim_start().starts_with(['(', '[']) => inside,
            _ => line,
        };
        let mut moves = Vec::new();
        for mv in self.board.split_moves(line) {
            let is_pairs = !self.board.falls()
                && !is_pass(mv)
                && mv.len() > 2
                && mv.len().is_multiple_of(2)
                && mv.bytes().all(|byte| byte.is_ascii_alphabetic());
            match is_pairs {
                true => moves.extend((0..mv.len()).step_by(2).map(|at| &mv[at..at + 2])),
                false => moves.push(mv),
            }
        }
        moves
    }

    /// Returns the point of a move that does not depend on the moves before.
    fn point(self, mv: &str) -> Result<Point, NotationError> {
        self.resting_point(mv, |_| false)
    }

    fn resting_point(
        self,
        mv: &str,
        is_taken: impl Fn(Point) -> bool,
    ) -> Result<Point, NotationError> {
        let grid = self.board.grid();
        let from_top = |column: u32, row: u32| {
            let point =
                grid.point_from_top(column.checked_sub(self.first)?, row.checked_sub(self.first)?);
            point.map(|point| point.to_string())
        };
        let named = match numbers(mv) {
            Some([column, row]) if self.first > 0 => from_top(column, row),
            _ if self.board.falls() => None,
            _ => letters(mv).and_then(|(column, row)| {
                grid.point_from_top(column, row).map(|point| point.to_string())
            }),
        };
        let outside = || {
            let (last, row) = (grid.width() - 1 + self.first, grid.height() - 1 + self.first);
            let first = self.first;
            let why = format!("outside the board ({first},{first} to {last},{row})");
            NotationError::Move { text: mv.to_owned(), reason: why }
        };
        if named.is_none() && self.first > 0 && numbers(mv).is_some() {
            return Err(outside());
        }
        self.board.read_move(named.as_deref().unwrap_or(mv), is_taken)
    }

    /// Returns the name of the board if it is another one than that of `reading`.
    fn board_name(self, reading: Self) -> String {
        let grid = self.board.grid();
        if grid == reading.board.grid() {
            return String::new();
        }
        format!(" on a board of {}x{}", grid.width(), grid.height())
    }

    fn game(self, lines: &Lines<'_>) -> Result<Record, Fault> {
        let grid = self.board.grid();
        let mut record = Record::on_board(self.board);
        let mut board = Placement::empty(grid);
        let (mut last, mut side, mut count) = (record.root(), Side::First, 0);
        for (number, line) in lines {
            for mv in self.moves(line) {
                let next = [(count + 1).to_string(), (count / 2 + 1).to_string()];
                if !self.board.falls() && next.iter().any(|number| number == mv) {
                    // The number of the move.
                    continue;
                }
                let place = place(*number, line, mv);
                if is_pass(mv) {
                    last = record.add_child(last);
                    let name = if side == Side::First { "B" } else { "W" };
                    record.node_mut(last).set(name, "");
                    (side, count) = (side.other(), count + 1);
                    continue;
                }
                let point = self.resting_point(mv, |point| board.stone(grid, point).is_some());
                let point = point.map_err(|error| {
                    let (number, text, why) = (count + 1, mv.to_owned(), reason(error));
                    Fault::new(place, FaultKind::Move { number, text, why })
                })?;
                board.stones[grid.cell(point.column, point.row).index()] = Some(side);
                last = record.add_read_move(last, side, point, grid, Some(place));
                (side, count) = (side.other(), count + 1);
            }
            if let Some(result) = without_result(line).1.filter(|result| !result.is_empty()) {
                record.root_mut().set("RE", result);
            }
        }
        Ok(record)
    }
}

/// Returns whether a word of a list is a pass.
fn is_pass(text: &str) -> bool {
    text.eq_ignore_ascii_case("pass")
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
