//! Files of games and of labelled positions, one a line.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use tengen_engine::{Cell, Game, Notation, Outcome, Style};
use tengen_games::gomoku::{Board, Rule};

use super::games::{MAX_SCORE, Record};
use super::learn::LabelledPosition;

/// Returns the line of a game on `start`, the empty board, with a newline: the number of random
/// moves, then all moves, the searched ones with their scores.
pub fn game_line(start: &Board, record: &Record) -> String {
    let mut text = record.opening.to_string();
    for (index, &mv) in record.moves.iter().enumerate() {
        text += " ";
        text += &start.write_move(mv, Style::Plain);
        let searched = index.checked_sub(record.opening);
        if let Some(score) = searched.and_then(|index| record.scores.get(index)) {
            text += &format!(":{score}");
        }
    }
    text + "\n"
}

/// Returns the line of a labelled position, with a newline: the side of the board, the moves that
/// lead to it, and the chance in thousandths.
pub fn labelled_line(position: &LabelledPosition) -> String {
    let LabelledPosition { start, moves, chance } = position;
    let mut text = start.grid().width().to_string();
    for &mv in moves {
        text += " ";
        text += &start.write_move(mv, Style::Plain);
    }
    text + &format!(" = {}\n", (1000.0 * chance).round())
}

/// Reads the games of all `files`, on `start`, the empty board. An error names the file and the
/// line.
pub fn read_games(start: &Board, files: &[PathBuf]) -> Result<Vec<Record>> {
    read_lines(files, |line| game(start, line))
}

/// Reads the labelled positions of all `files`. Their boards may have any size. An error names the
/// file and the line.
pub fn read_labelled(rule: Rule, files: &[PathBuf]) -> Result<Vec<LabelledPosition>> {
    let mut starts = BTreeMap::new();
    read_lines(files, |line| labelled(rule, &mut starts, line))
}

fn read_lines<T>(files: &[PathBuf], mut read: impl FnMut(&str) -> Result<T>) -> Result<Vec<T>> {
    let mut found = Vec::new();
    for file in files {
        let file_name = file.display();
        let text = fs::read_to_string(file).with_context(|| format!("cannot read {file_name}"))?;
        for (line, number) in text.lines().zip(1..) {
            found.push(read(line).with_context(|| format!("{file_name}, line {number}"))?);
        }
    }
    Ok(found)
}

/// Plays a move of a line on `board`.
fn play_word(board: &mut Board, word: &str) -> Result<Cell> {
    ensure!(board.outcome().is_none(), "\"{word}\" comes after the end of the game");
    let mv = board.read_move(word)?;
    board.play(mv);
    Ok(mv)
}

fn game(start: &Board, line: &str) -> Result<Record> {
    let mut words = line.split_ascii_whitespace();
    let Some(Ok(opening)) = words.next().map(str::parse) else {
        bail!("not a number of random moves at the start");
    };
    let mut board = start.clone();
    let (mut moves, mut scores) = (Vec::new(), Vec::new());
    for word in words {
        let (mv, score) = word.split_once(':').map_or((word, None), |(mv, s)| (mv, Some(s)));
        let mv = play_word(&mut board, mv)?;
        if moves.len() >= opening
            && let Some(score) = score
        {
            let score: i32 = score.parse().with_context(|| format!("not a score: \"{score}\""))?;
            scores.push(score.clamp(-MAX_SCORE, MAX_SCORE));
        }
        moves.push(mv);
    }
    let searched = moves.len().saturating_sub(opening);
    ensure!(scores.is_empty() || scores.len() == searched, "some searched moves have no score");
    let winner = match board.outcome() {
        Some(Outcome::Win(side)) => Some(side),
        Some(_) => None,
        None => bail!("the game does not reach its end"),
    };
    Ok(Record { moves, opening, scores, winner })
}

/// Reads a labelled position. `starts` keeps the empty boards by side length.
fn labelled(
    rule: Rule,
    starts: &mut BTreeMap<u32, Arc<Board>>,
    line: &str,
) -> Result<LabelledPosition> {
    let (moves, chance) = line.split_once('=').context("no \"=\" before the chance")?;
    let chance = chance.trim();
    let thousandths = chance.parse::<u16>().ok().filter(|&thousandths| thousandths <= 1000);
    let thousandths =
        thousandths.with_context(|| format!("not a chance from 0 to 1000: \"{chance}\""))?;
    let mut words = moves.split_ascii_whitespace();
    let side = words.next().context("no side of the board at the start")?;
    let start = read_start(rule, starts, side)?;
    let mut board = Board::clone(&start);
    let moves = words.map(|word| play_word(&mut board, word)).collect::<Result<_>>()?;
    Ok(LabelledPosition { start, moves, chance: f32::from(thousandths) / 1000.0 })
}

