//! [`MainLine`]: the stones and the moves of a record's main line, on a grid.
//!
//! This file knows the meaning of the properties. Of the rules it knows only gravity and that a
//! point can be taken once.

use std::borrow::Cow;
use std::time::Duration;

use tengen_engine::{Grid, GridNotation, NotationError, Placement, Point, Side};

use crate::fault::{Fault, FaultKind};
use crate::place::Place;
use crate::tree::{PropertyValue, Record, RecordNode, RecordNodeId};

/// The main line of a record, on a grid.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MainLine {
    /// The stones set up before the first move, and the side to move.
    pub start: Placement,
    /// The moves.
    pub moves: Vec<RecordedMove>,
}

/// A move of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct RecordedMove {
    /// The node with the move.
    pub node: RecordNodeId,
    /// The side that moves.
    pub side: Side,
    /// The point where the stone comes to rest.
    pub point: Point,
    /// The time that the move took; `None` if the record does not say.
    pub time: Option<Duration>,
    /// The place of the move in the file; `None` if the record was not read from a file.
    pub place: Option<Place>,
}

impl MainLine {
    /// Returns whether the game begins on the empty board with the first player to move.
    pub fn is_from_start(&self) -> bool {
        self.start.turn == Side::First && self.start.stones.iter().all(Option::is_none)
    }
}

impl Record {
    /// Creates the record of a game: the stones before its first move, if there are any, and the points of
    /// its moves.
    pub fn of_line(
        notation: GridNotation,
        start: Option<&Placement>,
        points: impl IntoIterator<Item = Point>,
    ) -> Self {
        let (mut record, grid) = (Self::on_board(notation), notation.grid());
        start.into_iter().for_each(|start| record.set_up(start, grid));
        let mut side = start.map_or(Side::First, |start| start.turn);
        let mut last = record.root();
        for point in points {
            last = record.add_move(last, side, point, grid);
            side = side.other();
        }
        record
    }

    /// Sets up the stones of a position before the first move, and the side to move. `grid` is the
    /// grid of the position.
    pub fn set_up(&mut self, position: &Placement, grid: Grid) {
        let node = self.root_mut();
        for cell in grid.all() {
            if let Some(side) = position.stones[cell.index()] {
                node.put_stone(side, grid.point(cell), grid);
            }
        }
        node.set("PL", if position.turn == Side::First { "B" } else { "W" });
    }

    /// Returns the numbers of columns and rows of the board, property `SZ`; `None` if the record
    /// does not say.
    pub fn board_size(&self) -> Result<Option<(u32, u32)>, Fault> {
        let value = self.node(self.root()).value("SZ");
        let Some(value) = value.filter(|value| !value.is_blank()) else { return Ok(None) };
        let text = value.text();
        let sides: Vec<Option<u32>> =
            text.split([':', 'x', 'X', ',']).map(|side| side.trim().parse().ok()).collect();
        match sides[..] {
            [Some(side)] => Ok(Some((side, side))),
            [Some(columns), Some(rows)] => Ok(Some((columns, rows))),
            _ => {
                let (property, what) = ("SZ".to_owned(), "not a size of a board");
                Err(Fault::new(value.place(), FaultKind::Value { property, value: text, what }))
            }
        }
    }

