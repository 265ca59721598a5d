//! `tengen runs` and `tengen workers`: what runs there are and who works on them, in run folders and at a
//! server of NATS.

use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tengen_runs::contract::counted;
#[cfg(feature = "nats")]
use tengen_runs::nats::Fleet;
use tengen_runs::{Access, Error, Summary, purge};

use crate::exit_status::{Refusal, print};

const RUNS: &str = include_str!("help/runs.txt").trim_ascii_end();
const WORKERS: &str = include_str!("help/workers.txt").trim_ascii_end();

/// How many digits of a commit a table shows.
const COMMIT_DIGITS: usize = 9;

/// Show runs, in their folders or at a server of NATS, and steer them.
#[derive(clap::Args)]
#[command(after_help = RUNS, arg_required_else_help = false)]
pub(crate) struct RunsArgs {
    /// The folders of runs.
    #[arg(value_name = "FOLDER")]
    folders: Vec<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[cfg(feature = "nats")]
    #[command(flatten)]
    server: ServerArgs,

    /// Print the runs and workers at the server as metrics for Prometheus.
    #[cfg(feature = "nats")]
    #[arg(long, requires = "nats", conflicts_with = "json", group = "change")]
    metrics: bool,

    /// Serve them at this address, under /metrics; and under /healthz, /healthz/runs/RUN and
    /// /healthz/workers/WORKER whether the server, a coordinator, a worker is there.
    #[cfg(all(feature = "nats", feature = "serve"))]
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "nats",
        conflicts_with = "json",
        group = "change"
    )]
    listen: Option<std::net::SocketAddr>,

    /// Give this run N tasks of a worker, 1 to 100, where a run without a share gets one.
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "RUN=N", requires = "nats", group = "change", value_parser = share)]
    share: Option<(String, u32)>,

    /// Give no more tasks of this run to workers. They end those that they have.
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "RUN", requires = "nats", group = "change")]
    pause: Option<String>,

    /// Go on with this run after a pause.
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "RUN", requires = "nats", group = "change")]
    resume: Option<String>,

    /// End this run. It can be continued.
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "RUN", requires = "nats", group = "change")]
    cancel: Option<String>,

    /// Remove all of this run, which has ended, from the server. Its folder stays.
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "RUN", requires = "nats", group = "change")]
    remove: Option<String>,
}

/// Show who works on a run, or at a server of NATS, and steer workers.
#[derive(clap::Args)]
#[command(after_help = WORKERS, arg_required_else_help = false)]
pub(crate) struct WorkersArgs {
    /// The folder of a run.
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    /// Remove the results of this worker from the run. Their tasks are done again when it is continued.
    #[arg(long, value_name = "WORKER", requires = "folder")]
    purge: Option<String>,

    #[cfg(feature = "nats")]
    #[command(flatten)]
    server: ServerArgs,

    /// Give this worker no more tasks. It ends those that it has.
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "WORKER", requires = "nats", group = "change")]
    drain: Option<String>,

    /// Give this worker tasks again.
    #[cfg(feature = "nats")]
    #[arg(long, value_name = "WORKER", requires = "nats", group = "change")]
    restore: Option<String>,
}

/// The server of NATS.
#[cfg(feature = "nats")]
#[derive(clap::Args)]
struct ServerArgs {
    /// The server of NATS [default address: the variable TENGEN_NATS].
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "", require_equals = true)]
    nats: Option<String>,

    #[command(flatten)]
    access: AccessArgs,
}

/// Who the user is at a server of NATS.
#[derive(clap::Args)]
pub(crate) struct AccessArgs {
    /// The file with the credentials for NATS.
    #[arg(long, value_name = "FILE")]
    nats_creds: Option<PathBuf>,

    /// The certificates of authorities that the server may have, in PEM [default: those of the system].
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,

    /// The certificate of this user and its key, in PEM, for a server that asks for one.
    #[arg(long, value_name = "FILE")]
    tls_client: Option<PathBuf>,
}

impl AccessArgs {
    /// Returns the files.
    pub(crate) fn access(&self) -> Access {
        let Self { nats_creds, tls_ca, tls_client } = self;
        let (credentials, tls_ca, tls_client) =
            (nats_creds.clone(), tls_ca.clone(), tls_client.clone());
        Access { credentials, tls_ca, tls_client }
    }

