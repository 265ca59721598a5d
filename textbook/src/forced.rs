//! Forced wins: minimax with two values, yes and no, which needs no bounds, only an end at the
//! first answer.

use std::collections::HashMap;

use tengen_engine::{Game, Outcome, Side};

/// Proves whether one side can force a win, and remembers every position that it visited.
///
/// One prover serves any number of positions, as long as all of them are of one game under the same
/// rules.
#[derive(Clone, Debug)]
pub struct WinProver<G: Game> {
    winner: Side,
    known: HashMap<u64, bool>,
    /// Lists of moves that are not in use.
    spare: Vec<Vec<G::Move>>,
}

impl<G: Game> WinProver<G> {
    /// Returns a prover of wins for `winner` that knows nothing yet.
    pub fn new(winner: Side) -> Self {
        Self { winner, known: HashMap::new(), spare: Vec::new() }
    }

    /// Returns whether the winner forces a win from here, with either side to move; a game
    /// that the winner has won counts.
    pub fn wins(&mut self, game: &mut G) -> bool {
        if let Some(outcome) = game.outcome() {
            return outcome == Outcome::Win(self.winner);
        }
        let (key, _) = game.key();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut moves = self.spare.pop().unwrap_or_default();
        moves.clear();
        game.moves(&mut moves);
        let answer = self.any_or_all(game, &moves);
        self.spare.push(moves);
        self.known.insert(key, answer);
        answer
    }

    /// Returns whether one move (with the winner to move) or every move (with the other side to
    /// move) wins.
    fn any_or_all(&mut self, game: &mut G, moves: &[G::Move]) -> bool {
        let is_enough = game.turn() == self.winner;
        if is_enough && moves.iter().any(|mv| self.wins_at_once(game, *mv)) {
            return true;
        }
        moves.iter().any(|mv| self.wins_after(game, *mv) == is_enough) == is_enough
    }

    /// Returns whether the winner forces a win after `mv`, a legal move.
    pub fn wins_after(&mut self, game: &mut G, mv: G::Move) -> bool {
        let undo = game.play(mv);
        let answer = self.wins(game);
        game.undo(mv, undo);
        answer
    }

    fn wins_at_once(&self, game: &mut G, mv: G::Move) -> bool {
        let undo = game.play(mv);
        let answer = game.outcome() == Some(Outcome::Win(self.winner));
        game.undo(mv, undo);
        answer
    }

    /// Returns the side whose wins it proves.
    pub const fn winner(&self) -> Side {
        self.winner
    }

    /// Returns how many positions are remembered.
    pub fn known(&self) -> usize {
        self.known.len()
    }
}
