//! `tengen shelf find`.

use serde_json::{Value, json};
use tengen_shelf::{Filter, Found, FoundGame, Pattern, Shelf, find};

use super::ask::{FilterArgs, PositionArgs, board, position};
use super::failure;
use crate::board::BoardArgs;
use crate::exit_status::{Refusal, print};
use crate::interrupt::{interruptible, is_interrupted};

const EXAMPLES: &str = "\
Examples:
  tengen shelf find --player \"Anna\" --year 2010-2020
      games of a player, the latest first
  tengen shelf find --pattern \".xxx.\" --limit 0
      all games that show an open three
  tengen shelf find --position \"h8 i9\" --result 1-0 --json
      games that reached a position, and that the first player won";

/// The moves of a game that a table shows.
const MOVES_SHOWN: usize = 8;

/// Which games are chosen, of `find` and `export`.
#[derive(clap::Args)]
pub(super) struct Selection {
    /// Games that reached the position after these moves.
    #[arg(long, value_name = "MOVES")]
    position: Option<String>,

    /// Games that reached this position, or from which the moves of --position begin.
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,

    /// Games that show a part of a board, anywhere and in any orientation: rows with "/" between, x for
    /// a stone of the first player, o for the second, . for an empty point, ? for any point.
    #[arg(long, value_name = "PATTERN")]
    pattern: Option<Pattern>,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    board: BoardArgs,
}

impl Selection {
    /// Returns the name of the board, if one is chosen. Any other choice is refused, since it is one of
    /// games.
    pub(super) fn only_board(&self, shelf: &mut Shelf) -> anyhow::Result<Option<String>> {
        let is_of_games = self.position.is_some()
            || self.fen.is_some()
            || self.pattern.is_some()
            || self.filter.filter(shelf)? != Filter::default();
        if is_of_games {
            let why = "a database has positions, not games: only --variant, --width and --height choose them";
            return Err(Refusal(why.to_owned()).into());
        }
        match self.board.named_game()? {
            Some(_) => Ok(Some(board(shelf, &self.board, None)?.name.clone())),
            None => Ok(None),
        }
    }

    /// Returns the games, up to `limit`, the latest first.
    pub(super) fn find(&self, shelf: &mut Shelf, limit: Option<usize>) -> anyhow::Result<Found> {
        let place = PositionArgs::new(self.position.as_ref(), self.fen.as_ref());
        let is_named = self.board.named_game()?.is_some();
        let board = match &place {
            Some(place) => Some(board(shelf, &self.board, place.fen())?),
            None if is_named => Some(board(shelf, &self.board, None)?),
            None => None,
        };
        let asked = match (&board, &place) {
            (Some(board), Some(place)) => Some(position(board, place)?),
            _ => None,
        };
        let filter =
            Filter { board: board.map(|board| board.name.clone()), ..self.filter.filter(shelf)? };
        interruptible(|_| {
            let pattern = self.pattern.as_ref();
            find(shelf, &filter, asked.as_ref(), pattern, limit, &is_interrupted).map_err(failure)
        })
    }
}

/// List games by player, event, opening, result, year, position or pattern.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The most games that are listed; 0 lists all.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,

    /// Print a JSON object for each game.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    selection: Selection,
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let limit = (args.limit > 0).then_some(args.limit);
    let found = args.selection.find(shelf, limit)?;
    let mut text = String::new();
    for id in &found.ids {
        text += &if args.json {
            format!("{}\n", object(shelf, *id)?)
        } else {
            line(&shelf.game(*id).map_err(failure)?)
        };
    }
    let listed = found.ids.len() as u64;
    if !args.json {
        text += &match found.total {
            0 => "no game found\n".to_owned(),
            total if listed < total => format!("{listed} of {total} games; --limit 0 lists all\n"),
            total => format!("{total} games\n"),
        };
    }
    print(text)
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
    text.replace(char::is_control, " ") + "\n"
}

fn object(shelf: &mut Shelf, id: i64) -> anyhow::Result<Value> {
    let game = shelf.game(id).map_err(failure)?;
    let mut object = shelf.json_line(id).map_err(failure)?;
    object["source"] = json!(game.source.0);
    object["number"] = json!(game.source.1);
    object["marks"] = game.marks.names().collect();
    object["headers"] = game.headers.into();
    Ok(object)
}
