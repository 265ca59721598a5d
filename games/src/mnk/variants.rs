//! Tic-tac-toe and the custom boards that the catalogue offers.

use tengen_engine::backend::OpenError;
use tengen_engine::opener::TypedOpener;
use tengen_engine::{BoardSizes, Grid, Variant, WdlModel};

use super::eval::MnkEvaluator;
use super::{Mnk, Rules};
use crate::cfour::{AnySize, Board, CfourEvaluator, Shape, variants};
use crate::entry::{
    BenchEntry, BoardOptions, CONNECT, Entry, GRAVITY, HEIGHT, OVERLINE, Opened, WIDTH, bench,
    fitted,
};

/// The model of boards whose evaluation counts threats: stones fall, and the board fits in 128
/// bits. An older fit to 8x7 with lines of four: the fits to other sizes differ much.
const FALLING_WDL: WdlModel = fitted(81.0, 0.0, 836.0);
/// The model of boards whose evaluation counts open lines.
const LINES_WDL: WdlModel = fitted(8.0, 1740.0, 178.0);

/// The sizes of a custom board.
const CUSTOM_SIZES: BoardSizes = BoardSizes::new((7, 6), &(1..=Grid::MAX_SIDE));

pub(crate) const VARIANTS: [Entry; 2] = [
    Entry {
        variant: Variant::new("tictactoe", "tic-tac-toe: 3x3 board, 3 in a row")
            .with_aliases(&["tic-tac-toe"]),
        make: |_: &mut BoardOptions<'_>| plain(rules((3, 3), 3, false, true)?),
        bench: &[bench("", 9), bench("a1 b2", 9)],
    },
    Entry {
        variant: Variant::new("custom", "any m,n,k game, with or without gravity, by its options")
            .with_options(&[WIDTH.name, HEIGHT.name, CONNECT.name, GRAVITY.0, OVERLINE.0])
            .with_sizes(CUSTOM_SIZES),
        make: custom,
        bench: &[
            on(&[(WIDTH.name, 9), (HEIGHT.name, 7), (CONNECT.name, 5)], "", 12),
            on(&[(WIDTH.name, 12), (HEIGHT.name, 9)], "f1 g1", 11),
            on(&[(WIDTH.name, 5), (HEIGHT.name, 5)], "", 25),
            on(&[(WIDTH.name, 13), (HEIGHT.name, 10), (CONNECT.name, 5)], "g1", 8),
            on(&[(WIDTH.name, 5), (HEIGHT.name, 5), (GRAVITY.0, 0)], "c3", 10),
            on(&TEN, "e5 f6 e6", 8),
            on(&FIFTEEN, "", 7),
            on(&FIFTEEN, "h8 i9 h10 h9 g9 i10", 8),
        ],
    },
];

const TEN: [(&str, i64); 4] =
    [(WIDTH.name, 10), (HEIGHT.name, 10), (CONNECT.name, 5), (GRAVITY.0, 0)];
const FIFTEEN: [(&str, i64); 4] =
    [(WIDTH.name, 15), (HEIGHT.name, 15), (CONNECT.name, 5), (GRAVITY.0, 0)];

const fn on(chosen: &'static [(&'static str, i64)], moves: &'static str, depth: u32) -> BenchEntry {
    BenchEntry { chosen, moves, depth }
}

fn rules(
    (width, height): (u32, u32),
    connect: u32,
    falls: bool,
    overline: bool,
) -> Result<Rules, OpenError> {
    Rules::new(width, height, connect, falls, overline)
        .map_err(|error| OpenError::Options(error.to_string()))
}

/// Returns the fastest board that plays by the rules chosen.
fn custom(options: &mut BoardOptions<'_>) -> Opened {
    let size = options.size(&CUSTOM_SIZES)?;
    let (connect, falls) = (options.number(&CONNECT)?, options.check(&GRAVITY));
    let overline = options.check(&OVERLINE);
    if !falls || !overline || connect < 3 {
        return plain(rules(size, connect, falls, overline)?);
    }
    let (width, height) = size;
    if (width, height, connect) == (7, 6, 4) {
        return variants::classic();
    }
    if let Some(shape) = AnySize::<u64>::new(width, height, connect) {
        return fast(shape);
    }
    match AnySize::<u128>::new(width, height, connect) {
        Some(shape) => fast(shape),
        None => plain(rules(size, connect, falls, overline)?),
    }
}

fn fast<S: Shape>(shape: S) -> Opened {
    let opener = TypedOpener::new(Board::new(shape), |_| CfourEvaluator::new(), true);
    Ok(Box::new(opener.with_wdl(FALLING_WDL)))
}

fn plain(rules: Rules) -> Opened {
    let evaluator = |game: &Mnk| MnkEvaluator::new(game.ruleset());
    let opener = TypedOpener::new(Mnk::new(rules), evaluator, MnkEvaluator::is_exact_on(&rules));
    Ok(Box::new(opener.with_wdl(LINES_WDL)))
}
