//! `tengen shelf find`.

use std::path::{Path, PathBuf};

use clap::Parser;
use tengen_protocol::dialect::json::reply::Reply;
use tengen_protocol::dialect::json::shelf::FindReply;
use tengen_protocol::explorer::PageRange;
use tengen_shelf::service::Lookup;
use tengen_shelf::{Filter, FoundGame, FoundGames, Pattern, PositionAsked, Shelf, find};

use super::ask::{FilterArgs, PositionArgs, position, ruleset};
use super::failure;
use crate::board::BoardArgs;
use crate::exit_status::{Refusal, one_line, print, refuse};
use crate::files::read_bytes;
use crate::interrupt::{interruptible, is_interrupted};
use crate::objects;
use crate::record_files::{EncodingArgs, parse};

const EXAMPLES: &str = include_str!("../help/shelf_find.txt").trim_ascii_end();

/// The moves of a game that a table shows.
const MOVES_SHOWN: usize = 8;

/// Which games are chosen, of `find` and `export`.
#[derive(clap::Args)]
pub(super) struct Selection {
    /// The games of a query that "tengen shelf find --save" has saved.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["position", "fen", "drawing", "pattern", "FilterArgs", "BoardArgs"])]
    saved: Option<String>,

    /// Games that reached the position after these moves.
    #[arg(long, value_name = "MOVES")]
    position: Option<String>,

    /// Games that reached this position, or from which the moves of --position begin.
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,

    /// Games that reached the position of a drawing, or the last one of another record; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "fen"])]
    drawing: Option<PathBuf>,

    /// Games that show a part of a board, anywhere and in any orientation: rows with "/" between, x for
    /// a stone of the first player, o for the second, . for an empty point, ? for any point.
    #[arg(long, value_name = "PATTERN")]
    pattern: Option<Pattern>,

    #[command(flatten)]
    encoding: EncodingArgs,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    board: BoardArgs,
}

/// A saved query.
#[derive(clap::Parser)]
struct Saved {
    #[command(flatten)]
    selection: Selection,
}

impl Selection {
    /// Returns the choice of the saved query; `None` if none is named.
    pub(super) fn saved(&self, shelf: &Shelf) -> anyhow::Result<Option<Self>> {
        let Some(name) = &self.saved else { return Ok(None) };
        let options = shelf.query(name).map_err(failure)?;
        let words = [String::new()].into_iter().chain(options);
        let saved = Saved::try_parse_from(words);
        let saved = saved.map_err(|why| Refusal(format!("the query {name}: {why}")))?;
        Ok(Some(saved.selection))
    }

    /// Returns the options of the choice, as words of a command line.
    fn words(&self) -> anyhow::Result<Vec<String>> {
        let fen = self.drawing.as_ref().map(|file| self.fen_of(file)).transpose()?;
        let places = [
            ("--position", self.position.clone()),
            ("--fen", fen.or_else(|| self.fen.clone())),
            ("--pattern", self.pattern.as_ref().map(Pattern::to_string)),
        ];
        let places = places.into_iter().filter_map(|(option, value)| Some((option, value?)));
        let options = places.chain(self.filter.given());
        let options = options.map(|(option, value)| format!("{option}={value}"));
        Ok(options.chain(self.board.words()).collect())
    }

    /// Returns whether all games of a board are chosen.
    pub(super) fn is_of_board(&self, shelf: &Shelf) -> anyhow::Result<bool> {
        let is_of_position =
            self.position.is_some() || self.fen.is_some() || self.drawing.is_some();
        let is_of_games = is_of_position || self.pattern.is_some();
        Ok(!is_of_games && self.filter.filter(shelf)? == Filter::default())
    }

    /// Returns whether all games are chosen.
    pub(super) fn is_open(&self, shelf: &Shelf) -> anyhow::Result<bool> {
        Ok(self.is_of_board(shelf)? && self.board.named_game()?.is_none())
    }

    /// Returns the name of the ruleset, if one is chosen. Any other choice is refused, since it is one of
    /// games.
    pub(super) fn only_ruleset(&self, shelf: &mut Shelf) -> anyhow::Result<Option<String>> {
        if !self.is_of_board(shelf)? {
            let why = "only --variant, --width and --height choose them";
            refuse!("a database has positions, not games: {why}");
        }
        self.ruleset(shelf)
    }

    /// Returns the name of the ruleset, if one is chosen.
    pub(super) fn ruleset(&self, shelf: &mut Shelf) -> anyhow::Result<Option<String>> {
        match self.board.named_game()? {
            Some(_) => Ok(Some(ruleset(shelf, &self.board, None)?.name.clone())),
            None => Ok(None),
        }
    }