    /// Returns the main line on the grid of a game.
    ///
    /// Points are read as two letters from the top left (`hh`), and in the notations of the engine:
    /// `h8` with ranks from the bottom, or `7,7` from the top. The notations cannot be confused.
    /// All passes after the last stone are left out; a pass between two stones is an error, since
    /// no game here has passes. Stones may be set up only before the first move.
    ///
    /// ```
    /// use tengen_engine::backend::Catalog;
    /// use tengen_games::CATALOG;
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let file = b"(;GM[4]SZ[15];B[hh];W[ih]BL[30](;B[gg])(;B[ii]))";
    /// let games = read(file, &ReadOptions::new())?;
    /// let spec = CATALOG.describe("gomoku", &Default::default())?;
    /// let line = games.records()[0].line(spec.grid.unwrap())?;
    /// let points: Vec<_> = line.moves.iter().map(|played| played.point.to_string()).collect();
    /// assert_eq!(points, ["h8", "i8", "g9"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn line(&self, notation: GridNotation) -> Result<MainLine, Fault> {
        match self.line_until_fault(notation) {
            (line, None) => Ok(line),
            (_, Some(fault)) => Err(fault),
        }
    }

    /// Returns the main line up to the first error, and the error; `None` if there is none.
    ///
    /// ```
    /// use tengen_engine::{Grid, GridNotation};
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let games = read(b"(;GM[4]SZ[15];B[hh];W[ih];B[hh])", &ReadOptions::new())?;
    /// let board = GridNotation::new(Grid::new(15, 15).unwrap(), false);
    /// let (line, fault) = games.records()[0].line_until_fault(board);
    /// assert_eq!((line.moves.len(), fault.is_some()), (2, true));
    /// # Ok::<(), tengen_records::Fault>(())
    /// ```
    pub fn line_until_fault(&self, notation: GridNotation) -> (MainLine, Option<Fault>) {
        let mut reader = LineReader::new(notation);
        let fault = self.check_size(notation.grid()).and_then(|()| reader.read(self)).err();
        (reader.finish(), fault)
    }

    /// Adds a node with a move after `parent`, and returns the new node. The point must be on
    /// `grid`.
    ///
    /// ```
    /// use tengen_engine::{Grid, GridNotation, Point, Side};
    /// use tengen_records::{Collection, Format, Record};
    ///
    /// let board = GridNotation::new(Grid::new(15, 15).unwrap(), false);
    /// let mut game = Record::on_board(board);
    /// let centre = Point { column: 7, row: 7 };
    /// game.add_move(game.root(), Side::First, centre, board.grid());
    /// let file = Collection::new(Format::SGF, vec![game]);
    /// assert_eq!(file.to_sgf(), b"(;FF[4]GM[4]SZ[15]\n;B[hh])\n");
    /// ```
    pub fn add_move(
        &mut self,
        parent: RecordNodeId,
        side: Side,
        point: Point,
        grid: Grid,
    ) -> RecordNodeId {
        self.add_read_move(parent, side, point, grid, None)
    }

    /// Adds a move that was read at `place` of its file.
    pub(crate) fn add_read_move(
        &mut self,
        parent: RecordNodeId,
        side: Side,
        point: Point,
        grid: Grid,
        place: Option<Place>,
    ) -> RecordNodeId {
        let id = self.add_child(parent);
        let name = if side == Side::First { "B" } else { "W" };
        let value = PropertyValue::new(&write_letters(grid, point)).at(place);
        self.node_mut(id).set_value(name, value);
        id
    }

    /// Returns whether a variation can begin beside a node: the node has one move and nothing else
    /// on the board, and is not the root.
    pub fn can_vary(&self, id: RecordNodeId) -> bool {
        let node = self.node(id);
        let sets_up = SETUPS.iter().any(|(name, _)| node.value(name).is_some());
        node.parent().is_some() && node.moves().count() == 1 && !sets_up
    }

    /// Returns whether a node beside `id` has this move.
    pub(crate) fn has_sibling(
        &self,
        id: RecordNodeId,
        side: Side,
        point: Point,
        grid: Grid,
    ) -> bool {
        let parent = self.node(id).parent();
        let siblings = parent.map_or(&[][..], |parent| self.node(parent).children());
        let is_same =
            |mover: (Side, &PropertyValue)| mover.0 == side && mover.1.point(grid) == Some(point);
        siblings.iter().any(|other| *other != id && self.node(*other).mover().is_some_and(is_same))
    }

    /// Sets the point of a move that a node has.
    pub(crate) fn set_point(&mut self, id: RecordNodeId, side: Side, point: Point, grid: Grid) {
        let name = if side == Side::First { "B" } else { "W" };
        let node = self.node_mut(id);
        let is_only = node.values(name).len() == 1;
        node.rewrite(&[name], |_| is_only.then(|| write_letters(grid, point)));
    }

    /// Writes the points of all moves and stones as two letters, as SGF requires. A point
    /// that is not on `grid` stays as it is.
    pub(crate) fn settle_points(&mut self, grid: Grid) {
        let ids: Vec<RecordNodeId> = self.ids().collect();
        let placed = GridNotation::new(grid, false);
        for id in ids {
            self.node_mut(id).rewrite(&["B", "W", "AB", "AW", "AE"], |text| {
                let point = placed.read_move(text, |_| false).ok()?;
                Some(write_letters(grid, point))
            });
        }
    }

    /// Creates a record of a game on this board, before its first move. If stones do not fall, it
    /// sets `GM[4]`, five in a row: SGF has no other number for such games.
    pub fn on_board(notation: GridNotation) -> Self {
        let mut record = Self::new();
        let root = record.root_mut();
        if !notation.falls() {
            root.set("GM", "4");
        }
        root.set("SZ", &size_text(notation.grid().width(), notation.grid().height()));
        record
    }

    /// Checks that no stone of the main line is put on a taken point. Returns the errors of the
    /// variations, which a file may hold nevertheless. Passes and stones that are set up in the
    /// middle of the game are not errors here.
    ///
    /// ```
    /// use tengen_engine::{Grid, GridNotation};
    /// use tengen_records::{ReadOptions, read};
    ///
    /// let games = read(b"(;GM[4]SZ[15];B[hh];W[hh])", &ReadOptions::new())?;
    /// let board = GridNotation::new(Grid::new(15, 15).unwrap(), false);
    /// let fault = games.records()[0].check_stones(board).unwrap_err();
    /// assert_eq!(fault.to_string(), "line 1, character 23: move 2 \"hh\": h8 is taken");
    /// # Ok::<(), tengen_records::Fault>(())
    /// ```
    pub fn check_stones(&self, notation: GridNotation) -> Result<Vec<Fault>, Fault> {
        self.check_size(notation.grid())?;
        let mut reader = LineReader::new(notation);
        let mut faults = Vec::new();
        // The changes of the board up to a node, to take back: cells and their stones before.
        let mut changes: Vec<(usize, Option<Side>)> = Vec::new();
        let mut open = vec![Step { id: self.root(), changes: 0, moves: 0, is_main: true }];
        while let Some(step) = open.pop() {
            for (cell, before) in changes.drain(step.changes..).rev() {
                reader.board[cell] = before;
            }
            let node = self.node(step.id);
            let mut moves = step.moves;
            for (name, stone) in SETUPS {
                let cells = node.values(name).iter().flat_map(|value| reader.cells(value));
                for cell in cells.collect::<Vec<usize>>() {
                    changes.push((cell, reader.board[cell]));
                    reader.board[cell] = stone;
                }
            }
            for (side, value) in node.moves() {
                if value.is_pass(notation.grid()) {
                    continue;
                }
                moves += 1;
                let text = value.text().trim().to_owned();
                match reader.resting_point(&text) {
                    Ok(point) => {
                        let cell = notation.grid().cell(point.column, point.row).index();
                        changes.push((cell, reader.board[cell]));
                        reader.board[cell] = Some(side);
                    }
                    Err(why) => {
                        let kind = FaultKind::Move { number: moves, text, why };
                        let fault = Fault::new(value.place(), kind);
                        if step.is_main {
                            return Err(fault);
                        }
                        faults.push(fault);
                    }
                }
            }
            let next = |(index, id): (usize, &RecordNodeId)| {
                let is_main = step.is_main && index == 0;
                Step { id: *id, changes: changes.len(), moves, is_main }
            };
            open.extend(node.children().iter().enumerate().rev().map(next));
        }
        Ok(faults)
    }

    /// Returns an error if the record has a board of another size.
    fn check_size(&self, grid: Grid) -> Result<(), Fault> {
        let (width, height) = (grid.width(), grid.height());
        let size = self.board_size()?;
        if size.is_none_or(|size| size == (width, height)) {
            return Ok(());
        }
        let value = self.node(self.root()).value("SZ");
        let text = value.map(PropertyValue::text).unwrap_or_default();
        let kind = FaultKind::Size { property: "SZ".to_owned(), value: text, width, height };
        Err(Fault::new(value.and_then(PropertyValue::place), kind))
    }
}

