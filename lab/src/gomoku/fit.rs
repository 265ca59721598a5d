//! Fits the weights: the evaluation to results, by logistic regression, and the ranks of moves to
//! the moves that were chosen, by multinomial regression.
// CITE: Oesterlund, "Texel's tuning method", https://www.chessprogramming.org/Texel%27s_Tuning_Method

use std::array;
use std::ops::Range;

use anyhow::{Result, ensure};
use fastrand::Rng;
use tengen_engine::Side;
use tengen_games::gomoku::features::{ClassTable, PATTERNS, SITUATIONS, UNITS, pattern_weights};
use tengen_games::gomoku::{Board, EvalFile};

use super::adam::{Course, descend};
use super::fitted::{Fitted, sides_with_weights};
use super::float_net::chance;
use super::games::Record;
use super::samples::{MoveChoice, NOTHING_TO_LEARN, QuietPosition, push_samples};

/// Units of rank that make a move e times as likely to be chosen.
const RANK_UNITS: i32 = 100;

/// The weights begin at zero and are pulled back to it.
const COURSE: Course = Course { epochs: 60, batch: 1024, rate: 0.01, decay: 1e-6 };

/// Fits the tables of the rule of `start`, the empty board, to `records`. Returns `base` with the
/// new tables.
pub fn fit(start: &Board, records: &[Record], base: &EvalFile) -> Result<Fitted> {
    let (mut positions, mut choices) = (Vec::new(), Vec::new());
    for record in records {
        push_samples(start, record, &mut positions, &mut choices);
    }
    ensure!(!positions.is_empty() && !choices.is_empty(), NOTHING_TO_LEARN);
    let parts = Parts::new(start);
    let (evaluation, loss) = fit_evaluation(&parts, &positions);
    let ranks: Vec<(Vec<f32>, f32)> =
        (0..parts.sides).map(|index| fit_ranks(&parts, &choices, index)).collect();
    let surprises: Vec<String> =
        ranks.iter().map(|(_, surprise)| format!("{surprise:.4}")).collect();
    let summary = format!(
        "{} games, {} positions, loss {loss:.4}; {} choices, {}",
        records.len(),
        positions.len(),
        choices.len(),
        surprises.join(" and ")
    );
    Fitted::new(base, start.rule(), "tables", &summary, |index, weights| {
        let (values, (ranks, _)) = (&evaluation[index * VALUES..][..VALUES], &ranks[index]);
        weights.value = table(&values[..WEIGHTS], UNITS);
        weights.situations = array::from_fn(|s| clamped(rounded(values[WEIGHTS + s], UNITS)));
        weights.own = table(&ranks[..WEIGHTS], RANK_UNITS);
        weights.other = table(&ranks[WEIGHTS..], RANK_UNITS);
    })
}

/// How many numbers a table has.
const WEIGHTS: usize = ClassTable::COUNT;

/// How many numbers a side has in the evaluation: its table, then its situations.
const VALUES: usize = WEIGHTS + SITUATIONS;

fn table(weights: &[f32], units: i32) -> ClassTable {
    let rounded: Vec<i32> = weights.iter().map(|w| rounded(*w, units)).collect();
    ClassTable::from_weights(&rounded)
}

fn rounded(weight: f32, units: i32) -> i32 {
    (weight * units as f32).round() as i32
}

