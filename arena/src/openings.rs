//! Openings: the positions from which the pairs of a run are played.
//!
//! All openings are read and checked by the rules before the first game.

mod file;
mod generate;
mod symmetry;

use std::collections::HashSet;

use fastrand::Rng;
use tengen_engine::text::quotable;
use tengen_engine::{GameSpec, Move, Position, Style, Symmetry};

pub use self::generate::generate;
use crate::config::{OpeningSequence, OpeningsConfig, Policy};
use crate::schedule::Fixture;

/// An opening: a start position and moves from it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Opening {
    /// The position before the moves, as a FEN; `None` for the default starting position.
    pub start: Option<String>,
    /// The moves.
    pub moves: Vec<Move>,
}

impl Opening {
    /// Resets `position` and sets up the opening on it.
    pub fn set_up(&self, position: &mut dyn Position) -> Result<(), String> {
        match &self.start {
            Some(text) => position.set_up(text).map_err(|why| why.to_string())?,
            None => position.reset(),
        }
        for mv in &self.moves {
            position.play(*mv).map_err(|why| why.to_string())?;
        }
        Ok(())
    }

    /// Writes the opening as one line: `startpos moves h8 i9`, or `fen .. moves ..`.
    pub fn to_line(&self, position: &mut dyn Position) -> Result<String, String> {
        let start_only = Self { start: self.start.clone(), moves: Vec::new() };
        start_only.set_up(position)?;
        let moves = position.write_line(&self.moves, Style::Plain);
        let start =
            self.start.as_ref().map_or_else(|| "startpos".to_owned(), |fen| format!("fen {fen}"));
        let is_start = moves.is_empty();
        Ok(if is_start { start } else { format!("{start} moves {}", moves.join(" ")) })
    }

    /// Reads a line in the format of [`to_line`](Self::to_line).
    pub fn from_line(line: &str, position: &mut dyn Position) -> Result<Self, String> {
        let (start, moves) = if let Some(rest) = line.strip_prefix("fen ") {
            let end = position.text_end(rest, "moves");
            (Some(rest[..end].trim().to_owned()), rest[end..].trim())
        } else if let Some(rest) = line.strip_prefix("startpos") {
            (None, rest.trim())
        } else {
            let found = quotable(line);
            return Err(format!("\"startpos\" or \"fen\" expected, found \"{found}\""));
        };
        let mut opening = Self { start, moves: Vec::new() };
        opening.set_up(position)?;
        let before = position.played().len();
        for text in position.split_moves(moves.strip_prefix("moves").unwrap_or(moves)) {
            position.play_text(text).map_err(|why| why.to_string())?;
        }
        opening.moves = position.played()[before..].to_vec();
        Ok(opening)
    }
}

/// A list of openings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpeningList {
    /// The openings, each legal and unfinished.
    pub openings: Vec<Opening>,
    /// The number of openings that equal an earlier one after turning or mirroring.
    pub repeated: usize,
}

impl OpeningList {
    /// Reads the file of the setting `openings`. The error names the file, the line and the
    /// character.
    pub fn read(config: &OpeningsConfig, position: &mut dyn Position) -> Result<Self, String> {
        let path = config.file.clone().unwrap_or_default();
        let file = path.display();
        let bytes = tengen_runs::files::read(&path)
            .map_err(|why| format!("{file}: cannot be read: {why}"))?;
        let openings = file::read(&bytes, (config.style, config.encoding), config.plies, position);
        let openings = openings.map_err(|(place, why)| match place {
            Some((line, character)) => format!("{file}:{line}:{character}: {why}"),
            None => format!("{file}: {why}"),
        })?;
        if openings.is_empty() {
            return Err(format!("{file}: there is no opening in it"));
        }
        Ok(Self::new(openings, position))
    }

    /// Creates a list of openings that are already checked. `position` is a board to work on.
    pub fn new(openings: Vec<Opening>, position: &mut dyn Position) -> Self {
        let mut seen = HashSet::new();
        let mut repeated = 0;
        for opening in &openings {
            if opening.set_up(position).is_ok() && !seen.insert(symmetry::canonical(position)) {
                repeated += 1;
            }
        }
        Self { openings, repeated }
    }

    /// Writes the list in the format of the run folder, one opening a line.
    pub fn to_text(&self, position: &mut dyn Position) -> Result<String, String> {
        let lines = self.openings.iter().map(|opening| opening.to_line(position));
        Ok(lines.collect::<Result<Vec<String>, String>>()?.join("\n") + "\n")
    }

    /// Writes the list as a file of openings: moves, or a FEN for an opening with its own start
    /// position.
    pub fn to_file(&self, position: &mut dyn Position) -> Result<String, String> {
        let mut text = String::new();
        for opening in &self.openings {
            opening.set_up(position)?;
            let line = match opening.start {
                Some(_) => position.fen(false),
                None => {
                    position.reset();
                    position.write_line(&opening.moves, Style::Plain).join(" ")
                }
            };
            text.push_str(&(line + "\n"));
        }
        Ok(text)
    }

    /// Reads a list in the format of [`to_text`](Self::to_text). The error names the line, from 1.
    pub fn from_text(text: &str, position: &mut dyn Position) -> Result<Self, String> {
        let read = |(line, number): (&str, usize)| {
            Opening::from_line(line, position).map_err(|why| format!("line {number}: {why}"))
        };
        let openings = text.lines().zip(1..).map(read).collect::<Result<_, String>>()?;
        Ok(Self::new(openings, position))
    }
}

/// Assigns openings to pairs of games.
#[derive(Clone, Debug)]
pub struct OpeningOrder {
    list: Vec<Opening>,
    /// The indices of the openings, in the order of use.
    order: Vec<usize>,
    start: u64,
    policy: Policy,
    /// The symmetry of each pass through the list. If there is none, the openings stay as they are.
    symmetries: Vec<Symmetry>,
}

impl OpeningOrder {
    /// Creates the order of the setting `openings`. `random` is used for nothing else.
    pub fn new(
        list: &OpeningList,
        config: &OpeningsConfig,
        spec: &GameSpec,
        random: &mut Rng,
    ) -> Self {
        let mut order: Vec<usize> = (0..list.openings.len()).collect();
        if config.order == OpeningSequence::Random {
            random.shuffle(&mut order);
        }
        let grid = spec.grid.filter(|_| config.transform);
        let symmetries = grid.map(symmetry::in_order).unwrap_or_default();
        let (start, policy) = (config.start - 1, config.policy);
        Self { list: list.openings.clone(), order, start, policy, symmetries }
    }

    /// Creates an order without openings: every game begins at the starting position.
    pub fn none() -> Self {
        let (list, order, policy) = (vec![Opening::default()], vec![0], Policy::default());
        Self { list, order, start: 0, policy, symmetries: Vec::new() }
    }

    /// Returns the opening of a game and its index in the list. `position` is a board to work on.
    pub fn opening_of(&self, game: &Fixture, position: &mut dyn Position) -> (usize, Opening) {
        let slot = match self.policy {
            Policy::Default => game.pair(),
            Policy::Encounter => game.encounter,
            Policy::Round => game.round,
        } + self.start;
        let size = self.order.len() as u64;
        let number = self.order[(slot % size) as usize];
        let opening = &self.list[number];
        let pass = (slot / size).checked_rem(self.symmetries.len() as u64).filter(|pass| *pass > 0);
        let turned = pass.map(|pass| opening.turned(&self.symmetries[pass as usize], position));
        (number, turned.unwrap_or_else(|| opening.clone()))
    }
}

#[cfg(test)]
mod tests;
