//! The node: fail-soft principal variation search, one headline comment per technique.

use crate::evaluator::SearchEvaluator;
use crate::order::{Orderer, remember_killer};
use crate::ordering::Coverage;
use crate::prover::Probe;
use crate::report::Bound;
use crate::rules::{Game, OUTER_WINDOW_MARK};
use crate::score::Score;
use crate::table::{Address, Entry, Region};
use crate::window::Window;

use super::child::Known;
use super::node_id::{Asked, Station};
use super::proven::Proven;
use super::pruning::Special;
use super::state::Search;
use crate::context::Stopped;

/// What a look at a position found.
pub(super) enum Look<S> {
    /// A score that needs no search.
    Settled(Score),
    /// What the search can start from.
    Open(Known<S>),
}

impl<G: Game, E: SearchEvaluator<G>> Search<'_, G, E> {
    /// The value of the current position, `ply` plies below the root, searched `depth` plies deep.
    /// Fail-soft: a score at or below alpha is an upper bound, one at or above beta a lower bound,
    /// one between is the value.
    // CITE: Fishburn, "Another optimization of alpha-beta search", SIGART 84, 1983 (fail-soft);
    // Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982 (principal
    // variation search).
    #[inline]
    pub(super) fn visit(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Stopped> {
        debug_assert!(window.alpha < window.beta);
        if depth == 0 { self.horizon(window, ply) } else { self.node(window, depth, ply) }
    }

    fn node(&mut self, window: Window, depth: u32, ply: usize) -> Result<Score, Stopped> {
        if let Some(score) = self.open(ply)? {
            return Ok(score);
        }
        match self.look(window, depth, ply)? {
            Look::Settled(score) => Ok(score),
            Look::Open(known) => self.expand(known, window, depth, ply),
        }
    }

    /// What can be said of a position of a game that goes on without searching its moves.
    fn look(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Look<G::Symmetry>, Stopped> {
        // Proven bounds
        let wanted = window.to_table(ply);
        let proven = self.proven(wanted);
        if self.techniques.cutoffs
            && let Some(score) = proven.settles(wanted)
        {
            return Ok(Look::Settled(score.from_table(ply as u32)));
        }
        let (at, symmetry) = self.address_of(&self.game);
        let mut known = Known { proven, at, symmetry, code: None };
        if let Some(score) = self.recall(&mut known, window, depth, ply) {
            return Ok(Look::Settled(score));
        }
        if let Some(score) = self.prune(window, depth, ply) {
            return Ok(Look::Settled(known.proven.seen_from(ply).clamp(score)));
        }
        if let Some(score) = self.consult(window, depth, ply)? {
            return Ok(Look::Settled(score));
        }
        Ok(Look::Open(known))
    }

    // Transposition table
    /// The score by which the table settles a position that its proven bounds leave open; else the
    /// table's move becomes known.
    #[inline]
    pub(super) fn recall(
        &mut self,
        known: &mut Known<G::Symmetry>,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Option<Score> {
        let entry = if self.uses_table() { self.table.get(known.at) } else { None };
        if self.techniques.table
            && let Some(score) = entry.and_then(|e| cut(&e, window, depth, ply))
        {
            self.context.count_table_hit();
            return Some(known.proven.seen_from(ply).clamp(score));
        }
        let code = entry.filter(|_| self.techniques.table_move).and_then(|entry| entry.code);
        // Without a mark that the window in question shares; with another no move is of that code.
        known.code = code.map(|code| if self.asks_ends { code & !OUTER_WINDOW_MARK } else { code });
        None
    }

    // Books and solvers
    #[inline]
    fn consult(
        &mut self,
        window: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Option<Score>, Stopped> {
        if !self.techniques.probe {
            return Ok(None);
        }
        let probe = self.probe_book_or_solver(window)?;
        Ok(probe.map(|probe| self.adopt_probe(probe, depth, ply)))
    }

    /// Asks the book about the current position, and the solver when the book does not know it.
    #[inline(always)]
    pub(super) fn probe_book_or_solver(
        &mut self,
        window: Window,
    ) -> Result<Option<Probe<G::Move>>, Stopped> {
        if self.game.plies_left() >= self.book_plies_left
            && let Some(probe) = self.probe_book(&self.game)
        {
            return Ok(Some(probe));
        }
        self.evaluator.probe(&self.game, window, &mut self.context)
    }

    #[cold]
    pub(super) fn probe_book(&self, game: &G) -> Option<Probe<G::Move>> {
        self.book.as_ref()?.probe(game)
    }

    /// Stores what a probe of the current position found; its score.
    pub(super) fn adopt_probe(&mut self, probe: Probe<G::Move>, depth: u32, ply: usize) -> Score {
        self.context.count_probe_hit();
        let score = probe.score.from_table(ply as u32);
        let bound = match score {
            s if s.is_win() => Bound::Lower,
            s if s.is_loss() => Bound::Upper,
            _ => Bound::Exact,
        };
        self.remember(depth, ply, score, bound, probe.line.first().copied());
        self.frames[ply].pv.extend(probe.line);
        score
    }

    /// Searches the moves of a position that a look did not settle, and stores what comes of it.
    pub(super) fn expand(
        &mut self,
        known: Known<G::Symmetry>,
        asked: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Stopped> {
        if !self.has_company(depth) {
            return self.search_node(known, asked, depth, ply);
        }
        self.heed_above(ply)?;
        self.frames[ply].asked = Some(Asked { at: known.at, window: asked, depth });
        let result = self.search_node(known, asked, depth, ply);
        let left = self.frames[ply].asked.take().map_or(asked, |asked| asked.window);
        let Some((_, score)) = self.overtaken.take_if(|(at, _)| *at == ply) else {
            return result;
        };
        let score = known.proven.seen_from(ply).clamp(score);
        if left.alpha > asked.alpha && score <= left.alpha && !score.is_loss() {
            // A move has reached as much, and its line is there.
            return Ok(left.alpha);
        }
        self.frames[ply].pv.clear();
        Ok(score)
    }

    /// The same for a thread that hears nothing of others.
    fn search_node(
        &mut self,
        known: Known<G::Symmetry>,
        asked: Window,
        depth: u32,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let Known { at, symmetry, code, .. } = known;
        let proven = known.proven.seen_from(ply);
        let table_move = code.and_then(|code| self.game.unpack(code, symmetry));
        let window = if self.techniques.cutoffs { proven.narrow(asked) } else { asked };
        let (best, best_move) = if self.looks_ahead() {
            self.search_ahead(window, depth, ply, table_move)?
        } else {
            let special = self.singularity(at, table_move, window, depth, ply)?;
            if let Special::Cut(score) = special {
                return Ok(score);
            }
            self.search_moves(Station { key: at.key, depth, ply }, window, table_move, special)?
        };
        let score = if self.techniques.cutoffs { proven.clamp(best) } else { best };
        let bound = match score {
            s if s >= window.beta && s < proven.high => Bound::Lower,
            s if s <= window.alpha && s > proven.low => Bound::Upper,
            _ => Bound::Exact,
        };
        if self.uses_table() {
            let code = best_move.map(|mv| self.game.pack(mv, symmetry) | self.mark(ply));
            let score = score.to_table(ply as u32);
            self.table.put(at, Entry { depth, bound, score, code });
        }
        Ok(score)
    }

    /// Searches the candidates in order. The best score, and the move that raised alpha, if one
    /// did.
    pub(super) fn search_moves(
        &mut self,
        at: Station,
        mut window: Window,
        table_move: Option<G::Move>,
        special: Special,
    ) -> Result<(Score, Option<G::Move>), Stopped> {
        let Station { depth, ply, .. } = at;
        let is_pv = !window.is_scout();
        let (coverage, mut moves) = self.ordered_candidates(ply, table_move);
        let mut best = Score::LOWEST;
        let mut best_move = None;
        let mut searched = 0;
        let mut outcome = Ok(());
        let most = self.most_moves(window, depth, ply);
        while searched < moves.len() && (searched < most || best.is_loss()) {
            if let Err(stopped) = self.heed(ply) {
                outcome = Err(stopped);
                break;
            }
            let mv = self.pick_move(at, &mut moves, searched, most);
            if special == Special::Without && Some(mv) == table_move {
                searched += 1;
                continue;
            }
            let deeper = u32::from(special == Special::Deeper && Some(mv) == table_move);
            let score = match self.search_taken(at, mv, searched, window, deeper) {
                Ok(score) => score,
                Err(stopped) => {
                    outcome = Err(stopped);
                    break;
                }
            };
            searched += 1;
            best = best.max(score);
            if score <= window.alpha {
                continue;
            }
            best_move = Some(mv);
            window.raise(score);
            if is_pv {
                self.adopt_line(ply, mv);
                self.ask(ply, window);
            }
            if self.techniques.cutoffs && window.is_empty() {
                self.context.count_cut_off(searched - 1);
                let left_out = table_move.filter(|_| special == Special::Without);
                let tried = moves[..searched - 1].iter().map(|m| m.mv);
                self.learn(mv, tried.filter(|mv| Some(*mv) != left_out), depth, ply);
                break;
            }
        }
        self.frames[ply].ordered = moves;
        outcome?;
        if coverage == Coverage::Partial && best.is_loss() {
            best = self.loss_of_all(best, ply)?;
        }
        Ok((best, best_move))
    }

    /// What a loss by every candidate is worth where moves were left out: a loss if those lose too.
    fn loss_of_all(&mut self, best: Score, ply: usize) -> Result<Score, Stopped> {
        let listed = std::mem::take(&mut self.frames[ply].candidates);
        let plies = self.evaluator.others_lose(&self.game, &listed, &mut self.context);
        self.frames[ply].candidates = listed;
        let loss = plies?.map(|plies| Score::loss_in(plies).from_table(ply as u32));
        Ok(loss.map_or(best.unproven(), |loss| best.max(loss)))
    }

    /// Plays `mv`, the `index`-th in order, and searches what follows. Its score for the side that
    /// plays it.
    pub(super) fn search_move(
        &mut self,
        mv: G::Move,
        index: usize,
        window: Window,
        depth: u32,
        deeper: u32,
        ply: usize,
    ) -> Result<Score, Stopped> {
        let deeper = deeper.max(self.extension(mv, ply));
        let depth = depth - 1 + deeper;
        let shallower = if deeper > 0 { 0 } else { self.reduction(mv, index, window, depth, ply) };
        let expects_cut = self.frames[ply].expects_cut;
        let visit = |search: &mut Self, window: Window, shallower| {
            search.frames[ply + 1].expects_cut =
                window.is_scout() && (shallower > 0 || !expects_cut);
            Ok(-search.visit(-window, depth - shallower, ply + 1)?)
        };
        self.descend(mv, |search| search.follow(index == 0, window, shallower, visit))
    }

    /// The score of a move for the side that plays it: `visit` searches it in a window of that
    /// side, by some plies shallower.
    pub(super) fn follow(
        &mut self,
        is_first: bool,
        window: Window,
        shallower: u32,
        visit: impl Fn(&mut Self, Window, u32) -> Result<Score, Stopped>,
    ) -> Result<Score, Stopped> {
        if !self.techniques.cutoffs {
            return visit(self, Window::FULL, 0);
        }

        // Principal variation search
        let scouts = self.techniques.scout && !is_first;
        let first = if scouts { Window::scout(window.alpha) } else { window };
        let mut score = visit(self, first, shallower)?;

        // Late move reductions: what does not fail low is searched again at full depth
        if shallower > 0 && score > window.alpha {
            score = visit(self, first, 0)?;
        }
        if scouts && score > window.alpha && score < window.beta {
            score = visit(self, window, 0)?;
        }
        Ok(score)
    }

    /// Plays `mv`, runs `body` and takes it back, whatever comes of it.
    #[inline]
    pub(super) fn descend<R>(&mut self, mv: G::Move, body: impl FnOnce(&mut Self) -> R) -> R {
        let undo = self.game.play(mv);
        let judged = self.evaluator.played(&self.game, mv);
        let result = body(self);
        self.game.undo(mv, undo);
        self.evaluator.undone(&self.game, mv, judged);
        result
    }

    /// Counts the node and starts its line; the score of a finished game.
    #[inline]
    pub(super) fn open(&mut self, ply: usize) -> Result<Option<Score>, Stopped> {
        self.enter(ply)?;
        Ok(self.game.outcome().map(|outcome| outcome.score(self.game.turn(), ply as u32)))
    }

    /// Counts the node and starts its line.
    #[inline]
    pub(super) fn enter(&mut self, ply: usize) -> Result<(), Stopped> {
        self.context.enter()?;
        self.frames[ply].pv.clear();
        self.seldepth = self.seldepth.max(ply);
        Ok(())
    }

    /// What is proven of the current position.
    pub(super) fn proven(&self, wanted: Window) -> Proven {
        Proven::of(&self.game, &self.evaluator, &self.techniques, wanted)
    }

    /// Appends the moves that this search considers here.
    pub(super) fn list_candidates(&self, out: &mut Vec<G::Move>) -> Coverage {
        if !self.techniques.candidates {
            self.game.moves(out);
            return Coverage::Complete;
        }
        let coverage = self.evaluator.candidates(&self.game, out);
        debug_assert!(!out.is_empty(), "no candidates while the game goes on");
        coverage
    }

    fn ordered_candidates(
        &mut self,
        ply: usize,
        table_move: Option<G::Move>,
    ) -> (Coverage, Vec<crate::order::Ordered<G::Move>>) {
        let mut candidates = std::mem::take(&mut self.frames[ply].candidates);
        let mut ordered = std::mem::take(&mut self.frames[ply].ordered);
        candidates.clear();
        let coverage = self.list_candidates(&mut candidates);
        let techniques = self.techniques;
        let orderer = Orderer {
            game: &self.game,
            table_move,
            killers: if techniques.killers { self.frames[ply].killers } else { [None, None] },
            history: techniques.history.then_some(&self.history),
        };
        let rank = |mv| if techniques.rank { self.evaluator.rank(&self.game, mv) } else { 0 };
        orderer.fill(&candidates, rank, &mut ordered);
        self.frames[ply].candidates = candidates;
        (coverage, ordered)
    }

    /// What a cut-off by `mv` teaches: it is good here, and what was tried before it is not.
    pub(super) fn learn(
        &mut self,
        mv: G::Move,
        tried: impl Iterator<Item = G::Move>,
        depth: u32,
        ply: usize,
    ) {
        remember_killer(&mut self.frames[ply].killers, mv);
        let side = self.game.turn();
        self.history.learn(side, self.game.history_slot(mv), depth, true);
        for earlier in tried {
            self.history.learn(side, self.game.history_slot(earlier), depth, false);
        }
    }

    /// Stores what the search of the current position found.
    pub(super) fn remember(
        &mut self,
        depth: u32,
        ply: usize,
        score: Score,
        bound: Bound,
        best: Option<G::Move>,
    ) {
        if !self.uses_table() {
            return;
        }
        let (at, symmetry) = self.address_of(&self.game);
        let code = best.map(|mv| self.game.pack(mv, symmetry));
        self.table.put(at, Entry { depth, bound, score: score.to_table(ply as u32), code });
    }

    /// Where the table has a position of this game, and in which symmetry.
    #[inline(always)]
    pub(super) fn address_of(&self, game: &G) -> (Address, G::Symmetry) {
        let (key, symmetry) = game.key();
        let is_near = self.exact && game.plies_left() < self.near_below;
        let region = if is_near { Region::Near } else { Region::Far };
        (Address { key, region }, symmetry)
    }

    /// What marks the moves that a window for sudden ends leaves in the table: elsewhere they are
    /// poor guesses. The root's own move is known by its code.
    fn mark(&self, ply: usize) -> u32 {
        if self.asks_ends && ply > 0 { OUTER_WINDOW_MARK } else { 0 }
    }

    fn uses_table(&self) -> bool {
        self.techniques.table || self.techniques.table_move
    }

    pub(super) fn adopt_line(&mut self, ply: usize, mv: G::Move) {
        let (upper, lower) = self.frames.split_at_mut(ply + 1);
        let line = &mut upper[ply].pv;
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0].pv);
    }

    fn extension(&self, mv: G::Move, ply: usize) -> u32 {
        let is_deep = ply >= 2 * self.iteration as usize;
        if self.exact || !self.techniques.extensions || is_deep {
            return 0;
        }
        self.evaluator.extension(&self.game, mv)
    }
}

/// The score that a table entry settles `window` with. A value inside the window is searched again
/// for its line.
pub(super) fn cut(entry: &Entry, window: Window, depth: u32, ply: usize) -> Option<Score> {
    let score = entry.score.from_table(ply as u32);
    let is_deep = entry.depth >= depth;
    let is_exact = entry.bound == Bound::Exact;
    // A proven win or loss holds at every depth.
    let is_low = (is_exact || entry.bound == Bound::Lower) && (is_deep || score.is_win());
    let is_high = (is_exact || entry.bound == Bound::Upper) && (is_deep || score.is_loss());
    let settles = (is_low && score >= window.beta) || (is_high && score <= window.alpha);
    settles.then_some(score)
}
