//! The laws of notation: moves and positions are read back as they were written.

use crate::text::notation::Notation;
use crate::text::{NotationError, Style};

use super::snapshot::GameSnapshot;
use super::{Law, LawBroken, broken, ensure, legal_moves};

const STYLES: [Style; 3] = [Style::Plain, Style::Drop, Style::Column];

/// Checks that the moves and the position are read back as they were written, in every style.
pub(super) fn check<G: Notation>(game: &G) -> Result<(), LawBroken> {
    for mv in legal_moves(game) {
        for style in STYLES {
            let text = game.write_move(mv, style);
            let read = game.read_move(&text);
            ensure(read == Ok(mv), Law::MoveText, game, || {
                format!("{mv:?} is written \"{text}\", which is {read:?}")
            })?;
        }
    }
    let snapshot = GameSnapshot::new(game);
    for pocket in [false, true] {
        check_position(game, &snapshot, &game.write_position(pocket))?;
    }
    check_flip(game, &snapshot)
}

/// Checks that `text`, which `game` wrote, is read as the same position, if the game can read
/// positions. Keys are not compared: they may depend on more than the text.
fn check_position<G: Notation>(
    game: &G,
    snapshot: &GameSnapshot<G::Move>,
    text: &str,
) -> Result<(), LawBroken> {
    let read = match game.read_position(text) {
        Ok(read) => GameSnapshot::new(&read).with_key_of(snapshot),
        Err(NotationError::Unsupported { .. }) => return Ok(()),
        Err(error) => return broken(Law::PositionText, game, error.to_string()),
    };
    if let Some(found) = snapshot.difference(&read) {
        return broken(Law::PositionText, game, found);
    }
    let followed = format!("{text} moves");
    let end = game.position_end(&followed, "moves");
    ensure(end == text.len() + 1, Law::PositionEnd, game, || format!("{end} in \"{followed}\""))
}

/// Checks that flipping exchanges the players, if the game can be flipped.
fn check_flip<G: Notation>(game: &G, snapshot: &GameSnapshot<G::Move>) -> Result<(), LawBroken> {
    let Ok(flipped) = game.flipped() else { return Ok(()) };
    let is_exchanged = flipped.turn() != game.turn();
    ensure(is_exchanged, Law::Flip, game, || "the side to move stays".to_owned())?;
    let back = match flipped.flipped() {
        Ok(back) => GameSnapshot::new(&back),
        Err(error) => return broken(Law::Flip, game, error.to_string()),
    };
    snapshot.difference(&back).map_or(Ok(()), |found| broken(Law::Flip, game, found))
}
