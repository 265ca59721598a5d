//! Positions and games that the user asks about, and `tengen shelf explore`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use tengen_engine::backend::Catalog;
use tengen_engine::opening::OpeningName;
use tengen_engine::text::quotable;
use tengen_engine::{Chosen, GameSpec, Grid, PositionError};
use tengen_games::CATALOG;
use tengen_shelf::{
    Board, Explored, ExploredMove, Filter, PositionAsked, Results, Shelf, Value, explore as ask,
    find,
};

use super::failure;
use crate::board::{BoardArgs, describe_moves};
use crate::exit_status::{Refusal, print, warn};
use crate::files::{STANDARD, read_text};
use crate::interrupt::{interruptible, is_interrupted};

const EXAMPLES: &str = "\
Examples:
  tengen shelf explore h8 i9
      the moves that were played after H8 I9, also turned or mirrored
  tengen shelf explore h8 i9 --player \"Anna\" --by-year
      in the games of a player, by year
  tengen shelf explore --variant renju --positions lines.txt --json
      an object for each line of a file with lists of moves";

/// The least number of games for which a share of points is shown.
const ENOUGH: u64 = 10;

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
}

impl FilterArgs {
    /// Returns the filter. An opening that is not known, and that no record of the shelf names, is refused.
    pub(super) fn filter(&self, shelf: &mut Shelf) -> anyhow::Result<Filter> {
        Ok(Filter {
            player: self.player.clone(),
            event: self.event.clone(),
            opening: self.opening.as_ref().map(|name| opening(shelf, name)).transpose()?,
            result: self.result,
            years: self.year,
            ..Filter::default()
        })
    }
}

/// Returns the code of an opening, or its name in records of the shelf.
fn opening(shelf: &mut Shelf, name: &str) -> anyhow::Result<String> {
    if let Some(code) = opening_code(name) {
        return Ok(code.to_owned());
    }
    let filter = Filter { opening: Some(name.to_owned()), ..Filter::default() };
    let found = interruptible(|_| {
        find(shelf, &filter, None, None, Some(1), &is_interrupted).map_err(failure)
    })?;
    if found.total == 0 {
        let name = quotable(name);
        let why = "no opening has this code or name, and no record of the shelf has it";
        return Err(Refusal(format!("--opening \"{name}\": {why}")).into());
    }
    Ok(name.to_owned())
}

/// Returns the code of the renju opening with this code or name, in any language.
pub(super) fn opening_code(name: &str) -> Option<&'static str> {
    let wanted = name.trim().to_lowercase();
    let mut position = CATALOG.position(&CATALOG.describe("renju", &Chosen::new()).ok()?);
    let points = (6..=10).flat_map(|row| ('f'..='j').map(move |column| format!("{column}{row}")));
    let thirds: Vec<String> = points.collect();
    let lines = ["h9", "i9"]
        .into_iter()
        .flat_map(|second| thirds.iter().map(move |third| format!("h8 {second} {third}")));
    let mut openings = lines.filter_map(|line| {
        position.reset();
        let moves = position.split_moves(&line);
        // The second stone is on one of the points.
        position.play_all(&moves).ok()?;
        CATALOG.opening_name(&*position)
    });
    let is_meant = |opening: &&OpeningName| {
        let names = opening.names.iter().map(|(_, name)| *name);
        let names = names.chain(opening.native).chain(opening.romanised).chain([opening.code]);
        names.into_iter().any(|name| name.to_lowercase() == wanted)
    };
    openings.find(is_meant).map(|opening| opening.code)
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
    let year =
        |text: &str| text.trim().parse::<i64>().ok().filter(|year| (1..=9999).contains(year));
    let (from, to) = text.split_once(['-', '.']).unwrap_or((text, text));
    let range = year(from).zip(year(to.trim_start_matches('.')));
    let range = range.filter(|(from, to)| from <= to);
    range.ok_or_else(|| "a year such as 2020 is needed, or a range such as 2010-2020".to_owned())
}

