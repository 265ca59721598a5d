//! Tic-tac-toe and the custom boards that the catalogue offers.

use tengen_engine::backend::OpenError;
use tengen_engine::opener::TypedOpener;
use tengen_engine::{BoardSizes, Grid, Variant, WdlModel};

use super::eval::MnkEvaluator;
use super::{Mnk, Rules};
use crate::cfour::{AnySize, Board, CfourEvaluator, Shape, variants};
use crate::entry::{
    BenchEntry, BoardOptions, CONNECT, Entry, GRAVITY, HEIGHT, OVERLINE, OpenerResult, WIDTH,
    bench, symmetric_wdl,
};

/// The model of bitboards, whose evaluation counts threats. It was fitted to 8x7 with lines of
/// four; the fits to other sizes differ much.
const FALLING_WDL: WdlModel = symmetric_wdl(81.0, 0.0, 836.0);
/// The model of [`Mnk`] boards, whose evaluation counts open lines.
const LINES_WDL: WdlModel = symmetric_wdl(8.0, 1740.0, 178.0);

/// The sizes of a custom board.
const CUSTOM_SIZES: BoardSizes = BoardSizes::new((7, 6), &(1..=Grid::MAX_SIDE));

pub(crate) const VARIANTS: [Entry; 2] = [
    Entry {
        variant: Variant::new("tictactoe", "tic-tac-toe: 3x3 board, 3 in a row")
            .with_aliases(&["tic-tac-toe"]),
        make: |_: &mut BoardOptions<'_>| mnk_opener((3, 3), 3, false, true),
        bench: &[bench("", 9), bench("a1 b2", 9)],
    },
    Entry {
        variant: Variant::new("custom", "any m,n,k game, with or without gravity, by its options")
            .with_options(&[
                WIDTH.name(),
                HEIGHT.name(),
                CONNECT.name(),
                GRAVITY.name(),
                OVERLINE.name(),
            ])
            .with_sizes(CUSTOM_SIZES),
        make: custom,
        bench: &[
            bench_on(&[(WIDTH.name(), 9), (HEIGHT.name(), 7), (CONNECT.name(), 5)], "", 12),
            bench_on(&[(WIDTH.name(), 12), (HEIGHT.name(), 9)], "f1 g1", 11),
            bench_on(&[(WIDTH.name(), 5), (HEIGHT.name(), 5)], "", 25),
            bench_on(&[(WIDTH.name(), 13), (HEIGHT.name(), 10), (CONNECT.name(), 5)], "g1", 8),
            bench_on(&[(WIDTH.name(), 5), (HEIGHT.name(), 5), (GRAVITY.name(), 0)], "c3", 10),
            bench_on(&FIVE_ON_10X10, "e5 f6 e6", 8),
            bench_on(&FIVE_ON_15X15, "", 7),
            bench_on(&FIVE_ON_15X15, "h8 i9 h10 h9 g9 i10", 8),
        ],
    },
];

const FIVE_ON_10X10: [(&str, i64); 4] =
    [(WIDTH.name(), 10), (HEIGHT.name(), 10), (CONNECT.name(), 5), (GRAVITY.name(), 0)];
const FIVE_ON_15X15: [(&str, i64); 4] =
    [(WIDTH.name(), 15), (HEIGHT.name(), 15), (CONNECT.name(), 5), (GRAVITY.name(), 0)];

const fn bench_on(
    chosen: &'static [(&'static str, i64)],
    moves: &'static str,
    depth: u32,
) -> BenchEntry {
    BenchEntry { chosen, moves, depth }
}

/// Returns the opener of the fastest board for the chosen rules.
fn custom(options: &mut BoardOptions<'_>) -> OpenerResult {
    let size = options.size(&CUSTOM_SIZES)?;
    let (connect, falls) = (options.number(&CONNECT)?, options.check(&GRAVITY));
    let overline = options.check(&OVERLINE);
    if !falls || !overline || connect < 3 {
        return mnk_opener(size, connect, falls, overline);
    }
    let (width, height) = size;
    if (width, height, connect) == (7, 6, 4) {
        return variants::classic();
    }
    if let Some(shape) = AnySize::<u64>::new(width, height, connect) {
        return bitboard_opener(shape);
    }
    match AnySize::<u128>::new(width, height, connect) {
        Some(shape) => bitboard_opener(shape),
        None => mnk_opener(size, connect, falls, overline),
    }
}

fn bitboard_opener<S: Shape>(shape: S) -> OpenerResult {
    let opener = TypedOpener::new(Board::new(shape), |_| CfourEvaluator::new(), true);
    Ok(Box::new(opener.with_wdl(FALLING_WDL)))
}

fn mnk_opener(
    (width, height): (u32, u32),
    connect: u32,
    falls: bool,
    overline: bool,
) -> OpenerResult {
    let rules = Rules::new(width, height, connect, falls, overline)
        .map_err(|error| OpenError::Options(error.to_string()))?;
    let evaluator = |game: &Mnk| MnkEvaluator::new(game.ruleset());
    let opener = TypedOpener::new(Mnk::new(rules), evaluator, MnkEvaluator::is_exact_on(&rules));
    Ok(Box::new(opener.with_wdl(LINES_WDL)))
}