impl RecordNode {
    /// Returns the side that moves in this node, and the value with the point; `None` if the node
    /// has no move.
    pub fn mover(&self) -> Option<(Side, &PropertyValue)> {
        self.moves().next()
    }

    /// Returns the moves of this node, in the order of the file. Most nodes have at most one.
    pub fn moves(&self) -> impl Iterator<Item = (Side, &PropertyValue)> {
        let moves = self.properties().iter().filter_map(|property| {
            let side = mover(&property.name)?;
            Some(property.values.iter().map(move |value| (side, value)))
        });
        moves.flatten()
    }

    /// Sets up a stone without a move. The point must be on `grid`.
    pub fn put_stone(&mut self, side: Side, point: Point, grid: Grid) {
        let name = if side == Side::First { "AB" } else { "AW" };
        self.add(name, &write_letters(grid, point));
    }
}

impl PropertyValue {
    /// Returns whether the value has no text. Many programs write `AB[]` or `SZ[]`.
    pub(crate) fn is_blank(&self) -> bool {
        self.text().trim().is_empty()
    }

    /// Returns the point of two letters, the row from the top; `None` if the value has another form
    /// or is outside the grid.
    pub fn point(&self, grid: Grid) -> Option<Point> {
        let (column, row) = letters(self.text().trim())?;
        grid.point_from_top(column, row)
    }