/// Show what was played in a position, and how the games ended.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ExploreArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// Explore the positions of a file instead, a list of moves on each line; `-` is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["moves", "fen"])]
    positions: Option<PathBuf>,

    /// Show the numbers of games by year.
    #[arg(long)]
    by_year: bool,

    /// Print a JSON object for each position.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    board: BoardArgs,
}

/// Runs `tengen shelf explore`.
pub(super) fn explore(shelf: &mut Shelf, args: &ExploreArgs) -> anyhow::Result<()> {
    let board = board(shelf, &args.board, args.position.fen.as_deref())?;
    let waiting = shelf.not_indexed().map_err(failure)?;
    if waiting > 0 {
        warn(&format!("{waiting} games are not indexed yet: \"tengen shelf import\" does it"));
    }
    let filter = args.filter.filter(shelf)?;
    interruptible(|_| match &args.positions {
        None => explore_one(shelf, args, &filter, position(&board, &args.position)?),
        Some(file) if file == Path::new(STANDARD) => {
            // Each answer comes before the next line is read, so that a program can ask through pipes.
            for (index, line) in io::stdin().lines().enumerate() {
                let refusal = |why| Refusal::unreadable(Path::new("standard input"), &why);
                explore_line(shelf, args, &filter, &board, index, &line.map_err(refusal)?)?;
            }
            Ok(())
        }
        Some(file) => {
            let text = read_text(file)?;
            let mut lines = text.lines().enumerate();
            lines.try_for_each(|(index, line)| {
                explore_line(shelf, args, &filter, &board, index, line)
            })
        }
    })
}

/// Explores the position of a line of a file.
fn explore_line(
    shelf: &mut Shelf,
    args: &ExploreArgs,
    filter: &Filter,
    board: &Arc<Board>,
    index: usize,
    line: &str,
) -> anyhow::Result<()> {
    let asked = position(board, &PositionArgs::of_moves(line));
    let file = args.positions.as_deref().unwrap_or(Path::new(STANDARD)).display();
    let asked = asked.map_err(|why| Refusal(format!("{file}: line {}: {why}", index + 1)))?;
    explore_one(shelf, args, filter, asked)
}

fn explore_one(
    shelf: &mut Shelf,
    args: &ExploreArgs,
    filter: &Filter,
    asked: PositionAsked,
) -> anyhow::Result<()> {
    let known = ask(shelf, &asked, filter, &is_interrupted).map_err(failure)?;
    print(if args.json {
        format!("{}\n", object(&asked, &known, args.by_year))
    } else {
        table(&asked, &known, args.by_year)
    })
}

/// Returns the board that the user means: the one that is named, else the one with the most games.
pub(super) fn board(
    shelf: &mut Shelf,
    args: &BoardArgs,
    fen: Option<&str>,
) -> anyhow::Result<Arc<Board>> {
    let mut boards = shelf.boards().map_err(failure)?;
    if let Some(named) = args.named_game()? {
        // Without a size the variant is meant on any board.
        let has_size = args.width.is_some() || args.height.is_some();
        boards.retain(|(board, _)| match has_size {
            true => board.spec == named,
            false => board.spec.variant == named.variant && same_rules(&board.spec, &named),
        });
        if boards.is_empty() {
            let none = || Refusal(format!("{}: this game has no board of points", named.variant));
            return Ok(Arc::new(Board::new(&named).ok_or_else(none)?));
        }
    }
    if let Some((fen, size)) = fen.and_then(|fen| Some((fen, size_of(fen)?))) {
        boards.retain(|(board, _)| (board.grid().width(), board.grid().height()) == size);
        if boards.is_empty() {
            let (fen, (width, height)) = (quotable(fen), size);
            let why = format!("the shelf has no games on a board of {width}x{height}");
            return Err(Refusal(format!("--fen \"{fen}\": {why}")).into());
        }
    }
    let Some((board, games)) = boards.first().cloned() else {
        return Err(Refusal(
            "the shelf has no games: \"tengen shelf import\" adds some".to_owned(),
        )
        .into());
    };
    if boards.len() > 1 {
        let others: Vec<&str> = boards[1..].iter().map(|(board, _)| board.name.as_str()).collect();
        warn(&format!(
            "{} is taken, with {games} games; --variant, --width and --height choose {}",
            board.name,
            others.join(", ")
        ));
    }
    Ok(board)
}

