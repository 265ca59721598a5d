//! `tengen schema`: the JSON Schema of the JSON protocol.

use anyhow::Context;
use tengen_protocol::dialect::json::schema::schema;

use crate::exit_status::print;

const EXAMPLES: &str = include_str!("help/schema.txt").trim_ascii_end();

/// Print the JSON Schema of queries and replies (draft 2020-12).
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

/// Runs the command.
pub(crate) fn run() -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(&schema()).context("cannot write the schema")?;
    print(text + "\n")
}
