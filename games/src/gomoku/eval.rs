//! The judgement of five in a row: what is proven at a glance, which moves are worth a search, and
//! what a position is worth.
//!
//! It knows what every point makes, from [`super::points`], and no search.

use tengen_engine::{
    Context, Coverage, Evaluator, Game, Interrupt, LateMove, MoveOrdering, Probe, Prover, Score,
    SearchEvaluator, Selectivity, Side, SingularTuning, Term, Window,
};

use super::net::NetAccumulator;
use super::pattern::Class;
use super::points::Points;
use super::proof_table::Proofs;
use super::threat::{Group, Threat};
use super::vcf::{Effort, Failures, MOST_FOURS, Sought, win_by_fours};
use super::vct::{Ask, win_by_threats};
use super::{Board, selection, weights};
use tengen_engine::Cell;

/// How many nodes the search for a win by fours may take at a node of the search.
const PROBE_NODES: u64 = 200;

/// The same at the horizon.
const HORIZON_NODES: u64 = 50;

/// One in so many nodes goes into the search for a win by threats, and half as many for each quiet
/// move more.
const THREATS_SHARE: u64 = 3;

/// The most quiet moves that it looks for.
const MOST_QUIET: u32 = 4;

/// How many nodes that search may take at first.
const FIRST_THREATS: u64 = 4_000;

/// Judges positions of one rule and size.
#[derive(Clone, Debug)]
pub struct GomokuEvaluator {
    pub(super) points: Points,
    net: NetAccumulator,
    pub(super) failures: Failures,
    pub(super) proofs: Proofs,
    /// How many nodes went into searches for a win by threats.
    sought: u64,
    /// How many quiet moves they may make: one more when a search ended before its nodes did.
    quiet: u32,
}

impl GomokuEvaluator {
    /// For boards of the rule and the size of `board`.
    pub fn new(board: &Board) -> Self {
        let points = Points::new(board);
        Self {
            net: NetAccumulator::new(&points),
            points,
            failures: Failures::default(),
            proofs: Proofs::default(),
            sought: 0,
            quiet: Ask::default().quiet,
        }
    }

    /// Whether `side` may play on a point that does not win at once.
    pub(super) fn may_play(&self, board: &Board, side: Side, cell: Cell) -> bool {
        // Only points that make two open threes need the rule's own words.
        match self.points.threat(side, cell) {
            Threat::Taken | Threat::Forbidden => false,
            Threat::Quiet | Threat::Three | Threat::Four | Threat::Five => true,
            _ => !board.rule().forbids(side) || board.forbidden(cell).is_none(),
        }
    }

