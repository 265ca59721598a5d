//! Prepares the engines of a run: finds their programs and dialects, checks their options, and
//! gives them different names. Engines that cannot play are refused before the first game.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use tengen_engine::text::quotable;
use tengen_engine::{BoardOption, Catalog, Chosen, GameSpec};
use tengen_protocol::client::{EngineOptionKind, GameNeeds};
use tengen_protocol::dialect::gomocup::client::rule_number;
use tengen_protocol::dialect::uci::client::VARIANT_OPTION;

use crate::config::{ConfigError, EngineConfig, Proto, Timeouts};
use crate::engine::conversation::{Conversation, EngineError};
use crate::engine::host::EngineHost;

/// A checked engine.
#[derive(Clone, PartialEq, Debug)]
pub struct Prepared {
    /// The engine with its name, its dialect and the path of its program.
    pub config: EngineConfig,
    /// The SHA-256 of the program, in hexadecimal.
    pub sha256: String,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
}

/// The game of a run.
#[derive(Clone, Debug)]
pub struct RunGame {
    /// The game with its options.
    pub spec: GameSpec,
    /// The variant with its default board, which every engine that knows the variant plays.
    pub default_board: GameSpec,
}

impl RunGame {
    /// Describes the game of a run. The error says why its variant has no default board.
    pub fn new(spec: &GameSpec, catalog: &dyn Catalog) -> Result<Self, String> {
        let default_board = catalog.describe(spec.variant, &Chosen::new());
        let default_board = default_board.map_err(|why| why.to_string())?;
        Ok(Self { spec: spec.clone(), default_board })
    }
}

/// Facts about engines from earlier checks.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KnownEngines {
    /// The dialects that were found by trying.
    pub dialects: Vec<KnownDialect>,
    /// Programs with their SHA-256, from this session.
    pub programs: Vec<(PathBuf, String)>,
}

/// A dialect that was found by trying, and the program that speaks it.
///
/// A program can choose its dialect by its arguments, or by its own file name as `pbrain-tengen`
/// does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownDialect {
    /// The SHA-256 of the program, in hexadecimal.
    pub sha256: String,
    /// The file name of the program.
    pub file_name: Option<OsString>,
    /// The arguments of the program.
    pub args: Vec<String>,
    /// The dialect.
    pub proto: Proto,
}

impl KnownDialect {
    /// Records the dialect of an engine.
    pub fn new(sha256: String, engine: &EngineConfig) -> Self {
        let file_name = engine.launch.cmd.file_name().map(OsStr::to_owned);
        Self { sha256, file_name, args: engine.launch.args.clone(), proto: engine.proto }
    }

    fn is_of(&self, sha256: &str, engine: &EngineConfig) -> bool {
        *self == Self { proto: self.proto, ..Self::new(sha256.to_owned(), engine) }
    }
}

/// The option for a book of games or scores.
const BOOK_OPTION: &str = "BookFile";

/// The timeout of the handshake when a dialect is guessed.
const GUESS: Duration = Duration::from_secs(2);

/// Prepares all engines, one after the other. Withdrawn ones are not started.
pub fn prepare(
    host: &mut dyn EngineHost,
    engines: &[EngineConfig],
    game: &RunGame,
    timeouts: Timeouts,
    known: &KnownEngines,
) -> Result<Vec<Prepared>, ConfigError> {
    let (mut prepared, mut known) = (Vec::new(), known.clone());
    for engine in engines {
        if engine.is_withdrawn {
            let (config, sha256) = (engine.clone(), String::new());
            prepared.push(Prepared { config, sha256, notes: Vec::new() });
            continue;
        }
        let engine_ready = prepare_one(host, engine, game, timeouts, &known)?;
        let Prepared { config, sha256, .. } = &engine_ready;
        known.programs.push((config.launch.cmd.clone(), sha256.clone()));
        if engine.proto == Proto::Auto {
            known.dialects.push(KnownDialect::new(sha256.clone(), config));
        }
        prepared.push(engine_ready);
    }
    number_names(engines, &mut prepared);
    Ok(prepared)
}

