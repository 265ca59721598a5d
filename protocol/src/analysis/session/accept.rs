//! What a query asks for, checked against the rules of its game and the limits of the server.
//!
//! Nothing is searched here, and nothing of the session is changed: a query that is refused leaves no
//! trace.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tengen_engine::backend::Settings;
use tengen_engine::{Clock, Limits, Move, Point, Position, Proof, Side, Strength};

use super::interface::{Room, Service};
use super::turns::{Analyze, Ask, Review, Solve, Swap, TimeCap};
use crate::analysis::job::{Job, Reports};
use crate::analysis::queue::Rank;
use crate::analysis::solver::Scale;
use crate::analysis::subject::{GameLine, describe_move};
use crate::analysis::write::{self, Manner};
use crate::dialect::json::number::{Id, Int};
use crate::dialect::json::query::{
    self, AnalyzeFields, Effort, FilterRule, GameClock, MoveFilter, PositionQuery, Priority,
    SolveMode, StaticValues, Subject, Turns, Values,
};
use crate::dialect::json::reply::{Extras, PositionReply, WarningCode};
use crate::dialect::json::{Code, Problem, SideName};

/// How long a position is searched when nothing else is asked for.
const USUAL_TIME: Duration = Duration::from_secs(3);
/// How long each of several positions is.
const USUAL_TIME_OF_MANY: Duration = Duration::from_millis(500);

/// What a client should know of a query that goes on: the kind, the field, a line for people.
pub(super) type Warnings = Vec<(WarningCode, String, String)>;

/// A query that can be carried out.
pub(super) struct Accepted {
    pub(super) id: Id,
    pub(super) asked: Instant,
    pub(super) manner: Manner,
    pub(super) ask: Ask,
    pub(super) turns: Vec<Wanted>,
}

/// A turn to search.
pub(super) struct Wanted {
    pub(super) number: usize,
    pub(super) job: Job,
    pub(super) rank: Rank,
    pub(super) cap: TimeCap,
}

/// The limits of a search, and what the server's limit on time does to it.
#[derive(Clone)]
struct Bounds {
    limits: Limits,
    cap: TimeCap,
}

fn game(service: &Service, subject: &Subject) -> Result<GameLine, Problem> {
    let first = service.catalog.variants().first().map_or("", |variant| variant.name);
    GameLine::of(service.catalog, service.variant.unwrap_or(first), subject)
}

/// Tells which rules were taken where a record leaves that open.
fn tell_rules(game: &GameLine, warnings: &mut Warnings) {
    if let Some(warning) = &game.warning {
        warnings.push((WarningCode::AssumedRules, "sgf".to_owned(), warning.clone()));
    }
}

fn manner(subject: &Subject, effort: &Effort) -> Manner {
    Manner {
        style: subject.notation.unwrap_or_default().style(),
        shows_wdl: effort.wdl.unwrap_or(true),
    }
}

/// Checks `analyze`.
pub(super) fn analyze(
    service: &Service,
    query: query::Analyze,
    asked: Instant,
    room: Room,
    warnings: &mut Warnings,
) -> Result<Accepted, Problem> {
    let query::Analyze { head, subject, effort, turns, own } = query;
    let game = game(service, &subject)?;
    tell_rules(&game, warnings);
    let numbers = game.turns(turns.analyze_turns.as_ref())?;
    let ranks = ranks(&effort, &turns, &numbers)?;
    fits(service, room, numbers.len())?;
    let threads = threads(service, &effort, warnings);
    let values = own.values.unwrap_or_default();
    if values != Values::None && game.spec().grid.is_none() {
        return Err(no_board(game.spec().variant, "values"));
    }
    let is_infinite = own.infinite.unwrap_or(false);
    let bounds = analysis_bounds(service, &effort, &own, numbers.len(), warnings);
    let multi_pv = multi_pv(service, own.multi_pv, warnings);
    let interval = interval(&turns);
    let strength = strength(own.level, own.elo, own.level_seed);
    let mut wanted = Vec::with_capacity(numbers.len());
    for ((number, position), priority) in numbers.iter().zip(game.positions(&numbers)).zip(ranks) {
        let search_moves = search_moves(&own, &*position, warnings)?;
        let mut bounds = bounds.clone();
        if let Some(clock) = &own.clock {
            bounds.limits.clock = Some(game_clock(clock, position.turn()));
        }
        let legal = position.legal().len();
        let most = if search_moves.is_empty() { legal } else { search_moves.len() };
        let ranked = match values {
            Values::Search => most.min(service.limits.multi_pv),
            _ => multi_pv.min(most),
        };
        let job = Job {
            position,
            limits: bounds.limits,
            search_moves,
            settings: settings(&effort, threads, ranked).with_strength(strength),
            is_fresh: effort.fresh.unwrap_or(false),
            keeps_table: false,
            received: None,
            reports: Reports::lines(interval.is_some() || ranked > 1, interval.is_some()),
        };
        let rank = rank(priority, *number, threads, is_infinite);
        wanted.push(Wanted { number: *number, job, rank, cap: bounds.cap });
    }
    let ask = Analyze {
        is_infinite,
        multi_pv,
        values,
        includes_legal: own.include_legal.unwrap_or(false),
        includes_forbidden: own.include_forbidden.unwrap_or(false),
        interval,
    };
    let manner = manner(&subject, &effort);
    Ok(Accepted { id: head.id, asked, manner, ask: Ask::Analyze(ask), turns: wanted })
}

