//! Fitted weights and their evaluation file.

use anyhow::Result;
use tengen_engine::Side;
use tengen_games::gomoku::{EvalFile, Rule, SideWeights, WeightScope};

/// Fitted weights and their evaluation file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fitted {
    /// The evaluation file that holds the weights.
    pub file: EvalFile,
    /// The data of the fit and its losses, in one line.
    pub summary: String,
}

/// Returns how many sets of weights a rule has: one for each side in renju, which binds only one of
/// them, else one for both.
pub(super) fn sides_with_weights(rule: Rule) -> usize {
    if rule == Rule::Renju { 2 } else { 1 }
}

impl Fitted {
    /// Returns `base` with fitted weights for `rule`. `change` replaces the weights of a set by the
    /// fitted ones; it gets the index of the set. `part` is the name of the fitted weights in the
    /// summary.
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
            .map(|(index, side)| {
                let mut weights = base.weights(rule, side).clone();
                change(index, &mut weights);
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

/// Returns the scope of weights. Those of freestyle serve every rule that has no weights.
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
