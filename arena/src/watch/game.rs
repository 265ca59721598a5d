//! A game as a page shows it: the players, the board as a link, and what the engines said.

use serde_json::{Value, json};
use tengen_engine::{GameSpec, Side};

use crate::game::GameView;
use crate::record::GameRecord;

/// Writes a finished game; `null` if there is none.
pub(super) fn finished(game: Option<&GameRecord>, spec: &GameSpec) -> Value {
    let Some(game) = game else { return Value::Null };
    let scores: Vec<_> = game.notes.iter().map(|note| &note.said.score).collect();
    json!({
        "id": game.id.saturating_add(1),
        "players": game.players,
        "score": game.score.text(),
        "end": game.end.kind.name(),
        "text": game.end.text,
        "link": link(spec, game.start.as_deref(), &game.moves),
        "moves": game.moves.len(),
        "opening": game.opened.name,
        "opening_plies": game.opening_plies,
        "first": game.first_to_note(),
        "scores": scores,
        "started": game.started,
        "seconds": game.millis as f64 / 1000.0,
        "worker": game.worker,
        "counted": !game.is_late,
    })
}

/// Writes a game that is played now; `None` between games.
pub(super) fn running(view: &GameView, spec: &GameSpec) -> Option<Value> {
    let plies = view.moves.len() - view.said.len().min(view.moves.len());
    let record =
        GameRecord { start: view.start.clone(), opening_plies: plies, ..GameRecord::default() };
    Some(json!({
        "id": view.game? + 1,
        "players": view.players,
        "left_millis": view.left_millis,
        "link": link(spec, view.start.as_deref(), &view.moves),
        "moves": view.moves.len(),
        "opening_plies": plies,
        "first": record.first_to_note(),
        "scores": view.said,
    }))
}

/// Returns a game as the part of a link of the browser board behind `#`; `None` if the board does not
/// show it.
pub(super) fn link(spec: &GameSpec, start: Option<&str>, moves: &[String]) -> Option<String> {
    let (notation, (width, height)) = (spec.grid?, spec.size()?);
    let mut parts = vec![format!("v={}", spec.variant), format!("s={width}x{height}")];
    let options = spec.rule_options();
    let of = |name: &str| spec.rule_options().find(|(known, _)| *known == name).map(|it| it.1);
    if options.count() > 1 {
        parts.extend(of("ConnectK").map(|k| format!("k={k}")));
        parts.extend(of("Gravity").map(|falls| format!("g={falls}")));
        parts.extend(of("Overline").map(|wins| format!("o={wins}")));
    }
    if let Some(start) = start {
        let placement = notation.read_position(start).ok()?;
        let grid = notation.grid();
        for (part, side) in [("b", Side::First), ("w", Side::Second)] {
            let cells = grid.all().filter(|cell| placement.stones[cell.index()] == Some(side));
            let points: String = cells.map(|cell| grid.point(cell).to_string()).collect();
            parts.push(format!("{part}={points}"));
        }
        if placement.turn == Side::Second {
            parts.push("t=2".to_owned());
        }
    }
    parts.push(format!("m={}", moves.concat()));
    Some(parts.join("&"))
}