    /// Refuses files for a server that is not named.
    #[cfg(feature = "nats")]
    pub(crate) fn check(&self, names_server: bool) -> anyhow::Result<()> {
        match self.access().options().next().filter(|_| !names_server) {
            None => Ok(()),
            Some((option, _)) => Err(Refusal(format!("--{option} needs --nats")).into()),
        }
    }
}

#[cfg(feature = "nats")]
impl ServerArgs {
    /// Connects to the server; `None` if none is asked for. Then there may be `folders`.
    fn open(&self, folders: &[PathBuf]) -> anyhow::Result<Option<Fleet>> {
        self.access.check(self.nats.is_some())?;
        let Some(url) = &self.nats else { return Ok(None) };
        if let Some(folder) = folders.first().map(|folder| folder.display().to_string()) {
            let shown = tengen_runs::without_password(&folder);
            let url = if shown.contains("://") && shown == folder { &folder } else { "URL" };
            // A folder can have an @ in its name, but a password must not be shown.
            let folder = if folder.contains(':') { &shown } else { &folder };
            return Err(Refusal(format!(
                "--nats and a folder ({folder}): name the server as --nats={url}, or leave out --nats"
            ))
            .into());
        }
        let url = tengen_runs::nats::address(Some(url)).map_err(|why| of_server(&why))?;
        let opened = Fleet::open(
            &url,
            &self.access.access(),
            std::sync::Arc::new(crate::exit_status::report),
        );
        Ok(Some(opened.map_err(|why| of_server(&why))?))
    }
}

/// Reads the share of a run.
#[cfg(feature = "nats")]
fn share(text: &str) -> Result<(String, u32), String> {
    let read =
        text.rsplit_once('=').and_then(|(run, share)| Some((run.to_owned(), share.parse().ok()?)));
    let found = read.filter(|(_, share)| (1..=100).contains(share));
    found.ok_or_else(|| "it must be the name of a run, = and a number from 1 to 100".to_owned())
}

#[cfg(feature = "nats")]
fn of_server(why: &str) -> Refusal {
    Refusal(format!("--nats: {why}"))
}

/// Runs `tengen runs`.
pub(crate) fn runs(args: &RunsArgs) -> anyhow::Result<()> {
    #[cfg(feature = "nats")]
    if let Some(fleet) = args.server.open(&args.folders)? {
        return at_server::runs(args, fleet);
    }
    if args.folders.is_empty() {
        return Err(Refusal("runs: the folder of a run is missing, or --nats".to_owned()).into());
    }
    let mut rows = Vec::new();
    for folder in &args.folders {
        let summary = summary_of(folder)?;
        rows.push((folder.display().to_string(), summary));
    }
    if args.json {
        let object: std::collections::BTreeMap<_, _> = rows.into_iter().collect();
        return print_json(&object);
    }
    let mut text = String::new();
    for (name, summary) in rows {
        let Summary { results, is_running, is_paused, last_stop, workers } = summary;
        let state = match (is_running, last_stop) {
            (true, _) if is_paused => "paused".to_owned(),
            (true, _) => "running".to_owned(),
            (false, None) => "not running".to_owned(),
            (false, Some(why)) => format!("stopped: {why}"),
        };
        let refused: u64 = workers.values().map(|worker| worker.refused).sum();
        let more = match refused {
            0 => "",
            _ => " (\"tengen workers FOLDER\" shows the last of each worker)",
        };
        let [results, workers, reasons] =
            [(results, "result"), (workers.len() as u64, "worker"), (refused, "reason")]
                .map(|(count, unit)| counted(count, unit));
        let _ =
            writeln!(text, "{name}: {results} by {workers}, {reasons} for refusals{more}; {state}");
    }
    print(text)
}

/// Reads the run in a folder.
fn summary_of(folder: &Path) -> Result<Summary, Refusal> {
    Summary::read(folder).map_err(|why| match why {
        Error::Io { error, .. } if error.kind() == ErrorKind::NotFound => {
            Refusal(format!("{}: no run is in this folder", folder.display()))
        }
        why => Refusal(why.to_string()),
    })
}

