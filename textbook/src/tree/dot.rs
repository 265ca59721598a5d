//! Draws the walk as a picture for Graphviz: unvisited nodes are dashed.

use std::collections::HashMap;
use std::fmt::Write;

use tengen_engine::{Game, Side};
use tengen_games::tree::Node;

use super::answer::answer;
use super::trace::{Trace, VisitedNode, score, window};

const HEAD: &str = "digraph tree {
  graph [ranksep=0.5, nodesep=0.25, labelloc=t, fontname=\"sans-serif\", fontsize=14];
  node [fontname=\"sans-serif\", fontsize=11, margin=\"0.08,0.04\"];
  edge [arrowhead=none];
";

/// Draws the walk. Max nodes point up, Min nodes down, leaves are boxes. A visited node shows its
/// window on entry and its value, of the last visit when there were several. The edge to the best
/// move is bold.
pub fn draw(trace: &Trace) -> String {
    let last_visits: HashMap<Node, &VisitedNode> =
        trace.entered().map(|entered| (entered.node, entered)).collect();
    let mut out = HEAD.to_owned();
    let title = format!("{}: {}", trace.algorithm.name(), answer(&trace.game, &trace.found));
    let _ = writeln!(out, "  label=\"{}\";", escaped(&title));
    let children = trace.tree().children(trace.game.node());
    let best = trace.found.best.map(|best| children[best.index()]);
    let mut waiting = vec![(trace.game.node(), trace.game.turn())];
    while let Some((node, turn)) = waiting.pop() {
        draw_node(&mut out, trace, node, turn, last_visits.get(&node).copied());
        for child in trace.tree().children(node) {
            let style = match last_visits.get(child) {
                None => " [style=dashed, color=gray50]",
                Some(_) if best == Some(*child) => " [penwidth=2.5]",
                Some(_) => "",
            };
            let _ = writeln!(out, "  n{} -> n{}{style};", node.index(), child.index());
        }
        let below = trace.tree().children(node).iter().rev();
        waiting.extend(below.map(|child| (*child, turn.other())));
    }
    out.push_str("}\n");
    out
}

fn draw_node(out: &mut String, trace: &Trace, node: Node, turn: Side, visit: Option<&VisitedNode>) {
    let leaf = trace.tree().value(node);
    let shape = match turn {
        _ if leaf.is_some() => "box",
        Side::First => "house",
        Side::Second => "invhouse",
    };
    let mut lines = vec![escaped(trace.tree().name(node))];
    match (leaf, visit) {
        (Some(value), _) => lines.push(value.to_string()),
        (None, Some(visit)) => {
            lines.push(window(visit.window));
            lines.push(format!("{} {}", visit.relation(), score(visit.value)));
        }
        (None, None) => {}
    }
    let style = if visit.is_some() { "" } else { ", style=dashed, color=gray50, fontcolor=gray50" };
    let label = lines.join("\\n");
    let _ = writeln!(out, "  n{} [shape={shape}, label=\"{label}\"{style}];", node.index());
}

/// Escapes text inside a quoted Graphviz label.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
