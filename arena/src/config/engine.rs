//! The configuration of one engine: command, options, time control.

use std::path::PathBuf;
use std::time::Duration;

use tengen_engine::GameSpec;
use tengen_engine::text::quotable;

use super::given::{ConfigError, Setting, SettingSource, SettingValue};
use super::time_control::{TimeControl, read_clock, read_seconds};
use super::values::{
    board, bytes, choice, join, path, refuse, refuse_value, switch, text, texts, unknown_key,
    whole, whole_u32,
};
use crate::engine::host::Launch;

/// The dialect of an engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Proto {
    /// The arena tries all dialects.
    #[default]
    Auto,
    /// UCI.
    Uci,
    /// UGI.
    Ugi,
    /// Gomocup.
    Gomocup,
}

impl Proto {
    /// All values with their names on the command line.
    pub const NAMES: [(&'static str, Self); 4] =
        [("auto", Self::Auto), ("uci", Self::Uci), ("ugi", Self::Ugi), ("gomocup", Self::Gomocup)];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, proto)| *proto == self).map_or("auto", |(name, _)| name)
    }
}

/// When the process of an engine is started again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Restart {
    /// After a failure.
    #[default]
    Auto,
    /// Before each game.
    Always,
    /// Only after the process has ended.
    Never,
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

/// The configuration of an engine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EngineConfig {
    /// The name in tables; if `None`, the name that the engine reports.
    pub name: Option<String>,
    /// The program and its limits, as configured.
    pub launch: Launch,
    /// The dialect.
    pub proto: Proto,
    /// Lines to send before the options.
    pub init: Vec<String>,
    /// The options to set, in the order given.
    pub options: Vec<(String, String)>,
    /// The time control.
    pub time: TimeControl,
    /// The number of threads, for the assignment of CPUs; if `None`, the option for threads
    /// decides.
    pub threads: Option<u32>,
    /// When the process is started again.
    pub restart: Restart,
    /// Whether the engine ponders.
    pub ponder: bool,
    /// The variants that the engine plays; all if empty.
    pub rules: Vec<String>,
    /// The boards that the engine plays on, as columns and rows; all if empty.
    pub sizes: Vec<(u32, u32)>,
    /// The name of the variant in the engine's options.
    pub variant_name: VariantName,
    /// Whether a Gomocup engine gets the whole board before each move.
    pub send_by_board: bool,
    /// The folder that a Gomocup engine may write to; set by the run.
    pub folder: Option<String>,
    /// Whether the engine was withdrawn before the run was resumed. Its program is not started.
    pub is_withdrawn: bool,
    /// Where the engine was given.
    pub place: SettingSource,
}

/// All keys of an engine, in the order of the manual. `option.NAME` stands for any option.
pub(crate) const KEYS: &str = "name, cmd, args, dir, env, stderr, proto, init, option.NAME, options, tc, \
                    turn, st, nodes, depth, timemargin, memory, threads, restart, ponder, \
                    rules, sizes, variant-name, sendbyboard, log";

/// Keys of cutechess-cli, fastchess and c-gomoku-cli, and what to write instead.
const FOREIGN_KEYS: [(&str, &str); 12] = [
    ("conf", "engines.json is not read: write cmd= and the other keys, or a tournament file"),
    ("arg", "write args=, with all arguments in quotes"),
    ("book", "a match has one book for all: write -openings file=FILE"),
    ("bookdepth", "write -openings plies=N"),
    ("whitepov", "leave it out: scores are read for the engine that moves"),
    ("tscale", "write other times in tc="),
    ("trust", "leave it out: every claim is checked by the rules"),
    ("maxmemory", "write memory=, such as memory=350M"),
    ("tolerance", "write timemargin=, in milliseconds"),
    ("rawparam", "write init=LINE"),
    ("plies", "write depth=N"),
    ("command", "write cmd=PROGRAM"),
];

