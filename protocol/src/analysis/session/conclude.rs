//! The last line of a turn, and the reports before it.

use std::sync::PoisonError;

use tengen_engine::opening::SwapDecision;
use tengen_engine::{Move, Position, Report, Style};

use super::QuerySession;
use super::interface::{Effect, TurnKey};
use super::turns::{Ask, OpenQuery, Solve, Swap, TimeCap, Turn};
use crate::analysis::job::{Failure, SearchResult};
use crate::analysis::review::{Finding, Judged};
use crate::analysis::solver::wdl_of;
use crate::analysis::write::{self, Manner, Spent};
use crate::dialect::json::number::Id;
use crate::dialect::json::query::Values;
use crate::dialect::json::reply::{
    self, Answer, Bound, EndedBy, ErrorReply, Extras, MoveText, NoResults, Outcome, Proof, Reply,
    Solution, SolvedMove, SolverScore, SwapChoice, SwapReply, Wdl,
};
use crate::dialect::json::{Code, Problem};

impl QuerySession {
    /// Ends a turn with what its search has found.
    pub(super) fn conclude(&mut self, key: TurnKey, found: &SearchResult) {
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get_mut(&turn.query) else { return };
        let ended_by = ended_by(&turn, found);
        let reply = match &mut query.ask {
            Ask::Analyze(ask) => {
                let position = &*turn.position;
                let shown = write::found(position, query.manner, found, ask.multi_pv, turn.spent);
                let values = match ask.values {
                    Values::None => None,
                    Values::Static => {
                        write::values(position, self.service.catalog.judge_moves(position))
                    }
                    Values::Search => write::values(position, write::scores(&found.lines)),
                };
                let (legal, forbidden) = (ask.includes_legal, ask.includes_forbidden);
                let style = query.manner.style;
                let extras = Extras {
                    legal: legal.then(|| write::legal(position, style)),
                    forbidden: forbidden.then(|| write::forbidden(position, style)),
                    values,
                };
                let proof = found.answer.settled.as_ref().map(Proof::from);
                answer(query.id.clone(), &turn, shown, proof, ended_by, extras)
            }
            Ask::Solve(ask) => {
                let id = query.id.clone();
                let moves = solved_moves(ask, &turn, &found.lines, query.manner.style);
                solution(id, ask, &turn, found, query.manner, ended_by, moves)
            }
            Ask::Swap(ask) => {
                swap(query.id.clone(), ask, &turn, found, query.manner.style, ended_by)
            }
            Ask::Review(review) => {
                let position = &*turn.position;
                let answer = found.answer.clone();
                let answer = answer.map(|moves| position.write_line(&moves, query.manner.style));
                let finding = Finding::of(position.turn(), &answer);
                match turn.stopped {
                    // What is cut short judges nothing.
                    Some(why) => review.ended_by = Some(why),
                    None => review.findings[turn.number] = Some(finding),
                }
                return self.judge(turn.query, key);
            }
        };
        self.reply_last(key, &reply);
        self.close(turn.query, key);
    }

    /// Ends a turn of a game that is over.
    pub(super) fn conclude_over(&mut self, key: TurnKey) {
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get_mut(&turn.query) else { return };
        let position = &*turn.position;
        let Some(outcome) = position.outcome() else { return };
        let Some(shown) = write::over(position, query.manner) else { return };
        let id = query.id.clone();
        let reply = match &mut query.ask {
            Ask::Analyze(ask) => {
                let values = match ask.values {
                    Values::None => None,
                    _ => write::values(position, []),
                };
                let extras = Extras {
                    legal: ask.includes_legal.then(Vec::new),
                    forbidden: ask.includes_forbidden.then(Vec::new),
                    values,
                };
                answer(id, &turn, shown, None, EndedBy::Over, extras)
            }
            Ask::Solve(ask) => {
                let score = outcome.score(position.turn(), 0);
                let number = ask.scale.write(score, stones(position));
                let is_score = ask.scale.proof == tengen_engine::Proof::Score;
                Reply::Solution(Box::new(Solution {
                    id,
                    turn_number: write::turn(turn.number),
                    turn: position.turn().into(),
                    outcome: Some(Outcome::from(outcome)),
                    score: is_score.then(|| score.into()),
                    solver_score: number.map(solver_score),
                    bound: is_score.then_some(Bound::Exact),
                    wdl: solved_wdl(query.manner, number),
                    figures: reply::SearchFigures::default(),
                    columns: ask.all.then(Vec::new),
                    proof: None,
                    ended_by: EndedBy::Over,
                }))
            }
            // Few stones end no game.
            Ask::Swap(_) => Reply::NoSwap(no_results(id, &turn, EndedBy::Over)),
            Ask::Review(review) => {
                review.findings[turn.number] = Some(Finding::over(position.turn(), outcome));
                return self.judge(turn.query, key);
            }
        };
        self.reply_last(key, &reply);
        self.close(turn.query, key);
    }

