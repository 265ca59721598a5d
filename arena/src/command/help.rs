//! The help of `tengen arena` and of its subcommands: tables of options with default and meaning.

use crate::config::option::{self, Form, OptionSpec, Options};
use crate::config::{Config, EngineConfig, OpeningsConfig, TestConfig};
use crate::output::wrap;

/// An option: how it is written, its default, and its meaning.
type Row = [String; 3];

/// What only one command has: a heading and options.
type Group = (&'static str, &'static [[&'static str; 3]]);

const REPORT: Group = (
    "Options:",
    &[
        ["--details", "off", "adds pairs, results by colour, times, depths and processes"],
        ["--markdown  --html", "text", "the form of the report"],
        ["--rebuild", "off", "also writes the files of the run again"],
        ["FILE.html", "", "writes instead a page with all games, in one file"],
    ],
);

const SHOW: Group = (
    "Options:",
    &[["-page ADDRESS", "127.0.0.1:7880", "the address of the page; port 0 chooses a free port"]],
);

const OPENINGS: Group = (
    "Options:",
    &[
        ["-count N", "100", "the number of generated openings"],
        ["-out FILE", "-", "the file; - is standard output"],
    ],
);

const COUNTS: Group = (
    "Counts:",
    &[
        ["LL LD DD WD WW", "", "pairs of games by points, colours exchanged"],
        ["L D W", "", "games: losses, draws, wins"],
    ],
);

const USAGE: &str = include_str!("usage.txt");

const STATUSES: &str = include_str!("statuses.txt");

/// The options of a command.
struct Parts {
    /// The options that only this command has.
    own: Option<Group>,
    /// The flag of the options of a run that it takes.
    flag: u8,
    /// The headings of more options of a run.
    headings: &'static [&'static str],
    /// The keys that it takes.
    keys: fn() -> Vec<&'static OptionSpec>,
}

const NONE: Parts = Parts { own: None, flag: 0, headings: &[], keys: Vec::new };

/// The subcommands: name, usage with examples, and options.
const COMMANDS: [(&str, &str, Parts); 9] = [
    (
        "resume",
        "Continues a run: plays the games that its journal does not have\n\n\
         Usage: tengen arena resume FOLDER [OPTIONS]\n\n\
         Example: tengen arena resume run1 -rounds 3\n",
        Parts { flag: OptionSpec::RESUME, ..NONE },
    ),
    (
        "report",
        "Prints the standings, ratings and ends of games of a run\n\n\
         Usage: tengen arena report FOLDER [OPTIONS]\n       \
         tengen arena report FOLDER FILE.html\n\n\
         Example: tengen arena report run1 run1.html\n",
        Parts { own: Some(REPORT), ..NONE },
    ),
    (
        "show",
        "Shows a run to browsers while another process plays it, or after its end\n\n\
         Usage: tengen arena show FOLDER [OPTIONS]\n\n\
         Example: tengen arena show run1 -page 127.0.0.1:7880\n",
        Parts { own: Some(SHOW), ..NONE },
    ),
    (
        "check",
        "Tests step by step whether an engine can play in a tournament\n\n\
         Usage: tengen arena check ENGINE-KEYS.. [OPTIONS]\n\n\
         Example: tengen arena check cmd=tengen -variant cfour\n",
        Parts { flag: OptionSpec::CHECK, keys: EngineConfig::specs, ..NONE },
    ),
    (
        "openings",
        "Writes a list of openings, generated or read from a file\n\n\
         Usage: tengen arena openings -variant V [OPTIONS]\n\n\
         Example: tengen arena openings -variant renju -count 20 -openings plies=3 -out renju.txt\n",
        Parts {
            own: Some(OPENINGS),
            flag: OptionSpec::OPENINGS,
            keys: OpeningsConfig::specs,
            ..NONE
        },
    ),
    (
        "rate",
        "Rates the players of finished games\n\n\
         Usage: tengen arena rate GAMES.pgn GAMES.jsonl ..\n\n\
         Example: tengen arena rate run1/games.pgn run2/games.jsonl\n",
        Parts { flag: OptionSpec::RATE, ..NONE },
    ),
    (
        "spsa",
        "Tunes options of an engine by games against itself\n\n\
         Usage: tengen arena spsa TUNE.toml [OPTIONS]\n\n\
         The file has one engine, rounds (steps) and spsa = { parameters = [..] }. A parameter is\n\
         \"name, int|float, start, min, max, c_end, r_end\".\n\n\
         Example: tengen arena spsa tune.toml -out tune1\n",
        Parts {
            headings: &["The game:", "Playing:", "Workers in other processes:"],
            keys: EngineConfig::specs,
            ..NONE
        },
    ),
    (
        "sprt",
        "Computes the log-likelihood ratio and the decision of a test from counts\n\n\
         Usage: tengen arena sprt COUNTS.. [KEYS]\n\n\
         Example: tengen arena sprt 39 2226 31451 2412 40 elo0=0 elo1=5\n",
        Parts { own: Some(COUNTS), keys: TestConfig::specs, ..NONE },
    ),
    (
        "elo",
        "Computes Elo, its error and the likelihood of superiority from counts\n\n\
         Usage: tengen arena elo COUNTS..\n\n\
         Example: tengen arena elo 120 300 95\n",
        Parts { own: Some(COUNTS), ..NONE },
    ),
];

/// Returns the help that the arguments ask for; `None` if they ask for none.
pub fn help(args: &[String]) -> Option<String> {
    let is_help = |word: &String| matches!(word.as_str(), "-h" | "-help" | "--help");
    let Some((first, rest)) = args.split_first() else { return Some(main_help()) };
    if first == "help" {
        return Some(rest.first().and_then(|name| help_of(name)).unwrap_or_else(main_help));
    }
    if !args.iter().any(is_help) {
        return None;
    }
    Some(help_of(first).unwrap_or_else(main_help))
}

fn main_help() -> String {
    let heading = |name| option::find::<Config>(name).map(|spec| spec.heading);
    let mut specs = Config::specs();
    specs.retain(|spec| Some(spec.heading) != heading("readmit"));
    let is_engine = |spec: &&OptionSpec| Some(spec.heading) == heading("engine");
    let (engines, others): (Vec<_>, Vec<_>) = specs.into_iter().partition(is_engine);
    let groups = groups(&[engines, EngineConfig::specs(), others].concat(), false);
    format!("{USAGE}{groups}{STATUSES}")
}

fn help_of(name: &str) -> Option<String> {
    let (_, usage, parts) = COMMANDS.iter().find(|(known, ..)| *known == name)?;
    let own = parts.own.iter().map(|(heading, rows)| {
        table(heading, &rows.iter().map(|row| row.map(str::to_owned)).collect::<Vec<Row>>())
    });
    let mut specs = Config::specs();
    specs.retain(|spec| spec.has(parts.flag) || parts.headings.contains(&spec.heading));
    specs.extend((parts.keys)());
    let is_resumed = parts.flag == OptionSpec::RESUME;
    Some(format!("{usage}{}{}", own.collect::<String>(), groups(&specs, is_resumed)))
}

/// Writes options as tables, one for each heading. A run that is continued keeps what it has saved.
fn groups(specs: &[&OptionSpec], is_resumed: bool) -> String {
    let has_table = |keys: &[&OptionSpec]| specs.iter().any(|spec| spec.heading == keys[0].heading);
    let row = |spec: &&OptionSpec| {
        let keys = (spec.keys)();
        let help = match spec.form() {
            Form::Table if !keys.is_empty() && !has_table(&keys) => {
                format!("{}: {}", spec.help, listed(&keys))
            }
            _ => spec.help.to_owned(),
        };
        let is_kept = is_resumed && !spec.has(OptionSpec::UNSAVED);
        let default = if is_kept { "as before".to_owned() } else { (spec.default)() };
        [spec.usage.to_owned(), default, help]
    };
    let groups = specs.chunk_by(|one, other| one.heading == other.heading);
    groups
        .map(|group| table(group[0].heading, &group.iter().map(row).collect::<Vec<_>>()))
        .collect()
}

/// Writes keys with their defaults in one line.
fn listed(keys: &[&OptionSpec]) -> String {
    let key = |spec: &&OptionSpec| {
        let default = Some((spec.default)()).filter(|default| !default.contains(' '));
        format!("{}={}", spec.name(), default.unwrap_or_default())
    };
    keys.iter().map(key).collect::<Vec<_>>().join(" ")
}

/// Writes a group as a table.
fn table(heading: &str, rows: &[Row]) -> String {
    /// The width of lines, in characters.
    const WIDTH: usize = 100;
    let [first, second] =
        [0, 1].map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    let mut out = format!("\n{heading}\n");
    for [option, default, meaning] in rows {
        let lines = wrap(meaning, WIDTH.saturating_sub(first + second + 6));
        for (number, line) in lines.iter().enumerate() {
            let [option, default] = if number == 0 { [option.as_str(), default] } else { ["", ""] };
            let row = format!("  {option:<first$}  {default:<second$}  {line}");
            out.push_str(row.trim_end());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    fn asked(line: &str) -> Option<String> {
        let words: Vec<String> = line.split_ascii_whitespace().map(str::to_owned).collect();
        help(&words)
    }

    #[test]
    fn every_option_and_key_is_in_the_help() {
        let shown = asked("--help").unwrap();
        let resumed = asked("resume --help").unwrap();
        for spec in Config::specs() {
            let shown = if spec.has(OptionSpec::RESUME) { &resumed } else { &shown };
            assert!(shown.contains(&format!("  {}", spec.usage)), "{}", spec.usage);
        }
        for spec in EngineConfig::specs() {
            assert!(shown.contains(&format!("  {}", spec.usage)), "{}", spec.usage);
        }
        assert!(shown.lines().all(|line| line.len() <= 130), "{shown}");
    }

    #[test]
    fn every_command_has_its_help() {
        for (name, usage, _) in COMMANDS {
            for line in
                [format!("{name} --help"), format!("{name} run1 -h"), format!("help {name}")]
            {
                assert!(asked(&line).unwrap().starts_with(usage), "{line}");
            }
            assert_eq!(asked(name), None);
        }
        assert!(asked("openings --help").unwrap().contains("  balance=N  "));
        assert_eq!(asked("-engine cmd=a --help"), asked(""));
    }
}