/// Runs `tengen workers`.
pub(crate) fn workers(args: &WorkersArgs) -> anyhow::Result<()> {
    #[cfg(feature = "nats")]
    if let Some(fleet) = args.server.open(args.folder.as_slice())? {
        return at_server::workers(args, &fleet);
    }
    let Some(folder) = &args.folder else {
        return Err(Refusal("workers: the folder of a run is missing, or --nats".to_owned()).into());
    };
    if let Some(worker) = &args.purge {
        let count = purge(folder, worker).map_err(|why| Refusal(why.to_string()))?;
        return print(format!(
            "{} of {worker} removed; continue the run to do their tasks again\n",
            counted(count, "result")
        ));
    }
    let summary = summary_of(folder)?;
    if args.json {
        return print_json(&summary.workers);
    }
    let mut text = row(&["worker", "results", "reasons", "version", "commit", "bench", ""]);
    for (name, worker) in &summary.workers {
        let program = worker.program.clone().unwrap_or_default();
        let bench = program.bench.map(|nodes| nodes.to_string()).unwrap_or_default();
        let (results, refused) = (worker.results.to_string(), worker.refused.to_string());
        let name = if name.is_empty() { "this process" } else { name };
        let purged = worker.purged.then(|| "purged".to_owned());
        let why = purged.into_iter().chain(worker.last_refusal.clone()).collect::<Vec<_>>();
        // JSON has the whole commit.
        let git: String = program.git.unwrap_or_default().chars().take(COMMIT_DIGITS).collect();
        text += &row(&[name, &results, &refused, &program.version, &git, &bench, &why.join("; ")]);
    }
    print(text)
}

/// Writes cells as a line of a table.
fn row(cells: &[&str]) -> String {
    const WIDTHS: [usize; 7] = [20, 9, 9, 9, COMMIT_DIGITS, 9, 9];
    let (last, cells) = cells.split_last().unwrap_or((&"", &[]));
    let cells = cells.iter().zip(WIDTHS).map(|(cell, width)| format!("{cell:width$} "));
    let line: String = cells.chain([(*last).to_owned()]).collect();
    line.trim_end().to_owned() + "\n"
}

fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(serde_json::to_string_pretty(value)? + "\n")
}

/// Runs and workers at a server.
#[cfg(feature = "nats")]
mod at_server {
    use tengen_runs::nats::{Change, Fleet, SILENT, metrics};

    use super::{Refusal, RunsArgs, WorkersArgs, of_server, print, print_json, row};

    /// Serves metrics and health until the process is ended.
    #[cfg(feature = "serve")]
    fn listen(address: std::net::SocketAddr, fleet: Fleet) -> anyhow::Result<()> {
        let answers = Box::new(move |path: &str| answer(path, &fleet));
        let refused = |why| Refusal(format!("--listen {address}: {why}"));
        let address = tengen_web::serve_texts(address, answers).map_err(refused)?;
        print(format!("metrics at http://{address}/metrics\n"))?;
        loop {
            std::thread::park();
        }
    }

    /// Returns the text at a path; `None` if there is none. The error says what is not healthy.
    #[cfg(feature = "serve")]
    fn answer(path: &str, fleet: &Fleet) -> Option<Result<String, String>> {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        let health = match parts.as_slice() {
            ["metrics"] => {
                let rows = fleet.rows().map_err(|why| format!("{why}\n"));
                return Some(rows.map(|(runs, workers)| metrics(&runs, &workers)));
            }
            ["healthz"] => fleet.check_server(),
            ["healthz", "runs", name] => fleet.check_run(name),
            ["healthz", "workers", name] => fleet.check_worker(name),
            _ => return None,
        };
        Some(health.map(|()| "ok\n".to_owned()).map_err(|why| format!("{why}\n")))
    }

