//! The state of one search thread.

use std::sync::Arc;

use crate::book::OpeningBook;
use crate::context::Context;
use crate::evaluator::SearchEvaluator;
use crate::history::History;
use crate::limits::Limits;
use crate::order::{Killers, Ordered};
use crate::report::ProofSource;
use crate::rules::Game;
use crate::score::Score;
use crate::selectivity::{ExtensionTuning, ProofTuning, SingularTuning};
use crate::table::{Address, View};
use crate::window::Window;

use super::book_handle::BookHandle;
use super::bounds::ProvenBounds;
use super::options::SearchOptions;

/// The request of one search, beside the position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Task<M> {
    /// The limits.
    pub limits: Limits,
    /// How many lines to report, from 1.
    pub multi_pv: usize,
    /// Search only these legal moves; all when empty.
    pub search_moves: Vec<M>,
    /// Whether books and solvers may be asked.
    pub probes: bool,
}

impl<M> Task<M> {
    /// Creates the request for one line over all moves under `limits`.
    pub fn new(limits: Limits) -> Self {
        Self { limits, multi_pv: 1, search_moves: Vec::new(), probes: true }
    }
}

/// The state of one search thread: made for one search, dropped after it.
pub struct Search<'a, G: Game, E: SearchEvaluator<G>> {
    // The position that is being searched
    pub(super) game: G,
    pub(super) evaluator: E,

    // What holds for the whole search
    pub(super) options: SearchOptions,
    pub(super) exact: bool,
    pub(super) extension_tuning: ExtensionTuning,
    pub(super) proof_tuning: ProofTuning,
    /// Positions of an exact game with fewer plies left than this are near its end.
    pub(super) near_end: u32,
    /// Whether this is one of many searches of similar positions that share a table.
    pub(super) is_in_batch: bool,

    // What this thread owns
    pub(super) context: Context,
    pub(super) history: History,
    /// The history slots of the moves from the root to the current position.
    pub(super) played_slots: Vec<usize>,
    pub(super) frames: Vec<Frame<G, E>>,
    /// The ply of a node that another thread has settled, and its score.
    pub(super) settled_elsewhere: Option<(usize, Score)>,
    pub(super) seldepth: usize,
    /// The depth of the iteration in progress.
    pub(super) root_depth: u32,
    /// Whether the last search of the root found a win without a proof.
    pub(super) lacks_proof: bool,
    /// How many nodes this thread spent on moves that are not listed, to prove a win.
    pub(super) unlisted_nodes: u64,
    /// Whether any proven win answers the search: scores are bounds, and neither several lines nor
    /// a win within some plies is asked for.
    pub(super) any_win_answers: bool,
    /// Whether depths count to the end of the game: the search proves.
    pub(super) is_proving: bool,
    /// Whether the current window is an outer window, near an end of the score range. Only sudden
    /// ends of the game settle it at little cost.
    pub(super) outer_window: bool,

    pub(super) root: Root<G::Move>,

    // What all threads share; the context has the rest
    pub(super) table: View<'a>,
    pub(super) book: BookHandle<G>,
}

/// The root: its moves, and what is known of it.
pub(super) struct Root<M> {
    pub(super) moves: Vec<RootMove<M>>,
    /// The first `lines` moves are this search's lines, best first.
    pub(super) lines: usize,
    /// Whether the list leaves out moves that look bad.
    pub(super) is_partial: bool,
    /// Whether it leaves out moves because the client asked for it. Then the result is not the
    /// value of the position.
    pub(super) is_restricted: bool,
    /// The source of a proven result.
    pub(super) source: ProofSource,
    /// The score that a book gives, until it is known which move reaches it.
    pub(super) book_score: Option<Score>,
    /// The least and the greatest value that a proof in progress has left open.
    pub(super) bounds: Option<(Score, Score)>,
}

impl<M> Default for Root<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            lines: 1,
            is_partial: false,
            is_restricted: false,
            source: ProofSource::Search,
            book_score: None,
            bounds: None,
        }
    }
}

/// A root move with what the search last found of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    /// Its score when it last raised alpha; [`Score::LOWEST`] when it never did.
    pub(super) score: Score,
    /// The iteration that `score` is from.
    pub(super) depth: u32,
    /// The line from the root on, `mv` included.
    pub(super) pv: Vec<M>,
    /// Whether the line shows what the score claims: a win or a loss to its end.
    pub(super) is_complete: bool,
    /// What is proven of it, in exact games.
    pub(super) proven: ProvenBounds,
    /// Whether the bounds are from a book.
    pub(super) from_book: bool,
}

