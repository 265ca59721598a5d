//! [`Reason`]: why a move of a game is bad, as data. `words` makes sentences of it.
//!
//! # What a reason is made of
//!
//! A review has searched the positions before and after a move, so the reason begins with what is known: a proven win
//! before the move, a proven win of the opponent after it, and their lines. Everything else is a fact that a replay by the
//! rules shows (`facts`): moves that win at once, moves that threaten to, points that the rules forbid. A reason names one
//! [`ReasonKind`], the first that holds:
//!
//! 1. The move is forbidden, and so loses.
//! 2. It misses a win at once.
//! 3. It puts a stone under a point on which the opponent wins at once, where stones fall.
//! 4. It leaves a four: the opponent wins at once.
//! 5. It leaves an open three and makes no four: the opponent makes an open four, and wins. No search is needed to prove this.
//! 6. The opponent wins by a proven line. [`Means`] is what each of the winner's moves in the line threatens.
//! 7. It gives up its own threat, where stones fall: the opponent can now take the point of the threat.
//! 8. It is not the proven win, and no win was found after it, or a draw is proven.
//! 9. The position before the move was lost, by a proof.
//! 10. A draw is proven after the move.
//! 11. Nothing of this is known: by the evaluation alone the move is worse. The words say so.
//!
//! A move that wins has a reason on request, too, and comes first: [`ReasonKind::Wins`].
//!
//! Where stones fall, a proven win may have a [`Hold`]: a point that the rule of zugzwang gives to the winner. The rule
//! alone proves nothing: a hold is given only with a proven win. A forbidden point comes with the lines that forbid it.
//!
//! A win by fours gets points that would have stopped the fours (`stops`): for each point of the line, a search of at
//! most `STOP_NODES` nodes after a stone there proves that no win by fours is left. This is the only search, for at most
//! `MOST_STOPS` points, so other points may stop the fours, too. `lab/reasons.py` checks each fact with rules of its own, without code of Tengen.

mod facts;
pub mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tengen_engine::backend::Catalog;
use tengen_engine::threats::FoursResult;
use tengen_engine::{Move, Point, Position, Side, Style};

use self::facts::{
    Force, after, force, grid, is_zugzwang, open_fours, threatened, wins_at_once, won,
};
use super::finding::Finding;

/// The nodes of the search for a win by fours after each point that may stop one.
const STOP_NODES: u64 = 2_000;
/// The number of points that are tried.
const MOST_STOPS: usize = 16;

/// Why a move is bad.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ReasonKind {
    /// The player has a proven win after the move. Only if reasons of good moves were requested.
    Wins,
    /// The rules forbid the move, so it loses.
    Forbidden,
    /// The player had a proven win, and the search after the move found none within its limits, or proved a draw.
    MissesWin,
    /// The stone lies under a point on which the opponent wins at once.
    PutsBelow,
    /// The opponent can win at once, on a point that was a threat before the move.
    LeavesFour,
    /// The opponent can make an open four, as before the move.
    LeavesThree,
    /// The opponent can take the point on which the player threatened to win.
    GivesUpThreat,
    /// The opponent has a proven win.
    AllowsWin,
    /// The opponent had a proven win already before the move. Nothing more is known.
    WasLost,
    /// A draw is proven after the move; before it no win and no loss was.
    Draws,
    /// Nothing is proven: the evaluation is worse.
    Quiet,
}

/// What the winner's moves of a line are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Means {
    /// One move, which wins at once.
    AtOnce,
    /// Each threatens to win at once.
    Fours,
    /// Each threatens to win at once, or to make an open four.
    Threes,
    /// Some threaten nothing.
    Search,
}

/// What decides a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum KeyKind {
    /// The move threatens to win at once on two points or more.
    TwoPoints,
    /// The move threatens to win at once on one point, and after the answer there an open four follows.
    FourThree,
    /// The move threatens to win at once on one point, and after the answer there on the point above.
    Stacked,
    /// The only point that stops the move's threat is forbidden.
    ForbiddenAnswer,
    /// Each move of the loser after it lets the winner win at once.
    Zugzwang,
}

