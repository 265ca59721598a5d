//! `tengen work --nats`: does the tasks of all runs at a server.

use std::sync::Arc;

use anyhow::ensure;
use tengen_arena::work::listing::Listing;
use tengen_engine::{Signal, bench};
use tengen_games::CATALOG;
use tengen_runs::nats::{self, WorkerSettings};

use super::Args;
use super::identity::Identity;
use super::input::{Output, catch_sigterm};
use super::slot::{Slot, Worker};
use crate::exit_status::{Refusal, report};

/// Does tasks until the process is ended.
pub(super) fn work(args: &Args, listing: Listing, jobs: usize) -> anyhow::Result<()> {
    catch_sigterm(Arc::new(Output::default()))?;
    let nodes = args.bench.map_or_else(count_nodes, Ok)?;
    let default = || format!("{}-{}", tengen_runs::host(), std::process::id());
    let name = args.name.clone().unwrap_or_else(default);
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let settings = WorkerSettings {
        url: nats::address(args.nats.as_deref())
            .map_err(|why| Refusal(format!("--nats: {why}")))?,
        credentials: args.nats_creds.clone(),
        name: name.chars().map(|c| if is_allowed(c) { c } else { '-' }).collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        bench: Some(nodes),
        engines: listing.engines.iter().map(|engine| engine.sha256.clone()).collect(),
    };
    let identity = Identity::start(settings.bench)?;
    let worker = Arc::new(Worker::new(listing, args.hash as usize, identity)?);
    let slots = (0..jobs).map(|number| Slot::new(number, Arc::clone(&worker)));
    match nats::work(&settings, slots.collect(), Arc::new(report)) {
        Err(why) => Err(Refusal(format!("--nats {why}")).into()),
    }
}

/// Returns the nodes of the bench.
fn count_nodes() -> anyhow::Result<u64> {
    let total = bench::run(&CATALOG, None, &Signal::default(), &|_| {});
    ensure!(total.complete, "the bench did not reach its end");
    Ok(total.nodes)
}
