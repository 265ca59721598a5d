//! The page of messages, `docs/manual/messages.md`, as tests read it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

const PAGE: &str = include_str!("../../docs/manual/messages.md");

/// Returns the messages on the page, with `…` for what differs: the first cell of each row, in
/// backquotes.
pub(crate) fn templates() -> BTreeSet<String> {
    let found: BTreeSet<String> = PAGE.lines().filter_map(template).collect();
    assert!(found.len() > 100);
    found
}

fn template(line: &str) -> Option<String> {
    let row = line.strip_prefix("| `")?.replace("\\|", "\u{0}");
    let (cell, _) = row.split_once(" | ")?;
    let (open, close) = if cell.starts_with('`') { ("`", "``") } else { ("", "`") };
    let text = cell.strip_prefix(open)?.strip_suffix(close)?;
    let text = if open.is_empty() { text } else { text.strip_suffix(' ').unwrap_or(text) };
    Some(text.replace('\u{0}', "|"))
}

/// How lines begin that hold a message.
const PREFIXES: [&str; 6] =
    ["info string ", "ERROR ", "UNKNOWN ", "MESSAGE ", "tengen: warning: ", "tengen: "];

/// Returns whether the message of `line` is one of the page. The place that it is about may stand
/// before it, with a colon after it.
pub(crate) fn is_on_the_page(line: &str) -> bool {
    static TEMPLATES: LazyLock<BTreeSet<String>> = LazyLock::new(templates);
    let is_prefix =
        |template: &&String| PREFIXES.iter().any(|start| **template == format!("{start}…"));
    let message = PREFIXES.iter().find_map(|start| line.strip_prefix(start)).unwrap_or(line);
    let tails = message.match_indices(": ").map(|(at, colon)| &message[at + colon.len()..]);
    let mut ways = [line, message].into_iter().chain(tails);
    ways.any(|way| TEMPLATES.iter().filter(|it| !is_prefix(it)).any(|template| fits(template, way)))
}

/// Returns whether `message` is `template`, in which `…` is any text.
fn fits(template: &str, message: &str) -> bool {
    let mut parts = template.split('…');
    let Some(mut rest) = parts.next().and_then(|first| message.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
