//! Drawings of a board, as Tengen and other programs print them: a row on each line, `X` or a black
//! disc for the first player, `O` or a white disc for the second; or 1 and 2, and 0 for an empty point.

use tengen_engine::text::quotable;
use tengen_engine::{Grid, GridNotation, Point, Side, fen};

use crate::encoding::choice::decode;
use crate::fault::{Fault, FaultKind};
use crate::format::{FormatEntry, Recognize, Recognized, Sample};
use crate::line::{MainLine, RecordedMove};
use crate::options::ReadOptions;
use crate::place::Place;
use crate::tree::{Collection, Format, Record};

impl Format {
    /// A drawing of a board.
    pub const DRAWING: Self = Self::new("drawing");
}

impl Record {
    /// Returns the last position of the main line as a FEN: that of a drawing.
    ///
    /// ```
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let drawing = b"3 . . .\n2 . X .\n1 . . O\n";
    /// assert_eq!(read(drawing, &ReadOptions::new())?.records()[0].last_fen()?, "3/1P1/2p w - - 0 2");
    /// # Ok::<(), tengen_records::Fault>(())
    /// ```
    pub fn last_fen(&self) -> Result<String, Fault> {
        let grid = self.board_size()?.and_then(|(width, height)| Grid::new(width, height));
        let no_grid = || {
            let (property, value) = ("SZ".to_owned(), String::new());
            Fault::new(
                None,
                FaultKind::Value { property, value, what: "needed: the size of the board" },
            )
        };
        let grid = grid.ok_or_else(no_grid)?;
        let MainLine { mut start, moves } = self.line(GridNotation::new(grid, false))?;
        for RecordedMove { side, point, .. } in moves {
            start.stones[grid.cell(point.column, point.row).index()] = Some(side);
            start.turn = side.other();
        }
        Ok(fen::write(grid, |cell| start.stones[cell.index()], start.turn, false))
    }
}

pub(crate) const ENTRY: FormatEntry = FormatEntry {
    files: "drawings of a board",
    ..FormatEntry::read_only(Format::DRAWING, "a drawing", Recognize::Text(recognize), read)
};

/// Letters, crosses and black discs, also of Cyrillic and of wide fonts, and the word for black.
const FIRST: &str = "XxBb\u{25cf}\u{26ab}\u{2b24}\u{25a0}\u{2715}\u{2716}\u{2717}\u{2718}\u{d7}\u{2573}\u{274c}\u{425}\u{445}\u{ff38}\u{ff58}\u{9ed1}";
/// Letters, rings and white discs, also of Cyrillic and of wide fonts, and the word for white.
const SECOND: &str =
    "OoWw\u{25cb}\u{26aa}\u{25ef}\u{25a1}\u{2b55}\u{3007}\u{41e}\u{43e}\u{ff2f}\u{ff4f}\u{767d}";
/// Dots, crossings of lines and the corners and edges of a board.
const EMPTY: &str = ".+-_*\u{b7}\u{30fb}\u{ff0e}\u{3002}\u{ff0b}\u{ff0d}\u{ff3f}\u{5341}\u{253c}\u{254b}\u{256c}\u{251c}\u{2524}\u{252c}\u{2534}\u{250c}\u{2510}\u{2514}\u{2518}";
/// Frames around and between cells, brackets around the last stone, and the sign after an emoji.
const FRAMES: &str = "|\u{2502}\u{2551}\u{2500}\u{ff5c}[]()\u{fe0f}\u{fe0e}";

/// The minimum number of rows and of columns.
const MIN_SIDE: usize = 3;

const ROWS: &str = "rows of a board, all of the same length";
const CELL: &str = "X, O or \".\" for a point of the board";
const ROW_1: &str = "the next row of the drawing, down to row 1";

/// The beginnings of the lines that Tengen prints beside a board.
const BESIDE: [&str; 13] = [
    "forbidden:",
    "Variant:",
    "Evaluation file:",
    "Fen:",
    "Pocket:",
    "Key:",
    "Moves:",
    "Turn:",
    "Result:",
    "The first player",
    "The second player",
    "info string",
    ">",
];

/// A line of a text.
enum Line<'a> {
    /// A row of a board: its cells from the left, and its number if it has one.
    Row(Vec<Option<Side>>, Option<u32>),
    /// A row of digits.
    Matrix(Vec<Option<Side>>),
    /// A line like a row of so many cells, with a sign for a cell that is not known.
    Unclear(usize, &'a str),
    /// Another line.
    Other,
}

/// A board in a text: its lines from the top, with their numbers from 1.
type Board<'a> = Vec<(usize, &'a str, Line<'a>)>;

