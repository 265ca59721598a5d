//! Checks queries against the rules of their game and the limits of the server.
//!
//! It starts no search and does not change the session, so a refused query has no effect.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_engine::backend::Settings;
use tengen_engine::{Clock, Limits, Move, Point, Position, Proof, Side, Strength};

use super::interface::{Room, Service};
use super::subject::{GameLine, describe_move};
use super::turns::{Analyze, QueryKind, Review, Solve, Swap, TimeCap};
use super::write::{self, ReplyFormat};
use crate::dialect::json::number::{Id, Int};
use crate::dialect::json::query::{
    self, AnalyzeFields, Effort, FilterRule, GameClock, MoveFilter, PositionQuery, Priority,
    SolveMode, StaticValues, Subject, Turns, Values,
};
use crate::dialect::json::reply::{Extras, PositionReply, WarningCode};
use crate::dialect::json::{Code, Problem, SideName};
use crate::judge::solver::Scale;
use crate::pool::job::{Job, ReportMode};
use crate::pool::queue::Rank;

/// The default time of a search of one position.
const DEFAULT_TIME: Duration = Duration::from_secs(3);
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
    pub(super) turns: Vec<NewTurn>,
}

/// A turn to search.
pub(super) struct NewTurn {
    pub(super) number: usize,
    pub(super) job: Job,
    pub(super) rank: Rank,
    pub(super) cap: TimeCap,
}

/// The limits of a search, and the effect of the server's time limit on it.
#[derive(Clone)]
struct CappedLimits {
    limits: Limits,
    cap: TimeCap,
}

fn game(service: &Service, subject: &Subject) -> Result<GameLine, Problem> {
    let first = service.catalog.variants().first().map_or("", |variant| variant.name);
    GameLine::of(service.catalog, service.variant.unwrap_or(first), subject)
}

/// Warns about the assumed rules if the game's record does not name its rules.
fn warn_about_rules(game: &GameLine, warnings: &mut Warnings) {
    if let Some(warning) = &game.warning {
        warnings.push((WarningCode::AssumedRules, "sgf".to_owned(), warning.clone()));
    }
}

fn reply_format(subject: &Subject, effort: &Effort) -> ReplyFormat {
    ReplyFormat {
        style: subject.notation.unwrap_or_default().style(),
        shows_wdl: effort.wdl.unwrap_or(true),
    }
}

/// Checks `analyze`.
pub(super) fn analyze(
    service: &Service,
    query: query::Analyze,
    received: Instant,
    room: Room,
    warnings: &mut Warnings,
) -> Result<Accepted, Problem> {
    let query::Analyze { head, subject, effort, turns, own } = query;
    let game = game(service, &subject)?;
    warn_about_rules(&game, warnings);
    let numbers = game.turns(turns.analyze_turns.as_ref())?;
    let priorities = priorities(&effort, &turns, &numbers)?;
    check_room(service, room, numbers.len())?;
    let threads = threads(service, &effort, warnings);
    let values = own.values.unwrap_or_default();
    if values != Values::None && game.spec().grid.is_none() {
        return Err(no_board(game.spec().variant, "values"));
    }
    let is_infinite = own.infinite.unwrap_or(false);
    let capped = analyze_limits(service, &effort, &own, numbers.len(), warnings);
    let multi_pv = multi_pv(service, own.multi_pv, warnings);
    let interval = interval(&turns);
    let strength = strength(own.level, own.elo, own.level_seed);
    let mut new_turns = Vec::with_capacity(numbers.len());
    for ((number, position), priority) in
        numbers.iter().zip(game.positions(&numbers)).zip(priorities)
    {
        let search_moves = search_moves(&own, &*position, warnings)?;
        let mut capped = capped.clone();
        if let Some(clock) = &own.clock {
            capped.limits.clock = Some(game_clock(clock, position.turn()));
        }
        let legal = position.legal().len();
        let count = if search_moves.is_empty() { legal } else { search_moves.len() };
        let ranked = match values {
            Values::Search => count.min(service.limits.multi_pv),
            _ => multi_pv.min(count),
        };
        let job = Job {
            position,
            limits: capped.limits,
            search_moves,
            settings: settings(&effort, threads, ranked).with_strength(strength),
            is_fresh: effort.fresh.unwrap_or(false),
            keeps_table: false,
            received: None,
            reports: ReportMode::lines(interval.is_some() || ranked > 1, interval.is_some()),
        };
        let rank = rank(priority, *number, threads, is_infinite);
        new_turns.push(NewTurn { number: *number, job, rank, cap: capped.cap });
    }
    let kind = QueryKind::Analyze(Analyze {
        is_infinite,
        multi_pv,
        values,
        includes_legal: own.include_legal.unwrap_or(false),
        includes_forbidden: own.include_forbidden.unwrap_or(false),
        interval,
    });
    let format = reply_format(&subject, &effort);
    Ok(Accepted { id: head.id, received, format, kind, turns: new_turns })
}

