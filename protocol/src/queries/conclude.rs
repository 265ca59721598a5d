//! Writes the last line of a turn, and the reports before it.

use std::sync::PoisonError;

use tengen_engine::opening::SwapDecision;
use tengen_engine::{Move, Position, Report, Style};

use super::QuerySession;
use super::interface::{Effect, TurnKey};
use super::turns::{OpenQuery, QueryKind, Solve, Swap, TimeCap, Turn};
use super::write::{self, ReplyFormat};
use crate::dialect::json::number::Id;
use crate::dialect::json::query::Values;
use crate::dialect::json::reply::{
    self, Answer, Bound, EndedBy, ErrorReply, Extras, MoveText, NoResults, Outcome, Proof, Reply,
    Solution, SolvedMove, SolverScore, SwapChoice, SwapReply, Wdl,
};
use crate::dialect::json::{Code, Problem};
use crate::judge::review::{Finding, Judged};
use crate::judge::solver::wdl_of;
use crate::pool::job::{Failure, SearchResult};

impl QuerySession {
    /// Ends a turn with the result of its search.
    pub(super) fn conclude(&mut self, key: TurnKey, result: &SearchResult) {
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get_mut(&turn.query) else { return };
        let ended_by = ended_by(&turn, result);
        let reply = match &mut query.kind {
            QueryKind::Analyze(own) => {
                let position = &*turn.position;
                let findings =
                    write::findings(position, query.format, result, own.multi_pv, turn.spent);
                let values = match own.values {
                    Values::None => None,
                    Values::Static => {
                        write::values(position, self.service.catalog.judge_moves(position))
                    }
                    Values::Search => write::values(position, write::scores(&result.lines)),
                };
                let (legal, forbidden) = (own.includes_legal, own.includes_forbidden);
                let style = query.format.style;
                let extras = Extras {
                    legal: legal.then(|| write::legal(position, style)),
                    forbidden: forbidden.then(|| write::forbidden(position, style)),
                    values,
                };
                let proof = result.answer.settled.as_ref().map(Proof::from);
                answer(query.id.clone(), &turn, findings, proof, ended_by, extras)
            }
            QueryKind::Solve(own) => {
                let id = query.id.clone();
                let moves = solved_moves(own, &turn, &result.lines, query.format.style);
                solution(id, own, &turn, result, query.format, ended_by, moves)
            }
            QueryKind::Swap(own) => {
                swap(query.id.clone(), own, &turn, result, query.format.style, ended_by)
            }
            QueryKind::Review(review) => {
                let position = &*turn.position;
                let answer = result.answer.clone();
                let answer = answer.map(|moves| position.write_line(&moves, query.format.style));
                let finding = Finding::of(position.turn(), &answer);
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

    /// Ends a turn of a finished game.
    pub(super) fn conclude_finished_game(&mut self, key: TurnKey) {
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get_mut(&turn.query) else { return };
        let position = &*turn.position;
        let Some(outcome) = position.outcome() else { return };
        let Some(findings) = write::finished_game(position, query.format) else { return };
        let id = query.id.clone();
        let reply = match &mut query.kind {
            QueryKind::Analyze(own) => {
                let values = match own.values {
                    Values::None => None,
                    _ => write::values(position, []),
                };
                let extras = Extras {
                    legal: own.includes_legal.then(Vec::new),
                    forbidden: own.includes_forbidden.then(Vec::new),
                    values,
                };
                answer(id, &turn, findings, None, EndedBy::Over, extras)
            }
            QueryKind::Solve(own) => {
                let score = outcome.score(position.turn(), 0);
                let number = own.scale.write(score, stones(position));
                let is_score = own.scale.proof == tengen_engine::Proof::Score;
                Reply::Solution(Box::new(Solution {
                    id,
                    turn_number: write::turn(turn.number),
                    turn: position.turn().into(),
                    outcome: Some(Outcome::from(outcome)),
                    score: is_score.then(|| score.into()),
                    solver_score: number.map(solver_score),
                    bound: is_score.then_some(Bound::Exact),
                    wdl: solved_wdl(query.format, number),
                    figures: reply::SearchFigures::default(),
                    columns: own.all.then(Vec::new),
                    proof: None,
                    ended_by: EndedBy::Over,
                }))
            }
            // Unreachable: an opening has too few stones to end a game.
            QueryKind::Swap(_) => Reply::NoSwap(no_results(id, &turn, EndedBy::Over)),
            QueryKind::Review(review) => {
                review.findings[turn.number] = Some(Finding::over(position.turn(), outcome));
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
            QueryKind::Swap(_) => Reply::NoSwap(no_results),
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
                let mut problem = Problem::new(Code::NoMemory, why);
                problem.retry_after_ms = Some(RETRY_MS);
                problem
            }
            Failure::Internal(why) => Problem::new(Code::Internal, why),
        };
        let is_review = matches!(query.kind, QueryKind::Review(_));
        let number = write::turn(turn.number);
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
            game.sgf = review.game.and_then(|game| game.annotated(&review.judged));
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
        let Some(query) = self.queries.get(&turn.query) else { return };
        if query.interval().is_none() {
            return;
        }
        let Some(result) = write::snapshot(turn.lines.clone()) else { return };
        let max_lines = max_lines(query);
        let found = write::findings(&*turn.position, query.format, &result, max_lines, turn.spent);
        let report = reply::Report {
            id: query.id.clone(),
            turn_number: write::turn(turn.number),
            paused: is_paused.then_some(true),
            found,
        };
        if let Some(line) = self.serialize(&Reply::Report(Box::new(report))) {
            self.effects.push(Effect::Report(key, line));
        }
    }
}

/// Returns the most ranked moves of a report.
fn max_lines(query: &OpenQuery) -> usize {
    match &query.kind {
        QueryKind::Analyze(own) => own.multi_pv,
        _ => usize::MAX,
    }
}

fn answer(
    id: Id,
    turn: &Turn,
    found: reply::Findings,
    proof: Option<Proof>,
    ended_by: EndedBy,
    extras: Extras,
) -> Reply {
    let turn_number = write::turn(turn.number);
    Reply::Answer(Box::new(Answer { id, turn_number, found, proof, ended_by, extras }))
}

fn no_results(id: Id, turn: &Turn, ended_by: EndedBy) -> NoResults {
    NoResults { id, turn_number: write::turn(turn.number), no_results: true, ended_by }
}

/// Returns the reply with the decision in an opening after a search.
fn swap(
    id: Id,
    own: &Swap,
    turn: &Turn,
    result: &SearchResult,
    style: Style,
    ended_by: EndedBy,
) -> Reply {
    let Some(grid) = turn.position.spec().grid else {
        return Reply::NoSwap(no_results(id, turn, ended_by));
    };
    let ranking = own.ranking.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(decision) = ranking.decide(own.opening, &own.stones, &result.answer, grid) else {
        return Reply::NoSwap(no_results(id, turn, ended_by));
    };
    let (choice, points) = match decision {
        SwapDecision::Swap => (SwapChoice::Swap, Vec::new()),
        SwapDecision::Stones(points) => match points.len() {
            0 | 1 => (SwapChoice::Stay, points),
            2 => (SwapChoice::Two, points),
            _ => (SwapChoice::Three, points),
        },
    };
    // The searched position already has some of these stones, so it cannot write them as moves.
    let text = |point| MoveText(grid.write_move(point, style));
    Reply::Swap(Box::new(SwapReply {
        id,
        turn_number: write::turn(turn.number),
        choice,
        moves: points.into_iter().map(text).collect(),
        figures: write::figures(&result.answer.report, turn.spent),
        ended_by,
    }))
}

/// Returns what ended a search.
fn ended_by(turn: &Turn, result: &SearchResult) -> EndedBy {
    let Turn { limits, spent, cap, stopped, .. } = turn;
    let (answer, report) = (&result.answer, &result.answer.report);
    if answer.settled.is_some() {
        return EndedBy::Solved;
    }
    if let Some(why) = stopped {
        return *why;
    }
    let is_mate = limits.mate.zip(report.score.plies()).is_some_and(|(max, plies)| plies <= max);
    if is_mate && report.score.is_win() {
        return EndedBy::Mate;
    }
    if limits.nodes.is_some_and(|max| report.nodes + spent.nodes >= max) {
        return EndedBy::Nodes;
    }
    if limits.depth.is_some_and(|max| report.depth >= max) {
        return EndedBy::Depth;
    }
    // A weakened search may also end by the limits of its level.
    let is_timed = limits.movetime.is_some_and(|max| !turn.is_weakened || report.time >= max);
    match (is_timed, cap) {
        (true, TimeCap::Clamped) => EndedBy::Cap,
        (true, _) => EndedBy::Time,
        (false, _) if limits.clock.is_some() => EndedBy::Time,
        (false, _) => EndedBy::Depth,
    }
}

/// Returns the number of stones on the board.
fn stones(position: &dyn Position) -> u32 {
    let Some(notation) = position.spec().grid else { return 0 };
    let grid = notation.grid();
    let cells = (0..grid.width() * grid.height()).filter_map(|cell| grid.at(cell as usize));
    cells.filter(|cell| position.stone(grid.point(*cell)).is_some()).count() as u32
}

fn solver_score(score: i32) -> SolverScore {
    SolverScore::nearest(score)
}

/// Returns the chances in a position with the solver score `number`, if `format` shows chances.
fn solved_wdl(format: ReplyFormat, number: Option<i32>) -> Option<Wdl> {
    number.filter(|_| format.shows_wdl).map(|score| wdl_of(score).into())
}

fn solution(
    id: Id,
    own: &Solve,
    turn: &Turn,
    result: &SearchResult,
    format: ReplyFormat,
    ended_by: EndedBy,
    columns: Option<Vec<SolvedMove>>,
) -> Reply {
    let position = &*turn.position;
    let report = &result.answer.report;
    let settled = result.answer.settled.as_ref();
    let number = settled.and_then(|_| own.scale.write(report.score, stones(position)));
    // If only the outcome is proven, the distance is not.
    let is_score = own.scale.proof == tengen_engine::Proof::Score;
    let score = number.filter(|_| is_score).map(|_| report.score.into());
    Reply::Solution(Box::new(Solution {
        id,
        turn_number: write::turn(turn.number),
        turn: position.turn().into(),
        outcome: None,
        score,
        solver_score: number.map(solver_score),
        bound: score.map(|_| Bound::Exact),
        wdl: solved_wdl(format, number),
        figures: write::figures(report, turn.spent),
        columns,
        proof: settled.map(Proof::from),
        ended_by,
    }))
}

/// Returns the proven score of each legal move; `None` if the query does not ask for them.
fn solved_moves(
    own: &Solve,
    turn: &Turn,
    lines: &[Report<Move>],
    style: tengen_engine::Style,
) -> Option<Vec<SolvedMove>> {
    if !own.all {
        return None;
    }
    let position = &*turn.position;
    let (plies, left) = (stones(position), position.plies_left());
    let score = |mv: &Move| {
        let line = lines.iter().find(|line| line.pv.first() == Some(mv))?;
        let is_proven = line.score.is_decisive() || line.depth >= left;
        own.scale.write(line.score, plies).filter(|_| is_proven).map(solver_score)
    };
    let solved =
        |mv: Move| SolvedMove { mv: write::mv(position, mv, style), solver_score: score(&mv) };
    Some(position.legal().into_iter().map(solved).collect())
}
