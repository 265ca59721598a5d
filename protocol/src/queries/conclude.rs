//! Writes the last line of a turn, and the reports before it.

use std::time::Duration;

use tengen_engine::{Move, Position, Report, Style};

use super::QuerySession;
use super::opening::decided;
use super::subject::GameLine;
use super::turns::{QueryKind, Solve, TimeCap, Turn};
use super::write::{self, ReplyFormat};
use crate::dialect::json::number::Id;
use crate::dialect::json::query::{TurnNumber, Values};
use crate::dialect::json::reply::{
    self, Answer, Bound, EndedBy, ErrorReply, Extras, NoResults, OpeningInfo, Outcome, Proof,
    Reply, Solution, SolvedMove, SolverScore,
};
use crate::dialect::json::{Code, Problem};
use crate::judge::plot::plot;
use crate::judge::review::{Finding, Judged};
use crate::judge::solver::wdl_of;
use crate::pool::job::{Failure, SearchResult};
use crate::pool::{Effect, TurnKey};

impl QuerySession {
    /// Ends a turn with the result of its search, or a turn of a finished game without one.
    pub(super) fn conclude(&mut self, key: TurnKey, result: Option<&SearchResult>) {
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get_mut(&turn.query) else { return };
        let (id, format, position) = (query.id.clone(), query.format, &*turn.position);
        let ended_by = result.map_or(EndedBy::Over, |result| ended_by(&turn, &result.answer));
        let reply = match &mut query.kind {
            QueryKind::Analyze(own) => {
                let found = match result {
                    Some(result) => {
                        write::findings(position, format, result, own.multi_pv, turn.spent)
                    }
                    None => write::finished_game(position, format),
                };
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
                let settled = result.and_then(|result| result.answer.settled.as_ref());
                let (turn_number, proof) =
                    (TurnNumber::nearest(turn.number), settled.map(Proof::from));
                Reply::Answer(Box::new(Answer { id, turn_number, found, proof, ended_by, extras }))
            }
            QueryKind::Solve(own) => solution(id, own, &turn, result, format, ended_by),
            QueryKind::Opening(own) => {
                // An opening has too few stones to end a game, so there is a result.
                let reply =
                    result.and_then(|result| decided(&id, own, &turn, result, format, ended_by));
                reply.unwrap_or_else(|| own.no_reply(no_results(id, &turn, ended_by)))
            }
            QueryKind::Review(review) => {
                let report = result.map(|result| &result.answer.report);
                let finding = Finding::of(position, report, format.style);
                match turn.stopped {
                    // A search that was stopped early judges no move.
                    Some(why) => review.ended_by = Some(why),
                    None => review.findings[turn.number] = Some(finding),
                }
                return self.judge(turn.query, key);
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
                return self.judge(turn.query, key);
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

    /// Sends the moves of a review that can be judged now, in order, and closes the turn.
    fn judge(&mut self, number: u64, key: TurnKey) {
        let Some(query) = self.queries.get_mut(&number) else { return };
        let id = query.id.clone();
        let QueryKind::Review(review) = &mut query.kind else { return };
        let mut new = Vec::new();
        while let [Some(before), Some(after)] =
            review.findings.get(review.judged.len()..review.judged.len() + 2).unwrap_or_default()
        {
            let index = review.judged.len();
            let judged = Judged::of(index + 1, &review.moves[index], before, after);
            new.push(judged.clone());
            review.judged.push(judged);
        }
        for judged in new {
            self.reply(&Reply::Move(Box::new(write::judged(id.clone(), judged))));
        }
        self.close_turn(number, key);
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
            let known = review.findings.iter().map_while(Option::as_ref);
            let chances: Vec<u16> = known.map(Finding::expected_by_first).collect();
            let mut game = write::reviewed(query.id, &review.judged, &chances);
            game.ended_by = review.ended_by;
            game.svg = review.includes_svg.then(|| plot(&chances, &review.judged));
            let annotated =
                |(game, annotator): (GameLine, _)| game.annotated(&review.judged, &annotator);
            game.sgf = review.game.and_then(annotated);
            self.reply(&Reply::Game(Box::new(game)));
        }
        self.leave_if_done();
    }

    fn reply_last(&mut self, key: TurnKey, reply: &Reply) {
        if let Some(line) = self.serialize(reply) {
            self.effects.push(Effect::Last(key, line));
        }
    }

    /// Writes a report of a turn with the current lines.
    pub(super) fn write_report(&mut self, key: TurnKey, is_paused: bool) {
        let Some(turn) = self.turns.get_mut(&key) else { return };
        turn.has_unsent_report = false;
        let Some(query) = self.queries.get(&turn.query).filter(|_| turn.interval.is_some()) else {
            return;
        };
        let Some(result) = write::snapshot(turn.lines.clone()) else { return };
        let max_lines = match &query.kind {
            QueryKind::Analyze(own) => own.multi_pv,
            _ => usize::MAX,
        };
        let found = write::findings(&*turn.position, query.format, &result, max_lines, turn.spent);
        let report = reply::Report {
            id: query.id.clone(),
            turn_number: TurnNumber::nearest(turn.number),
            paused: is_paused.then_some(true),
            found,
        };
        if let Some(line) = self.serialize(&Reply::Report(Box::new(report))) {
            self.effects.push(Effect::Report(key, line));
        }
    }
}

fn no_results(id: Id, turn: &Turn, ended_by: EndedBy) -> NoResults {
    NoResults { id, turn_number: TurnNumber::nearest(turn.number), no_results: true, ended_by }
}

/// Returns what ended a search.
fn ended_by(turn: &Turn, answer: &tengen_engine::Answer<Move>) -> EndedBy {
    let mut limits = turn.limits.clone();
    // A weakened search may also end by the limits of its level.
    let counts = |max: &Duration| !turn.is_weakened || answer.report.time >= *max;
    limits.movetime = limits.movetime.filter(counts);
    match write::ended_by(answer, &limits, turn.spent.nodes, turn.stopped) {
        EndedBy::Time if limits.movetime.is_some() && turn.cap == TimeCap::Clamped => EndedBy::Cap,
        why => why,
    }
}

/// Returns the number of stones on the board.
fn stones(position: &dyn Position) -> u32 {
    let Some(notation) = position.spec().grid else { return 0 };
    let grid = notation.grid();
    grid.all().filter(|&cell| position.stone(grid.point(cell)).is_some()).count() as u32
}

/// Returns the reply with the proven score of a turn. `result` is `None` in a finished game.
fn solution(
    id: Id,
    own: &Solve,
    turn: &Turn,
    result: Option<&SearchResult>,
    format: ReplyFormat,
    ended_by: EndedBy,
) -> Reply {
    let position = &*turn.position;
    let outcome = position.outcome();
    let settled = result.and_then(|result| result.answer.settled.as_ref());
    let proven = match result {
        Some(result) => settled.map(|_| result.answer.report.score),
        None => outcome.map(|outcome| outcome.score(position.turn(), 0)),
    };
    let number = proven.and_then(|score| own.scale.write(score, stones(position)));
    // If only the outcome is proven, the distance is not.
    let is_score = own.scale.proof == tengen_engine::Proof::Score;
    let score = proven.filter(|_| is_score && number.is_some());
    let lines = result.map_or(&[][..], |result| &result.lines);
    let figures = result.map(|result| write::figures(&result.answer.report, turn.spent));
    Reply::Solution(Box::new(Solution {
        id,
        turn_number: TurnNumber::nearest(turn.number),
        turn: position.turn().into(),
        outcome: outcome.map(Outcome::from),
        score: score.map(Into::into),
        solver_score: number.map(SolverScore::nearest),
        bound: score.map(|_| Bound::Exact),
        wdl: number.filter(|_| format.shows_wdl).map(|score| wdl_of(score).into()),
        figures: figures.unwrap_or_default(),
        columns: own.all.then(|| solved_moves(own, position, lines, format.style)),
        proof: settled.map(Proof::from),
        ended_by,
    }))
}

/// Returns the proven score of each legal move.
fn solved_moves(
    own: &Solve,
    position: &dyn Position,
    lines: &[Report<Move>],
    style: Style,
) -> Vec<SolvedMove> {
    let (plies, left) = (stones(position), position.plies_left());
    let score = |mv: &Move| {
        let line = lines.iter().find(|line| line.pv.first() == Some(mv))?;
        let is_proven = line.score.is_decisive() || line.depth >= left;
        own.scale.write(line.score, plies).filter(|_| is_proven).map(SolverScore::nearest)
    };
    let solved =
        |mv: Move| SolvedMove { mv: write::mv(position, mv, style), solver_score: score(&mv) };
    position.legal().into_iter().map(solved).collect()
}
