//! Writes the last line of a turn, and the reports before it.

use tengen_engine::Move;

use super::opening::decided;
use super::subject::GameLine;
use super::turns::{QueryKind, Stage, TimeCap, Turn};
use super::{QuerySession, serialize, write};
use crate::dialect::json::number::Id;
use crate::dialect::json::query::{TurnNumber, Values};
use crate::dialect::json::reply::{EndedBy, ErrorReply, Extras, NoResults, OpeningInfo, Reply};
use crate::dialect::json::{Code, Problem};
use crate::judge::language::Stones;
use crate::judge::plot::plot;
use crate::judge::report::{ReportGame, report};
use crate::judge::review::Finding;
use crate::pool::job::{Failure, SearchResult};
use crate::pool::{Effect, TurnKey};

impl QuerySession {
    /// Ends a turn with the result of its search, or a turn of a finished game without one.
    pub(super) fn conclude(&mut self, key: TurnKey, result: Option<&SearchResult>) {
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get_mut(&turn.query) else { return };
        let (id, format, position) = (query.id.clone(), query.format, &*turn.position);
        let ended_by = result.map_or(EndedBy::Over, |result| ended_by(&turn, &result.answer));
        let searched = turn.searched(&id, format);
        let reply = match &mut query.kind {
            QueryKind::Analyze(own) => {
                let values = match own.values {
                    Values::None => None,
                    Values::Static => {
                        write::values(position, self.service.catalog.judge_moves(position))
                    }
                    Values::Search => {
                        let lines = result.map_or(&[][..], |result| &result.lines);
                        write::values(position, write::scores(lines))
                    }
                };
                let forbidden = || match result {
                    Some(_) => write::forbidden(position, format.style),
                    None => Vec::new(),
                };
                let extras = Extras {
                    legal: own.includes_legal.then(|| write::legal(position, format.style)),
                    forbidden: own.includes_forbidden.then(forbidden),
                    values,
                    threats: None,
                    opening: self.service.catalog.opening_name(position).map(OpeningInfo::from),
                };
                Reply::Answer(Box::new(searched.answer(result, own.multi_pv, ended_by, extras)))
            }
            QueryKind::Solve(own) => {
                Reply::Solution(Box::new(searched.solution(own, result, ended_by)))
            }
            QueryKind::Opening(own) => {
                // An opening has too few stones to end a game, so there is a result.
                let reply =
                    result.and_then(|result| decided(&id, own, &turn, result, format, ended_by));
                reply.unwrap_or_else(|| own.no_reply(no_results(id, &turn, ended_by)))
            }
            QueryKind::Review(review) => {
                let mut new = Vec::new();
                match turn.stopped {
                    // A search that was stopped early judges no move.
                    Some(why) => review.ended_by = Some(why),
                    None => {
                        let answer = result.map(|result| &result.answer);
                        let finding = Finding::of(position, answer, format.style);
                        new.extend_from_slice(review.judge.add(turn.number, finding));
                    }
                }
                let stones = Stones::of(position.spec());
                let language = review.language;
                for judged in new {
                    let reply = write::judged(id.clone(), judged, language, stones);
                    self.reply(&Reply::Move(Box::new(reply)));
                }
                return self.close_turn(turn.query, key);
            }
        };
        self.reply_last(key, &reply);
        self.close_turn(turn.query, key);
    }

    /// Ends a turn that was not searched, for the reason `why`.
    pub(super) fn conclude_without_search(&mut self, key: TurnKey, why: EndedBy) {
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get_mut(&turn.query) else { return };
        let no_results = no_results(query.id.clone(), &turn, why);
        let reply = match &mut query.kind {
            QueryKind::Analyze(_) => Reply::NoAnswer(no_results),
            QueryKind::Solve(_) => Reply::NoSolution(no_results),
            QueryKind::Opening(own) => own.no_reply(no_results),
            QueryKind::Review(review) => {
                review.ended_by = Some(why);
                return self.close_turn(turn.query, key);
            }
        };
        self.reply_last(key, &reply);
        self.close_turn(turn.query, key);
    }

