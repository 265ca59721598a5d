//! Which game and which board a command is about, as its options say.

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser};
use tengen_engine::NotationError;
use tengen_engine::backend::{Catalog, Chosen, PositionError, Variant};
use tengen_engine::notation::quotable;
use tengen_games::CATALOG;
use tengen_games::grid::Grid;

use crate::ending::Refusal;

/// The variants on a board of one size.
const FIXED: [&str; 4] = ["cfour", "cfour-misere", "tictactoe", "tree"];

/// What is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Game {
    pub(crate) variant: String,
    pub(crate) chosen: Chosen,
}

/// The options that choose a game.
#[derive(clap::Args, Clone)]
pub(crate) struct BoardArgs {
    /// The game; `custom` when only a size is given, else the first of these.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = variants())]
    pub(crate) variant: Option<String>,

    /// Columns of the board, up to 26 [default: what is usual].
    #[arg(long, value_name = "N", value_parser = side())]
    pub(crate) width: Option<u32>,

    /// Rows of the board, up to 26 [default: what is usual].
    #[arg(long, value_name = "N", value_parser = side())]
    pub(crate) height: Option<u32>,

    /// How many stones make a line on a custom board [default: 4].
    #[arg(short = 'k', long, value_name = "N", value_parser = side())]
    pub(crate) connect: Option<u32>,

    /// On a custom board, stones are put on any empty point.
    #[arg(long)]
    pub(crate) no_gravity: bool,

    /// On a custom board and in caro, longer lines do not win.
    #[arg(long)]
    pub(crate) no_overline: bool,
}

/// The variants of the catalogue, each with a word about it.
pub(crate) fn variants() -> PossibleValuesParser {
    let value = |variant: &Variant| PossibleValue::new(variant.name).help(variant.summary);
    CATALOG.variants().iter().map(value).collect::<Vec<_>>().into()
}

/// A side of a board, or the length of a line on it.
fn side() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(1..=Grid::MAX_SIDE.into())
}

impl BoardArgs {
    /// Whether the variant is played on boards of more than one size.
    pub(crate) fn takes_sizes(&self) -> bool {
        let variant = self.variant.as_deref().unwrap_or("custom");
        !FIXED.iter().any(|name| name.eq_ignore_ascii_case(variant))
    }

    /// Whether the variant lets one choose that longer lines do not win.
    pub(crate) fn takes_overline(&self) -> bool {
        let variant = self.variant.as_deref().unwrap_or("custom");
        ["custom", "caro"].iter().any(|name| name.eq_ignore_ascii_case(variant))
    }

    /// The variant, and its options where they are given.
    pub(crate) fn game(&self) -> Result<Game, Refusal> {
        let sizes = [("BoardWidth", self.width), ("BoardHeight", self.height)];
        let given = |(name, size): (_, Option<u32>)| Some((name, i64::from(size?)));
        let mut chosen: Chosen = sizes.into_iter().filter_map(given).collect();
        let sides = chosen.len();
        chosen.extend(given(("ConnectK", self.connect)));
        chosen.extend(self.no_gravity.then_some(("Gravity", 0)));
        let is_custom_alone = chosen.len() > sides;
        chosen.extend(self.no_overline.then_some(("Overline", 0)));
        let default = if chosen.is_empty() { CATALOG.variants()[0].name } else { "custom" };
        let variant = self.variant.as_deref().unwrap_or(default);
        let is = |name: &str| variant.eq_ignore_ascii_case(name);
        if (sides > 0 && !self.takes_sizes()) || (is_custom_alone && !is("custom")) {
            let why = format!("{variant} has a board of its own: sizes are for --variant custom");
            return Err(Refusal(why));
        }
        if self.no_overline && !is("custom") && !is("caro") {
            let why =
                format!("{variant} has a rule of its own: --no-overline is for custom and caro");
            return Err(Refusal(why));
        }
        Ok(Game { variant: variant.to_owned(), chosen })
    }
}

/// Which move cannot be played, and why.
pub(crate) fn describe(error: &PositionError) -> String {
    match error {
        PositionError::Move(number, NotationError::Move { text, reason }) => {
            format!("move {number} \"{}\": {reason}", quotable(text))
        }
        other => other.to_string(),
    }
}
