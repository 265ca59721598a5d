//! `tengen shelf stats`, `check` and `merge`.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use tengen_games::CATALOG;
use tengen_shelf::{Error, Growth, Marks, Shelf, Stats};

use super::ask::{PositionArgs, position, ruleset};
use super::grow::MULTI_PV;
use super::{failure, marked, shelf_to_make};
use crate::board::BoardArgs;
use crate::exit_status::{Ended, Unfinished, one_line, print, refuse, warn};
use crate::interrupt::{interruptible, is_interrupted};
use crate::progress::Progress;

const STATS_EXAMPLES: &str = include_str!("../help/shelf_stats.txt").trim_ascii_end();

const CHECK_EXAMPLES: &str = include_str!("../help/shelf_check.txt").trim_ascii_end();

const BACKUP_EXAMPLES: &str = include_str!("../help/shelf_backup.txt").trim_ascii_end();

const MERGE_EXAMPLES: &str = include_str!("../help/shelf_merge.txt").trim_ascii_end();

/// Show what the shelf holds.
#[derive(clap::Args)]
#[command(after_help = STATS_EXAMPLES)]
pub(super) struct StatsArgs {
    /// Print a JSON object.
    #[arg(long)]
    json: bool,

    /// List the games that cannot be read.
    #[arg(long)]
    problems: bool,
}

/// Runs `tengen shelf stats`.
pub(super) fn stats(shelf: &mut Shelf, args: &StatsArgs) -> anyhow::Result<()> {
    if args.problems {
        return problems(shelf, args.json);
    }
    let stats = shelf.stats().map_err(failure)?;
    print(if args.json { format!("{}\n", object(&stats)) } else { text(&stats) })
}

fn problems(shelf: &Shelf, is_json: bool) -> anyhow::Result<()> {
    let mut text = String::new();
    for (source, number, why) in shelf.problems().map_err(failure)? {
        text += &if is_json {
            format!("{}\n", json!({ "source": source, "number": number, "problem": why }))
        } else {
            one_line(&format!("{source}: game {number}: {why}")) + "\n"
        };
    }
    print(text)
}

fn text(stats: &Stats) -> String {
    let mut text = format!("games: {}\n", stats.games);
    for (ruleset, games) in &stats.rulesets {
        text += &format!("  {ruleset}: {games}\n");
    }
    let [first, draws, second] = stats.results;
    let unknown = stats.games.saturating_sub(first + draws + second);
    text += &format!(
        "results: {first} first player, {draws} draws, {second} second player, {unknown} unknown\n"
    );
    for ((_, name), count) in Marks::NAMED.iter().zip(stats.marked).filter(|(_, count)| *count > 0)
    {
        text += &format!("  {name}: {count}\n");
    }
    if let Some((from, to)) = stats.years {
        text += &format!("years: {from} to {to}\n");
    }
    for (name, number) in [
        ("players", stats.players),
        ("events", stats.events),
        ("files", stats.sources),
        ("games that cannot be read", stats.problems),
        ("trees", stats.trees),
        ("positions with analysis", stats.analysis),
        ("entries of the index", stats.occurrences),
        ("games not indexed yet", stats.not_indexed),
        ("bytes", stats.bytes),
    ] {
        text += &format!("{name}: {number}\n");
    }
    text
}

fn object(stats: &Stats) -> Value {
    let [first, draws, second] = stats.results;
    let boards: Map<String, Value> =
        stats.rulesets.iter().map(|(ruleset, games)| (ruleset.clone(), (*games).into())).collect();
    json!({
        "games": stats.games, "boards": boards, "firstWins": first, "draws": draws, "secondWins": second,
        "marked": marked(stats.marked), "firstYear": stats.years.map(|years| years.0), "lastYear": stats.years.map(|years| years.1),
        "players": stats.players, "events": stats.events, "files": stats.sources, "problems": stats.problems,
        "trees": stats.trees, "analysis": stats.analysis, "occurrences": stats.occurrences,
        "notIndexed": stats.not_indexed, "bytes": stats.bytes,
    })
}

/// Check the file, and compare every count with a recount of all games.
#[derive(clap::Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub(super) struct CheckArgs {
    /// Make the index and the counts anew from the games, if one differs.
    #[arg(long)]
    pub(super) repair: bool,

    /// Compare the values of the book that grew from these moves with those of the best moves, too; "" is the empty board.
    /// With --repair, values that differ are written anew.
    #[arg(long, value_name = "MOVES")]
    book: Option<String>,

    /// How many moves of a position of the book have a value; by default as many as when it grew last.
    #[arg(long, value_name = "N", requires = "book", value_parser = clap::value_parser!(u16).range(2..=676))]
    multi_pv: Option<u16>,

    #[command(flatten)]
    board: BoardArgs,
}

/// Runs `tengen shelf check`.
pub(super) fn check(shelf: &mut Shelf, args: &CheckArgs) -> anyhow::Result<()> {
    let of_book = args.book.as_ref().map(|from| check_book(shelf, args, from)).transpose()?;
    let differences = check_counts(shelf, args)? + of_book.unwrap_or(0);
    match differences {
        0 => Ok(()),
        _ => Err(Ended { status: 1, why: None }.into()),
    }
}

