//! The variants by name, and the options that `custom` is made from.

use std::ops::RangeInclusive;

use tengen_engine::backend::{
    Backend, BenchPosition, Catalog, Chosen, OpenError, Settings, Sink, Variant,
};
use tengen_engine::host::Host;
use tengen_engine::options::{OptionKind, OptionSpec};

use crate::bench;
use crate::four_in_a_row::{AnySize, Board, Classic, Shape, Threats};
use crate::grid::Grid;
use crate::mnk::lines::Lines;
use crate::mnk::{Mnk, Rules};
use crate::tree::{TreeEvaluator, TreeGame};

/// The catalogue of this crate's games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Games;

const CFOUR: Variant = Variant { name: "cfour", summary: "four in a row: 7x6 board, stones fall" };
const TICTACTOE: Variant =
    Variant { name: "tictactoe", summary: "tic-tac-toe: 3x3 board, 3 in a row" };
const CUSTOM: Variant =
    Variant { name: "custom", summary: "any m,n,k game, with or without gravity, by its options" };
const TREE: Variant = Variant {
    name: "tree",
    summary: "an explicit game tree, set up by \"position fen <literal>\"",
};
const GOMOKUFREESTYLE: Variant =
    Variant { name: "gomokufreestyle", summary: "gomoku: 15x15 board, five or more in a row" };
const GOMOKU: Variant =
    Variant { name: "gomoku", summary: "standard gomoku: 15x15 board, exactly five in a row" };
const FREESTYLE20: Variant =
    Variant { name: "freestyle20", summary: "gomoku: 20x20 board, five or more in a row" };
const VARIANTS: [Variant; 7] =
    [CFOUR, TICTACTOE, CUSTOM, TREE, GOMOKUFREESTYLE, GOMOKU, FREESTYLE20];

/// The sides of a board that gomoku is played on.
const GOMOKU_SIDES: RangeInclusive<u32> = 5..=22;

