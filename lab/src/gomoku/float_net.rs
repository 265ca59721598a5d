//! A net in floating point for training: the forward pass and the gradient of the loss.
// CITE: Rumelhart, Hinton and Williams, "Learning representations by back-propagating errors",
// Nature 323, 1986.

use std::array;

use fastrand::Rng;
use tengen_engine::{Game, Side};
use tengen_games::gomoku::features::{
    CHANNELS, Features, HEAD_UNITS, HIDDEN, Head, INPUT_UNITS, INPUTS, MAX_IN_ROW, Numbers, PAIRS,
    ROW_UNITS, Row, SHAPES, UNITS, WINDOWS, exchanged_windows, shapes_of_windows, windows,
};
use tengen_games::gomoku::{Board, Rule};

/// The scale from the sums to the inputs of the hidden layer.
const INPUT_SCALE: f32 = 1.0 / INPUT_UNITS as f32;

/// Evaluation units that make a win e times as likely as a loss.
pub(super) const ODDS_UNITS: f32 = UNITS as f32;

/// Where each part of the head (the layers after the sums) begins in the numbers of the head.
const BIAS_AT: usize = INPUTS * HIDDEN;
const OUT_AT: usize = BIAS_AT + HIDDEN;
const OUT_BIAS_AT: usize = OUT_AT + HIDDEN;

/// A position as the side to move sees it.
pub(super) struct Sample {
    /// The rows of the four lines of empty points, sorted, and how many points have them.
    points: Vec<([u16; 4], u16)>,
    /// The indices of the nets of the side to move and of its opponent.
    nets: [usize; 2],
    /// The value of the tables, as the logarithm of the odds.
    base: f32,
    /// The target chance, from 0 for a loss to 1 for a win.
    target: f32,
}

/// The layout of the nets of a rule: rows by pair or by window. The numbers of the nets follow each
/// other.
pub(super) struct NetLayout {
    pub(super) by_window: bool,
    /// For each row, the row with the colours exchanged.
    exchanged: Vec<u16>,
    /// How many nets there are.
    nets: usize,
}

impl NetLayout {
    pub(super) fn new(by_window: bool, nets: usize) -> Self {
        const SIDE: u16 = SHAPES as u16;
        let exchanged = match by_window {
            true => exchanged_windows().to_vec(),
            false => (0..PAIRS as u16).map(|row| row % SIDE * SIDE + row / SIDE).collect(),
        };
        Self { by_window, exchanged, nets }
    }

    fn rows(&self) -> usize {
        if self.by_window { WINDOWS } else { PAIRS }
    }

    /// Returns how many numbers a net has.
    pub(super) fn count(&self) -> usize {
        Numbers::count(self.rows())
    }

