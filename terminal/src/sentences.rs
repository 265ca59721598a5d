//! Names and sentences for players, for both modes.

use std::time::Duration;

use tengen_engine::opening::{Act, Course, Pending, PendingKind};
use tengen_engine::{Outcome, Side};

use crate::game::{Ending, Player, SeatedGame, side_name};

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
        _ if game.pending().is_some() => step(game),
        _ if game.actor() == Some(Player::Engine) => format!("Tengen plays {side} and is to move."),
        _ if !game.has_engine() => format!("{side} is to move."),
        _ => format!("Your turn, {side}."),
    }
}

/// Returns a sentence about the next step of the opening.
fn step(game: &SeatedGame) -> String {
    let (Some(course), Some(pending)) = (game.opening(), game.pending()) else {
        return String::new();
    };
    let title = course.rule().title;
    if game.actor() == Some(Player::Engine) {
        return format!("{title}: Tengen decides.");
    }
    let who = match game.has_engine() {
        true => "you".to_owned(),
        false => format!("player {}", pending.player + 1),
    };
    let colour = side_name(game.spec(), pending.colour);
    let points = match &pending.kind {
        // More points are marked on the board.
        PendingKind::Place { allowed, .. } if allowed.len() <= 8 => {
            let names: Vec<String> = allowed.iter().map(ToString::to_string).collect();
            format!(" ({})", names.join(" "))
        }
        _ => String::new(),
    };
    format!("{title}: {who}, {colour} now: {}{points}.", course.wanted())
}

/// Returns a sentence about the `acts` of one player `who` in the opening, after `before`.
pub(crate) fn acts(game: &SeatedGame, before: &Course, acts: &[Act], who: &str) -> String {
    let mut course = before.clone();
    let you = who == "You";
    let verb = |verb: &str| if you { verb.to_owned() } else { format!("{verb}s") };
    let mut parts: Vec<(String, Vec<String>)> = Vec::new();
    for act in acts {
        let Some(Pending { player, colour, kind }) = course.pending() else { break };
        let word = course.write(*act);
        if course.act(*act).is_err() {
            break;
        }
        let new = if course.first_player() == player { Side::First } else { Side::Second };
        let (what, point) = match (act, &kind) {
            (Act::Swap, _) => (format!("{} {}", verb("take"), side_name(game.spec(), new)), None),
            (Act::Stay, _) => {
                (format!("{} {}", verb("keep"), side_name(game.spec(), colour)), None)
            }
            (Act::Other, PendingKind::MaySwap { other: Some((_, summary)) }) => {
                (format!("{}: {summary}", verb("choose")), None)
            }
            (Act::Number(_), _) => (format!("{} {word} offers", verb("declare")), None),
            (_, PendingKind::Offer { .. }) => (verb("offer"), Some(word)),
            (_, PendingKind::Keep { .. }) => (verb("keep"), Some(word)),
            _ => (verb("play"), Some(word)),
        };
        match parts.last_mut().filter(|(last, _)| *last == what && point.is_some()) {
            Some((_, points)) => points.extend(point),
            None => parts.push((what, point.into_iter().collect())),
        }
    }
    let parts: Vec<String> = parts
        .into_iter()
        .map(|(what, points)| format!("{what} {}", points.join(", ")).trim_end().to_owned())
        .collect();
    format!("{who} {}.", parts.join("; "))
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
