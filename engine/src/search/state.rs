//! The state of one search thread: the root, the frames of the plies, the node.

use std::collections::HashMap;
use std::sync::Arc;

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::window::Window;
use crate::search::context::Context;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::book::OpeningBook;
use crate::search::evaluator::selectivity::{ExtensionTuning, ProofTuning, SingularTuning};
use crate::search::history::History;
use crate::search::limits::Limits;
use crate::search::order::{Killers, Ordered};
use crate::search::report::ProofSource;
use crate::search::table::{Address, View};

use super::book_handle::BookHandle;
use super::bounds::ProvenBounds;
use super::techniques::{All, Switched, Techniques};
use super::wins::KeptWins;

/// The request of one search, without the position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Task<M> {
    /// The limits.
    pub limits: Limits,
    /// The number of lines to report (MultiPV), from 1.
    pub multi_pv: usize,
    /// The legal moves to search; all moves if empty.
    pub search_moves: Vec<M>,
    /// Whether books and solvers may be probed.
    pub probes: bool,
    /// Whether wins are kept from search to search, and announced only with a proof that can be
    /// kept. Only games with [`KEEPS_WINS`](crate::Prover::KEEPS_WINS) do so.
    pub keeps_wins: bool,
    /// Whether the search goes on for shorter wins after a proven win. Only games with
    /// [`KEEPS_WINS`](crate::Prover::KEEPS_WINS) do so.
    pub seeks_shorter_wins: bool,
    /// The key of the position before the last two moves, and the code of the move played in it.
    pub own_last_move: Option<(u64, u32)>,
}

impl<M> Task<M> {
    /// Creates the request for a search of all moves with one line, under `limits`.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            multi_pv: 1,
            search_moves: Vec::new(),
            probes: true,
            keeps_wins: false,
            seeks_shorter_wins: false,
            own_last_move: None,
        }
    }
}

/// The state of one search thread, for one search.
pub struct Search<'a, G: Game, E: SearchEvaluator<G>, T: Techniques = All> {
    // The position that is being searched
    pub(super) game: G,
    pub(super) evaluator: E,

    // Constant during the search
    pub(super) techniques: T,
    pub(super) exact: bool,
    pub(super) extension_tuning: ExtensionTuning,
    /// Whether books and solvers are probed.
    pub(super) probes: bool,

    // Data of this thread
    pub(super) context: Context,
    pub(super) history: History,
    /// The history slots of the moves from the root to the current position.
    pub(super) played_slots: Vec<usize>,
    pub(super) frames: Vec<Frame<G, E>>,
    /// The ply of a node that another thread has settled, and its score.
    pub(super) settled_elsewhere: Option<(usize, Score)>,
    pub(super) seldepth: usize,
    /// The nodes that this thread has spent on moves that are not listed, to prove a win.
    pub(super) unlisted_nodes: u64,
    pub(super) root: Root<G::Move>,
    pub(super) wins: Wins,
    pub(super) proof: ProofState,

    // Data of all threads, in addition to the shared data in the context
    pub(super) table: View<'a>,
    pub(super) book: BookHandle<G>,
    /// The minimum depth of nodes for ABDADA: threads mark the moves that they search, and check
    /// for results of other threads.
    pub(super) min_shared_depth: u32,
}

/// The minimum depth of nodes for ABDADA, in heuristic and in exact games.
const MIN_SHARED_DEPTH: u32 = 3;
const MIN_SHARED_DEPTH_IF_EXACT: u32 = 12;

/// The root: its moves, and the state of their search.
pub(super) struct Root<M> {
    pub(super) moves: Vec<RootMove<M>>,
    /// The number of lines to report (MultiPV). They are the first moves of the list, best first.
    pub(super) lines: usize,
    /// Whether the list omits moves that look bad.
    pub(super) is_partial: bool,
    /// Whether the client restricts the moves (`searchmoves`). Then the result is not the value of
    /// the position.
    pub(super) is_restricted: bool,
    /// Whether any proven win ends the search, even if it is not the shortest.
    pub(super) any_win_answers: bool,
    /// Whether the search has a proven win, and goes on for a shorter one.
    pub(super) seeks_shorter_win: bool,
    /// The depth of the iteration in progress.
    pub(super) depth: u32,
    /// Whether the last iteration found a win without a proof.
    pub(super) lacks_proof: bool,
    /// The source of a proven result.
    pub(super) source: ProofSource,
    /// The score of the root in a book; `None` if no book has it, or once the best move is known.
    pub(super) book_score: Option<Score>,
    /// The lower and upper bound of an unfinished proof.
    pub(super) bounds: Option<(Score, Score)>,
    /// The win of the root that an earlier search announced, or promised by its proof.
    pub(super) recalled: Option<RecalledWin<M>>,
}

/// A kept win of the root.
#[derive(Clone, Debug)]
pub(super) struct RecalledWin<M> {
    pub(super) mv: M,
    pub(super) score: Score,
    /// The line from the root on, `mv` included.
    pub(super) pv: Vec<M>,
}

