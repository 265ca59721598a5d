//! Reads a list of positions, one on each line, as queries that search them.

use serde_json::{Map, Value, json};
use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{BoardOption, GameSpec};
use tengen_games::CATALOG;
use tengen_records::is_fen;

use super::games::fields;
use super::limits::{Limits, RawQuery};
use super::without_bom;
use crate::Failure;

/// The words that stand for the starting position.
const START: [&str; 2] = ["startpos", "-"];

/// Returns whether a text lists positions, by its first line: a position in words of UCI, or a FEN.
pub(super) fn are_positions(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(without_bom(bytes));
    let first = text.lines().map(str::trim).find(|line| !is_skipped(line)).unwrap_or_default();
    let word = first.split_ascii_whitespace().next().unwrap_or_default();
    ["position", "fen"].contains(&word) || START.contains(&word) || is_fen(word)
}

/// Reads the positions of the file `name`. The id of a position is the number of its line. `named` is the
/// game that the user named.
pub(super) fn read(
    name: &str,
    bytes: &[u8],
    named: Option<&GameSpec>,
    limits: &Limits,
) -> Result<Vec<RawQuery>, Failure> {
    let board = named.map(|spec| json!({ "variant": spec.variant, "board": board_of(spec) }));
    let board = board.map(fields).unwrap_or_default();
    let mut queries = Vec::new();
    for (line, number) in without_bom(bytes).split(|byte| *byte == b'\n').zip(1_u64..) {
        let place = format!("{name}:{number}");
        let refusal = |why: String| Failure::Refused(format!("{place}: {why}"));
        let text = str::from_utf8(line).map_err(|_| refusal("the text is not UTF-8".to_owned()))?;
        let text = text.trim();
        if is_skipped(text) {
            continue;
        }
        let (fen, moves) = position_of(text, named).map_err(refusal)?;
        let mut query = fields(json!({ "id": number.to_string(), "moves": moves }));
        query.extend(fen.map(|fen| ("fen".to_owned(), fen.into())));
        query.extend(board.clone());
        limits.add_to(&mut query);
        queries.push(RawQuery { place, number, text: Value::Object(query).to_string() });
    }
    match queries.is_empty() {
        true => Err(Failure::Refused(format!("{name}: it has no position"))),
        false => Ok(queries),
    }
}

fn is_skipped(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}

/// Returns the field `board` of a query for a game.
pub(crate) fn board_of(spec: &GameSpec) -> Map<String, Value> {
    let field = |option: BoardOption| {
        let value = option.of(&spec.chosen)?;
        let value = if option.is_switch() { (value != 0).into() } else { value.into() };
        Some((option.field().to_owned(), value))
    };
    BoardOption::ALL.into_iter().filter_map(field).collect()
}

/// Returns the FEN and the moves of a line: `position startpos moves ...`, `fen FEN moves ...` and
/// shorter forms of them, or only moves. The FEN is `None` for the starting position.
fn position_of<'a>(
    line: &'a str,
    named: Option<&GameSpec>,
) -> Result<(Option<&'a str>, &'a str), String> {
    let line = line.strip_prefix("position ").unwrap_or(line).trim_start();
    let first = line.split_ascii_whitespace().next().unwrap_or_default();
    if START.contains(&first) {
        let rest = line[first.len()..].trim_start();
        return Ok((None, rest.strip_prefix("moves").unwrap_or(rest).trim_start()));
    }
    let tree = named.filter(|spec| spec.variant == "tree");
    if first != "fen" && !is_fen(first) && tree.is_none() {
        return Ok((None, line));
    }
    let text = line.strip_prefix("fen ").unwrap_or(line).trim_start();
    if text.is_empty() || text == "fen" {
        return Err(format!("\"{}\": a FEN was expected after fen", quotable(line)));
    }
    let (fen, moves) = match tree {
        Some(spec) => text.split_at(CATALOG.position(spec).text_end(text, "moves")),
        None => text.split_once(" moves").unwrap_or((text, "")),
    };
    Ok((Some(fen.trim_end()), moves.strip_prefix("moves").unwrap_or(moves).trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_positions_from_records() {
        for text in [
            "startpos\n",
            "# list\n- \n",
            "3/3/3 w",
            "\u{feff}position startpos moves h8",
            "fen 3/3/3 w",
        ] {
            assert!(are_positions(text.as_bytes()), "{text}");
        }
        for text in ["h8 i9", "1. h8 i9 1/2-1/2", "(;GM[4])", "4455", "", "7,7 8,6"] {
            assert!(!are_positions(text.as_bytes()), "{text}");
        }
    }
}
