//! Reads the settings that are tables: openings, tests, adjudication. Reads output files too.

use tengen_engine::text::quotable;

use super::choices::{
    DrawRule, OpeningFormat, OpeningSequence, OpeningsConfig, OutputFile, Policy, ProofRule,
    ResignRule, SpsaConfig,
};
use super::given::{ConfigError, Setting};
use super::test_keys;
use super::values::{
    choice, join, number, path, refuse, refuse_value, switch, table, text, texts, unknown_key,
    whole, whole_u32,
};
use crate::stats::sprt::Sprt;
use crate::stats::spsa::Parameter;

/// Reads the setting `openings`.
pub(super) fn openings(entry: &Setting) -> Result<OpeningsConfig, ConfigError> {
    const KEYS: &str = "file, format, order, start, plies, policy, transform, balance, count, \
                        nodes";
    let mut file = None;
    let mut style = None;
    let mut config = OpeningsConfig { place: entry.place.clone(), ..OpeningsConfig::default() };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "file" => file = Some(path(inner)?),
            "format" => style = Some(choice(inner, &OpeningFormat::NAMES)?),
            "order" => {
                let named = [
                    ("sequential", OpeningSequence::Sequential),
                    ("random", OpeningSequence::Random),
                ];
                config.order = choice(inner, &named)?;
            }
            "start" => config.start = whole(inner, 1, 1_000_000_000)?,
            "plies" => config.plies = Some(whole_u32(inner, 1, 10_000)?),
            "policy" => {
                let named = [
                    ("default", Policy::Default),
                    ("encounter", Policy::Encounter),
                    ("round", Policy::Round),
                ];
                config.policy = choice(inner, &named)?;
            }
            "transform" => config.transform = switch(inner)?,
            "balance" => config.balance = whole_u32(inner, 0, 2_000_000)?,
            "count" => config.count = whole_u32(inner, 1, 1_000_000)?,
            "nodes" => config.nodes = whole(inner, 1, 1_000_000_000_000)?,
            _ => return Err(unknown_key(inner, "openings", KEYS)),
        }
    }
    let style = style.or_else(|| file.as_deref().and_then(OpeningFormat::by_extension));
    config.style = style.ok_or_else(|| {
        let names: Vec<&str> = OpeningFormat::NAMES.iter().map(|(name, _)| *name).collect();
        refuse(entry, &format!("format= is missing: one of {}", names.join(", ")))
    })?;
    config.file = file;
    match (config.style.has_file(), &config.file) {
        (true, None) => Err(refuse(entry, "file= is missing")),
        (false, Some(_)) => Err(refuse(entry, "this format reads no file")),
        _ => Ok(config),
    }
}

/// Reads the setting `sprt`.
pub(super) fn sprt(entry: &Setting) -> Result<Sprt, ConfigError> {
    let mut test = Sprt::default();
    for inner in table(entry)? {
        test_keys::set(&mut test, &inner.key, text(inner)?)
            .map_err(|why| ConfigError::at(&inner.place, why))?;
    }
    test_keys::check(&test).map_err(|why| ConfigError::at(&entry.place, why))?;
    Ok(test)
}

/// Reads the setting `spsa`. Its parameters are lines in the format of OpenBench:
/// `name, int|float, start, min, max, c_end, r_end`.
pub(super) fn spsa(entry: &Setting) -> Result<SpsaConfig, ConfigError> {
    let mut config = SpsaConfig { place: entry.place.clone(), ..SpsaConfig::default() };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "parameters" => {
                for line in texts(inner)? {
                    let read = parameter(&line);
                    config
                        .parameters
                        .push(read.map_err(|allowed| refuse_value(inner, &line, &allowed))?);
                }
            }
            "alpha" => config.alpha = number(inner, 0.0, 2.0)?,
            "gamma" => config.gamma = number(inner, 0.0, 2.0)?,
            "stability" => config.stability = number(inner, 0.0, 1.0)?,
            _ => {
                return Err(unknown_key(inner, "spsa", "parameters, alpha, gamma, stability"));
            }
        }
    }
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
    Ok(config)
}