    /// Returns the games, up to `limit`, the latest first.
    pub(super) fn find(
        &self,
        shelf: &mut Shelf,
        limit: Option<usize>,
    ) -> anyhow::Result<FoundGames> {
        let (filter, asked) = self.read(shelf)?;
        interruptible(|_| {
            let pattern = self.pattern.as_ref();
            find(shelf, &filter, asked.as_ref(), pattern, limit, &is_interrupted).map_err(failure)
        })
    }

    /// Reads the choice, except for the pattern.
    fn read(&self, shelf: &mut Shelf) -> anyhow::Result<(Filter, Option<PositionAsked>)> {
        let drawn = self.drawing.as_ref().map(|file| self.fen_of(file)).transpose()?;
        let place = PositionArgs::new(self.position.as_ref(), drawn.as_ref().or(self.fen.as_ref()));
        let mut filter = self.filter.filter(shelf)?;
        let mut asked = None;
        if place.is_some() || self.board.named_game()?.is_some() {
            let fen = place.as_ref().and_then(PositionArgs::fen);
            let ruleset = ruleset(shelf, &self.board, fen)?;
            asked = place.map(|place| position(&ruleset, &place)).transpose()?;
            filter.ruleset = Some(ruleset.name.clone());
        }
        Ok((filter, asked))
    }

    /// Returns the position of a drawing, or the last one of another record, as a FEN.
    fn fen_of(&self, file: &Path) -> anyhow::Result<String> {
        let name = file.display().to_string();
        let games = parse(&name, &read_bytes(file)?, self.encoding.options()?)?;
        let Some(record) = games.records().first() else { refuse!("{name}: it is empty") };
        Ok(record.last_fen().map_err(|why| Refusal(format!("{name}: {why}")))?)
    }
}

/// List games by player, event, opening, result, year, position or pattern.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The most games that are listed; 0 lists all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// Print the games as a JSON object.
    #[arg(long)]
    json: bool,

    /// Save the other options as a query with this name, for --saved.
    #[arg(long, value_name = "NAME", conflicts_with = "saved")]
    save: Option<String>,

    #[command(flatten)]
    selection: Selection,
}

impl Args {
    /// Returns whether the shelf is changed.
    pub(super) fn is_saving(&self) -> bool {
        self.save.is_some()
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    if let Some(name) = &args.save {
        shelf.save_query(name, &args.selection.words()?).map_err(failure)?;
    }
    let saved = args.selection.saved(shelf)?;
    let selection = saved.as_ref().unwrap_or(&args.selection);
    let limit = (args.limit > 0).then_some(args.limit);
    if args.json {
        return print(object(shelf, selection, limit)? + "\n");
    }
    let found = selection.find(shelf, limit)?;
    let mut text = String::new();
    for id in &found.ids {
        text += &line(&shelf.game(*id).map_err(failure)?);
    }
    let listed = found.ids.len() as u64;
    text += &match found.total {
        0 => "no game found\n".to_owned(),
        total if listed < total => format!("{listed} of {total} games; --limit 0 lists all\n"),
        total => format!("{total} games\n"),
    };
    print(text)
}

/// Returns the answer to `find` of the JSON protocol.
fn object(
    shelf: &mut Shelf,
    selection: &Selection,
    limit: Option<usize>,
) -> anyhow::Result<String> {
    let (filter, asked) = selection.read(shelf)?;
    let page = PageRange { offset: 0, limit: limit.unwrap_or(usize::MAX) };
    let games = interruptible(|_| {
        let mut lookup = Lookup::new(shelf, &is_interrupted).for_user();
        lookup.games(&filter, asked.as_ref(), selection.pattern.as_ref(), page).map_err(failure)
    })?;
    Ok(objects::line(&Reply::Find(FindReply { id: objects::id(1), games }))?)
}

fn line(game: &FoundGame) -> String {
    let name = |side: usize| game.players[side].as_deref().unwrap_or("?");
    let mut moves = game.moves[..game.moves.len().min(MOVES_SHOWN)].join(" ");
    if game.moves.len() > MOVES_SHOWN {
        moves += " ...";
    }
    let mut text = format!(
        "{} {} {} - {} {} ({} moves: {moves})",
        game.id,
        game.date.as_deref().unwrap_or("?"),
        name(0),
        name(1),
        game.result_text(),
        game.moves.len()
    );
    for part in [&game.event, &game.opening].into_iter().flatten() {
        text += &format!(", {part}");
    }
    for mark in game.marks.names() {
        text += &format!(" [{mark}]");
    }
    one_line(&text) + "\n"
}
