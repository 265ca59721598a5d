//! The game that the board options of a command choose.

use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser};
use tengen_engine::backend::{Catalog, OpenError, Settings};
use tengen_engine::suggest::fitting_variant;
use tengen_engine::text::quotable;
use tengen_engine::{
    Answer, BoardOption, Chosen, Client, ClientError, GameSpec, Grid, Move, NotationError,
    Position, PositionError, Query, SearchError, Variant,
};
use tengen_games::CATALOG;

use crate::exit_status::Refusal;
use crate::games::GAMES;
use crate::interrupt::interruptible;

/// The variant of boards that only have a size.
const CUSTOM: &str = "custom";

/// A game of the catalogue, with its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ChosenGame {
    pub(crate) variant: String,
    pub(crate) chosen: Chosen,
}

impl ChosenGame {
    /// Returns the description of the game.
    pub(crate) fn spec(&self) -> Result<GameSpec, Refusal> {
        let spec = CATALOG.describe(&self.variant, &self.chosen);
        spec.map_err(|error| Refusal(self.describe_error(&error)))
    }

    /// Returns the message for an error, with the flag of the command line instead of the option.
    fn describe_error(&self, error: &OpenError) -> String {
        match error {
            OpenError::Range { option, value, least, most, .. } => {
                let (flag, variant) = (flag(option), &self.variant);
                format!("{flag} {value}: {variant} takes {least} to {most}")
            }
            other => other.to_string(),
        }
    }

    /// Returns a client that searches the game.
    pub(crate) fn client(&self, settings: &Settings) -> anyhow::Result<Client> {
        Client::of(&GAMES, &self.spec()?, settings).map_err(|error| match error {
            ClientError::Open(error) => Refusal(self.describe_error(&error)).into(),
            // The system refused, not the command line.
            ClientError::Search(error) => search_failure(&error),
            other => other.into(),
        })
    }
}

/// The options that choose a game.
#[derive(clap::Args, Clone)]
pub(crate) struct BoardArgs {
    /// The game [default: `custom` if only a size is given, else the first of these].
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = variants())]
    pub(crate) variant: Option<String>,

    /// Columns of the board, up to 26 [default: the size of the game].
    #[arg(long, value_name = "N", value_parser = side())]
    pub(crate) width: Option<u32>,

    /// Rows of the board, up to 26 [default: the size of the game].
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

impl BoardArgs {
    /// Returns the options that were given, as words of a command line.
    #[cfg(feature = "shelf")]
    pub(crate) fn words(&self) -> Vec<String> {
        let number = |side: Option<u32>| side.map(|side| side.to_string());
        let values = [
            ("variant", self.variant.clone()),
            ("width", number(self.width)),
            ("height", number(self.height)),
            ("connect", number(self.connect)),
        ];
        let switches = [("--no-gravity", self.no_gravity), ("--no-overline", self.no_overline)];
        let values =
            values.into_iter().filter_map(|(name, value)| Some(format!("--{name}={}", value?)));
        values
            .chain(
                switches.into_iter().filter(|(_, is_on)| *is_on).map(|(name, _)| name.to_owned()),
            )
            .collect()
    }
}

/// Returns the variants of the catalogue, each with a summary.
pub(crate) fn variants() -> PossibleValuesParser {
    let value = |variant: &Variant| {
        PossibleValue::new(variant.name).aliases(variant.aliases).help(help(variant))
    };
    CATALOG.variants().iter().map(value).collect::<Vec<_>>().into()
}

/// Returns the summary of a variant, and its other names.
fn help(variant: &Variant) -> String {
    match variant.aliases {
        [] => variant.summary.to_owned(),
        aliases => format!("{}; also {}", variant.summary, aliases.join(", ")),
    }
}

/// Returns the parser of a side of a board, or of the length of a line on it.
fn side() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(1..=Grid::MAX_SIDE.into())
}

impl BoardArgs {
    /// Returns whether the variant has this option of the catalogue.
    pub(crate) fn takes(&self, option: BoardOption) -> bool {
        let name = self.variant.as_deref().unwrap_or(CUSTOM);
        CATALOG.variant(name).is_some_and(|variant| variant.reads(option.name()))
    }

    /// Returns whether any option besides the variant is given.
    #[cfg(feature = "arena")]
    pub(crate) fn has_options(&self) -> bool {
        !self.chosen().is_empty()
    }

