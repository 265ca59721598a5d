//! Fits the weights: the evaluation to results, by logistic regression, and the ranks of moves to
//! the moves that were chosen, by multinomial regression.
// CITE: Oesterlund, "Texel's tuning method", https://www.chessprogramming.org/Texel%27s_Tuning_Method

use std::fmt;

use fastrand::Rng;
use tengen_games::gomoku::Board;
use tengen_games::gomoku::features::{
    PATTERNS, SITUATIONS, Table, UNITS, WEIGHTS, pattern_weights,
};

use super::adam::Weights;
use super::games::Record;
use super::lessons::{MoveChoice, QuietPosition, lessons};

/// The units of a rank by which a move is chosen e times as often.
const RANK_UNITS: i32 = 100;

const EPOCHS: usize = 60;
const BATCH: usize = 1024;
const STEP: f32 = 0.01;

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
    let (mut positions, mut choices) = (Vec::new(), Vec::new());
    for record in records {
        lessons(start, record, &mut positions, &mut choices);
    }
    let parts = Parts::new(start);
    let (evaluation, loss) = fit_evaluation(&parts, &positions);
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
            positions.len(),
            choices.len()
        ),
    }
}

fn rounded(weight: f32, units: i32) -> i32 {
    (weight * units as f32).round() as i32
}

/// The weights that make up each pattern.
struct Parts(Vec<Vec<usize>>);

impl Parts {
    fn new(start: &Board) -> Self {
        Self((0..PATTERNS).map(|pattern| pattern_weights(pattern, start.rule())).collect())
    }
}

fn fit_evaluation(parts: &Parts, positions: &[QuietPosition]) -> (Vec<f32>, f32) {
    let rows: Vec<(Vec<(usize, f32)>, f32)> = positions
        .iter()
        .map(|position| {
            let mut row = vec![0.0; WEIGHTS];
            for &(number, count) in &position.patterns {
                parts.0[usize::from(number)].iter().for_each(|&p| row[p] += f32::from(count));
            }
            row.extend((0..SITUATIONS).map(|s| f32::from(u8::from(s == position.situation))));
            let sparse = row.into_iter().enumerate().filter(|&(_, x)| x != 0.0);
            (sparse.collect(), position.result)
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

fn fit_ranks(parts: &Parts, choices: &[MoveChoice]) -> (Vec<f32>, f32) {
    let lesson = |weights: &[f32], index: usize, gradient: &mut [f32]| {
        let choice = &choices[index];
        let features = |patterns: &[u16; 2]| {
            let [own, other] = patterns.map(|number| &parts.0[usize::from(number)]);
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

/// Goes down the mean of `lesson`, which adds its gradient and returns its loss. Returns the
/// weights and the mean loss of the last epoch.
fn descend(
    weights: usize,
    lessons: usize,
    lesson: impl Fn(&[f32], usize, &mut [f32]) -> f32,
) -> (Vec<f32>, f32) {
    let mut found = Weights::from(vec![0.0; weights]);
    let mut loss = 0.0;
    let mut rng = Rng::with_seed(0);
    let mut order: Vec<usize> = (0..lessons).collect();
    for epoch in 0..EPOCHS {
        rng.shuffle(&mut order);
        let rate = STEP * (1.0 - epoch as f32 / EPOCHS as f32);
        let mut total = 0.0_f64;
        for batch in order.chunks(BATCH) {
            let mut gradient = vec![0.0; weights];
            for &index in batch {
                total += f64::from(lesson(&found.now, index, &mut gradient));
            }
            gradient.iter_mut().for_each(|slope| *slope /= batch.len() as f32);
            found.step(&gradient, rate);
        }
        loss = (total / lessons.max(1) as f64) as f32;
    }
    (found.now, loss)
}

impl fmt::Display for Fitted {
    /// Writes the numbers as the source of the weights has them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// {}", self.summary)?;
        for (name, table) in [("WORTH", &self.worth), ("OWN", &self.own), ("OTHER", &self.other)] {
            writeln!(f, "pub(super) const {name}: Table = {table:?};")?;
        }
        writeln!(f, "pub(super) const SITUATION: [i32; {SITUATIONS}] = {:?};", self.situations)
    }
}
