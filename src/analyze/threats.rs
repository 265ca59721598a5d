//! Shows the threats of both sides in a position.

use tengen_engine::backend::Catalog;
use tengen_engine::{Position, Style};
use tengen_games::CATALOG;
use tengen_protocol::judge::language::Language;
use tengen_protocol::queries::write;

use super::show::{described, say, say_reply};
use crate::exit_status::Refusal;
use crate::objects;

/// Prints the threats in `position`: a JSON object if `json`, else sentences in `language` after the board.
pub(super) fn show(position: &dyn Position, json: bool, language: Language) -> anyhow::Result<()> {
    let found = CATALOG.threats(position).ok_or_else(|| {
        let variant = position.spec().variant;
        Refusal(format!("--threats: {variant} has no search of threats; games of gomoku have one"))
    })?;
    let threats = write::threats(position, &found, Style::Plain, language);
    if json {
        return Ok(say_reply(&objects::position(1, position, Some(threats)))?);
    }
    say(&described(position, language))?;
    threats.iter().flat_map(|side| &side.text).try_for_each(|line| Ok(say(line)?))
}
