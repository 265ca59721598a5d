//! Plays games of the engine with itself and checks every win and loss that it claims against every
//! legal defence: a row of `docs/measurements/gomoku.md`.

use std::io::{self, Write};

use anyhow::{Context, Result};
use clap::Parser;
use tengen_engine::{Chosen, Client, Settings, Side};
use tengen_lab::claims::{ClaimChecker, Verdict};
use tengen_lab::playing::{Player, opening};

/// Checks the wins and losses that the engine claims in games with itself.
#[derive(Parser)]
struct Args {
    /// The game.
    #[arg(long, default_value = "gomokufreestyle")]
    variant: String,
    /// Positions of games to search.
    #[arg(long, default_value_t = 5_000)]
    positions: usize,
    /// Nodes for each of them.
    #[arg(long, default_value_t = 5_000)]
    nodes: u64,
    /// Threads of these searches.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Moves of the opening: those of the weakest level.
    #[arg(long, default_value_t = 6)]
    opening: usize,
    /// The seed of the first game; the next game has the next seed.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Nodes for the check of one claim.
    #[arg(long, default_value_t = 5_000_000)]
    check_nodes: u64,
}

/// Node limits of the searches for the attacker, in turn.
const EFFORTS: [u64; 3] = [2_000, 20_000, 300_000];

/// How many claims got which verdict.
#[derive(Default)]
struct Counts {
    positions: usize,
    wins: usize,
    losses: usize,
    wrong: usize,
    unsettled: usize,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let mut out = io::stdout();
    let mut player = Player::with_threads(&args.variant, &Chosen::new(), args.threads)?;
    let settings = Settings::default().with_own_book(false);
    let client = Client::open(&tengen_games::CATALOG, &args.variant, &Chosen::new(), &settings)?;
    let mut checker = ClaimChecker::new(client, EFFORTS.to_vec());
    let mut counts = Counts::default();
    for seed in args.seed.. {
        if counts.positions >= args.positions {
            break;
        }
        let Some(moves) = opening(&mut player, args.opening, seed)? else { continue };
        check_game(&args, moves, &mut player, &mut checker, &mut counts, &mut out)?;
    }
    let Counts { positions, wins, losses, wrong, unsettled } = counts;
    let share = 100.0 * unsettled as f64 / (wins + losses).max(1) as f64;
    writeln!(
        out,
        "{}, {} threads: {positions} positions, {wins} wins and {losses} losses claimed, \
         {wrong} wrong, {unsettled} unsettled ({share:.1} %)",
        args.variant, args.threads
    )?;
    anyhow::ensure!(wrong == 0, "{wrong} claims are wrong");
    Ok(())
}

/// Plays a game from `moves` on and checks what the searches of its positions claim. Prints what is
/// not right.
fn check_game(
    args: &Args,
    mut moves: Vec<String>,
    player: &mut Player,
    checker: &mut ClaimChecker,
    counts: &mut Counts,
    out: &mut impl Write,
) -> Result<()> {
    player.begin_at_full_strength()?;
    checker.begin();
    while counts.positions < args.positions && player.set_up(&moves)?.is_none() {
        let answer = player.search_moves(args.nodes)?;
        let best = answer.best.context("a game that goes on has a move")?;
        counts.positions += 1;
        let score = answer.report.score;
        if score.is_decisive() {
            let turn = player.position().turn();
            let attacker = if score.is_win() { turn } else { turn.other() };
            *(if score.is_win() { &mut counts.wins } else { &mut counts.losses }) += 1;
            let mut board = player.position().duplicate();
            let claimed = score.is_win().then_some(best);
            let verdict = checker.check(&mut *board, attacker, claimed, args.check_nodes)?;
            counts.wrong += usize::from(matches!(verdict, Verdict::Wrong(_)));
            counts.unsettled += usize::from(verdict == Verdict::Unsettled);
            if verdict != Verdict::Right {
                let side = if attacker == Side::First { "first" } else { "second" };
                let line = moves.join(" ");
                writeln!(out, "{verdict:?}: {score:?} for the {side} player after {line}")?;
            }
        }
        moves.push(player.write_move(best));
    }
    Ok(())
}
