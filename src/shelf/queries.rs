//! `tengen shelf queries`: the queries that a person saved.

use tengen_shelf::Shelf;

use super::failure;
use crate::exit_status::{one_line, print};

const EXAMPLES: &str = include_str!("../help/shelf_queries.txt").trim_ascii_end();

/// List the queries that "tengen shelf find --save" has saved, or remove one.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Remove the query with this name.
    #[arg(long, value_name = "NAME")]
    remove: Option<String>,
}

impl Args {
    /// Returns whether the shelf is only read.
    pub(super) fn is_reading(&self) -> bool {
        self.remove.is_none()
    }
}

/// Runs the command.
pub(super) fn run(shelf: &mut Shelf, args: &Args) -> anyhow::Result<()> {
    if let Some(name) = &args.remove {
        return shelf.remove_query(name).map_err(failure);
    }
    let queries = shelf.queries().map_err(failure)?;
    let line = |(name, options): &(String, Vec<String>)| {
        one_line(&format!("{name}: {}", options.join(" "))) + "\n"
    };
    print(queries.iter().map(line).collect::<String>())
}