/// Checks the values of a book. Returns the number of positions that differ.
fn check_book(shelf: &mut Shelf, args: &CheckArgs, from: &str) -> anyhow::Result<u64> {
    let ruleset = ruleset(shelf, &args.board, None)?;
    let from = position(&ruleset, &PositionArgs::of_moves(from))?;
    let known = Growth::width(shelf, &from).map_err(failure)?;
    let width = args.multi_pv.map(usize::from).or(known).unwrap_or(MULTI_PV.into());
    if let Some(known) = known.filter(|known| *known != width) {
        if args.repair {
            refuse!(
                "--multi-pv {width}: the book grew with {known}; only these values can be repaired"
            );
        }
        warn(&format!("--multi-pv {width}: the book grew with {known}, and has other positions"));
    }
    let book = Growth::read(shelf, from, width).map_err(failure)?;
    if !book.has_begun() {
        let of_width =
            args.multi_pv.map_or(String::new(), |width| format!(" with --multi-pv {width}"));
        print(format!(
            "no book grew from these moves{of_width}; \"tengen shelf grow --from MOVES\" begins one\n"
        ))?;
        return Ok(1);
    }
    let wrong = book.wrong_values(shelf).map_err(failure)?.len();
    let searched = book.grown().searched;
    print(format!(
        "{searched} searched positions of the book: {wrong} values differ from the best move\n"
    ))?;
    if wrong == 0 || !args.repair {
        return Ok(wrong as u64);
    }
    shelf.begin_change("check --repair: values of a book").map_err(failure)?;
    book.write_values(shelf).map_err(failure)?;
    shelf.end_change().map_err(failure)?;
    print("mended: these positions have the values of their best moves\n")?;
    Ok(0)
}

/// Checks the index and the counts, and mends them if the user wants so. Returns the number of differences.
fn check_counts(shelf: &mut Shelf, args: &CheckArgs) -> anyhow::Result<u64> {
    let mut differences = checked(shelf)?;
    if differences > 0 && args.repair {
        let mended = interruptible(|_| Ok(shelf.repair(|_| !is_interrupted())))?;
        mended.map_err(|why| stopped(why, "\"tengen shelf check --repair\" starts again"))?;
        print("mended: the index and all counts are made anew from the games\n")?;
        differences = checked(shelf)?;
    }
    Ok(differences)
}

/// Checks a shelf, and prints what differs. Returns the number of differences.
fn checked(shelf: &mut Shelf) -> anyhow::Result<u64> {
    let checked = interruptible(|_| {
        let mut progress = None;
        let checked = shelf.check(&mut |part, parts| {
            let bar = progress.get_or_insert_with(|| Progress::new(Some(parts as u64)));
            if part > 0 {
                bar.step();
            }
            !is_interrupted()
        });
        Ok(checked)
    })?;
    let checked = checked.map_err(|why| stopped(why, "the check was not finished"))?;
    let mut text = String::new();
    for difference in &checked.shown {
        text += &format!("{difference}\n");
    }
    text += &format!(
        "{} games, {} positions, {} counts: {} differences\n",
        checked.games, checked.positions, checked.counts, checked.differences
    );
    print(text)?;
    Ok(checked.differences)
}

/// Copy the shelf to a new file, also while other programs use it.
#[derive(clap::Args)]
#[command(after_help = BACKUP_EXAMPLES)]
pub(super) struct BackupArgs {
    /// The file to write. One that is there is not overwritten.
    #[arg(value_name = "OUT")]
    out: PathBuf,
}

/// Runs `tengen shelf backup`.
pub(super) fn backup(shelf: &Shelf, args: &BackupArgs) -> anyhow::Result<()> {
    if args.out.exists() {
        refuse!("{} exists: name another file", args.out.display());
    }
    shelf.backup(&args.out).map_err(failure)
}

/// Add everything of other shelves to the first one, or to that of --shelf.
#[derive(clap::Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub(super) struct MergeArgs {
    /// The shelves. Without --shelf the first one gets the others; they do not change.
    #[arg(value_name = "SHELF", required = true)]
    shelves: Vec<PathBuf>,
}

/// Runs `tengen shelf merge`.
pub(super) fn merge(file: Option<&PathBuf>, args: &MergeArgs) -> anyhow::Result<()> {
    let (mut shelf, others) = match (file, &args.shelves[..]) {
        (None, [first, others @ ..]) => (Shelf::open(first, &CATALOG).map_err(failure)?, others),
        (_, all) => (shelf_to_make(file)?, all),
    };
    for path in others {
        let mut other = Shelf::open_to_read(path, &CATALOG).map_err(failure)?;
        let merged = interruptible(|_| {
            let progress = Progress::new(None);
            let mut games = 0;
            Ok(shelf.merge(&mut other, &mut |more| {
                games += more;
                progress.show(format!("{games} games"));
                !is_interrupted()
            }))
        })?;
        let merged = merged.map_err(|why| stopped(why, "the same command continues"))?;
        let name = path.display();
        print(format!(
            "{name}: {} new games, {} known, analysis of {} positions\n",
            merged.new, merged.known, merged.analysis
        ))?;
    }
    Ok(())
}

/// Returns the error of work that the user may have stopped.
fn stopped(error: Error, what: &str) -> anyhow::Error {
    match error {
        Error::Stopped => Unfinished::Interrupted(what.to_owned()).into(),
        error => failure(error),
    }
}
