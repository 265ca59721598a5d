//! Learns in which order the moves of four in a row are searched far from the end of 7x6: the numbers
//! of `games/src/four_in_a_row/learned/numbers.rs`.
//!
//! `cargo run --release --example fit_order > numbers.rs`
//!
//! Positions from games at random are solved, and at some nodes on the way all moves are searched.
//! The fit is one of pairs: of two moves, one that cuts the node off comes before one that does not,
//! and of two that do the cheaper. A pair counts by a power of the nodes that the right order saves.
// CITE: ranking by weighted pairs is Burges et al., "Learning to Rank using Gradient Descent", ICML
// 2005; the steps are those of Duchi, Hazan and Singer, "Adaptive Subgradient Methods", JMLR 2011.

mod dice;

use std::io::{self, Write};

use anyhow::{Context as _, Result};
use clap::Parser;
use tengen_engine::search::{Context, Search, Studied, Study, Task, Techniques};
use tengen_engine::table::Table;
use tengen_engine::{Evaluator, Game, Limits, Proof, Side};
use tengen_games::four_in_a_row::learned::{KINDS, RANKS, STATES, UNITS, features};
use tengen_games::four_in_a_row::{Board, Classic, Threats};

use dice::Dice;

/// The distances of the positions from the end, in plies.
const DISTANCES: [u32; 5] = [28, 29, 30, 31, 32];
/// The least depth that is studied.
const LEAST_DEPTH: u32 = 12;
/// What is saved counts by this power of it.
const POWER: f32 = 0.6;
/// By how much a number shrinks with each step.
const DECAY: f32 = 3e-4;
const STEP: f32 = 0.05;
/// One node of so many is set aside to try what is learned on.
const ASIDE: usize = 8;

/// Where the numbers of the lines of one side's moves begin, and those of its ranks.
const SIDE: usize = KINDS * STATES;
const RANKS_AT: usize = 2 * SIDE;
const COUNT: usize = RANKS_AT + 2 * RANKS;

/// Solves positions, studies nodes and fits numbers.
#[derive(Parser)]
struct Args {
    /// How many positions each thread solves
    #[arg(long, default_value_t = 2500)]
    positions: u32,
    /// How many threads there are; each has positions of its own
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// How many times the fit goes over all nodes
    #[arg(long, default_value_t = 4)]
    rounds: u32,
}

/// A move of a studied node.
struct Move {
    /// The numbers whose sum is its place.
    features: Vec<u16>,
    cuts: bool,
    nodes: f32,
}

/// The moves of one node, in the order of today.
type Moves = Vec<Move>;

/// Studies nodes here and there, of the deeper ones more.
struct Sampler {
    seen: u32,
    nodes: Vec<Moves>,
}

impl Study<Board<Classic>> for Sampler {
    fn wants(&mut self, depth: u32) -> bool {
        let every = match depth {
            26.. => 5,
            24.. => 11,
            22.. => 29,
            20.. => 97,
            18.. => 199,
            16.. => 499,
            14.. => 997,
            LEAST_DEPTH.. => 1999,
            _ => return false,
        };
        self.seen += 1;
        self.seen.is_multiple_of(every)
    }

    fn learn(&mut self, node: &Board<Classic>, moves: Vec<Studied<Board<Classic>>>) {
        if moves.iter().any(|mv| mv.cuts) {
            let moves = moves.iter().map(|mv| describe(node, mv)).collect();
            self.nodes.push(moves);
        }
    }
}

fn describe(node: &Board<Classic>, studied: &Studied<Board<Classic>>) -> Move {
    let (mover, after) = (node.turn(), &studied.game);
    let (own, theirs) = (after.own(), after.theirs());
    let (movers, others) = if after.turn() == mover { (own, theirs) } else { (theirs, own) };
    let number = |(kind, state)| mover.index() * SIDE + kind * STATES + state;
    let mut numbers: Vec<usize> = features(movers, others).into_iter().map(number).collect();
    let mut threats = Threats::new();
    threats.reset(after);
    let rank = (threats.rank_by_threats(node, after) as usize).min(RANKS - 1);
    numbers.push(RANKS_AT + mover.index() * RANKS + rank);
    let features = numbers.into_iter().map(|number| number as u16).collect();
    Move { features, cuts: studied.cuts, nodes: (studied.nodes + 1) as f32 }
}

