//! The configuration of one engine: command, options, time control.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tengen_engine::GameSpec;
use tengen_engine::text::quotable;
use tengen_protocol::client::one_line;

use super::choices::{Proto, Restart};
use super::option::{OptionSpec, Options, Row, options};
use super::setting::{ConfigError, Setting, SettingSource, SettingValue};
use super::time_control::{GameClock, TimeControl, read_clock, read_seconds};
use super::values::{Value, board, bytes, join, parsed, refuse, refuse_value, text, texts};

/// How to start a program on a seat.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Launch {
    /// The program.
    pub cmd: PathBuf,
    /// The arguments.
    pub args: Vec<String>,
    /// The working folder; the current one if `None`.
    pub dir: Option<PathBuf>,
    /// Additional environment variables.
    pub env: Vec<(String, String)>,
    /// The file for standard error, which is dropped if `None`.
    pub stderr: Option<PathBuf>,
    /// The memory limit of all its processes together, in bytes; no limit if `None`.
    pub memory: Option<u64>,
    /// The CPUs that it may use; all if empty.
    pub cpus: Vec<usize>,
    /// The log of all lines to and from the engine; no log if `None`.
    pub log: Option<PathBuf>,
}

/// The name of the variant in the options of an engine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum VariantName {
    /// The name in the catalogue.
    #[default]
    Default,
    /// The engine plays only this game and gets no option for it.
    None,
    /// This name.
    Named(String),
}

options! {
    /// The configuration of an engine.
    pub struct EngineConfig("engine") {
        "Keys of -engine and -each (times in seconds):" {
            "name=NAME" ["as reported"]: "the name in tables; by default that which the engine reports"
                by |engine, entry| engine.name = Some(name(entry)?);
            "id=TEXT" ["SHA-256"]: "what other builds of it share, such as COMMIT-BENCH, for other machines"
                => id: Option<String>;
            "cmd=PROGRAM": "the program; needed" by |engine, entry| engine.launch.cmd = program(entry)?;
            "args=WORDS": "its arguments, quoted as in a shell"
                by |engine, entry| engine.launch.args = arguments(entry)?;
            "dir=FOLDER" ["that of cmd"]: "its working folder" in launch.dir;
            "env=NAME=VALUE": "a variable of its environment" in launch.env;
            "stderr=FILE" ["run folder"]: "its standard error" in launch.stderr;
            "proto=auto|uci|ugi|gomocup|gtp": "the dialect; auto tries all" => proto: Proto;
            "init=LINE" / "initstr": "a line that is sent before the options" => init: Vec<String>;
            "option.NAME=VALUE" [""]: "an option of the engine" by |engine, entry| {
                let option = entry.key.strip_prefix("option.").unwrap_or_default();
                set_pair(&mut engine.options, option, text(entry)?);
            };
            "options={..}": "options of the engine, in a tournament file" => options: Vec<(String, String)>;
            "tc=[MOVES/]BASE[+INC]" TASK: "a clock: 30+0.3, 1:30+1, 40/60; tc=inf is none"
                by |engine, entry| set_clock(&mut engine.time, entry)?;
            "st=TIME" TASK: "the time for each move" by |engine, entry| {
                (engine.time.clock, engine.time.turn) = (None, Some(span(entry)?));
            };
            "turn=TIME" TASK: "with tc, the longest time for one move"
                by |engine, entry| engine.time.turn = Some(span(entry)?);
            "nodes=N" TASK: "the nodes of each search; one of tc, st, nodes, depth is needed"
                in time.nodes, 1..=u64::MAX;
            "depth=N" TASK: "the depth of each search" in time.depth, 1..=4096;
            "timemargin=MS" ["0; st: 100"] TASK: "milliseconds over the limit that are tolerated"
                by |engine, entry| engine.time.margin = Some(margin(entry)?);
            "memory=SIZE" ["no limit"]: "the largest memory of its processes, such as 350M"
                by |engine, entry| engine.launch.memory = Some(bytes(entry)?);
            "threads=N" / "thread" ["its options"]: "the number of CPUs that it uses" => threads: Option<u32>, 1..=4096;
            "restart=auto|on|off": "a new process after a failure, for each game, or never" => restart: Restart;
            "ponder=on|off": "thinks on the opponent's time (UCI)" => ponder: bool;
            "rules=LIST" ["all"]: "the variants that it plays" by |engine, entry| engine.rules = list(entry)?;
            "sizes=LIST" ["all"]: "the boards that it plays on" by |engine, entry| {
                let words = list(entry)?;
                engine.sizes = words.iter().map(|word| board(entry, word)).collect::<Result<_, _>>()?;
            };
            "variant-name=NAME|none" ["the variant"]: "its own name for the game" by |engine, entry| {
                engine.variant_name = match text(entry)? {
                    "none" => VariantName::None,
                    name => VariantName::Named(name.to_owned()),
                };
            };
            "sendbyboard=on|off": "sends a Gomocup engine the board for each move" => send_by_board: bool;
            "log=FILE": "every line to and from it" in launch.log;
        }
        fields {
            /// The name in tables; if `None`, the name that the engine reports.
            name: Option<String>;
            /// The program and its limits, as configured.
            launch: Launch;
            /// The time control.
            time: TimeControl;
            /// The variants that the engine plays; all if empty.
            rules: Vec<String>;
            /// The boards that the engine plays on, as columns and rows; all if empty.
            sizes: Vec<(u32, u32)>;
            /// The name of the variant in the engine's options.
            variant_name: VariantName;
            /// The folder that a Gomocup engine may write to; set by the run.
            folder: Option<String>;
            /// Whether the engine was withdrawn before the run was resumed. Its program is not started.
            is_withdrawn: bool;
            /// Where the engine was given.
            place: SettingSource;
        }
    }
}

