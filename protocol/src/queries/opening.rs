//! The actions `opening` and `swap2`: the steps of an opening, and the engine's decisions.

use std::sync::Arc;

use tengen_engine::backend::Catalog;
use tengen_engine::opening::{Act, Choice, Chooser, Course, Decision, OpeningSearch, PendingKind};
use tengen_engine::{Chosen, GameSpec, Move, Point, Position, Strength};

use super::QuerySession;
use super::accept::{Accepted, Check, DEFAULT_TIME, strength_of};
use super::actions::{Action, open};
use super::subject::{chosen, describe};
use super::turns::{OpenQuery, Opening, QueryKind, Turn};
use super::write::{self, ReplyFormat};
use crate::dialect::json::number::{Id, Int};
use crate::dialect::json::query::{self, Effort, Moves, Subject, TurnNumber};
use crate::dialect::json::reply::{
    EndedBy, MoveText, NoResults, OpeningReply, OpeningStep, OpeningStepKind, Reply, SwapChoice,
    SwapReply,
};
use crate::dialect::json::{Code, Problem, problem};
use crate::pool::job::{Job, ReportMode, SearchResult};
use crate::pool::{Effect, Search, TurnKey};

/// Returns the names of the opening rules of a variant on its usual board.
pub(super) fn rule_names(catalog: &dyn Catalog, variant: &str) -> Vec<String> {
    let Ok(spec) = catalog.describe(variant, &Chosen::new()) else { return Vec::new() };
    let rules = catalog.opening_rules(&spec).into_iter();
    let fits = |name: &&str| catalog.opening_rule(&spec, name).is_ok();
    rules.map(|rule| rule.name).filter(fits).map(str::to_owned).collect()
}

impl Check<'_> {
    /// Checks `opening`.
    pub(super) fn opening(&mut self, query: query::OpeningQuery) -> Result<Action, Problem> {
        let query::OpeningQuery { head, rules, effort, strength, own } = query;
        let catalog = self.service.catalog;
        let first = catalog.variants().first().map_or("", |variant| variant.name);
        let variant = rules.variant.as_deref().or(self.service.variant).unwrap_or(first);
        let options = rules.board.as_ref().map(chosen).unwrap_or_default();
        let spec = describe(catalog, variant, &options)?;
        let mut course = self.course(&spec, &own.rule, "rule")?;
        let texts: Vec<&str> = match &own.acts {
            None => Vec::new(),
            Some(Moves::List(list)) => list.items().iter().map(String::as_str).collect(),
            Some(Moves::Text(text)) => text.split_whitespace().collect(),
        };
        for (index, text) in texts.into_iter().enumerate() {
            let done = course.read(text).and_then(|act| course.act(act));
            done.map_err(|why| {
                Problem::with(Code::BadMove, format!("acts[{index}]"), why.to_string())
            })?;
        }
        let chooser = Chooser::new(course, &strength_of(strength));
        let decides = own.decide.unwrap_or(false) && !chooser.course().is_over();
        match chooser.choice() {
            Choice::Search(search) if decides => {
                let opening = (false, chooser, search);
                Ok(open(self.decision(head.id, &spec, &Subject::default(), &effort, opening)?))
            }
            Choice::Decided(decision) if decides => {
                let reply = described(&head.id, chooser.course(), Some(&decision));
                Ok(Box::new(move |session| session.reply(&Reply::Opening(Box::new(reply)))))
            }
            _ => {
                let reply = described(&head.id, chooser.course(), None);
                Ok(Box::new(move |session| session.reply(&Reply::Opening(Box::new(reply)))))
            }
        }
    }

    /// Checks `swap2`.
    pub(super) fn swap2(&mut self, query: query::Swap2) -> Result<Accepted, Problem> {
        let query::Swap2 { head, subject, effort, strength } = query;
        let game = self.game(&subject)?;
        let spec = game.spec();
        let mut course = self.course(spec, "swap2", "variant")?;
        if subject.fen.is_some() {
            return Err(problem!(BadField, "fen", "fen: an opening begins with an empty board"));
        }
        let no_choice = || {
            problem!(BadField, "moves", "0, 3 or 5 stones leave a choice, not {}", game.moves.len())
        };
        let point = |mv: &Move| spec.grid.and_then(|grid| grid.point_of(*mv));
        for (index, point) in game.moves.iter().filter_map(point).enumerate() {
            if index == 3 {
                course.act(Act::Other).map_err(|_| no_choice())?;
            }
            course.act(Act::Point(point)).map_err(|_| no_choice())?;
        }
        let chooser = Chooser::new(course, &strength_of(strength));
        let search = match chooser.choice() {
            Choice::Search(search) if matches!(game.moves.len(), 0 | 3 | 5) => search,
            _ => return Err(no_choice()),
        };
        self.decision(head.id, spec, &subject, &effort, (true, chooser, search))
    }

    /// Begins an opening. `field` is the field that is wrong if the game does not have the rule.
    fn course(&self, spec: &GameSpec, rule: &str, field: &str) -> Result<Course, Problem> {
        let refuse = |message| Problem::with(Code::Unsupported, field, message);
        let rule = self.service.catalog.opening_rule(spec, rule).map_err(refuse)?;
        let no_board = || refuse(format!("{} has no board", spec.variant));
        let grid = spec.grid.ok_or_else(no_board)?.grid();
        Ok(Course::new(rule, grid))
    }

    /// Accepts a decision, which begins with this search.
    fn decision(
        &mut self,
        id: Id,
        spec: &GameSpec,
        subject: &Subject,
        effort: &Effort,
        (is_swap2, chooser, search): (bool, Chooser, OpeningSearch),
    ) -> Result<Accepted, Problem> {
        self.check_room(1)?;
        let catalog = self.service.catalog;
        let shared = self.shared(effort, Some(DEFAULT_TIME));
        let limits = shared.limits.clone();
        let stones = chooser.course().stones().len();
        let mut turn = shared.turn(stones, catalog.position(spec), 1);
        let (settings, rank) = (turn.job.settings, turn.rank);
        let ranking = Arc::default();
        let opening = Opening { is_swap2, chooser, ranking, limits, settings, rank };
        let failed = || Problem::new(Code::Internal, "the stones cannot be placed");
        let is_fresh = turn.job.is_fresh;
        turn.job = opening.job(catalog.position(spec), &search).ok_or_else(failed)?;
        turn.job.is_fresh = is_fresh;
        let kind = QueryKind::Opening(Box::new(opening));
        Ok(self.accepted(id, subject, effort, kind, vec![turn]))
    }
}

