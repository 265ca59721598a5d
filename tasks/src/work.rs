//! The worker of the task contract: it does tasks, a line of JSON each, and gives a result for each.
//!
//! `slot` does one task at a time, `query_task` answers its positions. Tasks come from a stream (`stream`)
//! or from a server (`server`). `missing` compares tasks with results.

mod identity;
mod missing;
mod query_task;
#[cfg(feature = "nats")]
mod server;
mod slot;
mod stream;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tengen_arena::work::listing::Listing;

pub use self::missing::missing;
#[cfg(feature = "nats")]
pub use self::server::{ServerOptions, serve};
pub use self::stream::Output;
use crate::Failure;
use identity::Identity;
use slot::{Slot, Worker};
#[cfg(feature = "nats")]
pub use tengen_runs::nats::Stop;

/// What a worker may do.
pub struct WorkOptions {
    /// The engines that tasks may start.
    pub listing: Listing,
    /// How many tasks are done at a time.
    pub jobs: usize,
    /// The greatest table that a task may ask for, in MiB.
    pub most_hash_mib: usize,
    /// The commit of the program; `None` if the build did not know it.
    pub git: Option<&'static str>,
}

/// Does the tasks of a stream. Returns whether one was refused.
pub fn work(
    options: WorkOptions,
    input: &mut dyn Read,
    output: &Arc<Output>,
) -> Result<bool, Failure> {
    stream::work(input, slots(options, None)?, output)
}

/// Creates the slots of a worker. `bench` is the number of nodes of the bench, if that was run.
fn slots(options: WorkOptions, bench: Option<u64>) -> Result<impl Iterator<Item = Slot>, Failure> {
    let identity = Identity::new(options.git, bench);
    let worker = Arc::new(Worker::new(options.listing, options.most_hash_mib, identity)?);
    Ok((0..options.jobs).map(move |number| Slot::new(number, Arc::clone(&worker))))
}

/// Reads the engines that tasks may start from the file `config`, else from that of the environment.
pub fn listing(config: Option<&Path>) -> Result<Listing, Failure> {
    let of_variable =
        || std::env::var_os(tengen_runs::contract::CONFIG_VARIABLE).map(PathBuf::from);
    let Some(path) = config.map(Path::to_owned).or_else(of_variable) else {
        return Ok(Listing::default());
    };
    #[cfg(target_os = "linux")]
    let find = tengen_arena::engine::prepare::find_program;
    #[cfg(not(target_os = "linux"))]
    let find = |_: &Path| Err("engines are started on Linux only".to_owned());
    Listing::read(&path, find).map_err(|why| Failure::Refused(why.to_string()))
}
