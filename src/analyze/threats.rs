//! Shows the threats of both sides in a position.

use tengen_engine::backend::Catalog;
use tengen_engine::{Position, Style};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::reply::{MoveText, SideThreats, ThreatMove};
use tengen_protocol::queries::write;

use super::show::{Show, player, say, say_reply};
use crate::exit_status::Refusal;
use crate::objects;

/// Prints the threats in `position`: a JSON object if `json`, else a table after the board.
pub(super) fn show(position: &dyn Position, json: bool) -> anyhow::Result<()> {
    let found = CATALOG.threats(position).ok_or_else(|| {
        let variant = position.spec().variant;
        Refusal(format!("--threats: {variant} has no search of threats; games of gomoku have one"))
    })?;
    let threats = write::threats(position, &found, Style::Plain);
    if json {
        return Ok(say_reply(&objects::position(1, position, Some(threats)))?);
    }
    Show::Plain.position(position)?;
    for (typed, side) in found.iter().zip(&threats) {
        let is_mover = typed.side == position.turn();
        let turn = if is_mover { "to move" } else { "if it were to move" };
        let name = player(typed.side);
        say(&format!("threats of the {name} player, {turn}:"))?;
        lines(side).iter().try_for_each(|line| say(line))?;
    }
    Ok(())
}

/// Returns the lines about a side: the points of each kind of threat, then the wins.
fn lines(side: &SideThreats) -> Vec<String> {
    let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
    for ThreatMove { mv: MoveText(point), kind, .. } in &side.moves {
        match kinds.last_mut() {
            Some((known, points)) if known == kind => points.push(point),
            _ => kinds.push((kind, vec![point])),
        }
    }
    let mut lines: Vec<String> =
        kinds.iter().map(|(kind, points)| format!("  {kind:<24}  {}", points.join(" "))).collect();
    let won = side.moves.iter().filter_map(|found| Some((found, found.win_in?)));
    let win = |(ThreatMove { mv, line, .. }, plies): (&ThreatMove, _)| {
        let moves: Vec<&str> = line.iter().map(|MoveText(text)| text.as_str()).collect();
        format!("  win by fours with {:<4}    in {plies}: {}", mv.0, moves.join(" "))
    };
    lines.extend(won.map(win));
    if lines.is_empty() {
        lines.push("  none".to_owned());
    }
    if !side.complete {
        lines.push(
            "  some fours were not searched to the end: they may win by fours too".to_owned(),
        );
    }
    lines
}
