//! Fits the numbers of the net, on top of the tables of weights, to results and scores.
// CITE: Rumelhart, Hinton and Williams, "Learning representations by back-propagating errors",
// Nature 323, 1986.

use std::array;

use anyhow::{Context, Result};
use fastrand::Rng;
use tengen_engine::{Game, Side};
use tengen_games::gomoku::features::{
    CHANNELS, Features, HEAD_UNITS, HIDDEN, INPUT_UNITS, INPUTS, MAX_IN_ROW, Numbers, ROW_UNITS,
    Row, SHAPES, UNITS,
};
use tengen_games::gomoku::{Board, EvalFile};

use super::adam::Weights;
use super::fitted::{Fitted, sides_with_weights};
use super::games::{MAX_SCORE, OPENING, Record};
use super::lessons::{NOTHING_TO_LEARN, result_for};

const EPOCHS: usize = 20;
const BATCH: usize = 512;
/// The first step of numbers that begin at random, and of numbers that were fitted before.
const STEP: f32 = 0.003;
const STEP_ON: f32 = 0.001;

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
    /// The rows of the four lines of empty points, sorted, and how many points have them. A row is
    /// the own shape times [`SHAPES`], plus the opponent's.
    points: Vec<([u8; 4], u16)>,
    /// Where the numbers of the side to move begin, then those of its opponent.
    at: [usize; 2],
    /// What the tables say, as the logarithm of the odds.
    base: f32,
    /// From 0, a loss, to 1.
    aim: f32,
}

/// Fits the net of the rule of `start`, the empty board, to games, but for those that began with
/// too few random moves, on top of the tables of `base`. It begins with the net of `base`, or at
/// random. Returns `base` with the new net.
pub fn learn(
    start: &Board,
    records: &[Record],
    base: &EvalFile,
    from_random: bool,
) -> Result<Fitted> {
    let rule = start.rule();
    let nets = sides_with_weights(rule);
    let (mut lessons, mut aside) = (Vec::new(), Vec::new());
    for (game, record) in records.iter().enumerate() {
        match game % ASIDE {
            _ if record.opening < *OPENING.start() => {}
            0 if record.opening < ASIDE_OPENING => {}
            0 => push_lessons(start, record, base, nets, &mut aside),
            _ => push_lessons(start, record, base, nets, &mut lessons),
        }
    }
    lessons.first().context(NOTHING_TO_LEARN)?;
    let mut rng = Rng::with_seed(0);
    let sides = [Side::First, Side::Second].into_iter().take(nets);
    let first = sides.flat_map(|side| match from_random {
        true => first_numbers(&mut rng),
        false => numbers_of(&base.weights(rule, side).net),
    });
    let first = first.collect();
    let step = if from_random { STEP } else { STEP_ON };
    let mut weights = Weights::from(first);
    let none = vec![0.0; weights.now.len()];
    let losses = [mean_loss(&none, &aside), mean_loss(&weights.now, &aside)];
    let mut order: Vec<usize> = (0..lessons.len()).collect();
    let mut gradient = none;
    for epoch in 0..EPOCHS {
        let rate = step * (1.0 - epoch as f32 / EPOCHS as f32);
        rng.shuffle(&mut order);
        for batch in order.chunks(BATCH) {
            gradient.fill(0.0);
            batch.iter().for_each(|&index| teach(&weights.now, &lessons[index], &mut gradient));
            gradient.iter_mut().for_each(|slope| *slope /= batch.len() as f32);
            weights.step(&gradient, rate);
        }
    }
    let summary = format!(
        "{} games, {} positions; on {} aside, loss {:.4} without, {:.4} before, {:.4} after",
        records.len(),
        lessons.len(),
        aside.len(),
        losses[0],
        losses[1],
        mean_loss(&weights.now, &aside)
    );
    let nets: Vec<Numbers> = weights.now.chunks(COUNT).map(rounded).collect();
    Fitted::new(base, rule, "net", &summary, |place, weights| weights.net = nets[place].clone())
}

/// Adds what a game teaches a rule with so many nets.
fn push_lessons(
    start: &Board,
    record: &Record,
    base: &EvalFile,
    nets: usize,
    lessons: &mut Vec<Lesson>,
) {
    let mut board = start.clone();
    let mut features = Features::with(&board, base);
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
            let points = counted(features.shapes(board.turn()).map(|lines| lines.map(row)));
            let own = if nets == 1 { 0 } else { board.turn().index() * COUNT };
            let other = if nets == 1 { 0 } else { COUNT - own };
            lessons.push(Lesson { points, at: [own, other], base, aim });
        }
        board.play(mv);
        features.reset(&board);
    }
}

