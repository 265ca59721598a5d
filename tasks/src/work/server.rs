//! Does the tasks of all runs at a server of NATS.

use std::sync::Arc;

use tengen_arena::work::count_bench;
use tengen_arena::work::listing::Listing;
use tengen_games::CATALOG;
use tengen_runs::Access;
use tengen_runs::nats::{self, Stop, WorkerSettings};

use super::{WorkOptions, slots};
use crate::Failure;

/// The server, and who works there.
pub struct ServerOptions {
    /// The address; if `None`, that of the environment.
    pub url: Option<String>,
    /// Who the worker is there.
    pub access: Access,
    /// The name of the worker; if `None`, the host and the number of the process.
    pub name: Option<String>,
    /// The nodes of the bench; if `None`, they are counted first.
    pub bench: Option<u64>,
    /// Asks for the end.
    pub stop: Stop,
}

/// Does tasks until the end is asked for. `note` tells the user what happens.
pub fn serve(
    options: WorkOptions,
    server: ServerOptions,
    note: Arc<dyn Fn(&str) + Send + Sync>,
) -> Result<(), Failure> {
    let counted = server.bench.map_or_else(|| count_bench(&CATALOG), Ok);
    let nodes = counted.map_err(Failure::Failed)?;
    let name =
        server.name.unwrap_or_else(|| format!("{}-{}", tengen_runs::host(), std::process::id()));
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let refused = |why: String| Failure::Refused(format!("--nats{why}"));
    let settings = WorkerSettings {
        url: nats::address(server.url.as_deref()).map_err(|why| refused(format!(": {why}")))?,
        access: server.access,
        name: name.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        bench: Some(nodes),
        engines: engines(&options.listing),
    };
    let slots = slots(options, Some(nodes))?.collect();
    nats::work(&settings, slots, &server.stop, note).map_err(|why| refused(format!(" {why}")))
}

fn engines(listing: &Listing) -> Vec<String> {
    listing.engines.iter().map(|engine| engine.identity.clone()).collect()
}
