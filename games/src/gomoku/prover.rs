//! Proofs in a search of five in a row: what is certain at a glance, and wins by fours and by
//! threats, each within a budget of nodes.

use tengen_engine::{
    Cell, Context, Game, Interrupt, Probe, Prover, Score, SearchEvaluator, Window,
};

use super::Board;
use super::eval::GomokuEvaluator;
use super::threat::Group;
use super::vcf::{Effort, MOST_FOURS, Sought, win_by_fours};
use super::vct::{Ask, win_by_threats};

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

impl GomokuEvaluator {
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
