//! Lists of moves: one game on each line, each move in any notation that the engine reads.
//!
//! [`GridNotation`] of the engine cuts a list into moves and reads them. This file and [`lines`] know
//! which lines are one game, and what the engine cannot read: points as two letters of SGF, columns and
//! rows counted from 1 or from the centre, values of solvers, positions, results.

mod lines;

use std::borrow::Cow;

use tengen_engine::{Grid, GridNotation, NotationError, Placement, Point, Side};

pub use self::lines::is_fen;
use self::lines::{
    Lines, begins_game, games, is_in_words, numbers, outer, with_fen, without_arrow,
};
use crate::encoding::choice::decode;
use crate::fault::{Fault, FaultKind};
use crate::format::{FormatEntry, Recognize, Recognized, Sample, Write, line_starts};
use crate::game_text::{add_raw_move, grid_of, set_start};
use crate::games::Games;
use crate::line::letters;
use crate::numbering::Numbering;
use crate::options::ReadOptions;
use crate::place::Place;
use crate::result::without_result;
use crate::tree::{Collection, Format, Record};

impl Format {
    /// Lists of moves, one game on each line.
    pub const MOVES: Self = Self::new("moves");
}

pub(crate) const ENTRY: FormatEntry = FormatEntry {
    files: "lists of moves",
    summary: "The main line, a game a line",
    extensions: &["txt", "moves", "mov"],
    beginning: "a list of moves with a move such as h8",
    game_starts: Some(|text| line_starts(text, begins_game)),
    write: Some(Write::Text(|record, played| Ok(record.to_moves(played.notation)? + "\n"))),
    ..FormatEntry::read_only(Format::MOVES, "a list of moves", Recognize::Text(recognize), read)
};

/// The sides of the boards that are tried for a list without a board.
const SIDES: [u32; 2] = [15, 20];

/// How a list is read: on which board, and whether columns and rows count from 0 or from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Reading {
    board: GridNotation,
    first: u32,
}

/// A list may begin with brackets, too: `(7,7) (8,6)`.
fn recognize(sample: &Sample<'_>) -> Recognized {
    if !is_moves(&sample.text, sample.options.notation) {
        return Recognized::No;
    }
    Recognized::Likely.when(sample.begin().starts_with(['(', '[']), Recognized::Perhaps)
}

