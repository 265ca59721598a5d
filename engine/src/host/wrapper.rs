//! [`CatalogWrapper`]: a catalogue that changes some answers of another one.

use crate::game::score::Score;
use crate::host::backend::{Backend, BenchPosition, Catalog, Features, OpenError, Settings, Sink};
use crate::host::options::{Chosen, OptionSpec};
use crate::host::position::Position;
use crate::host::spec::{About, GameSpec, Variant};
use crate::host::threats::{FoursResult, Threats};
use crate::opening::{OpeningName, OpeningRule};
use crate::text::typed_move::Move;

/// A [`Catalog`] around another one. It overrides the methods here that it changes; the inner catalogue answers
/// everything else.
pub trait CatalogWrapper: Send + Sync {
    /// Returns the inner catalogue.
    fn inner(&self) -> &dyn Catalog;

    /// Takes the place of [`Catalog::features`].
    fn features(&self) -> Features {
        self.inner().features()
    }

    /// Takes the place of [`Catalog::open`].
    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        self.inner().open(spec, settings, sink)
    }
}

impl<W: CatalogWrapper> Catalog for W {
    fn about(&self) -> About {
        self.inner().about()
    }

    fn features(&self) -> Features {
        CatalogWrapper::features(self)
    }

    fn variants(&self) -> &[Variant] {
        self.inner().variants()
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.inner().options()
    }

    fn describe(&self, name: &str, chosen: &Chosen) -> Result<GameSpec, OpenError> {
        self.inner().describe(name, chosen)
    }

    fn position(&self, spec: &GameSpec) -> Box<dyn Position> {
        self.inner().position(spec)
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        CatalogWrapper::open(self, spec, settings, sink)
    }

    fn judge_moves(&self, position: &dyn Position) -> Vec<(Move, Score)> {
        self.inner().judge_moves(position)
    }

    fn threats(&self, position: &dyn Position) -> Option<Vec<Threats>> {
        self.inner().threats(position)
    }

    fn win_by_fours(&self, position: &dyn Position, nodes: u64) -> Option<FoursResult> {
        self.inner().win_by_fours(position, nodes)
    }

    fn opening_rules(&self, spec: &GameSpec) -> Vec<&'static OpeningRule> {
        self.inner().opening_rules(spec)
    }

    fn opening_name(&self, position: &dyn Position) -> Option<&'static OpeningName> {
        self.inner().opening_name(position)
    }

    fn bench(&self) -> Vec<BenchPosition> {
        self.inner().bench()
    }
}
