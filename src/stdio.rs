//! `tengen` without a subcommand: serve the client at standard input and output.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use tengen_engine::cores;
use tengen_protocol::dialect::{self, Kind};
use tengen_protocol::explorer::OptionalExplorer;
use tengen_protocol::server::{Server, Workers};
use tengen_protocol::session::Engine;

use crate::exit_status::{Refusal, WRITE_FAILED};
use crate::games::GAMES;
use crate::log;
use crate::search_args::{PoolArgs, memory_mib};

/// The greeting at a terminal.
const GREETING: &str =
    "Tengen speaks UCI, UGI, Gomocup, GTP and JSON; try \"help\", or \"tengen --help\"";

/// The workers of a client that speaks JSON. Other clients set options of their dialect.
#[derive(clap::Args, Debug, Default, PartialEq)]
#[command(next_help_heading = "Options for JSON")]
pub(crate) struct WorkerArgs {
    #[command(flatten)]
    pool: PoolArgs,

    /// End all searches at the end of the input.
    #[arg(long)]
    quit_without_waiting: bool,

    #[command(flatten)]
    shelf: ShelfArgs,
}

/// The shelf of clients that speak JSON.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(crate) struct ShelfArgs {
    /// The shelf for the actions explore, find and read_game, and for the explorer of the board.
    #[arg(long, value_name = "FILE")]
    shelf: Option<PathBuf>,

    /// Let clients change the shelf; each change can be undone. Without it the shelf is only read.
    #[arg(long, requires = "shelf")]
    pub(crate) edit: bool,
}

impl WorkerArgs {
    fn workers(&self) -> Result<Workers, Refusal> {
        Ok(Workers { ends_at_once: self.quit_without_waiting, ..self.pool.workers()? })
    }
}

/// Serves a client until it leaves. The dialect is `dialect`, else that of the program's name, else
/// that of the client's first line.
pub(crate) fn run(
    variant: Option<&str>,
    dialect: Option<&str>,
    workers: &WorkerArgs,
) -> anyhow::Result<()> {
    greet();
    let engine = Engine { memory_mib: memory_mib(), cores: cores(), ..Engine::new(&GAMES) };
    let explorer = workers.shelf.explorer()?;
    let server = Server::new(engine, variant, workers.workers()?)?;
    let mut server = server.with_explorer(explorer);
    if let Some(kind) = dialect.map_or_else(by_program_name, dialect::by_name) {
        server = server.with_dialect(kind);
    }
    server.run_on_stdio(Box::new(log::switch)).context(WRITE_FAILED)
}

impl ShelfArgs {
    /// Opens the shelf of `--shelf`.
    #[cfg(feature = "shelf")]
    pub(crate) fn explorer(&self) -> anyhow::Result<OptionalExplorer> {
        let none = || Ok(Err(tengen_protocol::explorer::NO_SHELF));
        let open = |path: &PathBuf| crate::shelf::open_explorer(path, self.edit).map(Ok);
        self.shelf.as_ref().map_or_else(none, open)
    }

    /// Says why there is no shelf.
    #[cfg(not(feature = "shelf"))]
    pub(crate) fn explorer(&self) -> anyhow::Result<OptionalExplorer> {
        const WITHOUT: &str = "this program is built without shelves: take a package that has them, \
                               or build it with the feature shelf";
        match &self.shelf {
            None => Ok(Err(WITHOUT)),
            Some(path) => Err(Refusal(format!("--shelf {}: {WITHOUT}", path.display())).into()),
        }
    }
}

/// Prints a hint for a person at a terminal. Clients use pipes and get nothing.
fn greet() {
    if io::stdin().is_terminal() {
        // A closed standard error needs no greeting.
        let _ = writeln!(io::stderr(), "{GREETING}");
    }
}

/// Returns the dialect of this program's file name; `None` if the name stands for none.
fn by_program_name() -> Option<&'static Kind> {
    let path = PathBuf::from(std::env::args_os().next()?);
    dialect::by_program(path.file_name()?.to_str()?)
}
