//! Fits the net, on top of the tables, to results and scores of games and to the chances of a
//! teacher.

use std::sync::Arc;

use anyhow::{Context, Result};
use fastrand::Rng;
use tengen_engine::{Cell, Game, Grid, Side};
use tengen_games::gomoku::features::{Features, Numbers, WINDOWS};
use tengen_games::gomoku::{Board, EvalFile};

use super::adam::{Course, descend};
use super::fitted::{Fitted, sides_with_weights};
use super::float_net::{NetLayout, ODDS_UNITS, Sample, chance};
use super::games::{MAX_SCORE, OPENING, Record};
use super::samples::{NOTHING_TO_LEARN, result_for};

/// The maximum number of epochs, and about how many samples are used in all epochs together.
const MAX_EPOCHS: usize = 20;
const TOTAL_SAMPLES: usize = 20_000_000;
const BATCH: usize = 512;
/// The first learning rate, from random numbers and from fitted ones.
const RATE_FROM_RANDOM: f32 = 0.003;
const RATE_FROM_FITTED: f32 = 0.001;
/// How strongly numbers are pulled back to the initial ones, for pairs of shapes and for windows.
/// Many windows are rare.
const DECAY_OF_PAIRS: f32 = 1e-6;
const DECAY_OF_WINDOWS: f32 = 1e-5;

/// The share of the game's result in the target. The rest is the score of the search.
const RESULT_SHARE: f32 = 0.5;

/// One game in this many is held out, to test the net.
pub(super) const HELD_OUT: usize = 16;

/// The minimum number of random moves of a game that is held out. Shorter openings may also be in
/// other games.
const MIN_HELD_OUT_OPENING: usize = 7;

/// A position with the chance that a teacher gives it.
#[derive(Clone, Debug)]
pub struct LabelledPosition {
    /// The empty board. Its size may differ from that of the games.
    pub start: Arc<Board>,
    /// The moves that lead to the position. They need not be from a game.
    pub moves: Vec<Cell>,
    /// The chance that the side to move wins, from 0 to 1. A draw counts as half.
    pub chance: f32,
}

/// The data for fitting a net, and its initial numbers.
#[derive(Clone, Copy, Debug)]
pub struct NetPlan<'a> {
    /// Played games. Games that began with too few random moves are left out.
    pub records: &'a [Record],
    /// Positions with the chances that a teacher gives them.
    pub labelled: &'a [LabelledPosition],
    /// The weights to start from. The net is fitted on top of their tables.
    pub base: &'a EvalFile,
    /// Whether the net begins at random instead of with the net of `base`.
    pub from_random: bool,
    /// Whether the net has a row for each window instead of one for each pair of shapes. A net with
    /// windows keeps them.
    pub by_window: bool,
}

/// Fits the net of the rule of `start`, the empty board, to quiet positions. Returns the weights of
/// `plan.base` with the new net.
pub fn learn(start: &Board, plan: &NetPlan) -> Result<Fitted> {
    let NetPlan { records, labelled, base, .. } = *plan;
    let rule = start.rule();
    let nets: Vec<Numbers> = [Side::First, Side::Second]
        .into_iter()
        .take(sides_with_weights(rule))
        .map(|side| base.weights(rule, side).net.clone())
        .collect();
    let layout = NetLayout::new(plan.by_window || nets[0].rows.len() == WINDOWS, nets.len());
    let mut maker = SampleMaker { start, base, layout: &layout, features: Vec::new() };
    let (mut samples, mut held_out) = (Vec::new(), Vec::new());
    for (game, record) in records.iter().enumerate() {
        match game % HELD_OUT {
            _ if record.opening < *OPENING.start() => {}
            0 if record.opening < MIN_HELD_OUT_OPENING => {}
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
                true => layout.random_numbers(&mut rng),
                false => layout.numbers_of(rule, side, net),
            }
        });
    let first: Vec<f32> = first.collect();
    let none = vec![0.0; first.len()];
    let losses = [&none, &first].map(|numbers| layout.mean_loss(numbers, &held_out));
    let course = Course {
        epochs: (TOTAL_SAMPLES / samples.len()).clamp(1, MAX_EPOCHS),
        batch: BATCH,
        rate: if plan.from_random { RATE_FROM_RANDOM } else { RATE_FROM_FITTED },
        decay: if layout.by_window { DECAY_OF_WINDOWS } else { DECAY_OF_PAIRS },
    };
    let add = |numbers: &[f32], index: usize, gradient: &mut [f32]| {
        layout.add_gradient(numbers, &samples[index], gradient)
    };
    let (numbers, _) = descend(first, samples.len(), &course, &mut rng, add);
    let summary = format!(
        "{} games, {} labelled, {} positions; on {} held out, loss {:.4} without, {:.4} before, {:.4} after",
        records.len(),
        labelled.len(),
        samples.len(),
        held_out.len(),
        losses[0],
        losses[1],
        layout.mean_loss(&numbers, &held_out)
    );
    let nets: Vec<Numbers> =
        numbers.chunks(layout.count()).map(|numbers| layout.rounded(numbers)).collect();
    Fitted::new(base, rule, "net", &summary, |index, weights| weights.net = nets[index].clone())
}

/// Makes samples from positions.
struct SampleMaker<'a> {
    /// The empty board of the games.
    start: &'a Board,
    base: &'a EvalFile,
    layout: &'a NetLayout,
    /// The features for each size of board.
    features: Vec<(Grid, Features)>,
}

impl SampleMaker<'_> {
    /// Adds the samples of a game to `samples`.
    fn push_game(&mut self, record: &Record, samples: &mut Vec<Sample>) {
        let mut board = self.start.clone();
        for (ply, &mv) in record.moves.iter().enumerate() {
            let searched = ply.checked_sub(record.opening);
            let score = searched.and_then(|index| record.scores.get(index)).copied();
            let is_open = score.is_none_or(|score| score.abs() < MAX_SCORE);
            if searched.is_some() && is_open {
                let result = result_for(record.winner, board.turn());
                let target = score.map_or(result, |score| {
                    RESULT_SHARE * result + (1.0 - RESULT_SHARE) * chance(score as f32 / ODDS_UNITS)
                });
                samples.extend(self.sample(&board, target));
            }
            board.play(mv);
        }
    }

    /// Adds the sample of a labelled position to `samples`.
    fn push_labelled(&mut self, position: &LabelledPosition, samples: &mut Vec<Sample>) {
        let mut board = Board::clone(&position.start);
        position.moves.iter().for_each(|&mv| board.play(mv));
        if board.outcome().is_none() {
            samples.extend(self.sample(&board, position.chance));
        }
    }

    /// Returns the sample of a position with the target chance `target`; `None` if it is not quiet.
    fn sample(&mut self, board: &Board, target: f32) -> Option<Sample> {
        let layout = self.layout;
        let features = self.features_of(board);
        features.is_quiet(board).then(|| layout.sample(board, features, target))
    }

    /// Returns the features of a position.
    fn features_of(&mut self, board: &Board) -> &mut Features {
        let known = self.features.iter().position(|(grid, _)| *grid == board.grid());
        let index = known.unwrap_or_else(|| {
            self.features.push((board.grid(), Features::with(board, self.base)));
            self.features.len() - 1
        });
        let features = &mut self.features[index].1;
        features.reset(board);
        features
    }
}