    /// Returns whether the value of a move is a pass.
    pub fn is_pass(&self, grid: Grid) -> bool {
        is_pass(self.text().trim(), grid)
    }
}

/// Returns the size of a board as the text of property `SZ`.
pub(crate) fn size_text(width: u32, height: u32) -> String {
    if width == height { width.to_string() } else { format!("{width}:{height}") }
}

/// Returns the side whose moves have this property; `None` for other properties.
fn mover(property: &str) -> Option<Side> {
    match property {
        "B" => Some(Side::First),
        "W" => Some(Side::Second),
        _ => None,
    }
}

fn side_named(colour: &str) -> Option<Side> {
    match colour.chars().next()? {
        'B' | 'b' | '1' => Some(Side::First),
        'W' | 'w' | '2' => Some(Side::Second),
        _ => None,
    }
}

/// Returns the column and the row of two letters, both from 0, the row from the top.
pub(crate) fn letters(value: &str) -> Option<(u32, u32)> {
    match value.as_bytes() {
        [column, row] if column.is_ascii_alphabetic() && row.is_ascii_alphabetic() => {
            let number = |letter: u8| u32::from(letter.to_ascii_lowercase() - b'a');
            Some((number(*column), number(*row)))
        }
        _ => None,
    }
}

/// Returns the two letters of `point`.
pub fn write_letters(grid: Grid, point: Point) -> String {
    let (column, row) = grid.from_top(point);
    [column, row].map(|number| char::from(b'a' + number as u8)).iter().collect()
}

/// Returns whether the text is a pass: empty, a word of other programs, or `tt` on boards without
/// this point.
fn is_pass(text: &str, grid: Grid) -> bool {
    let is_word = || ["pass", "--"].iter().any(|word| text.eq_ignore_ascii_case(word));
    text.is_empty() || is_word() || (text == "tt" && grid.width() <= 19 && grid.height() <= 19)
}

/// The properties that set up stones, and the stones.
const SETUPS: [(&str, Option<Side>); 3] =
    [("AB", Some(Side::First)), ("AW", Some(Side::Second)), ("AE", None)];

/// A node to check.
struct Step {
    id: RecordNodeId,
    /// The number of changes of the board before it.
    changes: usize,
    /// The number of moves before it.
    moves: usize,
    /// Whether it is in the main line.
    is_main: bool,
}

struct LineReader {
    notation: GridNotation,
    /// The stones on the board now, by cell.
    board: Vec<Option<Side>>,
    start: Vec<Option<Side>>,
    /// The side to move at the start, as soon as it is known.
    turn: Option<Side>,
    moves: Vec<RecordedMove>,
    /// The text and the place of the first pass; `None` if there was none.
    pass: Option<(String, Option<Place>)>,
}

impl LineReader {
    fn new(notation: GridNotation) -> Self {
        let empty = || vec![None; notation.grid().cells()];
        let (board, start) = (empty(), empty());
        Self { notation, board, start, turn: None, moves: Vec::new(), pass: None }
    }

    fn finish(self) -> MainLine {
        let turn = self.turn.unwrap_or_else(|| turn_after(&self.start));
        MainLine { start: Placement { stones: self.start, turn }, moves: self.moves }
    }

    /// Reads the main line of a record.
    fn read(&mut self, record: &Record) -> Result<(), Fault> {
        for id in record.main_line() {
            let node = record.node(id);
            self.put_stones(node)?;
            if self.moves.is_empty() && self.turn.is_none() {
                self.turn = node.text("PL").as_deref().and_then(side_named);
            }
            for (side, value) in node.moves() {
                self.play(id, side, value, node.time())?;
            }
        }
        Ok(())
    }

    /// Sets up the stones of a node.
    fn put_stones(&mut self, node: &RecordNode) -> Result<(), Fault> {
        for (name, stone) in SETUPS {
            for value in node.values(name) {
                if !self.moves.is_empty() {
                    let (property, moves) = (name.to_owned(), self.moves.len());
                    let kind = FaultKind::ChangedByHand { property, moves };
                    return Err(Fault::new(value.place(), kind));
                }
                self.put(name, stone, value)?;
            }
        }
        Ok(())
    }