/// Returns whether two games of a variant have the same options besides the size.
fn same_rules(one: &GameSpec, other: &GameSpec) -> bool {
    one.rule_options().eq(other.rule_options())
}

/// Returns the size of the board of a FEN.
fn size_of(fen: &str) -> Option<(u32, u32)> {
    let rows = fen.split_whitespace().next()?.split('[').next()?;
    let height = rows.split('/').count() as u32;
    let (mut width, mut number) = (0, 0);
    for c in rows.split('/').next()?.chars() {
        match c.to_digit(10) {
            Some(digit) => number = number * 10 + digit,
            None => (width, number) = (width + number + 1, 0),
        }
        if width + number > Grid::MAX_SIDE {
            return None;
        }
    }
    Some((width + number, height))
}

/// Returns the position that the user asks about.
pub(super) fn position(board: &Arc<Board>, args: &PositionArgs) -> Result<PositionAsked, Refusal> {
    let mut position = CATALOG.position(&board.spec);
    let mut start = None;
    if let Some(fen) = &args.fen {
        position.set_up(fen).map_err(|why| Refusal(format!("--fen: {why}")))?;
        start = position.placement();
    }
    let text = args.moves.join(" ");
    let moves = position.split_moves(&text);
    let refusal = |why: PositionError| Refusal(describe_moves(&board.spec, &moves, &why));
    position.play_all(&moves).map_err(refusal)?;
    let points: Vec<_> =
        position.played().iter().filter_map(|mv| board.notation.point_of(*mv)).collect();
    Ok(PositionAsked::new(Arc::clone(board), start, &points))
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

fn table(asked: &PositionAsked, known: &Explored, by_year: bool) -> String {
    let total = &known.total;
    let mut text = format!(
        "{}: {} games; the side to move won {}, drew {}, lost {}{}\n",
        asked.board().name,
        total.games,
        total.wins,
        total.draws,
        total.losses,
        share(total)
    );
    if let Some(value) = known.stored.value {
        let depth =
            known.stored.depth.map(|depth| format!(" at depth {depth}")).unwrap_or_default();
        let engine =
            known.stored.engine.as_deref().map(|name| format!(" by {name}")).unwrap_or_default();
        text += &format!("value: {}{depth}{engine}\n", value_text(value));
    }
    for comment in known.stored.label.iter().chain(&known.stored.comments) {
        text += &format!("{comment}\n");
    }
    if by_year {
        text += &year_lines(total);
    }
    if known.moves.is_empty() {
        return text;
    }
    text += "move      games     wins    draws   losses  points  last        value   label\n";
    for mv in &known.moves {
        let ExploredMove { results, .. } = mv;
        let points = if results.games >= ENOUGH { points(results) } else { String::new() };
        let line = format!(
            "{:<6} {:>8} {:>8} {:>8} {:>8}  {points:>6}  {:<10}  {:<6}  {}",
            mv.point.to_string(),
            results.games,
            results.wins,
            results.draws,
            results.losses,
            results.last.as_deref().unwrap_or("-"),
            mv.value.map_or_else(|| "-".to_owned(), value_text),
            label(mv),
        );
        text += line.trim_end();
        text.push('\n');
        if by_year {
            text += &year_lines(results);
        }
    }
    text
}

/// Returns the label of a move, or `tree` for a move of a tree of variations without one.
fn label(mv: &ExploredMove) -> &str {
    match &mv.label {
        Some(label) => label,
        None if mv.is_in_tree => "tree",
        None => "",
    }
}

/// Returns the share of the points in per cent.
fn points(results: &Results) -> String {
    let decided = results.wins + results.draws + results.losses;
    let points = results.wins as f64 + results.draws as f64 / 2.0;
    if decided == 0 { String::new() } else { format!("{:.0} %", 100.0 * points / decided as f64) }
}

fn share(results: &Results) -> String {
    match results.games {
        0 => String::new(),
        games if games < ENOUGH => " (few games)".to_owned(),
        _ => Some(points(results))
            .filter(|text| !text.is_empty())
            .map(|text| format!(" ({text} of the points)"))
            .unwrap_or_default(),
    }
}

fn year_lines(results: &Results) -> String {
    let line = |(year, [games, wins, draws, losses]): (&i64, &[u64; 4])| {
        let year = if *year == 0 { "?".to_owned() } else { year.to_string() };
        format!("  {year:<4} {games:>8} {wins:>8} {draws:>8} {losses:>8}\n")
    };
    results.years.iter().map(line).collect()
}

pub(super) fn value_text(value: Value) -> String {
    match value {
        Value::Cp(cp) => format!("{:+.2}", cp as f64 / 100.0),
        Value::Mate(plies) if plies < 0 => format!("-M{}", -plies),
        Value::Mate(plies) => format!("M{plies}"),
    }
}

/// Returns the numbers of results as fields of an object.
fn fields(results: &Results, by_year: bool) -> Map<String, Json> {
    let mut fields = Map::new();
    for (name, number) in [
        ("games", results.games),
        ("wins", results.wins),
        ("draws", results.draws),
        ("losses", results.losses),
    ] {
        fields.insert(name.to_owned(), number.into());
    }
    fields.insert("last".to_owned(), results.last.clone().into());
    if by_year {
        let year = |(year, [games, wins, draws, losses]): (&i64, &[u64; 4])| json!({ "year": (*year > 0).then_some(year), "games": games, "wins": wins, "draws": draws, "losses": losses });
        fields.insert("years".to_owned(), results.years.iter().map(year).collect());
    }
    fields
}

fn add_value(fields: &mut Map<String, Json>, value: Option<Value>) {
    match value {
        Some(Value::Cp(cp)) => drop(fields.insert("cp".to_owned(), cp.into())),
        Some(Value::Mate(plies)) => drop(fields.insert("mate".to_owned(), plies.into())),
        None => {}
    }
}

fn object(asked: &PositionAsked, known: &Explored, by_year: bool) -> Json {
    let mut object = Map::new();
    let board = asked.board();
    let position: Vec<Json> = asked.moves().map(|point| point.to_string().into()).collect();
    object.insert("variant".to_owned(), board.spec.variant.into());
    object.insert("size".to_owned(), json!([board.grid().width(), board.grid().height()]));
    object.insert("position".to_owned(), position.into());
    object.extend(fields(&known.total, by_year));
    add_value(&mut object, known.stored.value);
    for (name, value) in [("depth", known.stored.depth), ("nodes", known.stored.nodes)] {
        value.into_iter().for_each(|value| drop(object.insert(name.to_owned(), value.into())));
    }
    for (name, value) in [("engine", &known.stored.engine), ("label", &known.stored.label)] {
        value.iter().for_each(|value| drop(object.insert(name.to_owned(), value.clone().into())));
    }
    if !known.stored.comments.is_empty() {
        object.insert("comments".to_owned(), known.stored.comments.clone().into());
    }
    let mv = |mv: &ExploredMove| {
        let mut one = Map::new();
        one.insert("move".to_owned(), mv.point.to_string().into());
        one.extend(fields(&mv.results, by_year));
        add_value(&mut one, mv.value);
        if let Some(label) = &mv.label {
            one.insert("label".to_owned(), label.clone().into());
        }
        if mv.is_in_tree {
            one.insert("tree".to_owned(), true.into());
        }
        Json::Object(one)
    };
    object.insert("moves".to_owned(), known.moves.iter().map(mv).collect());
    Json::Object(object)
}
