//! The variants by name, and the options that `custom` is made from.

use std::ops::RangeInclusive;

use tengen_engine::backend::{
    Backend, BenchPosition, Catalog, Chosen, OpenError, Settings, Sink, Variant,
};
use tengen_engine::host::Host;
use tengen_engine::options::{OptionKind, OptionSpec};
use tengen_engine::{Notation, OddsModel, SearchEvaluator};

use crate::bench;
use crate::four_in_a_row::book;
use crate::four_in_a_row::{AnySize, Board, Classic, Misere, Poison, Shape, Threats};
use crate::gomoku::{self, Judge, Rule};
use crate::grid::Grid;
use crate::mnk::lines::Lines;
use crate::mnk::{Mnk, Rules};
use crate::odds;
use crate::tree::{TreeEvaluator, TreeGame};

/// The catalogue of this crate's games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Games;

const CFOUR: Variant = Variant { name: "cfour", summary: "four in a row: 7x6 board, stones fall" };
const MISERE: Variant =
    Variant { name: "cfour-misere", summary: "four in a row in which completing a line loses" };
const TICTACTOE: Variant =
    Variant { name: "tictactoe", summary: "tic-tac-toe: 3x3 board, 3 in a row" };
const CUSTOM: Variant =
    Variant { name: "custom", summary: "any m,n,k game, with or without gravity, by its options" };
const TREE: Variant = Variant {
    name: "tree",
    summary: "an explicit game tree, set up by \"position fen <literal>\"",
};
const FREESTYLE: Variant =
    Variant { name: "gomokufreestyle", summary: "gomoku: 15x15 board, five or more in a row" };
const GOMOKU: Variant =
    Variant { name: "gomoku", summary: "gomoku: 15x15 board, exactly five in a row" };
const RENJU: Variant =
    Variant { name: "renju", summary: "renju: 15x15 board, the first player's forbidden points" };
const CARO: Variant =
    Variant { name: "caro", summary: "caro: 15x15 board, five in a row not closed at both ends" };
const FREESTYLE20: Variant =
    Variant { name: "freestyle20", summary: "gomoku: 20x20 board, five or more in a row" };
const VARIANTS: [Variant; 10] =
    [CFOUR, MISERE, TICTACTOE, CUSTOM, TREE, FREESTYLE, GOMOKU, RENJU, CARO, FREESTYLE20];

