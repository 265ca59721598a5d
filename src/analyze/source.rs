//! The position or game to analyse, from the command line or a file, as text that the game can
//! read.

use std::path::Path;

use tengen_engine::Position;

use super::record::ReviewedGame;
use super::setup::{RuleOfGame, Start, StartAndMoves, require_grid};
use super::stones::{BoardFile, Size, point};
use crate::exit_status::Refusal;
use crate::files::read_bytes;

/// The variant of a Gomocup manager's board that names no rule.
const FREESTYLE: &str = "gomokufreestyle";

/// The source of positions, not yet fitted to a board.
pub(super) enum Source {
    /// A position in the game's own text, the starting position when `None`, and moves.
    Text {
        start: Option<String>,
        moves: String,
    },
    Record(ReviewedGame),
    BoardFile(BoardFile),
}

impl Source {
    /// Reads a Gomocup manager's board from a file.
    pub(super) fn board(path: &Path) -> anyhow::Result<Self> {
        let text = read_bytes(path)?;
        let board = BoardFile::read(&String::from_utf8_lossy(&text));
        Ok(Self::BoardFile(board.map_err(|why| Refusal(format!("{}: {why}", path.display())))?))
    }

    /// Returns the rules; `None` if the source does not name them.
    pub(super) fn rule(&self) -> Result<Option<RuleOfGame>, Refusal> {
        match self {
            Self::Text { .. } => Ok(None),
            Self::BoardFile(board) => {
                let (variant, overline) =
                    board.rule.map_or((FREESTYLE, true), |rule| (rule.variant, rule.overline));
                Ok(Some(RuleOfGame { variant, overline, warning: None }))
            }
            Self::Record(record) => record.rule().map(Some),
        }
    }

    /// Returns the size of the board; `None` if the source does not name it.
    pub(super) fn size(&self) -> Result<Option<Size>, Refusal> {
        match self {
            Self::Text { .. } => Ok(None),
            Self::BoardFile(board) => Ok(board.size),
            Self::Record(record) => record.size(),
        }
    }

    /// Returns the setup that the game of `position` can read.
    pub(super) fn setup(&self, position: &dyn Position) -> Result<StartAndMoves, Refusal> {
        let notation = position.spec().grid;
        match self {
            Self::Text { start, moves } => {
                let start = start.clone().map_or(Start::Initial, Start::Text);
                let moves = position.split_moves(moves).into_iter().map(str::to_owned).collect();
                Ok(StartAndMoves { start, moves, ..StartAndMoves::default() })
            }
            Self::BoardFile(board) => {
                let grid = require_grid(notation)?.grid();
                let mut setup = StartAndMoves::of_stones(grid, &board.stones, board.turn)?;
                for &(column, row) in &board.blocked {
                    let point = point(grid, column, row).map_err(Refusal)?;
                    setup.blocked.push(point.to_string());
                }
                Ok(setup)
            }
            Self::Record(record) => record.setup(notation),
        }
    }
}
