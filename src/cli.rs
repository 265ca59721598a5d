//! The command line: options and subcommands. Each subcommand has a file of its own.

use std::io::{self, Write};
use std::sync::LazyLock;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, Parser, Subcommand};
use tengen_protocol::dialect::DIALECTS;

use crate::board::variants;
use crate::exit_status::{STATUSES, WRITE_FAILED, ignore_broken_pipe};
#[cfg(feature = "play")]
use crate::play;
#[cfg(feature = "serve")]
use crate::serve;
#[cfg(feature = "shelf")]
use crate::shelf;
use crate::stdio::WorkerArgs;
use crate::{
    analyze, bench, book, check, completions, convert, count, log, prove, schema, solve, stdio,
    tree, usage_error, winning_move,
};
#[cfg(feature = "arena")]
use crate::{arena, batch, fleet, puzzles, work};

const EXAMPLES: &str = include_str!("help/cli.txt").trim_ascii_end();

/// Engine server for n-in-a-row games.
#[derive(Parser)]
#[command(name = "tengen", version, long_version = version(), author, about, long_about = None)]
#[command(after_help = format!("{STATUSES}\n\n{EXAMPLES}"))]
struct Cli {
    /// The game to start with; clients can change it.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = variants())]
    variant: Option<String>,

    /// The dialect to speak, whatever the client's first line is. A copy of this program whose name
    /// begins with "pbrain-" speaks Gomocup.
    #[arg(long, value_name = "NAME", ignore_case = true, value_parser = dialects())]
    dialect: Option<String>,

    /// Log every line in and out to FILE, or to standard error.
    #[arg(long, value_name = "FILE|stderr")]
    log: Option<String>,

    #[command(flatten)]
    workers: WorkerArgs,

    #[command(subcommand)]
    task: Option<Task>,
}

/// Declares the subcommands: their conditions, attributes, names and options, and what runs them. That gets the
/// options and the variant of the command line.
macro_rules! tasks {
    ($($([$($cfg:tt)+])? $(#[$attribute:meta])* $name:ident($args:ty) => $run:expr;)*) => {
        #[derive(Subcommand)]
        enum Task {
            $($(#[cfg($($cfg)+)])? $(#[$attribute])* $name($args),)*
        }

        impl Task {
            fn run(&self, variant: Option<&str>) -> anyhow::Result<()> {
                match self {
                    $($(#[cfg($($cfg)+)])? Self::$name(args) => {
                        let run: fn(&$args, Option<&str>) -> anyhow::Result<()> = $run;
                        run(args, variant)
                    })*
                }
            }
        }
    };
}

tasks! {
    #[command(visible_alias = "analyse")] Analyze(analyze::Args) => |args, _| analyze::run(args);
    [feature = "arena"] Arena(arena::Args) => |args, _| arena::run(args);
    [feature = "arena"] Batch(batch::Args) => |args, _| batch::run(args);
    [feature = "arena"] Puzzles(puzzles::Args) => |args, _| puzzles::run(args);
    [feature = "arena"] Work(work::Args) => |args, _| work::run(args);
    [feature = "arena"] Runs(fleet::RunsArgs) => |args, _| fleet::runs(args);
    [feature = "arena"] Workers(fleet::WorkersArgs) => |args, _| fleet::workers(args);
    [all(feature = "arena", target_os = "linux")] #[command(hide = true)]
    ArenaGuard(arena::GuardArgs) => |args, _| arena::guard(args);
    [feature = "play"] Play(play::Args) => |args, _| play::run(args);
    Bench(bench::Args) => |args, _| bench::run(args);
    Solve(solve::Args) => |args, _| solve::run(args);
    Convert(convert::Args) => |args, _| convert::run(args);
    Tree(tree::Args) => |args, _| tree::run(args);
    WinningMove(winning_move::Args) => |args, _| winning_move::run(args);
    Count(count::Args) => |args, _| count::run(args);
    Book(book::Args) => |args, _| book::run(args);
    Prove(prove::Args) => |args, _| prove::run(args);
    Check(check::Args) => |args, _| check::run(args);
    Schema(schema::Args) => |_, _| schema::run();
    [feature = "serve"] Serve(serve::Args) => serve::run;
    [feature = "shelf"] Shelf(shelf::Args) => |args, _| shelf::run(args);
    Completions(completions::Args) => |args, _| completions::run(args, Cli::command());
    Man(completions::ManArgs) => |args, _| completions::man(args, Cli::command());
}

impl Cli {
    /// Returns whether the log contains the lines of clients.
    fn shows_lines(&self) -> bool {
        match &self.task {
            #[cfg(feature = "serve")]
            Some(Task::Serve(args)) => args.log_lines,
            _ => true,
        }
    }
}

/// Runs what the command line asks for.
pub(crate) fn run() -> anyhow::Result<()> {
    if std::env::args_os().len() == 1 {
        // GUIs start the program without arguments, so the command line is not built.
        return stdio::run(None, None, &WorkerArgs::default());
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return Err(usage_error::refusal(&error).into()),
        Err(help) => return print_help(&help),
    };
    if let Some(target) = &cli.log {
        log::start(target, cli.shows_lines())?;
    }
    match cli.task {
        None => stdio::run(cli.variant.as_deref(), cli.dialect.as_deref(), &cli.workers),
        Some(task) => task.run(cli.variant.as_deref()),
    }
}

/// Returns the version, with the commit if it is known and the parts that the program has.
fn version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let parts = [
            ("arena", cfg!(feature = "arena")),
            ("book", cfg!(feature = "book")),
            ("nats", cfg!(feature = "nats")),
            ("play", cfg!(feature = "play")),
            ("serve", cfg!(feature = "serve")),
            ("shelf", cfg!(feature = "shelf")),
        ];
        let here = parts.into_iter().filter_map(|(name, is_here)| is_here.then_some(name));
        let here = here.collect::<Vec<_>>().join(" ");
        let commit = crate::COMMIT.map_or(String::new(), |commit| format!("commit {commit}; "));
        format!("{} ({commit}features: {here})", env!("CARGO_PKG_VERSION"))
    });
    &TEXT
}

/// Prints a help text or the version. A closed output is not an error.
fn print_help(help: &clap::Error) -> anyhow::Result<()> {
    let printed = help.print().and_then(|()| io::stdout().flush());
    ignore_broken_pipe(printed).context(WRITE_FAILED)
}

fn dialects() -> PossibleValuesParser {
    DIALECTS.iter().map(|kind| kind.name).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_arguments_mean_the_default_workers() {
        let cli = Cli::parse_from(["tengen"]);
        assert_eq!(cli.workers, WorkerArgs::default());
        assert!(cli.variant.is_none() && cli.dialect.is_none() && cli.log.is_none());
        assert!(cli.task.is_none());
    }

    #[test]
    fn the_command_line_is_valid() {
        Cli::command().debug_assert();
    }
}
