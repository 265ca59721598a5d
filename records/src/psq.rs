//! PSQ: records of Piskvork and of the tournament managers of Gomocup.
//!
//! A header gives the size of the board, the levels of two players and which of them begins. A line
//! `column,row,milliseconds` follows for each move, counted from 1 at the top left. Records of
//! tournaments then have the names of the players. A number for the end of the game follows, and
//! Piskvork ignores everything after it. Gomocup writes a line `RESULT,NAME` there: the winner, and
//! the tournament, whose name is the only hint at the rules.
// CITE: https://github.com/plastovicka/Piskvork, source/game.cpp (openPsq, savePsq)
// CITE: https://github.com/Gomocup/GomocupJudge, server/server.py (extend_pos)

mod result;

use tengen_engine::{Grid, GridNotation, Point, Side};

use self::result::{GomocupResult, RESULT, outcome_in_name, result_text};
use crate::encoding::choice::decode;
use crate::fault::{Fault, FaultKind};
use crate::format::{FormatEntry, Recognize, Recognized, Sample, Write, line_starts};
use crate::game_text::add_raw_move;
use crate::games::Games;
use crate::options::ReadOptions;
use crate::place::Place;
use crate::tree::{Collection, Format, Record, TIME};

impl Format {
    /// Records of Piskvork and of Gomocup's tournaments.
    pub const PSQ: Self = Self::new("psq");
}

pub(crate) const ENTRY: FormatEntry = FormatEntry {
    files: "PSQ (Piskvork, Gomocup)",
    summary: "The record of Piskvork: the main line of one game",
    extensions: &["psq"],
    beginning: "PSQ with \"Piskvorky 15x15\"",
    game_starts: Some(|text| line_starts(text, |_, line| is_psq(line))),
    write: Some(Write::Text(|record, played| record.to_psq(played.notation))),
    holds,
    holds_several_games: false,
    ..FormatEntry::read_only(Format::PSQ, "PSQ", Recognize::Text(recognize), read)
};

/// Tengen's own property for the levels of the players, such as `11:11`.
const LEVELS: &str = "XL";
/// Tengen's own property for the number that says how the game ended.
const END: &str = "XE";
/// The number for an unknown end.
const UNKNOWN_END: &str = "-1";
/// The highest levels, which tournaments write.
const STRONGEST: &str = "11:11";

/// The names that Piskvork gives to human players.
const PEOPLE: [&str; 2] = ["homo-1", "homo-2"];

const HEADER: &str = "a header such as \"Piskvorky 15x15, 11:11, 0\"";
const MOVE: &str = "a move \"column,row,milliseconds\" on the board, both from 1";

fn recognize(sample: &Sample<'_>) -> Recognized {
    if is_psq(&sample.text) {
        return Recognized::Surely;
    }
    let is_named = sample.options.has_extension("psq") && !sample.begin().starts_with('(');
    Recognized::Named.when(is_named, Recognized::No)
}

/// The line `RESULT,NAME` holds more properties.
fn holds(record: &Record, property: &str) -> bool {
    let has_line = record.node(record.root()).value(RESULT).is_some();
    ["PB", "PW", TIME, LEVELS, END, RESULT].contains(&property)
        || (has_line && ["RE", "EV", "RU"].contains(&property))
}

/// Returns whether a text begins like PSQ.
fn is_psq(text: &str) -> bool {
    let word = text.trim_start().get(..WORD.len());
    word.is_some_and(|word| word.eq_ignore_ascii_case(WORD))
}

/// The first word of a header, in lower case.
const WORD: &str = "piskvorky";

/// Reads a PSQ file. Gomocup writes the winner into the name of the file.
fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    let (text, encoding, mut warnings) = decode(bytes, options.encoding)?;
    let lines = text.lines().map(str::trim).enumerate().map(|(index, line)| (index + 1, line));
    let lines: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.is_empty()).collect();
    let end = text.lines().count() + 1;
    // Files that were put together have a header for each game.
    let mut parts: Vec<&[(usize, &str)]> = Vec::new();
    let mut from = 0;
    for at in 1..lines.len() {
        if header(lines[at].1).is_some() {
            parts.push(&lines[from..at]);
            from = at;
        }
    }
    parts.push(&lines[from..]);
    let name = if parts.len() == 1 { options.name.as_str() } else { "" };
    let mut games = Games::new(options.skips_bad_games);
    for lines in parts {
        let reader = Reader { lines, end, name, keeps_bad_moves: options.keeps_bad_moves };
        games.push(reader.record().map(|(record, warning)| {
            warnings.extend(warning);
            record
        }))?;
    }
    Ok(games.collect(Format::PSQ)?.with_encoding(encoding).with_warnings(warnings))
}