/// Checks `solve`.
pub(super) fn solve(
    service: &Service,
    query: query::Solve,
    asked: Instant,
    room: Room,
    warnings: &mut Warnings,
) -> Result<Accepted, Problem> {
    let query::Solve { head, subject, effort, turns, own } = query;
    let game = game(service, &subject)?;
    tell_rules(&game, warnings);
    let spec = game.spec();
    if !spec.is_exact {
        let message = format!("{} has no exact solver", spec.variant);
        return Err(Problem::with(Code::NotExact, "variant", message));
    }
    let Some(grid) = spec.grid else { return Err(no_board(spec.variant, "variant")) };
    let numbers = game.turns(turns.analyze_turns.as_ref())?;
    let ranks = ranks(&effort, &turns, &numbers)?;
    fits(service, room, numbers.len())?;
    let threads = threads(service, &effort, warnings);
    let proof = match own.mode.unwrap_or_default() {
        SolveMode::Score => Proof::Score,
        SolveMode::Outcome => Proof::Outcome,
    };
    let all = own.all.unwrap_or(false);
    let interval = interval(&turns);
    let mut bounds = bounds(service, &effort, None, warnings);
    bounds.limits.proof = Some(proof);
    let positions = game.positions(&numbers).into_iter();
    let wanted = numbers.iter().zip(positions).zip(ranks).map(|((number, position), priority)| {
        let legal = position.legal().len();
        let job = Job {
            position,
            limits: bounds.limits.clone(),
            search_moves: Vec::new(),
            settings: settings(&effort, threads, if all { legal } else { 1 }),
            is_fresh: effort.fresh.unwrap_or(false),
            keeps_table: false,
            received: None,
            reports: Reports::lines(interval.is_some() || all, interval.is_some()),
        };
        let rank = rank(priority, *number, threads, false);
        Wanted { number: *number, job, rank, cap: bounds.cap }
    });
    let cells = grid.grid().width() * grid.grid().height();
    let ask = Solve { scale: Scale { cells, proof }, all, interval };
    let manner = manner(&subject, &effort);
    Ok(Accepted { id: head.id, asked, manner, ask: Ask::Solve(ask), turns: wanted.collect() })
}