/// Prepares one engine: starts it, checks its options, and ends it.
pub fn prepare_one(
    host: &mut dyn EngineHost,
    engine: &EngineConfig,
    game: &RunGame,
    timeouts: Timeouts,
    known: &KnownEngines,
) -> Result<Prepared, ConfigError> {
    let spec = &game.spec;
    let label = engine.label();
    let refuse = |why: String| ConfigError::at(&engine.place, format!("engine {label}: {why}"));
    can_play(engine, spec).map_err(refuse)?;
    let cmd = find(&engine.launch.cmd).map_err(refuse)?;
    let known_program = known.programs.iter().find(|(program, _)| *program == cmd);
    let sha256 = known_program.map_or_else(|| hash(&cmd), |(_, sha256)| Ok(sha256.clone()));
    let sha256 = sha256.map_err(refuse)?;
    let mut config = engine.clone();
    config.launch.dir = engine.launch.dir.clone().or_else(|| cmd.parent().map(Path::to_owned));
    config.launch.cmd = cmd;
    let is_of = |known: &&KnownDialect| known.is_of(&sha256, &config);
    let guesses = match (engine.proto, known.dialects.iter().find(is_of)) {
        (Proto::Auto, Some(known)) => vec![known.proto],
        (Proto::Auto, None) => guesses(&config.launch.cmd),
        (proto, _) => vec![proto],
    };
    let mut session = open(host, &mut config, spec, timeouts, &guesses).map_err(refuse)?;
    let name =
        engine.name.clone().or_else(|| session.name.clone()).unwrap_or_else(|| label.clone());
    config.name = Some(name.clone());
    let mut checked = check(&session, &config, game);
    if checked.is_ok() && config.proto == Proto::Gtp {
        checked = set_up(&mut session, host, &config, spec, timeouts);
    }
    session.quit(host);
    checked.map_err(refuse)?;
    let mut notes = Vec::new();
    let (proto, dialect) = (config.proto, config.proto.name());
    if config.ponder && proto != Proto::Uci {
        config.ponder = false;
        notes.push(format!("{name}: {dialect} cannot ponder, so that it does not"));
    }
    if engine.proto == Proto::Auto {
        notes.push(format!("{name} speaks {dialect}"));
    }
    if proto == Proto::Gomocup && !config.options.is_empty() {
        notes.push(format!(
            "{name}: options are sent as INFO, which tells nobody whether they are known"
        ));
    }
    if config.time.plays_by_moves() && !matches!(proto, Proto::Uci | Proto::Gtp) {
        return Err(refuse(format!(
            "tc= with a number of moves: {dialect} has no such clock; the longest time for one move is turn=, as in tc=180 turn=30"
        )));
    }
    Ok(Prepared { config, sha256, notes })
}

/// Checks the configured variants and boards of an engine against the game of the run.
fn can_play(engine: &EngineConfig, spec: &GameSpec) -> Result<(), String> {
    let number = rule_number(spec).map(|number| number.to_string());
    let plays =
        |rule: &String| rule.eq_ignore_ascii_case(spec.variant) || Some(rule) == number.as_ref();
    if !engine.rules.is_empty() && !engine.rules.iter().any(plays) {
        let rules = engine.rules.join(", ");
        return Err(format!("rules={rules}: it does not play {}", spec.variant));
    }
    let Some((width, height)) = spec.size() else { return Ok(()) };
    if !engine.sizes.is_empty() && !engine.sizes.contains(&(width, height)) {
        let sizes: Vec<String> = engine.sizes.iter().map(|(w, h)| format!("{w}x{h}")).collect();
        let sizes = sizes.join(", ");
        return Err(format!("sizes={sizes}: it does not play on {width}x{height}"));
    }
    Ok(())
}

/// Returns the path and the SHA-256 of a program.
pub fn find_program(cmd: &Path) -> Result<(PathBuf, String), String> {
    let path = find(cmd)?;
    let sha256 = hash(&path)?;
    Ok((path, sha256))
}

/// Returns the file of a program: a path, or a name in `PATH`.
fn find(cmd: &Path) -> Result<PathBuf, String> {
    let is_program = |path: &PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        let metadata = path.metadata();
        metadata.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let is_path = cmd.components().count() > 1 || cmd.is_absolute();
    let path = std::env::var_os("PATH").filter(|_| !is_path);
    let mut folders = path.iter().flat_map(std::env::split_paths);
    let in_path = folders.find_map(|folder| Some(folder.join(cmd)).filter(is_program));
    // A program in the current folder is found too.
    let found = in_path.or_else(|| std::path::absolute(cmd).ok().filter(is_program));
    found.ok_or_else(|| format!("there is no program \"{}\"", quotable(&cmd.to_string_lossy())))
}