    /// Ends a turn of which nothing was searched.
    pub(super) fn conclude_without_search(&mut self, key: TurnKey, why: EndedBy) {
        let Some(turn) = self.remove_turn(key) else { return };
        let Some(query) = self.queries.get_mut(&turn.query) else { return };
        let nothing = no_results(query.id.clone(), &turn, why);
        let reply = match &mut query.ask {
            Ask::Analyze(_) => Reply::NoAnswer(nothing),
            Ask::Solve(_) => Reply::NoSolution(nothing),
            Ask::Swap(_) => Reply::NoSwap(nothing),
            Ask::Review(review) => {
                review.ended_by = Some(why);
                return self.judge(turn.query, key);
            }
        };
        self.reply_last(key, &reply);
        self.close(turn.query, key);
    }

    /// Ends a turn whose search failed; of a review, the whole.
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
        let is_review = matches!(query.ask, Ask::Review(_));
        let number = write::turn(turn.number);
        let id = Some(query.id.clone());
        self.reply_last(key, &Reply::Error(ErrorReply::new(id, problem, Some(number))));
        if !is_review {
            return self.close(turn.query, key);
        }
        let Some(query) = self.queries.remove(&turn.query) else { return };
        self.ids.remove(&query.id);
        for key in query.turns {
            if self.remove_turn(key).is_some() {
                self.effects.push(Effect::Cancel(key));
            }
        }
    }

    /// Tells the moves of a review that can be judged now, in order, and its end after the last.
    fn judge(&mut self, number: u64, key: TurnKey) {
        let Some(query) = self.queries.get_mut(&number) else { return };
        let id = query.id.clone();
        let Ask::Review(review) = &mut query.ask else { return };
        let mut told = Vec::new();
        while let [Some(before), Some(after)] =
            review.findings.get(review.judged.len()..review.judged.len() + 2).unwrap_or_default()
        {
            let place = review.judged.len();
            let judged = Judged::of(place + 1, &review.moves[place], before, after);
            told.push(judged.clone());
            review.judged.push(judged);
        }
        for judged in told {
            self.reply(&Reply::Move(Box::new(write::judged(id.clone(), judged))));
        }
        self.close(number, key);
    }

    /// Forgets a turn of a query, and the query after its last one.
    fn close(&mut self, number: u64, key: TurnKey) {
        let Some(query) = self.queries.get_mut(&number) else { return };
        query.turns.retain(|turn| *turn != key);
        if !query.turns.is_empty() {
            return;
        }
        let Some(query) = self.queries.remove(&number) else { return };
        self.ids.remove(&query.id);
        if let Ask::Review(review) = query.ask {
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
        if let Some(line) = self.written(reply) {
            self.effects.push(Effect::Last(key, line));
        }
    }

    /// Writes what is known of a turn so far.
    pub(super) fn write_report(&mut self, key: TurnKey, is_paused: bool) {
        let Some(turn) = self.turns.get_mut(&key) else { return };
        turn.has_news = false;
        let Some(query) = self.queries.get(&turn.query) else { return };
        if query.interval().is_none() {
            return;
        }
        let Some(found) = write::snapshot(turn.lines.clone()) else { return };
        let most = moves_shown(query);
        let found = write::found(&*turn.position, query.manner, &found, most, turn.spent);
        let report = reply::Report {
            id: query.id.clone(),
            turn_number: write::turn(turn.number),
            paused: is_paused.then_some(true),
            found,
        };
        if let Some(line) = self.written(&Reply::Report(Box::new(report))) {
            self.effects.push(Effect::Report(key, line));
        }
    }
}