/// Checks `solve`.
pub(super) fn solve(
    service: &Service,
    query: query::Solve,
    received: Instant,
    room: Room,
    warnings: &mut Warnings,
) -> Result<Accepted, Problem> {
    let query::Solve { head, subject, effort, turns, own } = query;
    let game = game(service, &subject)?;
    warn_about_rules(&game, warnings);
    let spec = game.spec();
    if !spec.is_exact {
        let message = format!("{} has no exact solver", spec.variant);
        return Err(Problem::with(Code::NotExact, "variant", message));
    }
    let Some(grid) = spec.grid else { return Err(no_board(spec.variant, "variant")) };
    let numbers = game.turns(turns.analyze_turns.as_ref())?;
    let priorities = priorities(&effort, &turns, &numbers)?;
    check_room(service, room, numbers.len())?;
    let threads = threads(service, &effort, warnings);
    let proof = match own.mode.unwrap_or_default() {
        SolveMode::Score => Proof::Score,
        SolveMode::Outcome => Proof::Outcome,
    };
    let all = own.all.unwrap_or(false);
    let interval = interval(&turns);
    let mut capped = effort_limits(service, &effort, None, warnings);
    capped.limits.proof = Some(proof);
    let positions = game.positions(&numbers).into_iter();
    let turns =
        numbers.iter().zip(positions).zip(priorities).map(|((number, position), priority)| {
            let legal = position.legal().len();
            let job = Job {
                position,
                limits: capped.limits.clone(),
                search_moves: Vec::new(),
                settings: settings(&effort, threads, if all { legal } else { 1 }),
                is_fresh: effort.fresh.unwrap_or(false),
                keeps_table: false,
                received: None,
                reports: ReportMode::lines(interval.is_some() || all, interval.is_some()),
            };
            let rank = rank(priority, *number, threads, false);
            NewTurn { number: *number, job, rank, cap: capped.cap }
        });
    let cells = grid.grid().width() * grid.grid().height();
    let kind = QueryKind::Solve(Solve { scale: Scale { cells, proof }, all, interval });
    let format = reply_format(&subject, &effort);
    Ok(Accepted { id: head.id, received, format, kind, turns: turns.collect() })
}

/// Checks `review`.
pub(super) fn review(
    service: &Service,
    query: query::Review,
    received: Instant,
    room: Room,
    warnings: &mut Warnings,
) -> Result<Accepted, Problem> {
    let query::Review { head, subject, effort, own } = query;
    let game = game(service, &subject)?;
    warn_about_rules(&game, warnings);
    if game.is_empty() {
        return Err(Problem::with(Code::BadField, "moves", "the game has no moves"));
    }
    let includes_sgf = own.include_sgf.unwrap_or(false);
    if includes_sgf && game.annotated(&[]).is_none() {
        let message = "include_sgf: a game from this position has no record";
        return Err(Problem::with(Code::Unsupported, "include_sgf", message));
    }
    let numbers: Vec<usize> = (0..=game.len()).collect();
    check_room(service, room, numbers.len())?;
    let threads = threads(service, &effort, warnings);
    let is_limited = effort.time_ms.is_some() || effort.nodes.is_some() || own.depth.is_some();
    let default = (!is_limited).then_some(DEFAULT_TIME_OF_MANY);
    let mut capped = effort_limits(service, &effort, default, warnings);
    capped.limits.depth = own.depth.map(|depth| depth.to());
    let multi_pv = multi_pv(service, own.multi_pv, warnings);
    let priority = effort.priority.unwrap_or(Int::nearest(0));
    let positions = game.positions(&numbers).into_iter();
    let turns = numbers.iter().zip(positions).map(|(number, position)| {
        let ranked = multi_pv.min(position.legal().len());
        let job = Job {
            settings: settings(&effort, threads, ranked),
            position,
            limits: capped.limits.clone(),
            search_moves: Vec::new(),
            is_fresh: effort.fresh.unwrap_or(false),
            keeps_table: false,
            received: None,
            reports: ReportMode::lines(ranked > 1, false),
        };
        let rank = rank(priority, *number, threads, false);
        NewTurn { number: *number, job, rank, cap: capped.cap }
    });
    let turns = turns.collect();
    let format = reply_format(&subject, &effort);
    let review = Review {
        moves: game.written(format.style),
        findings: vec![None; numbers.len()],
        judged: Vec::new(),
        ended_by: None,
        game: includes_sgf.then_some(game),
    };
    let kind = QueryKind::Review(Box::new(review));
    Ok(Accepted { id: head.id, received, format, kind, turns })
}