impl Opening {
    /// Returns the job of a search, given the starting position; `None` if a stone cannot be placed.
    fn job(&self, mut position: Box<dyn Position>, search: &OpeningSearch) -> Option<Job> {
        let (search_moves, lines) = position.set_up_opening(search).ok()?;
        let settings = self.settings.with_multi_pv(lines).with_strength(Strength::default());
        *self.ranking.lock() = Default::default();
        Some(Job {
            position,
            limits: search.limits(&self.limits),
            search_moves,
            settings,
            is_fresh: false,
            keeps_table: false,
            follows_game: false,
            received: None,
            reports: ReportMode::Ranked(Arc::clone(&self.ranking)),
        })
    }

    /// Returns the reply without a decision.
    pub(super) fn no_reply(&self, no_results: NoResults) -> Reply {
        match self.is_swap2 {
            true => Reply::NoSwap(no_results),
            false => Reply::NoOpening(no_results),
        }
    }
}

impl QuerySession {
    /// Hands the result of a search to the decision of its turn. Starts the next search and returns
    /// `true` if the decision needs one.
    pub(super) fn search_on(&mut self, key: TurnKey, result: &SearchResult) -> bool {
        let Some(turn) = self.turns.get_mut(&key) else { return false };
        let Some(OpenQuery { kind: QueryKind::Opening(own), .. }) =
            self.queries.get_mut(&turn.query)
        else {
            return false;
        };
        let Some(grid) = turn.position.spec().grid else { return false };
        let ranking = own.ranking.lock().clone();
        own.chooser.add_result(&ranking, &result.answer, grid);
        let Choice::Search(search) = own.chooser.choice() else { return false };
        if turn.stopped.is_some() {
            return false;
        }
        let Some(job) = own.job(turn.position.duplicate(), &search) else { return false };
        turn.spent.nodes += result.answer.report.nodes;
        turn.spent.time_ms += super::millis(result.answer.report.time);
        turn.limits = job.limits.clone();
        turn.limits.nodes = turn.limits.nodes.map(|nodes| nodes + turn.spent.nodes);
        turn.stage = super::turns::Stage::Waiting;
        let rank = own.rank;
        self.effects.push(Effect::Search(vec![Search { key, rank, job }]));
        true
    }
}

