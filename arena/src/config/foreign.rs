//! Options and keys of other match runners, and what to write instead.

use tengen_engine::text::quotable;

use super::setting::{ConfigError, Setting, SettingValue};

const DETAILS: &str = "write -jsonl FILE: it has the score, time and depth of each move";
const PROOF: &str = "write -proof nodes=N: it ends games by proven results";
const INTERVAL: &str = "write -ratinginterval N";
const WHOLE: &str = "leave it out: every move has its score, depth and selective depth, its time and the time left, \
                     its nodes and speed; \"tengen arena rate\" and other readers skip them";
const TRAFFIC: &str = "leave it out: the log has every line, with its time";

/// Options of cutechess-cli, fastchess and c-gomoku-cli. `table.key` is a key of an option.
const FOREIGN: &[(&str, &str)] = &[
    ("debug", "write -log file=FILE: it holds every line to and from the engines"),
    ("config", "write the tournament file first: tengen arena cup.toml"),
    ("gauntlet", "write -tournament gauntlet"),
    ("fatalerror", "write -recover off"),
    ("msg", DETAILS),
    ("sample", DETAILS),
    ("epdout", "write -pgnout FILE or -jsonl FILE"),
    ("outcomeinterval", INTERVAL),
    ("scoreinterval", INTERVAL),
    ("autosaveinterval", "leave it out: every game is saved at once"),
    (
        "resultformat",
        "write -csv FOLDER, or \"tengen arena report FOLDER --details\" after the run",
    ),
    ("report", "write \"tengen arena report FOLDER\" after the run"),
    (
        "show-latency",
        "write \"tengen arena report FOLDER --details\" after the run: it has the latency",
    ),
    ("bookmode", "leave it out: the whole list of openings is read"),
    ("tb", PROOF),
    ("tbpieces", PROOF),
    ("tbignore50", PROOF),
    ("tbadjudicate", PROOF),
    ("quick", "write -engine cmd=A -engine cmd=B -each tc=10+0.1"),
    ("transform", "write -openings transform=on"),
    ("sendbyboard", "write sendbyboard=on as a key of -engine or -each"),
    ("tc", "write it as a key: -each tc=30+0.3"),
    ("st", "write it as a key: -each st=0.1"),
    ("nodes", "write it as a key: -each nodes=1000"),
    ("depth", "write it as a key: -each depth=8"),
    ("affinity", "write -use-affinity CPUS"),
    ("randomseed", "write -srand N: without it the seed is 1"),
    (
        "loseonly",
        "write -jsonl FILE: it has every game with its players and its score, to choose from",
    ),
    (
        "kfactor",
        "leave it out: ratings are fitted to all games at once; -bootstrap N samples their errors",
    ),
    ("crc32", "leave it out: the journal has a CRC-32 on each line"),
    (
        "check-mate-pvs",
        "leave it out: the line of every claimed win is checked; -strict makes it count",
    ),
    (
        "testEnv",
        "leave it out: results are in games.jsonl, and \"tengen arena report\" prints them",
    ),
    ("compliance", "write \"tengen arena check cmd=ENGINE\""),
    ("version", "write \"tengen --version\""),
    ("v", "write \"tengen --version\""),
    ("log.level", TRAFFIC),
    ("log.realtime", TRAFFIC),
    ("log.append", "leave it out: the log is always appended to"),
    ("log.compress", "leave it out: compress the log after the run"),
    ("openings.srand", "write -srand N"),
    (
        "engine.conf",
        "engines.json is not read: write cmd= and the other keys, or a tournament file",
    ),
    ("engine.arg", "write args=, with all arguments in quotes"),
    ("engine.arguments", "write args=, with all arguments in quotes"),
    ("engine.book", "a match has one book for all: write -openings file=FILE"),
    ("engine.bookdepth", "write -openings plies=N"),
    ("engine.whitepov", "leave it out: scores are read for the engine that moves"),
    ("engine.tscale", "write other times in tc="),
    ("engine.trust", "leave it out: every claim is checked by the rules"),
    ("engine.maxmemory", "write memory=, such as memory=350M"),
    ("engine.tolerance", "write timemargin=, in milliseconds"),
    ("engine.rawparam", "write init=LINE"),
    ("engine.plies", "write depth=N"),
    ("engine.command", "write cmd=PROGRAM"),
    ("engine.debug", "write log=FILE: it holds every line to and from the engine"),
    ("engine.workingDirectory", "write dir=FOLDER"),
    ("engine.protocol", "write proto=uci, ugi or gomocup"),
    ("engine.initStrings", "write init=LINE"),
    ("engine.stderrFile", "write stderr=FILE"),
    ("pgnout.notation", "leave it out: moves are coordinates, such as h8"),
    ("pgnout.min", WHOLE),
    ("pgnout.nodes", WHOLE),
    ("pgnout.seldepth", WHOLE),
    ("pgnout.nps", WHOLE),
    ("pgnout.timeleft", WHOLE),
    ("pgnout.hashfull", DETAILS),
    ("pgnout.tbhits", DETAILS),
    ("pgnout.latency", DETAILS),
    ("pgnout.pv", DETAILS),
    ("pgnout.match_line", DETAILS),
];

/// Returns what to write instead of an option or of `table.key`.
fn instead_of(name: &str) -> Option<&'static str> {
    let known = FOREIGN.iter().find(|(foreign, _)| foreign.eq_ignore_ascii_case(name));
    known.map(|(_, instead)| *instead)
}

/// Returns why there is no option `name`, which the user wrote as `found`.
pub(crate) fn unknown(name: &str, found: &str, known: &str) -> String {
    match instead_of(name) {
        Some(instead) => format!("{found}: {instead}"),
        None => format!("unknown option {found}: it must be one of {known}"),
    }
}

/// Returns whether other match runners have the key `key` of the option `of`.
pub(crate) fn is_key(of: &str, key: &str) -> bool {
    instead_of(&format!("{of}.{key}")).is_some()
}

/// Creates an error about a key that the table `of` does not have.
pub(crate) fn refuse_key(of: &str, entry: &Setting, known: &str) -> ConfigError {
    let key = quotable(&entry.key);
    let why = match instead_of(&format!("{of}.{}", entry.key)) {
        // A bare word after a file.
        Some(instead) if entry.value == SettingValue::Text(String::new()) => {
            format!("-{of} FILE {key}: {instead}")
        }
        Some(instead) => format!("{of}: {key}=: {instead}"),
        None => format!("{of}: unknown key \"{key}\": it must be one of {known}"),
    };
    ConfigError::at(&entry.place, why)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::config::engine::EngineConfig;
    use crate::config::given::read_words;
    use crate::config::option::find;
    use crate::config::values::Value;

    #[test]
    fn a_foreign_option_names_ours_and_is_none_of_ours() {
        for (name, instead) in FOREIGN {
            let Some((table, key)) = name.split_once('.') else {
                let refused = read_words(&[format!("-{name}")]).unwrap_err().to_string();
                assert_eq!(refused, format!("-{name}: {instead}"));
                assert!(find::<Config>(name).is_none(), "{name}");
                continue;
            };
            let keys = SettingValue::Table(vec![Setting::text(key, "x")]);
            let entry = Setting::given(table, keys);
            let refused = match table {
                "engine" => EngineConfig::default().set(&entry, None),
                _ => crate::config::option::Options::set_option(&mut Config::default(), &entry),
            };
            assert_eq!(refused.unwrap_err().to_string(), format!("{table}: {key}=: {instead}"));
        }
    }
}
