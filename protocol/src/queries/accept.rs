//! Checks queries against the rules of their game and the limits of the server.
//!
//! It starts no search and does not change the session, so a refused query has no effect.

use std::time::Duration;

use tengen_engine::backend::Settings;
use tengen_engine::{Clock, Instant, Limits, Move, Position, Proof, Side, Strength, Style};

use super::subject::{GameLine, board_info, describe_move};
use super::turns::{Analyze, QueryKind, Review, TimeCap};
use super::write::{self, ReplyFormat, Solve};
use crate::dialect::json::number::{Id, Int};
use crate::dialect::json::query::{
    self, AnalyzeFields, Effort, FilterRule, GameClock, MoveFilter, PositionFields, PositionQuery,
    Priority, SolveMode, StaticValues, StrengthFields, Subject, Turns, Values,
};
use crate::dialect::json::reply::{
    Extras, MoveText, OpeningInfo, Pictures, PositionReply, SideThreats, WarningCode,
};
use crate::dialect::json::{Code, Problem, SideName, problem};
use crate::dialect::words;
use crate::judge::comments::Annotator;
use crate::judge::language::Language;
use crate::judge::picture::{Overlay, board};
use crate::judge::review::GameJudge;
use crate::judge::solver::Scale;
use crate::pool::Room;
use crate::pool::job::{Job, ReportMode};
use crate::pool::queue::Rank;
use crate::service::Service;

/// The default time of a search of one position.
pub(super) const DEFAULT_TIME: Duration = Duration::from_secs(3);
/// The default time of each search of several positions.
const DEFAULT_TIME_OF_MANY: Duration = Duration::from_millis(500);

/// Warnings about a query that is still answered: the kind, the field, and a human-readable line.
pub(super) type Warnings = Vec<(WarningCode, String, String)>;

/// A checked query.
pub(super) struct Accepted {
    pub(super) id: Id,
    pub(super) received: Instant,
    pub(super) format: ReplyFormat,
    pub(super) kind: QueryKind,
    /// The time between reports; `None` for no reports.
    pub(super) interval: Option<Duration>,
    pub(super) turns: Vec<NewTurn>,
}

/// A turn to search.
pub(super) struct NewTurn {
    pub(super) number: usize,
    pub(super) job: Job,
    pub(super) rank: Rank,
    pub(super) cap: TimeCap,
}

/// Checks a query.
pub(super) struct Check<'a> {
    pub(super) service: &'a Service,
    /// When the query arrived.
    pub(super) received: Instant,
    pub(super) room: Room,
    pub(super) warnings: Warnings,
}

/// What all searches of a query share.
pub(super) struct Shared<'a> {
    effort: &'a Effort,
    threads: usize,
    pub(super) limits: Limits,
    cap: TimeCap,
}

impl Shared<'_> {
    /// Returns a turn to search, in which `ranked` moves are ranked.
    pub(super) fn turn(
        &self,
        number: usize,
        position: Box<dyn Position>,
        ranked: usize,
    ) -> NewTurn {
        let Self { effort, threads, limits, cap } = self;
        let settings = Settings::default()
            .with_threads(*threads)
            .with_multi_pv(ranked.max(1))
            .with_own_book(effort.book.unwrap_or(true));
        let job = Job {
            position,
            limits: limits.clone(),
            search_moves: Vec::new(),
            settings,
            is_fresh: effort.fresh.unwrap_or(false),
            keeps_table: false,
            follows_game: false,
            received: None,
            reports: ReportMode::lines(ranked > 1, false),
        };
        let priority = effort.priority.map_or(0, Priority::to);
        let (turn, threads) = (number as u32, *threads as u32);
        let rank = Rank { priority, turn, threads, is_infinite: false };
        NewTurn { number, job, rank, cap: *cap }
    }
}

