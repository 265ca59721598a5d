//! Fits the numbers of the net, on top of the tables of weights, to results and scores.
// CITE: Rumelhart, Hinton and Williams, "Learning representations by back-propagating errors",
// Nature 323, 1986.

use std::array;
use std::fmt;

use fastrand::Rng;
use tengen_engine::Game;
use tengen_games::gomoku::Board;
use tengen_games::gomoku::features::{
    CHANNELS, Features, HEAD_UNITS, HIDDEN, INPUT_UNITS, INPUTS, MAX_IN_ROW, Numbers, ROW_UNITS,
    Row, SHAPES, UNITS,
};

use super::adam::Weights;
use super::games::{MAX_SCORE, OPENING, Record};
use super::lessons::result_for;

const EPOCHS: usize = 20;
const BATCH: usize = 512;
const STEP: f32 = 0.003;

/// What a unit of the sums is to the hidden layer.
const INPUT_SCALE: f32 = 1.0 / INPUT_UNITS as f32;

/// An evaluation of so many units means that a win is e times as likely as a loss.
const ODDS_UNITS: f32 = UNITS as f32;

/// How much of what is aimed at is the result of the game; the rest is the score of the search.
const RESULT: f32 = 0.5;

/// One game in so many is kept aside to see how good the net is on games it did not learn from.
const ASIDE: usize = 16;

/// Random moves at the start of a game kept aside: fewer are likelier to be in other games too.
const ASIDE_OPENING: usize = 7;

const ROWS: usize = SHAPES * SHAPES * CHANNELS;
const HIDDEN_AT: usize = ROWS;
const BIAS_AT: usize = HIDDEN_AT + INPUTS * HIDDEN;
const OUT_AT: usize = BIAS_AT + HIDDEN;
const OUT_BIAS_AT: usize = OUT_AT + HIDDEN;
const COUNT: usize = OUT_BIAS_AT + 1;

/// A position as the side to move sees it.
struct Lesson {
    /// For every empty point the rows of its four lines: own shape times [`SHAPES`], plus the
    /// opponent's.
    points: Vec<[u8; 4]>,
    /// What the tables say, as the logarithm of the odds.
    base: f32,
    /// From 0, a loss, to 1.
    aim: f32,
}

/// The numbers that were found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Learned {
    numbers: Numbers,
    summary: String,
}

/// Learns from games from the empty board `start`, but for those that began with too few random
/// moves; `None` when none of them has a position to learn from.
pub fn learn(start: &Board, records: &[Record]) -> Option<Learned> {
    let (mut lessons, mut aside) = (Vec::new(), Vec::new());
    for (game, record) in records.iter().enumerate() {
        match game % ASIDE {
            _ if record.opening < *OPENING.start() => {}
            0 if record.opening < ASIDE_OPENING => {}
            0 => push_lessons(start, record, &mut aside),
            _ => push_lessons(start, record, &mut lessons),
        }
    }
    if lessons.is_empty() {
        return None;
    }
    let mut rng = Rng::with_seed(0);
    let mut weights = Weights::from(first_numbers(&mut rng));
    let before = mean_loss(&weights.now, &aside);
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    let mut gradient = vec![0.0; COUNT];
    for epoch in 0..EPOCHS {
        let rate = STEP * (1.0 - epoch as f32 / EPOCHS as f32);
        rng.shuffle(&mut order);
        for batch in order.chunks(BATCH) {
            gradient.fill(0.0);
            batch.iter().for_each(|&index| teach(&weights.now, &lessons[index], &mut gradient));
            gradient.iter_mut().for_each(|slope| *slope /= batch.len() as f32);
            weights.step(&gradient, rate);
        }
    }
    let after = mean_loss(&weights.now, &aside);
    let summary = format!(
        "{} games, {} positions; on {} aside, loss {before:.4} without and {after:.4} with it",
        records.len(),
        lessons.len(),
        aside.len()
    );
    Some(Learned { numbers: rounded(&weights.now), summary })
}

fn push_lessons(start: &Board, record: &Record, lessons: &mut Vec<Lesson>) {
    let mut board = start.clone();
    let mut features = Features::new(&board);
    for (ply, &mv) in record.moves.iter().enumerate() {
        let searched = ply.checked_sub(record.opening);
        let score = searched.and_then(|place| record.scores.get(place)).copied();
        let is_open = score.is_none_or(|score| score.abs() < MAX_SCORE);
        if searched.is_some() && is_open && features.is_quiet(&board) {
            let result = result_for(record.winner, board.turn());
            let aim = score.map_or(result, |score| {
                RESULT * result + (1.0 - RESULT) * chance(score as f32 / ODDS_UNITS)
            });
            let base = features.table_value(&board) as f32 / ODDS_UNITS;
            let row = |[own, other]: [u8; 2]| own * SHAPES as u8 + other;
            let points = features.shapes(board.turn()).map(|lines| lines.map(row)).collect();
            lessons.push(Lesson { points, base, aim });
        }
        board.play(mv);
        features.reset(&board);
    }
}

