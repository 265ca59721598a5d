//! The engine's search beside the textbook algorithms, with every technique on, and counted.
//!
//! The search does not report what it evaluates, so the game and the evaluator count for it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tengen_engine::search::{Context, Search, Switched, Task};
use tengen_engine::table::{OutOfMemory, Table};
use tengen_engine::{
    Coverage, Evaluator, ExtensionTuning, FutilityMargins, Game, HistoryTuning, Interrupt,
    LateMove, Limits, LosingMoves, MoveCountLimits, MoveOrdering, Outcome, Probe, ProofEffort,
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
    let observed = Observed { game: game.clone(), log: log.clone() };
    let mut legal = Vec::new();
    game.moves(&mut legal);
    let mut nodes = 0;
    let mut search = |among: &[G::Move]| {
        log.lock().open = vec![Open::new(game.turn(), 0)];
        let mut task = Task::new(Limits::default().with_depth(horizon));
        task.search_moves = among.to_vec();
        table.age();
        let observer = Observer(evaluator.clone());
        let context = Context::unlimited();
        let (game, table) = (observed.clone(), table.view());
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

/// The log that game and evaluator share.
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
    last: Option<u32>,
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
    fn played(&mut self, code: u32, turn: Side, is_over: bool) {
        let Some(parent) = self.open.last_mut() else { return };
        let is_new = parent.last != Some(code);
        if is_new {
            parent.last = Some(code);
            parent.tried += 1;
        }
        let path = extend(parent.path, u64::from(code));
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

/// A game that keeps the log.
#[derive(Clone)]
struct Observed<G> {
    game: G,
    log: Log,
}

impl<G: Game> Game for Observed<G> {
    type Move = G::Move;
    type Undo = G::Undo;
    type Symmetry = G::Symmetry;

    const MIN_PLIES_TO_LOSE_AND_WIN: (u32, u32) = G::MIN_PLIES_TO_LOSE_AND_WIN;

    fn turn(&self) -> Side {
        self.game.turn()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    fn moves(&self, out: &mut Vec<Self::Move>) {
        self.game.moves(out);
    }

    fn play(&mut self, mv: Self::Move) -> Self::Undo {
        let (_, symmetry) = self.game.key();
        let code = self.game.pack(mv, symmetry);
        let undo = self.game.play(mv);
        self.log.lock().played(code, self.game.turn(), self.game.outcome().is_some());
        undo
    }

    fn undo(&mut self, mv: Self::Move, undo: Self::Undo) {
        self.log.lock().left();
        self.game.undo(mv, undo);
    }

    fn plies_left(&self) -> u32 {
        self.game.plies_left()
    }

    fn key(&self) -> (u64, Self::Symmetry) {
        self.game.key()
    }

    fn pack(&self, mv: Self::Move, symmetry: Self::Symmetry) -> u32 {
        self.game.pack(mv, symmetry)
    }

    fn unpack(&self, code: u32, symmetry: Self::Symmetry) -> Option<Self::Move> {
        self.game.unpack(code, symmetry)
    }

    fn history_slots(&self) -> usize {
        self.game.history_slots()
    }

    fn history_slot(&self, mv: Self::Move) -> usize {
        self.game.history_slot(mv)
    }
}

/// An evaluator that keeps the game's log. It forwards every question of the search, but has no lazy
/// evaluation, which would leave leaves out of the log.
#[derive(Clone)]
struct Observer<E>(E);

impl<G: Game, E: SearchEvaluator<G>> Evaluator<Observed<G>> for Observer<E> {
    type Undo = E::Undo;

    fn reset(&mut self, game: &Observed<G>) {
        self.0.reset(&game.game);
    }

    fn played(&mut self, game: &Observed<G>, mv: G::Move) -> Self::Undo {
        self.0.played(&game.game, mv)
    }

    fn undone(&mut self, game: &Observed<G>, mv: G::Move, undo: Self::Undo) {
        self.0.undone(&game.game, mv, undo);
    }

    fn evaluate(&mut self, game: &Observed<G>) -> Score {
        game.log.lock().evaluated();
        self.0.evaluate(&game.game)
    }

    fn terms(&mut self, game: &Observed<G>) -> Vec<Term> {
        self.0.terms(&game.game)
    }
}

impl<G: Game, E: SearchEvaluator<G>> MoveOrdering<Observed<G>> for Observer<E> {
    fn candidates(&self, game: &Observed<G>, out: &mut Vec<G::Move>) -> Coverage {
        let before = out.len();
        let coverage = self.0.candidates(&game.game, out);
        game.log.lock().listed(out.len() - before);
        coverage
    }

    fn searches_all_at_root(&self) -> bool {
        self.0.searches_all_at_root()
    }

    fn only_move(&self, game: &Observed<G>) -> Option<G::Move> {
        self.0.only_move(&game.game)
    }

    fn rank(&self, game: &Observed<G>, mv: G::Move) -> i32 {
        self.0.rank(&game.game, mv)
    }

    fn rank_played(&self, before: &Observed<G>, game: &Observed<G>, outer_window: bool) -> i32 {
        self.0.rank_played(&before.game, &game.game, outer_window)
    }

    fn history_tuning(&self) -> HistoryTuning {
        self.0.history_tuning()
    }

    fn is_threat(&self, game: &Observed<G>, mv: G::Move) -> bool {
        self.0.is_threat(&game.game, mv)
    }

    fn noisy(&self, game: &Observed<G>, out: &mut Vec<G::Move>) {
        let before = out.len();
        self.0.noisy(&game.game, out);
        game.log.lock().listed(out.len() - before);
    }
}

impl<G: Game, E: SearchEvaluator<G>> Selectivity<Observed<G>> for Observer<E> {
    fn exact(&self) -> bool {
        self.0.exact()
    }

    fn schedule(&self) -> RootSchedule {
        self.0.schedule()
    }

    fn extension_tuning(&self) -> ExtensionTuning {
        self.0.extension_tuning()
    }

    fn proof_tuning(&self) -> ProofTuning {
        self.0.proof_tuning()
    }

    fn reduction(&self, game: &Observed<G>, mv: G::Move, late: &LateMove) -> u32 {
        self.0.reduction(&game.game, mv, late)
    }

    fn extension(&self, game: &Observed<G>, mv: G::Move) -> u32 {
        self.0.extension(&game.game, mv)
    }

    fn futility_margins(&self, game: &Observed<G>, depth: u32) -> Option<FutilityMargins> {
        self.0.futility_margins(&game.game, depth)
    }

    fn move_count_limits(&self, game: &Observed<G>, depth: u32) -> MoveCountLimits {
        self.0.move_count_limits(&game.game, depth)
    }
}

/// What a solver answers.
type Found<G> = Result<Option<Probe<<G as Game>::Move>>, Interrupt>;

impl<G: Game, E: SearchEvaluator<G>> Prover<Observed<G>> for Observer<E> {
    const SOLVER_NAME: &'static str = E::SOLVER_NAME;

    fn static_bounds(&self, game: &Observed<G>, wanted: Window) -> (Score, Score) {
        self.0.static_bounds(&game.game, wanted)
    }

    fn probe(&mut self, game: &Observed<G>, window: Window, ctx: &mut Context) -> Found<G> {
        self.0.probe(&game.game, window, ctx)
    }

    fn probe_horizon(&mut self, game: &Observed<G>, window: Window, ctx: &mut Context) -> Found<G> {
        self.0.probe_horizon(&game.game, window, ctx)
    }

    fn solve(&mut self, game: &Observed<G>, nodes: u64, ctx: &mut Context) -> Found<G> {
        self.0.solve(&game.game, nodes, ctx)
    }

    fn others_lose(
        &mut self,
        game: &Observed<G>,
        others: &[G::Move],
        effort: ProofEffort,
        ctx: &mut Context,
    ) -> Result<LosingMoves, Interrupt> {
        self.0.others_lose(&game.game, others, effort, ctx)
    }
}

#[cfg(test)]
mod tests;
