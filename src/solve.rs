//! `tengen solve`: the exact score of every position of a list, one line each.
//!
//! What a line says is read in `line`, solved in `solver`; the figures go to `stats`.

mod line;
mod progress;
mod solver;
mod stats;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use tengen_engine::backend::{Catalog, Settings};
use tengen_engine::notation::quotable;
use tengen_engine::{Proof, Style};
use tengen_games::CATALOG;
use tengen_games::grid::Grid;

use crate::ending::{Refusal, unless_closed};
use crate::serve::memory_mib;
use line::Line;
use progress::Progress;
use solver::{Game, Solution, Solver};
use stats::Stats;

/// The variant whose positions are values of their own, which `tengen tree` shows.
const UNSOLVED: &str = "tree";

const EXAMPLES: &str = "\
The score is that of the side to move: 0 for a draw; else one more than the stones that the winner
has left when it completes its line, negative when that is the opponent. On 7x6 that is 22 minus the
winner's stones. A finished game has the score that it ended with, and 0 nodes.

Examples:
  echo 4455 | tengen solve
      prints \"4455 18 ...\": the side to move wins with its fourth stone
  tengen solve --fresh --stats positions.txt > scores.txt
      every position with an empty table; at the end what it took
  printf 'd1d2d3d4d5d6\n-\n' | tengen solve --weak --hash 1024 --threads 2
      who wins, after six moves and from the empty board
  echo 4444443 | tengen solve --all
      the score of every column too; the fourth is full
  echo 25 | tengen solve --width 5 --height 4
      a smaller board";

/// Solve positions exactly: reads `moves` lines, prints `moves score nodes microseconds`.
///
/// The moves are the first word of a line, played from the empty board: columns from 1 in digits
/// (44152), where there are no more than nine, or points (d1d2a1) or columns in letters (ddaeb).
/// `-` or `startpos` is the empty board. What follows them is not read; blank lines and lines that
/// begin with `#` are skipped. A line that cannot be read is told on standard error; the status is
/// then 2.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The positions; standard input when it is `-` or missing.
    file: Option<PathBuf>,

    /// The game; `custom` when a size is given, else the first of these.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = variants())]
    variant: Option<String>,

    /// Columns of a custom board, up to 26 [default: 7].
    #[arg(long, value_name = "N", value_parser = side())]
    width: Option<u32>,

    /// Rows of a custom board, up to 26 [default: 6].
    #[arg(long, value_name = "N", value_parser = side())]
    height: Option<u32>,

    /// How many stones make a line on a custom board [default: 4].
    #[arg(short = 'k', long, value_name = "N", value_parser = side())]
    connect: Option<u32>,

    /// On a custom board, stones are put on any empty point.
    #[arg(long)]
    no_gravity: bool,

    /// Search threads; with one, the nodes are the same every time.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Size of the table in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    /// Answer by search alone, without an opening book.
    #[arg(long)]
    no_book: bool,

    /// Clear the table before each position.
    #[arg(long)]
    fresh: bool,

    /// Only who wins: the score is 1, 0 or -1.
    #[arg(long)]
    weak: bool,

    /// Add the score of every column, `.` for one that cannot be played.
    #[arg(long)]
    all: bool,

    /// At the end, print on standard error what it took.
    #[arg(long)]
    stats: bool,
}

/// Runs the command. What cannot be read is told at its place, and once more by the status.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let input = Input::open(args.file.as_deref())?;
    let mut run = Run {
        solver: args.solver()?,
        fresh: args.fresh,
        progress: Progress::new(input.positions),
        stats: Stats::default(),
        bad_lines: 0,
    };
    let is_whole = run.solve_all(input.lines)?;
    run.progress.finish();
    if args.stats {
        unless_closed(io::stderr().write_all(run.stats.summary().as_bytes()))?;
    }
    match run.bad_lines {
        0 => Ok(()),
        _ if !is_whole => Ok(()),
        1 => Err(Refusal("1 line could not be solved".to_owned()).into()),
        bad => Err(Refusal(format!("{bad} lines could not be solved")).into()),
    }
}

fn variants() -> PossibleValuesParser {
    let names = CATALOG.variants().iter().map(|variant| variant.name);
    names.filter(|name| *name != UNSOLVED).collect::<Vec<_>>().into()
}

/// A side of a board, or the length of a line on it.
fn side() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(1..=Grid::MAX_SIDE.into())
}