impl EngineConfig {
    /// Reads the keys of one engine. The keys of `each` are defaults for the keys of `own`.
    pub fn read(each: &[Setting], own: &Setting) -> Result<Self, ConfigError> {
        let mut engine = Self { place: own.place.clone(), ..Self::default() };
        for entry in each {
            if matches!(entry.key.as_str(), "name" | "cmd") {
                let why = format!("each: {}: it belongs to one engine", entry.key);
                return Err(ConfigError::at(&entry.place, why));
            }
            engine.set(entry)?;
        }
        let SettingValue::Table(entries) = &own.value else {
            return Err(refuse(own, "a table with cmd = \"...\" expected"));
        };
        for entry in entries {
            engine.set(entry)?;
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

    fn set(&mut self, entry: &Setting) -> Result<(), ConfigError> {
        if let Some(option) = entry.key.strip_prefix("option.") {
            set_pair(&mut self.options, option, text(entry)?);
            return Ok(());
        }
        match entry.key.as_str() {
            "name" => self.name = Some(name(entry)?),
            "cmd" => self.launch.cmd = program(entry)?,
            "args" => self.launch.args = arguments(entry)?,
            "dir" => self.launch.dir = Some(path(entry)?),
            "env" => self.pairs(entry, |engine| &mut engine.launch.env)?,
            "stderr" => self.launch.stderr = Some(path(entry)?),
            "proto" => self.proto = choice(entry, &Proto::NAMES)?,
            "init" => self.init.extend(texts(entry)?),
            "options" => self.pairs(entry, |engine| &mut engine.options)?,
            "tc" | "turn" | "st" | "nodes" | "depth" | "timemargin" => self.set_time(entry)?,
            "memory" => self.launch.memory = Some(bytes(entry)?),
            "threads" => self.threads = Some(whole_u32(entry, 1, 4096)?),
            "restart" => {
                let named =
                    [("auto", Restart::Auto), ("on", Restart::Always), ("off", Restart::Never)];
                self.restart = choice(entry, &named)?;
            }
            "ponder" => self.ponder = switch(entry)?,
            "rules" => self.rules = list(entry)?,
            "sizes" => {
                let words = list(entry)?;
                self.sizes =
                    words.iter().map(|word| board(entry, word)).collect::<Result<_, _>>()?;
            }
            "variant-name" => {
                self.variant_name = match text(entry)? {
                    "none" => VariantName::None,
                    name => VariantName::Named(name.to_owned()),
                }
            }
            "sendbyboard" => self.send_by_board = switch(entry)?,
            "log" => self.launch.log = Some(path(entry)?),
            key => {
                let known = FOREIGN_KEYS.iter().find(|(foreign, _)| *foreign == key);
                return Err(match known {
                    Some((_, instead)) => {
                        ConfigError::at(&entry.place, format!("engine: {key}=: {instead}"))
                    }
                    None => unknown_key(entry, "engine", KEYS),
                });
            }
        }
        Ok(())
    }

    fn set_time(&mut self, entry: &Setting) -> Result<(), ConfigError> {
        let found = text(entry)?;
        let seconds = || {
            let time = read_seconds(found).filter(|time| !time.is_zero());
            time.ok_or_else(|| refuse_value(entry, found, "a number of seconds, such as 0.1"))
        };
        match entry.key.as_str() {
            // As in cutechess-cli: another limit ends the search.
            "tc" if matches!(found, "inf" | "infinite") => {
                (self.time.clock, self.time.turn) = (None, None);
            }
            "tc" => {
                let allowed =
                    "moves/base+increment in seconds, such as 30+0.3, 40/60+0.5 or 1:30+1";
                let clock = read_clock(found).ok_or_else(|| refuse_value(entry, found, allowed))?;
                if clock.base.is_zero() && clock.increment.is_zero() {
                    return Err(refuse_value(entry, found, allowed));
                }
                if self.time.clock.is_none() {
                    // A clock replaces a time for each move that `each` set.
                    self.time.turn = None;
                }
                self.time.clock = Some(clock);
            }
            "turn" => self.time.turn = Some(seconds()?),
            "st" => {
                self.time.clock = None;
                self.time.turn = Some(seconds()?);
            }
            "nodes" => self.time.nodes = Some(whole(entry, 1, u64::MAX)?),
            "depth" => self.time.depth = Some(whole_u32(entry, 1, 4096)?),
            _ => {
                let digits = found.strip_suffix("ms").unwrap_or(found);
                let millis: Option<u64> = digits.parse().ok().filter(|ms| *ms <= 1_000_000_000);
                let millis = millis.ok_or_else(|| {
                    refuse_value(entry, found, "a whole number of milliseconds, such as 100")
                })?;
                self.time.margin = Some(Duration::from_millis(millis));
            }
        }
        Ok(())
    }

    /// Sets the pairs `NAME=VALUE` of a table or a list in the field that `of` returns.
    fn pairs(
        &mut self,
        entry: &Setting,
        of: impl Fn(&mut Self) -> &mut Vec<(String, String)>,
    ) -> Result<(), ConfigError> {
        if let SettingValue::Table(entries) = &entry.value {
            for inner in entries {
                set_pair(of(self), &inner.key, text(inner)?);
            }
            return Ok(());
        }
        for pair in texts(entry)? {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| refuse_value(entry, &pair, "of the form NAME=VALUE"))?;
            set_pair(of(self), key, value);
        }
        Ok(())
    }

    fn check(&self, place: &SettingSource) -> Result<(), ConfigError> {
        let label = self.label();
        let refuse = |why: &str| Err(ConfigError::at(place, format!("engine {label}: {why}")));
        if !self.time.is_limited() {
            let why = "no time control: one of tc=, st=, nodes= or depth= is needed, and tc=inf sets no limit";
            return refuse(why);
        }
        if self.time.plays_by_moves() && self.time.turn.is_some() {
            return refuse("tc= with a number of moves and turn= do not go together");
        }
        let cannot_ponder = matches!(self.proto, Proto::Ugi | Proto::Gomocup);
        if self.ponder && cannot_ponder {
            let dialect = self.proto.name();
            return refuse(&format!("ponder: an engine that speaks {dialect} cannot ponder"));
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
    let found = text(entry)?;
    let is_good = !found.trim().is_empty() && !found.chars().any(char::is_control);
    if is_good && found.chars().count() <= 64 {
        return Ok(found.trim().to_owned());
    }
    Err(refuse_value(entry, found, "1 to 64 characters that can be seen"))
}

/// Reads the program. A path is relative to the folder of the tournament file; a bare name is
/// looked up in `PATH` later.
fn program(entry: &Setting) -> Result<PathBuf, ConfigError> {
    let found = text(entry)?;
    if found.is_empty() {
        return Err(refuse_value(entry, found, "the program to start"));
    }
    Ok(if found.contains('/') { join(&entry.place.folder(), found) } else { PathBuf::from(found) })
}

/// Reads arguments: a list, or one text that is split as a shell does.
fn arguments(entry: &Setting) -> Result<Vec<String>, ConfigError> {
    if let SettingValue::List(list) = &entry.value {
        return Ok(list.clone());
    }
    let found = text(entry)?;
    split_words(found).ok_or_else(|| refuse_value(entry, found, "words with closed quotes"))
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
    fn keys_of_other_match_runners_work_or_name_ours() {
        let infinite = engine_with(&[("st", "1")], &[("cmd", "a"), ("tc", "inf"), ("depth", "5")]);
        let time = infinite.unwrap().time;
        assert_eq!((time.clock, time.turn, time.depth), (None, None, Some(5)));
        assert!(engine(&[("cmd", "a"), ("tc", "inf")]).unwrap_err().ends_with("sets no limit"));
        for (key, ours) in FOREIGN_KEYS {
            let error = engine(&[("cmd", "a"), ("st", "1"), (key, "x")]).unwrap_err();
            assert_eq!(error, format!("engine: {key}=: {ours}"));
        }
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
        assert!(
            refused(&[("cmd", "a"), ("elo", "1")]).starts_with(
                "engine: unknown key \"elo\": it must be one of name, cmd, args, dir,"
            )
        );
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
            ("proto", "xboard", "proto \"xboard\": it must be one of auto, uci, ugi, gomocup"),
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