/// The move of the winner that decides a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// Why it decides.
    pub kind: KeyKind,
    /// The point of the move.
    pub point: Point,
    /// The points where the winner wins at once, or makes an open four after the answer.
    pub threats: Vec<Point>,
    /// The rule that forbids the answer; empty if none does.
    pub rule: &'static str,
    /// The lines that make the answer forbidden.
    pub lines: Vec<Vec<Point>>,
}

/// A point on which the winner wins if the other columns are full: the opponent then has to play below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hold {
    /// The point.
    pub point: Point,
    /// The winner's next move if it makes the threat; `None` if the threat is there already.
    pub made_by: Option<Point>,
}

/// Why a move is bad. Points are those of the board after the move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reason {
    /// The kind.
    pub kind: ReasonKind,
    /// The side that wins or threatens; of a forbidden or quiet move, its player.
    pub side: Side,
    /// What the winner's moves in `line` are; `None` without a line.
    pub by: Option<Means>,
    /// A proven win of `side`: instead of the move if it was missed, else after the move.
    pub line: Vec<String>,
    /// The moves of `line`.
    pub moves: Vec<Move>,
    /// The plies of the proven win, counted like `line`; `None` if no win is proven.
    pub plies: Option<u32>,
    /// What decides the line, if a short fact tells it.
    pub key: Option<Key>,
    /// The points of the threat, or the forbidden point.
    pub points: Vec<Point>,
    /// The points that would have stopped the threat; of a win by fours, those that a short search found.
    pub stops: Vec<Point>,
    /// The rule that forbids the move, or the only point that stops a four; empty if none does.
    pub rule: &'static str,
    /// The lines that make this point forbidden.
    pub lines: Vec<Vec<Point>>,
    /// A point that the rule of zugzwang gives to the winner.
    pub hold: Option<Hold>,
    /// Whether a draw is proven after the move.
    pub is_drawn: bool,
    /// What the move lost, in per mille of the expected score.
    pub lost: u16,
}

/// Looks for reasons in the games of a catalogue.
#[derive(Clone, Copy)]
pub struct Explainer<'a> {
    /// The catalogue.
    pub catalog: &'a dyn Catalog,
    /// How moves are written.
    pub style: Style,
    /// Whether good moves have a reason, too.
    pub explains_all: bool,
}

/// A move whose reason is looked for.
struct Case<'a> {
    /// The position before the move.
    start: &'a dyn Position,
    /// The position after the move.
    end: Box<dyn Position>,
    mv: Move,
    point: Option<Point>,
    before: &'a Finding,
    after: &'a Finding,
    style: Style,
}

impl Explainer<'_> {
    /// Returns why the move `mv` in `start` is bad. `lost` is what it lost, in per mille.
    pub(super) fn reason(
        self,
        start: &dyn Position,
        mv: Move,
        (before, after): (&Finding, &Finding),
        lost: u16,
    ) -> Reason {
        let mut end = start.duplicate();
        let point = grid(start).and_then(|grid| grid.point_of(mv));
        let is_played = end.play(mv).is_ok();
        let case = Case { start, end, mv, point, before, after, style: self.style };
        let found = if is_played { case.known() } else { None };
        let mut reason = found.unwrap_or_else(|| Reason::new(ReasonKind::Quiet, start.turn()));
        if reason.kind == ReasonKind::AllowsWin && reason.by == Some(Means::Fours) {
            reason.stops = self.stops_of_fours(start, &reason.moves);
        }
        Reason { lost, is_drawn: after.is_drawn, ..reason }
    }

    /// Returns the points of a win by fours on which a stone in place of the move would have left no win by fours.
    fn stops_of_fours(self, start: &dyn Position, line: &[Move]) -> Vec<Point> {
        let mut position = start.duplicate();
        let legal = position.legal();
        let mut moves = line.to_vec();
        moves.sort_unstable_by_key(|mv| mv.code());
        moves.dedup();
        moves.retain(|mv| legal.contains(mv));
        moves.truncate(MOST_STOPS);
        let no_win = |position: &mut dyn Position| {
            position.outcome().is_none()
                && self.catalog.win_by_fours(position, STOP_NODES) == Some(FoursResult::NoWin)
        };
        moves.retain(|mv| after(&mut *position, *mv, no_win));
        let grid = grid(start);
        moves.into_iter().filter_map(|mv| grid?.point_of(mv)).collect()
    }
}

