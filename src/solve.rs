//! `tengen solve`: prints the exact score of every position of a list, one line each.
//!
//! A line is read by the records crate and solved in `solver`; the figures go to `stats`.

mod solver;
mod stats;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use tengen_engine::text::quotable;
use tengen_engine::{Limits, Proof};
use tengen_protocol::dialect::json::reply::Reply;
use tengen_records::ListedPosition;

use crate::board::{BoardArgs, describe_moves};
use crate::exit_status::{Refusal, Unfinished, WRITE_FAILED, ignore_broken_pipe, refuse, warn};
use crate::files::{looks_like_moves, read_bytes, read_line, without_bom};
use crate::interrupt::{interruptible, is_interrupted};
use crate::objects;
use crate::progress::Progress;
use crate::search_args::{Books, SearchArgs};
use solver::{ColumnScore, ExactSolver, Solved};
use stats::Stats;

/// The text of a score that is not proven.
const UNKNOWN: &str = "?";

const EXAMPLES: &str = include_str!("help/solve.txt").trim_ascii_end();

/// Solve positions exactly: reads `moves` lines, prints `moves score nodes microseconds`.
///
/// The first word of a line holds the moves from the empty board. They are columns from 1 in digits
/// (44152, on boards of up to nine columns), columns in letters (ddaeb) or points (d1d2a1). Commas
/// between them are allowed (4,4,10). `-` or `startpos` is the empty board. A blank ends the moves, and
/// values such as a score follow, which are not read. Words that can only be moves are read, too (dd ee).
/// Blank lines and lines that begin with `#` are skipped. A line that
/// cannot be read is reported on standard error. The score of a position that is not
/// solved within --nodes or --time is `?`, and the scores that are still possible are written to
/// standard error. Ctrl-C ends with the positions solved so far.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The positions; standard input when it is `-` or missing.
    file: Option<PathBuf>,

    #[command(flatten)]
    board: BoardArgs,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    books: Books,

    /// Clear the table before each position.
    #[arg(long)]
    fresh: bool,

    /// Only who wins: the score is 1, 0 or -1.
    #[arg(long)]
    weak: bool,

    /// Add the score of every column, `.` for one that cannot be played.
    #[arg(long)]
    all: bool,

    /// Search no more nodes than this for a position, over all threads.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search no longer than this for a position, in milliseconds.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,

    /// Print each solution as an object of the JSON protocol.
    #[arg(long)]
    json: bool,

    /// Print statistics at the end, on standard error.
    #[arg(long)]
    stats: bool,
}

/// Runs the command. Lines that cannot be read are reported, and the exit status shows it too.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let input = Input::open(args.file.as_deref())?;
    if input.positions == Some(0) {
        warn(&format!("{}: it has no position", input.name));
    }
    let mut run = Run {
        solver: args.solver()?,
        fresh: args.fresh,
        json: args.json,
        progress: Progress::new(input.positions),
        shares_terminal: io::stdout().is_terminal(),
        stats: Stats::default(),
        lines: 0,
        bad_lines: 0,
        unsolved: 0,
    };
    // Reading from a terminal or a pipe can block, so that Ctrl-C must end the program immediately
    // there.
    match input.positions {
        Some(_) => interruptible(|_| run.solve_all(input))?,
        None => run.solve_all(input)?,
    }
    let printed = match args.stats {
        true => ignore_broken_pipe(io::stderr().write_all(run.stats.summary().as_bytes())),
        false => Ok(()),
    };
    run.end()?;
    printed.context("cannot write to standard error")
}

impl Args {
    fn solver(&self) -> anyhow::Result<ExactSolver> {
        let settings = self.search.settings(self.books.are_allowed())?;
        let game = self.board.game()?;
        let mut limits =
            Limits::default().with_proof(if self.weak { Proof::Outcome } else { Proof::Score });
        limits.nodes = self.nodes;
        limits.movetime = self.time.map(Duration::from_millis);
        ExactSolver::open(&game, settings, &self.books, limits, self.all)
    }
}

/// The source of the positions.
struct Input {
    lines: Box<dyn BufRead>,
    name: String,
    /// The number of positions; `None` if unknown.
    positions: Option<u64>,
}

impl Input {
    fn open(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let name = "standard input".to_owned();
            return Ok(Self { lines: Box::new(io::stdin().lock()), name, positions: None });
        };
        let name = path.display().to_string();
        let refusal = |error| Refusal::unreadable(path, &error);
        let file = File::open(path).map_err(|error| match looks_like_moves(path) {
            true => {
                let why = "there is no such file; moves are read from standard input";
                Refusal(format!("{name}: {why}: echo {name} | tengen solve"))
            }
            false => refusal(error),
        })?;
        if !file.metadata().map_err(refusal)?.is_file() {
            return Ok(Self { lines: Box::new(BufReader::new(file)), name, positions: None });
        }
        let bytes = read_bytes(path)?;
        let lines = without_bom(&bytes).split(|byte| *byte == b'\n');
        let positions = lines.filter(|line| !ListedPosition::is_skipped(line)).count() as u64;
        Ok(Self { lines: Box::new(Cursor::new(bytes)), name, positions: Some(positions) })
    }
}