fn moves_shown(query: &OpenQuery) -> usize {
    match &query.ask {
        Ask::Analyze(ask) => ask.multi_pv,
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

/// Tells what the opening decides after a search.
fn swap(
    id: Id,
    ask: &Swap,
    turn: &Turn,
    found: &SearchResult,
    style: Style,
    ended_by: EndedBy,
) -> Reply {
    let Some(grid) = turn.position.spec().grid else {
        return Reply::NoSwap(no_results(id, turn, ended_by));
    };
    let ranking = ask.ranking.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(decision) = ranking.decide(ask.opening, &ask.stones, &found.answer, grid) else {
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
    // The position of the search has some of these stones already, so that it cannot write them.
    let written = |point| MoveText(grid.write_move(point, style));
    Reply::Swap(Box::new(SwapReply {
        id,
        turn_number: write::turn(turn.number),
        choice,
        moves: points.into_iter().map(written).collect(),
        figures: write::figures(&found.answer.report, turn.spent),
        ended_by,
    }))
}

/// Says what ended a search.
fn ended_by(turn: &Turn, found: &SearchResult) -> EndedBy {
    let Turn { limits, spent, cap, stopped, .. } = turn;
    let (answer, report) = (&found.answer, &found.answer.report);
    if answer.settled.is_some() {
        return EndedBy::Solved;
    }
    if let Some(why) = stopped {
        return *why;
    }
    let is_mate = limits.mate.zip(report.score.plies()).is_some_and(|(most, plies)| plies <= most);
    if is_mate && report.score.is_win() {
        return EndedBy::Mate;
    }
    if limits.nodes.is_some_and(|most| report.nodes + spent.nodes >= most) {
        return EndedBy::Nodes;
    }
    if limits.depth.is_some_and(|most| report.depth >= most) {
        return EndedBy::Depth;
    }
    // A level has limits of its own.
    let is_timed = limits.movetime.is_some_and(|most| !turn.is_level || report.time >= most);
    match (is_timed, cap) {
        (true, TimeCap::InPlace) => EndedBy::Cap,
        (true, _) => EndedBy::Time,
        (false, _) if limits.clock.is_some() => EndedBy::Time,
        (false, _) => EndedBy::Depth,
    }
}

/// Counts the stones on a board.
fn stones(position: &dyn Position) -> u32 {
    let Some(notation) = position.spec().grid else { return 0 };
    let grid = notation.grid();
    let cells = (0..grid.width() * grid.height()).filter_map(|cell| grid.at(cell as usize));
    cells.filter(|cell| position.stone(grid.point(*cell)).is_some()).count() as u32
}

fn solver_score(score: i32) -> SolverScore {
    SolverScore::nearest(score)
}

/// Returns the chances in a position that has this solver score, where they were asked for.
fn solved_wdl(manner: Manner, number: Option<i32>) -> Option<Wdl> {
    number.filter(|_| manner.shows_wdl).map(|score| wdl_of(score).into())
}

fn solution(
    id: Id,
    ask: &Solve,
    turn: &Turn,
    found: &SearchResult,
    manner: Manner,
    ended_by: EndedBy,
    columns: Option<Vec<SolvedMove>>,
) -> Reply {
    let position = &*turn.position;
    let report = &found.answer.report;
    let settled = found.answer.settled.as_ref();
    let number = settled.and_then(|_| ask.scale.write(report.score, stones(position)));
    // Where only the outcome is proven, the distance is not.
    let is_score = ask.scale.proof == tengen_engine::Proof::Score;
    let score = number.filter(|_| is_score).map(|_| report.score.into());
    Reply::Solution(Box::new(Solution {
        id,
        turn_number: write::turn(turn.number),
        turn: position.turn().into(),
        outcome: None,
        score,
        solver_score: number.map(solver_score),
        bound: score.map(|_| Bound::Exact),
        wdl: solved_wdl(manner, number),
        figures: write::figures(report, Spent { ..turn.spent }),
        columns,
        proof: settled.map(Proof::from),
        ended_by,
    }))
}

/// Returns what is proven of each legal move, where that was asked for.
fn solved_moves(
    ask: &Solve,
    turn: &Turn,
    lines: &[Report<Move>],
    style: tengen_engine::Style,
) -> Option<Vec<SolvedMove>> {
    if !ask.all {
        return None;
    }
    let position = &*turn.position;
    let (plies, left) = (stones(position), position.plies_left());
    let score = |mv: &Move| {
        let line = lines.iter().find(|line| line.pv.first() == Some(mv))?;
        let is_proven = line.score.is_decisive() || line.depth >= left;
        ask.scale.write(line.score, plies).filter(|_| is_proven).map(solver_score)
    };
    let solved =
        |mv: Move| SolvedMove { mv: write::mv(position, mv, style), solver_score: score(&mv) };
    Some(position.legal().into_iter().map(solved).collect())
}
