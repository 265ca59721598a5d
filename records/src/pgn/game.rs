//! [`Game`]: the game of a file in PGN that is being read.

use smart_default::SmartDefault;
use tengen_engine::{GridNotation, Point, Side};

use crate::line::size_text;
use crate::moves::needs_larger_board;
use crate::numbering::Numbering;
use crate::place::Place;
use crate::tree::{Record, RecordNodeId};

/// The game that is being read.
#[derive(SmartDefault)]
pub(super) struct Game {
    pub(super) record: Record,
    /// The last node of the line that is being read, and its number of plies.
    pub(super) last: (RecordNodeId, usize),
    /// The places where the open variations began, to continue there.
    pub(super) open: Vec<(RecordNodeId, usize)>,
    /// The side that moves first.
    #[default(Side::First)]
    pub(super) first: Side,
    /// The results of the tag and of the end of the moves.
    pub(super) results: Vec<String>,
    /// The place of the last one.
    pub(super) result_place: Option<Place>,
    pub(super) termination: String,
    /// The comments at the beginning of a variation, for its first move.
    pub(super) before: Vec<String>,
    pub(super) has_tags: bool,
    pub(super) has_moves: bool,
    pub(super) is_over: bool,
    /// Whether there was a `White` tag.
    pub(super) names_white: bool,
    /// The place of a `Black` tag before the `White` tag: Black moves first.
    pub(super) black_first: Option<Place>,
    /// The number of plies without a stone: `--`, and the choice of a colour.
    pub(super) skipped: usize,
    /// The colour that a player chose, whether this is the player who moved first, and the place.
    pub(super) choice: Option<(Side, bool, Place)>,
    /// The numbers of moves so far.
    #[default(Numbering::START)]
    pub(super) numbering: Numbering,
}

impl Game {
    pub(super) fn is_empty(&self) -> bool {
        !self.has_tags && !self.has_moves
    }

    /// Exchanges the names of the players if both are known.
    pub(super) fn exchange_players(&mut self) -> bool {
        let root = self.record.root();
        let node = self.record.node_mut(root);
        for (one, other) in [("PB", "PW"), ("BR", "WR")] {
            let values = [one, other].map(|name| node.text(name));
            for (name, value) in [(one, &values[1]), (other, &values[0])] {
                match value {
                    Some(value) => node.set(name, value),
                    None => node.remove(name),
                }
            }
        }
        node.value("PB").is_some() && node.value("PW").is_some()
    }

    /// Sets the size of the board if the game names neither its size nor its rules, or if its
    /// points need a board of 20x20. The board of the caller is taken first.
    pub(super) fn set_size(&mut self, notation: Option<GridNotation>) {
        let root = self.record.root();
        if self.record.node(root).value("SZ").is_some() {
            return;
        }
        let ids: Vec<RecordNodeId> = self.record.ids().collect();
        let points = ids.into_iter().filter_map(|id| self.record.node(id).mover());
        let points = points.filter_map(|(_, value)| value.text().parse().ok());
        let needed: Vec<u32> = points.map(|point: Point| 1 + point.column.max(point.row)).collect();
        let outside = needed.iter().filter(|side| **side > 15);
        let is_larger = needs_larger_board(outside.clone().count(), needed.len());
        let has_rules = self.record.node(root).value("RU").is_some();
        let grid = notation.map(GridNotation::grid).filter(|_| !has_rules);
        if let Some(grid) = grid {
            return self.record.node_mut(root).set("SZ", &size_text(grid.width(), grid.height()));
        }
        let side = match outside.max() {
            Some(16..=20) if is_larger => 20,
            _ if has_rules => return,
            // A point outside of all usual boards is an illegal move.
            _ => 15,
        };
        self.record.node_mut(root).set("SZ", &side.to_string());
    }
}
