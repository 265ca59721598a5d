//! Plays each level against the next, and the weakest against a beginner: the tables of
//! `docs/measurements/strength.md`.

use std::io::{self, Write};
use std::slice;

use anyhow::{Context, Result};
use clap::Parser;
use tengen_engine::Chosen;
use tengen_engine::{Outcome, Score, Side, Strength};
use tengen_lab::playing::{Player, halves, opening};

/// Moves of the opening, which both opponents play from both sides.
const OPENING: usize = 4;

/// Plays levels against each other.
#[derive(Parser)]
struct Args {
    /// The game.
    #[arg(long, default_value = "gomokufreestyle")]
    variant: String,
    /// Games of each pair.
    #[arg(long, default_value_t = 100)]
    games: u32,
    /// Nodes of full strength for a move.
    #[arg(long, default_value_t = 100_000)]
    nodes: u64,
    /// The weakest level to begin with.
    #[arg(long, default_value_t = 0)]
    from: u8,
}

/// Who plays.
#[derive(Clone, Copy)]
enum Who {
    Level(u8),
    /// Wins if it can at once, else stops who could, else plays to the position that looks best.
    Beginner,
}

/// Wins, draws and losses of the first of two.
#[derive(Default)]
struct LevelScore {
    results: [u32; 3],
    plies: usize,
}

struct Match {
    players: [Player; 2],
    nodes: u64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut out = io::stdout();
    let player = || Player::new(&args.variant, &Chosen::new());
    let players = [player()?, player()?];
    let mut played = Match { players, nodes: args.nodes };
    writeln!(out, "| pair | won | drawn | lost | share | Elo between | plies a game |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|")?;
    if args.from == 0 {
        let tally = played.run([Who::Beginner, Who::Level(0)], args.games)?;
        tally.write(&mut out, "beginner, level 0")?;
    }
    for level in args.from..Strength::FULL {
        let tally = played.run([Who::Level(level + 1), Who::Level(level)], args.games)?;
        tally.write(&mut out, &format!("level {}, level {level}", level + 1))?;
    }
    Ok(())
}

impl Match {
    fn run(&mut self, who: [Who; 2], games: u32) -> Result<LevelScore> {
        let mut tally = LevelScore::default();
        let mut seed = 0;
        while tally.results.iter().sum::<u32>() < games {
            seed += 1;
            let Some(start) = opening(&mut self.players[0], OPENING, seed)? else { continue };
            for first in [0, 1] {
                let (outcome, plies) = self.game(who, first, seed, start.clone())?;
                let side = if first == 0 { Side::First } else { Side::Second };
                tally.results[2 - halves(outcome, side) as usize] += 1;
                tally.plies += plies;
            }
        }
        Ok(tally)
    }

    /// One game, in which this one of the two moves first.
    fn game(
        &mut self,
        who: [Who; 2],
        first: usize,
        seed: u32,
        mut moves: Vec<String>,
    ) -> Result<(Outcome, usize)> {
        for (place, player) in self.players.iter_mut().enumerate() {
            let skill = if let Who::Level(skill) = who[place] { skill } else { Strength::FULL };
            player.begin(skill, 2 * seed + place as u32)?;
        }
        loop {
            let place = (first + moves.len()) % 2;
            let player = &mut self.players[place];
            if let Some(outcome) = player.set_up(&moves)? {
                return Ok((outcome, moves.len()));
            }
            let mv = match who[place] {
                Who::Level(_) => player.search(self.nodes)?.best,
                Who::Beginner => beginners_move(player, &moves)?,
            };
            moves.push(mv.context("a game that goes on has a move")?);
        }
    }
}

/// The move of one who looks one ply ahead.
fn beginners_move(player: &mut Player, moves: &[String]) -> Result<Option<String>> {
    let legal = player.legal();
    if let Some(mv) = winning_move(player, moves)? {
        return Ok(Some(mv));
    }
    // What the opponent would win with, if one of two moves is made somewhere.
    for elsewhere in legal.iter().take(2) {
        let after = [moves, slice::from_ref(elsewhere)].concat();
        if player.set_up(&after)?.is_some() {
            continue;
        }
        let threat = winning_move(player, &after)?;
        if let Some(mv) = threat.filter(|mv| legal.contains(mv)) {
            return Ok(Some(mv));
        }
    }
    best_looking_move(player, moves, legal)
}

/// A move that wins at once in the position after `moves`, which is set up.
fn winning_move(player: &mut Player, moves: &[String]) -> Result<Option<String>> {
    for mv in player.legal() {
        if let Some(Outcome::Win(_)) = player.set_up(&[moves, slice::from_ref(&mv)].concat())? {
            return Ok(Some(mv));
        }
    }
    Ok(None)
}

/// The move to the position with the best evaluation.
fn best_looking_move(
    player: &mut Player,
    moves: &[String],
    legal: Vec<String>,
) -> Result<Option<String>> {
    let mut best: Option<(Score, String)> = None;
    let mut after = moves.to_vec();
    for mv in legal {
        after.push(mv.clone());
        let score = match player.set_up(&after)? {
            Some(_) => Score::DRAW,
            None => -player.evaluation().context("a game that goes on has an evaluation")?,
        };
        after.pop();
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, mv));
        }
    }
    Ok(best.map(|(_, mv)| mv))
}

impl LevelScore {
    fn write(&self, out: &mut impl Write, pair: &str) -> io::Result<()> {
        let [won, drawn, lost] = self.results;
        let games = f64::from(won + drawn + lost);
        let share = (f64::from(won) + f64::from(drawn) / 2.0) / games;
        // A clean sweep counts as half a point given away.
        let odds = (share.clamp(0.5 / games, 1.0 - 0.5 / games)).recip() - 1.0;
        let elo = -400.0 * odds.log10();
        let plies = self.plies as f64 / games;
        let percent = 100.0 * share;
        writeln!(
            out,
            "| {pair} | {won} | {drawn} | {lost} | {percent:.1} % | {elo:+.0} | {plies:.0} |"
        )?;
        out.flush()
    }
}