fn main() -> Result<()> {
    let args = Args::parse();
    let nodes = std::thread::scope(|scope| {
        let study = |seed| scope.spawn(move || study(seed, args.positions));
        let threads: Vec<_> = (0..args.threads).map(study).collect();
        let studied = threads.into_iter().map(|thread| thread.join().expect("a thread ends"));
        studied.collect::<Result<Vec<_>>>()
    })?;
    let (aside, learned): (Vec<_>, Vec<_>) =
        nodes.into_iter().flatten().enumerate().partition(|(index, _)| index % ASIDE == 0);
    let mut fit = Fit::new();
    let (now, best) = (mean_cost(&aside, |_| 0.0), mean_cost(&aside, |mv| mv.best_place()));
    let mut told = io::stderr().lock();
    writeln!(told, "{} nodes; of {} aside:", learned.len(), aside.len())?;
    writeln!(told, "to the cut-off {now:.0} nodes as they are, {best:.0} at best")?;
    for round in 0..args.rounds {
        let step = STEP * (1.0 - round as f32 / args.rounds as f32);
        learned.iter().for_each(|(_, moves)| fit.learn(moves, step));
        writeln!(told, "round {}: {:.0}", round + 1, mean_cost(&aside, |mv| fit.place(mv)))?;
    }
    fit.write(&mut io::stdout().lock()).context("cannot write the numbers")
}

/// What the searches of some positions show.
fn study(seed: u32, positions: u32) -> Result<Vec<Moves>> {
    let mut table = Table::new(64).ok().context("not enough memory for the table")?;
    // The first seeds are those of the positions that `solver_cost` measures.
    let mut dice = Dice::seeded(1000 + seed);
    let mut sampler = Sampler { seen: 0, nodes: Vec::new() };
    for number in 0..positions as usize {
        table.clear();
        let board = dice.open_position(DISTANCES[number % DISTANCES.len()]);
        let view = table.views(1)[0];
        let search =
            Search::new(board, Threats::new(), view, Techniques::ALL, Context::unlimited());
        let limits = Limits { proof: Some(Proof::Score), ..Limits::default() };
        search.studied_by(&mut sampler).run(&Task::new(limits), &mut |_| ());
    }
    Ok(sampler.nodes)
}

impl Move {
    /// A place by which the cheapest move that cuts comes first.
    fn best_place(&self) -> f32 {
        if self.cuts { 1.0 / self.nodes } else { 0.0 }
    }

    /// How many nodes are saved when this move comes before the other.
    fn saves(&self, other: &Self) -> f32 {
        match (self.cuts, other.cuts) {
            (false, _) => 0.0,
            (true, true) => (other.nodes - self.nodes).max(0.0),
            (true, false) => other.nodes,
        }
    }
}

/// How many nodes it takes on average until a move cuts off.
fn mean_cost(nodes: &[(usize, Moves)], place: impl Fn(&Move) -> f32) -> f32 {
    let cost = |(_, moves): &(usize, Moves)| {
        let mut order: Vec<&Move> = moves.iter().collect();
        order.sort_by(|a, b| place(b).total_cmp(&place(a)));
        let first = order.iter().position(|mv| mv.cuts).expect("one that cuts");
        order[..=first].iter().map(|mv| f64::from(mv.nodes)).sum::<f64>()
    };
    (nodes.iter().map(cost).sum::<f64>() / nodes.len() as f64) as f32
}

/// Numbers on their way.
struct Fit {
    numbers: Vec<f32>,
    /// The squares of all steps so far.
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

    fn place(&self, mv: &Move) -> f32 {
        mv.features.iter().map(|&feature| self.numbers[usize::from(feature)]).sum()
    }

    fn learn(&mut self, moves: &Moves, step: f32) {
        let places: Vec<f32> = moves.iter().map(|mv| self.place(mv)).collect();
        let mut pulls = vec![0.0; moves.len()];
        for (better, a) in moves.iter().enumerate() {
            for (worse, b) in moves.iter().enumerate() {
                let weight = 0.02 * a.saves(b).powf(POWER);
                let pull = weight / (1.0 + (places[better] - places[worse]).exp());
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

    /// Writes the numbers as they stand in the program.
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let row = |numbers: &[f32]| {
            let units = numbers.iter().map(|number| f64::from(*number) * UNITS);
            units
                .map(|units| format!("{units:.0}"))
                .collect::<Vec<_>>()
                .join(", ")
                .replace("-0,", "0,")
        };
        writeln!(out, "//! The numbers, as the example `fit_order` prints them.\n")?;
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
