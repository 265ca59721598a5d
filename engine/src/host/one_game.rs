//! [`OneGame`]: a catalogue with a single game, for a game of your own.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use crate::game::rules::Game;
use crate::game::wdl::WdlModel;
use crate::host::backend::{Backend, BenchPosition, Catalog, OpenError, Settings, Sink};
use crate::host::board_option::BoardOption;
use crate::host::opener::{Opener, TypedOpener};
use crate::host::options::{Chosen, OptionKind, OptionSpec};
use crate::host::position::Position;
use crate::host::spec::{About, BoardSizes, GameSpec, Variant};
use crate::search::evaluator::SearchEvaluator;
use crate::text::notation::Notation;

/// An option of your own game, which clients set by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GameOption {
    name: &'static str,
    default: i64,
    least: i64,
    most: i64,
    is_check: bool,
}

impl GameOption {
    /// Creates an option that is a number in `range`.
    pub const fn number(name: &'static str, default: i64, range: RangeInclusive<i64>) -> Self {
        let (least, most) = (*range.start(), *range.end());
        assert!(least <= default && default <= most, "the default is in the range");
        Self { name, default, least, most, is_check: false }
    }

    /// Creates an option that is on (1) or off (0).
    pub const fn check(name: &'static str, default: bool) -> Self {
        Self { name, default: default as i64, least: 0, most: 1, is_check: true }
    }

    /// Creates the option for the width of a board, `BoardWidth`. A game with this option and
    /// [`height`](Self::height) gets the size that Gomocup's `START` and `width` in JSON choose.
    pub const fn width(default: i64, range: RangeInclusive<i64>) -> Self {
        Self::number(BoardOption::Width.name(), default, range)
    }

    /// Creates the option for the height of a board, `BoardHeight`.
    pub const fn height(default: i64, range: RangeInclusive<i64>) -> Self {
        Self::number(BoardOption::Height.name(), default, range)
    }

    /// Returns the name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Describes the option for clients.
    pub fn spec(&self) -> OptionSpec {
        let kind = match self.is_check {
            true => OptionKind::Check { default: self.default != 0 },
            false => OptionKind::Spin { default: self.default, min: self.least, max: self.most },
        };
        OptionSpec::new(self.name, kind)
    }

    /// Returns the chosen value of the option, or its default.
    pub fn value(&self, chosen: &Chosen) -> Result<i64, OpenError> {
        let Self { name: option, default, least, most, .. } = *self;
        let value = chosen.get(option).copied().unwrap_or(default);
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        Err(OpenError::Range { option, value, least, most, or_usual: false })
    }
}

/// How a game begins.
enum Start<G> {
    Fixed(fn() -> G),
    Chosen(fn(&Chosen) -> G),
}

/// A catalogue of one game of your own.
///
/// ```
/// # use tengen_engine::*;
/// # #[derive(Clone)] struct Nim { stones: u32, turn: Side }
/// # impl Game for Nim {
/// #     type Move = u32;
/// #     type Undo = ();
/// #     type Symmetry = ();
/// #     fn turn(&self) -> Side { self.turn }
/// #     fn outcome(&self) -> Option<Outcome> {
/// #         (self.stones == 0).then(|| Outcome::Win(self.turn.other()))
/// #     }
/// #     fn moves(&self, out: &mut Vec<u32>) { out.extend(1..=self.stones.min(3)) }
/// #     fn play(&mut self, taken: u32) { self.stones -= taken; self.turn = self.turn.other(); }
/// #     fn undo(&mut self, taken: u32, _: ()) { self.stones += taken; self.turn = self.turn.other(); }
/// #     fn plies_left(&self) -> u32 { self.stones }
/// #     fn key(&self) -> (u64, ()) { (2 * u64::from(self.stones) + self.turn.index() as u64, ()) }
/// # }
/// # impl Notation for Nim {
/// #     fn write_move(&self, taken: u32, _: Style) -> String { taken.to_string() }
/// #     fn write_position(&self, _: bool) -> String { format!("{} {:?}", self.stones, self.turn) }
/// # }
/// static NIM: OneGame<Nim, StaticEvaluator<Nim>> = OneGame::with_options(
///     "nim",
///     "take one to three stones",
///     &[GameOption::number("Stones", 21, 1..=100)],
///     |chosen| Nim { stones: chosen["Stones"] as u32, turn: Side::First },
///     |_| StaticEvaluator::new(|_| Score::DRAW).with_exact(true),
/// )
/// .with_about(About::new("Nimble").with_version("1.0").with_author("Jane Doe"));
///
/// let chosen = Chosen::from([("Stones", 30)]);
/// let mut client = Client::open(&NIM, "nim", &chosen, &Settings::default())?;
/// let answer = client.search(Limits::default())?;
/// assert_eq!(client.write_line(answer.best.as_slice()), ["2"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OneGame<G: Game, E> {
    name: &'static str,
    summary: &'static str,
    about: About,
    options: &'static [GameOption],
    variants: OnceLock<[Variant; 1]>,
    start: Start<G>,
    evaluator: fn(&G) -> E,
    wdl: Option<WdlModel>,
}

