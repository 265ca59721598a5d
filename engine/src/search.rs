//! One search, monomorphized over a game and its evaluator: iterative deepening over the root, PVS
//! nodes below it.

mod ahead;
mod bracket;
mod context;
mod crowd;
mod deepening;
mod front;
mod line;
mod node;
mod proof;
mod proven;
mod pruning;
mod quiescence;
mod root;
mod study;
mod techniques;

use crate::game::{Evaluator, Game, Outcome, Schedule, Selectivity};
use crate::limits::Limits;
use crate::order::{History, Killers, Ordered};
use crate::report::{Answer, Bound, Grounds, Report, Settled};
use crate::score::Score;
use crate::table::View;

pub use context::{Context, Stopped};
pub(crate) use crowd::Crowd;
pub(crate) use front::Front;
pub use study::{Studied, Study};
pub use techniques::Techniques;

use ahead::Child;
use crowd::Asked;
use deepening::{Deepening, STEADY};
use proof::{Progress, Proving};
use root::RootMove;

/// What one search is asked, beside the position.
#[derive(Clone, Debug)]
pub struct Task<M> {
    /// When to end.
    pub limits: Limits,
    /// How many lines to report, from 1.
    pub multi_pv: usize,
    /// Search only these legal moves; all when empty.
    pub search_moves: Vec<M>,
    /// Whether books and solvers may be asked.
    pub probes: bool,
}

impl<M> Task<M> {
    /// One line of every move under `limits`.
    pub fn new(limits: Limits) -> Self {
        Self { limits, multi_pv: 1, search_moves: Vec::new(), probes: true }
    }
}

/// What the search keeps for each ply, so that nodes need not allocate.
struct Frame<G: Game, E> {
    candidates: Vec<G::Move>,
    ordered: Vec<Ordered<G::Move>>,
    /// In exact games: the moves that a look left open, and their places in order.
    children: Vec<Child<G, E>>,
    places: Vec<Ordered<usize>>,
    pv: Vec<G::Move>,
    killers: Killers<G::Move>,
    /// The evaluation, where it was asked for.
    still: Option<Score>,
    /// Whether the node is expected to exceed beta.
    expects_cut: bool,
    /// What is asked of the node, while several threads search it.
    asked: Option<Asked>,
}

impl<G: Game, E> Default for Frame<G, E> {
    fn default() -> Self {
        Self {
            candidates: Vec::new(),
            ordered: Vec::new(),
            children: Vec::new(),
            places: Vec::new(),
            pv: Vec::new(),
            killers: [None, None],
            still: None,
            expects_cut: false,
            asked: None,
        }
    }
}

/// No position with so many plies left is near the end of its game.
const NEAR_PLIES: u32 = 20;
/// The same in a search of one among many neighbours, which meet again what it finds.
const NEAR_PLIES_OF_NEIGHBOURS: u32 = 8;

/// The state of one search thread: made for one search, dropped after it.
pub struct Search<'a, G: Game, E: Evaluator<G>> {
    game: G,
    evaluator: E,
    table: View<'a>,
    techniques: Techniques,
    exact: bool,
    /// Positions of an exact game with fewer plies left than this are near its end.
    near_below: u32,
    /// Whether it is one of many searches of neighbours.
    has_neighbours: bool,
    /// Whether depths are those to the end of the game.
    is_proving: bool,
    /// Whether the window in question is one that sudden ends alone can settle at little cost.
    asks_ends: bool,
    selectivity: Selectivity,
    context: Context,
    history: History,
    frames: Vec<Frame<G, E>>,
    /// The ply of a node that another thread has settled, and its score.
    overtaken: Option<(usize, Score)>,
    seldepth: usize,
    /// The depth of the iteration in progress.
    iteration: u32,
    root_moves: Vec<RootMove<G::Move>>,
    /// The first `lines` root moves are this search's lines, best first.
    lines: usize,
    /// Whether the root's list leaves out moves by judgement.
    root_is_partial: bool,
    /// Whether it leaves out moves at the client's wish: what is found then is not the position's
    /// value.
    root_is_restricted: bool,
    /// What a proven result of the root would rest on.
    grounds: Grounds,
    /// The score of the root as a book tells it, until it is known which move reaches it.
    told: Option<Score>,
    /// Who learns from the search, between the nodes that are studied.
    study: Option<&'a mut dyn Study<G>>,
}