impl Args {
    fn solver(&self) -> anyhow::Result<Solver> {
        let settings = Settings {
            hash_mib: self.hash_mib()?,
            threads: self.threads.into(),
            style: Style::Column,
            own_book: !self.no_book,
            ..Settings::default()
        };
        let game = self.game()?;
        let proof = if self.weak { Proof::Outcome } else { Proof::Score };
        Solver::open(&game, settings, proof, self.all)
    }

    fn hash_mib(&self) -> Result<usize, Refusal> {
        let asked = self.hash as usize;
        match memory_mib() {
            Some(most) if asked > most => {
                Err(Refusal(format!("--hash {asked}: this machine has {most} MiB")))
            }
            _ => Ok(asked),
        }
    }

    /// The variant, and its options where they are given.
    fn game(&self) -> Result<Game, Refusal> {
        let sizes =
            [("BoardWidth", self.width), ("BoardHeight", self.height), ("ConnectK", self.connect)];
        let given = sizes.into_iter().filter_map(|(name, size)| Some((name, i64::from(size?))));
        let gravity = self.no_gravity.then_some(("Gravity", 0));
        let chosen: Vec<_> = given.chain(gravity).collect();
        let default = if chosen.is_empty() { CATALOG.variants()[0].name } else { "custom" };
        let variant = self.variant.as_deref().unwrap_or(default);
        if !chosen.is_empty() && !variant.eq_ignore_ascii_case("custom") {
            let why = format!("{variant} has a board of its own: sizes are for --variant custom");
            return Err(Refusal(why));
        }
        Ok(Game { variant: variant.to_owned(), chosen: chosen.into_iter().collect() })
    }
}

/// Where the positions come from.
struct Input {
    lines: Box<dyn BufRead>,
    /// How many there are, where that is known.
    positions: Option<u64>,
}

impl Input {
    fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self { lines: Box::new(io::stdin().lock()), positions: None });
        };
        let trouble = || format!("cannot read {}", path.display());
        let file = File::open(path).with_context(trouble)?;
        if !file.metadata().with_context(trouble)?.is_file() {
            return Ok(Self { lines: Box::new(BufReader::new(file)), positions: None });
        }
        let bytes = fs::read(path).with_context(trouble)?;
        let lines = bytes.split(|byte| *byte == b'\n');
        let positions = lines.filter(|line| !line::is_skipped(line)).count() as u64;
        Ok(Self { lines: Box::new(Cursor::new(bytes)), positions: Some(positions) })
    }
}

/// A run through a list of positions.
struct Run {
    solver: Solver,
    fresh: bool,
    progress: Progress,
    stats: Stats,
    bad_lines: u64,
}

impl Run {
    /// Solves line by line. Whether all was read: a reader of ours who left has read enough.
    fn solve_all(&mut self, mut input: Box<dyn BufRead>) -> anyhow::Result<bool> {
        let mut bytes = Vec::new();
        for number in 1_u64.. {
            bytes.clear();
            if input.read_until(b'\n', &mut bytes).context("cannot read the positions")? == 0 {
                break;
            }
            if line::is_skipped(&bytes) {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes);
            let written = match self.solve(&text)? {
                Ok(answer) => self.progress.answer(&answer),
                Err(why) => {
                    self.bad_lines += 1;
                    self.progress.complain(&format!("line {number}: {why}"))
                }
            };
            match written {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(false),
                done => done?,
            }
            self.progress.step();
        }
        Ok(true)
    }

    /// The line to print, or why this one cannot be read.
    fn solve(&mut self, text: &str) -> anyhow::Result<Result<String, String>> {
        let line = match Line::read(text, self.solver.columns()) {
            Ok(line) => line,
            Err(why) => return Ok(Err(why)),
        };
        if let Err(error) = self.solver.set_position(&line.moves) {
            return Ok(Err(line::describe(&error)));
        }
        if self.fresh {
            self.solver.forget();
        }
        let solution = self
            .solver
            .solve()
            .with_context(|| format!("\"{}\" was not solved", quotable(line.text)))?;
        self.stats.add(&solution);
        Ok(Ok(written(line.text, &solution)))
    }
}

fn written(moves: &str, solution: &Solution) -> String {
    let (score, nodes) = (solution.score, solution.nodes);
    let mut out = format!("{moves} {score} {nodes} {}", solution.tally.time.as_micros());
    for column in solution.columns.iter().flatten() {
        match column {
            Some(score) => out.push_str(&format!(" {score}")),
            None => out.push_str(" ."),
        }
    }
    out
}
