//! The engine's search beside the textbook algorithms, with every technique on, and counted.
//!
//! The search does not report what it evaluates, so the evaluator counts for it.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tengen_engine::search::{Context, Search, Switched, Task};
use tengen_engine::table::{OutOfMemory, Table};
use tengen_engine::{
    Coverage, Defences, Evaluator, ExtensionTuning, FutilityMargins, Game, HistoryTuning,
    Interrupt, LateMove, Limits, LosingMoves, MoveCountLimits, MoveOrdering, Probe, ProofEffort,
    ProofTuning, Prover, RootSchedule, Score, SearchEvaluator, Selectivity, Side, Term, Window,
};

use crate::algorithm::Algorithm;
use crate::census::{WalkCounts, extend};
use crate::walk::TreeResult;

/// Probing children copies positions and takes nothing back, so no walk could be followed: it is
/// off.
const OBSERVABLE: Switched = {
    let mut options = Switched::ALL;
    options.probe_children = false;
    options
};

/// Searches `game` to `horizon` plies with every technique on and a table of `table_mib` MiB.
///
/// If the evaluator is exact, value and best move are those of the textbook algorithms. Table and
/// history reorder the moves. So the moves before the one that was found are searched again on the
/// table, until no move before it is as good. The tally covers all iterations. Each evaluation is a
/// leaf, and so is each finished position (once if it is met twice in a row). A node left before
/// its last candidate is a cut-off.
pub fn tengen<G: Game, E: SearchEvaluator<G>>(
    game: &G,
    evaluator: &E,
    horizon: u32,
    table_mib: usize,
) -> Result<(TreeResult<G::Move>, WalkCounts), OutOfMemory> {
    if game.outcome().is_some() || horizon == 0 {
        return Ok(Algorithm::Negamax.measure(game, evaluator, horizon));
    }
    let mut table = Table::new(table_mib)?;
    let log = Log::default();
    let mut legal = Vec::new();
    game.moves(&mut legal);
    let mut nodes = 0;
    let mut search = |among: &[G::Move]| {
        log.lock().open = vec![Open::new(game.turn(), 0)];
        let mut task = Task::new(Limits::default().with_depth(horizon));
        task.search_moves = among.to_vec();
        table.age();
        let observer = Observer { evaluator: evaluator.clone(), log: log.clone() };
        let (game, table, context) = (game.clone(), table.view(), Context::unlimited());
        let mut search = Search::with_techniques(game, observer, table, OBSERVABLE, context);
        let answer = search.run(&task, &mut |_| ());
        nodes += search.own_nodes();
        (answer.report.score, answer.best)
    };

    let (value, mut best) = search(&[]);
    while let Some(place) = legal.iter().position(|mv| Some(*mv) == best).filter(|place| *place > 0)
    {
        let (rival, mv) = search(&legal[..place]);
        if rival < value {
            break;
        }
        best = mv;
    }
    let log = log.lock();
    let tally = WalkCounts { nodes, distinct_leaves: log.leaves.len() as u64, ..log.tally };
    Ok((TreeResult { value, best }, tally))
}

/// The log that all clones of an observer share.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Record>>);

#[derive(Default)]
struct Record {
    tally: WalkCounts,
    leaves: HashSet<u64>,
    open: Vec<Open>,
}

/// A node that the search is in.
struct Open {
    turn: Side,
    path: u64,
    /// The number of its moves, once they have been listed.
    listed: usize,
    /// The number of moves played.
    tried: usize,
    /// The last move played: a move that is searched again, or played to show its line, counts
    /// once.
    last: Option<u64>,
}

impl Open {
    const fn new(turn: Side, path: u64) -> Self {
        Self { turn, path, listed: 0, tried: 0, last: None }
    }
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Record {
    /// Notes a move, by its hash. `turn` is to move after it.
    fn played(&mut self, mv: u64, turn: Side, is_over: bool) {
        let Some(parent) = self.open.last_mut() else { return };
        let is_new = parent.last != Some(mv);
        if is_new {
            parent.last = Some(mv);
            parent.tried += 1;
        }
        let path = extend(parent.path, mv);
        self.open.push(Open::new(turn, path));
        if is_over && is_new {
            self.evaluated();
        }
    }

    fn listed(&mut self, moves: usize) {
        if let Some(node) = self.open.last_mut() {
            node.listed = moves;
        }
    }

    fn evaluated(&mut self) {
        let Some(node) = self.open.last() else { return };
        // The root is evaluated for a first impression only.
        if self.open.len() > 1 {
            self.tally.leaves += 1;
            self.leaves.insert(node.path);
        }
    }

    fn left(&mut self) {
        let Some(node) = self.open.pop() else { return };
        if node.tried == 0 || node.tried >= node.listed {
            return;
        }
        match node.turn {
            Side::First => self.tally.beta_cuts += 1,
            Side::Second => self.tally.alpha_cuts += 1,
        }
    }
}

/// An evaluator that keeps the log. It forwards every question of the search, but has no lazy
/// evaluation, which would leave leaves out of the log.
#[derive(Clone)]
struct Observer<E> {
    evaluator: E,
    log: Log,
}

impl<G: Game, E: SearchEvaluator<G>> Evaluator<G> for Observer<E> {
    type Undo = E::Undo;