fn read_start(
    rule: Rule,
    starts: &mut BTreeMap<u32, Arc<Board>>,
    side: &str,
) -> Result<Arc<Board>> {
    let refusal = || format!("not the side of a board at the start: \"{side}\"");
    let number = side.parse().with_context(refusal)?;
    if let Some(start) = starts.get(&number) {
        return Ok(start.clone());
    }
    let start = Arc::new(Board::new(rule, number, number).with_context(refusal)?);
    starts.insert(number, start.clone());
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Board {
        Board::new(Rule::Freestyle, 15, 15).unwrap()
    }

    #[test]
    fn a_game_that_is_written_is_read_again() {
        let without = "2 h8 a1 h9 a2 h10 a3 h11 a4 h12";
        let with = "6 h8 a1 h9 a2 h10 a3 h11:50 a4:-3000 h12:3000";
        for (text, opening, scores) in [(without, 2, vec![]), (with, 6, vec![50, -3000, 3000])] {
            let record = game(&start(), text).unwrap();
            assert_eq!((record.opening, &record.scores), (opening, &scores));
            assert_eq!(record.winner, Some(tengen_engine::Side::First));
            assert_eq!(game_line(&start(), &record), format!("{text}\n"));
        }
    }

    #[test]
    fn a_line_that_is_no_game_is_refused() {
        for (text, reason) in [
            ("h8 a1", "not a number of random moves at the start"),
            ("2 h8 a1", "the game does not reach its end"),
            ("0 h8:x", "not a score: \"x\""),
            ("6 h8 a1 h9 a2 h10 a3 h11:5 a4 h12", "some searched moves have no score"),
            ("0 h8 a1 h9 a2 h10 a3 h11 a4 h12 b1", "\"b1\" comes after the end of the game"),
        ] {
            assert_eq!(game(&start(), text).unwrap_err().to_string(), reason);
        }
        assert!(game(&start(), "0 h8 h8").is_err());
    }

    #[test]
    fn a_labelled_position_is_read_or_refused_on_a_board_of_its_own_size() {
        let mut starts = BTreeMap::new();
        let mut read = |text: &str| labelled(Rule::Freestyle, &mut starts, text);
        for text in ["15 h8 i9 g7 = 642", "20 t20 = 1"] {
            assert_eq!(labelled_line(&read(text).unwrap()), format!("{text}\n"));
        }
        for (text, reason) in [
            ("15 h8 i9", "no \"=\" before the chance"),
            ("15 h8 = x", "not a chance from 0 to 1000: \"x\""),
            ("15 h8 = 1001", "not a chance from 0 to 1000: \"1001\""),
            ("= 500", "no side of the board at the start"),
            ("h8 = 500", "not the side of a board at the start: \"h8\""),
            ("1000 h8 = 500", "not the side of a board at the start: \"1000\""),
            ("15 h8 a1 h9 a2 h10 a3 h11 a4 h12 b1 = 5", "\"b1\" comes after the end of the game"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), reason);
        }
        assert!(read("15 t20 = 500").is_err());
    }

    #[test]
    fn labelled_positions_of_several_files_are_joined_and_errors_name_the_file() {
        let folder =
            std::env::temp_dir().join(format!("tengen-lab-{}-labelled", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let files =
            [("a", "15 h8 = 500\n15 i9 = 1\n"), ("b", "20 t20 = 2\n"), ("c", "15 h8 = 5\nx\n")];
        let files = files.map(|(name, text)| {
            let file = folder.join(name);
            fs::write(&file, text).unwrap();
            file
        });
        let positions = read_labelled(Rule::Freestyle, &files[..2]).unwrap();
        let lines: String = positions.iter().map(labelled_line).collect();
        let error = read_labelled(Rule::Freestyle, &files).unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(lines, "15 h8 = 500\n15 i9 = 1\n20 t20 = 2\n");
        assert_eq!(error, format!("{}, line 2", files[2].display()));
    }
}