/// Checks `swap2`.
pub(super) fn swap2(
    service: &Service,
    query: query::Swap2,
    received: Instant,
    room: Room,
    warnings: &mut Warnings,
) -> Result<Accepted, Problem> {
    let query::Swap2 { head, subject, effort, own } = query;
    let game = game(service, &subject)?;
    warn_about_rules(&game, warnings);
    let spec = game.spec();
    let opening = service.catalog.swap_opening(spec).zip(spec.grid);
    let no_opening = || {
        let message = format!("{} has no opening in which the players swap sides", spec.variant);
        Problem::with(Code::Unsupported, "variant", message)
    };
    let (opening, grid) = opening.ok_or_else(no_opening)?;
    if subject.fen.is_some() {
        let message = "fen: an opening begins with an empty board";
        return Err(Problem::with(Code::BadField, "fen", message));
    }
    let played: Option<Vec<Point>> = game.moves().iter().map(|mv| grid.point_of(*mv)).collect();
    let stones = played.and_then(|points| opening.stones(&points, grid.grid()));
    let stones = stones.ok_or_else(|| {
        let message = format!("0, 3 or 5 stones leave a choice, not {}", game.len());
        Problem::with(Code::BadField, "moves", message)
    })?;
    check_room(service, room, 1)?;
    let mut position = service.catalog.position(spec);
    for point in &stones {
        // The proposed stones of the game cannot be played where stones fall.
        position.play(grid.move_to(*point)).map_err(|_| no_opening())?;
    }
    let mut search_moves = position.legal();
    search_moves
        .retain(|mv| grid.point_of(*mv).is_some_and(|point| opening.considers(&stones, point)));
    let ranked = if opening.needs_one_line(&stones) { 1 } else { search_moves.len() };
    let threads = threads(service, &effort, warnings);
    let is_limited = effort.time_ms.is_some() || effort.nodes.is_some();
    let default = (!is_limited).then_some(DEFAULT_TIME);
    let capped = effort_limits(service, &effort, default, warnings);
    let ranking = Arc::default();
    let job = Job {
        position,
        limits: capped.limits,
        search_moves,
        settings: settings(&effort, threads, ranked).with_strength(strength(
            own.level,
            own.elo,
            own.level_seed,
        )),
        is_fresh: effort.fresh.unwrap_or(false),
        keeps_table: false,
        received: None,
        reports: ReportMode::Ranked(Arc::clone(&ranking)),
    };
    let rank = rank(effort.priority.unwrap_or(Int::nearest(0)), game.len(), threads, false);
    let turn = NewTurn { number: game.len(), job, rank, cap: capped.cap };
    let kind = QueryKind::Swap(Swap { opening, stones, ranking });
    let format = reply_format(&subject, &effort);
    Ok(Accepted { id: head.id, received, format, kind, turns: vec![turn] })
}

/// Returns the strength of the engine; full strength without `level` and `elo`.
fn strength(
    level: Option<query::Level>,
    elo: Option<query::Elo>,
    seed: Option<query::LevelSeed>,
) -> Strength {
    Strength::default()
        .with_skill(level.map_or(Strength::FULL, |level| level.to()))
        .with_elo(elo.map(|elo| elo.to()))
        .with_seed(seed.map_or(0, |seed| seed.to()))
}

