//! Reads files of openings in every format.

use tengen_engine::text::{NotationError, quotable};
use tengen_engine::{Grid, GridNotation, Move, Position};
use tengen_records::{Format, Place, ReadOptions, TextEncoding};

use super::Opening;
use crate::config::OpeningFormat;

/// An error: line and character, both from 1, and what is wrong there.
pub(super) type BadOpening = (Option<(usize, usize)>, String);

/// Reads the openings of a file, at most `plies` plies of each. In formats of one opening a line,
/// blank lines and lines that begin with `#` are skipped.
pub(super) fn read(
    bytes: &[u8],
    (style, encoding): (OpeningFormat, Option<TextEncoding>),
    plies: Option<u32>,
    position: &mut dyn Position,
) -> Result<Vec<Opening>, BadOpening> {
    let plies = plies.map_or(usize::MAX, |plies| plies as usize);
    let options = ReadOptions::new();
    let options = encoding.map_or(options.clone(), |encoding| options.encoding(encoding));
    match style {
        // Any record of games is read here: detection finds its format.
        OpeningFormat::Sgf => return read_records(bytes, options, plies, position),
        OpeningFormat::Pgn => {
            return read_records(bytes, options.format(Format::PGN), plies, position);
        }
        _ => {}
    }
    // Some editors write a byte order mark.
    let text = match encoding {
        Some(encoding) if !encoding.fits(bytes) => {
            return Err((None, format!("the text is not {}", encoding.name())));
        }
        Some(encoding) => encoding.decode_lossy(bytes),
        None => decode(bytes)?.into(),
    };
    let mut openings = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let opening = read_line(line, style, plies, position)
            .map_err(|(character, why)| (Some((index + 1, character)), why))?;
        openings.push(opening);
    }
    Ok(openings)
}

/// Decodes UTF-8.
fn decode(bytes: &[u8]) -> Result<&str, BadOpening> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        (
            Some((1 + before.matches('\n').count(), 1)),
            "the text is not UTF-8: name its encoding with encoding=, such as encoding=GBK"
                .to_owned(),
        )
    })?;
    Ok(text)
}

/// An error in a line: the character, from 1, and what is wrong there.
type BadLine = (usize, String);

/// Reads one line.
fn read_line(
    line: &str,
    style: OpeningFormat,
    plies: usize,
    position: &mut dyn Position,
) -> Result<Opening, BadLine> {
    position.reset();
    let own = line.trim().strip_prefix("position ").unwrap_or(line.trim());
    match style {
        // A line of the file in a run's folder.
        OpeningFormat::Moves if own.starts_with("fen ") || own.starts_with("startpos") => {
            let mut opening = Opening::from_line(own, position).map_err(|why| (1, why))?;
            opening.moves.truncate(plies);
            opening.set_up(position).map_err(|why| (1, why))?;
            check_unfinished(position).map_err(|why| (1, why))?;
            return Ok(opening);
        }
        OpeningFormat::Fen | OpeningFormat::Epd => {
            let start = 1 + line.chars().take_while(|c| c.is_whitespace()).count();
            let text =
                if style == OpeningFormat::Epd { without_operations(line) } else { line.trim() };
            position.set_up(text).map_err(|why| place_of(why, start))?;
            let opening = Opening { start: Some(position.fen(false)), moves: Vec::new() };
            check_unfinished(position).map_err(|why| (start, why))?;
            return Ok(opening);
        }
        OpeningFormat::Offset => play_offsets(line, plies, position)?,
        OpeningFormat::Pos => play_from_top(line, plies, position)?,
        _ => play_moves(line, plies, position)?,
    }
    check_unfinished(position).map_err(|why| (1, why))?;
    Ok(Opening { start: None, moves: position.played().to_vec() })
}

/// Checks that the game is not over.
fn check_unfinished(position: &dyn Position) -> Result<(), String> {
    let is_open = position.outcome().is_none();
    is_open.then_some(()).ok_or_else(|| "the game is over at the end of the opening".to_owned())
}

/// Returns the character of an error in a position that begins at the character `start`.
fn place_of(why: NotationError, start: usize) -> BadLine {
    match why {
        NotationError::Position { text, at, reason } => {
            (start + at - 1, format!("position \"{text}\": {reason}"))
        }
        other => (start, other.to_string()),
    }
}

/// Returns the position of an EPD line: at most four fields, without the operations after them.
fn without_operations(line: &str) -> &str {
    let line = line.trim();
    let mut words = 0;
    let mut was_blank = true;
    for (at, c) in line.char_indices() {
        if c.is_whitespace() {
            was_blank = true;
        } else if was_blank {
            words += 1;
            was_blank = false;
            // The fields are rows, side, and two unused dashes. Operations may replace the dashes.
            let is_dash = line[at..].starts_with("- ") || &line[at..] == "-";
            if words == 5 || (words > 2 && !is_dash) {
                return line[..at].trim_end();
            }
        }
    }
    line
}

/// Returns the character, from 1, at which `part` of `line` begins.
fn character(line: &str, part: &str) -> usize {
    1 + line[..part.as_ptr() as usize - line.as_ptr() as usize].chars().count()
}

