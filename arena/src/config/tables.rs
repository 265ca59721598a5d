//! The options that are tables: openings, adjudication, tuning, printed lines, the log.

use std::path::PathBuf;

use tengen_engine::text::quotable;
use tengen_protocol::client::one_line;
use tengen_records::TextEncoding;

use super::choices::{OpeningFormat, OpeningSequence, OutputFile, OutputFormat, Policy};
use super::option::{OptionSpec, Options, Row, options};
use super::setting::{ConfigError, Setting, SettingSource, SettingValue};
use super::values::{Value, join, one_of, parsed, refuse, refuse_value, text, texts};
use crate::stats::llr::EloModel;
use crate::stats::ratings::Advantage;
use crate::stats::sprt::Sprt;
use crate::stats::spsa::{Parameter, StepSchedule};

options! {
    /// The setting `openings`.
    pub struct OpeningsConfig("openings") {
        "Keys of -openings:" {
            "file=FILE": "the list" => file: Option<PathBuf>;
            "format=FORMAT" / "type": "offset, pos, moves, fen, epd, pgn, sgf, generate or swap2; by default from the name"
                => named_style: Option<OpeningFormat>;
            "encoding=NAME": "the encoding of the file, such as GBK [records: as they say, or guessed; lists: UTF-8]"
                => encoding: Option<TextEncoding>;
            "order=sequential|random": "the order of use" => order: OpeningSequence;
            "start=N": "the number of the first opening that is used" => start: u64 = 1, 1..=1_000_000_000;
            "plies=N" ["all; generate: 4"]: "the most moves that are taken of a game; moves of a generated opening"
                => plies: Option<u32>, 1..=10_000;
            "policy=default|encounter|round": "which pairs share an opening" => policy: Policy;
            "transform=on|off": "also uses the openings rotated and mirrored" => transform: bool;
            "balance=N": "generate: the largest score, in hundredths" => balance: u32 = 60, 0..=2_000_000;
            "count=N": "generate: the number of openings" => count: u32 = 100, 1..=1_000_000;
            "nodes=N": "generate: nodes of each search" => nodes: u64 = 20_000, 1..=1_000_000_000_000;
        }
        fields {
            /// The format.
            style: OpeningFormat = OpeningFormat::Moves;
            /// Where the setting was given.
            place: SettingSource;
        }
        check |openings, entry| {
            openings.place = entry.place.clone();
            let by_name = || openings.file.as_deref().and_then(OpeningFormat::by_extension);
            let missing = || format!("format= is missing: {}", one_of(OpeningFormat::NAMES));
            let style = openings.named_style.or_else(by_name);
            let style = style.ok_or_else(|| refuse(entry, &missing()))?;
            openings.style = style;
            match (style.has_file(), &openings.file) {
                (true, None) => Err(refuse(entry, "file= is missing")),
                (false, file) if file.is_some() || openings.encoding.is_some() => {
                    Err(refuse(entry, "this format reads no file"))
                }
                _ => Ok(()),
            }
        };
    }
}

options! {
    /// The setting `draw`: ends games as draws by scores.
    #[derive(Copy, Eq)]
    pub struct DrawRule("draw") {
        "Keys of -draw:" {
            "movenumber=N" / "number": "full moves before the rule applies" => move_number: u32, 0..=100_000;
            "movecount=N" / "count": "consecutive moves of each side" => move_count: u32 = 8, 1..=100_000;
            "score=N": "the largest score of either side, in hundredths" => score: u32, 0..=10_000_000;
        }
    }
}

options! {
    /// The setting `resign`: ends games as lost by scores.
    #[derive(Copy, Eq)]
    pub struct ResignRule("resign") {
        "Keys of -resign:" {
            "movecount=N" / "count": "consecutive moves" => move_count: u32 = 3, 1..=100_000;
            "score=N" [""]: "the loser's scores are at most this much below zero, in hundredths"
                => score: u32, 1..=10_000_000;
            "twosided=on|off": "the scores of the winner must agree" => two_sided: bool = true;
        }
        check |rule, entry| match rule.score {
            0 => Err(refuse(entry, "score= is missing: a game is lost at so much below zero")),
            _ => Ok(()),
        };
    }
}

