//! Checks a query before any search, with the session that answers it later.

use std::time::{Duration, Instant};

use serde::Deserialize;
use tengen_protocol::analysis::session::{Effect, QuerySession, Room, Service, SessionIdentity};
use tengen_protocol::dialect::json::query::Query;
use tengen_protocol::dialect::json::read;

/// A valid query of a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedQuery {
    /// The id of the query.
    pub id: String,
    /// The number of positions to search.
    pub positions: u64,
    /// Warnings for the author of the query.
    pub warnings: Vec<String>,
}

/// The fields of a reply that hold an error or a warning.
#[derive(Deserialize)]
struct Problem {
    #[serde(rename = "type")]
    kind: String,
    message: Option<String>,
}

/// Creates a session for the queries of a batch.
pub(super) fn session(service: Service) -> QuerySession {
    QuerySession::new(
        service,
        SessionIdentity { session: "batch".to_owned(), kept: Duration::ZERO },
    )
}

/// Checks the query in line `number` of a file. The error says what is wrong with the query.
pub fn check(service: Service, line: &str, number: u64) -> Result<CheckedQuery, String> {
    let query = read::query(line, number).map_err(|refusal| refusal.problem.message)?;
    let (id, action) = (query.query.head().id.to_string(), query.query.action());
    match &query.query {
        Query::Analyze(query) if query.own.infinite == Some(true) => {
            return Err("infinite: a query of a batch must have an end".to_owned());
        }
        Query::Analyze(_)
        | Query::Solve(_)
        | Query::Review(_)
        | Query::Swap2(_)
        | Query::Position(_) => {}
        _ => {
            return Err(format!(
                "action \"{action}\": a batch takes analyze, solve, review, position and swap2"
            ));
        }
    }
    let mut session = session(service);
    session.line(line, Instant::now(), Room::ENOUGH);
    let mut checked = CheckedQuery { id, positions: 0, warnings: Vec::new() };
    for effect in session.effects() {
        match effect {
            Effect::Search(turns) => checked.positions += turns.len() as u64,
            Effect::Line(line) => match serde_json::from_str::<Problem>(&line) {
                Ok(Problem { kind, message: Some(message) }) if kind == "error" => {
                    return Err(message);
                }
                Ok(Problem { kind, message: Some(message) }) if kind == "warning" => {
                    checked.warnings.push(message);
                }
                _ => {}
            },
            _ => {}
        }
    }
    Ok(checked)
}
