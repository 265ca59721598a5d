//! The law of keys, checked without values: positions with one key are the same position.

use std::collections::HashMap;

use crate::game::side::Side;
use crate::text::notation::Notation;

use super::{Law, LawBroken, broken, legal_moves};

/// What must be equal in all positions with one key.
struct Keyed {
    text: String,
    turn: Side,
    plies_left: u32,
    /// The codes of the legal moves in the frame of the key, in ascending order.
    codes: Vec<u32>,
}

/// The first position with each key.
#[derive(Default)]
pub(super) struct Keys(HashMap<u64, Keyed>);

impl Keys {
    /// Checks that `game` equals the first position with its key. The table stores no position of a
    /// game that is over.
    pub(super) fn check<G: Notation>(&mut self, game: &G) -> Result<(), LawBroken> {
        if game.outcome().is_some() {
            return Ok(());
        }
        let (key, symmetry) = game.key();
        let mut codes: Vec<u32> =
            legal_moves(game).into_iter().map(|mv| game.pack(mv, symmetry)).collect();
        codes.sort_unstable();
        let (text, turn) = (game.write_position(false), game.turn());
        let keyed = Keyed { text, turn, plies_left: game.plies_left(), codes };
        let Some(first) = self.0.get(&key) else {
            self.0.insert(key, keyed);
            return Ok(());
        };
        let what = match () {
            () if !has_text_of(first, &keyed, game) => "the text",
            () if first.plies_left != keyed.plies_left => "plies_left",
            () if first.codes != keyed.codes => "the codes of the legal moves",
            () => return Ok(()),
        };
        let found = format!("the same key as \"{}\", but not {what}", first.text);
        broken(Law::Key, game, found)
    }
}

/// Returns whether `game`, described by `keyed`, has the text of `first`. If the other side is to
/// move, the players are exchanged first. Also returns true if this cannot be compared: the game
/// has a symmetry, or its players cannot be exchanged.
fn has_text_of<G: Notation>(first: &Keyed, keyed: &Keyed, game: &G) -> bool {
    if size_of::<G::Symmetry>() > 0 {
        return true;
    }
    if first.turn == keyed.turn {
        return first.text == keyed.text;
    }
    game.flipped().map_or(true, |flipped| first.text == flipped.write_position(false))
}
