//! A query before the check, and the limits of queries that name none.

use serde_json::{Map, Value};

/// Limits and options for queries that do not name these fields.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Milliseconds for each position of a query without a limit.
    pub movetime: Option<u64>,
    /// Plies for each position of a query without a limit.
    pub depth: Option<u64>,
    /// Nodes for each position of a query without a limit.
    pub nodes: Option<u64>,
    /// How many moves are ranked, for queries that do not say.
    pub multipv: Option<u64>,
    /// Whether the table is emptied before each search.
    pub fresh: bool,
    /// Whether searches answer without an opening book.
    pub no_book: bool,
}

impl Limits {
    /// Returns whether any field is given.
    pub(super) fn are_given(&self) -> bool {
        *self != Self::default()
    }

    /// Adds the given fields that the query does not have.
    pub(super) fn add_to(&self, query: &mut Map<String, Value>) {
        const OWN: [&str; 6] = ["time_ms", "nodes", "depth", "mate", "clock", "infinite"];
        let action = query.get("action").and_then(Value::as_str).unwrap_or("analyze").to_owned();
        if action == "position" {
            return;
        }
        let takes_depth = action == "analyze" || action == "review";
        if !OWN.iter().any(|field| query.contains_key(*field)) {
            let given = [
                ("time_ms", self.movetime),
                ("nodes", self.nodes),
                ("depth", self.depth.filter(|_| takes_depth)),
            ];
            for (field, value) in given {
                query.extend(value.map(|value| (field.to_owned(), value.into())));
            }
        }
        if let Some(lines) = self.multipv.filter(|_| takes_depth) {
            query.entry("multi_pv").or_insert(lines.into());
        }
        if self.fresh {
            query.entry("fresh").or_insert(true.into());
        }
        if self.no_book {
            query.entry("book").or_insert(false.into());
        }
    }
}

/// A query before the check.
pub(super) struct RawQuery {
    /// The place of the query, for messages: a line or a game.
    pub(super) place: String,
    /// The number of its line, or of its game.
    pub(super) number: u64,
    pub(super) text: String,
}