impl<G: Game, E> OneGame<G, E> {
    /// Creates the catalogue of a game without options. `name` is the name for clients, `summary` a
    /// description in one line. `start` returns the starting position, `evaluator` its evaluator.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        start: fn() -> G,
        evaluator: fn(&G) -> E,
    ) -> Self {
        Self::create(name, summary, &[], Start::Fixed(start), evaluator)
    }

    /// Creates the catalogue of a game with `options`. `start` gets a value for each of them, in
    /// its range, and returns the starting position.
    pub const fn with_options(
        name: &'static str,
        summary: &'static str,
        options: &'static [GameOption],
        start: fn(&Chosen) -> G,
        evaluator: fn(&G) -> E,
    ) -> Self {
        Self::create(name, summary, options, Start::Chosen(start), evaluator)
    }

    const fn create(
        name: &'static str,
        summary: &'static str,
        options: &'static [GameOption],
        start: Start<G>,
        evaluator: fn(&G) -> E,
    ) -> Self {
        let about = About::new(name);
        let variants = OnceLock::new();
        Self { name, summary, about, options, variants, start, evaluator, wdl: None }
    }

    setters! {
        /// Sets the name, the version and the author of the engine, as clients show them. Without it
        /// the engine has the name of the game.
        with_about(about: About) => about = about;
        /// Sets the model of the chances to win, draw and lose. With it, clients may ask for chances
        /// and for a strength in Elo.
        with_wdl(model: WdlModel) => wdl = Some(model);
    }

    fn variant(&self) -> Variant {
        let names: Vec<&str> = self.options.iter().map(|option| option.name).collect();
        // Leaked once for each catalogue, which is usually a static.
        let variant = Variant::new(self.name, self.summary).with_options(names.leak());
        let side = |side: BoardOption| self.options.iter().find(|known| known.name == side.name());
        let [Some(width), Some(height)] = BoardOption::SIZE.map(side) else { return variant };
        let number = |side: i64| u32::try_from(side).unwrap_or_default();
        let least = width.least.max(height.least);
        let most = width.most.min(height.most);
        let usual = (number(width.default), number(height.default));
        variant.with_sizes(BoardSizes::new(usual, &(number(least)..=number(most))))
    }
}

impl<G: Notation, E: SearchEvaluator<G>> OneGame<G, E> {
    /// Returns the opener of the game with the options `chosen`, each of which has a value.
    fn opener(&self, chosen: &Chosen) -> TypedOpener<G, E> {
        let start = match self.start {
            Start::Fixed(start) => start(),
            Start::Chosen(start) => start(chosen),
        };
        let is_exact = (self.evaluator)(&start).exact();
        let opener = TypedOpener::new(start, self.evaluator, is_exact);
        match self.wdl {
            Some(model) => opener.with_wdl(model),
            None => opener,
        }
    }
}

impl<G: Notation, E: SearchEvaluator<G>> Catalog for OneGame<G, E> {
    fn about(&self) -> About {
        self.about
    }

    fn variants(&self) -> &[Variant] {
        self.variants.get_or_init(|| [self.variant()])
    }

    fn options(&self) -> Vec<OptionSpec> {
        self.options.iter().map(GameOption::spec).collect()
    }

    fn describe(&self, name: &str, chosen: &Chosen) -> Result<GameSpec, OpenError> {
        let [variant] = self.variants.get_or_init(|| [self.variant()]);
        if !variant.is_named(name) {
            return Err(OpenError::UnknownVariant(name.to_owned()));
        }
        let value = |option: &GameOption| Ok((option.name, option.value(chosen)?));
        let chosen: Chosen = self.options.iter().map(value).collect::<Result<_, OpenError>>()?;
        let mut spec = self.opener(&chosen).describe(variant.name, chosen);
        if spec.rules.is_empty() {
            spec.rules = variant.summary.to_owned();
        }
        Ok(spec)
    }

    fn position(&self, spec: &GameSpec) -> Box<dyn Position> {
        self.opener(&spec.chosen).position(spec)
    }

    fn open(&self, spec: &GameSpec, settings: &Settings, sink: Sink) -> Box<dyn Backend> {
        self.opener(&spec.chosen).open(spec, settings, sink)
    }

    fn bench(&self) -> Vec<BenchPosition> {
        Vec::new()
    }
}
