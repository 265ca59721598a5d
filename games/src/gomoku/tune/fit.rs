//! Fits the weights: the evaluation to results, by logistic regression, and the ranks of moves to
//! those that were chosen, by the same for many classes.
// CITE: Oesterlund, "Texel's tuning method", https://www.chessprogramming.org/Texel%27s_Tuning_Method

use std::fmt;

use super::features::{Choice, Standing, lessons};
use super::games::Record;
use crate::gomoku::verdict::{SITUATIONS, features_of};
use crate::gomoku::weights::{PAIRS, Table, UNITS};
use crate::gomoku::{Board, Class};

/// How many weights a table has.
const WEIGHTS: usize = Class::COUNT + PAIRS + crate::gomoku::verdict::THREATS;

/// The units of a rank by which a move is chosen e times as often.
const RANK_UNITS: i32 = 100;

const EPOCHS: usize = 60;
const BATCH: usize = 1024;
const STEP: f32 = 0.01;
/// How strongly weights are drawn to nothing.
const DECAY: f32 = 1e-6;

/// The weights that were found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fitted {
    worth: Table,
    situations: Vec<i32>,
    own: Table,
    other: Table,
    /// What the fit was made from, and how good it is.
    summary: String,
}

/// Fits the weights of games from the empty board `start`.
pub fn fit(start: &Board, records: &[Record]) -> Fitted {
    let (mut standings, mut choices) = (Vec::new(), Vec::new());
    for record in records {
        lessons(start, record, &mut standings, &mut choices);
    }
    let parts = Parts::new(start);
    let (evaluation, loss) = fit_evaluation(&parts, &standings);
    let (ranks, surprise) = fit_ranks(&parts, &choices);
    let table = |weights: &[f32], units: i32| {
        let rounded: Vec<i32> = weights.iter().map(|w| rounded(*w, units)).collect();
        Table::from_weights(&rounded)
    };
    let situations = &evaluation[WEIGHTS..];
    Fitted {
        worth: table(&evaluation[..WEIGHTS], UNITS),
        situations: situations.iter().map(|w| rounded(*w, UNITS)).collect(),
        own: table(&ranks[..WEIGHTS], RANK_UNITS),
        other: table(&ranks[WEIGHTS..], RANK_UNITS),
        summary: format!(
            "{} games, {} positions, loss {loss:.4}; {} choices, {surprise:.4}",
            records.len(),
            standings.len(),
            choices.len()
        ),
    }
}

fn rounded(weight: f32, units: i32) -> i32 {
    (weight * units as f32).round() as i32
}

/// By the number of a verdict, the weights that make it up.
struct Parts(Vec<Vec<usize>>);

impl Parts {
    fn new(start: &Board) -> Self {
        // What renju forbids its first player is not told apart: its points count as they look.
        let forbids = start.rule().forbids(tengen_engine::Side::First);
        Self((0..=10_000).map(|number| features_of(number, forbids)).collect())
    }
}

