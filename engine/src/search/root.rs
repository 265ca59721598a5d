//! The root: its list of moves, their search and their reports.

use std::collections::{HashSet, VecDeque};

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::ordering::Coverage;
use crate::search::limits::Limits;
use crate::search::order::pick;
use crate::search::report::{Bound, ProofSource, Report};

use super::bounds::ProvenBounds;
use super::state::{Node, NodeFlags, RootMove, Search, Task};
use super::techniques::Techniques;

/// The minimum node limit of the solver before an iteration. Once this thread has entered more
/// nodes, the number of its nodes is the limit.
const MIN_SOLVER_NODES: u64 = 50_000;

/// In a small search, the minimum is the node limit of this thread divided by this number.
const SOLVER_DIVISOR: u64 = 8;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Lists the moves to search, in search order.
    pub(super) fn list_root_moves(&mut self, task: &Task<G::Move>) {
        let mut moves = Vec::new();
        let coverage = self.list_candidates(&mut moves);
        let is_restricted = !task.search_moves.is_empty();
        let searches_all = task.multi_pv == 1
            && coverage == Coverage::Partial
            && self.evaluator.searches_all_at_root();
        let takes_all = is_restricted || searches_all || task.multi_pv > moves.len();
        let mut others = if takes_all { self.other_legal_moves(&moves) } else { Vec::new() };
        if is_restricted {
            let wanted = self.codes(&task.search_moves);
            moves.retain(|mv| wanted.contains(&self.code(*mv)));
            others.retain(|mv| wanted.contains(&self.code(*mv)));
        }
        // The other moves come last, because a move that is not a candidate is rarely better.
        self.root.moves =
            [moves, others].iter().flat_map(|list| self.ordered_root_moves(list)).collect();
        self.bring_table_move_to_front();
        debug_assert!(!self.root.moves.is_empty(), "a game that is not over has a move");
        self.root.is_partial = !takes_all && coverage == Coverage::Partial;
        self.root.is_restricted = is_restricted;
        self.root.lines = task.multi_pv.clamp(1, self.root.moves.len());
        self.root.any_win_answers =
            !self.exact && self.root.lines == 1 && task.limits.mate.is_none();
    }

    /// Moves the table move to the front, even if it is not a candidate.
    fn bring_table_move_to_front(&mut self) {
        let place = self.root_index_of(self.table_move());
        self.root.moves[..=place].rotate_right(1);
    }

    /// Returns `moves` as root moves, in search order.
    fn ordered_root_moves(&self, moves: &[G::Move]) -> Vec<RootMove<G::Move>> {
        let mut ordered = self.in_order(moves);
        let root_move = |mv| RootMove {
            mv,
            score: Score::LOWEST,
            depth: 0,
            pv: Vec::new(),
            is_complete: false,
            proven: ProvenBounds::open(),
            from_book: false,
        };
        (0..ordered.len()).map(|from| root_move(pick(&mut ordered, from))).collect()
    }

    fn other_legal_moves(&self, moves: &[G::Move]) -> Vec<G::Move> {
        let listed = self.codes(moves);
        let mut legal = Vec::new();
        self.game.moves(&mut legal);
        legal.retain(|mv| !listed.contains(&self.code(*mv)));
        legal
    }

    fn codes(&self, moves: &[G::Move]) -> HashSet<u32> {
        moves.iter().map(|mv| self.code(*mv)).collect()
    }

    pub(super) fn code(&self, mv: G::Move) -> u32 {
        self.game.pack(mv, self.game.key().1)
    }

    /// Searches the root moves from the index `line` on in the window `window`, and moves the best
    /// move to the index `line`. If all moves of a partial list lose, it adds the other legal
    /// moves.
    pub(super) fn search_root(
        &mut self,
        line: usize,
        window: Window,
        depth: u32,
    ) -> Result<Score, Interrupt> {
        self.context.enter()?;
        let mut best = self.search_listed_moves(line, window, depth)?;
        // If all listed moves are proven to lose, another move might not. The table has the listed
        // moves, so their second search costs little.
        if self.root.is_partial && best.is_loss() {
            self.list_other_root_moves();
            best = self.search_listed_moves(line, window, depth)?;
        }
        if line == 0 && !self.root.is_restricted && best > window.alpha {
            let bound = if best >= window.beta { Bound::Lower } else { Bound::Exact };
            self.store(depth, 0, best, bound, Some(self.root.moves[0].mv));
        }
        Ok(best)
    }

    /// Searches the listed root moves from the index `line` on, and moves the best move to the
    /// index `line`.
    fn search_listed_moves(
        &mut self,
        line: usize,
        window: Window,
        depth: u32,
    ) -> Result<Score, Interrupt> {
        let mut place = line;
        let best = self.search_root_moves(line, window, depth, &mut place);
        // Also after a stop, to keep the best move found so far.
        self.root.moves[line..=place].rotate_right(1);
        best
    }

    /// Appends the legal moves that are not listed yet.
    fn list_other_root_moves(&mut self) {
        let listed: Vec<_> = self.root.moves.iter().map(|root| root.mv).collect();
        let others = self.ordered_root_moves(&self.other_legal_moves(&listed));
        self.root.moves.extend(others);
        self.root.is_partial = false;
    }

    /// Returns the best score of the moves from the index `line` on, and sets `place` to the index
    /// of the best move.
    fn search_root_moves(
        &mut self,
        line: usize,
        mut window: Window,
        depth: u32,
        place: &mut usize,
    ) -> Result<Score, Interrupt> {
        let node = self.node(&self.game, ProvenBounds::open(), window, depth, 0);
        let mut best = Score::LOWEST;
        // A move that another thread is searching waits until the other moves are done.
        let mut waiting: VecDeque<usize> = (line..self.root.moves.len()).collect();
        let mut may_wait = line + 1..self.root.moves.len();
        while let Some(index) = waiting.pop_front() {
            let mv = self.root.moves[index].mv;
            if index > line && may_wait.next().is_some() && self.is_busy(&node, mv) {
                waiting.push_back(index);
                continue;
            }
            let mark = self.mark_move(&node, mv);
            let score = self.search_root_move(&node, window, mv, index - line);
            self.unmark(&node, mark);
            let score = score?;
            best = best.max(score);
            if score <= window.alpha {
                continue;
            }
            self.record_root_move(index, score, depth);
            *place = index;
            window.raise(score);
            if self.on().cutoffs && window.is_empty() {
                break;
            }
        }
        Ok(best)
    }

    /// Searches `mv`, the move of the root at `index` in search order, in an exact or a heuristic
    /// node.
    fn search_root_move(
        &mut self,
        node: &Node<G::Symmetry>,
        window: Window,
        mv: G::Move,
        index: usize,
    ) -> Result<Score, Interrupt> {
        if let Some(recalled) = self.root.recalled.as_ref().filter(|win| win.mv == mv) {
            return Ok(recalled.score);
        }
        if self.has_exact_nodes() {
            return self.search_exact_root_move(window, mv, index, node.depth);
        }
        self.search_move::<true>(node, window, mv, index, 0, NodeFlags::ROOT)
    }

    /// Returns the score of a position of an exact game, `ply` plies below the root. Only
    /// `tengen tree` and tests search an exact game in heuristic nodes.
    pub(super) fn search_exact_game(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Interrupt> {
        match (self.has_exact_nodes(), window.is_scout()) {
            (true, true) => self.search_exact::<false>(window, depth, ply),
            (true, false) => self.search_exact::<true>(window, depth, ply),
            (false, _) => self.search::<true>(window, depth, ply, NodeFlags::ROOT),
        }
    }

    fn has_exact_nodes(&self) -> bool {
        self.exact && self.on().probe_children
    }

    /// Returns the node limit of the solver before an iteration.
    pub(super) fn solver_nodes(&self) -> u64 {
        let least = MIN_SOLVER_NODES.min(self.context.own_limit() / SOLVER_DIVISOR);
        least.max(self.context.own_nodes())
    }

    /// Returns a win that the solver finds, in a search of all moves with one line. `None` also
    /// after a stop: the search itself handles the stop.
    pub(super) fn solve_root(&mut self, limits: &Limits) -> Option<Report<G::Move>> {
        if !self.probes || self.root.is_restricted || self.root.lines > 1 {
            return None;
        }
        let nodes = self.solver_nodes();
        let win = self.evaluator.solve(&self.game, nodes, &mut self.context).ok()??;
        let (plies, pv) = (win.score.plies()?, win.line);
        let place = self.root.moves.iter().position(|root| Some(&root.mv) == pv.first())?;
        if limits.mate.is_some_and(|mate| mate < plies) {
            return None;
        }
        let is_kept = self.keep_win(self.root.moves[place].mv, plies);
        if !is_kept.ok()? {
            return None;
        }
        self.context.count_probe_hit();
        self.root.source = ProofSource::Solver(E::SOLVER_NAME);
        self.seldepth = pv.len();
        self.root.moves[..=place].rotate_right(1);
        let root = &mut self.root.moves[0];
        (root.score, root.depth, root.is_complete) = (win.score, plies, true);
        root.pv = pv;
        Some(self.report(0, Bound::Exact, plies))
    }

    fn record_root_move(&mut self, index: usize, score: Score, depth: u32) {
        let mv = self.root.moves[index].mv;
        if let Some(win) = self.root.recalled.clone().filter(|win| win.mv == mv) {
            let root = &mut self.root.moves[index];
            (root.score, root.depth, root.pv, root.is_complete) = (score, depth, win.pv, true);
            return;
        }
        let mut pv = vec![self.root.moves[index].mv];
        pv.extend_from_slice(&self.frames[1].pv);
        if pv.len() == 1 && !score.is_decisive() {
            self.add_reply(&mut pv);
        }
        let root = &mut self.root.moves[index];
        root.is_complete = !score.is_decisive();
        (root.score, root.depth, root.pv) = (score, depth, pv);
    }

    /// Appends the expected reply to a line of one move, unless that move ends the game.
    pub(super) fn add_reply(&mut self, line: &mut Vec<G::Move>) {
        let mv = line[0];
        let reply = self.with_move(mv, |search| {
            let is_over = search.game.outcome().is_some();
            let mut replies = if is_over { Vec::new() } else { search.ranked_candidates() };
            if replies.is_empty() { None } else { Some(pick(&mut replies, 0)) }
        });
        line.extend(reply);
    }

    pub(super) fn root_index_of(&self, mv: Option<G::Move>) -> usize {
        self.root.moves.iter().position(|root| Some(root.mv) == mv).unwrap_or(0)
    }

    /// Returns whether this is a search of all moves with one line. Then the root is an ordinary
    /// node.
    pub(super) fn root_is_one_node(&self) -> bool {
        self.root.lines == 1 && !self.root.is_restricted
    }

    /// Returns the report on the line at the index `line`.
    pub(super) fn report(&self, line: usize, bound: Bound, depth: u32) -> Report<G::Move> {
        Report { hashfull: self.table.hashfull(), ..self.line_report(line, bound, depth) }
    }

    /// Returns the report on the line at the index `line`, without `hashfull`.
    pub(super) fn line_report(&self, line: usize, bound: Bound, depth: u32) -> Report<G::Move> {
        let root = &self.root.moves[line];
        Report {
            depth,
            seldepth: self.seldepth as u32,
            line: line + 1,
            score: root.score,
            bound,
            wdl: None,
            nodes: self.context.nodes(),
            time: self.context.timer().elapsed(),
            hashfull: 0,
            probe_hits: self.context.probe_hits(),
            pv: root.pv.clone(),
        }
    }
}
