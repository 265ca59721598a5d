//! Converts results of the engine to replies.

use data_encoding::BASE64;
use tengen_engine::threats::Threats;
use tengen_engine::{Answer, Limits, Move, Position, ProvenResult, Report, Side, Style};

use crate::dialect::json::number::{Count, Id, Int, Positive};
use crate::dialect::json::query::TurnNumber;
use crate::dialect::json::reply::{
    self, Bound, EndedBy, Extras, Findings, ForbiddenPoint, GameReview, JudgedMove, Mistakes,
    MoveText, Outcome, PerMille, Pictures, PositionReply, Proof, RankedMove, ReasonInfo,
    RecordPart, Score, SearchFigures, SideThreats, Solution, SolvedMove, SolverScore, ThreatMove,
    Wdl, outcome_value,
};
use crate::judge::language::{Language, Stones};
use crate::judge::review::{GameJudge, Judged, mistakes};
use crate::judge::solver::{Scale, wdl_of};
use crate::judge::verdict::Verdict;
use crate::judge::wdl_of_end;
use crate::pool::job::SearchResult;

/// How many bytes of a record a reply holds.
const PART_BYTES: usize = 48 << 10;

/// How replies are written.
#[derive(Clone, Copy, Debug)]
pub struct ReplyFormat {
    /// How moves are written.
    pub style: Style,
    /// Whether replies contain win, draw and loss chances.
    pub shows_wdl: bool,
}

/// The cost of the earlier parts of a search that was paused.
#[derive(Clone, Copy, Default, Debug)]
pub struct Spent {
    /// Nodes searched.
    pub nodes: u64,
    /// Milliseconds of search.
    pub time_ms: u64,
    /// Milliseconds in the queue.
    pub queue_ms: u64,
}

/// A position that is searched, with what its replies repeat.
#[derive(Clone, Copy)]
pub struct Searched<'a> {
    /// The query.
    pub id: &'a Id,
    /// The turn: the number of moves before the position.
    pub number: usize,
    /// The position.
    pub position: &'a dyn Position,
    /// How the replies are written.
    pub format: ReplyFormat,
    /// The cost of the earlier parts of the search.
    pub spent: Spent,
}

