//! The proof of an announced win: a winning move after every reply.
//!
//! A search that has found a win knows most of the proof, but keeps it only in tables that forget.
//! [`Search::keep_win`] walks through it once, and keeps the winner's moves with the game. What the
//! tables have lost is searched again.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::side::Outcome;
use crate::game::window::Window;
use crate::search::context::Interrupt;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::prover::{Defences, ProofEffort};
use crate::search::report::Bound;
use crate::search::wins::KeptWin;

use super::state::{NodeFlags, Search};
use super::techniques::Techniques;

/// The nodes for a proof, in addition to the nodes that the search has entered. They do not count
/// as nodes of the search.
const MIN_PROOF_NODES: u64 = 50_000;

/// The node limit of the prover for a short win below the root.
const SHORT_WIN_NODES: u64 = 1_000;

/// The node limit of the prover for a short win at the root.
const SHORT_WIN_NODES_AT_ROOT: u64 = 1_000_000;

/// All candidates are tried for a win within so many plies.
const SHORTEST: u32 = 3;

/// The minimum depth of a search for a win that the tables have lost.
const MIN_DEPTH: u32 = 6;

/// The node limit of the prover for a win that the table does not have.
const ATTACK_NODES: u64 = 2_000;

impl<G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'_, G, E, T> {
    /// Proves that `mv` wins within `plies` plies against every defence, and keeps the winner's
    /// moves. Returns false if it is not proven.
    pub(super) fn keep_win(&mut self, mv: G::Move, plies: u32) -> Result<bool, Interrupt> {
        if !E::KEEPS_WINS || !self.wins.is_on {
            return Ok(true);
        }
        let nodes = self.context.own_nodes().saturating_add(MIN_PROOF_NODES);
        let proven = self.aside(nodes, |search| {
            search.wins.unproven.clear();
            search.prove_after(mv, 0, plies)
        });
        match proven {
            Ok(Some(plies)) => Ok(self.keep(mv, plies)),
            Err(_) if self.context.is_over() => Err(Interrupt::Stopped),
            _ => Ok(false),
        }
    }

    /// Calls `body` with a node counter of its own, and a limit of `nodes` nodes.
    pub(super) fn aside<R>(&mut self, nodes: u64, body: impl FnOnce(&mut Self) -> R) -> R {
        let aside = self.context.aside(nodes);
        let own = std::mem::replace(&mut self.context, aside);
        let result = body(self);
        self.context = own;
        result
    }

    /// Returns the kept win of the current position.
    pub(super) fn kept_win(&self) -> Option<(G::Move, u32)> {
        let (key, symmetry) = self.game.key();
        let KeptWin { code, plies } = self.wins.kept.get(key)?;
        Some((self.game.unpack(code, symmetry)?, plies))
    }

    /// Keeps `mv`, which wins the current position within `plies` plies. Returns false if there is
    /// no room.
    fn keep(&mut self, mv: G::Move, plies: u32) -> bool {
        let (key, symmetry) = self.game.key();
        self.wins.kept.put(key, KeptWin { code: self.game.pack(mv, symmetry), plies })
    }

    /// Proves that the side to move, `ply` plies below the root, wins within `left` plies. Returns
    /// the plies of the proven win, at most `left`; `None` if it is not proven.
    pub(super) fn prove_win(&mut self, ply: usize, left: u32) -> Result<Option<u32>, Interrupt> {
        if let Some((_, plies)) = self.kept_win().filter(|(_, plies)| *plies <= left) {
            return Ok(Some(plies));
        }
        let key = self.game.key().0;
        if self.wins.unproven.get(&key).is_some_and(|tried| *tried >= left) {
            return Ok(None);
        }
        if let Some(plies) = self.static_win(left) {
            // Below the root the win is found again when it is needed.
            return if ply > 0 { Ok(Some(plies)) } else { self.prove_any(ply, plies) };
        }
        let nodes = if ply == 0 { SHORT_WIN_NODES_AT_ROOT } else { SHORT_WIN_NODES };
        let Self { game, evaluator, context, .. } = self;
        if let Some(win) = evaluator.win_within(game, left, nodes, context)?
            && let (Some(plies), Some(&mv)) = (win.score.plies(), win.line.first())
        {
            return Ok((ply > 0 || self.keep(mv, plies)).then_some(plies));
        }
        if left <= SHORTEST
            && let Some(plies) = self.prove_any(ply, left)?
        {
            return Ok(Some(plies));
        }
        // A win by the next move is a candidate.
        if left == 1 {
            return Ok(None);
        }
        let steps: [fn(&mut Self, usize, u32) -> _; 3] =
            [Self::table_win, Self::prover_win, Self::searched_win];
        for step in steps {
            if let Some(mv) = step(self, ply, left)?
                && let Some(plies) = self.prove_after(mv, ply, left)?
            {
                return Ok(self.keep(mv, plies).then_some(plies));
            }
        }
        self.wins.unproven.insert(key, left);
        Ok(None)
    }

    /// Returns the plies of a win within `left` plies that is known without a search.
    fn static_win(&self, left: u32) -> Option<u32> {
        let (low, _) = self.evaluator.static_bounds(&self.game, Window::FULL);
        low.plies().filter(|plies| low.is_win() && *plies <= left)
    }

    /// Proves that one of the candidates wins within `left` plies, and keeps it.
    fn prove_any(&mut self, ply: usize, left: u32) -> Result<Option<u32>, Interrupt> {
        for mv in self.ranked_candidates().into_iter().map(|ordered| ordered.item) {
            if let Some(plies) = self.prove_after(mv, ply, left)? {
                return Ok(self.keep(mv, plies).then_some(plies));
            }
        }
        Ok(None)
    }

    /// Returns the move that wins within `left` plies by the transposition table.
    fn table_win(&mut self, _ply: usize, left: u32) -> Result<Option<G::Move>, Interrupt> {
        let entry = self.table.get(self.address_of(&self.game).0);
        let wins = entry
            .is_some_and(|entry| entry.bound != Bound::Upper && entry.score >= Score::win_in(left));
        Ok(if wins { self.table_move() } else { None })
    }

    /// Returns the move that wins within `left` plies by the prover of the game.
    fn prover_win(&mut self, _ply: usize, left: u32) -> Result<Option<G::Move>, Interrupt> {
        let Self { game, evaluator, context, .. } = self;
        evaluator.attack_within(game, left, ProofEffort::Low, ATTACK_NODES, context)
    }

    /// Returns the move that wins within `left` plies by a search.
    fn searched_win(&mut self, ply: usize, left: u32) -> Result<Option<G::Move>, Interrupt> {
        let wanted = Score::win_in(left).to_root(ply as u32);
        let depth = left.min(self.root.depth.max(MIN_DEPTH));
        let window = Window::scout(wanted.previous());
        let score = self.search::<false>(window, depth, ply, NodeFlags::SHOWN)?;
        if score >= wanted { self.table_win(ply, left) } else { Ok(None) }
    }

    /// Proves that `mv` wins within `left` plies. Returns the plies of the proven win.
    fn prove_after(
        &mut self,
        mv: G::Move,
        ply: usize,
        left: u32,
    ) -> Result<Option<u32>, Interrupt> {
        let plies = self.with_move(mv, |search| search.prove_loss(ply + 1, left - 1))?;
        Ok(plies.map(|plies| plies + 1))
    }

    /// Proves that the side to move loses within `left` plies, whatever it plays. Returns the plies
    /// of the longest loss.
    fn prove_loss(&mut self, ply: usize, left: u32) -> Result<Option<u32>, Interrupt> {
        if let Some(outcome) = self.game.outcome() {
            let is_lost = outcome == Outcome::Win(self.game.turn().other());
            return Ok(is_lost.then_some(0));
        }
        if left < 2 {
            return Ok(None);
        }
        let (_, high) = self.evaluator.static_bounds(&self.game, Window::FULL);
        if let Some(plies) = high.plies().filter(|plies| high.is_loss() && *plies <= left) {
            return Ok(Some(plies));
        }
        let Self { game, evaluator, context, .. } = self;
        let known = evaluator.defences(game, left, context)?;
        let Defences { moves, others_lose_in } = known.unwrap_or_else(|| {
            let mut moves = Vec::new();
            self.game.moves(&mut moves);
            Defences { moves, others_lose_in: 0 }
        });
        let mut longest = others_lose_in;
        for mv in moves {
            let plies = self.with_move(mv, |search| match search.game.outcome() {
                Some(outcome) => Ok((outcome == Outcome::Win(search.game.turn())).then_some(0)),
                None => search.prove_win(ply + 1, left - 1),
            })?;
            let Some(plies) = plies else { return Ok(None) };
            longest = longest.max(plies + 1);
        }
        Ok((longest <= left).then_some(longest))
    }
}
