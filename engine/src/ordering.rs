//! Candidate moves and their order.
//!
//! Every method of the trait [`MoveOrdering`] has a sound default.

use crate::rules::Game;

/// What a list of candidate moves may be used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// No move left out is better than the best that is listed, and none loses later: the list
    /// proves losses.
    Complete,
    /// Moves that look bad were left out: the search derives no proven loss and no proven draw from
    /// this list alone.
    Partial,
}

/// Candidate moves and their order. The search orders moves by the table, then by rank, killers and
/// history.
pub trait MoveOrdering<G: Game> {
    /// Appends the moves worth searching to `out`: at least one while the game goes on.
    fn candidates(&self, game: &G, out: &mut Vec<G::Move>) -> Coverage {
        game.moves(out);
        Coverage::Complete
    }

    /// Returns the one candidate of a game that goes on, when there is just one and it is cheap to
    /// tell.
    fn only_move(&self, _game: &G) -> Option<G::Move> {
        None
    }

    /// Returns a coarse class of `mv` for ordering, from -32,768 to 32,767. A higher class is
    /// searched first. Within a class, killers and history decide.
    fn rank(&self, _game: &G, _mv: G::Move) -> i32 {
        0
    }

    /// Returns the rank of the move that led from `before` to `game`, alone or with the forced
    /// moves after it. An exact search calls this, since it has played all moves before it orders
    /// them. `outer_window` says that only sudden ends are looked for.
    fn rank_played(&self, _before: &G, _game: &G, _outer_window: bool) -> i32 {
        0
    }

    /// Appends the moves that quiescence must try before the evaluation can be trusted. None means
    /// that the position is quiet.
    fn noisy(&self, _game: &G, _out: &mut Vec<G::Move>) {}
}