    fn reset(&mut self, game: &G) {
        self.evaluator.reset(game);
    }

    fn played(&mut self, game: &G, mv: G::Move) -> Self::Undo {
        let step = BuildHasherDefault::<DefaultHasher>::default().hash_one(mv);
        self.log.lock().played(step, game.turn(), game.outcome().is_some());
        self.evaluator.played(game, mv)
    }

    fn undone(&mut self, game: &G, mv: G::Move, undo: Self::Undo) {
        self.log.lock().left();
        self.evaluator.undone(game, mv, undo);
    }

    fn evaluate(&mut self, game: &G) -> Score {
        self.log.lock().evaluated();
        self.evaluator.evaluate(game)
    }

    fn terms(&mut self, game: &G) -> Vec<Term> {
        self.evaluator.terms(game)
    }
}

impl<G: Game, E: SearchEvaluator<G>> MoveOrdering<G> for Observer<E> {
    fn candidates(&self, game: &G, out: &mut Vec<G::Move>) -> Coverage {
        let before = out.len();
        let coverage = self.evaluator.candidates(game, out);
        self.log.lock().listed(out.len() - before);
        coverage
    }

    fn searches_all_at_root(&self) -> bool {
        self.evaluator.searches_all_at_root()
    }

    fn only_move(&self, game: &G) -> Option<G::Move> {
        self.evaluator.only_move(game)
    }

    fn rank(&self, game: &G, mv: G::Move) -> i32 {
        self.evaluator.rank(game, mv)
    }

    fn rank_played(&self, before: &G, game: &G, outer_window: bool) -> i32 {
        self.evaluator.rank_played(before, game, outer_window)
    }

    fn history_tuning(&self) -> HistoryTuning {
        self.evaluator.history_tuning()
    }

    fn is_threat(&self, game: &G, mv: G::Move) -> bool {
        self.evaluator.is_threat(game, mv)
    }

    fn noisy(&self, game: &G, out: &mut Vec<G::Move>) {
        let before = out.len();
        self.evaluator.noisy(game, out);
        self.log.lock().listed(out.len() - before);
    }
}

impl<G: Game, E: SearchEvaluator<G>> Selectivity<G> for Observer<E> {
    fn exact(&self) -> bool {
        self.evaluator.exact()
    }

    fn schedule(&self) -> RootSchedule {
        self.evaluator.schedule()
    }

    fn extension_tuning(&self) -> ExtensionTuning {
        self.evaluator.extension_tuning()
    }

    fn proof_tuning(&self) -> ProofTuning {
        self.evaluator.proof_tuning()
    }

    fn reduction(&self, game: &G, mv: G::Move, late: &LateMove) -> u32 {
        self.evaluator.reduction(game, mv, late)
    }

    fn extension(&self, game: &G, mv: G::Move) -> u32 {
        self.evaluator.extension(game, mv)
    }

    fn futility_margins(&self, game: &G, depth: u32) -> Option<FutilityMargins> {
        self.evaluator.futility_margins(game, depth)
    }

    fn move_count_limits(&self, game: &G, depth: u32) -> MoveCountLimits {
        self.evaluator.move_count_limits(game, depth)
    }
}

/// What a solver answers.
type Found<G> = Result<Option<Probe<<G as Game>::Move>>, Interrupt>;

impl<G: Game, E: SearchEvaluator<G>> Prover<G> for Observer<E> {
    const SOLVER_NAME: &'static str = E::SOLVER_NAME;
    const KEEPS_WINS: bool = E::KEEPS_WINS;

    fn static_bounds(&self, game: &G, wanted: Window) -> (Score, Score) {
        self.evaluator.static_bounds(game, wanted)
    }

    fn probe(&mut self, game: &G, window: Window, ctx: &mut Context) -> Found<G> {
        self.evaluator.probe(game, window, ctx)
    }

    fn probe_horizon(&mut self, game: &G, window: Window, ctx: &mut Context) -> Found<G> {
        self.evaluator.probe_horizon(game, window, ctx)
    }

    fn solve(&mut self, game: &G, nodes: u64, ctx: &mut Context) -> Found<G> {
        self.evaluator.solve(game, nodes, ctx)
    }

    fn win_within(&mut self, game: &G, plies: u32, nodes: u64, ctx: &mut Context) -> Found<G> {
        self.evaluator.win_within(game, plies, nodes, ctx)
    }

    fn attack_within(
        &mut self,
        game: &G,
        plies: u32,
        effort: ProofEffort,
        nodes: u64,
        ctx: &mut Context,
    ) -> Result<Option<G::Move>, Interrupt> {
        self.evaluator.attack_within(game, plies, effort, nodes, ctx)
    }

    fn defences(
        &mut self,
        game: &G,
        plies: u32,
        ctx: &mut Context,
    ) -> Result<Option<Defences<G::Move>>, Interrupt> {
        self.evaluator.defences(game, plies, ctx)
    }

    fn others_lose(
        &mut self,
        game: &G,
        others: &[G::Move],
        effort: ProofEffort,
        ctx: &mut Context,
    ) -> Result<LosingMoves, Interrupt> {
        self.evaluator.others_lose(game, others, effort, ctx)
    }
}

#[cfg(test)]
mod tests;
