//! Workers in other processes: the carrier of a run, and the file of the engines that its children may
//! run.

use std::path::Path;

use tengen_runs::{Remote, RunInfo, Transport, TransportKind, contract, without_password};

use super::before::{PreparedRun, shown};
use super::{Context, Failure};
use crate::config::option::{OptionSpec, has};
use crate::config::{Config, EngineConfig, Setting, SettingValue, worker_toml};
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
        purged: run.journal.purged().to_vec(),
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
    let remote = Remote::connect(codec, done, transport, info, "-").inspect_err(|_| {
        let command = resume_command(&shown(folder), &run.config, "");
        context.note(&format!("the run stays in its folder; start it with: {command}"));
    })?;
    context.console.on_interrupt(remote.interrupter());
    Ok(Box::new(remote))
}

/// Returns the saved settings that stay when a run is continued with the options `words`. Commands replace
/// commands, and another transport has options of its own.
pub(super) fn kept(saved: &[Setting], words: &[Setting]) -> Vec<Setting> {
    let of = |entries: &[Setting]| {
        let last = entries.iter().rfind(|entry| entry.key == "transport");
        last.map(|entry| entry.value.clone())
    };
    let is_other = of(words).is_some_and(|kind| Some(kind) != of(saved));
    let has_commands = words.iter().any(|entry| entry.key == "pipe");
    let stays = |entry: &&Setting| match entry.key.as_str() {
        "pipe" => !is_other && !has_commands,
        "nats" | "nats-creds" | "tls-ca" | "tls-client" => !is_other,
        _ => true,
    };
    saved.iter().filter(stays).cloned().collect()
}

/// Says that a run goes on with the workers that it had.
pub(super) fn note_kept(config: &Config, context: &mut Context<'_>) {
    let transport = &config.transport;
    if transport.kind == TransportKind::Local {
        return;
    }
    let server = transport.nats.as_deref();
    let server = server.map_or_else(String::new, |url| format!(" -nats {}", without_password(url)));
    context.note(&format!(
        "the run goes on with -transport {}{server}; \"-transport local\" plays it in this process",
        transport.kind.name()
    ));
}

/// Returns the command with these options that continues the run in `folder` with its workers.
pub(super) fn resume_command(folder: &Path, config: &Config, options: &str) -> String {
    let command = format!("tengen arena resume {}{options}", folder.display());
    match config.transport.nats.as_deref().filter(|url| url.contains('@')) {
        None => command,
        Some(url) => {
            let shown = without_password(url);
            format!(
                "{command} -nats URL (URL: {shown} with its user and password, which are not kept)"
            )
        }
    }
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
