//! What is to be analysed: a position or a game, from the command line or a file, as texts that the
//! game can read.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use tengen_engine::PositionError;
use tengen_engine::Side;

use super::record::{Record, Rule};
use super::ru::FREESTYLE;
use super::stones::{Sheet, Size, Stone, point_name, position, turn_after};
use crate::board::describe;
use crate::ending::Refusal;

/// Where positions come from, not yet fitted to a board.
pub(super) enum Source {
    /// A position in the game's own text, the starting position when `None`, and moves.
    Text {
        start: Option<String>,
        moves: Vec<String>,
    },
    Record(Record),
    Sheet(Sheet),
}

/// A position and the moves played from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Setup {
    /// The starting position when `None`.
    pub(super) start: Option<String>,
    pub(super) moves: Vec<String>,
    /// The points on which nobody may play first.
    pub(super) blocked: Vec<String>,
    /// For each move the place of its node, where they come from a record.
    pub(super) nodes: Vec<usize>,
    /// For each move where it stands in its file, where they come from a record.
    pub(super) places: Vec<String>,
}

/// The whole of a file, or of standard input when it is `-`.
pub(super) fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(bytes);
    }
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

impl Setup {
    /// The position of these stones.
    pub(super) fn of_stones(
        size: Size,
        stones: &[Stone],
        turn: Option<Side>,
    ) -> Result<Self, Refusal> {
        let turn = turn.unwrap_or_else(|| turn_after(stones));
        let is_start = stones.is_empty() && turn == Side::First;
        let start = (!is_start).then(|| position(size, stones, turn)).transpose();
        Ok(Self { start: start.map_err(Refusal)?, ..Self::default() })
    }

    /// What the game refuses of it, and where that stands.
    pub(super) fn refusal(&self, error: &PositionError) -> Refusal {
        let place = match error {
            PositionError::Move(number, _) => self.places.get(number - 1),
            PositionError::Start(_) => None,
        };
        let why = describe(error);
        Refusal(place.map_or(why.clone(), |place| format!("{place}: {why}")))
    }
}

impl Source {
    /// Reads a board.
    pub(super) fn sheet(path: &Path) -> anyhow::Result<Self> {
        let text = read_bytes(path)?;
        let sheet = Sheet::read(&String::from_utf8_lossy(&text));
        Ok(Self::Sheet(sheet.map_err(|why| Refusal(format!("{}: {why}", path.display())))?))
    }

    /// By which rules it is played, where it says so.
    pub(super) fn rule(&self) -> Result<Option<Rule>, Refusal> {
        match self {
            Self::Text { .. } => Ok(None),
            Self::Sheet(sheet) => {
                let (variant, overline) =
                    sheet.rule.map_or((FREESTYLE, true), |rule| (rule.variant, rule.overline));
                Ok(Some(Rule { variant, overline, warning: None }))
            }
            Self::Record(record) => record.rule().map(Some),
        }
    }

    /// The size of its board, where it says so.
    pub(super) fn size(&self) -> Result<Option<Size>, Refusal> {
        match self {
            Self::Text { .. } => Ok(None),
            Self::Sheet(sheet) => Ok(sheet.size),
            Self::Record(record) => record.size(),
        }
    }

    /// What the game can read, on a board of `size`; a game without a board has none.
    pub(super) fn setup(&self, size: Option<Size>) -> Result<Setup, Refusal> {
        match self {
            Self::Text { start, moves } => {
                let (start, moves) = (start.clone(), moves.clone());
                Ok(Setup { start, moves, ..Setup::default() })
            }
            Self::Sheet(sheet) => {
                let none = || Refusal("this game has no board to put stones on".into());
                let size = size.ok_or_else(none)?;
                let mut setup = Setup::of_stones(size, &sheet.stones, sheet.turn)?;
                for &(column, row) in &sheet.blocked {
                    setup.blocked.push(point_name(column, row, size.1).map_err(Refusal)?);
                }
                Ok(setup)
            }
            Self::Record(record) => record.setup(size),
        }
    }
}