impl Check<'_> {
    /// Checks `analyze`.
    pub(super) fn analyze(&mut self, query: query::Analyze) -> Result<Accepted, Problem> {
        let query::Analyze { head, subject, effort, turns, strength, own } = query;
        let game = self.game(&subject)?;
        let numbers = game.turns(turns.analyze_turns.as_ref())?;
        let priorities = priorities(&effort, &turns, &numbers)?;
        self.check_room(numbers.len())?;
        let threads = self.threads(&effort);
        let values = own.values.unwrap_or_default();
        if values != Values::None && game.spec().grid.is_none() {
            return Err(no_board(game.spec().variant, "values"));
        }
        let is_infinite = own.infinite.unwrap_or(false);
        let (limits, cap) = self.analyze_limits(&effort, &own, numbers.len());
        let shared = Shared { effort: &effort, threads, limits, cap };
        let multi_pv = self.multi_pv(own.multi_pv);
        let interval = interval(&turns);
        let strength = strength_of(strength);
        let mut new_turns = Vec::with_capacity(numbers.len());
        for ((number, position), priority) in
            numbers.iter().zip(game.positions(&numbers)).zip(priorities)
        {
            let search_moves = self.search_moves(&own, &*position)?;
            let legal = position.legal().len();
            let count = if search_moves.is_empty() { legal } else { search_moves.len() };
            let ranked = match values {
                Values::Search => count.min(self.service.limits.multi_pv),
                _ => multi_pv.min(count),
            };
            let side = position.turn();
            let mut turn = shared.turn(*number, position, ranked);
            if let Some(clock) = &own.clock {
                turn.job.limits.clock = Some(game_clock(clock, side));
            }
            turn.job.search_moves = search_moves;
            turn.job.follows_game = numbers.len() == 1;
            turn.job.settings = turn.job.settings.with_strength(strength);
            turn.job.reports = ReportMode::lines(ranked > 1, interval.is_some());
            (turn.rank.priority, turn.rank.is_infinite) = (priority.to(), is_infinite);
            new_turns.push(turn);
        }
        let kind = QueryKind::Analyze(Analyze {
            multi_pv,
            values,
            includes_legal: own.include_legal.unwrap_or(false),
            includes_forbidden: own.include_forbidden.unwrap_or(false),
        });
        let accepted = self.accepted(head.id, &subject, &effort, kind, new_turns);
        Ok(Accepted { interval, ..accepted })
    }

    /// Checks `solve`.
    pub(super) fn solve(&mut self, query: query::Solve) -> Result<Accepted, Problem> {
        let query::Solve { head, subject, effort, turns, own } = query;
        let game = self.game(&subject)?;
        let spec = game.spec();
        if !spec.is_exact {
            return Err(problem!(NotExact, "variant", "{} has no exact solver", spec.variant));
        }
        let Some(grid) = spec.grid else { return Err(no_board(spec.variant, "variant")) };
        let numbers = game.turns(turns.analyze_turns.as_ref())?;
        let priorities = priorities(&effort, &turns, &numbers)?;
        self.check_room(numbers.len())?;
        let proof = match own.mode.unwrap_or_default() {
            SolveMode::Score => Proof::Score,
            SolveMode::Outcome => Proof::Outcome,
        };
        let all = own.all.unwrap_or(false);
        let interval = interval(&turns);
        let mut shared = self.shared(&effort, None);
        shared.limits.proof = Some(proof);
        let turns = numbers.iter().zip(game.positions(&numbers)).zip(priorities);
        let turns = turns.map(|((number, position), priority)| {
            let ranked = if all { position.legal().len() } else { 1 };
            let mut turn = shared.turn(*number, position, ranked);
            turn.job.reports = ReportMode::lines(all, interval.is_some());
            turn.rank.priority = priority.to();
            turn
        });
        let turns = turns.collect();
        let cells = grid.grid().width() * grid.grid().height();
        let kind = QueryKind::Solve(Solve { scale: Scale { cells, proof }, all });
        let accepted = self.accepted(head.id, &subject, &effort, kind, turns);
        Ok(Accepted { interval, ..accepted })
    }

    /// Checks `review`.
    pub(super) fn review(&mut self, query: query::Review) -> Result<Accepted, Problem> {
        let query::Review { head, subject, effort, own } = query;
        let game = self.game(&subject)?;
        if game.moves.is_empty() {
            return Err(problem!(BadField, "moves", "the game has no moves"));
        }
        let includes_sgf = own.include_sgf.unwrap_or(false);
        if includes_sgf && !game.has_record() {
            let why = "include_sgf: a game from this position has no record";
            return Err(problem!(Unsupported, "include_sgf", "{why}"));
        }
        let numbers: Vec<usize> = (0..=game.moves.len()).collect();
        self.check_room(numbers.len())?;
        let default = own.depth.is_none().then_some(DEFAULT_TIME_OF_MANY);
        let mut shared = self.shared(&effort, default);
        shared.limits.depth = own.depth.map(Int::to);
        let annotator = Annotator {
            language: own.language.unwrap_or_default(),
            varies: own.include_variations.unwrap_or(true),
            limits: shared.limits.clone(),
        };
        let multi_pv = self.multi_pv(own.multi_pv);
        let turns = numbers.iter().zip(game.positions(&numbers)).map(|(number, position)| {
            let ranked = multi_pv.min(position.legal().len());
            shared.turn(*number, position, ranked)
        });
        let turns = turns.collect();
        let style = subject.notation.unwrap_or_default().style();
        let last = game.last();
        let review = Review {
            judge: GameJudge::new(&*last, style, self.service.catalog)
                .explain_all(own.include_reasons.unwrap_or(false)),
            language: annotator.language,
            ended_by: None,
            includes_svg: own.include_svg.unwrap_or(false),
            report: own
                .include_report
                .unwrap_or(false)
                .then(|| (last, game.record().cloned(), annotator.limits.clone())),
            game: includes_sgf.then_some((game, annotator)),
        };
        let kind = QueryKind::Review(Box::new(review));
        Ok(self.accepted(head.id, &subject, &effort, kind, turns))
    }

    /// Checks and answers `position`.
    pub(super) fn position(&mut self, query: PositionQuery) -> Result<PositionReply, Problem> {
        let PositionQuery { head, subject, own } = query;
        let game = self.game(&subject)?;
        let number = game.moves.len();
        let positions = game.positions(&[number]);
        let Some(position) = positions.first() else {
            return Err(Problem::new(Code::Internal, "the position cannot be set up"));
        };
        let position = &**position;
        let style = subject.notation.unwrap_or_default().style();
        let values = match own.values.unwrap_or_default() {
            StaticValues::None => None,
            StaticValues::Static => {
                let values = write::values(position, self.service.catalog.judge_moves(position));
                Some(values.ok_or_else(|| no_board(game.spec().variant, "values"))?)
            }
        };
        let threats = match own.include_threats {
            Some(true) => Some(self.threats(position, style, own.language.unwrap_or_default())?),
            _ => None,
        };
        let legal = own.include_legal.unwrap_or(true);
        let forbidden = own.include_forbidden.unwrap_or(true);
        let extras = Extras {
            legal: legal.then(|| write::legal(position, style)),
            forbidden: forbidden.then(|| write::forbidden(position, style)),
            values,
            threats,
            opening: self.service.catalog.opening_name(position).map(OpeningInfo::from),
        };
        let reply = write::described(head.id, number, position, extras);
        Ok(PositionReply { pictures: pictures(&own, &game, position, style)?, ..reply })
    }

    /// Returns the threats of both sides, with words in `language`.
    fn threats(
        &self,
        position: &dyn Position,
        style: Style,
        language: Language,
    ) -> Result<Vec<SideThreats>, Problem> {
        const FIELD: &str = "include_threats";
        if !self.service.limits.may_ask_threats {
            return Err(problem!(Forbidden, FIELD, "{FIELD}: not for remote sessions"));
        }
        let variant = position.spec().variant;
        match self.service.catalog.threats(position) {
            Some(found) => Ok(write::threats(position, &found, style, language)),
            None => {
                Err(problem!(Unsupported, FIELD, "{FIELD}: {variant} has no search of threats"))
            }
        }
    }

    /// Reads the game of a query. Warns about the assumed rules if its record does not name them.
    pub(super) fn game(&mut self, subject: &Subject) -> Result<GameLine, Problem> {
        let Service { catalog, variant, .. } = self.service;
        let first = catalog.variants().first().map_or("", |variant| variant.name);
        let game = GameLine::of(*catalog, variant.unwrap_or(first), subject)?;
        for (code, text) in &game.warnings {
            self.warn(*code, "sgf", text.clone());
        }
        Ok(game)
    }

    pub(super) fn accepted(
        &self,
        id: Id,
        subject: &Subject,
        effort: &Effort,
        kind: QueryKind,
        turns: Vec<NewTurn>,
    ) -> Accepted {
        let style = subject.notation.unwrap_or_default().style();
        let format = ReplyFormat { style, shows_wdl: effort.wdl.unwrap_or(true) };
        Accepted { id, received: self.received, format, kind, interval: None, turns }
    }

    fn warn(&mut self, code: WarningCode, field: &str, message: String) {
        self.warnings.push((code, field.to_owned(), message));
    }

    /// Refuses a query if the queue has no room for its turns.
    pub(super) fn check_room(&self, turns: usize) -> Result<(), Problem> {
        let Room { positions, retry_after } = self.room;
        if turns <= positions {
            return Ok(());
        }
        let max = self.service.limits.queue.unwrap_or(positions);
        let message = match turns > max {
            true => format!("{turns} positions: a session may have {max} in the queue"),
            false => format!("{turns} positions: the queue takes {positions} more"),
        };
        let retry_after_ms = Some(super::millis(retry_after));
        Err(Problem { retry_after_ms, ..Problem::new(Code::TooMany, message) })
    }

    fn threads(&mut self, effort: &Effort) -> usize {
        let max = self.service.threads;
        let requested = effort.threads.map_or(max, Int::to);
        if requested > max {
            let message = format!("threads {requested}: this server allows 1 to {max}");
            self.warn(WarningCode::Clamped, "threads", message);
        }
        requested.min(max)
    }

    fn multi_pv(&mut self, requested: Option<query::MoveCount>) -> usize {
        let (requested, max) = (requested.map_or(1, Int::to), self.service.limits.multi_pv);
        if requested > max {
            let message = format!("multi_pv {requested}: this server ranks at most {max} moves");
            self.warn(WarningCode::Clamped, "multi_pv", message);
        }
        requested.min(max)
    }

    /// Returns what the searches of a query share; `default` is the time if `effort` has no limit.
    pub(super) fn shared<'a>(
        &mut self,
        effort: &'a Effort,
        default: Option<Duration>,
    ) -> Shared<'a> {
        let threads = self.threads(effort);
        let mut limits = effort_limits(effort);
        if limits == Limits::default() {
            limits.movetime = default;
        }
        let (limits, cap) = self.cap_time(limits, effort);
        Shared { effort, threads, limits, cap }
    }

    /// Applies the server's time limit.
    fn cap_time(&mut self, mut limits: Limits, effort: &Effort) -> (Limits, TimeCap) {
        let max = self.service.limits.time;
        let Some(max) = max.filter(|max| limits.movetime.is_none_or(|time| time > *max)) else {
            return (limits, TimeCap::None);
        };
        if let Some(requested) = effort.time_ms {
            let message =
                format!("time_ms {requested}: this server allows 1 to {}", super::millis(max));
            self.warn(WarningCode::Clamped, "time_ms", message);
        }
        if limits.movetime.is_none() {
            return (limits, TimeCap::StopAfter(max));
        }
        limits.movetime = Some(max);
        (limits, TimeCap::Clamped)
    }

    /// Returns the limits of each of `turns` searches of an `analyze`.
    fn analyze_limits(
        &mut self,
        effort: &Effort,
        own: &AnalyzeFields,
        turns: usize,
    ) -> (Limits, TimeCap) {
        if own.infinite == Some(true) {
            // Other limits do not count. The session applies the server's limit for infinite
            // searches.
            return (Limits::default().until_stopped(), TimeCap::None);
        }
        let mut limits = effort_limits(effort);
        limits.depth = own.depth.map(Int::to);
        limits.mate = own.mate.map(Int::to);
        if limits == Limits::default() && own.clock.is_none() {
            limits.movetime = Some(if turns > 1 { DEFAULT_TIME_OF_MANY } else { DEFAULT_TIME });
        }
        self.cap_time(limits, effort)
    }

    /// Returns the moves to search; empty for all moves.
    fn search_moves(
        &mut self,
        own: &AnalyzeFields,
        position: &dyn Position,
    ) -> Result<Vec<Move>, Problem> {
        let (field, filter) = match (&own.allow_moves, &own.avoid_moves) {
            (None, None) => return Ok(Vec::new()),
            (Some(_), Some(_)) => {
                let why = "avoid_moves: cannot be combined with allow_moves; remove one";
                return Err(problem!(BadField, "avoid_moves", "{why}"));
            }
            (Some(filter), None) => ("allow_moves", filter),
            (None, Some(filter)) => ("avoid_moves", filter),
        };
        let texts = filter_texts(field, filter, position)?;
        if position.outcome().is_some() {
            return Ok(Vec::new());
        }
        let mut moves = position.legal();
        let mut named = Vec::new();
        for text in texts {
            match words::legal_move(position, &moves, text) {
                Ok(mv) => named.push(mv),
                Err(error) => self.warn(WarningCode::IllegalMove, field, describe_move(&error)),
            }
        }
        moves.retain(|mv| named.contains(mv) == (field == "allow_moves"));
        if moves.is_empty() {
            return Err(problem!(BadMove, field, "{field}: no move is left to search"));
        }
        Ok(moves)
    }
}