/// Checks and answers `position`.
pub(super) fn position(
    service: &Service,
    query: PositionQuery,
    warnings: &mut Warnings,
) -> Result<PositionReply, Problem> {
    let PositionQuery { head, subject, own } = query;
    let game = game(service, &subject)?;
    warn_about_rules(&game, warnings);
    let number = game.len();
    let positions = game.positions(&[number]);
    let Some(position) = positions.first() else {
        return Err(Problem::new(Code::Internal, "the position cannot be set up"));
    };
    let style = subject.notation.unwrap_or_default().style();
    let values = match own.values.unwrap_or_default() {
        StaticValues::None => None,
        StaticValues::Static => {
            let judged = service.catalog.judge_moves(&**position);
            let values = write::values(&**position, judged);
            Some(values.ok_or_else(|| no_board(game.spec().variant, "values"))?)
        }
    };
    let extras = Extras {
        legal: own.include_legal.unwrap_or(true).then(|| write::legal(&**position, style)),
        forbidden: own
            .include_forbidden
            .unwrap_or(true)
            .then(|| write::forbidden(&**position, style)),
        values,
    };
    Ok(write::described(head.id, number, &**position, extras))
}

fn no_board(variant: &str, field: &str) -> Problem {
    Problem::with(Code::Unsupported, field, format!("{variant} has no board"))
}

/// Refuses a query if the queue has no room for its turns.
fn check_room(service: &Service, room: Room, turns: usize) -> Result<(), Problem> {
    if turns <= room.positions {
        return Ok(());
    }
    let max = service.limits.queue.unwrap_or(room.positions);
    let message = match turns > max {
        true => format!("{turns} positions: a session may have {max} in the queue"),
        false => format!("{turns} positions: the queue takes {} more", room.positions),
    };
    let mut problem = Problem::new(Code::TooMany, message);
    problem.retry_after_ms = Some(super::millis(room.retry_after));
    Err(problem)
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
    let message = format!("priorities: {} for {} turns", priorities.len(), numbers.len());
    Err(Problem::with(Code::BadField, "priorities", message))
}

fn rank(priority: Priority, number: usize, threads: usize, is_infinite: bool) -> Rank {
    let (turn, threads) = (number as u32, threads as u32);
    Rank { priority: priority.to(), turn, threads, is_infinite }
}

fn threads(service: &Service, effort: &Effort, warnings: &mut Warnings) -> usize {
    let Some(requested) = effort.threads else { return service.threads };
    let max = service.threads;
    if requested.to::<usize>() > max {
        let message = format!("threads {requested}: this server has {max} for a search");
        warnings.push((WarningCode::Clamped, "threads".to_owned(), message));
    }
    requested.to::<usize>().min(max)
}

fn multi_pv(
    service: &Service,
    requested: Option<query::MoveCount>,
    warnings: &mut Warnings,
) -> usize {
    let (requested, max) = (requested.map_or(1, |count| count.to()), service.limits.multi_pv);
    if requested > max {
        let message = format!("multi_pv {requested}: this server ranks at most {max} moves");
        warnings.push((WarningCode::Clamped, "multi_pv".to_owned(), message));
    }
    requested.min(max)
}

/// Returns the settings of the backend for a search that ranks `ranked` moves.
fn settings(effort: &Effort, threads: usize, ranked: usize) -> Settings {
    Settings::default()
        .with_threads(threads)
        .with_multi_pv(ranked.max(1))
        .with_own_book(effort.book.unwrap_or(true))
}

fn interval(turns: &Turns) -> Option<Duration> {
    let millis = turns.report_every_ms.map_or(0, |interval| interval.millis());
    (millis > 0).then(|| Duration::from_millis(millis.into()))
}

/// Returns the limits in `effort`; `default` is the time if `effort` has none.
fn effort_limits(
    service: &Service,
    effort: &Effort,
    default: Option<Duration>,
    warnings: &mut Warnings,
) -> CappedLimits {
    let mut limits = Limits::default();
    limits.nodes = effort.nodes.map(|nodes| nodes.to());
    limits.movetime = effort.time_ms.map(|time| Duration::from_millis(time.to())).or(default);
    cap_time(limits, service.limits.time, effort, warnings)
}