fn hash(path: &Path) -> Result<String, String> {
    sha256(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the SHA-256 of a file, in hexadecimal.
pub fn sha256(path: &Path) -> std::io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut bytes = vec![0; 1 << 16];
    loop {
        let read = std::io::Read::read(&mut file, &mut bytes)?;
        if read == 0 {
            return Ok(HEXLOWER.encode(&hash.finalize()));
        }
        hash.update(&bytes[..read]);
    }
}

/// Returns the dialects in the order of trying.
fn guesses(cmd: &Path) -> Vec<Proto> {
    let name = cmd.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
    if name.as_ref().is_some_and(|name| name.starts_with("pbrain-")) {
        return vec![Proto::Gomocup, Proto::Uci, Proto::Ugi, Proto::Gtp];
    }
    if name.is_some_and(|name| name.starts_with("gtp-")) {
        return vec![Proto::Gtp, Proto::Uci, Proto::Ugi, Proto::Gomocup];
    }
    vec![Proto::Uci, Proto::Ugi, Proto::Gomocup, Proto::Gtp]
}

/// Opens a session in the first dialect that the engine speaks. Each guess gets a new process,
/// because the first line can fix the dialect of an engine. The dialect is set in `engine`.
fn open(
    host: &mut dyn EngineHost,
    engine: &mut EngineConfig,
    spec: &GameSpec,
    timeouts: Timeouts,
    guesses: &[Proto],
) -> Result<Conversation, String> {
    let mut answers = Vec::new();
    for proto in guesses {
        engine.proto = *proto;
        let is_guess = guesses.len() > 1;
        let startup = if is_guess { timeouts.startup.min(GUESS) } else { timeouts.startup };
        match Conversation::open(host, 0, engine, spec, Timeouts { startup, ..timeouts }) {
            Ok(session) => return Ok(session),
            Err(EngineError::NotStarted(why)) => return Err(format!("cannot be started: {why}")),
            Err(EngineError::Aborted) => return Err("the run was interrupted".to_owned()),
            Err(EngineError::Foreign(text)) => {
                answers.push(format!("{}: it said {text}", proto.name()));
            }
            Err(EngineError::Refused(text)) => {
                let board = spec.size().map_or_else(String::new, |(w, h)| format!(" of {w}x{h}"));
                let dialect = proto.name();
                return Err(format!("it speaks {dialect} and refuses the board{board}: {text}"));
            }
            Err(EngineError::Failed(_, text)) => answers.push(format!("{}: {text}", proto.name())),
        }
    }
    Err(format!("it speaks none of the dialects that were tried ({})", answers.join("; ")))
}

/// Checks the options and the game against the options that the engine declared.
fn check(session: &Conversation, engine: &EngineConfig, game: &RunGame) -> Result<(), String> {
    let spec = &game.spec;
    let is_other = |(name, value): (&&'static str, &i64)| {
        let is_size = BoardOption::named(name).is_some_and(BoardOption::is_size);
        !is_size && game.default_board.chosen.get(name) != Some(value)
    };
    let needs = GameNeeds {
        spec,
        variant: engine.variant_option(spec),
        terms: &engine.time.terms(engine.launch.memory),
        sets_options: !engine.options.is_empty() || spec.chosen.iter().any(is_other),
    };
    if let Some(why) = session.cannot_play(&needs) {
        return Err(why);
    }
    if !session.declares_options() {
        return check_books(engine);
    }
    for (name, value) in &engine.options {
        let Some(option) = session.option(name) else {
            let known = session.options.iter().map(|option| option.name.as_str());
            let (name, known) = (quotable(name), known.collect::<Vec<_>>().join(", "));
            return Err(format!("it has no option \"{name}\"; it has {known}"));
        };
        if let Some(allowed) = option.refuses(value) {
            let value = quotable(value);
            return Err(format!("option {} \"{value}\": it must be {allowed}", option.name));
        }
    }
    check_books(engine)?;
    let Some(variant) = engine.variant_option(spec) else { return Ok(()) };
    if session.option(VARIANT_OPTION).is_none() {
        let dialect = engine.proto.name().to_ascii_uppercase();
        let name = session.name.clone().unwrap_or_else(|| engine.label());
        return Err(format!(
            "{name} speaks {dialect} but has no option {VARIANT_OPTION}; where it plays {} by itself, say variant-name=none",
            spec.variant
        ));
    }
    // Options that are set before may add variants.
    let may_grow = !engine.init.is_empty() || !engine.options.is_empty();
    if let Some(EngineOptionKind::Combo(known)) =
        session.option(VARIANT_OPTION).map(|option| &option.kind)
        && !may_grow
        && !known.iter().any(|known| known.eq_ignore_ascii_case(variant))
    {
        let known = known.join(", ");
        return Err(format!("it does not know the variant {variant}; it knows {known}"));
    }
    // A board that is not the default of the variant needs its options.
    for (name, value) in &spec.chosen {
        let is_default = game.default_board.chosen.get(name) == Some(value);
        if !is_default && session.option(name).is_none() {
            return Err(format!("it has no option {name}, and this board needs {name}={value}"));
        }
    }
    Ok(())
}

/// Sets the engine up for a game as each game does. The options of GTP are known only by the answers.
fn set_up(
    session: &mut Conversation,
    host: &mut dyn EngineHost,
    engine: &EngineConfig,
    spec: &GameSpec,
    timeouts: Timeouts,
) -> Result<(), String> {
    let terms = engine.time.terms(engine.launch.memory);
    let ready = session
        .configure(host, engine, spec, timeouts)
        .and_then(|()| session.new_game(host, spec, &terms, timeouts.new_game));
    ready.map_err(|error| {
        error.end().map_or_else(|| "the run was interrupted".to_owned(), |(_, text)| text)
    })
}

/// Checks that the books of an engine are there: without them it would play, and only say so.
pub(crate) fn check_books(engine: &EngineConfig) -> Result<(), String> {
    let books = engine.options.iter().filter(|(name, _)| name.eq_ignore_ascii_case(BOOK_OPTION));
    for (name, value) in books {
        check_book(engine.launch.dir.as_deref(), value)
            .map_err(|why| format!("option {name} \"{}\": {why}", quotable(value)))?;
    }
    Ok(())
}

/// Checks that a book is there for an engine that runs in `folder`.
fn check_book(folder: Option<&Path>, value: &str) -> Result<(), String> {
    if matches!(value, "" | "<empty>") {
        return Ok(());
    }
    match folder.unwrap_or(Path::new("")).join(value).metadata() {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err("this is no file, but a folder, a pipe or a device".to_owned()),
        Err(why) => Err(why.to_string()),
    }
}

/// Adds numbers to equal names that engines report.
fn number_names(engines: &[EngineConfig], prepared: &mut [Prepared]) {
    for index in 0..prepared.len() {
        if engines[index].name.is_some() {
            continue;
        }
        let name = prepared[index].config.label();
        let is_fixed = |other: &usize| *other < index || engines[*other].name.is_some();
        let fixed = (0..prepared.len()).filter(is_fixed);
        let taken: Vec<String> = fixed.map(|other| prepared[other].config.label()).collect();
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let mut candidates = std::iter::once(name.clone()).chain(numbered);
        prepared[index].config.name = candidates.find(|candidate| !taken.contains(candidate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Launch;

    #[test]
    fn a_dialect_belongs_to_a_program_with_its_name_and_arguments() {
        let engine = |cmd: &str, script: &str, proto| {
            let (cmd, args) = (PathBuf::from(cmd), vec![script.to_owned()]);
            let launch = Launch { cmd, args, ..Launch::default() };
            EngineConfig { launch, proto, ..EngineConfig::default() }
        };
        let spoken = |cmd: &str, script: &str, proto| {
            KnownDialect::new("hash".to_owned(), &engine(cmd, script, proto))
        };
        let dialects = [
            spoken("/bin/sh", "a.sh", Proto::Uci),
            spoken("/bin/sh", "b.sh", Proto::Gomocup),
            spoken("tengen", "", Proto::Ugi),
            spoken("pbrain-tengen", "", Proto::Gomocup),
        ];
        let dialect = |sha256, cmd: &str, script| {
            let engine = engine(cmd, script, Proto::Auto);
            let is_of = |known: &&KnownDialect| known.is_of(sha256, &engine);
            dialects.iter().find(is_of).map(|known| known.proto)
        };
        assert_eq!(dialect("hash", "/usr/bin/sh", "a.sh"), Some(Proto::Uci));
        assert_eq!(dialect("hash", "sh", "b.sh"), Some(Proto::Gomocup));
        assert_eq!(dialect("hash", "sh", "c.sh"), None);
        assert_eq!(dialect("other", "sh", "a.sh"), None);
        assert_eq!(dialect("hash", "tengen", ""), Some(Proto::Ugi));
        assert_eq!(dialect("hash", "pbrain-tengen", ""), Some(Proto::Gomocup));
    }
}
