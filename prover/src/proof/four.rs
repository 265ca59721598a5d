//! Proves four in a row on 7x6 by a small strategy: rules where a rule can be learned, moves above.
//!
//! Of the moves that reach the aim it takes the one below which most replies are met by rules. Small
//! subtrees are searched completely for the fewest lines.
// CITE: the idea of a small opening tree above leaves that a rule plays to the end is that of WeakC4,
// https://github.com/2swap/WeakC4.

use tengen_proofs::Claim;

use super::journal::{Found, Journal};
use super::rules::{Learner, Limits, Rule};
use super::solver::Solver;
use super::stones::{Map, Stones, each, mirror, name};
use crate::{Error, Monitor};

/// The limits of the rule of one position.
const LIMITS: Limits = Limits { positions: 20_000, lessons: 150 };
/// What a position with a move costs, if one with a rule costs 1. Rules of several replies share a line.
const MOVE: u32 = 3;

/// The prover of a claim.
pub(super) struct Prover<'a> {
    solver: Solver,
    /// The rules that were learned, by the code of the least position; `None` where none was found.
    rules: Map<Option<Rule>>,
    /// What is known of positions without a rule.
    costs: Map<Cost>,
    /// The cost up to which subtrees are searched completely.
    effort: u32,
    journal: Journal,
    monitor: Monitor<'a>,
}

/// The cost of a position without a rule.
#[derive(Clone, Copy)]
struct Cost {
    /// Every strategy costs at least this.
    least: u32,
    /// The cost and the move of the strategy that was found, in the least position.
    found: Option<(u32, u64)>,
}

/// A move, the decisions after it, each with what it costs at least, and the sum.
struct Choice {
    mv: u64,
    decisions: Vec<(Stones, u32)>,
    cost: u32,
}

impl<'a> Prover<'a> {
    pub(super) fn new(
        claim: Claim,
        effort: u32,
        (journal, found): (Journal, Found),
        monitor: Monitor<'a>,
    ) -> Result<Self, Error> {
        let solver = Solver::new(claim.wins)?;
        let (rules, costs) = (found.rules, Map::default());
        Ok(Self { solver, rules, costs, effort, journal, monitor })
    }

    /// Proves that the side reaches its aim from `start`. `is_mover`: the side is to move. Returns the
    /// lines of the proof.
    pub(super) fn prove(mut self, start: Stones, is_mover: bool) -> Result<Vec<String>, Error> {
        if !self.solver.is_reached(start, is_mover) {
            return Err(Error::Refused("the solver says that the claim is not true".to_owned()));
        }
        let mut decisions = Vec::new();
        match is_mover {
            true => decisions.push(start),
            false => self.decisions(start, &mut decisions),
        }
        for decision in decisions {
            self.settle(decision)?;
        }
        self.journal.save()?;
        let mut body = Body { prover: &mut self, lines: Vec::new(), places: Map::default() };
        match is_mover {
            true => body.side(start)?,
            false => body.replies(start, None)?,
        }
        Ok(body.lines)
    }

    /// Returns whether a rule can be learned for a position.
    fn has_rule(&mut self, stones: Stones) -> Result<bool, Error> {
        let least = stones.least();
        let code = least.code();
        if !self.rules.contains_key(&code) {
            if self.monitor.signal.is_stopped() {
                self.journal.save()?;
                let why = format!("rules tried: {}", self.rules.len());
                return Err(Error::Interrupted(format!("{why}; the journal keeps them")));
            }
            let mut learner = Learner::default();
            let is_learned = learner.learn(&[least], LIMITS, &mut self.solver);
            let rule = is_learned.then_some(learner.rule);
            self.journal.add_rule(code, rule.as_ref())?;
            self.rules.insert(code, rule);
            self.monitor.progress.step();
        }
        Ok(self.rules[&code].is_some())
    }

    /// Returns the rule for a position, if one can be learned.
    fn rule(&mut self, stones: Stones) -> Result<Option<Rule>, Error> {
        let least = stones.least();
        self.has_rule(stones)?;
        let rule = self.rules[&least.code()].clone();
        let wins = self.solver.wins;
        Ok(rule.map(|rule| if stones == least { rule } else { rule.mirror(least, wins) }))
    }

    /// Adds the decisions of the side after each reply in `stones`.
    fn decisions(&self, stones: Stones, all: &mut Vec<Stones>) {
        for reply in each(stones.playable()) {
            let next = stones.play(reply);
            if next.is_full() || next.wins() != 0 {
                continue;
            }
            let safe = next.safe();
            match safe & safe.wrapping_sub(1) {
                0 => self.decisions(next.play(safe), all),
                _ if all.iter().any(|known| known.least() == next.least()) => {}
                _ => all.push(next),
            }
        }
    }

    /// Returns what a strategy from a decision costs at least.
    fn least_cost(&mut self, stones: Stones) -> Result<u32, Error> {
        if self.has_rule(stones)? {
            return Ok(1);
        }
        let known = self.costs.get(&stones.least().code());
        Ok(known.map_or(MOVE + 1, |cost| cost.found.map_or(cost.least, |(cost, _)| cost)))
    }