/// Applies the server's time limit `max`.
fn cap_time(
    mut limits: Limits,
    max: Option<Duration>,
    effort: &Effort,
    warnings: &mut Warnings,
) -> CappedLimits {
    let Some(max) = max.filter(|max| limits.movetime.is_none_or(|time| time > *max)) else {
        return CappedLimits { limits, cap: TimeCap::None };
    };
    if let Some(requested) = effort.time_ms {
        let message = format!("time_ms {requested}: at most {} here", super::millis(max));
        warnings.push((WarningCode::Clamped, "time_ms".to_owned(), message));
    }
    if limits.movetime.is_none() {
        return CappedLimits { limits, cap: TimeCap::StopAfter(max) };
    }
    limits.movetime = Some(max);
    CappedLimits { limits, cap: TimeCap::Clamped }
}

/// Returns the limits of each of `turns` searches of an `analyze`.
fn analyze_limits(
    service: &Service,
    effort: &Effort,
    own: &AnalyzeFields,
    turns: usize,
    warnings: &mut Warnings,
) -> CappedLimits {
    let mut limits = Limits::default();
    limits.nodes = effort.nodes.map(|nodes| nodes.to());
    limits.depth = own.depth.map(|depth| depth.to());
    limits.mate = own.mate.map(|plies| plies.to());
    let is_infinite = own.infinite.unwrap_or(false);
    let is_limited = limits != Limits::default()
        || own.clock.is_some()
        || effort.time_ms.is_some()
        || is_infinite;
    let default = if turns > 1 { DEFAULT_TIME_OF_MANY } else { DEFAULT_TIME };
    limits.movetime = effort.time_ms.map(|time| Duration::from_millis(time.to()));
    if !is_limited {
        limits.movetime = Some(default);
    }
    if is_infinite {
        // Other limits do not count. The session applies the server's limit for infinite searches.
        return CappedLimits { limits: Limits::default().until_stopped(), cap: TimeCap::None };
    }
    cap_time(limits, service.limits.time, effort, warnings)
}

/// Returns the game clock of both sides. `turn` is the side to move.
fn game_clock(clock: &GameClock, turn: Side) -> Clock {
    let time = |millis: Int<0, 86_400_000>| Duration::from_millis(millis.to());
    let (own, other) = (time(clock.left_ms), clock.opponent_left_ms.map(time));
    let mut remaining = [other; 2];
    remaining[turn.index()] = Some(own);
    let increment = clock.inc_ms.map_or(Duration::ZERO, time);
    Clock::new(remaining, [increment; 2])
}

/// Returns the moves to search; empty for all moves.
fn search_moves(
    own: &AnalyzeFields,
    position: &dyn Position,
    warnings: &mut Warnings,
) -> Result<Vec<Move>, Problem> {
    let (field, filter) = match (&own.allow_moves, &own.avoid_moves) {
        (None, None) => return Ok(Vec::new()),
        (Some(_), Some(_)) => {
            let message = "avoid_moves: allow_moves is there too";
            return Err(Problem::with(Code::BadField, "avoid_moves", message));
        }
        (Some(filter), None) => ("allow_moves", filter),
        (None, Some(filter)) => ("avoid_moves", filter),
    };
    let texts = filter_texts(field, filter, position)?;
    if position.outcome().is_some() {
        return Ok(Vec::new());
    }
    let legal = position.legal();
    let mut named = Vec::new();
    for text in texts {
        let why = match position.read_move(text) {
            Ok(mv) if legal.contains(&mv) => {
                named.push(mv);
                continue;
            }
            Ok(_) => format!("\"{text}\": a forbidden move, which loses the game"),
            Err(error) => describe_move(&error),
        };
        warnings.push((WarningCode::IllegalMove, field.to_owned(), why));
    }
    let is_allowing = field == "allow_moves";
    let moves: Vec<Move> =
        legal.into_iter().filter(|mv| named.contains(mv) == is_allowing).collect();
    if moves.is_empty() {
        let message = format!("{field}: no move is left to search");
        return Err(Problem::with(Code::BadMove, field, message));
    }
    Ok(moves)
}

/// Returns the texts of the moves in `filter`.
fn filter_texts<'a>(
    field: &str,
    filter: &'a MoveFilter,
    position: &dyn Position,
) -> Result<Vec<&'a str>, Problem> {
    let rules = match filter {
        MoveFilter::Moves(moves) => return Ok(moves.iter().map(String::as_str).collect()),
        MoveFilter::Rules(rules) => rules,
    };
    let unsupported = |message: String| Err(Problem::with(Code::Unsupported, field, message));
    let mut texts = Vec::new();
    for FilterRule { side, moves, until_depth } in rules {
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
