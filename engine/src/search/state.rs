//! The state of one search thread.

use std::sync::Arc;

use crate::book::OpeningBook;
use crate::context::Context;
use crate::evaluator::SearchEvaluator;
use crate::history::History;
use crate::report::ProofSource;
use crate::rules::Game;
use crate::score::Score;
use crate::selectivity::{ExtensionTuning, ProofTuning, SingularTuning};
use crate::table::View;

use super::book_handle::BookHandle;
use super::frame::Frame;
use super::options::SearchOptions;
use super::root_move::RootMove;

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