impl EngineConfig {
    /// Returns what workers know the engine by: its `id`, or the SHA-256 of its program.
    pub fn identity(&self, sha256: &str) -> String {
        self.id.as_ref().map_or_else(|| sha256.to_owned(), |id| format!("id:{id}"))
    }

    /// Reads the keys of one engine. The keys of `each` are defaults for the keys of `own`.
    pub fn read(each: &[Setting], own: &Setting) -> Result<Self, ConfigError> {
        let mut engine = Self { place: own.place.clone(), ..Self::default() };
        for entry in each {
            if matches!(entry.key.as_str(), "name" | "cmd") {
                let why = format!("each: {}: it belongs to one engine", entry.key);
                return Err(ConfigError::at(&entry.place, why));
            }
            engine.set_option(entry)?;
        }
        let SettingValue::Table(entries) = &own.value else {
            return Err(refuse(own, "a table with cmd = \"...\" expected"));
        };
        for entry in entries {
            engine.set_option(entry)?;
        }
        if engine.launch.cmd.as_os_str().is_empty() {
            let why = "engine: cmd= is missing: the program to start";
            return Err(ConfigError::at(&own.place, why));
        }
        engine.check(&own.place)?;
        Ok(engine)
    }

    /// Returns the configured name, or else the file name of the program.
    pub fn label(&self) -> String {
        let program =
            || self.launch.cmd.file_name().map(|name| name.to_string_lossy().into_owned());
        self.name.clone().or_else(program).unwrap_or_default()
    }

    /// Returns the value of the engine's option for the variant; `None` if it is not set.
    pub fn variant_option<'a>(&'a self, spec: &'a GameSpec) -> Option<&'a str> {
        match &self.variant_name {
            VariantName::Default => Some(spec.variant),
            VariantName::None => None,
            VariantName::Named(name) => Some(name),
        }
    }

    /// Returns the configured number of threads, or that of the engine's options; 1 by default.
    pub fn threads(&self) -> u32 {
        let is_threads = |name: &str| {
            ["Threads", "thread_num"].iter().any(|known| name.eq_ignore_ascii_case(known))
        };
        let option = self.options.iter().find(|(name, _)| is_threads(name));
        let in_options = || option.and_then(|(_, value)| value.parse().ok());
        self.threads.or_else(in_options).unwrap_or(1)
    }

    fn check(&self, place: &SettingSource) -> Result<(), ConfigError> {
        let label = self.label();
        let refuse = |why: &str| Err(ConfigError::at(place, format!("engine {label}: {why}")));
        // A line end in an option would be a command of its own.
        let options = self.options.iter().flat_map(|(name, value)| [name, value]);
        let variant = match &self.variant_name {
            VariantName::Named(name) => Some(name),
            _ => None,
        };
        for text in options.chain(&self.init).chain(variant) {
            if let Err(why) = one_line(text) {
                return refuse(&format!("a line to the engine has {why}"));
            }
        }
        if !self.time.is_limited() {
            let why = "no time control: one of tc=, st=, nodes= or depth= is needed, and tc=inf sets no limit";
            return refuse(why);
        }
        if self.time.plays_by_moves() && self.time.turn.is_some() {
            return refuse("tc= with a number of moves and turn= do not go together");
        }
        let cannot_ponder = !matches!(self.proto, Proto::Uci | Proto::Auto);
        if self.ponder && cannot_ponder {
            let dialect = self.proto.name();
            return refuse(&format!("ponder: an engine that speaks {dialect} cannot ponder"));
        }
        Ok(())
    }
}