impl Searched<'_> {
    /// Returns the report of a search with the current `lines`, and at most `max_lines` ranked
    /// moves; `None` without lines. `settled` is the proven result of a search that has ended.
    pub fn report(
        &self,
        lines: Vec<Report<Move>>,
        max_lines: usize,
        is_paused: bool,
        settled: Option<ProvenResult>,
    ) -> Option<reply::Report> {
        let found = self.findings(&snapshot(lines)?, max_lines);
        let (id, turn_number) = (self.id.clone(), TurnNumber::nearest(self.number));
        let (paused, proof) = (is_paused.then_some(true), settled.as_ref().map(Proof::from));
        Some(reply::Report { id, turn_number, paused, proof, found })
    }

    /// Returns the answer of a search, with at most `max_lines` ranked moves. `result` is `None` in a
    /// finished game.
    pub fn answer(
        &self,
        result: Option<&SearchResult>,
        max_lines: usize,
        ended_by: EndedBy,
        extras: Extras,
    ) -> reply::Answer {
        let settled = result.and_then(|result| result.answer.settled);
        let turn = self.position.turn();
        let verdict = match self.position.outcome() {
            None => Verdict::of(settled, turn),
            Some(outcome) if outcome.score(turn, 0).is_win() => Verdict::Wins,
            Some(_) => Verdict::DoesNotWin,
        };
        let proof = settled.as_ref().map(Proof::from);
        let found = match result {
            Some(result) => self.findings(result, max_lines),
            None => self.finished_game(),
        };
        let (id, turn_number) = (self.id.clone(), TurnNumber::nearest(self.number));
        reply::Answer { id, turn_number, found, proof, verdict, ended_by, extras }
    }

    /// Returns the proven score that `wanted` asks for: that of the position, for which no move need
    /// be known. `result` is `None` in a finished game.
    pub fn solution(
        &self,
        wanted: &Solve,
        result: Option<&SearchResult>,
        ended_by: EndedBy,
    ) -> Solution {
        let Self { position, format, .. } = *self;
        let outcome = position.outcome();
        let settled = result.and_then(|result| result.answer.settled);
        let settled = settled.map(|it| ProvenResult::new(it.winner, it.plies, it.source));
        let proven = match result {
            Some(result) => settled.map(|_| result.answer.report.score),
            None => outcome.map(|outcome| outcome.score(position.turn(), 0)),
        };
        let written = |score| wanted.scale.write(score, stones(position));
        let number = proven.and_then(written);
        let bounds = result.and_then(|result| result.answer.bounds).filter(|_| number.is_none());
        let bounds = bounds.and_then(|(low, high)| Some([written(low)?, written(high)?]));
        // If only the outcome is proven, the distance is not.
        let is_score = wanted.scale.proof == tengen_engine::Proof::Score;
        let score = proven.filter(|_| is_score && number.is_some());
        let lines = result.map_or(&[][..], |result| &result.lines);
        let figures = result.map(|result| figures(&result.answer.report, self.spent));
        Solution {
            id: self.id.clone(),
            turn_number: TurnNumber::nearest(self.number),
            turn: position.turn().into(),
            outcome: outcome.map(Outcome::from),
            score: score.map(Into::into),
            solver_score: number.map(SolverScore::nearest),
            bounds: bounds.map(|both| both.map(SolverScore::nearest)),
            bound: score.map(|_| Bound::Exact),
            wdl: number.filter(|_| format.shows_wdl).map(|score| wdl_of(score).into()),
            figures: figures.unwrap_or_default(),
            columns: wanted.all.then(|| wanted.moves(position, lines, format.style)),
            proof: settled.as_ref().map(Proof::from),
            ended_by,
        }
    }

    fn findings(&self, result: &SearchResult, max_lines: usize) -> Findings {
        let SearchResult { answer, lines } = result;
        let shown = lines.iter().take(max_lines).enumerate();
        let report = &answer.report;
        let best: Vec<Move> = answer.best.into_iter().chain(answer.ponder).collect();
        let mut best = self.line(&best).into_iter();
        Findings {
            turn: self.position.turn().into(),
            outcome: None,
            outcome_value: None,
            best: best.next(),
            ponder: best.next(),
            score: report.score.into(),
            bound: report.bound.into(),
            wdl: self.wdl(report),
            figures: figures(report, self.spent),
            pv: self.line(&report.pv),
            moves: shown.filter_map(|(index, report)| self.ranked_move(index, report)).collect(),
        }
    }

    fn ranked_move(&self, index: usize, report: &Report<Move>) -> Option<RankedMove> {
        let pv = self.line(&report.pv);
        Some(RankedMove {
            rank: Positive::nearest(index as i64 + 1),
            mv: pv.first()?.clone(),
            score: report.score.into(),
            bound: report.bound.into(),
            wdl: self.wdl(report),
            pv,
        })
    }

    /// Returns the findings in a finished game.
    fn finished_game(&self) -> Findings {
        let turn = self.position.turn();
        let outcome = self.position.outcome().unwrap_or(tengen_engine::Outcome::Draw);
        let score = outcome.score(turn, 0);
        Findings {
            turn: turn.into(),
            outcome: Some(outcome.into()),
            outcome_value: outcome_value(Some(outcome)),
            best: None,
            ponder: None,
            score: score.into(),
            bound: Bound::Exact,
            wdl: self.format.shows_wdl.then(|| wdl_of_end(score).into()),
            figures: SearchFigures::default(),
            pv: Vec::new(),
            moves: Vec::new(),
        }
    }

    fn line(&self, moves: &[Move]) -> Vec<MoveText> {
        line(self.position, moves, self.format.style)
    }

    fn wdl(&self, report: &Report<Move>) -> Option<Wdl> {
        report.wdl.filter(|_| self.format.shows_wdl).map(Wdl::from)
    }
}

/// What a solution must contain.
#[derive(Clone, Copy, Debug)]
pub struct Solve {
    /// The scale of its scores.
    pub scale: Scale,
    /// Whether every move is scored.
    pub all: bool,
}

impl Solve {
    /// Returns the proven score of each legal move, from the `lines` of the search.
    fn moves(
        &self,
        position: &dyn Position,
        lines: &[Report<Move>],
        style: Style,
    ) -> Vec<SolvedMove> {
        let (plies, left) = (stones(position), position.plies_left());
        let score = |mv: &Move| {
            let line = lines.iter().find(|line| line.pv.first() == Some(mv))?;
            let is_proven = line.score.is_decisive() || line.depth >= left;
            self.scale.write(line.score, plies).filter(|_| is_proven).map(SolverScore::nearest)
        };
        let solved =
            |at: Move| SolvedMove { mv: mv(position, at, style), solver_score: score(&at) };
        position.legal().into_iter().map(solved).collect()
    }
}