impl Reason {
    fn new(kind: ReasonKind, side: Side) -> Self {
        Self {
            kind,
            side,
            by: None,
            line: Vec::new(),
            moves: Vec::new(),
            plies: None,
            key: None,
            points: Vec::new(),
            stops: Vec::new(),
            rule: "",
            lines: Vec::new(),
            hold: None,
            is_drawn: false,
            lost: 0,
        }
    }

    /// Returns the number of the winner's moves in the proven win; `None` if no win is proven.
    pub fn moves_of_winner(&self) -> Option<u32> {
        Some(self.plies?.div_ceil(2))
    }

    /// Returns whether the line begins after the move, and not in its place.
    pub fn is_refutation(&self) -> bool {
        !matches!(self.kind, ReasonKind::MissesWin | ReasonKind::Wins) && !self.moves.is_empty()
    }
}

impl Case<'_> {
    /// Returns the first reason that is more than a worse evaluation.
    fn known(&self) -> Option<Reason> {
        self.wins()
            .or_else(|| self.forbidden())
            .or_else(|| self.missed_at_once())
            .or_else(|| self.leaves_four())
            .or_else(|| self.leaves_three())
            .or_else(|| self.allows_win())
            .or_else(|| self.gives_up_threat())
            .or_else(|| self.misses_win())
            .or_else(|| self.was_lost())
            .or_else(|| self.draws())
    }

    fn mover(&self) -> Side {
        self.start.turn()
    }

    fn opponent(&self) -> Side {
        self.mover().other()
    }

    fn wins(&self) -> Option<Reason> {
        let has_won = self.end.outcome() == won(self.mover());
        (has_won || self.after.score.is_loss()).then_some(())?;
        let plies = self.after.score.plies().map(|plies| plies + 1);
        let points = if has_won { self.point.into_iter().collect() } else { Vec::new() };
        let reason = Reason { plies, points, ..Reason::new(ReasonKind::Wins, self.mover()) };
        let line = [&[self.mv], &self.after.moves[..]].concat();
        Some(self.with_line(reason, self.start, &line))
    }

    fn forbidden(&self) -> Option<Reason> {
        let (point, rule) = self.end.forbidden_loss()?;
        let reason = Reason::new(ReasonKind::Forbidden, self.mover());
        let lines = facts::forbidden_lines(self.start, point, rule).unwrap_or_default();
        Some(Reason { points: vec![point], rule, lines, ..reason })
    }

    fn missed_at_once(&self) -> Option<Reason> {
        let points = wins_at_once(self.start);
        let first = *points.first()?;
        (self.end.outcome() != won(self.mover())).then_some(())?;
        let mv = grid(self.start)?.move_to(first);
        let reason =
            self.with_line(Reason::new(ReasonKind::MissesWin, self.mover()), self.start, &[mv]);
        Some(Reason { points, ..reason })
    }

    fn leaves_four(&self) -> Option<Reason> {
        let after = wins_at_once(&*self.end);
        let notation = grid(self.start)?;
        let threatened = wins_at_once(&*facts::passed(self.start)?);
        let left = after.iter().copied().find(|point| threatened.contains(point));
        // Where stones fall, the move itself can open the point above.
        let kind = if left.is_some() { ReasonKind::LeavesFour } else { ReasonKind::PutsBelow };
        let win = left.or_else(|| after.first().copied().filter(|_| notation.falls()))?;
        let reason = Reason::new(kind, self.opponent());
        let reason = self.with_line(reason, &*self.end, &[notation.move_to(win)]);
        if left.is_none() {
            return Some(Reason { points: after, ..reason });
        }
        // No move stops two wins.
        let points = threatened;
        let [only] = points[..] else { return Some(Reason { points, ..reason }) };
        let mut forbidden = self.start.forbidden(self.mover()).into_iter();
        Some(match forbidden.find(|(at, _)| *at == only) {
            None => Reason { stops: points.clone(), points, ..reason },
            Some((at, rule)) => {
                let lines = facts::forbidden_lines(self.start, at, rule).unwrap_or_default();
                Reason { points, rule, lines, ..reason }
            }
        })
    }

    fn leaves_three(&self) -> Option<Reason> {
        let points = open_fours(&*self.end);
        if points.is_empty() || !threatened(&*self.end).is_empty() {
            return None;
        }
        let stops = self.stops_of_three(&points);
        let reason = Reason::new(ReasonKind::LeavesThree, self.opponent());
        Some(Reason { points, stops, ..reason })
    }

    /// Returns the points on which a stone of the player would have left no open four on `points`.
    fn stops_of_three(&self, points: &[Point]) -> Vec<Point> {
        let Some(notation) = grid(self.start) else { return Vec::new() };
        let mut position = self.start.duplicate();
        let stops = |position: &mut dyn Position| {
            position.outcome().is_none() && open_fours(position).is_empty()
        };
        let mut moves = position.legal();
        let is_near = |mv: &Move| {
            let near = |one: u32, other: u32| one.abs_diff(other) <= 4;
            notation.point_of(*mv).is_some_and(|at| {
                points.iter().all(|point| near(at.column, point.column) && near(at.row, point.row))
            })
        };
        moves.retain(|mv| is_near(mv) && after(&mut *position, *mv, stops));
        moves.into_iter().filter_map(|mv| notation.point_of(mv)).collect()
    }

    fn gives_up_threat(&self) -> Option<Reason> {
        let (point, notation) = (self.point?, grid(self.start).filter(|grid| grid.falls())?);
        let above = Point { row: point.row + 1, ..point };
        (self.after.moves.first() == Some(&notation.move_to(above))).then_some(())?;
        // The move itself must not make the threat: the player wins above it, whichever side plays here.
        let mut other = facts::passed(self.start)?;
        other.play(notation.move_to(point)).ok()?;
        wins_at_once(&*other).contains(&above).then_some(())?;
        let reason = Reason::new(ReasonKind::GivesUpThreat, self.mover());
        Some(Reason { points: vec![above], ..reason })
    }

    fn allows_win(&self) -> Option<Reason> {
        self.after.score.is_win().then_some(())?;
        let plies = self.after.score.plies();
        let reason = Reason { plies, ..Reason::new(ReasonKind::AllowsWin, self.opponent()) };
        Some(self.with_line(reason, &*self.end, &self.after.moves))
    }

    fn misses_win(&self) -> Option<Reason> {
        self.before.score.is_win().then_some(())?;
        let plies = self.before.score.plies();
        let reason = Reason { plies, ..Reason::new(ReasonKind::MissesWin, self.mover()) };
        Some(self.with_line(reason, self.start, &self.before.moves))
    }

    fn was_lost(&self) -> Option<Reason> {
        self.before.score.is_loss().then_some(())?;
        let plies = self.before.score.plies();
        Some(Reason { plies, ..Reason::new(ReasonKind::WasLost, self.opponent()) })
    }

    fn draws(&self) -> Option<Reason> {
        self.after.is_drawn.then(|| Reason::new(ReasonKind::Draws, self.mover()))
    }

    /// Adds a line from `from` on, if it ends with the win of the reason's side, and what it is made of. A point of
    /// zugzwang is added if no other move decides the line, and the line, where there is one, ends there.
    fn with_line(&self, reason: Reason, from: &dyn Position, moves: &[Move]) -> Reason {
        let mut reason = self.with_whole_line(reason, from, moves);
        if reason.key.is_none() {
            let hold = hold(from, reason.side, moves.first());
            reason.hold = hold.filter(|hold| is_by_zugzwang(from, &reason, hold.point));
        }
        reason
    }

    fn with_whole_line(&self, reason: Reason, from: &dyn Position, moves: &[Move]) -> Reason {
        let mut position = from.duplicate();
        let (mut weakest, mut key) = (Force::Four, None);
        for (ply, mv) in moves.iter().enumerate() {
            if position.play(*mv).is_err() {
                return reason;
            }
            if ply % 2 == 0 && ply + 1 < moves.len() {
                let (made, points) = force(&*position);
                weakest = weakest.min(made);
                key = key.or_else(|| key_of(&*position, *mv, made, points));
            }
        }
        if position.outcome() != won(reason.side) {
            return reason;
        }
        let by = match weakest {
            _ if moves.len() == 1 => Means::AtOnce,
            _ if !facts::has_fours(from) => Means::Search,
            Force::Four => Means::Fours,
            Force::Three => Means::Threes,
            Force::Quiet => Means::Search,
        };
        let line = from.write_line(moves, self.style);
        let plies = Some(moves.len() as u32);
        Reason { by: Some(by), line, moves: moves.to_vec(), plies, key, ..reason }
    }
}