/// Reads the games of a text. Without a board, it is the smallest board of [`SIDES`] where all moves
/// fit ([`needs_larger_board`]).
fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    let &ReadOptions { skips_bad_games: skips_bad, keeps_bad_moves, .. } = options;
    let (text, _, mut warnings) = decode(bytes, options.encoding)?;
    let boards: Vec<GridNotation> = match options.notation {
        Some(board) => vec![board],
        None => match text.lines().find_map(with_fen).and_then(|(fen, _)| grid_of(fen)) {
            Some(grid) => vec![GridNotation::new(grid, false)],
            None => SIDES.iter().filter_map(|&side| square(side)).collect(),
        },
    };
    let text = plain(&text);
    let falls = boards.first().is_some_and(|board| board.falls());
    if let Some(offset) = first_offset(&text).filter(|_| !falls) {
        let records = from_centre(&text, &boards)?;
        let (place, given) = (offset.0, format!("\"{}\"", offset.1));
        let taken = "a number counted from the centre of the board, rows downwards".to_owned();
        warnings.push(Fault::new(place, FaultKind::Reading { given, taken }));
        return Ok(Collection::new(Format::MOVES, records).with_warnings(warnings));
    }
    let mut games = games(&text, falls);
    warnings.extend(boards.first().and_then(|board| leave_values_out(&mut games, *board)));
    let readings = boards.iter().flat_map(|board| {
        let from = if board.falls() { 0..=0 } else { 0..=1 };
        from.map(|first| Reading { board: *board, first })
    });
    let readings: Vec<Reading> = readings.collect();
    let is_larger = std::cell::LazyCell::new(|| {
        needs_second_board(&games, &boards) && is_of_second_board(&games, &boards, &readings)
    });
    let mut fault = None;
    let mut taken: Option<(Reading, Games)> = None;
    let mut other: Option<Reading> = None;
    let pair = first_pair(&games, &boards);
    for &reading in &readings {
        // Without pairs of numbers there is nothing to count from 1.
        if reading.first == 1 && pair.is_none() {
            continue;
        }
        let is_tried = reading.board == boards[0] || *is_larger;
        if !is_tried && (keeps_bad_moves || taken.is_none()) {
            continue;
        }
        let known = taken.as_ref().map(|(known, _)| known.first);
        match reading.good_games(&games, false, false) {
            Ok(games) if known.is_none() => taken = Some((reading, games)),
            Ok(_) if known == Some(reading.first) => {}
            Ok(_) => other = Some(reading),
            Err(why) if why.is_too_large() => return Err(why),
            Err(why) => drop(fault.get_or_insert(why)),
        }
        let is_clear = pair.is_none() && taken.is_some();
        if is_clear || other.is_some() {
            break;
        }
    }
    let Some((reading, taken)) = taken else {
        let fault = fault.unwrap_or_else(|| Fault::new(None, FaultKind::Empty));
        let fault = if boards.len() > 1 { of_unnamed_board(fault, boards[0]) } else { fault };
        if !skips_bad && !keeps_bad_moves {
            return Err(fault);
        }
        let read = |reading: &Reading, keeps| reading.good_games(&games, skips_bad, keeps);
        // The reading that fits the most games without keeping a bad move.
        let bad =
            |reading: &&Reading| reading.good_games(&games, true, false).map(|read| read.bad());
        let tried = readings.iter().filter(|reading| reading.board == boards[0] || *is_larger);
        let best = tried.min_by_key(|reading| bad(reading).unwrap_or(usize::MAX));
        let games = read(best.ok_or(fault)?, keeps_bad_moves)?;
        return Ok(games.collect(Format::MOVES)?.with_warnings(warnings));
    };
    let ambiguity = pair.zip(other).and_then(|((pair, place), other)| {
        let [here, there] = [reading, other].map(|reading| reading.point(pair));
        let (here, there) = (here.ok()?, there.ok()?);
        let given = format!("\"{pair}\"");
        let how = format!(
            "{here}: columns and rows count from {} at the top left; from {} it is {there}{}",
            reading.first,
            other.first,
            other.board_name(reading),
        );
        Some(Fault::new(place, FaultKind::Reading { given, taken: how }))
    });
    let collection = taken.collect(Format::MOVES)?;
    warnings.extend(games.iter().filter_map(|game| reading.jump(game)));
    Ok(collection.with_warnings(warnings.into_iter().chain(ambiguity)))
}

/// Returns the board of a list of moves that names none and is read in pieces, so that all pieces have
/// one board.
///
/// The board is of 20x20 if one line in ten has a move that needs it. Fewer such lines are faulty games
/// of 15x15. `None` if the text is not UTF-8.
pub fn board_of_large_list(text: &[u8]) -> Option<GridNotation> {
    let [small, large] = SIDES.map(square);
    let (small, large) = (small?, large?);
    let text = std::str::from_utf8(text).ok()?;
    let is_outside = |line: &&str| {
        small.split_moves(line).into_iter().any(|mv| small.is_outside(mv) && !large.is_outside(mv))
    };
    let outside = text.lines().filter(is_outside).count();
    Some(if is_of_larger_board(outside, text.lines().count()) { large } else { small })
}

/// Returns whether a game or a list with `outside` of `all` moves outside of a board is one of a larger
/// board. One move outside, of more than four, is a wrong move.
pub(crate) fn needs_larger_board(outside: usize, all: usize) -> bool {
    outside > 1 || (outside == 1 && all <= 4)
}

/// Returns whether a list of `all` games, of which `outside` have a move outside a board, is one of a
/// larger board: one game in ten is. Fewer games have faulty moves.
fn is_of_larger_board(outside: usize, all: usize) -> bool {
    outside > 0 && 10 * outside >= all
}

/// Returns a fault of a list that names no board. `board` is the board that is taken.
fn of_unnamed_board(fault: Fault, board: GridNotation) -> Fault {
    match fault.kind() {
        FaultKind::Move { number, text, why } if board.is_outside(text) => {
            let (number, text, why) = (*number, text.clone(), why.clone());
            Fault::new(fault.place(), FaultKind::OutsideUsualBoard { number, text, why })
        }
        _ => fault,
    }
}