/// The proven wins of a search.
#[derive(Default)]
pub(super) struct Wins {
    /// Whether wins are proven and kept.
    pub(super) is_on: bool,
    pub(super) kept: KeptWins,
    /// Positions without a proof so far, with the plies within which a win was not proven.
    pub(super) unproven: HashMap<u64, u32>,
}

impl<M> Default for Root<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            lines: 1,
            is_partial: false,
            is_restricted: false,
            any_win_answers: false,
            seeks_shorter_win: false,
            depth: 0,
            lacks_proof: false,
            source: ProofSource::Search,
            book_score: None,
            bounds: None,
            recalled: None,
        }
    }
}

/// A root move with its last result.
#[derive(Clone, Debug)]
pub(super) struct RootMove<M> {
    pub(super) mv: M,
    /// The score when the move last raised alpha; [`Score::LOWEST`] if it never did.
    pub(super) score: Score,
    /// The depth of the iteration that found `score`.
    pub(super) depth: u32,
    /// The line from the root on, `mv` included.
    pub(super) pv: Vec<M>,
    /// Whether the line is as long as the score says: a win or a loss to the end of the game.
    pub(super) is_complete: bool,
    /// The proven bounds of the move, in exact games.
    pub(super) proven: ProvenBounds,
    /// Whether the bounds are from a book.
    pub(super) from_book: bool,
}

/// The state of a proof that exact nodes use.
pub(super) struct ProofState {
    pub(super) tuning: ProofTuning,
    /// Positions with fewer plies left than this are near the end of the game.
    pub(super) near_end: u32,
    /// Whether this is one of many searches of similar positions that share a table.
    pub(super) is_in_batch: bool,
    /// Whether a proof is running. It is false during an iteration.
    pub(super) is_running: bool,
    /// Whether the window of the proof is an outer window, near an end of the score range.
    pub(super) outer_window: bool,
}

/// The data of one ply (Stockfish's `Stack`). Nodes reuse its vectors instead of allocating.
pub(super) struct Frame<G: Game, E> {
    pub(super) candidates: Vec<G::Move>,
    pub(super) ordered: Vec<Ordered<G::Move>>,
    /// In exact games: the moves without a score after the probes, and the order of their indices.
    pub(super) children: Vec<Child<G, E>>,
    pub(super) child_order: Vec<Ordered<usize>>,
    /// The highest rank in the last list of candidates at this ply; `i32::MIN` before the first
    /// list.
    pub(super) best_rank: i32,
    pub(super) pv: Vec<G::Move>,
    pub(super) killers: Killers<G::Move>,
    /// The static evaluation, or the negated evaluation of the parent if the static evaluation
    /// cannot be trusted; `None` if the node did not need it.
    pub(super) static_eval: Option<Score>,
    /// The node at this ply, while other threads may settle it (ABDADA): a table entry that cuts
    /// off its window ends the node.
    pub(super) shared_node: Option<Node<G::Symmetry>>,
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
            shared_node: None,
        }
    }
}

/// A node: its window and depth, and the results of its first steps.
#[derive(Clone, Copy)]
pub(super) struct Node<S> {
    pub(super) window: Window,
    pub(super) depth: u32,
    pub(super) ply: usize,
    pub(super) at: Address,
    pub(super) symmetry: S,
    /// The bounds that are proven without a search. Plies count from this node.
    pub(super) bounds: ProvenBounds,
    /// The code of the table move.
    pub(super) code: Option<u32>,
}

impl<S> Node<S> {
    /// Returns a key for the position after the move with the history slot `slot`. It stands for
    /// the key of that position, since the move has not been played.
    pub(super) fn child_key(&self, slot: usize) -> u64 {
        const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
        self.at.key ^ (slot as u64 + 1).wrapping_mul(SPREAD)
    }
}

/// The flags that a heuristic node gets from its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeFlags {
    /// Whether the node is expected to fail high.
    pub(super) cut_node: bool,
    /// Whether late moves may be reduced.
    pub(super) may_reduce: bool,
}

impl NodeFlags {
    /// The flags of the root.
    pub(super) const ROOT: Self = Self { cut_node: false, may_reduce: true };
    /// The flags of the search for a line to show: no move is reduced.
    pub(super) const SHOWN: Self = Self { cut_node: false, may_reduce: false };

    /// Returns the flags of a child that is searched in `window`, perhaps at reduced depth.
    pub(super) fn child(self, window: Window, is_reduced: bool) -> Self {
        Self { cut_node: window.is_scout() && (is_reduced || !self.cut_node), ..self }
    }
}

/// Returns whether `window` is a null window. Without `PV` it always is.
pub(super) fn is_scout<const PV: bool>(window: Window) -> bool {
    !PV || window.is_scout()
}

/// The result of searching the moves of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Searched<M> {
    /// The best score, and the move that raised alpha; `None` if no move did.
    Moves(Score, Option<M>),
    /// The score of a node that is not stored in the table: a multi-cut, or a score that another
    /// thread has stored.
    Settled(Score),
}

