//! Positions and games that the user asks about.

use std::ops::RangeInclusive;
use std::sync::Arc;

use tengen_engine::backend::Catalog;
use tengen_engine::text::quotable;
use tengen_engine::{PositionError, Style};
use tengen_games::CATALOG;
use tengen_protocol::explorer::LookupPosition;
use tengen_records::grid_of;
use tengen_shelf::{Filter, PositionAsked, Ruleset, Shelf};

use super::failure;
use crate::board::{BoardArgs, describe_moves};
use crate::exit_status::{Refusal, refuse, warn};

/// A position.
#[derive(clap::Args)]
pub(super) struct PositionArgs {
    /// The moves that led to the position.
    #[arg(value_name = "MOVES")]
    moves: Vec<String>,

    /// The position before the moves, as a FEN.
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
}

/// Which games count.
#[derive(clap::Args)]
pub(super) struct FilterArgs {
    /// Games of a player whose name contains this text.
    #[arg(long, visible_alias = "players", value_name = "NAME", value_parser = name)]
    player: Option<String>,

    /// Games against a player whose name contains this text; with --player, of these two.
    #[arg(long, value_name = "NAME", value_parser = name)]
    against: Option<String>,

    /// Games whose first player has a name with this text.
    #[arg(long, value_name = "NAME", value_parser = name)]
    first: Option<String>,

    /// Games whose second player has a name with this text.
    #[arg(long, value_name = "NAME", value_parser = name)]
    second: Option<String>,

    /// Games of an event whose name contains this text.
    #[arg(long, value_name = "NAME", value_parser = name)]
    event: Option<String>,

    /// Games of an opening: its code or name such as I7 or Kagetsu, or its name in the records.
    #[arg(long, value_name = "NAME", value_parser = name)]
    opening: Option<String>,

    /// Games with this result: 1-0, 0-1 or draw.
    #[arg(long, value_name = "RESULT", value_parser = result)]
    result: Option<i64>,

    /// Games of a year, or of a range of years such as 2010-2020.
    #[arg(long, value_name = "YEARS", value_parser = years)]
    year: Option<(i64, i64)>,

    /// Games with N moves, or with a number of moves in a range such as 1-20.
    #[arg(long, value_name = "N", value_parser = plies)]
    length: Option<(i64, i64)>,

    /// Games with this text in a comment, or that reached a position with it in a comment of the shelf.
    #[arg(long, value_name = "TEXT", value_parser = name)]
    comment: Option<String>,

    /// Games of a file whose name contains this text.
    #[arg(long, value_name = "NAME", value_parser = name)]
    source: Option<String>,
}

impl FilterArgs {
    /// Returns the filter. An opening that is not known, and that no record of the shelf names, is refused.
    pub(super) fn filter(&self, shelf: &Shelf) -> anyhow::Result<Filter> {
        if let Some(name) = &self.opening
            && !shelf.knows_opening(name).map_err(failure)?
        {
            let name = quotable(name);
            let why = "no opening has this code or name, and no record of the shelf has it";
            refuse!("--opening \"{name}\": {why}");
        }
        Ok(Filter {
            player: self.player.clone(),
            event: self.event.clone(),
            opening: self.opening.clone(),
            result: self.result,
            years: self.year,
            against: self.against.clone(),
            sides: [self.first.clone(), self.second.clone()],
            plies: self.length,
            comment: self.comment.clone(),
            source: self.source.clone(),
            ..Filter::default()
        })
    }
}

impl FilterArgs {
    /// Returns the file whose trees are meant; `None` for all. Options that choose games are refused.
    pub(super) fn source_of_trees(&self) -> anyhow::Result<Option<&str>> {
        match self.given().iter().find(|(option, _)| *option != "--source") {
            Some((option, _)) => refuse!("{option} chooses games: of trees, only --source does"),
            None => Ok(self.source.as_deref()),
        }
    }

    /// Returns the options that were given, with their values.
    pub(super) fn given(&self) -> Vec<(&'static str, String)> {
        let range = |(from, to): (i64, i64)| format!("{from}-{to}");
        let result = self.result.map(|result| match result {
            1 => "1-0",
            0 => "draw",
            _ => "0-1",
        });
        let all = [
            ("--player", self.player.clone()),
            ("--against", self.against.clone()),
            ("--first", self.first.clone()),
            ("--second", self.second.clone()),
            ("--event", self.event.clone()),
            ("--opening", self.opening.clone()),
            ("--result", result.map(str::to_owned)),
            ("--year", self.year.map(range)),
            ("--length", self.length.map(range)),
            ("--comment", self.comment.clone()),
            ("--source", self.source.clone()),
        ];
        all.into_iter().filter_map(|(option, value)| Some((option, value?))).collect()
    }
}

fn name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a name is needed, or a part of one".to_owned()),
        text => Ok(text.to_owned()),
    }
}

fn result(text: &str) -> Result<i64, String> {
    match text.to_ascii_lowercase().as_str() {
        "1-0" | "b+" | "black" | "first" => Ok(1),
        "0-1" | "w+" | "white" | "second" => Ok(-1),
        "1/2-1/2" | "0.5-0.5" | "draw" | "0" => Ok(0),
        _ => Err("1-0 (the first player won), 0-1 or draw is needed".to_owned()),
    }
}

fn years(text: &str) -> Result<(i64, i64), String> {
    range(text, 1..=9999)
        .ok_or_else(|| "a year such as 2020 is needed, or a range such as 2010-2020".to_owned())
}

