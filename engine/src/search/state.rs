//! The state of one search thread.

use std::sync::Arc;

use crate::book::OpeningBook;
use crate::context::Context;
use crate::evaluator::SearchEvaluator;
use crate::order::History;
use crate::report::Grounds;
use crate::rules::Game;
use crate::score::Score;
use crate::selectivity::{ProofTuning, SingularTuning};
use crate::table::View;

use super::frame::Frame;
use super::root_move::RootMove;
use super::techniques::Techniques;

/// The state of one search thread: made for one search, dropped after it.
pub struct Search<'a, G: Game, E: SearchEvaluator<G>> {
    pub(super) game: G,
    pub(super) evaluator: E,
    pub(super) table: View<'a>,
    pub(super) techniques: Techniques,
    pub(super) exact: bool,
    /// Positions of an exact game with fewer plies left than this are near its end.
    pub(super) near_below: u32,
    /// Whether it is one of many searches of neighbours.
    pub(super) has_neighbours: bool,
    /// Whether depths are those to the end of the game.
    pub(super) is_proving: bool,
    /// Whether the window in question is one that sudden ends alone can settle at little cost.
    pub(super) asks_ends: bool,
    pub(super) singular: SingularTuning,
    pub(super) proof_tuning: ProofTuning,
    pub(super) book: Option<Arc<dyn OpeningBook<G>>>,
    /// The fewest plies left at which the book is probed; `u32::MAX` while it is closed.
    pub(super) book_plies_left: u32,
    pub(super) context: Context,
    pub(super) history: History,
    pub(super) frames: Vec<Frame<G, E>>,
    /// The ply of a node that another thread has settled, and its score.
    pub(super) overtaken: Option<(usize, Score)>,
    pub(super) seldepth: usize,
    /// The depth of the iteration in progress.
    pub(super) iteration: u32,
    pub(super) root_moves: Vec<RootMove<G::Move>>,
    /// The first `lines` root moves are this search's lines, best first.
    pub(super) lines: usize,
    /// Whether the root's list leaves out moves by judgement.
    pub(super) root_is_partial: bool,
    /// Whether it leaves out moves at the client's wish: what is found then is not the position's
    /// value.
    pub(super) root_is_restricted: bool,
    /// What a proven result of the root would rest on.
    pub(super) grounds: Grounds,
    /// The score of the root as a book tells it, until it is known which move reaches it.
    pub(super) told: Option<Score>,
}

impl<'a, G: Game, E: SearchEvaluator<G>> Search<'a, G, E> {
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
        let singular = match exact || !techniques.pruning || !techniques.cutoffs {
            true => SingularTuning::NONE,
            false => evaluator.singular_tuning(),
        };
        let proof_tuning = evaluator.proof_tuning();
        let history = History::new(game.history_slots());
        let plies_left = game.plies_left();
        let near_below = (plies_left / 2).min(proof_tuning.near_end);
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
            singular,
            proof_tuning,
            book: None,
            book_plies_left: u32::MAX,
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
        }
    }

    /// Probes `book` at every position that it may have.
    pub fn with_book(mut self, book: Option<Arc<dyn OpeningBook<G>>>) -> Self {
        self.book_plies_left = book.as_ref().map_or(u32::MAX, |book| book.plies_left());
        self.book = book;
        self
    }

    /// The same search for one of many neighbours that are searched with one table: more of what it
    /// finds is kept for the others, and more of it is expected to be there.
    pub fn among_neighbours(mut self) -> Self {
        self.near_below = self.near_below.min(self.proof_tuning.near_end_among_neighbours);
        self.has_neighbours = true;
        self
    }
}