    /// Returns the game that the user named; `None` if no option is given.
    pub(crate) fn named_game(&self) -> Result<Option<GameSpec>, Refusal> {
        let is_named = self.variant.is_some() || !self.chosen().is_empty();
        is_named.then(|| self.game()?.spec()).transpose()
    }

    /// Returns the chosen game. Refuses an option that the variant does not read.
    pub(crate) fn game(&self) -> Result<ChosenGame, Refusal> {
        let chosen = self.chosen();
        let default = if chosen.is_empty() { CATALOG.variants()[0].name } else { CUSTOM };
        let name = self.variant.as_deref().unwrap_or(default);
        let unread = CATALOG
            .variant(name)
            .and_then(|variant| chosen.keys().find(|option| !variant.reads(option)));
        match unread {
            None => Ok(ChosenGame { variant: name.to_owned(), chosen }),
            Some(option) => Err(Refusal(unread_message(name, option))),
        }
    }

    fn chosen(&self) -> Chosen {
        let number = |size: Option<u32>| size.map(i64::from);
        let given = [
            (BoardOption::Width, number(self.width)),
            (BoardOption::Height, number(self.height)),
            (BoardOption::Connect, number(self.connect)),
            (BoardOption::Gravity, self.no_gravity.then_some(0)),
            (BoardOption::Overline, self.no_overline.then_some(0)),
        ];
        given.into_iter().filter_map(|(option, value)| Some((option.name(), value?))).collect()
    }
}

/// Searches the position of `client` until its end or Ctrl-C.
pub(crate) fn search(client: &mut Client, query: Query<'_>) -> anyhow::Result<Answer<Move>> {
    interruptible(|signal| {
        client.search(query.with_signal(signal)).map_err(|error| search_failure(&error))
    })
}

/// Returns the error of a search that failed. A session keeps its table; a command has no session.
pub(crate) fn search_failure(error: &SearchError) -> anyhow::Error {
    match error {
        SearchError::Table(_) => anyhow!("{}: choose a smaller --hash", error.cause()),
        _ => anyhow!("{error}"),
    }
}

/// Returns the flag for an option of the catalogue.
fn flag(option: &str) -> &'static str {
    match BoardOption::named(option) {
        Some(BoardOption::Width) => "--width",
        Some(BoardOption::Height) => "--height",
        Some(BoardOption::Connect) => "-k",
        Some(BoardOption::Gravity) => "--no-gravity",
        Some(BoardOption::Overline) | None => "--no-overline",
    }
}

/// Returns the message for an option that the variant `name` does not read: the flag, and the
/// variants that read it.
fn unread_message(name: &str, option: &str) -> String {
    let flag = flag(option);
    let takers = CATALOG.variants().iter().filter(|variant| variant.reads(option));
    let takers: Vec<&str> = takers.map(|variant| variant.name).collect();
    format!("{name} takes no {flag}: that is for {}", takers.join(", "))
}

/// Returns the position of `spec` after `moves`, from a position in the game's own text, or from the
/// start.
pub(crate) fn position(
    spec: &GameSpec,
    start: Option<&str>,
    moves: &str,
) -> Result<Box<dyn Position>, Refusal> {
    let mut position = CATALOG.position(spec);
    if let Some(start) = start {
        position.set_up(start).map_err(bad_start)?;
    }
    let moves = position.split_moves(moves);
    let played = position.play_all(&moves);
    played.map_err(|error| match start {
        Some(_) => Refusal(describe(&error)),
        None => Refusal(describe_moves(spec, &moves, &error)),
    })?;
    Ok(position)
}

/// Returns the refusal of a position to start from.
pub(crate) fn bad_start(error: NotationError) -> Refusal {
    Refusal(describe(&PositionError::Start(error)))
}

/// Returns the message for the first of `moves` that cannot be played from the starting position of
/// `spec`, with a variant in which it can.
pub(crate) fn describe_moves(spec: &GameSpec, moves: &[&str], error: &PositionError) -> String {
    let why = describe(error);
    match fitting_variant(&CATALOG, spec, moves, error) {
        Some(name) => format!("{why}; it fits {name}: --variant {name}"),
        None => why,
    }
}

/// Returns the message for a start or a move that cannot be played.
fn describe(error: &PositionError) -> String {
    match error {
        PositionError::Move(number, NotationError::Move { text, reason }) => {
            format!("move {number} \"{}\": {reason}", quotable(text))
        }
        other => other.to_string(),
    }
}
