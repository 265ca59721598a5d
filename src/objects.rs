//! The output of commands with `--json`: replies of the JSON protocol.
//!
//! The `id` of a reply is the number of its position or game, from 1.

use tengen_engine::{Answer, Catalog, Limits, Move, Position, Style};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::number::Id;
use tengen_protocol::dialect::json::reply::{
    EndedBy, ErrorReply, Extras, OpeningInfo, Reply, SideThreats,
};
use tengen_protocol::dialect::json::{Code, Problem};
use tengen_protocol::queries::write::{self, ReplyFormat, Searched, Spent};

use crate::interrupt::is_interrupted;

/// Returns the `id` of the position or game `number`.
pub(crate) fn id(number: u64) -> Id {
    // A number has between 1 and 128 characters, as an id needs.
    Id::new(number.to_string()).unwrap_or_else(|| unreachable!("a number is an id"))
}

/// Writes a reply as a line.
pub(crate) fn line(reply: &Reply) -> serde_json::Result<String> {
    serde_json::to_string(reply)
}

/// Returns a searched position with what its replies repeat.
pub(crate) fn searched<'a>(id: &'a Id, position: &'a dyn Position) -> Searched<'a> {
    let format = ReplyFormat { style: Style::Plain, shows_wdl: true };
    Searched { id, number: position.played().len(), position, format, spent: Spent::default() }
}

/// Returns the reply that describes the position or game `number` by the rules, and its `threats`.
pub(crate) fn position(
    number: u64,
    position: &dyn Position,
    threats: Option<Vec<SideThreats>>,
) -> Reply {
    let extras = Extras {
        legal: Some(write::legal(position, Style::Plain)),
        forbidden: Some(write::forbidden(position, Style::Plain)),
        values: None,
        threats,
        opening: opening(position),
    };
    let moves = position.played().len();
    Reply::Position(Box::new(write::described(id(number), moves, position, extras)))
}

/// Returns the name of the opening of a position.
pub(crate) fn opening(position: &dyn Position) -> Option<OpeningInfo> {
    CATALOG.opening_name(position).map(OpeningInfo::from)
}

/// Returns what ended a search under `limits`, which may be below full strength.
pub(crate) fn ended_by(answer: &Answer<Move>, limits: &Limits, is_weakened: bool) -> EndedBy {
    let stopped = is_interrupted().then_some(EndedBy::Terminated);
    write::ended_by(answer, limits, 0, is_weakened, stopped)
}

/// Returns the reply for the game `number`, which is refused.
pub(crate) fn refused(number: usize, why: &str) -> Reply {
    let problem = Problem::new(Code::BadRecord, why);
    Reply::Error(ErrorReply::new(Some(id(number as u64)), problem, None))
}