impl<'a, G: Game, E: Evaluator<G>> Search<'a, G, E> {
    /// A search of `game`, which must not be over. The table must have been
    /// [aged](crate::table::Table::age) by its owner.
    pub fn new(
        game: G,
        mut evaluator: E,
        table: View<'a>,
        techniques: Techniques,
        context: Context,
    ) -> Self {
        debug_assert!(game.outcome().is_none(), "a finished game has nothing to search");
        evaluator.reset(&game);
        let exact = evaluator.exact();
        let selectivity = match exact || !techniques.pruning || !techniques.cutoffs {
            true => Selectivity::NONE,
            false => evaluator.selectivity(),
        };
        let history = History::new(game.history_slots());
        let plies_left = game.plies_left();
        let near_below = (plies_left / 2).min(NEAR_PLIES);
        let plies = plies_left.min(Score::MAX_PLIES) as usize;
        let frames = (0..plies + 2).map(|_| Frame::default()).collect();
        Self {
            game,
            evaluator,
            table,
            techniques,
            exact,
            near_below,
            has_neighbours: false,
            is_proving: false,
            asks_ends: false,
            selectivity,
            context,
            history,
            frames,
            overtaken: None,
            seldepth: 0,
            iteration: 0,
            root_moves: Vec::new(),
            lines: 1,
            root_is_partial: false,
            root_is_restricted: false,
            grounds: Grounds::Search,
            told: None,
            study: None,
        }
    }

    /// The same search, from which somebody learns.
    pub fn studied_by(mut self, study: &'a mut dyn Study<G>) -> Self {
        self.study = Some(study);
        self
    }

    /// The same search for one of many neighbours that are searched with one table: more of what it
    /// finds is kept for the others, and more of it is expected to be there.
    pub fn among_neighbours(mut self) -> Self {
        self.near_below = self.near_below.min(NEAR_PLIES_OF_NEIGHBOURS);
        self.has_neighbours = true;
        self
    }