/// Reads a clock. It replaces a time for each move that `-each` set.
fn set_clock(time: &mut TimeControl, entry: &Setting) -> Result<(), ConfigError> {
    let found = text(entry)?;
    // As in cutechess-cli: another limit ends the search.
    if matches!(found, "inf" | "infinite") {
        (time.clock, time.turn) = (None, None);
        return Ok(());
    }
    let is_good = |clock: &GameClock| !(clock.base.is_zero() && clock.increment.is_zero());
    let allowed = "moves/base+increment in seconds, such as 30+0.3, 40/60+0.5 or 1:30+1";
    let clock = parsed(entry, allowed, |found| read_clock(found).filter(is_good))?;
    if time.clock.replace(clock).is_none() {
        time.turn = None;
    }
    Ok(())
}

/// Reads a time for a move.
fn span(entry: &Setting) -> Result<Duration, ConfigError> {
    parsed(entry, "a number of seconds, such as 0.1", |found| {
        read_seconds(found).filter(|time| !time.is_zero())
    })
}

/// Reads the time that is tolerated over a limit.
fn margin(entry: &Setting) -> Result<Duration, ConfigError> {
    parsed(entry, "a whole number of milliseconds, such as 100", |found| {
        let millis = found.strip_suffix("ms").unwrap_or(found).parse().ok();
        millis.filter(|millis: &u64| *millis <= 1_000_000_000).map(Duration::from_millis)
    })
}

/// Reads the pairs `NAME=VALUE` of a table or a list.
impl Value for Vec<(String, String)> {
    type Within = ();

    fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
        if let SettingValue::Table(entries) = &entry.value {
            for inner in entries {
                set_pair(self, &inner.key, text(inner)?);
            }
            return Ok(());
        }
        for pair in texts(entry)? {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| refuse_value(entry, &pair, "of the form NAME=VALUE"))?;
            set_pair(self, key, value);
        }
        Ok(())
    }
}

/// Sets a value. It replaces an earlier value of this name; case does not matter.
fn set_pair(pairs: &mut Vec<(String, String)>, key: &str, value: &str) {
    match pairs.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(key)) {
        Some(pair) => pair.1 = value.to_owned(),
        None => pairs.push((key.to_owned(), value.to_owned())),
    }
}

/// Reads a name that fits into tables and PGN tags.
fn name(entry: &Setting) -> Result<String, ConfigError> {
    parsed(entry, "1 to 64 characters that can be seen", |found| {
        let is_good = !found.trim().is_empty() && !found.chars().any(char::is_control);
        (is_good && found.chars().count() <= 64).then(|| found.trim().to_owned())
    })
}

/// Reads the program. A path is relative to the folder of the tournament file; a bare name is
/// looked up in `PATH` later.
fn program(entry: &Setting) -> Result<PathBuf, ConfigError> {
    parsed(entry, "the program to start", |found| match found {
        "" => None,
        path if path.contains('/') => Some(join(&entry.place.folder(), path)),
        name => Some(PathBuf::from(name)),
    })
}

/// Reads arguments: a list, or one text that is split as a shell does.
fn arguments(entry: &Setting) -> Result<Vec<String>, ConfigError> {
    if let SettingValue::List(list) = &entry.value {
        return Ok(list.clone());
    }
    parsed(entry, "words with closed quotes", split_words)
}

/// Splits a text at blanks outside quotes; `None` if a quote is not closed.
fn split_words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut open) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                open = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    open.is_none().then_some(words)
}