    /// Returns the moves with which the side reaches its aim, the cheapest first.
    fn choices(&mut self, stones: Stones) -> Result<Vec<Choice>, Error> {
        let mut choices = Vec::new();
        for mv in each(self.solver.good_moves(stones)) {
            let mut decisions = Vec::new();
            self.decisions(stones.play(mv), &mut decisions);
            let costs = decisions.into_iter().map(|at| Ok((at, self.least_cost(at)?)));
            let decisions = costs.collect::<Result<Vec<_>, Error>>()?;
            let cost = MOVE + decisions.iter().map(|(_, cost)| cost).sum::<u32>();
            choices.push(Choice { mv, decisions, cost });
        }
        choices.sort_by_key(|choice| choice.cost);
        Ok(choices)
    }

    /// Searches for the cheapest strategy that costs at most `limit`. Returns its cost, or more than
    /// `limit` if there is none.
    fn cheapest(&mut self, stones: Stones, limit: u32) -> Result<u32, Error> {
        if self.has_rule(stones)? {
            return Ok(1);
        }
        let least = stones.least();
        if let Some(known) = self.costs.get(&least.code()) {
            match known.found {
                Some((cost, _)) => return Ok(cost),
                None if known.least > limit => return Ok(known.least),
                None => {}
            }
        }
        let mut best = limit + 1;
        let mut found = None;
        for choice in self.choices(least)? {
            let mut cost = choice.cost;
            for (decision, known) in &choice.decisions {
                if cost >= best {
                    break;
                }
                let others = cost - known;
                cost = others + self.cheapest(*decision, best - 1 - others)?;
            }
            if cost < best {
                best = cost;
                found = Some((cost, choice.mv));
            }
        }
        self.costs.insert(least.code(), Cost { least: best, found });
        Ok(best)
    }

    /// Settles the moves of a whole strategy from a decision on. Returns its cost.
    fn settle(&mut self, stones: Stones) -> Result<u32, Error> {
        let cost = self.cheapest(stones, self.effort)?;
        let least = stones.least();
        if self.has_rule(stones)? || self.costs[&least.code()].found.is_some() {
            return Ok(cost);
        }
        let mut choices = self.choices(least)?;
        for choice in &mut choices {
            choice.cost = MOVE;
            for (decision, _) in &choice.decisions {
                let cost = self.cheapest(*decision, self.effort)?;
                // A subtree that was not searched to its end is large.
                choice.cost += if cost > self.effort { 3 * cost } else { cost };
            }
        }
        choices.sort_by_key(|choice| choice.cost);
        let Some(best) = choices.into_iter().next() else {
            return Err(Error::Failed(format!("the solver knows no move in {}", least.code())));
        };
        let mut cost = MOVE;
        for (decision, _) in best.decisions {
            cost += self.settle(decision)?;
        }
        self.costs.insert(least.code(), Cost { least: cost, found: Some((cost, best.mv)) });
        self.monitor.progress.show(format!(
            "{} rules, {} moves",
            self.rules.len(),
            self.costs.len()
        ));
        Ok(cost)
    }

    /// Returns the settled move of a decision without a rule.
    fn settled(&self, stones: Stones) -> Result<u64, Error> {
        let least = stones.least();
        match self.costs.get(&least.code()).and_then(|cost| cost.found) {
            Some((_, mv)) => Ok(if stones == least { mv } else { mirror(mv) }),
            None => Err(Error::Failed("a position has no move".to_owned())),
        }
    }

    /// Learns one rule for as many of the replies after a move as possible.
    fn shared_rule(&mut self, stones: Stones) -> Rule {
        let mut met = Vec::new();
        let mut learned = Learner::default();
        for reply in each(stones.playable()) {
            let next = stones.play(reply);
            if next.is_full() || next.wins() != 0 {
                continue;
            }
            let mut learner = learned.clone();
            met.push(next);
            match learner.learn(&met, LIMITS, &mut self.solver) {
                true => learned = learner,
                false => drop(met.pop()),
            }
        }
        learned.rule
    }
}

/// The lines of a proof, in the order in which a checker needs them.
struct Body<'a, 'b> {
    prover: &'a mut Prover<'b>,
    lines: Vec<String>,
    /// The line of each decision, by the code of the least position.
    places: Map<usize>,
}

impl Body<'_, '_> {
    fn side(&mut self, stones: Stones) -> Result<(), Error> {
        if stones.wins() != 0 {
            return Ok(());
        }
        let safe = stones.safe();
        if safe & safe.wrapping_sub(1) == 0 {
            return self.replies(stones.play(safe), None);
        }
        if let Some(place) = self.places.get(&stones.least().code()) {
            let line = &mut self.lines[*place];
            if !line.starts_with('*') {
                line.insert(0, '*');
            }
            return Ok(());
        }
        self.places.insert(stones.least().code(), self.lines.len());
        if let Some(rule) = self.prover.rule(stones)? {
            self.lines.push(format!(":{}", rule.write()));
            return Ok(());
        }
        let mv = self.prover.settled(stones)?;
        let next = stones.play(mv);
        let rule = self.prover.shared_rule(next);
        self.lines.push(format!("{}:{}", name(mv), rule.write()));
        self.replies(next, Some(&rule))
    }

    fn replies(&mut self, stones: Stones, rule: Option<&Rule>) -> Result<(), Error> {
        for reply in each(stones.playable()) {
            let next = stones.play(reply);
            let is_over = next.is_full() || next.wins() != 0;
            if is_over || rule.is_some_and(|rule| rule.holds(next, self.prover.solver.wins)) {
                continue;
            }
            self.side(next)?;
        }
        Ok(())
    }
}