/// A move of an exact node that has no score after the probes, with the position after the move and
/// its forced replies. Positions of exact games are small enough to be copied.
pub(super) struct Child<G: Game, E> {
    pub(super) mv: G::Move,
    pub(super) game: G,
    pub(super) evaluator: E,
    /// The number of plies between the node and `game`.
    pub(super) plies: u32,
    /// The node of `game`, with its window at the time of the probe.
    pub(super) node: Node<G::Symmetry>,
}

impl<G: Game, E> Child<G, E> {
    /// Converts `score` from the side to move in the child to the side to move at the node.
    pub(super) fn score_for_parent(&self, score: Score) -> Score {
        if self.changes_side() { -score } else { score }
    }

    /// Converts `window` from the side to move at the node to the side to move in the child.
    pub(super) fn window_of_child(&self, window: Window) -> Window {
        if self.changes_side() { -window } else { window }
    }

    fn changes_side(&self) -> bool {
        self.plies % 2 == 1
    }
}

impl<'a, G: Game, E: SearchEvaluator<G>> Search<'a, G, E> {
    /// Prepares a search of `game`, which must not be over, with all techniques. The caller must
    /// call [`Table::age`](crate::search::table::Table::age) first.
    pub fn new(game: G, evaluator: E, table: View<'a>, context: Context) -> Self {
        Self::with_techniques(game, evaluator, table, All, context)
    }
}

impl<'a, G: Game, E: SearchEvaluator<G>, T: Techniques> Search<'a, G, E, T> {
    /// Prepares a search of `game` with these `techniques`. Otherwise it is like
    /// [`new`](Search::new).
    pub fn with_techniques(
        game: G,
        mut evaluator: E,
        table: View<'a>,
        techniques: T,
        context: Context,
    ) -> Self {
        debug_assert!(game.outcome().is_none(), "a finished game has nothing to search");
        evaluator.reset(&game);
        let exact = evaluator.exact();
        let techniques = if exact { techniques.for_exact_game() } else { techniques };
        let on = techniques.switches();
        let mut extension_tuning = match exact {
            true => ExtensionTuning::NONE,
            false => evaluator.extension_tuning(),
        };
        if !on.pruning || !on.cutoffs {
            extension_tuning.singular = SingularTuning::NONE;
        }
        let history = History::new(game.history_slots(), evaluator.history_tuning());
        let plies_left = game.plies_left();
        let plies = plies_left.min(Score::MAX_PLIES) as usize;
        let tuning = evaluator.proof_tuning();
        let mut search = Self {
            game,
            evaluator,
            techniques,
            exact,
            extension_tuning,
            probes: on.probe,
            context,
            history,
            played_slots: Vec::with_capacity(plies + 2),
            frames: (0..plies + 2).map(|_| Frame::default()).collect(),
            settled_elsewhere: None,
            seldepth: 0,
            unlisted_nodes: 0,
            root: Root::default(),
            wins: Wins::default(),
            proof: ProofState {
                tuning,
                near_end: (plies_left / 2).min(tuning.near_end),
                is_in_batch: false,
                is_running: false,
                outer_window: false,
            },
            table,
            book: BookHandle::closed(),
            min_shared_depth: MIN_SHARED_DEPTH,
        };
        search.set_proof_running(false);
        search
    }

    /// Sets the opening book that the search probes.
    pub fn with_book(self, book: Option<Arc<dyn OpeningBook<G>>>) -> Self {
        Self { book: BookHandle::new(book), ..self }
    }

    /// Sets the wins that earlier searches have kept.
    pub(crate) fn with_wins(mut self, kept: KeptWins) -> Self {
        self.wins.kept = kept;
        self
    }

    /// Marks this as one search of a batch: many searches of similar positions with a shared table.
    /// The search stores more results for the other searches, and probes for more of their results.
    pub fn in_batch(mut self) -> Self {
        self.proof.near_end = self.proof.near_end.min(self.proof.tuning.near_end_in_batch);
        self.proof.is_in_batch = true;
        self
    }

    /// Returns the number of nodes that this thread has entered.
    pub fn own_nodes(&self) -> u64 {
        self.context.own_nodes()
    }

    /// Returns the techniques, a switch for each.
    #[inline(always)]
    pub(super) fn on(&self) -> Switched {
        self.techniques.switches()
    }

    /// Sets whether a proof is running, and the ABDADA depth that depends on it.
    pub(super) fn set_proof_running(&mut self, is_running: bool) {
        self.proof.is_running = is_running;
        self.min_shared_depth = match (self.exact, is_running) {
            (false, _) => MIN_SHARED_DEPTH,
            (true, false) => MIN_SHARED_DEPTH_IF_EXACT,
            // Near the end of the game, a lookup costs more than the search.
            (true, true) => self.proof.near_end.max(MIN_SHARED_DEPTH_IF_EXACT),
        };
    }
}