/// Returns the strength of the engine; full strength without `level` and `elo`.
pub(super) fn strength_of(fields: StrengthFields) -> Strength {
    let StrengthFields { level, elo, level_seed } = fields;
    Strength::default()
        .with_skill(level.map_or(Strength::FULL, Int::to))
        .with_elo(elo.map(Int::to))
        .with_seed(level_seed.map_or(0, Int::to))
}

/// Returns what `position` shows of a board, as far as the query requests it.
fn pictures(
    own: &PositionFields,
    game: &GameLine,
    position: &dyn Position,
    style: Style,
) -> Result<Pictures, Problem> {
    let variant = game.spec().variant;
    let wanted = |field: Option<bool>| field == Some(true);
    let svg = wanted(own.include_svg).then(|| board(position, &Overlay::default()));
    let svg = svg.map(|svg| svg.ok_or_else(|| no_board(variant, "include_svg"))).transpose()?;
    let sgf = wanted(own.include_sgf).then(|| game.sgf());
    let sgf = sgf.map(|sgf| sgf.ok_or_else(|| no_board(variant, "include_sgf"))).transpose()?;
    let points = || position.winning_line().iter().map(ToString::to_string).collect();
    let moves = || game.written(style).into_iter().map(MoveText).collect();
    Ok(Pictures {
        board: if wanted(own.include_board) { board_info(game.spec()) } else { None },
        moves: wanted(own.include_moves).then(moves),
        winning_line: wanted(own.include_winning_line).then(points),
        text: wanted(own.include_text).then(|| position.draw()),
        svg,
        sgf,
    })
}