    pub(super) fn cells<'a>(
        &'a self,
        board: &'a Board,
        side: Side,
        group: Group,
    ) -> impl Iterator<Item = Cell> + 'a {
        self.points.group(side, group).iter().filter_map(|index| board.grid().at(index))
    }

    /// The points on which `side` wins, were it to move.
    pub(super) fn fives<'a>(
        &'a self,
        board: &'a Board,
        side: Side,
    ) -> impl Iterator<Item = Cell> + 'a {
        self.cells(board, side, Group::Fives)
    }

    /// The points in `group` on which `side` may play.
    pub(super) fn playable<'a>(
        &'a self,
        board: &'a Board,
        side: Side,
        group: Group,
    ) -> impl Iterator<Item = Cell> + 'a {
        self.cells(board, side, group).filter(move |&cell| self.may_play(board, side, cell))
    }

    /// Points on which `side` makes neither a four nor an open three, but may prepare fours.
    pub(super) fn builders<'a>(
        &'a self,
        board: &'a Board,
        side: Side,
    ) -> impl Iterator<Item = Cell> + 'a {
        let close = self.points.close().iter().filter_map(|index| board.grid().at(index));
        close.filter(move |&cell| {
            let classes = || self.points.classes(side, cell).into_iter();
            self.points.threat(side, cell) == Threat::Quiet
                && (classes().any(|class| class >= Class::Three)
                    || classes().filter(|&class| class >= Class::Two).count() >= 2)
        })
    }

    /// What a stone of `side` makes on a cell.
    pub(super) fn threat(&self, side: Side, cell: Cell) -> Threat {
        self.points.threat(side, cell)
    }

    /// How early a move of the side to move is searched: a move chosen e times as often in games is
    /// ranked 100 higher.
    pub(super) fn promise(&self, board: &Board, cell: Cell) -> i32 {
        self.points.rank_of(board.turn(), cell)
    }

    /// A win by continuous fours, where there is a four to begin with.
    pub(super) fn fours(
        &mut self,
        board: &Board,
        nodes: u64,
        ctx: &mut Context,
    ) -> Result<Option<Vec<Cell>>, Interrupt> {
        let side = board.turn();
        let groups = [Group::Fours, Group::OpenFours, Group::Fives];
        if groups.iter().all(|&group| self.points.group(side, group).is_empty()) {
            return Ok(None);
        }
        let effort = Effort { fours: MOST_FOURS, nodes };
        let (sought, _) = win_by_fours(self, board.clone(), effort, ctx)?;
        Ok(if let Sought::Win(line) = sought { Some(line) } else { None })
    }

    /// The same with its score.
    fn win_by_fours(
        &mut self,
        board: &Board,
        nodes: u64,
        ctx: &mut Context,
    ) -> Result<Option<Probe<Cell>>, Interrupt> {
        let line = self.fours(board, nodes, ctx)?;
        Ok(line.map(|line| Probe { score: Score::win_in(line.len() as u32), line }))
    }

    /// A win by continuous threes and fours for the side to move. `self` describes `board`.
    pub fn seek(
        &mut self,
        board: &Board,
        ask: Ask,
        ctx: &mut Context,
    ) -> Result<Sought<Probe<Cell>>, Interrupt> {
        let before = ctx.own_nodes();
        let sought = win_by_threats(self, board, ask, ctx);
        self.sought += ctx.own_nodes() - before;
        sought
    }

    /// The parts of the evaluation: own points, the opponent's, the move, the net.
    fn parts(&mut self, board: &Board) -> [i32; 4] {
        let [own, other, situation] = self.plain_parts(board);
        [own, other, situation, self.net.value(&self.points, board.turn())]
    }

    fn plain_parts(&self, board: &Board) -> [i32; 3] {
        let side = board.turn();
        let [own, other] = [side, side.other()].map(|side| self.points.worth(side));
        [own, -other, weights::SITUATION[self.points.situation(side)]]
    }

    /// The evaluation without the net.
    pub(super) fn plain(&self, board: &Board) -> i32 {
        self.plain_parts(board).iter().sum()
    }

    /// What a stone of the side to move makes on a cell, and what it keeps the opponent from.
    pub(super) fn threats(&self, board: &Board, mv: Cell) -> (Threat, Threat) {
        let side = board.turn();
        (self.points.threat(side, mv), self.points.threat(side.other(), mv))
    }
}

impl Evaluator<Board> for GomokuEvaluator {
    type Undo = ();

    fn reset(&mut self, board: &Board) {
        self.sought = 0;
        self.quiet = Ask::default().quiet;
        self.points.reset(board);
        self.net.reset(&self.points);
    }

    fn played(&mut self, board: &Board, mv: Cell) {
        self.points.played(board, mv);
    }

    fn undone(&mut self, _board: &Board, _mv: Cell, (): ()) {
        self.points.undone();
        self.net.go_back(&self.points);
    }

    fn evaluate(&mut self, board: &Board) -> Score {
        Score::heuristic(self.parts(board).iter().sum())
    }

    fn terms(&mut self, board: &Board) -> Vec<Term> {
        let names = ["own points", "opponent's points", "the move", "the net"];
        names.iter().zip(self.parts(board)).map(|(name, value)| Term { name, value }).collect()
    }
}

impl MoveOrdering<Board> for GomokuEvaluator {
    fn candidates(&self, board: &Board, out: &mut Vec<Cell>) -> Coverage {
        let side = board.turn();
        if let Some(five) = self.fives(board, side).next() {
            out.push(five);
            return Coverage::Complete;
        }
        if self.fives(board, side.other()).next().is_some() {
            // Whoever does not answer loses in two, and nobody loses sooner.
            let before = out.len();
            self.push_answers(board, side, out);
            if out.len() == before {
                let mut fives = self.fives(board, side.other());
                out.extend(fives.next().and_then(|five| self.vain_move(board, five)));
            }
            return Coverage::Complete;
        }
        if let Some(point) = self.decisive_point(board, side) {
            out.push(point);
            return Coverage::Complete;
        }
        if self.push_defences(board, out) {
            return Coverage::Complete;
        }
        self.push_near(board, out)
    }

