//! `tengen count`: counts the games, positions and tree nodes of a small m,n,k game, and solves it.
//!
//! Positions are counted ply by ply. Boards that are equal up to symmetry are one class, stored
//! with the number of move sequences that lead to it. So 255,168 games of tic-tac-toe are counted
//! on 765 boards.

mod symmetry;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use clap::ValueEnum;
use indicatif::HumanCount;
use tengen_engine::{Game, Notation, Outcome, Side};
use tengen_games::mnk::{Mnk, Rules};
use tengen_textbook::WinSolver;

use crate::exit_status::{Refusal, Unfinished, print, refuse};
use crate::interrupt::{interruptible, is_interrupted};
use crate::progress::Progress;
use symmetry::{Symmetries, stone_code};

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
    let counted = interruptible(|_| Ok(count(&rules, &progress)?))?;
    let counts = format!("{}\n{}", Mnk::new(rules).rules(), counted.counts);
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

/// The counts of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    /// Sequences of moves to the end of the game: won, lost and drawn by the first player.
    games: [u64; 3],
    /// Sequences of moves of any length, the empty one included.
    nodes: u64,
    /// Distinct boards.
    positions: u64,
    /// Distinct boards up to symmetry.
    classes: u64,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [won, lost, drawn] = self.games.map(grouped);
        let games = grouped(self.games.iter().sum());
        let games = format!("{games} ({won} / {lost} / {drawn} won / lost / drawn)");
        f.write_str(&row("games", &games))?;
        f.write_str(&row("tree nodes", &grouped(self.nodes)))?;
        f.write_str(&row("distinct positions", &grouped(self.positions)))?;
        f.write_str(&row("up to symmetry", &grouped(self.classes)))
    }
}

/// The counts of a game, and how far they go.
struct Counted {
    counts: Counts,
    /// The number of plies that are counted completely.
    plies: u32,
    /// Whether Ctrl-C ended the count.
    is_partial: bool,
}

/// A class of boards that are equal up to symmetry, represented by one of them.
struct Class {
    game: Mnk,
    code: u64,
    /// How many sequences of moves lead to a board of the class.
    paths: u64,
}

fn count(rules: &Rules, progress: &Progress) -> Result<Counted, Refusal> {
    let most = arrangements(rules);
    if most > MAX_ARRANGEMENTS {
        let (board, most) = (Mnk::new(*rules).rules(), most.min(u128::from(u64::MAX)));
        let (most, limit) = (grouped(most as u64), grouped(MAX_ARRANGEMENTS as u64));
        refuse!("{board} has up to {most} positions, and at most {limit} can be counted");
    }
    let symmetries = Symmetries::of(rules);
    let mut counted = Counted { counts: Counts::default(), plies: 0, is_partial: false };
    let mut layer = vec![Class { game: Mnk::new(*rules), code: 0, paths: 1 }];
    while !layer.is_empty() {
        let (boards, plies) = (grouped(layer.len() as u64), counted.plies);
        progress.show(format!("{boards} boards after {plies} plies"));
        progress.step();
        let mut counts = counted.counts;
        let Some(next) = next_layer(layer, &symmetries, &mut counts) else {
            counted.is_partial = true;
            break;
        };
        layer = next;
        counted.counts = counts;
        counted.plies += 1;
    }
    Ok(counted)
}

/// Adds a layer to the counts. Returns the layer one ply further on; `None` after Ctrl-C.
fn next_layer(
    layer: Vec<Class>,
    symmetries: &Symmetries,
    counts: &mut Counts,
) -> Option<Vec<Class>> {
    let mut next: Vec<Class> = Vec::new();
    let mut indices: HashMap<u64, usize> = HashMap::new();
    let mut moves = Vec::new();
    for Class { game, code, paths } in layer {
        if is_interrupted() {
            return None;
        }
        counts.nodes += paths;
        counts.classes += 1;
        counts.positions += symmetries.images(code);
        if let Some(outcome) = game.outcome() {
            counts.games[outcome_index(outcome)] += paths;
            continue;
        }
        moves.clear();
        game.moves(&mut moves);
        for mv in &moves {
            let code = code | stone_code(mv.index(), game.turn());
            match indices.entry(symmetries.canonical(code)) {
                Entry::Occupied(known) => next[*known.get()].paths += paths,
                Entry::Vacant(entry) => {
                    entry.insert(next.len());
                    let mut game = game.clone();
                    game.play(*mv);
                    next.push(Class { game, code, paths });
                }
            }
        }
    }
    Some(next)
}

/// Returns the index at which an outcome is counted.
fn outcome_index(outcome: Outcome) -> usize {
    match outcome {
        Outcome::Win(Side::First) => 0,
        Outcome::Win(Side::Second) => 1,
        Outcome::Draw | Outcome::Value(_) => 2,
    }
}

/// Returns the result for the first player under best play.
fn value(rules: &Rules) -> &'static str {
    let forces = |side| WinSolver::new(side).wins(&mut Mnk::new(*rules));
    if forces(Side::First) {
        return "win";
    }
    if forces(Side::Second) { "loss" } else { "draw" }
}

/// Returns how many boards have numbers of stones that can occur in a game: an upper bound on the
/// positions. Complete lines are ignored.
fn arrangements(rules: &Rules) -> u128 {
    let grid = rules.grid();
    // The number of ways to choose the occupied cells, by the number of stones.
    let (columns, tallest) =
        if rules.falls() { (grid.width(), grid.height()) } else { (grid.cells() as u32, 1) };
    let mut fillings = vec![1_u128];
    for _ in 0..columns {
        let mut more = vec![0_u128; fillings.len() + tallest as usize];
        for (stones, ways) in fillings.iter().enumerate() {
            for sum in &mut more[stones..=stones + tallest as usize] {
                *sum = sum.saturating_add(*ways);
            }
        }
        fillings = more;
    }
    let total = |sum: u128, (stones, ways): (usize, &u128)| {
        sum.saturating_add(ways.saturating_mul(choose(stones as u128, stones as u128 / 2)))
    };
    fillings.iter().enumerate().fold(0, total)
}

/// Returns how many ways there are to choose `few` of `all`.
fn choose(all: u128, few: u128) -> u128 {
    (0..few).fold(1_u128, |ways, chosen| ways.saturating_mul(all - chosen) / (chosen + 1))
}

/// Returns a number with commas between its thousands.
fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

fn row(name: &str, number: &str) -> String {
    format!("{name:<20}{number}\n")
}