/// An option of the boards: name, default, least and greatest value.
struct Number(&'static str, i64, i64, i64);
/// An option of the custom board that is on by default.
struct Check(&'static str);

/// 0 is the variant's usual size.
const WIDTH: Number = Number("BoardWidth", 0, 0, Grid::MAX_SIDE as i64);
const HEIGHT: Number = Number("BoardHeight", 0, 0, Grid::MAX_SIDE as i64);
const CONNECT: Number = Number("ConnectK", 4, 1, Grid::MAX_SIDE as i64);
const GRAVITY: Check = Check("Gravity");
const OVERLINE: Check = Check("Overline");

impl Number {
    fn spec(&self) -> OptionSpec {
        let Self(name, default, min, max) = *self;
        OptionSpec { name, kind: OptionKind::Spin { default, min, max } }
    }

    fn chosen(&self, chosen: &Chosen) -> Result<u32, OpenError> {
        let Self(name, default, min, max) = *self;
        let value = chosen.get(name).copied().unwrap_or(default);
        if (min..=max).contains(&value) {
            return Ok(value as u32);
        }
        Err(OpenError::Options(format!("{name} {value}: it must be from {min} to {max}")))
    }
}

impl Check {
    fn spec(&self) -> OptionSpec {
        OptionSpec { name: self.0, kind: OptionKind::Check { default: true } }
    }

    fn chosen(&self, chosen: &Chosen) -> bool {
        chosen.get(self.0).is_none_or(|&value| value != 0)
    }
}

impl Catalog for Games {
    fn variants(&self) -> &[Variant] {
        &VARIANTS
    }

    fn options(&self) -> Vec<OptionSpec> {
        vec![WIDTH.spec(), HEIGHT.spec(), CONNECT.spec(), GRAVITY.spec(), OVERLINE.spec()]
    }

    fn open(
        &self,
        name: &str,
        chosen: &Chosen,
        settings: &Settings,
        sink: Sink,
    ) -> Result<Box<dyn Backend>, OpenError> {
        let variant = VARIANTS
            .iter()
            .find(|variant| variant.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OpenError::UnknownVariant(name.to_owned()))?;
        let opener = Opener { variant: variant.name, settings, sink };
        match variant.name {
            "tictactoe" => opener.plain(rules(3, 3, 3, false, true)?),
            "gomokufreestyle" => opener.gomoku(chosen, 15, true),
            "gomoku" => opener.gomoku(chosen, 15, false),
            "freestyle20" => opener.gomoku(chosen, 20, true),
            "custom" => opener.custom(chosen),
            "tree" => opener.tree(),
            _ => opener.falling(Classic),
        }
    }

    fn bench(&self) -> Vec<BenchPosition> {
        bench::positions()
    }
}

fn rules(
    width: u32,
    height: u32,
    connect: u32,
    falls: bool,
    overline: bool,
) -> Result<Rules, OpenError> {
    Rules::new(width, height, connect, falls, overline)
        .map_err(|error| OpenError::Options(error.to_string()))
}

type Opened = Result<Box<dyn Backend>, OpenError>;

/// What every backend is opened with.
struct Opener<'a> {
    variant: &'a str,
    settings: &'a Settings,
    sink: Sink,
}

/// The width and height chosen, or usual.
fn size(chosen: &Chosen, usual: (u32, u32)) -> Result<(u32, u32), OpenError> {
    let side = |value, usual| if value == 0 { usual } else { value };
    Ok((side(WIDTH.chosen(chosen)?, usual.0), side(HEIGHT.chosen(chosen)?, usual.1)))
}

impl Opener<'_> {
    /// Five in a row on a board of the size chosen; of more stones only with `overline`.
    fn gomoku(self, chosen: &Chosen, usual: u32, overline: bool) -> Opened {
        let (width, height) = size(chosen, (usual, usual))?;
        for (name, side) in [(WIDTH.0, width), (HEIGHT.0, height)] {
            if !GOMOKU_SIDES.contains(&side) {
                let (least, most) = (GOMOKU_SIDES.start(), GOMOKU_SIDES.end());
                let variant = self.variant;
                let why = format!("{name} {side}: {variant} takes {least} to {most}");
                return Err(OpenError::Options(why));
            }
        }
        self.plain(rules(width, height, 5, false, overline)?)
    }

    /// The fastest board that plays by the rules chosen.
    fn custom(self, chosen: &Chosen) -> Opened {
        let (width, height) = size(chosen, (7, 6))?;
        let (connect, falls) = (CONNECT.chosen(chosen)?, GRAVITY.chosen(chosen));
        let overline = OVERLINE.chosen(chosen);
        if !falls || !overline || connect < 3 {
            return self.plain(rules(width, height, connect, falls, overline)?);
        }
        if (width, height, connect) == (7, 6, 4) {
            return self.falling(Classic);
        }
        if let Some(shape) = AnySize::<u64>::new(width, height, connect) {
            return self.falling(shape);
        }
        match AnySize::<u128>::new(width, height, connect) {
            Some(shape) => self.falling(shape),
            None => self.plain(rules(width, height, connect, falls, overline)?),
        }
    }

    fn falling<S: Shape>(self, shape: S) -> Opened {
        let (game, evaluator) = (Board::new(shape), Threats::new());
        Ok(Box::new(Host::new(self.variant, game, evaluator, self.settings, self.sink)))
    }

    fn tree(self) -> Opened {
        let (game, evaluator) = (TreeGame::example(), TreeEvaluator);
        Ok(Box::new(Host::new(self.variant, game, evaluator, self.settings, self.sink)))
    }

    fn plain(self, rules: Rules) -> Opened {
        let (game, evaluator) = (Mnk::new(rules), Lines::new(&rules));
        Ok(Box::new(Host::new(self.variant, game, evaluator, self.settings, self.sink)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn open(name: &str, options: &[(&'static str, i64)]) -> Opened {
        let chosen = options.iter().copied().collect();
        let settings = Settings { hash_mib: 1, ..Settings::default() };
        Games.open(name, &chosen, &settings, Arc::new(|_| ()))
    }

    fn rules_of(name: &str, options: &[(&'static str, i64)]) -> String {
        open(name, options).unwrap_or_else(|error| panic!("{name}: {error}")).identity().rules
    }

    #[test]
    fn every_variant_opens_by_its_name_in_any_case() {
        assert_eq!(Games.variants()[0].name, "cfour");
        for variant in Games.variants() {
            let opened = open(&variant.name.to_uppercase(), &[]).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(opened.identity().variant, variant.name);
        }
        let refused = open("checkers", &[]).err();
        assert_eq!(refused, Some(OpenError::UnknownVariant("checkers".into())));
    }

    #[test]
    fn a_custom_board_is_what_its_options_say() {
        assert_eq!(rules_of("custom", &[]), "7x6 board, 4 in a row, stones fall");
        let sizes = [("BoardWidth", 15), ("BoardHeight", 15), ("ConnectK", 5)];
        assert_eq!(rules_of("custom", &sizes), "15x15 board, 5 in a row, stones fall");
        let plain = [("Gravity", 0), ("Overline", 0), ("BoardWidth", 26)];
        assert_eq!(rules_of("custom", &plain), "26x6 board, exactly 4 in a row");
        // Another variant has its own board.
        assert_eq!(rules_of("tictactoe", &sizes), "3x3 board, 3 in a row");
    }

    #[test]
    fn gomoku_takes_its_usual_size_or_one_that_is_chosen() {
        assert_eq!(rules_of("gomokufreestyle", &[]), "15x15 board, 5 in a row");
        assert_eq!(rules_of("gomoku", &[]), "15x15 board, exactly 5 in a row");
        assert_eq!(rules_of("freestyle20", &[]), "20x20 board, 5 in a row");
        let size = [("BoardWidth", 5), ("BoardHeight", 22)];
        assert_eq!(rules_of("gomoku", &size), "5x22 board, exactly 5 in a row");
        for (name, side) in [("BoardWidth", 4), ("BoardHeight", 23)] {
            let refused = open("gomoku", &[(name, side)]).err().map(|error| error.to_string());
            assert_eq!(refused, Some(format!("{name} {side}: gomoku takes 5 to 22")));
        }
    }

    #[test]
    fn every_size_and_length_opens() {
        for (width, height, connect) in
            [(1, 1, 1), (26, 26, 26), (8, 7, 3), (16, 7, 26), (26, 3, 2)]
        {
            let mut options =
                vec![("BoardWidth", width), ("BoardHeight", height), ("ConnectK", connect)];
            rules_of("custom", &options);
            options.push(("Gravity", 0));
            rules_of("custom", &options);
        }
    }

    #[test]
    fn a_size_out_of_range_is_refused_with_its_name() {
        let refused = open("custom", &[("BoardWidth", 27)]).err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), Some("BoardWidth 27: it must be from 0 to 26"));
    }

    #[test]
    fn every_bench_position_can_be_set_up() {
        for position in Games.bench() {
            let options: Vec<_> = position.chosen.clone().into_iter().collect();
            let mut backend = open(position.variant, &options).unwrap_or_else(|e| panic!("{e}"));
            let moves: Vec<&str> = position.moves.split_whitespace().collect();
            assert_eq!(backend.set_position(None, &moves), Ok(()), "{}", position.moves);
            assert_eq!(backend.outcome(), None, "{}", position.moves);
        }
    }
}
