//! The output of commands with `--json`: replies of the JSON protocol.
//!
//! The `id` of a reply is the number of its position or game, from 1.

use tengen_engine::{Answer, Catalog, Limits, Move, Position, Report, Style};
use tengen_games::CATALOG;
use tengen_protocol::dialect::json::number::{Id, Int};
use tengen_protocol::dialect::json::query::TurnNumber;
use tengen_protocol::dialect::json::reply::{
    self, EndedBy, ErrorReply, Extras, Findings, OpeningInfo, Proof, Reply, SideThreats,
};
use tengen_protocol::dialect::json::{Code, Problem};
use tengen_protocol::pool::job::SearchResult;
use tengen_protocol::queries::write::{self, ReplyFormat, Spent};

use crate::interrupt::is_interrupted;

const FORMAT: ReplyFormat = ReplyFormat { style: Style::Plain, shows_wdl: true };

/// Returns the `id` of the position or game `number`.
pub(crate) fn id(number: u64) -> Id {
    // A number has between 1 and 128 characters, as an id needs.
    Id::new(number.to_string()).unwrap_or_else(|| unreachable!("a number is an id"))
}

/// Writes a reply as a line.
pub(crate) fn line(reply: &Reply) -> serde_json::Result<String> {
    serde_json::to_string(reply)
}

/// Returns the turn of a position: the number of moves played.
pub(crate) fn turn_number(position: &dyn Position) -> TurnNumber {
    Int::nearest(position.played().len() as i64)
}

/// Returns the reply that describes a position by the rules.
pub(crate) fn position(number: u64, position: &dyn Position) -> Reply {
    with_threats(number, position, None)
}

/// Returns the reply that describes a position by the rules, and its threats.
pub(crate) fn with_threats(
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

fn opening(position: &dyn Position) -> Option<OpeningInfo> {
    CATALOG.opening_name(position).map(OpeningInfo::from)
}

fn findings(position: &dyn Position, result: &SearchResult) -> Findings {
    write::findings(position, FORMAT, result, usize::MAX, Spent::default())
}

/// Returns the reply for a running search; `None` before the first line. `lines` are the moves
/// ranked so far, best first.
pub(crate) fn report(position: &dyn Position, lines: Vec<Report<Move>>) -> Option<Reply> {
    let found = findings(position, &write::snapshot(lines)?);
    let turn_number = turn_number(position);
    Some(Reply::Report(Box::new(reply::Report { id: id(1), turn_number, paused: None, found })))
}

/// Returns the reply for the answer of a search.
pub(crate) fn answer(
    position: &dyn Position,
    answer: &Answer<Move>,
    lines: Vec<Report<Move>>,
    ended_by: EndedBy,
) -> Reply {
    let proof = answer.settled.as_ref().map(Proof::from);
    let found = findings(position, &SearchResult { answer: answer.clone(), lines });
    last(position, found, proof, ended_by)
}

/// Returns what ended a search under `limits`.
pub(crate) fn ended_by(answer: &Answer<Move>, limits: &Limits) -> EndedBy {
    write::ended_by(answer, limits, 0, is_interrupted().then_some(EndedBy::Terminated))
}

/// Returns the reply for the game `number`, which is refused.
pub(crate) fn refused(number: usize, why: &str) -> Reply {
    let problem = Problem::new(Code::BadRecord, why);
    Reply::Error(ErrorReply::new(Some(id(number as u64)), problem, None))
}

/// Returns the reply for a game that is over.
pub(crate) fn over(position: &dyn Position) -> Reply {
    last(position, write::finished_game(position, FORMAT), None, EndedBy::Over)
}

fn last(
    position: &dyn Position,
    found: Findings,
    proof: Option<Proof>,
    ended_by: EndedBy,
) -> Reply {
    let extras = Extras { opening: opening(position), ..Extras::default() };
    let turn_number = turn_number(position);
    let answer = reply::Answer { id: id(1), turn_number, found, proof, ended_by, extras };
    Reply::Answer(Box::new(answer))
}
