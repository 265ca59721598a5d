//! Games, and their positions: each one once, whatever symmetry it has.

use std::collections::HashSet;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use tengen_engine::backend::Catalog;
use tengen_engine::{GameSpec, Move, Placement, Position, Symmetry};
use tengen_games::CATALOG;
use tengen_records::MainLine;

/// A game of a file.
#[derive(Debug)]
pub struct Game {
    /// The file, as the user named it.
    pub(super) file: String,
    /// The number of the game in its file, from 1.
    pub(super) number: usize,
    pub(super) spec: GameSpec,
    /// The stones before the first move; `None` for the start of the game.
    start: Option<Placement>,
    pub(super) moves: Vec<Move>,
}

/// A position of a game: after this number of its moves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PositionId {
    /// The index of the game.
    pub(super) game: usize,
    pub(super) plies: usize,
}

impl Game {
    /// Creates the game of a record's main line.
    pub fn new(file: &str, number: usize, spec: GameSpec, line: &MainLine) -> Self {
        let start = (!line.is_from_start()).then(|| line.start.clone());
        let moves = spec.grid.map_or_else(Vec::new, |notation| {
            line.moves.iter().map(|played| notation.move_to(played.point)).collect()
        });
        Self { file: file.to_owned(), number, spec, start, moves }
    }

    /// Returns the position after the first `plies` moves.
    pub(super) fn position(&self, plies: usize) -> Result<Box<dyn Position>, String> {
        let mut position = CATALOG.position(&self.spec);
        if let Some(start) = &self.start {
            position.place(start).map_err(|why| why.to_string())?;
        }
        for mv in &self.moves[..plies] {
            position.play(*mv).map_err(|why| why.to_string())?;
        }
        Ok(position)
    }
}

/// The positions of games.
pub struct Positions {
    /// The positions in the order of the games, each one once up to symmetry.
    pub(super) list: Vec<PositionId>,
    /// The SHA-256 of the positions.
    pub(super) digest: Sha256,
}

impl Positions {
    /// Returns the positions of all games. Finished games have none.
    pub fn of(games: &[Arc<Game>]) -> Result<Self, String> {
        let mut found = Self { list: Vec::new(), digest: Sha256::new() };
        let mut seen = HashSet::new();
        for (index, game) in games.iter().enumerate() {
            let Some(notation) = game.spec.grid else { continue };
            let rules = game.spec.id();
            let symmetries = Symmetry::all(notation);
            let mut position = game.position(0)?;
            for plies in 0..=game.moves.len() {
                if position.outcome().is_some() {
                    break;
                }
                let Some(stones) = position.placement() else { break };
                let least = Symmetry::least(&symmetries, &stones).stones.into_iter();
                let least: Vec<u8> =
                    least.map(|stone| stone.map_or(0, |side| 1 + side.index() as u8)).collect();
                let key = Sha256::new()
                    .chain_update(&rules)
                    .chain_update([position.turn().index() as u8]);
                if seen.insert(key.chain_update(least).finalize()) {
                    found.digest.update(format!("{rules} {}\n", position.fen(false)));
                    found.list.push(PositionId { game: index, plies });
                }
                if let Some(mv) = game.moves.get(plies) {
                    position.play(*mv).map_err(|why| why.to_string())?;
                }
            }
        }
        Ok(found)
    }
}
