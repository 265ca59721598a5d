//! Plays each level against the next, and the weakest against a beginner: the tables of
//! `docs/measurements/strength.md`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::slice;

use anyhow::{Context, Result};
use clap::Parser;
use tengen_arena::game::Plan;
use tengen_arena::record::MoveNote;
use tengen_arena::stats::elo::strength;
use tengen_arena::tally::Wdl;
use tengen_engine::{Chosen, Outcome, Score, Strength};
use tengen_lab::matches::{MatchResult, MatchSetup, Opponents};
use tengen_lab::playing::{Player, openings};

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
    /// Nodes for a move at full strength.
    #[arg(long, default_value_t = 100_000)]
    nodes: u64,
    /// The weakest level that plays.
    #[arg(long, default_value_t = 0)]
    from: u8,
    /// The folder of the matches. Games that it already holds are not played again.
    #[arg(long, default_value = "target/levels")]
    out: PathBuf,
}

/// A kind of player.
#[derive(Clone, Copy)]
enum Kind {
    Level(u8),
    /// Plays a winning move, else blocks one, else moves to the position with the best evaluation.
    Beginner,
}

struct Pair {
    players: [Player; 2],
    kinds: [Kind; 2],
    nodes: u64,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut out = io::stdout();
    let player = || Player::new(&args.variant, &Chosen::new());
    let pairs = args.games.div_ceil(2);
    let openings = openings(&mut player()?, pairs, 1, |_| OPENING)?;
    let setup = MatchSetup::new(&args.variant, &Chosen::new(), &openings)?;
    let beginner = (args.from == 0).then_some([Kind::Beginner, Kind::Level(0)]);
    let levels = (args.from..Strength::FULL).map(|level| [level + 1, level].map(Kind::Level));
    let mut pair =
        Pair { players: [player()?, player()?], kinds: [Kind::Beginner; 2], nodes: args.nodes };
    // Each variant and node limit has a folder of its own.
    let kept = args.out.join(format!("{}, {} nodes", args.variant, args.nodes));
    writeln!(out, "| pair | won | drawn | lost | share | Elo between | +/- | plies a game |")?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|---:|")?;
    for kinds in beginner.into_iter().chain(levels) {
        pair.kinds = kinds;
        let names = kinds.map(Kind::name);
        let folder = kept.join(names.join(" and "));
        let names = names.each_ref().map(String::as_str);
        let played = setup.play(names, args.games, &folder, &mut pair)?;
        write_row(&mut out, &names.join(", "), &played)?;
    }
    Ok(())
}

impl Kind {
    fn name(self) -> String {
        match self {
            Self::Level(level) => format!("level {level}"),
            Self::Beginner => "beginner".to_owned(),
        }
    }
}

impl Opponents for Pair {
    fn begin(&mut self, game: &Plan) -> Result<()> {
        for (index, player) in (0..).zip(&mut self.players) {
            let skill = if let Kind::Level(skill) = self.kinds[index as usize] {
                skill
            } else {
                Strength::FULL
            };
            let seed = u32::try_from(2 * game.fixture.id).context("too many games")?;
            player.begin(skill, seed + index)?;
        }
        Ok(())
    }

    fn choose(&mut self, player: usize, moves: &[String]) -> Result<(String, MoveNote)> {
        let kind = self.kinds[player];
        let player = &mut self.players[player];
        player.set_up(moves)?;
        if let Kind::Level(_) = kind {
            return player.choose(self.nodes);
        }
        let mv = beginners_move(player, moves)?.context("a game that is not over has a move")?;
        Ok((mv, MoveNote::default()))
    }
}

/// Returns the move of a player that looks one ply ahead.
fn beginners_move(player: &mut Player, moves: &[String]) -> Result<Option<String>> {
    let legal = player.legal();
    if let Some(mv) = winning_move(player, moves)? {
        return Ok(Some(mv));
    }
    // Blocks a move with which the opponent wins next. Two own moves are tried, since the first may
    // be the block.
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
    best_evaluated_move(player, moves, legal)
}

/// Returns a move that wins immediately. The position after `moves` must be set up.
fn winning_move(player: &mut Player, moves: &[String]) -> Result<Option<String>> {
    for mv in player.legal() {
        if let Some(Outcome::Win(_)) = player.set_up(&[moves, slice::from_ref(&mv)].concat())? {
            return Ok(Some(mv));
        }
    }
    Ok(None)
}

/// Returns the move to the position with the best evaluation.
fn best_evaluated_move(
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
            None => -player.evaluation().context("a game that is not over has an evaluation")?,
        };
        after.pop();
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, mv));
        }
    }
    Ok(best.map(|(_, mv)| mv))
}

fn write_row(out: &mut impl Write, pair: &str, played: &MatchResult) -> io::Result<()> {
    let tally = &played.tally;
    let (Wdl { wins, draws, losses }, plies) = (tally.all, played.plies);
    let percent = 100.0 * tally.all.score();
    let strength = strength(&tally.results());
    let (elo, error) = (strength.elo, strength.elo_error);
    writeln!(
        out,
        "| {pair} | {wins} | {draws} | {losses} | {percent:.1} % | {elo:+.0} | {error:.0} | {plies:.0} |"
    )?;
    out.flush()
}
