//! Perft: counts move sequences of a given length, to test move generation.

use crate::game::rules::Game;
use crate::search::context::Interrupt;
use crate::search::control::Signal;

/// Counts the move sequences of `depth` plies from `game`. A stop by `signal` interrupts it.
pub fn perft<G: Game>(game: &mut G, depth: u32, signal: &Signal) -> Result<u64, Interrupt> {
    if depth == 0 {
        return Ok(1);
    }
    if depth > game.plies_left() {
        return Ok(0);
    }
    let mut lists = vec![Vec::new(); depth as usize];
    count(game, &mut lists, signal)
}

/// Counts the move sequences of `depth` plies, at least 1, from `game`, separately for each first
/// move. The moves are in the order of the game.
pub fn divide<G: Game>(
    game: &mut G,
    depth: u32,
    signal: &Signal,
) -> Result<Vec<(G::Move, u64)>, Interrupt> {
    let mut moves = Vec::new();
    game.moves(&mut moves);
    moves
        .into_iter()
        .map(|mv| {
            let undo = game.play(mv);
            let nodes = perft(game, depth.saturating_sub(1), signal);
            game.undo(mv, undo);
            Ok((mv, nodes?))
        })
        .collect()
}

/// Counts the move sequences of `lists.len()` plies, with a list of moves for each ply.
fn count<G: Game>(
    game: &mut G,
    lists: &mut [Vec<G::Move>],
    signal: &Signal,
) -> Result<u64, Interrupt> {
    let Some((moves, deeper)) = lists.split_first_mut() else { return Ok(1) };
    moves.clear();
    game.moves(moves);
    if deeper.is_empty() {
        return Ok(moves.len() as u64);
    }
    if signal.is_stopped() {
        return Err(Interrupt::Stopped);
    }
    let mut nodes = 0;
    for &mv in moves.iter() {
        let undo = game.play(mv);
        let below = count(game, deeper, signal);
        game.undo(mv, undo);
        nodes += below?;
    }
    Ok(nodes)
}
