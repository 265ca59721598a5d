//! Proves four in a row on 7x6 by a small strategy: rules where a rule can be learned, moves above.
//!
//! Of the moves that reach the aim it takes the one below which most replies are met by rules. Small
//! subtrees are searched completely for the fewest lines.
// CITE: the idea of a small opening tree above leaves that a rule plays to the end is that of WeakC4,
// https://github.com/2swap/WeakC4.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::Builder;

use super::journal::{Found, Journal};
use super::rules::{Learner, Limits, Rule};
use super::solver::Solver;
use super::stones::{Map, Stones, each, mirror, name};
use crate::{Error, Monitor};

/// The positions under the rule of one position.
const POSITIONS: usize = 20_000;
/// The lessons for one rule, and those with the least effort: a rule that needs more is seldom found.
const LESSONS: usize = 150;
const FEW_LESSONS: usize = 30;
/// What a position with a move costs, if one with a rule costs 1. Rules of several replies share a line.
const MOVE: u32 = 3;
/// What a position without a rule is expected to cost, if nothing like it is settled yet.
const UNKNOWN: u32 = 8 * MOVE;

/// The prover of a claim.
pub(super) struct Prover<'a> {
    /// A solver for each thread.
    solvers: Vec<Solver<'a>>,
    /// The rules that were learned, by the code of the least position; `None` where none was found.
    rules: Map<Option<Rule>>,
    /// What is known of positions without a rule.
    costs: Map<Cost>,
    /// The number and the whole cost of the settled positions, by the number of stones.
    settled: [(u32, u32); 43],
    /// The part of the proof that is settled, from 0 to 1, and its positions with a move.
    done: f64,
    moves: u32,
    /// The cost up to which subtrees are searched completely.
    effort: u32,
    limits: Limits,
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
        solvers: Vec<Solver<'a>>,
        effort: u32,
        (journal, found): (Journal, Found),
        monitor: Monitor<'a>,
    ) -> Self {
        let (rules, costs, settled) = (found.rules, Map::default(), [(0, 0); 43]);
        let (done, moves) = (0.0, 0);
        let lessons = if effort == 0 { FEW_LESSONS } else { LESSONS };
        let (limits, effort) = (Limits { positions: POSITIONS, lessons }, effort.max(1));
        Self { solvers, rules, costs, settled, done, moves, effort, limits, journal, monitor }
    }

    /// Proves that the side reaches its aim from `start`. `is_mover`: the side is to move. Returns the
    /// lines of the proof.
    pub(super) fn prove(mut self, start: Stones, is_mover: bool) -> Result<Vec<String>, Error> {
        if !self.solvers[0].is_reached(start, is_mover) {
            return Err(Error::Refused("the solver says that the claim is not true".to_owned()));
        }
        let mut decisions = Vec::new();
        match is_mover {
            true => decisions.push(start),
            false => self.decisions(start, &mut decisions),
        }
        let share = 1.0 / decisions.len() as f64;
        for decision in decisions {
            self.settle(decision, share)?;
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
        self.learn([stones])?;
        Ok(self.rules[&stones.least().code()].is_some())
    }

    /// Learns a rule for each position that was not tried before.
    fn learn(&mut self, positions: impl IntoIterator<Item = Stones>) -> Result<(), Error> {
        let mut new = Vec::new();
        for least in positions.into_iter().map(Stones::least) {
            if !self.rules.contains_key(&least.code()) && !new.contains(&least) {
                new.push(least);
            }
        }
        if new.is_empty() {
            return Ok(());
        }
        if self.monitor.signal.is_stopped() {
            self.journal.save()?;
            let why = format!("rules tried: {}", self.rules.len());
            return Err(Error::Interrupted(format!("{why}; the journal keeps them")));
        }
        for (position, rule) in learned(&new, self.limits, &mut self.solvers) {
            self.journal.add_rule(position.code(), rule.as_ref())?;
            self.rules.insert(position.code(), rule);
            self.monitor.progress.step();
        }
        Ok(())
    }

    /// Returns the rule for a position, if one can be learned.
    fn rule(&mut self, stones: Stones) -> Result<Option<Rule>, Error> {
        let least = stones.least();
        self.has_rule(stones)?;
        let rule = self.rules[&least.code()].clone();
        let wins = self.solvers[0].wins;
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

    /// Returns what a strategy from a decision costs at least. A position that was not tried yet has a rule or not.
    fn least_cost(&self, stones: Stones) -> u32 {
        let code = stones.least().code();
        if self.rules.get(&code).is_some_and(Option::is_some) {
            return 1;
        }
        let known = self.costs.get(&code);
        known.map_or(MOVE, |cost| cost.found.map_or(cost.least, |(cost, _)| cost))
    }

    /// Returns the moves with which the side reaches its aim, the cheapest first.
    fn choices(&mut self, stones: Stones) -> Result<Vec<Choice>, Error> {
        let mut choices = Vec::new();
        for mv in each(self.solvers[0].good_moves(stones)) {
            let mut decisions = Vec::new();
            self.decisions(stones.play(mv), &mut decisions);
            choices.push((mv, decisions));
        }
        self.learn(choices.iter().flat_map(|(_, decisions)| decisions.clone()))?;
        let choice = |(mv, decisions): (u64, Vec<Stones>)| {
            let cost = |at| (at, self.least_cost(at));
            let decisions: Vec<_> = decisions.into_iter().map(cost).collect();
            let cost = MOVE + decisions.iter().map(|(_, cost)| cost).sum::<u32>();
            Choice { mv, decisions, cost }
        };
        let mut choices: Vec<_> = choices.into_iter().map(choice).collect();
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
        if limit < MOVE {
            return Ok(MOVE);
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

    /// Settles the moves of a whole strategy from a decision on. `share` is its part of the proof if all replies take as
    /// long. Returns what it adds to the lines of the proof.
    fn settle(&mut self, stones: Stones, share: f64) -> Result<u32, Error> {
        let cost = self.cheapest(stones, self.effort)?;
        if cost <= self.effort || self.is_settled(stones) {
            self.done += share;
            return Ok(if cost <= self.effort { cost } else { 0 });
        }
        let least = stones.least();
        let mut choices = self.choices(least)?;
        for choice in &mut choices {
            choice.cost = MOVE;
            for (decision, _) in &choice.decisions {
                choice.cost += self.expected_cost(*decision)?;
            }
        }
        choices.sort_by_key(|choice| choice.cost);
        let Some(best) = choices.into_iter().next() else {
            return Err(Error::Failed(format!("the solver knows no move in {}", least.code())));
        };
        let mut cost = MOVE;
        if best.decisions.is_empty() {
            self.done += share;
        }
        let part = share / best.decisions.len() as f64;
        for (decision, _) in best.decisions {
            cost += self.settle(decision, part)?;
        }
        self.costs.insert(least.code(), Cost { least: cost, found: Some((cost, best.mv)) });
        let (count, sum) = &mut self.settled[least.all.count_ones() as usize];
        (*count, *sum) = (*count + 1, *sum + cost);
        self.moves += 1;
        self.monitor.progress.show(format!(
            "{:.3} % of the replies met; {} positions with a move, {} rules tried",
            100.0 * self.done,
            self.moves,
            self.rules.len()
        ));
        Ok(cost)
    }

    fn is_settled(&self, stones: Stones) -> bool {
        self.costs.get(&stones.least().code()).is_some_and(|cost| cost.found.is_some())
    }

    /// Returns what a decision adds to the lines of the proof: if that is not known, the mean of positions with as many
    /// stones.
    fn expected_cost(&mut self, stones: Stones) -> Result<u32, Error> {
        let cost = self.cheapest(stones, self.effort)?;
        if cost <= self.effort {
            return Ok(cost);
        }
        if self.is_settled(stones) {
            // It has its lines already.
            return Ok(0);
        }
        let (count, sum) = self.settled[stones.all.count_ones() as usize];
        let mean = sum.checked_div(count).map(|mean| mean.max(self.effort));
        Ok(mean.unwrap_or(UNKNOWN))
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
            match learner.learn(&met, self.limits, &mut self.solvers[0]) {
                true => learned = learner,
                false => drop(met.pop()),
            }
        }
        learned.rule
    }
}

/// Learns a rule for each position, with a thread for each solver. Returns `None` where none was found.
fn learned(
    positions: &[Stones],
    limits: Limits,
    solvers: &mut [Solver<'_>],
) -> Vec<(Stones, Option<Rule>)> {
    let next = AtomicUsize::new(0);
    let learn = |solver: &mut Solver<'_>| {
        let mut found = Vec::new();
        while let Some(&position) = positions.get(next.fetch_add(1, Relaxed)) {
            let mut learner = Learner::default();
            let is_learned = learner.learn(&[position], limits, solver);
            found.push((position, is_learned.then_some(learner.rule)));
        }
        found
    };
    let (first, others) = match solvers {
        [first, others @ ..] if positions.len() > 1 => (first, others),
        [first, ..] => return learn(first),
        [] => return Vec::new(),
    };
    std::thread::scope(|scope| {
        // A thread that cannot start leaves its positions to the others.
        let start = |solver| Builder::new().spawn_scoped(scope, || learn(solver)).ok();
        let others: Vec<_> = others.iter_mut().filter_map(start).collect();
        let mut found = learn(first);
        found.extend(
            others
                .into_iter()
                .flat_map(|other| other.join().unwrap_or_else(|why| resume_unwind(why))),
        );
        found
    })
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
        self.prover.monitor.progress.show(format!("{} lines written", self.lines.len()));
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
            if is_over || rule.is_some_and(|rule| rule.holds(next, self.prover.solvers[0].wins)) {
                continue;
            }
            self.side(next)?;
        }
        Ok(())
    }
}