/// Checks `review`.
pub(super) fn review(
    service: &Service,
    query: query::Review,
    asked: Instant,
    room: Room,
    warnings: &mut Warnings,
) -> Result<Accepted, Problem> {
    let query::Review { head, subject, effort, own } = query;
    let game = game(service, &subject)?;
    tell_rules(&game, warnings);
    if game.is_empty() {
        return Err(Problem::with(Code::BadField, "moves", "the game has no moves"));
    }
    let includes_sgf = own.include_sgf.unwrap_or(false);
    if includes_sgf && game.annotated(&[]).is_none() {
        let message = "include_sgf: a game from this position has no record";
        return Err(Problem::with(Code::Unsupported, "include_sgf", message));
    }
    let numbers: Vec<usize> = (0..=game.len()).collect();
    fits(service, room, numbers.len())?;
    let threads = threads(service, &effort, warnings);
    let is_limited = effort.time_ms.is_some() || effort.nodes.is_some() || own.depth.is_some();
    let usual = (!is_limited).then_some(USUAL_TIME_OF_MANY);
    let mut bounds = bounds(service, &effort, usual, warnings);
    bounds.limits.depth = own.depth.map(|depth| depth.to());
    let multi_pv = multi_pv(service, own.multi_pv, warnings);
    let priority = effort.priority.unwrap_or(Int::nearest(0));
    let positions = game.positions(&numbers).into_iter();
    let wanted = numbers.iter().zip(positions).map(|(number, position)| {
        let ranked = multi_pv.min(position.legal().len());
        let job = Job {
            settings: settings(&effort, threads, ranked),
            position,
            limits: bounds.limits.clone(),
            search_moves: Vec::new(),
            is_fresh: effort.fresh.unwrap_or(false),
            keeps_table: false,
            received: None,
            reports: Reports::lines(ranked > 1, false),
        };
        let rank = rank(priority, *number, threads, false);
        Wanted { number: *number, job, rank, cap: bounds.cap }
    });
    let wanted = wanted.collect();
    let manner = manner(&subject, &effort);
    let ask = Review {
        moves: game.written(manner.style),
        findings: vec![None; numbers.len()],
        judged: Vec::new(),
        ended_by: None,
        game: includes_sgf.then_some(game),
    };
    Ok(Accepted { id: head.id, asked, manner, ask: Ask::Review(Box::new(ask)), turns: wanted })
}

/// Checks `swap2`.
pub(super) fn swap2(
    service: &Service,
    query: query::Swap2,
    asked: Instant,
    room: Room,
    warnings: &mut Warnings,
) -> Result<Accepted, Problem> {
    let query::Swap2 { head, subject, effort, own } = query;
    let game = game(service, &subject)?;
    tell_rules(&game, warnings);
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
    fits(service, room, 1)?;
    let mut position = service.catalog.position(spec);
    for point in &stones {
        // Where stones fall, the game's own proposal cannot be played.
        position.play(grid.move_to(*point)).map_err(|_| no_opening())?;
    }
    let mut search_moves = position.legal();
    search_moves
        .retain(|mv| grid.point_of(*mv).is_some_and(|point| opening.considers(&stones, point)));
    let ranked = if opening.needs_one_line(&stones) { 1 } else { search_moves.len() };
    let threads = threads(service, &effort, warnings);
    let is_limited = effort.time_ms.is_some() || effort.nodes.is_some();
    let bounds = bounds(service, &effort, (!is_limited).then_some(USUAL_TIME), warnings);
    let ranking = Arc::default();
    let job = Job {
        position,
        limits: bounds.limits,
        search_moves,
        settings: settings(&effort, threads, ranked).with_strength(strength(
            own.level,
            own.elo,
            own.level_seed,
        )),
        is_fresh: effort.fresh.unwrap_or(false),
        keeps_table: false,
        received: None,
        reports: Reports::Ranked(Arc::clone(&ranking)),
    };
    let rank = rank(effort.priority.unwrap_or(Int::nearest(0)), game.len(), threads, false);
    let wanted = Wanted { number: game.len(), job, rank, cap: bounds.cap };
    let ask = Ask::Swap(Swap { opening, stones, ranking });
    let manner = manner(&subject, &effort);
    Ok(Accepted { id: head.id, asked, manner, ask, turns: vec![wanted] })
}

/// Returns how strong to play.
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