    /// Sets up `stone` on every point of a value. `None` empties the points.
    fn put(&mut self, name: &str, stone: Option<Side>, value: &PropertyValue) -> Result<(), Fault> {
        let text = value.text();
        if value.is_blank() {
            return Ok(());
        }
        let fault = |why: String| {
            let (property, text) = (name.to_owned(), text.clone());
            Fault::new(value.place(), FaultKind::Stone { property, text, why })
        };
        for point in self.points(&text).map_err(&fault)? {
            let cell = self.notation.grid().cell(point.column, point.row).index();
            if stone.is_some() && self.start[cell].is_some_and(|there| Some(there) != stone) {
                return Err(fault(format!("two stones are on {point}")));
            }
            self.start[cell] = stone;
            self.board[cell] = stone;
        }
        Ok(())
    }

    /// Returns the cells of a value that sets up stones; none if it cannot be read.
    fn cells(&self, value: &PropertyValue) -> Vec<usize> {
        let cell = |point: Point| self.notation.grid().cell(point.column, point.row).index();
        self.points(&value.text()).unwrap_or_default().into_iter().map(cell).collect()
    }

    /// Returns the points of a text: one point, or the corners of a rectangle.
    fn points(&self, text: &str) -> Result<Vec<Point>, String> {
        let corners: Result<Vec<Point>, String> =
            text.split(':').map(|corner| self.point(corner.trim())).collect();
        let (from, to) = match corners?[..] {
            [point] => (point, point),
            [from, to] => (from, to),
            _ => return Err("neither a point nor a rectangle".to_owned()),
        };
        let rows = from.row.min(to.row)..=from.row.max(to.row);
        let columns = from.column.min(to.column)..=from.column.max(to.column);
        let row = |row| columns.clone().map(move |column| Point { column, row });
        Ok(rows.flat_map(row).collect())
    }

    /// Returns the point of a text that names a point, also where stones fall.
    fn point(&self, text: &str) -> Result<Point, String> {
        let grid = self.notation.grid();
        let Some((column, row)) = letters(text) else {
            let placed = GridNotation::new(grid, false);
            return placed.read_move(text, |_| false).map_err(NotationError::reason);
        };
        grid.point_from_top(column, row).ok_or_else(|| {
            let (width, height) = (grid.width(), grid.height());
            let (column, row) = (column + 1, row + 1);
            format!(
                "column {column} and row {row} are outside the board of {width}x{height} points"
            )
        })
    }

    fn play(
        &mut self,
        node: RecordNodeId,
        side: Side,
        value: &PropertyValue,
        time: Option<Duration>,
    ) -> Result<(), Fault> {
        let text = value.text().trim().to_owned();
        let number = self.moves.len() + 1;
        if is_pass(&text, self.notation.grid()) {
            // Not an error yet: the game may end with passes.
            self.pass.get_or_insert((text, value.place()));
            return Ok(());
        }
        if let Some((text, place)) = &self.pass {
            let why = "pass before a move: Tengen's games have no passes".to_owned();
            return Err(Fault::new(*place, FaultKind::Move { number, text: text.clone(), why }));
        }
        let fault =
            |why| Fault::new(value.place(), FaultKind::Move { number, text: text.clone(), why });
        let first = *self.turn.get_or_insert(side);
        let mover = if self.moves.len().is_multiple_of(2) { first } else { first.other() };
        if side != mover {
            return Err(fault("the other player is to move".to_owned()));
        }
        let point = self.resting_point(&text).map_err(fault)?;
        self.board[self.notation.grid().cell(point.column, point.row).index()] = Some(side);
        self.moves.push(RecordedMove { node, side, point, time, place: value.place() });
        Ok(())
    }

    /// Returns the point where the stone of a move comes to rest.
    fn resting_point(&self, text: &str) -> Result<Point, String> {
        let grid = self.notation.grid();
        let is_taken = |point: Point| {
            grid.cell_at(point).is_none_or(|cell| self.board[cell.index()].is_some())
        };
        let text = match letters(text) {
            Some(_) => Cow::Owned(self.point(text)?.to_string()),
            None => Cow::Borrowed(text),
        };
        self.notation.read_move(&text, is_taken).map_err(NotationError::reason)
    }
}

/// Returns the side to move after these stones, if the players put them in turn.
fn turn_after(stones: &[Option<Side>]) -> Side {
    let count = |side| stones.iter().filter(|stone| **stone == Some(side)).count();
    if count(Side::First) > count(Side::Second) { Side::Second } else { Side::First }
}