/// The state of the command.
struct Run {
    solver: ExactSolver,
    fresh: bool,
    /// Whether solutions are printed as objects.
    json: bool,
    progress: Progress,
    /// Whether answers and progress share a terminal.
    shares_terminal: bool,
    stats: Stats,
    /// Lines answered.
    lines: u64,
    bad_lines: u64,
    /// Lines that were not solved completely.
    unsolved: u64,
}

impl Run {
    /// Solves line by line, until the input ends or the output is closed.
    fn solve_all(&mut self, mut input: Input) -> anyhow::Result<()> {
        let refusal = |error| Refusal::unreadable(Path::new(&input.name), &error);
        let mut bytes = Vec::new();
        for number in 1_u64.. {
            if !read_line(&mut input.lines, &mut bytes).map_err(refusal)? {
                break;
            }
            let line = if number == 1 { without_bom(&bytes) } else { &bytes };
            if ListedPosition::is_skipped(line) {
                continue;
            }
            let text = String::from_utf8_lossy(line);
            match self.solve(&text, number)? {
                Ok(answer) => match self.answer(&answer) {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
                    written => written.context(WRITE_FAILED)?,
                },
                Err(why) => {
                    self.bad_lines += 1;
                    self.progress.print_error(&format!("line {number}: {why}"));
                }
            }
            self.progress.step();
            if is_interrupted() {
                break;
            }
        }
        Ok(())
    }

    /// Writes an answer, with the progress hidden if both share a terminal.
    fn answer(&self, answer: &str) -> io::Result<()> {
        let write = || writeln!(io::stdout().lock(), "{answer}");
        if self.shares_terminal { self.progress.suspend(write) } else { write() }
    }

    /// Returns an error if the command was interrupted or a line was not solved.
    fn end(&self) -> anyhow::Result<()> {
        if is_interrupted() {
            let why = format!("positions solved: {}", self.lines - self.unsolved);
            return Err(Unfinished::Interrupted(why).into());
        }
        let lines = match self.bad_lines {
            1 => "1 line".to_owned(),
            bad => format!("{bad} lines"),
        };
        let unsolved = match self.unsolved {
            1 => "1 position was not solved within its limits".to_owned(),
            more => format!("{more} positions were not solved within their limits"),
        };
        match (self.bad_lines, self.unsolved) {
            (0, 0) => Ok(()),
            (0, _) => Err(Unfinished::Limited(unsolved).into()),
            (_, 0) => refuse!("{lines} could not be solved"),
            (..) => refuse!("{lines} could not be solved, and {unsolved}"),
        }
    }

    /// Returns the line to print, or why the line cannot be read. An error ends the command: the
    /// search failed.
    fn solve(&mut self, text: &str, number: u64) -> anyhow::Result<Result<String, String>> {
        let line = match ListedPosition::read(text, self.solver.position()) {
            Ok(line) => line,
            Err(why) => return Ok(Err(why)),
        };
        if let Some(note) = &line.note {
            self.progress.print_error(&format!("line {number}: {note}"));
        }
        if let Err(error) = self.solver.set_position(&line.moves) {
            return Ok(Err(describe_moves(self.solver.position().spec(), &line.moves, &error)));
        }
        if self.fresh {
            self.solver.clear_table();
        }
        self.progress.show(quotable(&line.text));
        let unsolved = || format!("\"{}\" was not solved", quotable(&line.text));
        let solved = self.solver.solve(&objects::id(number)).with_context(unsolved)?;
        self.stats.add(&solved.answer);
        if let Some([low, high]) = solved.reply.bounds {
            let why = format!("{}: its score is from {low} to {high}", unsolved());
            self.progress.print_error(&why);
        }
        self.lines += 1;
        self.unsolved += u64::from(!solved.is_complete());
        Ok(Ok(match self.json {
            true => objects::line(&Reply::Solution(Box::new(solved.reply)))?,
            false => self.written(&line.text, &solved),
        }))
    }

    fn written(&self, moves: &str, solved: &Solved) -> String {
        let text = |score: ColumnScore| {
            score.map_or_else(|| UNKNOWN.to_owned(), |score| score.get().to_string())
        };
        let Solved { reply, answer, .. } = solved;
        let (score, nodes) = (text(reply.solver_score), reply.figures.nodes);
        let mut out = format!("{moves} {score} {nodes} {}", answer.counts.time.as_micros());
        for column in self.solver.columns(solved).into_iter().flatten() {
            out.push(' ');
            out += &column.map_or_else(|| ".".to_owned(), text);
        }
        out
    }
}