/// Answers `position`.
pub(super) fn position(
    service: &Service,
    query: PositionQuery,
    warnings: &mut Warnings,
) -> Result<PositionReply, Problem> {
    let PositionQuery { head, subject, own } = query;
    let game = game(service, &subject)?;
    tell_rules(&game, warnings);
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

/// Refuses a query for whose turns the queue has no room.
fn fits(service: &Service, room: Room, turns: usize) -> Result<(), Problem> {
    if turns <= room.positions {
        return Ok(());
    }
    let most = service.limits.queue.unwrap_or(room.positions);
    let message = match turns > most {
        true => format!("{turns} positions: a session may have {most} in the queue"),
        false => format!("{turns} positions: the queue takes {} more", room.positions),
    };
    let mut problem = Problem::new(Code::TooMany, message);
    problem.retry_after_ms = Some(super::millis(room.retry_after));
    Err(problem)
}

/// Returns the priority of each turn.
fn ranks(effort: &Effort, turns: &Turns, numbers: &[usize]) -> Result<Vec<Priority>, Problem> {
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
    let Some(asked) = effort.threads else { return service.threads };
    let most = service.threads;
    if asked.to::<usize>() > most {
        let message = format!("threads {asked}: this server has {most} for a search");
        warnings.push((WarningCode::Clamped, "threads".to_owned(), message));
    }
    asked.to::<usize>().min(most)
}

fn multi_pv(service: &Service, asked: Option<query::MoveCount>, warnings: &mut Warnings) -> usize {
    let (asked, most) = (asked.map_or(1, |count| count.to()), service.limits.multi_pv);
    if asked > most {
        let message = format!("multi_pv {asked}: this server ranks at most {most} moves");
        warnings.push((WarningCode::Clamped, "multi_pv".to_owned(), message));
    }
    asked.min(most)
}

/// Returns what a backend is set to for a search that ranks so many moves.
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

/// Returns the limits that every search has; `usual` is the time where none is given.
fn bounds(
    service: &Service,
    effort: &Effort,
    usual: Option<Duration>,
    warnings: &mut Warnings,
) -> Bounds {
    let mut limits = Limits::default();
    limits.nodes = effort.nodes.map(|nodes| nodes.to());
    limits.movetime = effort.time_ms.map(|time| Duration::from_millis(time.to())).or(usual);
    cap(limits, service.limits.time, effort, warnings)
}

/// Applies the server's limit on time.
fn cap(
    mut limits: Limits,
    most: Option<Duration>,
    effort: &Effort,
    warnings: &mut Warnings,
) -> Bounds {
    let Some(most) = most.filter(|most| limits.movetime.is_none_or(|time| time > *most)) else {
        return Bounds { limits, cap: TimeCap::None };
    };
    if let Some(asked) = effort.time_ms {
        let message = format!("time_ms {asked}: at most {} here", super::millis(most));
        warnings.push((WarningCode::Clamped, "time_ms".to_owned(), message));
    }
    if limits.movetime.is_none() {
        return Bounds { limits, cap: TimeCap::After(most) };
    }
    limits.movetime = Some(most);
    Bounds { limits, cap: TimeCap::InPlace }
}

fn analysis_bounds(
    service: &Service,
    effort: &Effort,
    own: &AnalyzeFields,
    turns: usize,
    warnings: &mut Warnings,
) -> Bounds {
    let mut limits = Limits::default();
    limits.nodes = effort.nodes.map(|nodes| nodes.to());
    limits.depth = own.depth.map(|depth| depth.to());
    limits.mate = own.mate.map(|plies| plies.to());
    let is_infinite = own.infinite.unwrap_or(false);
    let is_limited = limits != Limits::default()
        || own.clock.is_some()
        || effort.time_ms.is_some()
        || is_infinite;
    let usual = if turns > 1 { USUAL_TIME_OF_MANY } else { USUAL_TIME };
    limits.movetime = effort.time_ms.map(|time| Duration::from_millis(time.to()));
    if !is_limited {
        limits.movetime = Some(usual);
    }
    if is_infinite {
        // No other limit ends it; the server's is the session's business.
        return Bounds { limits: Limits::default().until_stopped(), cap: TimeCap::None };
    }
    cap(limits, service.limits.time, effort, warnings)
}

/// Returns both clocks with that of `turn` as the client gives them.
fn game_clock(clock: &GameClock, turn: Side) -> Clock {
    let time = |millis: Int<0, 86_400_000>| Duration::from_millis(millis.to());
    let (own, other) = (time(clock.left_ms), clock.opponent_left_ms.map(time));
    let mut remaining = [other; 2];
    remaining[turn.index()] = Some(own);
    let increment = clock.inc_ms.map_or(Duration::ZERO, time);
    Clock::new(remaining, [increment; 2])
}

/// Returns the moves to search; none for all of them.
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
    let texts = filtered(field, filter, position)?;
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

/// Returns the texts of the moves that a filter names for the side to move.
fn filtered<'a>(
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
