//! `tengen work`: does tasks of the task contract, a line of JSON each, and writes a result for each. The
//! work is that of `tengen-tasks`.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use tengen_engine::cores;
use tengen_tasks::work::{Output, WorkOptions, listing, missing, work};

use crate::console::{Terminal, ended};
use crate::exit_status::{Ended, NO_THREAD, print};
use crate::files::read_bytes;
#[cfg(feature = "nats")]
use crate::fleet::AccessArgs;

/// The exit status after SIGTERM, as in shells.
const TERMINATED: u8 = 143;

const EXAMPLES: &str = include_str!("help/work.txt").trim_ascii_end();

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

    #[cfg(feature = "nats")]
    #[command(flatten)]
    access: AccessArgs,

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
        let name = |path: &PathBuf| path.display().to_string();
        let done = read_bytes(results)?;
        let (tasks, all) = (name(tasks), read_bytes(tasks)?);
        let (text, is_bad) = missing((&tasks, &all), (&name(results), &done), &Terminal);
        print(text)?;
        return some_refused(is_bad);
    }
    let listing = listing(args.config.as_deref()).map_err(ended)?;
    let jobs = args.jobs.map(usize::from).or(listing.slots).unwrap_or_else(cores);
    let options =
        WorkOptions { listing, jobs, most_hash_mib: args.hash as usize, git: crate::COMMIT };
    #[cfg(feature = "nats")]
    args.access.check(args.nats.is_some())?;
    #[cfg(feature = "nats")]
    if args.nats.is_some() {
        let stop = tengen_tasks::work::Stop::default();
        let server = tengen_tasks::work::ServerOptions {
            url: args.nats.clone(),
            access: args.access.access(),
            name: args.name.clone(),
            bench: args.bench,
            stop: stop.clone(),
        };
        catch_sigterm(move || stop.stop()).context(NO_THREAD)?;
        let note = Arc::new(crate::exit_status::report);
        tengen_tasks::work::serve(options, server, note).map_err(ended)?;
        return Err(Ended { status: TERMINATED, why: None }.into());
    }
    let output = Arc::new(Output::new(Box::new(io::stdout())));
    let lines = Arc::clone(&output);
    let end = move || lines.between_lines(|| std::process::exit(TERMINATED.into()));
    catch_sigterm(end).context(NO_THREAD)?;
    some_refused(work(options, &mut io::stdin().lock(), &output).map_err(ended)?)
}

/// Returns the end of the command. The results of refused tasks say why.
fn some_refused(are: bool) -> anyhow::Result<()> {
    if are { Err(Ended { status: 2, why: None }.into()) } else { Ok(()) }
}

/// Calls `end` at SIGTERM, and ends the process a second later. The tasks in hand get no result.
#[cfg(unix)]
fn catch_sigterm(end: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use std::io::Read;
    use std::os::unix::net::UnixStream;
    let (mut signals, sender) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(signal_hook::consts::SIGTERM, sender)?;
    std::thread::Builder::new().name("SIGTERM".to_owned()).spawn(move || {
        if signals.read(&mut [0]).is_err() {
            return;
        }
        // A reader that does not read must not keep the process alive.
        let _ = std::thread::Builder::new().name("end".to_owned()).spawn(|| {
            std::thread::sleep(std::time::Duration::from_secs(1));
            std::process::exit(TERMINATED.into());
        });
        end();
    })?;
    Ok(())
}

/// Other systems have no such signal.
#[cfg(not(unix))]
fn catch_sigterm(_: impl FnOnce()) -> io::Result<()> {
    Ok(())
}