/// An option of a board: name, default, least and greatest value.
struct Number(&'static str, i64, i64, i64);
/// An option of a board that is on by default.
struct Check(&'static str);

/// The variant's usual width and height unless another is chosen.
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
            "cfour-misere" => opener.misere(Classic),
            "gomokufreestyle" => opener.gomoku(Rule::Freestyle, 15, odds::FREESTYLE, chosen),
            "gomoku" => opener.gomoku(Rule::Standard, 15, odds::GOMOKU, chosen),
            "renju" => opener.gomoku(Rule::Renju, 15, odds::RENJU, chosen),
            "caro" if OVERLINE.chosen(chosen) => opener.gomoku(Rule::Caro, 15, odds::CARO, chosen),
            "caro" => opener.gomoku(Rule::CaroExact, 15, odds::CARO, chosen),
            "freestyle20" => opener.gomoku(Rule::Freestyle, 20, odds::FREESTYLE20, chosen),
            "custom" => opener.custom(chosen),
            "tree" => opener.tree(),
            _ => opener.classic(),
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

/// The width and the height chosen, where 0 means the usual ones; each must be within `sides`.
fn size(
    chosen: &Chosen,
    usual: (u32, u32),
    sides: RangeInclusive<u32>,
) -> Result<(u32, u32), OpenError> {
    let side = |option: &Number, usual| match option.chosen(chosen)? {
        0 => Ok(usual),
        side if sides.contains(&side) => Ok(side),
        side => {
            let (least, most) = (sides.start(), sides.end());
            let why = format!("it must be from {least} to {most}, or 0 for the usual size");
            Err(OpenError::Options(format!("{} {side}: {why}", option.0)))
        }
    };
    Ok((side(&WIDTH, usual.0)?, side(&HEIGHT, usual.1)?))
}

type Opened = Result<Box<dyn Backend>, OpenError>;

/// What every backend is opened with.
struct Opener<'a> {
    variant: &'a str,
    settings: &'a Settings,
    sink: Sink,
}

impl Opener<'_> {
    /// A game with the chances that go with its scores.
    fn host<G: Notation, E: SearchEvaluator<G>>(
        self,
        game: G,
        evaluator: E,
        odds: OddsModel,
    ) -> Opened {
        let host = Host::new(self.variant, game, evaluator, self.settings, self.sink);
        Ok(Box::new(host.with_odds(odds)))
    }

    /// The fastest board that plays by the rules chosen.
    fn custom(self, chosen: &Chosen) -> Opened {
        let (width, height) = size(chosen, (7, 6), 1..=Grid::MAX_SIDE)?;
        let (connect, falls) = (CONNECT.chosen(chosen)?, GRAVITY.chosen(chosen));
        let overline = OVERLINE.chosen(chosen);
        if !falls || !overline || connect < 3 {
            return self.plain(rules(width, height, connect, falls, overline)?);
        }
        if (width, height, connect) == (7, 6, 4) {
            return self.classic();
        }
        if let Some(shape) = AnySize::<u64>::new(width, height, connect) {
            return self.falling(shape);
        }
        match AnySize::<u128>::new(width, height, connect) {
            Some(shape) => self.falling(shape),
            None => self.plain(rules(width, height, connect, falls, overline)?),
        }
    }

    /// A board of `side` by `side` points unless other sides are chosen.
    fn gomoku(self, rule: Rule, side: u32, odds: OddsModel, chosen: &Chosen) -> Opened {
        let sides = gomoku::Board::SIDES;
        let (width, height) = size(chosen, (side, side), sides)?;
        let game = gomoku::Board::new(rule, width, height)
            .ok_or_else(|| OpenError::Options(format!("no board of {width}x{height} points")))?;
        let judge = Judge::new(&game);
        self.host(game, judge, odds)
    }

    /// The board for which there is a book.
    fn classic(self) -> Opened {
        let (game, evaluator) = (Board::new(Classic), Threats::new());
        let host = Host::new(self.variant, game, evaluator, self.settings, self.sink);
        Ok(Box::new(host.with_odds(odds::CFOUR).with_books(&book::CLASSIC)))
    }

    fn misere<S: Shape>(self, shape: S) -> Opened {
        let (game, evaluator) = (Misere::new(shape), Poison::new());
        self.host(game, evaluator, odds::MISERE)
    }

    fn falling<S: Shape>(self, shape: S) -> Opened {
        let (game, evaluator) = (Board::new(shape), Threats::new());
        self.host(game, evaluator, odds::FALLING)
    }

    fn tree(self) -> Opened {
        // The values of its leaves are their own, and say nothing of chances.
        let (game, evaluator) = (TreeGame::example(), TreeEvaluator);
        Ok(Box::new(Host::new(self.variant, game, evaluator, self.settings, self.sink)))
    }

    fn plain(self, rules: Rules) -> Opened {
        let (game, evaluator) = (Mnk::new(rules), Lines::new(&rules));
        self.host(game, evaluator, odds::LINES)
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
    fn boards_of_five_in_a_row_have_a_usual_size_and_a_range() {
        for (name, rules) in [
            ("gomokufreestyle", "15x15 board, 5 in a row"),
            ("gomoku", "15x15 board, exactly 5 in a row"),
            ("renju", "15x15 board, renju"),
            ("caro", "15x15 board, caro: 5 in a row not closed at both ends"),
            ("freestyle20", "20x20 board, 5 in a row"),
        ] {
            assert_eq!(rules_of(name, &[]), rules);
            assert_eq!(rules_of(name, &[("BoardWidth", 0), ("BoardHeight", 0)]), rules);
        }
        let sizes = [("BoardWidth", 22), ("BoardHeight", 5)];
        assert_eq!(rules_of("renju", &sizes), "22x5 board, renju");
        let exact = rules_of("caro", &[("Overline", 0)]);
        assert_eq!(exact, "15x15 board, caro: exactly 5 in a row not closed at both ends");
        let refused = open("gomoku", &[("BoardHeight", 23)]).err().map(|error| error.to_string());
        let why = "BoardHeight 23: it must be from 5 to 22, or 0 for the usual size";
        assert_eq!(refused.as_deref(), Some(why));
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
