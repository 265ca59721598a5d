//! The variants of five in a row that the catalogue offers.

use tengen_engine::backend::OpenError;
use tengen_engine::opener::TypedOpener;
use tengen_engine::{Variant, WdlModel};

use super::{Board, GomokuEvaluator, Rule, rule_names};
use crate::entry::{BoardOptions, Entry, HEIGHT, OVERLINE, Opened, WIDTH, bench, fitted};

/// The options of every variant but caro.
const SIZES: &[&str] = &[WIDTH.name, HEIGHT.name];

pub(crate) const VARIANTS: [Entry; 5] = [
    Entry {
        variant: Variant::new("gomokufreestyle", "gomoku: 15x15 board, five or more in a row")
            .with_aliases(&["freestyle", "gobang"])
            .with_options(SIZES)
            .with_rule_names(rule_names::FREESTYLE),
        make: |options| open(options, Rule::Freestyle, 15, fitted(26.0, 233.0)),
        bench: &[bench("h8 i9 i7", 8), bench("h8 i9 h10 h9 g9 i10", 8)],
    },
    Entry {
        variant: Variant::new("gomoku", "gomoku: 15x15 board, exactly five in a row")
            .with_aliases(&["standard"])
            .with_options(SIZES)
            .with_rule_names(rule_names::STANDARD),
        make: |options| open(options, Rule::Standard, 15, fitted(42.0, 175.0)),
        bench: &[bench("h8 h9 i9 g7", 8)],
    },
    Entry {
        variant: Variant::new("renju", "renju: 15x15 board, the first player's forbidden points")
            .with_options(SIZES)
            .with_rule_names(rule_names::RENJU),
        make: |options| open(options, Rule::Renju, 15, fitted(40.0, 298.0)),
        bench: &[bench("h8 i9 j8 g8 h7", 8)],
    },
    Entry {
        variant: Variant::new("caro", "caro: 15x15 board, five in a row not closed at both ends")
            .with_options(&[WIDTH.name, HEIGHT.name, OVERLINE.0])
            .with_rule_names(rule_names::CARO),
        make: |options| {
            let rule = if options.check(&OVERLINE) { Rule::Caro } else { Rule::CaroExact };
            open(options, rule, 15, fitted(94.0, 228.0))
        },
        bench: &[bench("h8 g9 h10 h9", 8)],
    },
    Entry {
        variant: Variant::new("freestyle20", "gomoku: 20x20 board, five or more in a row")
            .with_options(SIZES),
        make: |options| open(options, Rule::Freestyle, 20, fitted(0.0, 218.0)),
        bench: &[bench("k10 k11 l11", 7)],
    },
];

/// Returns a board of `side` by `side` points unless other sides are chosen.
fn open(options: &mut BoardOptions<'_>, rule: Rule, side: u32, wdl: WdlModel) -> Opened {
    let (width, height) = options.size((side, side), Board::SIDES)?;
    let game = Board::new(rule, width, height)
        .ok_or_else(|| OpenError::Options(format!("no board of {width}x{height} points")))?;
    Ok(Box::new(TypedOpener::new(game, GomokuEvaluator::new, false).with_wdl(wdl)))
}
