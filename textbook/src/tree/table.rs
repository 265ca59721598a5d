//! The counts of each algorithm, in columns.

use std::fmt::Write;

use crate::{TreeResult, WalkCounts};
use tengen_games::tree::{TreeGame, TreeMove};

use super::answer::{best_name, value};

const HEAD: [&str; 8] =
    ["algorithm", "value", "best", "nodes", "leaves", "distinct", "alpha cuts", "beta cuts"];

/// Returns one line for each algorithm, under a line of headings.
pub fn table(
    game: &TreeGame,
    measured: &[(&'static str, (TreeResult<TreeMove>, WalkCounts))],
) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(measured.iter().map(|(name, (found, tally))| {
        [
            (*name).to_owned(),
            value(game, found).to_string(),
            best_name(game, found).unwrap_or("-").to_owned(),
            tally.nodes.to_string(),
            tally.leaves.to_string(),
            tally.distinct_leaves.to_string(),
            tally.alpha_cuts.to_string(),
            tally.beta_cuts.to_string(),
        ]
    }));
    aligned(&rows)
}

/// Aligns columns: the first to the left, the others to the right.
fn aligned(rows: &[[String; 8]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..HEAD.len()).map(|column| width(column).unwrap_or(0)).collect();
    let mut out = String::new();
    for row in rows {
        let _ = write!(out, "{:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(out, "  {cell:>width$}");
        }
        out.push('\n');
    }
    out
}