struct Reader<'a> {
    /// The lines of the game that are not blank, with their numbers from 1.
    lines: &'a [(usize, &'a str)],
    /// The number of the line after the last one.
    end: usize,
    /// The name of the file.
    name: &'a str,
    keeps_bad_moves: bool,
}

struct Header<'a> {
    grid: Grid,
    levels: Option<&'a str>,
    /// Whether the second of the two players begins.
    is_swapped: bool,
}

impl<'a> Reader<'a> {
    fn expected(&self, index: usize, expected: &'static str) -> Fault {
        let (line, found) = self.lines.get(index).copied().unwrap_or((self.end, ""));
        let kind = FaultKind::Expected { expected, found: found.to_owned() };
        Fault::new(Place::Text { line, character: 1 }, kind)
    }

    /// Returns the game, and a warning about its result.
    fn record(&self) -> Result<(Record, Option<Fault>), Fault> {
        let first = self.lines.first().map_or("", |(_, line)| line);
        let header = header(first).ok_or_else(|| self.expected(0, HEADER))?;
        let notation = GridNotation::new(header.grid, false);
        let mut record = Record::on_board(notation);
        header.levels.into_iter().for_each(|levels| record.root_mut().set(LEVELS, levels));
        let moves = self.moves(&mut record, &header)?;
        let result = self.ending(&mut record, &header, 1 + moves)?;
        let Some(result) = result else {
            if let Some(outcome) = outcome_in_name(self.name) {
                record.root_mut().set("RE", result_text(outcome));
            }
            return Ok((record, None));
        };
        let warning = result.write(&mut record, notation, self.name);
        Ok((record, warning))
    }

    /// Reads the moves after the header and returns their number.
    fn moves(&self, record: &mut Record, header: &Header<'_>) -> Result<usize, Fault> {
        let (mut last, mut side) = (record.root(), Side::First);
        let mut count = 0;
        for (index, (line, text)) in self.lines.iter().enumerate().skip(1) {
            let Some(numbers) = numbers(text) else { break };
            let place = Place::Text { line: *line, character: 1 };
            record.check_room(place)?;
            last = match point(&numbers, header.grid) {
                Some(point) => record.add_read_move(last, side, point, header.grid, Some(place)),
                // The whole line is no move of any notation.
                None if self.keeps_bad_moves && count > 0 => {
                    add_raw_move(record, last, side, text, place)
                }
                None => return Err(self.expected(index, MOVE)),
            };
            side = side.other();
            if let Some(time) = numbers.get(2).filter(|time| **time > 0) {
                record.node_mut(last).set(TIME, &time.to_string());
            }
            count += 1;
        }
        Ok(count)
    }

    /// Reads the lines after the moves: names, the number of the end, and what is after it. Returns
    /// the line with the result, if there is one.
    fn ending(
        &self,
        record: &mut Record,
        header: &Header<'_>,
        from: usize,
    ) -> Result<Option<GomocupResult>, Fault> {
        let rest = &self.lines[from..];
        let is_number = |at: usize| rest.get(at).is_some_and(|(_, text)| is_whole_number(text));
        // The names of programs may be numbers, too.
        let has_names = is_number(2) && !rest[..2].iter().any(|(_, text)| is_broken_move(text));
        let known = if has_names { 2 } else { 0 };
        let end = (known..rest.len()).find(|at| is_number(*at));
        let before = &rest[..end.unwrap_or(rest.len())];
        // Without a move, names that look like moves are none.
        let mut names = before.iter().take(PEOPLE.len());
        if from == 1 && !before.is_empty() && names.all(|(_, text)| is_meant_as_move(text)) {
            return Err(self.expected(from, MOVE));
        }
        for (index, (_, text)) in before.iter().enumerate() {
            if is_broken_move(text) || (index >= known && !text.chars().any(char::is_alphabetic)) {
                return Err(self.expected(from + index, MOVE));
            }
        }
        let root = record.root_mut();
        let mut names: Vec<&str> = before.iter().take(2).map(|(_, name)| *name).collect();
        if header.is_swapped && names.len() == PEOPLE.len() {
            names.reverse();
        }
        for (property, name) in ["PB", "PW"].into_iter().zip(names) {
            root.set(property, name);
        }
        let mut others: Vec<&str> = before.iter().skip(2).map(|(_, text)| *text).collect();
        let mut result = None;
        if let Some(end) = end {
            root.set(END, rest[end].1);
            for (line, text) in &rest[end + 1..] {
                let place = Place::Text { line: *line, character: 1 };
                match GomocupResult::read(text, place).filter(|_| result.is_none()) {
                    Some(read) => result = Some(read),
                    None => others.push(text),
                }
            }
        }
        if !others.is_empty() {
            root.set("GC", &others.join("\n"));
        }
        Ok(result)
    }
}