    /// Ends a turn whose search failed. Ends the whole query if it is a review.
    pub(super) fn fail(&mut self, key: TurnKey, failure: Failure) {
        const RETRY_MS: u64 = 1000;
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get(&turn.query) else { return };
        let problem = match failure {
            Failure::NoMemory(why) => {
                Problem { retry_after_ms: Some(RETRY_MS), ..Problem::new(Code::NoMemory, why) }
            }
            Failure::Internal(why) => Problem::new(Code::Internal, why),
        };
        let is_review = matches!(query.kind, QueryKind::Review(_));
        let number = TurnNumber::nearest(turn.number);
        let id = Some(query.id.clone());
        self.reply_last(key, &Reply::Error(ErrorReply::new(id, problem, Some(number))));
        if !is_review {
            return self.close_turn(turn.query, key);
        }
        let Some(query) = self.queries.remove(&turn.query) else { return };
        self.ids.remove(&query.id);
        for key in query.turns {
            if self.remove_turn(key).is_some() {
                self.effects.push(Effect::Cancel(key));
            }
        }
    }

    /// Removes a turn of a query. Ends the query after its last turn.
    fn close_turn(&mut self, number: u64, key: TurnKey) {
        let Some(query) = self.queries.get_mut(&number) else { return };
        query.turns.retain(|turn| *turn != key);
        if !query.turns.is_empty() {
            return;
        }
        let Some(query) = self.queries.remove(&number) else { return };
        self.ids.remove(&query.id);
        if let QueryKind::Review(review) = query.kind {
            let judge = &review.judge;
            let mut game = write::reviewed(query.id, judge);
            game.ended_by = review.ended_by;
            game.svg = review.includes_svg.then(|| plot(judge, review.language));
            game.report = review.report.map(|(last, record, limits)| {
                let game = ReportGame { last: &*last, record: record.as_ref(), limits: &limits };
                report(game, judge, review.language)
            });
            let annotated =
                |(game, annotator): (GameLine, _)| game.annotated(judge.judged(), &annotator);
            game.sgf = review.game.and_then(annotated);
            self.reply(&Reply::Game(Box::new(game)));
        }
        self.leave_if_done();
    }

    fn reply_last(&mut self, key: TurnKey, reply: &Reply) {
        self.effects.extend(serialize(reply).map(|line| Effect::Last(key, line)));
    }

    /// Writes a report of a turn with the current lines.
    pub(super) fn write_report(&mut self, key: TurnKey, is_paused: bool) {
        let Some(turn) = self.turns.get_mut(&key) else { return };
        turn.has_unsent_report = false;
        let Some(query) = self.queries.get(&turn.query).filter(|_| turn.interval.is_some()) else {
            return;
        };
        let max_lines = match &query.kind {
            QueryKind::Analyze(own) => own.multi_pv,
            _ => usize::MAX,
        };
        let settled = match &turn.stage {
            Stage::Withheld(result) => result.answer.settled,
            _ => None,
        };
        let searched = turn.searched(&query.id, query.format);
        let report = searched.report(turn.lines.clone(), max_lines, is_paused, settled);
        let Some(report) = report else { return };
        let line = serialize(&Reply::Report(Box::new(report)));
        self.effects.extend(line.map(|line| Effect::Report(key, line)));
    }
}

fn no_results(id: Id, turn: &Turn, ended_by: EndedBy) -> NoResults {
    NoResults { id, turn_number: TurnNumber::nearest(turn.number), no_results: true, ended_by }
}

/// Returns what ended a search.
fn ended_by(turn: &Turn, answer: &tengen_engine::Answer<Move>) -> EndedBy {
    let Turn { limits, spent, is_weakened, stopped, cap, .. } = turn;
    match write::ended_by(answer, limits, spent.nodes, *is_weakened, *stopped) {
        EndedBy::Time if *cap == TimeCap::Clamped => EndedBy::Cap,
        why => why,
    }
}
