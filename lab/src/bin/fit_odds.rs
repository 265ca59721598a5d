//! Fits the win/draw/loss models on games of the engine against itself: the numbers of the games'
//! `variants.rs`.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;
use tengen_arena::record::{EngineScore, GameRecord, GameScore};
use tengen_engine::{Chosen, Side, WdlModel};
use tengen_lab::matches::MatchSetup;
use tengen_lab::playing::{Player, openings, read_score};

/// Scores are clamped to this distance from 0.
const MAX_SCORE: i64 = 3000;
/// [`WdlModel::first`] is fitted only if it lowers the log loss on held-out games by this much.
const MIN_GAIN: f64 = 0.01;
/// Plies of the shortest opening, which the weakest level plays.
const OPENING_PLIES: usize = 5;

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
    /// The folder of the games. Games that it already holds are not played again.
    #[arg(long, default_value = "target/odds")]
    out: PathBuf,
}

/// A heuristic score and the result of its game.
#[derive(Clone, Copy)]
struct Sample {
    score: f64,
    /// The side to move, whose score it is.
    turn: Side,
    /// The share of the board that is filled.
    filled: f64,
    /// The result for `turn` in half points: 2 a win, 1 a draw, 0 a loss.
    half_points: u32,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut out = io::stdout();
    writeln!(
        out,
        "| variant | games | drawn | positions | even | full | first | spread | without `first` | with `first` | baseline log loss |"
    )?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")?;
    for variant in &args.variant {
        let (games, drawn) = play(variant, &args)?;
        // Fits on every other pair of games and tests on the rest.
        let half = |rest| games.chunks(2).skip(rest).step_by(2).flatten().flatten().copied();
        let (learned, held_out): (Vec<_>, Vec<_>) = (half(0).collect(), half(1).collect());
        let loss = |has_first| log_loss(&held_out, &fit(&learned, has_first));
        let (with_first, without_first, guess) = (loss(true), loss(false), guess_loss(&held_out));
        let has_first = without_first - with_first >= MIN_GAIN;
        let WdlModel { even, full, first, spread } = fit(&games.concat(), has_first);
        let (positions, games) = (learned.len() + held_out.len(), games.len());
        writeln!(
            out,
            "| `{variant}` | {games} | {drawn} | {positions} | {even:.0} | {full:.0} | {first:.0} | {spread:.0} | {without_first:.3} | {with_first:.3} | {guess:.3} |"
        )?;
        out.flush()?;
    }
    Ok(())
}

/// Returns the variant and the options that `text` names.
fn read_variant(text: &str) -> (String, Chosen) {
    let (size, falls) = text.strip_suffix("-free").map_or((text, 1), |size| (size, 0));
    let numbers: Vec<i64> = size.split('x').filter_map(|number| number.parse().ok()).collect();
    let [width, height, connect] = numbers[..] else { return (text.to_owned(), Chosen::new()) };
    let options = [width, height, connect, falls];
    let names = ["BoardWidth", "BoardHeight", "ConnectK", "Gravity"];
    ("custom".to_owned(), names.into_iter().zip(options).collect())
}

/// Plays the games of `variant`. Returns the heuristic scores of each game and the number of draws.
fn play(variant: &str, args: &Args) -> Result<(Vec<Vec<Sample>>, usize)> {
    let (name, chosen) = read_variant(variant);
    let mut player = Player::new(&name, &chosen)?;
    // Openings of odd and even length, so that each side makes the first searched move in half of
    // them.
    let plies = |seed: u32| OPENING_PLIES + seed as usize % 2;
    let openings = openings(&mut player, args.games, 1, plies)?;
    let setup = MatchSetup::new(&name, &chosen, &openings)?;
    let folder = args.out.join(format!("{variant}, {} nodes", args.nodes));
    let games = setup.self_play(args.games, args.nodes, &folder, &mut player)?;
    let drawn = games.iter().filter(|game| game.score == GameScore::Draw).count();
    player.set_up(&[])?;
    let cells = f64::from(player.plies_left());
    Ok((games.iter().map(|game| samples(game, cells)).collect::<Result<_>>()?, drawn))
}

/// Returns the heuristic scores of a game on a board of `cells` cells.
fn samples(game: &GameRecord, cells: f64) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    for (index, note) in game.notes.iter().enumerate() {
        if let Some(EngineScore::Units(score)) = read_score(note)? {
            let side = (game.first_to_note() + index) % 2;
            samples.push(Sample {
                score: score.clamp(-MAX_SCORE, MAX_SCORE) as f64,
                turn: if side == 0 { Side::First } else { Side::Second },
                filled: (game.opening_plies + index) as f64 / cells,
                half_points: game.score.half_points(side),
            });
        }
    }
    Ok(samples)
}

/// Returns the probability that `model` gives to the result of `sample`.
fn likelihood(sample: &Sample, model: &WdlModel) -> f64 {
    let (win, loss) = model.win_and_loss(sample.score, sample.turn, sample.filled);
    let share = match sample.half_points {
        2 => win,
        0 => loss,
        _ => 1.0 - win - loss,
    };
    share.max(1e-6)
}

/// Returns the mean log loss of `model`, in nats.
fn log_loss(samples: &[Sample], model: &WdlModel) -> f64 {
    let sum: f64 = samples.iter().map(|sample| -likelihood(sample, model).ln()).sum();
    sum / samples.len().max(1) as f64
}

/// Returns the log loss, in nats, of the shares of wins, draws and losses as the only prediction.
fn guess_loss(samples: &[Sample]) -> f64 {
    let count = |result| samples.iter().filter(|sample| sample.half_points == result).count();
    let total = samples.len().max(1) as f64;
    let shares = [0, 1, 2].map(|result| count(result) as f64 / total);
    shares.iter().filter(|share| **share > 0.0).map(|share| -share * share.ln()).sum()
}

/// Returns the most likely model, found by steps of decreasing size in each parameter. Unless
/// `has_first`, the parameter `first` stays 0.
fn fit(samples: &[Sample], has_first: bool) -> WdlModel {
    let mut best = WdlModel { even: 50.0, full: 0.0, first: 0.0, spread: 100.0 };
    let mut least = log_loss(samples, &best);
    let mut step = 64.0;
    while step > 0.2 {
        let tried = [step, -step].map(|step| steps(&best, step));
        let models = tried.as_flattened();
        let models = models.iter().filter(|model| has_first || model.first == 0.0);
        let losses = models.map(|model| (log_loss(samples, model), *model));
        match losses.min_by(|one, other| one.0.total_cmp(&other.0)) {
            Some((loss, model)) if loss < least => (best, least) = (model, loss),
            _ => step /= 2.0,
        }
    }
    best
}

/// Returns the models one step away from `model` in one parameter. `full` needs larger steps.
fn steps(model: &WdlModel, step: f64) -> [WdlModel; 4] {
    [
        WdlModel { even: (model.even + step).max(0.0), ..*model },
        WdlModel { full: (model.full + 16.0 * step).max(0.0), ..*model },
        WdlModel { first: model.first + step, ..*model },
        WdlModel { spread: (model.spread + step).max(1.0), ..*model },
    ]
}