fn no_board(variant: &str, field: &str) -> Problem {
    problem!(Unsupported, field, "{variant} has no board")
}

/// Returns the priority of each turn.
fn priorities(effort: &Effort, turns: &Turns, numbers: &[usize]) -> Result<Vec<Priority>, Problem> {
    let Some(priorities) = &turns.priorities else {
        return Ok(vec![effort.priority.unwrap_or(Int::nearest(0)); numbers.len()]);
    };
    let priorities = priorities.items();
    if priorities.len() == numbers.len() {
        return Ok(priorities.to_vec());
    }
    let (given, turns) = (priorities.len(), numbers.len());
    Err(problem!(BadField, "priorities", "priorities: {given} for {turns} turns"))
}

fn interval(turns: &Turns) -> Option<Duration> {
    let millis = turns.report_every_ms.map_or(0, |interval| interval.millis());
    (millis > 0).then(|| Duration::from_millis(millis.into()))
}

fn effort_limits(effort: &Effort) -> Limits {
    let mut limits = Limits::default();
    limits.nodes = effort.nodes.map(Int::to);
    limits.movetime = effort.time_ms.map(|time| Duration::from_millis(time.to()));
    limits
}

/// Returns the game clock of both sides. `turn` is the side to move.
fn game_clock(clock: &GameClock, turn: Side) -> Clock {
    let time = |millis: Int<0, 86_400_000>| Duration::from_millis(millis.to());
    let (own, other) = (time(clock.left_ms), clock.opponent_left_ms.map(time));
    let mut remaining = [other; 2];
    remaining[turn.index()] = Some(own);
    let increment = clock.inc_ms.map_or(Duration::ZERO, time);
    let mut both = Clock::new(remaining, [increment; 2]);
    both.moves_to_go = clock.moves_to_go.map(Int::to);
    both
}

/// Returns the texts of the moves in `filter`.
fn filter_texts<'a>(
    field: &str,
    filter: &'a MoveFilter,
    position: &dyn Position,
) -> Result<Vec<&'a str>, Problem> {
    let unsupported = |message: String| Err(Problem::with(Code::Unsupported, field, message));
    let mut texts: Vec<&str> = filter.moves.iter().map(String::as_str).collect();
    for FilterRule { side, moves, until_depth } in &filter.rules {
        if let Some(depth) = until_depth.filter(|depth| depth.get() != 1) {
            return unsupported(format!("until_depth {depth}: only 1 is supported"));
        }
        if side.is_some_and(|side| side != SideName::from(position.turn())) {
            return unsupported("side: only the side to move is supported".to_owned());
        }
        texts.extend(moves.items().iter().map(String::as_str));
    }
    Ok(texts)
}
