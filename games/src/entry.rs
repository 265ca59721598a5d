//! [`Entry`]: what each game declares to the catalogue, and the options of boards.
//!
//! This file does not depend on a game.

use tengen_engine::backend::OpenError;
use tengen_engine::opener::Opener;
use tengen_engine::options::OptionSpec;
use tengen_engine::{BoardOption, BoardSizes, Chosen, GameOption, Grid, Variant, WdlModel};

/// An entry of the catalogue: a variant, its opener and its bench positions.
pub(crate) struct Entry {
    pub(crate) variant: Variant,
    /// Returns the opener of the variant with the chosen options.
    pub(crate) make: fn(&mut BoardOptions<'_>) -> OpenerResult,
    /// The bench positions of the variant.
    pub(crate) bench: &'static [BenchEntry],
}

/// The opener of a game, or the error of its options.
pub(crate) type OpenerResult = Result<Box<dyn Opener>, OpenError>;

/// A position of the bench.
pub(crate) struct BenchEntry {
    /// The options that differ from their defaults, by name.
    pub(crate) chosen: &'static [(&'static str, i64)],
    /// The moves from the starting position, separated by blanks.
    pub(crate) moves: &'static str,
    /// The default search depth, in plies.
    pub(crate) depth: u32,
}

/// Returns a bench position on the variant's default board.
pub(crate) const fn bench(moves: &'static str, depth: u32) -> BenchEntry {
    BenchEntry { chosen: &[], moves, depth }
}

/// The option for the width; 0 is the variant's default width.
pub(crate) const WIDTH: GameOption = GameOption::width(0, 0..=MAX_SIDE);
/// The option for the height; 0 is the variant's default height.
pub(crate) const HEIGHT: GameOption = GameOption::height(0, 0..=MAX_SIDE);
pub(crate) const CONNECT: GameOption =
    GameOption::number(BoardOption::Connect.name(), 4, 1..=MAX_SIDE);
pub(crate) const GRAVITY: GameOption = GameOption::check(BoardOption::Gravity.name(), true);
pub(crate) const OVERLINE: GameOption = GameOption::check(BoardOption::Overline.name(), true);

const MAX_SIDE: i64 = Grid::MAX_SIDE as i64;

/// Returns every option of a board, in the order in which clients see them.
pub(crate) fn all_options() -> Vec<OptionSpec> {
    [WIDTH, HEIGHT, CONNECT, GRAVITY, OVERLINE].iter().map(GameOption::spec).collect()
}

/// The options chosen for a board, and a record of the options that were read.
pub(crate) struct BoardOptions<'a> {
    chosen: &'a Chosen,
    /// The options that were read, with the values in use.
    pub(crate) effective: Chosen,
}

impl<'a> BoardOptions<'a> {
    pub(crate) fn new(chosen: &'a Chosen) -> Self {
        Self { chosen, effective: Chosen::new() }
    }

    pub(crate) fn number(&mut self, option: &GameOption) -> Result<u32, OpenError> {
        let value = option.value(self.chosen)?;
        self.effective.insert(option.name(), value);
        Ok(value as u32)
    }

    /// Returns whether an option is on: with any value but 0, and by default.
    pub(crate) fn check(&mut self, option: &GameOption) -> bool {
        let is_on = self.chosen.get(option.name()).is_none_or(|&value| value != 0);
        self.effective.insert(option.name(), i64::from(is_on));
        is_on
    }

    /// Returns the width and the height of the board, each in the range of `sizes`. An option of 0
    /// means the default size.
    pub(crate) fn size(&mut self, sizes: &BoardSizes) -> Result<(u32, u32), OpenError> {
        let width = self.side(&WIDTH, sizes.usual.0, sizes)?;
        Ok((width, self.side(&HEIGHT, sizes.usual.1, sizes)?))
    }

    fn side(
        &mut self,
        option: &GameOption,
        usual: u32,
        sizes: &BoardSizes,
    ) -> Result<u32, OpenError> {
        let option = option.name();
        let value = self.chosen.get(option).copied().unwrap_or_default();
        let side = match u32::try_from(value) {
            Ok(0) => usual,
            Ok(side) if (sizes.least..=sizes.most).contains(&side) => side,
            _ => {
                let (least, most) = (i64::from(sizes.least), i64::from(sizes.most));
                return Err(OpenError::Range { option, value, least, most, or_usual: true });
            }
        };
        self.effective.insert(option, side.into());
        Ok(side)
    }
}

/// Returns a win/draw/loss model without an advantage for the first player. `even`, `full` and
/// `spread` are those of [`WdlModel`], fitted on games of the engine against itself; see
/// `docs/measurements/strength.md`.
pub(crate) const fn symmetric_wdl(even: f64, full: f64, spread: f64) -> WdlModel {
    assert!(even >= 0.0 && full >= 0.0 && spread > 0.0);
    WdlModel { even, full, first: 0.0, spread }
}
