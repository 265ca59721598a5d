//! `tengen count`: counts the games, positions and tree nodes of a small m,n,k game, and solves it.
//! The work is that of `tengen-prover`.

use clap::ValueEnum;
use indicatif::HumanCount;
use tengen_engine::{Notation, Side};
use tengen_games::mnk::{Mnk, Rules};
use tengen_prover::count::{Counts, arrangements, count};
use tengen_textbook::WinSolver;

use crate::exit_status::{Refusal, Unfinished, print, refuse};
use crate::interrupt::interruptible;
use crate::progress::Progress;

/// The maximum number of arrangements of stones that are counted.
const MAX_ARRANGEMENTS: u128 = 40_000_000;

const EXAMPLES: &str = include_str!("help/count.txt").trim_ascii_end();

/// Count the games, positions and tree nodes of a small m,n,k game, and solve it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A game by name.
    #[arg(long, value_enum)]
    variant: Option<Named>,

    /// Columns of the board.
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "variant")]
    width: u32,

    /// Rows of the board.
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "variant")]
    height: u32,

    /// How many stones make a line.
    #[arg(short = 'k', long, value_name = "N", default_value_t = 3, conflicts_with = "variant")]
    connect: u32,

    /// Stones fall to the lowest empty cell of their column.
    #[arg(long, conflicts_with = "variant")]
    gravity: bool,
}

/// The m,n,k games that have names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Named {
    /// 3x3 board, 3 in a row.
    Tictactoe,
    /// 7x6 board, 4 in a row, stones fall: too large to count.
    Cfour,
}

/// Runs the command. Ctrl-C prints the counts of the complete plies.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let rules = args.rules()?;
    let progress = Progress::new(None);
    check(&rules)?;
    let on_ply = |plies: u32, boards: usize| {
        progress.show(format!("{} boards after {plies} plies", grouped(boards as u64)));
        progress.step();
    };
    let counted = interruptible(|signal| Ok(count(&rules, signal, on_ply)))?;
    let counts = format!("{}\n{}", Mnk::new(rules).rules(), lines(&counted.counts));
    progress.suspend(|| print(counts))?;
    if counted.is_partial {
        let why = format!("plies counted: {}", counted.plies);
        return Err(Unfinished::Interrupted(why).into());
    }
    progress.show("solving");
    let value = value(&rules);
    drop(progress);
    print(row("value", value))
}

impl Args {
    fn rules(&self) -> Result<Rules, Refusal> {
        let (width, height, connect, falls) = match self.variant {
            Some(Named::Tictactoe) => (3, 3, 3, false),
            Some(Named::Cfour) => (7, 6, 4, true),
            None => (self.width, self.height, self.connect, self.gravity),
        };
        Rules::new(width, height, connect, falls, true).map_err(|error| Refusal(error.to_string()))
    }
}

/// Refuses a game that is too large to be counted.
fn check(rules: &Rules) -> Result<(), Refusal> {
    let most = arrangements(rules);
    if most > MAX_ARRANGEMENTS {
        let (board, limit) = (Mnk::new(*rules).rules(), grouped(MAX_ARRANGEMENTS as u64));
        let most = match u64::try_from(most) {
            Ok(most) => format!("has up to {}", grouped(most)),
            Err(_) => format!("may have more than {}", grouped(u64::MAX)),
        };
        refuse!("{board} {most} positions, and at most {limit} can be counted");
    }
    Ok(())
}

/// Returns counts as lines.
fn lines(counts: &Counts) -> String {
    let [won, lost, drawn] = counts.games.map(grouped);
    let games = grouped(counts.games.iter().sum());
    let rows = [
        ("games", format!("{games} ({won} / {lost} / {drawn} won / lost / drawn)")),
        ("tree nodes", grouped(counts.nodes)),
        ("distinct positions", grouped(counts.positions)),
        ("up to symmetry", grouped(counts.classes)),
    ];
    rows.iter().map(|(name, number)| row(name, number)).collect()
}

/// Returns the result for the first player under best play.
fn value(rules: &Rules) -> &'static str {
    let forces = |side| WinSolver::new(side).wins(&mut Mnk::new(*rules));
    if forces(Side::First) {
        return "win";
    }
    if forces(Side::Second) { "loss" } else { "draw" }
}

/// Returns a number with commas between its thousands.
fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

fn row(name: &str, number: &str) -> String {
    format!("{name:<20}{number}\n")
}