/// Reads the words of a list, separated by commas or blanks.
fn list(entry: &Setting) -> Result<Vec<String>, ConfigError> {
    let texts = texts(entry)?;
    let words = texts.iter().flat_map(|text| text.split([',', ' ']));
    Ok(words.filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

/// Checks that all engines have different names. The error names the second engine of a pair.
pub fn check_names(engines: &[EngineConfig]) -> Result<(), ConfigError> {
    for (index, engine) in engines.iter().enumerate() {
        let Some(name) = &engine.name else { continue };
        if engines[..index].iter().any(|other| other.name.as_ref() == Some(name)) {
            let name = quotable(name);
            return Err(ConfigError::at(
                &engine.place,
                format!("engine: two engines are named \"{name}\""),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(keys: &[(&str, &str)]) -> Result<EngineConfig, String> {
        engine_with(&[], keys)
    }

    fn entries(keys: &[(&str, &str)]) -> Vec<Setting> {
        let entry = |(key, value): &(&str, &str)| Setting {
            key: (*key).to_owned(),
            value: SettingValue::Text((*value).to_owned()),
            place: SettingSource::CommandLine,
        };
        keys.iter().map(entry).collect()
    }

    fn engine_with(each: &[(&str, &str)], keys: &[(&str, &str)]) -> Result<EngineConfig, String> {
        let own = Setting {
            key: "engine".to_owned(),
            value: SettingValue::Table(entries(keys)),
            place: SettingSource::CommandLine,
        };
        EngineConfig::read(&entries(each), &own).map_err(|error| error.to_string())
    }

    #[test]
    fn keys_of_each_are_defaults_of_an_engine() {
        let each = [("tc", "30+0.3"), ("option.Hash", "16"), ("memory", "350M")];
        let default = engine_with(&each, &[("cmd", "a")]).unwrap();
        assert_eq!(default.time.clock.unwrap().to_string(), "30+0.3");
        assert_eq!(
            (default.launch.memory, default.time.margin()),
            (Some(350 << 20), Duration::ZERO)
        );
        let own =
            engine_with(&each, &[("cmd", "b"), ("st", "0.1"), ("option.hash", "64")]).unwrap();
        assert_eq!((own.time.clock, own.time.turn), (None, Some(Duration::from_millis(100))));
        assert_eq!(own.options, [("Hash".to_owned(), "64".to_owned())]);
        assert_eq!(own.time.margin(), Duration::from_millis(100));
        let clock = engine_with(&[("st", "1")], &[("cmd", "b"), ("tc", "5+0")]).unwrap();
        assert_eq!(clock.time.turn, None);
    }

    #[test]
    fn an_infinite_clock_needs_another_limit() {
        let infinite = engine_with(&[("st", "1")], &[("cmd", "a"), ("tc", "inf"), ("depth", "5")]);
        let time = infinite.unwrap().time;
        assert_eq!((time.clock, time.turn, time.depth), (None, None, Some(5)));
        assert!(engine(&[("cmd", "a"), ("tc", "inf")]).unwrap_err().ends_with("sets no limit"));
    }

    #[test]
    fn arguments_are_split_as_in_a_shell() {
        let args =
            |text| engine(&[("cmd", "a"), ("st", "1"), ("args", text)]).map(|e| e.launch.args);
        assert_eq!(args("-x \"a b\" 'c'd ''").unwrap(), ["-x", "a b", "cd", ""]);
        assert!(args("\"a").unwrap_err().contains("closed quotes"));
    }

    #[test]
    fn errors_quote_the_input_and_say_what_is_allowed() {
        let refused = |keys: &[(&str, &str)]| engine(keys).unwrap_err();
        assert_eq!(refused(&[("st", "1")]), "engine: cmd= is missing: the program to start");
        assert_eq!(
            refused(&[("cmd", "a")]),
            "engine a: no time control: one of tc=, st=, nodes= or depth= is needed, and tc=inf sets no limit"
        );
        assert!(refused(&[("cmd", "a"), ("elo", "1")]).starts_with(
            "engine: unknown key \"elo\": it must be one of name, id, cmd, args, dir,"
        ));
        for (key, value, why) in [
            (
                "tc",
                "x",
                "tc \"x\": it must be moves/base+increment in seconds, such as 30+0.3, 40/60+0.5 or 1:30+1",
            ),
            (
                "tc",
                "0+0",
                "tc \"0+0\": it must be moves/base+increment in seconds, such as 30+0.3, 40/60+0.5 or 1:30+1",
            ),
            ("st", "0", "st \"0\": it must be a number of seconds, such as 0.1"),
            (
                "timemargin",
                "0.1",
                "timemargin \"0.1\": it must be a whole number of milliseconds, such as 100",
            ),
            ("proto", "xboard", "proto \"xboard\": it must be one of auto, uci, ugi, gomocup, gtp"),
            ("memory", "lots", "memory \"lots\": it must be a number of bytes, such as 350M or 2G"),
            ("sizes", "15,x", "sizes \"x\": it must be a board such as 15 or 7x6"),
            ("ponder", "maybe", "ponder \"maybe\": it must be on or off"),
            ("name", " ", "name \" \": it must be 1 to 64 characters that can be seen"),
            ("env", "x", "env \"x\": it must be of the form NAME=VALUE"),
        ] {
            assert_eq!(refused(&[("cmd", "a"), (key, value)]), why);
        }
        let both = engine_with(&[("cmd", "a")], &[("cmd", "b")]).unwrap_err();
        assert_eq!(both, "each: cmd: it belongs to one engine");
    }

    #[test]
    fn two_engines_do_not_share_a_name() {
        let named = |name| engine(&[("cmd", "a"), ("st", "1"), ("name", name)]).unwrap();
        assert!(check_names(&[named("A"), named("B")]).is_ok());
        let error = check_names(&[named("A"), named("A")]).unwrap_err();
        assert_eq!(error.to_string(), "engine: two engines are named \"A\"");
    }
}
