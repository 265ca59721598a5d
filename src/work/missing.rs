//! `tengen work --missing`: the tasks of a file that have no result in another one.

use std::collections::HashSet;
use std::path::Path;

use anyhow::Result;
use tengen_runs::contract::{ResultLine, TaskLine};

use super::some_refused;
use crate::exit_status::{print, report, warn};
use crate::files::read_bytes;

/// Prints the tasks of the file `tasks` that have no result in the file `results`. Results that ask for
/// another attempt do not count. A line that is cut off is no result.
pub(super) fn print_missing(tasks: &Path, results: &Path) -> Result<()> {
    let (tasks_name, results_name) = (tasks.display(), results.display());
    let mut done: HashSet<String> = HashSet::new();
    let text = read_bytes(results)?;
    for (line, number) in lines(&text) {
        match serde_json::from_str::<ResultLine>(&line) {
            Ok(result) => done.extend(result.id.clone().filter(|_| result.is_final())),
            Err(_) => warn(&format!("{results_name}:{number}: no result, and is skipped")),
        }
    }
    let mut out = String::new();
    let mut seen = HashSet::new();
    let mut is_bad = false;
    for (line, number) in lines(&read_bytes(tasks)?) {
        let refusal = match TaskLine::read(&line) {
            Ok(task) if seen.insert(task.id.clone()) => {
                if !done.contains(&task.id) {
                    out.push_str(&line);
                    out.push('\n');
                }
                continue;
            }
            Ok(task) => format!("id \"{}\": an earlier task has it", task.id),
            Err(refused) => refused.error.map(|error| error.message).unwrap_or_default(),
        };
        report(&format!("{tasks_name}:{number}: {refusal}"));
        is_bad = true;
    }
    print(out)?;
    if is_bad { Err(some_refused()) } else { Ok(()) }
}

/// Returns the lines of a file that are not empty, with their numbers.
fn lines(bytes: &[u8]) -> Vec<(String, usize)> {
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    let texts =
        lines.map(|(line, number)| (String::from_utf8_lossy(line).trim().to_owned(), number));
    texts.filter(|(line, _)| !line.is_empty()).collect()
}
