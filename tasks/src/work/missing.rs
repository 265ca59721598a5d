//! The tasks of a file that have no result in another one.

use std::collections::HashSet;

use tengen_runs::contract::{ResultLine, TaskLine};

use crate::Console;

/// Returns the tasks of a file that have no result in another file, and whether a task was refused. Each
/// file has a name and bytes. Results that ask for another attempt do not count. A line that is cut off
/// is no result.
pub fn missing(
    (tasks_name, tasks): (&str, &[u8]),
    (results_name, results): (&str, &[u8]),
    console: &dyn Console,
) -> (String, bool) {
    let mut done: HashSet<String> = HashSet::new();
    for (line, number) in lines(results) {
        match serde_json::from_str::<ResultLine>(&line) {
            Ok(result) => done.extend(result.id.clone().filter(|_| result.is_final())),
            Err(_) => console.warn(&format!("{results_name}:{number}: no result, and is skipped")),
        }
    }
    let mut out = String::new();
    let mut seen = HashSet::new();
    let mut is_bad = false;
    for (line, number) in lines(tasks) {
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
        console.report(&format!("{tasks_name}:{number}: {refusal}"));
        is_bad = true;
    }
    (out, is_bad)
}

/// Returns the lines of a file that are not empty, with their numbers.
fn lines(bytes: &[u8]) -> Vec<(String, usize)> {
    let lines = bytes.split(|byte| *byte == b'\n').zip(1..);
    let texts =
        lines.map(|(line, number)| (String::from_utf8_lossy(line).trim().to_owned(), number));
    texts.filter(|(line, _)| !line.is_empty()).collect()
}