/// Reads one parameter line. The error says what is allowed.
fn parameter(line: &str) -> Result<Parameter, String> {
    let expected = "name, int or float, start, min, max, c_end, r_end";
    let words: Vec<&str> = line.split(',').map(str::trim).collect();
    let &[name, kind @ ("int" | "float"), ref numbers @ ..] = words.as_slice() else {
        return Err(expected.to_owned());
    };
    let numbers = numbers.iter().map(|word| word.parse().ok().filter(|n: &f64| n.is_finite()));
    let numbers: Option<Vec<f64>> = numbers.collect();
    let Some(&[start, min, max, c_end, r_end]) = numbers.as_deref().filter(|_| !name.is_empty())
    else {
        return Err(expected.to_owned());
    };
    let is_inside = min < max && (min..=max).contains(&start);
    if !is_inside || c_end <= 0.0 || r_end <= 0.0 {
        return Err(format!("{expected}, with min <= start <= max, and c_end and r_end above 0"));
    }
    let (name, is_integer) = (name.to_owned(), kind == "int");
    Ok(Parameter { name, is_integer, start, min, max, c_end, r_end })
}

/// Reads the setting `draw`.
pub(super) fn draw(entry: &Setting) -> Result<DrawRule, ConfigError> {
    let mut rule = DrawRule { move_number: 0, move_count: 8, score: 0 };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "movenumber" => rule.move_number = whole_u32(inner, 0, 100_000)?,
            "movecount" => rule.move_count = whole_u32(inner, 1, 100_000)?,
            "score" => rule.score = whole_u32(inner, 0, 10_000_000)?,
            _ => return Err(unknown_key(inner, "draw", "movenumber, movecount, score")),
        }
    }
    Ok(rule)
}

/// Reads the setting `resign`.
pub(super) fn resign(entry: &Setting) -> Result<ResignRule, ConfigError> {
    let mut rule = ResignRule { move_count: 3, score: 0, two_sided: true };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "movecount" => rule.move_count = whole_u32(inner, 1, 100_000)?,
            "score" => rule.score = whole_u32(inner, 1, 10_000_000)?,
            "twosided" => rule.two_sided = switch(inner)?,
            _ => return Err(unknown_key(inner, "resign", "movecount, score, twosided")),
        }
    }
    if rule.score == 0 {
        return Err(refuse(entry, "score= is missing: a game is lost at so much below zero"));
    }
    Ok(rule)
}

/// Reads the setting `proof`.
pub(super) fn proof(entry: &Setting) -> Result<ProofRule, ConfigError> {
    const KEYS: &str = "win, draw, nodes, plies, within, proof-check";
    let mut rule =
        ProofRule { win: true, draw: false, nodes: 20_000, plies: 8, within: None, check: 0.0 };
    for inner in table(entry)? {
        match inner.key.as_str() {
            "win" => rule.win = switch(inner)?,
            "draw" => rule.draw = switch(inner)?,
            "nodes" => rule.nodes = whole(inner, 1, 1_000_000_000_000)?,
            "plies" => rule.plies = whole_u32(inner, 0, 100_000)?,
            "within" => rule.within = Some(whole_u32(inner, 1, 100_000)?),
            "proof-check" => rule.check = number(inner, 0.0, 1.0)?,
            _ => return Err(unknown_key(inner, "proof", KEYS)),
        }
    }
    Ok(rule)
}

/// Reads a list of CPUs; empty for all, `None` for `off`.
pub(super) fn affinity(entry: &Setting) -> Result<Option<String>, ConfigError> {
    let found = text(entry)?;
    match found.to_ascii_lowercase().as_str() {
        "off" | "false" => Ok(None),
        "on" | "true" | "all" => Ok(Some(String::new())),
        list if list.bytes().all(|b| b.is_ascii_digit() || b == b'-' || b == b',') => {
            Ok(Some(list.to_owned()))
        }
        _ => Err(refuse_value(entry, found, "on, off or a list of CPUs such as 0-3,6")),
    }
}

/// Reads an output file: a path, `on` or `off`.
pub(super) fn file(entry: &Setting) -> Result<OutputFile, ConfigError> {
    let found = text(entry)?;
    // fastchess writes `-pgnout file=games.pgn`.
    let name = found.strip_prefix("file=").unwrap_or(found);
    Ok(match name {
        "off" => OutputFile::Off,
        "on" => OutputFile::Default,
        _ => OutputFile::At(join(&entry.place.folder(), name)),
    })
}
