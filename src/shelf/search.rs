//! Searches whose values a shelf keeps, with a bar and Ctrl-C: what `analyze` and `grow` have in common.

use std::time::Instant;

use anyhow::Context;
use tengen_engine::backend::Settings;
use tengen_engine::{GameSpec, cores};
use tengen_games::CATALOG;
use tengen_runs::{End, Watcher, drive};
use tengen_shelf::service::{Positions, Searches, start_searches};

use crate::exit_status::{NO_THREAD, Refusal, Unfinished};
use crate::interrupt::on_interrupt;
use crate::progress::Progress;
use crate::search_args::table_mib;

/// The threads that search, and the table of each.
#[derive(clap::Args)]
pub(super) struct ThreadArgs {
    /// Searches at a time [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    workers: Option<u16>,

    /// Size of the table of each search in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
}

impl ThreadArgs {
    pub(super) fn workers(&self) -> usize {
        self.workers.map_or_else(cores, usize::from)
    }

    pub(super) fn settings(&self) -> Result<Settings, Refusal> {
        Ok(Settings::default().with_hash_mib(table_mib(self.hash)?).with_own_book(false))
    }
}

/// How the progress of searches is shown.
pub(super) enum Shown {
    /// By the number of searches, of all.
    Count(Progress),
    /// By the time that is left.
    Until(Instant, Progress),
}

impl Shown {
    fn progress(&self) -> &Progress {
        match self {
            Self::Count(progress) | Self::Until(_, progress) => progress,
        }
    }
}

impl<P: Positions> Watcher<Searches<P>> for Shown {
    fn note(&mut self, text: &str) {
        self.progress().print_error(&format!("tengen: {text}"));
    }

    fn saved(&mut self, run: &Searches<P>, _: &()) {
        match self {
            Self::Count(progress) => progress.step(),
            Self::Until(end, progress) => {
                let left = end.saturating_duration_since(Instant::now()).as_secs() / 60;
                progress.show(format!("{} searches, {left} minutes left", run.started));
            }
        }
    }
}

/// Searches positions of a game until none is left.
pub(super) fn search<P: Positions>(
    searches: &mut Searches<P>,
    spec: &GameSpec,
    settings: Settings,
    workers: usize,
    mut shown: Shown,
) -> anyhow::Result<End> {
    let threads = start_searches(&CATALOG, spec, settings, workers);
    let mut threads = threads.context(NO_THREAD)?;
    on_interrupt(threads.interrupter())?;
    Ok(drive(searches, &mut threads, &mut shown)?)
}

/// Returns an error if a search failed, or if the run was interrupted.
pub(super) fn check<P: Positions>(searches: &Searches<P>, end: &End) -> anyhow::Result<()> {
    if let Some((count, why)) = searches.failure() {
        anyhow::bail!("{count} positions could not be searched: {why}");
    }
    match end {
        End::Interrupted => {
            Err(Unfinished::Interrupted("the same command continues".to_owned()).into())
        }
        _ => Ok(()),
    }
}