/// Returns each of these points, its rows sorted, with how often it comes.
fn counted(points: impl Iterator<Item = [u8; 4]>) -> Vec<([u8; 4], u16)> {
    let sorted = |mut rows: [u8; 4]| {
        rows.sort_unstable();
        rows
    };
    let mut points: Vec<[u8; 4]> = points.map(sorted).collect();
    points.sort_unstable();
    let alike = points.chunk_by(|a, b| a == b);
    alike.map(|points| (points[0], points.len() as u16)).collect()
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
    for &(rows, count) in &lesson.points {
        let mut point = [[0.0; CHANNELS]; 2];
        for row in rows {
            let seen = lesson.at.into_iter().zip([usize::from(row), swapped(row)]);
            for (sums, (at, row)) in point.iter_mut().zip(seen) {
                let row = &numbers[at + row * CHANNELS..][..CHANNELS];
                sums.iter_mut().zip(row).for_each(|(sum, number)| *sum += number);
            }
        }
        let scale = INPUT_SCALE * f32::from(count);
        let seen = inputs.iter_mut().zip(point.as_flattened());
        seen.for_each(|(input, sum)| *input += sum.max(0.0) * scale);
        points.push(point);
    }
    let head = &numbers[lesson.at[0]..][..COUNT];
    let mut hidden: [f32; HIDDEN] = array::from_fn(|k| head[BIAS_AT + k]);
    for (input, weights) in inputs.iter().zip(head[HIDDEN_AT..].chunks(HIDDEN)) {
        hidden.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += input * weight);
    }
    let out = hidden.iter().zip(&head[OUT_AT..]).map(|(sum, weight)| sum.max(0.0) * weight);
    let value = lesson.base + head[OUT_BIAS_AT] + out.sum::<f32>();
    Pass { points, inputs, hidden, value }
}

/// Adds the slopes of the loss on `lesson`.
fn teach(numbers: &[f32], lesson: &Lesson, gradient: &mut [f32]) {
    let pass = pass(numbers, lesson);
    let slope = chance(pass.value) - lesson.aim;
    let at_inputs = teach_head(numbers, lesson.at[0], &pass, slope, gradient);
    for (&(rows, count), point) in lesson.points.iter().zip(&pass.points) {
        for (half, sums) in point.iter().enumerate() {
            let at_inputs = &at_inputs[half * CHANNELS..];
            let count = f32::from(count);
            let slope = |k: usize| if sums[k] > 0.0 { at_inputs[k] * count } else { 0.0 };
            let at_point: [f32; CHANNELS] = array::from_fn(slope);
            for row in rows {
                let row = if half == 0 { usize::from(row) } else { swapped(row) };
                let gradient = &mut gradient[lesson.at[half] + row * CHANNELS..][..CHANNELS];
                gradient.iter_mut().zip(&at_point).for_each(|(sum, slope)| *sum += slope);
            }
        }
    }
}

/// Adds the slopes of the layers after the sums, whose numbers begin at `at`. Returns the slopes at
/// the sums.
fn teach_head(
    numbers: &[f32],
    at: usize,
    pass: &Pass,
    slope: f32,
    gradient: &mut [f32],
) -> [f32; INPUTS] {
    let (head, gradient) = (&numbers[at..][..COUNT], &mut gradient[at..][..COUNT]);
    gradient[OUT_BIAS_AT] += slope;
    let at_hidden: [f32; HIDDEN] = array::from_fn(|k| {
        let sum = pass.hidden[k];
        gradient[OUT_AT + k] += slope * sum.max(0.0);
        let slope = if sum > 0.0 { slope * head[OUT_AT + k] } else { 0.0 };
        gradient[BIAS_AT + k] += slope;
        slope
    });
    array::from_fn(|input| {
        let weights = HIDDEN_AT + input * HIDDEN;
        let mut at_input = 0.0;
        for (k, slope) in at_hidden.iter().enumerate() {
            gradient[weights + k] += slope * pass.inputs[input];
            at_input += slope * head[weights + k];
        }
        at_input * INPUT_SCALE
    })
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

/// Returns the numbers of a net in units, in the order that they have here.
fn numbers_of(net: &Numbers) -> Vec<f32> {
    let rows = net.rows.as_flattened().as_flattened().iter().map(|&n| (n, ROW_UNITS));
    let head = net.hidden.as_flattened().iter().chain(&net.bias).chain(&net.out);
    let head = head.chain([&net.out_bias]).map(|&n| (n, HEAD_UNITS));
    rows.chain(head).map(|(number, units)| f32::from(number) / units as f32).collect()
}
