//! Fits the order of moves in four in a row, far from the end of 7x6: the numbers of
//! `games/src/cfour/learned/numbers.rs`.
//!
//! Random positions are sampled, and every move of a sampled position is searched. The fit compares
//! pairs of moves: a move with the best outcome comes before one without, and of two with the best
//! outcome the cheaper comes first. A pair counts by a power of the nodes that the right order
//! saves.
// CITE: ranking by weighted pairs is Burges et al., "Learning to Rank using Gradient Descent", ICML
// 2005; the steps are those of Duchi, Hazan and Singer, "Adaptive Subgradient Methods", JMLR 2011.

use std::io::{self, Write};

use anyhow::{Context as _, Result, ensure};
use clap::Parser;
use tengen_engine::Side;
use tengen_games::cfour::learned::{RANKS, STATES, UNITS};
use tengen_lab::order::{COUNT, RANKS_AT, SIDE, Sample, Sampler, numbers_in_use};

/// The distances of the positions from the end, in plies.
const DISTANCES: [u32; 5] = [28, 29, 30, 31, 32];
/// The minimum number of plies left at which the learned order is used.
const MIN_PLIES: u32 = 20;
/// The weight of a pair is the number of saved nodes to this power.
const POWER: f32 = 0.6;
/// Weight decay of a step.
const DECAY: f32 = 3e-4;
const STEP: f32 = 0.05;
/// One node in this many is held out, to test the fit.
const HELD_OUT: usize = 8;

/// Samples nodes and fits the order of moves.
#[derive(Parser)]
struct Args {
    /// Positions that each thread samples.
    #[arg(long, default_value_t = 2500)]
    positions: u32,
    /// Threads. Each samples its own positions.
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Passes over all nodes.
    #[arg(long, default_value_t = 4)]
    rounds: u32,
}

/// The moves of one node.
type Moves = Vec<Sample>;

fn main() -> Result<()> {
    let args = Args::parse();
    let nodes = std::thread::scope(|scope| {
        let start = |seed| scope.spawn(move || sample(seed, args.positions));
        let threads: Vec<_> = (0..args.threads).map(start).collect();
        let sampled = threads.into_iter().map(|thread| thread.join().expect("a thread ends"));
        sampled.collect::<Result<Vec<_>>>()
    })?;
    let (held_out, learned): (Vec<_>, Vec<_>) =
        nodes.into_iter().flatten().enumerate().partition(|(index, _)| index % HELD_OUT == 0);
    ensure!(!held_out.is_empty(), "no position gave a node: take more --positions");
    let mut fit = Fit::new();
    let in_use = numbers_in_use();
    let now = mean_cost(&held_out, |mv| score(&in_use, mv));
    let best = mean_cost(&held_out, best_score);
    let mut log = io::stderr().lock();
    writeln!(log, "{} nodes to learn from, {} held out", learned.len(), held_out.len())?;
    writeln!(log, "mean nodes to the cut-off: {now:.0} by the order in use, {best:.0} at best")?;
    for round in 0..args.rounds {
        let step = STEP * (1.0 - round as f32 / args.rounds as f32);
        learned.iter().for_each(|(_, moves)| fit.learn(moves, step));
        writeln!(
            log,
            "round {}: {:.0}",
            round + 1,
            mean_cost(&held_out, |mv| score(&fit.numbers, mv))
        )?;
    }
    fit.write(&mut io::stdout().lock()).context("cannot write the numbers")
}

/// Samples positions with a generator that follows from `seed`.
fn sample(seed: u32, positions: u32) -> Result<Vec<Moves>> {
    // The first seeds are those of the positions that `solver_cost` measures.
    let mut sampler = Sampler::new(1000 + u64::from(seed))?;
    let distances = DISTANCES.into_iter().cycle().take(positions as usize);
    let nodes = distances.flat_map(|plies| sampler.sample(plies, MIN_PLIES));
    Ok(nodes.map(|node| node.moves).collect())
}