/// Plays moves in the notation of the game.
fn play_moves(line: &str, plies: usize, position: &mut dyn Position) -> Result<(), BadLine> {
    let moves = position.split_moves(line);
    for text in moves.into_iter().take(plies) {
        position.play_text(text).map_err(|why| (character(line, text), why.to_string()))?;
    }
    Ok(())
}

/// Returns the notation of the grid that the game is played on.
fn grid_of(position: &dyn Position) -> Result<GridNotation, BadLine> {
    position.spec().grid.ok_or_else(|| (1, "this game is not played on a grid".to_owned()))
}

/// Says that a point of the file is not on the board.
fn outside(text: &str, grid: Grid) -> String {
    format!("{text} lies outside the {}x{} board", grid.width(), grid.height())
}

/// Plays moves such as `8,-3, 6,-4`: columns and rows from the centre, rows downwards.
fn play_offsets(line: &str, plies: usize, position: &mut dyn Position) -> Result<(), BadLine> {
    let notation = grid_of(position)?;
    let grid = notation.grid();
    let words = line.split([',', ' ', '\t', ';']).map(str::trim);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let number = |word: &&str| {
        let why = || format!("\"{}\" is not a number", quotable(word));
        word.parse::<i64>().map_err(|_| (character(line, word), why()))
    };
    let numbers = words.iter().map(number).collect::<Result<Vec<i64>, BadLine>>()?;
    if numbers.len() % 2 == 1 {
        let last = words.last().map_or(1, |word| character(line, word));
        return Err((last, "a row is missing after the last column".to_owned()));
    }
    for (pair, word) in numbers.chunks(2).zip(words.chunks(2)).take(plies) {
        let cell = |offset: i64, side: u32| u32::try_from(offset + i64::from(side / 2)).ok();
        let point = cell(pair[0], grid.width())
            .zip(cell(pair[1], grid.height()))
            .and_then(|(column, row)| grid.point_from_top(column, row));
        let at = character(line, word[0]);
        let point =
            point.ok_or_else(|| (at, outside(&format!("{},{}", pair[0], pair[1]), grid)))?;
        play(notation.move_to(point), &point.to_string(), position).map_err(|why| (at, why))?;
    }
    Ok(())
}

/// Plays moves such as `b7d6e6`: a letter, and a row from the top, from 1.
fn play_from_top(line: &str, plies: usize, position: &mut dyn Position) -> Result<(), BadLine> {
    let notation = grid_of(position)?;
    let grid = notation.grid();
    let mut rest = line.trim_end();
    let mut played = 0;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',', ';']);
        if rest.is_empty() || played == plies {
            return Ok(());
        }
        let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        let is_point = rest.starts_with(|c: char| c.is_ascii_alphabetic()) && digits > 0;
        let (text, after) = if is_point { rest.split_at(1 + digits) } else { (rest, "") };
        let at = character(line, text);
        let refuse = |why: String| (at, why);
        if !is_point {
            return Err(refuse(format!("\"{}\": a letter and a row expected", quotable(text))));
        }
        let column = u32::from(text.as_bytes()[0].to_ascii_lowercase() - b'a');
        let row: Option<u32> = text[1..].parse().ok().filter(|row| *row > 0);
        let point = row.and_then(|row| grid.point_from_top(column, row - 1));
        let point = point.ok_or_else(|| refuse(outside(text, grid)))?;
        play(notation.move_to(point), text, position).map_err(refuse)?;
        played += 1;
        rest = after;
    }
}

/// Plays the move `text` of the file. The error says why it cannot be played.
fn play(mv: Move, text: &str, position: &mut dyn Position) -> Result<(), String> {
    if position.play(mv).is_ok() {
        return Ok(());
    }
    let taken =
        position.spec().grid.and_then(|grid| grid.point_of(mv)).and_then(|at| position.stone(at));
    Err(match (taken, position.outcome()) {
        (Some(_), _) => format!("{text} is taken"),
        (None, Some(_)) => format!("{text}: the game is over before this move"),
        (None, None) => format!("{text} cannot be played here"),
    })
}

/// Reads SGF and other game records.
fn read_records(
    bytes: &[u8],
    options: ReadOptions,
    plies: usize,
    position: &mut dyn Position,
) -> Result<Vec<Opening>, BadOpening> {
    let text_place = |place: Option<Place>| match place {
        Some(Place::Text { line, character }) => Some((line, character)),
        _ => None,
    };
    let notation = grid_of(position).map_err(|(_, why)| (None, why))?;
    let fault =
        |fault: tengen_records::Fault| (text_place(fault.place()), fault.kind().to_string());
    let games = tengen_records::read(bytes, &options.on(notation)).map_err(fault)?;
    let mut openings = Vec::new();
    for record in games.records() {
        let played = record.play(position).map_err(fault)?;
        let count = plies.min(played.line.moves.len());
        let last = played.line.moves[..count].last().and_then(|played| text_place(played.place));
        let is_from_start = played.line.is_from_start();
        if count < plies {
            // A move after the opening may be illegal.
            played.legal().map_err(fault)?;
        }
        position.undo_to(count);
        check_unfinished(position).map_err(|why| (last, why))?;
        let moves = position.played().to_vec();
        position.undo_to(0);
        let start = (!is_from_start).then(|| position.fen(false));
        openings.push(Opening { start, moves });
    }
    Ok(openings)
}