    pub(super) fn runs(args: &RunsArgs, fleet: Fleet) -> anyhow::Result<()> {
        #[cfg(feature = "serve")]
        if let Some(address) = args.listen {
            return listen(address, fleet);
        }
        let share = args.share.as_ref();
        let changes = [
            (args.pause.as_ref(), Change::Pause),
            (args.resume.as_ref(), Change::Resume),
            (args.cancel.as_ref(), Change::Cancel),
            (args.remove.as_ref(), Change::Remove),
            (share.map(|(run, _)| run), Change::Share(share.map_or(1, |(_, share)| *share))),
        ];
        for (run, change) in changes {
            if let Some(run) = run {
                let silent = fleet.change(run, change).map_err(|why| of_server(&why))?;
                let more = silent.map_or_else(String::new, |seconds| {
                    format!(
                        "no coordinator of run {run} answers now, the last sign of life was {seconds} s ago: start its command again to continue it\n"
                    )
                });
                return print(
                    more + &match change {
                        Change::Pause => {
                            format!("run {run} is paused; --resume {run} continues it\n")
                        }
                        Change::Resume => format!("run {run} goes on\n"),
                        Change::Cancel if silent.is_some() => {
                            format!("run {run} is cancelled; its command continues it\n")
                        }
                        Change::Cancel => format!("run {run} ends; its command continues it\n"),
                        Change::Share(share) => format!("run {run} has the share {share}\n"),
                        Change::Remove => format!("run {run} is removed; its folder stays\n"),
                    },
                );
            }
        }
        if args.metrics {
            let (runs, workers) = fleet.rows().map_err(|why| of_server(&why))?;
            return print(metrics(&runs, &workers));
        }
        let runs = fleet.runs().map_err(|why| of_server(&why))?;
        if args.json {
            return print_json(&runs);
        }
        let mut text =
            row(&["run", "state", "done", "open", "workers", "slots", "share", "coordinator"]);
        for run in runs {
            let at = run.progress;
            let numbers = [at.done, at.open, at.workers as u64, at.slots as u64, run.share.into()];
            let [done, open, workers, slots, share] = numbers.map(|number| number.to_string());
            let silent = match run.silent_s {
                _ if run.has_ended && run.state == "paused" => ", has stopped".to_owned(),
                seconds if !run.has_ended && seconds > SILENT.as_secs() as i64 => {
                    format!(", silent for {seconds} s")
                }
                _ => String::new(),
            };
            let excluded = match run.excluded.as_slice() {
                [] => String::new(),
                names => format!("  {} excludes: {}\n", run.name, names.join(", ")),
            };
            let holder = tengen_runs::contract::printable(&run.holder);
            let last = format!("{holder}{silent}");
            text += &row(&[&run.name, run.state, &done, &open, &workers, &slots, &share, &last]);
            text += &excluded;
        }
        print(text)
    }

    pub(super) fn workers(args: &WorkersArgs, fleet: &Fleet) -> anyhow::Result<()> {
        let changes = [("--drain", &args.drain, true), ("--restore", &args.restore, false)];
        for (option, worker, is_drained) in changes {
            let Some(worker) = worker else { continue };
            if !fleet.drain(worker, is_drained).map_err(|why| of_server(&why))? {
                return Err(Refusal(format!(
                    "{option} {worker}: no such worker is at the server; \"tengen workers --nats\" lists them"
                ))
                .into());
            }
            return print(match is_drained {
                true => {
                    format!("{worker} takes no more tasks; --restore {worker} takes this back\n")
                }
                false => format!("{worker} takes tasks again\n"),
            });
        }
        let workers = fleet.workers().map_err(|why| of_server(&why))?;
        if args.json {
            return print_json(&workers);
        }
        let mut text =
            row(&["worker", "slots", "state", "version", "", "bench", "takes no task of"]);
        for worker in workers {
            let bench = worker.bench.map(|nodes| nodes.to_string()).unwrap_or_default();
            let state = if worker.is_drained { "drained" } else { "works" };
            let refuses = worker.refuses.iter().map(|(run, why)| format!("{run}: {why}"));
            let refuses = tengen_runs::contract::printable(&refuses.collect::<Vec<_>>().join("; "));
            let version = tengen_runs::contract::quoted(&worker.version);
            let slots = worker.slots.to_string();
            text += &row(&[&worker.name, &slots, state, &version, "", &bench, &refuses]);
        }
        print(text)
    }
}