/// Reads a header such as `Piskvorky 15x15, 11:11, 0`. Some programs leave out everything after the
/// size.
fn header(text: &str) -> Option<Header<'_>> {
    let rest = text.get(WORD.len()..).filter(|_| is_psq(text))?;
    let mut parts = rest.split(',').map(str::trim);
    let (width, height) = parts.next()?.split_once(['x', 'X'])?;
    let side = |text: &str| text.trim().parse().ok();
    let grid = Grid::new(side(width)?, side(height)?)?;
    let levels = parts.next().filter(|levels| !levels.is_empty());
    // Piskvork writes which of its two players began. The rules are not written. Other managers
    // write another number here.
    let began = parts.next().filter(|number| !number.is_empty()).unwrap_or("0");
    began.parse::<i64>().ok()?;
    Some(Header { grid, levels, is_swapped: began == "1" })
}

/// Returns whole numbers separated by commas; `None` for fewer than two or other text.
fn numbers(text: &str) -> Option<Vec<i64>> {
    let numbers: Option<Vec<i64>> =
        text.split(',').map(|number| number.trim().parse().ok()).collect();
    numbers.filter(|numbers| numbers.len() > 1)
}

/// Returns the point of a line of two or three numbers: column and row from 1, and the time.
fn point(numbers: &[i64], grid: Grid) -> Option<Point> {
    let coordinate = |number: i64| u32::try_from(number).ok()?.checked_sub(1);
    match *numbers {
        [column, row] | [column, row, _] => {
            grid.point_from_top(coordinate(column)?, coordinate(row)?)
        }
        _ => None,
    }
}

fn is_whole_number(text: &str) -> bool {
    text.parse::<i64>().is_ok()
}

/// Returns whether a line was meant to be a move: numbers with other signs between them.
fn is_broken_move(text: &str) -> bool {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    !text.chars().any(char::is_alphabetic) && numbers.count() > 1
}

/// Returns whether a line may be a move in another form: `h8`, `h8,0` or `x,y,0`.
fn is_meant_as_move(text: &str) -> bool {
    let last = text.rsplit_once(',').map(|(_, last)| last.trim());
    text.split(',').next().is_some_and(|first| first.trim().parse::<Point>().is_ok())
        || last.is_some_and(is_whole_number)
}