    fn rank(&self, board: &Board, mv: Cell) -> i32 {
        self.promise(board, mv)
    }

    fn noisy(&self, board: &Board, out: &mut Vec<Cell>) {
        self.push_answers(board, board.turn(), out);
    }
}

impl Selectivity<Board> for GomokuEvaluator {
    fn exact(&self) -> bool {
        false
    }

    fn singular_tuning(&self) -> SingularTuning {
        selection::SINGULAR
    }

    fn reduction(&self, board: &Board, mv: Cell, late: &LateMove) -> u32 {
        self.late_plies(board, mv, late)
    }

    fn futility_margin(&self, board: &Board, depth: u32, improving: bool) -> Option<i32> {
        self.margin(board, depth, improving)
    }

    fn move_count_limit(&self, _board: &Board, depth: u32, improving: bool) -> usize {
        selection::move_count_limit(depth, improving)
    }

    fn extension(&self, board: &Board, mv: Cell) -> u32 {
        let (makes, stops) = self.threats(board, mv);
        u32::from(makes < Threat::Five && stops == Threat::Five)
    }
}

impl Prover<Board> for GomokuEvaluator {
    const SOLVED_BY: &'static str = "continuous fours";

    fn static_bounds(&self, board: &Board, _wanted: Window) -> (Score, Score) {
        let side = board.turn();
        if self.fives(board, side).next().is_some() {
            return (Score::win_in(1), Score::win_in(1));
        }
        if self.fives(board, side.other()).next().is_some() {
            let mut answers = Vec::new();
            self.push_answers(board, side, &mut answers);
            if answers.is_empty() {
                return (Score::loss_in(2), Score::loss_in(2));
            }
        } else if self.decisive_point(board, side).is_some() {
            return (Score::win_in(3), Score::win_in(3));
        }
        // A five comes of a four, and a four is not there yet: the side to move wins with its
        // second stone at best, and so does the opponent.
        (Score::loss_in(4), Score::win_in(3))
    }

    fn solve(
        &mut self,
        board: &Board,
        nodes: u64,
        ctx: &mut Context,
    ) -> Result<Option<Probe<Cell>>, Interrupt> {
        if let Some(win) = self.win_by_fours(board, nodes, ctx)? {
            return Ok(Some(win));
        }
        let more = self.quiet - Ask::default().quiet;
        let share = ((ctx.own_nodes().min(nodes) / THREATS_SHARE) >> more).max(FIRST_THREATS);
        if share <= self.sought {
            return Ok(None);
        }
        let (nodes, before) = (share - self.sought, self.sought);
        let ask = Ask { nodes, quiet: self.quiet, ..Ask::default() };
        if let Sought::Win(win) = self.seek(board, ask, ctx)? {
            return Ok(Some(win));
        }
        let has_nothing_left = self.sought - before < nodes;
        if has_nothing_left && self.quiet < MOST_QUIET {
            self.quiet += 1;
        }
        Ok(None)
    }

    fn probe(
        &mut self,
        board: &Board,
        _window: Window,
        ctx: &mut Context,
    ) -> Result<Option<Probe<Cell>>, Interrupt> {
        self.win_by_fours(board, PROBE_NODES, ctx)
    }

    // The first of them is far from everything and as good as a pass: where that does not lose by
    // fours, the answer is known at once.
    fn others_lose(
        &mut self,
        board: &Board,
        listed: &[Cell],
        ctx: &mut Context,
    ) -> Result<Option<u32>, Interrupt> {
        let mut others = Vec::new();
        board.moves(&mut others);
        others.retain(|mv| !listed.contains(mv));
        let mut after = board.clone();
        let mut longest = 0;
        for mv in others {
            after.play(mv);
            self.points.played(&after, mv);
            let goes_on = after.outcome().is_none();
            let won = if goes_on { self.fours(&after, PROBE_NODES, ctx) } else { Ok(None) };
            after.undo(mv, ());
            self.points.undone();
            match won? {
                Some(line) => longest = longest.max(line.len() as u32 + 1),
                None => return Ok(None),
            }
        }
        Ok(Some(longest))
    }

    fn probe_horizon(
        &mut self,
        board: &Board,
        _window: Window,
        ctx: &mut Context,
    ) -> Result<Option<Probe<Cell>>, Interrupt> {
        self.win_by_fours(board, HORIZON_NODES, ctx)
    }
}

impl SearchEvaluator<Board> for GomokuEvaluator {}
