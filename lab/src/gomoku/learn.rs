//! Fits the numbers of the net, on top of the tables of weights, to results and scores, and to what a
//! teacher says.

use std::sync::Arc;

use anyhow::{Context, Result};
use fastrand::Rng;
use tengen_engine::{Cell, Game, Grid, Side};
use tengen_games::gomoku::features::{Features, Numbers, WINDOWS};
use tengen_games::gomoku::{Board, EvalFile};

use super::adam::Weights;
use super::fitted::{Fitted, sides_with_weights};
use super::float_net::{NetForm, ODDS_UNITS, Sample, chance};
use super::games::{MAX_SCORE, OPENING, Record};
use super::samples::{NOTHING_TO_LEARN, result_for};

/// How often each sample is used, at most, and about how many are used in all.
const MOST_EPOCHS: usize = 20;
const USED_IN_ALL: usize = 20_000_000;
const BATCH: usize = 512;
/// The first step of numbers that begin at random, and of numbers that were fitted before.
const STEP: f32 = 0.003;
const STEP_ON: f32 = 0.001;
/// How strongly numbers are drawn to those that they began with, of pairs of shapes and of windows.
/// Many windows are rare.
const DECAY_OF_PAIRS: f32 = 1e-6;
const DECAY_OF_WINDOWS: f32 = 1e-5;

/// How much of what is aimed at is the result of the game; the rest is the score of the search.
const RESULT: f32 = 0.5;

/// One game in so many is held out to see how good the net is on games it did not learn from.
pub(super) const HELD_OUT: usize = 16;

/// Random moves at the start of a game held out: fewer are likelier to be in other games too.
const HELD_OUT_OPENING: usize = 7;

/// A position with the chance that a teacher gives it.
#[derive(Clone, Debug)]
pub struct LabelledPosition {
    /// The empty board. Its size need not be that of the games.
    pub start: Arc<Board>,
    /// The moves that lead to it. They need not be those of a game that was played.
    pub moves: Vec<Cell>,
    /// How likely the side to move wins, from 0 to 1. A draw counts as half.
    pub chance: f32,
}

/// What a net is fitted to, and how it begins.
#[derive(Clone, Copy, Debug)]
pub struct NetPlan<'a> {
    /// Games that were played. Those that began with too few random moves teach nothing.
    pub records: &'a [Record],
    /// Positions with the chances that a teacher gives them.
    pub labelled: &'a [LabelledPosition],
    /// The weights before. The net is fitted on top of these tables.
    pub base: &'a EvalFile,
    /// Begin at random instead of with the net of `base`.
    pub from_random: bool,
    /// Give the net a row for each window instead of one for each pair of shapes. A net with windows
    /// keeps them.
    pub by_window: bool,
}

/// Fits the net of the rule of `start`, the empty board, to quiet positions. Returns the weights
/// before with the new net.
pub fn learn(start: &Board, plan: &NetPlan) -> Result<Fitted> {
    let NetPlan { records, labelled, base, .. } = *plan;
    let rule = start.rule();
    let nets: Vec<Numbers> = [Side::First, Side::Second]
        .into_iter()
        .take(sides_with_weights(rule))
        .map(|side| base.weights(rule, side).net.clone())
        .collect();
    let form = NetForm::new(plan.by_window || nets[0].rows.len() == WINDOWS, nets.len());
    let mut maker = SampleMaker { start, base, form: &form, features: Vec::new() };
    let (mut samples, mut held_out) = (Vec::new(), Vec::new());
    for (game, record) in records.iter().enumerate() {
        match game % HELD_OUT {
            _ if record.opening < *OPENING.start() => {}
            0 if record.opening < HELD_OUT_OPENING => {}
            0 => maker.push_game(record, &mut held_out),
            _ => maker.push_game(record, &mut samples),
        }
    }
    labelled.iter().for_each(|position| maker.push_labelled(position, &mut samples));
    samples.first().context(NOTHING_TO_LEARN)?;
    let mut rng = Rng::with_seed(0);
    let first =
        [Side::First, Side::Second].into_iter().zip(&nets).flat_map(|(side, net)| {
            match plan.from_random {
                true => form.first_numbers(&mut rng),
                false => form.numbers_of(rule, side, net),
            }
        });
    let first: Vec<f32> = first.collect();
    let none = vec![0.0; first.len()];
    let losses = [&none, &first].map(|numbers| form.mean_loss(numbers, &held_out));
    let step = if plan.from_random { STEP } else { STEP_ON };
    let numbers = descend(&form, &samples, first, step, &mut rng);
    let summary = format!(
        "{} games, {} labelled, {} positions; on {} held out, loss {:.4} without, {:.4} before, {:.4} after",
        records.len(),
        labelled.len(),
        samples.len(),
        held_out.len(),
        losses[0],
        losses[1],
        form.mean_loss(&numbers, &held_out)
    );
    let nets: Vec<Numbers> =
        numbers.chunks(form.count()).map(|numbers| form.rounded(numbers)).collect();
    Fitted::new(base, rule, "net", &summary, |place, weights| weights.net = nets[place].clone())
}