fn clamped(number: i32) -> i16 {
    number.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// The weights that add up to each pattern.
struct Parts {
    /// By side and pattern.
    parts: [Vec<Vec<usize>>; 2],
    /// How many sides have weights of their own.
    sides: usize,
}

impl Parts {
    fn new(start: &Board) -> Self {
        let rule = start.rule();
        let parts = [Side::First, Side::Second]
            .map(|side| (0..PATTERNS).map(|p| pattern_weights(p, rule, side)).collect());
        Self { parts, sides: sides_with_weights(rule) }
    }

    /// Returns the weights that add up to a pattern of `side`, as indices into a table.
    fn of(&self, side: Side, pattern: u16) -> &[usize] {
        &self.parts[side.index()][usize::from(pattern)]
    }

    /// Returns the index of the weights of `side`.
    fn index(&self, side: Side) -> usize {
        side.index() % self.sides
    }
}

fn fit_evaluation(parts: &Parts, positions: &[QuietPosition]) -> (Vec<f32>, f32) {
    let rows: Vec<(Coefficients, f32)> = positions
        .iter()
        .map(|position| {
            let mut row = vec![0.0; parts.sides * VALUES];
            let sides = [(position.side, 1.0), (position.side.other(), -1.0)];
            for ((side, sign), patterns) in sides.into_iter().zip(&position.patterns) {
                let table = &mut row[parts.index(side) * VALUES..];
                for &(number, count) in patterns {
                    let weights = parts.of(side, number).iter();
                    weights.for_each(|&p| table[p] += sign * f32::from(count));
                }
            }
            row[parts.index(position.side) * VALUES + WEIGHTS + position.situation] = 1.0;
            let sparse = row.into_iter().enumerate().filter(|&(_, x)| x != 0.0);
            (sparse.collect(), position.result)
        })
        .collect();
    let loss_of = |weights: &[f32], index: usize, gradient: &mut [f32]| {
        let (row, result) = &rows[index];
        let sum: f32 = row.iter().map(|&(p, x)| weights[p] * x).sum();
        let expected = chance(sum);
        row.iter().for_each(|&(p, x)| gradient[p] += (expected - result) * x);
        -(result * expected.max(1e-9).ln() + (1.0 - result) * (1.0 - expected).max(1e-9).ln())
    };
    let first = vec![0.0; parts.sides * VALUES];
    let (mut values, loss) = descend(first, rows.len(), &COURSE, &mut Rng::with_seed(0), loss_of);
    for index in 0..parts.sides {
        let is_to_move = |position: &QuietPosition| parts.index(position.side) == index;
        let own = positions.iter().zip(&rows).filter(|(position, _)| is_to_move(position));
        let own: Vec<&Coefficients> = own.map(|(_, (row, _))| row).collect();
        cancel_rounding(&mut values, index * VALUES + WEIGHTS..(index + 1) * VALUES, &own);
    }
    (values, loss)
}

/// The coefficients of the weights in a position, by index. Zeros are left out.
type Coefficients = Vec<(usize, f32)>;

/// Corrects the weights in `situations`, so that rounding all weights hardly changes the mean
/// evaluation of `rows`. Exactly one of the situations counts in each row. Many points have the
/// same pattern, so that small errors of its weight add up.
fn cancel_rounding(weights: &mut [f32], situations: Range<usize>, rows: &[&Coefficients]) {
    let error = |p: usize| rounded(weights[p], UNITS) as f32 / UNITS as f32 - weights[p];
    let is_table = |&&(p, _): &&(usize, f32)| !situations.contains(&p);
    let row_error = |row: &&Coefficients| -> f64 {
        row.iter().filter(is_table).map(|&(p, x)| f64::from(error(p) * x)).sum()
    };
    let total: f64 = rows.iter().map(row_error).sum();
    let mean = (total / rows.len().max(1) as f64) as f32;
    weights[situations].iter_mut().for_each(|weight| *weight -= mean);
}

/// Fits the ranks of the side whose weights have the index `index`.
fn fit_ranks(parts: &Parts, choices: &[MoveChoice], index: usize) -> (Vec<f32>, f32) {
    let choices: Vec<&MoveChoice> =
        choices.iter().filter(|choice| parts.index(choice.side) == index).collect();
    let loss_of = |weights: &[f32], index: usize, gradient: &mut [f32]| {
        let choice = choices[index];
        let features = |patterns: &[u16; 2]| {
            let own = parts.of(choice.side, patterns[0]);
            let other = parts.of(choice.side.other(), patterns[1]);
            own.iter().copied().chain(other.iter().map(|p| p + WEIGHTS))
        };
        let sums = choice.moves.iter().map(|mv| features(mv).map(|p| weights[p]).sum());
        let sums: Vec<f32> = sums.collect();
        let most = sums.iter().copied().fold(f32::MIN, f32::max);
        let shares: Vec<f32> = sums.iter().map(|sum| (sum - most).exp()).collect();
        let total: f32 = shares.iter().sum();
        for (index, mv) in choice.moves.iter().enumerate() {
            let wanted = f32::from(u8::from(index == choice.chosen));
            let slope = shares[index] / total - wanted;
            features(mv).for_each(|p| gradient[p] += slope);
        }
        -(shares[choice.chosen] / total).max(1e-9).ln()
    };
    descend(vec![0.0; 2 * WEIGHTS], choices.len(), &COURSE, &mut Rng::with_seed(0), loss_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mean evaluation of `rows`, in units.
    fn mean(rows: &[Coefficients], weight: impl Fn(usize) -> f32) -> f32 {
        let sums = rows.iter().map(|row| row.iter().map(|&(p, x)| weight(p) * x).sum::<f32>());
        sums.sum::<f32>() / rows.len() as f32
    }

    #[test]
    fn rounding_keeps_the_mean_evaluation() {
        // Weights 4 and 5 are the situations of the side to move, 2 and 3 those of the other side.
        let units = [0.4, -3.3, 1.0, 2.0, 10.3, 20.4];
        let before = units.map(|number| number / UNITS as f32);
        let rows = [
            vec![(0, 100.0), (1, 1.0), (4, 1.0)],
            vec![(0, -20.0), (1, -7.0), (4, 1.0)],
            vec![(0, 180.0), (5, 1.0)],
        ];
        let mut after = before;
        cancel_rounding(&mut after, 4..6, &rows.each_ref());
        let wanted = mean(&rows, |p| units[p]);
        let rounding = |weights: [f32; 6]| {
            let rounded = |p: usize| rounded(weights[p], UNITS) as f32;
            (mean(&rows, rounded) - wanted).abs()
        };
        assert!(rounding(before) > 30.0 && rounding(after) < 1.0);
        assert_eq!(after[..4], before[..4]);
    }
}
