//! The variants of five in a row that the catalogue offers.

use tengen_engine::backend::OpenError;
use tengen_engine::opener::TypedOpener;
use tengen_engine::{BoardSizes, Variant, WdlModel};

use super::{Board, GomokuEvaluator, Rule, rule_names};
use crate::entry::{
    BoardOptions, Entry, HEIGHT, OVERLINE, OpenerResult, WIDTH, bench, symmetric_wdl,
};

/// The options of all variants except caro.
const SIZE_OPTIONS: &[&str] = &[WIDTH.name(), HEIGHT.name()];

/// The sizes of a board that is usually 15x15.
const SIZES_15: BoardSizes = BoardSizes::new((15, 15), &Board::SIDES);
/// The sizes of a board that is usually 20x20.
const SIZES_20: BoardSizes = BoardSizes::new((20, 20), &Board::SIDES);

/// The second player has better chances in renju, so `first` is below 0.
const RENJU_WDL: WdlModel = WdlModel { first: -37.0, ..symmetric_wdl(9.0, 2092.0, 164.0) };

pub(crate) const VARIANTS: [Entry; 5] = [
    Entry {
        variant: Variant::new("gomokufreestyle", "gomoku: 15x15 board, five or more in a row")
            .with_aliases(&["freestyle", "gobang"])
            .with_options(SIZE_OPTIONS)
            .with_sizes(SIZES_15)
            .with_rule_names(rule_names::FREESTYLE),
        make: |options| {
            open(options, Rule::Freestyle, &SIZES_15, symmetric_wdl(15.0, 2664.0, 160.0))
        },
        bench: &[bench("h8 i9 i7", 8), bench("h8 i9 h10 h9 g9 i10", 8)],
    },
    Entry {
        variant: Variant::new("gomoku", "gomoku: 15x15 board, exactly five in a row")
            .with_aliases(&["standard"])
            .with_options(SIZE_OPTIONS)
            .with_sizes(SIZES_15)
            .with_rule_names(rule_names::STANDARD),
        make: |options| {
            open(options, Rule::Standard, &SIZES_15, symmetric_wdl(14.0, 2244.0, 152.0))
        },
        bench: &[bench("h8 h9 i9 g7", 8)],
    },
    Entry {
        variant: Variant::new("renju", "renju: 15x15 board, the first player's forbidden points")
            .with_options(SIZE_OPTIONS)
            .with_sizes(SIZES_15)
            .with_rule_names(rule_names::RENJU),
        make: |options| open(options, Rule::Renju, &SIZES_15, RENJU_WDL),
        bench: &[bench("h8 i9 j8 g8 h7", 8)],
    },
    Entry {
        variant: Variant::new("caro", "caro: 15x15 board, five in a row not closed at both ends")
            .with_options(&[WIDTH.name(), HEIGHT.name(), OVERLINE.name()])
            .with_sizes(SIZES_15)
            .with_rule_names(rule_names::CARO),
        make: |options| {
            let rule = if options.check(&OVERLINE) { Rule::Caro } else { Rule::CaroExact };
            open(options, rule, &SIZES_15, symmetric_wdl(66.0, 3308.0, 167.0))
        },
        bench: &[bench("h8 g9 h10 h9", 8)],
    },
    Entry {
        variant: Variant::new("freestyle20", "gomoku: 20x20 board, five or more in a row")
            .with_options(SIZE_OPTIONS)
            .with_sizes(SIZES_20),
        make: |options| open(options, Rule::Freestyle, &SIZES_20, symmetric_wdl(0.0, 0.0, 206.0)),
        bench: &[bench("k10 k11 l11", 7)],
    },
];

/// Returns the opener of a board with the chosen size, or the default size of `sizes`.
fn open(
    options: &mut BoardOptions<'_>,
    rule: Rule,
    sizes: &BoardSizes,
    wdl: WdlModel,
) -> OpenerResult {
    let (width, height) = options.size(sizes)?;
    let game = Board::new(rule, width, height)
        .ok_or_else(|| OpenError::Options(format!("no board of {width}x{height} points")))?;
    Ok(Box::new(TypedOpener::new(game, GomokuEvaluator::new, false).with_wdl(wdl)))
}
