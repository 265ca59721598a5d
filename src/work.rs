//! `tengen work`: does tasks of the task contract, a line of JSON each, and writes a result for each.
//!
//! `slot` does a task at a time, `queries` answers its positions, `input` reads tasks and writes
//! results, and `missing` compares both.

mod identity;
mod input;
mod missing;
mod queries;
#[cfg(feature = "nats")]
mod server;
mod slot;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use tengen_arena::work::listing::Listing;
use tengen_engine::cores;

use crate::exit_status::{Ended, NO_THREAD, Refusal};
use identity::Identity;
use input::Output;
use slot::{Slot, Worker};

const EXAMPLES: &str = "\
A task is a line of JSON; so is its result. The kinds are pair (two games between two engines), analyze
and solve (queries of the JSON protocol). The results come in any order. A task knows nothing of
another one. Engines are named by the SHA-256 of their programs; only those of --config are started.

The file of --config:
  slots = 4
  [[engine]]
  cmd = \"/opt/engines/a\"        and the other keys of an engine of the arena, but limits
  sha256 = \"9f..\"               optional: then the program must have it
  [files]
  small = \"/opt/books/small\"    a file that options of tasks name small

Exit status:
  0    every task has its result
  1    something failed: no thread, or output was lost
  2    the command line or --config was refused, or a result has \"ok\":false
  143  SIGTERM: the tasks in hand have no result

Examples:
  tengen work --jobs 2 < tasks.jsonl > results.jsonl
      the tasks of a file, two at a time
  tengen work --missing tasks.jsonl results.jsonl > rest.jsonl
      the tasks that have no result yet";

/// Do tasks: pairs of games and positions, a line of JSON each.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// How many tasks at a time [default: slots of --config, or the number of cores].
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: Option<u16>,

    /// The engines that tasks may start, in TOML.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The greatest table that a task may ask for, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024,
          value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,

    /// Do the tasks of all runs at this server of NATS, until the process is ended [default address: the
    /// variable TENGEN_NATS].
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    nats: Option<String>,

    /// The file with the credentials for NATS.
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "FILE", requires = "nats")]
    nats_creds: Option<PathBuf>,

    /// The name of this worker at the server [default: the host and the number of the process].
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "NAME", requires = "nats")]
    name: Option<String>,

    /// The nodes of `tengen bench` on this machine, if they are known [default: they are counted first].
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "NODES", requires = "nats")]
    bench: Option<u64>,

    /// Print the tasks of a file that have no result in another one, and do none.
    #[arg(long, value_names = ["TASKS", "RESULTS"], num_args = 2, conflicts_with_all = ["jobs", "config", "hash"])]
    missing: Option<Vec<PathBuf>>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    if let Some([tasks, results]) = args.missing.as_deref() {
        return missing::print_missing(tasks, results);
    }
    let listing = listing(args.config.as_ref())?;
    let jobs = args.jobs.map(usize::from).or(listing.slots).unwrap_or_else(cores);
    #[cfg(feature = "nats")]
    if args.nats.is_some() {
        return server::work(args, listing, jobs);
    }
    let identity = Identity::start(None)?;
    let output = Arc::new(Output::default());
    input::catch_sigterm(Arc::clone(&output)).context(NO_THREAD)?;
    let worker = Arc::new(Worker::new(listing, args.hash as usize, identity)?);
    let slots = (0..jobs).map(|number| Slot::new(number, Arc::clone(&worker)));
    let slots = input::Slots::start(slots)?;
    let read = input::read(&slots, &output);
    if !slots.finish() {
        anyhow::bail!("a slot has failed: its task has no result");
    }
    read.context("cannot read standard input")?;
    output.finish()
}

/// Reads the engines that tasks may start.
fn listing(config: Option<&PathBuf>) -> Result<Listing, Refusal> {
    let of_variable =
        || std::env::var_os(tengen_runs::contract::CONFIG_VARIABLE).map(PathBuf::from);
    let Some(path) = config.cloned().or_else(of_variable) else { return Ok(Listing::default()) };
    #[cfg(target_os = "linux")]
    let find = tengen_arena::work::player::program;
    #[cfg(not(target_os = "linux"))]
    let find = |_: &std::path::Path| Err("engines are started on Linux only".to_owned());
    Listing::read(&path, find).map_err(|why| Refusal(why.to_string()))
}

/// The end of a command with refused tasks. Their results say why.
fn some_refused() -> anyhow::Error {
    Ended { status: 2, why: None }.into()
}
