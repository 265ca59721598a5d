//! [`PreparedRun`]: reads settings and openings, checks engines, assigns CPUs, opens the journal.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use fastrand::Rng;
use tengen_engine::text::quotable;
use tengen_engine::{GameSpec, Position, cores};
use tengen_runs::journal::Journal;

use super::folder::{OPENINGS, RunFolder, changed, known_engines, saved};
use super::{Console, Context, Failure, refusal, refuse};
use crate::config::given::{read_toml, read_words};
use crate::config::option::{self, Options};
use crate::config::{Config, ConfigError, OpeningFormat, Proto, Setting};
use crate::engine::prepare::{Prepared, RunGame, prepare};
use crate::engine::process::ProcessHost;
use crate::engine::process::affinity::{self, Assignment};
use crate::openings::{OpeningList, OpeningOrder, generate};
use crate::output::{files, table};
use crate::record::{JournalRecord, RunHead, utc};
use crate::stats::ratings::Ratings;
use crate::tally::Tally;

/// Numbers of the random streams of a run, one for each use. Stream 4 is that of proofs.
mod streams {
    /// The order of openings.
    pub(crate) const OPENINGS: u64 = 1;
    /// Bootstrap samples for the errors of ratings.
    pub(crate) const RATINGS: u64 = 2;
    /// Generated openings.
    pub(crate) const GENERATE: u64 = 3;
}

