//! The answer of a search on a tree, in words.

use crate::TreeResult;
use tengen_engine::{Game, Side};
use tengen_games::tree::{TreeGame, TreeMove};

/// Returns the best child, or the root itself when it is a leaf, and the value for the first
/// player.
pub fn answer(game: &TreeGame, found: &TreeResult<TreeMove>) -> String {
    format!("{} {}", best_name(game, found).unwrap_or(root_name(game)), value(game, found))
}

fn root_name(game: &TreeGame) -> &str {
    game.tree().name(game.node())
}

/// Returns the name of the best child.
pub(super) fn best_name<'a>(game: &'a TreeGame, found: &TreeResult<TreeMove>) -> Option<&'a str> {
    let children = game.tree().children(game.node());
    found.best.map(|best| game.tree().name(children[best.index()]))
}

/// Returns the value for the first player.
pub(super) fn value(game: &TreeGame, found: &TreeResult<TreeMove>) -> i32 {
    match game.turn() {
        Side::First => found.value.raw(),
        Side::Second => -found.value.raw(),
    }
}
