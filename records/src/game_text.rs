//! Moves and positions as PGN and the arena's JSON write them.

use tengen_engine::{Grid, Placement, Point, Side, fen};

use crate::fault::{Fault, FaultKind};
use crate::line::size_text;
use crate::place::Place;
use crate::tree::{PropertyValue, Record, RecordNodeId};

/// Words for a pass.
const PASSES: [&str; 4] = ["--", "pass", "Z0", "@@@@"];

/// Returns whether a text has the form of a move on some board: a point, a column, or a pass.
pub(crate) fn is_move(text: &str) -> bool {
    let point = text.strip_prefix("P@").or_else(|| text.strip_prefix("p@")).unwrap_or(text);
    let is_column = || match text.as_bytes() {
        [letter] => letter.is_ascii_alphanumeric(),
        digits => digits.len() == 2 && digits.iter().all(u8::is_ascii_digit),
    };
    let is_pair = || {
        let pair = text.split_once(',');
        let is_number = |text: &str| text.parse::<u8>().is_ok();
        pair.is_some_and(|(column, row)| is_number(column) && is_number(row))
    };
    point.parse::<Point>().is_ok() || is_column() || is_pair() || is_pass(text)
}

fn is_pass(text: &str) -> bool {
    PASSES.iter().any(|pass| pass.eq_ignore_ascii_case(text))
}

/// Adds a move as it is written, and returns its node.
pub(crate) fn add_raw_move(
    record: &mut Record,
    parent: RecordNodeId,
    side: Side,
    text: &str,
    place: Place,
) -> RecordNodeId {
    let id = record.add_child(parent);
    let name = if side == Side::First { "B" } else { "W" };
    let text = if is_pass(text) { "" } else { text };
    record.node_mut(id).set_value(name, PropertyValue::new(text).at(place));
    id
}

/// Sets up the position of a FEN before the first move, and returns it.
pub(crate) fn set_start(record: &mut Record, text: &str, place: Place) -> Result<Placement, Fault> {
    let fault = |what| {
        let (property, value) = ("FEN".to_owned(), text.to_owned());
        Fault::new(place, FaultKind::Value { property, value, what })
    };
    let grid = grid_of(text).ok_or_else(|| fault("not a position"))?;
    let placement = fen::read(grid, false, text).map_err(|_| fault("not a position"))?;
    let root = record.root();
    let node = record.node_mut(root);
    for point in grid.all().map(|cell| grid.point(cell)) {
        if let Some(side) = placement.stone(grid, point) {
            node.put_stone(side, point, grid);
        }
    }
    node.set("SZ", &size_text(grid.width(), grid.height()));
    node.set("PL", if placement.turn == Side::First { "B" } else { "W" });
    Ok(placement)
}

/// Returns the grid of the rows of a FEN.
pub fn grid_of(text: &str) -> Option<Grid> {
    let board = text.split_ascii_whitespace().next()?;
    let board = board.split('[').next()?;
    let rows: Vec<&str> = board.split('/').collect();
    let (mut width, mut number) = (0_u32, 0_u32);
    for byte in rows.first()?.bytes() {
        if byte.is_ascii_digit() {
            number = number.checked_mul(10)?.checked_add(u32::from(byte - b'0'))?;
        } else {
            width = width.checked_add(number)?.checked_add(1)?;
            number = 0;
        }
    }
    Grid::new(width.checked_add(number)?, u32::try_from(rows.len()).ok()?)
}
