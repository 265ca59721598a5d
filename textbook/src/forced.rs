//! Forced wins: minimax with two values, yes and no. A node ends at the first child that decides
//! it.

use std::collections::HashMap;

use tengen_engine::{Game, Outcome, Side};

/// A solver that proves whether one side can force a win, with a memory of all visited positions.
///
/// One solver can be used for any number of positions of one game with the same rules.
#[derive(Clone, Debug)]
pub struct WinSolver<G: Game> {
    winner: Side,
    known: HashMap<u64, bool>,
    /// Unused lists of moves, kept to avoid allocations.
    spare: Vec<Vec<G::Move>>,
}

impl<G: Game> WinSolver<G> {
    /// Creates a solver of wins for `winner` with an empty memory.
    pub fn new(winner: Side) -> Self {
        Self { winner, known: HashMap::new(), spare: Vec::new() }
    }

    /// Returns whether the winner can force a win from `game`, with either side to move. True for a
    /// game that the winner has won.
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

    /// Returns whether the winner wins after one of `moves` when the winner is to move, or after
    /// all of them otherwise.
    fn any_or_all(&mut self, game: &mut G, moves: &[G::Move]) -> bool {
        let is_winners_turn = game.turn() == self.winner;
        if is_winners_turn && moves.iter().any(|mv| self.wins_at_once(game, *mv)) {
            return true;
        }
        moves.iter().any(|mv| self.wins_after(game, *mv) == is_winners_turn) == is_winners_turn
    }

    /// Returns whether the winner can force a win after `mv`, a legal move.
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

    /// Returns the side whose wins are proven.
    pub const fn winner(&self) -> Side {
        self.winner
    }

    /// Returns the number of remembered positions.
    pub fn known(&self) -> usize {
        self.known.len()
    }
}
