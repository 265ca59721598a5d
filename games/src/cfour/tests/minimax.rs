//! Plain minimax with a memory of all positions: the reference for tests.

use std::collections::HashMap;

use tengen_engine::{Game, Score};

/// The stones that identify a position: those of the side to move, and all stones.
pub(in crate::cfour) type Stones = (u64, u64);

/// The values of all visited positions.
pub(in crate::cfour) struct Minimax<G> {
    stones: fn(&G) -> Stones,
    values: HashMap<Stones, Score>,
    /// All visited positions.
    pub(in crate::cfour) positions: Vec<G>,
}

impl<G: Game> Minimax<G> {
    /// Creates a solver without positions. `stones` identifies a position.
    pub(in crate::cfour) fn new(stones: fn(&G) -> Stones) -> Self {
        Self { stones, values: HashMap::new(), positions: Vec::new() }
    }

    /// Returns the value of `game` for the side to move.
    pub(in crate::cfour) fn value(&mut self, game: &mut G) -> Score {
        let stones = (self.stones)(game);
        if let Some(&value) = self.values.get(&stones) {
            return value;
        }
        let value = match game.outcome() {
            Some(outcome) => outcome.score(game.turn(), 0),
            None => {
                let mut moves = Vec::new();
                game.moves(&mut moves);
                let values = moves.into_iter().map(|mv| self.value_after(game, mv));
                values.max().expect("a game that is not over has a move")
            }
        };
        self.values.insert(stones, value);
        self.positions.push(game.clone());
        value
    }

    /// Returns the value of `mv` for the side that makes it.
    pub(in crate::cfour) fn value_after(&mut self, game: &mut G, mv: G::Move) -> Score {
        let undo = game.play(mv);
        let value = -self.value(game).to_root(1);
        game.undo(mv, undo);
        value
    }
}
