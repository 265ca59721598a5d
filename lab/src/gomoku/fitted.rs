//! Weights that were fitted, and the evaluation file that takes them.

use anyhow::Result;
use tengen_engine::Side;
use tengen_games::gomoku::{EvalFile, Rule, SideWeights, WeightScope};

/// Weights that were fitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fitted {
    /// The evaluation file that holds them.
    pub file: EvalFile,
    /// What they were fitted to, and how good they are.
    pub summary: String,
}

/// Returns how many sides have weights of their own: both where the rule binds only one of them.
pub(super) fn sides_with_weights(rule: Rule) -> usize {
    if rule == Rule::Renju { 2 } else { 1 }
}

impl Fitted {
    /// Returns `base` with fitted weights for `rule`. `change` puts the numbers that were fitted in
    /// place of those in use, for each side that has its own. `part`: the name of these numbers.
    pub(super) fn new(
        base: &EvalFile,
        rule: Rule,
        part: &str,
        summary: &str,
        change: impl Fn(usize, &mut SideWeights),
    ) -> Result<Self> {
        let sides = [Side::First, Side::Second].into_iter().take(sides_with_weights(rule));
        let sets = sides.enumerate();
        let sets: Vec<_> = sets
            .map(|(place, side)| {
                let mut weights = base.weights(rule, side).clone();
                change(place, &mut weights);
                (scope(rule, side), weights)
            })
            .collect();
        let is_kept = |known: &WeightScope| {
            known.rule != Some(rule) && sets.iter().all(|(scope, _)| scope != known)
        };
        let kept = base.sets().iter().filter(|(scope, _)| is_kept(scope)).cloned();
        let name = format!("{}, {part}: ", name(rule));
        let summary = format!("{name}{summary}");
        let lines = base.text().lines().filter(|line| !line.starts_with(&name));
        let text: Vec<&str> = lines.chain([&*summary]).collect();
        let file = EvalFile::new(&text.join("\n"), kept.chain(sets.iter().cloned()).collect())?;
        Ok(Self { file, summary })
    }
}

/// Returns what weights are for. Those of freestyle serve every rule without its own.
fn scope(rule: Rule, side: Side) -> WeightScope {
    match rule {
        Rule::Freestyle => WeightScope::ANY,
        _ if sides_with_weights(rule) == 2 => WeightScope { rule: Some(rule), side: Some(side) },
        _ => WeightScope { rule: Some(rule), side: None },
    }
}

fn name(rule: Rule) -> &'static str {
    match rule {
        Rule::Freestyle => "every rule",
        Rule::Standard => "standard",
        Rule::Renju => "renju",
        Rule::Caro => "caro",
        Rule::CaroExact => "caro without overlines",
    }
}