/// Creates the random generator of stream `which` of a run's seed.
pub(super) fn stream(seed: u64, which: u64) -> Rng {
    // Similar seeds must not give similar streams.
    let mut mixed = Rng::with_seed(seed ^ which.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Rng::with_seed(mixed.u64(..))
}

/// Reads the settings of a command line. The settings of a tournament file come first.
pub(super) fn read_args(args: &[String]) -> Result<Vec<Setting>, Failure> {
    let (files, settings) = read_words(args)?;
    let mut entries = match files.as_slice() {
        [] => Vec::new(),
        [file] => {
            let text = fs::read_to_string(file).map_err(|error| {
                refusal!("{}: cannot be read: {error}", Path::new(file).display())
            })?;
            read_toml(Path::new(file), &text)?
        }
        [_, second, ..] => {
            return refuse!("\"{}\": only one tournament file is allowed", quotable(second));
        }
    };
    entries.extend(settings);
    Ok(entries)
}

/// Refuses options without this flag. `why` stands before the list of the others in the message.
pub(super) fn check_options(entries: &[Setting], flag: u8, why: &str) -> Result<(), Failure> {
    let is_other = |entry: &&Setting| !option::has::<Config>(&entry.key, flag);
    let Some(other) = entries.iter().find(is_other) else { return Ok(()) };
    let allowed = option::names(Config::specs(), flag);
    refuse!("-{}: {why} {allowed}", other.key)
}

/// Reads or generates the openings of a run; `None` without openings and with an opening rule.
pub(super) fn read_openings(
    config: &Config,
    board: &mut dyn Position,
    context: &mut Context<'_>,
) -> Result<Option<OpeningList>, Failure> {
    if let Some((setting, name)) = config.named_opening_rule() {
        let rule = context.catalog.opening_rule(board.spec(), name);
        rule.map_err(|why| Failure::refused(format!("{setting}: {why}")))?;
    }
    let Some(openings) = &config.openings else { return Ok(None) };
    let refuse = |why: String| ConfigError::at(&openings.place, format!("openings: {why}"));
    let list = match openings.style {
        // The players place the stones.
        OpeningFormat::Swap2 => return Ok(None),
        OpeningFormat::Generate => {
            let mut random = stream(config.seed, streams::GENERATE);
            let spec = board.spec().clone();
            let mut notes = GenerationNotes::new(openings.count as usize);
            let mut progress = |done| notes.show(done, context.console);
            generate(openings, context.catalog, &spec, &mut random, &mut progress)
                .map_err(refuse)?
        }
        _ => OpeningList::read(openings, board).map_err(Failure::refused)?,
    };
    Ok(Some(list))
}

/// Prints how many openings are generated: after a second, then every five seconds.
struct GenerationNotes {
    count: usize,
    started_at: Instant,
    /// The time from the start to the next note.
    due: Duration,
}

impl GenerationNotes {
    fn new(count: usize) -> Self {
        Self { count, started_at: Instant::now(), due: Duration::from_secs(1) }
    }

    fn show(&mut self, done: usize, console: &mut dyn Console) {
        let elapsed = self.started_at.elapsed();
        if elapsed < self.due {
            return;
        }
        self.due = elapsed + Duration::from_secs(5);
        let seconds = elapsed.as_secs_f64() / done as f64 * (self.count - done) as f64;
        let left = if done == 0 { String::new() } else { format!(", about {seconds:.0} s left") };
        console.print_note(&format!("generating openings: {done} of {}{left}", self.count));
    }
}

/// Starts every engine once to learn its name, dialect and options.
pub(super) fn ask_engines(
    config: &Config,
    spec: &GameSpec,
    context: &mut Context<'_>,
) -> Result<Vec<Prepared>, Failure> {
    let game = RunGame::new(spec, context.catalog).map_err(Failure::refused)?;
    let mut host = start_host()?;
    let known = known_engines(config);
    let prepared = prepare(&mut host, &config.engines, &game, config.timeouts, &known);
    host.await_exits();
    let mut prepared = prepared?;
    for (number, engine) in (1..).zip(&mut prepared) {
        let of = |key: &str| saved(config, &format!("{key}{number}"));
        // A continued run keeps the names in its journal.
        if let Some(name) = of("name") {
            engine.config.name = Some(name.to_owned());
        }
        // The program of a withdrawn engine was neither read nor started.
        if engine.config.is_withdrawn {
            engine.sha256 = of("engine").unwrap_or_default().to_owned();
            engine.config.proto =
                of("dialect").and_then(Proto::named).unwrap_or(engine.config.proto);
        }
        engine.notes.iter().for_each(|note| context.note(note));
    }
    Ok(prepared)
}

/// Creates a host for the engines that are asked or checked.
pub(super) fn start_host() -> Result<ProcessHost, Failure> {
    ProcessHost::start().map_err(|error| refusal!("no engine can be started: {error}"))
}

/// Starts the engines of a run to learn their names, dialects and options.
pub(super) type Ask = fn(&Config, &GameSpec, &mut Context<'_>) -> Result<Vec<Prepared>, Failure>;

/// A prepared run.
pub(super) struct PreparedRun {
    pub(super) config: Config,
    /// The settings that the configuration was read from.
    pub(super) settings: Vec<Setting>,
    pub(super) spec: GameSpec,
    pub(super) prepared: Vec<Prepared>,
    pub(super) folder: RunFolder,
    pub(super) journal: Journal<JournalRecord>,
    pub(super) records: Vec<JournalRecord>,
    pub(super) openings: Option<OpeningList>,
    /// The CPUs of the games; `None` without `-use-affinity`.
    pub(super) cpus: Option<Assignment>,
}

impl PreparedRun {
    /// Prepares a new run, and creates its folder.
    pub(super) fn create(
        entries: &[Setting],
        config: Config,
        context: &mut Context<'_>,
        ask: Ask,
    ) -> Result<Self, Failure> {
        let spec = config.spec(context.catalog)?;
        let Some(started) = utc(SystemTime::now()) else {
            return refuse!("the clock of this machine shows no year from 1970 to 9999: set it");
        };
        check_proofs(&config, &spec)?;
        check_outputs(&config, |_| true)?;
        let mut board = context.catalog.position(&spec);
        let openings = read_openings(&config, &mut *board, context)?;
        let prepared = ask(&config, &spec, context)?;
        let cpus = assign_cpus(&config, &prepared)?;
        let folder = RunFolder::create(config.out.as_deref())?;
        let text = text_of(openings.as_ref(), &mut *board)?;
        if let Some(text) = &text {
            folder.write(OPENINGS, text.as_bytes())?;
        }
        // A tuning plays one engine against itself.
        let engines = &prepared[..config.engines.len()];
        folder.save_settings(entries, engines, text.as_deref(), &started)?;
        let (mut journal, records) = Journal::<JournalRecord>::open(&folder.0)?;
        if !records.is_empty() {
            return Err(changed(format!("{} holds a run already", folder.0.display())));
        }
        let records = vec![head(&config, &spec, engines, started)];
        journal.append(&records)?;
        let settings = entries.to_vec();
        Ok(Self { config, settings, spec, prepared, folder, journal, records, openings, cpus })
    }

    /// Prepares to continue the run in `folder`.
    pub(super) fn reopen(
        folder: RunFolder,
        entries: &[Setting],
        mut config: Config,
        context: &mut Context<'_>,
        ask: Ask,
    ) -> Result<Self, Failure> {
        let spec = config.spec(context.catalog)?;
        let openings = folder.openings(&config, &mut *context.catalog.position(&spec))?;
        let (mut journal, mut records) = Journal::<JournalRecord>::open(&folder.0)?;
        if !records.is_empty() {
            check_head(&records, &spec)?;
        }
        let readmitted = withdraw(&mut config, &records)?;
        let prepared = ask(&config, &spec, context)?;
        let engines = &prepared[..config.engines.len()];
        check_hashes(&config, engines)?;
        let cpus = assign_cpus(&config, &prepared)?;
        let mut new = readmitted;
        // The run was ended before the journal had its head.
        if records.is_empty() {
            let started = saved(&config, "started").unwrap_or_default().to_owned();
            new.insert(0, head(&config, &spec, engines, started));
        }
        if !new.is_empty() {
            journal.append(&new)?;
            records.extend(new);
        }
        let settings = entries.to_vec();
        Ok(Self { config, settings, spec, prepared, folder, journal, records, openings, cpus })
    }

    /// Returns the start of the run, in UTC.
    pub(super) fn started(&self) -> &str {
        RunHead::of(&self.records).map_or("", |head| &head.started)
    }

    /// Returns the order of the openings; without a list, every game begins at the starting
    /// position.
    pub(super) fn order(&self) -> OpeningOrder {
        match (&self.openings, &self.config.openings) {
            (Some(list), Some(openings)) => {
                let mut random = stream(self.config.seed, streams::OPENINGS);
                OpeningOrder::new(list, openings, &self.spec, &mut random)
            }
            _ => OpeningOrder::none(),
        }
    }
}

/// Writes openings in the format of the run folder; `None` if there is no list.
pub(super) fn text_of(
    openings: Option<&OpeningList>,
    board: &mut dyn Position,
) -> Result<Option<String>, Failure> {
    openings.map(|list| list.to_text(board)).transpose().map_err(Failure::refused)
}

/// Refuses output files that another run or program wrote. `is_new` chooses options by name: a run
/// that is continued completes the files that it has written.
pub(super) fn check_outputs(config: &Config, is_new: impl Fn(&str) -> bool) -> Result<(), Failure> {
    let named = config.outputs.named();
    let new = named.iter().filter(|(option, _)| is_new(option));
    let new = new.map(|(option, path)| (*option, path.as_path()));
    files::check(new, config.force).map_err(Failure::refused)
}

/// Refuses adjudication by proof in a test of a solved game: it would hide the engines' mistakes.
fn check_proofs(config: &Config, spec: &GameSpec) -> Result<(), Failure> {
    let hides_mistakes = config.proof.is_some() && config.sprt.is_some() && spec.is_exact;
    if !hides_mistakes || config.force_proof {
        return Ok(());
    }
    refuse!(
        "proof: {} is solved, so that a test would count wins that an engine might miss; -force-proof allows it",
        spec.variant
    )
}

/// Creates the first record of a run. `started` is the time of the start, in UTC.
fn head(config: &Config, spec: &GameSpec, prepared: &[Prepared], started: String) -> JournalRecord {
    JournalRecord::Head(RunHead {
        version: RunHead::VERSION,
        program: tengen_protocol::PRODUCT.to_owned(),
        variant: spec.variant.to_owned(),
        rules: spec.rules.clone(),
        size: spec.size(),
        players: names(prepared),
        seed: config.seed,
        started,
    })
}

/// Checks that the journal belongs to the game of the run.
fn check_head(records: &[JournalRecord], spec: &GameSpec) -> Result<(), Failure> {
    let why = match RunHead::of(records) {
        Some(head) if head.variant == spec.variant && head.rules == spec.rules => return Ok(()),
        Some(head) => {
            let (then, now) = (&head.rules, &spec.rules);
            format!("the journal belongs to game {then}; this run plays {now}")
        }
        None => "the journal does not begin with its head".to_owned(),
    };
    Err(changed(why))
}

/// Marks the engines that were withdrawn before the run was resumed, so that they are not started.
/// Returns the journal records of the engines that `-readmit` names.
fn withdraw(config: &mut Config, records: &[JournalRecord]) -> Result<Vec<JournalRecord>, Failure> {
    let names = RunHead::of(records).map_or(&[][..], |head| &head.players);
    let mut withdrawn = Tally::of(names, records).withdrawn;
    let mut readmitted = Vec::new();
    for name in &config.readmit {
        let Some(player) = withdrawn.keys().copied().find(|player| names[*player] == *name) else {
            let known: Vec<&str> = withdrawn.keys().map(|player| names[*player].as_str()).collect();
            let known = if known.is_empty() { "nobody".to_owned() } else { known.join(", ") };
            let name = quotable(name);
            return refuse!(
                "-readmit \"{name}\": it must be a withdrawn engine; withdrawn: {known}"
            );
        };
        withdrawn.remove(&player);
        readmitted.push(JournalRecord::Readmitted { player });
    }
    for player in withdrawn.into_keys() {
        if let Some(engine) = config.engines.get_mut(player) {
            engine.is_withdrawn = true;
        }
    }
    Ok(readmitted)
}

/// Checks that the programs of the engines have not changed since the run began.
fn check_hashes(config: &Config, prepared: &[Prepared]) -> Result<(), Failure> {
    if config.allow_changed {
        return Ok(());
    }
    for (number, engine) in (1..).zip(prepared) {
        let saved = saved(config, &format!("engine{number}"));
        if !engine.config.is_withdrawn && saved != Some(engine.sha256.as_str()) {
            let (name, cmd) = (engine.config.label(), engine.config.launch.cmd.display());
            return Err(changed(format!(
                "the program of {name}, {cmd}, has changed since the run began; use -allow-changed to continue"
            )));
        }
    }
    Ok(())
}

/// Returns the number of CPUs of one game: the maximum number of threads of an engine; with
/// pondering, the sum of the two greatest.
fn cpus_per_game(prepared: &[Prepared]) -> u32 {
    let mut threads: Vec<u32> = prepared.iter().map(|engine| engine.config.threads()).collect();
    threads.sort_unstable_by_key(|threads| Reverse(*threads));
    let engines = if prepared.iter().any(|engine| engine.config.ponder) { 2 } else { 1 };
    threads.iter().take(engines).sum()
}

/// Rates the players of a run.
pub(super) fn rated(tally: &Tally, config: &Config) -> Ratings {
    let seed = config.seed ^ streams::RATINGS;
    table::ratings(tally, config.advantage, config.bootstrap as usize, seed)
}

/// Returns the names of the engines.
pub(super) fn names(prepared: &[Prepared]) -> Vec<String> {
    prepared.iter().map(|engine| engine.config.label()).collect()
}

/// Assigns CPUs to the concurrent games; `None` without `-use-affinity`. Refuses more games than
/// the machine has CPUs for.
fn assign_cpus(config: &Config, prepared: &[Prepared]) -> Result<Option<Assignment>, Failure> {
    let per_game = cpus_per_game(prepared) as usize;
    let games = config.concurrency as usize;
    let assign = |list: &String| affinity::assign(&affinity::read_cpus(list)?, games, per_game);
    let assignment = config.affinity.as_ref().map(assign).transpose();
    let assignment = assignment.map_err(|why| refusal!("use-affinity: {why}"))?;
    let needed = per_game * games;
    // The CPU quota of a control group may be lower than the number of CPUs.
    let available = cores();
    if needed <= available || config.force_concurrency {
        return Ok(assignment);
    }
    refuse!(
        "concurrency {games} with {per_game} CPUs a game needs {needed} CPUs, and there are {available}; -force-concurrency allows it"
    )
}

/// Returns a path for messages, relative to the current folder if it lies there.
pub(super) fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).map_or_else(|_| path.to_owned(), Path::to_owned)
}
