//! Clients without a book, with short methods for one query.

use tengen_engine::backend::Settings;
use tengen_engine::{Answer, Chosen, Client, Limits, Move, Notation, Score, SearchEvaluator};
use tengen_games::CATALOG;

/// A client of one game.
pub(crate) struct Analyst(Client);

fn settings() -> Settings {
    Settings::default().with_own_book(false).with_overhead(std::time::Duration::ZERO)
}

impl Analyst {
    /// Opens a variant of the catalogue.
    pub(crate) fn open(variant: &str, options: &[(&'static str, i64)]) -> Self {
        let chosen: Chosen = options.iter().copied().collect();
        let client = Client::open(&CATALOG, variant, &chosen, &settings());
        Self(client.unwrap_or_else(|error| panic!("{variant}: {error}")))
    }

    /// Opens a custom board.
    pub(crate) fn custom(width: i64, height: i64, connect: i64, falls: bool) -> Self {
        let gravity = i64::from(falls);
        let size = [("BoardWidth", width), ("BoardHeight", height)];
        Self::open("custom", &[size[0], size[1], ("ConnectK", connect), ("Gravity", gravity)])
    }

    /// Opens any game with any evaluator.
    pub(crate) fn over<G: Notation, E: SearchEvaluator<G>>(game: G, evaluator: E) -> Self {
        let client = Client::over(game, evaluator, &settings());
        Self(client.expect("a table of the default size").untyped())
    }

    /// Searches the position after `moves` from `start`, with an empty table. `None` is the
    /// starting position.
    pub(crate) fn ask(&mut self, start: Option<&str>, moves: &str, limits: Limits) -> Answer<Move> {
        let moves: Vec<&str> = moves.split_ascii_whitespace().collect();
        self.0.clear_hash();
        self.0.set(start, &moves).unwrap_or_else(|error| panic!("{start:?} {moves:?}: {error}"));
        self.0.search(limits).unwrap_or_else(|error| panic!("{start:?} {moves:?}: {error}"))
    }

    /// Searches until the position is solved.
    pub(crate) fn solve(&mut self, start: Option<&str>, moves: &str) -> Score {
        self.ask(start, moves, Limits::default()).report.score
    }

    /// Returns moves from the last searched position as text.
    pub(crate) fn written(&self, moves: &[Move]) -> Vec<String> {
        self.0.write_line(moves)
    }
}