/// Returns whether the moves of a list that are on the second one of `boards` only need it. It is true if
/// there is one board.
fn needs_second_board(games: &[Lines<'_>], boards: &[GridNotation]) -> bool {
    let [small, large] = boards else { return true };
    let is_on = |board: GridNotation, mv: &str| {
        [0, 1].iter().any(|&first| Reading { board, first }.point(mv).is_ok())
    };
    let reading = Reading { board: *large, first: 0 };
    let moves = games.iter().flatten().flat_map(|(_, line)| reading.moves(line));
    let moves: Vec<&str> = moves.collect();
    let outside = moves.iter().filter(|mv| !is_on(*small, mv) && is_on(*large, mv)).count();
    needs_larger_board(outside, moves.len())
}

/// Returns whether the games of a list may be on the second one of `boards`, which is larger.
fn is_of_second_board(games: &[Lines<'_>], boards: &[GridNotation], readings: &[Reading]) -> bool {
    let [first, second] = boards else { return false };
    let bad_on = |board: &GridNotation| {
        let here = readings.iter().filter(|reading| reading.board == *board);
        let bad = here.filter_map(|reading| reading.good_games(games, true, false).ok());
        bad.map(|read| read.bad()).min().unwrap_or(games.len())
    };
    let bad = bad_on(first);
    bad > 0 && is_of_larger_board(bad.saturating_sub(bad_on(second)), games.len())
}

/// Returns a text with brackets instead of the braces of lists in programs, if it begins with a brace
/// and a number, and with dashes instead of arrows. Every character keeps its place.
fn plain(text: &str) -> Cow<'_, str> {
    let inside = text.trim_start().trim_start_matches(['{', ' ']);
    let has_braces =
        text.trim_start().starts_with('{') && inside.starts_with(|c: char| c.is_ascii_digit());
    match (has_braces, text.contains("->")) {
        (false, false) => text.into(),
        (false, true) => text.replace("->", "- ").into(),
        (true, _) => text.replace('{', "(").replace('}', ")").replace("->", "- ").into(),
    }
}

/// Returns the first negative number of a text that has only pairs of numbers, as files of openings
/// have them, with its place: columns and rows are counted from the centre of the board.
fn first_offset(text: &str) -> Option<(Place, &str)> {
    let mut first = None;
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let numbers: Vec<&str> = offsets(line).collect();
        if numbers.len() % 2 == 1 || numbers.iter().any(|word| word.parse::<i32>().is_err()) {
            return None;
        }
        let found = numbers.iter().find(|word| word.starts_with('-') && line.contains(','));
        first = first.or(found.map(|word| (place(index + 1, line, word), *word)));
    }
    first
}

/// Returns the numbers of a line of openings.
fn offsets(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| c.is_whitespace() || ",;()[]".contains(c));
    words.filter(|word| !word.is_empty())
}

/// Returns the column or the row of a number of a line of openings; `None` if it is not on the board.
fn cell_from_centre(word: &str, index: usize, grid: Grid) -> Option<u32> {
    let side = if index.is_multiple_of(2) { grid.width() } else { grid.height() };
    let cell = word.parse::<i64>().ok()?.checked_add(i64::from(side / 2))?;
    u32::try_from(cell).ok().filter(|cell| *cell < side)
}

/// Returns whether openings are on the second one of `boards`, which is larger.
fn are_openings_of_second_board(lines: &Lines<'_>, boards: &[GridNotation]) -> bool {
    let [small, large] = boards else { return false };
    let (mut all, mut moves, mut games) = (0, 0, 0);
    for (_, line) in lines {
        let words: Vec<&str> = offsets(line).collect();
        let is_on = |board: &GridNotation, pair: &[&str]| {
            let mut words = pair.iter().enumerate();
            words.all(|(index, word)| cell_from_centre(word, index, board.grid()).is_some())
        };
        let outside = words.chunks(2).filter(|pair| !is_on(small, pair) && is_on(large, pair));
        let outside = outside.count();
        (all, moves) = (all + words.len() / 2, moves + outside);
        games += usize::from(outside > 0);
    }
    needs_larger_board(moves, all) && is_of_larger_board(games, lines.len())
}

