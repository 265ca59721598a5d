//! Names and sentences for players, for both modes.

use std::time::Duration;

use tengen_engine::{Outcome, Side};

use crate::game::{Ending, Player, SeatedGame, Turn, side_name};

/// Returns who plays a side: `you` or `Tengen`; `None` if two people play.
pub(crate) fn player_name(game: &SeatedGame, side: Side) -> Option<&'static str> {
    match game.player(side) {
        Player::Engine => Some("Tengen"),
        Player::Human if game.has_engine() => Some("you"),
        Player::Human => None,
    }
}

/// Returns a side with its player: `Black (you)`.
pub(crate) fn side_and_player(game: &SeatedGame, side: Side) -> String {
    let name = side_name(game.spec(), side);
    match player_name(game, side).filter(|_| game.has_sides()) {
        Some(player) => format!("{name} ({player})"),
        None => name.to_owned(),
    }
}

/// Returns the time on both clocks: `Black 9:58, White 10:05`.
pub(crate) fn clocks(game: &SeatedGame, left: [Duration; 2]) -> String {
    let [first, second] = [Side::First, Side::Second].map(|side| {
        let seconds = left[side.index()].as_secs();
        let time = match seconds / 60 {
            0 => format!("{seconds} s"),
            minutes => format!("{minutes}:{:02}", seconds % 60),
        };
        format!("{} {time}", side_name(game.spec(), side))
    });
    format!("{first}, {second}")
}

/// Returns a sentence about whose turn it is, or how the game ended.
pub(crate) fn turn(game: &SeatedGame) -> String {
    if let Some(ending) = game.ending() {
        return ended(game, ending);
    }
    let side = side_name(game.spec(), game.position().turn());
    match game.turn() {
        Turn::Choose(seat) => choice(game, seat),
        _ if game.actor() == Some(Player::Engine) => format!("Tengen plays {side} and is to move."),
        _ if !game.has_engine() => format!("{side} is to move."),
        _ if !game.has_sides() => format!("Swap2: put a stone of {side}."),
        _ => format!("Your turn, {side}."),
    }
}

/// Returns a sentence about the choice in the opening.
fn choice(game: &SeatedGame, seat: usize) -> String {
    if game.players()[seat] == Player::Engine {
        return "Tengen chooses its side.".to_owned();
    }
    let more = game.swap().is_some_and(|swap| swap.may_put_two(game.tree().ply()));
    let more = if more { ", or more to put two stones" } else { "" };
    format!("Swap2: choose black or white{more}.")
}

/// Returns a sentence about how the game ended.
pub(crate) fn ended(game: &SeatedGame, ending: Ending) -> String {
    let name = |side: Side| side_and_player(game, side);
    match ending {
        Ending::Resigned(side) => {
            format!("{} resigns: {} has won.", name(side), name(side.other()))
        }
        Ending::Time(side) => {
            format!("{} has run out of time: {} has won.", name(side), name(side.other()))
        }
        Ending::Board(Outcome::Draw) => "The game is drawn.".to_owned(),
        Ending::Board(Outcome::Value(score)) => {
            format!("The game is over: {:+} for the first player.", score.raw())
        }
        Ending::Board(Outcome::Win(winner)) => {
            if let Some((point, rule)) = game.position().forbidden_loss() {
                let loser = side_name(game.spec(), winner.other());
                let why = format!("{point} is forbidden to {loser} ({rule})");
                return format!("{} has won, because {why}.", name(winner));
            }
            let line = game.winning_line();
            let line = match (line.first(), line.last()) {
                (Some(from), Some(to)) if from != to => format!(": {from} to {to}"),
                _ => String::new(),
            };
            match game.last().is_some_and(|last| last.side == winner.other()) {
                true => format!(
                    "{} has won, because the last move of {} loses{line}.",
                    name(winner),
                    side_name(game.spec(), winner.other())
                ),
                false => format!("{} has won{line}.", name(winner)),
            }
        }
    }
}
