//! [`Ruleset`]: a game of the catalogue on a board of points, with the numbers of its keys.

use std::collections::HashMap;

use serde_json::{Map, Value};
use tengen_engine::backend::Catalog;
use tengen_engine::{Chosen, GameSpec, Grid, GridNotation, Placement, Point, Side, fen};
use tengen_records::PropertyValue;

use crate::Error;
use crate::key::Keys;

/// A game of the catalogue on a grid: variant, size and options.
#[derive(Debug)]
pub struct Ruleset {
    /// The game.
    pub spec: GameSpec,
    /// The name in the shelf, such as `renju 15x15`.
    pub name: String,
    /// The grid of the game.
    pub notation: GridNotation,
    pub(crate) keys: Keys,
}

impl Ruleset {
    /// Creates the ruleset of a game; `None` if the game has no grid.
    pub fn new(spec: &GameSpec) -> Option<Self> {
        let notation = spec.grid?;
        let name = name_of(spec, notation.grid());
        let keys = Keys::new(&name, notation);
        Some(Self { spec: spec.clone(), name, notation, keys })
    }

    /// Returns the grid.
    pub fn grid(&self) -> Grid {
        self.notation.grid()
    }

    /// Returns the options of the game as the shelf stores them: a JSON object.
    pub(crate) fn options(&self) -> String {
        let options = self.spec.chosen.iter();
        let options: Map<String, Value> =
            options.map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect();
        Value::Object(options).to_string()
    }

    /// Returns the point of a cell. The cell must be on the board.
    pub(crate) fn point(&self, cell: u16) -> Point {
        let width = self.grid().width();
        Point { column: u32::from(cell) % width, row: u32::from(cell) / width }
    }

    /// Returns the cell of a point.
    pub(crate) fn cell(&self, point: Point) -> u16 {
        (point.row * self.grid().width() + point.column) as u16
    }

    /// Returns moves as the shelf stores them.
    pub(crate) fn pack(&self, moves: &[u16]) -> Vec<u8> {
        if self.is_small() {
            return moves.iter().map(|cell| *cell as u8).collect();
        }
        moves.iter().flat_map(|cell| cell.to_be_bytes()).collect()
    }

    /// Returns the moves that the shelf stores; those on the board, if the shelf is damaged.
    pub(crate) fn unpack(&self, packed: &[u8]) -> Vec<u16> {
        let cells = self.grid().cells();
        let is_on_board = |cell: &u16| usize::from(*cell) < cells;
        if self.is_small() {
            return packed.iter().map(|cell| u16::from(*cell)).take_while(is_on_board).collect();
        }
        let pairs = packed.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        pairs.take_while(is_on_board).collect()
    }

    /// Returns whether a cell fits into a byte.
    fn is_small(&self) -> bool {
        self.grid().cells() <= 256
    }

    /// Returns a position as a FEN.
    pub(crate) fn fen(&self, position: &Placement) -> String {
        fen::write(self.grid(), |cell| position.stones[cell.index()], position.turn, false)
    }

    /// Returns the position of a FEN that the shelf stores.
    pub(crate) fn read_fen(&self, text: &str) -> Result<Placement, Error> {
        fen::read(self.grid(), self.notation.falls(), text)
            .map_err(|why| Error::refused("the position", text, &why.to_string()))
    }

    /// Returns the position after moves, by stones alone.
    pub(crate) fn placement(&self, start: Option<&Placement>, moves: &[u16]) -> Placement {
        let mut position = start.cloned().unwrap_or_else(|| Placement::empty(self.grid()));
        for cell in moves {
            position.stones[usize::from(*cell)] = Some(position.turn);
            position.turn = position.turn.other();
        }
        position
    }

    /// Returns the point that a move of a record names, in the letters of SGF or as `h8`; `None` if it is none on the board.
    pub(crate) fn point_of(&self, text: &str) -> Option<Point> {
        let grid = self.grid();
        let is_inside = |point: &Point| point.column < grid.width() && point.row < grid.height();
        let of_list = || text.parse().ok().filter(is_inside);
        PropertyValue::new(text).point(grid).or_else(of_list)
    }

    /// Returns the key of a game. `rest` has the moves that cannot be played, as the record writes them.
    pub(crate) fn line(&self, start: Option<&Placement>, moves: &[u16], rest: &str) -> i64 {
        let cell = |text| self.point_of(text).map(|point| self.cell(point)).ok_or(text);
        let rest: Vec<Result<u16, &str>> = rest.split_whitespace().map(cell).collect();
        self.keys.line(start, moves, &rest)
    }

    /// Returns a position in the orientation of its key.
    pub(crate) fn canonical(&self, position: &Placement) -> Placement {
        let orientation = self.keys.start(Some(position)).orientation();
        self.keys.symmetries()[orientation].place(position)
    }
}

/// Returns the name of a game in the shelf: variant, size, and options besides the size.
fn name_of(spec: &GameSpec, grid: Grid) -> String {
    let mut name = format!("{} {}x{}", spec.variant, grid.width(), grid.height());
    for (option, value) in spec.rule_options() {
        name += &format!(" {option}:{value}");
    }
    name
}

/// Returns the ruleset that the shelf describes by its variant and its options.
pub(crate) fn read_ruleset(
    catalog: &dyn Catalog,
    variant: &str,
    options: &str,
) -> Result<Ruleset, Error> {
    let refused = |why: String| Error::refused("the game", variant, &why);
    let known = catalog.variant(variant);
    let known = known.ok_or_else(|| refused("this program does not know it".to_owned()))?;
    let options: HashMap<String, i64> =
        serde_json::from_str(options).map_err(|why| refused(why.to_string()))?;
    let chosen: Chosen =
        known.options.iter().filter_map(|name| Some((*name, *options.get(*name)?))).collect();
    let spec = catalog.describe(variant, &chosen).map_err(|why| refused(why.to_string()))?;
    Ruleset::new(&spec).ok_or_else(|| refused("it has no board of points".to_owned()))
}

/// Returns 1 for a win of the first player and -1 for one of the second.
pub(crate) const fn win(side: Side) -> i64 {
    match side {
        Side::First => 1,
        Side::Second => -1,
    }
}
