//! `tengen shelf explore`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tengen_engine::text::printable;
use tengen_protocol::dialect::json::query::TurnNumber;
use tengen_protocol::dialect::json::reply::Reply;
use tengen_protocol::dialect::json::shelf::ExploreReply;
use tengen_protocol::explorer::{LookupPosition, PageRange};
use tengen_shelf::service::Lookup;
use tengen_shelf::{
    Explored, ExploredMove, Filter, PositionAsked, Results, Ruleset, Shelf, explore,
};

use super::ask::{FilterArgs, PositionArgs, looked_up, ruleset};
use super::failure;
use crate::board::BoardArgs;
use crate::exit_status::{Ended, Refusal, print, report, warn};
use crate::files::{STANDARD, read_text};
use crate::interrupt::{interruptible, is_interrupted};
use crate::objects;

const EXAMPLES: &str = include_str!("../help/shelf_explore.txt").trim_ascii_end();

/// The least number of games with a known result for which a share of points is shown.
const ENOUGH: u64 = 10;

/// Show what was played in a position, and how the games ended.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
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

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    let ruleset = ruleset(shelf, &args.board, args.position.fen())?;
    let waiting = shelf.not_indexed().map_err(failure)?;
    if waiting > 0 {
        warn(&format!("{waiting} games are not indexed yet: \"tengen shelf import\" does it"));
    }
    let filter = args.filter.filter(shelf)?;
    let mut command = Command { shelf, args, filter, ruleset, bad_lines: 0 };
    interruptible(|_| match &args.positions {
        None => command.explore(1, &looked_up(&command.ruleset, &args.position)?),
        Some(file) if file == Path::new(STANDARD) => {
            // Each answer comes before the next line is read, so that a program can ask through pipes.
            let refusal = |why| Refusal::unreadable(Path::new("standard input"), &why);
            let mut lines = io::stdin().lines().zip(1..);
            lines.try_for_each(|(line, number)| command.line(file, number, &line.map_err(refusal)?))
        }
        Some(file) => {
            let text = read_text(file)?;
            text.lines().zip(1..).try_for_each(|(line, number)| command.line(file, number, line))
        }
    })?;
    match command.bad_lines {
        0 => Ok(()),
        _ => Err(Ended { status: 2, why: None }.into()),
    }
}

/// The command, with what it read.
struct Command<'a> {
    shelf: &'a mut Shelf,
    args: &'a Args,
    filter: Filter,
    ruleset: Arc<Ruleset>,
    /// The number of lines of the file that name no position.
    bad_lines: u64,
}

impl Command<'_> {
    /// Explores the position of a line of a file. A bad line is reported, and the next one follows.
    fn line(&mut self, file: &Path, number: u64, line: &str) -> anyhow::Result<()> {
        match looked_up(&self.ruleset, &PositionArgs::of_moves(line)) {
            Ok(asked) => self.explore(number, &asked),
            Err(why) => {
                report(&format!("{}: line {number}: {why}", file.display()));
                self.bad_lines += 1;
                Ok(())
            }
        }
    }

    /// Explores a position, the one with this number.
    fn explore(&mut self, number: u64, position: &LookupPosition) -> anyhow::Result<()> {
        let by_year = self.args.by_year;
        if self.args.json {
            let lookup = Lookup::new(self.shelf, &is_interrupted).with_years(by_year);
            let page = PageRange { offset: 0, limit: 0 };
            let known = { lookup }.explore(position, &self.filter, page).map_err(failure)?;
            let turn_number = TurnNumber::nearest(position.moves.len());
            let reply = ExploreReply { id: objects::id(number), turn_number, known };
            return print(objects::line(&Reply::Explore(Box::new(reply)))? + "\n");
        }
        let (ruleset, start) = (Arc::clone(&self.ruleset), position.start.as_ref());
        let asked = PositionAsked::of_game(ruleset, start, &position.moves);
        let known = explore(self.shelf, &asked, &self.filter, &is_interrupted).map_err(failure)?;
        print(printable(&table(&asked, &known, by_year)))
    }
}

fn table(asked: &PositionAsked, known: &Explored, by_year: bool) -> String {
    let total = &known.total;
    let mut text = format!(
        "{}: {} games; the side to move won {}, drew {}, lost {}{}\n",
        asked.ruleset().name,
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
        text += &format!("value: {value}{depth}{engine}\n");
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
        let points = points(results).unwrap_or_default();
        let line = format!(
            "{:<6} {:>8} {:>8} {:>8} {:>8}  {points:>6}  {:<10}  {:<6}  {}",
            mv.point.to_string(),
            results.games,
            results.wins,
            results.draws,
            results.losses,
            results.last.as_deref().unwrap_or("-"),
            mv.value.map_or_else(|| "-".to_owned(), |value| value.to_string()),
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

/// Returns the share of the points in per cent; `None` if too few results are known.
fn points(results: &Results) -> Option<String> {
    let known = results.wins + results.draws + results.losses;
    let points = results.wins as f64 + results.draws as f64 / 2.0;
    (known >= ENOUGH).then(|| format!("{:.0} %", 100.0 * points / known as f64))
}

fn share(results: &Results) -> String {
    match points(results) {
        Some(points) => format!(" ({points} of the points)"),
        None if results.games == 0 => String::new(),
        None => " (few known results)".to_owned(),
    }
}

fn year_lines(results: &Results) -> String {
    let line = |(year, [games, wins, draws, losses]): (&i64, &[u64; 4])| {
        let year = if *year == 0 { "?".to_owned() } else { year.to_string() };
        format!("  {year:<4} {games:>8} {wins:>8} {draws:>8} {losses:>8}\n")
    };
    results.years.iter().map(line).collect()
}
