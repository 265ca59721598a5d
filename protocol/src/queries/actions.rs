//! Checks a query of each action, and returns what to do.

use std::time::Instant;

use super::QuerySession;
use super::accept;
use super::interface::{Effect, Room};
use super::write;
use crate::dialect::json::query::Query;
use crate::dialect::json::reply::{EndedBy, Reply, Terminated};
use crate::dialect::json::{Code, Problem};

/// What an accepted query does to the session.
pub(super) type Action = Box<dyn FnOnce(&mut QuerySession)>;

impl QuerySession {
    /// Checks a query, and returns its action. Nothing changes before the action runs.
    pub(super) fn check(
        &mut self,
        query: Query,
        now: Instant,
        room: Room,
        warnings: &mut accept::Warnings,
    ) -> Result<Action, Problem> {
        Ok(match query {
            Query::Analyze(query) => {
                let accepted = accept::analyze(&self.service, query, now, room, warnings)?;
                Box::new(move |session| session.open(accepted))
            }
            Query::Solve(query) => {
                let accepted = accept::solve(&self.service, query, now, room, warnings)?;
                Box::new(move |session| session.open(accepted))
            }
            Query::Review(query) => {
                let accepted = accept::review(&self.service, query, now, room, warnings)?;
                Box::new(move |session| session.open(accepted))
            }
            Query::Swap2(query) => {
                let accepted = accept::swap2(&self.service, query, now, room, warnings)?;
                Box::new(move |session| session.open(accepted))
            }
            Query::Position(query) => {
                let reply = accept::position(&self.service, query, warnings)?;
                Box::new(move |session| session.reply(&Reply::Position(Box::new(reply))))
            }
            Query::Terminate(query) => Box::new(move |session| {
                let own = query.own;
                let turns = own.turn_numbers.as_ref().map(|list| list.items().to_vec());
                let target = session.ids.get(&own.terminate_id).copied();
                let ended = session.open_turns(target.into_iter().collect(), turns.as_deref());
                let reply = Terminated {
                    id: query.head.id,
                    action: "terminate".to_owned(),
                    terminate_id: Some(own.terminate_id),
                    turn_numbers: turns,
                    count: write::count(ended.len()),
                };
                session.reply(&Reply::Terminate(reply));
                session.end_turns(ended, EndedBy::Terminated);
            }),
            Query::TerminateAll(query) => Box::new(move |session| {
                let turns = query.own.turn_numbers.as_ref().map(|list| list.items().to_vec());
                let all = session.queries.keys().copied().collect();
                let ended = session.open_turns(all, turns.as_deref());
                let reply = Terminated {
                    id: query.head.id,
                    action: "terminate_all".to_owned(),
                    terminate_id: None,
                    turn_numbers: turns,
                    count: write::count(ended.len()),
                };
                session.reply(&Reply::TerminateAll(reply));
                session.end_turns(ended, EndedBy::Terminated);
            }),
            Query::ClearCache(query) => {
                if !self.service.limits.may_clear {
                    let message = "clear_cache: not for remote sessions";
                    return Err(Problem::with(Code::Forbidden, "action", message));
                }
                Box::new(move |session| {
                    session.clearing.push(query.head.id);
                    if session.clearing.len() == 1 {
                        session.effects.push(Effect::ClearTables);
                    }
                })
            }
            Query::QueryVersion(query) => Box::new(move |session| {
                let version = session.version(query.head.id);
                session.reply(&Reply::Version(Box::new(version)));
            }),
            Query::Hello(query) => {
                if query.own.resume.is_some() {
                    let message = "no such session: start anew";
                    return Err(Problem::with(Code::UnknownSession, "resume", message));
                }
                Box::new(move |session| session.hello(query.head.id, false))
            }
        })
    }
}
