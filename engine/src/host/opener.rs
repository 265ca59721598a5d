//! [`Opener`]: the part of a catalogue that handles one game.

use crate::game::rules::Game;
use crate::game::score::Score;
use crate::game::side::Side;
use crate::game::wdl::WdlModel;
use crate::host::Host;
use crate::host::backend::{Backend, Settings, Sink};
use crate::host::options::Chosen;
use crate::host::position::{Position, TypedPosition};
use crate::host::spec::GameSpec;
use crate::search::evaluator::SearchEvaluator;
use crate::search::evaluator::book::BookSource;
use crate::text::notation::Notation;
use crate::text::typed_move::Move;

/// One game with chosen options. A catalogue uses it to describe the game and to open its positions
/// and its search.
pub trait Opener {
    /// Describes the game under the name `variant`.
    fn describe(&self, variant: &'static str, chosen: Chosen) -> GameSpec;

    /// Returns the starting position.
    fn position(&self, spec: &GameSpec) -> Box<dyn Position>;

    /// Opens the search. It starts a thread and allocates a table.
    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend>;

    /// Returns the static evaluation of the position after each legal move. Scores are for the side
    /// to move in `position`. Empty when the game is over, or if it is a position of another game.
    fn judge_moves(&self, position: &dyn Position) -> Vec<(Move, Score)>;
}

/// The [`Opener`] of a typed game.
pub struct TypedOpener<G: Game, E> {
    start: G,
    /// Creates the evaluator of a search.
    evaluator: fn(&G) -> E,
    is_exact: bool,
    books: Option<&'static dyn BookSource<G>>,
    wdl: Option<WdlModel>,
}

impl<G: Notation, E: SearchEvaluator<G>> TypedOpener<G, E> {
    /// Creates the opener of a game with the starting position `start`. `evaluator` creates its
    /// evaluator. `is_exact` is true if the search proves the value of every position.
    pub fn new(start: G, evaluator: fn(&G) -> E, is_exact: bool) -> Self {
        Self { start, evaluator, is_exact, books: None, wdl: None }
    }

    /// Sets the source of opening books.
    pub fn with_books(self, books: &'static dyn BookSource<G>) -> Self {
        Self { books: Some(books), ..self }
    }

    /// Sets the model of win, draw and loss chances.
    pub fn with_wdl(self, model: WdlModel) -> Self {
        Self { wdl: Some(model), ..self }
    }
}

impl<G: Notation, E: SearchEvaluator<G>> Opener for TypedOpener<G, E> {
    fn describe(&self, variant: &'static str, chosen: Chosen) -> GameSpec {
        let spec = describe(&self.start, variant, chosen, self.is_exact);
        GameSpec {
            has_book: self.books.is_some(),
            has_own_book: self.books.is_some_and(|books| books.has_own()),
            own_eval: (E::OWN_EVAL)(),
            has_chances: self.wdl.is_some(),
            ..spec
        }
    }

    fn position(&self, spec: &GameSpec) -> Box<dyn Position> {
        Box::new(TypedPosition::new(spec.clone(), self.start.clone()))
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        let host = Host::new(spec.clone(), (self.evaluator)(&self.start), settings, sink);
        let host = match self.books {
            Some(books) => host.with_books(books),
            None => host,
        };
        match self.wdl {
            Some(model) => Box::new(host.with_wdl(model)),
            None => Box::new(host),
        }
    }

    fn judge_moves(&self, position: &dyn Position) -> Vec<(Move, Score)> {
        let typed = position.as_any().downcast_ref::<TypedPosition<G>>();
        let Some(root) = typed.map(TypedPosition::game).filter(|game| game.outcome().is_none())
        else {
            return Vec::new();
        };
        let mut evaluator = (self.evaluator)(&self.start);
        evaluator.reset(root);
        let mut moves = Vec::new();
        root.moves(&mut moves);
        let mut judge = |mv: G::Move| {
            let mut game = root.clone();
            game.play(mv);
            let score = match game.outcome() {
                Some(outcome) => outcome.score(game.turn(), 0),
                None => {
                    let undo = evaluator.played(&game, mv);
                    let score = evaluator.evaluate(&game);
                    evaluator.undone(root, mv, undo);
                    score
                }
            };
            (root.encode(mv), -score.to_root(1))
        };
        moves.into_iter().map(&mut judge).collect()
    }
}

/// Describes `game` under the name `variant`. `is_exact` is true if the search proves the value of
/// every position.
pub fn describe<G: Notation>(
    game: &G,
    variant: &'static str,
    chosen: Chosen,
    is_exact: bool,
) -> GameSpec {
    let forbids_points = game.forbidden(Side::First).is_some();
    let grid = game.grid();
    GameSpec { chosen, grid, is_exact, forbids_points, ..GameSpec::new(variant, game.rules()) }
}
