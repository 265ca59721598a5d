//! Checks a query of each action, and returns what to do.

use super::QuerySession;
use super::accept::{Accepted, Check};
use crate::dialect::json::number::{Count, Id, List};
use crate::dialect::json::query::{Query, TurnNumber};
use crate::dialect::json::reply::{EndedBy, Reply, Terminated};
use crate::dialect::json::{Code, Problem, problem};
use crate::pool::Effect;

/// What an accepted query does to the session.
pub(super) type Action = Box<dyn FnOnce(&mut QuerySession)>;

impl Check<'_> {
    /// Checks a query, and returns its action. Nothing changes before the action runs.
    pub(super) fn action(&mut self, query: Query) -> Result<Action, Problem> {
        if !self.service.limits.may_search {
            refuse_search(&query)?;
        }
        Ok(match query {
            Query::Analyze(query) => open(self.analyze(query)?),
            Query::Solve(query) => open(self.solve(query)?),
            Query::Review(query) => open(self.review(query)?),
            Query::Swap2(query) => open(self.swap2(query)?),
            Query::Opening(query) => self.opening(query)?,
            Query::Position(query) => {
                let reply = Reply::Position(Box::new(self.position(query)?));
                Box::new(move |session| session.reply(&reply))
            }
            Query::ReadRecord(_) | Query::ConvertRecord(_)
                if !self.service.limits.may_read_records =>
            {
                let action = query.action();
                let message = format!("{action}: not for remote sessions; sgf takes a game");
                return Err(Problem::with(Code::Forbidden, "action", message));
            }
            Query::ReadRecord(query) => Box::new(move |session| session.read_record(query)),
            Query::ConvertRecord(query) => Box::new(move |session| session.convert_record(query)),
            Query::Explore(query) => self.explore(query)?,
            Query::Find(query) => self.find(query)?,
            Query::ReadGame(query) => self.read_game(query)?,
            Query::EditGames(query) => self.edit_games(query)?,
            Query::DeleteGames(query) => self.delete_games(query)?,
            Query::Comment(query) => self.comment(query)?,
            Query::EditTree(query) => self.edit_tree(query)?,
            Query::Undo(query) => self.undo(query)?,
            Query::Redo(query) => self.redo(query)?,
            Query::Changes(query) => self.changes(query)?,
            Query::MakeRoom(_) | Query::JoinRoom(_) | Query::RoomAct(_) => {
                let action = query.action();
                let message =
                    format!("{action}: only a WebSocket of \"tengen serve --rooms\" has rooms");
                return Err(Problem::with(Code::Unsupported, "action", message));
            }
            Query::Terminate(query) => Box::new(move |session| {
                session.terminate(
                    query.head.id,
                    Some(query.own.terminate_id),
                    query.own.turn_numbers,
                );
            }),
            Query::TerminateAll(query) => Box::new(move |session| {
                session.terminate(query.head.id, None, query.own.turn_numbers)
            }),
            Query::ClearCache(_) if !self.service.limits.may_clear => {
                return Err(problem!(Forbidden, "action", "clear_cache: not for remote sessions"));
            }
            Query::ClearCache(query) => Box::new(move |session| {
                session.clearing.push(query.head.id);
                if session.clearing.len() == 1 {
                    session.effects.push(Effect::ClearTables);
                }
            }),
            Query::QueryVersion(query) => Box::new(move |session| {
                let version = session.version(query.head.id);
                session.reply(&Reply::Version(Box::new(version)));
            }),
            Query::Hello(query) if query.own.resume.is_some() => {
                let message =
                    "session unknown: send hello without resume, then the open queries again";
                return Err(Problem::with(Code::UnknownSession, "resume", message));
            }
            Query::Hello(query) => Box::new(move |session| session.hello(query.head.id, false)),
        })
    }
}

/// Returns whether a query searches or looks something up, or may do so.
pub(super) const fn takes_work(query: &Query) -> bool {
    !matches!(
        query,
        Query::Position(_)
            | Query::MakeRoom(_)
            | Query::JoinRoom(_)
            | Query::RoomAct(_)
            | Query::Terminate(_)
            | Query::TerminateAll(_)
            | Query::ClearCache(_)
            | Query::QueryVersion(_)
            | Query::Hello(_)
    )
}

/// Refuses what searches or looks something up: a session of a room asks about the rules only.
fn refuse_search(query: &Query) -> Result<(), Problem> {
    let is_about_rules = match query {
        Query::Position(query) => query.own.values.is_none(),
        Query::Opening(query) => query.own.decide != Some(true),
        Query::Terminate(_) | Query::TerminateAll(_) | Query::QueryVersion(_) | Query::Hello(_) => {
            true
        }
        _ => false,
    };
    let message = || format!("{}: the link of a room allows its game only", query.action());
    if is_about_rules { Ok(()) } else { Err(problem!(Forbidden, "action", "{}", message())) }
}

pub(super) fn open(accepted: Accepted) -> Action {
    Box::new(move |session| session.open(accepted))
}

impl QuerySession {
    /// Ends the query `terminate_id`, or all queries; of these only `turns`, if it is `Some`.
    fn terminate(
        &mut self,
        id: Id,
        terminate_id: Option<Id>,
        turns: Option<List<TurnNumber, 1000>>,
    ) {
        let turn_numbers = turns.map(|list| list.items().to_vec());
        let (action, reply, queries): (_, fn(Terminated) -> Reply, _) = match &terminate_id {
            None => ("terminate_all", Reply::TerminateAll, self.queries.keys().copied().collect()),
            Some(target) => {
                let target = self.ids.get(target).copied();
                ("terminate", Reply::Terminate, target.into_iter().collect())
            }
        };
        let ended = self.open_turns(queries, turn_numbers.as_deref());
        let target = terminate_id.clone();
        let lookups = match turn_numbers {
            None => self.open_lookups(target.as_ref()),
            Some(_) => Vec::new(),
        };
        let (action, count) = (action.to_owned(), Count::nearest(ended.len() + lookups.len()));
        self.reply(&reply(Terminated { id, action, terminate_id, turn_numbers, count }));
        self.end_turns(ended, EndedBy::Terminated);
        self.end_lookups(lookups, "the query was terminated");
        self.end_uploads(target.as_ref());
    }
}
