//! The laws of notation: moves and positions are read back as they were written.

use crate::text::notation::Notation;
use crate::text::{NotationError, Style};

use super::snapshot::GameSnapshot;
use super::{Law, LawBroken, broken, legal_moves};

const STYLES: [Style; 3] = [Style::Plain, Style::Drop, Style::Column];

/// Checks that the moves and the position are read back as they were written, in every style.
pub(super) fn check<G: Notation>(game: &G) -> Result<(), LawBroken> {
    for mv in legal_moves(game) {
        for style in STYLES {
            let text = game.write_move(mv, style);
            let read = game.read_move(&text);
            if read != Ok(mv) {
                let found = format!("{mv:?} is written \"{text}\", which is {read:?}");
                return Err(broken(Law::MoveText, game, found));
            }
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
        Err(error) => return Err(broken(Law::PositionText, game, error.to_string())),
    };
    if let Some(found) = snapshot.difference(&read) {
        return Err(broken(Law::PositionText, game, found));
    }
    let followed = format!("{text} moves");
    let end = game.position_end(&followed, "moves");
    if end != text.len() + 1 {
        return Err(broken(Law::PositionEnd, game, format!("{end} in \"{followed}\"")));
    }
    Ok(())
}

/// Checks that flipping exchanges the players, if the game can be flipped.
fn check_flip<G: Notation>(game: &G, snapshot: &GameSnapshot<G::Move>) -> Result<(), LawBroken> {
    let Ok(flipped) = game.flipped() else { return Ok(()) };
    if flipped.turn() == game.turn() {
        return Err(broken(Law::Flip, game, "the side to move stays"));
    }
    let back = match flipped.flipped() {
        Ok(back) => GameSnapshot::new(&back),
        Err(error) => return Err(broken(Law::Flip, game, error.to_string())),
    };
    snapshot.difference(&back).map_or(Ok(()), |found| Err(broken(Law::Flip, game, found)))
}