fn recognize(sample: &Sample<'_>) -> Recognized {
    Recognized::Likely.when(!boards(&sample.text).0.is_empty(), Recognized::No)
}

/// Reads a drawing, or several. The stones are set up, because a drawing does not show the order of the
/// moves.
fn read(bytes: &[u8], options: &ReadOptions) -> Result<Collection, Fault> {
    let (text, _, mut warnings) = decode(bytes, options.encoding)?;
    let (boards, beside) = boards(&text);
    if boards.is_empty() {
        let found = text.lines().next().unwrap_or_default().to_owned();
        return Err(Fault::new(None, FaultKind::Expected { expected: ROWS, found }));
    }
    if let Some((number, line)) = beside {
        let given = format!("\"{}\"", quotable(line.trim()));
        let taken = "text beside a board, which is not kept".to_owned();
        let place = Place::Text { line: number, character: 1 };
        warnings.push(Fault::new(place, FaultKind::Reading { given, taken }));
    }
    let all: Vec<&str> = text.lines().collect();
    let ends = boards.iter().skip(1).map(|board| board[0].0 - 1).chain([all.len()]);
    let ends: Vec<usize> = ends.collect();
    let mut records = Vec::with_capacity(boards.len());
    for (board, end) in boards.iter().zip(ends) {
        // The line of the side to move stands after the board.
        let from = board[0].0 - 1;
        let from = if records.is_empty() { 0 } else { from };
        let turn = side_to_move(&all[from..end]);
        records.push(record(board, all.get(board[0].0 - 1 + board.len()), turn, options.notation)?);
    }
    Ok(Collection::new(Format::DRAWING, records).with_warnings(warnings))
}

/// Reads a board. `next` is the line after it.
fn record(
    board: &Board<'_>,
    next: Option<&&str>,
    turn: Option<Side>,
    notation: Option<GridNotation>,
) -> Result<Record, Fault> {
    let fault = |line, character, expected, found: &str| {
        let kind = FaultKind::Expected { expected, found: found.to_owned() };
        Err(Fault::new(Place::Text { line, character }, kind))
    };
    let mut rows = Vec::with_capacity(board.len());
    for (number, line, cells) in board {
        match cells {
            Line::Row(row, label) => rows.push((row, *label)),
            Line::Matrix(row) => rows.push((row, None)),
            Line::Unclear(_, sign) => {
                let before = sign.as_ptr() as usize - line.as_ptr() as usize;
                return fault(*number, 1 + line[..before].chars().count(), CELL, sign);
            }
            Line::Other => {}
        }
    }
    // Rows with numbers count down to 1, or up from 1.
    let labels: Option<Vec<u32>> = rows.iter().map(|(_, label)| *label).collect();
    let is_down = |labels: &[u32]| labels.windows(2).all(|pair| pair[0] == pair[1] + 1);
    let last = labels.as_deref().filter(|labels| is_down(labels)).and_then(<[u32]>::last);
    if last.is_some_and(|last| *last > 1) {
        let line = board.last().map_or(0, |(number, ..)| number + 1);
        return fault(line, 1, ROW_1, next.unwrap_or(&"").trim());
    }
    let (top, ..) = board[0];
    let size = (rows[0].0.len(), rows.len());
    let Some(grid) = Grid::new(size.0 as u32, size.1 as u32) else {
        return fault(top, 1, ROWS, board[0].1.trim());
    };
    let falls = notation.is_some_and(GridNotation::falls);
    let mut record = Record::on_board(GridNotation::new(grid, falls));
    let root = record.root();
    let node = record.node_mut(root);
    // A drawing does not say which game it is.
    node.remove("GM");
    let mut counts = [0, 0];
    for (row, (line, _)) in (0..).zip(&rows) {
        for (column, stone) in (0..).zip(line.iter()) {
            let point: Option<Point> = grid.point_from_top(column, row);
            if let (Some(side), Some(point)) = (*stone, point) {
                counts[side.index()] += 1;
                node.put_stone(side, point, grid);
            }
        }
    }
    let turn = turn.unwrap_or(match counts[0] > counts[1] {
        true => Side::Second,
        false => Side::First,
    });
    node.set("PL", if turn == Side::First { "B" } else { "W" });
    Ok(record)
}

/// Returns the side to move that a line names: `Turn: second player`, or `The second player is to
/// move.`
fn side_to_move(lines: &[&str]) -> Option<Side> {
    let line = lines.iter().map(|line| line.trim()).find_map(|line| {
        line.strip_prefix("Turn: ")
            .or_else(|| line.strip_prefix("The ")?.strip_suffix(" is to move."))
    })?;
    match line {
        "first player" => Some(Side::First),
        "second player" => Some(Side::Second),
        _ => None,
    }
}