/// Weights that follow a gradient, each with a pace of its own.
// CITE: Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015.
pub(super) struct Weights {
    pub(super) now: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Weights {
    pub(super) fn from(now: Vec<f32>) -> Self {
        let none = vec![0.0; now.len()];
        Self { now, mean: none.clone(), square: none, steps: 0 }
    }

    pub(super) fn step(&mut self, gradient: &[f32], pace: f32) {
        const KEEP: [f32; 2] = [0.9, 0.999];
        self.steps += 1;
        let grown = KEEP.map(|keep| 1.0 - keep.powi(self.steps));
        for (index, &slope) in gradient.iter().enumerate() {
            let slope = slope + DECAY * self.now[index];
            self.mean[index] += (1.0 - KEEP[0]) * (slope - self.mean[index]);
            self.square[index] += (1.0 - KEEP[1]) * (slope * slope - self.square[index]);
            let size = (self.square[index] / grown[1]).sqrt() + 1e-8;
            self.now[index] -= pace * self.mean[index] / grown[0] / size;
        }
    }
}

fn fit_evaluation(parts: &Parts, standings: &[Standing]) -> (Vec<f32>, f32) {
    let rows: Vec<(Vec<(usize, f32)>, f32)> = standings
        .iter()
        .map(|standing| {
            let mut row = vec![0.0; WEIGHTS];
            for &(number, count) in &standing.verdicts {
                parts.0[usize::from(number)].iter().for_each(|&p| row[p] += f32::from(count));
            }
            row.extend((0..SITUATIONS).map(|s| f32::from(u8::from(s == standing.situation))));
            let sparse = row.into_iter().enumerate().filter(|&(_, x)| x != 0.0);
            (sparse.collect(), standing.result)
        })
        .collect();
    let lesson = |weights: &[f32], index: usize, gradient: &mut [f32]| {
        let (row, result) = &rows[index];
        let sum: f32 = row.iter().map(|&(p, x)| weights[p] * x).sum();
        let expected = 1.0 / (1.0 + (-sum).exp());
        row.iter().for_each(|&(p, x)| gradient[p] += (expected - result) * x);
        -(result * expected.max(1e-9).ln() + (1.0 - result) * (1.0 - expected).max(1e-9).ln())
    };
    descend(WEIGHTS + SITUATIONS, rows.len(), lesson)
}

fn fit_ranks(parts: &Parts, choices: &[Choice]) -> (Vec<f32>, f32) {
    let lesson = |weights: &[f32], index: usize, gradient: &mut [f32]| {
        let choice = &choices[index];
        let features = |verdicts: &[u16; 2]| {
            let [own, other] = verdicts.map(|number| &parts.0[usize::from(number)]);
            own.iter().copied().chain(other.iter().map(|p| p + WEIGHTS))
        };
        let sums = choice.moves.iter().map(|mv| features(mv).map(|p| weights[p]).sum());
        let sums: Vec<f32> = sums.collect();
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        let shares: Vec<f32> = sums.iter().map(|sum| (sum - most).exp()).collect();
        let total: f32 = shares.iter().sum();
        for (place, mv) in choice.moves.iter().enumerate() {
            let wanted = f32::from(u8::from(place == choice.chosen));
            let slope = shares[place] / total - wanted;
            features(mv).for_each(|p| gradient[p] += slope);
        }
        -(shares[choice.chosen] / total).max(1e-9).ln()
    };
    descend(2 * WEIGHTS, choices.len(), lesson)
}

/// Goes down the mean of `lesson`, which adds its gradient and tells its loss; the weights, and the
/// mean loss of the last round.
fn descend(
    weights: usize,
    lessons: usize,
    lesson: impl Fn(&[f32], usize, &mut [f32]) -> f32,
) -> (Vec<f32>, f32) {
    let mut found = Weights::from(vec![0.0; weights]);
    let mut loss = 0.0;
    // A stride without a common divisor visits all lessons, neighbours far apart.
    let stride = (1..).map(|k| 7919 + 2 * k).find(|&s| is_coprime(s, lessons.max(1)));
    let stride = stride.unwrap_or(1);
    for epoch in 0..EPOCHS {
        let pace = STEP * (1.0 - epoch as f32 / EPOCHS as f32);
        let mut total = 0.0_f64;
        for first in (0..lessons).step_by(BATCH) {
            let last = lessons.min(first + BATCH);
            let mut gradient = vec![0.0; weights];
            for place in first..last {
                total += f64::from(lesson(&found.now, place * stride % lessons, &mut gradient));
            }
            gradient.iter_mut().for_each(|slope| *slope /= (last - first) as f32);
            found.step(&gradient, pace);
        }
        loss = (total / lessons.max(1) as f64) as f32;
    }
    (found.now, loss)
}

fn is_coprime(a: usize, b: usize) -> bool {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

impl fmt::Display for Fitted {
    /// As the source of the weights has them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// {}", self.summary)?;
        for (name, table) in [("WORTH", &self.worth), ("OWN", &self.own), ("OTHER", &self.other)] {
            writeln!(f, "pub(super) const {name}: Table = {table:?};")?;
        }
        writeln!(f, "pub(super) const SITUATION: [i32; {SITUATIONS}] = {:?};", self.situations)
    }
}