/// Returns the number of stones on the board.
fn stones(position: &dyn Position) -> u32 {
    position.placement().map_or(0, |stones| stones.count() as u32)
}

/// Returns the figures of a report, with the cost of earlier parts added.
pub(super) fn figures(report: &Report<Move>, spent: Spent) -> SearchFigures {
    SearchFigures {
        depth: report.depth,
        seldepth: report.seldepth,
        nodes: report.nodes + spent.nodes,
        nps: report.nps(),
        time_ms: super::millis(report.time) + spent.time_ms,
        queue_ms: spent.queue_ms,
        hashfull: report.hashfull,
        probe_hits: report.probe_hits,
    }
}

/// Returns the texts of `moves`, played one after the other from `position`.
pub(super) fn line(position: &dyn Position, moves: &[Move], style: Style) -> Vec<MoveText> {
    position.write_line(moves, style).into_iter().map(MoveText).collect()
}

/// Returns the text of a move in `position`.
pub(super) fn mv(position: &dyn Position, mv: Move, style: Style) -> MoveText {
    MoveText(position.write_move(mv, style))
}

/// Returns the legal moves.
pub fn legal(position: &dyn Position, style: Style) -> Vec<MoveText> {
    position.legal().into_iter().map(|it| mv(position, it, style)).collect()
}

/// Returns the points on which the side to move may not play.
pub fn forbidden(position: &dyn Position, style: Style) -> Vec<ForbiddenPoint> {
    let Some(grid) = position.spec().grid else { return Vec::new() };
    let points = position.forbidden(position.turn()).into_iter();
    let written = |point| MoveText(grid.write_move(point, style));
    points.map(|(point, why)| ForbiddenPoint { mv: written(point), why: why.to_owned() }).collect()
}

/// Returns the threats of both sides in `position`, also in words of `language`. The points are those of its grid.
pub fn threats(
    position: &dyn Position,
    threats: &[Threats],
    style: Style,
    language: Language,
) -> Vec<SideThreats> {
    let stones = Stones::of(position.spec());
    let text = |mv: Move| {
        let grid = position.spec().grid;
        let point = grid.and_then(|grid| Some(grid.write_move(grid.point_of(mv)?, style)));
        MoveText(point.unwrap_or_default())
    };
    let threat = |found: &tengen_engine::threats::ThreatMove| {
        let win = found.win.as_ref();
        ThreatMove {
            mv: text(found.mv),
            kind: found.kind.to_owned(),
            win_in: win.map(|win| Count::nearest(win.plies)),
            line: win.map_or_else(Vec::new, |win| win.line.iter().copied().map(text).collect()),
        }
    };
    let side = |threats: &Threats| SideThreats {
        side: threats.side.into(),
        moves: threats.moves.iter().map(threat).collect(),
        complete: threats.is_complete,
        text: language.threats(threats, threats.side == position.turn(), stones, &|mv| text(mv).0),
    };
    threats.iter().map(side).collect()
}

/// Returns a score for each point of the board, row by row from the top left. A point without a
/// score is `None`. The whole is `None` if the game has no board.
pub(super) fn values(
    position: &dyn Position,
    scores: impl IntoIterator<Item = (Move, tengen_engine::Score)>,
) -> Option<Vec<Vec<Option<Score>>>> {
    let notation = position.spec().grid?;
    let (width, height) = (notation.grid().width() as usize, notation.grid().height() as usize);
    let mut rows = vec![vec![None; width]; height];
    for (mv, score) in scores {
        let Some(point) = notation.point_of(mv) else { continue };
        let row = height - 1 - point.row as usize;
        rows[row][point.column as usize] = Some(score.into());
    }
    Some(rows)
}

/// Returns the moves of ranked lines with their scores.
pub(super) fn scores(lines: &[Report<Move>]) -> Vec<(Move, tengen_engine::Score)> {
    lines.iter().filter_map(|line| Some((*line.pv.first()?, line.score))).collect()
}

