//! Workers in other processes: the carrier of a run, and the file of the engines that its children may
//! run.

use tengen_runs::{Remote, RunInfo, Transport, contract};

use super::before::PreparedRun;
use super::{Context, Failure};
use crate::config::option::{OptionSpec, has};
use crate::config::{EngineConfig, Setting, SettingValue, worker_toml};
use crate::game::{Plan, RunRules};
use crate::work::build;
use crate::work::codec::PairCodec;
use crate::work::listing::names_file;

/// The file of the engines that a child may run, in the run folder.
const LISTING: &str = "work.toml";

/// Starts the workers of a run in other processes.
pub(super) fn start(
    run: &PreparedRun,
    context: &mut Context<'_>,
) -> Result<Box<dyn Transport<Plan>>, Failure> {
    let (transport, folder) = (&run.config.transport, &run.folder.0);
    let build = build(transport.kind, context.catalog).map_err(Failure::refused)?;
    run.folder.write(LISTING, listing(run).as_bytes())?;
    let path = folder.join(LISTING).to_string_lossy().into_owned();
    let head = run.records.first().and_then(|head| serde_json::to_string(head).ok());
    let info = RunInfo {
        engines: run.prepared.iter().map(|engine| engine.config.identity(&engine.sha256)).collect(),
        children: run.config.concurrency as usize,
        excluded: run.journal.purged().to_vec(),
        env: vec![
            (contract::CONFIG_VARIABLE.to_owned(), path),
            (contract::VIEWS_VARIABLE.to_owned(), "1".to_owned()),
        ],
        ..RunInfo::new(transport, folder, &head.unwrap_or_default(), build.clone())
    };
    let players = run.prepared.iter().map(|engine| engine.config.clone()).collect();
    let rules = RunRules { spec: run.spec.clone(), players, config: run.config.clone() };
    let (settings, prepared) = (&run.settings, &run.prepared);
    let codec = PairCodec::new(&info.name, build, rules, settings, prepared, context.catalog);
    let codec = codec.map_err(Failure::refused)?;
    let done = run.journal.results().clone();
    let remote = Remote::connect(codec, done, transport, info, "-")?;
    context.console.on_interrupt(remote.interrupter());
    Ok(Box::new(remote))
}

/// Writes the engines of a run as the file of a worker. Files that their options name are allowed.
fn listing(run: &PreparedRun) -> String {
    let tables = |key: &str| {
        let entries = run.settings.iter().filter(|entry| entry.key == key);
        entries
            .filter_map(|entry| match &entry.value {
                SettingValue::Table(keys) => Some(keys.clone()),
                _ => None,
            })
            .collect::<Vec<Vec<Setting>>>()
    };
    let (each, own) = (tables("each").concat(), tables("engine"));
    let is_kept = |entry: &&Setting| {
        let key = entry.key.as_str();
        !(has::<EngineConfig>(key, OptionSpec::TASK)
            || key.starts_with("option.")
            || matches!(key, "options" | "name" | "cmd" | "dir" | "proto"))
    };
    let (mut engines, mut files) = (Vec::new(), Vec::new());
    for (number, engine) in run.prepared.iter().enumerate() {
        // A tuning plays one engine against itself.
        let own = own.get(number).or(own.last()).into_iter().flatten();
        let mut keys: Vec<Setting> = each.iter().chain(own).filter(is_kept).cloned().collect();
        let config = &engine.config;
        let launch = &config.launch;
        keys.push(Setting::text("name", config.label()));
        keys.push(Setting::text("cmd", launch.cmd.to_string_lossy()));
        keys.extend(launch.dir.iter().map(|dir| Setting::text("dir", dir.to_string_lossy())));
        keys.push(Setting::text("proto", config.proto.name()));
        keys.push(Setting::text("sha256", &engine.sha256));
        engines.push(keys);
        let named = config.options.iter().filter(|(name, value)| names_file(name, value));
        files.extend(named.map(|(_, value)| Setting::text(value, value)));
    }
    worker_toml(&engines, &files, &std::env::current_dir().unwrap_or_default())
}