/// Reads openings: pairs of numbers counted from the centre of the board, one opening a line, on the
/// first board, or on a larger one ([`needs_larger_board`]).
fn from_centre(text: &str, boards: &[GridNotation]) -> Result<Vec<Record>, Fault> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let is_opening = |line: &str| !line.trim().is_empty() && !line.starts_with('#');
    let lines: Lines<'_> = lines.filter(|(_, line)| is_opening(line)).collect();
    let on_board = |board: GridNotation, (number, line): (usize, &str)| {
        let (grid, mut points) = (board.grid(), Vec::new());
        for (index, word) in offsets(line).enumerate() {
            let cell = cell_from_centre(word, index, grid);
            points.push(cell.map(|cell| cell.to_string()).ok_or_else(|| {
                let expected = "a point on the board, counted from its centre";
                let kind = FaultKind::Expected { expected, found: word.to_owned() };
                Fault::new(place(number, line, word), kind)
            })?);
        }
        let pairs: Vec<String> = points.chunks(2).map(|pair| pair.join(",")).collect();
        let game = Reading { board, first: 0 }.game(&vec![(number, &*pairs.join(" "))], false);
        // The line was written anew, so only its start is known.
        game.map_err(|fault| {
            Fault::new(Place::Text { line: number, character: 1 }, fault.kind().clone())
        })
    };
    let read_on = |board: &GridNotation| -> Result<Vec<Record>, Fault> {
        lines.iter().map(|line| on_board(*board, *line)).collect()
    };
    let board =
        if are_openings_of_second_board(&lines, boards) { boards.last() } else { boards.first() };
    board.map_or_else(|| Err(Fault::new(None, FaultKind::Empty)), read_on)
}

