//! A query before the check, and the limits of queries that name none.

use serde_json::{Map, Value};

/// Limits and options for queries that do not name these fields.
#[derive(clap::Args)]
pub(crate) struct Limits {
    /// Milliseconds for each position of a query without a limit.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,

    /// Plies for each position of a query without a limit.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    depth: Option<u64>,

    /// Nodes for each position of a query without a limit.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..1 << 53))]
    nodes: Option<u64>,

    /// How many moves are ranked, for queries that do not say [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=676))]
    multipv: Option<u64>,

    /// Empty the table before each search, so that answers do not depend on other queries.
    #[arg(long)]
    fresh: bool,

    /// Answer by search, without an opening book.
    #[arg(long)]
    no_book: bool,
}

impl Limits {
    /// Returns whether any field is given.
    pub(super) fn are_given(&self) -> bool {
        self.movetime.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
            || self.multipv.is_some()
            || self.fresh
            || self.no_book
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
                if let Some(value) = value {
                    query.insert(field.to_owned(), value.into());
                }
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