    /// Searches until a limit, a stop or a proven result, and tells `report` after each iteration.
    pub fn run(
        &mut self,
        task: &Task<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> Answer<G::Move> {
        self.context.start();
        self.close_books(task);
        self.list_root_moves(task);
        let mut last = self.first_impression();
        let mut deepening = self.deepening(&task.limits);
        let news = if self.proves(&task.limits) {
            self.prove_or_deepen(task, &mut deepening, &mut last, report)
        } else {
            self.deepen(&mut deepening, u64::MAX, task, &mut last, report);
            deepening.news
        };
        self.context.publish();
        self.answer(last, news)
    }

    /// What a book knows of a game that can be proven holds at full depth: a search that is to end
    /// sooner could not show it, so it does without.
    fn close_books(&mut self, task: &Task<G::Move>) {
        self.techniques.probe &= task.probes;
        self.techniques.probe &=
            self.evaluator.schedule() == Schedule::Deepening || self.proves(&task.limits);
    }

    /// Tries to prove the value; while that takes long, deepens in between.
    /// Whether the last report says less than `last`.
    fn prove_or_deepen(
        &mut self,
        task: &Task<G::Move>,
        deepening: &mut Deepening<G::Move>,
        last: &mut Report<G::Move>,
        report: &mut dyn FnMut(Report<G::Move>),
    ) -> bool {
        const GROWTH: u64 = 2;
        let mut proving = Proving::new(&task.limits, self.root_moves.clone());
        let (mut quota, share) = quota_and_share(&task.limits);
        loop {
            let is_over = match self.prove(&mut proving, quota, last, report) {
                Ok(Progress::Done) => return false,
                Ok(Progress::Postponed) if self.says_enough(&proving, deepening) => {
                    !self.context.timer().allows_iteration(STEADY, self.context.nodes())
                }
                Ok(Progress::Postponed) => {
                    let nodes = self.context.own_nodes() + quota / share;
                    // What a book told is not taken back.
                    let silent: &mut dyn FnMut(_) = &mut |_| ();
                    let report = if self.told.is_some() { silent } else { &mut *report };
                    self.deepen(deepening, nodes, task, last, report);
                    if deepening.is_settled {
                        return false;
                    }
                    if deepening.is_over {
                        let has_news = deepening.news || self.told.is_some();
                        return self.salvage_proof(&proving, last) || has_news;
                    }
                    false
                }
                Err(Stopped) => true,
            };
            if is_over {
                return self.salvage_proof(&proving, last) || !proving.knows_the_best();
            }
            quota = quota.saturating_mul(GROWTH);
        }
    }

    /// Whether nothing that a proof still lacks is to be had from iterations.
    fn says_enough(&self, proving: &Proving<G::Move>, deepening: &Deepening<G::Move>) -> bool {
        let has_guess = self.told.is_some() && !deepening.news;
        has_guess || proving.knows_the_best() || self.knows_a_winning_move(proving)
    }

    /// Searches like [`run`](Self::run), for the table alone, until it is stopped.
    pub fn assist(&mut self, task: &Task<G::Move>) {
        self.close_books(task);
        self.list_root_moves(task);
        let mut last = self.first_impression();
        if self.proves(&task.limits) {
            let mut proving = Proving::new(&task.limits, self.root_moves.clone());
            let result = self.prove(&mut proving, u64::MAX, &mut last, &mut |_| ());
            if matches!(result, Ok(Progress::Done)) {
                return self.context.publish();
            }
        }
        let mut depth = self.catch_up(0);
        while depth <= self.deepest(&task.limits) {
            if self.iterate(depth, &mut last, &mut |_| ()).is_err() {
                break;
            }
            depth = self.catch_up(depth);
        }
        self.context.publish();
    }

    /// What can be said before anything was searched.
    fn first_impression(&mut self) -> Report<G::Move> {
        let mv = self.root_moves[0].mv;
        let undo = self.game.play(mv);
        let wins = self.game.outcome() == Some(Outcome::Win(self.game.turn().other()));
        self.game.undo(mv, undo);
        let score = if wins { Score::win_in(1) } else { self.evaluator.evaluate(&self.game) };
        self.root_moves[0].pv = vec![mv];
        let mut line = self.root_moves[0].pv.clone();
        self.add_reply(&mut line);
        self.root_moves[0].pv = line;
        Report { score, ..self.line_report(0, Bound::Exact, 0) }
    }

    fn report(&self, line: usize, bound: Bound, depth: u32) -> Report<G::Move> {
        Report { hashfull: self.table.hashfull(), ..self.line_report(line, bound, depth) }
    }

    /// A report that does not look into the table.
    fn line_report(&self, line: usize, bound: Bound, depth: u32) -> Report<G::Move> {
        let root = &self.root_moves[line];
        Report {
            depth,
            seldepth: self.seldepth as u32,
            line: line + 1,
            score: root.score,
            bound,
            odds: None,
            nodes: self.context.nodes(),
            time: self.context.timer().elapsed(),
            hashfull: 0,
            probe_hits: self.context.probe_hits(),
            pv: root.pv.clone(),
        }
    }

    fn answer(&self, last: Report<G::Move>, news: bool) -> Answer<G::Move> {
        let (best, ponder) = (last.pv.first().copied(), last.pv.get(1).copied());
        let last = match self.told {
            // The move is a guess: no line shows the score.
            Some(score) if score != last.score => {
                let depth = self.game.plies_left();
                Report { score, bound: Bound::Exact, depth, pv: Vec::new(), ..last }
            }
            _ => last,
        };
        let report = Report {
            nodes: self.context.nodes(),
            time: self.context.timer().elapsed(),
            hashfull: if news { self.table.hashfull() } else { last.hashfull },
            ..last
        };
        let settled = self.settled(&report);
        Answer { best, ponder, report, news, settled, tally: self.context.tally() }
    }

    /// What `report` proves of the position.
    fn settled(&self, report: &Report<G::Move>) -> Option<Settled> {
        let is_drawn = report.score == Score::DRAW
            && report.bound == Bound::Exact
            && self.exact
            && report.depth >= self.game.plies_left();
        if self.root_is_restricted || !(is_drawn || report.score.is_decisive()) {
            return None;
        }
        let mover = self.game.turn();
        let winner = match report.score {
            score if score.is_win() => Some(mover),
            score if score.is_loss() => Some(mover.other()),
            _ => None,
        };
        Some(Settled { winner, plies: report.score.plies(), grounds: self.grounds })
    }

    /// The nodes this thread has entered.
    pub fn own_nodes(&self) -> u64 {
        self.context.own_nodes()
    }
}

/// After how many nodes a proof first waits for an iteration, and how many times as many nodes it
/// has as the iterations in between.
fn quota_and_share(limits: &Limits) -> (u64, u64) {
    const FIRST: u64 = 1 << 12;
    const PATIENT: u64 = 1 << 16;
    const SHARE: u64 = 16;
    match () {
        () if limits.proof.is_some() => (u64::MAX, 1),
        () if limits.is_timed() || limits.nodes.is_some() => (FIRST, 1),
        // A stop can come at any time.
        () if limits.is_open_ended() => (FIRST, SHARE),
        () => (PATIENT, SHARE),
    }
}

/// The value of a finished game `ply` plies below the root, for the side to move there.
fn outcome_score<G: Game>(game: &G, outcome: Outcome, ply: usize) -> Score {
    match outcome {
        Outcome::Win(side) if side == game.turn() => Score::win_in(ply as u32),
        Outcome::Win(_) => Score::loss_in(ply as u32),
        Outcome::Draw => Score::DRAW,
        Outcome::Value(value) if game.turn() == crate::game::Side::First => value,
        Outcome::Value(value) => -value,
    }
}