/// Cuts the values of positions off: in `4455 -2` and `4453 11` the numbers after the columns are
/// scores, as solvers of four in a row write them. A file has values if all its lines have this form,
/// and a value of it is no column. Returns the warning for it.
fn leave_values_out(games: &mut [Lines<'_>], board: GridNotation) -> Option<Fault> {
    let reading = Reading { board, first: 0 };
    let is_column = |word: &str| reading.point(word).is_ok();
    // Returns the end of the moves of a line, and whether they are one digit.
    let cut = |line: &str| {
        let from = line.len() - line.trim_start().len();
        let end = line[from..].find(char::is_whitespace).map_or(line.len(), |end| from + end);
        let moves = &line[from..end];
        let is_list = reading.moves(moves).into_iter().all(is_column);
        let mut values = line[end..].split_whitespace();
        let are_numbers = values.all(|word| word.parse::<i64>().is_ok());
        (is_list && are_numbers).then_some((end, is_number(moves) && moves.len() == 1))
    };
    if !board.falls() {
        return None;
    }
    let mut value = None;
    for (number, line) in games.iter().flatten() {
        let (end, is_alone) = cut(line)?;
        let found = line[end..].split_whitespace().find(|word| !is_column(word));
        if let Some(found) = found.filter(|_| !is_alone) {
            value.get_or_insert((place(*number, line, found), found.to_owned()));
        }
    }
    let (place, given) = value?;
    for (_, line) in games.iter_mut().flatten() {
        *line = &line[..cut(line)?.0];
    }
    let given = format!("\"{given}\" after the moves");
    let taken = "a value of the position, which is not kept, as on all lines".to_owned();
    Some(Fault::new(place, FaultKind::Reading { given, taken }))
}

fn square(side: u32) -> Option<GridNotation> {
    Some(GridNotation::new(Grid::new(side, side)?, false))
}

/// Returns whether a text begins with a move on the board of `notation`; without a board, with a
/// point of some board or with numbers of columns.
fn is_moves(text: &str, notation: Option<GridNotation>) -> bool {
    let falls = notation.is_some_and(GridNotation::falls);
    let text = plain(text);
    if !falls && first_offset(&text).is_some() {
        return true;
    }
    let games = games(&text, falls);
    let Some((_, line)) = games.first().and_then(|lines| lines.first()) else { return false };
    if is_in_words(line) {
        return true;
    }
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

/// The most moves of a game, with passes: twice the points of the largest board.
const MAX_MOVES: usize = 2 * (Grid::MAX_SIDE * Grid::MAX_SIDE) as usize;

impl Reading {
    /// Cuts a line into moves. Pairs of letters are cut, too.
    fn moves(self, line: &str) -> Vec<&str> {
        let (line, _) = without_result(line);
        // A list of a program may stand in brackets as a whole: `[(7, 7), (8, 6)]`.
        let (.., line) = outer(without_arrow(line));
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

    /// Returns a warning about the first number of a game, such as `3.`, that does not follow the one before.
    fn jump(self, lines: &Lines<'_>) -> Option<Fault> {
        let (mut numbering, mut plies) = (Numbering::default(), 0);
        lines.iter().find_map(|(number, line)| {
            let (line, mut from) = (without_result(line).0, 0);
            let jump = line.match_indices('.').find_map(|(dot, _)| {
                let digits = line[..dot].bytes().rev().take_while(u8::is_ascii_digit).count();
                let begin = dot - digits;
                let named = line[begin..dot].parse().ok()?;
                plies += self.moves(&line[from..begin]).len();
                from = dot + 1;
                numbering.take(named, plies, || place(*number, line, &line[begin..]))
            });
            plies += self.moves(&line[from..]).len();
            jump
        })
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

    /// Reads the games that can be read. Returns the error of the first one that cannot, unless
    /// `skips_bad`.
    fn good_games(
        self,
        all: &[Lines<'_>],
        skips_bad: bool,
        keeps_bad_moves: bool,
    ) -> Result<Games, Fault> {
        let mut games = Games::new(skips_bad);
        all.iter().try_for_each(|lines| games.push(self.game(lines, keeps_bad_moves)))?;
        Ok(games)
    }

    /// Reads a game. If `keeps_bad_moves`, an illegal move and those after it keep their text,
    /// except at the beginning: a line that does not begin with a move is no game.
    fn game(self, lines: &Lines<'_>, keeps_bad_moves: bool) -> Result<Record, Fault> {
        let grid = self.board.grid();
        let mut record = Record::on_board(self.board);
        let mut board = Placement::empty(grid);
        let (mut last, mut side, mut count) = (record.root(), Side::First, 0);
        let mut is_legal = true;
        for (index, (number, line)) in lines.iter().enumerate() {
            let mut line = *line;
            if let Some((fen, moves)) = with_fen(line).filter(|_| index == 0) {
                let place = place(*number, line, fen);
                if grid_of(fen).is_some_and(|other| other != grid) {
                    let (property, value) = ("FEN".to_owned(), fen.to_owned());
                    let (width, height) = (grid.width(), grid.height());
                    return Err(Fault::new(
                        place,
                        FaultKind::Size { property, value, width, height },
                    ));
                }
                board = set_start(&mut record, fen, place)?;
                (side, line) = (board.turn, moves);
            }
            for mv in self.moves(line) {
                let next = [(count + 1).to_string(), (count / 2 + 1).to_string()];
                if !self.board.falls() && next.iter().any(|number| number == mv) {
                    // The number of the move.
                    continue;
                }
                let place = place(*number, line, mv);
                if count > MAX_MOVES {
                    let (number, text) = (count + 1, mv.to_owned());
                    let why = "no board has room for so many moves".to_owned();
                    return Err(Fault::new(place, FaultKind::Move { number, text, why }));
                }
                if is_pass(mv) {
                    last = add_raw_move(&mut record, last, side, mv, place);
                    (side, count) = (side.other(), count + 1);
                    continue;
                }
                let fault = |error: NotationError| {
                    let (number, text) = (count + 1, mv.to_owned());
                    let kind = match !self.board.falls() && is_number(mv) {
                        true => FaultKind::Columns { number, text },
                        false => FaultKind::Move { number, text, why: error.reason() },
                    };
                    Fault::new(place, kind)
                };
                let is_kept = keeps_bad_moves && count > 0;
                let point = match self.resting_point(mv, |point| board.stone(grid, point).is_some())
                {
                    Err(error) if is_legal && !is_kept => return Err(fault(error)),
                    point => point.ok(),
                };
                is_legal &= point.is_some();
                last = match point.filter(|_| is_legal) {
                    Some(point) => {
                        board.stones[grid.cell(point.column, point.row).index()] = Some(side);
                        record.add_read_move(last, side, point, grid, Some(place))
                    }
                    // In SGF `tt` is a pass. Here it is a point outside the board.
                    None if mv == "tt" => add_raw_move(&mut record, last, side, "TT", place),
                    None if self.first == 0 => add_raw_move(&mut record, last, side, mv, place),
                    // Records count numbers from 0, so that only letters name this point.
                    None => {
                        let point = self.point(mv).map_err(fault)?;
                        record.add_read_move(last, side, point, grid, Some(place))
                    }
                };
                (side, count) = (side.other(), count + 1);
            }
            if let Some(result) = without_result(line).1 {
                record.set_result(result, "");
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
    /// Returns the moves of the main line as a list on one line, such as `h8 i9 j7`; `startpos` for a
    /// game without moves. A record with stones set up before the game is an error.
    pub fn to_moves(&self, notation: GridNotation) -> Result<String, Fault> {
        let line = self.line(notation)?;
        if !line.is_from_start() {
            let what =
                "stones put down before the first move, or a game begun by the second player";
            return Err(Fault::cannot_hold("a list of moves", what));
        }
        let moves: Vec<String> = line.moves.iter().map(|played| played.point.to_string()).collect();
        Ok(if moves.is_empty() { "startpos".to_owned() } else { moves.join(" ") })
    }
}
