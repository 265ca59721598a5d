//! The variants of four in a row on 7x6 that the catalogue offers.

use tengen_engine::opener::TypedOpener;
use tengen_engine::{Variant, WdlModel};

use super::book;
use super::{Board, CfourEvaluator, Classic, MisereEvaluator};
use crate::entry::{BoardOptions, Entry, OpenerResult, bench, symmetric_wdl};

const WDL: WdlModel = symmetric_wdl(9.0, 136.0, 62.0);
/// The second player wins most games, so `first` is below 0.
const MISERE_WDL: WdlModel = WdlModel { first: -54.0, ..symmetric_wdl(3.0, 4.0, 20.0) };

pub(crate) const VARIANTS: [Entry; 2] =
    [
        Entry {
            variant: Variant::new("cfour", "four in a row: 7x6 board, stones fall")
                .with_aliases(&["connect4", "connect-four", "four-in-a-row"]),
            make: |_: &mut BoardOptions<'_>| classic(),
            bench: &[
                bench("", 16),
                bench("d1 d2 d3 d4", 16),
                bench("d1 d2 c1 e1 c2 c3", 16),
                bench("4 4 4 4 4 2 2 2 6 6 1", 18),
                bench("2 2 5 2 5 7 6 2 5 7 6 3 2 4 1", 42),
                bench("1 1 1 1 1 1 7 7 7 7 7 7 4 4 4 4", 42),
            ],
        },
        Entry {
            variant: Variant::new("cfour-misere", "four in a row in which completing a line loses"),
            make: |_: &mut BoardOptions<'_>| {
                let opener =
                    TypedOpener::new(Board::misere(Classic), |_| MisereEvaluator::default(), true);
                Ok(Box::new(opener.with_wdl(MISERE_WDL)))
            },
            bench: &[bench("", 13)],
        },
    ];

/// Returns the opener of the 7x6 board, which has a book.
pub(crate) fn classic() -> OpenerResult {
    let opener = TypedOpener::new(Board::new(Classic), |_| CfourEvaluator::new(), true);
    Ok(Box::new(opener.with_books(&book::CLASSIC).with_wdl(WDL)))
}
