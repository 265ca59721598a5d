//! The position or game to analyse, from the command line or a file.

use std::path::Path;

use tengen_engine::backend::Catalog;
use tengen_engine::{GameSpec, Move, Placement, Position};
use tengen_games::CATALOG;
use tengen_protocol::dialect::gomocup::board_file::BoardFile;
use tengen_records::{Record, RecordNodeId};

use crate::board::{bad_start, position};
use crate::exit_status::Refusal;
use crate::files::read_bytes;
use crate::record_files::play;

/// The variant of a Gomocup manager's board that names no rule.
const FREESTYLE: &str = "gomokufreestyle";

/// The source of positions, not yet fitted to a board.
pub(super) enum Source {
    /// A position in the game's own text, the starting position when `None`, and moves.
    Text { start: Option<String>, moves: String },
    /// A game of this file.
    Record { file: String, record: Record },
    /// A Gomocup manager's board from this file.
    BoardFile { file: String, board: BoardFile },
}

/// A position, and what else its source says.
pub(super) struct SetUp {
    /// The position after all moves.
    pub(super) position: Box<dyn Position>,
    /// Moves that are excluded from the search.
    pub(super) blocked: Vec<Move>,
    /// The record nodes of the moves; empty if the moves are not from a record.
    pub(super) nodes: Vec<RecordNodeId>,
}

impl Source {
    /// Reads a Gomocup manager's board from a file.
    pub(super) fn board(path: &Path) -> anyhow::Result<Self> {
        let text = read_bytes(path)?;
        let (file, board) =
            (path.display().to_string(), BoardFile::read(&String::from_utf8_lossy(&text)));
        let board = board.map_err(|why| Refusal(format!("{file}: {why}")))?;
        Ok(Self::BoardFile { file, board })
    }

    /// Returns the variant of a text or a board, and whether overlines win if the variant has that
    /// option; `None` if the source does not name it.
    pub(super) fn rule(&self) -> Option<(&'static str, bool)> {
        let Self::BoardFile { board, .. } = self else { return None };
        let rule = board.rule.map(|rule| (rule.variant, rule.overline));
        rule.or(Some((FREESTYLE, true)))
    }

    /// Returns the columns and rows of a board; `None` if the source does not name them.
    pub(super) fn size(&self) -> Option<(u32, u32)> {
        if let Self::BoardFile { board, .. } = self { board.size } else { None }
    }

    /// Sets up the position in the game `spec`. Prints the warnings about a record.
    pub(super) fn set_up(&self, spec: &GameSpec) -> Result<SetUp, Refusal> {
        let (mut blocked, mut nodes) = (Vec::new(), Vec::new());
        let position = match self {
            Self::Text { start, moves } => position(spec, start.as_deref(), moves)?,
            Self::BoardFile { file, board } => {
                let no_board = || Refusal("this game has no board to put stones on".to_owned());
                let notation = spec.grid.ok_or_else(no_board)?;
                let placed = board.place(notation.grid());
                let (placement, points) =
                    placed.map_err(|why| Refusal(format!("{file}: {why}")))?;
                let mut position = CATALOG.position(spec);
                if placement != Placement::empty(notation.grid()) {
                    position.place(&placement).map_err(bad_start)?;
                }
                blocked.extend(points.into_iter().map(|point| notation.move_to(point)));
                position
            }
            Self::Record { file, record } => {
                let (played, end) = play(record, spec, file)?;
                nodes.extend(played.line.moves.iter().map(|played| played.node));
                end
            }
        };
        Ok(SetUp { position, blocked, nodes })
    }
}
