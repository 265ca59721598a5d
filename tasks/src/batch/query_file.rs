//! Reads a file of queries: one object of the JSON protocol a line.

use serde_json::Value;
use tengen_protocol::dialect::json::read as json;
use tengen_records::{Format, ReadOptions, format_of};

use super::limits::{Limits, RawQuery};
use super::without_bom;
use crate::Failure;

/// Returns whether a file holds queries: JSON, but not the games of a run of the arena. Braces with
/// numbers, as in `{7,7},{8,6}`, are a list of moves.
pub(super) fn are_queries(bytes: &[u8]) -> bool {
    let object = without_bom(bytes).trim_ascii_start().strip_prefix(b"{");
    let first = object.map(|fields| fields.trim_ascii_start().first());
    let is_json = first.is_some_and(|first| first.is_none_or(|sign| !sign.is_ascii_digit()));
    is_json && format_of(without_bom(bytes), &ReadOptions::new()) != Ok(Format::JSONL)
}

/// Reads the queries of the file `name`.
pub(super) fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Vec<RawQuery>, Failure> {
    let mut queries = Vec::new();
    for (line, number) in without_bom(bytes).split(|byte| *byte == b'\n').zip(1..) {
        let place = format!("{name}:{number}");
        let refusal = |why: &str| Failure::Refused(format!("{place}: {why}"));
        let text = str::from_utf8(line).map_err(|_| refusal("the text is not UTF-8"))?.trim();
        if !text.is_empty() {
            queries.push(RawQuery { number, text: with_defaults(text, number, limits), place });
        }
    }
    Ok(queries)
}

/// Adds the given limits to a query. Invalid text stays unchanged; the check refuses it later.
fn with_defaults(text: &str, number: u64, limits: &Limits) -> String {
    if !limits.are_given() || json::query(text, number).is_err() {
        return text.to_owned();
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(mut query)) => {
            limits.add_to(&mut query);
            Value::Object(query).to_string()
        }
        _ => text.to_owned(),
    }
}