/// The data of one ply, so that nodes need not allocate.
pub(super) struct Frame<G: Game, E> {
    pub(super) candidates: Vec<G::Move>,
    pub(super) ordered: Vec<Ordered<G::Move>>,
    /// In exact games: the moves that the probes left open, and the order of their indices.
    pub(super) children: Vec<Child<G, E>>,
    pub(super) child_order: Vec<Ordered<usize>>,
    /// The highest rank of the candidates that were last listed at this ply; `i32::MIN` before.
    pub(super) best_rank: i32,
    pub(super) pv: Vec<G::Move>,
    pub(super) killers: Killers<G::Move>,
    /// The static evaluation, or that of the parent, negated, where it cannot be trusted; `None` if
    /// the node did not need it.
    pub(super) static_eval: Option<Score>,
    /// Whether the node is expected to exceed beta.
    pub(super) cut_node: bool,
    /// What another thread must find to settle the node; `None` if no other thread can.
    pub(super) cutoff_check: Option<CutoffCheck>,
}

impl<G: Game, E> Default for Frame<G, E> {
    fn default() -> Self {
        Self {
            candidates: Vec::new(),
            ordered: Vec::new(),
            children: Vec::new(),
            child_order: Vec::new(),
            best_rank: i32::MIN,
            pv: Vec::new(),
            killers: [None, None],
            static_eval: None,
            cut_node: false,
            cutoff_check: None,
        }
    }
}

/// A node before its moves are searched.
#[derive(Clone, Copy)]
pub(super) struct ProbedNode<S> {
    pub(super) bounds: ProvenBounds,
    pub(super) at: Address,
    pub(super) symmetry: S,
    /// The code of the table's move.
    pub(super) code: Option<u32>,
}

/// An open move of an exact node, with the position after it and after the forced moves that
/// follow. Positions of exact games are small enough to be copied.
pub(super) struct Child<G: Game, E> {
    pub(super) mv: G::Move,
    pub(super) game: G,
    pub(super) evaluator: E,
    /// How many plies lie between the node and `game`.
    pub(super) plies: u32,
    /// The window of the side to move in `game`, when it was probed.
    pub(super) window: Window,
    pub(super) node: ProbedNode<G::Symmetry>,
}

impl<G: Game, E> Child<G, E> {
    pub(super) fn changes_side(&self) -> bool {
        self.plies % 2 == 1
    }

    /// Turns a score of the side to move in the child into one of the side to move at the node.
    pub(super) fn score_for_parent(&self, score: Score) -> Score {
        if self.changes_side() { -score } else { score }
    }
}

/// The window and depth of a node that another thread may settle.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutoffCheck {
    pub(super) at: Address,
    pub(super) window: Window,
    pub(super) depth: u32,
}

/// A node whose moves are searched in order.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeId {
    pub(super) key: u64,
    pub(super) depth: u32,
    pub(super) ply: usize,
}

impl NodeId {
    /// Returns a key for the position after the move in this slot of the history.
    pub(super) fn child(self, slot: usize) -> u64 {
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        self.key ^ (slot as u64 + 1).wrapping_mul(SPREAD)
    }
}

impl<'a, G: Game, E: SearchEvaluator<G>> Search<'a, G, E> {
    /// Prepares a search of `game`, which must not be over. The table must have been
    /// [aged](crate::table::Table::age) by its owner.
    pub fn new(
        game: G,
        mut evaluator: E,
        table: View<'a>,
        options: SearchOptions,
        context: Context,
    ) -> Self {
        debug_assert!(game.outcome().is_none(), "a finished game has nothing to search");
        evaluator.reset(&game);
        let exact = evaluator.exact();
        let mut extension_tuning = match exact {
            true => ExtensionTuning::NONE,
            false => evaluator.extension_tuning(),
        };
        if !options.pruning || !options.cutoffs {
            extension_tuning.singular = SingularTuning::NONE;
        }
        let proof_tuning = evaluator.proof_tuning();
        let history = History::new(game.history_slots(), evaluator.history_tuning());
        let plies_left = game.plies_left();
        let plies = plies_left.min(Score::MAX_PLIES) as usize;
        Self {
            game,
            evaluator,
            options,
            exact,
            extension_tuning,
            proof_tuning,
            near_end: (plies_left / 2).min(proof_tuning.near_end),
            is_in_batch: false,
            context,
            history,
            played_slots: Vec::with_capacity(plies + 2),
            frames: (0..plies + 2).map(|_| Frame::default()).collect(),
            settled_elsewhere: None,
            seldepth: 0,
            root_depth: 0,
            lacks_proof: false,
            unlisted_nodes: 0,
            any_win_answers: false,
            is_proving: false,
            outer_window: false,
            root: Root::default(),
            table,
            book: BookHandle::closed(),
        }
    }

    /// Probes `book` at every position that it may have.
    pub fn with_book(self, book: Option<Arc<dyn OpeningBook<G>>>) -> Self {
        Self { book: BookHandle::new(book), ..self }
    }

    /// Marks this as one search of a batch: many searches of similar positions that share a table.
    /// It stores more results for the others, and probes for more of theirs.
    pub fn in_batch(self) -> Self {
        let near_end = self.near_end.min(self.proof_tuning.near_end_in_batch);
        Self { near_end, is_in_batch: true, ..self }
    }

    /// Returns how many nodes this thread has entered.
    pub fn own_nodes(&self) -> u64 {
        self.context.own_nodes()
    }
}