/// Returns the reply with a decision; `None` if it is not complete.
pub(super) fn decided(
    id: &Id,
    own: &Opening,
    turn: &Turn,
    result: &SearchResult,
    format: ReplyFormat,
    ended_by: EndedBy,
) -> Option<Reply> {
    let Choice::Decided(decision) = own.chooser.choice() else { return None };
    if decision.acts.is_empty() {
        return None;
    }
    let figures = write::figures(&result.answer.report, turn.spent);
    if !own.is_swap2 {
        let mut reply = described(id, own.chooser.course(), Some(&decision));
        (reply.figures, reply.ended_by) = (Some(figures), Some(ended_by));
        return Some(Reply::Opening(Box::new(reply)));
    }
    let grid = turn.position.spec().grid?;
    let points = decision.acts.iter().filter_map(|act| match act {
        Act::Point(point) => Some(*point),
        _ => None,
    });
    let points: Vec<Point> = points.chain(decision.then).collect();
    let choice = match (decision.acts.contains(&Act::Swap), points.len()) {
        (true, _) => SwapChoice::Swap,
        (false, 0 | 1) => SwapChoice::Stay,
        (false, 2) => SwapChoice::Two,
        (false, _) => SwapChoice::Three,
    };
    // The searched position already has some of these stones, so it cannot write them as moves.
    let text = |point| MoveText(grid.write_move(point, format.style));
    Some(Reply::Swap(Box::new(SwapReply {
        id: id.clone(),
        turn_number: TurnNumber::nearest(turn.number),
        choice,
        moves: points.into_iter().map(text).collect(),
        figures,
        ended_by,
    })))
}

/// Returns the state of an opening, after the decision if there is one.
fn described(id: &Id, before: &Course, decision: Option<&Decision>) -> OpeningReply {
    let mut course = before.clone();
    let mut chosen = Vec::new();
    for act in decision.map_or(&[][..], |decision| &decision.acts) {
        if course.act(*act).is_ok() {
            chosen.push(course.write(*act));
        }
    }
    let moves = course.stones().iter().map(|point| MoveText(point.to_string())).collect();
    OpeningReply {
        id: id.clone(),
        turn_number: TurnNumber::nearest(course.stones().len()),
        rule: course.rule().name.to_owned(),
        acts: course.acts().iter().map(|act| course.write(*act)).collect(),
        chosen: decision.map(|_| chosen),
        then: decision.and_then(|decision| decision.then).map(|point| point.to_string()),
        moves,
        first: Int::nearest(course.first_player() + 1),
        step: step(&course),
        figures: None,
        ended_by: None,
    }
}

/// Returns the next step; `None` at the end.
fn step(course: &Course) -> Option<OpeningStep> {
    let pending = course.pending()?;
    let names = |points: &[Point]| points.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mut step = OpeningStep {
        player: Int::nearest(pending.player + 1),
        side: pending.colour.into(),
        kind: OpeningStepKind::Place,
        points: names(pending.points()),
        stone: None,
        other: None,
        most: None,
        count: None,
        offered: None,
        text: course.wanted(),
    };
    match pending.kind {
        PendingKind::Place { stone, .. } => step.stone = Some(stone.into()),
        PendingKind::MaySwap { other } => {
            step.kind = OpeningStepKind::Swap;
            step.other = other.map(|(word, _)| word.to_owned());
        }
        PendingKind::Declare { most } => {
            step.kind = OpeningStepKind::Declare;
            step.most = Some(most);
        }
        PendingKind::Offer { count, offered, .. } => {
            step.kind = OpeningStepKind::Offer;
            (step.count, step.offered) = (Some(count), Some(names(&offered)));
        }
        PendingKind::Keep { .. } => step.kind = OpeningStepKind::Keep,
    }
    Some(step)
}