fn plies(text: &str) -> Result<(i64, i64), String> {
    range(text, 0..=676)
        .ok_or_else(|| "a number of moves is needed, or a range such as 1-20".to_owned())
}

/// Reads a number within `bounds`, or a range of such numbers.
fn range(text: &str, bounds: RangeInclusive<i64>) -> Option<(i64, i64)> {
    let number = |text: &str| text.trim().parse().ok().filter(|number| bounds.contains(number));
    let (from, to) = text.split_once(['-', '.']).unwrap_or((text, text));
    let range = number(from).zip(number(to.trim_start_matches('.')));
    range.filter(|(from, to)| from <= to)
}

/// Returns the ruleset that the user means: the one that is named, else the one with the most games.
pub(super) fn ruleset(
    shelf: &mut Shelf,
    args: &BoardArgs,
    fen: Option<&str>,
) -> anyhow::Result<Arc<Ruleset>> {
    let (ruleset, games, others) = meant(shelf, args, fen)?;
    if !others.is_empty() {
        warn(&format!(
            "{} is taken, with {games} games; --variant, --width and --height choose {}",
            ruleset.name,
            others.join(", ")
        ));
    }
    Ok(ruleset)
}

/// Returns the only ruleset that the user can mean. Several are refused.
pub(super) fn only_ruleset(
    shelf: &mut Shelf,
    args: &BoardArgs,
    fen: Option<&str>,
) -> anyhow::Result<Arc<Ruleset>> {
    let (ruleset, _, others) = meant(shelf, args, fen)?;
    if !others.is_empty() {
        let (first, others) = (&ruleset.name, others.join(", "));
        refuse!("choose a board by --variant, --width and --height: {first}, {others}");
    }
    Ok(ruleset)
}

/// Returns the ruleset with the most games of those that the user can mean, its number of games, and the names of the others.
fn meant(
    shelf: &mut Shelf,
    args: &BoardArgs,
    fen: Option<&str>,
) -> anyhow::Result<(Arc<Ruleset>, u64, Vec<String>)> {
    let mut rulesets = shelf.rulesets().map_err(failure)?;
    if let Some(named) = args.named_game()? {
        // Without a size the variant is meant on any board.
        let has_size = args.width.is_some() || args.height.is_some();
        rulesets.retain(|(ruleset, _)| match has_size {
            true => ruleset.spec == named,
            false => {
                ruleset.spec.variant == named.variant
                    && ruleset.spec.rule_options().eq(named.rule_options())
            }
        });
        if rulesets.is_empty() {
            let none = || Refusal(format!("{}: this game has no board of points", named.variant));
            return Ok((Arc::new(Ruleset::new(&named).ok_or_else(none)?), 0, Vec::new()));
        }
    }
    if let Some((fen, grid)) = fen.and_then(|fen| Some((fen, grid_of(fen)?))) {
        rulesets.retain(|(ruleset, _)| ruleset.grid() == grid);
        if rulesets.is_empty() {
            let (fen, width, height) = (quotable(fen), grid.width(), grid.height());
            let why = format!("the shelf has no games on a board of {width}x{height}");
            refuse!("--fen \"{fen}\": {why}");
        }
    }
    let Some((ruleset, games)) = rulesets.first().cloned() else {
        refuse!(
            "the shelf has no games: \"tengen shelf import\" adds some, or --variant chooses a board"
        );
    };
    let others = rulesets[1..].iter().map(|(ruleset, _)| ruleset.name.clone()).collect();
    Ok((ruleset, games, others))
}

/// Returns the position that the user asks about.
pub(super) fn looked_up(ruleset: &Ruleset, args: &PositionArgs) -> Result<LookupPosition, Refusal> {
    let mut position = CATALOG.position(&ruleset.spec);
    if let Some(fen) = &args.fen {
        position.set_up(fen).map_err(|why| Refusal(format!("--fen: {why}")))?;
    }
    let start = position.duplicate();
    let text = args.moves.join(" ");
    let moves = position.split_moves(&text);
    let refusal = |why: PositionError| Refusal(describe_moves(&ruleset.spec, &moves, &why));
    position.play_all(&moves).map_err(refusal)?;
    Ok(LookupPosition { start, moves: position.played().to_vec(), style: Style::Plain })
}

/// Returns the position that the user asks about, as the shelf asks for it.
pub(super) fn position(
    ruleset: &Arc<Ruleset>,
    args: &PositionArgs,
) -> Result<PositionAsked, Refusal> {
    let LookupPosition { start, moves, .. } = looked_up(ruleset, args)?;
    Ok(PositionAsked::of_game(Arc::clone(ruleset), &*start, &moves))
}

impl PositionArgs {
    /// Creates the position after a list of moves, from a FEN or the start.
    pub(super) fn new(moves: Option<&String>, fen: Option<&String>) -> Option<Self> {
        let is_given = moves.is_some() || fen.is_some();
        is_given.then(|| Self { moves: moves.into_iter().cloned().collect(), fen: fen.cloned() })
    }

    /// Creates the position after a list of moves from the start.
    pub(super) fn of_moves(moves: &str) -> Self {
        Self { moves: vec![moves.to_owned()], fen: None }
    }

    /// Returns the FEN.
    pub(super) fn fen(&self) -> Option<&str> {
        self.fen.as_deref()
    }
}
