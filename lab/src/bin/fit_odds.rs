//! Fits the win/draw/loss models on games of the engine against itself: the numbers of the games'
//! `variants.rs`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use tengen_arena::record::{EngineScore, GameRecord, GameScore};
use tengen_engine::{Chosen, WdlModel, logistic};
use tengen_lab::matches::Setting;
use tengen_lab::playing::{Player, openings, read_score};

/// Scores beyond this are all the same.
const MAX_SCORE: i64 = 3000;
/// The first moves are those of the weakest level.
const OPENING: usize = 5;

/// Plays games and fits chances.
#[derive(Parser)]
struct Args {
    /// The games; all that have heuristic scores unless named. A size and a length of lines, as
    /// `8x7x4`, is a custom board on which stones fall, `13x13x5-free` one on which they do not.
    #[arg(long, default_values = ["cfour", "cfour-misere", "gomokufreestyle", "gomoku", "renju", "caro", "freestyle20", "8x7x4", "13x13x5-free"])]
    variant: Vec<String>,
    /// Games of each variant.
    #[arg(long, default_value_t = 200)]
    games: u32,
    /// Nodes for a move.
    #[arg(long, default_value_t = 3000)]
    nodes: u64,
    /// The folder in which the games are kept; what it holds already is not played again.
    #[arg(long, default_value = "target/odds")]
    out: PathBuf,
}

/// A score and what came of it: 2 a win, 1 a draw, 0 a loss of the side that had it.
type Sample = (f64, u32);

fn main() -> Result<()> {
    let args = Args::parse();
    let mut out = io::stdout();
    writeln!(
        out,
        "| variant | games | drawn | positions | even | spread | log loss | of a guess |"
    )?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|")?;
    for variant in &args.variant {
        let (games, drawn) = play(variant, &args)?;
        let WdlModel { even, spread } = fit(&games.concat());
        // What is learned from every other pair of games is tried on the rest.
        let half = |rest| games.chunks(2).skip(rest).step_by(2).flatten().flatten().copied();
        let (learned, held_out): (Vec<_>, Vec<_>) = (half(0).collect(), half(1).collect());
        let (loss, guess) = (log_loss(&held_out, &fit(&learned)), guess(&held_out));
        let (positions, games) = (learned.len() + held_out.len(), games.len());
        writeln!(
            out,
            "| `{variant}` | {games} | {drawn} | {positions} | {even:.0} | {spread:.0} | {loss:.3} | {guess:.3} |"
        )?;
        out.flush()?;
    }
    Ok(())
}

/// The variant and the options that `text` stands for.
fn board(text: &str) -> (String, Chosen) {
    let (size, falls) = text.strip_suffix("-free").map_or((text, 1), |size| (size, 0));
    let numbers: Vec<i64> = size.split('x').filter_map(|number| number.parse().ok()).collect();
    let [width, height, connect] = numbers[..] else { return (text.to_owned(), Chosen::new()) };
    let options = [width, height, connect, falls];
    let names = ["BoardWidth", "BoardHeight", "ConnectK", "Gravity"];
    ("custom".to_owned(), names.into_iter().zip(options).collect())
}

/// Plays the games; the heuristic scores in each, and how many were drawn.
fn play(variant: &str, args: &Args) -> Result<(Vec<Vec<Sample>>, usize)> {
    let (name, chosen) = board(variant);
    let mut player = Player::new(&name, &chosen)?;
    // Odd and even openings, so that either side has the last word of it.
    let plies = |seed: u32| OPENING + seed as usize % 2;
    let openings = openings(&mut player, args.games, 1, plies)?;
    let setting = Setting::new(&name, &chosen, &openings)?;
    let folder = args.out.join(format!("{variant}, {} nodes", args.nodes));
    let games = setting.play_alone(args.games, args.nodes, &folder, &mut player)?;
    let drawn = games.iter().filter(|game| game.score == GameScore::Draw).count();
    Ok((games.iter().map(samples).collect::<Result<_>>()?, drawn))
}

/// The heuristic scores of a game.
fn samples(game: &GameRecord) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for (place, note) in game.notes.iter().enumerate() {
        if let Some(EngineScore::Units(score)) = read_score(note)? {
            let side = (game.first_to_note() + place) % 2;
            let score = score.clamp(-MAX_SCORE, MAX_SCORE) as f64;
            samples.push((score, game.score.half_points(side)));
        }
    }
    Ok(samples)
}

/// What the model says of a sample.
fn likelihood(&(score, halves): &Sample, model: &WdlModel) -> f64 {
    let win = logistic((score - model.even) / model.spread);
    let loss = logistic((-score - model.even) / model.spread);
    let share = match halves {
        2 => win,
        0 => loss,
        _ => 1.0 - win - loss,
    };
    share.max(1e-6)
}

/// The mean surprise, in nats.
fn log_loss(samples: &[Sample], model: &WdlModel) -> f64 {
    let sum: f64 = samples.iter().map(|sample| -likelihood(sample, model).ln()).sum();
    sum / samples.len().max(1) as f64
}

/// The mean surprise of one who knows only how often games are won, drawn and lost.
fn guess(samples: &[Sample]) -> f64 {
    let count = |result| samples.iter().filter(|(_, halves)| *halves == result).count();
    let total = samples.len().max(1) as f64;
    let shares = [0, 1, 2].map(|result| count(result) as f64 / total);
    shares.iter().filter(|share| **share > 0.0).map(|share| -share * share.ln()).sum()
}

/// The most likely model: steps in every direction, ever smaller ones.
fn fit(samples: &[Sample]) -> WdlModel {
    let mut best = WdlModel { even: 50.0, spread: 100.0 };
    let mut least = log_loss(samples, &best);
    let mut step = 64.0;
    while step > 0.2 {
        let moves = [(step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)];
        let models = moves.map(|(even, spread)| WdlModel {
            even: (best.even + even).max(0.0),
            spread: (best.spread + spread).max(1.0),
        });
        let losses = models.map(|model| log_loss(samples, &model));
        match (0..4).min_by(|&a, &b| losses[a].total_cmp(&losses[b])) {
            Some(place) if losses[place] < least => (best, least) = (models[place], losses[place]),
            _ => step /= 2.0,
        }
    }
    best
}