impl Record {
    /// Returns the main line as PSQ, in UTF-8.
    ///
    /// PSQ has no rules, comments or variations; these are left out. Stones set up before the game
    /// are an error. `notation` is the grid of the record's game.
    ///
    /// ```
    /// use tengen_engine::{Grid, GridNotation};
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let games = read(b"(;GM[4]SZ[15]PB[Anna]PW[Ben];B[hh]XT[1200];W[ih])",
    /// &ReadOptions::new())?; let board = GridNotation::new(Grid::new(15, 15).unwrap(), false);
    /// let text = games.records()[0].to_psq(board)?;
    /// assert_eq!(text, "Piskvorky 15x15, 11:11, 0\n8,8,1200\n9,8,0\nAnna\nBen\n-1\n");
    /// # Ok::<(), tengen_records::Fault>(())
    /// ```
    pub fn to_psq(&self, notation: GridNotation) -> Result<String, Fault> {
        if notation.falls() {
            return Err(Fault::cannot_hold("PSQ", "a game in which stones fall"));
        }
        let line = self.line(notation)?;
        if line.start.stones.iter().any(Option::is_some) {
            let what = "stones put down before the first move (AB, AW)";
            return Err(Fault::cannot_hold("PSQ", what));
        }
        let grid = notation.grid();
        let root = self.node(self.root());
        let levels = root.text(LEVELS).filter(|levels| !levels.contains([',', '\n']));
        let levels = levels.unwrap_or_else(|| STRONGEST.to_owned());
        let mut out = format!("Piskvorky {}x{}, {levels}, 0\n", grid.width(), grid.height());
        for played in &line.moves {
            let (column, row) = grid.from_top(played.point);
            let time = played.time.map_or(0, |time| time.as_millis());
            out += &format!("{},{},{time}\n", column + 1, row + 1);
        }
        let mut players = ["PB", "PW"];
        if line.start.turn == Side::Second {
            players.reverse();
        }
        // Without a move, a name that looks like one cannot be read.
        let is_name =
            |name: &String| is_plain(name) && !(line.moves.is_empty() && is_meant_as_move(name));
        let names = players.map(|property| root.text(property).filter(is_name));
        if names.iter().any(Option::is_some) {
            for (name, person) in names.into_iter().zip(PEOPLE) {
                out += &format!("{}\n", name.as_deref().unwrap_or(person));
            }
        }
        let end = root.text(END).filter(|end| end.parse::<i64>().is_ok());
        out += &format!("{}\n", end.as_deref().unwrap_or(UNKNOWN_END));
        let result = root.text(RESULT).filter(|text| GomocupResult::is_line(text));
        out.extend(result.map(|line| line + "\n"));
        Ok(out)
    }
}

/// Returns whether a text can be read as a name on a line of its own.
fn is_plain(text: &str) -> bool {
    text.chars().any(char::is_alphabetic) && !text.contains(['\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "Piskvorky 20x20, 11:11, 0\r\n11,11,0\r\n12,12,0\r\n10,13,1578\r\n9,9,2\r\nRAPFI.zip\r\nYIXIN18.exe\r\n-1\r\n";

    fn one(text: &str) -> Record {
        read(text.as_bytes(), &ReadOptions::new()).unwrap().into_records().remove(0)
    }

    fn board(side: u32) -> GridNotation {
        GridNotation::new(Grid::new(side, side).unwrap(), false)
    }

    #[test]
    fn a_game_of_a_tournament_is_read_and_written_back() {
        let record = one(GAME);
        let root = record.node(record.root());
        for (name, value) in
            [("GM", "4"), ("SZ", "20"), ("PB", "RAPFI.zip"), ("PW", "YIXIN18.exe"), (END, "-1")]
        {
            assert_eq!(root.text(name).as_deref(), Some(value));
        }
        let line = record.line(board(20)).unwrap();
        let points: Vec<String> = line.moves.iter().map(|mv| mv.point.to_string()).collect();
        assert_eq!(points, ["k10", "l9", "j8", "i12"]);
        assert_eq!(line.moves[2].time.unwrap().as_millis(), 1578);
        assert_eq!(line.moves[3].place.unwrap().to_string(), "line 5, character 1");
        assert_eq!(record.to_psq(board(20)).unwrap(), GAME.replace('\r', ""));
    }

    #[test]
    fn swapped_players_and_missing_parts_are_read() {
        // The second player of Piskvork began.
        let swapped = one("Piskvorky 15x15, 0:5, 1\n8,8,10\nhomo-1\nbrain.exe\n0\n");
        let root = swapped.node(swapped.root());
        assert_eq!(root.text("PB").as_deref(), Some("brain.exe"));
        assert_eq!(root.text("PW").as_deref(), Some("homo-1"));
        assert_eq!(root.text(LEVELS).as_deref(), Some("0:5"));
        // No times, no names, no end.
        let bare = one("piskvorky 15x10\n1,1\n15,10\n");
        let line = bare.line(GridNotation::new(Grid::new(15, 10).unwrap(), false)).unwrap();
        assert_eq!(line.moves[1].point.to_string(), "o1");
        assert_eq!(one("Piskvorky 15x15, 11:11, 0\n").node_count(), 1);
        let long = one("Piskvorky 15x15, 11:11, 4\n8,8,1\na\nb\nc d\n15\n");
        assert_eq!(long.node(long.root()).text("GC").as_deref(), Some("c d"));
    }

    #[test]
    fn names_that_look_like_moves_are_none_before_the_first_move() {
        let read_as = |text: &str| read(text.as_bytes(), &ReadOptions::new()).map(|_| ());
        assert!(read_as("Piskvorky 15x7, 11:11, 0\nx15, 11:11, 0\nh8\n0Y\n").is_err());
        let mut record = one("Piskvorky 15x15, 11:11, 0\n");
        record.root_mut().set("PB", "h8");
        record.root_mut().set("PW", "i9,0");
        let text = record.to_psq(board(15)).unwrap();
        assert_eq!(text, "Piskvorky 15x15, 11:11, 0\n-1\n");
        let named = one("Piskvorky 15x15, 11:11, 0\n8,8,0\nh8\ni9,0\n-1\n");
        assert!(named.to_psq(board(15)).unwrap().contains("\nh8\ni9,0\n"));
    }

    #[test]
    fn an_error_names_its_line() {
        for (text, message) in [
            (
                "Piskvorky 15, 11:11, 0\n",
                "line 1, character 1: expected a header such as \"Piskvorky 15x15, 11:11, 0\", found \"Piskvorky 15, 11:11, 0\"",
            ),
            (
                "Piskvorky 15x15, 11:11, 0\n\n16,1,0\n",
                "line 3, character 1: expected a move \"column,row,milliseconds\" on the board, both from 1, found \"16,1,0\"",
            ),
            (
                "Piskvorky 15x15, 11:11, 0\nh8,0\ni9,0\n-1\n",
                "line 2, character 1: expected a move \"column,row,milliseconds\" on the board, both from 1, found \"h8,0\"",
            ),
            (
                "Piskvorky 15x15, 11:11, 0\n8,8,0\n9;9;0\n10,8,0\n",
                "line 3, character 1: expected a move \"column,row,milliseconds\" on the board, both from 1, found \"9;9;0\"",
            ),
        ] {
            assert_eq!(
                read(text.as_bytes(), &ReadOptions::new()).unwrap_err().to_string(),
                message
            );
        }
    }
}