/// Returns the boards in a text, and the first line beside them that Tengen does not print there.
fn boards(text: &str) -> (Vec<Board<'_>>, Option<(usize, &str)>) {
    let mut boards: Vec<Board<'_>> = Vec::new();
    let mut board: Board<'_> = Vec::new();
    let mut others: Vec<(usize, &str)> = Vec::new();
    // Rows of one board have one form.
    let form = |line: &Line<'_>| match line {
        Line::Row(row, _) => (row.len(), false),
        Line::Matrix(row) => (row.len(), true),
        Line::Unclear(width, _) => (*width, false),
        Line::Other => (0, false),
    };
    for (index, text) in text.lines().enumerate() {
        let line = line(text);
        if board.first().is_some_and(|(.., first)| form(first) != form(&line)) {
            close(&mut board, &mut boards, &mut others);
        }
        match line {
            Line::Other => others.push((index + 1, text)),
            line => board.push((index + 1, text, line)),
        }
    }
    close(&mut board, &mut boards, &mut others);
    let is_known = |line: &str| {
        let line = line.trim();
        BESIDE.iter().any(|begin| line.starts_with(begin)) || are_columns(line)
    };
    others.sort_unstable();
    let beside = others.into_iter().find(|(_, line)| !is_known(line));
    (boards, beside)
}

/// Ends a board, if the lines are one.
fn close<'a>(
    board: &mut Board<'a>,
    boards: &mut Vec<Board<'a>>,
    others: &mut Vec<(usize, &'a str)>,
) {
    let board = std::mem::take(board);
    let is_row = |line: &Line<'_>| matches!(line, Line::Row(..) | Line::Matrix(_));
    let rows = board.iter().filter(|(.., line)| is_row(line)).count();
    // Lists of columns have no column 0.
    let is_empty = |line: &Line<'_>| !matches!(line, Line::Matrix(row) if !row.contains(&None));
    match rows >= MIN_SIDE && board.iter().any(|(.., line)| is_empty(line)) {
        true => boards.push(board),
        false => others.extend(board.into_iter().map(|(number, line, _)| (number, line))),
    }
}

/// Returns whether a line has only the names of columns and a frame, or nothing.
fn are_columns(line: &str) -> bool {
    let is_frame = |c: char| FRAMES.contains(c) || EMPTY.contains(c) || "=#".contains(c);
    let mut words = line.split(|c: char| c.is_whitespace() || is_frame(c));
    words.all(|word| {
        word.bytes().all(|byte| byte.is_ascii_digit())
            || word.len() == 1
            || word.as_bytes().windows(2).all(|pair| pair[1] == pair[0] + 1)
    })
}

/// Reads a row of the digits 0, 1 and 2, as programs print a matrix; `None` for another line.
fn digits(line: &str) -> Option<Line<'_>> {
    let is_list = line.starts_with('[');
    let is_between = |c: char| c.is_whitespace() || (is_list && "[],".contains(c));
    let words: Vec<&str> = line.split(is_between).filter(|word| !word.is_empty()).collect();
    // In a list of moves a longer word, and a value, may be of such digits.
    if words.len() > 1 && words.iter().any(|word| word.len() > 1) {
        return None;
    }
    let cells = words.into_iter().flat_map(str::chars).map(|c| match c {
        '0' => Some(None),
        '1' => Some(Some(Side::First)),
        '2' => Some(Some(Side::Second)),
        _ => None,
    });
    let row = cells.collect::<Option<Vec<_>>>()?;
    (row.len() >= MIN_SIDE).then_some(Line::Matrix(row))
}

/// Reads a line. The number of the row may stand before and after the cells.
fn line(text: &str) -> Line<'_> {
    let line = text.trim();
    if let Some(row) = digits(line) {
        return row;
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let label = line[..digits].parse().ok();
    let line = line.trim_matches(|c: char| c.is_ascii_digit());
    let mut row = Vec::new();
    let mut unclear = None;
    let mut count = 0;
    for (at, c) in line.char_indices() {
        if c.is_whitespace() || FRAMES.contains(c) {
            continue;
        }
        count += 1;
        match c {
            c if FIRST.contains(c) => row.push(Some(Side::First)),
            c if SECOND.contains(c) => row.push(Some(Side::Second)),
            c if EMPTY.contains(c) => row.push(None),
            c => drop(unclear.get_or_insert(&line[at..at + c.len_utf8()])),
        }
    }
    match unclear {
        None if count >= MIN_SIDE => Line::Row(row, label),
        // Most cells are known.
        Some(sign) if row.len() >= MIN_SIDE && row.len() * 2 > count => Line::Unclear(count, sign),
        _ => Line::Other,
    }
}