    /// Returns the numbers of a net after its rows.
    fn head<'a>(&self, numbers: &'a [f32], net: usize) -> &'a [f32] {
        let head = self.rows() * CHANNELS..self.count();
        &numbers[net * self.count()..][head]
    }

    /// Returns the sample of `board` with the chance `target`. `features` must describe `board`.
    pub(super) fn sample(&self, board: &Board, features: &Features, target: f32) -> Sample {
        let side = board.turn();
        let row = |shapes: [u8; 2]| pair_row(shapes) as u16;
        let points = match self.by_window {
            true => counted(windows(board, side)),
            false => counted(features.shapes(side).map(|lines| lines.map(row))),
        };
        let nets = [side, side.other()].map(|side| side.index() % self.nets);
        let base = features.table_value(board) as f32 / ODDS_UNITS;
        Sample { points, nets, base, target }
    }

    /// Returns small random numbers for one net.
    pub(super) fn random_numbers(&self, rng: &mut Rng) -> Vec<f32> {
        let hidden_at = self.rows() * CHANNELS;
        let size = |index| match index {
            index if index < hidden_at => 0.1,
            index if index < hidden_at + BIAS_AT => 0.3,
            _ => 0.0,
        };
        (0..self.count()).map(|index| size(index) * (2.0 * rng.f32() - 1.0)).collect()
    }

    /// Returns the numbers of `net`, the net of `side`, as floats. If this layout has windows and
    /// `net` has pairs, each window begins with the row of its pair. A net with windows needs a
    /// layout with windows.
    pub(super) fn numbers_of(&self, rule: Rule, side: Side, net: &Numbers) -> Vec<f32> {
        let mut rows = net.rows.clone();
        debug_assert!(rows.len() <= self.rows());
        if rows.len() < self.rows() {
            let shapes = shapes_of_windows(rule);
            let row = |window: usize| match side {
                Side::First => net.rows[pair_row(shapes[window])],
                Side::Second => {
                    let [first, second] = shapes[usize::from(self.exchanged[window])];
                    net.rows[pair_row([second, first])]
                }
            };
            rows = (0..self.rows()).map(row).collect();
        }
        let Head { hidden, bias, out, out_bias } = &net.head;
        let rows = rows.as_flattened().iter().map(|&n| (n, ROW_UNITS));
        let head = hidden.as_flattened().iter().chain(bias).chain(out).chain([out_bias]);
        let all = rows.chain(head.map(|&n| (n, HEAD_UNITS)));
        all.map(|(number, units)| f32::from(number) / units as f32).collect()
    }

    /// Returns the net with the rounded `numbers`.
    pub(super) fn rounded(&self, numbers: &[f32]) -> Numbers {
        let round = |number: f32, units: i32, most: i16| {
            let most = f32::from(most);
            (number * units as f32).round().clamp(-most, most) as i16
        };
        let (rows, head) = numbers.split_at(self.rows() * CHANNELS);
        let row = |row: &[f32]| -> Row { array::from_fn(|k| round(row[k], ROW_UNITS, MAX_IN_ROW)) };
        let head = |index: usize| round(head[index], HEAD_UNITS, i16::MAX);
        Numbers {
            rows: rows.chunks(CHANNELS).map(row).collect(),
            head: Head {
                hidden: array::from_fn(|i| array::from_fn(|k| head(i * HIDDEN + k))),
                bias: array::from_fn(|k| head(BIAS_AT + k)),
                out: array::from_fn(|k| head(OUT_AT + k)),
                out_bias: head(OUT_BIAS_AT),
            },
        }
    }

    /// Returns where the numbers of `row` begin, for the side to move (`half` 0) or its opponent
    /// (`half` 1).
    fn row_at(&self, sample: &Sample, half: usize, row: u16) -> usize {
        let row = if half == 0 { row } else { self.exchanged[usize::from(row)] };
        sample.nets[half] * self.count() + usize::from(row) * CHANNELS
    }

    fn forward(&self, numbers: &[f32], sample: &Sample) -> Pass {
        let mut inputs = [0.0; INPUTS];
        let mut points = Vec::with_capacity(sample.points.len());
        for &(rows, count) in &sample.points {
            let mut point = [[0.0; CHANNELS]; 2];
            for row in rows {
                for (half, sums) in point.iter_mut().enumerate() {
                    let row = &numbers[self.row_at(sample, half, row)..][..CHANNELS];
                    sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
                }
            }
            let scale = INPUT_SCALE * f32::from(count);
            let seen = inputs.iter_mut().zip(point.as_flattened());
            seen.for_each(|(input, sum)| *input += sum.max(0.0) * scale);
            points.push(point);
        }
        let head = self.head(numbers, sample.nets[0]);
        let mut hidden: [f32; HIDDEN] = array::from_fn(|k| head[BIAS_AT + k]);
        for (input, weights) in inputs.iter().zip(head.chunks(HIDDEN)) {
            hidden.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += input * weight);
        }
        let out = hidden.iter().zip(&head[OUT_AT..]).map(|(sum, weight)| sum.max(0.0) * weight);
        let value = sample.base + head[OUT_BIAS_AT] + out.sum::<f32>();
        Pass { points, inputs, hidden, value }
    }

    /// Adds the gradient of the loss on `sample` to `gradient`. Returns the loss.
    pub(super) fn add_gradient(
        &self,
        numbers: &[f32],
        sample: &Sample,
        gradient: &mut [f32],
    ) -> f32 {
        let pass = self.forward(numbers, sample);
        let slope = chance(pass.value) - sample.target;
        let head_at = sample.nets[0] * self.count() + self.rows() * CHANNELS;
        let head = self.head(numbers, sample.nets[0]);
        let at_inputs = add_head_gradient(head, &pass, slope, &mut gradient[head_at..]);
        for (&(rows, count), point) in sample.points.iter().zip(&pass.points) {
            for (half, sums) in point.iter().enumerate() {
                let at_inputs = &at_inputs[half * CHANNELS..];
                let count = f32::from(count);
                let slope = |k: usize| if sums[k] > 0.0 { at_inputs[k] * count } else { 0.0 };
                let at_point: [f32; CHANNELS] = array::from_fn(slope);
                for row in rows {
                    let gradient = &mut gradient[self.row_at(sample, half, row)..][..CHANNELS];
                    gradient.iter_mut().zip(&at_point).for_each(|(sum, slope)| *sum += slope);
                }
            }
        }
        loss(pass.value, sample.target)
    }

    pub(super) fn mean_loss(&self, numbers: &[f32], samples: &[Sample]) -> f32 {
        let losses = samples.iter().map(|it| loss(self.forward(numbers, it).value, it.target));
        losses.sum::<f32>() / samples.len().max(1) as f32
    }
}