/// Returns a point that the rule of zugzwang gives to `side`: the first that its next move makes, else the first that is
/// there already.
fn hold(from: &dyn Position, side: Side, next: Option<&Move>) -> Option<Hold> {
    let known = facts::held_points(from, side);
    let mut later = from.duplicate();
    let made = next.filter(|mv| later.play(**mv).is_ok()).and_then(|mv| {
        let held = facts::held_points(&*later, side);
        let point = held.into_iter().find(|point| !known.contains(point))?;
        Some(Hold { point, made_by: grid(from)?.point_of(*mv) })
    });
    made.or_else(|| Some(Hold { point: *known.first()?, made_by: None }))
}

/// Returns why the move `mv` of the winner decides, if it does. It has just been played, and threatens `threats`.
fn key_of(position: &dyn Position, mv: Move, made: Force, threats: Vec<Point>) -> Option<Key> {
    let point = grid(position)?.point_of(mv)?;
    let key = |kind, threats, rule, lines| Some(Key { kind, point, threats, rule, lines });
    match (made, &threats[..]) {
        (Force::Four, [only]) => {
            let forbidden = position.forbidden(position.turn());
            if let Some((_, rule)) = forbidden.into_iter().find(|(at, _)| at == only) {
                let lines = facts::forbidden_lines(position, *only, rule).unwrap_or_default();
                return key(KeyKind::ForbiddenAnswer, threats, rule, lines);
            }
            let answered = answered(position, *only)?;
            let above = wins_at_once(&*answered);
            if !above.is_empty() {
                return key(KeyKind::Stacked, [threats, above].concat(), "", Vec::new());
            }
            let open = open_fours(&*answered);
            let is_free = !open.is_empty() && threatened(&*answered).is_empty();
            if is_free { key(KeyKind::FourThree, open, "", Vec::new()) } else { None }
        }
        (Force::Four, _) => key(KeyKind::TwoPoints, threats, "", Vec::new()),
        _ if grid(position)?.falls() && is_zugzwang(position) => {
            key(KeyKind::Zugzwang, Vec::new(), "", Vec::new())
        }
        _ => None,
    }
}

/// Returns the position after the only answer to a four; `None` if the answer ends the game.
fn answered(position: &dyn Position, answer: Point) -> Option<Box<dyn Position>> {
    let mut position = position.duplicate();
    position.play(grid(&*position)?.move_to(answer)).ok()?;
    position.outcome().is_none().then_some(position)
}

/// Returns whether zugzwang can be what wins on `point`: the line ends there, and no threat forces the move before. A win without
/// a line must last until half of the other columns' empty points are filled; a shorter one has other grounds.
fn is_by_zugzwang(from: &dyn Position, reason: &Reason, point: Point) -> bool {
    let Some(grid) = grid(from) else { return false };
    if let [line @ .., _, last] = &reason.moves[..] {
        let mut position = from.duplicate();
        let is_played = line.iter().all(|mv| position.play(*mv).is_ok());
        return is_played
            && grid.point_of(*last) == Some(point)
            && threatened(&*position).is_empty();
    }
    let cells = grid.grid().all().map(|cell| grid.grid().point(cell));
    let empty = cells.filter(|at| at.column != point.column && from.stone(*at).is_none()).count();
    reason.moves.is_empty() && reason.plies.is_some_and(|plies| 2 * plies as usize >= empty)
}