/// Goes down the mean loss of the samples from these numbers, with smaller and smaller steps. Returns
/// the last numbers.
fn descend(
    form: &NetForm,
    samples: &[Sample],
    first: Vec<f32>,
    step: f32,
    rng: &mut Rng,
) -> Vec<f32> {
    let mut gradient = vec![0.0; first.len()];
    let decay = if form.by_window() { DECAY_OF_WINDOWS } else { DECAY_OF_PAIRS };
    let mut weights = Weights::from(first, decay);
    let mut order: Vec<usize> = (0..samples.len()).collect();
    let epochs = (USED_IN_ALL / samples.len()).clamp(1, MOST_EPOCHS);
    for epoch in 0..epochs {
        let rate = step * (1.0 - epoch as f32 / epochs as f32);
        rng.shuffle(&mut order);
        for batch in order.chunks(BATCH) {
            gradient.fill(0.0);
            batch
                .iter()
                .for_each(|&at| form.add_gradient(&weights.now, &samples[at], &mut gradient));
            gradient.iter_mut().for_each(|slope| *slope /= batch.len() as f32);
            weights.step(&gradient, rate);
        }
    }
    weights.now
}

/// Makes samples of positions.
struct SampleMaker<'a> {
    /// The empty board of the games.
    start: &'a Board,
    base: &'a EvalFile,
    form: &'a NetForm,
    /// By the size of the board.
    features: Vec<(Grid, Features)>,
}

impl SampleMaker<'_> {
    /// Adds what a game teaches.
    fn push_game(&mut self, record: &Record, samples: &mut Vec<Sample>) {
        let mut board = self.start.clone();
        for (ply, &mv) in record.moves.iter().enumerate() {
            let searched = ply.checked_sub(record.opening);
            let score = searched.and_then(|place| record.scores.get(place)).copied();
            let is_open = score.is_none_or(|score| score.abs() < MAX_SCORE);
            if searched.is_some() && is_open {
                let result = result_for(record.winner, board.turn());
                let target = score.map_or(result, |score| {
                    RESULT * result + (1.0 - RESULT) * chance(score as f32 / ODDS_UNITS)
                });
                samples.extend(self.sample(&board, target));
            }
            board.play(mv);
        }
    }

    /// Adds what a labelled position teaches.
    fn push_labelled(&mut self, position: &LabelledPosition, samples: &mut Vec<Sample>) {
        let mut board = Board::clone(&position.start);
        position.moves.iter().for_each(|&mv| board.play(mv));
        if board.outcome().is_none() {
            samples.extend(self.sample(&board, position.chance));
        }
    }

    /// Returns the sample of a position with the target chance `target`; `None` if it is not quiet.
    fn sample(&mut self, board: &Board, target: f32) -> Option<Sample> {
        let form = self.form;
        let features = self.features_of(board);
        features.is_quiet(board).then(|| form.sample(board, features, target))
    }

    /// Returns the features of a position.
    fn features_of(&mut self, board: &Board) -> &mut Features {
        let known = self.features.iter().position(|(grid, _)| *grid == board.grid());
        let place = known.unwrap_or_else(|| {
            self.features.push((board.grid(), Features::with(board, self.base)));
            self.features.len() - 1
        });
        let features = &mut self.features[place].1;
        features.reset(board);
        features
    }
}
