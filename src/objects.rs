//! The output of commands with `--json`: replies of the JSON protocol.
//!
//! The `id` of a reply is the number of its position or game, from 1.

use tengen_engine::{Answer, Limits, Outcome, Position, Report, Side, Style};
use tengen_protocol::dialect::json::number::{Id, Int, Positive};
use tengen_protocol::dialect::json::query::TurnNumber;
use tengen_protocol::dialect::json::reply::{
    self, EndedBy, Extras, Findings, MoveText, Proof, RankedMove, Reply, SearchFigures,
    outcome_value,
};
use tengen_protocol::judge::review::wdl_of_end;
use tengen_protocol::queries::write;

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

fn texts(moves: &[String]) -> Vec<MoveText> {
    moves.iter().cloned().map(MoveText).collect()
}

/// Returns the reply that describes a position by the rules.
pub(crate) fn position(number: u64, position: &dyn Position) -> Reply {
    let extras = Extras {
        legal: Some(write::legal(position, Style::Plain)),
        forbidden: Some(write::forbidden(position, Style::Plain)),
        values: None,
    };
    let moves = position.played().len();
    Reply::Position(Box::new(write::described(id(number), moves, position, extras)))
}

/// Returns the figures of a search: depth, nodes, time and table use.
pub(crate) fn figures(report: &Report<String>) -> SearchFigures {
    SearchFigures {
        depth: report.depth,
        seldepth: report.seldepth,
        nodes: report.nodes,
        nps: report.nps(),
        time_ms: u64::try_from(report.time.as_millis()).unwrap_or(u64::MAX),
        queue_ms: 0,
        hashfull: report.hashfull,
        probe_hits: report.probe_hits,
    }
}

fn ranked(index: usize, report: &Report<String>) -> Option<RankedMove> {
    let pv = texts(&report.pv);
    Some(RankedMove {
        rank: Positive::nearest(index as i64 + 1),
        mv: pv.first()?.clone(),
        score: report.score.into(),
        bound: report.bound.into(),
        wdl: report.wdl.map(Into::into),
        pv,
    })
}

/// Returns the findings of a search: its best line and the ranked moves.
fn findings(
    turn: Side,
    best: [Option<&String>; 2],
    report: &Report<String>,
    lines: &[Report<String>],
) -> Findings {
    let [best, ponder] = best.map(|mv| mv.cloned().map(MoveText));
    Findings {
        turn: turn.into(),
        outcome: None,
        outcome_value: None,
        best,
        ponder,
        score: report.score.into(),
        bound: report.bound.into(),
        wdl: report.wdl.map(Into::into),
        figures: figures(report),
        pv: texts(&report.pv),
        moves: lines
            .iter()
            .enumerate()
            .filter_map(|(index, report)| ranked(index, report))
            .collect(),
    }
}

/// Returns the reply for a running search; `None` before the first line. `lines` are the moves
/// ranked so far, best first.
pub(crate) fn report(position: &dyn Position, lines: &[Report<String>]) -> Option<Reply> {
    let best = lines.first()?;
    let moves = [best.pv.first(), best.pv.get(1)];
    Some(Reply::Report(Box::new(reply::Report {
        id: id(1),
        turn_number: turn_number(position),
        paused: None,
        found: findings(position.turn(), moves, best, lines),
    })))
}

/// Returns the reply for the answer of a search.
pub(crate) fn answer(
    position: &dyn Position,
    answer: &Answer<String>,
    lines: &[Report<String>],
    ended_by: EndedBy,
) -> Reply {
    let moves = [answer.best.as_ref(), answer.ponder.as_ref()];
    Reply::Answer(Box::new(reply::Answer {
        id: id(1),
        turn_number: turn_number(position),
        found: findings(position.turn(), moves, &answer.report, lines),
        proof: answer.settled.as_ref().map(Proof::from),
        ended_by,
        extras: Extras::default(),
    }))
}

/// Returns what ended a search under `limits`.
pub(crate) fn ended_by(answer: &Answer<String>, limits: &Limits, is_interrupted: bool) -> EndedBy {
    let report = &answer.report;
    if answer.settled.is_some() {
        EndedBy::Solved
    } else if is_interrupted {
        EndedBy::Terminated
    } else if limits.nodes.is_some_and(|most| report.nodes >= most) {
        EndedBy::Nodes
    } else if limits.depth.is_some_and(|most| report.depth >= most) {
        EndedBy::Depth
    } else if limits.movetime.is_some() {
        EndedBy::Time
    } else {
        EndedBy::Depth
    }
}

/// Returns the reply for a game that is over.
pub(crate) fn over(position: &dyn Position, outcome: Outcome) -> Reply {
    let score = outcome.score(position.turn(), 0);
    let report = Report::blank(score, None);
    let mut found = findings(position.turn(), [None, None], &report, &[]);
    found.outcome = Some(outcome.into());
    found.outcome_value = outcome_value(Some(outcome));
    found.wdl = Some(wdl_of_end(score).into());
    Reply::Answer(Box::new(reply::Answer {
        id: id(1),
        turn_number: turn_number(position),
        found,
        proof: None,
        ended_by: EndedBy::Over,
        extras: Extras::default(),
    }))
}
