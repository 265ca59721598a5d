//! `arena openings`: a list of openings, made by random moves and a search, or read from a file in
//! any format.

use tengen_engine::backend::Catalog;

use super::before::read_openings;
use super::{Console, Failure, Status, printed};
use crate::config::given::read_words;
use crate::config::{Config, Setting, SettingSource, SettingValue};
use crate::output::files::replace;

/// The options that the command takes.
const OPTIONS: [&str; 9] =
    ["variant", "rule", "boardsize", "k", "gravity", "overline", "openings", "srand", "out"];

/// Writes a list of openings, a line each.
pub(super) fn openings(
    args: &[String],
    catalog: &dyn Catalog,
    host: &mut dyn Console,
) -> Result<Status, Failure> {
    let (args, count) = take_count(args)?;
    let (free, mut entries) = read_words(&args)?;
    if let Some(word) = free.first() {
        let found = tengen_engine::text::quotable(word);
        return Err(Failure::refused(format!("openings: \"{found}\": an option expected")));
    }
    if let Some(entry) = entries.iter().find(|entry| !OPTIONS.contains(&entry.key.as_str())) {
        let allowed = OPTIONS.join(", ");
        return Err(Failure::refused(format!(
            "-{}: openings takes only {allowed}, count",
            entry.key
        )));
    }
    make_by_default(&mut entries, count);
    let config = Config::read_settings(&entries, catalog)?;
    let spec = config.spec(catalog)?;
    let mut board = catalog.position(&spec);
    let Some(list) = read_openings(&config, catalog, &mut *board)? else {
        return Err(Failure::refused("openings: there is no opening in it"));
    };
    let text = list.to_file(&mut *board).map_err(Failure::refused)?;
    let Some(path) = &config.out else {
        printed(host, &text)?;
        return Ok(Status::Done);
    };
    replace(path, text.as_bytes()).map_err(|error| Failure {
        status: Status::Write,
        message: format!("{}: {error}", path.display()),
    })?;
    let (all, repeated) = (list.openings.len(), list.repeated);
    let same = match repeated {
        0 => String::new(),
        _ => format!(", {repeated} of them equal to others by symmetry"),
    };
    printed(host, &format!("{all} openings{same}: {}\n", path.display()))?;
    Ok(Status::Done)
}

/// Takes `-count N`, which only this command has, out of the words.
fn take_count(args: &[String]) -> Result<(Vec<String>, Option<String>), Failure> {
    let mut args = args.to_vec();
    let Some(place) = args.iter().position(|arg| matches!(arg.as_str(), "-count" | "--count"))
    else {
        return Ok((args, None));
    };
    if place + 1 == args.len() {
        return Err(Failure::refused("-count: a value expected"));
    }
    let count = args.remove(place + 1);
    args.remove(place);
    Ok((args, Some(count)))
}

/// Openings are made where no format and no file is named.
fn make_by_default(entries: &mut Vec<Setting>, count: Option<String>) {
    let entry = |key: &str, value: SettingValue| Setting {
        key: key.to_owned(),
        value,
        place: SettingSource::CommandLine,
    };
    if !entries.iter().any(|entry| entry.key == "openings") {
        entries.push(entry("openings", SettingValue::Table(Vec::new())));
    }
    for known in entries.iter_mut().filter(|entry| entry.key == "openings") {
        let SettingValue::Table(keys) = &mut known.value else { continue };
        if !keys.iter().any(|key| matches!(key.key.as_str(), "file" | "format")) {
            keys.push(entry("format", SettingValue::Text("generate".to_owned())));
        }
        keys.extend(count.iter().map(|count| entry("count", SettingValue::Text(count.clone()))));
    }
}