/// Returns the score of a move by `numbers`. The highest is searched first.
fn score(numbers: &[f32], mv: &Sample) -> f32 {
    mv.features.iter().map(|&feature| numbers[usize::from(feature)]).sum()
}

/// Returns a score by which the cheapest move with the best outcome comes first.
fn best_score(mv: &Sample) -> f32 {
    if mv.has_best_outcome { 1.0 / mv.nodes } else { 0.0 }
}

/// Returns how many nodes are saved when `mv` comes before `other`.
fn saved(mv: &Sample, other: &Sample) -> f32 {
    match (mv.has_best_outcome, other.has_best_outcome) {
        (false, _) => 0.0,
        (true, true) => (other.nodes - mv.nodes).max(0.0),
        (true, false) => other.nodes,
    }
}

/// Returns the mean number of nodes until a move with the best outcome.
fn mean_cost(nodes: &[(usize, Moves)], score: impl Fn(&Sample) -> f32) -> f32 {
    let cost = |(_, moves): &(usize, Moves)| {
        let mut order: Vec<&Sample> = moves.iter().collect();
        order.sort_by(|a, b| score(b).total_cmp(&score(a)));
        let first =
            order.iter().position(|mv| mv.has_best_outcome).expect("a move with the best outcome");
        order[..=first].iter().map(|mv| f64::from(mv.nodes)).sum::<f64>()
    };
    (nodes.iter().map(cost).sum::<f64>() / nodes.len() as f64) as f32
}

/// The numbers while they are fitted.
struct Fit {
    numbers: Vec<f32>,
    /// The sums of the squared gradients so far.
    squares: Vec<f32>,
}

impl Fit {
    fn new() -> Self {
        let mut numbers = vec![0.0; COUNT];
        for (rank, number) in (0..2 * RANKS).zip(&mut numbers[RANKS_AT..]) {
            *number = 0.3 * (rank % RANKS) as f32;
        }
        Self { numbers, squares: vec![0.1; COUNT] }
    }

    fn learn(&mut self, moves: &Moves, step: f32) {
        let scores: Vec<f32> = moves.iter().map(|mv| score(&self.numbers, mv)).collect();
        let mut pulls = vec![0.0; moves.len()];
        for (better, a) in moves.iter().enumerate() {
            for (worse, b) in moves.iter().enumerate() {
                let weight = 0.02 * saved(a, b).powf(POWER);
                let pull = weight / (1.0 + (scores[better] - scores[worse]).exp());
                pulls[better] += pull;
                pulls[worse] -= pull;
            }
        }
        for (mv, pull) in moves.iter().zip(pulls).filter(|(_, pull)| *pull != 0.0) {
            for feature in mv.features.iter().map(|&feature| usize::from(feature)) {
                let slope = pull - DECAY * self.numbers[feature];
                self.squares[feature] += slope * slope;
                self.numbers[feature] += step * slope / self.squares[feature].sqrt();
            }
        }
    }

    /// Writes the numbers as the source of the games has them.
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let row = |numbers: &[f32]| {
            let units = numbers.iter().map(|number| f64::from(*number) * UNITS);
            units
                .map(|units| format!("{units:.0}"))
                .collect::<Vec<_>>()
                .join(", ")
                .replace("-0,", "0,")
        };
        writeln!(out, "//! The numbers, as the program `fit_order` of `lab/` prints them.\n")?;
        writeln!(out, "use super::Order;\n\n#[rustfmt::skip]")?;
        writeln!(out, "pub(super) const ORDER: Order = Order {{\n    ranks: [")?;
        for ranks in self.numbers[RANKS_AT..].chunks(RANKS) {
            writeln!(out, "        [{}],", row(ranks))?;
        }
        writeln!(out, "    ],\n    lines: [")?;
        for side in [Side::First, Side::Second] {
            writeln!(out, "        [")?;
            let lines = &self.numbers[side.index() * SIDE..][..SIDE];
            for states in lines.chunks(STATES) {
                writeln!(out, "            [{}],", row(states))?;
            }
            writeln!(out, "        ],")?;
        }
        writeln!(out, "    ],\n}};")
    }
}
