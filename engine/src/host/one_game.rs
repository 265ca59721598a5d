//! [`OneGame`]: a catalogue with a single game, for a game of your own.

use crate::game::evaluator::SearchEvaluator;
use crate::game::rules::Game;
use crate::host::backend::{Backend, BenchPosition, Catalog, OpenError, Settings, Sink};
use crate::host::opener::{Opener, TypedOpener};
use crate::host::options::OptionSpec;
use crate::host::position::Position;
use crate::host::spec::{Chosen, GameSpec, Variant};
use crate::text::notation::Notation;

/// A catalogue of one game without options.
///
/// ```text
/// static NIM: OneGame<Nim, NimEvaluator> =
///     OneGame::new("nim", "take one to three stones", || Nim::new(21), |_| NimEvaluator);
/// ```
pub struct OneGame<G: Game, E> {
    variants: [Variant; 1],
    start: fn() -> G,
    evaluator: fn(&G) -> E,
}

impl<G: Game, E> OneGame<G, E> {
    /// Creates the catalogue. `name` is the name for clients, `summary` a description in one line.
    /// `start` returns the starting position, `evaluator` its evaluator.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        start: fn() -> G,
        evaluator: fn(&G) -> E,
    ) -> Self {
        Self { variants: [Variant::new(name, summary)], start, evaluator }
    }
}

impl<G: Notation, E: SearchEvaluator<G>> OneGame<G, E> {
    fn opener(&self) -> TypedOpener<G, E> {
        let start = (self.start)();
        let is_exact = (self.evaluator)(&start).exact();
        TypedOpener::new(start, self.evaluator, is_exact)
    }
}

impl<G: Notation, E: SearchEvaluator<G>> Catalog for OneGame<G, E> {
    fn variants(&self) -> &[Variant] {
        &self.variants
    }

    fn options(&self) -> Vec<OptionSpec> {
        Vec::new()
    }

    fn describe(&self, name: &str, _chosen: &Chosen) -> Result<GameSpec, OpenError> {
        let [variant] = &self.variants;
        if !variant.is_named(name) {
            return Err(OpenError::UnknownVariant(name.to_owned()));
        }
        let mut spec = self.opener().describe(variant.name, Chosen::new());
        if spec.rules.is_empty() {
            spec.rules = variant.summary.to_owned();
        }
        Ok(spec)
    }

    fn position(&self, spec: &GameSpec) -> Box<dyn Position> {
        self.opener().position(spec)
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        self.opener().open(spec, settings, sink)
    }

    fn bench(&self) -> Vec<BenchPosition> {
        Vec::new()
    }
}