options! {
    /// The setting `proof`: ends games by proof.
    #[derive(Copy)]
    pub struct ProofRule("proof") {
        "Keys of -proof:" {
            "win=on|off": "proven wins end games" => win: bool = true;
            "draw=on|off": "proven draws end games" => draw: bool;
            "nodes=N": "nodes of one search for a proof" => nodes: u64 = 20_000, 1..=1_000_000_000_000;
            "plies=N": "moves by engines before a proof may end a game" => plies: u32 = 8, 0..=100_000;
            "within=N" ["6"]: "solved games: the longest proof, in plies" => within: Option<u32>, 1..=100_000;
            "proof-check=SHARE": "the share of proven games that are played on" => check: f64, 0.0..=1.0;
        }
    }
}

options! {
    /// The setting `sprt`: a sequential test.
    #[derive(Copy)]
    pub struct TestConfig("sprt") {
        "Keys of -sprt:" {
            "elo0=E": "the Elo of H0" => elo0: f64, -1000.0..=1000.0;
            "elo1=E": "the Elo of H1" => elo1: f64 = 5.0, -1000.0..=1000.0;
            "alpha=A": "the probability of H1 where H0 is true" => alpha: f64 = 0.05;
            "beta=B": "the probability of H0 where H1 is true" => beta: f64 = 0.05;
            "model=normalized|logistic": "the scale of elo0 and elo1" => model: EloModel;
        }
        check |test, entry| {
            let Self { elo0, elo1, alpha, beta, .. } = *test;
            if elo0 >= elo1 {
                return Err(refuse(entry, &format!("elo0={elo0} must be below elo1={elo1}")));
            }
            for (name, chance) in [("alpha", alpha), ("beta", beta)] {
                if !(chance > 0.0 && chance < 0.5) {
                    let why = format!("{name}={chance}: it must be above 0 and below 0.5");
                    return Err(refuse(entry, &why));
                }
            }
            Ok(())
        };
    }
}

impl From<TestConfig> for Sprt {
    fn from(test: TestConfig) -> Self {
        let TestConfig { elo0, elo1, alpha, beta, model } = test;
        Self { elo: [elo0, elo1], alpha, beta, model }
    }
}

options! {
    /// The setting `spsa`: a tuning.
    pub struct SpsaConfig("spsa") {
        "Keys of spsa:" {
            "parameters=LIST": "lines \"name, int|float, start, min, max, c_end, r_end\", as in OpenBench"
                => parameters: Vec<Parameter>;
            "alpha=N": "the exponent of the decay of the learning rate" => alpha: f64 = 0.602, 0.0..=2.0;
            "gamma=N": "the exponent of the decay of the perturbations" => gamma: f64 = 0.101, 0.0..=2.0;
            "stability=SHARE": "the stability constant A, as a share of all steps" => stability: f64 = 0.1, 0.0..=1.0;
        }
        fields {
            /// Where the setting was given.
            place: SettingSource;
        }
        check |config, entry| {
            config.place = entry.place.clone();
            if config.parameters.is_empty() {
                return Err(refuse(entry, "parameters = [..] is missing: what is tuned"));
            }
            for (index, parameter) in config.parameters.iter().enumerate() {
                let is_same = |other: &Parameter| other.name.eq_ignore_ascii_case(&parameter.name);
                if config.parameters[..index].iter().any(is_same) {
                    let name = quotable(&parameter.name);
                    return Err(refuse(entry, &format!("two parameters are named \"{name}\"")));
                }
            }
            Ok(())
        };
    }
}

options! {
    /// The setting `output`: the lines that are printed during a run.
    #[derive(Copy, Eq)]
    pub struct PrintedLines("output") {
        "Keys of -output:" {
            "format=tengen|fastchess|cutechess": "the program whose lines are printed" => format: OutputFormat;
        }
    }
}

options! {
    /// The setting `log`: a log of all lines of all engines.
    #[derive(Eq)]
    pub struct LogConfig("log") {
        "Keys of -log:" {
            "file=FILE": "the log" => file: PathBuf;
            "engine=on|off": "whether the log holds the lines of engines" => engine: bool = true;
        }
        check |log, entry| match log.file.as_os_str().is_empty() {
            true => Err(refuse(entry, "file= is missing")),
            false => Ok(()),
        };
    }
}

options! {
    /// The keys of a file of games.
    #[derive(Eq)]
    pub struct FileKeys("pgnout") {
        "Keys of -pgnout, -sgfout and -jsonl:" {
            "file=FILE|off": "the file" => file: OutputFile;
            "append=on|off": "adds the games to those that the file has" => append: bool;
        }
    }
}

/// A path, `on` or `off`, or a table of these keys.
impl Value for OutputFile {
    type Within = ();

    fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
        if let SettingValue::Table(_) = &entry.value {
            let mut keys = FileKeys::default();
            keys.set(entry, None)?;
            *self = match keys.file {
                Self::At(path) if keys.append => Self::Append(path),
                _ if keys.append => return Err(refuse(entry, "append= needs file=")),
                file => file,
            };
            return Ok(());
        }
        *self = match text(entry)? {
            "off" => Self::Off,
            "on" => Self::Default,
            name => Self::At(join(&entry.place.folder(), name)),
        };
        Ok(())
    }

    fn keys(&self) -> Vec<&'static OptionSpec> {
        FileKeys::specs()
    }
}

impl SpsaConfig {
    /// Returns the schedule over `steps` steps.
    pub fn schedule(&self, steps: u64) -> StepSchedule {
        let Self { alpha, gamma, stability, .. } = *self;
        StepSchedule { steps, alpha, gamma, stability: stability * steps as f64 }
    }
}

/// Parameters are lines in the format of OpenBench: `name, int|float, start, min, max, c_end, r_end`.
impl Value for Vec<Parameter> {
    type Within = ();

    fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
        for line in texts(entry)? {
            self.push(parameter(&line).map_err(|allowed| refuse_value(entry, &line, &allowed))?);
        }
        Ok(())
    }
}

/// Reads one parameter line. The error says what is allowed.
fn parameter(line: &str) -> Result<Parameter, String> {
    let expected = "name, int or float, start, min, max, c_end, r_end";
    let words: Vec<&str> = line.split(',').map(str::trim).collect();
    let &[name, kind @ ("int" | "float"), ref numbers @ ..] = words.as_slice() else {
        return Err(expected.to_owned());
    };
    one_line(name).map_err(|why| format!("a name in one line: {why}"))?;
    let numbers = numbers.iter().map(|word| word.parse().ok().filter(|n: &f64| n.is_finite()));
    let numbers: Vec<f64> = numbers.collect::<Option<_>>().unwrap_or_default();
    let (&[start, min, max, c_end, r_end], false) = (numbers.as_slice(), name.is_empty()) else {
        return Err(expected.to_owned());
    };
    let is_inside = min < max && (min..=max).contains(&start);
    if !is_inside || c_end <= 0.0 || r_end <= 0.0 {
        return Err(format!("{expected}, with min <= start <= max, and c_end and r_end above 0"));
    }
    let (name, is_integer) = (name.to_owned(), kind == "int");
    Ok(Parameter { name, is_integer, start, min, max, c_end, r_end })
}

impl Value for Advantage {
    type Within = ();

    fn set(&mut self, entry: &Setting, _: Option<()>) -> Result<(), ConfigError> {
        let allowed = "off, fit, or a number of Elo from -1000 to 1000";
        *self = parsed(entry, allowed, |found| match found {
            "fit" => Some(Self::Fitted),
            "off" => Some(Self::Fixed(0.0)),
            _ => found.parse().ok().filter(|elo: &f64| elo.abs() <= 1000.0).map(Self::Fixed),
        })?;
        Ok(())
    }

    fn shown(&self) -> String {
        "fit".to_owned()
    }
}

/// The settings of the output files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OutputConfig {
    /// Games in PGN.
    pub pgn: OutputFile,
    /// Games in SGF.
    pub sgf: OutputFile,
    /// Games as JSON objects, one a line.
    pub jsonl: OutputFile,
    /// The folder of the tables in CSV.
    pub csv: OutputFile,
    /// The report in Markdown, written at the end; `None` for no report.
    pub markdown: Option<PathBuf>,
    /// The report in HTML, written at the end; `None` for no report.
    pub html: Option<PathBuf>,
    /// The printed lines.
    pub lines: PrintedLines,
    /// The number of games between two tables of standings; 0 for no tables.
    pub rating_interval: u32,
}

impl OutputConfig {
    /// The files of the tables in CSV.
    const TABLES: [&str; 3] = ["games.csv", "players.csv", "encounters.csv"];

    /// Returns the files that the user named, each with the name of its option.
    pub fn named(&self) -> Vec<(&'static str, PathBuf)> {
        let at = |file: &OutputFile| match file {
            OutputFile::At(path) => Some(path.clone()),
            _ => None,
        };
        let files = [
            ("pgnout", at(&self.pgn)),
            ("sgfout", at(&self.sgf)),
            ("jsonl", at(&self.jsonl)),
            ("markdown", self.markdown.clone()),
            ("html", self.html.clone()),
        ];
        let table = |folder: PathBuf| Self::TABLES.map(|name| ("csv", folder.join(name)));
        let files = files.into_iter().filter_map(|(option, path)| Some((option, path?)));
        files.chain(at(&self.csv).into_iter().flat_map(table)).collect()
    }
}