fn chance(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// Small random numbers of either sign.
fn first_numbers(rng: &mut Rng) -> Vec<f32> {
    let size = |place| match place {
        ..HIDDEN_AT => 0.1,
        HIDDEN_AT..BIAS_AT => 0.3,
        _ => 0.0,
    };
    (0..COUNT).map(|place| size(place) * (2.0 * rng.f32() - 1.0)).collect()
}

/// The other colours' row.
fn swapped(row: u8) -> usize {
    let row = usize::from(row);
    row % SHAPES * SHAPES + row / SHAPES
}

/// What goes through the net, from the first layer to the last.
struct Pass {
    /// By point, what its four rows sum up to, as the side to move and as its opponent sees it.
    points: Vec<[[f32; CHANNELS]; 2]>,
    inputs: [f32; INPUTS],
    hidden: [f32; HIDDEN],
    /// The logarithm of the odds.
    value: f32,
}

fn pass(numbers: &[f32], lesson: &Lesson) -> Pass {
    let mut inputs = [0.0; INPUTS];
    let mut points = Vec::with_capacity(lesson.points.len());
    for rows in &lesson.points {
        let mut point = [[0.0; CHANNELS]; 2];
        for &row in rows {
            for (sums, row) in point.iter_mut().zip([usize::from(row), swapped(row)]) {
                let row = &numbers[row * CHANNELS..][..CHANNELS];
                sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
            }
        }
        let seen = inputs.iter_mut().zip(point.as_flattened());
        seen.for_each(|(input, sum)| *input += sum.max(0.0) * INPUT_SCALE);
        points.push(point);
    }
    let mut hidden: [f32; HIDDEN] = array::from_fn(|k| numbers[BIAS_AT + k]);
    for (input, weights) in inputs.iter().zip(numbers[HIDDEN_AT..].chunks(HIDDEN)) {
        hidden.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += input * weight);
    }
    let out = hidden.iter().zip(&numbers[OUT_AT..]).map(|(sum, weight)| sum.max(0.0) * weight);
    let value = lesson.base + numbers[OUT_BIAS_AT] + out.sum::<f32>();
    Pass { points, inputs, hidden, value }
}

/// Adds the slopes of the loss on `lesson`.
fn teach(numbers: &[f32], lesson: &Lesson, gradient: &mut [f32]) {
    let pass = pass(numbers, lesson);
    let slope = chance(pass.value) - lesson.aim;
    gradient[OUT_BIAS_AT] += slope;
    let mut at_inputs = [0.0; INPUTS];
    for (k, &sum) in pass.hidden.iter().enumerate().filter(|&(_, &sum)| sum > 0.0) {
        gradient[OUT_AT + k] += slope * sum;
        let slope = slope * numbers[OUT_AT + k];
        gradient[BIAS_AT + k] += slope;
        for (i, input) in pass.inputs.iter().enumerate() {
            let weight = HIDDEN_AT + i * HIDDEN + k;
            gradient[weight] += slope * input;
            at_inputs[i] += slope * numbers[weight] * INPUT_SCALE;
        }
    }
    for (rows, point) in lesson.points.iter().zip(&pass.points) {
        for (half, sums) in point.iter().enumerate() {
            let at_inputs = &at_inputs[half * CHANNELS..];
            let slope = |k: usize| if sums[k] > 0.0 { at_inputs[k] } else { 0.0 };
            let at_point: [f32; CHANNELS] = array::from_fn(slope);
            for &row in rows {
                let row = if half == 0 { usize::from(row) } else { swapped(row) };
                let gradient = &mut gradient[row * CHANNELS..][..CHANNELS];
                gradient.iter_mut().zip(&at_point).for_each(|(sum, slope)| *sum += slope);
            }
        }
    }
}

fn mean_loss(numbers: &[f32], lessons: &[Lesson]) -> f32 {
    let loss = |lesson: &Lesson| {
        let chance = chance(pass(numbers, lesson).value).clamp(1e-6, 1.0 - 1e-6);
        -(lesson.aim * chance.ln() + (1.0 - lesson.aim) * (1.0 - chance).ln())
    };
    lessons.iter().map(loss).sum::<f32>() / lessons.len().max(1) as f32
}

fn rounded(numbers: &[f32]) -> Numbers {
    let round = |place: usize, units: i32, most: i16| {
        let most = f32::from(most);
        (numbers[place] * units as f32).round().clamp(-most, most) as i16
    };
    let row = |place: usize| -> Row {
        array::from_fn(|k| round(place * CHANNELS + k, ROW_UNITS, MAX_IN_ROW))
    };
    let head = |place: usize| round(place, HEAD_UNITS, i16::MAX);
    Numbers {
        rows: array::from_fn(|own| array::from_fn(|other| row(own * SHAPES + other))),
        hidden: array::from_fn(|i| array::from_fn(|k| head(HIDDEN_AT + i * HIDDEN + k))),
        bias: array::from_fn(|k| head(BIAS_AT + k)),
        out: array::from_fn(|k| head(OUT_AT + k)),
        out_bias: head(OUT_BIAS_AT),
    }
}

impl fmt::Display for Learned {
    /// Writes the numbers as the source of the net has them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// {}", self.summary)?;
        writeln!(f, "pub(super) const NUMBERS: Numbers = {:?};", self.numbers)
    }
}
