//! The walk in words: one line per node, in the order of entry.

use std::collections::HashSet;
use std::fmt::Write;

use tengen_engine::Side;
use tengen_games::tree::Node;

use super::answer::answer;
use super::trace::{Pruned, Step, Trace, VisitedNode, score, window};

/// Returns every node with its window on entry, its value and what was cut off, and a summary at
/// the end.
pub fn explain(trace: &Trace) -> String {
    let mut out = String::new();
    for step in &trace.steps {
        let _ = match step {
            Step::Pass(horizon, from) => {
                writeln!(out, "{} to depth {horizon}, {}", trace.algorithm.name(), window(*from))
            }
            Step::Node(entered) => writeln!(out, "{}", line(trace, entered)),
        };
    }
    out.push_str(&summary(trace));
    out
}

fn line(trace: &Trace, entered: &VisitedNode) -> String {
    let indent = "  ".repeat(entered.ply as usize + 1);
    let name = trace.tree().name(entered.node);
    let kind = match entered.turn {
        _ if trace.tree().value(entered.node).is_some() => "leaf",
        _ if entered.is_evaluated => "at the horizon",
        Side::First => "max",
        Side::Second => "min",
    };
    let (from, relation) = (window(entered.window), entered.relation());
    let cut = entered.cut.as_ref().map(|cut| pruned(trace, entered, cut)).unwrap_or_default();
    format!("{indent}{name}  {kind}  {from}  {relation} {}{cut}", score(entered.value))
}

fn pruned(trace: &Trace, entered: &VisitedNode, cut: &Pruned) -> String {
    let bound = match entered.turn {
        Side::First => "beta",
        Side::Second => "alpha",
    };
    let by = trace.tree().name(cut.by);
    let unvisited = names(trace, &cut.unvisited);
    format!("  cut: {by} reaches {bound} {}, never visited: {unvisited}", score(cut.bound))
}

fn names(trace: &Trace, nodes: &[Node]) -> String {
    let names: Vec<&str> = nodes.iter().map(|node| trace.tree().name(*node)).collect();
    names.join(", ")
}

fn summary(trace: &Trace) -> String {
    let evaluated: Vec<Node> = trace
        .entered()
        .filter(|entered| entered.is_evaluated)
        .map(|entered| entered.node)
        .filter(|node| trace.tree().value(*node).is_some())
        .collect();
    let distinct = evaluated.iter().collect::<HashSet<_>>().len();
    let again = match evaluated.len() - distinct {
        0 => String::new(),
        more => format!(", and {more} of them again"),
    };
    let cuts = |side| {
        trace.entered().filter(|entered| entered.cut.is_some() && entered.turn == side).count()
    };
    format!(
        "{distinct} of {} leaves evaluated{again}; alpha cut-offs {}, beta cut-offs {}\n{}\n",
        trace.tree().leaves(),
        cuts(Side::Second),
        cuts(Side::First),
        answer(&trace.game, &trace.found),
    )
}