/// Returns a result from the lines of an unfinished search; `None` without lines.
pub fn snapshot(lines: Vec<Report<Move>>) -> Option<SearchResult> {
    let best = lines.first()?;
    let mut answer = Answer::blank(best.score, best.pv.first().copied());
    answer.ponder = best.pv.get(1).copied();
    answer.report = best.clone();
    Some(SearchResult { answer, lines })
}

/// Returns what ended a search under `limits`, after `earlier_nodes` in its earlier parts. `stopped`
/// is why it was stopped; `None` if it was not. A search that `is_weakened` may also end by the limits of its level.
pub fn ended_by(
    answer: &Answer<Move>,
    limits: &Limits,
    earlier_nodes: u64,
    is_weakened: bool,
    stopped: Option<EndedBy>,
) -> EndedBy {
    let report = &answer.report;
    if answer.settled.is_some_and(|settled| settled.is_whole(limits)) {
        return EndedBy::Solved;
    }
    if let Some(why) = stopped {
        return why;
    }
    let is_mate = limits.mate.zip(report.score.plies()).is_some_and(|(max, plies)| plies <= max);
    if is_mate && report.score.is_win() {
        return EndedBy::Mate;
    }
    if limits.nodes.is_some_and(|max| report.nodes + earlier_nodes >= max) {
        return EndedBy::Nodes;
    }
    if limits.depth.is_some_and(|max| report.depth >= max) {
        return EndedBy::Depth;
    }
    let is_used = |time| !is_weakened || report.time >= time;
    let is_timed = limits.movetime.is_some_and(is_used) || limits.clock.is_some();
    if is_timed { EndedBy::Time } else { EndedBy::Depth }
}

/// Returns the reply about a position after `moves` moves.
pub fn described(id: Id, moves: usize, position: &dyn Position, extras: Extras) -> PositionReply {
    let outcome = position.outcome();
    PositionReply {
        id,
        turn_number: Int::nearest(moves),
        variant: position.spec().variant.to_owned(),
        rules: position.spec().rules.clone(),
        fen: position.fen(false),
        key: format!("{:016X}", position.key()),
        turn: position.turn().into(),
        outcome: outcome.map(Outcome::from),
        outcome_value: outcome_value(outcome),
        extras,
        pictures: Pictures::default(),
    }
}

/// Returns a judged move as a reply, with its reason in `language`. `stones` are those of the game.
pub fn judged(id: Id, judged: Judged, language: Language, stones: Stones) -> JudgedMove {
    let Judged { number, side, mv, before, after, grade, best, reason, .. } = judged;
    let reason =
        reason.map(|reason| ReasonInfo::new(&reason, language.reason(&reason, &mv, stones)));
    JudgedMove {
        id,
        turn_number: Int::nearest(number),
        number: Positive::nearest(number as i64),
        side: side.into(),
        mv: MoveText(mv),
        before: before.into(),
        after: after.into(),
        grade: grade.into(),
        best: best.into_iter().map(MoveText).collect(),
        reason,
    }
}

/// Returns the reply that ends a review.
pub fn reviewed(id: Id, game: &GameJudge) -> GameReview {
    let moves = game.judged();
    let count = |side| mistakes(moves, side) as u32;
    GameReview {
        id,
        moves: moves.len() as u32,
        mistakes: Mistakes { first: count(Side::First), second: count(Side::Second) },
        chances: game.chances().into_iter().map(PerMille::nearest).collect(),
        ended_by: None,
        sgf: None,
        svg: None,
        report: None,
    }
}

/// Returns a file in parts: as text if it is UTF-8, else as Base64.
pub fn record_parts<'a>(id: &'a Id, bytes: &'a [u8]) -> impl Iterator<Item = RecordPart> + 'a {
    let text = str::from_utf8(bytes).ok();
    let mut next = Some((1, 0));
    std::iter::from_fn(move || {
        let (part, from) = next?;
        let mut to = bytes.len().min(from + PART_BYTES);
        while text.is_some_and(|text| !text.is_char_boundary(to)) {
            to -= 1;
        }
        let more = to < bytes.len();
        next = more.then_some((part + 1, to));
        Some(RecordPart {
            id: id.clone(),
            part: Positive::nearest(part),
            more,
            text: text.map(|text| text[from..to].to_owned()),
            base64: text.is_none().then(|| BASE64.encode(&bytes[from..to])),
        })
    })
}
