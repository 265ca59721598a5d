//! The position or game to analyse, from the command line or a file, as text that the game can
//! read.

use std::path::Path;

use tengen_engine::{GameSpec, Placement, Position, PositionError};
use tengen_records::{Record, RecordNodeId};

use super::board_file::BoardFile;
use crate::board::{describe, describe_moves};
use crate::exit_status::Refusal;
use crate::files::read_bytes;
use crate::record_files::play;

/// The variant of a Gomocup manager's board that names no rule.
const FREESTYLE: &str = "gomokufreestyle";

/// The source of positions, not yet fitted to a board.
pub(super) enum Source {
    /// A position in the game's own text, the starting position when `None`, and moves.
    Text {
        start: Option<String>,
        moves: String,
    },
    /// A game of this file.
    Record {
        file: String,
        record: Record,
    },
    BoardFile(BoardFile),
}

impl Source {
    /// Reads a Gomocup manager's board from a file.
    pub(super) fn board(path: &Path) -> anyhow::Result<Self> {
        let text = read_bytes(path)?;
        let board = BoardFile::read(&String::from_utf8_lossy(&text));
        Ok(Self::BoardFile(board.map_err(|why| Refusal(format!("{}: {why}", path.display())))?))
    }

    /// Returns the variant of a text or a board, and whether overlines win if the variant has that
    /// option; `None` if the source does not name it.
    pub(super) fn rule(&self) -> Option<(&'static str, bool)> {
        let Self::BoardFile(board) = self else { return None };
        let rule = board.rule.map(|rule| (rule.variant, rule.overline));
        rule.or(Some((FREESTYLE, true)))
    }

    /// Returns the columns and rows of a board; `None` if the source does not name them.
    pub(super) fn size(&self) -> Option<(u32, u32)> {
        if let Self::BoardFile(board) = self { board.size } else { None }
    }

    /// Returns the setup that the game of `position` can read.
    pub(super) fn setup(&self, position: &dyn Position) -> Result<StartAndMoves, Refusal> {
        let grid = || {
            let why = "this game has no board to put stones on";
            position.spec().grid.ok_or_else(|| Refusal(why.to_owned()))
        };
        match self {
            Self::Text { start, moves } => {
                let start = start.clone().map_or(Start::Initial, Start::Text);
                let moves = position.split_moves(moves).into_iter().map(str::to_owned).collect();
                Ok(StartAndMoves { start, moves, ..StartAndMoves::default() })
            }
            Self::BoardFile(board) => {
                let grid = grid()?.grid();
                let (placement, blocked) = board.place(grid).map_err(Refusal)?;
                let is_start = placement == Placement::empty(grid);
                let start = if is_start { Start::Initial } else { Start::Stones(placement) };
                Ok(StartAndMoves { start, blocked, ..StartAndMoves::default() })
            }
            Self::Record { file, record } => {
                StartAndMoves::of_record(file, record, position.spec())
            }
        }
    }
}

/// The position before the first move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Start {
    /// The starting position of the game.
    #[default]
    Initial,
    /// A position in the game's own text.
    Text(String),
    Stones(Placement),
}

/// A position and the moves played from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StartAndMoves {
    pub(super) start: Start,
    pub(super) moves: Vec<String>,
    /// Points that are excluded from the search.
    pub(super) blocked: Vec<String>,
    /// The record nodes of the moves; empty if the moves are not from a record.
    pub(super) nodes: Vec<RecordNodeId>,
}

impl StartAndMoves {
    /// Returns the game of a record, all of whose moves are legal.
    fn of_record(file: &str, record: &Record, spec: &GameSpec) -> Result<Self, Refusal> {
        let (played, _) = play(record, spec, file)?;
        let mut setup = Self::default();
        if !played.line.is_from_start() {
            setup.start = Start::Stones(played.line.start);
        }
        for played in played.line.moves {
            setup.moves.push(played.point.to_string());
            setup.nodes.push(played.node);
        }
        Ok(setup)
    }

    /// Returns the message for an error of the game `spec`.
    pub(super) fn refusal(&self, spec: &GameSpec, error: &PositionError) -> Refusal {
        if self.start == Start::Initial {
            let moves: Vec<&str> = self.moves.iter().map(String::as_str).collect();
            return Refusal(describe_moves(spec, &moves, error));
        }
        Refusal(describe(error))
    }
}