/// Returns the row of a pair: a side's own shape and its opponent's.
fn pair_row([own, other]: [u8; 2]) -> usize {
    usize::from(own) * SHAPES + usize::from(other)
}

/// Returns the different points, each with its rows sorted and its count.
fn counted(points: impl Iterator<Item = [u16; 4]>) -> Vec<([u16; 4], u16)> {
    let sorted = |mut rows: [u16; 4]| {
        rows.sort_unstable();
        rows
    };
    let mut points: Vec<[u16; 4]> = points.map(sorted).collect();
    points.sort_unstable();
    let alike = points.chunk_by(|a, b| a == b);
    alike.map(|points| (points[0], points.len() as u16)).collect()
}

/// Returns the cross entropy of a value in odds and the wanted chance.
fn loss(odds: f32, target: f32) -> f32 {
    let chance = chance(odds).clamp(1e-6, 1.0 - 1e-6);
    -(target * chance.ln() + (1.0 - target) * (1.0 - chance).ln())
}

pub(super) fn chance(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// A forward pass: the values in the layers of the net, from the first to the last.
struct Pass {
    /// For each point the sums of its four rows, for the side to move and for its opponent.
    points: Vec<[[f32; CHANNELS]; 2]>,
    inputs: [f32; INPUTS],
    hidden: [f32; HIDDEN],
    /// The logarithm of the odds.
    value: f32,
}

/// Adds the gradient of the head. Returns the gradient at the sums.
fn add_head_gradient(head: &[f32], pass: &Pass, slope: f32, gradient: &mut [f32]) -> [f32; INPUTS] {
    gradient[OUT_BIAS_AT] += slope;
    let at_hidden: [f32; HIDDEN] = array::from_fn(|k| {
        let sum = pass.hidden[k];
        gradient[OUT_AT + k] += slope * sum.max(0.0);
        let slope = if sum > 0.0 { slope * head[OUT_AT + k] } else { 0.0 };
        gradient[BIAS_AT + k] += slope;
        slope
    });
    array::from_fn(|input| {
        let mut at_input = 0.0;
        for (k, slope) in at_hidden.iter().enumerate() {
            gradient[input * HIDDEN + k] += slope * pass.inputs[input];
            at_input += slope * head[input * HIDDEN + k];
        }
        at_input * INPUT_SCALE
    })
}

#[cfg(test)]
mod tests {
    use tengen_engine::grid_game::GridGame;
    use tengen_engine::{Cell, Placement};
    use tengen_games::gomoku::EvalFile;

    use super::*;

    #[test]
    fn windows_begin_with_the_rows_of_their_pairs() {
        let rule = Rule::Renju;
        let file = EvalFile::built_in();
        let start = Board::new(rule, 15, 15).unwrap();
        let [pairs, windows] = [false, true].map(|by_window| NetLayout::new(by_window, 2));
        let sides = [Side::First, Side::Second];
        let numbers = [&pairs, &windows].map(|layout| -> Vec<f32> {
            // Caro's net has pairs; the rule of the net does not matter here.
            let net = |side| &file.weights(Rule::Caro, side).net;
            sides.into_iter().flat_map(|side| layout.numbers_of(rule, side, net(side))).collect()
        });
        // A window is too short for the overlines of the first player, who has no stones here.
        let second = [112, 98, 97, 113, 128, 99, 64];
        let stone = |cell: Cell| second.contains(&cell.index()).then_some(Side::Second);
        let stones: Vec<_> = start.grid().all().map(stone).collect();
        for turn in sides {
            let board = start.with(&Placement { stones: stones.clone(), turn }).unwrap();
            let features = Features::new(&board);
            let [by_pair, by_window] = [(&pairs, &numbers[0]), (&windows, &numbers[1])]
                .map(|(layout, n)| layout.forward(n, &layout.sample(&board, &features, 0.5)));
            assert!((by_pair.value - by_window.value).abs() < 1e-3, "{turn:?}");
        }
    }
}
